"""The slice of major mistakes (Vasudevan et al. 2022, section 5.1).

Of the major mistakes of a reference model those are chosen on which at least so many of all models make a major mistake, the
reference included. Predictions that nobody has judged, or whose severity nobody has coded, are neither right nor major: an image
that they could bring into the slice is undecided, and they are the queue. That holds for the reference's own mistakes, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from regauge.arrays import NO_CLASS, BoolArray, IdArray, IntArray
from regauge.errors import InputError
from regauge.estimates import count_things, join_words
from regauge.evaluation.outcomes import Outcome
from regauge.mistakes.accepting import judge_pairs
from regauge.records.labels.label_set import LabelSet
from regauge.records.mistakes.coding import MistakeCoding
from regauge.records.names import quote_first
from regauge.records.predictions import Predictions
from regauge.records.slices.answers import AnswerState, MajorChoice, OpenPredictions, StateArray
from regauge.records.slices.rules import MajorRule
from regauge.slices.states import NEEDS, CodedPairs, find_states, index_codes


def choose_majors(
    rule: MajorRule,
    codings: Sequence[MistakeCoding],
    *,
    label_set: LabelSet,
    codes: CodedPairs,
    answers: Mapping[str, Predictions],
) -> MajorChoice:
    """The images on which enough models make a major mistake, and those that may turn out to be so.

    Args:
        rule: the reference, the models, and how many of them.
        codings: those of the reference's mistakes; of a pair that several have, the first one's code holds.
        label_set: which answers are right by now.
        codes: what is coded of all pairs.
        answers: the predictions of the models, and of the reference where they are known, by name.

    Raises:
        InputError: the reference has no major mistake left, or a model has not answered an image of one.
    """
    coded, counts = _find_candidates(codings, label_set, answers.get(rule.reference))
    others, own_states = _find_others(answers.get(rule.reference), label_set, codes, besides=coded)
    own_states = np.concatenate([np.full(len(coded), AnswerState.MAJOR, np.int8), own_states])
    n_uncoded = int(np.isin(own_states, list(NEEDS)).sum())
    if AnswerState.MAJOR not in own_states:
        more = f"; {count_things(n_uncoded, 'mistake')} of {rule.reference} not coded" if n_uncoded else ""
        raise InputError(
            f"{join_words([one.name for one in codings])} {'holds' if len(codings) == 1 else 'hold'} no major mistake that "
            f"{rule.reference} still makes under {label_set.name}, so there is nothing to choose from{more}."
        )
    for name in rule.models:
        _line_up(answers[name], coded)
    image_ids, names = np.concatenate([coded, others]), (rule.reference, *rule.models)
    classes = np.stack([_line_up(answers.get(name), image_ids, allow_missing=True) for name in names])
    states = [find_states(label_set, image_ids, classes=one, codes=codes) for one in classes[1:]]
    return _choose(rule, image_ids, classes, states=np.stack([own_states, *states]), counts=counts)


def _choose(
    rule: MajorRule, image_ids: IdArray, classes: IntArray, *, states: StateArray, counts: Mapping[str, int]
) -> MajorChoice:
    """The images by what the reference and the models answer on them [participants, images], the reference first."""
    is_open, is_major = np.isin(states, list(NEEDS)), states == AnswerState.MAJOR
    n_major = is_major.sum(axis=0)
    is_in = is_major[0] & (n_major >= rule.at_least)
    is_possible = (is_major[0] | is_open[0]) & (n_major + is_open.sum(axis=0) >= rule.at_least)
    relevant = np.where(is_possible, states, AnswerState.RIGHT)
    names = (rule.reference, *rule.models)
    return MajorChoice(
        image_ids[is_in],
        n_major[is_in],
        undecided=image_ids[is_possible & ~is_in],
        open_predictions=list_open(image_ids, classes, states=relevant, names=names),
        n_candidates=int(is_major[0].sum()),
        n_uncoded=int(is_open[0].sum()),
        **counts,
    )


def list_open(image_ids: IdArray, classes: IntArray, *, states: StateArray, names: Sequence[str]) -> OpenPredictions:
    """The predictions that have to be judged or coded, each once, in the order of the images.

    Args:
        image_ids: the images.
        classes: what each participant answers [participants, images].
        states: what that is worth.
        names: the participants.
    """
    found: dict[tuple[int, int], tuple[AnswerState, list[str]]] = {}
    for image in range(len(image_ids)):
        for place, name in enumerate(names):
            state = AnswerState(int(states[place, image]))
            if state in NEEDS:
                found.setdefault((image, int(classes[place, image])), (state, []))[1].append(name)
    return OpenPredictions(
        np.array([str(image_ids[image]) for image, _ in found], np.str_),
        np.array([index for _, index in found], np.int32),
        tuple(NEEDS[state] for state, _ in found.values()),
        tuple(tuple(who) for _, who in found.values()),
    )


def _find_candidates(
    codings: Sequence[MistakeCoding], label_set: LabelSet, answers: Predictions | None
) -> tuple[IdArray, dict[str, int]]:
    """The images of the reference's major mistakes that remain, and how many others there were."""
    pairs = [pair for pair, state in index_codes(codings).states.items() if state is AnswerState.MAJOR]
    image_ids = np.array([one for one, _ in pairs], np.str_)
    predictions = np.array([one for _, one in pairs], np.int32)
    outcomes = judge_pairs(label_set, image_ids, classes=predictions)
    is_left: BoolArray = (outcomes == Outcome.WRONG) | (outcomes == Outcome.UNJUDGED)
    is_same = np.ones(len(pairs), np.bool_)
    if answers is not None:
        is_same = _line_up(answers, image_ids, allow_missing=True) == predictions
    counts = {
        "n_accepted": int(np.count_nonzero(~is_left)),
        "n_changed": int(np.count_nonzero(is_left & ~is_same)),
    }
    return np.asarray(list(dict.fromkeys(image_ids[is_left & is_same].tolist())), np.str_), counts


