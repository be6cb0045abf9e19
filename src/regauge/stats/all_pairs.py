"""All pairs of participants on the same images at once, with predictions that nobody has judged."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regauge.arrays import BoolArray, CountArray, FloatArray, IntArray
from regauge.errors import InputError
from regauge.stats.paired import DiscordantPairs, exact_mcnemar

# Floats of 32 bits add whole numbers exactly as long as the sums stay below this.
_MAX_EXACT = 2**24
_BATCH_IMAGES = 4_096


def count_common(first: BoolArray, second: BoolArray) -> CountArray:
    """How many images are in a row of each: [rows of the first, rows of the second], of bool [rows, images]."""
    kind: type[Any] = np.float32 if first.shape[1] < _MAX_EXACT else np.float64
    product: NDArray[Any] = first.astype(kind) @ second.T.astype(kind)
    return product.astype(np.int64)


class OpenPairs(NamedTuple):
    """What every ordered pair of participants gets right, on the images that count for both; arrays [participants, participants].

    Attributes:
        n: images that count for both.
        n_both: those of them that both get right.
        value: on which they differ, with unjudged predictions taken as wrong.
        lower: with the first's unjudged predictions taken as wrong and the second's as right.
        upper: the other way round. Where both predict the same class, the two predictions stand or fall together.
    """

    n: CountArray
    n_both: CountArray
    value: DiscordantPairs
    lower: DiscordantPairs
    upper: DiscordantPairs


def count_open_pairs(right: ArrayLike, unjudged: ArrayLike, *, is_counted: ArrayLike, answers: ArrayLike) -> OpenPairs:
    """The counts that paired tests and intervals need, for all pairs at once and at both ends of what is not judged.

    A few products of matrices count them. Answers enter only where they are unjudged.

    Args:
        right: bool [participants, images].
        unjudged: bool [participants, images], predictions that may be right or wrong.
        is_counted: bool [participants, images], the images that take part for a participant; the others are neither.
        answers: int [participants, images], the class that each predicts.

    Returns:
        Counts for every ordered pair; those of (j, i) mirror those of (i, j).

    >>> found = count_open_pairs([[True, False]], [[False, False]], is_counted=[[True, True]], answers=[[3, 4]])
    >>> found.n, found.value.n_only_first
    (array([[2]]), array([[0]]))
    """
    flags = [_check(one) for one in (right, unjudged, is_counted)]
    is_right, is_open, counts = flags[0] & flags[2], flags[1] & flags[2] & ~flags[0], flags[2]
    classes = np.asarray(answers)
    if any(one.shape != counts.shape for one in (*flags, classes)):
        raise InputError(
            "Right, unjudged and counted images and answers are arrays of one shape, [participants, images]."
        )
    n = count_common(counts, counts)
    n_both = count_common(is_right, is_right)
    n_right = count_common(is_right, counts)
    value = DiscordantPairs(n_right - n_both, (n_right - n_both).T)
    if not is_open.any():
        return OpenPairs(n, n_both, value, value, value)
    # At the lower end the first is right alone where it is right and the second known to be wrong. The second is right alone
    # where the first is not known to be right, and it is right or may be, unless both predict the same unjudged class.
    right_open = count_common(is_right, is_open)
    open_counts = count_common(is_open, counts)
    lower_first = value.n_only_first - right_open
    lower_second = value.n_only_second + open_counts.T - right_open - _count_same(is_open, classes)
    lower = DiscordantPairs(lower_first, lower_second)
    return OpenPairs(n, n_both, value, lower, DiscordantPairs(lower_second.T, lower_first.T))


def find_open_p(pairs: OpenPairs) -> FloatArray:
    """McNemar's exact p of every pair; with unjudged predictions under the completion that speaks least against equality.

    It is the larger one of both ends, and 1 where the difference is negative at one end and positive at the other.

    Returns:
        p-values [participants, participants]; NaN where no image counts for both, and 1 on the diagonal.
    """
    ends = [np.where(pairs.n > 0, exact_mcnemar(*end), np.nan) for end in (pairs.lower, pairs.upper)]
    is_either = (pairs.lower.n_only_first < pairs.lower.n_only_second) & (
        pairs.upper.n_only_first > pairs.upper.n_only_second
    )
    return np.where(is_either & (pairs.n > 0), 1.0, np.maximum(*ends))


def _check(flags: ArrayLike) -> BoolArray:
    found = np.asarray(flags)
    if found.ndim != 2 or found.dtype != np.bool_:
        raise InputError(f"Answers are right or wrong: bool [participants, images], not {found.dtype} {found.shape}.")
    return found


def _count_same(is_open: BoolArray, classes: IntArray) -> CountArray:
    """On how many images both predict one class that nobody has judged [participants, participants]."""
    n = np.zeros((len(is_open), len(is_open)), np.int64)
    columns = np.flatnonzero(is_open.any(axis=0))
    for start in range(0, columns.size, _BATCH_IMAGES):
        batch = columns[start : start + _BATCH_IMAGES]
        who, image = np.nonzero(is_open[:, batch])
        keys = np.stack([image, classes[who, batch[image]]])
        _, place = np.unique(keys, axis=1, return_inverse=True)
        held = np.zeros((len(is_open), int(place.max()) + 1), np.bool_)
        held[who, place.ravel()] = True
        n += count_common(held, held)
    return n
