"""Who works on a study: everybody page by page, and what it would mean to drop somebody from a campaign."""

from __future__ import annotations

from dataclasses import dataclass

from regauge.records.campaigns.campaign import AnnotatorEntry, CampaignEntry
from regauge.records.responses.quality import ListPage
from regauge.storage.campaigns.campaign import get_campaign, list_campaigns
from regauge.storage.people.annotators import get_annotator
from regauge.storage.people.expertises import list_expertises
from regauge.storage.people.people import count_drop, count_people, find_agreed, find_people
from regauge.storage.study import Study
from regauge.workflows.discussions.standing import list_blind_panels


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody, the campaigns whose text they agreed to, and what they are an expert of.

    A panel that votes alone is a campaign of all its panelists: nobody is told who has begun.
    """

    entry: AnnotatorEntry
    campaigns: tuple[CampaignEntry, ...]
    expertises: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PeopleList:
    """A part of those who work on a study, the newest first; `n` of them fit what was asked for, `n_all` there are."""

    rows: tuple[Person, ...]
    n: int
    n_all: int


@dataclass(frozen=True, slots=True)
class DropEffect:
    """What dropping somebody from a campaign would do.

    Attributes:
        annotator: whom.
        n_answers: answers of theirs that would no longer count.
        n_reopened: tasks that would then lack one; the others have a surplus answer that takes the place.
    """

    annotator: AnnotatorEntry
    n_answers: int
    n_reopened: int


def list_people(study: Study, page: ListPage, *, name: str = "") -> PeopleList:
    """A page of those whose name has that in it."""
    campaigns = {entry.id: entry for entry in list_campaigns(study)}
    found = find_people(study, name=name, offset=page.offset, limit=page.limit)
    agreed = find_agreed(study, [entry.id for entry in found])
    experts, panels = list_expertises(study), list_blind_panels(study)
    rows = tuple(
        Person(
            entry,
            tuple(
                campaign
                for number, campaign in campaigns.items()
                if (entry.id in panels[number] if number in panels else number in agreed.get(entry.id, ()))
            ),
            experts.get(entry.id, ()),
        )
        for entry in found
    )
    return PeopleList(rows, count_people(study, name=name), count_people(study))


def foresee_drop(study: Study, campaign: str | int, *, annotator: str | int) -> DropEffect:
    """What dropping somebody would do, before it is done.

    Raises:
        InputError: there is no such campaign or annotator.
    """
    person = get_annotator(study, annotator)
    return DropEffect(person, *count_drop(study, get_campaign(study, campaign), person.id))
