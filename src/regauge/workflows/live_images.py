"""The images of a campaign: how often classes were selected, and every answer about one of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from regauge.errors import InputError
from regauge.labels.frequencies import count_selections
from regauge.records.arrays import NO_CLASS, BoolArray, CountArray, FloatArray, IntArray
from regauge.records.campaigns import CampaignEntry, Kind, ResponseStatus
from regauge.records.frequencies import SelectionCounts
from regauge.records.ledgers import STATUSES
from regauge.records.quality import (
    NEWCOMER,
    ClassAnswers,
    ImageAnswer,
    ImageAnswers,
    ImageList,
    ImageOrder,
    ImageRow,
    Page,
)
from regauge.records.responses import Control, Grids
from regauge.responses.live.grids import GridMemory
from regauge.responses.live.images import ImageCounts
from regauge.responses.live.ledger import Ledger
from regauge.responses.live.shares import make_frequencies
from regauge.responses.screening import screen
from regauge.storage.ledgers import find_images, find_names
from regauge.storage.study import Study
from regauge.workflows.moments import format_moment


class PairCounter:
    """Counts every pair of image and class of a CONTAINS campaign, as `aggregate contains` does before screening."""

    def __init__(self) -> None:
        self._grids = GridMemory()
        self._pairs: _Pairs | None = None

    def count(self, ledger: Ledger) -> ImageCounts:
        """How many were shown each pair, and selected it, over the answers that count."""
        responses = self._grids.copy_responses(ledger, only_counted=True)
        counts = count_selections(responses, screen(responses, None)).counts
        if self._pairs is None or self._pairs.grids is not responses.grids:
            numbers = counts.image_ids.astype(np.int32)[counts.images]
            self._pairs = _Pairs(responses.grids, numbers, _find_controls(responses.grids, counts))
        pairs = self._pairs
        return ImageCounts(pairs.images, counts.classes, counts.n_shown, counts.n_selected, pairs.is_control)


class _Pairs(NamedTuple):
    """What of the pairs of some grids never changes: the number of the image, and whether it is there as a control alone."""

    grids: Grids
    images: IntArray
    is_control: BoolArray


def _find_controls(grids: Grids, counts: SelectionCounts) -> BoolArray:
    """Which pairs are in grids as controls alone."""
    pairs = counts.images.astype(np.int64) << 32 | counts.classes
    is_asked = grids.cell_controls == Control.NONE
    classes = np.repeat(grids.classes, np.diff(grids.starts))
    marks = np.ones(len(pairs), np.bool_)
    # Pairs come by image and class, so each is found by halving.
    marks[np.searchsorted(pairs, (grids.cell_images.astype(np.int64) << 32 | classes)[is_asked])] = False
    return marks


def list_images(
    study: Study, campaign: CampaignEntry, *, counts: ImageCounts, order: ImageOrder, page: Page
) -> ImageList:
    """A part of the images of a campaign, with what the counts say of them."""
    keys = _find_keys(counts, order)
    in_order = np.argsort(-keys if page.is_descending else keys, kind="stable")
    places = in_order[page.offset : page.offset + page.limit]
    found = find_images(study, campaign, numbers=counts.images[places].tolist())
    shares = make_frequencies(counts.n_selected[places], counts.n_shown[places])
    disagreements = counts.disagreements
    rows = (
        ImageRow(
            number=int(counts.images[place]),
            image_id=found[int(counts.images[place])].image_id,
            class_index=None if counts.classes[place] == NO_CLASS else int(counts.classes[place]),
            frequency=share,
            disagreement=None if np.isnan(disagreements[place]) else float(disagreements[place]),
            is_control=bool(counts.is_control[place]),
        )
        for place, share in zip(places.tolist(), shares, strict=True)
    )
    return ImageList(tuple(rows), len(counts))


def describe_image(
    study: Study, campaign: CampaignEntry, *, ledger: Ledger, tasks: CountArray, number: int
) -> ImageAnswers:
    """All that was answered about an image.

    Args:
        study: the study.
        campaign: which campaign.
        ledger: its answers.
        tasks: the places of the tasks that show the image.
        number: the image's number in the campaign.

    Raises:
        InputError: the campaign has no image of that number.
    """
    image = find_images(study, campaign, numbers=[number]).get(number)
    if image is None:
        raise InputError(f"Campaign {campaign.name} has no image {number}.")
    reader = _Reader(ledger, number)
    answers = tuple(reader.read_answers(study, tasks))
    asked = dict.fromkeys(one for task in tasks.tolist() for one in reader.list_asked(task))
    classes = [_count_class(campaign.kind, one, answers) for one in asked]
    return ImageAnswers(
        number=number,
        image_id=image.image_id,
        test_set=image.test_set,
        row=image.row,
        dataset_label=image.label,
        classes=tuple(sorted(classes, key=lambda one: (-(one.selected.value or 0.0), one.class_index))),
        answers=answers,
    )


class _Reader:
    """Reads what the answers of a ledger say about one image."""

    def __init__(self, ledger: Ledger, number: int) -> None:
        self._ledger, self._number = ledger, number
        self._columns = ledger.columns

    def read_answers(self, study: Study, tasks: CountArray) -> Iterator[ImageAnswer]:
        """The answers to some tasks, in the order in which they came."""
        columns = self._columns
        marks = np.zeros(len(self._ledger.tasks) or 1, np.bool_)
        marks[tasks] = True
        rows = np.flatnonzero(marks[columns.tasks])
        rows = rows[np.argsort(columns.firsts[rows])]
        ids = columns.annotator_ids[columns.annotators[rows]].tolist()
        names = find_names(study, ids)
        for row, annotator_id in zip(rows.tolist(), ids, strict=True):
            if self._was_shown(row):
                yield self._read(row, annotator_id, names.get(annotator_id, NEWCOMER))

    def list_asked(self, task: int) -> tuple[int, ...]:
        """The classes that a task asks about."""
        if self._ledger.kind is Kind.CONTAINS:
            return (int(self._ledger.tasks.subjects[task]),)
        return tuple(self._list_items(task))

    def _was_shown(self, row: int) -> bool:
        if self._ledger.kind is not Kind.CONTAINS:
            return True
        cell = self._list_items(int(self._columns.tasks[row])).index(self._number)
        return not int(self._columns.not_shown[row]) >> cell & 1

    def _list_items(self, task: int) -> list[int]:
        tasks = self._ledger.tasks
        items: list[int] = tasks.items[tasks.starts[task] : tasks.starts[task + 1]].tolist()
        return items

    def _read(self, row: int, annotator_id: int, name: str) -> ImageAnswer:
        columns, task = self._columns, int(self._columns.tasks[row])
        asked = self.list_asked(task)
        mask, main, control = int(columns.masks[row]), int(columns.mains[row]), Control.NONE
        if self._ledger.kind is Kind.CONTAINS:
            cell = self._list_items(task).index(self._number)
            control = Control(self._ledger.tasks.controls[self._ledger.tasks.starts[task] + cell])
            mask = mask >> cell & 1
        seconds = float(columns.seconds[row])
        return ImageAnswer(
            annotator_id=annotator_id,
            annotator=name,
            task_id=int(self._ledger.tasks.ids[task]),
            asked=asked,
            selected=tuple(one for place, one in enumerate(asked) if mask >> place & 1),
            main=asked[main] if main >= 0 else None,
            seconds=None if np.isnan(seconds) else seconds,
            at=format_moment(int(columns.received[row])),
            status=STATUSES[columns.statuses[row]],
            control=control,
            is_revised=bool(columns.revisions[row]),
        )


def _count_class(kind: Kind, class_index: int, answers: tuple[ImageAnswer, ...]) -> ClassAnswers:
    """How often a class was selected; somebody whom two grids show the pair counts once, with the first answer."""
    first: dict[int, ImageAnswer] = {}
    for one in answers:
        if one.status is ResponseStatus.COUNTED and class_index in one.asked:
            first.setdefault(one.annotator_id, one)
    n_selected = sum(class_index in one.selected for one in first.values())
    n_main = sum(one.main == class_index for one in first.values())
    return ClassAnswers(
        class_index, make_frequencies([n_selected], [len(first)])[0], n_main if kind is Kind.CLASSIFY else None
    )


def _find_keys(counts: ImageCounts, order: ImageOrder) -> FloatArray:
    return {
        ImageOrder.NUMBER: counts.images.astype(np.float64),
        ImageOrder.FREQUENCY: counts.frequencies,
        ImageOrder.DISAGREEMENT: counts.disagreements,
        ImageOrder.ANSWERS: np.where(counts.n_shown > 0, counts.n_shown.astype(np.float64), np.nan),
    }[order]
