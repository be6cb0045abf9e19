"""Answers read row by row, as plain objects: what the columns of the product are held against."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from sqlalchemy import select

from regauge.arrays import NO_CLASS
from regauge.kinds.contains.task import read_not_shown
from regauge.records.campaigns.campaign import CampaignEntry, Payload, ResponseStatus, StoredResponse, TaskRole
from regauge.records.responses.answers import ClassifyResponses, ContainsResponses, Grids
from regauge.storage.campaigns.campaign import get_campaign, load_campaign_images
from regauge.storage.database.schema import annotators, responses, tasks
from regauge.storage.testsets.test_set import list_image_sets, load_test_set
from regauge.workflows.studies.study import Study


@dataclass(frozen=True, slots=True, eq=False)
class Read:
    """Tasks by number, image ids by number, and of each annotator on each task the last revision, in the order of the first."""

    campaign: CampaignEntry
    tasks: dict[int, Payload]
    image_ids: tuple[str, ...]
    answers: tuple[StoredResponse, ...]


def read_answers(study: Study, name: str, *, with_surplus: bool = False, with_dropped: bool = False) -> Read:
    """The answers that count, and others where they are wanted."""
    campaign = get_campaign(study, name)
    extra = {ResponseStatus.SURPLUS: with_surplus, ResponseStatus.DROPPED: with_dropped}
    last: dict[tuple[int, str], StoredResponse] = {}
    for one in read_responses(study, campaign):
        key = (one.task_id, one.annotator)
        is_wanted = one.status is ResponseStatus.COUNTED or extra.get(one.status, False)
        if is_wanted and (key not in last or one.revision >= last[key].revision):
            last[key] = one
    return Read(campaign, load_tasks(study, campaign), _read_image_ids(study, campaign), tuple(last.values()))


def read_responses(study: Study, campaign: CampaignEntry) -> Iterator[StoredResponse]:
    """Every answer to the tasks that the campaign is there for, in the order in which they came, revisions included."""
    names = ("id", "client_id", "task_id", "answer", "seconds", "revision", "status", "received_at")
    query = (
        select(*(responses.c[name] for name in names), annotators.c.name.label("annotator"))
        .select_from(responses)
        .join(tasks, tasks.c.id == responses.c.task_id)
        .join(annotators, annotators.c.id == responses.c.annotator_id)
        .where(tasks.c.campaign_id == campaign.id, tasks.c.role == TaskRole.WORK.value)
        .order_by(responses.c.id)
    )
    for row in study.connection.execute(query).mappings():
        yield StoredResponse(**{**row, "status": ResponseStatus(row["status"])})


@dataclass(frozen=True, slots=True, eq=False)
class Repeat:
    """Somebody's last answers to a task and to the same task later, cells by the places of the first."""

    annotator: str
    task_id: int
    task: Payload
    first: Payload
    second: Payload


def read_repeats(study: Study, name: str) -> list[Repeat]:
    """Everybody's pairs of answers to the same task."""
    campaign = get_campaign(study, name)
    query = (
        select(tasks.c.id, tasks.c.role, tasks.c.source_id, tasks.c.payload, annotators.c.name, responses.c.answer)
        .join(responses, responses.c.task_id == tasks.c.id)
        .join(annotators, annotators.c.id == responses.c.annotator_id)
        .where(tasks.c.campaign_id == campaign.id, responses.c.status != ResponseStatus.NOT_SHOWN.value)
        .order_by(responses.c.revision, responses.c.id)
    )
    found = study.connection.execute(query).all()
    first = {(row.name, row.id): row for row in found if row.role == TaskRole.WORK}
    second = {(row.name, row.source_id): row for row in found if row.role == TaskRole.REPEAT}
    return [
        Repeat(who, task_id, mine.payload, mine.answer, _put_back(again.answer, again.payload, mine.payload))
        for (who, task_id), again in second.items()
        for mine in [first[who, task_id]]
    ]


def _put_back(answer: Payload, shuffled: Payload, task: Payload) -> Payload:
    """The answer to a shuffled grid by the places of the grid itself; other answers as they are."""
    places = [shuffled["cells"].index(cell) for cell in task.get("cells", ())]
    masks = {name: int(answer[name], 16) for name in ("mask", "not_shown") if places and name in answer}
    return {
        **answer,
        **{
            name: f"{sum((mask >> there & 1) << here for here, there in enumerate(places)):x}"
            for name, mask in masks.items()
        },
    }


