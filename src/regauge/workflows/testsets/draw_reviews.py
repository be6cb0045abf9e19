"""Reviewing a drawn test set class by class: what there is to look at, what was looked at, and what a revision would do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from regauge.arrays import CountArray
from regauge.errors import InputError
from regauge.records.names import read_reason
from regauge.records.studies import TestSetEntry
from regauge.records.testsets.draws import ClassReview, ReviewedImage, RevisionForecast
from regauge.records.testsets.pool import DrawEntry, Exclusion, ExclusionRule
from regauge.records.testsets.sampling import Draw
from regauge.responses.live.shares import make_frequencies
from regauge.storage.events import add_event
from regauge.storage.study import Study
from regauge.storage.testsets.draws import (
    find_barred,
    find_pool,
    get_draw,
    insert_review,
    list_reviewed,
    load_draw,
    load_pool_rows,
)
from regauge.storage.testsets.pool import insert_exclusions, list_pools
from regauge.storage.testsets.test_set import get_test_set, list_test_sets, load_test_set
from regauge.testsets.draws import keep_removed
from regauge.workflows.testsets.draw_inputs import DrawInputs, draw_from_pool, load_inputs

MAX_REMEMBERED = 4
RESTORED = "restored"


@dataclass(frozen=True, slots=True, eq=False)
class Review:
    """A drawn test set under review.

    Attributes:
        entry: the test set.
        drawn: how it was drawn.
        draw: its images.
        pool_ids: per image, the batch that it is from.
        pool_rows: per image, its row there.
        removed: what reviewers have removed, by image.
        classes: how far the review is, class by class.
        n_barred: images that another rule has excluded in the pool since.
    """

    entry: TestSetEntry
    drawn: DrawEntry
    draw: Draw
    pool_ids: CountArray
    pool_rows: CountArray
    removed: Mapping[str, Exclusion]
    classes: tuple[ClassReview, ...]
    n_barred: int

    @property
    def n_reviewed(self) -> int:
        """Classes that somebody has looked at."""
        return sum(one.is_reviewed for one in self.classes)

    def get_class(self, class_index: int) -> ClassReview:
        """How far the review of a class is.

        Raises:
            InputError: the test set has no image of the class.
        """
        found = next((one for one in self.classes if one.class_index == class_index), None)
        if found is None:
            raise InputError(f"Test set {self.entry.name} has no image of class {class_index}.")
        return found


@dataclass(slots=True, eq=False)
class DrawMemory:
    """What draws look at, kept while people review: pools and versions of labels never change, only exclusions do."""

    kept: dict[int, DrawInputs] = field(default_factory=dict)

    def get(self, study: Study, entry: TestSetEntry, drawn: DrawEntry) -> DrawInputs:
        """The inputs of a draw, read once."""
        inputs = self.kept.get(entry.id)
        if inputs is None:
            inputs = load_inputs(study, drawn.plan, sources=drawn.sources)
            # Pages are read in several threads, so what is kept here may be gone the next moment.
            for known in list(self.kept)[: 1 - MAX_REMEMBERED]:
                self.kept.pop(known, None)
            self.kept[entry.id] = inputs
        return inputs


def open_review(study: Study, name: str) -> Review:
    """How far the review of a drawn test set is.

    Raises:
        InputError: the test set was not drawn.
    """
    entry = get_test_set(study, name)
    drawn, draw = get_draw(study, entry), load_draw(study, entry)
    barred = find_barred(study, entry)
    removed = keep_removed(barred)
    seen = _find_seen(study, entry)
    is_removed = np.array([one in removed for one in draw.image_ids.tolist()], np.bool_)
    is_seen = np.array([one in seen for one in draw.image_ids.tolist()], np.bool_)
    classes = []
    for index in np.unique(draw.classes).tolist():
        mine = draw.classes == index
        classes.append(ClassReview(index, int(mine.sum()), int(is_removed[mine].sum()), bool(is_seen[mine].all())))
    n_barred = len(barred.keys() - removed.keys())
    return Review(entry, drawn, draw, *load_pool_rows(study, entry), removed, tuple(classes), n_barred)


def list_class(review: Review, *, class_index: int) -> tuple[ReviewedImage, ...]:
    """The images of a class, in the order of the draw."""
    draw = review.draw
    rows = np.flatnonzero(draw.classes == class_index)
    shares = make_frequencies(draw.n_selected[rows], draw.n_shown[rows])
    return tuple(
        ReviewedImage(
            image_id=str(draw.image_ids[row]),
            pool_id=int(review.pool_ids[row]),
            pool_row=int(review.pool_rows[row]),
            frequency=share,
            keyword=str(draw.keywords[row]),
            is_carried=bool(draw.is_carried[row]),
            is_upward=bool(draw.is_upward[row]),
            removed=review.removed.get(str(draw.image_ids[row])),
        )
        for row, share in zip(rows.tolist(), shares, strict=True)
    )


def find_pictures(study: Study, *names: str) -> dict[str, tuple[int, int]]:
    """Per image of some drawn test sets, the batch that it is from and its row there."""
    found: dict[str, tuple[int, int]] = {}
    for name in names:
        entry = get_test_set(study, name)
        ids = load_test_set(study, entry).image_ids.tolist()
        pools, rows = load_pool_rows(study, entry)
        found |= zip(ids, zip(pools.tolist(), rows.tolist(), strict=True), strict=True)
    return found


def name_drawn(study: Study, test_set_id: int) -> str:
    """The name of the test set of a number.

    Raises:
        InputError: there is no test set of that number.
    """
    found = next((one.name for one in list_test_sets(study) if one.id == test_set_id), None)
    if found is None:
        raise InputError("There is no such test set.")
    return found


def is_candidate(study: Study, pool_id: int, row: int) -> bool:
    """Whether there is an image of that row in a batch of the pool."""
    return any(one.id == pool_id and row < one.n_images for one in list_pools(study))


def mark_reviewed(study: Study, name: str, *, class_index: int) -> None:
    """Keep that somebody has looked at every image of a class; a second time changes nothing.

    Raises:
        InputError: the test set was not drawn, or has no image of the class.
    """
    review = open_review(study, name)
    review.get_class(class_index)
    if insert_review(study, review.entry, class_index):
        add_event(study, "testset review", {"name": name, "class": class_index})


def remove_from_draw(study: Study, name: str, *, image_id: str, reason: str) -> Exclusion:
    """Remove an image as wrong: revisions of this and of all other sets are drawn without it.

    Raises:
        InputError: the image is not in the test set, was removed already, or no reason is given.
    """
    pool, removed = _find_removed(study, name, image_id)
    if removed is not None:
        raise InputError(f"Image {image_id!r} was removed already by {removed.who}: {removed.reason}.")
    words = read_reason(reason)
    return _note(study, name, pool, Exclusion(image_id, ExclusionRule.REVIEW, is_excluded=True, reason=words))


def restore_to_draw(study: Study, name: str, *, image_id: str, reason: str = RESTORED) -> Exclusion:
    """Take back that an image was removed.

    Raises:
        InputError: the image is not in the test set, or was not removed.
    """
    pool, removed = _find_removed(study, name, image_id)
    if removed is None:
        raise InputError(f"Image {image_id!r} of {name} was not removed, so it cannot be restored.")
    words = read_reason(reason)
    return _note(study, name, pool, Exclusion(image_id, ExclusionRule.REVIEW, is_excluded=False, reason=words))


def foresee_revision(
    study: Study, review: Review, *, memory: DrawMemory, class_index: int | None = None
) -> RevisionForecast:
    """What a revision that is drawn now would take anew and what it would lack, of one class or of all."""
    inputs = memory.get(study, review.entry, review.drawn)
    if class_index is not None:
        inputs = inputs.keep_class(class_index)
    found = draw_from_pool(study, review.draw.plan, inputs, previous=review.draw.image_ids.tolist())
    return RevisionForecast(int((~found.is_carried).sum()), found.shortfalls)


def _find_seen(study: Study, entry: TestSetEntry) -> set[str]:
    """Images that somebody has looked at: those of the classes reviewed in the test set, or in one that it revises."""
    seen: set[str] = set()
    for one in _list_line(study, entry):
        classes = list_reviewed(study, one)
        if classes:
            draw = load_draw(study, one)
            seen |= set(draw.image_ids[np.isin(draw.classes, classes)].tolist())
    return seen


def _list_line(study: Study, entry: TestSetEntry) -> Iterator[TestSetEntry]:
    """The test set, the one that it revises, the one which that revises, and so on."""
    known = {one.id: one for one in list_test_sets(study)}
    found: TestSetEntry | None = entry
    while found is not None:
        yield found
        found = known.get(found.parent_id) if found.parent_id is not None else None


def _find_removed(study: Study, name: str, image_id: str) -> tuple[TestSetEntry, Exclusion | None]:
    """The batch that an image of a drawn test set is from, and why it was removed, if it was."""
    entry = get_test_set(study, name)
    get_draw(study, entry)
    pool_id = find_pool(study, entry, image_id=image_id)
    if pool_id is None:
        raise InputError(f"Image {image_id!r} is not in the test set {name}.")
    pool = next(one for one in list_pools(study) if one.id == pool_id)
    return pool, keep_removed(find_barred(study, entry)).get(image_id)


def _note(study: Study, name: str, pool: TestSetEntry, one: Exclusion) -> Exclusion:
    insert_exclusions(study, pool, [one])
    what = "testset remove" if one.is_excluded else "testset restore"
    add_event(study, what, {"name": name, "image": one.image_id, "pool": pool.name, "reason": one.reason})
    return replace(one, who=study.around.who, at=study.around.now())
