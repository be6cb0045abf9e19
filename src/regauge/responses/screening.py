"""Whether to believe an answer, by the controls that were hidden in its grid."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from regauge.arrays import BoolArray, CountArray, IdArray, IntArray
from regauge.errors import InputError
from regauge.records.responses.answers import ContainsResponses, Control, MaskArray
from regauge.records.responses.screening import DropReason, Screening, ScreeningRules, read_share
from regauge.responses.marks import count_marked, mark_items


@dataclass(frozen=True, slots=True)
class RestoredAnnotators:
    """Whom to believe in spite of the rules.

    Attributes:
        annotators: ids of annotators whom the rules may not drop; their single responses are judged all the same.
        responses: (task id, annotator id) of responses that are accepted whatever the rules say.
    """

    annotators: Collection[str] = ()
    responses: Collection[tuple[str, str]] = ()


NOBODY = RestoredAnnotators()


@dataclass(frozen=True, slots=True, eq=False)
class _Controls:
    """Positive and negative controls per response, shown and selected."""

    n_positive: CountArray
    n_positive_selected: CountArray
    n_negative: CountArray
    n_negative_selected: CountArray


@dataclass(frozen=True, slots=True, eq=False)
class _Judge:
    """The rules in whole numbers, with what they need to know about annotators and hand-made exceptions."""

    rules: ScreeningRules
    annotators: IntArray
    n_tasks: CountArray
    n_poor_tasks: CountArray
    is_poor: BoolArray
    is_kept_annotator: BoolArray
    is_kept_response: BoolArray = field(default_factory=lambda: np.zeros(0, np.bool_))

    def find_dropped(self, n_poor_tasks: CountArray, n_tasks: CountArray) -> BoolArray:
        """Whether so many poor tasks drop an annotator."""
        return find_dropped(n_poor_tasks, n_tasks, rules=self.rules)

    def accept_by_others(self, n_others: CountArray, n_selected: CountArray) -> BoolArray:
        """Whether each response would be accepted if only n_others of its positive controls were known.

        Leaving out a vote changes what the task says about its annotator too, so both rules are applied anew. Without another
        control nothing speaks for the response, and it is not accepted.
        """
        poor = _is_below(n_selected, n_others, read_share(self.rules.annotator_controls))
        n_poor = self.n_poor_tasks[self.annotators] - self.is_poor + poor
        is_dropped = self.find_dropped(n_poor, self.n_tasks[self.annotators]) & ~self.is_kept_annotator[self.annotators]
        is_low = _is_below(n_selected, n_others, read_share(self.rules.task_controls))
        return self.is_kept_response | ((n_others > 0) & ~is_dropped & ~is_low)


def screen(
    responses: ContainsResponses, rules: ScreeningRules | None, *, restored: RestoredAnnotators = NOBODY
) -> Screening:
    """Judge every response and every annotator by the positive controls that they selected.

    First annotators are dropped with all their responses, then single responses; see `ScreeningRules`. A vote on a positive
    control is judged by the other controls of its response: were it judged by itself too, votes for controls would be kept
    more often than votes against them, and the images they show would seem easier than they are.

    Where `task_controls` is at least twice `annotator_controls`, as in the published rules, no accepted vote on a control can
    be one that decides about its annotator: when its others reach the former share, the task reaches the latter with or
    without it.

    Args:
        responses: the answers.
        rules: the thresholds; None believes everybody.
        restored: whom to believe in spite of the rules.

    Raises:
        InputError: a task has no positive control, whomever it was shown to; somebody to restore is not there; nobody is left.

    Reference:
        Tsipras et al. (2020), From ImageNet to Image Classification, appendix B.1.2.
    """
    controls = _count_controls(responses)
    kept_annotators = _find_annotators(responses, restored)
    kept_responses = _find_responses(responses, restored)
    if rules is None:
        return _believe(responses, controls)
    _check_controls(responses, controls)
    is_poor = find_poor(controls.n_positive_selected, controls.n_positive, rules=rules)
    n_annotators = len(responses.annotator_ids)
    judge = _Judge(
        rules,
        responses.response_annotators,
        n_tasks=np.bincount(responses.response_annotators, minlength=n_annotators),
        n_poor_tasks=np.bincount(responses.response_annotators[is_poor], minlength=n_annotators),
        is_poor=is_poor,
        is_kept_annotator=kept_annotators,
        is_kept_response=kept_responses,
    )
    screening = _judge(judge, controls)
    if not screening.is_accepted.any():
        raise InputError(
            f"Screening drops all {len(responses):,} responses of {n_annotators:,} annotators ({rules.describe()}); look at the "
            "control marks and the thresholds, or count every answer by `rules=None`."
        )
    return screening


def _judge(judge: _Judge, controls: _Controls) -> Screening:
    rules, n, k = judge.rules, controls.n_positive, controls.n_positive_selected
    is_dropped = judge.find_dropped(judge.n_poor_tasks, judge.n_tasks)
    by_annotator = is_dropped[judge.annotators]
    is_low = _is_below(k, n, read_share(rules.task_controls))
    reasons = np.where(
        by_annotator, np.uint8(DropReason.ANNOTATOR), np.where(is_low, np.uint8(DropReason.CONTROLS), np.uint8(0))
    )
    is_spared = judge.is_kept_annotator[judge.annotators]
    is_accepted = judge.is_kept_response | (~(by_annotator & ~is_spared) & ~is_low)
    counts_selected = counts_unselected = is_accepted
    if rules.leave_one_out:
        counts_selected = judge.accept_by_others(n - 1, k - 1)
        counts_unselected = judge.accept_by_others(n - 1, k)
    return Screening(
        rules,
        reasons=reasons,
        is_accepted=is_accepted,
        counts_selected=counts_selected,
        counts_unselected=counts_unselected,
        n_positive=n,
        n_positive_selected=k,
        n_negative=controls.n_negative,
        n_negative_selected=controls.n_negative_selected,
        n_tasks=judge.n_tasks,
        n_poor_tasks=judge.n_poor_tasks,
        is_dropped=is_dropped,
        is_restored=is_dropped & judge.is_kept_annotator,
        restored_responses=np.flatnonzero(is_accepted & (reasons != DropReason.NONE)),
    )


def _believe(responses: ContainsResponses, controls: _Controls) -> Screening:
    everything = np.ones(len(responses), np.bool_)
    n_annotators = len(responses.annotator_ids)
    return Screening(
        None,
        reasons=np.zeros(len(responses), np.uint8),
        is_accepted=everything,
        counts_selected=everything,
        counts_unselected=everything,
        n_positive=controls.n_positive,
        n_positive_selected=controls.n_positive_selected,
        n_negative=controls.n_negative,
        n_negative_selected=controls.n_negative_selected,
        n_tasks=np.bincount(responses.response_annotators, minlength=n_annotators),
        n_poor_tasks=np.zeros(n_annotators, np.int64),
        is_dropped=np.zeros(n_annotators, np.bool_),
        is_restored=np.zeros(n_annotators, np.bool_),
    )


def find_poor(n_selected: CountArray, n_positive: CountArray, *, rules: ScreeningRules) -> BoolArray:
    """Which responses speak against their annotators: too few of their positive controls are selected."""
    return _is_below(n_selected, n_positive, read_share(rules.annotator_controls))


def find_dropped(n_poor: CountArray, n: CountArray, *, rules: ScreeningRules) -> BoolArray:
    """Whom the rules drop, with so many poor responses of all."""
    return ~_is_below(n_poor, n, read_share(rules.poor_tasks)) & (n > 0)


def _is_below(part: CountArray, whole: CountArray, share: Fraction) -> BoolArray:
    """Whether part/whole < share, in whole numbers; no part of nothing is below any share."""
    return np.asarray((part * share.denominator < share.numerator * whole) & (whole > 0))


def find_control_masks(responses: ContainsResponses, control: Control) -> MaskArray:
    """Per response, the mask of the cells that hold a control of this kind."""
    marks = mark_items(responses.grids.starts, responses.grids.cell_controls, control=control)
    return marks[responses.response_grids]


def _count_controls(responses: ContainsResponses) -> _Controls:
    kinds = (Control.POSITIVE, Control.NEGATIVE)
    return _Controls(*(n for one in kinds for n in count_marked(find_control_masks(responses, one), responses.masks)))


def _check_controls(responses: ContainsResponses, controls: _Controls) -> None:
    without = np.flatnonzero(controls.n_positive == 0)
    if without.size:
        # Where only some were not shown the controls of a task, they cannot be judged by it, and nothing speaks against them.
        grids = responses.grids
        owners = np.repeat(np.arange(len(grids)), np.diff(grids.starts))
        marked = grids.task_ids[owners[grids.cell_controls == Control.POSITIVE]]
        without = without[~np.isin(grids.task_ids[responses.response_grids[without]], marked)]
    if without.size:
        tasks = responses.response_grids[without]
        first = str(responses.grids.task_ids[tasks[0]])
        raise InputError(
            f"Task {first!r} has no positive control ({np.unique(tasks).size:,} of {len(responses.grids):,} grids have none); "
            "screening judges a response by them, so mark the controls, or count every answer by `rules=None`."
        )


def _find_annotators(responses: ContainsResponses, restored: RestoredAnnotators) -> BoolArray:
    wanted = set(restored.annotators)
    _check_known(wanted, responses.annotator_ids)
    return (
        np.isin(responses.annotator_ids, list(wanted)) if wanted else np.zeros(len(responses.annotator_ids), np.bool_)
    )


def _check_known(wanted: set[str], annotator_ids: IdArray) -> None:
    unknown = sorted(wanted - set(annotator_ids.tolist())) if wanted else []
    if unknown:
        raise InputError(
            f"There is no annotator {unknown[0]!r} to keep; the answers name {len(annotator_ids):,} others."
        )


def _find_responses(responses: ContainsResponses, restored: RestoredAnnotators) -> BoolArray:
    found = np.zeros(len(responses), np.bool_)
    if not restored.responses:
        return found
    tasks = responses.grids.task_ids[responses.response_grids]
    annotators = responses.annotator_ids[responses.response_annotators]
    for task, annotator in restored.responses:
        is_meant = (tasks == task) & (annotators == annotator)
        if not is_meant.any():
            raise InputError(f"There is no response of annotator {annotator!r} to task {task!r} to keep.")
        found |= is_meant
    return found
