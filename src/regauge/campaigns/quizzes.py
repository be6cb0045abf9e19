"""Examples and questions whose answers are known, to train people and to see whether they understood.

A question shows one image. A grid would test as much on one page, but its feedback would come for many images at once, and it is
the answer about the one image in view that teaches.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest

import numpy as np

from regauge.campaigns.classify import make_classify_task
from regauge.campaigns.contains import VERSION as CONTAINS_VERSION
from regauge.errors import InputError
from regauge.records.arrays import IntArray
from regauge.records.campaigns import Payload
from regauge.records.responses import Control
from regauge.records.terms import Quiz

MAX_EXAMPLES = 12
N_EXAMPLE_CLASSES = 3
POOL_FACTOR = 4
"""So many times the questions that one person can be asked are made, so that people who sit together are asked different ones."""
MAX_POOL = 1_000
N_CHOICES = 5
"""Candidates of a question about labels."""


@dataclass(frozen=True, slots=True)
class KnownImage:
    """An image, a class that is sought in it, and the class that it shows."""

    image: int
    class_index: int
    shows: int


@dataclass(frozen=True, slots=True)
class Lessons:
    """What is shown with its answer, and what is asked."""

    examples: tuple[KnownImage, ...]
    questions: tuple[KnownImage, ...]


Groups = Sequence[Sequence[KnownImage]]
"""Images that teach the same; of CONTAINS, those with a class and those without it are two groups that follow each other."""


def group_known(
    images: IntArray, *, class_index: int, shows: int, avoided: IntArray, rng: np.random.Generator
) -> list[KnownImage]:
    """Images of one group in random order, those that annotators will also meet in tasks last."""
    shuffled = rng.permutation(images)
    ordered = shuffled[np.argsort(np.isin(shuffled, avoided), kind="stable")]
    return [KnownImage(int(image), class_index, shows) for image in ordered]


def choose_lessons(groups: Groups, quiz: Quiz | None) -> Lessons:
    """Examples of a few classes, and questions about all of them: every image once, the groups in turn.

    Raises:
        InputError: there are too few images for the quiz.
    """
    n_asked = 0 if quiz is None else quiz.n_questions
    n_known = len({known.image for group in groups for known in group})
    if n_known < n_asked:
        raise InputError(
            f"The quiz asks {n_asked} questions, but its classes have {n_known} images with known answers that the campaign does "
            "not ask about; take controls from another test set, name more classes, or ask fewer questions."
        )
    first = {known.class_index for known in _spread(groups, n=N_EXAMPLE_CLASSES, by_class=True)}
    of_first = [group for group in groups if group and group[0].class_index in first]
    examples = tuple(_spread(of_first, n=min(MAX_EXAMPLES, n_known - n_asked)))
    taken = {known.image for known in examples}
    left = [[known for known in group if known.image not in taken] for group in groups]
    n_pool = 0 if quiz is None else min(MAX_POOL, POOL_FACTOR * quiz.n_questions * quiz.max_attempts)
    return Lessons(examples, tuple(_spread(left, n=max(n_asked, n_pool))))


def make_contains_lesson(known: KnownImage) -> Payload:
    """A grid of one image, with what it shows."""
    control = Control.POSITIVE if known.shows == known.class_index else Control.NEGATIVE
    cells = [[known.image, int(control)]]
    return {"version": CONTAINS_VERSION, "class": known.class_index, "cells": cells, "shows": known.shows}


def make_classify_lesson(known: KnownImage, near: Sequence[int]) -> Payload:
    """An image with its label and near ones as candidates, with what it shows."""
    return {**make_classify_task(known.image, [known.shows, *near]), "shows": known.shows}


def draw_questions(
    pool: Mapping[int, Payload], *, n: int, used: Collection[int], rng: np.random.Generator
) -> tuple[int, ...]:
    """Which tasks of the pool to ask somebody: as many images with the class as without, none again while there are others.

    Args:
        pool: the questions by their numbers.
        n: how many.
        used: those that the person was asked before.
        rng: decides which, and in what order.
    """
    shuffled = rng.permutation(list(pool)).tolist()
    sides = [[one for one in shuffled if _is_positive(pool[one]) is side] for side in (True, False)]
    in_turn = [one for one in chain.from_iterable(zip_longest(*sides)) if one is not None]
    # Sorting is stable: what is new comes first, and with and without the class still take turns.
    chosen = sorted(in_turn, key=lambda one: one in used)[:n]
    return tuple(rng.permutation(chosen).tolist())


def _is_positive(task: Payload) -> bool:
    return bool(task.get("class", task["shows"]) == task["shows"])


def _spread(groups: Groups, *, n: int, by_class: bool = False) -> Iterator[KnownImage]:
    """Up to n images, one of each group in turn, none twice; by class, one of each class."""
    taken: set[int] = set()
    for known in chain.from_iterable(zip_longest(*groups)):
        if len(taken) >= n:
            return
        key = None if known is None else known.class_index if by_class else known.image
        if key is not None and key not in taken:
            taken.add(key)
            yield known
