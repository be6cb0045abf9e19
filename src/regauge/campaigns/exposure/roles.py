"""Exposure by the settings of a campaign: as what it shows images, and which images it keeps back from whom."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from regauge.campaigns.eligibility import PANEL, is_on_panel
from regauge.records.campaigns.campaign import TaskRole
from regauge.records.campaigns.evaluations import is_blind, trains
from regauge.records.exposure.exposures import AT_WORK, ExposureRole

_LESSONS = frozenset({TaskRole.EXAMPLE, TaskRole.QUESTION})


def find_role(usual: ExposureRole, settings: Mapping[str, Any], *, task_role: TaskRole = TaskRole.WORK) -> ExposureRole:
    """As what a task of a campaign shows its images.

    Args:
        usual: what the kind of task says.
        settings: those of the campaign.
        task_role: what the task is there for.

    >>> str(find_role(ExposureRole.ANNOTATOR, {"blind": True}))
    'labeler'
    """
    if task_role in _LESSONS or trains(settings):
        return ExposureRole.TRAINEE
    return ExposureRole.LABELER if is_blind(settings) else usual


def find_hiding(
    planned: Mapping[int, Mapping[str, Any]], annotator_ids: Iterable[int], *, role: ExposureRole
) -> tuple[int, ...]:
    """The evaluations whose images somebody must not meet besides the tasks that show them.

    Those are evaluations in which they may be measured. Where one names a panel that is all that matters. Where it names none
    anybody may take part, and those who make the labels must see the images all the same.

    Args:
        planned: the settings of the campaigns that are planned or open, by their numbers.
        annotator_ids: the numbers of all names that they have.
        role: as what the campaign in which they are shows its images.
    """
    names, makes_labels = tuple(annotator_ids), role in {ExposureRole.REVIEWER, ExposureRole.PANELIST}
    return tuple(
        number
        for number, settings in planned.items()
        if is_blind(settings)
        and any(is_on_panel(settings, name) for name in names)
        and (settings.get(PANEL) is not None or not makes_labels)
    )


def counts_for(campaign_id: int, role: ExposureRole, *, own: int) -> bool:
    """Whether what a campaign has shown as a role counts for the washout of campaign `own`.

    Its own tasks do not: they may ask about an image twice, or ask for an answer once more.
    """
    return campaign_id != own or role not in AT_WORK
