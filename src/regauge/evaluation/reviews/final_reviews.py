"""What a final review asks after people were tested: what they answered, and randomly drawn answers of models among it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from regauge.arrays import NO_CLASS, BoolArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class FinalPairs:
    """The pairs of a final review.

    Attributes:
        rows: per pair, the image by its place.
        classes: per pair, the class.
        is_given: [pairs, people], whether a person gave that class.
        is_drawn: whether the class was drawn from the answers of models.
        n_unmixed: images without an answer of any model.
    """

    rows: IntArray
    classes: IntArray
    is_given: BoolArray
    is_drawn: BoolArray
    n_unmixed: int

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def is_by_people(self) -> BoolArray:
        """Whether anybody gave that class."""
        return np.asarray(self.is_given.any(axis=1), np.bool_)

    @property
    def n_shared(self) -> int:
        """Drawn answers that people gave, too."""
        return int((self.is_by_people & self.is_drawn).sum())


def draw_final_pairs(people: IntArray, models: IntArray, *, is_left_out: BoolArray, seed: int) -> FinalPairs:
    """Every class that a person gave an image, judged before or not, and one answer of a model for each of these images.

    Every image has at least one of each (Shankar et al. 2020, §4.3). Drawn is one model among those whose answer no person gave;
    where every model answers as a person does, one among all: then one pair is both.

    Args:
        people: first answers of people [people, images]; `NO_CLASS` where there is none.
        models: first answers of models [models, images].
        is_left_out: images that are not asked about.
        seed: decides which answers are drawn.
    """
    rng, n_unmixed = np.random.default_rng(seed), 0
    rows: list[int] = []
    classes: list[int] = []
    drawn: list[bool] = []
    for row in np.flatnonzero((people != NO_CLASS).any(axis=0) & ~is_left_out).tolist():
        given = set(people[:, row].tolist()) - {NO_CLASS}
        answers = [one for one in models[:, row].tolist() if one != NO_CLASS]
        pool = [one for one in answers if one not in given] or answers
        # One number for each image, so that one who has more answers changes nothing of the next.
        place = rng.random()
        chosen = pool[int(place * len(pool))] if pool else None
        n_unmixed += chosen is None
        asked = sorted(given if chosen is None else {*given, chosen})
        rows += [row] * len(asked)
        classes += asked
        drawn += [one == chosen for one in asked]
    found, named = np.array(rows, np.int32), np.array(classes, np.int32)
    is_given: BoolArray = (people[:, found] == named).T
    return FinalPairs(found, named, is_given, np.array(drawn, np.bool_), n_unmixed)
