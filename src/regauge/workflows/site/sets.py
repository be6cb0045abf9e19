"""One test set or batch of a pool, as the pages of a website need it: read when a page first asks, and then kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regauge.arrays import NO_CLASS, CountArray, IntArray
from regauge.evaluation.lookups import NO_PAIR, find_target_rows
from regauge.evaluation.site.counts import count_classes, count_images
from regauge.evaluation.site.wrong_answers import WrongAnswers, find_wrong_answers
from regauge.evaluation.targets import Target, line_up
from regauge.formats.site import sets as packed
from regauge.labels.selection import keep_images
from regauge.records.labels.label_set import LabelSet, Truth
from regauge.records.mistakes.coding import CodingEntry
from regauge.records.site import SitePictures
from regauge.records.studies import LabelSetEntry, PredictionsEntry, TestSetEntry, TestSetRole
from regauge.records.testsets.pool import Exclusion
from regauge.records.testsets.test_set import TestSet
from regauge.storage.arrays import open_array
from regauge.storage.labels.evidence import find_evidence, find_frequencies, find_objects
from regauge.storage.labels.label_set import load_label_set
from regauge.storage.mistakes.codings import load_coding
from regauge.storage.people.pseudonyms import find_pseudonyms
from regauge.storage.study import Study
from regauge.storage.testsets.draws import find_draw, load_draw
from regauge.storage.testsets.pool import find_excluded, load_fact
from regauge.storage.testsets.test_set import load_places

Payload = Mapping[str, Any]

BLOCK = 480
"""Images whose answers by everybody are in one chunk."""
SHARD = 50
"""Classes whose wrong answers are in one chunk."""


@dataclass(eq=False)
class SiteSet:
    """A test set or a batch of a pool.

    Attributes:
        entry: which one.
        test_set: its images.
        predictions: whose answers, in the order of the website's participants.
        labels: the versions of label sets that cover an image of it, by their number on the website.
        codings: the coded mistakes on it, likewise.
        n_classes: how many classes the taxonomy has.
        pictures: the number of the copy of each image, -1 where there is none; None where nothing was meant to be copied.
    """

    entry: TestSetEntry
    test_set: TestSet
    predictions: tuple[PredictionsEntry, ...]
    labels: Mapping[int, LabelSetEntry]
    codings: Mapping[int, CodingEntry]
    n_classes: int
    pictures: CountArray | None = None
    _firsts: NDArray[np.integer[Any]] | None = field(default=None, init=False, repr=False)
    _wrong: WrongAnswers | None = field(default=None, init=False, repr=False)
    _target: Target | None = field(default=None, init=False, repr=False)

    @property
    def is_pool(self) -> bool:
        """Whether it is a batch of candidates."""
        return self.entry.role is TestSetRole.POOL

    @property
    def n_blocks(self) -> int:
        """How many chunks of answers by image there are."""
        return -(-len(self.test_set) // BLOCK) if self.predictions else 0

    @property
    def n_shards(self) -> int:
        """How many chunks of wrong answers there are."""
        return -(-self.n_classes // SHARD) if self.predictions else 0

    @property
    def order(self) -> CountArray:
        """The images by dataset label, those of a label in row order, those without at the end: so they lie in blocks."""
        labels = self.test_set.labels
        return np.argsort(np.where(labels == NO_CLASS, self.n_classes, labels), kind="stable")

    def load_firsts(self, study: Study) -> NDArray[np.integer[Any]]:
        """Everybody's first answers [participants, images]."""
        if self._firsts is None:
            kind = np.int16 if self.n_classes <= np.iinfo(np.int16).max else np.int32
            self._firsts = np.full((len(self.predictions), len(self.test_set)), NO_CLASS, kind)
            for row, one in enumerate(study.around.track(self.predictions, "Reading predictions")):
                shape = (len(self.test_set), one.k)
                answers = open_array(one.sha256, study.paths.predictions, shape=shape, dtype=np.int32)
                self._firsts[row] = answers[:, 0]
        return self._firsts

    def line_up(self) -> Target:
        """The images with their dataset labels alone, which others are lined up with."""
        if self._target is None:
            self._target = line_up(Truth(self.test_set), n_classes=self.n_classes)
        return self._target

    def pack_images(self, study: Study) -> Payload:
        """The images, with what candidates of a pool have besides."""
        counts = count_images(self.load_firsts(study), self.test_set.labels)
        found = dict(packed.pack_images(self.test_set, n_answered=counts.n_answered, n_right=counts.n_right))
        if self.is_pool:
            excluded, keywords = _hide_names(study, self.entry), load_fact(study, self.entry, name="keywords")
            found["pool"] = packed.pack_exclusions(self.test_set, excluded, keywords=keywords)
        elif find_draw(study, self.entry) is not None:
            found["drawn"] = packed.pack_draw(load_draw(study, self.entry))
        return found

    def pack_firsts(self, study: Study, place: int) -> Payload:
        """The first answers of one participant."""
        return packed.pack_firsts(self.load_firsts(study)[place])

    def pack_block(self, study: Study, number: int) -> Payload:
        """Everybody's first answers to the images of a block."""
        rows = self.order[number * BLOCK : (number + 1) * BLOCK]
        return packed.pack_block(rows, self.load_firsts(study)[:, rows])

    def pack_class_counts(self, study: Study) -> Payload:
        """How often everybody is right, by class."""
        counts = count_classes(self.load_firsts(study), self.test_set.labels, n_classes=self.n_classes)
        return packed.pack_class_counts(counts.n_right, counts.n_answered)

    def pack_wrong(self, study: Study, number: int) -> Payload:
        """Images that were wrongly taken for the classes of a shard."""
        if self._wrong is None:
            self._wrong = find_wrong_answers(self.load_firsts(study), self.test_set.labels, n_classes=self.n_classes)
        starts = self._wrong.starts[number * SHARD : (number + 1) * SHARD + 1]
        part = slice(int(starts[0]), int(starts[-1]))
        return packed.pack_wrong(starts, rows=self._wrong.rows[part], n_participants=self._wrong.n_participants[part])

    def load_labels(self, study: Study, entry: LabelSetEntry) -> tuple[LabelSet, NDArray[np.bool_]]:
        """A label set in the rows of the images, and which of them it knows."""
        kept = keep_images(load_label_set(study, entry), set(self.test_set.image_ids.tolist()))
        target = line_up(Truth(self.test_set, (kept,)), n_classes=self.n_classes)
        return target.label_sets[0], target.is_known[0]

    def pack_labels(self, study: Study, number: int) -> Payload:
        """The verdicts of a version of a label set."""
        entry = self.labels[number]
        label_set, is_known = self.load_labels(study, entry)
        objects = find_objects(study, entry)
        n_objects = None
        if objects is not None:
            n_objects = self._line_up(objects.image_ids, objects.n_objects)
        return packed.pack_labels(label_set, is_known=is_known, n_objects=n_objects)

    def pack_objects(self, study: Study, number: int) -> Payload | None:
        """The objects of a version of a label set; None where none are known."""
        found = find_objects(study, self.labels[number])
        if found is None:
            return None
        n = len(self.test_set)
        objects: list[list[list[int]]] = [[] for _ in range(n)]
        names: list[list[int]] = [[] for _ in range(n)]
        for place, row in enumerate(find_target_rows(self.line_up(), found.image_ids).tolist()):
            if row != NO_PAIR:
                objects[row], names[row] = found.get_objects(place), found.get_names(place)
        return packed.pack_objects(objects, names)

    def pack_frequencies(self, study: Study, number: int) -> Payload | None:
        """How often classes were selected; None where that is not known."""
        found = find_frequencies(study, self.labels[number])
        if found is None:
            return None
        rows = find_target_rows(self.line_up(), found.image_ids)[found.images]
        order = np.lexsort((found.classes, rows))
        order = order[rows[order] != NO_PAIR]
        starts = np.searchsorted(rows[order], np.arange(len(self.test_set) + 1))
        columns = {"n_shown": found.n_shown[order], "n_selected": found.n_selected[order]}
        return packed.pack_frequencies(starts, classes=found.classes[order], **columns)

    def pack_evidence(self, study: Study, number: int) -> Payload | None:
        """What verdicts rest on, by counts of votes; None where nothing is known."""
        found = find_evidence(study, self.labels[number])
        rows = find_target_rows(self.line_up(), found.image_ids)[found.images]
        kept = np.flatnonzero(rows != NO_PAIR)
        if not len(kept):
            return None
        kept = kept[np.argsort(rows[kept], kind="stable")]
        # What people typed as a reason may name somebody.
        write = cache(find_pseudonyms(study).write)
        entries = [replace(one, reason=write(one.reason)) for one in (found.entries[at] for at in kept.tolist())]
        return packed.pack_evidence(rows[kept].tolist(), found.classes[kept].tolist(), entries=entries)

    def pack_coding(self, study: Study, number: int) -> Payload:
        """The coded mistakes of one participant."""
        return packed.pack_coding(load_coding(study, self.codings[number]), self.line_up().row_by_id)

    def pack_pictures(self, study: Study, mode: SitePictures) -> Payload | None:
        """Which images have a picture, or the paths of those that are linked; None where there are no pictures at all."""
        if mode is SitePictures.NONE:
            return None
        if self.pictures is not None:
            return packed.pack_copied(self.pictures)
        paths = [place.path for place in load_places(study, self.entry)]
        if mode is SitePictures.LINKS:
            return packed.pack_linked(paths)
        return packed.pack_pictured(np.array([path != "" for path in paths], np.bool_))

    def load_answers(self, study: Study) -> Iterator[IntArray]:
        """Everybody's answers [images, k] as they lie on the disk, one after the other."""
        for one in self.predictions:
            yield open_array(one.sha256, study.paths.predictions, shape=(len(self.test_set), one.k), dtype=np.int32)

    def _line_up(self, image_ids: NDArray[np.str_], values: CountArray) -> IntArray:
        rows = find_target_rows(self.line_up(), image_ids)
        found = np.zeros(len(self.test_set), np.int32)
        found[rows[rows != NO_PAIR]] = values[rows != NO_PAIR]
        return found


def _hide_names(study: Study, entry: TestSetEntry) -> dict[str, tuple[Exclusion, ...]]:
    """What holds against the images of a batch, with pseudonyms for whoever a reason names."""
    write = cache(find_pseudonyms(study).write)
    return {
        image_id: tuple(replace(one, reason=write(one.reason)) for one in held)
        for image_id, held in find_excluded(study, entry).items()
    }
