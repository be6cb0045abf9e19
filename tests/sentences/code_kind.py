"""Sentences about coders: how many mistakes they look at, what they overturn, and where they disagree."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from tests.sentences.entries import Always, Entries, Maker, Pair
from tests.sentences.label_kind import columns

from regauge.kinds.code.figures import _describe_same
from regauge.kinds.code.making import note_tasks
from regauge.kinds.code.results import CodeRule, make_labels
from regauge.labels.coding import decide_mistakes
from regauge.mistakes.coder_notes import (
    HeardCoders,
    describe_coders,
    describe_lost,
    describe_named,
    describe_rounds,
    describe_taken,
)
from regauge.mistakes.coders import make_coded, measure_coders
from regauge.records.labels.label_set import LabelSet
from regauge.records.labels.results import LabelContext
from regauge.records.mistakes.coded import DefinedCategory
from regauge.records.mistakes.coders import NO_CODE, CoderVotes, NamedAnswers
from regauge.records.mistakes.coding import MistakeCoding
from regauge.records.testsets.test_set import TestSet
from regauge.responses.live.oddities import Oddity
from regauge.workflows.demo.coding import describe_codes
from regauge.workflows.mistakes.coders import CodersResult

NAMES = ("kind", "other kind")
KIND, GONE, SAME, OTHER = "kind", "gone", "kind", "other kind"


def vote(*said: tuple[int, int, str]) -> CoderVotes:
    """Votes by coder, image and what is said: a category, or that it is not a mistake."""
    images, coders = [image for _, image, _ in said], [coder for coder, _, _ in said]
    words = [word for *_, word in said]
    return CoderVotes(
        image_ids=np.array(["a", "b", "c"]),
        names=np.array(["ann", "ben"][: max(coders) + 1]),
        images=np.array(images, np.int32),
        predictions=np.full(len(said), 7, np.int32),
        coders=np.array(coders, np.int32),
        categories=tuple("" if word == GONE else word for word in words),
        severities=np.array([NO_CODE if word == GONE else 0 for word in words], np.int8),
        reasons=tuple("missed object" if word == GONE else "" for word in words),
        notes=("",) * len(said),
        received=np.arange(len(said)),
    )


BOTH = [(0, 0, KIND), (1, 0, KIND)]
"""Two coders who agree on the first image."""


def tell(said: Sequence[tuple[int, int, str]], *, n_planned: int = 2, is_discussed: bool = False) -> Maker:
    votes = vote(*said)
    decided = decide_mistakes(votes, NAMES)
    return lambda folder: [
        *describe_coders(votes, decided, n_mistakes=3, n_planned=n_planned, is_discussed=is_discussed),
        "end",
    ]


def label(said: Sequence[tuple[int, int, str]], *, is_judged: bool = False) -> Maker:
    """What is said of the labels that votes make, where nobody had judged the prediction, or somebody had."""
    images = TestSet("set", np.array(["a", "b", "c"]), np.array([0, 0, 0], np.int32))
    lists = [[7]] * 3 if is_judged else [[]] * 3
    base = LabelSet.from_lists("base", ["a", "b", "c"], correct=[[0]] * 3, wrong=lists)
    context = LabelContext("labels", images, frozenset("abc"), base=base)
    return lambda folder: [*make_labels(vote(*said), CodeRule(), context=context).notes, "end"]


def note(taken: dict[str, int], *, n_coders: int = 0, **counts: int) -> Maker:
    settings = {"participants": ["vit"], "labels": "panel@1", "n_to_code": 4, "taken_over": taken, **counts}
    settings |= {"panel": list(range(n_coders)), "chairs": [0]} if n_coders else {}
    return lambda folder: [*note_tasks(settings), "end"]


def talk(before: str, after: str, *, n_open: int = 0, is_discussed: bool = True) -> Maker:
    """Two coders, one of whom says something else in the end."""
    alone, final = (vote((0, 0, KIND), (1, 0, word)) for word in (before, after))
    heard = HeardCoders(alone, final, n_open, is_discussed)
    return lambda folder: [*describe_rounds(heard, NAMES), "end"]


def take(taken: dict[str, int]) -> Maker:
    return lambda folder: [*describe_taken(taken), "end"]


def lose(lost: dict[str, int]) -> Maker:
    return lambda folder: [*describe_lost(lost), "end"]


def name(n_mistakes: int) -> Maker:
    """Two answers that a file named, of so many mistakes."""
    return lambda folder: [*describe_named(NamedAnswers("vit", n_mistakes, (("a", 7), ("b", 7)))), "end"]


def same(*masks: int) -> Maker:
    """What is odd about somebody who gives these severities."""

    def make(folder: object) -> list[str]:
        found: list[list[Oddity]] = [[]]
        _describe_same(columns(*masks), np.array([True]), found)
        return [*(one.sentence for one in found[0]), "end"]

    return make


def count_codes(_: object) -> list[str]:
    votes = vote(*BOTH)
    decided = decide_mistakes(votes, NAMES)
    coded, overturned, remarks = make_coded(decided, votes, names=NAMES, participant="vit")
    categories = tuple(map(DefinedCategory, NAMES))
    coding = MistakeCoding("c", "vit", "set", "labels@1", "campaign c", coded, overturned, categories, remarks=remarks)
    agreement = measure_coders(votes, decided, names=NAMES, level=0.95)
    return describe_codes(CodersResult(coding, decided, agreement, ()))


ENTRIES: Entries = {
    "workflows/demo/coding.py:describe_codes: … coded, … of them major; … overturned": Always(
        "counts of what there is", count_codes
    ),
    "kinds/code/figures.py:_describe_same: Calls … of … mistakes ….": Pair(same(*[0b1] * 20), same(*[0b1, 0b10] * 10)),
    "kinds/code/making.py:note_tasks: Coders look at … of … under ….": Always("a count with its object", note({})),
    "kinds/code/making.py:note_tasks: … coders look at each mistake alone, and": Pair(note({}, n_coders=3), note({})),
    "kinds/code/making.py:note_tasks: With … coders, as many can say one": Pair(
        note({}, n_coders=2), note({}, n_coders=3)
    ),
    "kinds/code/making.py:note_tasks: … named in the file; other mistakes are": Pair(note({}, n_named=4), note({})),
    "kinds/code/making.py:note_tasks: … not asked about: … accepts the answer,": Pair(
        note({}, n_named=6, n_accepted=2), note({}, n_named=4)
    ),
    "mistakes/coder_notes.py:describe_lost: … that … had decided left out: it": Pair(lose({"other@1": 2}), lose({})),
    "mistakes/coder_notes.py:describe_named: Only the mistakes of … that a file": Pair(name(3), name(2)),
    "mistakes/coder_notes.py:describe_rounds: The discussion changed what most coders say of": Pair(
        talk(OTHER, KIND), talk(OTHER, KIND, is_discussed=False)
    ),
    "mistakes/coder_notes.py:describe_rounds: … left out: not locked by a chair.": Pair(
        talk(OTHER, KIND, n_open=1), talk(OTHER, KIND)
    ),
    "kinds/code/making.py:note_tasks: … not asked about: … has decided the": Pair(note({"other@1": 2}), note({})),
    "kinds/code/results.py:_describe: Coders overturned … of ….": Always("a count of a count", label(BOTH)),
    "kinds/code/results.py:_describe: … that most coders code as mistakes: wrong": Pair(
        label(BOTH), label(BOTH, is_judged=True)
    ),
    "kinds/code/results.py:_describe: … left as before: as many coders overturn": Pair(
        label([(0, 0, KIND), (1, 0, GONE)]), label(BOTH)
    ),
    "mistakes/coder_notes.py:describe_coders: Coders looked at … of … and overturned": Pair(
        tell(BOTH), tell(BOTH, is_discussed=True)
    ),
    "mistakes/coder_notes.py:describe_coders: A chair has locked … of …, and": Pair(
        tell(BOTH, is_discussed=True), tell(BOTH)
    ),
    "mistakes/coder_notes.py:describe_coders: … alone coded these mistakes, so nobody knows": Pair(
        tell([(0, 0, KIND)]), tell(BOTH)
    ),
    "mistakes/coder_notes.py:describe_coders: … with one coder only, though … were": Pair(
        tell([*BOTH, (0, 1, KIND)]), tell([*BOTH, (0, 1, KIND), (1, 1, KIND)])
    ),
    "mistakes/coder_notes.py:_describe_open: … left out: as many coders say one": Pair(
        tell([(0, 0, KIND), (1, 0, OTHER)]), tell(BOTH)
    ),
    "mistakes/coder_notes.py:_describe_open: Talking on, once a chair has unlocked them,": Pair(
        tell([(0, 0, KIND), (1, 0, OTHER)], is_discussed=True), tell([(0, 0, KIND), (1, 0, OTHER)])
    ),
    "mistakes/coder_notes.py:_describe_open: A discussion, or one more coder,": Pair(
        tell([(0, 0, KIND), (1, 0, OTHER)]), tell([(0, 0, KIND), (1, 0, OTHER)], is_discussed=True)
    ),
    "mistakes/coder_notes.py:describe_taken: … taken over from …, which decided the": Pair(
        take({"other@1": 2}), take({})
    ),
}
