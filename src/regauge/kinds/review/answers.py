"""REVIEW: stored tasks and answers as columns, and these as votes, or as the lines of a file.

The subject of a task is its image, or, of a grid, its class, as −1 − class; its items are the three verdicts on each class of
the image, or on each image of the grid.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from regauge.arrays import BoolArray, CountArray, IntArray
from regauge.campaigns.comments import LINK, is_returned
from regauge.campaigns.eligibility import EXPERTISE
from regauge.campaigns.reviews.votes import (
    N_VOTES,
    VOTES,
    LongVotes,
    find_pair_numbers,
    find_pairs,
    list_keys,
    list_votes,
    read_mask,
)
from regauge.kinds.contract import FileType
from regauge.kinds.review.gold import VERDICTS
from regauge.kinds.review.task import NOTHING_MORE, REFERS, is_grid, list_gold, list_items
from regauge.records.campaigns.campaign import Payload
from regauge.records.labels.review_votes import NO_GOLD, ReviewVotes
from regauge.records.labels.verdicts import Verdict
from regauge.records.responses.answers import Control, ControlArray
from regauge.records.responses.ledgers import NO_ITEM, AnswerMasks, HeldAnswers, TaskColumns
from regauge.responses.decoding import find_starts

FILE = FileType("jsonl", "application/jsonl")
NEEDS_TEXTS = True
"""Reasons, notes and classes that reviewers add are in no mask."""
_WHOLE = (1 << N_VOTES) - 1
"""All verdicts on one pair."""
__all__ = [
    "FILE",
    "NEEDS_TEXTS",
    "N_VOTES",
    "LongVotes",
    "find_controls",
    "find_deciding",
    "find_pair_numbers",
    "find_pairs",
    "list_votes",
    "make_responses",
    "parse_answers",
    "parse_tasks",
    "tell_note",
    "write_answers",
]


def parse_tasks(texts: Sequence[str], *, ids: CountArray, sources: CountArray) -> TaskColumns:
    """Tasks from what they show as JSON."""
    payloads = [json.loads(text) for text in texts]
    asked = [list_items(one) for one in payloads]
    subjects = [-1 - one["classes"][0] if is_grid(one) else one["images"][0] for one in payloads]
    items = np.repeat(np.array([item for own in asked for item in own], np.int32), N_VOTES)
    return TaskColumns(
        ids=ids,
        sources=sources,
        subjects=np.array(subjects, np.int32),
        starts=find_starts([N_VOTES * len(own) for own in asked]),
        items=items,
        controls=_mark_gold(payloads, asked),
        is_alone=np.array([EXPERTISE in one for one in payloads], np.bool_),
    )


def _mark_gold(payloads: Sequence[Payload], asked: Sequence[Sequence[int]]) -> ControlArray:
    """Per verdict that can be given, a `Control`: whether "correct" is known to be right or wrong."""
    known = [list_gold(payload) for payload in payloads]
    marks = [gold.get(item, Control.NONE) for gold, own in zip(known, asked, strict=True) for item in own]
    controls = np.zeros((len(marks), N_VOTES), np.uint8)
    controls[:, Verdict.CORRECT] = marks
    return controls.reshape(-1)


def parse_answers(texts: Sequence[str], *, tasks: TaskColumns, places: IntArray) -> AnswerMasks:
    """The verdict on each pair as one of three bits; what was skipped has none, and counts as not shown: it tests nobody."""
    masks, skipped = [], []
    for text, place in zip(texts, places.tolist(), strict=True):
        keys, verdicts = list_keys(tasks, place), json.loads(text).get("verdicts", {})
        masks.append(read_mask(verdicts, keys))
        skipped.append(sum(_WHOLE << N_VOTES * at for at, key in enumerate(keys) if key not in verdicts))
    mains = np.full(len(texts), NO_ITEM, np.int32)
    return AnswerMasks(np.array(masks, np.uint64), np.array(skipped, np.uint64), mains)


def find_controls(tasks: TaskColumns) -> ControlArray:
    """Per number of a pair, its `Control`."""
    return tasks.controls[Verdict.CORRECT :: N_VOTES]


def make_responses(held: HeldAnswers) -> ReviewVotes:
    """The votes, with what was said beside them."""
    said = [json.loads(text) for text in held.texts]
    asked, added = _list_asked(held, said), _list_added(held, said)
    kept = _keep_last([*asked, *added])
    referred = _list_referred(held, said)
    gold = _find_gold(held.tasks)
    problems = [
        (int(held.tasks.subjects[task]), reviewer, problem)
        for task, reviewer, one in _zip(held, said)
        for problem in one.get("problems", ())
    ]
    looking = _list_looking(held, said)
    seen = sorted(_find_alone(held, said) | {(image, who) for image, who, _ in (*problems, *looking)})
    return ReviewVotes(
        image_ids=held.image_ids,
        names=held.annotators,
        images=_column(kept, 0),
        classes=_column(kept, 1),
        reviewers=_column(kept, 2),
        verdicts=_column(kept, 3).astype(np.int8),
        is_added=_column(kept, 4).astype(np.bool_),
        received=np.array([one[7] for one in kept], np.int64),
        reasons=tuple(one[5] for one in kept),
        notes=tuple(one[6] for one in kept),
        gold=np.array([gold.get(one[:2], NO_GOLD) for one in kept], np.int8),
        is_expert=np.array([one[8] for one in kept], np.bool_),
        referred_images=_column(referred, 0),
        referred_classes=_column(referred, 1),
        problem_images=_column(problems, 0),
        problem_reviewers=_column(problems, 1),
        problems=tuple(one[2] for one in problems),
        seen_images=_column(seen, 0),
        seen_reviewers=_column(seen, 1),
        looking_images=_column(looking, 0),
        looking_reviewers=_column(looking, 1),
        looking_found=_column(looking, 2).astype(np.bool_),
    )


def _find_alone(held: HeldAnswers, said: Sequence[Mapping[str, Any]]) -> set[tuple[int, int]]:
    """Who saw which image alone and could say what is wrong with it: not in a grid, nor does who hands it back."""
    return {
        (int(held.tasks.subjects[task]), who)
        for task, who, one in _zip(held, said)
        if held.tasks.subjects[task] >= 0 and not is_returned(one)
    }


def _find_gold(tasks: TaskColumns) -> dict[tuple[int, int], Verdict]:
    """The pairs whose verdict is known beforehand, by image and class."""
    (images, classes), controls = find_pairs(tasks), find_controls(tasks)
    known = np.flatnonzero(controls)
    rows = zip(*(one[known].tolist() for one in (images, classes, controls)), strict=True)
    return {(image, index): VERDICTS[control] for image, index, control in rows}


def _list_asked(held: HeldAnswers, said: Sequence[Mapping[str, Any]]) -> list[tuple[Any, ...]]:
    """Votes on what tasks ask: image, class, reviewer, verdict, added, reason, note, when, whether an expert was asked."""
    votes = list_votes(held.columns)
    images, classes = find_pairs(held.tasks)
    pairs = find_pair_numbers(held.tasks, held.columns, votes=votes)
    found = []
    for row, place, verdict, pair in zip(*(one.tolist() for one in (*votes, pairs)), strict=True):
        reasons = said[row].get("reasons") or {}
        key = list_keys(held.tasks, int(held.columns.tasks[row]))[place] if reasons else ""
        reviewer = int(held.columns.annotators[row])
        at = int(held.columns.received[row])
        words = (reasons.get(key, ""), tell_note(said[row]))
        is_expert = bool(held.tasks.is_alone[held.columns.tasks[row]])
        found.append((int(images[pair]), int(classes[pair]), reviewer, verdict, False, *words, at, is_expert))
    return found


def _list_referred(held: HeldAnswers, said: Sequence[Mapping[str, Any]]) -> list[tuple[int, int]]:
    """The pairs that were referred to experts, by image and class: tasks ask experts about them, or answers refer them."""
    images, classes = find_pairs(held.tasks)
    # Also who came too late to count may have referred one.
    asked = np.flatnonzero(np.repeat(held.tasks.is_alone & held.tasks.is_work, held.tasks.sizes // N_VOTES))
    found = {(int(images[pair]), int(classes[pair])) for pair in asked.tolist()}
    for task, _, one in _zip(held, said):
        if not one.get(REFERS):
            continue
        start, keys = int(held.tasks.starts[task]) // N_VOTES, list_keys(held.tasks, task)
        pairs = [start + keys.index(key) for key in one[REFERS]]
        found |= {(int(images[pair]), int(classes[pair])) for pair in pairs}
    return sorted(found)


def find_deciding(votes: ReviewVotes) -> BoolArray:
    """Per vote, whether it may decide: of what was referred, what others said before they knew decides nothing."""
    keys = votes.images.astype(np.int64) << 32 | votes.classes
    referred = votes.referred_images.astype(np.int64) << 32 | votes.referred_classes
    return np.asarray(votes.is_expert | ~np.isin(keys, np.union1d(referred, keys[votes.is_expert])), np.bool_)


def _list_added(held: HeldAnswers, said: Sequence[Mapping[str, Any]]) -> list[tuple[Any, ...]]:
    """Votes on classes that reviewers named themselves: who names one finds it correct."""
    return [
        (int(held.tasks.subjects[task]), index, reviewer, int(Verdict.CORRECT), True, "", tell_note(one), at, False)
        for (task, reviewer, one), at in zip(_zip(held, said), held.columns.received.tolist(), strict=True)
        for index in one.get("more", ())
    ]


def _list_looking(held: HeldAnswers, said: Sequence[Mapping[str, Any]]) -> list[tuple[int, int, bool]]:
    """Who looked for what is missing in the last task of each image, and whether they named something."""
    found = [
        (task, reviewer, bool(one.get("more")))
        for task, reviewer, one in _zip(held, said)
        if one.get(NOTHING_MORE) or one.get("more")
    ]
    last: dict[int, int] = {}
    for task, *_ in found:
        image = int(held.tasks.subjects[task])
        last[image] = max(task, last.get(image, task))
    images = {task: image for image, task in last.items()}
    return [(images[task], reviewer, is_more) for task, reviewer, is_more in found if task in images]


def _zip(held: HeldAnswers, said: Sequence[Mapping[str, Any]]) -> Iterator[tuple[int, int, Mapping[str, Any]]]:
    """Per answer, the place of its task, its reviewer, and what it says."""
    return zip(held.columns.tasks.tolist(), held.columns.annotators.tolist(), said, strict=True)


def _keep_last(votes: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Of several votes by one person on a pair the last; what was asked goes before what was named, and experts before others."""
    kept: dict[tuple[int, int, int], tuple[Any, ...]] = {}
    for one in votes:
        before = kept.get(one[:3])
        if before is None or not (one[4] or (before[8] and not one[8])):
            kept[one[:3]] = one
    return list(kept.values())


