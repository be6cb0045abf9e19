"""How the tasks of a CLASSIFY campaign are made: one for each image with its candidates, in random order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from regauge.campaigns.controls import find_near_classes
from regauge.campaigns.estimates import TaskTime, admit_default
from regauge.campaigns.quizzes import (
    KnownImage,
    Lessons,
    LessonTasks,
    choose_lessons,
    find_lesson_classes,
    group_known,
    make_lessons,
    needs_lessons,
)
from regauge.campaigns.sources import (
    Album,
    MadeTasks,
    OpenedSet,
    Sources,
    check_classes,
    check_file,
    get_place,
    group_pairs,
)
from regauge.errors import InputError
from regauge.kinds.classify.task import make_classify_task
from regauge.kinds.usual import count_one, tell_no_scale
from regauge.records.campaigns.campaign import CampaignPlan, Payload
from regauge.records.taxonomy import Taxonomy

SECONDS_PER_CHOICE = 20.0
"""For an image with its candidates, where nothing was measured."""
N_CHOICES = 5
"""Candidates of a question of the quiz."""
count_items = count_one
tell_scale = tell_no_scale


def needs_known(plan: CampaignPlan, settings: Mapping[str, Any]) -> bool:  # noqa: ARG001 - there are no controls
    """Whether there are lessons."""
    return needs_lessons(plan)


def recount(
    settings: Mapping[str, Any],  # noqa: ARG001 - they count no images
    tasks: Sequence[Payload],  # noqa: ARG001
    *,
    lessons: Sequence[Payload],  # noqa: ARG001
) -> Mapping[str, Any]:
    """No setting changes: the settings of CLASSIFY count no images."""
    return {}


def note_tasks(settings: Mapping[str, Any]) -> tuple[str, ...]:  # noqa: ARG001 - all campaigns are alike
    """No notes: all CLASSIFY campaigns are alike."""
    return ()


def describe_tasks(settings: Mapping[str, Any]) -> Mapping[str, str]:  # noqa: ARG001 - all campaigns are alike
    """No words: all CLASSIFY campaigns are alike."""
    return {}


def assume_time(settings: Mapping[str, Any]) -> TaskTime:  # noqa: ARG001 - time hardly goes with the candidates
    """The same for every image."""
    return TaskTime(SECONDS_PER_CHOICE, 0, admit_default(f"{SECONDS_PER_CHOICE:g} s per image"))


def make_tasks(sources: Sources) -> MadeTasks:
    """One task per image with its candidates.

    Raises:
        InputError: an image or a class is unknown, or images have no file.
    """
    (opened, *_), candidates = sources.sets, group_pairs(sources.pairs or ())
    entry, test_set = opened.entry, opened.test_set
    if not candidates:
        raise InputError("There are no images to ask about; give candidates for at least one.")
    row_by_id = {image_id: row for row, image_id in enumerate(test_set.image_ids.tolist())}
    rng = np.random.default_rng(sources.seed)
    given = list(candidates)
    ids = [given[place] for place in rng.permutation(len(given))]
    rows = np.array([get_place(row_by_id, one, test_set=test_set.name) for one in ids], np.int32)
    for row in rows.tolist():
        check_file(opened, row)
    album = Album()
    numbers = album.add(entry, rows)
    for image_id in ids:
        check_classes(candidates[image_id], taxonomy=sources.taxonomy)
    lessons = LessonTasks()
    if sources.known is not None:
        classes = sorted({one for own in candidates.values() for one in own})
        chosen = _choose_lessons(sources.plan, classes, known=sources.known, album=album, rng=rng)
        lessons = _make_lessons(chosen, sources.known, album=album, taxonomy=sources.taxonomy)
    tasks = [make_classify_task(number, candidates[one]) for number, one in zip(numbers.tolist(), ids, strict=True)]
    return MadeTasks(tasks, album, lessons, {"n_images": len(ids)})


def make_lesson(known: KnownImage, near: list[int]) -> Payload:
    """An image with its label and near ones as candidates, with what it shows."""
    return {**make_classify_task(known.image, [known.shows, *near]), "shows": known.shows}


def _choose_lessons(
    plan: CampaignPlan, classes: list[int], *, known: OpenedSet, album: Album, rng: np.random.Generator
) -> Lessons:
    """Images, by their rows, whose labels are among the candidates of a campaign that does not ask about them.

    Raises:
        InputError: a class of the quiz is not asked about, or there are too few images.
    """
    shown = [image.row for image in album.numbers if image.test_set_id == known.entry.id]
    asked = np.union1d(np.array(shown, np.int32), np.flatnonzero(~known.is_free)).astype(np.int32)
    rows = np.setdiff1d(np.arange(len(known.test_set), dtype=np.int32), asked)
    nobody = np.empty(0, np.int32)
    groups = []
    for class_index in rng.permutation(find_lesson_classes(plan, classes)).tolist():
        images = rows[known.test_set.labels[rows] == class_index]
        if len(images):
            groups.append(group_known(images, class_index=class_index, shows=class_index, avoided=nobody, rng=rng))
    return choose_lessons(groups, plan.terms.quiz)


def _make_lessons(lessons: Lessons, known: OpenedSet, *, album: Album, taxonomy: Taxonomy) -> LessonTasks:
    """The tasks of what was chosen by rows: a label among near ones."""
    chosen = (*lessons.examples, *lessons.questions)
    rows = [one.image for one in chosen]
    numbers = dict(zip(rows, album.add(known.entry, np.array(rows, np.int32)).tolist(), strict=True))
    shown = {one.shows for one in chosen}
    near = find_near_classes(taxonomy, sorted(shown), among=range(len(taxonomy)), n=N_CHOICES - 1)

    def make(one: KnownImage) -> Payload:
        return make_lesson(KnownImage(numbers[one.image], one.class_index, one.shows), near[one.shows])

    return make_lessons(lessons, make)
