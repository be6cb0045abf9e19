"""Both sides of a comparison with their models in one order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from regauge.evaluation.sides import Side
from regauge.records.arrays import CountArray, FloatArray
from regauge.records.scales import Scale
from regauge.records.shared_images import NO_SHARED_IMAGES, SharedImages
from regauge.records.shifts import ShiftSettings
from regauge.stats.image_fits import RedrawnAccuracies, redraw_images
from regauge.stats.scales import move_inside, to_scale


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

    def place_on_scale(self, names: Sequence[str], scale: Scale) -> tuple[FloatArray, FloatArray]:
        """Original and new accuracies of some models on a scale; 0 and 1 are moved half an answer inside where they must."""
        places = self.find_places(names)
        original, new = (side.counts[self.settings.metric][places] for side in (self.original, self.new))
        return _put_on_scale(original, scale), _put_on_scale(new, scale)

    def find_places(self, names: Sequence[str]) -> list[int]:
        """The places of some models."""
        return [self.models.index(name) for name in names]


def _put_on_scale(counts: CountArray, scale: Scale) -> FloatArray:
    n_correct, n = counts.T
    return to_scale(n_correct / n if scale is Scale.LINEAR else move_inside(n_correct / n, n), scale)


def find_accuracies(side: Side, metric: str) -> FloatArray:
    """The accuracy of every model of a side."""
    counts = side.counts[metric]
    accuracies: FloatArray = counts[:, 0] / counts[:, 1]
    return accuracies
