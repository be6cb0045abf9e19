"""Make campaigns: which images and pairs people are asked about, of a pool those that can still be taken."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from glob import escape
from pathlib import Path
from typing import Any

from regauge.campaigns.eligibility import PANEL
from regauge.campaigns.fields import (
    AUDIT,
    AUDIT_SIZE,
    COMPLETE,
    CONTROLS,
    GOLD,
    MODE,
    PARTICIPANTS,
    REVIEW_PLAN,
    SHOW_SCORE,
    SIMILAR,
    KindFields,
    QuestionSource,
)
from regauge.campaigns.priorities import order_tasks
from regauge.campaigns.quizzes import LessonTasks
from regauge.campaigns.reviews.final import FINAL_REVIEW
from regauge.campaigns.sources import MadeTasks, OpenedSet, Sources
from regauge.campaigns.visibility import LABELS
from regauge.errors import InputError
from regauge.fields import FieldError, in_field
from regauge.formats.pools.pairs import load_class_pairs, load_pair_participants
from regauge.kinds.registry import find_kind
from regauge.records.campaigns.campaign import (
    EVERYBODY,
    CampaignEntry,
    CampaignPlan,
    CampaignProgress,
    TaskRole,
    check_consent,
)
from regauge.records.campaigns.discussions import CHAIRS
from regauge.records.names import check_name
from regauge.records.studies import TestSetEntry, TestSetRole
from regauge.storage.campaigns.campaign import get_campaign, insert_campaign, list_campaigns, measure_progress
from regauge.storage.campaigns.documents import digest_document, insert_documents
from regauge.storage.campaigns.extra_tasks import insert_extra_tasks
from regauge.storage.events import add_event
from regauge.storage.labels.label_set import get_label_set
from regauge.storage.people.annotators import get_annotator
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import count_classes, get_test_set
from regauge.workflows.campaigns.image_sets import find_beside, names_set, open_images, open_set
from regauge.workflows.campaigns.reviews.final import find_final_review
from regauge.workflows.campaigns.reviews.known import load_answer_scores, load_gold_labels, load_similar_lists
from regauge.workflows.campaigns.reviews.queues import FoundQueue, find_queue
from regauge.workflows.campaigns.reviews.remaining import find_remaining
from regauge.workflows.discussions.novel import find_novel
from regauge.workflows.discussions.panels import settle_panel

__all__ = [
    "LEFT_OUT",
    "Questions",
    "count_classes",
    "create_campaign",
    "describe_progress",
    "get_campaign",
    "list_campaigns",
    "measure_progress",
    "pick_seed",
]

LEFT_OUT = "n_left_out"
"""Where the settings of a campaign say how many candidates it leaves out, because they are excluded or have no file."""

MAX_SEED = 2**32 - 1

CONSENT = (
    "You are about to take part in a study of image labels. Your answers are stored under a name that does not "
    "identify you, together with the time each one took. You can stop at any time."
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
        InputError: an image, a class or a set is unknown, images are not at hand, or there are too few with known labels.
    """
    kind, pairs = find_kind(study.around.kinds, plan.kind), questions.pairs
    _check_sets(study, kind.fields, questions)
    if isinstance(pairs, Path):
        questions = replace(questions, settings=name_participants(kind.fields, questions.settings, path=pairs))
        pairs = load_class_pairs(pairs, taxonomy=study.taxonomy)
    sets = tuple(open_set(study, kind.fields, name) for name in (questions.test_set, *questions.also))
    asked = dict(questions.settings)
    queue = _find_queue(study, sets[0].entry, kind.fields, asked=replace(questions, pairs=pairs), plan=plan)
    if queue is not None:
        pairs, asked = queue.pairs, {**asked, **queue.settings}
    known = open_known(study, questions) if kind.making.needs_known(plan, asked) else None
    documents = {**({} if queue is None else queue.documents), **load_similar_lists(study, asked)}
    order, gold = () if queue is None else queue.order, load_gold_labels(study, asked)
    scores = load_answer_scores(study, sets[0].entry, asked) if asked.get(SHOW_SCORE.name) else None
    made = kind.making.make_tasks(
        Sources(
            *(plan, sets, pairs, known, asked, study.taxonomy, questions.seed, order, gold, scores),
            not_for={} if queue is None else queue.not_for,
            pair_scores={} if queue is None else queue.pair_scores,
            **find_beside(study, kind.fields, asked),
        )
    )
    n_left_out = sum(int((~one.is_free).sum()) for one in sets) if pairs is None else 0
    settings = {
        **plan.settings,
        **({} if queue is None else queue.settings),
        **_settle_common(study, asked),
        **settle_panel(study, plan, asked),
        "test_set": sets[0].entry.name,
        **_name_others(sets[1:], n_left_out),
        **made.settings,
        **{name: {"digest": digest_document(text)} for name, text in documents.items() if name == SIMILAR.name},
        "seed": questions.seed,
    }
    campaign = _store(study, plan, settings, made)
    _store_lessons(study, campaign, made.lessons)
    insert_documents(study, campaign, documents)
    return campaign