def _find_others(
    answers: Predictions | None, label_set: LabelSet, codes: CodedPairs, *, besides: IdArray
) -> tuple[IdArray, StateArray]:
    """The images of the reference's other mistakes that are major by another coding, or may be: no coding has them."""
    if answers is None:
        return np.array([], besides.dtype), np.array([], np.int8)
    states = find_states(label_set, answers.image_ids, classes=answers.classes[:, 0], codes=codes)
    pairs = list(zip(answers.image_ids.tolist(), answers.classes[:, 0].tolist(), strict=True))
    known = set(besides.tolist())
    # What coders overturned is none of its mistakes, though the label set does not accept it yet.
    rows = [
        row
        for row in np.flatnonzero(np.isin(states, [AnswerState.MAJOR, *NEEDS])).tolist()
        if pairs[row][0] not in known and codes.states.get(pairs[row]) is not AnswerState.UNJUDGED
    ]
    return answers.image_ids[rows], states[rows]


def _line_up(answers: Predictions | None, image_ids: IdArray, *, allow_missing: bool = False) -> IntArray:
    """The first answers on some images; `NO_CLASS` of somebody whose answers are not known."""
    if answers is None:
        return np.full(len(image_ids), NO_CLASS, np.int32)
    first = dict(zip(answers.image_ids.tolist(), answers.classes[:, 0].tolist(), strict=True))
    found = np.array([first.get(image_id, NO_CLASS) for image_id in image_ids.tolist()], np.int32)
    missing = image_ids[found == NO_CLASS]
    if len(missing) and not allow_missing:
        raise InputError(
            f"{answers.participant} has no answer on {count_things(len(missing), 'image')} of the reference's major mistakes "
            f"({quote_first(missing.tolist())}), so it cannot help to choose; give it answers, or leave it out."
        )
    return found
