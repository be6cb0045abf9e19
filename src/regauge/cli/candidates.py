"""`regauge candidates potential|final|split`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

import regauge
from regauge.cli.printing.output import format_option, print_json, print_notes, print_parts, print_rows, print_sentences
from regauge.cli.printing.tables import FittedTable, Holds, make_table, name_class
from regauge.cli.studies.study import open_for_reading, study_option
from regauge.errors import InputError
from regauge.estimates import DEFAULT_LEVEL, count_things, from_fields
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
    "--level", type=float, default=DEFAULT_LEVEL, show_default=True, help="Confidence level of every interval."
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
@click.option("--test-set", metavar="NAME", help="In a study: which test set; the only one by default.")
@click.option(
    "--participant",
    multiple=True,
    metavar="GLOB",
    help="In a study: whose answers; everybody's by default. Repeatable.",
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
        found, classes = find_potential(list(predictions), truths, taxonomy=taxonomy, top=top), open_taxonomy(taxonomy)
    else:
        if truths or taxonomy is not None:
            raise InputError("--truth and --taxonomy go with PREDICTIONS; name some, or leave both out inside a study.")
        with open_for_reading(folder) as study:
            found = find_potential_in_study(study, test_set=test_set, participants=participant, top=top)
            classes = study.taxonomy
    _print(
        found,
        output_format,
        name="potential_labels",
        taxonomy=classes,
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

    FREQUENCIES is what `aggregate contains` prints, as .csv, .tsv, .jsonl or .parquet.
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

    FREQUENCIES is what `aggregate contains` prints, as .csv, .tsv, .jsonl or .parquet.
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
        _show_potential(found, taxonomy)
    elif isinstance(found, Candidates):
        _show_candidates(found, taxonomy)
    else:
        _show_split(found)
    print_notes(found.notes)


def _show_potential(found: PotentialLabels, taxonomy: Taxonomy | None) -> None:
    n_images = len(found.image_ids)
    table = FittedTable()
    table.add_column("image", Holds.NAMES)
    table.add_column("dataset label", Holds.NAMES)
    table.add_column("n", rank=2)
    table.add_column("others, with the participants that named them", Holds.LISTS, rank=1)
    for row in range(min(n_images, _N_IMAGES_SHOWN)):
        labels = slice(int(found.starts[row]), int(found.starts[row + 1]))
        pairs = zip(found.classes[labels].tolist(), found.n_participants[labels].tolist(), strict=True)
        own = int(found.dataset_labels[row])
        others = ", ".join(f"{name_class(label, taxonomy)} ({count})" for label, count in pairs if label != own)
        table.add_row(str(found.image_ids[row]), name_class(own, taxonomy), str(labels.stop - labels.start), others)
    print_parts([table])
    print_sentences(
        f"{len(found):,} labels of {n_images:,} images, {len(found) / max(n_images, 1):.1f} each, from the first {found.top} "
        f"answers of {len(found.participants):,} participants."
    )
    _say_more(n_images)


def _show_candidates(found: Candidates, taxonomy: Taxonomy | None) -> None:
    table = FittedTable()
    ranks = {"image": 0, "rank": 2, "class": 0, "rule": 4, "selected": 3, "frequency": 0, "": 1}
    for name, place in ranks.items():
        is_number = name in {"rank", "selected", "frequency"}
        table.add_column(name, Holds.NUMBERS if is_number else Holds.NAMES, rank=place, label=name or "what is cut")
    rows = found.to_frame().iter_rows(named=True)
    for image, row in zip(found.images.tolist(), rows, strict=True):
        if image >= _N_IMAGES_SHOWN:
            break
        table.add_row(
            row["image_id"],
            str(row["rank"] or ""),
            name_class(row["class"], taxonomy),
            row["rule"],
            f"{row['n_selected']} of {row['n_shown']}",
            str(from_fields(row, value="selection_frequency")),
            "ask again" if row["ask_again"] else f"cut: {row['cut']}" if row["cut"] else "",
        )
    print_parts([table])
    n_candidates, n_images = int(found.is_candidate.sum()), len(found.image_ids)
    chosen = ", ".join(
        f"{int(((found.rules == rule) & found.is_candidate).sum()):,} {rule.word}"
        for rule in CandidateRule
        if rule is not CandidateRule.NONE
    )
    cut = ", ".join(f"{int((found.cuts == one).sum()):,} {one.word}" for one in CutReason if one is not CutReason.NONE)
    print_sentences(
        f"{count_things(n_candidates, 'candidate')} of {count_things(n_images, 'image')}: {chosen}. Cut: {cut}."
    )
    _say_more(n_images)


def _show_split(found: Split) -> None:
    table = make_table("part", "n", title=count_things(len(found), "image"))
    for part in SplitPart:
        table.add_row(part.value, f"{found.count(part):,}")
    print_parts([table])


def _say_more(n_images: int) -> None:
    if n_images > _N_IMAGES_SHOWN:
        print_sentences(
            f"… and {count_things(n_images - _N_IMAGES_SHOWN, 'more image')}: --format csv, json or jsonl shows all."
        )
