"""Hidden repeats: now and then somebody gets a task that they have answered before, to see whether they answer alike."""

from __future__ import annotations

from dataclasses import dataclass, field

from regauge.campaigns.repeats import MIN_APART, WINDOW, hash_to_share, is_due
from regauge.kinds.registry import find_kind
from regauge.records.campaigns.campaign import CampaignEntry, TaskRole
from regauge.storage.campaigns.assignments import OpenTask
from regauge.storage.campaigns.campaign import get_shown
from regauge.storage.campaigns.extra_tasks import find_repeat, insert_extra_tasks
from regauge.storage.campaigns.repeats import find_given_tasks, list_repeatable
from regauge.storage.study import Study


def weave_repeats(
    study: Study, campaign: CampaignEntry, *, chosen: list[OpenTask], annotator_id: int
) -> list[OpenTask]:
    """As many tasks as were chosen, some of them repeats in the place of new ones, which then wait for the next time.

    Who gets nothing new gets no repeats either: a campaign ends.
    """
    share = campaign.plan.terms.repeats
    if not share or not chosen:
        return chosen
    weaver = _Weaver(campaign, annotator_id)
    n_given, recent = find_given_tasks(study, campaign, annotator_id=annotator_id, n_recent=WINDOW)
    woven: list[OpenTask] = []
    new = iter(chosen)
    for number in range(n_given, n_given + len(chosen)):
        again = weaver.find(study, number) if is_due(number, recent, share=share, key=weaver.key) else None
        woven.append(next(new) if again is None else again)
        recent.append(again is not None)
    return woven


@dataclass(slots=True, eq=False)
class _Weaver:
    """Finds what to ask somebody once more."""

    campaign: CampaignEntry
    annotator_id: int
    taken: set[int] = field(default_factory=set)

    @property
    def key(self) -> str:
        """What decides every choice: the same study, asked again, repeats the same."""
        return f"{self.campaign.plan.settings.get('seed', 0)}:{self.campaign.id}:{self.annotator_id}"

    def find(self, study: Study, n_given: int) -> OpenTask | None:
        """The repeat of one of the tasks that lie back far enough; None where there is none."""
        found = list_repeatable(study, self.campaign, annotator_id=self.annotator_id, n_apart=MIN_APART)
        left = [task_id for task_id in found if task_id not in self.taken]
        if not left:
            return None
        source_id = left[int(len(left) * hash_to_share(f"{self.key}:source:{n_given}"))]
        self.taken.add(source_id)
        return self._get_repeat(study, source_id)

    def _get_repeat(self, study: Study, source_id: int) -> OpenTask:
        """The task that asks another once more, made when the first person needs it."""
        repeat_id = find_repeat(study, self.campaign, source_id) or self._make_repeat(study, source_id)
        return OpenTask(repeat_id, -1, get_shown(study, repeat_id))

    def _make_repeat(self, study: Study, source_id: int) -> int:
        payload = find_kind(study.around.kinds, self.campaign.kind).task.shuffle(
            get_shown(study, source_id), order=source_id
        )
        (repeat_id,) = insert_extra_tasks(
            study, self.campaign, role=TaskRole.REPEAT, payloads=[payload], source_id=source_id
        )
        return repeat_id
