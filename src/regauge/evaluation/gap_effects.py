"""What classes add to the accuracy at equal frequency: effects of their own, as far as their images tell.

A curve of all classes together takes what classes differ in for what frequencies differ in. Where people find some classes less
clear and models find them harder, whatever the image, such a curve is steeper than that of any class. A new set whose images
are clearer within every class is then expected to do better than it does, and the difference looks like a remainder.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from regauge.arrays import BoolArray, CountArray, FloatArray
from regauge.evaluation.gap_curves import DEGREE, Parabola, combine, lift
from regauge.evaluation.gap_samples import GapSamples, Material, take_whole

SPREADS = (1.0, 0.4)
"""The terms of the curve within classes are expected within these of those of all classes together."""
INTERACTION_SPREAD = 1.0
"""By how much the slope of a class is expected to differ from that of another, per unit of their mean frequencies."""
MAX_RATIO = 1e6
"""Of the variance between classes to that of an image."""


@dataclass(frozen=True, slots=True, eq=False)
class Effects:
    """Accuracy by class and true frequency: level of the class + curve(s) + slope·(mean frequency of the class)·s.

    Attributes:
        parabola: the terms of the curve.
        slopes: coefficients of its terms within classes, the constant left out [terms − 1, participants].
        old_parts: per original image, what one more of it adds to the accuracy at the classes and frequencies of the new set
            [images, participants].
        new_parts: per new image, level and slope of its class [images, participants].
    """

    parabola: Parabola
    slopes: FloatArray
    old_parts: FloatArray
    new_parts: FloatArray

    def find(self, samples: GapSamples, terms: FloatArray) -> FloatArray:
        """What is added to the accuracy that a curve of all classes expects of the new set [samples, participants].

        Args:
            samples: of the images.
            terms: mean terms of the new set in each sample [samples, terms].
        """
        mine = terms[:, : self.parabola.degree + 1]
        of_new = samples.new_weights @ self.new_parts / samples.new_counts.sum(axis=1, keepdims=True)
        # Samples of sets that share images differ in size.
        sizes = samples.original_counts.sum(axis=1, keepdims=True) / len(self.old_parts)
        of_original = samples.original_weights @ self.old_parts / sizes - self.old_parts.sum(axis=0)
        within = of_new + of_original + mine[:, 1:] @ self.slopes
        return np.asarray(within - combine(self.parabola.fit(samples), mine), np.float64)


def make_effects(material: Material, *, new_terms: FloatArray, is_exact: bool = False) -> Effects | None:
    """The effects of the classes of the original set; None where they are not known, or all have one image.

    The curve within classes is found from differences between images of a class alone, so that nothing that a class has of
    its own gets into it; a slope that changes with the clarity of the class is part of it. That is what adding class means
    as further terms comes to. The level of a class is then the mean accuracy that the curve leaves to it. It is drawn
    to what is expected of a class as clear as it is, the more, the fewer images it has and the less classes differ beyond chance.

    In a sample of the images, slopes and levels change by their first derivatives, the infinitesimal jackknife: no class is too
    small for it, whereas a sample may lack a class, or have one image of it twice.

    Args:
        material: both sets.
        new_terms: expected terms of every new image, without the constant [images, terms].
        is_exact: whether bins of observed frequencies are taken for true ones.

    Reference:
        Mundlak (1978), On the pooling of time series and cross section data, for class means as terms; Robinson (1991), That
        BLUP is a good thing, for levels; Efron (1982), The jackknife, the bootstrap and other resampling plans, for the samples.
    """
    old, new = material.original.classes, material.new.classes
    if old is None or new is None:
        return None
    pairs = material.original_pairs
    degree = DEGREE if is_exact or np.median(material.original.n_shown) >= 2 * DEGREE else 1
    parabola = Parabola(pairs, degree=degree, is_exact=is_exact)
    used = np.flatnonzero(parabola.is_used[pairs.places])
    codes = np.unique(np.concatenate([old[used], new]), return_inverse=True)[1]
    classes = _Classes(codes[: used.size], int(codes.max()) + 1)
    if (classes.n > 0).sum() < 2 or (classes.n < 2).all():
        return None
    rows, products = (table[pairs.places[used]] for table in (parabola.rows[:, 1:], parabola.products[:, 1:, 1:]))
    clarity = _find_clarity(rows[:, 0], classes)
    images = _Images(
        classes, *_interact(rows, products, clarity[classes.codes]), material.original.is_correct[:, used].T
    )
    prior = parabola.fit(take_whole(material))[0, 1:]
    curve = _fit_within(images, np.concatenate([prior, np.zeros((1, prior.shape[1]))]))
    of_new = codes[used.size :]
    levels = _find_levels(
        images.find_residuals(curve.slopes),
        classes,
        clarity,
        shares=np.bincount(of_new, minlength=classes.size) / of_new.size,
    )
    wanted = new_terms[:, :degree]
    wanted = np.concatenate([wanted, clarity[of_new, np.newaxis] * wanted[:, :1]], axis=1)
    parts = np.zeros((len(material.original), prior.shape[1]))
    parts[used] = _find_influences(images, curve, levels, wanted.mean(axis=0))
    return Effects(parabola, curve.slopes[:-1], parts, levels.values[of_new] + wanted[:, -1:] * curve.slopes[-1])


class _Classes:
    """Which image is of which class; the class of a new image may have no original one."""

    def __init__(self, codes: CountArray, size: int) -> None:
        """From the class of every original image, a number below `size`."""
        self.codes, self.size = codes, size
        self.n: FloatArray = np.bincount(codes, minlength=size).astype(np.float64)
        self._order = np.argsort(codes, kind="stable")
        self._present = np.flatnonzero(self.n)
        self._starts = np.concatenate([[0], np.cumsum(self.n[self._present])[:-1]]).astype(np.int64)

    def average(self, values: FloatArray) -> FloatArray:
        """Means by class [classes, columns]; 0 where a class has no images."""
        means = np.zeros((self.size, values.shape[1]))
        sums = np.add.reduceat(values[self._order], self._starts, axis=0)
        means[self._present] = sums / self.n[self._present, np.newaxis]
        return means


@dataclass(frozen=True, eq=False)
class _Images:
    """Original images by class.

    Attributes:
        classes: which image is of which class.
        rows: estimates of the terms, without the constant; the last is the first times the clarity of the class [images, terms].
        products: estimates of products of terms [images, terms, terms].
        right: whether participants are right [images, participants].
    """

    classes: _Classes
    rows: FloatArray
    products: FloatArray
    right: BoolArray

    @cached_property
    def centred(self) -> FloatArray:
        """Terms less those of the class."""
        return np.asarray(self.rows - self.classes.average(self.rows)[self.classes.codes], np.float64)

    @cached_property
    def noise(self) -> FloatArray:
        """What products of centred terms have too much of, since an image shares its votes with itself [images, terms, terms]."""
        shares = 1 - 1 / self.classes.n[self.classes.codes]
        return shares[:, np.newaxis, np.newaxis] * (
            self.rows[:, :, np.newaxis] * self.rows[:, np.newaxis] - self.products
        )

    def sum_products(self) -> FloatArray:
        """Products of differences from the class, summed [terms, terms].

        Two images of a class have votes of their own, so the product of their terms is unbiased as it is; that of an image with
        itself has an unbiased estimate.
        """
        return np.asarray(self.centred.T @ self.centred - self.noise.sum(axis=0), np.float64)

    def find_residuals(self, slopes: FloatArray) -> FloatArray:
        """What the curve leaves of each answer [images, participants]."""
        return np.asarray(self.right - self.rows @ slopes, np.float64)

    def find_errors(self, slopes: FloatArray) -> list[FloatArray]:
        """What each image adds to the normal equations at these slopes, term by term [images, participants].

        A class mean is the nearer to an image, the fewer images the class has; differences are widened by what they lose to it.
        """
        residuals = self.find_residuals(slopes)
        n = self.classes.n[self.classes.codes]
        within = (residuals - self.classes.average(residuals)[self.classes.codes]) * np.sqrt(n / np.maximum(n - 1, 1))[
            :, np.newaxis
        ]
        return [
            self.centred[:, place, np.newaxis] * within + self.noise[:, place] @ slopes for place in range(len(slopes))
        ]


@dataclass(frozen=True, slots=True, eq=False)
class _Within:
    """The curve within classes: its slopes [terms, participants], and how they follow the normal equations [terms, terms]."""

    slopes: FloatArray
    gain: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class _Levels:
    """Levels of the classes [classes, participants], how far each goes by its own images, and its share in the new set's mean."""

    values: FloatArray
    own_shares: FloatArray
    weights: FloatArray


