"""Tasks for whoever wants some: which of the open ones of a campaign somebody is given, under a lease."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from itertools import islice, takewhile

import numpy as np

from regauge.arrays import IntArray
from regauge.campaigns.eligibility import Taker, has_conditions, is_on_panel, may_take
from regauge.campaigns.exposure.roles import find_hiding
from regauge.campaigns.priorities import get_priority, order_positions
from regauge.campaigns.rounds import list_urgent_starts
from regauge.errors import InputError
from regauge.kinds.registry import find_kind
from regauge.records.campaigns.campaign import Assignment, CampaignEntry, TaskRole
from regauge.records.campaigns.evaluations import OWN_ORDER, get_requests, trains
from regauge.records.campaigns.terms import Newness
from regauge.records.exposure.exposures import ExposureRole
from regauge.storage.campaigns.assignments import (
    OpenTask,
    find_assignment,
    find_open_at,
    find_open_tasks,
    find_unanswered,
    insert_assignments,
    list_given_positions,
    renew_leases,
)
from regauge.storage.campaigns.attempts import list_attempts
from regauge.storage.campaigns.campaign import list_planned
from regauge.storage.campaigns.comments import find_returned
from regauge.storage.campaigns.decisions import find_dropped
from regauge.storage.campaigns.extra_tasks import N_FIRST_TASKS, load_extra_tasks, load_tasks_of
from regauge.storage.campaigns.ledgers import list_labelled
from regauge.storage.exposure.people import list_names_of
from regauge.storage.people.annotators import has_consented
from regauge.storage.study import Study
from regauge.taxonomy.picking import pick_all
from regauge.workflows.annotation.admission import check_qualified, find_taker, get_open
from regauge.workflows.annotation.repeats import weave_repeats
from regauge.workflows.discussions.standing import is_discussion, list_waiting
from regauge.workflows.exposure.memories import RecentImages, SeenImages

MAX_AT_ONCE = 5
"""Tasks that one annotator may hold at a time."""
N_CHOICES = 16
"""Open tasks among which the one that shares the fewest images with what the annotator has seen is taken."""
N_AT_A_LOOK = 256
"""Open tasks that are looked at together where nobody may be shown an image twice."""


@dataclass(frozen=True, slots=True, eq=False)
class ChooserMemory:
    """What a process remembers when somebody wants a task.

    Attributes:
        start: a position below which all tasks of the campaign are done.
        seen: which images people were shown in tasks.
        recent: when they were shown images, in whatever way.
        own_starts: where people have an order of their own, by campaign and person a place before which all was given to them.
    """

    start: int = 0
    seen: SeenImages = field(default_factory=SeenImages)
    recent: RecentImages = field(default_factory=RecentImages)
    own_starts: dict[tuple[int, int], int] = field(default_factory=dict)


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
        keeps_back = self._find_barrier(study)
        if OWN_ORDER in self.campaign.plan.settings:
            own = keeps_back(self._find_in_own_order(study))
            return list({task.id: task for task in islice(own, n)}.values())
        if self.campaign.plan.terms.newness is Newness.REQUIRED:
            ways = [self._leave_out_seen(study, way) for way in (self._find_allowed(study), *self._find_urgent(study))]
            return sorted(_look(map(keeps_back, ways), n), key=_rank_by_priority)[:n]
        ways = [self._find_fresh(study), *self._find_urgent(study)]
        found = _look(map(keeps_back, ways), max(n, N_CHOICES))
        quizzed = list_quiz_images(study, self.campaign, self.annotator_id)

        def rank(task: OpenTask) -> tuple[int, int]:
            return _rank_by_priority(task), self._count_seen(study, task) + self._count_quizzed(study, task, quizzed)

        # Sorting is stable: among equals the order of the campaign holds.
        return sorted(found, key=rank)[:n]

    def _find_in_own_order(self, study: Study) -> Iterator[OpenTask]:
        """Open tasks that the annotator may take, in the order that is theirs alone.

        They answer one after the other, so that as many of the first ones as they were given are theirs already. What was skipped
        meanwhile, since it went to somebody else, comes at the end.
        """
        settings, key = self.campaign.plan.settings, (self.campaign.id, self.annotator_id)
        order = order_positions(settings["seed"], self.annotator_id, n=settings[OWN_ORDER])
        requested = get_requests(settings).get(str(self.annotator_id))
        if requested:
            yield from self._find_requested(study, order, requested)
        start = self.known.own_starts.get(key)
        if trains(settings):
            # What they asked for came first, so that nothing tells how far they are in their order.
            start = 0
        elif start is None:
            given = list_given_positions(study, self.campaign, annotator_id=self.annotator_id)
            start = len(given.get(self.annotator_id, ()))
        n, found_any = N_CHOICES, False
        while start < len(order):
            open_there = self._find_at(study, order[start : start + n].tolist())
            if open_there and not found_any and not trains(settings):
                found_any = True
                self.known.own_starts[key] = start
            yield from self._keep_allowed(study, open_there)
            start, n = start + n, N_AT_A_LOOK
        ranks = np.argsort(order)
        left = self._find_open(study, 0, N_AT_A_LOOK)
        yield from self._keep_allowed(study, sorted(left, key=lambda task: ranks[task.position]))

    def _find_requested(self, study: Study, order: IntArray, names: Sequence[str]) -> Iterator[OpenTask]:
        """Open tasks on images of classes that somebody asked for more of, in the order that is theirs."""
        numbers = list_labelled(study, self.campaign, pick_all(study.taxonomy, names))
        # An image has the number of the position of its task.
        wanted = order[np.isin(order, numbers)]
        for first in range(0, len(wanted), N_AT_A_LOOK):
            found = self._find_at(study, wanted[first : first + N_AT_A_LOOK].tolist())
            yield from self._keep_allowed(study, found)

    def _find_at(self, study: Study, positions: Sequence[int]) -> list[OpenTask]:
        return find_open_at(study, self.campaign, annotator_id=self.annotator_id, positions=positions)

    def _keep_allowed(self, study: Study, tasks: Sequence[OpenTask]) -> Iterator[OpenTask]:
        """Those of some tasks that the annotator may take; none that was shown to them before where that is asked for."""
        taker = Taker(self.annotator_id)
        if self._asks_of_people(tasks):
            taker = find_taker(study, self.campaign, self.annotator_id)
        allowed = (task for task in tasks if may_take(task.payload, taker))
        if self.campaign.plan.terms.newness is Newness.REQUIRED:
            return self._leave_out_seen(study, allowed)
        return allowed

    def count_open(self, study: Study, limit: int) -> int | None:
        """How many tasks there are that the annotator may take, up to a limit; None where it depends on what they have seen."""
        if self._looks_at_seen:
            return None
        return sum(1 for _ in islice(self._find_allowed(study), limit))

    @property
    def _looks_at_seen(self) -> bool:
        """Whether it depends on what people have seen which tasks they are given."""
        return self.campaign.plan.terms.newness is Newness.REQUIRED or self._keeps_back

    @property
    def _keeps_back(self) -> bool:
        """Whether a washout keeps people out, or what they learn from must be in no evaluation of theirs."""
        return self.campaign.plan.terms.bars_exposed or trains(self.campaign.plan.settings)

    def _find_barrier(self, study: Study) -> Callable[[Iterable[OpenTask]], Iterator[OpenTask]]:
        """What leaves out tasks with images that were shown within the washout or, in a training, are in an evaluation."""
        if not self._keeps_back:
            return iter
        seen, recent, bars = self.known.seen, self.known.recent, self.campaign.plan.terms.bars_exposed
        recent.refresh(study, self.annotator_id, seen)
        hidden = self._list_evaluated(study) if trains(self.campaign.plan.settings) else frozenset()

        def is_free(task: OpenTask) -> bool:
            images = set(seen.list_images(study, self.campaign.id, kind=self.campaign.kind, task=task.payload))
            if not hidden.isdisjoint(map(recent.find_first, images)):
                return False
            who = self.annotator_id
            return not (bars and recent.has_recent(study, images, campaign=self.campaign, annotator_id=who))

        return lambda tasks: filter(is_free, tasks)

    def _list_evaluated(self, study: Study) -> frozenset[int]:
        """The images of evaluations that the annotator is measured by, which are planned or open."""
        names = list_names_of(study, self.annotator_id)
        found = find_hiding(list_planned(study), names, role=ExposureRole.TRAINEE)
        albums = (self.known.seen.list_album(study, one) for one in found)
        return frozenset(self.known.recent.find_first(image) for album in albums for image in album)

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
        return self._find_allowed(study) if self._keeps_back or self._asks_of_people(found) else iter(found)

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


def take_tasks(
    study: Study, campaign_id: int, *, annotator_id: int, n: int = 1, known: ChooserMemory | None = None
) -> tuple[Assignment, ...]:
    """Up to n tasks for an annotator: those that were returned to them, those that they have, and new ones under a lease.

    Somebody who was dropped from the campaign gets none, nor does who is not on its panel, where it has one.

    Args:
        study: the study, inside a transaction that may write.
        campaign_id: which campaign.
        annotator_id: for whom.
        n: how many at most.
        known: what is known from before; only saves time.

    Raises:
        InputError: the campaign is not open, or the annotator has not agreed to its text or not passed its quiz.
    """
    campaign = get_open(study, campaign_id)
    if not has_consented(study, annotator_id, campaign):
        raise InputError("Please agree to the text of the campaign first.")
    check_qualified(study, campaign, annotator_id)
    if annotator_id in find_dropped(study, campaign) or not is_on_panel(campaign.plan.settings, annotator_id):
        return ()
    n = max(1, min(n, MAX_AT_ONCE))
    expires_at = _find_end(study, campaign)
    returned = _list_returned(study, campaign, annotator_id, n=n)
    # What was assigned to others meanwhile does not come back.
    mine = [
        one
        for one in find_unanswered(study, campaign, annotator_id=annotator_id)
        if is_on_panel(one.payload, annotator_id)
    ]
    held = mine[: n - len(returned)]
    renew_leases(study, [one.id for one in held], expires_at=expires_at)
    wanted = n - len(returned) - len(held)
    chooser = Chooser(campaign, annotator_id, known or ChooserMemory())
    new_work = chooser.choose(study, wanted) if wanted else []
    chosen = weave_repeats(study, campaign, chosen=new_work, annotator_id=annotator_id)
    ids = insert_assignments(study, [task.id for task in chosen], annotator_id=annotator_id, expires_at=expires_at)
    new = tuple(
        Assignment(assignment_id, task.id, campaign.id, annotator_id, task.payload, expires_at)
        for assignment_id, task in zip(ids, chosen, strict=True)
    )
    return (*returned, *held, *new)


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


def _list_returned(study: Study, campaign: CampaignEntry, annotator_id: int, *, n: int) -> tuple[Assignment, ...]:
    """What was returned to somebody, each with their last answer and what was said; or what waits for them in a discussion."""
    if is_discussion(study, campaign):
        return list_waiting(study, campaign, annotator_id=annotator_id, n=n)
    waiting = find_returned(study, campaign, annotator_id=annotator_id)
    found = ((find_assignment(study, one), words) for one, words in waiting.items())
    return tuple(replace(one, returned=words) for one, words in found if one is not None)[:n]


def _find_end(study: Study, campaign: CampaignEntry) -> str:
    return study.around.now(after=timedelta(seconds=campaign.plan.lease_seconds))
