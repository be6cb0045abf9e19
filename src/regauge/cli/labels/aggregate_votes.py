"""`regauge aggregate votes FILE…`."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.text import Text

import regauge
from regauge.cli.options.files import check_table_file, file_option
from regauge.cli.printing.output import format_option, print_json, print_notes, print_parts, print_rows
from regauge.cli.printing.progress import show_life
from regauge.cli.printing.tables import IN_JSON, FittedTable, Holds, make_table
from regauge.estimates import (
    DEFAULT_LEVEL,
    Estimate,
    count_things,
    format_percent,
    format_plain,
    from_fields,
    to_fields,
)
from regauge.records.labels.votes import Acceptance, StopRule, VoteLabels, VoteMethod, VoteSettings
from regauge.workflows.labels.aggregate_votes import aggregate_votes
from regauge.workflows.output_files import write_rows

_N_TASKS_SHOWN = 10
_N_ANNOTATORS_SHOWN = 20
_N_LABELS_SHOWN = 20
_DEFAULTS = VoteSettings()


@click.command("votes")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--method",
    type=click.Choice([method.value for method in VoteMethod]),
    default=_DEFAULTS.method.value,
    show_default=True,
    help="The most frequent vote, or a model of the annotators.",
)
@click.option(
    "--gold",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Labels that are known, CSV task,label; they are kept whatever the votes.",
)
@click.option(
    "--prior",
    type=float,
    default=_DEFAULTS.prior,
    show_default=True,
    help="Strength of the models' priors, in votes; 0 is plain maximum likelihood.",
)
@click.option("--min-votes", type=int, default=1, show_default=True, help="Leave out tasks with fewer votes.")
@click.option(
    "--truths",
    metavar="A,B,...",
    help="The answers that can be true; others, like maybe, are not labels. Quote one that holds a comma.",
)
@click.option(
    "--accept",
    metavar="TRUTH=P",
    help="Label a task so from this probability on, else by the most probable other truth.",
)
@click.option(
    "--stop",
    type=click.Choice([rule.value for rule in StopRule]),
    default=_DEFAULTS.stop.value,
    show_default=True,
    help="What has to stop growing: the likelihood, or what crowd-kit watches (dawid-skene at prior 0).",
)
@click.option("--max-iterations", type=int, metavar="N", help="Stop a model after so many passes over the votes.")
@click.option("--tolerance", type=float, metavar="X", help="Stop a model when a pass gains less than this per vote.")
@file_option("--annotators", "Write the table of annotators as CSV.")
@file_option("--output", "Write the labels to a .csv, .jsonl or .parquet file instead of printing them.")
@file_option("--confusions", "Write what annotators answer when each label is true as CSV (dawid-skene).")
@click.option(
    "--agreement", is_flag=True, help="Also measure how far annotators agree: alpha and kappas with intervals."
)
@click.option(
    "--level", type=float, default=DEFAULT_LEVEL, show_default=True, help="Confidence level of every interval."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Without effect: nothing is drawn any more.")
@click.option(
    "--n-bootstrap",
    type=int,
    default=_DEFAULTS.n_bootstrap,
    show_default=True,
    help="Without effect, too.",
)
@format_option
def command(
    files: tuple[str, ...],
    method: str,
    gold: Path | None,
    prior: float,
    min_votes: int,
    truths: str | None,
    accept: str | None,
    stop: str,
    max_iterations: int | None,
    tolerance: float | None,
    annotators: Path | None,
    output: Path | None,
    confusions: Path | None,
    agreement: bool,
    level: float,
    seed: int,
    n_bootstrap: int,
    output_format: str,
) -> None:
    """Give every task one label with its probability, from votes of several annotators.

    FILEs hold one vote per line (task,worker,label or task,annotator,label in .csv, .tsv or .parquet), or one task per line
    and one column per annotator, or are Label Studio's .json; they are taken together. Formats: see docs/formats.md.
    """
    settings = VoteSettings(
        method=VoteMethod(method),
        prior=prior,
        min_votes=min_votes,
        truths=None if truths is None else _split_answers(truths),
        accept=None if accept is None else _parse_acceptance(accept),
        stop=StopRule(stop),
        tolerance=tolerance,
        max_iterations=max_iterations,
        with_agreement=agreement,
        level=level,
        seed=seed,
        n_bootstrap=n_bootstrap,
    )
    if confusions is not None and settings.method is not VoteMethod.DAWID_SKENE:
        raise click.UsageError("--confusions needs --method dawid-skene; no other method has them.")
    check_table_file(output)
    with show_life("Weighing votes"):
        labels = aggregate_votes(files, gold=gold, settings=settings)
    if annotators is not None:
        write_rows(labels.annotators, annotators)
    if confusions is not None:
        write_rows(labels.confusions, confusions)
    if output is not None:
        write_rows(labels.to_frame(), output)
    _print(labels, output_format, has_file=output is not None)
    print_notes(labels.notes, labels.warnings)


def _split_answers(text: str) -> tuple[str, ...]:
    """The names of answers, as a line of CSV has them."""
    return tuple(name.strip() for name in next(csv.reader([text], skipinitialspace=True), []))


def _parse_acceptance(text: str) -> Acceptance:
    truth, _, number = text.rpartition("=")
    try:
        probability = float(number)
    except ValueError:
        probability = math.nan
    if not truth.strip() or math.isnan(probability):
        raise click.UsageError(f"--accept takes a truth and a probability, like yes=0.8, not {text!r}.")
    return Acceptance(truth.strip(), probability)


def _print(labels: VoteLabels, output_format: str, *, has_file: bool) -> None:
    if output_format == "table":
        print_parts(_make_parts(labels))
    elif output_format == "json":
        print_json(_make_content(labels))
    elif not has_file:
        print_rows(labels.to_frame(), output_format)


def _make_content(labels: VoteLabels) -> dict[str, Any]:
    fit = labels.convergence
    return {
        "labels": labels.to_frame().to_dicts(),
        "annotators": labels.annotators.to_dicts(),
        "classes": labels.classes.to_dicts(),
        "agreement": [
            {"name": name, **to_fields(one), "interval": one.method, "n": one.n}
            for name, one in labels.agreement.items()
        ],
        "convergence": None
        if fit is None
        else {
            "n_iterations": fit.n_iterations,
            "converged": fit.converged,
            "log_posterior": fit.log_posterior[-1],
            "stop": labels.settings.stop,
            "tolerance": labels.settings.step_tolerance,
        },
        "notes": list(labels.notes),
        "warnings": list(labels.warnings),
        "settings": asdict(labels.settings),
        "version": regauge.__version__,
    }


def _make_parts(labels: VoteLabels) -> Iterator[FittedTable | Text]:
    yield _make_tasks(labels)
    n_more = len(labels) - _N_TASKS_SHOWN
    if n_more > 0:
        yield Text(f"{count_things(n_more, 'more task')}: see them with --format csv or --output FILE.", style="dim")
    yield _make_classes(labels)
    n_more = labels.classes.height - _N_LABELS_SHOWN
    if n_more > 0:
        yield Text(f"{count_things(n_more, 'more label')}: see them with --format json.", style="dim")
    yield _make_annotators(labels)
    n_more = labels.annotators.height - _N_ANNOTATORS_SHOWN
    more = f"{count_things(n_more, 'more annotator')}: see them with --annotators FILE. " if n_more > 0 else ""
    skill = (
        ""
        if labels.settings.method is VoteMethod.MAJORITY
        else "; of accuracies, Jeffreys on the answers that are known"
    )
    yield Text(f"{more}{100 * labels.settings.level:g}% intervals: Clopper–Pearson{skill}.", style="dim")
    for name, one in labels.agreement.items():
        yield Text(f"{name}: {_tell_agreement(one)}")


def _tell_agreement(found: Estimate[float | None]) -> str:
    text = format_plain(found, decimals=3)
    if found.value is None:
        return text
    interval = found.method if found.low is not None else "no interval: the tasks do not tell what chance would give"
    return f"{text} (n = {found.n:,}), {interval}"


def _make_tasks(labels: VoteLabels) -> FittedTable:
    title = f"Labels of {len(labels):,} tasks by {labels.settings.method}"
    table = make_table("task", "label", title=title)
    table.add_columns(("probability", "votes", "for it"))
    table.add_column("majority", Holds.NAMES)
    table.add_column("share")
    for row in labels.frame.head(_N_TASKS_SHOWN).iter_rows(named=True):
        tied = " (tied)" if row["tied"] else ""
        table.add_row(
            row["task"],
            "–" if row["label"] is None else row["label"],
            "known" if row["gold"] else format_percent(row["probability"]),
            f"{row['n_votes']:,}",
            f"{row['n_agree']:,}",
            "–" if row["majority"] is None else row["majority"] + tied,
            str(from_fields(row, value="share")),
        )
    return table


def _make_classes(labels: VoteLabels) -> FittedTable:
    table = make_table("label", title="Labels", whole=IN_JSON)
    table.add_columns(("votes", "prevalence", *(["alpha against\nthe rest"] if labels.agreement else [])))
    shown = labels.classes.sort("n_votes", descending=True, maintain_order=True).head(_N_LABELS_SHOWN)
    for row in shown.iter_rows(named=True):
        alpha = [format_plain(from_fields(row, "alpha"), decimals=3)] if labels.agreement else []
        table.add_row(row["label"], f"{row['n_votes']:,}", format_percent(row["prevalence"]), *alpha)
    return table


def _make_annotators(labels: VoteLabels) -> FittedTable:
    """Those with most votes."""
    has_skills = labels.settings.method is not VoteMethod.MAJORITY
    has_gold = bool(labels.annotators["n_gold"].sum())
    table = make_table("annotator", title=f"Annotators ({labels.annotators.height:,})", whole=IN_JSON)
    names = ["votes", *(["accuracy"] if has_skills else []), "agrees with\nothers", "kappa with\nothers"]
    table.add_columns([*names, *(["on known\nlabels"] if has_gold else [])])
    shown = labels.annotators.sort("n_votes", descending=True, maintain_order=True).head(_N_ANNOTATORS_SHOWN)
    for row in shown.iter_rows(named=True):
        cells = [str(from_fields(row, value="accuracy"))] if has_skills else []
        cells.append(str(from_fields(row, "agreement")))
        cells.append("–" if row["kappa"] is None else f"{row['kappa']:.2f}")
        if has_gold:
            cells.append(str(from_fields(row, "gold", value="gold_accuracy")))
        table.add_row(row["annotator"], f"{row['n_votes']:,}", *cells)
    return table
