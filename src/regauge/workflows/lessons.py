"""What people are taught and asked before the first task: images with known answers that the campaign does not ask about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from regauge.campaigns.controls import find_near_classes
from regauge.campaigns.kinds import KINDS
from regauge.campaigns.packing import ControlPool, Grid
from regauge.campaigns.quizzes import (
    N_CHOICES,
    KnownImage,
    Lessons,
    choose_lessons,
    group_known,
    make_classify_lesson,
    make_contains_lesson,
)
from regauge.errors import InputError
from regauge.records.arrays import IntArray
from regauge.records.campaigns import CampaignEntry, CampaignPlan, Kind, Payload, TaskRole
from regauge.records.responses import Control
from regauge.records.taxonomy import Taxonomy
from regauge.records.testsets import TestSet
from regauge.storage.extra_tasks import insert_extra_tasks
from regauge.storage.study import Study


@dataclass(frozen=True, slots=True, eq=False)
class ContainsMaterial:
    """What lessons of a CONTAINS campaign can be made of.

    Attributes:
        controls: images with known answers.
        asked: the images that the campaign asks about.
        grids: its grids.
        labels: per image number, the dataset label.
    """

    controls: ControlPool
    asked: IntArray
    grids: Sequence[Grid]
    labels: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class LessonTasks:
    """Tasks that are shown with their answers, and tasks that the quiz asks."""

    examples: Sequence[Payload] = ()
    questions: Sequence[Payload] = ()

    def list_images(self, kind: Kind) -> frozenset[int]:
        """The images that they show, by their number in the campaign."""
        return frozenset(image for task in (*self.examples, *self.questions) for image in KINDS[kind].list_images(task))


def needs_lessons(plan: CampaignPlan) -> bool:
    """Whether a campaign teaches anything."""
    return plan.terms.quiz is not None or bool(plan.texts.training)


def make_contains_lessons(
    plan: CampaignPlan, classes: Sequence[int], *, material: ContainsMaterial, rng: np.random.Generator
) -> LessonTasks:
    """Images with and without the classes of a campaign, those that stand in no grid first.

    Raises:
        InputError: a class of the quiz is not asked about, or there are too few images.
    """
    chosen = _find_classes(plan, classes)
    placed = np.array([image for grid in material.grids for image in _list_controls(grid)], np.int32)
    groups = []
    for class_index in rng.permutation(chosen).tolist():
        for pool in (material.controls.positive, material.controls.negative):
            images = pool.get(class_index, np.empty(0, np.int32))
            free = images[~np.isin(images, material.asked)]
            if len(free):
                shows = int(material.labels[free[0]])
                groups.append(group_known(free, class_index=class_index, shows=shows, avoided=placed, rng=rng))
    lessons = choose_lessons(groups, plan.terms.quiz)
    return LessonTasks(*([make_contains_lesson(known) for known in part] for part in _parts(lessons)))


def choose_classify_lessons(
    plan: CampaignPlan, classes: Sequence[int], *, test_set: TestSet, asked: IntArray, rng: np.random.Generator
) -> Lessons:
    """Images of a test set, by their rows, whose labels are among the candidates of a campaign that does not ask about them.

    Raises:
        InputError: a class of the quiz is not asked about, or there are too few images.
    """
    rows = np.setdiff1d(np.arange(len(test_set), dtype=np.int32), asked)
    groups = []
    for class_index in rng.permutation(_find_classes(plan, classes)).tolist():
        images = rows[test_set.labels[rows] == class_index]
        if len(images):
            nobody = np.empty(0, np.int32)
            groups.append(group_known(images, class_index=class_index, shows=class_index, avoided=nobody, rng=rng))
    return choose_lessons(groups, plan.terms.quiz)


def make_classify_lessons(taxonomy: Taxonomy, lessons: Lessons, *, numbers: Mapping[int, int]) -> LessonTasks:
    """The tasks of images: their label among near ones; `numbers` says which number a row has in the campaign."""
    shown = {known.shows for part in _parts(lessons) for known in part}
    near = find_near_classes(taxonomy, sorted(shown), among=range(len(taxonomy)), n=N_CHOICES - 1)
    return LessonTasks(
        *(
            [
                make_classify_lesson(
                    KnownImage(numbers[known.image], known.class_index, known.shows), near[known.shows]
                )
                for known in part
            ]
            for part in _parts(lessons)
        )
    )


def store_lessons(study: Study, campaign: CampaignEntry, tasks: LessonTasks) -> None:
    """Keep the tasks beside those that the campaign is there for."""
    insert_extra_tasks(study, campaign, role=TaskRole.EXAMPLE, payloads=tasks.examples)
    insert_extra_tasks(study, campaign, role=TaskRole.QUESTION, payloads=tasks.questions)


def _find_classes(plan: CampaignPlan, classes: Sequence[int]) -> list[int]:
    wanted = () if plan.terms.quiz is None else plan.terms.quiz.classes
    unknown = sorted(set(wanted) - set(classes))
    if unknown:
        raise InputError(f"The quiz is about class {unknown[0]}, which campaign {plan.name} does not ask about.")
    return sorted(set(wanted) or set(classes))


def _list_controls(grid: Grid) -> list[int]:
    return [image for image, control in zip(grid.images, grid.controls, strict=True) if control is not Control.NONE]


def _parts(lessons: Lessons) -> tuple[Sequence[KnownImage], Sequence[KnownImage]]:
    return lessons.examples, lessons.questions
