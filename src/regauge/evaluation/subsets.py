"""Parts of a test set that are scored apart, and counting outcomes in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from regauge.evaluation.targets import Target
from regauge.records.arrays import CountArray, IntArray
from regauge.records.scores import WHOLE

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
    """

    name: str
    classes: IntArray | None = None
    rows: CountArray | None = None

    @property
    def is_one_class(self) -> bool:
        """Whether it holds one class, so that its balanced mean is its plain mean."""
        return self.classes is not None and len(self.classes) == 1


EVERY_IMAGE = Subset(WHOLE)


def find_image_subsets(lists: Mapping[str, Sequence[str]], target: Target) -> tuple[Subset, ...]:
    """Subsets from lists of image ids; ids that the target does not know are passed over."""
    return tuple(
        Subset(name, rows=np.array([target.row_by_id[i] for i in ids if i in target.row_by_id], dtype=np.int64))
        for name, ids in lists.items()
    )


def count_codes(codes: CodeArray, target: Target, subsets: Sequence[Subset]) -> list[CountArray]:
    """How many images of each subset have each code, by dataset label.

    Returns:
        For each subset an array [strata, 4]: one row per class that it may hold, and for subsets that are not made of
        classes a last row for the images without a dataset label.
    """
    everywhere = _count(codes, target.dataset_labels, n_strata=target.n_strata)
    return [_count_subset(codes, target, subset, everywhere) for subset in subsets]


def by_class(counts: CountArray, subset: Subset) -> CountArray:
    """What `count_codes` gave for the subset, without the images that have no dataset label."""
    return counts if subset.classes is not None else counts[:-1]


def _count_subset(codes: CodeArray, target: Target, subset: Subset, everywhere: CountArray) -> CountArray:
    if subset.classes is not None:
        return everywhere[subset.classes[subset.classes < target.n_strata - 1]]
    if subset.rows is not None:
        return _count(codes[subset.rows], target.dataset_labels[subset.rows], n_strata=target.n_strata)
    return everywhere


def _count(codes: CodeArray, labels: IntArray, *, n_strata: int) -> CountArray:
    from regauge.evaluation._kernels import count_by_stratum

    counts = np.zeros((n_strata, N_CODES), dtype=np.int64)
    count_by_stratum(codes, labels, counts)
    return counts
