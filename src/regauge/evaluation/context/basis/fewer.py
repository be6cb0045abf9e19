"""What fewer annotators would have found, over all ways to draw them from those who answered.

From counts nobody knows who gave which vote, but every draw of m from n annotators is equally likely, and so the probability of
every count is known (`stats.thinning`). Labels are drawn for each by itself, as independent people judged them. What comes out
is the mean over all draws, which no number of random draws would tell better, and how far single draws lie from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import product
from math import comb

import numpy as np
from scipy.special import ndtri

from regauge.arrays import BoolArray, CountArray, FloatArray
from regauge.stats.thinning import thin

TENTHS = 10


@dataclass(frozen=True, slots=True, eq=False)
class Rivalry:
    """The dataset label and the other labels of images, as counts.

    Attributes:
        own_selected: per image, annotators who selected the dataset label.
        own_shown: per image, annotators who were asked about it; at least one.
        images: per other label, its image.
        selected: per other label, annotators who selected it.
        shown: per other label, annotators who were asked about it; at least one.
    """

    own_selected: CountArray
    own_shown: CountArray
    images: CountArray
    selected: CountArray
    shown: CountArray

    def keep(self, which: BoolArray) -> tuple[Rivalry, int]:
        """Some of the images with their other labels, and how many images are left out."""
        places, own = np.cumsum(which) - 1, which[self.images]
        kept = Rivalry(
            self.own_selected[which],
            self.own_shown[which],
            places[self.images[own]],
            self.selected[own],
            self.shown[own],
        )
        return kept, int((~which).sum())


def count_rivals(rivalry: Rivalry, tenths: int) -> CountArray:
    """Per image, other labels that somebody selected with at least so many tenths of the dataset label's frequency.

    Compared in whole numbers: k/n ≥ t/10 · k′/n′ where 10 · k · n′ ≥ t · k′ · n.
    """
    own_selected, own_shown = rivalry.own_selected[rivalry.images], rivalry.own_shown[rivalry.images]
    is_rival = TENTHS * rivalry.selected * own_shown >= tenths * own_selected * rivalry.shown
    is_rival &= rivalry.selected > 0
    return np.bincount(rivalry.images[is_rival], minlength=len(rivalry.own_selected))


def spread_rivals(
    rivalry: Rivalry, tenths: tuple[int, ...], *, n_left: int, n_most: int
) -> tuple[FloatArray, FloatArray]:
    """The same with so many annotators left per label, over all draws.

    A label that fewer were asked about keeps all of them; every dataset label must have as many as are left.

    Args:
        rivalry: the counts.
        tenths: thresholds.
        n_left: annotators who are left.
        n_most: numbers of rivals from here on are one.

    Returns:
        The probability of every number of rivals [images, thresholds, n_most + 1], and the mean number [images, thresholds].
    """
    n_images, n_thresholds = len(rivalry.own_selected), len(tenths)
    own = thin(rivalry.own_selected, rivalry.own_shown, n_left=n_left)
    codes, chances = _tabulate(rivalry, tenths, n_left)
    padded = pad_by_image(codes, rivalry.images, n_images=n_images, fill=len(chances) - 1)
    numbers = np.zeros((n_images, n_thresholds, n_most + 1))
    means = np.zeros((n_images, n_thresholds))
    for j in range(n_left + 1):
        weight = own[:, j, np.newaxis]
        found = [chances[column, j] for column in padded.T]
        numbers += weight[:, :, np.newaxis] * add_up(found, (n_images, n_thresholds), n_most=n_most)
        means += weight * sum(found, np.zeros((n_images, n_thresholds)))
    return numbers, means


def count_up(chances: FloatArray, images: CountArray, *, n_images: int, n_most: int) -> FloatArray:
    """The probability of every number of labels of an image [images, n_most + 1], from the chance of each of its labels."""
    padded = pad_by_image(np.arange(len(chances)), images, n_images=n_images, fill=len(chances))
    all_chances = np.append(chances, 0.0)
    return add_up([all_chances[column] for column in padded.T], (n_images,), n_most=n_most)


def thin_any(selected: CountArray, shown: CountArray, *, n_left: int, least: int) -> FloatArray:
    """The probability that so many of those left select; who has fewer annotators than are left keeps all."""
    kept = np.minimum(shown, n_left)
    found = np.zeros(len(selected))
    for n in np.unique(kept).tolist():
        here = kept == n
        found[here] = thin(selected[here], shown[here], n_left=max(1, n))[:, least:].sum(axis=1) if n else 0.0
    return found


def add_up(chances: list[FloatArray], shape: tuple[int, ...], *, n_most: int) -> FloatArray:
    """The distribution of how many of independent events happen [*shape, n_most + 1]; the last entry holds all from there on."""
    found = np.zeros((*shape, n_most + 1))
    found[..., 0] = 1
    for chance in chances:
        p = chance[..., np.newaxis]
        moved = p * found
        found -= moved
        found[..., 1:] += moved[..., :-1]
        found[..., -1] += moved[..., -1]
    return found


def pad_by_image(values: CountArray, images: CountArray, *, n_images: int, fill: int) -> CountArray:
    """Values of images as rows of one length [images, most values of an image]."""
    order = np.argsort(images, kind="stable")
    sizes = np.bincount(images, minlength=n_images)
    inside = np.arange(len(images)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    padded = np.full((n_images, int(sizes.max(initial=0))), fill, np.int64)
    padded[images[order], inside] = values[order]
    return padded


@cache
def spread_main(counts: tuple[int, ...], n_left: int, *, least: int) -> tuple[float, float]:
    """Mean and variance of how many labels at least so many of the annotators left named, of whom each named one label.

    Args:
        counts: per label, annotators who named it.
        n_left: how many of them are left; more than there are leaves all.
        least: how many must name a label.

    >>> spread_main((2, 1), 2, least=2)  # of the three ways to draw two annotators one leaves both who named the first label
    (0.3333333333333333, 0.2222222222222222)
    """
    n_left = min(n_left, sum(counts))
    whole = comb(sum(counts), n_left)
    first = second = 0.0
    for drawn in product(*(range(min(count, n_left) + 1) for count in counts)):
        if sum(drawn) != n_left:
            continue
        ways = 1
        for count, one in zip(counts, drawn, strict=True):
            ways *= comb(count, one)
        n = sum(one >= least for one in drawn)
        first += n * ways / whole
        second += n * n * ways / whole
    return first, max(0.0, second - first**2)


def limit_draws(variances: FloatArray, mean: float, *, level: float) -> tuple[float, float]:
    """Between which limits the mean over images lies in single draws, which are independent from image to image."""
    n = len(variances)
    half = -float(ndtri((1 - level) / 2)) * float(np.sqrt(np.maximum(variances, 0).sum())) / max(1, n)
    return max(0.0, mean - half), mean + half


def _tabulate(rivalry: Rivalry, tenths: tuple[int, ...], n_left: int) -> tuple[CountArray, FloatArray]:
    """The code of every other label, and per code the chance that it is a rival [codes + 1, own count, thresholds].

    Labels with equal counts share a code; the last one stands for no label.
    """
    stride = int(rivalry.shown.max(initial=0)) + 1
    keys, codes = np.unique(rivalry.selected * stride + rivalry.shown, return_inverse=True)
    chances = np.zeros((len(keys) + 1, n_left + 1, len(tenths)))
    for place, key in enumerate(keys.tolist()):
        selected, shown = divmod(key, stride)
        n = min(shown, n_left)
        counts = thin(np.array([selected]), np.array([shown]), n_left=n)[0]
        k = np.arange(n + 1)[:, np.newaxis, np.newaxis]
        own, t = np.arange(n_left + 1)[:, np.newaxis], np.array(tenths)
        is_rival = (TENTHS * k * n_left >= t * own * n) & (k > 0)
        chances[place] = np.tensordot(counts, is_rival, axes=1)
    return codes.ravel(), chances
