"""What scoring a slice gives back: what every participant gets right on it, and how severe the mistakes are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

import regauge.frames as pl
from regauge.columns import ColumnTypes
from regauge.estimates import DEFAULT_LEVEL, Share, check_level, format_percent
from regauge.records.results import Result
from regauge.records.slices.answers import AnswerState, OpenPredictions
from regauge.records.slices.slice import SliceEntry

SLICE_COLUMNS = ColumnTypes(
    {
        "participant": "String",
        "slice": "String",
        "labels": "String",
        "kind": "String",
        "n": "Int64",
        "n_correct": "Int64",
        "value": "Float64",
        "low": "Float64",
        "high": "Float64",
        "interval": "String",
        "lower_bound": "Float64",
        "upper_bound": "Float64",
        "n_major": "Int64",
        "n_minor": "Int64",
        "n_borderline": "Int64",
        "n_uncoded": "Int64",
        "n_unjudged": "Int64",
        "n_not_counted": "Int64",
        "is_comparable": "Boolean",
        "top1": "Float64",
        "top1_low": "Float64",
        "top1_high": "Float64",
        "top1_n": "Int64",
    }
)
"""The columns of machine-readable output; docs/formats.md explains them."""

MISTAKE_STATES = (
    AnswerState.MAJOR,
    AnswerState.MINOR,
    AnswerState.BORDERLINE,
    AnswerState.UNCODED,
    AnswerState.UNJUDGED,
)
"""What answers are that the label set does not accept, in the order of tables."""


@dataclass(frozen=True, slots=True)
class SliceSettings:
    """How to score a slice.

    Attributes:
        is_strict: whether unclear answers are mistakes too.
        allow_missing: score the images a participant answered when some have no prediction, instead of refusing.
        level: nominal coverage of every interval.
    """

    is_strict: bool = False
    allow_missing: bool = False
    level: float = DEFAULT_LEVEL

    def __post_init__(self) -> None:
        check_level(self.level)


@dataclass(frozen=True, slots=True)
class SliceScore:
    """One participant on a slice.

    Attributes:
        participant: who.
        is_person: whether a person.
        correct: right answers of those that count; its limits hold whatever unjudged answers turn out to be.
        counts: mistakes and unjudged answers by state, borderline ones beside minor ones.
        n_not_counted: images of the slice on which the answer does not count: problematic, unknown to the labels, or unanswered.
        is_comparable: whether the participant did not help to choose the images.
        top1: accuracy against dataset labels on the whole test set, of a person on the images that they answered; None where
            these or the answers are not at hand.
    """

    participant: str
    is_person: bool
    correct: Share[float | None]
    counts: dict[AnswerState, int]
    n_not_counted: int
    is_comparable: bool
    top1: Share[float | None] | None = None

    @property
    def n_unjudged(self) -> int:
        """Answers that nobody has judged."""
        return self.counts[AnswerState.UNJUDGED]

    @property
    def lower_bound(self) -> float | None:
        """The share of right answers if all unjudged ones were wrong."""
        return self.correct.value

    @property
    def upper_bound(self) -> float | None:
        """The share of right answers if all unjudged ones were right."""
        return (self.correct.k + self.n_unjudged) / self.correct.n if self.correct.n else None

    @property
    def share_text(self) -> str:
        """The share with its interval; where answers are unjudged, from that if all are wrong to that if all are right."""
        text = str(self.correct)
        return text.replace(" [", f" to {format_percent(self.upper_bound)} [", 1) if self.n_unjudged else text


@dataclass(frozen=True, slots=True)
class SliceMistake:
    """An answer on a slice that the label set does not accept."""

    participant: str
    image_id: str
    prediction: int
    state: AnswerState


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SliceScores(Result):
    """All participants on a slice, the best first.

    Attributes:
        slice: what the slice is called.
        labels: the label set that says what is right.
        n_images: the images of the slice.
        scores: one per participant.
        mistakes: every answer that is not accepted.
        queue: the answers that have to be judged or coded.
        settings: how they were scored.
        notes: what the reader should know, a sentence each.
    """

    plotter: ClassVar[str] = "plot_slice"

    slice: str
    labels: str
    n_images: int
    scores: tuple[SliceScore, ...]
    mistakes: tuple[SliceMistake, ...]
    queue: OpenPredictions
    settings: SliceSettings = field(default_factory=SliceSettings)
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<SliceScores: {len(self.scores):,} participants on {self.n_images:,} images of {self.slice}>"

    def get(self, participant: str) -> SliceScore:
        """The score of a participant.

        Raises:
            KeyError: there is no such participant.
        """
        for one in self.scores:
            if one.participant == participant:
                return one
        raise KeyError(participant)

    def list_rows(self) -> Iterator[dict[str, Any]]:
        """One row per participant with `SLICE_COLUMNS`."""
        for one in self.scores:
            yield {
                "participant": one.participant,
                "slice": self.slice,
                "labels": self.labels,
                "kind": "person" if one.is_person else "model",
                "n": one.correct.n,
                "n_correct": one.correct.k,
                "value": one.correct.value,
                "low": one.correct.low,
                "high": one.correct.high,
                "interval": one.correct.method,
                "lower_bound": one.lower_bound,
                "upper_bound": one.upper_bound,
                **{f"n_{state.name.lower()}": one.counts[state] for state in MISTAKE_STATES},
                "n_not_counted": one.n_not_counted,
                "is_comparable": one.is_comparable,
                "top1": None if one.top1 is None else one.top1.value,
                "top1_low": None if one.top1 is None else one.top1.low,
                "top1_high": None if one.top1 is None else one.top1.high,
                "top1_n": None if one.top1 is None else one.top1.n,
            }

    def to_frame(self) -> pl.DataFrame:
        """One row per participant; fractions, not percentages."""
        return pl.DataFrame(list(self.list_rows()), schema=dict(SLICE_COLUMNS), orient="row")


@dataclass(frozen=True, slots=True, eq=False)
class SlicePart:
    """A slice as a report shows it.

    Attributes:
        entry: the slice without its images.
        choice: how its images were chosen, in words, without a full stop.
        scores: everybody on it.
    """

    entry: SliceEntry
    choice: str
    scores: SliceScores
