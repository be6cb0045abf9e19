"""What votes give: a label per task with its probability, the majority beside it, the annotators, and how far they agree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

import numpy as np
import polars as pl

from regauge.arrays import IdArray, find_repeated, freeze_ids
from regauge.errors import InputError
from regauge.estimates import DEFAULT_LEVEL, Estimate, check_level, format_percent
from regauge.records.evaluation.scores import MAX_BOOTSTRAP
from regauge.records.results import Result

DEFAULT_PRIOR = 3.0
"""Votes added to every row of an annotator's table: few enough to be outvoted by ten answers, enough to steady two."""

LABEL_COLUMNS: Mapping[str, Any] = {
    "task": pl.String,
    "label": pl.String,
    "probability": pl.Float64,
    "n_votes": pl.Int64,
    "n_agree": pl.Int64,
    "majority": pl.String,
    "share": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "tied": pl.Boolean,
    "gold": pl.Boolean,
    "n_abstained": pl.Int64,
}
"""The columns of the labels, in output order; docs/formats.md explains them. Those of single truths follow."""

CHANCE_PREFIX = "probability_"
"""A column of this name and that of a truth has the probability of that truth."""

MAX_UNNAMED_TRUTHS = 20
"""With more labels than this a threshold for one of them needs the truths by name."""

ANNOTATOR_COLUMNS: Mapping[str, Any] = {
    "annotator": pl.String,
    "n_votes": pl.Int64,
    "accuracy": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "n_effective": pl.Float64,
    "n_compared": pl.Int64,
    "n_agree": pl.Int64,
    "agreement": pl.Float64,
    "agreement_low": pl.Float64,
    "agreement_high": pl.Float64,
    "kappa": pl.Float64,
    "kappa_low": pl.Float64,
    "kappa_high": pl.Float64,
    "n_gold": pl.Int64,
    "n_gold_correct": pl.Int64,
    "gold_accuracy": pl.Float64,
    "gold_low": pl.Float64,
    "gold_high": pl.Float64,
    "n_abstained": pl.Int64,
}
"""The columns of the annotators, in output order."""

CLASS_COLUMNS: Mapping[str, Any] = {
    "label": pl.String,
    "n_votes": pl.Int64,
    "prevalence": pl.Float64,
    "alpha": pl.Float64,
    "alpha_low": pl.Float64,
    "alpha_high": pl.Float64,
}
"""The columns of the labels' own table: how common each label is, and how far annotators agree on it."""

CONFUSION_COLUMNS: Mapping[str, Any] = {
    "annotator": pl.String,
    "true_label": pl.String,
    "label": pl.String,
    "n": pl.Float64,
    "probability": pl.Float64,
}
"""The columns of the confusions: what an annotator answers when a label is true."""


class VoteMethod(StrEnum):
    """How votes become a label."""

    MAJORITY = "majority"
    """The most frequent vote."""
    DAWID_SKENE = "dawid-skene"
    """Every annotator has a table of what they answer when each label is true."""
    ONE_COIN = "one-coin"
    """Every annotator has one probability of being right, and errs evenly over the other labels."""


class StopRule(StrEnum):
    """When the fit of a model has converged."""

    LIKELIHOOD = "likelihood"
    """A pass gains less than the tolerance: log-likelihood of the votes, plus the logarithm of the prior where there is one."""
    CROWD_KIT = "crowd-kit"
    """A pass gains less by a bound that counts prevalences once per vote, and so can fall while the likelihood rises."""


@dataclass(frozen=True, slots=True)
class Acceptance:
    """From which probability on a task has a truth; below it the task has the most probable of the other truths.

    Attributes:
        truth: the truth.
        probability: above 0 and at most 1.
    """

    truth: str
    probability: float

    def __post_init__(self) -> None:
        if not 0 < self.probability <= 1:
            raise InputError(
                f"A truth is accepted from a probability above 0 and up to 1, so {self.truth!r} cannot have {self.probability:g}."
            )


