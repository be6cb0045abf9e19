"""What it makes of a difference that a set is drawn class by class.

Among the best images of every class are those of classes in which the best are not very good. A distribution of true
frequencies of all candidates together takes them for better than they are.
"""

from __future__ import annotations

import numpy as np

from regauge.evaluation.gap_samples import Material
from regauge.records.arrays import FloatArray
from regauge.stats.deconvolution import climb, expect, find_likelihoods

CLASS_STEPS = 50
"""EM steps of a class from where all candidates together ended: enough to tell classes apart, too few to follow its noise."""


def find_class_offset(material: Material, *, family: FloatArray, of: FloatArray) -> FloatArray:
    """How the mean of functions of the true frequency changes for the new set when every class has a distribution of its own.

    It is found once for the images themselves, and moves an estimate and its samples alike.

    Args:
        material: both sets and the pool.
        family: the distributions that are mixed [members, grid].
        of: the functions on the grid [grid, functions].

    Returns:
        The changes [functions]; 0 where no candidates or no classes are known.
    """
    pool, pairs, wanted = material.pool, material.pool_pairs, material.new.classes
    if pool is None or pairs is None or pool.classes is None or wanted is None:
        return np.zeros(of.shape[1])
    classes, codes = np.unique(pool.classes, return_inverse=True)
    counts = np.zeros((len(classes), len(pairs.n_shown)))
    np.add.at(counts, (codes, pairs.places), 1)
    likelihoods = find_likelihoods(pairs.n_selected, pairs.n_shown) @ family.T
    together = climb(pairs.weights[np.newaxis], likelihoods)
    apart = climb(counts, likelihoods, start=together[0], max_steps=CLASS_STEPS)
    of_new = find_likelihoods(material.new_pairs.n_selected, material.new_pairs.n_shown)
    changes = expect(apart @ family, of_new, of=of) - expect(together @ family, of_new, of=of)
    # An image of a class without candidates changes nothing.
    places = np.searchsorted(classes, wanted).clip(max=len(classes) - 1)
    is_known = classes[places] == wanted
    return np.asarray(changes[places[is_known], material.new_pairs.places[is_known]].sum(axis=0) / len(material.new))
