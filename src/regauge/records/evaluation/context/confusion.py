"""What one participant, or people, take for what: the cells of a confusion matrix with the images behind each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from regauge.arrays import CountArray, FloatArray, IntArray, freeze
from regauge.errors import InputError


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ConfusionCells:
    """The cells of one confusion matrix over classes that hold an image, the fullest first.

    The images of cell i are `rows[starts[i]:starts[i + 1]]`. Cells with equal counts come by label, then by prediction.

    Attributes:
        name: whose predictions these are.
        labels: per cell, the dataset label of its images.
        predicted: per cell, the class that they are predicted as.
        counts: per cell, how many images it holds; an image that several classes share counts in parts.
        n_labelled: per cell, how many images with that dataset label have a prediction.
        starts: where the images of each cell start [n + 1].
        rows: rows of images in the test set, ascending within a cell.
        parts: the part of each of these images that is in the cell: 1 unless several classes share it.
    """

    name: str
    labels: IntArray
    predicted: IntArray
    counts: FloatArray
    n_labelled: CountArray
    starts: CountArray
    rows: CountArray
    parts: FloatArray

    def __post_init__(self) -> None:
        for column, kind in (
            ("labels", np.int32),
            ("predicted", np.int32),
            ("n_labelled", np.int64),
            ("starts", np.int64),
            ("rows", np.int64),
        ):
            object.__setattr__(self, column, freeze(getattr(self, column), kind))
        for column in ("counts", "parts"):
            object.__setattr__(self, column, freeze(getattr(self, column), np.float64))
        n = len(self.labels)
        if (
            any(len(column) != n for column in (self.predicted, self.counts, self.n_labelled))
            or len(self.starts) != n + 1
        ):
            raise InputError(f"{n:,} cells need {n:,} predictions, counts and sizes, and {n + 1:,} starts.")

    def __len__(self) -> int:
        return len(self.labels)

    def __iter__(self) -> Iterator[tuple[int, int, float, CountArray]]:
        """Label, predicted class, count and rows of images, cell by cell."""
        for place in range(len(self)):
            yield int(self.labels[place]), int(self.predicted[place]), float(self.counts[place]), self.get_rows(place)

    def __repr__(self) -> str:
        return f"<ConfusionCells of {self.name}: {len(self):,} cells>"

    def get_rows(self, place: int) -> CountArray:
        """The rows of the images of one cell."""
        return self.rows[int(self.starts[place]) : int(self.starts[place + 1])]

    @property
    def n_tied(self) -> CountArray:
        """Per cell, how many of its images other classes have a part of."""
        sizes = np.diff(self.starts)
        return np.bincount(np.repeat(np.arange(len(self)), sizes)[self.parts < 1], minlength=len(self)).astype(np.int64)
