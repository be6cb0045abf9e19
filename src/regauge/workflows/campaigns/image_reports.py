"""People report images that are broken or upset them, and managers take such images out of a campaign."""

from __future__ import annotations

from regauge.errors import InputError
from regauge.kinds.registry import find_kind
from regauge.records.campaigns.campaign import NOT_YOURS, AssignmentId, CampaignEntry
from regauge.records.campaigns.image_reports import MAX_WORDS, TAKEN_OUT, ImageProblem
from regauge.records.names import is_blank
from regauge.storage.campaigns.assignments import find_assignment
from regauge.storage.campaigns.campaign import get_campaign, load_campaign_images, set_settings
from regauge.storage.campaigns.image_reports import list_reports, put_report
from regauge.storage.campaigns.ledgers import find_images_called
from regauge.storage.events import add_event
from regauge.storage.study import Study
from regauge.workflows.campaigns.openings import leave_out_images

__all__ = ["find_number", "list_reports", "report_image", "take_out_image"]


def report_image(
    study: Study, assignment_id: AssignmentId, *, annotator_id: int, place: int, said: tuple[ImageProblem, str]
) -> None:
    """Keep what somebody says of an image of a task that they have, by its place there; said again, it is the same.

    Raises:
        InputError: the task is not theirs, it has no such image, or nothing is said.
    """
    assignment = find_assignment(study, assignment_id)
    if assignment is None or assignment.annotator_id != annotator_id:
        raise InputError(NOT_YOURS)
    campaign = get_campaign(study, assignment.campaign_id)
    images = find_kind(study.around.kinds, campaign.kind).task.list_images(assignment.payload)
    if not 0 <= place < len(images):
        raise InputError(f"The task has {len(images)} images, and none at place {place}.")
    problem, words = said
    if problem is ImageProblem.OTHER and is_blank(words):
        raise InputError("Say what is wrong with the image.")
    put_report(
        study, campaign.id, number=images[place], annotator_id=annotator_id, said=(problem, words.strip()[:MAX_WORDS])
    )


def find_number(study: Study, campaign: CampaignEntry, image_id: str) -> int:
    """The number of an image in a campaign; of several of that id, of the test set under study.

    Raises:
        InputError: the campaign has no such image.
    """
    found = find_images_called(study, campaign, image_id)
    if not found:
        raise InputError(f"Campaign {campaign.name} has no image {image_id!r}.")
    return min(found, key=lambda one: one.test_set != campaign.plan.settings.get("test_set")).number


def take_out_image(study: Study, campaign_id: int, *, number: int, reason: str) -> int:
    """Show an image of a campaign to nobody any more: it is gone from tasks that nobody was given yet.

    In tasks that somebody was given it keeps its place, for answers are about places; there it counts as not shown from now on.

    Returns:
        How many tasks are left out, as nothing of them is left.

    Raises:
        InputError: there is no such image, it was taken out before, no reason is given, or no task would be left.
    """
    campaign = get_campaign(study, campaign_id)
    if not 0 <= number < len(load_campaign_images(study, campaign.id)):
        raise InputError(f"Campaign {campaign.name} has no image {number}.")
    if is_blank(reason):
        raise InputError("Say why the image is taken out; whoever runs the study later will want to know.")
    taken = campaign.plan.settings.get(TAKEN_OUT, {})
    if str(number) in taken:
        raise InputError(f"Image {number} of campaign {campaign.name} was taken out before.")
    n_tasks = leave_out_images(study, campaign, frozenset({number}))
    settings = get_campaign(study, campaign.id).plan.settings
    set_settings(study, campaign, {**settings, TAKEN_OUT: {**taken, str(number): reason.strip()}})
    add_event(study, "campaign take out", {"campaign": campaign.name, "image": number, "n_tasks": n_tasks})
    return n_tasks
