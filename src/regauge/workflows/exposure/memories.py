"""What a process remembers of the images that people were shown, so that it need not be found out anew for every task."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TypeAlias

from regauge.campaigns.eligibility import EXPERTISE
from regauge.campaigns.exposure.roles import counts_for, find_hiding
from regauge.kinds.registry import find_kind, has_kind
from regauge.records.campaigns.campaign import AssignmentId, CampaignEntry, Kind, Payload
from regauge.records.exposure.exposures import NO_CAMPAIGN_ID, ExposureRole
from regauge.records.guide.images import NOTHING_HIDDEN, HiddenImages
from regauge.storage.campaigns.assignments import count_given, list_given
from regauge.storage.campaigns.campaign import list_planned, load_campaign_images
from regauge.storage.exposure.exposures import count_rows, list_exposures
from regauge.storage.exposure.image_keys import find_state, load_copies
from regauge.storage.exposure.people import list_declared_of, list_names_of
from regauge.storage.guide import load_tested
from regauge.storage.study import Study

MAX_PEOPLE = 256
"""So many people are remembered at a time."""
ENDLESS = "9999"
"""Later than any moment."""
_Declared: TypeAlias = tuple[tuple[int, int, str | None], ...]


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
        images = set(self.list_images(study, campaign.id, kind=campaign.kind, task=task))
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
                shown = self.list_images(study, given.campaign_id, kind=given.kind, task=given.payload)
                where = given.campaign_id, EXPERTISE in given.payload
                person.images.setdefault(where, set()).update(shown)
                person.until = max(person.until, given.leased_at)

    def list_images(self, study: Study, campaign_id: int, *, kind: Kind, task: Payload) -> Iterable[int]:
        """The images of a task, by numbers that hold in all campaigns."""
        album = self.list_album(study, campaign_id)
        if not has_kind(study.around.kinds, kind):
            # What the task showed cannot be told, so that whatever the campaign has counts as seen.
            return album
        return (album[number] for number in find_kind(study.around.kinds, kind).task.list_images(task))

    def list_album(self, study: Study, campaign_id: int) -> list[int]:
        """The images of a campaign, by numbers that hold in all campaigns."""
        album = self._albums.get(campaign_id)
        if album is None:
            images = load_campaign_images(study, campaign_id)
            album = self._albums[campaign_id] = [image.test_set_id << 32 | image.row for image in images]
        return album


@dataclass(slots=True, eq=False)
class _Moments:
    """When somebody was last shown what, by all their names.

    Attributes:
        annotator_ids: the numbers of their names.
        declared: the sets that they know from outside, with how many images each has, and the last day.
        rows: what stands in the table.
        given: tasks by their ids.
        images: per image, by one number for all its copies, when each campaign showed it, and as what.
        until: the last moments known of, of what was shown and of what was given.
    """

    annotator_ids: tuple[int, ...]
    declared: _Declared
    rows: set[tuple[int, int, ExposureRole, int]] = field(default_factory=set)
    given: set[AssignmentId] = field(default_factory=set)
    images: dict[int, dict[tuple[int, ExposureRole], str]] = field(default_factory=dict)
    until: tuple[str, str] = ("", "")

    def note(self, image: int, where: tuple[int, ExposureRole], *, at: str) -> None:
        """Remember that an image was shown."""
        moments = self.images.setdefault(image, {})
        moments[where] = max(at, moments.get(where, ""))


class RecentImages:
    """When people were last shown which images, in whatever way and under whatever name; exact copies count as one image.

    What they were given counts as shown, as with `SeenImages`: answers from before exposure was noted are so known of, too.
    """

    def __init__(self) -> None:
        self._copies: tuple[tuple[int, str], dict[int, int]] = ((-1, ""), {})
        self._people: OrderedDict[int, _Moments] = OrderedDict()

    def has_recent(self, study: Study, images: Iterable[int], *, campaign: CampaignEntry, annotator_id: int) -> bool:
        """Whether one of some images was shown to somebody within the washout of a campaign, other than by its own tasks."""
        person = self._people[annotator_id]
        since = study.around.now(after=-timedelta(days=campaign.plan.terms.washout_days))
        return any(
            at >= since and counts_for(campaign_id, role, own=campaign.id)
            for image in images
            for (campaign_id, role), at in person.images.get(self.find_first(image), {}).items()
        )

    def find_first(self, image: int) -> int:
        """One number for an image and all its copies."""
        return self._copies[1].get(image, image)

    def learn_copies(self, study: Study) -> None:
        """Learn which images are copies of each other, where there are new sets or more was read."""
        state = find_state(study)
        if self._copies[0] != state:
            self._copies = (state, load_copies(study))
            self._people.clear()

    def refresh(self, study: Study, annotator_id: int, seen: SeenImages) -> None:
        """Learn of what was shown since the last time, by other processes too."""
        self.learn_copies(study)
        ids, declared = list_names_of(study, annotator_id), list_declared_of(study, annotator_id)
        person = self._people.get(annotator_id)
        if person is None or (person.annotator_ids, person.declared) != (ids, declared):
            person = self._begin(annotator_id, ids, declared)
        self._people.move_to_end(annotator_id)
        if len(self._people) > MAX_PEOPLE:
            self._people.popitem(last=False)
        if not self._learn(study, person, seen):
            # Something was taken back, or came with a moment before what was known.
            self._learn(study, self._begin(annotator_id, ids, declared), seen)

    def _begin(self, annotator_id: int, ids: tuple[int, ...], declared: _Declared) -> _Moments:
        person = self._people[annotator_id] = _Moments(ids, declared)
        for test_set_id, n_images, until in declared:
            for row in range(n_images):
                # The whole of the last day counts, and what has no end never ends.
                at = ENDLESS if until is None else f"{until}T24"
                person.note(self.find_first(test_set_id << 32 | row), (NO_CAMPAIGN_ID, ExposureRole.DECLARED), at=at)
        return person

    def _learn(self, study: Study, person: _Moments, seen: SeenImages) -> bool:
        """Learn of what is new; returns whether all of it is known then."""
        shown_until, given_until = person.until
        for one in list_exposures(study, annotator_ids=person.annotator_ids, since=shown_until):
            image = one.test_set_id << 32 | one.row
            person.rows.add((image, one.annotator_id, one.role, one.campaign_id))
            person.note(self.find_first(image), (one.campaign_id, one.role), at=one.last_at)
            shown_until = max(shown_until, one.last_at)
        n_given = sum(count_given(study, one) for one in person.annotator_ids)
        if n_given != len(person.given):
            for task in (
                task for one in person.annotator_ids for task in list_given(study, one, since=person.until[1])
            ):
                person.given.add(task.assignment_id)
                given_until = max(given_until, task.leased_at)
                where = task.campaign_id, ExposureRole.ANNOTATOR
                for image in seen.list_images(study, task.campaign_id, kind=task.kind, task=task.payload):
                    person.note(self.find_first(image), where, at=task.leased_at)
        person.until = (shown_until, given_until)
        return n_given == len(person.given) and len(person.rows) == count_rows(study, person.annotator_ids)


@dataclass(slots=True)
class EvaluatedMemory:
    """What evaluations show, kept while cards are shown: a campaign never gets other images."""

    kept: dict[tuple[int, ...], HiddenImages] = field(default_factory=dict)

    def get(self, study: Study, annotator_id: int, *, role: ExposureRole) -> HiddenImages:
        """What somebody must not meet in a campaign that shows its images as a role."""
        found = find_hiding(list_planned(study), list_names_of(study, annotator_id), role=role)
        if not found:
            return NOTHING_HIDDEN
        hidden = self.kept.get(found)
        if hidden is None:
            hidden = load_tested(study, found)
            self.kept = {found: hidden}
        return hidden
