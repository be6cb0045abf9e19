"""What a table of scores shows of them: which metrics, which lines and in which order. Programs always get everything."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from regauge.errors import InputError
from regauge.estimates import format_percent
from regauge.records.evaluation.scores import BALANCED_SUFFIX, WHOLE, Scores

BY_NAME = "name"
"""The order of lines by the names of participants."""


@dataclass(frozen=True, slots=True)
class ScoreView:
    """What to show of scores.

    Attributes:
        metrics: the metrics to show, in this order; all by default.
        sort: the metric by which lines stand, the best first, or `name`; by default parts as they came and within each the
            best first.
        n_best: show only so many lines, the best ones.
        n_worst: show only so many lines, the worst ones first.
        is_balanced: show balanced variants even where they read the same as the plain ones.
        names: what subsets are called in the table, where that is more than their name: the names of classes.
    """

    metrics: Sequence[str] = ()
    sort: str = ""
    n_best: int | None = None
    n_worst: int | None = None
    is_balanced: bool = False
    names: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.n_best is not None and self.n_worst is not None:
            raise InputError("The table can show the best or the worst rows; give --best or --worst, not both.")
        if self.sort == BY_NAME and (self.n_best or self.n_worst):
            raise InputError("The best and the worst are found by a metric; give one to --sort in place of name.")

    @property
    def is_flat(self) -> bool:
        """Whether lines of all parts stand in one order."""
        return bool(self.sort or self.n_best or self.n_worst)

    def call(self, subset: str) -> str:
        """What a subset is called for people."""
        return self.names.get(subset, subset)


@dataclass(frozen=True, slots=True)
class ViewedScores:
    """The scores that a table shows.

    Attributes:
        rows: a row for each score with its `column`, in the order of the lines.
        columns: the names of the columns from left to right.
        leading: the column that the lines stand by, of which the headline tells.
        n_hidden: lines that were cut off.
        hidden: balanced columns that read the same as the plain ones.
    """

    rows: pl.DataFrame
    columns: tuple[str, ...]
    leading: str
    n_hidden: int
    hidden: tuple[str, ...]


def view_scores(scores: Scores, view: ScoreView) -> ViewedScores:
    """Choose and order what a table shows.

    Raises:
        InputError: a metric is asked for that the scores do not have.
    """
    rows = _name_columns(scores.to_frame())
    metrics = rows["metric"].unique(maintain_order=True).to_list()
    _check_metrics(view, metrics)
    chosen = view.metrics or sorted(metrics, key=lambda name: BALANCED_SUFFIX in name)
    lead = view.sort if view.sort in metrics else chosen[0]
    leading = rows.filter(pl.col("metric") == lead)["column"][0]
    rows, n_hidden = _order_lines(rows, view, leading)
    shown = rows.filter(pl.col("metric").is_in(chosen))
    columns = [name for metric in chosen for name in _find_columns(shown, metric)]
    hidden = () if view.metrics or view.is_balanced else tuple(name for name in columns if _is_same(shown, name))
    kept = tuple(name for name in columns if name not in hidden)
    return ViewedScores(rows, kept, leading, n_hidden, hidden)


def _name_columns(frame: pl.DataFrame) -> pl.DataFrame:
    """Each score with the name of its column: the metric, by which labels where they are several, and its remark."""
    several = frame.group_by("metric").agg(pl.col("labels").n_unique())["labels"].to_list()
    by_labels = pl.col("metric") + pl.lit(" by ") + pl.col("labels")
    remark = (pl.lit(", ") + pl.col("remark")).fill_null("")
    return frame.with_columns(column=(by_labels if max(several) > 1 else pl.col("metric")) + remark)


def _find_columns(rows: pl.DataFrame, metric: str) -> list[str]:
    found: list[str] = rows.filter(pl.col("metric") == metric)["column"].unique(maintain_order=True).to_list()
    return found


def _check_metrics(view: ScoreView, metrics: Sequence[str]) -> None:
    """Refuse a metric that is not there."""
    asked = [("--metric", name) for name in view.metrics]
    asked += [("--sort", view.sort)] if view.sort and view.sort != BY_NAME else []
    for option, name in asked:
        if name not in metrics:
            near = difflib.get_close_matches(name, metrics, n=1)
            hint = f" Did you mean {near[0]}?" if near else ""
            also = f", or {BY_NAME}" if option == "--sort" else ""
            raise InputError(f"{option}: these scores have no {name!r}; they have {', '.join(metrics)}{also}.{hint}")


def _order_lines(rows: pl.DataFrame, view: ScoreView, leading: str) -> tuple[pl.DataFrame, int]:
    """The rows in the order of their lines, and how many lines were cut off; lines of the whole stay where there are parts."""
    is_led = pl.col("column") == leading
    on_all = rows.filter(is_led & (pl.col("subset") == WHOLE)).select("participant", best="value").unique("participant")
    own = rows.filter(is_led).select("subset", "participant", own="value").unique(["subset", "participant"])
    rows = (
        rows.with_row_index("place")
        .with_columns(pl.col("place").min().over("subset"), is_part=pl.col("subset") != WHOLE)
        .join(on_all, on="participant", how="left", maintain_order="left")
        .join(own, on=["subset", "participant"], how="left", maintain_order="left")
    )
    if not view.is_flat:
        return rows.sort("place", "best", descending=[False, True], nulls_last=True, maintain_order=True), 0
    if view.sort == BY_NAME:
        return rows.sort("is_part", "participant", "place", maintain_order=True), 0
    ordered = rows.sort(
        "is_part", "own", descending=[False, view.n_worst is None], nulls_last=True, maintain_order=True
    )
    return _cut_lines(ordered, view.n_best or view.n_worst)


def _cut_lines(rows: pl.DataFrame, n: int | None) -> tuple[pl.DataFrame, int]:
    """The first n lines: of the parts where there are any, else of the participants."""
    lines = rows.select("subset", "participant", "is_part").unique(maintain_order=True)
    cut = lines.filter(pl.col("is_part")) if lines["is_part"].any() else lines
    if n is None or cut.height <= n:
        return rows, 0
    return rows.join(cut[n:], on=["subset", "participant"], how="anti", maintain_order="left"), cut.height - n


def _is_same(rows: pl.DataFrame, name: str) -> bool:
    """Whether a balanced column reads in every line as the plain one beside it does, to the digit shown."""
    if BALANCED_SUFFIX not in name:
        return False
    plain = name.replace(BALANCED_SUFFIX, "", 1)
    key = ["subset", "participant"]
    pairs = rows.filter(pl.col("column") == name).join(rows.filter(pl.col("column") == plain), on=key, how="left")
    fields = ("value", "lower_bound", "upper_bound")
    return all(
        format_percent(row[one]) == format_percent(row[f"{one}_right"])
        for row in pairs.iter_rows(named=True)
        for one in fields
    )
