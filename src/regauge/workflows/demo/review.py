"""Three simulated experts in the demo review a test set, in the order of a plan; what they find stands beside the truth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import numpy as np

from regauge.labels.selection import keep_images
from regauge.records.campaigns.campaign import CampaignEntry, CampaignPlan, Kind, NewAnswer
from regauge.records.guide.entries import GuideEdit
from regauge.records.predictions import ParticipantKind
from regauge.records.taxonomy import RelationStatus
from regauge.storage.campaigns.assignments import find_last_answered
from regauge.storage.labels.label_set import load_label_set
from regauge.storage.predictions import list_predictions
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import get_test_set
from regauge.taxonomy.relations import describe_relation
from regauge.workflows.annotation.choosing import take_tasks
from regauge.workflows.annotation.renditions import list_campaign_images
from regauge.workflows.annotation.submissions import submit_answers
from regauge.workflows.campaigns.campaign import Questions, create_campaign
from regauge.workflows.campaigns.openings import open_campaign
from regauge.workflows.campaigns.reviews.queues import find_queue
from regauge.workflows.demo.crowd import (
    CrowdAccuracy,
    CrowdSize,
    DemoCollections,
    compare_verdicts,
    let_work,
    set_clock,
)
from regauge.workflows.guide.entries import find_topic, save_entry
from regauge.workflows.labels.campaign_labels import build_labels
from regauge.workflows.labels.relations import decide_relation, propose_study_relations
from regauge.workflows.labels.review_plans import (
    ReviewRequest,
    follow_study_review,
    open_field,
    plan_study_review,
    save_review_plan,
)
from regauge.workflows.people.expertises import change_expertises
from regauge.world.annotators import Annotator, Profile

REVIEW, REVIEWED = "simulated-review", "simulated-reviewed"
"""The campaign and its label set; every page of a task shows the name."""
PLAN_FILE = "review-plan.json"
EXPERTS = CrowdSize(quota=3, n_hired=3, shares={Profile.EXPERT: 1.0})
LOOKING = timedelta(minutes=5)
"""How long before the answer somebody is given what was referred to them."""
WHY = "simulated: in this world the one is drawn with the other"


@dataclass(frozen=True, slots=True)
class ReviewQuestions:
    """What simulated experts are asked about.

    Attributes:
        test_set: some of its images.
        truth: the label set whose verdicts propose a relation.
        n_images: how many images.
    """

    test_set: str
    truth: str
    n_images: int


@dataclass(frozen=True, slots=True)
class ReviewFindings:
    """What simulated experts found.

    Attributes:
        verdicts: how often their verdict is the true one.
        standings: of the pairs that the plan compares, whether they are settled.
        relation: what was proposed from verdicts and accepted; empty where nothing was proposed.
        referral: the class that one of them referred to another, and what that one said of it.
    """

    verdicts: CrowdAccuracy
    standings: tuple[str, ...]
    relation: str
    referral: str

    @property
    def lines(self) -> tuple[str, ...]:
        """All of it, a line each."""
        relation = [f"Accepted: {self.relation}"] if self.relation else []
        return (str(self.verdicts), *self.standings, f"Referred – {self.referral}", *relation)


def ask_experts(study: Study, scene: DemoCollections, *, asking: ReviewQuestions, folder: Path) -> ReviewFindings:
    """Plan a review of three models, let experts judge the first images of its order, and say what that settles.

    Args:
        study: the study, inside a transaction.
        scene: what the experts see.
        asking: which images, and how many.
        folder: where the plan is written.
    """
    test_set = asking.test_set
    relation = _relate(study, asking.truth)
    names = choose_compared(study, test_set)
    made = plan_study_review(study, ReviewRequest(names, test_set=test_set))
    save_review_plan(made.planned, folder / PLAN_FILE)
    chosen = set(made.planned.plan.image_ids[: asking.n_images].tolist())
    entry = get_test_set(study, test_set)
    pairs = [pair for pair in find_queue(study, entry, settings={}, seed=0).pairs if pair[0] in chosen]
    plan = CampaignPlan(REVIEW, Kind("review"), EXPERTS.quota, settings={"simulated": True})
    create_campaign(study, plan, Questions(test_set, pairs, seed=0))
    campaign = open_campaign(study, REVIEW)
    people = let_work(study, campaign, scene, hiring=EXPERTS)
    referral = _refer(study, campaign, scene, people=people)
    labels = keep_images(load_label_set(study, build_labels(study, REVIEW, name=REVIEWED)), chosen)
    found = follow_study_review(study, folder / PLAN_FILE, labels=REVIEWED)
    return ReviewFindings(
        compare_verdicts(study, labels, scene.collections[entry.id], campaign=REVIEW),
        found.sentences,
        relation,
        referral,
    )


def _refer(study: Study, campaign: CampaignEntry, scene: DemoCollections, *, people: Mapping[int, Annotator]) -> str:
    """The first of the experts changes an answer and refers a label to another; says what that one finds, which then stands."""
    first, *_, last = people
    before = find_last_answered(study, campaign, annotator_id=first)
    assert before is not None  # noqa: S101 - they answered all there was
    assert before.answer is not None  # noqa: S101 - as before
    key, *_ = before.answer["verdicts"]
    name = study.taxonomy.classes[int(key)].name
    change_expertises(study, last, add=[name])
    rest = {one: word for one, word in before.answer["verdicts"].items() if one != key}
    referring = NewAnswer("simulated-referral", before.id, first, {"verdicts": rest, "refers": {key: name}}, revision=1)
    submit_answers(study, [referring])
    # The other one looked at it for as long as they say.
    (task,) = take_tasks(set_clock(study, study.around.clock() - LOOKING), campaign.id, annotator_id=last)
    said, seconds = scene.answer(people[last], task.payload, images=list_campaign_images(study, campaign.id))
    submit_answers(study, [NewAnswer(f"simulated-{task.id}", task.id, last, said, seconds)])
    return f"{name}: {said['verdicts'][key]}"


def choose_compared(study: Study, test_set: str) -> tuple[str, ...]:
    """The first two by top-1 accuracy, who are close, and the last."""
    order = _rank(study, test_set)
    return tuple(dict.fromkeys([*order[:2], order[-1]]))


def choose_best(study: Study, test_set: str, *, n: int) -> tuple[str, ...]:
    """The first n models by top-1 accuracy; people are left out."""
    stored = list_predictions(study, get_test_set(study, test_set))
    people = {one.participant for one in stored if one.kind is ParticipantKind.PERSON}
    return tuple(one for one in _rank(study, test_set) if one not in people)[:n]


def _rank(study: Study, test_set: str) -> list[str]:
    """All who answered a test set, the best first."""
    field = open_field(study, test_set=test_set)
    n_right = (field.answers == field.test_set.labels).sum(axis=1)
    return [field.participants[row] for row in np.argsort(-n_right, kind="stable").tolist()]


def _relate(study: Study, truth: str) -> str:
    """Accept the first relation that verdicts propose, and write into the guide how its classes differ."""
    proposed = propose_study_relations(study, [truth]).entries
    if not proposed:
        return ""
    entry = proposed[0]
    decide_relation(study, entry.relation, status=RelationStatus.ACCEPTED, reason=WHY)
    told = describe_relation(entry.relation, study.taxonomy)
    first, second = (str(index) for index in (entry.relation.first, entry.relation.second))
    edit = GuideEdit(describe_pair(told), reason="simulated")
    save_entry(study, find_topic(study, first, second), edit)
    return told


def describe_pair(relation: str) -> str:
    """What the guide says of two classes that are related so."""
    return f"Simulated: in this world {relation}. Judge each by what is drawn."
