"""Group review: people of a training look at everybody's answers together, one image at a time, and write notes into the guide.

Shankar et al. (2020, §4.1): after training, labelers reviewed each other's annotations as a group and discussed the distinctions.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from regauge.arrays import NO_CLASS
from regauge.errors import ConflictError, InputError
from regauge.kinds.registry import find_kind
from regauge.records.campaigns.campaign import AssignmentId, CampaignEntry
from regauge.records.campaigns.evaluations import GROUP_REVIEW, TRAINS
from regauge.records.guide.entries import GuideCase, GuideCoverage
from regauge.records.labels.verdicts import Verdict
from regauge.storage.campaigns.assignments import list_given
from regauge.storage.campaigns.campaign import get_campaign, set_settings
from regauge.storage.campaigns.ledgers import find_images
from regauge.storage.events import add_event
from regauge.storage.study import Study
from regauge.workflows.annotation.admission import get_own_campaign
from regauge.workflows.annotation.tasks import get_own_assignment
from regauge.workflows.annotation.training.lessons import find_own, find_uncovered, load_answered
from regauge.workflows.guide.cases import Citation, cite_verdict, list_standing
from regauge.workflows.guide.entries import measure_coverage


@dataclass(frozen=True, slots=True)
class GroupImage:
    """An image of a training whose answers the group may look at together.

    Attributes:
        assignment_id: under which whoever looks was shown it.
        number: its number in the campaign.
        n: how many people answered.
        n_right: how many of them were right.
    """

    assignment_id: AssignmentId
    number: int
    n: int
    n_right: int


@dataclass(frozen=True, slots=True)
class GroupReview:
    """What a group may look at together: images that whoever looks has answered, those that most people missed first.

    Attributes:
        images: these.
        coverage: of how many classes the guide says something.
        uncovered: those of which it says nothing although they were confused, with how often, the most often first.
    """

    images: tuple[GroupImage, ...]
    coverage: GuideCoverage
    uncovered: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class GroupAnswers:
    """What a group answered to an image, without names.

    Attributes:
        accepted: the classes that are right.
        counts: per class that was named, how many people named it, the most frequent first.
        own: the class that whoever looks named.
        notes: what the guide says of this image by now.
    """

    accepted: tuple[int, ...]
    counts: tuple[tuple[int, int], ...]
    own: int
    notes: tuple[GuideCase, ...]


@dataclass(frozen=True, slots=True)
class GroupNote:
    """What a group wants the guide to say of an image.

    Attributes:
        text: the note.
        other: a class that the image helps to tell from the right one; `NO_CLASS` for none.
        edited: the version of the guide at which the note was last changed that is to be replaced; 0 for a new one.
    """

    text: str
    other: int = NO_CLASS
    edited: int = 0


def open_to_group(study: Study, name: str | int, *, is_open: bool = True) -> CampaignEntry:
    """Let people of a training look at everybody's answers together, or no longer.

    Raises:
        InputError: there is no such campaign, or nobody is trained in it.
    """
    campaign = get_campaign(study, name)
    if not campaign.plan.settings.get(TRAINS):
        raise InputError(f"Campaign {campaign.name} trains nobody, so there is nothing for a group to look at.")
    set_settings(study, campaign, {**campaign.plan.settings, GROUP_REVIEW: is_open})
    add_event(study, "campaign group review", {"campaign": campaign.name, "is_open": is_open})
    return get_campaign(study, campaign.id)


def find_group_campaign(study: Study, campaign_id: int, *, annotator_id: int) -> CampaignEntry:
    """A training whose answers are open to the group, if it is somebody's to see.

    Raises:
        InputError: there is no such campaign, or its answers are not open to the group.
        AccessError: it is for a panel that they are not on.
    """
    campaign = get_own_campaign(study, campaign_id, annotator_id=annotator_id)
    _check_group(campaign)
    return campaign


def find_group_review(study: Study, campaign_id: int, *, annotator_id: int) -> GroupReview:
    """The images that somebody may look at with the group, and of which confused classes the guide says nothing.

    Raises:
        InputError: there is no such campaign, or its answers are not open to the group.
        AccessError: it is for a panel that they are not on.
    """
    campaign = find_group_campaign(study, campaign_id, annotator_id=annotator_id)
    found = load_answered(study, campaign)
    numbers, is_right = found.answers.images.tolist(), found.is_right
    n, n_right = Counter(numbers), Counter(number for number, right in zip(numbers, is_right, strict=True) if right)
    # Others would be told what is right before they are asked.
    mine = {numbers[row] for row in find_own(found, annotator_id)}
    list_images = find_kind(study.around.kinds, campaign.kind).task.list_images
    tasks = [one for one in list_given(study, annotator_id) if one.campaign_id == campaign.id]
    given = {list_images(one.payload)[0]: one.assignment_id for one in tasks}
    images = [GroupImage(given[one], one, n[one], n_right[one]) for one in mine if one in given]
    images.sort(key=lambda one: (one.n_right / one.n, -one.n, one.number))
    coverage = measure_coverage(study)
    return GroupReview(tuple(images), coverage, find_uncovered(found, coverage.missing))


def find_group_answers(study: Study, assignment_id: AssignmentId, *, annotator_id: int) -> GroupAnswers:
    """What the group answered to an image that somebody has answered, too, and what the guide says of it by now.

    Raises:
        InputError: it is not theirs, not answered yet, or the answers are not open to the group.
    """
    return _find_shared(study, assignment_id, annotator_id=annotator_id)[0]


def note_in_guide(study: Study, assignment_id: AssignmentId, note: GroupNote, *, annotator_id: int) -> GuideCase:
    """Let the guide cite an image that the group looked at, with a note; cited again, the last note holds.

    Raises:
        ConflictError: somebody else has changed the note since; nothing was stored.
        InputError: it is empty or too long, names a class that nobody named, or as in `find_group_answers`.
    """
    group, image = _find_shared(study, assignment_id, annotator_id=annotator_id)
    text = note.text.strip()
    if not text:
        raise InputError("A note for the guide cannot be empty; write what tells these classes apart.")
    if note.other != NO_CLASS and note.other not in {one for one, _ in group.counts} - set(group.accepted):
        raise InputError(
            "A note tells the right class from one that somebody named for this image; choose one of these."
        )
    standing = next((one for one in group.notes if one.other_index == note.other), None)
    version = 0 if standing is None else standing.version
    if version != note.edited:
        raise ConflictError(
            "Somebody else has changed this note in the meantime; nothing was stored. Your text is still in the field: compare "
            "both, and save what should stand.",
            version=version,
        )
    citation = Citation(image, group.accepted[0], text, note.other)
    return cite_verdict(study, citation, verdict=Verdict.CORRECT)


def _find_shared(study: Study, assignment_id: AssignmentId, *, annotator_id: int) -> tuple[GroupAnswers, str]:
    """What the group answered, and the image as the guide calls it."""
    campaign, assignment = get_own_assignment(study, assignment_id, annotator_id=annotator_id)
    _check_group(campaign)
    found = load_answered(study, campaign)
    (number,) = find_kind(study.around.kinds, campaign.kind).task.list_images(assignment.payload)
    rows = np.flatnonzero(found.answers.images == number).tolist()
    own = next((row for row in find_own(found, annotator_id) if row in rows), None)
    if own is None:
        raise InputError("Answer this image first; then you can look at what the group answered.")
    named = found.answers.classes.tolist()
    counts = sorted(Counter(named[row] for row in rows).items(), key=lambda one: (-one[1], one[0]))
    image = find_images(study, campaign, numbers=[number])[number]
    notes = tuple(
        one
        for one in list_standing(study)
        if (one.image.image_id, one.image.test_set) == (image.image_id, image.test_set)
        and one.class_index == found.accepted[own][0]
    )
    return GroupAnswers(found.accepted[own], tuple(counts), named[own], notes), f"{image.image_id}@{image.test_set}"


def _check_group(campaign: CampaignEntry) -> None:
    if not (campaign.plan.settings.get(TRAINS) and campaign.plan.settings.get(GROUP_REVIEW)):
        raise InputError(f"The answers to campaign {campaign.name} are not open to the group.")
