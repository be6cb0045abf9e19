"""How the tasks of a PANEL campaign are made: one for each image that has predictions nobody has judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from regauge.arrays import NO_CLASS
from regauge.campaigns.discussions.words import describe_ties, list_panel
from regauge.campaigns.estimates import TaskTime, admit_default
from regauge.campaigns.quizzes import needs_lessons
from regauge.campaigns.reviews.votes import MAX_PAIRS
from regauge.campaigns.sources import Album, MadeTasks, OpenedSet, Sources, find_pairs
from regauge.campaigns.visibility import CARDS
from regauge.errors import InputError
from regauge.estimates import count_things
from regauge.kinds.panel.task import LABEL, SCORES, make_panel_task
from regauge.kinds.usual import count_one, needs_none, tell_no_scale
from regauge.records.campaigns.campaign import Payload

SECONDS_PER_TASK = 60.0
"""To look a class up and to vote, where nothing was measured."""
needs_known = needs_none
count_items = count_one
tell_scale = tell_no_scale


def make_tasks(sources: Sources) -> MadeTasks:
    """The images with their predictions in random order, the same for everybody.

    Raises:
        InputError: lessons are wanted, there is nothing to vote on, or an image or a class is unknown.
    """
    if needs_lessons(sources.plan):
        raise InputError("Panelists are experts: tasks of the kind panel have no quiz and no training; leave them out.")
    if not sources.pairs:
        raise InputError("There is nothing to vote on: every mistake has a verdict.")
    album, tasks = Album(), []
    found = find_pairs(sources.sets, sources.pairs, taxonomy=sources.taxonomy)
    for opened, (rows, classes) in zip(sources.sets, found, strict=True):
        for row in np.unique(rows).tolist():
            own = np.unique(classes[rows == row]).tolist()
            parts = (own[start : start + MAX_PAIRS] for start in range(0, len(own), MAX_PAIRS))
            tasks += [_make_task(opened, row, part, album=album, sources=sources) for part in parts]
    order = np.random.default_rng(sources.seed).permutation(len(tasks)).tolist()
    tasks = [tasks[place] for place in order]
    reference = sources.settings.get("references", "")
    cards = {"tested": sources.sets[0].entry.name, "reference": reference, "seed": sources.seed}
    return MadeTasks(tasks, album, settings={CARDS: cards, **recount({}, tasks, lessons=())})


def _make_task(opened: OpenedSet, row: int, classes: Sequence[int], *, album: Album, sources: Sources) -> Payload:
    (number,) = album.add(opened.entry, np.array([row], np.int32)).tolist()
    image_id, label = str(opened.test_set.image_ids[row]), int(opened.test_set.labels[row])
    scores = {str(one): sources.pair_scores[image_id, one] for one in classes if (image_id, one) in sources.pair_scores}
    told = {SCORES: {key: f"{score:.3g}" for key, score in scores.items()}} if scores else {}
    return make_panel_task(number, classes, **({LABEL: label} if label != NO_CLASS else {}), **told)


def recount(
    settings: Mapping[str, Any],  # noqa: ARG001 - the tasks tell
    tasks: Sequence[Payload],
    *,
    lessons: Sequence[Payload],  # noqa: ARG001 - there are none
) -> Mapping[str, Any]:
    """How many predictions and images are left."""
    n_images = len({image for task in tasks for image in task["images"]})
    return {"n_pairs": sum(len(task["classes"]) for task in tasks), "n_images": n_images}


def note_tasks(settings: Mapping[str, Any]) -> tuple[str, ...]:
    """How much there is to vote on, and what a tie does."""
    pairs, images = count_things(settings["n_pairs"], "prediction"), count_things(settings["n_images"], "image")
    panel = list_panel(settings)
    ties = describe_ties(len(panel)) if panel else ""
    people = count_things(len(panel), "panelist")
    return (f"{people} vote on {pairs} of {images}.", *((ties,) if ties else ()))


def describe_tasks(settings: Mapping[str, Any]) -> Mapping[str, str]:
    """How much there is to vote on."""
    return {
        "Predictions to vote on": f"{settings['n_pairs']:,} of {count_things(settings['n_images'], 'image')}",
        "Mistakes of": ", ".join(settings.get("participants", ())) or "–",
        "Under": str(settings.get("labels", "–")),
    }


def assume_time(settings: Mapping[str, Any]) -> TaskTime:  # noqa: ARG001 - nothing is known of it
    """The same for every image."""
    return TaskTime(SECONDS_PER_TASK, 0, admit_default(f"{SECONDS_PER_TASK:g} s per image"))
