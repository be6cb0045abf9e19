"""Both sides of a comparison with their models in one order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from regauge.evaluation.sides import Side
from regauge.records.arrays import FloatArray
from regauge.records.shared_images import NO_SHARED_IMAGES, SharedImages
from regauge.records.shifts import ShiftSettings
from regauge.stats.image_fits import RedrawnAccuracies, redraw_images


@dataclass(frozen=True, eq=False)
class Pair:
    """Both sides with their models in one order, and the accuracies that are compared."""

    original: Side
    new: Side
    settings: ShiftSettings
    shared: SharedImages = NO_SHARED_IMAGES

    @property
    def models(self) -> tuple[str, ...]:
        """The models."""
        return self.original.models

    @property
    def accuracies(self) -> tuple[FloatArray, FloatArray]:
        """Original and new accuracy of every model under the metric that is compared."""
        metric = self.settings.metric
        return find_accuracies(self.original, metric), find_accuracies(self.new, metric)

    @cached_property
    def redrawn(self) -> RedrawnAccuracies:
        """The accuracies of all models on redrawn images that count for everybody; drawn when somebody first asks."""
        settings = self.settings
        sides = self.original.is_right, self.new.is_right
        return redraw_images(*sides, seed=settings.seed, n_resamples=settings.n_samples)

    def find_places(self, names: Sequence[str]) -> list[int]:
        """The places of some models."""
        return [self.models.index(name) for name in names]


def find_accuracies(side: Side, metric: str) -> FloatArray:
    """The accuracy of every model of a side."""
    counts = side.counts[metric]
    accuracies: FloatArray = counts[:, 0] / counts[:, 1]
    return accuracies
