"""Scores for the terminal: the answer in a sentence, then one table of participants and metrics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from typing import Any, TypeAlias

import polars as pl
from rich.text import Text

from regauge.cli.printing.printable import make_printable
from regauge.cli.printing.score_views import ScoreView, ViewedScores, view_scores
from regauge.cli.printing.tables import FittedTable, Holds, make_table, show
from regauge.estimates import count_things, format_p, format_percent, format_points, from_fields, name_methods
from regauge.records.evaluation.scores import BALANCED_SUFFIX, WHOLE, Scores
from regauge.workflows.evaluation.scoring import find_caption

Row: TypeAlias = dict[str, Any]
WHOLE_SCORES = "--metric NAME shows another, --format csv has all"
N_NAMED = 3
"""So many who share the highest score are named."""


class PlaceOfN(Enum):
    """Where a table says on how many images a score was counted."""

    HEADER = "header"
    ONCE = "once per line"
    EACH = "beside each score"


def make_tables(scores: Scores, view: ScoreView, *, width: int) -> Iterator[FittedTable | Text]:
    """The headline, the scores, and after a comparison the paired differences, each with a caption."""
    seen = view_scores(scores, view)
    yield show(_make_headline(scores, seen, view))
    yield Text()
    rows = seen.rows.filter(pl.col("column").is_in(seen.columns))
    yield _choose_table(rows, seen, view, width)
    yield Text(" ".join(_make_caption(rows, scores, seen)), style="dim")
    if "against" in rows.columns and rows["against"].is_not_null().any():
        compared = rows.filter(pl.col("against").is_not_null())
        yield Text()
        yield _make_differences(compared, view)
        yield Text(_make_difference_caption(compared, scores.to_frame()), style="dim")


def _make_headline(scores: Scores, seen: ViewedScores, view: ScoreView) -> str:
    """Who has the highest score on the whole set, whatever lines are shown; where unjudged ones count as wrong it says so."""
    everybody = view_scores(scores, ScoreView(sort=view.sort, metrics=view.metrics)).rows
    whole = everybody.filter((pl.col("column") == seen.leading) & (pl.col("subset") == WHOLE))
    known = whole.filter(pl.col("value").is_not_null())
    if not known.height:
        return f"No image counts for {seen.leading}."
    best = _find_best(known)
    first = best[0]
    score = f"{_format_score(first)}, n = {first['n']:,}"
    if whole.height == 1:
        return f"{first['participant']}: {seen.leading} {score}."
    score += _tell_fewer(known, best)
    is_open = bool((known["n_unjudged"] > 0).any()) and first["n_correct"] is not None
    given = ", if every unjudged prediction is wrong" if is_open else ""
    return f"Highest {seen.leading} of {whole.height:,} participants{given}: {_join_names(best)} with {score}."


def _find_best(known: pl.DataFrame) -> list[Row]:
    """Those who share the highest score, whoever was counted on the most images first."""
    best = known.filter(pl.col("value") == known["value"].max())
    return best.sort("n", descending=True, maintain_order=True).to_dicts()


def _tell_fewer(known: pl.DataFrame, best: Sequence[Row]) -> str:
    """What must be said where somebody has the highest score on fewer images than others were counted on."""
    n_most = known["n"].max()
    fewer = [row for row in best if row["n"] != n_most]
    if not fewer:
        return ""
    if len(fewer) < len(best):
        return f"; {', '.join(row['participant'] for row in fewer[:N_NAMED])} on fewer images"
    leading = _find_best(known.filter(pl.col("n") == n_most))
    score = f"{_format_score(leading[0])}, n = {leading[0]['n']:,}"
    return f", on fewer images than others; highest with the most images: {_join_names(leading)} with {score}"


def _join_names(best: Sequence[Row]) -> str:
    """Those who share the highest score; what follows is true of the first, and of the others where they are no different."""
    names = [str(row["participant"]) for row in best]
    if len(names) == 1:
        return names[0]
    *others, last = [*names[:N_NAMED], f"{len(names) - N_NAMED:,} more"] if len(names) > N_NAMED else names
    is_same = len({(row["n"], row["low"], row["high"], row["upper_bound"]) for row in best}) == 1
    return f"{', '.join(others)} and {last} alike" + ("" if is_same else f"; {names[0]}")


def _choose_table(rows: pl.DataFrame, seen: ViewedScores, view: ScoreView, width: int) -> FittedTable:
    """Metrics from left to right, or from top to bottom where only so all have room, or where one participant is alone."""
    table = _make_table(rows, seen, view)
    if (rows["subset"] != WHOLE).any() or (table.fits(width) and rows["participant"].n_unique() > 1):
        return table
    turned = _make_turned(rows, seen.columns)
    return turned if rows["participant"].n_unique() == 1 or turned.fits(width) else table


def _make_table(rows: pl.DataFrame, seen: ViewedScores, view: ScoreView) -> FittedTable:
    """One line per subset and participant, and a column for each of the names.

    n stands in the header where all lines of a column share it, else in a column of its own: one for the table where all
    columns agree, else one beside each.
    """
    heads, where, participants = _find_heads(rows), _place_n(rows), rows["participant"].unique()
    names = seen.columns
    table = make_table(*heads, *(["n"] if where is PlaceOfN.ONCE else []), title=_make_title(rows), whole=WHOLE_SCORES)
    for name in names:
        rank = _rank(name, seen)
        if where is PlaceOfN.EACH:
            table.add_column("n", rank=rank, label="")
        n = rows.filter(pl.col("column") == name)["n"][0]
        header = _break(name) + (f"\nn = {n:,}" if where is PlaceOfN.HEADER else "")
        table.add_column(header, rank=rank, label=_label(name, names))
    last = None
    for (subset, participant), score_of in _group(rows).items():
        if subset != last and last is not None and len(participants) > 1 and not view.is_flat:
            table.add_section()
        head = {"subset": "" if subset == last else view.call(subset), "participant": participant}
        table.add_row(*(head[name] for name in heads), *_make_cells(score_of, names, where))
        last = subset
    return table


def _make_turned(rows: pl.DataFrame, names: Sequence[str]) -> FittedTable:
    """One line per metric, and a column for each participant."""
    participants = rows["participant"].unique(maintain_order=True).to_list()
    table = make_table("metric", title=_make_title(rows))
    table.add_column("n", rank=1)
    for one in participants:
        table.add_column(make_printable(one) if len(participants) > 1 else "score", rank=0)
    for name in names:
        score_of = {row["participant"]: row for row in rows.filter(pl.col("column") == name).iter_rows(named=True)}
        counts = [row["n"] for row in score_of.values()]
        n = f"{min(counts):,}" + ("" if len(set(counts)) == 1 else f" to {max(counts):,}")
        table.add_row(name, n, *(_format_score(score_of[one]) if one in score_of else "" for one in participants))
    return table


def _group(rows: pl.DataFrame) -> dict[tuple[str, str], dict[str, Row]]:
    """The scores by column, for every line: a subset and a participant, in the order of the rows."""
    grouped: dict[tuple[str, str], dict[str, Row]] = {}
    for row in rows.iter_rows(named=True):
        grouped.setdefault((row["subset"], row["participant"]), {})[row["column"]] = row
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


def _break(name: str) -> str:
    """The name of a column in short lines: the metric, by which labels, and what must be said of it."""
    return name.replace(" by ", "\nby ", 1).replace(", ", ",\n", 1)


def _label(name: str, names: Sequence[str]) -> str:
    """What a note calls a column; a metric has one for each of several labels, which it does not list."""
    metric, by, _ = name.partition(" by ")
    first = next(one for one in names if one.partition(" by ")[0] == metric)
    return name if not by or name == first else f"{metric} by other labels"


def _rank(name: str, seen: ViewedScores) -> int:
    """How important a column is: first what rows are sorted by, then from left to right, top-5 and means over classes last."""
    names = seen.columns
    order = sorted(
        names, key=lambda one: (one != seen.leading, one != names[0], BALANCED_SUFFIX in one, one.startswith("top5"))
    )
    return order.index(name)


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
    is_alone = rows["participant"].n_unique() == 1
    owner = f" of {rows['participant'][0]}" if is_alone else ""
    return f"Accuracy{owner} on {rows['test_set'][0]}"


def _make_caption(rows: pl.DataFrame, scores: Scores, seen: ViewedScores) -> Iterator[str]:
    if seen.n_hidden:
        yield f"{count_things(seen.n_hidden, 'row is', many='rows are')} not shown: --format csv has all."
    methods = name_methods(rows["interval"].unique(maintain_order=True))
    yield f"{100 * scores.settings.level:g}% intervals: {methods or 'none, as no image counts'}."
    unjudged = rows.filter(pl.col("n_unjudged") > 0)
    means = unjudged.filter(pl.col("n_correct").is_null())["metric"].unique(maintain_order=True)
    yield from filter(None, map(find_caption, means))
    if unjudged["n_correct"].is_not_null().any():
        yield "“a to b”: a if every unjudged prediction is wrong, b if every one is right."
    if seen.hidden:
        verb = "reads" if len(seen.hidden) == 1 else "read"
        yield f"{', '.join(seen.hidden)} {verb} the same as without _balanced: --balanced shows it."


def _make_differences(rows: pl.DataFrame, view: ScoreView) -> FittedTable:
    """The paired differences; the counts and the p-value before adjustment go first where the terminal is narrow."""
    has_subsets = bool((rows["subset"] != WHOLE).any())
    table = FittedTable(f"Difference to {rows['against'][0]} on the same images, in points")
    for name in (*(["subset"] if has_subsets else []), "participant", "metric"):
        table.add_column(name, Holds.NAMES, rank=0)
    ranks = {"n": 2, "difference": 0, "only it\nright": 4, "only other\nright": 4, "p\n(McNemar)": 3, "p\n(Holm)": 1}
    for name, rank in ranks.items():
        table.add_column(name, rank=rank)
    for row in rows.iter_rows(named=True):
        head = [*([view.call(row["subset"])] if has_subsets else []), row["participant"], row["column"]]
        table.add_row(
            *head,
            f"{row['n_both']:,}",
            format_points(from_fields(row, "difference"), sign=True),
            f"{row['n_only_participant']:,}",
            f"{row['n_only_against']:,}",
            format_p(row["p_mcnemar"], missing=""),
            format_p(row["p_holm"], missing=""),
        )
    return table


def _make_difference_caption(rows: pl.DataFrame, everything: pl.DataFrame) -> str:
    n_tests = int(everything["p_mcnemar"].is_not_null().sum())
    methods = name_methods(rows["difference_interval"].unique(maintain_order=True))
    caption = f"Intervals: {methods or 'none, as no image counts for both'}."
    tests = "the only test" if n_tests == 1 else f"all {n_tests:,} tests"
    return caption + (f" Exact McNemar tests, Holm's adjustment over {tests}." if n_tests else "")
