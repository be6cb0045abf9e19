"""`regauge candidates potential|final|split`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich.text import Text

import regauge
from regauge.cli.printing.output import format_option, make_console, print_json, print_notes, print_rows
from regauge.cli.printing.tables import make_table, show
from regauge.cli.studies.study import open_for_reading, study_option
from regauge.errors import InputError
from regauge.estimates import DEFAULT_LEVEL, from_fields
from regauge.records.candidates import (
    DEFAULT_TOP,
    CandidateRule,
    Candidates,
    CutReason,
    PotentialLabels,
    Split,
    SplitPart,
)
from regauge.records.taxonomy import Taxonomy
from regauge.workflows.candidates import find_final, find_potential, find_split
from regauge.workflows.inputs import open_taxonomy
from regauge.workflows.study_candidates import find_potential_in_study

_N_IMAGES_SHOWN = 20

taxonomy_option = click.option(
    "--taxonomy", metavar="NAME|FILE", help="The classes: imagenet-1k, cifar-10, or a CSV or JSON file."
)
truth_option = click.option("--truth", "truths", multiple=True, metavar="FILE", help="Dataset labels of the images.")
level_option = click.option(
    "--level", type=float, default=DEFAULT_LEVEL, show_default=True, help="Nominal coverage of every interval."
)


skip_unknown_option = click.option(
    "--skip-unknown",
    is_flag=True,
    help="Leave out images that the truth does not have, such as controls of another set.",
)


@click.group("candidates")
def command() -> None:
    """Choose which labels to ask people about: potential labels, candidates for CLASSIFY, and where each image goes."""


@command.command()
@click.argument("predictions", nargs=-1)
@truth_option
@taxonomy_option
@click.option("--top", type=int, default=DEFAULT_TOP, show_default=True, help="Answers of each participant to take.")
@click.option("--test-set", metavar="NAME", help="In a study: which test set; the only one unless given.")
@click.option(
    "--participant",
    multiple=True,
    metavar="GLOB",
    help="In a study: whose answers; everybody's unless given. Repeatable.",
)
@study_option
@format_option
def potential(
    predictions: tuple[str, ...],
    truths: tuple[str, ...],
    taxonomy: str | None,
    top: int,
    test_set: str | None,
    participant: tuple[str, ...],
    folder: Path | None,
    output_format: str,
) -> None:
    """List the potential labels of every image: its dataset label and the first answers of participants.

    With PREDICTIONS and --truth no study is needed; without them a study's test set and predictions are used.
    """
    if predictions:
        if not truths:
            raise InputError("Potential labels start from dataset labels; name a file that has them with --truth.")
        if folder is not None or test_set is not None or participant:
            raise InputError(
                "--study, --test-set and --participant choose from a study; leave out PREDICTIONS to use it."
            )
        found = find_potential(list(predictions), truths, taxonomy=taxonomy, top=top)
    else:
        if truths or taxonomy is not None:
            raise InputError("--truth and --taxonomy go with PREDICTIONS; name some, or leave both out inside a study.")
        with open_for_reading(folder) as study:
            found = find_potential_in_study(study, test_set=test_set, participants=participant, top=top)
    _print(
        found,
        output_format,
        name="potential_labels",
        content={"top": found.top, "participants": list(found.participants)},
    )


@command.command()
@click.argument("frequencies")
@truth_option
@taxonomy_option
@level_option
@skip_unknown_option
@format_option
def final(
    frequencies: str,
    truths: tuple[str, ...],
    taxonomy: str | None,
    level: float,
    skip_unknown: bool,
    output_format: str,
) -> None:
    """Choose the candidates for CLASSIFY from FREQUENCIES, with the rule that chose each and the clause that cut it.

    FREQUENCIES is what `aggregate contains` prints, as .csv, .tsv or .jsonl.
    """
    classes = open_taxonomy(taxonomy)
    found = find_final(frequencies, _require(truths), taxonomy=classes, level=level, skip_unknown=skip_unknown)
    _print(found, output_format, name="candidates", content={"level": level}, taxonomy=classes)


@command.command()
@click.argument("frequencies")
@truth_option
@taxonomy_option
@level_option
@skip_unknown_option
@format_option
def split(
    frequencies: str,
    truths: tuple[str, ...],
    taxonomy: str | None,
    level: float,
    skip_unknown: bool,
    output_format: str,
) -> None:
    """Say where each image goes by FREQUENCIES: easy, mislabeled, ambiguous, or follow-up, which is CLASSIFY.

    FREQUENCIES is what `aggregate contains` prints, as .csv, .tsv or .jsonl.
    """
    classes = open_taxonomy(taxonomy)
    found = find_split(frequencies, _require(truths), taxonomy=classes, level=level, skip_unknown=skip_unknown)
    counts = {part.value: found.count(part) for part in SplitPart}
    _print(found, output_format, name="images", content={"level": level, "parts": counts}, taxonomy=classes)


def _require(truths: tuple[str, ...]) -> tuple[str, ...]:
    if not truths:
        raise InputError("The rules compare with the dataset label; name a file that has them with --truth.")
    return truths


def _print(
    found: PotentialLabels | Candidates | Split,
    output_format: str,
    *,
    name: str,
    content: dict[str, Any],
    taxonomy: Taxonomy | None = None,
) -> None:
    if output_format == "json":
        rows = found.to_frame().to_dicts()
        print_json({name: rows, **content, "notes": list(found.notes), "version": regauge.__version__})
    elif output_format != "table":
        print_rows(found.to_frame(), output_format)
    elif isinstance(found, PotentialLabels):
        _show_potential(found)
    elif isinstance(found, Candidates):
        _show_candidates(found, taxonomy)
    else:
        _show_split(found)
    print_notes(found.notes)


def _show_potential(found: PotentialLabels) -> None:
    n_images = len(found.image_ids)
    table = make_table("image", "dataset label", "n", "others, with the participants that named them")
    for row in range(min(n_images, _N_IMAGES_SHOWN)):
        labels = slice(int(found.starts[row]), int(found.starts[row + 1]))
        pairs = zip(found.classes[labels].tolist(), found.n_participants[labels].tolist(), strict=True)
        own = int(found.dataset_labels[row])
        others = ", ".join(f"{label} ({count})" for label, count in pairs if label != own)
        table.add_row(show(str(found.image_ids[row])), str(own), str(labels.stop - labels.start), others)
    console = make_console()
    console.print(table)
    console.print(
        Text(
            f"{len(found):,} labels of {n_images:,} images, {len(found) / max(n_images, 1):.1f} each, from the first {found.top} "
            f"answers of {len(found.participants):,} participants."
        )
    )
    _say_more(n_images)


def _show_candidates(found: Candidates, taxonomy: Taxonomy | None) -> None:
    table = make_table("image", "rank", "class", "rule", "selected", "frequency", "")
    rows = found.to_frame().iter_rows(named=True)
    for image, row in zip(found.images.tolist(), rows, strict=True):
        if image >= _N_IMAGES_SHOWN:
            break
        label = row["class"]
        table.add_row(
            show(row["image_id"]),
            str(row["rank"] or ""),
            show(str(label) if taxonomy is None else f"{label} {taxonomy.classes[label].name}"),
            row["rule"],
            f"{row['n_selected']} of {row['n_shown']}",
            str(from_fields(row, value="selection_frequency")),
            "ask again" if row["ask_again"] else f"cut: {row['cut']}" if row["cut"] else "",
        )
    console = make_console()
    console.print(table)
    n_candidates, n_images = int(found.is_candidate.sum()), len(found.image_ids)
    chosen = ", ".join(
        f"{int(((found.rules == rule) & found.is_candidate).sum()):,} {rule.word}"
        for rule in CandidateRule
        if rule is not CandidateRule.NONE
    )
    cut = ", ".join(f"{int((found.cuts == one).sum()):,} {one.word}" for one in CutReason if one is not CutReason.NONE)
    console.print(Text(f"{n_candidates:,} candidates of {n_images:,} images: {chosen}. Cut: {cut}."))
    _say_more(n_images)


def _show_split(found: Split) -> None:
    table = make_table("part", "n", title=f"{len(found):,} images")
    for part in SplitPart:
        table.add_row(part.value, f"{found.count(part):,}")
    make_console().print(table)


def _say_more(n_images: int) -> None:
    if n_images > _N_IMAGES_SHOWN:
        click.echo(f"… and {n_images - _N_IMAGES_SHOWN:,} more images: --format csv, json or jsonl shows all.")
