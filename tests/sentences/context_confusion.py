"""Sentences about confusions of people and participants, and about distances of mistakes."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from tests.evaluation.context.confusions.small import make_material, make_taxonomy, split_rows
from tests.sentences.entries import Always, Entries, Maker, Pair

from regauge.arrays import NO_CLASS, IntArray
from regauge.evaluation.context.confusion import CONFUSION
from regauge.evaluation.context.contract import Analysis
from regauge.evaluation.context.distance import DISTANCE
from regauge.records.evaluation.context.report import ContextSettings

N_EACH = 40
LABELS = np.repeat(np.arange(8, dtype=np.int32), N_EACH)
FEW = ContextSettings(n_bootstrap=100, n_listed=3)


def told(analysis: Analysis, labels: Any, firsts: Any = None, **others: Any) -> Maker:
    """The title, the answers and the notes of an analysis."""

    @cache
    def say(_: Path | None = None) -> list[str]:
        found = analysis.analyse(make_material(labels, firsts, **others), FEW)
        return [analysis.title, *found.answers, *found.notes]

    return lambda _: say()


def titles(analysis: Analysis) -> Maker:
    return lambda _: [analysis.title, analysis.help, *(table.title for table in analysis.tables.values())]


def err(share: float, step: int, *, seed: int, is_random: bool = False) -> IntArray:
    """Answers that are wrong on a share of the images: the class so many steps on, or any."""
    rng = np.random.default_rng(seed)
    wrong = rng.integers(0, 8, LABELS.size) if is_random else (LABELS + step) % 8
    return np.where(rng.random(LABELS.size) < share, wrong, LABELS).astype(np.int32)


@cache
def votes() -> list[tuple[int, int, int, int]]:
    """Annotators who often select the next class instead."""
    return [(row, one, 9, 9) for row, one in enumerate(err(0.4, 1, seed=1).tolist())]


def aligned(*answers: IntArray) -> Maker:
    """What is said of participants beside these people."""
    firsts = {f"p{place}": one for place, one in enumerate(answers)}
    return told(CONFUSION, LABELS, firsts, counts=votes())


def apart(*answers: IntArray) -> Maker:
    """What is said of the distances of their mistakes."""
    return told(DISTANCE, LABELS, {f"p{place}": one for place, one in enumerate(answers)})


# The worse ones err at random, the better ones as people do; or the other way round; or all alike.
LIKE = aligned(*(err(0.8 - 0.1 * n, 1, seed=n, is_random=n < 3) for n in range(6)))
UNLIKE = aligned(*(err(0.8 - 0.1 * n, 1, seed=n, is_random=n > 2) for n in range(6)))
SAME = aligned(*(err(0.5, 1, seed=n, is_random=True) for n in range(6)))
# One step on is mostly in the same group, four steps are never.
NEARER = apart(*(err(0.8 - 0.1 * n, 4 if n < 3 else 1, seed=n) for n in range(6)))
FARTHER = apart(*(err(0.8 - 0.1 * n, 4 if n > 2 else 1, seed=n) for n in range(6)))
ALIKE = apart(*(err(0.5, 1, seed=n, is_random=True) for n in range(6)))

ONE = {"one": [1, 2, 2]}
PARTS = split_rows(3, follow_up=[0, 1])
SENTENCES = "evaluation/context/confusion.py"
DISTANCES = "evaluation/context/distance.py"
TITLE = "It is a title."
HELP = "It says what the analysis does."

ENTRIES: Entries = {
    **{
        f"{SENTENCES}:: {words}": Always(TITLE, titles(CONFUSION))
        for words in (
            "Images that are predicted as another class or",
            "Class pairs that are confused most often",
            "Which group is predicted for which",
            "Confusion within each group and out of it",
            "Class pairs that are confused most often within",
            "Correlation of confusions with people's",
            "Correlation of confusions of two halves of the",
            "Confusions of people and participants",
        )
    },
    f"{SENTENCES}:: What is taken for what, over classes, between": Always(HELP, titles(CONFUSION)),
    f"{SENTENCES}:_tell_confused: …: another class than the dataset label for": Pair(
        told(CONFUSION, [0, 1, 2], ONE), told(CONFUSION, [0, 1, 2])
    ),
    f"{SENTENCES}:_tell_lists: …: most often … is taken for …,": Pair(
        told(CONFUSION, [0, 1, 2], ONE), told(CONFUSION, [0, 1, 2], {"one": [0, 1, 2]})
    ),
    f"{SENTENCES}:_tell_alignment: Beside the diagonal …, rates of … and": Pair(SAME, told(CONFUSION, [0, 1, 2], ONE)),
    f"{SENTENCES}:_tell_alignment: …; two halves of the annotators reach ….": Pair(
        SAME, told(CONFUSION, [0, 1, 2], ONE, mains={0: [1], 1: [2], 2: [0]})
    ),
    f"{SENTENCES}:_tell_trend: The higher top-1, the higher the alignment …:": Pair(LIKE, UNLIKE),
    f"{SENTENCES}:_tell_trend: The higher top-1, the lower the alignment …:": Pair(UNLIKE, LIKE),
    f"{SENTENCES}:_tell_trend: Whether alignment … goes with top-1 cannot be": Pair(SAME, LIKE),
    f"{SENTENCES}:_note: People's confusions and alignment with them are left": Pair(
        told(CONFUSION, [0, 1, 2], ONE), told(CONFUSION, [0, 1, 2], ONE, mains={0: [1]})
    ),
    f"{SENTENCES}:_note: Confusions of participants are left out: there are": Pair(
        told(CONFUSION, [0, 1, 2]), told(CONFUSION, [0, 1, 2], ONE)
    ),
    f"{SENTENCES}:_note: Confusion between groups and within them is left": Pair(
        told(CONFUSION, [0, 1, 2], ONE, taxonomy=None), told(CONFUSION, [0, 1, 2], ONE)
    ),
    f"{SENTENCES}:_note: …: on … several labels share the first": Pair(
        told(CONFUSION, [0], counts=[(0, 0, 4, 2), (0, 1, 4, 2)]),
        told(CONFUSION, [0], counts=[(0, 0, 4, 2), (0, 1, 4, 1)]),
    ),
    f"{SENTENCES}:_note: Alignment over the groups of … is left": Pair(
        told(CONFUSION, [0, 1], {"one": [1, 0]}, mains={0: [1]}, taxonomy=make_taxonomy(4, n_groups=2)),
        told(CONFUSION, [0, 1], {"one": [1, 0]}, mains={0: [1]}),
    ),
    f"{SENTENCES}:_note_main_labels: People's main labels are of the … of": Pair(
        told(CONFUSION, [0, 1, 2], mains={0: [1]}), told(CONFUSION, [0, 1, 2], mains={0: [1]}, parts=PARTS)
    ),
    f"{SENTENCES}:_note_main_labels: … of the follow-up without an accepted answer": Pair(
        told(CONFUSION, [0, 1, 2], mains={0: [1]}, parts=PARTS),
        told(CONFUSION, [0, 1, 2], mains={0: [1], 1: [1]}, parts=PARTS),
    ),
    f"{SENTENCES}:_note_missing: … has no answer to …, which are": Pair(
        told(CONFUSION, [0, 1, 2], {"one": [1, 2, NO_CLASS]}), told(CONFUSION, [0, 1, 2], ONE)
    ),
    **{
        f"{DISTANCES}:: {words}": Always(TITLE, titles(DISTANCE))
        for words in (
            "Mean distance of mistakes, and of random wrong",
            "Mistakes by distance, and random wrong answers",
            "Distance of mistakes against top-1",
        )
    },
    f"{DISTANCES}:: How far mistakes are from the dataset label": Always(HELP, titles(DISTANCE)),
    f"{DISTANCES}:_answer: …: the mean … of … mistakes is": Pair(
        told(DISTANCE, [0, 1, 2], ONE), told(DISTANCE, [0, 1, 2], {"one": [0, 1, 2]})
    ),
    f"{DISTANCES}:_answer_trend: The higher top-1, the farther mistakes are by": Pair(FARTHER, NEARER),
    f"{DISTANCES}:_answer_trend: The higher top-1, the nearer mistakes are by": Pair(NEARER, FARTHER),
    f"{DISTANCES}:_answer_trend: Whether the … of mistakes goes with top-1": Pair(ALIKE, NEARER),
    f"{DISTANCES}:_note: …: nothing in the hierarchy joins the two": Pair(
        told(DISTANCE, [0, 1, 2], ONE, taxonomy=make_taxonomy(is_joined=False)), told(DISTANCE, [0, 1, 2], ONE)
    ),
    f"{DISTANCES}:_note: … makes no mistake on …, so it": Pair(
        told(DISTANCE, [0, 1, 2], {"one": [0, 1, 2]}), told(DISTANCE, [0, 1, 2], ONE)
    ),
}
