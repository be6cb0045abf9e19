"""Five simulated panelists in the demo judge a model's novel mistakes; each has evidence of their own, so that talking helps.

Everybody sees the picture through a noise of their own. Now and then one of them alone looks at it from near, votes as is true,
and says so in an argument. In round 2 everybody follows such evidence; without any, whoever could hardly tell votes as most
did, and all others stay with what they saw.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from regauge.campaigns.discussions.outcomes import decide, decide_item, measure_effects
from regauge.campaigns.discussions.words import ARGUMENT, EVIDENCE, TEXT
from regauge.campaigns.reviews.votes import VERDICT_OF
from regauge.errors import InputError
from regauge.estimates import count_things, make_share
from regauge.kinds.registry import find_kind
from regauge.labels.merging import put_above
from regauge.records.campaigns.campaign import (
    Assignment,
    CampaignEntry,
    CampaignImage,
    CampaignPlan,
    Kind,
    NewAnswer,
    Payload,
)
from regauge.records.campaigns.discussions import DiscussionEffects, DiscussionStanding, ShownDiscussion
from regauge.records.labels.label_set import Truth
from regauge.records.labels.verdicts import Verdict
from regauge.stats.intervals import clopper_pearson
from regauge.storage.labels.label_set import get_label_set, load_label_set
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import get_test_set, load_test_set
from regauge.workflows.annotation.renditions import list_campaign_images
from regauge.workflows.annotation.submissions import submit_answers
from regauge.workflows.campaigns.campaign import Questions, create_campaign
from regauge.workflows.campaigns.openings import open_campaign
from regauge.workflows.demo.crowd import CrowdSize, DemoCollections, let_work
from regauge.workflows.discussions.acts import close_round, lock_items
from regauge.workflows.discussions.standing import find_shown, list_waiting, load_standing
from regauge.workflows.labels.campaign_labels import build_labels
from regauge.workflows.labels.label_set import add_labels
from regauge.workflows.people.invitations import invite
from regauge.world.annotators import Annotator, Profile, answer_review, hire, see_degrees
from regauge.world.collections import Collection
from regauge.world.scenes import CORRECT_FROM, UNCLEAR_FROM

PANEL, PANELLED = "simulated-panel", "simulated-panelled"
"""The campaign and its label set; every page of a task shows the name."""
PANELISTS = CrowdSize(quota=5, n_hired=5, shares={Profile.CAREFUL: 1.0})
SHARE_NEAR = 0.12
"""How often a panelist has looked from near."""
CLOSE = 0.06
"""So near to the limit between two verdicts a degree can hardly be told."""
FROM_NEAR = "simulated: seen from near, it is {}"
FOLLOWS, AGREES, STAYS = (
    "simulated: somebody has seen it from near",
    "simulated: a close call, so I go with most of the others",
    "simulated: this is what I see",
)
SECONDS_TO_READ = 20.0


@dataclass(frozen=True, slots=True)
class PanelQuestions:
    """What simulated panelists are asked about.

    Attributes:
        test_set: on which images.
        reviewed: the label set that a review made.
        participant: whose mistakes.
        n_images: how many images that the review did not come to; there the dataset label is believed at first.
    """

    test_set: str
    reviewed: str
    participant: str
    n_images: int


@dataclass(frozen=True, slots=True)
class PanelFindings:
    """What simulated panelists decided, and what talking changed.

    Attributes:
        lines: a line each.
        labels: the label set after the panel.
        effects: what discussion changed; None where there was nothing to discuss.
        n_true: how many outcomes on predictions are the true ones by the votes of round 1, and in the end.
    """

    lines: tuple[str, ...]
    labels: str
    effects: DiscussionEffects | None = None
    n_true: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True, eq=False)
class _PanelScene(DemoCollections):
    """What simulated panelists see before anybody talks."""

    def answer(self, annotator: Annotator, task: Payload, *, images: Sequence[CampaignImage]) -> tuple[Payload, float]:
        """A vote on every prediction, and on the dataset label; whoever has looked from near says so."""
        image = images[task["images"][0]]
        collection = self.collections[image.test_set_id]
        classes = np.array([*task["classes"], *([task["label"]] if "label" in task else [])], np.int64)
        rows = np.full(len(classes), image.row, np.int64)
        found, seconds = answer_review(annotator, collection, rows=rows, classes=classes)
        said = {str(index): Verdict(one) for index, one in zip(task["classes"], found.tolist(), strict=False)}
        near = [index for index in task["classes"] if _is_near(annotator, image.row, index)]
        said |= {str(index): Verdict(int(collection.verdicts[image.row, index])) for index in near}
        votes = {key: one.name.lower() for key, one in said.items()}
        words = "; ".join(FROM_NEAR.format(votes[str(index)]) for index in near)
        told = {ARGUMENT: words, EVIDENCE: {TEXT: words}} if near else {}
        is_wrong = "label" in task and found[-1] == Verdict.WRONG
        return {"verdicts": votes, "label_wrong": bool(is_wrong), **told}, float(seconds.sum())


def hold_panel(study: Study, scene: DemoCollections, *, asking: PanelQuestions) -> PanelFindings:
    """Let panelists vote alone, talk, and lock what they decide, which makes the next version of a label set.

    Args:
        study: the study, inside a transaction.
        scene: what the panelists see.
        asking: about which mistakes.
    """
    labels = _add_base(study, asking)
    # They come by a seed of their own, so that whoever comes after them is who came before there was a panel.
    hired = hire(PANELISTS.n_hired, rng=np.random.default_rng(1), shares=PANELISTS.shares)
    names = [f"{PANEL}-{one.annotator_id}" for one in hired]
    kind = Kind("panel")
    asked = {"participants": (asking.participant,), "labels": labels, "panelists": tuple(names)}
    settings = find_kind(study.around.kinds, kind).fields.settle(asked)
    plan = CampaignPlan(PANEL, kind, PANELISTS.quota, settings={"simulated": True})
    people = dict(zip((one.annotator.id for one in invite(study, names)), hired, strict=True))
    try:
        create_campaign(study, plan, Questions(asking.test_set, settings=settings, seed=0))
    except InputError as error:
        # A small world may leave nothing to vote on.
        return PanelFindings((f"{PANEL}: {error}",), PANELLED)
    campaign = open_campaign(study, PANEL)
    seen = _PanelScene(scene.collections, scene.known)
    let_work(study, campaign, seen, hiring=people)
    chair, *_ = people
    close_round(study, PANEL, by=chair)
    _discuss(study, campaign, seen, people=people)
    versions = {one.task_id: one.version for one in load_standing(study, campaign).items}
    standing = lock_items(study, PANEL, seen=versions, by=chair)
    entry = build_labels(study, PANEL, name=PANELLED)
    collection = scene.collections[get_test_set(study, asking.test_set).id]
    images = list_campaign_images(study, campaign.id)
    return _describe(standing, collection, images=images, asking=asking, labels=entry.full_name)


def _add_base(study: Study, asking: PanelQuestions) -> str:
    """What the review found, and on images that it did not come to, the dataset label; returns the name of this version."""
    test_set = load_test_set(study, get_test_set(study, asking.test_set))
    reviewed = load_label_set(study, get_label_set(study, asking.reviewed))
    known = set(reviewed.image_ids.tolist())
    pairs = zip(test_set.image_ids.tolist(), test_set.labels.tolist(), strict=True)
    believed = [(image_id, label) for image_id, label in pairs if image_id not in known][: asking.n_images]
    label_set = put_above(reviewed, dict.fromkeys(believed, Verdict.CORRECT), name=PANELLED)
    return add_labels(study, Truth(label_sets=(label_set,)), name=PANELLED).entry.full_name


def _discuss(study: Study, campaign: CampaignEntry, scene: _PanelScene, *, people: Mapping[int, Annotator]) -> None:
    """Everybody says something on what waits for them, until nothing does."""
    images = list_campaign_images(study, campaign.id)
    n_tasks, is_waiting = max(campaign.n_tasks, 1), True
    while is_waiting:
        is_waiting = False
        for annotator_id, person in people.items():
            for given in list_waiting(study, campaign, annotator_id=annotator_id, n=n_tasks):
                shown = find_shown(study, given, campaign)
                if shown is None or given.answer is None:
                    continue
                is_waiting = True
                answer = _reply(person, given, shown, images=images, scene=scene)
                new = NewAnswer(
                    f"simulated-{given.id}-{given.revision + 1}",
                    given.id,
                    annotator_id,
                    answer,
                    SECONDS_TO_READ,
                    revision=given.revision + 1,
                )
                submit_answers(study, [new])


def _reply(
    person: Annotator,
    given: Assignment,
    shown: ShownDiscussion,
    *,
    images: Sequence[CampaignImage],
    scene: _PanelScene,
) -> dict[str, Any]:
    """What a panelist says who has read the others."""
    assert given.answer is not None  # noqa: S101 - they voted in round 1
    image, before = images[given.payload["images"][0]], given.answer
    votes = dict(before["verdicts"])
    reason = ""
    for key in votes:
        near = {one.final[key] for one in shown.stances if _has_evidence(one.said[-1].answer)}
        degree = see_degrees(
            person, scene.collections[image.test_set_id], rows=np.array([image.row]), classes=np.array([int(key)])
        )
        is_close = min(abs(float(degree[0]) - limit) for limit in (CORRECT_FROM, UNCLEAR_FROM)) < CLOSE
        if near and not _has_evidence(before):
            (votes[key],), reason = near, FOLLOWS
        elif is_close and not near:
            votes[key], reason = decide(one.first[key] for one in shown.stances).vote, AGREES
    has_changed = votes != before["verdicts"]
    words = reason if has_changed else STAYS
    kept = {name: before[name] for name in ("label_wrong", EVIDENCE) if name in before}
    return {"verdicts": votes, **kept, **({ARGUMENT: words} if has_changed or shown.argues_first else {})}


def _has_evidence(answer: Payload) -> bool:
    return bool(answer.get(EVIDENCE))


def _is_near(annotator: Annotator, row: int, index: int) -> bool:
    """Whether a panelist has looked at a picture from near: the same in every run."""
    return bool(np.random.default_rng([annotator.seed, row, index]).random() < SHARE_NEAR)


def _describe(
    standing: DiscussionStanding,
    collection: Collection,
    *,
    images: Sequence[CampaignImage],
    asking: PanelQuestions,
    labels: str,
) -> PanelFindings:
    """What the panel decided, in two lines."""
    questions = {str(one.task_id): [str(index) for index in one.task["classes"]] for one in standing.items}
    effects = measure_effects(standing, questions)
    n_true = [0, 0]
    for item in standing.items:
        outcomes = (decide_item(item, is_first=True), decide_item(item))
        row = images[item.task["images"][0]].row
        for index in item.task["classes"]:
            truth = Verdict(int(collection.verdicts[row, index]))
            for place, outcome in enumerate(outcomes):
                n_true[place] += VERDICT_OF[outcome[str(index)].vote] == truth
    lines = describe_panel(effects, (n_true[0], n_true[1]), participant=asking.participant, labels=labels)
    return PanelFindings(tuple(lines), PANELLED, effects, (n_true[0], n_true[1]))


def describe_panel(
    effects: DiscussionEffects, n_true: tuple[int, int], *, participant: str, labels: str
) -> Iterator[str]:
    """What talking changed, and how often outcomes are the true ones before and after it."""
    n = effects.n_decided
    ways = ", ".join(f"{count:,} from {first} to {last}" for (first, last), count in effects.directions.items())
    changed = f"discussion changed {effects.changed.k:,} of {count_things(n, 'outcome')} ({effects.changed})"
    yield f"{PANEL}: {count_things(n, 'novel mistake')} of {participant}; {changed}{': ' if ways else ''}{ways}"
    before, after = (_share(k, n) for k in n_true)
    yield f"{PANEL}: as in truth before discussion {before}, after {after} (n = {n:,}); its verdicts are in {labels}"


def _share(k: int, n: int) -> str:
    low, high = map(float, clopper_pearson(k, n))
    return str(make_share(k, n, limits=(low, high), method="clopper-pearson"))
