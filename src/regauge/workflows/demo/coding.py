"""Three simulated experts in the demo code what a model still gets wrong after review and panel, each alone."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from regauge.errors import InputError
from regauge.estimates import format_plain
from regauge.kinds.registry import find_kind
from regauge.records.campaigns.campaign import CampaignImage, CampaignPlan, Kind, Payload
from regauge.records.labels.verdicts import Verdict
from regauge.records.mistakes.coded import Category, Severity
from regauge.records.mistakes.coders import CODER_REASONS, Aspect
from regauge.records.taxonomy import Taxonomy
from regauge.storage.study import Study
from regauge.taxonomy.hierarchy import count_ancestor_levels
from regauge.workflows.campaigns.campaign import Questions, create_campaign
from regauge.workflows.campaigns.openings import open_campaign
from regauge.workflows.demo.crowd import CrowdSize, DemoCollections, let_work
from regauge.workflows.labels.campaign_labels import build_labels
from regauge.workflows.mistakes.coders import CodersResult, build_codes
from regauge.workflows.people.invitations import invite
from regauge.world.annotators import Annotator, Profile, answer_review, hire

CODING = "simulated-coding"
"""The campaign, and its coding."""
CODERS = CrowdSize(quota=3, n_hired=3, shares={Profile.EXPERT: 1.0})
ALONE = CrowdSize(quota=1, n_hired=1, shares={Profile.EXPERT: 1.0})
SEES_IT = "simulated: it is drawn there"


@dataclass(frozen=True, slots=True, eq=False)
class CodedScene(DemoCollections):
    """What simulated coders see, and the classes that they know.

    Attributes:
        taxonomy: the classes.
    """

    taxonomy: Taxonomy | None = None

    def answer(self, annotator: Annotator, task: Payload, *, images: Sequence[CampaignImage]) -> tuple[Payload, float]:
        """What a coder says: classes of one parent are alike, and what one cannot rule out is borderline."""
        image, prediction = images[task["image"]], int(task["class"])
        collection = self.collections[image.test_set_id]
        found, seconds = answer_review(
            annotator, collection, rows=np.array([image.row]), classes=np.array([prediction], np.int64)
        )
        verdict = Verdict(int(found[0]))
        if verdict is Verdict.CORRECT:
            return {"overturned": CODER_REASONS[0], "comment": SEES_IT}, float(seconds[0])
        assert self.taxonomy is not None  # noqa: S101 - the demo names it
        (level,) = count_ancestor_levels(self.taxonomy, [prediction], [int(collection.main_labels[image.row])])
        is_alike = level == 1
        severity = Severity.MINOR if is_alike else Severity.MAJOR
        return {
            "category": Category.FINE_GRAINED if is_alike else Category.SPURIOUS_CORRELATION,
            "severity": Severity.BORDERLINE if verdict is Verdict.UNCLEAR else severity,
        }, float(seconds[0])


@dataclass(frozen=True, slots=True)
class CodingFindings:
    """What simulated coders found, a line each."""

    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CodingQuestions:
    """What simulated coders look at.

    Attributes:
        test_set: on which images.
        labels: the label set after the panel, by name.
        participant: whose mistakes.
    """

    test_set: str
    labels: str
    participant: str


def code_mistakes(study: Study, scene: DemoCollections, *, asking: CodingQuestions) -> CodingFindings:
    """Let coders look at all that a participant still gets wrong; what they overturn is in the next version of the labels.

    Args:
        study: the study, inside a transaction.
        scene: what the coders see.
        asking: whose mistakes.
    """
    seen = CodedScene(scene.collections, scene.known, study.taxonomy)
    try:
        made = code_with(study, seen, CODERS, asking=asking)
    except InputError as error:
        # A small world may leave nothing to code.
        return CodingFindings((f"{CODING}: {error}",))
    return CodingFindings(tuple(describe_codes(made)))


def code_alone(study: Study, scene: DemoCollections, participant: str, *, asking: CodingQuestions) -> None:
    """One coder looks at what another participant gets wrong and nobody has coded."""
    seen = CodedScene(scene.collections, scene.known, study.taxonomy)
    # What it gets wrong as others do is coded by then, which may be all.
    with suppress(InputError):
        code_with(study, seen, ALONE, asking=replace(asking, participant=participant))


def code_with(study: Study, scene: CodedScene, hiring: CrowdSize, *, asking: CodingQuestions) -> CodersResult:
    """Coders look at the mistakes of a participant; makes a coding and the next version of the labels.

    Raises:
        InputError: nothing remains to code.
    """
    kind = Kind("code")
    name = CODING if hiring is CODERS else f"{CODING}-{asking.participant}"
    asked = {"participants": (asking.participant,), "labels": asking.labels}
    settings = find_kind(study.around.kinds, kind).fields.settle(asked)
    plan = CampaignPlan(name, kind, hiring.quota, settings={"simulated": True})
    create_campaign(study, plan, Questions(asking.test_set, settings=settings, seed=0))
    # They come by a seed of their own, so that whoever comes after them is who came before there were coders.
    hired = hire(hiring.n_hired, rng=np.random.default_rng(0), shares=hiring.shares)
    invited = invite(study, [f"{name}-{one.annotator_id}" for one in hired])
    people = dict(zip((one.annotator.id for one in invited), hired, strict=True))
    let_work(study, open_campaign(study, name), scene, hiring=people)
    made = build_codes(study, name, name=name)
    build_labels(study, name, name=asking.labels)
    return made


def describe_codes(made: CodersResult) -> list[str]:
    """What coders said in all, in a line."""
    coding = made.coding
    n_major, n_gone = int(coding.coded.is_major.sum()), len(coding.overturned)
    counts = f"{len(coding.coded):,} coded, {n_major:,} of them major; {n_gone:,} overturned"
    severity = next(one for one in made.agreement if one.aspect is Aspect.SEVERITY)
    agreement = f"alpha of severity {format_plain(severity.alpha, decimals=2)} (n = {severity.n:,})"
    return [f"{CODING}: mistakes of {coding.participant} under {coding.labels}: {counts}; {agreement}"]
