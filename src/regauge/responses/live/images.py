"""Which tasks of a running campaign show an image."""

from __future__ import annotations

import numpy as np

from regauge.arrays import CountArray
from regauge.records.responses.ledgers import TaskColumns
from regauge.responses.live.kinds import FigureKind


class ImageIndex:
    """Which tasks show an image; made once, since tasks do not change."""

    def __init__(self, tasks: TaskColumns, kind: FigureKind) -> None:
        owners, images = kind.find_images(tasks)
        order = np.argsort(images, kind="stable")
        self.n_tasks = len(tasks)
        self._images, self._owners = images[order], owners[order]

    def find_tasks(self, image: int) -> CountArray:
        """The places of the tasks that show an image."""
        start, end = np.searchsorted(self._images, (image, image + 1))
        return np.unique(self._owners[start:end])
