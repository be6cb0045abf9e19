"""What answers are worth under a label set and codings of mistakes; severity belongs to the image and the prediction together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from regauge.arrays import NO_CLASS, IdArray, IntArray
from regauge.evaluation.metrics.multilabel import LENIENT
from regauge.evaluation.outcomes import Outcome
from regauge.mistakes.accepting import judge_pairs
from regauge.records.labels.label_set import LabelSet
from regauge.records.labels.verdicts import Verdict
from regauge.records.mistakes.coded import SEVERITIES, Severity
from regauge.records.mistakes.coding import MistakeCoding
from regauge.records.slices.answers import AnswerState, OpenReason, StateArray

_STATE_OF = {
    SEVERITIES.index(Severity.MAJOR): AnswerState.MAJOR,
    SEVERITIES.index(Severity.MINOR): AnswerState.MINOR,
    SEVERITIES.index(Severity.BORDERLINE): AnswerState.BORDERLINE,
}
NEEDS: Mapping[AnswerState, OpenReason] = MappingProxyType(
    {AnswerState.UNJUDGED: OpenReason.VERDICT, AnswerState.UNCODED: OpenReason.SEVERITY}
)
"""What answers need that are not settled."""


@dataclass(frozen=True, slots=True)
class CodedPairs:
    """What codings say of (image, prediction) pairs.

    Attributes:
        states: the state that the severity of each stands for; `UNJUDGED` of one that coders overturned.
        n_conflicts: pairs of which a later coding says something else than the one that holds.
    """

    states: Mapping[tuple[str, int], AnswerState]
    n_conflicts: int


def index_codes(codings: Sequence[MistakeCoding]) -> CodedPairs:
    """The codes of all pairs; of a pair that several codings have, the first one's holds."""
    found: dict[tuple[str, int], AnswerState] = {}
    n_conflicts = 0
    for coding in codings:
        coded, gone = coding.coded, coding.overturned
        own = dict(
            zip(
                zip(coded.image_ids.tolist(), coded.predictions.tolist(), strict=True),
                (_STATE_OF[code] for code in coded.severities.tolist()),
                strict=True,
            )
        )
        pairs = zip(gone.image_ids.tolist(), gone.predictions.tolist(), strict=True)
        own |= dict.fromkeys(pairs, AnswerState.UNJUDGED)
        n_conflicts += sum(found.get(pair, state) is not state for pair, state in own.items())
        found = own | found
    return CodedPairs(MappingProxyType(found), n_conflicts)


def find_states(
    label_set: LabelSet,
    image_ids: IdArray,
    *,
    classes: IntArray,
    codes: CodedPairs,
    accepted: frozenset[Verdict] = LENIENT,
) -> StateArray:
    """What each class is worth as an answer for its image; one that is `NO_CLASS` does not count.

    The label set says what is right. Of the rest, a coded severity holds, even where the label set has no verdict: whoever coded
    the pair found it wrong. What coders overturned and the label set does not accept contradicts it, and counts as unjudged.

    Args:
        label_set: what people found.
        image_ids: the image of each answer.
        classes: the class of each answer.
        codes: what coders found.
        accepted: the verdicts that make an answer right.
    """
    is_answered = classes != NO_CLASS
    outcomes = judge_pairs(label_set, image_ids, classes=np.where(is_answered, classes, 0), accepted=accepted)
    worth = {
        Outcome.RIGHT: AnswerState.RIGHT,
        Outcome.WRONG: AnswerState.UNCODED,
        Outcome.UNJUDGED: AnswerState.UNJUDGED,
        Outcome.NOT_COUNTED: AnswerState.NOT_COUNTED,
    }
    states = np.full(len(outcomes), AnswerState.NOT_COUNTED, np.int8)
    for outcome, state in worth.items():
        states[(outcomes == outcome) & is_answered] = state
    for row in np.flatnonzero((states == AnswerState.UNCODED) | (states == AnswerState.UNJUDGED)).tolist():
        states[row] = codes.states.get((str(image_ids[row]), int(classes[row])), states[row])
    return states
