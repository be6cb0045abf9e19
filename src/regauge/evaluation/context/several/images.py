"""The images whose objects are known, in one row order with what participants answered, and how many others each stands for.

Objects come from CLASSIFY. Easy images are not asked about and have one object; of the follow-up images some may have no answers
yet, or none that were released. Those that have then stand for all of them, so that easy images do not count for more than they
are.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from regauge.arrays import NO_CLASS, BoolArray, CountArray, FloatArray, IntArray
from regauge.errors import InputError
from regauge.evaluation.context.contract import ContextMaterial
from regauge.evaluation.lookups import NO_PAIR, find_target_rows
from regauge.evaluation.targets import NO_ROW
from regauge.records.candidates import SplitPart
from regauge.records.labels.objects import NO_OBJECT, ImageObjects
from regauge.stats.weighted_shares import WeighedShares, weigh_shares

_CELLS = 2**24
"""So many answers are compared with objects at once."""


@dataclass(frozen=True, eq=False)
class ObjectImages:
    """Images of known objects; all columns have one entry per image, and objects go image after image.

    Attributes:
        rows: their rows in the target.
        labels: their dataset labels; `NO_CLASS` where there is none.
        n_objects: from 1 up.
        starts: where the objects of each image start [n + 1].
        names: what each object is called.
        dataset_objects: the number of the object that holds the dataset label; `NO_OBJECT` where none does.
        main_objects: the number of the main object; `NO_OBJECT` where it is not known.
        label_keys: image · stride + class of every label that means an object, ascending.
        label_objects: the number of the object that each of these means.
        stride: one more than the highest class.
        stratum: 1 for follow-up images, 0 for others.
        weights: how many images one of each stratum stands for.
    """

    rows: CountArray
    labels: IntArray
    n_objects: CountArray
    starts: CountArray
    names: IntArray
    dataset_objects: IntArray
    main_objects: IntArray
    label_keys: CountArray
    label_objects: IntArray
    stride: int
    stratum: IntArray
    weights: tuple[float, float] = (1.0, 1.0)
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def object_images(self) -> CountArray:
        """The image that each object is in."""
        return np.repeat(np.arange(len(self)), self.n_objects)

    @cached_property
    def has_several(self) -> BoolArray:
        """Which images have several objects."""
        return np.asarray(self.n_objects > 1, np.bool_)

    @property
    def has_other_main(self) -> BoolArray:
        """Images of several objects whose main object is known and is not the one that holds the dataset label."""
        is_known = (self.dataset_objects != NO_OBJECT) & (self.main_objects != NO_OBJECT)
        return np.asarray(self.has_several & is_known & (self.dataset_objects != self.main_objects), np.bool_)

    @property
    def is_weighed(self) -> bool:
        """Whether images stand for different numbers of others."""
        return self.weights[0] != self.weights[1]

    @property
    def image_weights(self) -> FloatArray:
        """How many images each stands for."""
        return np.asarray(self.weights)[self.stratum]

    def find_named(self, firsts: IntArray) -> BoolArray:
        """Whether the answer of each participant is what an object of the image is called [participants, images]."""
        named = np.zeros(firsts.shape, np.bool_)
        step = max(1, _CELLS // max(1, len(self.names)))
        for start in range(0, len(firsts), step):
            part = slice(start, start + step)
            hits = firsts[part][:, self.object_images] == self.names
            named[part] = np.logical_or.reduceat(hits, self.starts[:-1], axis=1) if len(self) else False
        return named

    def find_meant(self, firsts: IntArray) -> IntArray:
        """The number of the object that each answer means, `NO_OBJECT` where none [participants, images]."""
        found = np.full(firsts.shape, NO_OBJECT, np.int32)
        if not len(self.label_keys):
            return found
        images = np.arange(len(self), dtype=np.int64) * self.stride
        for place, answers in enumerate(firsts):
            keys = images + answers
            at = np.minimum(np.searchsorted(self.label_keys, keys), len(self.label_keys) - 1)
            hits = (self.label_keys[at] == keys) & (answers != NO_CLASS) & (answers < self.stride)
            found[place] = np.where(hits, self.label_objects[at], NO_OBJECT)
        return found

    def count(self, has: BoolArray, among: BoolArray) -> tuple[CountArray, CountArray]:
        """How many images have something, and among how many, by stratum [..., 2]; two-dimensional where `has` is."""
        both = np.stack([self.stratum == 0, self.stratum == 1])
        k = np.stack([(has & among & one).sum(axis=-1) for one in both], axis=-1)
        n = np.stack([np.broadcast_to(among & one, has.shape).sum(axis=-1) for one in both], axis=-1)
        return k, n

    def weigh(self, has: BoolArray, among: BoolArray, *, level: float) -> WeighedShares:
        """The share of the images that have something among those that could."""
        k, n = self.count(has, among)
        return weigh_shares(k, n, weights=self.weights, level=level)


def find_object_images(material: ContextMaterial) -> ObjectImages:
    """The images of the target whose objects are known; labels of objects that are placed nowhere mean none.

    Raises:
        InputError: there is no such image.
    """
    objects = material.objects
    if objects is None:
        raise InputError("Objects are needed here, and none are known.")
    of_target = find_target_rows(material.target, objects.image_ids)
    kept = np.flatnonzero((of_target != NO_ROW) & (objects.n_objects > 0))
    if not kept.size:
        raise InputError(
            f"{objects.name} knows objects of {len(objects):,} images, and none of these is an image of "
            f"{material.target.name}: the first is {_first(objects)}, the truth's first {str(material.target.image_ids[0])!r}. "
            "Write the ids the same way in both files."
        )
    rows = of_target[kept]
    labels = material.labels[rows]
    place_of = np.full(len(objects), NO_PAIR, np.int64)
    place_of[kept] = np.arange(len(kept))
    of_object = place_of[objects.object_images]
    names = objects.names[of_object != NO_PAIR]
    keys, meant, stride = _find_labels(objects, place_of)
    n_objects = objects.n_objects[kept]
    stratum, weights, notes = _find_weights(material, rows)
    return ObjectImages(
        rows=rows,
        labels=labels,
        n_objects=n_objects,
        starts=np.concatenate(([0], np.cumsum(n_objects))),
        names=names,
        dataset_objects=_look_up(keys, meant, labels, stride),
        main_objects=objects.main_objects[kept],
        label_keys=keys,
        label_objects=meant,
        stride=stride,
        stratum=stratum,
        weights=weights,
        notes=notes,
    )


def _first(objects: ImageObjects) -> str:
    return repr(str(objects.image_ids[0])) if len(objects) else "missing"


def _find_labels(objects: ImageObjects, place_of: CountArray) -> tuple[CountArray, IntArray, int]:
    """The labels of the kept images by image and class, and the number of the object that each means."""
    of_label = objects.label_objects
    images = objects.object_images[of_label]
    kept = np.flatnonzero(place_of[images] != NO_PAIR)
    stride = int(objects.classes.max(initial=0)) + 1
    keys = place_of[images[kept]] * stride + objects.classes[kept]
    order = np.argsort(keys, kind="stable")
    numbers = (of_label - objects.object_starts[images])[kept]
    return keys[order], numbers[order].astype(np.int32), stride


def _look_up(keys: CountArray, meant: IntArray, labels: IntArray, stride: int) -> IntArray:
    wanted = np.arange(len(labels), dtype=np.int64) * stride + labels
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    hits = (keys[at] == wanted) & (labels != NO_CLASS) & (labels < stride)
    return np.where(hits, meant[at], NO_OBJECT).astype(np.int32)


def _find_weights(material: ContextMaterial, rows: CountArray) -> tuple[IntArray, tuple[float, float], tuple[str, ...]]:
    """The stratum of every image, what one of each stands for, and what to say of it."""
    stratum = np.zeros(len(rows), np.int32)
    if material.parts is None:
        return stratum, (1.0, 1.0), ()
    ids = material.target.image_ids
    follow_up = np.array([material.parts.get(one) is SplitPart.FOLLOW_UP for one in ids.tolist()], np.bool_)
    stratum[follow_up[rows]] = 1
    n_all, n_known = int(follow_up.sum()), int(stratum.sum())
    if n_known in {0, n_all}:
        return stratum, (1.0, 1.0), ()
    note = (
        f"Objects are known of {n_known:,} of {n_all:,} follow-up images; each of these stands for {n_all / n_known:.2f} of "
        "them, as if they were a random part."
    )
    return stratum, (1.0, n_all / n_known), (note,)
