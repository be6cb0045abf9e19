"""What comes together with the dataset label: the other objects of images, and pairs of classes by how often they do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from regauge.arrays import NO_CLASS, CountArray, IntArray
from regauge.evaluation.context.contract import ContextMaterial
from regauge.evaluation.context.several.images import ObjectImages, find_object_images
from regauge.records.labels.objects import NO_OBJECT
from regauge.stats.weighted_shares import WeighedShares, weigh_shares


@dataclass(frozen=True, slots=True, eq=False)
class Company:
    """Objects beside the one that holds the dataset label.

    Attributes:
        images: per object, the image that it is in.
        names: per object, the class that it is called.
    """

    images: CountArray
    names: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class RankedPairs:
    """Pairs of classes, the strongest first.

    Attributes:
        labels: per pair, the dataset label.
        others: per pair, what another object of its images is called.
        n_images: per pair, images of the label that hold it.
        n: per pair, images of the label whose objects are known.
        shares: the share of these.
        places: per object of company, its pair.
    """

    labels: IntArray
    others: IntArray
    n_images: CountArray
    n: CountArray
    shares: WeighedShares
    places: CountArray


def find_company(images: ObjectImages) -> Company:
    """The objects of images beside the one that holds the dataset label; none of images where no object does."""
    owners = images.object_images
    numbers = np.arange(len(owners)) - images.starts[owners]
    own = images.dataset_objects[owners]
    is_beside = (own != NO_OBJECT) & (numbers != own)
    # Two objects of one name in an image are one.
    pairs = np.unique(np.stack([owners[is_beside], images.names[is_beside]], axis=1), axis=0)
    return Company(pairs[:, 0], pairs[:, 1].astype(np.int32))


def rank_pairs(images: ObjectImages, company: Company, *, level: float) -> RankedPairs:
    """Every pair that comes together in an image, by the share of the images of its label, then by images and by class."""
    stride = int(max(images.names.max(initial=0), images.labels.max(initial=0))) + 1
    keys = images.labels[company.images].astype(np.int64) * stride + company.names
    pairs, place = np.unique(keys, return_inverse=True)
    labels, others = (pairs // stride).astype(np.int32), (pairs % stride).astype(np.int32)
    k = np.zeros((len(pairs), 2), np.int64)
    np.add.at(k, (place.ravel(), images.stratum[company.images]), 1)
    of_class = np.zeros((stride, 2), np.int64)
    known = images.labels != NO_CLASS
    np.add.at(of_class, (images.labels[known], images.stratum[known]), 1)
    n = of_class[labels]
    found = weigh_shares(k, n, weights=images.weights, level=level)
    order = np.lexsort((others, labels, -n.sum(axis=1), -found.value))
    rank_of = np.empty(len(order), np.int64)
    rank_of[order] = np.arange(len(order))
    return RankedPairs(
        labels[order],
        others[order],
        k.sum(axis=1)[order],
        n.sum(axis=1)[order],
        WeighedShares(*(column[order] for column in found)),
        rank_of[place.ravel()],
    )


class CoOccurring(NamedTuple):
    """What is most often beside the dataset label, class by class.

    Attributes:
        classes: the name of that object; `NO_CLASS` where nothing is.
        n_beside: on how many images it is.
        n_known: images whose objects are known.
    """

    classes: CountArray
    n_beside: CountArray
    n_known: CountArray


def find_co_occurring(material: ContextMaterial, classes: CountArray, *, level: float) -> CoOccurring:
    """The other object that most images of each class hold; of equal ones the lower index."""
    beside, n_beside = np.full(material.n_classes, NO_CLASS, np.int64), np.zeros(material.n_classes, np.int64)
    n_known = np.zeros(material.n_classes, np.int64)
    if material.objects is not None:
        images = find_object_images(material)
        ranked = rank_pairs(images, find_company(images), level=level)
        labels, first = np.unique(ranked.labels, return_index=True)
        beside[labels], n_beside[labels] = ranked.others[first], ranked.n_images[first]
        n_known = np.bincount(images.labels[images.labels != NO_CLASS], minlength=material.n_classes)
    return CoOccurring(beside[classes], n_beside[classes], n_known[classes])
