"""Parts of a test set that are scored apart, and counting outcomes in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from regauge.arrays import CountArray, FloatArray, IntArray, freeze
from regauge.evaluation.targets import Target
from regauge.records.evaluation.scores import WHOLE

CodeArray: TypeAlias = NDArray[np.int8]

N_CODES = 4
"""Images are counted by a code from 0 to 3; the last one always means that the image does not take part."""


@dataclass(frozen=True, slots=True, eq=False)
class Subset:
    """Some images of a target, named: all images of some classes, a list of rows, or (neither given) every image.

    Attributes:
        name: what outputs call it.
        classes: class indices; the subset holds the images whose dataset label is one of them.
        rows: rows of the target.
        n_unknown: images that its list names and the target does not have.
    """

    name: str
    classes: IntArray | None = None
    rows: CountArray | None = None
    n_unknown: int = 0

    def __post_init__(self) -> None:
        # A class or an image that a list names twice still counts once.
        if self.classes is not None:
            object.__setattr__(self, "classes", freeze(np.unique(self.classes), np.int32))
        if self.rows is not None:
            object.__setattr__(self, "rows", freeze(np.unique(self.rows), np.int64))

    @property
    def is_one_class(self) -> bool:
        """Whether it holds one class, so that its balanced mean is its plain mean."""
        return self.classes is not None and len(self.classes) == 1


EVERY_IMAGE = Subset(WHOLE)


def find_image_subsets(lists: Mapping[str, Sequence[str]], target: Target) -> tuple[Subset, ...]:
    """Subsets from lists of image ids; ids that the target does not know are passed over and counted."""
    found = {name: [target.row_by_id[one] for one in ids if one in target.row_by_id] for name, ids in lists.items()}
    return tuple(
        Subset(name, rows=np.array(rows, dtype=np.int64), n_unknown=len(lists[name]) - len(rows))
        for name, rows in found.items()
    )


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """Subsets with what is needed to count all of them at once.

    Attributes:
        subsets: the subsets.
        membership: [subsets, strata], 1 where the images of a class belong to a subset; a subset of rows has only zeros.
    """

    subsets: tuple[Subset, ...]
    membership: FloatArray


def prepare_parts(subsets: Sequence[Subset], target: Target) -> Parts:
    """The subsets, ready to be counted many times."""
    membership = np.zeros((len(subsets), target.n_strata))
    for place, subset in enumerate(subsets):
        if subset.classes is not None:
            membership[place, _find_used(subset.classes, target)] = 1
        elif subset.rows is None:
            membership[place] = 1
    return Parts(tuple(subsets), membership)


def count_by_class(codes: CodeArray, target: Target) -> CountArray:
    """How many images have each code, by dataset label [strata, 4]; the last row holds the images without a label."""
    return _count(codes, target.dataset_labels, n_strata=target.n_strata)


def count_totals(codes: CodeArray, target: Target, *, parts: Parts) -> CountArray:
    """How many images of each part have each code [parts, 4]."""
    return add_up(count_by_class(codes, target), parts, codes=codes)


def add_up(counts: CountArray, parts: Parts, *, codes: CodeArray) -> CountArray:
    """The totals of each part [parts, 4] from the counts by class; parts that are lists of rows are counted anew."""
    # In floating point, which is exact up to 2**53 images and much faster than in integers.
    totals: CountArray = (parts.membership @ counts).astype(np.int64)
    for place, subset in enumerate(parts.subsets):
        if subset.rows is not None:
            totals[place] = np.bincount(codes[subset.rows], minlength=N_CODES)
    return totals


def count_codes(codes: CodeArray, target: Target, *, subsets: Sequence[Subset]) -> list[CountArray]:
    """How many images of each subset have each code, by dataset label.

    Returns:
        For each subset an array [strata, 4]: one row per class that it may hold, and for subsets that are not made of
        classes a last row for the images without a dataset label.
    """
    everywhere = count_by_class(codes, target)
    return [_count_subset(codes, target, subset, everywhere) for subset in subsets]


def by_class(counts: CountArray, subset: Subset) -> CountArray:
    """What `count_codes` gave for the subset, without the images that have no dataset label."""
    return counts if subset.classes is not None else counts[:-1]


def _count_subset(codes: CodeArray, target: Target, subset: Subset, everywhere: CountArray) -> CountArray:
    if subset.classes is not None:
        return everywhere[_find_used(subset.classes, target)]
    if subset.rows is not None:
        return _count(codes[subset.rows], target.dataset_labels[subset.rows], n_strata=target.n_strata)
    return everywhere


def _find_used(classes: IntArray, target: Target) -> IntArray:
    """The classes that may have images in the target."""
    return classes[classes < target.n_strata - 1]


def _count(codes: CodeArray, labels: IntArray, *, n_strata: int) -> CountArray:
    """Images by stratum and code; those without a label are in the last stratum."""
    places = N_CODES * np.where(labels >= 0, labels, n_strata - 1) + codes
    counts = np.bincount(places, minlength=n_strata * N_CODES)
    return counts.reshape(n_strata, N_CODES).astype(np.int64, copy=False)