def name_participants(table: KindFields, settings: Mapping[str, Any], *, path: Path) -> dict[str, Any]:
    """The settings with those whose mistakes a file of answers is about, if it says that and nobody else does."""
    is_open = QuestionSource.MISTAKES in table.sources and not settings.get(PARTICIPANTS.name)
    named = load_pair_participants(path) if is_open else ()
    return {**settings, **({PARTICIPANTS.name: tuple(map(escape, named))} if named else {})}


def _name_others(others: Sequence[OpenedSet], n_left_out: int) -> dict[str, Any]:
    """Further sets of a campaign, and how many candidates it leaves out."""
    also = {"also": [one.entry.name for one in others]} if others else {}
    return {**also, **({LEFT_OUT: n_left_out} if n_left_out else {})}


def _check_sets(study: Study, table: KindFields, questions: Questions) -> None:
    """Refuse names of sets that the study does not have, and controls where a kind has gold items instead.

    Raises:
        FieldError: there is one.
    """
    if questions.controls and GOLD in table.own:
        raise FieldError(
            CONTROLS.name,
            f"Tasks of the kind {table.kind} have no controls from a test set; leave out `controls=…`, and name a label set "
            "whose verdicts are believed with `gold=…`.",
        )
    for one in table.own:
        named = questions.settings.get(one.name)
        if named and names_set(one):
            in_field(one.name, partial(get_test_set, study, named))


def _find_queue(
    study: Study, entry: TestSetEntry, table: KindFields, *, asked: Questions, plan: CampaignPlan
) -> FoundQueue | None:
    """What participants answered and people are to judge; None where a file, or the images themselves, say what is asked about.

    Raises:
        InputError: a file says it and a setting, or nothing can be asked.
    """
    if QuestionSource.MISTAKES in table.sources:
        # A path was read before.
        named = None if isinstance(asked.pairs, Path) else asked.pairs
        found = find_remaining(study, entry, settings=asked.settings, named=named)
        return FoundQueue(found.pairs, settings=found.settings, documents=found.documents)
    if QuestionSource.NOVEL in table.sources and asked.pairs is None:
        novel = find_novel(study, entry, asked.settings)
        return FoundQueue(novel.pairs, settings=novel.settings, pair_scores=novel.scores)
    if QuestionSource.UNJUDGED not in table.sources or asked.settings.get(MODE.name) == COMPLETE:
        return None
    if asked.pairs is None and asked.settings.get(FINAL_REVIEW.name):
        made = find_final_review(study, entry, plan=plan, settings=asked.settings, seed=asked.seed)
        return FoundQueue(made.pairs, settings=made.settings, not_for=made.not_for)
    if asked.pairs is None:
        return find_queue(study, entry, settings=asked.settings, seed=asked.seed)
    for one, what in ((REVIEW_PLAN, "plan"), (AUDIT, "audit"), (AUDIT_SIZE, "audit"), (FINAL_REVIEW, "final review")):
        if asked.settings.get(one.name):
            raise InputError(
                f"The {what} says itself which images are asked about; leave out `{one.name}=…` or `pairs=…`."
            )
    return None


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
    """Who is on the panel, by their numbers, and which versions of label sets are shown and believed, where it names them.

    Raises:
        InputError: there is no such annotator or label set.
    """
    found: dict[str, Any] = {}
    if settings.get(PANEL):
        found[PANEL] = sorted({get_annotator(study, name).id for name in settings[PANEL]})
    for name in (LABELS, GOLD.name):
        if settings.get(name):
            found[name] = get_label_set(study, settings[name]).full_name
    return found


def describe_progress(study: Study) -> list[tuple[CampaignEntry, CampaignProgress]]:
    """Every campaign with how far it is."""
    return [(entry, measure_progress(study, entry)) for entry in list_campaigns(study)]


def _store(study: Study, plan: CampaignPlan, settings: Mapping[str, object], made: MadeTasks) -> CampaignEntry:
    check_name(plan.name, what="A campaign")
    texts = plan.texts
    check_consent(texts.consent, may_be_empty=True)
    usual = made.instructions or find_kind(study.around.kinds, plan.kind).texts.instructions
    filled = replace(texts, instructions=texts.instructions or usual, consent=texts.consent or CONSENT)
    whole = _count_panel(replace(plan, texts=filled, settings=dict(settings)))
    entry = insert_campaign(study, whole, images=list(made.album.numbers), payloads=order_tasks(made.tasks))
    parameters = {"campaign": entry.name, "kind": entry.kind, "n_tasks": entry.n_tasks, **settings}
    add_event(study, "campaign create", parameters)
    return entry


def _count_panel(plan: CampaignPlan) -> CampaignPlan:
    """The plan; where everybody answers everything, or a panel votes, these are as many people as the panel that is named."""
    panel = plan.settings.get(PANEL)
    if not (plan.is_for_everybody or CHAIRS in plan.settings) or not panel:
        return plan
    return replace(plan, n_annotators=len(panel), settings={**plan.settings, EVERYBODY: False})


def _store_lessons(study: Study, campaign: CampaignEntry, tasks: LessonTasks) -> None:
    """What people are taught and asked before the first task is kept beside what the campaign is there for."""
    insert_extra_tasks(study, campaign, role=TaskRole.EXAMPLE, payloads=tasks.examples)
    insert_extra_tasks(study, campaign, role=TaskRole.QUESTION, payloads=tasks.questions)
