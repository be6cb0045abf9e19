"""How accuracies change between two test sets, class by class."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import regauge.frames as pl
from regauge.columns import ColumnTypes
from regauge.estimates import Estimate
from regauge.records.results import Result

EVERYBODY = "all"
"""Stands for the mean over all participants in the column `participant`."""

TILTED_SCORE = "tilted score"
"""How limits and p-values are made, both from one test; see `stats.two_means`."""

CLASS_CHANGE_COLUMNS = ColumnTypes(
    {
        "participant": "String",
        "n_participants": "Int64",
        "class": "Int64",
        "class_id": "String",
        "n_original": "Int64",
        "n_new": "Int64",
        "original": "Float64",
        "new": "Float64",
        "change": "Float64",
        "change_low": "Float64",
        "change_high": "Float64",
        "interval": "String",
        "p": "Float64",
        "test": "String",
        "p_holm": "Float64",
        "p_bh": "Float64",
    }
)
"""Names and types of the columns."""


@dataclass(frozen=True, slots=True)
class ClassChange:
    """One class on both sets, for one participant or for the mean over all of them.

    Attributes:
        participant: whose; `EVERYBODY` for the mean over participants.
        n_participants: how many the accuracies are a mean over.
        class_index: the class, by dataset label.
        class_id: its id, where a taxonomy is known.
        n_original: images of the class in the original set that count for every participant.
        n_new: likewise in the new set.
        original: accuracy on the original images; None where there are none.
        new: likewise.
        change: new − original; None where a set has no image of the class.
        low: lower limit of the change.
        high: upper limit.
        interval: how the limits were made.
        p: of the hypothesis that the class is as hard in both sets; below 1 − level where 0 lies outside the limits.
        test: how the p-value was made.
        p_holm: adjusted over the classes of this participant, against any wrong rejection.
        p_bh: adjusted likewise, against a share of wrong rejections.
    """

    participant: str
    n_participants: int
    class_index: int
    class_id: str | None
    n_original: int
    n_new: int
    original: float | None
    new: float | None
    change: float | None = None
    low: float | None = None
    high: float | None = None
    interval: str | None = None
    p: float | None = None
    test: str | None = None
    p_holm: float | None = None
    p_bh: float | None = None

    @property
    def estimate(self) -> Estimate[float | None]:
        """The change with its limits. Studies keep a column of each, for there may be a thousand classes of many models."""
        return Estimate(self.change, self.low, self.high, method=self.interval)

    def __str__(self) -> str:
        name = f"{self.class_index} ({self.class_id})" if self.class_id else f"{self.class_index}"
        return f"class {name}: {self.estimate}"


@dataclass(frozen=True, slots=True, eq=False)
class ClassChanges(Result):
    """What became of every class from the original to the new set.

    Attributes:
        original: name of the original set.
        new: name of the new set.
        metric: which accuracy.
        rows: the mean over participants first, then single participants as asked; within each, the strongest evidence first.
        level: nominal coverage of every interval.
        seed: of the comparison that this belongs to; classes draw nothing.
        notes: what the reader should know, a sentence each.
    """

    original: str
    new: str
    metric: str
    rows: tuple[ClassChange, ...]
    level: float
    seed: int
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        head = f"<ClassChanges from {self.original} to {self.new}: {len(self.rows):,} rows, {self.metric}>"
        return "\n".join([head, *(f"  {row.participant}, {row}" for row in self.rows[:8])])

    def select(self, participant: str = EVERYBODY) -> tuple[ClassChange, ...]:
        """The rows of one participant, or of the mean over all; none where they were not asked for."""
        return tuple(row for row in self.rows if row.participant == participant)

    def describe(self, participant: str = EVERYBODY) -> str:
        """How many classes changed, in one sentence."""
        tested = [row for row in self.select(participant) if row.p is not None]
        alpha = 1 - self.level
        worse, better = (
            [row for row in tested if row.p_bh is not None and row.p_bh <= alpha and sign * (row.change or 0) > 0]
            for sign in (-1, 1)
        )
        n_sure = sum(row.p_holm is not None and row.p_holm <= alpha for row in tested)
        return (
            f"Of {len(tested):,} classes with images in both sets, {len(worse):,} are harder on {self.new} and {len(better):,} "
            f"easier at a false discovery rate of {100 * alpha:.3g}%; {n_sure:,} changed even after Holm's adjustment."
        )

    def to_frame(self) -> pl.DataFrame:
        """One row per participant and class; fractions, not percentages."""
        names = {"class_index": "class", "low": "change_low", "high": "change_high"}
        rows = [{names.get(key, key): value for key, value in asdict(row).items()} for row in self.rows]
        return pl.DataFrame(rows, schema=dict(CLASS_CHANGE_COLUMNS))
