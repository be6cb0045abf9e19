"""Make campaigns: which images and pairs people are asked about, of a pool those that can still be taken."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from regauge.campaigns.eligibility import PANEL
from regauge.campaigns.priorities import order_tasks
from regauge.campaigns.quizzes import LessonTasks
from regauge.campaigns.sources import MadeTasks, OpenedSet, Sources
from regauge.campaigns.visibility import LABELS
from regauge.errors import InputError
from regauge.formats.pools.pairs import load_class_pairs
from regauge.kinds.registry import find_kind
from regauge.records.campaigns.campaign import CampaignEntry, CampaignPlan, CampaignProgress, TaskRole, check_consent
from regauge.records.names import check_name
from regauge.records.studies import TestSetRole
from regauge.storage.campaigns.campaign import get_campaign, insert_campaign, list_campaigns, measure_progress
from regauge.storage.campaigns.extra_tasks import insert_extra_tasks
from regauge.storage.events import add_event
from regauge.storage.labels import get_label_set
from regauge.storage.people.annotators import get_annotator
from regauge.storage.study import Study
from regauge.storage.testsets.pool import find_excluded
from regauge.storage.testsets.test_set import count_classes, get_test_set, load_places, load_test_set

__all__ = [
    "LEFT_OUT",
    "Questions",
    "count_classes",
    "create_campaign",
    "describe_progress",
    "get_campaign",
    "list_campaigns",
    "measure_progress",
    "open_images",
    "open_known",
    "pick_seed",
]

LEFT_OUT = "n_left_out"
"""Where the settings of a campaign say how many candidates it leaves out, because they are excluded or have no file."""

MAX_SEED = 2**32 - 1

CONSENT = (
    "You are about to take part in a study of image labels. Your answers are stored under a name that says nothing about you, "
    "with the time that each took. You can stop at any moment."
)


def pick_seed() -> int:
    """A seed that nobody can guess: with it and the files one could make the same tasks, and see which cells are controls."""
    return secrets.randbelow(MAX_SEED + 1)


@dataclass(frozen=True, slots=True)
class Questions:
    """Which images to ask about, and what with.

    Attributes:
        test_set: the images; the only test set by default.
        pairs: image ids with classes, or a file of them; by default every image with its dataset label, except for
            candidates that are excluded from the pool or have no file.
        controls: the test set whose dataset labels are believed, for controls, examples and quiz; that of the images unless
            given, which a pool cannot be.
        also: further sets whose images are asked about in the same tasks. Selection frequencies of two sets can be compared only
            if the same people judged both, and could not tell them apart (Recht et al. 2019, §4).
        settings: what the kind of task asks for besides.
        seed: decides every random choice; drawn by default, so that nobody can guess which cells are controls, and kept
            with the campaign.
    """

    test_set: str | None = None
    pairs: Sequence[tuple[str, int]] | Path | None = None
    controls: str | None = None
    also: Sequence[str] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    seed: int = field(default_factory=pick_seed)


def create_campaign(study: Study, plan: CampaignPlan, questions: Questions) -> CampaignEntry:
    """Make tasks as their kind has it and store them as a campaign, not open yet.

    Raises:
        InputError: an image or a class is unknown, images are not at hand, or there are too few with known labels.
    """
    kind, pairs = find_kind(study.around.kinds, plan.kind), questions.pairs
    if isinstance(pairs, Path):
        pairs = load_class_pairs(pairs, taxonomy=study.taxonomy)
    sets = tuple(open_images(study, name) for name in (questions.test_set, *questions.also))
    known = open_known(study, questions) if kind.making.needs_known(plan, questions.settings) else None
    sources = Sources(plan, sets, pairs, known, questions.settings, study.taxonomy, questions.seed)
    made = kind.making.make_tasks(sources)
    n_left_out = sum(int((~one.is_free).sum()) for one in sets) if pairs is None else 0
    settings = {
        **plan.settings,
        **_settle_common(study, questions.settings),
        "test_set": sets[0].entry.name,
        **({"also": [one.entry.name for one in sets[1:]]} if questions.also else {}),
        **({LEFT_OUT: n_left_out} if n_left_out else {}),
        **made.settings,
        "seed": questions.seed,
    }
    campaign = _store(study, plan, settings, made)
    _store_lessons(study, campaign, made.lessons)
    return campaign


def open_images(study: Study, name: str | None) -> OpenedSet:
    """The images of a test set, whose files are all needed, or of a batch of a pool, of which some may still be fetched.

    Raises:
        InputError: there is no such set, or its image files are not at hand.
    """
    entry = get_test_set(study, name)
    is_pool = entry.role is TestSetRole.POOL
    has_file = np.array([bool(place.path) for place in load_places(study, entry)], np.bool_)
    if not (has_file.any() if is_pool else has_file.all()):
        command = "regauge pool add PATH --images DIR" if is_pool else "regauge testset add PATH --images DIR"
        raise InputError(
            f"The image files of {entry.name} are not at hand, so nobody can look at them; add them with: {command}."
        )
    test_set, excluded = load_test_set(study, entry), find_excluded(study, entry) if is_pool else {}
    is_free = has_file & np.array([one not in excluded for one in test_set.image_ids.tolist()], np.bool_)
    return OpenedSet(entry, test_set, has_file, is_free)


def open_known(study: Study, questions: Questions) -> OpenedSet:
    """The images whose labels are taken for known: those that are named, or those that are asked about.

    Raises:
        InputError: only candidates of a pool, whose labels are not known, could be controls, or the image files are not at hand.
    """
    opened = open_images(study, questions.controls or questions.test_set)
    if questions.controls is None and opened.entry.role is TestSetRole.POOL:
        raise InputError(
            f"What the candidates of {opened.entry.name} show is not known yet, so they cannot be controls; name a test set "
            "whose labels are known with `controls=…`."
        )
    return opened


def _settle_common(study: Study, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Who is on the panel, by their numbers, and which version of a label set is shown; nothing where a campaign has neither.

    Raises:
        InputError: there is no such annotator or label set.
    """
    found: dict[str, Any] = {}
    if settings.get(PANEL):
        found[PANEL] = sorted({get_annotator(study, name).id for name in settings[PANEL]})
    if settings.get(LABELS):
        found[LABELS] = get_label_set(study, settings[LABELS]).full_name
    return found


