"""What it makes of a difference that a set is drawn class by class.

Among the best images of every class are those of classes in which the best are not very good. A distribution of true
frequencies of all candidates together takes them for better than they are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from regauge.arrays import FloatArray
from regauge.evaluation.gap_samples import Material
from regauge.stats.deconvolution import climb, expect, find_likelihoods

CLASS_STEPS = 50
"""EM steps of a class from where all candidates together ended: enough to tell classes apart, too few to follow its noise."""


@dataclass(frozen=True, slots=True, eq=False)
class ClassPosteriors:
    """Expected functions of the true frequency of every new image.

    Attributes:
        apart: when every class has a distribution of its own [images, functions].
        change: the mean of that, less what one distribution of all candidates says [functions]. It is found once for the images
            themselves, and moves an estimate and its samples alike.
    """

    apart: FloatArray
    change: FloatArray


def expect_by_class(material: Material, *, family: FloatArray, of: FloatArray) -> ClassPosteriors:
    """What votes say of each new image, given the candidates of its class.

    Args:
        material: both sets and the pool.
        family: the distributions that are mixed [members, grid].
        of: the functions on the grid [grid, functions].

    Returns:
        The expectations. Without candidates or classes, and for a class without candidates, one distribution is that of all.
    """
    new, prior = material.new_pairs, material.pool_pairs or material.new_pairs
    likelihoods = find_likelihoods(prior.n_selected, prior.n_shown) @ family.T
    together = climb(prior.weights[np.newaxis], likelihoods)
    of_new = find_likelihoods(new.n_selected, new.n_shown)
    of_all = expect(together @ family, of_new, of=of)[0]
    pool, wanted = material.pool, material.new.classes
    if pool is None or pool.classes is None or wanted is None:
        return ClassPosteriors(of_all[new.places], np.zeros(of.shape[1]))
    classes, codes = np.unique(pool.classes, return_inverse=True)
    counts = np.zeros((len(classes), len(prior.n_shown)))
    np.add.at(counts, (codes, prior.places), 1)
    of_classes = expect(climb(counts, likelihoods, start=together[0], max_steps=CLASS_STEPS) @ family, of_new, of=of)
    places = np.searchsorted(classes, wanted).clip(max=len(classes) - 1)
    is_known = (classes[places] == wanted)[:, np.newaxis]
    apart = np.where(is_known, of_classes[places, new.places], of_all[new.places])
    return ClassPosteriors(apart, (apart - of_all[new.places]).mean(axis=0))
