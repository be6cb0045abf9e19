"""What scoring gives back: one row per participant, metric and subset, every value with its n and interval."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import regauge.frames as pl
from regauge.columns import ColumnTypes
from regauge.errors import InputError
from regauge.estimates import DEFAULT_LEVEL, Estimate, check_level, format_estimate
from regauge.records.evaluation.standings import JointCount, PublishedScores
from regauge.records.results import MAX_ROWS, Result

MAX_BOOTSTRAP = 1_000_000

WHOLE = "all"
"""Name of the subset that holds every image."""

BALANCED_SUFFIX = "_balanced"
"""Ends the name of a metric that is a mean of per-class means."""

FOLLOW_UP_ONLY = "follow-up images only"
"""Remark on figures about objects and main labels that come from CLASSIFY images alone, without the easy ones."""

SCORE_COLUMNS = ColumnTypes(
    {
        "participant": "String",
        "test_set": "String",
        "labels": "String",
        "metric": "String",
        "subset": "String",
        "n": "Int64",
        "n_correct": "Int64",
        "value": "Float64",
        "low": "Float64",
        "high": "Float64",
        "interval": "String",
        "lower_bound": "Float64",
        "upper_bound": "Float64",
        "n_unjudged": "Int64",
        "remark": "String",
    }
)
"""The columns of every score, in output order; docs/formats.md explains them."""

REMARK = "remark"
"""The column that is not stored with an evaluation: it follows from the label sets, which never change."""

COMPARISON_COLUMNS = ColumnTypes(
    {
        "against": "String",
        "n_both": "Int64",
        "n_only_participant": "Int64",
        "n_only_against": "Int64",
        "difference": "Float64",
        "difference_low": "Float64",
        "difference_high": "Float64",
        "difference_interval": "String",
        "difference_lower_bound": "Float64",
        "difference_upper_bound": "Float64",
        "p_mcnemar": "Float64",
        "p_holm": "Float64",
    }
)
"""The columns that follow when participants are compared with one of them."""

STORED_COLUMNS = ColumnTypes(
    {name: kind for name, kind in {**SCORE_COLUMNS.names, **COMPARISON_COLUMNS.names}.items() if name != REMARK}
)
"""The columns that a study keeps of every score."""


def is_balanced(metric: str) -> bool:
    """Whether the metric is a mean of per-class means."""
    return metric.endswith(BALANCED_SUFFIX)


def join_remark(name: str, remark: str | None) -> str:
    """What a metric is called for people: its name, and what must be said of it wherever it appears.

    >>> join_remark("single_object", FOLLOW_UP_ONLY), join_remark("top1", None)
    ('single_object, follow-up images only', 'top1')
    """
    return f"{name}, {remark}" if remark else name


@dataclass(frozen=True, slots=True)
class ScoreSettings:
    """How to score, beyond what and against which truth.

    Attributes:
        against: the participant that all others are compared with, if any.
        allow_missing: score the images a participant answered when some have no prediction, instead of refusing.
        level: nominal coverage of every interval.
        seed: start of every bootstrap; each row starts from it anew, so a row's interval does not depend on the others.
        n_bootstrap: resamples per bootstrap interval.
    """

    against: str | None = None
    allow_missing: bool = False
    level: float = DEFAULT_LEVEL
    seed: int = 0
    n_bootstrap: int = 2_000

    def __post_init__(self) -> None:
        check_level(self.level)
        if not 100 <= self.n_bootstrap <= MAX_BOOTSTRAP:
            raise InputError(
                f"A bootstrap interval takes 100 to {MAX_BOOTSTRAP:,} resamples, not {self.n_bootstrap:,}."
            )
        if self.seed < 0:
            raise InputError(f"A seed is a whole number from 0 up, not {self.seed}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Score(Estimate[float | None]):
    """One participant's score under one metric on one subset; fields as in docs/formats.md. No image gives no value."""

    n: int
    participant: str
    test_set: str
    labels: str
    metric: str
    subset: str
    n_correct: int | None
    lower_bound: float | None
    upper_bound: float | None
    n_unjudged: int
    remark: str | None = None

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Score:
        """The score of a row with `SCORE_COLUMNS`; the limits of a share hold what is unjudged, those of a mean do not."""
        others = {name: row[name] for name in SCORE_COLUMNS if name != "interval"}
        holds_unjudged = bool(row["n_unjudged"]) and row["n_correct"] is not None
        return cls(**others, method=row["interval"], holds_unjudged=holds_unjudged)

    @property
    def is_mean(self) -> bool:
        """Whether it is a mean of values, which leaves unjudged predictions out; a share counts them as wrong."""
        return self.n_correct is None

    def __str__(self) -> str:
        return f"{self.participant}, {join_remark(self.metric, self.remark)}: {format_estimate(self)} (n = {self.n:,})"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Scores(Result):
    """The scores of several participants, as columns.

    Attributes:
        frame: one row per participant, metric and subset; the columns are `SCORE_COLUMNS`, and after a comparison
            `COMPARISON_COLUMNS` too.
        settings: how they were computed.
        notes: what the reader should know, a sentence each: images left out, metrics that do not apply.
        warnings: what is probably wrong with the input, a sentence each.
        published: published models that the participants are seen beside, if any.
        people: the participants who are people, by name; figures draw them as orange diamonds.
        joint: how top-1 and each other metric judge the same answers, on all images; not kept with an evaluation.
    """

    plotter: ClassVar[str] = "plot_scores"

    frame: pl.DataFrame
    settings: ScoreSettings = field(default_factory=ScoreSettings)
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    published: PublishedScores | None = None
    people: frozenset[str] = frozenset()
    joint: tuple[JointCount, ...] = ()

    def __len__(self) -> int:
        return self.frame.height

    def __iter__(self) -> Iterator[Score]:
        for row in self.frame.select(list(SCORE_COLUMNS)).iter_rows(named=True):
            yield Score.from_row(row)

    def __repr__(self) -> str:
        head = f"<Scores: {len(self):,} rows, {100 * self.settings.level:g}% intervals>"
        lines = [f"  {score}" + (f" on {score.subset}" if score.subset != WHOLE else "") for score in self._first(12)]
        more = [f"  … and {len(self) - len(lines):,} more; see .to_frame()"] if len(self) > len(lines) else []
        return "\n".join([head, *lines, *more, *(f"  warning: {warning}" for warning in self.warnings)])

    def to_frame(self) -> pl.DataFrame:
        """All rows as a polars data frame; fractions, not percentages."""
        return self.frame

    def _list_shown(self) -> tuple[list[str], list[list[Any]]]:
        told = [name for name in ("test_set", "labels", "subset") if self.frame[name].n_unique() > 1]
        rows: list[list[Any]] = []
        for one in self._first(MAX_ROWS + 1):
            parts = [getattr(one, name) for name in told]
            rows.append([one.participant, join_remark(one.metric, one.remark), *parts, one.n, format_estimate(one)])
        return ["participant", "metric", *told, "n", "value"], rows

    def get(self, participant: str, metric: str, *, subset: str = WHOLE, labels: str | None = None) -> Score:
        """The one score of a participant under a metric on a subset.

        Raises:
            InputError: there is no such score, or several label sets give one and `labels` does not say which.
        """
        asked = {"participant": participant, "metric": metric, "subset": subset} | (
            {"labels": labels} if labels else {}
        )
        rows = self.frame.filter(pl.all_horizontal(pl.col(name) == value for name, value in asked.items()))
        if rows.height != 1:
            wanted = ", ".join(f"{name} {value!r}" for name, value in asked.items())
            raise InputError(f"There are {rows.height} scores with {wanted}; exactly one was asked for.")
        return next(iter(Scores(rows)))

    def _first(self, n: int) -> Iterator[Score]:
        return iter(Scores(self.frame.head(n)))