def describe_progress(study: Study) -> list[tuple[CampaignEntry, CampaignProgress]]:
    """Every campaign with how far it is."""
    return [(entry, measure_progress(study, entry)) for entry in list_campaigns(study)]


def _store(study: Study, plan: CampaignPlan, settings: Mapping[str, object], made: MadeTasks) -> CampaignEntry:
    check_name(plan.name, what="A campaign")
    texts = plan.texts
    check_consent(texts.consent, may_be_empty=True)
    usual = find_kind(study.around.kinds, plan.kind).texts.instructions
    filled = replace(texts, instructions=texts.instructions or usual, consent=texts.consent or CONSENT)
    whole = replace(plan, texts=filled, settings=dict(settings))
    entry = insert_campaign(study, whole, images=list(made.album.numbers), payloads=order_tasks(made.tasks))
    parameters = {"campaign": entry.name, "kind": entry.kind, "n_tasks": entry.n_tasks, **settings}
    add_event(study, "campaign create", parameters)
    return entry


def _store_lessons(study: Study, campaign: CampaignEntry, tasks: LessonTasks) -> None:
    """What people are taught and asked before the first task is kept beside what the campaign is there for."""
    insert_extra_tasks(study, campaign, role=TaskRole.EXAMPLE, payloads=tasks.examples)
    insert_extra_tasks(study, campaign, role=TaskRole.QUESTION, payloads=tasks.questions)
