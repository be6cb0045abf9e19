"""Make campaigns: which images and pairs people are asked about, of a pool those that can still be taken."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

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
    TRUST,
    KindFields,
    QuestionSource,
)
from regauge.campaigns.priorities import order_tasks
from regauge.campaigns.quizzes import LessonTasks
from regauge.campaigns.sources import AnswerScores, MadeTasks, OpenedSet, Sources, check_scores
from regauge.campaigns.visibility import LABELS
from regauge.errors import FormatError, InputError
from regauge.evaluation.reviews.audits import draw_audit
from regauge.evaluation.reviews.queues import list_open_queue, list_planned_queue, mix_audit
from regauge.fields import FieldError, KnownName, in_field, pick
from regauge.formats.labels.audits import dump_audit, load_audit
from regauge.formats.labels.review_plans import dump_review_plan, load_review_plan
from regauge.formats.pools.pairs import load_class_pairs
from regauge.formats.releases.similar_classes import dump_similar, load_similar
from regauge.kinds.registry import find_kind
from regauge.records.campaigns.campaign import CampaignEntry, CampaignPlan, CampaignProgress, TaskRole, check_consent
from regauge.records.evaluation.audits import AuditSample
from regauge.records.evaluation.reviews import ReviewField
from regauge.records.evaluation.sampled_reviews import PlannedReview
from regauge.records.labels.label_set import LabelSet
from regauge.records.names import check_name
from regauge.records.studies import TestSetEntry, TestSetRole
from regauge.storage.campaigns.campaign import get_campaign, insert_campaign, list_campaigns, measure_progress
from regauge.storage.campaigns.documents import digest_document, insert_documents
from regauge.storage.campaigns.extra_tasks import insert_extra_tasks
from regauge.storage.evaluation.review_fields import load_review_field
from regauge.storage.events import add_event
from regauge.storage.labels.label_set import get_label_set, load_label_set
from regauge.storage.people.annotators import get_annotator
from regauge.storage.predictions import get_predictions, open_scored
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


@dataclass(frozen=True, slots=True, eq=False)
class FoundQueue:
    """What a campaign asks that is made of what nobody has judged.

    Attributes:
        pairs: images with classes.
        order: image ids in the order of work; empty where there is none.
        settings: what the campaign rests on, for the record.
        documents: the plan and the audit as texts, by the names of their settings.
    """

    pairs: Sequence[tuple[str, int]]
    order: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    documents: Mapping[str, str] = field(default_factory=dict)


def create_campaign(study: Study, plan: CampaignPlan, questions: Questions) -> CampaignEntry:
    """Make tasks as their kind has it and store them as a campaign, not open yet.

    Raises:
        InputError: an image, a class or a set is unknown, images are not at hand, or there are too few with known labels.
    """
    kind, pairs = find_kind(study.around.kinds, plan.kind), questions.pairs
    _check_sets(study, kind.fields, questions)
    if isinstance(pairs, Path):
        pairs = load_class_pairs(pairs, taxonomy=study.taxonomy)
    sets = tuple(open_images(study, name) for name in (questions.test_set, *questions.also))
    asked = dict(questions.settings)
    has_queue = QuestionSource.UNJUDGED in kind.fields.sources and asked.get(MODE.name) != COMPLETE
    queue = _find_queue(study, sets[0].entry, questions) if has_queue else None
    if queue is not None:
        pairs, asked = queue.pairs, {**asked, **queue.settings}
    known = open_known(study, questions) if kind.making.needs_known(plan, asked) else None
    documents = {**({} if queue is None else queue.documents), **_load_similar(study, asked)}
    order, gold = () if queue is None else queue.order, _load_gold(study, asked)
    scores = _load_scores(study, sets[0].entry, asked) if asked.get(SHOW_SCORE.name) else None
    made = kind.making.make_tasks(
        Sources(plan, sets, pairs, known, asked, study.taxonomy, questions.seed, order, gold, scores)
    )
    n_left_out = sum(int((~one.is_free).sum()) for one in sets) if pairs is None else 0
    settings = {
        **plan.settings,
        **({} if queue is None else queue.settings),
        **_settle_common(study, asked),
        "test_set": sets[0].entry.name,
        **({"also": [one.entry.name for one in sets[1:]]} if questions.also else {}),
        **({LEFT_OUT: n_left_out} if n_left_out else {}),
        **made.settings,
        **{name: {"digest": digest_document(text)} for name, text in documents.items() if name == SIMILAR.name},
        "seed": questions.seed,
    }
    campaign = _store(study, plan, settings, made)
    _store_lessons(study, campaign, made.lessons)
    insert_documents(study, campaign, documents)
    return campaign


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
        is_set = isinstance(one.type, KnownName) and one.type.what == "test set" and not one.type.is_repeatable
        if named and is_set:
            in_field(one.name, partial(get_test_set, study, named))


def find_queue(study: Study, entry: TestSetEntry, *, settings: Mapping[str, Any], seed: int) -> FoundQueue:
    """Every first answer of the chosen participants, and every dataset label, that has no verdict; or what a plan asks of them.

    Args:
        study: the study; a transaction that reads is enough.
        entry: the test set.
        settings: participants, label set and whether dataset labels are trusted, or a plan, which says all this; and an
            audit, or how many images of one to draw.
        seed: decides where the images of an audit stand, and which are drawn.

    Raises:
        InputError: nobody has answered, the label set judges other images, or a plan or an audit is not of these answers.
    """
    planned = _load_own_plan(entry, settings) if settings.get(REVIEW_PLAN.name) else None
    kept = pick(settings, (LABELS, PARTICIPANTS.name, TRUST.name)) if planned is None else _settle_by_plan(planned)
    found = load_review_field(study, entry, labels=kept.get(LABELS) or None)
    documents = {}
    if planned is None:
        entries = get_predictions(study, entry, participants=kept.get(PARTICIPANTS.name, ()))
        names = [one.participant for one in entries]
        queue = list_open_queue(found.keep_participants(names, trusts=bool(kept.get(TRUST.name))))
    else:
        queue, names = list_planned_queue(planned, found), list(planned.plan.participants)
        documents[REVIEW_PLAN.name] = dump_review_plan(planned)
        kept[REVIEW_PLAN.name] = {"digest": digest_document(documents[REVIEW_PLAN.name]), "n_images": len(planned.plan)}
    order = () if planned is None else tuple(queue.classes)
    audit = _find_audit(settings, found.keep_participants(names), seed=seed)
    if audit is not None:
        mixed = mix_audit(queue, audit, field=found, seed=seed)
        order = tuple(mixed.classes) if order else ()
        documents[AUDIT.name] = dump_audit(audit)
        n_added = len(mixed.pairs) - len(queue.pairs)
        kept[AUDIT.name] = {
            "digest": digest_document(documents[AUDIT.name]),
            "n_images": len(audit),
            "n_pairs": n_added,
        }
        queue = mixed
    return FoundQueue(queue.pairs, order, {name: value for name, value in kept.items() if value}, documents)


def _find_queue(study: Study, entry: TestSetEntry, questions: Questions) -> FoundQueue | None:
    """What nobody has judged; None where a file says what is asked about.

    Raises:
        InputError: a file and a plan or an audit say it both.
    """
    if questions.pairs is None:
        return find_queue(study, entry, settings=questions.settings, seed=questions.seed)
    for one, what in ((REVIEW_PLAN, "plan"), (AUDIT, "audit"), (AUDIT_SIZE, "audit")):
        if questions.settings.get(one.name):
            raise InputError(
                f"The {what} says itself which images are asked about; leave out `{one.name}=…` or `pairs=…`."
            )
    return None


def _find_audit(settings: Mapping[str, Any], field: ReviewField, *, seed: int) -> AuditSample | None:
    """The audit that is named, or one of so many images drawn now; None where none is asked for.

    Raises:
        InputError: the file is no audit, or there is no image that everybody gets right and nobody has judged.
    """
    if settings.get(AUDIT.name):
        return load_audit(Path(settings[AUDIT.name]))
    n = int(settings.get(AUDIT_SIZE.name) or 0)
    return draw_audit(field, n=n, seed=seed) if n else None


def _load_own_plan(entry: TestSetEntry, settings: Mapping[str, Any]) -> PlannedReview:
    """The plan that is named, if it is of this test set and nothing is said that it says itself."""
    if any(settings.get(name) for name in (LABELS, PARTICIPANTS.name, TRUST.name)):
        raise InputError(
            "A plan says itself whose answers are judged, which verdicts are there and whether dataset labels are trusted; leave "
            "out `participants=…`, `labels=…` and `trust_dataset_labels=…`."
        )
    path = Path(settings[REVIEW_PLAN.name])
    planned = load_review_plan(path)
    if planned.plan.test_set != entry.name:
        raise FormatError(path, f"this plan is of {planned.plan.test_set}, not of {entry.name}; name its own test set.")
    return planned


def _settle_by_plan(planned: PlannedReview) -> dict[str, Any]:
    """What a campaign that follows a plan rests on."""
    plan = planned.plan
    return {
        LABELS: plan.labels,
        PARTICIPANTS.name: list(plan.participants),
        TRUST.name: plan.trust_dataset_labels,
    }


def _load_scores(study: Study, entry: TestSetEntry, asked: Mapping[str, Any]) -> AnswerScores:
    """The answers of the chosen participants with their scores.

    Raises:
        FieldError: somebody's answers have no scores, or scores that are no shares.
    """
    opened = []
    for one in get_predictions(study, entry, participants=asked.get(PARTICIPANTS.name, ())):
        if not one.has_scores:
            raise FieldError(
                SHOW_SCORE.name,
                f"The answers of {one.participant} have no scores, as those of people have none, so that a label without a score "
                "would tell whose it is; show no scores, or name others with `participants=…`.",
            )
        classes, scores = open_scored(study, one, test_set=entry)
        opened.append((classes, check_scores(one.participant, classes, scores=scores)))
    return AnswerScores(tuple(classes for classes, _ in opened), tuple(scores for _, scores in opened))


def _load_similar(study: Study, settings: Mapping[str, Any]) -> dict[str, str]:
    """The lists of similar classes as they are kept with the campaign; nothing where it names none."""
    named = settings.get(SIMILAR.name)
    return {SIMILAR.name: dump_similar(load_similar(Path(named), taxonomy=study.taxonomy))} if named else {}


def _load_gold(study: Study, settings: Mapping[str, Any]) -> LabelSet | None:
    """The label set whose verdicts are believed; None where a campaign names none."""
    named = settings.get(GOLD.name)
    return load_label_set(study, get_label_set(study, named)) if named else None


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
    whole = replace(plan, texts=filled, settings=dict(settings))
    entry = insert_campaign(study, whole, images=list(made.album.numbers), payloads=order_tasks(made.tasks))
    parameters = {"campaign": entry.name, "kind": entry.kind, "n_tasks": entry.n_tasks, **settings}
    add_event(study, "campaign create", parameters)
    return entry


def _store_lessons(study: Study, campaign: CampaignEntry, tasks: LessonTasks) -> None:
    """What people are taught and asked before the first task is kept beside what the campaign is there for."""
    insert_extra_tasks(study, campaign, role=TaskRole.EXAMPLE, payloads=tasks.examples)
    insert_extra_tasks(study, campaign, role=TaskRole.QUESTION, payloads=tasks.questions)
