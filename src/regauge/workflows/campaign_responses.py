"""What came back from a campaign, as the records that screening and counting take, and as files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from regauge.errors import InputError
from regauge.kinds.contains import task as contains_task
from regauge.kinds.contains.task import read_not_shown
from regauge.records.arrays import NO_CLASS
from regauge.records.campaigns import CampaignEntry, Kind, Payload, ResponseStatus, StoredResponse
from regauge.records.responses import ClassifyResponses, ContainsResponses, Control, Grids
from regauge.responses.partly_shown import leave_out_cells
from regauge.storage.campaigns import get_campaign, load_campaign_images, load_tasks
from regauge.storage.files import write_whole
from regauge.storage.responses import list_recent_responses, list_responses
from regauge.storage.study import Study
from regauge.storage.testsets import list_image_sets, load_test_set

CONTROL_NAMES = {Control.NONE: "", Control.POSITIVE: "positive", Control.NEGATIVE: "negative"}


@dataclass(frozen=True, slots=True, eq=False)
class CampaignAnswers:
    """The tasks of a campaign, the ids of its images by number, and the answers that hold.

    Attributes:
        campaign: which campaign.
        tasks: every task by its number.
        image_ids: per image number, the id.
        answers: of each annotator on each task the last revision, in the order in which the first ones came.
    """

    campaign: CampaignEntry
    tasks: dict[int, Payload]
    image_ids: tuple[str, ...]
    answers: tuple[StoredResponse, ...]


@dataclass(frozen=True, slots=True)
class RecentAnswer:
    """An answer that came not long ago, and to which campaign."""

    campaign: str
    response: StoredResponse


def load_answers(study: Study, name: str, *, with_surplus: bool = False, with_dropped: bool = False) -> CampaignAnswers:
    """The answers to a campaign that count, in their last revision.

    Args:
        study: the study.
        name: which campaign.
        with_surplus: whether those that came when a task had enough are wanted too.
        with_dropped: whether those of people who were dropped are.

    Raises:
        InputError: there is no such campaign.
    """
    campaign = get_campaign(study, name)
    extra = {ResponseStatus.SURPLUS: with_surplus, ResponseStatus.DROPPED: with_dropped}
    wanted = {ResponseStatus.COUNTED, *(status for status, is_wanted in extra.items() if is_wanted)}
    last: dict[tuple[int, str], StoredResponse] = {}
    for response in list_responses(study, campaign):
        key = (response.task_id, response.annotator)
        if response.status in wanted:
            is_newer = key not in last or response.revision >= last[key].revision
            last[key] = response if is_newer else last[key]
    return CampaignAnswers(
        campaign, load_tasks(study, campaign), _load_image_ids(study, campaign), tuple(last.values())
    )


def to_contains_responses(found: CampaignAnswers) -> ContainsResponses:
    """The answers to a CONTAINS campaign as columns.

    Raises:
        InputError: the campaign is of another kind.
    """
    _check_kind(found, Kind.CONTAINS)
    kind = contains_task
    place_of = {number: place for place, number in enumerate(found.tasks)}
    cells = [kind.list_images(task) for task in found.tasks.values()]
    images, positions = np.unique(np.array([number for row in cells for number in row], np.int32), return_inverse=True)
    grids = Grids(
        task_ids=np.array([str(number) for number in found.tasks], np.str_),
        classes=np.array([task["class"] for task in found.tasks.values()], np.int32),
        starts=np.concatenate(([0], np.cumsum([len(row) for row in cells]))),
        image_ids=np.array([found.image_ids[number] for number in images.tolist()], np.str_),
        cell_images=positions.astype(np.int32),
        cell_controls=np.array([c for task in found.tasks.values() for c in kind.list_controls(task)], np.uint8),
    )
    names, annotators = _number([response.annotator for response in found.answers])
    whole = ContainsResponses(
        grids=grids,
        annotator_ids=names,
        response_grids=np.array([place_of[response.task_id] for response in found.answers], np.int32),
        response_annotators=annotators,
        masks=np.array([int(response.answer["mask"], 16) for response in found.answers], np.uint64),
        seconds=np.array([np.nan if one.seconds is None else one.seconds for one in found.answers], np.float64),
    )
    return leave_out_cells(whole, np.array([read_not_shown(one.answer) for one in found.answers], np.uint64))


def to_classify_responses(found: CampaignAnswers) -> ClassifyResponses:
    """The answers to a CLASSIFY campaign as columns.

    Raises:
        InputError: the campaign is of another kind.
    """
    _check_kind(found, Kind.CLASSIFY)
    place_of = {number: place for place, number in enumerate(found.tasks)}
    candidates = [task["candidates"] for task in found.tasks.values()]
    names, annotators = _number([response.annotator for response in found.answers])
    selected = [response.answer["selected"] for response in found.answers]
    return ClassifyResponses(
        image_ids=np.array([found.image_ids[task["image"]] for task in found.tasks.values()], np.str_),
        annotator_ids=names,
        response_images=np.array([place_of[response.task_id] for response in found.answers], np.int32),
        response_annotators=annotators,
        starts=np.concatenate(([0], np.cumsum([len(one) for one in selected]))).astype(np.int64),
        selected=np.array([label for one in selected for label in one], np.int32),
        main=np.array([_get_main(response.answer) for response in found.answers], np.int32),
        candidate_starts=np.concatenate(([0], np.cumsum([len(one) for one in candidates]))).astype(np.int64),
        candidates=np.array([label for one in candidates for label in one], np.int32),
        seconds=np.array([np.nan if one.seconds is None else one.seconds for one in found.answers], np.float64),
    )


def export_answers(study: Study, name: str, path: Path, *, with_surplus: bool = False) -> int:
    """Write the answers that count as `aggregate` reads them: CSV for CONTAINS, JSON Lines for CLASSIFY; returns how many.

    Those of people who were dropped are in no such file: whoever reads it could not tell them from others.

    Raises:
        InputError: there is no such campaign, or the file exists.
    """
    found = load_answers(study, name, with_surplus=with_surplus)
    with write_whole(path) as partial, partial.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(write_answers(found))
    return len(found.answers)


def write_answers(found: CampaignAnswers) -> Iterator[str]:
    """The lines of the file that `export_answers` writes."""
    return (f"{line}\n" for line in _WRITERS[found.campaign.kind](found))


def list_recent_answers(study: Study, *, limit: int = 20) -> tuple[RecentAnswer, ...]:
    """The last answers to any campaign, the newest first."""
    return tuple(RecentAnswer(campaign, response) for campaign, response in list_recent_responses(study, limit=limit))


def _write_contains(found: CampaignAnswers) -> Iterator[str]:
    yield "task_id,annotator_id,class,image_id,control,selected,seconds"
    for response in found.answers:
        task = found.tasks[response.task_id]
        mask, not_shown = int(response.answer["mask"], 16), read_not_shown(response.answer)
        seconds = "" if response.seconds is None else repr(response.seconds)
        for cell, (number, control) in enumerate(task["cells"]):
            if not_shown >> cell & 1:
                continue
            start = [
                str(response.task_id),
                _quote(response.annotator),
                str(task["class"]),
                _quote(found.image_ids[number]),
            ]
            yield ",".join([*start, CONTROL_NAMES[Control(control)], str(mask >> cell & 1), seconds])


def _write_classify(found: CampaignAnswers) -> Iterator[str]:
    for response in found.answers:
        task = found.tasks[response.task_id]
        yield json.dumps(
            {
                "image_id": found.image_ids[task["image"]],
                "annotator_id": response.annotator,
                "selected": response.answer["selected"],
                "main": response.answer["main"],
                "candidates": task["candidates"],
                "seconds": response.seconds,
            }
        )


_WRITERS: dict[Kind, Callable[[CampaignAnswers], Iterator[str]]] = {
    Kind.CONTAINS: _write_contains,
    Kind.CLASSIFY: _write_classify,
}


def _load_image_ids(study: Study, campaign: CampaignEntry) -> tuple[str, ...]:
    images = load_campaign_images(study, campaign.id)
    needed = {image.test_set_id for image in images}
    ids = {entry.id: load_test_set(study, entry).image_ids for entry in list_image_sets(study) if entry.id in needed}
    return tuple(str(ids[image.test_set_id][image.row]) for image in images)


def _get_main(answer: Payload) -> int:
    main = answer["main"]
    return NO_CLASS if main is None else int(main)


def _check_kind(found: CampaignAnswers, kind: Kind) -> None:
    if found.campaign.kind is not kind:
        raise InputError(f"Campaign {found.campaign.name} is of the kind {found.campaign.kind}, not {kind}.")


def _number(
    names: list[str],
) -> tuple[np.ndarray[tuple[int], np.dtype[np.str_]], np.ndarray[tuple[int], np.dtype[np.int32]]]:
    """The distinct names in the order in which they first occur, and the place of each."""
    place_of = {name: place for place, name in enumerate(dict.fromkeys(names))}
    return np.array(list(place_of), np.str_), np.array([place_of[name] for name in names], np.int32)


def _quote(text: str) -> str:
    """A CSV cell."""
    return f'"{text.replace(chr(34), chr(34) * 2)}"' if set(text) & set(',"\n\r') else text