def _find_clarity(terms: FloatArray, classes: _Classes) -> FloatArray:
    """The mean term of each class above that of all, drawn to it as far as chance explains the difference."""
    means = classes.average(terms[:, np.newaxis])[:, 0]
    noise = float(((terms - means[classes.codes]) ** 2).sum()) / max(1, terms.size - int((classes.n > 0).sum()))
    middle = float(terms.mean())
    ratio = _find_ratio(((means - middle) ** 2)[:, np.newaxis], noise, classes.n, n_fitted=1)
    return np.asarray((means - middle) * classes.n * ratio / (classes.n * ratio + 1), np.float64)


def _find_ratio(squares: FloatArray, noise: float, n: FloatArray, *, n_fitted: int) -> float:
    """The variance between classes over that within, by moments, from squared distances of class means to what is expected.

    Reference:
        DerSimonian, Laird (1986), Meta-analysis in clinical trials.
    """
    n_classes = int((n > 0).sum())
    excess = float((n @ squares).sum()) - max(0, n_classes - n_fitted) * noise
    room = float(n.sum() - n_fitted * (n**2).sum() / n.sum())
    return float(np.clip(excess / max(room * noise, 1e-12), 0, MAX_RATIO))


def _interact(rows: FloatArray, products: FloatArray, clarity: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Terms and products of every image with the slope times the clarity of its class as one more term."""
    order = [*range(rows.shape[1]), 0]
    factors = np.ones((len(rows), len(order)))
    factors[:, -1] = clarity
    both = factors[:, :, np.newaxis] * factors[:, np.newaxis]
    return rows[:, order] * factors, products[:, order][:, :, order] * both


def _fit_within(images: _Images, prior: FloatArray) -> _Within:
    """Slopes from differences between images of a class, expected within the spreads of those of all classes together.

    They solve normal equations whose chance is seen in how images differ in them: with few annotators, estimates of products are
    noisy, and the slopes stay near to what is expected of them.

    Reference:
        Hansen (1982), Large sample properties of generalized method of moments estimators, for the weights.
    """
    spread = lift(images.sum_products()[np.newaxis])[0]
    errors = images.find_errors(prior)
    chance = np.array([[float((one * other).sum()) for other in errors] for one in errors]) / prior.shape[1]
    expected = np.diag(1 / np.square((*SPREADS[: len(prior) - 1], INTERACTION_SPREAD)))
    weighted = spread @ np.linalg.pinv(chance, hermitian=True)
    gain = np.linalg.solve(weighted @ spread + expected, weighted)
    moments = images.centred.T @ images.right
    return _Within(prior + gain @ (moments - spread @ prior), gain)


def _find_levels(residuals: FloatArray, classes: _Classes, clarity: FloatArray, *, shares: FloatArray) -> _Levels:
    """What the curve leaves to each class, drawn to what it leaves to classes as clear; and the mean of it over the new set."""
    n, means = classes.n, classes.average(residuals)
    n_classes = int((n > 0).sum())
    noise = float(((residuals - means[classes.codes]) ** 2).sum()) / max(1, len(residuals) - n_classes)
    design = np.stack([np.ones(classes.size), clarity], axis=1)
    first = _fit_line(design, n, means)
    ratio = _find_ratio((means - design @ first) ** 2, noise, n, n_fitted=2)
    weights = n / (n * ratio + 1)
    own = weights * ratio
    line = design @ _fit_line(design, weights, means)
    values = line + own[:, np.newaxis] * (means - line)
    inverse = np.linalg.pinv((design * weights[:, np.newaxis]).T @ design)
    return _Levels(values, own, shares * own + weights * (design @ (inverse @ (design.T @ (shares * (1 - own))))))


def _fit_line(design: FloatArray, weights: FloatArray, values: FloatArray) -> FloatArray:
    weighted = (design * weights[:, np.newaxis]).T
    return np.asarray(np.linalg.pinv(weighted @ design) @ (weighted @ values), np.float64)


def _find_influences(images: _Images, curve: _Within, levels: _Levels, wanted: FloatArray) -> FloatArray:
    """The derivative of the accuracy at equal class and frequency by the weight of every original image [images, participants].

    A class mean is the nearer to an image, the fewer images the class has; residuals are widened by what they lose to it.
    """
    classes, codes = images.classes, images.classes.codes
    n, own = classes.n[codes], levels.own_shares[codes]
    direction = (wanted - levels.weights @ classes.average(images.rows)) @ curve.gain
    of_level = levels.weights[codes] / n / np.sqrt(np.maximum(1 - own * (2 - own) / n, 0.1))
    found = of_level[:, np.newaxis] * (images.find_residuals(curve.slopes) - levels.values[codes])
    for share, errors in zip(direction.tolist(), images.find_errors(curve.slopes), strict=True):
        found += share * errors
    return np.asarray(found, np.float64)
