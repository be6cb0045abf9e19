"""Which images and pairs a campaign asks about; of a pool, those that can still be taken."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from regauge.errors import InputError
from regauge.records.arrays import BoolArray, IntArray
from regauge.records.studies import TestSetEntry, TestSetRole
from regauge.records.testsets import TestSet
from regauge.storage.pools import find_excluded
from regauge.storage.study import Study
from regauge.storage.testsets import get_test_set, load_places, load_test_set

LEFT_OUT = "n_left_out"
"""Where the settings of a campaign say how many candidates it leaves out, because they are excluded or have no file."""

MAX_SEED = 2**32 - 1

_Place = TypeVar("_Place")


def draw_seed() -> int:
    """A seed that nobody can guess: with it and the files one could make the same tasks, and see which cells are controls."""
    return secrets.randbelow(MAX_SEED + 1)


@dataclass(frozen=True, slots=True, eq=False)
class OpenedSet:
    """A set of images that people can look at.

    Attributes:
        entry: the test set, or the batch of a pool.
        test_set: its images.
        has_file: per image, whether its file is at hand; true for all of a test set.
        is_free: per image, whether it should be asked about; false for candidates that are excluded or have no file.
    """

    entry: TestSetEntry
    test_set: TestSet
    has_file: BoolArray
    is_free: BoolArray

    @property
    def rows(self) -> IntArray:
        """The rows of the images that should be asked about."""
        return np.flatnonzero(self.is_free).astype(np.int32)

    @property
    def left_out(self) -> frozenset[str]:
        """The images that nobody should be asked about."""
        return frozenset(self.test_set.image_ids[~self.is_free].tolist())


def open_images(study: Study, name: str | None) -> OpenedSet:
    """The images of a test set, whose files are all needed, or of a batch of a pool, of which some may still be fetched.

    Raises:
        InputError: there is no such set, or its image files are not at hand.
    """
    entry = get_test_set(study, name)
    is_pool = entry.role is TestSetRole.POOL
    has_file = np.array([bool(place.path) for place in load_places(study, entry)], np.bool_)
    if not (has_file.any() if is_pool else has_file.all()):
        command = "regauge pool add PATH --images DIR" if is_pool else "regauge testset add PATH --images DIR"
        raise InputError(
            f"The image files of {entry.name} are not at hand, so nobody can look at them; add them with: {command}."
        )
    test_set, excluded = load_test_set(study, entry), find_excluded(study, entry) if is_pool else {}
    is_free = has_file & np.array([one not in excluded for one in test_set.image_ids.tolist()], np.bool_)
    return OpenedSet(entry, test_set, has_file, is_free)


def find_pairs(
    study: Study, sets: Sequence[OpenedSet], *, pairs: Sequence[tuple[str, int]] | None
) -> list[tuple[IntArray, IntArray]]:
    """Per set, the rows to ask about and the class of each: the pairs as they are given, or all images that can be taken.

    Raises:
        InputError: an image is in none of the sets or in two of them, a class is unknown, or nothing is left to ask about.
    """
    test_sets = [one.test_set for one in sets]
    places = _place_images(test_sets)
    if pairs is None:
        if not any(one.is_free.any() for one in sets):
            names = " and ".join(one.name for one in test_sets)
            raise InputError(
                f"All images of {names} that have a file are excluded; see why with: regauge pool images --excluded."
            )
        return [(one.rows, one.test_set.labels[one.rows]) for one in sets]
    check_classes(study, [class_index for _, class_index in pairs])
    names = " or ".join(one.name for one in test_sets)
    rows: list[list[int]] = [[] for _ in test_sets]
    classes: list[list[int]] = [[] for _ in test_sets]
    missing = next((image_id for image_id, _ in pairs if image_id not in places), None)
    if missing is not None:
        raise InputError(
            f"Test set {names} has no image {missing!r}; name the test set or pool that has it with --also."
        )
    for image_id, class_index in pairs:
        which, row = places[image_id]
        check_file(sets[which], row)
        rows[which].append(row)
        classes[which].append(class_index)
    return [(np.array(own, np.int32), np.array(asked, np.int32)) for own, asked in zip(rows, classes, strict=True)]


def check_file(opened: OpenedSet, row: int) -> None:
    """Refuse an image that nobody can look at."""
    if not opened.has_file[row]:
        raise InputError(
            f"Image {str(opened.test_set.image_ids[row])!r} of {opened.entry.name} has no file, so nobody can look at it."
        )


def get_place(places: Mapping[str, _Place], image_id: str, *, test_set: str) -> _Place:
    """Where an image is, by its id.

    Raises:
        InputError: the test set does not have it.
    """
    if image_id not in places:
        raise InputError(f"Test set {test_set} has no image {image_id!r}.")
    return places[image_id]


def check_classes(study: Study, classes: Sequence[int]) -> None:
    """Refuse a class that the study does not have."""
    for class_index in classes:
        if not 0 <= class_index < len(study.taxonomy):
            raise InputError(
                f"Class {class_index} is none of the {len(study.taxonomy):,} classes of {study.taxonomy.name}."
            )


def _place_images(test_sets: Sequence[TestSet]) -> dict[str, tuple[int, int]]:
    """Per image id, in which set and row it is."""
    places: dict[str, tuple[int, int]] = {}
    for which, test_set in enumerate(test_sets):
        for row, image_id in enumerate(test_set.image_ids.tolist()):
            if image_id in places:
                raise InputError(
                    f"Image {image_id!r} is in {test_sets[places[image_id][0]].name} and in {test_set.name}; answers name images "
                    "by id alone, so sets that are asked about together share none."
                )
            places[image_id] = which, row
    return places
