"""Right answers, per image and per participant and class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from regauge.arrays import NO_CLASS, CountArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class AnswersByImage:
    """How many participants answered each image, and how many of them gave its dataset label.

    Attributes:
        n_answered: participants with a first answer [images].
        n_right: those whose first answer is the dataset label [images]; 0 where there is no label.
    """

    n_answered: CountArray
    n_right: CountArray


@dataclass(frozen=True, slots=True, eq=False)
class AnswersByClass:
    """Answers by dataset label; images without a label are in no class.

    Attributes:
        n_answered: first answers [participants, classes].
        n_right: those that are the dataset label [participants, classes].
    """

    n_answered: CountArray
    n_right: CountArray


def count_images(firsts: NDArray[np.integer], labels: IntArray) -> AnswersByImage:
    """Count over participants.

    Args:
        firsts: first answers [participants, images]; `NO_CLASS` where there is none.
        labels: dataset labels [images]; `NO_CLASS` where there is none.

    >>> count_images(np.array([[0, 1], [0, 2]]), np.array([0, 2])).n_right
    array([2, 1])
    """
    n = firsts.shape[1]
    n_answered, n_right = np.zeros(n, np.int64), np.zeros(n, np.int64)
    # One participant at a time: a table of all would need as much memory as the answers.
    for answers in firsts:
        n_answered += answers != NO_CLASS
        n_right += (answers == labels) & (labels != NO_CLASS)
    return AnswersByImage(n_answered, n_right)


def count_classes(firsts: NDArray[np.integer], labels: IntArray, *, n_classes: int) -> AnswersByClass:
    """Count over the images of each class.

    Args:
        firsts: first answers [participants, images]; `NO_CLASS` where there is none.
        labels: dataset labels [images]; `NO_CLASS` where there is none.
        n_classes: how many classes there are.
    """
    is_labelled = labels != NO_CLASS
    known, n_people = labels[is_labelled], len(firsts)
    n_answered, n_right = (np.zeros((n_people, n_classes), np.int64) for _ in range(2))
    for row, answers in enumerate(firsts):
        given = answers[is_labelled]
        n_answered[row] = np.bincount(known[given != NO_CLASS], minlength=n_classes)
        n_right[row] = np.bincount(known[given == known], minlength=n_classes)
    return AnswersByClass(n_answered, n_right)
