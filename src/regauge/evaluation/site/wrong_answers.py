"""Who takes an image for a class that is not its dataset label: found by the class that is answered.

The other way, by the dataset label, needs no table: the answers to the images of a class are what a page reads anyway.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from regauge.arrays import NO_CLASS, CountArray, IntArray

_N_AT_ONCE = 64
"""Participants whose wrong answers are gathered before they are counted, which bounds the memory of thousands."""


@dataclass(frozen=True, slots=True, eq=False)
class WrongAnswers:
    """Images for which some participant answered another class than the dataset label, by the class answered.

    Those of class c are at `starts[c]:starts[c + 1]`, in the order of the images.

    Attributes:
        starts: where each class begins [classes + 1].
        rows: the image.
        n_participants: how many answered that class for it, at least 1.
    """

    starts: CountArray
    rows: CountArray
    n_participants: CountArray


def find_wrong_answers(firsts: NDArray[np.integer], labels: IntArray, *, n_classes: int) -> WrongAnswers:
    """Gather wrong first answers of all participants; images without a label and answers that are missing are left out.

    >>> found = find_wrong_answers(np.array([[1, 1], [1, 0]]), np.array([0, 1]), n_classes=2)
    >>> found.starts, found.rows, found.n_participants
    (array([0, 1, 2]), array([1, 0]), array([1, 2]))
    """
    n_images = firsts.shape[1]
    rows = np.arange(n_images, dtype=np.int64)
    keys, counts = np.zeros(0, np.int64), np.zeros(0, np.int64)
    for start in range(0, len(firsts), _N_AT_ONCE):
        batch = [
            answers[is_wrong].astype(np.int64) * n_images + rows[is_wrong]
            for answers in firsts[start : start + _N_AT_ONCE]
            if (is_wrong := (answers != labels) & (answers != NO_CLASS) & (labels != NO_CLASS)).any()
        ]
        keys, counts = _merge(keys, counts, batch)
    classes, images = np.divmod(keys, max(n_images, 1))
    return WrongAnswers(np.searchsorted(classes, np.arange(n_classes + 1)), images, counts)


def _merge(keys: CountArray, counts: CountArray, batch: list[CountArray]) -> tuple[CountArray, CountArray]:
    """Keys in ascending order with how often each came, those of a batch added."""
    found, n = np.unique(np.concatenate([np.zeros(0, np.int64), *batch]), return_counts=True)
    if not len(keys):
        return found, n
    both, inverse = np.unique(np.concatenate([keys, found]), return_inverse=True)
    return both, np.bincount(inverse, weights=np.concatenate([counts, n]), minlength=len(both)).astype(np.int64)
