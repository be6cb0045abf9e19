"""What is shown of a task to whoever has it, and how an answer to it is read: as its kind has it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from regauge.campaigns.discussions.words import is_discussed
from regauge.campaigns.fields import AUDIT
from regauge.campaigns.reviews.final import FINAL_REVIEW
from regauge.campaigns.visibility import LABELS, TaskContext, find_order, list_visible
from regauge.kinds.registry import find_kind
from regauge.records.campaigns.campaign import Assignment, CampaignEntry, CampaignImage, Payload
from regauge.records.campaigns.image_reports import TAKEN_OUT
from regauge.records.labels.verdicts import Verdict
from regauge.storage.campaigns.ledgers import find_images
from regauge.storage.campaigns.responses import list_votes
from regauge.storage.labels.label_set import find_verdicts, get_label_set
from regauge.storage.study import Study
from regauge.workflows.discussions.standing import find_shown


def view_task(study: Study, assignment: Assignment, campaign: CampaignEntry) -> Mapping[str, Any]:
    """What a page shows of a task: nothing about controls or sources, and of other people only what rules allow."""
    return find_kind(study.around.kinds, campaign.kind).task.view(
        assignment.payload, make_context(study, assignment, campaign)
    )


def view_answer(study: Study, assignment: Assignment, campaign: CampaignEntry) -> Payload | None:
    """What a page shows of the answer to a task, in the order in which it shows the task; None where there is none."""
    answer, order = assignment.answer, find_order(assignment.id)
    arrange = find_kind(study.around.kinds, campaign.kind).task.arrange
    return None if answer is None else arrange(answer, task=assignment.payload, order=order)


def parse_answer(study: Study, campaign: CampaignEntry, *, task: Payload, answer: Payload) -> Payload:
    """The answer in the canonical form of its kind.

    Raises:
        InputError: the answer does not fit the task.
    """
    return find_kind(study.around.kinds, campaign.kind).task.parse(task, answer)


def list_task_images(study: Study, campaign: CampaignEntry, task: Payload) -> list[int]:
    """The images of a task in display order, by their number in the campaign."""
    return find_kind(study.around.kinds, campaign.kind).task.list_images(task)


def list_shown(
    study: Study, campaign: CampaignEntry, *, task: Payload, album: Sequence[CampaignImage]
) -> tuple[CampaignImage | None, ...]:
    """The images of a task in display order; None for those that were taken out of the campaign."""
    taken = campaign.plan.settings.get(TAKEN_OUT, {})
    numbers = list_task_images(study, campaign, task)
    return tuple(None if str(number) in taken else album[number] for number in numbers)


def looks_around(campaign: CampaignEntry, task: Payload) -> bool:
    """Whether what is shown of a task depends on what stands in the tables, which then must be read."""
    return bool(list_visible(task)) or LABELS in campaign.plan.settings or is_discussed(task)


def make_context(study: Study, assignment: Assignment, campaign: CampaignEntry) -> TaskContext:
    """What whoever has a task may see besides it."""
    task = assignment.payload
    votes = list_votes(study, campaign, positions=list_visible(task), but=assignment.annotator_id)
    verdicts, discussion = _find_verdicts(study, campaign, task), find_shown(study, assignment, campaign)
    return TaskContext(study.taxonomy, find_order(assignment.id), votes, verdicts, discussion)


def _find_verdicts(study: Study, campaign: CampaignEntry, task: Payload) -> Mapping[int, Mapping[int, Verdict]]:
    """What the label set that the campaign names says of the images of a task.

    Nothing where an audit is mixed in: of its images less is known than of others, which would tell them. Nor in a final review,
    which asks once more about what was judged.
    """
    name = campaign.plan.settings.get(LABELS)
    if not name or any(campaign.plan.settings.get(one.name) for one in (AUDIT, FINAL_REVIEW)):
        return {}
    images = find_images(study, campaign, numbers=list_task_images(study, campaign, task))
    found = find_verdicts(study, get_label_set(study, name), image_ids=[one.image_id for one in images.values()])
    return {number: found.get(one.image_id, {}) for number, one in images.items()}
