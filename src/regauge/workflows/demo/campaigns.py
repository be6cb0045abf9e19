"""Campaigns of the two kinds that the demo runs, from what they ask."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field

from regauge.errors import InputError
from regauge.records.campaigns.campaign import CampaignEntry, CampaignPlan
from regauge.records.responses.answers import ClassifyResponses, GridShape
from regauge.storage.study import Study
from regauge.workflows.campaigns.campaign import Questions, create_campaign, pick_seed
from regauge.workflows.campaigns.responses import CampaignAnswers, make_responses


@dataclass(frozen=True, slots=True)
class ContainsQuestions:
    """Which pairs of image and class to ask about, and where controls come from; see `Questions`."""

    test_set: str | None = None
    pairs: Sequence[tuple[str, int]] | None = None
    controls: str | None = None
    shape: GridShape = field(default_factory=GridShape)
    seed: int = field(default_factory=pick_seed)
    also: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class ClassifyQuestions:
    """Which images to ask about, each with its candidates; see `Questions`."""

    candidates: Mapping[str, Sequence[int]]
    test_set: str | None = None
    seed: int = field(default_factory=pick_seed)
    controls: str | None = None


def to_classify_responses(found: CampaignAnswers) -> ClassifyResponses:
    """The answers to a CLASSIFY campaign as screening and counting take them.

    Raises:
        InputError: the campaign is of another kind.
    """
    responses = make_responses(found)
    if not isinstance(responses, ClassifyResponses):
        raise InputError(f"Campaign {found.campaign.name} is of the kind {found.campaign.kind}, not classify.")
    return responses


def create_contains(study: Study, plan: CampaignPlan, questions: ContainsQuestions) -> CampaignEntry:
    """Grids with controls, stored as a campaign, not open yet."""
    asked = Questions(
        questions.test_set,
        questions.pairs,
        questions.controls,
        questions.also,
        settings=asdict(questions.shape),
        seed=questions.seed,
    )
    return create_campaign(study, plan, asked)


def create_classify(study: Study, plan: CampaignPlan, questions: ClassifyQuestions) -> CampaignEntry:
    """One task per image with its candidates, stored as a campaign, not open yet.

    Raises:
        InputError: an image has no candidates, or tasks cannot be made.
    """
    bare = next((image_id for image_id, classes in questions.candidates.items() if not classes), None)
    if bare is not None:
        raise InputError(f"Image {bare!r} has no candidates; give it one, or leave it out.")
    pairs = [(image_id, one) for image_id, classes in questions.candidates.items() for one in classes]
    return create_campaign(study, plan, Questions(questions.test_set, pairs, questions.controls, seed=questions.seed))
