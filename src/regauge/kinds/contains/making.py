"""How the tasks of a CONTAINS campaign are made: pairs are packed into grids, with controls and lessons from known images."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from regauge.arrays import NO_CLASS, IntArray
from regauge.campaigns.controls import find_negative_classes
from regauge.campaigns.estimates import SECONDS_PER_IMAGE, TaskTime, admit_default
from regauge.campaigns.packing import ControlPool, ControlShortageError, Grid, Shortage, fill_grids, pack_grids
from regauge.campaigns.quizzes import (
    KnownImage,
    LessonTasks,
    choose_lessons,
    find_lesson_classes,
    group_known,
    make_lessons,
    needs_lessons,
)
from regauge.campaigns.sources import Album, MadeTasks, OpenedSet, Sources, find_pairs
from regauge.fields import FieldsError
from regauge.kinds.contains.supply import count_supply, note_supply, renew_supply
from regauge.kinds.contains.task import VERSION, list_images, make_contains_task
from regauge.records.campaigns.campaign import CampaignPlan, Payload
from regauge.records.responses.answers import Control, GridShape
from regauge.records.taxonomy import Taxonomy

N_NAMED = 3
"""Classes that a sentence names; the others are counted."""
_CONTROL_FIELDS = {
    Control.POSITIVE: ("n_positive", "Positive controls"),
    Control.NEGATIVE: ("n_negative", "Negative controls"),
}
"""What the fields of controls are called, and how a form titles them."""


@dataclass(frozen=True, slots=True, eq=False)
class _Material:
    """What lessons can be made of.

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


def read_shape(settings: Mapping[str, Any]) -> GridShape:
    """Size and controls of a grid, as the fields and the settings of a campaign have them."""
    usual = GridShape()
    return GridShape(*(settings.get(name, getattr(usual, name)) for name in ("n_cells", "n_positive", "n_negative")))


def needs_known(plan: CampaignPlan, settings: Mapping[str, Any]) -> bool:
    """Whether there are controls or lessons."""
    shape = read_shape(settings)
    return bool(shape.n_positive or shape.n_negative or needs_lessons(plan))


def recount(settings: Mapping[str, Any], tasks: Sequence[Payload], *, lessons: Sequence[Payload]) -> Mapping[str, Any]:
    """How many controls there are, and how many come again."""
    return renew_supply(settings, tasks, lessons=lessons)


def note_tasks(settings: Mapping[str, Any]) -> tuple[str, ...]:
    """Whether controls come again."""
    return note_supply(settings)


def describe_tasks(settings: Mapping[str, Any]) -> Mapping[str, str]:
    """Where controls come from, and how large grids are."""
    return {"Controls": settings.get("controls", "–"), "Grid": f"{settings.get('n_cells', '–')} images"}


def count_items(settings: Mapping[str, Any]) -> float:
    """The images of a grid, whose number time goes with."""
    return float(settings.get("n_cells", GridShape().n_cells))


def tell_scale(n_items: float) -> str:
    """The size of the grids to which a time was scaled, in words."""
    return f", brought to grids of {n_items:g} images"


def assume_time(settings: Mapping[str, Any]) -> TaskTime:
    """So many seconds for each image.

    >>> assume_time({"n_cells": 48}).seconds
    60.0
    """
    n_items = count_items(settings)
    what = f"{SECONDS_PER_IMAGE:g} s per image of a grid of {n_items:g}"
    return TaskTime(SECONDS_PER_IMAGE * n_items, 0, admit_default(what))


def make_tasks(sources: Sources) -> MadeTasks:
    """Pack the pairs into grids with controls.

    Raises:
        InputError: an image or a class is unknown, or a class lacks controls.
    """
    plan, shape, sets = sources.plan, read_shape(sources.settings), sources.sets
    asked = find_pairs(sets, sources.pairs, taxonomy=sources.taxonomy)
    rng = np.random.default_rng(sources.seed)
    album = Album()
    images = np.concatenate([album.add(one.entry, rows) for one, (rows, _) in zip(sets, asked, strict=True)])
    classes = np.concatenate([own for _, own in asked])
    controls = find_controls(sources.known, classes, album=album, taxonomy=sources.taxonomy)
    try:
        grids = pack_grids(images, classes, controls=controls, shape=shape, rng=rng)
    except ControlShortageError as error:
        raise FieldsError(explain_shortages(error.shortages, sources.taxonomy)) from error
    lessons = LessonTasks()
    if needs_lessons(plan):
        labels = album.find_labels([*sets, *([] if sources.known is None else [sources.known])])
        material = _Material(controls, images, grids, labels)
        lessons = _make_lessons(plan, np.unique(classes).tolist(), material=material, rng=rng)
    taught = {image for task in (*lessons.examples, *lessons.questions) for image in list_images(task)}
    grids = fill_grids(grids, controls=replace(controls, shown=Counter(taught)), shape=shape, rng=rng)
    settings = {
        "controls": sets[0].entry.name if sources.known is None else sources.known.entry.name,
        "n_pairs": len(images),
        "n_cells": shape.n_cells,
        "n_positive": shape.n_positive,
        "n_negative": shape.n_negative,
        **count_supply(grids, taught=taught),
    }
    return MadeTasks([make_contains_task(grid) for grid in grids], album, lessons, settings)


