"""Both sides of a comparison with their models in one order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from regauge.arrays import CountArray, FloatArray
from regauge.evaluation.outcomes import Outcome, OutcomeArray
from regauge.evaluation.shared_images import match_numbers
from regauge.evaluation.sides import Side, sort_side
from regauge.records.evaluation.fits import Resample, Scale
from regauge.records.evaluation.scores import is_balanced
from regauge.records.evaluation.shifts import ShiftSettings
from regauge.records.testsets.shared_images import NO_SHARED_IMAGES, SharedImages
from regauge.stats.count_fits import resample_counts
from regauge.stats.gap_limits import GapLimits, find_gap_limits
from regauge.stats.image_fits import ResampledAccuracies, resample_images
from regauge.stats.scales import move_inside, to_scale


@dataclass(frozen=True, eq=False)
class Pair:
    """Both sides with their models in one order, and the accuracies that are compared.

    Attributes:
        original: one side.
        new: the other.
        settings: how they are compared.
        shared: images that are in both.
        joint: where sides have only counts, and are two metrics on the same images: of the first models [some, 4], how often
            they are right by both, by the one alone, by the other alone, and by neither.
    """

    original: Side
    new: Side
    settings: ShiftSettings
    shared: SharedImages = NO_SHARED_IMAGES
    joint: CountArray | None = None

    @property
    def models(self) -> tuple[str, ...]:
        """The models."""
        return self.original.models

    @property
    def accuracies(self) -> tuple[FloatArray, FloatArray]:
        """Original and new accuracy of every model under the metric that is compared."""
        metric = self.settings.metric
        return find_accuracies(self.original, metric), find_accuracies(self.new, metric)

    @property
    def has_images(self) -> bool:
        """Whether it is known on both sides who is right where."""
        return self.original.has_images and self.new.has_images

    @cached_property
    def resampled(self) -> ResampledAccuracies:
        """The accuracies of all models on redrawn images that count for everybody; drawn when somebody first asks.

        Where a side has only counts, the right answers of every model are drawn by themselves, on both sides; those of a model
        of which `joint` tells how both sides go together, together.
        """
        settings = self.settings
        if not self.has_images:
            counts = self.original.counts[settings.metric], self.new.counts[settings.metric]
            return resample_counts(*counts, seed=settings.seed, n_resamples=settings.n_resampled, joint=self.joint)
        shared = self.shared.keep(self.original.is_shared, self.new.is_shared)
        sides = self.original.is_right, self.new.is_right
        return resample_images(*sides, seed=settings.seed, n_resamples=settings.n_resampled, shared=shared)

    def limit_gap(self, original: FloatArray, new: FloatArray) -> GapLimits:
        """The gap between the mean scores of all images, and its limits; images without a score (NaN) do not count."""
        counts = ~np.isnan(original), ~np.isnan(new)
        shared = self.shared.keep(*counts)
        is_same = self._has_same_labels and bool(
            np.array_equal(original[counts[0]][shared.rows_original], new[counts[1]][shared.rows_new])
        )
        scores = original[counts[0]], new[counts[1]]
        return find_gap_limits(*scores, shared=shared, is_same=is_same, level=self.settings.level)

    @cached_property
    def _has_same_labels(self) -> bool:
        """Whether shared images have one dataset label in both sets, and everybody's answers are right in both or in neither.

        Then the score of a shared image is one number by its nature, and not two that happen to be equal.
        """
        rows = self.shared.rows_original, self.shared.rows_new
        labels = [side.labels for side in (self.original, self.new)]
        outcomes = self.original.outcomes[:, rows[0]], self.new.outcomes[:, rows[1]]
        if labels[0] is not None and labels[1] is not None and (labels[0][rows[0]] != labels[1][rows[1]]).any():
            return False
        return bool(np.array_equal(*outcomes))

    def place_on_scale(self, names: Sequence[str], scale: Scale) -> tuple[FloatArray, FloatArray]:
        """Original and new accuracies of some models on a scale; 0 and 1 are moved half an answer inside where they must."""
        places = self.find_places(names)
        original, new = (_put_on_scale(side, self.settings.metric, scale)[places] for side in (self.original, self.new))
        return original, new

    def score_model(self, place: int) -> tuple[FloatArray, FloatArray]:
        """1 where one model is right, 0 where it is not, NaN where the image does not count, on both sides."""
        original, new = (side.outcomes[place] for side in (self.original, self.new))
        return _score(original), _score(new)

    def name_groups(self, names: Sequence[str], resample: Resample) -> list[str]:
        """What is drawn with each of some models: its family, or itself."""
        return [self.settings.families[name] if resample.has_families else name for name in names]

    def find_places(self, names: Sequence[str]) -> list[int]:
        """The places of some models."""
        return [self.models.index(name) for name in names]


def pair_sides(original: Side, new: Side, *, settings: ShiftSettings) -> Pair:
    """Both sides in the order of the original's models, and what they share by the numbers of their images."""
    shared = NO_SHARED_IMAGES
    if original.numbers is not None and new.numbers is not None:
        shared = match_numbers(original.numbers, new.numbers)
    return Pair(original, sort_side(new, original.models), settings, shared)


def _score(outcomes: OutcomeArray) -> FloatArray:
    return np.where(outcomes == Outcome.NOT_COUNTED, np.nan, outcomes == Outcome.RIGHT)


def _put_on_scale(side: Side, metric: str, scale: Scale) -> FloatArray:
    accuracies = find_accuracies(side, metric)
    return to_scale(accuracies if scale is Scale.LINEAR else move_inside(accuracies, side.counts[metric][:, 1]), scale)


def find_accuracies(side: Side, metric: str) -> FloatArray:
    """The accuracy of every model of a side; of a balanced metric, its mean of per-class means."""
    if side.by_class is not None and is_balanced(metric):
        return side.by_class.means
    counts = side.counts[metric]
    accuracies: FloatArray = counts[:, 0] / counts[:, 1]
    return accuracies
