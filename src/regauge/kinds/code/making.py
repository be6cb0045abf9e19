"""How the tasks of a CODE campaign are made: every remaining mistake once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from regauge.campaigns.eligibility import PANEL
from regauge.campaigns.estimates import TaskTime, admit_default
from regauge.campaigns.fields import LABELS, PARTICIPANTS
from regauge.campaigns.quizzes import needs_lessons
from regauge.campaigns.reviews.coding import (
    CATEGORIES,
    N_ACCEPTED,
    N_MISTAKES,
    N_NAMED,
    TAKEN_OVER,
    are_discussed,
)
from regauge.campaigns.sources import Album, MadeTasks, Sources, find_pairs, order_by_label
from regauge.campaigns.visibility import CARDS
from regauge.errors import InputError
from regauge.estimates import count_things
from regauge.kinds.code.task import SCORE, make_code_task
from regauge.kinds.usual import count_one, needs_none, tell_no_scale
from regauge.records.campaigns.campaign import Payload
from regauge.records.campaigns.discussions import CHAIRS, DISCUSSED

SECONDS = 60.0
"""For one mistake, where nothing was measured: to look at the image, at the cards of classes, and to decide."""
N_SHOWN = 10
"""Participants that a sentence names."""
DIGITS = 3
"""More of a score would say more than anybody reads."""
needs_known = needs_none
count_items = count_one
tell_scale = tell_no_scale


def make_tasks(sources: Sources) -> MadeTasks:
    """A task for each mistake, those on images of one dataset label one after the other.

    Raises:
        InputError: lessons are wanted, or an image cannot be shown.
    """
    if needs_lessons(sources.plan):
        raise InputError("Coders are experts: tasks of the kind code have no quiz and no training; leave them out.")
    album, tasks, rng = Album(), [], np.random.default_rng(sources.seed)
    discussed = {DISCUSSED: 1} if are_discussed(sources.settings) else {}
    names = [name for name, _ in sources.settings[CATEGORIES.name]]
    found = find_pairs(sources.sets, sources.pairs, taxonomy=sources.taxonomy)
    for place, (opened, (rows, classes)) in enumerate(zip(sources.sets, found, strict=True)):
        classes_of: dict[int, list[int]] = {}
        for row, index in zip(rows.tolist(), classes.tolist(), strict=True):
            classes_of.setdefault(row, []).append(index)
        order = order_by_label(opened, np.array(list(classes_of), np.int32), rng=rng)
        numbers = album.add(opened.entry, np.array(order, np.int32))
        scores = sources.scores.find_highest(rows, classes) if sources.scores is not None and not place else None
        keys = zip(rows.tolist(), classes.tolist(), strict=True)
        score_of = {} if scores is None else dict(zip(keys, scores.tolist(), strict=True))
        tasks += [
            make_code_task(number, index, categories=names, **_tell_score(score_of.get((row, index))), **discussed)
            for row, number in zip(order, numbers.tolist(), strict=True)
            for index in classes_of[row]
        ]
    cards = {
        "tested": sources.sets[0].entry.name,
        "reference": sources.settings.get("references", ""),
        "seed": sources.seed,
    }
    return MadeTasks(tasks, album, settings={CARDS: cards, **recount({}, tasks, lessons=())})


def _tell_score(score: float | None) -> dict[str, float]:
    return {} if score is None or np.isnan(score) else {SCORE: round(float(score), DIGITS)}


def recount(
    settings: Mapping[str, Any],
    tasks: Sequence[Payload],
    *,
    lessons: Sequence[Payload],  # noqa: ARG001 - there are none
) -> Mapping[str, Any]:
    """How many mistakes are left to code."""
    return {"n_to_code": len(tasks)} if settings.get("n_to_code") != len(tasks) else {}


def note_tasks(settings: Mapping[str, Any]) -> tuple[str, ...]:
    """How many mistakes coders look at, and how many other codings decided."""
    whose, n = _name(settings[PARTICIPANTS.name]), settings["n_to_code"]
    notes = [f"Coders look at {count_things(n, 'mistake')} of {whose} under {settings[LABELS.name]}."]
    if n_named := settings.get(N_NAMED):
        notes.append(f"{count_things(n_named, 'pair')} named in the file; other mistakes are not asked about.")
    if n_accepted := settings.get(N_ACCEPTED):
        notes.append(
            f"{count_things(n_accepted, 'named pair')} not asked about: {settings[LABELS.name]} accepts the answer, or leaves "
            "out the image."
        )
    if CHAIRS in settings:
        n_coders = len(settings[PANEL])
        notes.append(f"{n_coders:,} coders look at each mistake alone, and then talk about what they disagree on.")
        if n_coders % 2 == 0:
            notes.append(f"With {n_coders:,} coders, as many can say one thing as another; such a mistake is left out.")
    for coding, n_taken in settings.get(TAKEN_OVER, {}).items():
        notes.append(
            f"{count_things(n_taken, 'mistake')} not asked about: {coding} has decided the same image and prediction."
        )
    return tuple(notes)


def describe_tasks(settings: Mapping[str, Any]) -> Mapping[str, str]:
    """Whose mistakes they are, under which labels, and by which list they are coded."""
    taken = sum(settings.get(TAKEN_OVER, {}).values())
    n, what = settings[N_MISTAKES], "named mistake" if N_NAMED in settings else "mistake"
    return {
        "Mistakes of": _name(settings[PARTICIPANTS.name]),
        "Under": settings[LABELS.name],
        "To code": f"{settings['n_to_code']:,} of {count_things(n, what)}",
        **({"Decided by other codings": f"{taken:,}"} if taken else {}),
        "Categories": ", ".join(name for name, _ in settings[CATEGORIES.name]),
    }


def _name(participants: Sequence[str]) -> str:
    """The first of them; the others are counted."""
    more = f" and {len(participants) - N_SHOWN:,} more" if len(participants) > N_SHOWN else ""
    return ", ".join(participants[:N_SHOWN]) + more


def assume_time(settings: Mapping[str, Any]) -> TaskTime:  # noqa: ARG001 - the same for all
    """The same for every mistake."""
    return TaskTime(SECONDS, 0, admit_default(f"{SECONDS:g} s per mistake"))
