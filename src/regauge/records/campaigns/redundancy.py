"""How many people are asked about a pair: a rule that stops early where the sampling decision is settled, and what it says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

import numpy as np
import polars as pl

from regauge.arrays import BoolArray, FloatArray, IntArray
from regauge.errors import InputError
from regauge.ranges import Range
from regauge.records.labels.contains import FrequencyPrior
from regauge.records.labels.frequencies import SelectionCounts
from regauge.records.testsets.sampling import BIN_NAMES, SamplingPlan, Strategy

DOUBT = Range(0, 0.5, excludes_high=True)
MAX_ANNOTATORS = Range(1, 10_000, is_whole=True)
TAKEN, NOT_TAKEN = "in", "out"

DECISION_COLUMNS: Mapping[str, Any] = {
    "image_id": pl.String,
    "class": pl.Int64,
    "n_shown": pl.Int64,
    "n_selected": pl.Int64,
    "posterior_mean": pl.Float64,
    "decision": pl.String,
    "probability": pl.Float64,
    "state": pl.String,
}
"""The columns of decisions, in output order; docs/formats.md explains them."""


class PairState(IntEnum):
    """How far the decision about a pair is."""

    OPEN = 0
    """More people are to be asked."""
    FIXED = 1
    """The votes that may still be asked for could not change the tally, whatever they said; it may be wrong all the same."""
    LIKELY = 2
    """By the distribution of the campaign the decision is right with the probability that was asked for."""
    EXHAUSTED = 3
    """Another round would ask more people than may be asked; the likelier decision is taken."""
    SPENT = 4
    """All votes that may be asked for were given, and the tally holds, also where it is a toss-up."""
    CERTAIN = 1
    """What versions before called fixed and spent pairs alike."""


@dataclass(frozen=True, slots=True)
class RedundancyRule:
    """When enough people have been asked.

    Attributes:
        plan: how the test set will be drawn: what has to be decided about a pair depends on it.
        max_annotators: the most people who may be asked about a pair.
        doubt: the probability of a wrong decision from which on a pair is settled; 0 settles only what no vote can change.
    """

    plan: SamplingPlan = field(default_factory=SamplingPlan)
    max_annotators: int = 20
    doubt: float = 0.05

    def __post_init__(self) -> None:
        if self.plan.strategy is Strategy.KEYWORDS:
            raise InputError(
                "Keywords decide nothing about what annotators select; ask the same number of people of all."
            )
        if self.max_annotators not in MAX_ANNOTATORS:
            raise InputError(f"{MAX_ANNOTATORS} people are asked about a pair, not {self.max_annotators:,}.")
        if self.doubt not in DOUBT:
            raise InputError(f"The doubt that is left is a probability from {DOUBT}, not {self.doubt}.")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Decisions:
    """What is decided about every pair of a campaign so far.

    Attributes:
        counts: the votes so far.
        rule: when enough people have been asked.
        prior: the distribution of selection frequencies that the votes of all pairs show.
        choices: per pair, the number of its bin, or 1 where it is taken and 0 where not; -1 where nobody saw it.
        probabilities: per pair, the posterior probability of that.
        states: per pair, a `PairState`.
        posterior_means: per pair, the selection frequency that an endless crowd is expected to have.
    """

    counts: SelectionCounts
    rule: RedundancyRule
    prior: FrequencyPrior
    choices: IntArray
    probabilities: FloatArray
    states: IntArray
    posterior_means: FloatArray

    def __len__(self) -> int:
        return len(self.counts)

    def __repr__(self) -> str:
        return f"<Decisions by {self.rule.plan.strategy}: {len(self):,} pairs, {int(self.is_open.sum()):,} open>"

    @property
    def is_open(self) -> BoolArray:
        """Per pair, whether more people are to be asked."""
        return np.asarray(self.states == PairState.OPEN, np.bool_)

    def count_states(self) -> dict[str, int]:
        """How many pairs are in every state."""
        return {state.name.lower(): int(np.count_nonzero(self.states == state)) for state in PairState}

    def expect_errors(self) -> dict[str, float | None]:
        """Per state, the share of its decisions that is expected to be wrong: the mean posterior probability that they are.

        Wrong is what an endless crowd like these people would decide otherwise. The posterior is the one by which pairs are
        settled, so this holds as far as the frequencies of pairs are spread like its beta distribution. None where no pair of
        the state was seen by anybody.
        """
        is_seen = self.counts.n_shown > 0
        found = {state.name.lower(): 1 - self.probabilities[is_seen & (self.states == state)] for state in PairState}
        return {name: float(doubts.mean()) if doubts.size else None for name, doubts in found.items()}

    def to_frame(self) -> pl.DataFrame:
        """One row per pair by image and class; what is missing is null."""
        counts, is_seen = self.counts, self.counts.n_shown > 0
        names = BIN_NAMES if self.rule.plan.strategy is Strategy.MATCHED_FREQUENCY else (NOT_TAKEN, TAKEN)
        columns: dict[str, Any] = {
            "image_id": pl.Series(counts.image_ids.tolist(), dtype=pl.String).gather(counts.images),
            "class": counts.classes,
            "n_shown": counts.n_shown,
            "n_selected": counts.n_selected,
            "posterior_mean": np.where(is_seen, self.posterior_means, np.nan),
            "decision": [names[number] if number >= 0 else None for number in self.choices.tolist()],
            "probability": np.where(is_seen, self.probabilities, np.nan),
            "state": [PairState(state).name.lower() for state in self.states.tolist()],
        }
        frame = pl.DataFrame({name: pl.Series(columns[name], dtype=dtype) for name, dtype in DECISION_COLUMNS.items()})
        return frame.with_columns(pl.selectors.float().fill_nan(None))


@dataclass(frozen=True, slots=True)
class Round:
    """Another round of a campaign, asked or only planned.

    Attributes:
        campaign: which campaign.
        number: 2 for the first round after that with which the campaign began.
        n_pairs: pairs that the campaign asks about.
        states: how many of them are open, fixed, likely, exhausted or spent.
        expected_errors: per state, the share of its decisions that is expected to be wrong; None where it has no pair.
        n_pending: open ones that wait until tasks that show them have all their answers.
        n_excluded: open ones whose image was excluded from its pool since the campaign was made; nobody is asked about them.
        n_asked: open ones that the round asks about.
        n_tasks: its tasks.
        n_cells: the images that they show, controls included.
        n_answers: answers that the tasks need.
        n_people: who took part in the campaign so far and was not dropped.
        n_allowed: how many of them at least may be given any one of the tasks; None without tasks.
    """

    campaign: str
    number: int
    n_pairs: int
    states: Mapping[str, int]
    n_pending: int
    n_excluded: int
    n_asked: int
    n_tasks: int
    n_cells: int
    n_answers: int
    n_people: int
    n_allowed: int | None
    expected_errors: Mapping[str, float | None] = field(default_factory=dict)