def tell_note(answer: Mapping[str, Any]) -> str:
    """What somebody wrote beside an answer, and the link that they gave."""
    return " ".join(text for text in (answer.get("comment", ""), answer.get(LINK, "")) if text)


def write_answers(held: HeldAnswers) -> Iterator[str]:
    """The lines of a JSON Lines file: one per vote."""
    votes = make_responses(held)
    columns = (votes.images, votes.classes, votes.reviewers, votes.verdicts, votes.is_added)
    said = (votes.reasons, votes.notes, votes.gold.tolist(), votes.is_expert.tolist())
    rows = zip(*(one.tolist() for one in columns), *said, strict=True)
    for image, index, reviewer, verdict, is_added, reason, note, gold, is_expert in rows:
        line: dict[str, Any] = {"image_id": str(votes.image_ids[image]), "class": index}
        line |= {"annotator_id": str(votes.names[reviewer]), "verdict": VOTES[verdict]}
        known = "" if gold == NO_GOLD else VOTES[gold]
        extra = {"added": is_added, "reason": reason, "note": note, "gold": known, "expert": is_expert}
        yield json.dumps(line | {name: value for name, value in extra.items() if value}, ensure_ascii=False)
    for image, index in zip(votes.referred_images.tolist(), votes.referred_classes.tolist(), strict=True):
        yield json.dumps(
            {"image_id": str(votes.image_ids[image]), "class": index, "referred": True}, ensure_ascii=False
        )
    about = zip(votes.problem_images.tolist(), votes.problem_reviewers.tolist(), votes.problems, strict=True)
    for image, reviewer, problem in about:
        line = {"image_id": str(votes.image_ids[image]), "annotator_id": str(votes.names[reviewer]), "problem": problem}
        yield json.dumps(line, ensure_ascii=False)
    looked = zip(votes.looking_images.tolist(), votes.looking_reviewers.tolist(), votes.looking_found, strict=True)
    for image, reviewer, is_more in looked:
        if not is_more:
            line = {"image_id": str(votes.image_ids[image]), "annotator_id": str(votes.names[reviewer])}
            yield json.dumps({**line, NOTHING_MORE: True}, ensure_ascii=False)


def _column(rows: Sequence[tuple[Any, ...]], place: int) -> IntArray:
    return np.array([row[place] for row in rows], np.int32)