def load_tasks(study: Study, campaign: CampaignEntry) -> dict[int, Payload]:
    """Every task by its number, in the order in which they are worked on."""
    query = select(tasks.c.id, tasks.c.payload).order_by(tasks.c.position)
    mine = (tasks.c.campaign_id == campaign.id, tasks.c.role == TaskRole.WORK.value)
    return {row.id: row.payload for row in study.connection.execute(query.where(*mine))}


def _read_image_ids(study: Study, campaign: CampaignEntry) -> tuple[str, ...]:
    images = load_campaign_images(study, campaign.id)
    needed = {image.test_set_id for image in images}
    ids = {entry.id: load_test_set(study, entry).image_ids for entry in list_image_sets(study) if entry.id in needed}
    return tuple(str(ids[image.test_set_id][image.row]) for image in images)


def build_grids(found: Read) -> ContainsResponses:
    """Answers to grids, one after the other; an annotator who was shown fewer cells has a grid of their own."""
    shown: dict[tuple[int, int], int] = {(number, 0): place for place, number in enumerate(found.tasks)}
    for one in found.answers:
        shown.setdefault((one.task_id, read_not_shown(one.answer)), len(shown))
    cells = [
        [cell for place, cell in enumerate(found.tasks[number]["cells"]) if not missing >> place & 1]
        for number, missing in shown
    ]
    images = sorted({number for task in found.tasks.values() for number, _ in task["cells"]})
    people = list(dict.fromkeys(one.annotator for one in found.answers))
    return ContainsResponses(
        grids=Grids(
            task_ids=np.array([str(number) for number, _ in shown], np.str_),
            classes=np.array([found.tasks[number]["class"] for number, _ in shown], np.int32),
            starts=np.concatenate(([0], np.cumsum([len(one) for one in cells]))),
            image_ids=np.array([found.image_ids[number] for number in images], np.str_),
            cell_images=np.array([images.index(number) for one in cells for number, _ in one], np.int32),
            cell_controls=np.array([control for one in cells for _, control in one], np.uint8),
        ),
        annotator_ids=np.array(people, np.str_),
        response_grids=np.array([shown[one.task_id, read_not_shown(one.answer)] for one in found.answers], np.int32),
        response_annotators=np.array([people.index(one.annotator) for one in found.answers], np.int32),
        masks=np.array([_read_mask(one.answer, found.tasks[one.task_id]) for one in found.answers], np.uint64),
        seconds=np.array([np.nan if one.seconds is None else one.seconds for one in found.answers], np.float64),
    )


def build_choices(found: Read) -> ClassifyResponses:
    """Labels of images, one answer after the other."""
    places, people = list(found.tasks), list(dict.fromkeys(one.annotator for one in found.answers))
    selected = [one.answer["selected"] for one in found.answers]
    candidates = [task["candidates"] for task in found.tasks.values()]
    mains = [one.answer["main"] for one in found.answers]
    return ClassifyResponses(
        image_ids=np.array([found.image_ids[task["image"]] for task in found.tasks.values()], np.str_),
        annotator_ids=np.array(people, np.str_),
        response_images=np.array([places.index(one.task_id) for one in found.answers], np.int32),
        response_annotators=np.array([people.index(one.annotator) for one in found.answers], np.int32),
        starts=np.concatenate(([0], np.cumsum([len(one) for one in selected]))).astype(np.int64),
        selected=np.array([label for one in selected for label in one], np.int32),
        main=np.array([NO_CLASS if main is None else main for main in mains], np.int32),
        candidate_starts=np.concatenate(([0], np.cumsum([len(one) for one in candidates]))).astype(np.int64),
        candidates=np.array([label for one in candidates for label in one], np.int32),
        seconds=np.array([np.nan if one.seconds is None else one.seconds for one in found.answers], np.float64),
    )


def _read_mask(answer: Payload, task: Payload) -> int:
    """The selected cells among those that were shown."""
    mask, missing = int(answer["mask"], 16), read_not_shown(answer)
    left = [place for place in range(len(task["cells"])) if not missing >> place & 1]
    return sum(1 << cell for cell, place in enumerate(left) if mask >> place & 1)