@dataclass(frozen=True, slots=True)
class VoteSettings:
    """How to turn votes into labels.

    Attributes:
        method: the model.
        prior: strength of the priors, in votes: so many are added for every annotator (and true label), and so many tasks to
            the prevalences. 0 gives plain maximum likelihood.
        min_votes: tasks with fewer votes are left out; votes that are no truth count here.
        truths: the answers that can be true of a task, in the order in which ties are broken; by default all. Other answers
            ("cannot tell") are evidence for Dawid–Skene and do not count otherwise.
        accept: label tasks with one truth from another probability on than where it is the most probable one.
        stop: what has to stop growing; crowd-kit's rule is for Dawid–Skene at prior 0, whose start and steps are crowd-kit's.
        tolerance: iteration stops when a step gains less than this per vote; by default 10⁻⁸, with crowd-kit's rule 10⁻⁵.
        max_iterations: iteration stops here at the latest; by default 1,000, with crowd-kit's rule 100.
        with_agreement: also measure agreement over the whole campaign and per label.
        level: nominal coverage of every interval.
        seed: without effect, since nothing is drawn any more; it stays for those who give it.
        n_bootstrap: likewise.
    """

    method: VoteMethod = VoteMethod.MAJORITY
    prior: float = DEFAULT_PRIOR
    min_votes: int = 1
    truths: tuple[str, ...] | None = None
    accept: Acceptance | None = None
    stop: StopRule = StopRule.LIKELIHOOD
    tolerance: float | None = None
    max_iterations: int | None = None
    with_agreement: bool = False
    level: float = DEFAULT_LEVEL
    seed: int = 0
    n_bootstrap: int = 2_000

    def __post_init__(self) -> None:
        check_level(self.level)
        if not (np.isfinite(self.prior) and self.prior >= 0):
            raise InputError(f"A prior is a number of votes from 0 up, not {self.prior}.")
        if self.min_votes < 1:
            raise InputError(f"A task needs at least one vote to get a label, so min-votes cannot be {self.min_votes}.")
        self._check_truths()
        self._check_iteration()
        if not 100 <= self.n_bootstrap <= MAX_BOOTSTRAP:
            raise InputError(
                f"A bootstrap interval takes 100 to {MAX_BOOTSTRAP:,} resamples, not {self.n_bootstrap:,}."
            )
        if self.seed < 0:
            raise InputError(f"A seed is a whole number from 0 up, not {self.seed}.")

    def _check_truths(self) -> None:
        if self.truths is None:
            return
        repeated = find_repeated(self.truths)
        if repeated is not None:
            raise InputError(f"The truth {repeated!r} is named twice.")
        if len(self.truths) < 2 or "" in self.truths:
            raise InputError(
                f"Truths are at least two answers, each with a name, not {', '.join(map(repr, self.truths)) or 'none'}."
            )
        if self.accept is not None and self.accept.truth not in self.truths:
            raise InputError(
                f"{self.accept.truth!r} can only be accepted if it is one of the truths {', '.join(self.truths)}."
            )

    def _check_iteration(self) -> None:
        if self.tolerance is not None and not self.tolerance > 0:
            raise InputError(f"A tolerance is a number above 0, not {self.tolerance}.")
        if self.max_iterations is not None and self.max_iterations < 1:
            raise InputError(f"A model takes at least one iteration, not {self.max_iterations}.")
        if self.is_crowd_kit and (self.method is not VoteMethod.DAWID_SKENE or self.prior or self.truths is not None):
            raise InputError(
                "crowd-kit's stopping rule goes with its model, dawid-skene at prior 0 with every answer a truth; "
                "all others stop by the likelihood."
            )

    @property
    def is_crowd_kit(self) -> bool:
        """Whether the algorithm is crowd-kit's, stopping rule included."""
        return self.stop is StopRule.CROWD_KIT

    def lists_truths(self, n_truths: int) -> bool:
        """Whether the probability of every truth is given: where truths are named, or one has a threshold."""
        return self.truths is not None or (self.accept is not None and n_truths <= MAX_UNNAMED_TRUTHS)

    @property
    def for_coins(self) -> VoteSettings:
        """The same for the one-coin model, which stands behind Dawid–Skene's priors and the skills of the annotators."""
        return replace(self, method=VoteMethod.ONE_COIN, stop=StopRule.LIKELIHOOD)

    @property
    def step_tolerance(self) -> float:
        """The tolerance in force."""
        return self.tolerance or (1e-5 if self.is_crowd_kit else 1e-8)

    @property
    def step_limit(self) -> int:
        """The number of iterations in force."""
        return self.max_iterations or (100 if self.is_crowd_kit else 1_000)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class GoldLabels:
    """Labels that are known.

    Attributes:
        task_ids: the distinct tasks.
        labels: the label of each.
    """

    task_ids: IdArray
    labels: IdArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "task_ids", freeze_ids(self.task_ids, owner="The gold file"))
        object.__setattr__(self, "labels", np.asarray(self.labels, np.str_))
        if self.labels.shape != self.task_ids.shape or (self.labels == "").any():
            raise InputError(f"{len(self.task_ids):,} gold tasks need one label each.")

    def __len__(self) -> int:
        return len(self.task_ids)

    def __repr__(self) -> str:
        return f"<GoldLabels: {len(self):,} tasks>"


@dataclass(frozen=True, slots=True)
class Convergence:
    """How the fit of a model went.

    Attributes:
        n_iterations: passes over the votes.
        converged: whether the last step gained less than the tolerance.
        log_posterior: the logarithm of likelihood times prior after every pass, up to a constant; it never falls. At prior 0
            the log-likelihood.
    """

    n_iterations: int
    converged: bool
    log_posterior: tuple[float, ...]

    @property
    def last_gain(self) -> float:
        """By how much the last pass raised it; NaN after a single one."""
        return self.log_posterior[-1] - self.log_posterior[-2] if len(self.log_posterior) > 1 else float("nan")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class VoteLabels(Result):
    """The labels of tasks.

    Attributes:
        frame: one row per task in the order of first appearance, columns `LABEL_COLUMNS`, then `probability_` and its name for
            every truth, where truths are named or one has a threshold.
        annotators: one row per annotator in the same order, columns `ANNOTATOR_COLUMNS`.
        classes: one row per label, columns `CLASS_COLUMNS`.
        confusions: columns `CONFUSION_COLUMNS`; empty unless the method is Dawid–Skene.
        agreement: coefficients over the whole campaign, by name; empty unless asked for, and without a value where there was
            nothing to agree on.
        convergence: how the fit went; None for the majority.
        settings: how the labels were made.
        notes: what the reader should know, a sentence each.
        warnings: what is probably wrong, a sentence each.
    """

    frame: pl.DataFrame
    annotators: pl.DataFrame
    classes: pl.DataFrame
    confusions: pl.DataFrame
    agreement: Mapping[str, Estimate[float | None]]
    convergence: Convergence | None
    settings: VoteSettings = field(default_factory=VoteSettings)
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def __len__(self) -> int:
        return self.frame.height

    def __repr__(self) -> str:
        mean = self.frame["probability"].mean()
        share = format_percent(float(mean) if isinstance(mean, float) else None)
        head = f"<VoteLabels: {len(self):,} tasks by {self.settings.method}, mean probability {share}>"
        return "\n".join([head, *(f"  warning: {warning}" for warning in self.warnings)])

    def to_frame(self) -> pl.DataFrame:
        """The labels as a polars data frame."""
        return self.frame
