"""A version of a label set as what changed against the one before it; a review of a hundred verdicts is a hundred rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from regauge.arrays import BoolArray, CountArray, IdArray, IntArray, freeze
from regauge.errors import InputError
from regauge.records.labels.label_set import LabelSet, VerdictArray

NO_VERDICT = -1
"""Stands for the verdict on a class that has none any more."""


@dataclass(frozen=True, slots=True, eq=False)
class VersionChanges:
    """What turns the images and verdicts of one label set into those of another.

    Attributes:
        removed: images that went.
        images: images that came, or of which more than a verdict changed.
        is_problematic: per image of `images`, whether it is problematic now.
        main_labels: per image of `images`, its main label now.
        verdict_images: per verdict that changed, the id of its image.
        classes: its class.
        verdicts: what it is now; `NO_VERDICT` where the class has none any more.
    """

    removed: IdArray
    images: IdArray
    is_problematic: BoolArray
    main_labels: IntArray
    verdict_images: IdArray
    classes: IntArray
    verdicts: VerdictArray

    def __post_init__(self) -> None:
        for name in ("removed", "images", "verdict_images"):
            object.__setattr__(self, name, freeze(np.asarray(getattr(self, name), np.str_), np.str_))
        object.__setattr__(self, "is_problematic", freeze(self.is_problematic, np.bool_))
        for name in ("main_labels", "classes"):
            object.__setattr__(self, name, freeze(getattr(self, name), np.int32))
        object.__setattr__(self, "verdicts", freeze(self.verdicts, np.int8))

    def __len__(self) -> int:
        return len(self.removed) + len(self.images) + len(self.classes)

    @classmethod
    def between(cls, before: LabelSet, after: LabelSet) -> VersionChanges:
        """What turns one into the other; the order of images, and of verdicts within an image, is not part of it."""
        pairs = PairedVersions.of(before, after)
        here = pairs.codes_after
        is_new = ~pairs.is_before[here]
        place = pairs.places_before[here]
        is_other = is_new | (before.is_problematic[place] != after.is_problematic)
        is_other |= before.main_labels[place] != after.main_labels
        keys, _, now = pairs.find_changed()
        return cls(
            removed=before.image_ids[~pairs.is_after[pairs.codes_before]],
            images=after.image_ids[is_other],
            is_problematic=after.is_problematic[is_other],
            main_labels=after.main_labels[is_other],
            verdict_images=pairs.image_ids[keys // pairs.stride],
            classes=(keys % pairs.stride).astype(np.int32),
            verdicts=now,
        )

    def apply(self, before: LabelSet) -> LabelSet:
        """The later version: images in the order of the earlier one, then those that came; of an image, its verdicts likewise.

        Raises:
            InputError: a changed verdict is of an image that neither the earlier version has nor came.
        """
        is_kept = ~np.isin(before.image_ids, self.removed)
        came = self.images[~np.isin(self.images, before.image_ids[is_kept])] if len(self.images) else self.images
        ids = np.concatenate((before.image_ids[is_kept], came)).astype(np.str_)
        order = np.argsort(ids)
        is_problematic = np.concatenate((before.is_problematic[is_kept], np.zeros(len(came), np.bool_)))
        main_labels = np.concatenate((before.main_labels[is_kept], np.zeros(len(came), np.int32)))
        rows = _find_rows(ids, order, self.images)
        is_problematic[rows], main_labels[rows] = self.is_problematic, self.main_labels
        starts, classes, verdicts = self._apply_verdicts(
            before, is_kept, rows=_find_rows(ids, order, self.verdict_images)
        )
        return replace(
            before,
            image_ids=ids,
            starts=np.concatenate((starts, np.full(len(ids) + 1 - len(starts), starts[-1]))),
            classes=classes,
            verdicts=verdicts,
            is_problematic=is_problematic,
            main_labels=main_labels,
        )

    def _apply_verdicts(
        self, before: LabelSet, is_kept: BoolArray, *, rows: CountArray
    ) -> tuple[CountArray, IntArray, VerdictArray]:
        """Where the verdicts of each image start, their classes, and the verdicts."""
        stride = 1 + int(max(before.classes.max(initial=0), self.classes.max(initial=0)))
        is_own = is_kept[before.rows]
        own = (np.cumsum(is_kept) - 1)[before.rows[is_own]]
        keys, verdicts = own * stride + before.classes[is_own], before.verdicts[is_own]
        is_touched = np.zeros(max(int(is_kept.sum()), int(rows.max(initial=-1)) + 1), np.bool_)
        is_touched[rows] = True
        # Few images change as a rule, and what is said of the others stays as it is.
        is_old = is_touched[own]
        changed, held = _join(
            np.concatenate((keys[is_old], rows * stride + self.classes)),
            np.concatenate((verdicts[is_old], self.verdicts)),
            stride,
        )
        found, held = np.concatenate((keys[~is_old], changed)), np.concatenate((verdicts[~is_old], held))
        order = np.argsort(found // stride, kind="stable")
        found = found[order]
        lengths = np.bincount(found // stride, minlength=int(is_kept.sum()))
        return np.concatenate(([0], np.cumsum(lengths))), (found % stride).astype(np.int32), held[order]


def join_steps(steps: Iterable[VersionChanges]) -> Iterator[VersionChanges]:
    """The same changes in fewer steps, one after the other: steps that judge other pairs than those before them become one.

    What comes out is the same in every order and place. A step by which images come, go or change begins anew.
    """
    run: list[VersionChanges] = []
    pairs: set[tuple[str, int]] = set()
    for one in steps:
        own = set(zip(one.verdict_images.tolist(), one.classes.tolist(), strict=True))
        if run and (len(one.removed) or len(one.images) or not pairs.isdisjoint(own)):
            yield _merge(run)
            run, pairs = [], set()
        run.append(one)
        pairs |= own
    if run:
        yield _merge(run)


def _merge(run: Sequence[VersionChanges]) -> VersionChanges:
    """Verdicts of several steps, with the images of the first."""
    columns = ("verdict_images", "classes", "verdicts")
    return replace(run[0], **{name: np.concatenate([getattr(one, name) for one in run]) for name in columns})


@dataclass(frozen=True, slots=True, eq=False)
class PairedVersions:
    """Two label sets with their images numbered together, by id.

    Attributes:
        image_ids: all images of both, those of the earlier one first.
        codes_before: per image of the earlier one, its number.
        codes_after: per image of the later one, its number.
        is_before: per number, whether the earlier one has the image.
        is_after: per number, whether the later one has it.
        places_before: per number, its place in the earlier one; 0 where it has none.
        stride: more than any class.
        before: the earlier one.
        after: the later one.
    """

    image_ids: IdArray
    codes_before: CountArray
    codes_after: CountArray
    is_before: BoolArray
    is_after: BoolArray
    places_before: CountArray
    stride: int
    before: LabelSet
    after: LabelSet

    @classmethod
    def of(cls, before: LabelSet, after: LabelSet) -> PairedVersions:
        """Both, numbered."""
        n = len(before)
        both = np.concatenate((before.image_ids, after.image_ids)).astype(np.str_)
        first, numbers = _number(both, are_same=np.array_equal(before.image_ids, after.image_ids))
        is_before, is_after = np.zeros(len(first), np.bool_), np.zeros(len(first), np.bool_)
        is_before[numbers[:n]], is_after[numbers[n:]] = True, True
        places = np.zeros(len(first), np.int64)
        places[numbers[:n]] = np.arange(n)
        stride = 1 + int(max(before.classes.max(initial=0), after.classes.max(initial=0)))
        ids = both[np.sort(first)]
        return cls(ids, numbers[:n], numbers[n:], is_before, is_after, places, stride, before, after)

    def find_changed(self) -> tuple[CountArray, VerdictArray, VerdictArray]:
        """Pairs whose verdict differs, with what it was and is, by image and class; those of images that went are not told.

        A pair is its image's number times `stride` and its class; `NO_VERDICT` where a version has none.
        """
        old = self.codes_before[self.before.rows] * self.stride + self.before.classes
        new = self.codes_after[self.after.rows] * self.stride + self.after.classes
        is_there = self.is_after[old // self.stride]
        old, was = old[is_there], self.before.verdicts[is_there]
        # With counts the keys are sorted, which is much faster than looking each up in a table, as it would be without.
        keys, _ = np.unique(np.concatenate((old, new)), return_counts=True)
        then, now = np.full(len(keys), NO_VERDICT, np.int8), np.full(len(keys), NO_VERDICT, np.int8)
        then[np.searchsorted(keys, old)] = was
        now[np.searchsorted(keys, new)] = self.after.verdicts
        is_other = then != now
        return keys[is_other], then[is_other], now[is_other]


def _number(ids: IdArray, *, are_same: bool) -> tuple[CountArray, CountArray]:
    """Where each distinct id comes first, in any order, and per id its number in the order in which they come.

    Args:
        ids: those of two versions, one after the other.
        are_same: whether the second half is the first again, as it mostly is; then nothing need be looked up.
    """
    if are_same:
        places = np.arange(len(ids) // 2, dtype=np.int64)
        return places, np.tile(places, 2)
    _, first, codes = np.unique(ids, return_index=True, return_inverse=True)
    ranks = np.empty(len(first), np.int64)
    ranks[np.argsort(first)] = np.arange(len(first))
    return first, ranks[codes]


def _join(keys: CountArray, verdicts: VerdictArray, stride: int) -> tuple[CountArray, VerdictArray]:
    """Pairs by image, each once: of one that stands twice the later verdict holds, at the place of the earlier."""
    _, first, codes = np.unique(keys, return_index=True, return_inverse=True)
    held = np.empty(len(first), np.int8)
    held[codes] = verdicts
    order = np.lexsort((first, keys[first] // stride))
    order = order[held[order] != NO_VERDICT]
    return keys[first[order]], held[order]


def _find_rows(ids: IdArray, order: CountArray, wanted: IdArray) -> CountArray:
    """The place of each id, by the order that sorts all.

    Raises:
        InputError: an id is not among them.
    """
    if not len(wanted):
        return np.zeros(0, np.int64)
    places = np.minimum(np.searchsorted(ids, wanted, sorter=order), max(0, len(ids) - 1))
    rows = order[places] if len(ids) else places
    is_there = ids[rows] == wanted if len(ids) else np.zeros(len(wanted), np.bool_)
    if not is_there.all():
        raise InputError(
            f"A verdict changed on image {str(wanted[~is_there][0])!r}, which the label set does not have."
        )
    return np.asarray(rows, np.int64)
