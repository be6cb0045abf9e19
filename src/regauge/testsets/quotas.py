"""How many images are wanted of what, in whole numbers and given proportions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from regauge.arrays import CountArray, IntArray
from regauge.errors import InputError


@dataclass(frozen=True, slots=True)
class Quotas:
    """How many images are wanted.

    Attributes:
        wanted: per class and keyword, how many; the keyword is empty where keywords do not matter.
        has_keywords: whether keywords matter.
    """

    wanted: Mapping[tuple[int, str], int] = field(default_factory=dict)
    has_keywords: bool = False


def make_keyword_quotas(keywords: Mapping[int, Mapping[str, int]], *, per_class: int) -> Quotas:
    """So many of every keyword as the original images of the class have, scaled to the size of a class by largest remainder.

    Raises:
        InputError: there is no class with a keyword.
    """
    if not keywords:
        raise InputError("None of the original images has a keyword; the file of keywords names other images.")
    wanted: dict[tuple[int, str], int] = {}
    for index, counts in sorted(keywords.items()):
        # In the order in which a draw by keywords scales them, so that ties fall the same way.
        names = sorted(counts)
        scaled = scale_counts(np.array([counts[name] for name in names], np.int64), per_class)
        wanted |= {(index, name): n for name, n in zip(names, scaled.tolist(), strict=True)}
    return Quotas(wanted, has_keywords=True)


def make_class_quotas(classes: IntArray, *, per_class: int) -> Quotas:
    """As many images of every class."""
    return Quotas({(index, ""): per_class for index in np.unique(classes).tolist()})


def scale_counts(counts: CountArray, total: int) -> CountArray:
    """Scale a histogram to a total by largest remainder, all in whole numbers; among equal remainders the last bin comes first.

    >>> scale_counts(np.array([1, 1, 1]), 10).tolist()
    [3, 3, 4]

    Raises:
        InputError: there is nothing to scale.
    """
    whole = int(counts.sum())
    if whole <= 0:
        raise InputError("A histogram without images cannot be scaled.")
    scaled, remainders = np.divmod(counts.astype(np.int64) * total, whole)
    # Sorted stably from the last bin backwards, so that ties go to the higher bin.
    order = counts.size - 1 - np.argsort(-remainders[::-1], kind="stable")
    scaled[order[: total - int(scaled.sum())]] += 1
    return scaled


def count_to_gather(n_missing: int, *, n_gathered: int, n_usable: int) -> int | None:
    """How many more candidates would yield what is missing, if they were like those so far; None where none of those is usable.

    >>> count_to_gather(3, n_gathered=100, n_usable=40), count_to_gather(0, n_gathered=9, n_usable=0)
    (8, 0)
    """
    if n_missing <= 0:
        return 0
    return -(-n_missing * n_gathered // n_usable) if n_usable else None
