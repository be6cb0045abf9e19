"""What the tasks of a campaign can be made of: opened sets of images, pairs to ask about, images with known labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from regauge.arrays import NO_CLASS, BoolArray, IdArray, IntArray, ScoreArray
from regauge.campaigns.fields import SHOW_SCORE
from regauge.campaigns.quizzes import LessonTasks
from regauge.errors import InputError
from regauge.estimates import count_things
from regauge.fields import FieldError
from regauge.records.campaigns.campaign import CampaignImage, CampaignPlan, Payload
from regauge.records.guide.images import HiddenImages
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
        digests: per image the SHA-256 of its bytes, empty where it is not known; nothing where no kind asked for them.
    """

    entry: TestSetEntry
    test_set: TestSet
    has_file: BoolArray
    is_free: BoolArray
    digests: IdArray = field(default_factory=lambda: np.zeros(0, np.str_))

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
        FieldError: they are not shares, and cannot be set beside those of others.
    """
    known = scores[classes != NO_CLASS]
    if known.size and not (known.min() >= -ROUNDING and known.max() <= 1 + ROUNDING):
        raise FieldError(
            SHOW_SCORE.name,
            f"The scores of {participant} are not shares between 0 and 1, but run from {known.min():.3g} to "
            f"{known.max():.3g} and cannot be set beside others; add them as probabilities, or show "
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
        not_for: per pair that not everybody may judge, the numbers of those who may not.
        named: further sets by the settings that name them, where the kind compares images.
        pair_scores: per pair, the score of whoever answers it, where it has one and tasks show it.
        tested, trained: per campaign that tests people, or trains them, its images; where the kind compares images.
        new_sets: per set that a campaign tests people on beside the original one, all of its images; likewise.
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
    not_for: Mapping[tuple[str, int], tuple[int, ...]] = field(default_factory=dict)
    named: Mapping[str, OpenedSet] = field(default_factory=dict)
    tested: Mapping[str, HiddenImages] = field(default_factory=dict)
    trained: Mapping[str, HiddenImages] = field(default_factory=dict)
    pair_scores: Mapping[tuple[str, int], float] = field(default_factory=dict)
    new_sets: Mapping[str, HiddenImages] = field(default_factory=dict)


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
    sets: Sequence[OpenedSet], pairs: Sequence[tuple[str, int]] | None, *, taxonomy: Taxonomy, asks_one: bool = False
) -> list[tuple[IntArray, IntArray]]:
    """Per set, the rows to ask about and the class of each: the pairs as they are given, or all images that can be taken.

    Args:
        sets: where images may come from.
        pairs: images and classes; None for every image with its dataset label.
        taxonomy: the classes.
        asks_one: whether the kind asks about one set alone, so that no other can be named beside it.

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
    if missing is not None and asks_one:
        raise InputError(f"Test set {names} has no image {missing!r}; leave its pairs out.")
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


def order_by_label(opened: OpenedSet, rows: IntArray, *, rng: np.random.Generator) -> list[int]:
    """Rows by their dataset label, in random order within each.

    The order of the labels is random, too: how far somebody is must not tell what the dataset calls an image.
    """
    shuffled = rows[rng.permutation(len(rows))]
    labels = opened.test_set.labels[shuffled]
    _, codes = np.unique(labels, return_inverse=True)
    ranks = rng.permutation(int(codes.max(initial=-1)) + 1)
    found: list[int] = shuffled[np.argsort(ranks[codes], kind="stable")].tolist()
    return found


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


def check_shared(one: OpenedSet, other: OpenedSet, *, rows: tuple[IntArray, IntArray], why: str) -> None:
    """Refuse two sets of which some images are the same, by id or by the checksum of their bytes.

    Args:
        one: a set.
        other: another one.
        rows: the images of each that matter.
        why: the rest of the sentence.

    Raises:
        InputError: there are some; the first is named.
    """
    if one.entry.id == other.entry.id:
        raise InputError(f"{one.entry.name} is named twice, {why}.")
    own, theirs = (_list_keys(opened, at) for opened, at in zip((one, other), rows, strict=True))
    same = [(image_id, theirs[key]) for key, image_id in own.items() if key in theirs]
    if same:
        first, second = same[0]
        # One image is there by its id and by its bytes.
        n = len({image_id for image_id, _ in same})
        called = repr(first) if first == second else f"{first!r}, which is {second!r} there"
        raise InputError(
            f"{one.entry.name} and {other.entry.name} share {count_things(n, 'image')}, the first of them {called}, {why}."
        )


def check_apart(opened: OpenedSet, rows: IntArray, *, images: HiddenImages, where: str) -> None:
    """Refuse images of a set that are among others, by id or by the checksum of their bytes.

    Args:
        opened: the set.
        rows: its images that matter.
        images: the others.
        where: where these are, and why that matters: the rest of the sentence.

    Raises:
        InputError: some are; the first is named.
    """
    same = opened.test_set.image_ids[rows[find_among(opened, rows, images=images)]].tolist()
    if same:
        there = f"{count_things(len(same), 'image')} of {opened.entry.name}, the first of them {same[0]!r},"
        raise InputError(f"{there} {'is' if len(same) == 1 else 'are'} {where}.")


def find_among(opened: OpenedSet, rows: IntArray, *, images: HiddenImages) -> BoolArray:
    """Whether each of some images of a set is among others, by id or by the checksum of its bytes."""
    keys = zip(opened.test_set.image_ids[rows].tolist(), opened.digests[rows].tolist(), strict=True)
    return np.array([one in images.image_ids or digest in images.digests for one, digest in keys], np.bool_)


def _list_keys(opened: OpenedSet, rows: IntArray) -> dict[str, str]:
    """What some images are known by, each with its id: the id, and the checksum where it is known."""
    ids = opened.test_set.image_ids[rows].tolist()
    digests = opened.digests[rows].tolist() if len(opened.digests) else []
    return {
        **{f"id {one}": one for one in ids},
        **{f"sha {one}": own for one, own in zip(digests, ids, strict=False) if one},
    }


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
