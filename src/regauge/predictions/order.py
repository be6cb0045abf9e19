"""Signs that answers are stored in the wrong order: worst first, or with classes numbered in another way.

Both have happened to released predictions. One model of Recht et al. (2019) is stored worst-first: read as it stands, its
top-1 accuracy on one test set is 2.5% instead of 19.2%. Nothing is repaired here: a warning says what the numbers suggest.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from regauge.arrays import NO_CLASS, CountArray, IntArray

MIN_IMAGES = 100
"""With fewer answered images chance can look like disorder."""


def find_order_warning(participant: str, answers: IntArray, *, labels: IntArray) -> Iterator[str]:
    """A sentence when there is a sign of disorder.

    Args:
        participant: whose answers they are.
        answers: class indices [n, k], best first, in the order of the labels.
        labels: the dataset label of each image; `NO_CLASS` where there is none.
    """
    used = (labels != NO_CLASS) & (answers[:, 0] != NO_CLASS)
    if used.sum() < MIN_IMAGES:
        return
    answers, labels = answers[used], labels[used]
    hits = count_hits_by_rank(answers, labels)
    n_renamed = count_renamed_hits(answers[:, 0], labels)
    renumbered = is_renumbered(int(hits[0]), n_renamed, n_images=len(labels))
    # Under another numbering the later ranks, which err at random, can beat the first, which errs for certain; and among
    # few classes a worst answer tells something of the best. So the sign whose repair makes more answers right is named.
    if is_worst_first(hits) and not (renumbered and n_renamed > hits[-1]):
        yield (
            f"{participant}: the answers may be stored worst first: rank {len(hits)} is the dataset label on {hits[-1]:,} "
            f"of {len(labels):,} images, rank 1 on only {hits[0]:,}."
        )
    elif renumbered:
        yield (
            f"{participant}: the classes may be numbered in another order: rank 1 is the dataset label on {hits[0]:,} of "
            f"{len(labels):,} images, but would be on about {n_renamed:,} after renaming classes one by one. "
            "Check the class list, and whether indices start at 0."
        )


def count_hits_by_rank(answers: IntArray, labels: IntArray) -> CountArray:
    """On how many images each rank is the dataset label."""
    hits: CountArray = (answers == labels[:, np.newaxis]).sum(axis=0)
    return hits


def is_worst_first(hits: CountArray) -> bool:
    """Whether the last rank hits more often than the first by more than chance allows (three standard deviations).

    Of images where one of the two ranks is right, each is equally often right at worst when the order means nothing.
    """
    first, last = int(hits[0]), int(hits[-1])
    return len(hits) > 1 and last - first > 3 * np.sqrt(first + last)


def count_renamed_hits(answers: IntArray, labels: IntArray) -> int:
    """How many first answers would be right if every predicted class were renamed to the label it most often meets.

    The names are learnt on every other image and counted on the rest, then the other way round, so that agreement by
    chance does not count.
    """
    n_classes = int(max(answers.max(), labels.max())) + 1
    halves = np.arange(len(labels)) % 2 == 0
    return sum(_count_renamed(answers, labels, half, n_classes) for half in (halves, ~halves))


def is_renumbered(n_hits: int, n_renamed: int, *, n_images: int) -> bool:
    """Whether renaming would turn a participant that is nearly always wrong into one that is often right."""
    return n_renamed > 0.2 * n_images and n_hits < 0.25 * n_renamed


def _count_renamed(
    answers: IntArray, labels: IntArray, half: np.ndarray[tuple[int], np.dtype[np.bool_]], n_classes: int
) -> int:
    pairs, counts = np.unique(answers[half].astype(np.int64) * n_classes + labels[half], return_counts=True)
    name = np.full(n_classes, NO_CLASS)
    # Rarest first, so that the label which a class meets most often is the one that stays.
    order = np.argsort(counts, kind="stable")
    name[pairs[order] // n_classes] = pairs[order] % n_classes
    return int((name[answers[~half]] == labels[~half]).sum())
