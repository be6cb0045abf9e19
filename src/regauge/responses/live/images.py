"""What was answered about the images of a running campaign, over the answers that count."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from regauge.records.arrays import NO_CLASS, BoolArray, CountArray, FloatArray, IntArray
from regauge.records.campaigns import Kind, ResponseStatus
from regauge.records.ledgers import CODE_OF, NO_SOURCE, TaskColumns
from regauge.responses.live.ledger import Ledger

_COUNTED = CODE_OF[ResponseStatus.COUNTED]


@dataclass(frozen=True, slots=True, eq=False)
class ImageCounts:
    """How often a class was selected for an image, one entry per pair; or a main label named, one entry per image.

    Attributes:
        images: per entry, the number of the image.
        classes: the class; `NO_CLASS` where no answer names one.
        n_shown: answers that could.
        n_selected: those that did.
        is_control: whether the answer was known beforehand.
    """

    images: IntArray
    classes: IntArray
    n_shown: CountArray
    n_selected: CountArray
    is_control: BoolArray

    def __len__(self) -> int:
        return len(self.images)

    @property
    def frequencies(self) -> FloatArray:
        """The share of those that did; NaN where nobody could."""
        return np.where(self.n_shown > 0, self.n_selected / np.maximum(self.n_shown, 1), np.nan)

    @property
    def disagreements(self) -> FloatArray:
        """The chance that two answers drawn without replacement differ about the class; NaN with fewer than two."""
        n, k = self.n_shown, self.n_selected
        return np.where(n > 1, 2 * k * (n - k) / np.maximum(n * (n - 1), 1), np.nan)


class ImageIndex:
    """Which tasks show an image; made once, since tasks do not change."""

    def __init__(self, tasks: TaskColumns, kind: Kind) -> None:
        is_grid = kind is Kind.CONTAINS
        owners = np.repeat(np.arange(len(tasks)), tasks.sizes) if is_grid else np.arange(len(tasks))
        images = tasks.items if is_grid else tasks.subjects
        order = np.argsort(images, kind="stable")
        self.n_tasks = len(tasks)
        self._images, self._owners = images[order], owners[order]

    def find_tasks(self, image: int) -> CountArray:
        """The places of the tasks that show an image."""
        start, end = np.searchsorted(self._images, (image, image + 1))
        return np.unique(self._owners[start:end])


def count_mains(ledger: Ledger) -> ImageCounts:
    """The most frequent main label of every image of a CLASSIFY campaign, over the answers that count.

    Of equally frequent labels the first that was named stands for the image, as for its main label in the end.
    """
    from regauge.responses.live._kernels import find_most_named, sort_by

    columns, tasks = ledger.columns, ledger.tasks
    rows = np.flatnonzero(columns.statuses == _COUNTED)
    order, groups = sort_by(columns.tasks[rows], len(tasks))
    items, n_named = find_most_named(order, groups, columns.mains[rows].astype(np.int32))
    work = np.flatnonzero(tasks.sources == NO_SOURCE)
    has_main = items[work] >= 0
    places = np.minimum(tasks.starts[work] + np.maximum(items[work], 0), max(0, len(tasks.items) - 1))
    return ImageCounts(
        images=tasks.subjects[work],
        classes=np.where(has_main, tasks.items[places], NO_CLASS).astype(np.int32),
        n_shown=np.diff(groups)[work],
        n_selected=n_named[work],
        is_control=np.zeros(len(work), np.bool_),
    )
