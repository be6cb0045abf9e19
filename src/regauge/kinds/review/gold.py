"""REVIEW: gold items, whose verdict is known beforehand; they are hidden among the others and show how well reviewers judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from regauge.arrays import IntArray
from regauge.campaigns.sources import Sources
from regauge.errors import InputError
from regauge.records.labels.label_set import LabelSet
from regauge.records.labels.verdicts import Verdict
from regauge.records.responses.answers import Control

DEFAULT_SHARE = 0.05
CONTROLS = {Verdict.CORRECT: Control.POSITIVE, Verdict.WRONG: Control.NEGATIVE}
"""What a known verdict makes of an item; what is unclear tests nobody."""
VERDICTS = {int(control): verdict for verdict, control in CONTROLS.items()}
"""What is known of an item, by its control."""


class AskedPairs(NamedTuple):
    """The pairs of one set that are asked about: rows with classes, and which of them are gold, as a `Control`."""

    rows: IntArray
    classes: IntArray
    gold: Mapping[tuple[int, int], Control]

    @property
    def gold_by_row(self) -> dict[int, dict[int, int]]:
        """Per row that has any, its gold classes with their controls."""
        found: dict[int, dict[int, int]] = {}
        for (row, index), control in self.gold.items():
            found.setdefault(row, {})[index] = int(control)
        return found


def add_gold(
    sources: Sources, found: Sequence[tuple[IntArray, IntArray]], *, rng: np.random.Generator
) -> list[AskedPairs]:
    """Per set, the pairs to ask about with gold ones among them: a share of what is asked about, half correct and half wrong.

    Where there are too few of either, there are more of the other. A pair that is asked about anyway can be drawn, too.

    Raises:
        InputError: the label set that is believed has no verdict on any image that is asked about.
    """
    if sources.verdicts is None:
        return [AskedPairs(rows, classes, {}) for rows, classes in found]
    candidates = _list_candidates(sources, sources.verdicts)
    n_asked = sum(len(rows) for rows, _ in found)
    n = max(1, round(sources.settings.get("gold_share", DEFAULT_SHARE) * n_asked))
    drawn = _draw(candidates, n, rng)
    joined = []
    for which, (rows, classes) in enumerate(found):
        own = {(row, index): control for place, row, index, control in drawn if place == which}
        new = sorted(own.keys() - set(zip(rows.tolist(), classes.tolist(), strict=True)))
        more = np.array(new, np.int32).reshape(-1, 2)
        joined.append(AskedPairs(np.append(rows, more[:, 0]), np.append(classes, more[:, 1]), own))
    return joined


def _list_candidates(sources: Sources, known: LabelSet) -> list[tuple[int, int, int, Control]]:
    """Every pair that is known to be correct or wrong and can be shown: set, row, class and control."""
    places = {
        str(opened.test_set.image_ids[row]): (which, row)
        for which, opened in enumerate(sources.sets)
        for row in opened.rows.tolist()
    }
    ids, n_classes = known.image_ids[known.rows].tolist(), len(sources.taxonomy)
    judged = zip(ids, known.classes.tolist(), known.verdicts.tolist(), strict=True)
    found = [
        (*places[image_id], index, CONTROLS[Verdict(verdict)])
        for image_id, index, verdict in judged
        if image_id in places and Verdict(verdict) in CONTROLS and index < n_classes
    ]
    if not found:
        names = " or ".join(one.entry.name for one in sources.sets)
        raise InputError(
            f"Label set {known.name} finds no class correct or wrong for any image of {names}, so it has no gold items; name "
            "one that judges these images."
        )
    return found


def _draw(
    candidates: Sequence[tuple[int, int, int, Control]], n: int, rng: np.random.Generator
) -> list[tuple[int, int, int, Control]]:
    """So many of them, of either control the same number as far as there are."""
    shuffled = [candidates[place] for place in rng.permutation(len(candidates)).tolist()]
    positive, negative = ([one for one in shuffled if one[3] is control] for control in CONTROLS.values())
    n_positive = max(min(len(positive), (n + 1) // 2), n - len(negative))
    return [*positive[:n_positive], *negative[: n - min(n_positive, len(positive))]]
