"""What comes of CONTAINS answers: selection frequencies with intervals, and who was believed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np
import polars as pl

from regauge.arrays import FloatArray
from regauge.estimates import DEFAULT_LEVEL, check_level
from regauge.records.labels.frequencies import FrequencyRule, SelectionCounts
from regauge.records.labels.votes import DEFAULT_PRIOR
from regauge.records.responses.annotator_tables import AnnotatorTable
from regauge.records.responses.answers import ContainsResponses
from regauge.records.responses.screening import DropReason, Screening, ScreeningRules
from regauge.records.results import Result
from regauge.records.taxonomy import Taxonomy


class FrequencyMethod(StrEnum):
    """Where the limits of a frequency come from."""

    FREQUENCY = "frequency"
    """The counts of the pair alone: Wilson's interval."""
    BETA_BINOMIAL = "beta-binomial"
    """The counts and the distribution of all pairs: posterior mean and credible interval."""
    MAJORITY = "majority"
    """As frequency; the probability of a pair is its frequency."""
    DAWID_SKENE = "dawid-skene"
    """As frequency; the probability of a pair comes from a model in which annotators select too readily or too rarely."""
    ONE_COIN = "one-coin"
    """As frequency; the probability of a pair comes from a model in which annotators are right more or less often."""


PAIR_COLUMNS: Mapping[str, Any] = {
    "image_id": pl.String,
    "class": pl.Int64,
    "n_shown": pl.Int64,
    "n_selected": pl.Int64,
    "selection_frequency": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
}
"""The columns of every pair, in output order; docs/formats.md explains them."""

POSTERIOR_COLUMN = "posterior_mean"
PROBABILITY_COLUMN = "probability"
CLASS_ID_COLUMN = "class_id"

DROPPED_COLUMNS: Mapping[str, Any] = {
    "task_id": pl.String,
    "annotator_id": pl.String,
    "n_positive": pl.Int64,
    "n_positive_selected": pl.Int64,
    "reason": pl.String,
    "restored": pl.Boolean,
}
"""The columns of responses that the rules drop."""

AGREEMENT_COLUMNS: Mapping[str, Any] = {
    "annotator_id": pl.String,
    "other_annotator_id": pl.String,
    "n_grids": pl.Int64,
    "n_cells": pl.Int64,
    "n_agreed": pl.Int64,
    "n_expected": pl.Float64,
    "excess": pl.Float64,
    "p_holm": pl.Float64,
}
"""The columns of pairs of annotators who agree too well."""


@dataclass(frozen=True, slots=True)
class ContainsSettings:
    """How answers become frequencies.

    Attributes:
        rules: when answers are dropped; None counts them all.
        keep_annotators: ids of annotators whom the rules may not drop.
        keep_responses: (task id, annotator id) of responses that count whatever the rules say.
        method: where the limits come from, and whether a model of the annotators gives probabilities.
        prior: strength of the priors of such a model, in votes.
        verdicts: which frequency makes which verdict.
        level: nominal coverage of every interval.
    """

    rules: ScreeningRules | None = field(default_factory=ScreeningRules)
    keep_annotators: tuple[str, ...] = ()
    keep_responses: tuple[tuple[str, str], ...] = ()
    method: FrequencyMethod = FrequencyMethod.FREQUENCY
    prior: float = DEFAULT_PRIOR
    verdicts: FrequencyRule = field(default_factory=FrequencyRule)
    level: float = DEFAULT_LEVEL

    def __post_init__(self) -> None:
        object.__setattr__(self, "method", FrequencyMethod(self.method))
        check_level(self.level)


@dataclass(frozen=True, slots=True)
class FrequencyPrior:
    """The beta distribution that pairs are drawn towards, and the pairs that it was fitted to."""

    a: float
    b: float
    n_pairs: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ContainsLabels(Result):
    """Selection frequencies, and everything that made them.

    Attributes:
        counts: n_shown and n_selected per pair.
        low: per pair, the lower limit; NaN where nobody saw it and the method knows nothing else.
        high: the upper limit.
        posterior_means: per pair, what the method beta-binomial gives; None for the other.
        prior: the distribution behind them; None for the other method.
        responses: the answers.
        screening: which of them count, and why others do not.
        annotators: one row per annotator.
        agreements: rows of `AGREEMENT_COLUMNS`, the pairs of annotators who agree too well.
        settings: how they were made.
        notes: what the reader should know, a sentence each.
        warnings: what the reader must know.
        probabilities: per pair, the probability that the image contains the class, by a model of the annotators; else None.
    """

    counts: SelectionCounts
    low: FloatArray
    high: FloatArray
    posterior_means: FloatArray | None
    prior: FrequencyPrior | None
    responses: ContainsResponses
    screening: Screening
    annotators: AnnotatorTable
    agreements: tuple[tuple[Any, ...], ...]
    settings: ContainsSettings
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    probabilities: FloatArray | None = None

    def __len__(self) -> int:
        return len(self.counts)

    def __repr__(self) -> str:
        return f"<ContainsLabels: {len(self):,} pairs of {len(self.counts.image_ids):,} images>"

    def to_frame(self, taxonomy: Taxonomy | None = None) -> pl.DataFrame:
        """One row per pair by image and class; what is missing is null. A taxonomy adds the ids of the classes."""
        counts = self.counts
        columns: dict[str, Any] = {
            "image_id": pl.Series(counts.image_ids.tolist(), dtype=pl.String).gather(counts.images),
            "class": counts.classes,
            "n_shown": counts.n_shown,
            "n_selected": counts.n_selected,
            "selection_frequency": counts.frequencies,
            "low": self.low,
            "high": self.high,
        }
        schema = dict(PAIR_COLUMNS)
        if self.posterior_means is not None:
            columns[POSTERIOR_COLUMN], schema[POSTERIOR_COLUMN] = self.posterior_means, pl.Float64
        if self.probabilities is not None:
            columns[PROBABILITY_COLUMN], schema[PROBABILITY_COLUMN] = self.probabilities, pl.Float64
        if taxonomy is not None:
            ids = pl.Series([one.id for one in taxonomy.classes], dtype=pl.String)
            columns[CLASS_ID_COLUMN], schema[CLASS_ID_COLUMN] = ids.gather(counts.classes), pl.String
        frame = pl.DataFrame({name: pl.Series(columns[name], dtype=dtype) for name, dtype in schema.items()})
        return frame.with_columns(pl.selectors.float().fill_nan(None))

    def list_dropped(self) -> pl.DataFrame:
        """One row per response that the rules drop, with the reason; restored ones are marked."""
        screening, responses = self.screening, self.responses
        dropped = np.flatnonzero(screening.reasons != DropReason.NONE)
        annotators = responses.response_annotators[dropped]
        columns = {
            "task_id": responses.grids.task_ids[responses.response_grids[dropped]].tolist(),
            "annotator_id": responses.annotator_ids[annotators].tolist(),
            "n_positive": screening.n_positive[dropped],
            "n_positive_selected": screening.n_positive_selected[dropped],
            "reason": [
                screening.describe(one, annotator=by)
                for one, by in zip(dropped.tolist(), annotators.tolist(), strict=True)
            ],
            "restored": screening.is_accepted[dropped],
        }
        return pl.DataFrame({name: pl.Series(columns[name], dtype=dtype) for name, dtype in DROPPED_COLUMNS.items()})

    def list_agreements(self) -> pl.DataFrame:
        """One row per pair of annotators who agree too well, the strongest first."""
        return pl.DataFrame(self.agreements, schema=dict(AGREEMENT_COLUMNS), orient="row")
