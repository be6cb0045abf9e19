"""The slice of major mistakes in the demo: what is open is judged and coded first, then its images are labelled completely."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from regauge.arrays import IdArray
from regauge.errors import InputError
from regauge.estimates import count_things
from regauge.kinds.registry import find_kind
from regauge.records.campaigns.campaign import CampaignPlan, Kind
from regauge.records.predictions import ParticipantChoice, ParticipantKind
from regauge.records.slices.answers import AnswerState, OpenReason
from regauge.records.slices.rules import MajorRule
from regauge.records.slices.scores import SliceScore, SliceScores
from regauge.storage.study import Study
from regauge.workflows.campaigns.campaign import Questions, create_campaign
from regauge.workflows.campaigns.openings import open_campaign
from regauge.workflows.demo.crowd import CrowdSize, DemoCollections, let_work
from regauge.workflows.labels.campaign_labels import build_labels
from regauge.workflows.people.invitations import invite
from regauge.workflows.slices.creating import PreparedSlice, SliceRequest, prepare_slice, store_slice
from regauge.workflows.slices.scoring import SliceSelection, score_study_slice
from regauge.world.annotators import Profile, hire

SLICE, QUEUE = "simulated-major", "simulated-queue"
"""The slice, and the campaign that judges what is open of it."""
AT_LEAST = 2
N_SHOWN = 4
"""Participants that the line names."""
JUDGES = CrowdSize(quota=1, n_hired=1, shares={Profile.EXPERT: 1.0})


@dataclass(frozen=True, slots=True)
class SliceQuestions:
    """What slice to make.

    Attributes:
        test_set: of which images.
        labels: the label set, by name; its latest version holds.
        reference: the model whose major mistakes are chosen from.
        models: the other models that choose.
    """

    test_set: str
    labels: str
    reference: str
    models: tuple[str, ...]


class QueueCounts(NamedTuple):
    """Predictions that had to be looked at first, those of them that nobody had judged, and those that are open still."""

    n_queued: int
    n_judged: int
    n_open: int


@dataclass(frozen=True, slots=True)
class SliceFindings:
    """What became of the slice, a line each."""

    lines: tuple[str, ...]


def make_slice(
    study: Study,
    scene: DemoCollections,
    *,
    asking: SliceQuestions,
    code: Callable[[str], None],
    look: Callable[[IdArray], int],
) -> SliceFindings:
    """Judge and code what is open, label images on which two of the models make a major mistake completely, and score all models.

    Args:
        study: the study, inside a transaction.
        scene: what experts see.
        asking: which models.
        code: lets somebody code the mistakes of a model.
        look: lets experts look for what else is in images, and says how many classes they find.
    """
    rule = MajorRule(asking.reference, asking.models, AT_LEAST)
    request = SliceRequest(SLICE, rule, asking.test_set, allow_open=True)
    try:
        prepared = prepare_slice(study, request)
        n_queued, n_judged = len(prepared.queue), _judge(study, scene, prepared, asking=asking)
        _code(prepare_slice(study, request), asking, code=code)
        chosen = prepare_slice(study, request).chosen
        n_found = 0 if chosen is None else look(chosen.image_ids)
        prepared = _finish(study, request)
        store_slice(study, prepared)
    except InputError:
        # A small world may have no such image, or nothing coded.
        return SliceFindings((describe_none(rule),))
    models = ParticipantChoice(kind=ParticipantKind.MODEL)
    found = score_study_slice(study, SLICE, SliceSelection(labels=asking.labels, chosen=models))
    is_complete = prepared.chosen is not None and prepared.chosen.is_complete
    n_open = sum(one is not OpenReason.LOOK for one in prepared.queue.reasons)
    counts = QueueCounts(n_queued, n_judged, n_open)
    return SliceFindings(tuple(describe_slice(rule, found, counts=counts, n_found=n_found if is_complete else None)))


def describe_none(rule: MajorRule) -> str:
    """That there is no such image."""
    n_models = len(rule.models) + 1
    return f"{SLICE}: no image is known on which at least {rule.at_least} of {n_models} models make a major mistake"


def describe_slice(
    rule: MajorRule, found: SliceScores, *, counts: QueueCounts, n_found: int | None = None
) -> Iterator[str]:
    """What the slice is, and who gets what of it right."""
    n_open = f", {counts.n_open:,} still open" if counts.n_open else ""
    whole = "not labelled completely"
    if n_found is not None:
        whole = f"labelled completely, with {count_things(n_found, 'more correct class', many='more correct classes')}"
    yield (
        f"{SLICE}: {count_things(found.n_images, 'image')} on which at least {rule.at_least} of {rule.reference}, "
        f"{' and '.join(rule.models)} make a major mistake; {count_things(counts.n_queued, 'prediction')} to look at first, "
        f"{counts.n_judged:,} of them unjudged{n_open}; {whole}"
    )
    yield f"{SLICE}: {'; '.join(map(_tell_score, _pick(found.scores)))}"


def _judge(study: Study, scene: DemoCollections, prepared: PreparedSlice, *, asking: SliceQuestions) -> int:
    """An expert judges what nobody has judged, which makes the next version of the labels; says how much that was."""
    rows = zip(prepared.queue.image_ids.tolist(), prepared.queue.classes.tolist(), prepared.queue.reasons, strict=True)
    pairs = [(image_id, index) for image_id, index, reason in rows if reason is OpenReason.VERDICT]
    if not pairs:
        return 0
    kind = Kind("review")
    settings = find_kind(study.around.kinds, kind).fields.settle({"labels": asking.labels})
    plan = CampaignPlan(QUEUE, kind, JUDGES.quota, settings={"simulated": True})
    create_campaign(study, plan, Questions(asking.test_set, pairs, settings=settings, seed=0))
    # Who judges comes by a seed of their own, as panelists and coders do.
    hired = hire(JUDGES.n_hired, rng=np.random.default_rng(2), shares=JUDGES.shares)
    invited = invite(study, [f"{QUEUE}-{one.annotator_id}" for one in hired])
    people = dict(zip((one.annotator.id for one in invited), hired, strict=True))
    let_work(study, open_campaign(study, QUEUE), scene, hiring=people)
    build_labels(study, QUEUE, name=asking.labels)
    return len(pairs)


def _code(prepared: PreparedSlice, asking: SliceQuestions, *, code: Callable[[str], None]) -> None:
    """The mistakes of the models that have open ones are coded, one model after the other."""
    open_of = {name for names in prepared.queue.participants for name in names}
    for name in asking.models:
        if name in open_of:
            code(name)


def _finish(study: Study, request: SliceRequest) -> PreparedSlice:
    """The slice as a complete one, unless there are images on which experts went on finding more."""
    complete = prepare_slice(study, replace(request, is_complete=True))
    return prepare_slice(study, request) if complete.problem else complete


def _pick(scores: Sequence[SliceScore]) -> Iterator[SliceScore]:
    """The best that can be compared, and those that helped to choose."""
    comparable = [one for one in scores if one.is_comparable]
    chosen = [one for one in scores if not one.is_comparable]
    yield from (*comparable[: max(N_SHOWN - len(chosen), 1)], *chosen)


def _tell_score(one: SliceScore) -> str:
    mark = "" if one.is_comparable else ", not comparable"
    return (
        f"{one.participant} {one.correct.k:,} of {one.correct.n:,} correct ({one.share_text}), "
        f"{one.counts[AnswerState.MAJOR]:,} major{mark}"
    )
