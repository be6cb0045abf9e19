"""How the tasks of a VERIFY campaign are made: one for each pair of image and label, the urgent ones first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from tests.verify.task import make_task

from regauge.campaigns.estimates import TaskTime, admit_default
from regauge.campaigns.priorities import PRIORITY
from regauge.campaigns.quizzes import needs_lessons
from regauge.campaigns.sources import Album, MadeTasks, Sources, find_pairs
from regauge.errors import InputError
from regauge.kinds.usual import count_one, needs_none, tell_no_scale
from regauge.records.campaigns.campaign import Payload

SECONDS = 8.0
CONTRADICTIONS = "contradictions"
needs_known = needs_none
count_items = count_one
tell_scale = tell_no_scale


def make_tasks(sources: Sources) -> MadeTasks:
    """One task per pair, in random order; those that contradict the dataset label are urgent, if that is wanted."""
    if needs_lessons(sources.plan):
        raise InputError("Tasks of the kind verify need no lesson; leave out quiz and training.")
    is_wanted = sources.settings["first"] == CONTRADICTIONS
    album, tasks = Album(), []
    pairs = find_pairs(sources.sets, sources.pairs, taxonomy=sources.taxonomy)
    for opened, (rows, classes) in zip(sources.sets, pairs, strict=True):
        numbers = album.add(opened.entry, rows).tolist()
        is_urgent = (is_wanted & (classes != opened.test_set.labels[rows])).tolist()
        for number, index, urgent in zip(numbers, classes.tolist(), is_urgent, strict=True):
            tasks.append(make_task(number, index, **({PRIORITY: 1} if urgent else {})))
    order = np.random.default_rng(sources.seed).permutation(len(tasks))
    settings = {"n_pairs": len(tasks), "first": sources.settings["first"]}
    return MadeTasks([tasks[place] for place in order], album, settings=settings)


def recount(settings: Mapping[str, Any], tasks: Sequence[Payload], *, lessons: Sequence[Payload]) -> Mapping[str, Any]:
    """Nothing."""
    return {}


def note_tasks(settings: Mapping[str, Any]) -> tuple[str, ...]:
    """Nothing."""
    return ()


def describe_tasks(settings: Mapping[str, Any]) -> Mapping[str, str]:
    """What comes first."""
    return {"First": settings.get("first", "–")}


def assume_time(settings: Mapping[str, Any]) -> TaskTime:
    """The same for every image."""
    return TaskTime(SECONDS, 0, admit_default(f"{SECONDS:g} s per image"))
