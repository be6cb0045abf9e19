"""Scores as tables for the terminal: participants × metrics, in as many tables side by side as the width asks for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from typing import Any, TypeAlias

import polars as pl
from rich.table import Table
from rich.text import Text

from regauge.cli.printing.tables import fits, make_table, show
from regauge.estimates import format_p, format_percent, format_points, from_fields
from regauge.records.evaluation.scores import WHOLE, Scores
from regauge.workflows.evaluation.scoring import find_caption

Row: TypeAlias = dict[str, Any]


class PlaceOfN(Enum):
    """Where a table says on how many images a score was counted."""

    HEADER = "header"
    ONCE = "once per line"
    EACH = "beside each score"


def make_tables(scores: Scores, *, width: int) -> Iterator[Table | Text]:
    """The scores, plain metrics before balanced ones, and after a comparison the paired differences, each with a caption.

    A caption stands below its tables as text of its own, because rich would squeeze it into the width of the last one.
    """
    rows = _arrange(scores.to_frame())
    names = rows["column"].unique(maintain_order=True).to_list()
    blocks = list(_split_columns(rows, sorted(names, key=lambda name: "_balanced" in name), width))
    for block in blocks:
        table = _make_block(rows, block)
        if block is blocks[0]:
            table.title = show(_make_title(rows))
        yield table
    yield Text(_make_caption(rows, scores), style="dim")
    if "against" in rows.columns and rows["against"].is_not_null().any():
        compared = rows.filter(pl.col("against").is_not_null())
        yield _make_differences(compared, width)
        yield Text(_make_difference_caption(compared), style="dim")


def _arrange(frame: pl.DataFrame) -> pl.DataFrame:
    """Subset after subset, the best participant by the first metric first; each score with the name of its column."""
    is_first = (pl.col("metric") == frame["metric"][0]) & (pl.col("subset") == WHOLE)
    best = frame.filter(is_first).select("participant", best="value").unique("participant")
    several = frame.group_by("metric").agg(pl.col("labels").n_unique())["labels"].to_list()
    by_labels = pl.col("metric") + pl.lit(" by ") + pl.col("labels")
    remark = (pl.lit(", ") + pl.col("remark")).fill_null("")
    return (
        frame.with_columns(column=(by_labels if max(several) > 1 else pl.col("metric")) + remark)
        .with_columns(place=pl.col("subset").rle_id().min().over("subset"))
        .join(best, on="participant", how="left", maintain_order="left")
        .sort("place", "best", descending=[False, True], nulls_last=True, maintain_order=True)
    )


def _split_columns(rows: pl.DataFrame, names: Sequence[str], width: int) -> Iterator[list[str]]:
    """The columns in blocks, each as wide as the terminal allows and at least one column wide."""
    block: list[str] = []
    for name in names:
        if block and not fits(_make_block(rows, [*block, name]), width):
            yield block
            block = []
        block.append(name)
    yield block


def _make_block(rows: pl.DataFrame, names: Sequence[str]) -> Table:
    """One line per subset and participant, and a column for each of the names.

    n stands in the header where all lines of a column share it, else in a column of its own: one for the table where all
    columns agree, else one beside each.
    """
    rows = rows.filter(pl.col("column").is_in(names))
    heads, where = _find_heads(rows), _place_n(rows)
    table = make_table(*heads, *(["n"] if where is PlaceOfN.ONCE else []))
    for name in names:
        if where is PlaceOfN.EACH:
            table.add_column("n", justify="right", no_wrap=True)
        n = rows.filter(pl.col("column") == name)["n"][0]
        header = show(name) + Text(f"\nn = {n:,}") if where is PlaceOfN.HEADER else show(name)
        table.add_column(header, justify="right", no_wrap=True)
    for subset, lines in _group(rows).items():
        for position, (participant, score_of) in enumerate(lines.items()):
            head = {"subset": subset if position == 0 else "", "participant": participant}
            table.add_row(*(show(head[name]) for name in heads), *_make_cells(score_of, names, where))
        if len(lines) > 1:
            table.add_section()
    return table


def _group(rows: pl.DataFrame) -> dict[str, dict[str, dict[str, Row]]]:
    """The scores by subset, participant and column, each in the order of the rows."""
    grouped: dict[str, dict[str, dict[str, Row]]] = {}
    for row in rows.iter_rows(named=True):
        grouped.setdefault(row["subset"], {}).setdefault(row["participant"], {})[row["column"]] = row
    return grouped


def _find_heads(rows: pl.DataFrame) -> list[str]:
    """The columns that tell the lines apart: subset and participant, but not a participant that is alone."""
    has_subsets = bool((rows["subset"] != WHOLE).any())
    return [
        *(["subset"] if has_subsets else []),
        *(["participant"] if rows["participant"].n_unique() > 1 or not has_subsets else []),
    ]


def _place_n(rows: pl.DataFrame) -> PlaceOfN:
    if rows.group_by("column").agg(pl.col("n").n_unique())["n"].max() == 1:
        return PlaceOfN.HEADER
    per_line = rows.group_by("subset", "participant").agg(pl.col("n").n_unique())["n"]
    return PlaceOfN.ONCE if per_line.max() == 1 else PlaceOfN.EACH


def _make_cells(score_of: dict[str, Row], names: Sequence[str], where: PlaceOfN) -> Iterator[str]:
    if where is PlaceOfN.ONCE:
        yield f"{next(iter(score_of.values()))['n']:,}"
    for name in names:
        score = score_of.get(name)
        if where is PlaceOfN.EACH:
            yield "" if score is None else f"{score['n']:,}"
        yield "" if score is None else _format_score(score)


def _format_score(score: Row) -> str:
    """The estimate; where unjudged predictions count as wrong in it, both bounds before the outer interval."""
    estimate = str(from_fields(score))
    if score["n_unjudged"] and score["n_correct"] is not None:
        return estimate.replace(" [", f" to {format_percent(score['upper_bound'])} [", 1)
    return estimate


def _make_title(rows: pl.DataFrame) -> str:
    owner = "" if "participant" in _find_heads(rows) else f" of {rows['participant'][0]}"
    return f"Accuracy{owner} on {rows['test_set'][0]}"


def _make_caption(rows: pl.DataFrame, scores: Scores) -> str:
    methods = ", ".join(rows["interval"].unique(maintain_order=True).drop_nulls())
    caption = f"{100 * scores.settings.level:g}% intervals: {methods or 'none, as no image counts'}."
    unjudged = rows.filter(pl.col("n_unjudged") > 0)
    means = unjudged.filter(pl.col("n_correct").is_null())["metric"].unique(maintain_order=True)
    caption += "".join(f" {told}" for told in map(find_caption, means) if told)
    if unjudged["n_correct"].is_not_null().any():
        caption += " “a to b”: a if every unjudged prediction is wrong, b if every one is right."
    return caption


def _make_differences(rows: pl.DataFrame, width: int) -> Table:
    """The paired differences; where the terminal is narrow, without the counts and the p-value before adjustment."""
    table = _make_difference_table(rows, is_short=False)
    return table if fits(table, width) else _make_difference_table(rows, is_short=True)


def _make_difference_table(rows: pl.DataFrame, *, is_short: bool) -> Table:
    has_subsets = bool((rows["subset"] != WHOLE).any())
    table = make_table(*(["subset"] if has_subsets else []), "participant", "metric")
    table.title = show(f"Difference to {rows['against'][0]} on the same images, in points")
    counts = [] if is_short else ["only it\nright", "only other\nright", "p\n(McNemar)"]
    for name in ("n", "difference", *counts, "p\n(Holm)"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows.iter_rows(named=True):
        head = [*([row["subset"]] if has_subsets else []), row["participant"], row["column"]]
        counts = [
            f"{row['n_only_participant']:,}",
            f"{row['n_only_against']:,}",
            format_p(row["p_mcnemar"], missing=""),
        ]
        table.add_row(
            *map(show, head),
            f"{row['n_both']:,}",
            format_points(from_fields(row, "difference"), sign=True),
            *([] if is_short else counts),
            format_p(row["p_holm"], missing=""),
        )
    return table


def _make_difference_caption(rows: pl.DataFrame) -> str:
    n_tests = int(rows["p_mcnemar"].is_not_null().sum())
    methods = ", ".join(rows["difference_interval"].unique(maintain_order=True).drop_nulls())
    caption = f"Intervals: {methods or 'none, as no image counts for both'}."
    return caption + (f" Exact McNemar tests, Holm's adjustment over the {n_tests:,} shown." if n_tests else "")
