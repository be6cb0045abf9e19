"""The objects in images: which labels mean one object, what it is called, and how sure people were."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from regauge.arrays import NO_CLASS, CountArray, FloatArray, IdArray, IntArray, freeze, freeze_ids
from regauge.errors import InputError
from regauge.estimates import DEFAULT_LEVEL

NO_OBJECT = -1
"""Stands where an image has no main object, no dataset object, or where a label belongs to no object."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ImageObjects:
    """The objects of images, as they travel beside a label set: per object its name and all labels that mean it.

    The objects of image i are `object_starts[i]:object_starts[i + 1]`; the labels of object j are
    `classes[label_starts[j]:label_starts[j + 1]]`. An image whose objects are not known has none.

    Attributes:
        name: what outputs call them; that of their label set.
        image_ids: one distinct id per image.
        object_starts: where the objects of each image start [n + 1].
        names: per object, the class that it is called by: one of its labels.
        label_starts: where the labels of each object start.
        classes: class indices, object after object; a label means one object of an image at most.
        main_objects: per image, the number of its main object from 0; `NO_OBJECT` where it is not known.
    """

    name: str
    image_ids: IdArray
    object_starts: CountArray
    names: IntArray
    label_starts: CountArray
    classes: IntArray
    main_objects: IntArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "image_ids", freeze_ids(self.image_ids, owner=f"Objects {self.name}"))
        for column, kind in (
            ("object_starts", np.int64),
            ("names", np.int32),
            ("label_starts", np.int64),
            ("classes", np.int32),
            ("main_objects", np.int32),
        ):
            object.__setattr__(self, column, freeze(getattr(self, column), kind))
        self._check_shapes()
        self._check_labels()

    @classmethod
    def from_lists(
        cls,
        name: str,
        image_ids: ArrayLike,
        *,
        objects: Sequence[Sequence[Sequence[int]]],
        names: Sequence[Sequence[int]] | None = None,
        main_objects: Sequence[int] | None = None,
    ) -> ImageObjects:
        """The objects from one list of lists of labels per image.

        Args:
            name: what outputs call them.
            image_ids: one distinct id per image; the lists below are in this order.
            objects: per image and object, its labels.
            names: per image and object, the label that it is called by; the first label by default.
            main_objects: per image, the number of its main object from 0; `NO_OBJECT` where it is not known.
        """
        empty = next((number for number, image in enumerate(objects) if not all(image)), None)
        if empty is not None:
            raise InputError(
                f"Objects {name}: image {np.asarray(image_ids)[empty]!s} has an object without labels; it needs at least one."
            )
        called = [[labels[0] for labels in image] for image in objects] if names is None else names
        return cls(
            name=name,
            image_ids=np.asarray(image_ids, np.str_),
            object_starts=_accumulate(len(image) for image in objects),
            names=np.array([label for image in called for label in image], np.int32),
            label_starts=_accumulate(len(labels) for image in objects for labels in image),
            classes=np.array([label for image in objects for labels in image for label in labels], np.int32),
            main_objects=np.full(len(objects), NO_OBJECT, np.int32)
            if main_objects is None
            else np.asarray(main_objects, np.int32),
        )

    def __len__(self) -> int:
        return len(self.image_ids)

    def __repr__(self) -> str:
        return f"<ImageObjects {self.name}: {len(self.names):,} objects of {len(self):,} images>"

    @property
    def n_objects(self) -> CountArray:
        """How many objects each image has; 0 where they are not known."""
        return np.diff(self.object_starts)

    @property
    def object_images(self) -> CountArray:
        """The position of the image that each object is in."""
        return np.repeat(np.arange(len(self), dtype=np.int64), self.n_objects)

    @property
    def label_objects(self) -> CountArray:
        """The position of the object that each label means."""
        return np.repeat(np.arange(len(self.names), dtype=np.int64), np.diff(self.label_starts))

    def get_objects(self, row: int) -> list[list[int]]:
        """The labels of every object of one image."""
        places = range(int(self.object_starts[row]), int(self.object_starts[row + 1]))
        return [self.classes[self.label_starts[place] : self.label_starts[place + 1]].tolist() for place in places]

    def get_names(self, row: int) -> list[int]:
        """What the objects of one image are called."""
        return list(self.names[self.object_starts[row] : self.object_starts[row + 1]].tolist())

    def _check_shapes(self) -> None:
        n, n_objects = len(self.image_ids), len(self.names)
        if not _is_partition(self.object_starts, n, n_objects) or self.main_objects.shape != (n,):
            raise InputError(f"Objects {self.name}: {n:,} images need {n + 1:,} starts and {n:,} main objects.")
        if not _is_partition(self.label_starts, n_objects, len(self.classes)):
            raise InputError(
                f"Objects {self.name}: {n_objects:,} objects need {n_objects + 1:,} places of their labels."
            )
        if (np.diff(self.label_starts) < 1).any():
            raise InputError(f"Objects {self.name}: an object has at least one label.")
        wrong = (self.main_objects < NO_OBJECT) | (self.main_objects >= self.n_objects)
        if wrong.any():
            row = int(np.argmax(wrong))
            raise InputError(
                f"Objects {self.name}: image {str(self.image_ids[row])!r} has {self.n_objects[row]} objects, "
                f"so its main object cannot be number {self.main_objects[row]} (counted from 0)."
            )

    def _check_labels(self) -> None:
        if self.classes.min(initial=0) < 0:
            raise InputError(f"Objects {self.name}: a label is a class index from 0 up, not {self.classes.min()}.")
        images = self.object_images[self.label_objects]
        order = np.lexsort((self.classes, images))
        twice = np.flatnonzero((np.diff(images[order]) == 0) & (np.diff(self.classes[order]) == 0))
        if twice.size:
            at = int(order[twice[0] + 1])
            raise InputError(
                f"Objects {self.name}: image {str(self.image_ids[images[at]])!r} has label {self.classes[at]} in two places; a "
                "label means one object."
            )
        n_named = np.bincount(
            self.label_objects[self.classes == self.names[self.label_objects]], minlength=len(self.names)
        )
        if (n_named == 0).any():
            at = int(np.argmin(n_named))
            raise InputError(
                f"Objects {self.name}: an object of image {str(self.image_ids[self.object_images[at]])!r} is called "
                f"{self.names[at]}, which is none of its labels."
            )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ClassifyLabels:
    """What CLASSIFY answers say of every image, with the counts behind it.

    The labels that were selected for image i are `starts[i]:starts[i + 1]`, the most selected first, equal ones by index.

    Attributes:
        objects: the objects of every image.
        main_labels: the most frequent main answer; `NO_CLASS` where nobody's answer was accepted.
        n_agreeing: accepted annotators who selected as many labels as the image has objects.
        n_accepted: annotators whose answer was accepted.
        n_shown: all annotators who were shown the image.
        starts: where the labels of each image start [n + 1].
        classes: every label that an accepted annotator selected.
        n_selected: how many of them selected it.
        n_main: how many of them named it as the main object's.
        label_objects: the number of the object that it means, from 0; `NO_OBJECT` where it was placed in none.
        cut_weights: the weight of the heaviest cut; 0 with a single object.
        n_best_cuts: how many partitions have that weight: 1 where the objects are certain, 0 where there are none.
        dataset_labels: the label in the dataset; `NO_CLASS` where it is not known.
        dataset_objects: the number of the object that holds it; `NO_OBJECT` where none does.
        confidence_low: lower limits of the share n_agreeing / n_shown, NaN where nobody was shown the image.
        confidence_high: upper limits.
        level: nominal coverage of these limits.
    """

    objects: ImageObjects
    main_labels: IntArray
    n_agreeing: CountArray
    n_accepted: CountArray
    n_shown: CountArray
    starts: CountArray
    classes: IntArray
    n_selected: CountArray
    n_main: CountArray
    label_objects: IntArray
    cut_weights: CountArray
    n_best_cuts: CountArray
    dataset_labels: IntArray
    dataset_objects: IntArray
    confidence_low: FloatArray
    confidence_high: FloatArray
    level: float = DEFAULT_LEVEL

    def __post_init__(self) -> None:
        for column in ("main_labels", "classes", "label_objects", "dataset_labels", "dataset_objects"):
            object.__setattr__(self, column, freeze(getattr(self, column), np.int32))
        per_label = ("n_selected", "n_main")
        per_image = ("n_agreeing", "n_accepted", "n_shown", "cut_weights", "n_best_cuts")
        for column in ("starts", *per_label, *per_image):
            object.__setattr__(self, column, freeze(getattr(self, column), np.int64))
        n = len(self.objects)
        if any(getattr(self, column).shape != (n,) for column in (*per_image, "main_labels", "dataset_objects")):
            raise InputError(f"{n:,} images need {n:,} counts, main labels and dataset objects each.")
        if not _is_partition(self.starts, n, len(self.classes)):
            raise InputError("The selected labels must be one column, image after image.")

    def __len__(self) -> int:
        return len(self.objects)

    def __repr__(self) -> str:
        n_several = int((self.objects.n_objects > 1).sum())
        return f"<ClassifyLabels: {len(self):,} images, {n_several:,} of them with several objects>"

    @property
    def confidences(self) -> FloatArray:
        """The share of all annotators shown the image who gave its number of objects; NaN where nobody's answer counts."""
        is_judged = self.n_accepted > 0
        return np.where(is_judged, self.n_agreeing / np.maximum(self.n_shown, 1), np.nan)

    def get_unplaced(self, row: int) -> list[int]:
        """The labels of one image that were selected and belong to no object."""
        labels = slice(int(self.starts[row]), int(self.starts[row + 1]))
        return list(self.classes[labels][self.label_objects[labels] == NO_OBJECT].tolist())


def keep_known(value: int, nothing: int = NO_CLASS) -> int | None:
    """The number, or None where it stands for nothing."""
    return None if value == nothing else int(value)


def _accumulate(lengths: Iterator[int] | Sequence[int]) -> CountArray:
    return np.concatenate(([0], np.cumsum(np.fromiter(lengths, np.int64)))).astype(np.int64)


def _is_partition(starts: CountArray, n_parts: int, n_whole: int) -> bool:
    return bool(
        starts.shape == (n_parts + 1,) and starts[0] == 0 and starts[-1] == n_whole and not (np.diff(starts) < 0).any()
    )
