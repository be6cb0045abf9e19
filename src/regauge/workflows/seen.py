"""Which images somebody was shown, in whatever campaign: different questions about one image should go to different people."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field

from regauge.kinds.registry import find_kind
from regauge.records.campaigns import AssignmentId, CampaignEntry, Kind, Payload
from regauge.storage.assignments import count_given, list_given
from regauge.storage.campaigns import load_campaign_images
from regauge.storage.study import Study

MAX_PEOPLE = 256
"""So many people are remembered at a time."""


@dataclass(slots=True, eq=False)
class _Person:
    """What somebody was shown: tasks by their ids, images by one number each, and the last moment that is known of."""

    assignments: set[AssignmentId] = field(default_factory=set)
    images: set[int] = field(default_factory=set)
    until: str = ""


class SeenImages:
    """A memory of it, since finding it out anew for every task would take longer with every task."""

    def __init__(self) -> None:
        self._albums: dict[int, list[int]] = {}
        self._people: OrderedDict[int, _Person] = OrderedDict()

    def count_seen(self, study: Study, task: Payload, *, campaign: CampaignEntry, annotator_id: int) -> int:
        """How many images of a task the annotator was shown before; `refresh` says when."""
        person = self._people.get(annotator_id)
        images = self._list_images(study, campaign.id, campaign.kind, task)
        return 0 if person is None else len(person.images.intersection(images))

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
                person.images.update(self._list_images(study, given.campaign_id, given.kind, given.payload))
                person.until = max(person.until, given.leased_at)

    def _list_images(self, study: Study, campaign_id: int, kind: Kind, task: Payload) -> Iterable[int]:
        """The images of a task, by numbers that hold in all campaigns."""
        album = self._albums.get(campaign_id)
        if album is None:
            images = load_campaign_images(study, campaign_id)
            album = self._albums[campaign_id] = [image.test_set_id << 32 | image.row for image in images]
        return (album[number] for number in find_kind(study.around.kinds, kind).task.list_images(task))
