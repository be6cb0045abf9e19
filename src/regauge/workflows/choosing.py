"""Which of the open tasks of a campaign somebody is given."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, takewhile

from regauge.campaigns.eligibility import Taker, has_conditions, may_take
from regauge.campaigns.priorities import get_priority
from regauge.campaigns.rounds import list_urgent_starts
from regauge.kinds.registry import find_kind
from regauge.records.campaigns import CampaignEntry
from regauge.records.terms import Newness
from regauge.storage.assignments import OpenTask, find_open_tasks, list_given_positions
from regauge.storage.extra_tasks import N_FIRST_TASKS
from regauge.storage.study import Study
from regauge.workflows.qualification import list_quiz_images
from regauge.workflows.seen import SeenImages

MAX_AT_ONCE = 5
"""Tasks that one annotator may hold at a time."""
N_CHOICES = 16
"""Open tasks among which the one that shares the fewest images with what the annotator has seen is taken."""
N_AT_A_LOOK = 256
"""Open tasks that are looked at together where nobody may be shown an image twice."""


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """What a process remembers when somebody wants a task.

    Attributes:
        start: a position below which all tasks of the campaign are done.
        seen: which images people were shown.
    """

    start: int = 0
    seen: SeenImages = field(default_factory=SeenImages)


@dataclass(frozen=True, slots=True, eq=False)
class Chooser:
    """Which open tasks somebody gets: those that share the fewest images with what they were shown, then in order.

    Different questions about one image should be answered by different people as far as possible.
    """

    campaign: CampaignEntry
    annotator_id: int
    known: Known

    def choose(self, study: Study, n: int) -> list[OpenTask]:
        """Up to n tasks, the most urgent ones first."""
        self.known.seen.refresh(study, self.annotator_id)
        if self.campaign.plan.terms.newness is Newness.REQUIRED:
            ways = [self._leave_out_seen(study, way) for way in (self._find_allowed(study), *self._find_urgent(study))]
            return sorted(_look(ways, n), key=_rank_by_priority)[:n]
        found = _look([self._find_fresh(study), *self._find_urgent(study)], max(n, N_CHOICES))
        quizzed = list_quiz_images(study, self.campaign, self.annotator_id)

        def rank(task: OpenTask) -> tuple[int, int]:
            return _rank_by_priority(task), self._count_seen(study, task) + self._count_quizzed(study, task, quizzed)

        # Sorting is stable: among equals the order of the campaign holds.
        return sorted(found, key=rank)[:n]

    def _leave_out_seen(self, study: Study, tasks: Iterable[OpenTask]) -> Iterator[OpenTask]:
        """Those of the tasks none of whose images the annotator was shown before."""
        return (task for task in tasks if not self._count_seen(study, task))

    def _find_urgent(self, study: Study) -> list[Iterator[OpenTask]]:
        """Per later round that has urgent tasks, those of them that the annotator may take: they stand behind earlier rounds."""
        starts = list_urgent_starts(self.campaign.plan.settings)
        return [takewhile(_is_urgent, self._find_allowed(study, start)) for start in starts]

    def _find_fresh(self, study: Study) -> Iterator[OpenTask]:
        """Open tasks that the annotator may take; as a rule the first ones will do, for they ask nothing of people."""
        found = self._find_open(study, self.known.start, max(MAX_AT_ONCE, N_CHOICES))
        return self._find_allowed(study) if self._asks_of_people(found) else iter(found)

    def _find_allowed(self, study: Study, start: int = 0) -> Iterator[OpenTask]:
        """All open tasks from a position on that the annotator may take."""
        start, taker = max(start, self.known.start), Taker(self.annotator_id)
        while found := self._find_open(study, start, N_AT_A_LOOK):
            if not taker.given and self._asks_of_people(found):
                taker = find_taker(study, self.campaign, self.annotator_id)
            yield from (task for task in found if may_take(task.payload, taker))
            start = found[-1].position + 1

    def _asks_of_people(self, tasks: Sequence[OpenTask]) -> bool:
        return N_FIRST_TASKS in self.campaign.plan.settings or any(has_conditions(task.payload) for task in tasks)

    def _find_open(self, study: Study, start: int, limit: int) -> list[OpenTask]:
        return find_open_tasks(study, self.campaign, annotator_id=self.annotator_id, limit=limit, start=start)

    def _count_seen(self, study: Study, task: OpenTask) -> int:
        return self.known.seen.count_seen(study, task.payload, campaign=self.campaign, annotator_id=self.annotator_id)

    def _count_quizzed(self, study: Study, task: OpenTask, quizzed: frozenset[int]) -> int:
        """Images of a task whose answers the annotator was told."""
        images = find_kind(study.around.kinds, self.campaign.kind).task.list_images(task.payload) if quizzed else ()
        return len(quizzed.intersection(images))


def find_taker(study: Study, campaign: CampaignEntry, annotator_id: int) -> Taker:
    """Somebody who wants a task, with what they were given and have answered."""
    given, answered = (
        list_given_positions(study, campaign, annotator_id=annotator_id, is_answered=is_answered)
        for is_answered in (False, True)
    )
    return Taker(annotator_id, given.get(annotator_id, set()), answered.get(annotator_id, set()))


def _look(ways: Iterable[Iterable[OpenTask]], n: int) -> list[OpenTask]:
    """The first n tasks that each way leads to, every one once."""
    return list({task.id: task for way in ways for task in islice(way, n)}.values())


def _rank_by_priority(task: OpenTask) -> int:
    return -get_priority(task.payload)


def _is_urgent(task: OpenTask) -> bool:
    return get_priority(task.payload) > 0
