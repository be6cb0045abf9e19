"""Which of the open tasks of a campaign somebody is given."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, takewhile

from regauge.campaigns.eligibility import EXPERTISE, Taker, has_conditions, may_take
from regauge.campaigns.priorities import get_priority
from regauge.campaigns.rounds import list_urgent_starts
from regauge.kinds.registry import find_kind, has_kind
from regauge.records.campaigns.campaign import AssignmentId, CampaignEntry, Kind, Payload, TaskRole
from regauge.records.campaigns.terms import Newness
from regauge.storage.campaigns.assignments import (
    OpenTask,
    count_given,
    find_open_tasks,
    list_given,
    list_given_positions,
)
from regauge.storage.campaigns.attempts import list_attempts
from regauge.storage.campaigns.campaign import load_campaign_images
from regauge.storage.campaigns.extra_tasks import N_FIRST_TASKS, load_extra_tasks, load_tasks_of
from regauge.storage.people.expertises import find_expertises
from regauge.storage.study import Study

MAX_PEOPLE = 256
"""So many people are remembered at a time."""


MAX_AT_ONCE = 5
"""Tasks that one annotator may hold at a time."""
N_CHOICES = 16
"""Open tasks among which the one that shares the fewest images with what the annotator has seen is taken."""
N_AT_A_LOOK = 256
"""Open tasks that are looked at together where nobody may be shown an image twice."""


@dataclass(slots=True, eq=False)
class _Person:
    """What somebody was shown.

    Attributes:
        assignments: tasks by their ids.
        images: by one number each, those of a campaign together, apart from what was referred in it.
        until: the last moment known of.
    """

    assignments: set[AssignmentId] = field(default_factory=set)
    images: dict[tuple[int, bool], set[int]] = field(default_factory=dict)
    until: str = ""


class SeenImages:
    """Which images people were shown, in whatever campaign: different questions about one should go to different people.

    It is remembered, since finding it out anew for every task would take longer with every task.
    """

    def __init__(self) -> None:
        self._albums: dict[int, list[int]] = {}
        self._people: OrderedDict[int, _Person] = OrderedDict()

    def count_seen(self, study: Study, task: Payload, *, campaign: CampaignEntry, annotator_id: int) -> int:
        """How many images of a task the annotator was shown before; `refresh` says when.

        What was referred goes to experts on purpose, who may have been asked about other labels of its image or about the very
        label; so only what other campaigns showed them counts. Nor does it keep them from what the same campaign asks everybody
        about the image: in which order the two come must not matter.
        """
        person = self._people.get(annotator_id)
        if person is None:
            return 0
        images = set(self._list_images(study, campaign.id, campaign.kind, task))
        where = [
            own
            for (one, is_referred), own in person.images.items()
            if one != campaign.id or not (is_referred or EXPERTISE in task)
        ]
        return len(set().union(*(own & images for own in where)))

    def refresh(self, study: Study, annotator_id: int) -> None:
        """Learn of what was given to the annotator since the last time, by other processes too."""
        person = self._people.setdefault(annotator_id, _Person())
        self._people.move_to_end(annotator_id)
        if len(self._people) > MAX_PEOPLE:
            self._people.popitem(last=False)
        n_given = count_given(study, annotator_id)
        if n_given != len(person.assignments):
            self._learn(study, person, annotator_id)
        if n_given != len(person.assignments):
            # The clock was set back, and what came after that lies before what is known.
            self._people[annotator_id] = person = _Person()
            self._learn(study, person, annotator_id)

    def _learn(self, study: Study, person: _Person, annotator_id: int) -> None:
        for given in list_given(study, annotator_id, since=person.until):
            if given.assignment_id not in person.assignments:
                person.assignments.add(given.assignment_id)
                shown = self._list_images(study, given.campaign_id, given.kind, given.payload)
                where = given.campaign_id, EXPERTISE in given.payload
                person.images.setdefault(where, set()).update(shown)
                person.until = max(person.until, given.leased_at)

    def _list_images(self, study: Study, campaign_id: int, kind: Kind, task: Payload) -> Iterable[int]:
        """The images of a task, by numbers that hold in all campaigns."""
        album = self._albums.get(campaign_id)
        if album is None:
            images = load_campaign_images(study, campaign_id)
            album = self._albums[campaign_id] = [image.test_set_id << 32 | image.row for image in images]
        if not has_kind(study.around.kinds, kind):
            # What the task showed cannot be told, so that whatever the campaign has counts as seen.
            return album
        return (album[number] for number in find_kind(study.around.kinds, kind).task.list_images(task))


@dataclass(frozen=True, slots=True, eq=False)
class ChooserMemory:
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
    known: ChooserMemory

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

    def count_open(self, study: Study, limit: int) -> int | None:
        """How many tasks there are that the annotator may take, up to a limit; None where it depends on what they have seen."""
        if self.campaign.plan.terms.newness is Newness.REQUIRED:
            return None
        return sum(1 for _ in islice(self._find_allowed(study), limit))

    def _leave_out_seen(self, study: Study, tasks: Iterable[OpenTask]) -> Iterator[OpenTask]:
        """Those of the tasks none of whose images the annotator was shown before; of what was referred, by another campaign."""
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
    own = find_expertises(study, annotator_id)
    return Taker(annotator_id, given.get(annotator_id, set()), answered.get(annotator_id, set()), own)


def list_quiz_images(study: Study, campaign: CampaignEntry, annotator_id: int) -> frozenset[int]:
    """The images that somebody was asked about in the quiz or shown as examples, by their number in the campaign."""
    if campaign.plan.terms.quiz is None:
        return frozenset()
    attempts = list_attempts(study, campaign, annotator_id=annotator_id)
    asked = {question.task_id for attempt in attempts for question in attempt.questions}
    examples = load_extra_tasks(study, campaign, TaskRole.EXAMPLE)
    shown = [*examples.values(), *load_tasks_of(study, asked).values()]
    list_images = find_kind(study.around.kinds, campaign.kind).task.list_images
    return frozenset(number for task in shown for number in list_images(task))


def _look(ways: Iterable[Iterable[OpenTask]], n: int) -> list[OpenTask]:
    """The first n tasks that each way leads to, every one once."""
    return list({task.id: task for way in ways for task in islice(way, n)}.values())


def _rank_by_priority(task: OpenTask) -> int:
    return -get_priority(task.payload)


def _is_urgent(task: OpenTask) -> bool:
    return get_priority(task.payload) > 0
