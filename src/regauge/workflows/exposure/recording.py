"""Note down which images were sent to whom; learn the rest from what was answered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from regauge.campaigns.exposure.roles import find_role
from regauge.kinds.registry import find_kind, has_kind
from regauge.records.campaigns.campaign import CampaignEntry, CampaignImage, TaskRole
from regauge.records.exposure.exposures import ExposureRole, NewExposure, StoredExposure
from regauge.storage.campaigns.campaign import list_campaigns, load_campaign_images
from regauge.storage.exposure.exposures import store_exposures, store_new
from regauge.storage.exposure.shown_tasks import (
    ALL_GIVEN,
    ShownTask,
    find_last_answer,
    get_learned,
    list_answered,
    list_asked,
    list_only_given,
    set_learned,
)
from regauge.storage.study import Study

N_AT_ONCE = 10_000
"""Answers from which something is learned in one go."""
BATCH = 100_000
"""Images that are stored together."""


def record_exposures(study: Study, sent: Sequence[NewExposure]) -> None:
    """Keep that images were sent to people."""
    store_new(study, sent)


def find_task_role(study: Study, campaign: CampaignEntry, *, is_lesson: bool) -> ExposureRole:
    """As what a task of a campaign shows its images; those of a kind that this program does not have, as a task."""
    kinds = study.around.kinds
    usual = find_kind(kinds, campaign.kind).shows_as if has_kind(kinds, campaign.kind) else ExposureRole.ANNOTATOR
    task_role = TaskRole.QUESTION if is_lesson else TaskRole.WORK
    return find_role(usual, campaign.plan.settings, task_role=task_role)


def learn_exposures(study: Study) -> None:
    """Learn from answers that came since the last time which images people were shown: what an answer is to was shown.

    The server notes what it sends. What came without it, or from before it did so, is learned here: in a study of an earlier
    version from all tasks that were given, and from quizzes. An image that the page says was not shown was not.

    Args:
        study: the study, inside a transaction that may write.
    """
    while learn_some(study):
        pass


def learn_some(study: Study) -> bool:
    """As `learn_exposures`, from a part of the answers, so that others need not wait long; says whether there are more."""
    learned, last = get_learned(study), find_last_answer(study)
    if learned == last:
        return False
    if learned == ALL_GIVEN:
        _learn(study, list_only_given(study))
        _learn(study, list_asked(study))
    # Numbers that are no more were taken back with the answers of somebody who was erased.
    start = 0 if learned > last else max(learned, 0)
    end = min(last, start + N_AT_ONCE)
    _learn(study, list_answered(study, after=start, until=end))
    set_learned(study, end)
    return end < last


def has_unlearned(study: Study) -> bool:
    """Whether there are answers that nothing was learned from yet."""
    return get_learned(study) != find_last_answer(study)


def _learn(study: Study, shown: Iterable[ShownTask]) -> None:
    batch: list[StoredExposure] = []
    for one in _list_exposures(study, shown):
        batch.append(one)
        if len(batch) >= BATCH:
            store_exposures(study, batch)
            batch = []
    store_exposures(study, batch)


def _list_exposures(study: Study, shown: Iterable[ShownTask]) -> Iterator[StoredExposure]:
    campaigns = {entry.id: entry for entry in list_campaigns(study)}
    albums: dict[int, tuple[CampaignImage, ...]] = {}
    for one in shown:
        campaign = campaigns[one.campaign_id]
        if campaign.id not in albums:
            albums[campaign.id] = load_campaign_images(study, campaign.id)
        album = albums[campaign.id]
        is_lesson = one.role in {TaskRole.EXAMPLE, TaskRole.QUESTION}
        role = find_task_role(study, campaign, is_lesson=is_lesson)
        for number in _list_numbers(study, campaign, one, len(album)):
            place = album[number]
            yield StoredExposure(
                one.annotator_id, place.test_set_id, place.row, role, campaign.id, one.first_at, one.last_at
            )


def _list_numbers(study: Study, campaign: CampaignEntry, shown: ShownTask, n_images: int) -> Iterable[int]:
    """The images that a task showed; all of the campaign, where nobody can tell which those were."""
    kinds = study.around.kinds
    if not has_kind(kinds, campaign.kind):
        return range(n_images)
    task = find_kind(kinds, campaign.kind).task
    numbers = set(task.list_images(shown.task))
    return numbers if shown.answer is None else numbers.difference(task.find_not_shown(shown.task, shown.answer))
