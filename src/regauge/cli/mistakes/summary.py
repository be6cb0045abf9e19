"""`regauge mistakes summary CODED [CODED2]`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
import polars as pl
from rich.cells import chop_cells
from rich.text import Text

import regauge
from regauge.cli.mistakes.majors import describe_majors, format_majors
from regauge.cli.printing.output import find_width, format_option, print_json, print_notes, print_parts, print_rows
from regauge.cli.printing.printable import make_printable
from regauge.cli.printing.progress import show_life
from regauge.cli.printing.tables import IN_JSON, FittedTable, Holds, make_table, name_class
from regauge.cli.studies.study import open_for_reading, study_option
from regauge.errors import InputError
from regauge.estimates import DEFAULT_LEVEL, Share, count_things, format_p_phrase, to_fields
from regauge.records.mistakes.coded import FOLDED_SEVERITIES
from regauge.records.mistakes.summaries import (
    ClassPair,
    FileSummary,
    Independence,
    MistakesComparison,
    MistakesSettings,
    MistakesSummary,
)
from regauge.records.taxonomy import Taxonomy
from regauge.workflows.inputs import open_taxonomy
from regauge.workflows.mistakes.coded import is_coded_file
from regauge.workflows.mistakes.summaries import summarise_coded, summarise_codings

COLUMNS = {
    "name": pl.String,
    "category": pl.String,
    "severity": pl.String,
    "n": pl.Int64,
    "n_total": pl.Int64,
    "share": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
}
"""The columns of CSV and JSON Lines; docs/formats.md explains them."""

_N_PAIRS_SHOWN = 10
_SHARE_WIDTH = 20
_LEVEL_CAPTION = (
    "Levels up to the common ancestor of prediction and dataset label; 1 is the same parent, 0 the same class."
)


@click.command("summary")
@click.argument("coded")
@click.argument("coded2", required=False)
@click.option(
    "--taxonomy", metavar="NAME|FILE", help="The classes of files: imagenet-1k, cifar-10, or a CSV or JSON file."
)
@click.option(
    "--truth",
    "truths",
    multiple=True,
    metavar="FILE",
    help="Dataset labels of files, for confused class pairs and, with a taxonomy, ancestor levels. Repeatable.",
)
@study_option
@click.option(
    "--level", type=float, default=DEFAULT_LEVEL, show_default=True, help="Confidence level of every interval."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Random seed of the permutations.")
@click.option(
    "--n-permutations",
    type=int,
    default=MistakesSettings().n_permutations,
    show_default=True,
    help="Permutations by image, where two files share images.",
)
@format_option
def command(
    coded: str,
    coded2: str | None,
    taxonomy: str | None,
    truths: tuple[str, ...],
    folder: Path | None,
    level: float,
    seed: int,
    n_permutations: int,
    output_format: str,
) -> None:
    """Count CODED mistakes by category and severity, and compare them with those of CODED2.

    Both are files (.csv, .tsv, .json), each also as NAME=PATH; of a JSON file with several models one is chosen as
    PATH#MODEL. Formats: see docs/formats.md. Inside a study, both can be codings, NAME@VERSION or NAME for the latest.
    """
    settings = MistakesSettings(level=level, seed=seed, n_permutations=n_permutations)
    files = [coded] if coded2 is None else [coded, coded2]
    if all(map(is_coded_file, files)):
        if folder is not None:
            raise InputError(
                "--study goes with codings of a study, and files of coded mistakes are given; leave it out."
            )
        classes = open_taxonomy(taxonomy)
        with show_life("Counting mistakes"):
            result = summarise_coded(files, truths or None, taxonomy=classes, settings=settings)
    else:
        result, classes = _summarise_study(folder, files, {"--taxonomy": taxonomy, "--truth": truths}, settings)
    if output_format == "table":
        print_parts(_make_parts(result, classes, width=find_width()))
    elif output_format == "json":
        print_json(_make_content(result, classes))
    else:
        print_rows(pl.DataFrame(_make_rows(result), schema=COLUMNS, orient="row"), output_format)
    print_notes(result.notes)


def _summarise_study(
    folder: Path | None, files: Sequence[str], of_files: Mapping[str, object], settings: MistakesSettings
) -> tuple[MistakesSummary, Taxonomy]:
    """The codings of a study in numbers, with its dataset labels and classes."""
    given = [name for name, value in of_files.items() if value]
    if given:
        raise InputError(f"{given[0]} goes with files of coded mistakes, and a study has its own; leave it out.")
    with open_for_reading(folder) as study, show_life("Counting mistakes"):
        return summarise_codings(study, files, settings=settings), study.taxonomy


def _make_rows(result: MistakesSummary) -> list[tuple[Any, ...]]:
    return [
        (file.name, category, severity.value, share.k, share.n, *to_fields(share).values())
        for file in result.files
        for category, cells in zip(file.category_names, file.table, strict=True)
        for severity, share in zip(FOLDED_SEVERITIES, cells, strict=True)
    ]


def _make_content(result: MistakesSummary, taxonomy: Taxonomy | None) -> dict[str, Any]:
    """The JSON object: the counts, tests and overlap first, then what explains them."""
    comparison = result.comparison
    shared = None if comparison is None else comparison.shared
    return {
        "files": [_describe_file(file, taxonomy) for file in result.files],
        "independence": None if comparison is None else _describe_tests(comparison, result.settings),
        "shared": None
        if shared is None
        else {"same_prediction": shared.n_same_prediction, "different_prediction": shared.n_different_prediction},
        "only_first": None if shared is None else shared.n_only_first,
        "only_second": None if shared is None else shared.n_only_second,
        "majors_fixed": None if comparison is None else describe_majors(comparison.majors),
        "notes": list(result.notes),
        "settings": asdict(result.settings),
        "version": regauge.__version__,
    }


def _describe_file(file: FileSummary, taxonomy: Taxonomy | None) -> dict[str, Any]:
    return {
        "name": file.name,
        "n": file.n,
        "categories": {name: share.k for name, share in zip(file.category_names, file.categories, strict=True)},
        "severities": {name.value: share.k for name, share in zip(FOLDED_SEVERITIES, file.severities, strict=True)},
        "n_borderline": file.n_borderline,
        "table": [[share.k for share in cells] for cells in file.table],
        "category_shares": _describe_categories(file, file.categories),
        "severity_shares": {
            name.value: _describe_share(share) for name, share in zip(FOLDED_SEVERITIES, file.severities, strict=True)
        },
        "table_shares": [[_describe_share(share) for share in cells] for cells in file.table],
        "major_by_category": _describe_categories(file, file.major_by_category),
        "n_labelled": file.n_labelled,
        "n_unlabelled": None if file.n_labelled is None else file.n - file.n_labelled,
        "class_pairs": None
        if file.class_pairs is None
        else [_describe_pair(pair, taxonomy) for pair in file.class_pairs],
        "ancestor_levels": None
        if file.levels is None
        else [
            {"level": one.level, "n": one.n, "categories": _describe_categories(file, one.categories)}
            for one in file.levels
        ],
    }


def _describe_share(share: Share[float | None]) -> dict[str, Any]:
    return {"n": share.k, "n_total": share.n, **to_fields(share, value="share")}


def _describe_categories(file: FileSummary, shares: Iterable[Share[float | None]]) -> dict[str, Any]:
    return {name: _describe_share(share) for name, share in zip(file.category_names, shares, strict=True)}


def _describe_pair(pair: ClassPair, taxonomy: Taxonomy | None) -> dict[str, Any]:
    classes = [
        {"index": index, "id": None if taxonomy is None else taxonomy.classes[index].id}
        for index in (pair.first, pair.second)
    ]
    return {"classes": classes, "n": pair.n}


def _describe_tests(comparison: MistakesComparison, settings: MistakesSettings) -> dict[str, Any]:
    tests = {"category": comparison.category, "severity": comparison.severity}
    return {
        name: {
            "chi2": test.chi2,
            "dof": test.dof,
            "p": test.p,
            "n": test.n,
            "min_expected": test.min_expected,
            "p_permutation": test.p_permutation,
            "n_images": test.n_images,
            "n_permutations": None if test.p_permutation is None else settings.n_permutations,
        }
        for name, test in tests.items()
    }


def _make_parts(result: MistakesSummary, taxonomy: Taxonomy | None, *, width: int) -> Iterator[FittedTable | Text]:
    for make in (_make_shares, _make_majors):
        whole = make(result.files)
        yield from [whole] if whole.fits(width) else [make([file]) for file in result.files]
    yield Text(f"{100 * result.settings.level:g}% intervals: Clopper–Pearson.", style="dim")
    if result.comparison is not None:
        yield from _make_comparison(result, result.comparison)
    for file in result.files:
        if file.class_pairs:
            yield _make_pairs(file, file.class_pairs, taxonomy)
            yield Text(_describe_tail(file.class_pairs), style="dim")
        if file.levels:
            yield from _make_levels(file, width)
            yield Text(_LEVEL_CAPTION, style="dim")


def _make_shares(files: Sequence[FileSummary]) -> FittedTable:
    """Categories and severities as the shares of each file."""
    table = make_table("kind", title="Mistakes by category and severity")
    for file in files:
        _add_columns(table, file, f"n = {file.n:,}")
    for position, category in enumerate(files[0].category_names):
        table.add_row(category, *_make_cells(file.categories[position] for file in files))
    table.add_section()
    for position, severity in enumerate(FOLDED_SEVERITIES):
        table.add_row(severity.value, *_make_cells(file.severities[position] for file in files))
    return table


def _make_majors(files: Sequence[FileSummary]) -> FittedTable:
    table = make_table("category", title="Major mistakes by category (the rest are minor)")
    for file in files:
        _add_columns(table, file, "of category")
    for position, category in enumerate(files[0].category_names):
        table.add_row(category, *_make_cells(file.major_by_category[position] for file in files))
    return table


def _make_comparison(result: MistakesSummary, comparison: MistakesComparison) -> Iterator[Text]:
    first, second = (make_printable(file.name) for file in result.files)
    yield Text()
    yield Text(f"Do {first} and {second} differ?", style="bold")
    yield Text(f"category: {_format_test(comparison.category, result.settings)}")
    yield Text(f"severity: {_format_test(comparison.severity, result.settings)}")
    shared = comparison.shared
    yield Text(
        f"images in both: {shared.n_shared:,}, with the same prediction {shared.n_same_prediction:,}, "
        f"with different ones {shared.n_different_prediction:,}"
    )
    yield Text(f"images only in {first}: {shared.n_only_first:,}; only in {second}: {shared.n_only_second:,}")
    if shared.n_shared:
        yield Text()
        yield Text(f"Does {second} correct major mistakes of {first} first?", style="bold")
        yield Text("\n".join((*format_majors(comparison.majors), "")))


def _format_test(test: Independence, settings: MistakesSettings) -> str:
    if test.chi2 is None or test.p is None:
        return f"no test (N = {test.n:,})"
    text = f"χ²({test.dof}, N = {test.n:,}) = {test.chi2:.2f}, {format_p_phrase(test.p)}"
    if test.p_permutation is None or test.n_images is None:
        return text
    return (
        f"{text}; by permutation within {test.n_images:,} images {format_p_phrase(test.p_permutation)} "
        f"({settings.n_permutations:,} permutations, seed {settings.seed})"
    )


def _make_pairs(file: FileSummary, pairs: Sequence[ClassPair], taxonomy: Taxonomy | None) -> FittedTable:
    table = make_table("n", title=f"Class pairs that {file.name} confuses most", whole=IN_JSON)
    for name in ("class", "other class"):
        table.add_column(name, Holds.NAMES, rank=0)
    for pair in pairs[:_N_PAIRS_SHOWN]:
        table.add_row(f"{pair.n:,}", name_class(pair.first, taxonomy), name_class(pair.second, taxonomy))
    return table


def _describe_tail(pairs: Sequence[ClassPair]) -> str:
    """How many pairs were confused how often."""
    n_by_times = Counter(pair.n for pair in pairs)
    parts = (f"{times:,}×: {n_pairs:,}" for times, n_pairs in sorted(n_by_times.items()))
    n_mistakes = sum(pair.n for pair in pairs)
    return (
        f"{count_things(n_mistakes, 'mistake confuses', many='mistakes confuse')} "
        f"{count_things(len(pairs), 'class pair')}; how often, and how many pairs: {', '.join(parts)}."
    )


def _make_levels(file: FileSummary, width: int) -> Iterator[FittedTable]:
    """Categories by ancestor level, side by side as far as the width allows."""
    n_columns = max(1, (width - 16) // (_SHARE_WIDTH + 2))
    for start in range(0, len(file.category_names), n_columns):
        title = f"Categories of {file.name} by ancestor level" if start == 0 else ""
        table = make_table("level", "n", title=title, whole=IN_JSON)
        table.add_columns(file.category_names[start : start + n_columns])
        for one in file.levels or ():
            shares = map(str, one.categories[start : start + n_columns])
            table.add_row("none" if one.level is None else str(one.level), f"{one.n:,}", *shares)
        yield table


def _add_columns(table: FittedTable, file: FileSummary, below: str) -> None:
    """The columns n and share of a file; its name is cut into lines rather than shortened."""
    header = "\n".join([*chop_cells(make_printable(file.name), _SHARE_WIDTH), below])
    table.add_column("n", rank=1, label="")
    table.add_column(header, rank=0)


def _make_cells(shares: Iterable[Share[float | None]]) -> Iterator[str]:
    for share in shares:
        yield f"{share.k:,}"
        yield str(share)