def explain_shortages(shortages: Sequence[Shortage], taxonomy: Taxonomy) -> dict[str, str]:
    """Per field of controls, which classes have too few images, and how many controls would work for all of them."""
    found = {}
    for control, (name, title) in _CONTROL_FIELDS.items():
        mine = sorted((one for one in shortages if one.control is control), key=lambda one: one.n_images)
        if not mine:
            continue
        named = [
            f"{taxonomy.classes[one.class_index].names[0]} has images for {one.n_images:,}" for one in mine[:N_NAMED]
        ]
        more = len(mine) - len(named)
        others = f", and {more:,} more {'class has' if more == 1 else 'classes have'} too few" if more else ""
        most = mine[0].n_images
        found[name] = (
            f"{title}: {mine[0].n_needed:,} in every grid are too many, for what a grid asks about cannot be its control: "
            f"{', '.join(named)}{others}. "
            f"{f'{most:,} would work' if most else 'Only 0 would work'}; or take controls from a test set with more images, or "
            "ask about fewer images of these classes."
        )
    return found


def find_controls(known: OpenedSet | None, classes: IntArray, *, album: Album, taxonomy: Taxonomy) -> ControlPool:
    """Per class of the pairs, images of that class, and images of the nearest unrelated class, none that is excluded from a pool.

    Args:
        known: the images whose labels are believed; None for no controls.
        classes: the classes of the pairs.
        album: numbers the images.
        taxonomy: the classes.
    """
    if known is None:
        return ControlPool({}, {})
    labels = known.test_set.labels[known.is_free]
    of_class = {index: known.rows[labels == index] for index in np.unique(labels).tolist() if index != NO_CLASS}
    positive: dict[int, IntArray] = {}
    negative: dict[int, IntArray] = {}
    nearest = find_negative_classes(taxonomy, np.unique(classes).tolist(), among=of_class.keys())
    for class_index, unrelated in nearest.items():
        if class_index in of_class:
            positive[class_index] = album.add(known.entry, of_class[class_index])
        if unrelated is not None:
            negative[class_index] = album.add(known.entry, of_class[unrelated])
    return ControlPool(positive, negative)


def make_lesson(known: KnownImage) -> Payload:
    """A grid of one image, with what it shows."""
    control = Control.POSITIVE if known.shows == known.class_index else Control.NEGATIVE
    cells = [[known.image, int(control)]]
    return {"version": VERSION, "class": known.class_index, "cells": cells, "shows": known.shows}


def _make_lessons(
    plan: CampaignPlan, classes: Sequence[int], *, material: _Material, rng: np.random.Generator
) -> LessonTasks:
    """Images with and without the classes of a campaign, those that stand in no grid first.

    Raises:
        InputError: a class of the quiz is not asked about, or there are too few images.
    """
    chosen = find_lesson_classes(plan, classes)
    placed = np.array([image for grid in material.grids for image in _list_controls(grid)], np.int32)
    groups = []
    for class_index in rng.permutation(chosen).tolist():
        for pool in (material.controls.positive, material.controls.negative):
            images = pool.get(class_index, np.empty(0, np.int32))
            free = images[~np.isin(images, material.asked)]
            if len(free):
                shows = int(material.labels[free[0]])
                groups.append(group_known(free, class_index=class_index, shows=shows, avoided=placed, rng=rng))
    return make_lessons(choose_lessons(groups, plan.terms.quiz), make_lesson)


def _list_controls(grid: Grid) -> list[int]:
    return [image for image, control in zip(grid.images, grid.controls, strict=True) if control is not Control.NONE]
