"""What participants answered on images whose objects are known: any object, chance, and top-5 corrections.

After Tsipras et al. (2020), §4.1 and appendix C.1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from regauge.arrays import NO_CLASS, BoolArray, CountArray, FloatArray, IntArray, divide
from regauge.evaluation.context.contract import ContextMaterial
from regauge.evaluation.context.several.images import ObjectImages
from regauge.records.evaluation.context.report import ContextSettings
from regauge.records.labels.objects import NO_OBJECT
from regauge.stats.few_values import resample_means
from regauge.stats.intervals import Limits, clopper_pearson
from regauge.stats.resampling import percentile_limits
from regauge.stats.weighted_shares import WeighedShares, weigh_shares

TOP1, TOP5, ANY_OBJECT = "top1", "top5", "any_object"
ABOVE, BELOW, LEVEL = "above", "below", "not told apart"


@dataclass(frozen=True, eq=False)
class ObjectAnswers:
    """What participants answered on the images whose objects are known [participants, images].

    Attributes:
        images: these images.
        firsts: the first answers.
        is_right: whether that is the dataset label.
        in_five: whether the dataset label is among the first five; None where nobody gives five.
        is_counted: whether there is an answer and a dataset label.
        has_five: which participants give five answers.
    """

    images: ObjectImages
    firsts: IntArray
    is_right: BoolArray
    in_five: BoolArray | None
    is_counted: BoolArray
    has_five: BoolArray

    def find_right(self, metric: str) -> BoolArray:
        """Which answers are right by a metric."""
        if metric == ANY_OBJECT:
            return self.images.find_named(self.firsts)
        if metric == TOP5:
            return self.is_right if self.in_five is None else self.in_five
        return self.is_right

    def find_counted(self, metric: str) -> BoolArray:
        """Which answers count by a metric; of whoever gives fewer than five answers none does for top-5."""
        return self.is_counted & self.has_five[:, np.newaxis] if metric == TOP5 else self.is_counted

    def count(self, metric: str, among: BoolArray) -> tuple[CountArray, CountArray]:
        """How many answers on some images are right, and of how many, by stratum [participants, 2]."""
        counted = among & self.find_counted(metric)
        return self.images.count(self.find_right(metric), counted)

    def weigh(self, metric: str, among: BoolArray, *, level: float) -> WeighedShares:
        """The accuracy of every participant on some images."""
        k, n = self.count(metric, among)
        return weigh_shares(k, n, weights=self.images.weights, level=level)


def line_up_answers(material: ContextMaterial, images: ObjectImages) -> ObjectAnswers:
    """The answers on images of known objects."""
    firsts = np.zeros((0, len(images)), np.int32) if material.firsts is None else material.firsts[:, images.rows]
    in_five = None if material.in_five is None else material.in_five[:, images.rows]
    is_counted = (firsts != NO_CLASS) & (images.labels != NO_CLASS)
    has_five = np.zeros(len(firsts), np.bool_) if material.has_five is None else material.has_five
    return ObjectAnswers(images, firsts, (firsts == images.labels) & is_counted, in_five, is_counted, has_five)


@dataclass(frozen=True, slots=True, eq=False)
class ChanceComparison:
    """Top-1 of participants on some images of several objects, beside the chance of naming the right object at random.

    Attributes:
        n: images that each answered.
        top1: share of these whose first answer is the dataset label.
        top1_limits: limits of these.
        chance: mean of 1 / number of objects.
        chance_limits: limits of these.
        difference_limits: limits of top1 − chance.
    """

    n: CountArray
    top1: FloatArray
    top1_limits: Limits
    chance: FloatArray
    chance_limits: Limits
    difference_limits: Limits

    @property
    def verdicts(self) -> list[str | None]:
        """Whether each is above or below chance by the limits, or cannot be told from it; None without images."""
        low, high = self.difference_limits
        ends = zip(low.tolist(), high.tolist(), self.n.tolist(), strict=True)
        return [None if not n else ABOVE if a > 0 else BELOW if b < 0 else LEVEL for a, b, n in ends]


def compare_with_chance(answers: ObjectAnswers, among: BoolArray, *, settings: ContextSettings) -> ChanceComparison:
    """Top-1 on some images against naming one of their objects at random, as people name them.

    An image of n objects gives 1/n by chance, so the mean takes few values and is redrawn by their counts. The limits of the
    difference are those of the bootstrap of images or of Clopper and Pearson's interval less chance, at either end the wider: a
    bootstrap of few images alone has no width where all are right.
    """
    n_objects = answers.images.n_objects
    sizes = np.unique(n_objects[among]) if among.any() else np.array([1])
    of_size = ((n_objects[:, np.newaxis] == sizes) & among[:, np.newaxis]).astype(np.float32)
    counted = np.rint(answers.is_counted.astype(np.float32) @ of_size).astype(np.int64)
    right = np.rint((answers.is_right & answers.is_counted).astype(np.float32) @ of_size).astype(np.int64)
    n, n_right, odds = counted.sum(axis=1), right.sum(axis=1), 1 / sizes
    chance = divide(counted @ odds, n)
    rng = np.random.default_rng(settings.seed)
    by_value = np.concatenate([right, counted - right], axis=1)
    drawn = resample_means(by_value, np.concatenate([1 - odds, -odds]), rng=rng, n_resamples=settings.n_bootstrap)
    # Whoever answered the same images has the same chance.
    distinct, place = np.unique(counted, axis=0, return_inverse=True)
    of_chance = resample_means(distinct, odds, rng=rng, n_resamples=settings.n_bootstrap)[:, place.ravel()]
    limits = clopper_pearson(n_right, n, level=settings.level)
    redrawn = percentile_limits(drawn, level=settings.level)
    wider = Limits(np.fmin(redrawn.low, limits.low - chance), np.fmax(redrawn.high, limits.high - chance))
    return ChanceComparison(
        n, divide(n_right, n), limits, chance, percentile_limits(of_chance, level=settings.level), wider
    )


def weigh_corrections(answers: ObjectAnswers, *, level: float) -> tuple[CountArray, CountArray, WeighedShares]:
    """Of images whose dataset label is among the first five answers and not first, those where both are other objects of it.

    Returns:
        Per participant: such images, images in all, and the share.
    """
    images = answers.images
    is_corrected = answers.find_right(TOP5) & ~answers.is_right & answers.find_counted(TOP5)
    meant = images.find_meant(answers.firsts)
    is_other = (meant != NO_OBJECT) & (images.dataset_objects != NO_OBJECT) & (meant != images.dataset_objects)
    k, n = images.count(is_other, is_corrected)
    return k.sum(axis=-1), n.sum(axis=-1), weigh_shares(k, n, weights=images.weights, level=level)
