"""The images of a campaign: how often classes were selected, and every answer about one of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from regauge.arrays import NO_CLASS, CountArray, FloatArray
from regauge.errors import InputError
from regauge.records.campaigns.campaign import CampaignEntry, ResponseStatus
from regauge.records.responses.figures import ImageCounts, ImageVote
from regauge.records.responses.ledgers import STATUSES
from regauge.records.responses.quality import (
    NEWCOMER,
    ClassAnswers,
    ImageAnswer,
    ImageAnswers,
    ImageList,
    ImageOrder,
    ImageRow,
    ListPage,
)
from regauge.responses.ledger import Ledger
from regauge.responses.live.kinds import FigureKind
from regauge.responses.live.shares import make_frequencies
from regauge.storage.campaigns.ledgers import find_images, find_names
from regauge.storage.moments import format_milliseconds
from regauge.storage.study import Study


def list_images(
    study: Study, campaign: CampaignEntry, *, counts: ImageCounts, order: ImageOrder, page: ListPage
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


class ImageReader(NamedTuple):
    """Reads what the answers of a ledger say about one image.

    Attributes:
        kind: what the tasks ask.
        ledger: the answers.
        number: the image's number in the campaign.
    """

    kind: FigureKind
    ledger: Ledger
    number: int

    def read_answers(self, study: Study, tasks: CountArray) -> Iterator[ImageAnswer]:
        """The answers to some tasks that show the image, in the order in which they came."""
        columns = self.ledger.columns
        marks = np.zeros(len(self.ledger.tasks) or 1, np.bool_)
        marks[tasks] = True
        rows = np.flatnonzero(marks[columns.tasks])
        rows = rows[np.argsort(columns.firsts[rows])]
        ids = columns.annotator_ids[columns.annotators[rows]].tolist()
        names, asked = find_names(study, ids), {task: self.list_asked(task) for task in tasks.tolist()}
        for row, annotator_id in zip(rows.tolist(), ids, strict=True):
            vote = self.kind.read_image(self.ledger.tasks, columns, row=row, image=self.number)
            if vote is not None:
                judged = asked[int(columns.tasks[row])] if vote.judged is None else vote.judged
                name = names.get(annotator_id, NEWCOMER)
                yield self._describe(vote, row=row, who=(annotator_id, name), asked=judged)

    def list_asked(self, task: int) -> tuple[int, ...]:
        """The classes that a task asks about."""
        return self.kind.list_asked(self.ledger.tasks, task=task)

    def _describe(self, vote: ImageVote, *, row: int, who: tuple[int, str], asked: tuple[int, ...]) -> ImageAnswer:
        columns = self.ledger.columns
        task, seconds = int(columns.tasks[row]), float(columns.seconds[row])
        return ImageAnswer(
            annotator_id=who[0],
            annotator=who[1],
            task_id=int(self.ledger.tasks.ids[task]),
            asked=asked,
            selected=vote.selected,
            main=vote.main,
            seconds=None if np.isnan(seconds) else seconds,
            at=format_milliseconds(int(columns.received[row])),
            status=STATUSES[columns.statuses[row]],
            control=vote.control,
            is_revised=bool(columns.revisions[row]),
        )


def describe_image(study: Study, campaign: CampaignEntry, *, reader: ImageReader, tasks: CountArray) -> ImageAnswers:
    """All that was answered about an image.

    Args:
        study: the study.
        campaign: which campaign.
        reader: reads the answers about the image.
        tasks: the places of the tasks that show it.

    Raises:
        InputError: the campaign has no image of that number.
    """
    image = find_images(study, campaign, numbers=[reader.number]).get(reader.number)
    if image is None:
        raise InputError(f"Campaign {campaign.name} has no image {reader.number}.")
    answers = tuple(reader.read_answers(study, tasks))
    asked = dict.fromkeys(one for task in tasks.tolist() for one in reader.list_asked(task))
    classes = [_count_class(one, answers, has_main=reader.kind.HAS_MAIN) for one in asked]
    return ImageAnswers(
        number=reader.number,
        image_id=image.image_id,
        test_set=image.test_set,
        row=image.row,
        dataset_label=image.label,
        classes=tuple(sorted(classes, key=lambda one: (-(one.selected.value or 0.0), one.class_index))),
        answers=answers,
    )


def _count_class(class_index: int, answers: tuple[ImageAnswer, ...], *, has_main: bool) -> ClassAnswers:
    """How often a class was selected; somebody whom two grids show the pair counts once, with the first answer."""
    first: dict[int, ImageAnswer] = {}
    for one in answers:
        if one.status is ResponseStatus.COUNTED and class_index in one.asked:
            first.setdefault(one.annotator_id, one)
    n_selected = sum(class_index in one.selected for one in first.values())
    n_main = sum(one.main == class_index for one in first.values())
    return ClassAnswers(class_index, make_frequencies([n_selected], [len(first)])[0], n_main if has_main else None)


def _find_keys(counts: ImageCounts, order: ImageOrder) -> FloatArray:
    match order:
        case ImageOrder.NUMBER:
            return counts.images.astype(np.float64)
        case ImageOrder.FREQUENCY:
            return counts.frequencies
        case ImageOrder.DISAGREEMENT:
            return counts.disagreements
        case ImageOrder.ANSWERS:
            return np.where(counts.n_shown > 0, counts.n_shown.astype(np.float64), np.nan)
