"""Which answers to CONTAINS grids are believed: the rules, what they found of every response, and of every annotator."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from regauge.arrays import BoolArray, CountArray, freeze
from regauge.columns import ColumnTypes
from regauge.errors import InputError
from regauge.ranges import SHARE, Range

ReasonArray: TypeAlias = NDArray[np.uint8]

POOR_TASKS = Range(0, 1, excludes_low=True)
"""At 0 every annotator would be dropped."""


class DropReason(IntEnum):
    """Why a response is dropped."""

    NONE = 0
    ANNOTATOR = 1
    """Its annotator missed most positive controls on too many tasks."""
    CONTROLS = 2
    """It selected too few of its own positive controls."""


def read_share(value: float | Fraction) -> Fraction:
    """A threshold as the fraction that its decimals say: 0.2 is one fifth, not the nearest binary number."""
    if isinstance(value, Fraction):
        return value
    if not np.isfinite(value):
        raise InputError(f"A threshold is a share between 0 and 1, not {value}.")
    return Fraction(str(value))


@dataclass(frozen=True, slots=True)
class ScreeningRules:
    """When an annotator or a single response is dropped, by the positive controls they selected.

    An annotator is dropped, with all their responses, who selected less than `annotator_controls` of the positive controls on
    `poor_tasks` or more of their tasks. Then a response is dropped that selected less than `task_controls` of its positive
    controls. All comparisons are made in whole numbers.

    Attributes:
        annotator_controls: the share of positive controls below which a task speaks against its annotator.
        poor_tasks: the share of such tasks from which on an annotator is dropped.
        task_controls: the share of positive controls below which a single response is dropped.
        leave_one_out: whether a positive control's own vote is judged by the other controls of its response; judging it by
            itself too would inflate the frequency of control images.

    Reference:
        Tsipras et al. (2020), From ImageNet to Image Classification, appendix B.1.2: 20%, half, 40%.
    """

    annotator_controls: float = 0.2
    poor_tasks: float = 0.5
    task_controls: float = 0.4
    leave_one_out: bool = True

    def __post_init__(self) -> None:
        for name in ("annotator_controls", "poor_tasks", "task_controls"):
            value = getattr(self, name)
            if read_share(value) not in SHARE:
                raise InputError(f"The threshold {name} is a share between 0 and 1, not {value}.")
        if read_share(self.poor_tasks) not in POOR_TASKS:
            raise InputError("The threshold poor_tasks must be above 0: at 0 every annotator would be dropped.")

    def describe(self) -> str:
        """The rules in one sentence."""
        return (
            f"dropped are annotators who selected < {100 * self.annotator_controls:g}% of the positive controls on "
            f"{100 * self.poor_tasks:g}% or more of their tasks, then responses that selected < {100 * self.task_controls:g}%"
        )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Screening:
    """What the rules found of every response, in the order of the responses, and of every annotator.

    Attributes:
        rules: the rules; None where every answer is believed.
        reasons: per response, the `DropReason` to drop it; kept when it is restored.
        is_accepted: per response, whether its votes count.
        counts_selected: per response, whether a vote for one of its positive controls counts, judged by the others.
        counts_unselected: the same for a vote against one.
        n_positive: per response, positive controls shown.
        n_positive_selected: those of them that it selected.
        n_negative: per response, negative controls shown.
        n_negative_selected: those of them that it selected.
        n_tasks: per annotator, their responses.
        n_poor_tasks: those of them that speak against the annotator.
        is_dropped: per annotator, whether the rules drop them.
        is_restored: per annotator, whether they were restored by hand.
        restored_responses: positions of the responses that were restored by hand, alone or with their annotator.
    """

    rules: ScreeningRules | None
    reasons: ReasonArray
    is_accepted: BoolArray
    counts_selected: BoolArray
    counts_unselected: BoolArray
    n_positive: CountArray
    n_positive_selected: CountArray
    n_negative: CountArray
    n_negative_selected: CountArray
    n_tasks: CountArray
    n_poor_tasks: CountArray
    is_dropped: BoolArray
    is_restored: BoolArray
    restored_responses: CountArray = field(default_factory=lambda: np.zeros(0, np.int64))

    def __post_init__(self) -> None:
        object.__setattr__(self, "reasons", freeze(self.reasons, np.uint8))
        for name in ("is_accepted", "counts_selected", "counts_unselected", "is_dropped", "is_restored"):
            object.__setattr__(self, name, freeze(getattr(self, name), np.bool_))
        for name in (
            "n_positive",
            "n_positive_selected",
            "n_negative",
            "n_negative_selected",
            "n_tasks",
            "n_poor_tasks",
        ):
            object.__setattr__(self, name, freeze(getattr(self, name), np.int64))
        object.__setattr__(self, "restored_responses", freeze(self.restored_responses, np.int64))
        if self.is_accepted.shape != self.reasons.shape or self.is_dropped.shape != self.n_tasks.shape:
            raise InputError("A screening needs one reason per response and one verdict per annotator.")

    def __len__(self) -> int:
        return len(self.reasons)

    def __repr__(self) -> str:
        return (
            f"<Screening: {int(self.is_accepted.sum()):,} of {len(self):,} responses accepted, "
            f"{int(self.is_dropped.sum()):,} of {len(self.n_tasks):,} annotators dropped>"
        )

    def describe(self, response: int, *, annotator: int) -> str:
        """Why the response is dropped, in a sentence; empty where the rules accept it.

        Args:
            response: its position.
            annotator: the position of its annotator.
        """
        if self.rules is None or self.reasons[response] == DropReason.NONE:
            return ""
        if self.reasons[response] == DropReason.ANNOTATOR:
            return self.describe_annotator(annotator)
        return (
            f"selected {self.n_positive_selected[response]} of {self.n_positive[response]} positive controls, "
            f"less than {100 * self.rules.task_controls:g}%"
        )

    def describe_annotator(self, annotator: int) -> str:
        """Why the annotator is dropped, in a sentence; empty where the rules keep them."""
        if self.rules is None or not self.is_dropped[annotator]:
            return ""
        return (
            f"selected less than {100 * self.rules.annotator_controls:g}% of the positive controls on "
            f"{self.n_poor_tasks[annotator]:,} of {self.n_tasks[annotator]:,} tasks"
        )


ANNOTATOR_COLUMNS = ColumnTypes(
    {
        "annotator_id": "String",
        "n_tasks": "Int64",
        "n_accepted": "Int64",
        "n_poor_tasks": "Int64",
        "n_positive": "Int64",
        "n_positive_right": "Int64",
        "positive_accuracy": "Float64",
        "positive_low": "Float64",
        "positive_high": "Float64",
        "n_negative": "Int64",
        "n_negative_right": "Int64",
        "negative_accuracy": "Float64",
        "negative_low": "Float64",
        "negative_high": "Float64",
        "median_seconds": "Float64",
        "n_repeated": "Int64",
        "n_repeated_alike": "Int64",
        "dropped": "Boolean",
        "restored": "Boolean",
        "reason": "String",
        "flags": "String",
    }
)
"""The columns of the table of annotators, in output order; docs/formats.md explains them."""
