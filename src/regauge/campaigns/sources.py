"""What the tasks of a campaign can be made of: opened sets of images, pairs to ask about, images with known labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from regauge.arrays import NO_CLASS, BoolArray, IntArray, ScoreArray
from regauge.campaigns.fields import SHOW_SCORE
from regauge.campaigns.quizzes import LessonTasks
from regauge.errors import InputError
from regauge.fields import FieldError
from regauge.records.campaigns.campaign import CampaignImage, CampaignPlan, Payload
from regauge.records.labels.label_set import LabelSet
from regauge.records.studies import TestSetEntry
from regauge.records.taxonomy import Taxonomy
from regauge.records.testsets.test_set import TestSet

_Place = TypeVar("_Place")

ROUNDING = 1e-5
"""So far a share may be from 0 and 1: they were computed in half precision here and there."""


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


@dataclass(slots=True, eq=False)
class Album:
    """The images of a campaign, numbered as they come.

    Attributes:
        numbers: image → its number.
        is_closed: whether the campaign is stored, so that no image can join.
    """

    numbers: dict[CampaignImage, int] = field(default_factory=dict)
    is_closed: bool = False

    def add(self, test_set: TestSetEntry, rows: IntArray) -> IntArray:
        """The numbers of some images; where none can join, of those that are there."""
        images = [CampaignImage(test_set.id, int(row)) for row in rows]
        if self.is_closed:
            images = [image for image in images if image in self.numbers]
        return np.array([self.numbers.setdefault(image, len(self.numbers)) for image in images], np.int32)

    def find_labels(self, sets: Sequence[OpenedSet]) -> IntArray:
        """Per number, the dataset label; the sets hold all images of the album."""
        labels = {one.entry.id: one.test_set.labels for one in sets}
        return np.array([labels[image.test_set_id][image.row] for image in self.numbers], np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class AnswerScores:
    """What participants answer to the images of a set, and with which scores: per participant [image, k], in row order."""

    classes: tuple[IntArray, ...]
    scores: tuple[ScoreArray, ...]

    def find_highest(self, rows: IntArray, classes: IntArray) -> ScoreArray:
        """Per image and class, the highest score that a participant gives the class; NaN where it is among nobody's answers."""
        highest = np.full(len(rows), -np.inf, np.float32)
        for answers, scores in zip(self.classes, self.scores, strict=True):
            own = np.where(answers[rows] == classes[:, None], scores[rows], -np.inf).max(axis=1)
            highest = np.maximum(highest, own)
        return np.where(np.isneginf(highest), np.nan, highest).astype(np.float32)


def check_scores(participant: str, classes: IntArray, *, scores: ScoreArray) -> ScoreArray:
    """The scores of a participant's answers, which must be shares.

    Raises:
        FieldError: they are no shares, and cannot be set beside those of others.
    """
    known = scores[classes != NO_CLASS]
    if known.size and not (known.min() >= -ROUNDING and known.max() <= 1 + ROUNDING):
        raise FieldError(
            SHOW_SCORE.name,
            f"The scores of {participant} are no shares from 0 to 1, but run from {known.min():.3g} to "
            f"{known.max():.3g}, so that they cannot be set beside others; add them as probabilities, or show "
            "none.",
        )
    return np.clip(scores, 0.0, 1.0)


@dataclass(frozen=True, slots=True, eq=False)
class Sources:
    """What a kind makes the tasks of a campaign of.

    Attributes:
        plan: how the campaign is run.
        sets: the images to ask about; answers name them by id, so no two sets share one.
        pairs: image ids with classes; None for every image that can be taken with its dataset label.
        known: images whose labels are believed, for controls and lessons; None where the kind needs none.
        settings: what the kind asks for besides, as its fields have it.
        taxonomy: the classes.
        seed: decides every random choice.
        order: image ids in the order in which they are to be worked on; empty where the kind may choose it.
        verdicts: a label set that is believed, whose pairs can be controls; None where the campaign names none.
        scores: what participants answer to the first of the sets, with scores; None where these are not shown.
    """

    plan: CampaignPlan
    sets: tuple[OpenedSet, ...]
    pairs: Sequence[tuple[str, int]] | None
    known: OpenedSet | None
    settings: Mapping[str, Any]
    taxonomy: Taxonomy
    seed: int = 0
    order: tuple[str, ...] = ()
    verdicts: LabelSet | None = None
    scores: AnswerScores | None = None


@dataclass(frozen=True, slots=True, eq=False)
class MadeTasks:
    """The tasks of a campaign, what they show, and what is kept of how they were made.

    Attributes:
        tasks: what is asked, in the order in which it is given out.
        album: the images of tasks and lessons.
        lessons: what comes before the first task.
        settings: how it was made, for the record.
        instructions: what to do, unless the campaign says it; empty for what is usual for the kind.
    """

    tasks: Sequence[Payload]
    album: Album
    lessons: LessonTasks = field(default_factory=LessonTasks)
    settings: Mapping[str, Any] = field(default_factory=dict)
    instructions: str = ""


def find_pairs(
    sets: Sequence[OpenedSet], pairs: Sequence[tuple[str, int]] | None, *, taxonomy: Taxonomy
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
        for one in sets:
            n_unlabelled = int((one.test_set.labels[one.rows] == NO_CLASS).sum())
            if n_unlabelled:
                raise InputError(
                    f"{n_unlabelled:,} of {len(one.rows):,} images of {one.test_set.name} have no dataset label, and nothing "
                    "else says which class to ask about; name images and classes in a file of pairs with `pairs=…`."
                )
        return [(one.rows, one.test_set.labels[one.rows]) for one in sets]
    check_classes([class_index for _, class_index in pairs], taxonomy=taxonomy)
    names = " or ".join(one.name for one in test_sets)
    rows: list[list[int]] = [[] for _ in test_sets]
    classes: list[list[int]] = [[] for _ in test_sets]
    missing = next((image_id for image_id, _ in pairs if image_id not in places), None)
    if missing is not None:
        raise InputError(
            f"Test set {names} has no image {missing!r}; name the test set or pool that has it with `also=…`."
        )
    for image_id, class_index in pairs:
        which, row = places[image_id]
        check_file(sets[which], row)
        rows[which].append(row)
        classes[which].append(class_index)
    return [(np.array(own, np.int32), np.array(asked, np.int32)) for own, asked in zip(rows, classes, strict=True)]


def group_pairs(pairs: Sequence[tuple[str, int]]) -> dict[str, list[int]]:
    """Per image its classes, both in the order in which they come.

    >>> group_pairs([("a", 3), ("b", 1), ("a", 2)])
    {'a': [3, 2], 'b': [1]}
    """
    grouped: dict[str, list[int]] = {}
    for image_id, class_index in pairs:
        grouped.setdefault(image_id, []).append(class_index)
    return grouped


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


def check_classes(classes: Sequence[int], *, taxonomy: Taxonomy) -> None:
    """Refuse a class that the study does not have."""
    for class_index in classes:
        if not 0 <= class_index < len(taxonomy):
            raise InputError(f"Class {class_index} is none of the {len(taxonomy):,} classes of {taxonomy.name}.")


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
