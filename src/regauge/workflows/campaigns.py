"""Make, open and close campaigns: what people are asked, and how many of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from regauge.campaigns.classify import INSTRUCTIONS as CLASSIFY_INSTRUCTIONS
from regauge.campaigns.classify import make_classify_task
from regauge.campaigns.contains import INSTRUCTIONS as CONTAINS_INSTRUCTIONS
from regauge.campaigns.contains import make_contains_task
from regauge.campaigns.contains_fields import PRESETS, Preset, reshape
from regauge.campaigns.controls import find_negative_classes
from regauge.campaigns.packing import ControlPool, GridShape, fill_grids, pack_grids
from regauge.errors import InputError
from regauge.records.arrays import IntArray
from regauge.records.campaigns import (
    CampaignEntry,
    CampaignImage,
    CampaignPlan,
    CampaignProgress,
    CampaignState,
    CampaignTexts,
    Kind,
)
from regauge.records.names import check_name
from regauge.records.studies import TestSetEntry, TestSetRole
from regauge.storage.campaigns import (
    get_campaign,
    insert_campaign,
    list_campaigns,
    measure_progress,
    set_state,
)
from regauge.storage.events import add_event
from regauge.storage.study import Study
from regauge.storage.testsets import list_image_sets, load_test_set
from regauge.workflows.campaign_questions import (
    LEFT_OUT,
    OpenedSet,
    check_classes,
    check_file,
    draw_seed,
    find_pairs,
    get_place,
    open_images,
)
from regauge.workflows.campaign_texts import check_consent
from regauge.workflows.control_supply import count_supply
from regauge.workflows.lessons import (
    ContainsMaterial,
    LessonTasks,
    choose_classify_lessons,
    make_classify_lessons,
    make_contains_lessons,
    needs_lessons,
    store_lessons,
)
from regauge.workflows.openings import Checked, check_images, leave_out_images, refuse_failing

__all__ = [
    "PRESETS",
    "Album",
    "CampaignPlan",
    "CampaignTexts",
    "ClassifyQuestions",
    "ContainsQuestions",
    "Preset",
    "close_campaign",
    "create_classify",
    "create_contains",
    "describe_progress",
    "find_controls",
    "get_campaign",
    "list_campaigns",
    "measure_progress",
    "open_campaign",
    "reshape",
]

CONSENT = (
    "You are about to take part in a study of image labels. Your answers are stored under a name that says nothing about you, "
    "with the time that each took. You can stop at any moment."
)


@dataclass(frozen=True, slots=True)
class ContainsQuestions:
    """Which pairs of image and class to ask about, and where controls come from.

    Attributes:
        test_set: the images; the only test set unless given.
        pairs: image ids with classes; unless given, every image with its dataset label, except for candidates that are excluded
            from the pool or have no file.
        controls: the test set whose dataset labels make controls; that of the images unless given, which a pool cannot be.
        shape: size and controls of a grid.
        seed: decides which pairs and controls meet, and where they stand; drawn unless given, so that nobody can guess which
            cells are controls, and kept with the campaign.
        also: further sets whose images are asked about in the same grids. Selection frequencies of two sets can be compared only
            if the same people judged both, and could not tell them apart (Recht et al. 2019, §4).
    """

    test_set: str | None = None
    pairs: Sequence[tuple[str, int]] | None = None
    controls: str | None = None
    shape: GridShape = field(default_factory=GridShape)
    seed: int = field(default_factory=draw_seed)
    also: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class ClassifyQuestions:
    """Which images to ask about, each with its candidates.

    Attributes:
        candidates: image ids with the classes to choose from.
        test_set: the images; the only test set unless given.
        seed: decides the order of the tasks; drawn unless given, and kept with the campaign.
        controls: the test set whose dataset labels make examples and the quiz, of images that are not asked about; that of the
            images unless given.
    """

    candidates: Mapping[str, Sequence[int]]
    test_set: str | None = None
    seed: int = field(default_factory=draw_seed)
    controls: str | None = None


@dataclass(slots=True, eq=False)
class Album:
    """The images of a campaign, numbered as they come.

    Attributes:
        numbers: image → its number.
        is_closed: whether the campaign is stored, so that no image can join.
    """

    numbers: dict[CampaignImage, int] = field(default_factory=dict)
    is_closed: bool = False

    def add(self, test_set: TestSetEntry, rows: IntArray) -> IntArray:
        """The numbers of some images; where none can join, of those that are there."""
        images = [CampaignImage(test_set.id, int(row)) for row in rows]
        if self.is_closed:
            images = [image for image in images if image in self.numbers]
        return np.array([self.numbers.setdefault(image, len(self.numbers)) for image in images], np.int32)

    def find_labels(self, study: Study) -> IntArray:
        """Per number, the dataset label."""
        needed = {image.test_set_id for image in self.numbers}
        labels = {
            entry.id: load_test_set(study, entry).labels for entry in list_image_sets(study) if entry.id in needed
        }
        return np.array([labels[image.test_set_id][image.row] for image in self.numbers], np.int32)


def create_contains(study: Study, plan: CampaignPlan, questions: ContainsQuestions) -> CampaignEntry:
    """Pack the pairs into grids with controls and store them as a campaign, not open yet.

    Raises:
        InputError: an image or a class is unknown, images are not at hand, or a class lacks controls.
    """
    sets = [open_images(study, name) for name in (questions.test_set, *questions.also)]
    asked = find_pairs(study, sets, pairs=questions.pairs)
    n_left_out = sum(int((~one.is_free).sum()) for one in sets) if questions.pairs is None else 0
    rng = np.random.default_rng(questions.seed)
    album = Album()
    images = np.concatenate([album.add(one.entry, rows) for one, (rows, _) in zip(sets, asked, strict=True)])
    classes = np.concatenate([own for _, own in asked])
    is_taught = needs_lessons(plan)
    controls = find_controls(study, questions, classes, album=album, is_taught=is_taught)
    grids = pack_grids(images, classes, controls=controls, shape=questions.shape, rng=rng)
    lessons = LessonTasks()
    if is_taught:
        material = ContainsMaterial(controls, images, grids, album.find_labels(study))
        lessons = make_contains_lessons(plan, np.unique(classes).tolist(), material=material, rng=rng)
    taught = lessons.list_images(plan.kind)
    grids = fill_grids(grids, controls=replace(controls, shown=Counter(taught)), shape=questions.shape, rng=rng)
    settings = {
        **plan.settings,
        "test_set": sets[0].entry.name,
        **({"also": [one.entry.name for one in sets[1:]]} if questions.also else {}),
        **({LEFT_OUT: n_left_out} if n_left_out else {}),
        "controls": questions.controls or sets[0].entry.name,
        "n_pairs": len(images),
        "n_cells": questions.shape.n_cells,
        "n_positive": questions.shape.n_positive,
        "n_negative": questions.shape.n_negative,
        "seed": questions.seed,
        **count_supply(grids, taught=taught),
    }
    campaign = _store(study, plan, settings, album, [make_contains_task(grid) for grid in grids])
    store_lessons(study, campaign, lessons)
    return campaign


def create_classify(study: Study, plan: CampaignPlan, questions: ClassifyQuestions) -> CampaignEntry:
    """One task per image with its candidates, in random order, stored as a campaign, not open yet.

    Raises:
        InputError: an image or a class is unknown, or images are not at hand.
    """
    opened = open_images(study, questions.test_set)
    entry, test_set = opened.entry, opened.test_set
    if not questions.candidates:
        raise InputError("There are no images to ask about; give candidates for at least one.")
    row_by_id = {image_id: row for row, image_id in enumerate(test_set.image_ids.tolist())}
    rng = np.random.default_rng(questions.seed)
    given = list(questions.candidates)
    ids = [given[place] for place in rng.permutation(len(given))]
    album = Album()
    rows = np.array([get_place(row_by_id, one, test_set=test_set.name) for one in ids], np.int32)
    for row in rows.tolist():
        check_file(opened, row)
    numbers = album.add(entry, rows)
    for image_id in ids:
        check_classes(study, questions.candidates[image_id])
    lessons = _teach_classify(study, plan, questions, album=album, rng=rng) if needs_lessons(plan) else LessonTasks()
    payloads = [
        make_classify_task(number, questions.candidates[image_id])
        for number, image_id in zip(numbers.tolist(), ids, strict=True)
    ]
    settings = {**plan.settings, "test_set": entry.name, "n_images": len(ids), "seed": questions.seed}
    campaign = _store(study, plan, settings, album, payloads)
    store_lessons(study, campaign, lessons)
    return campaign


def open_campaign(
    study: Study, name: str, *, checked: Checked | None = None, leaves_out: bool = False
) -> CampaignEntry:
    """Let people work on the campaign; one that was closed is opened again.

    Args:
        study: the study, inside a transaction.
        name: which campaign.
        checked: what `check_images` found; it is called unless given, which keeps other writers waiting. `UNCHECKED` skips it.
        leaves_out: whether images that cannot be shown are left out; else they are refused.

    Raises:
        InputError: it is open, or cannot show all of its images.
    """
    campaign = get_campaign(study, name)
    if campaign.state is CampaignState.OPEN:
        raise InputError(f"Campaign {name} is {campaign.state} already.")
    found = check_images(study, name) if checked is None else checked
    if not leaves_out:
        refuse_failing(campaign, found)
    if found.numbers:
        n_tasks = leave_out_images(study, campaign, found.numbers)
        left_out = {"campaign": name, "n_images": len(found.numbers), "n_tasks": n_tasks}
        add_event(study, "campaign leave out", left_out)
    return _change(study, name, CampaignState.OPEN)


def close_campaign(study: Study, name: str) -> CampaignEntry:
    """Give out no more tasks; answers to those that are out are still taken."""
    return _change(study, name, CampaignState.CLOSED)


def describe_progress(study: Study) -> list[tuple[CampaignEntry, CampaignProgress]]:
    """Every campaign with how far it is."""
    return [(entry, measure_progress(study, entry)) for entry in list_campaigns(study)]


def _change(study: Study, name: str, state: CampaignState) -> CampaignEntry:
    campaign = get_campaign(study, name)
    if campaign.state is state:
        raise InputError(f"Campaign {name} is {state} already.")
    changed = set_state(study, campaign, state)
    add_event(study, f"campaign {state}", {"campaign": name})
    return changed


def _store(
    study: Study,
    plan: CampaignPlan,
    settings: Mapping[str, object],
    album: Album,
    payloads: Sequence[Mapping[str, object]],
) -> CampaignEntry:
    check_name(plan.name, what="A campaign")
    texts = plan.texts
    check_consent(texts.consent, may_be_empty=True)
    default = CONTAINS_INSTRUCTIONS if plan.kind is Kind.CONTAINS else CLASSIFY_INSTRUCTIONS
    filled = replace(texts, instructions=texts.instructions or default, consent=texts.consent or CONSENT)
    whole = replace(plan, texts=filled, settings=dict(settings))
    entry = insert_campaign(study, whole, images=list(album.numbers), payloads=payloads)
    parameters = {"campaign": entry.name, "kind": entry.kind, "n_tasks": entry.n_tasks, **settings}
    add_event(study, "campaign create", parameters)
    return entry


def find_controls(
    study: Study, questions: ContainsQuestions, classes: IntArray, *, album: Album, is_taught: bool
) -> ControlPool:
    """Per class of the pairs, images of that class, and images of the nearest unrelated class, none that is excluded from a pool.

    Args:
        study: the study.
        questions: whose images make controls, and how many a grid has.
        classes: the classes of the pairs.
        album: numbers the images.
        is_taught: whether examples and a quiz need images too.

    Raises:
        InputError: the image files are not at hand, or only candidates could be controls.
    """
    if not (questions.shape.n_positive or questions.shape.n_negative or is_taught):
        return ControlPool({}, {})
    opened = _open_known(study, questions)
    entry, labels = opened.entry, opened.test_set.labels[opened.is_free]
    of_class = {index: opened.rows[labels == index] for index in np.unique(labels).tolist()}
    positive: dict[int, IntArray] = {}
    negative: dict[int, IntArray] = {}
    nearest = find_negative_classes(study.taxonomy, np.unique(classes).tolist(), among=of_class.keys())
    for class_index, unrelated in nearest.items():
        if class_index in of_class:
            positive[class_index] = album.add(entry, of_class[class_index])
        if unrelated is not None:
            negative[class_index] = album.add(entry, of_class[unrelated])
    return ControlPool(positive, negative)


def _open_known(study: Study, questions: ContainsQuestions | ClassifyQuestions) -> OpenedSet:
    """The images whose labels are taken for known: those that are named, or those that are asked about."""
    opened = open_images(study, questions.controls or questions.test_set)
    if questions.controls is None and opened.entry.role is TestSetRole.POOL:
        raise InputError(
            f"What the candidates of {opened.entry.name} show is not known yet, so they cannot be controls; name a test set "
            "whose labels are known with --controls."
        )
    return opened


def _teach_classify(
    study: Study, plan: CampaignPlan, questions: ClassifyQuestions, *, album: Album, rng: np.random.Generator
) -> LessonTasks:
    """Examples and questions from images with known labels that are not asked about."""
    opened = _open_known(study, questions)
    entry, test_set = opened.entry, opened.test_set
    shown = [image.row for image in album.numbers if image.test_set_id == entry.id]
    asked = np.union1d(np.array(shown, np.int32), np.flatnonzero(~opened.is_free)).astype(np.int32)
    classes = sorted({one for candidates in questions.candidates.values() for one in candidates})
    lessons = choose_classify_lessons(plan, classes, test_set=test_set, asked=asked, rng=rng)
    rows = [known.image for known in (*lessons.examples, *lessons.questions)]
    numbers = album.add(entry, np.array(rows, np.int32)).tolist()
    return make_classify_lessons(study.taxonomy, lessons, numbers=dict(zip(rows, numbers, strict=True)))
