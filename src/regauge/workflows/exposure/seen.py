"""Who has seen which images of a set, in whatever way, under whatever name, as exact copies too."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from regauge.errors import InputError
from regauge.records.campaigns.campaign import CampaignEntry
from regauge.records.campaigns.evaluations import PARTICIPANTS_OF
from regauge.records.exposure.exposures import (
    NO_CAMPAIGN_ID,
    ExposedPerson,
    ExposureRole,
    ExposureRow,
    ImageKey,
    NamedPerson,
    SetExposure,
)
from regauge.storage.campaigns.campaign import list_campaigns, load_campaign_images
from regauge.storage.exposure.exposures import list_exposures
from regauge.storage.exposure.image_keys import load_keys
from regauge.storage.exposure.people import find_person, list_declared, list_same_people
from regauge.storage.people.annotators import list_annotators
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import get_test_set, load_test_set

GOES_ON = "9999"
"""Later than any moment: until when somebody knows a set whose declaration has no end."""


class SeenImage(NamedTuple):
    """That somebody was shown an image, by its place in a list.

    Attributes:
        person: who, by the first of their names.
        place: which image.
        role: as what.
        campaign_id: in which campaign; 0 for none.
        first_at: the first time, or the first day.
        last_at: the last time; `GOES_ON` where that has no end.
        why: how they came to know it, where that was declared.
    """

    person: str
    place: int
    role: ExposureRole
    campaign_id: int
    first_at: str
    last_at: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class NamesOfPeople:
    """Whose names are whose.

    Attributes:
        annotators: the name of every annotator by number.
        first: per name that is not the only one of somebody, the first of their names.
        others: per first name the others.
    """

    annotators: Mapping[int, str]
    first: Mapping[str, str] = field(default_factory=dict)
    others: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def find_first(self, name: str) -> str:
        """The first of somebody's names."""
        return self.first.get(name, name)


def load_names(study: Study) -> NamesOfPeople:
    """Whose names are whose, as it was said."""
    groups: dict[int, list[str]] = defaultdict(list)
    for number, person in list_same_people(study):
        groups[number].append(person.name)
    first = {name: names[0] for names in groups.values() for name in names}
    others = {names[0]: tuple(names[1:]) for names in groups.values()}
    annotators = {entry.id: entry.name for entry in list_annotators(study)}
    return NamesOfPeople(annotators, _join_made(study, first, annotators), others)


def _join_made(study: Study, first: Mapping[str, str], annotators: Mapping[int, str]) -> dict[str, str]:
    """The first names, where a participant that was made of somebody's answers to a campaign is that annotator."""
    joined = dict(first)
    for campaign in list_campaigns(study):
        for number, made in campaign.plan.settings.get(PARTICIPANTS_OF, {}).items():
            name = annotators.get(int(number))
            if name is None:
                continue
            for participant in made:
                mine, theirs = joined.get(name, name), joined.get(participant, participant)
                if mine != theirs:
                    same = [one for one, other in joined.items() if other == theirs]
                    joined |= dict.fromkeys((*same, theirs, participant), mine)
    return joined


def get_person(study: Study, name: str) -> NamedPerson:
    """Somebody by a name: an annotator or a participant.

    Raises:
        InputError: nobody is called that.
    """
    found = find_person(study, name)
    if found is None:
        raise InputError(
            f"Nobody is called {name!r}: neither an annotator nor a participant; see regauge annotators list and regauge "
            "predictions list."
        )
    return found


def find_seen(study: Study, keys: Sequence[ImageKey], *, names: NamesOfPeople) -> Iterator[SeenImage]:
    """Everything that anybody was shown of some images, and what was declared of their sets.

    Args:
        study: the study.
        keys: which images; a key that stands there twice is found at both places.
        names: whose names are whose.
    """
    places: dict[ImageKey, list[int]] = defaultdict(list)
    for place, key in enumerate(keys):
        places[key].append(place)
    keys_of = load_keys(study)
    # Of every set, its rows that are among the images: most sets have none, and most that was shown is of other images.
    rows_of = {
        test_set_id: {row: places[key] for row, key in enumerate(own) if key in places}
        for test_set_id, own in keys_of.items()
    }
    for one in list_exposures(study):
        for place in rows_of.get(one.test_set_id, {}).get(one.row, ()):
            who = names.find_first(names.annotators[one.annotator_id])
            yield SeenImage(who, place, one.role, one.campaign_id, one.first_at, one.last_at)
    for declared in list_declared(study):
        who, until = names.find_first(declared.person.name), declared.until or GOES_ON
        for place in sorted({place for found in rows_of.get(declared.test_set_id, {}).values() for place in found}):
            role = ExposureRole.DECLARED
            yield SeenImage(who, place, role, NO_CAMPAIGN_ID, declared.since, until, declared.why)


def list_campaign_keys(study: Study, campaign: CampaignEntry) -> list[ImageKey]:
    """The keys of the images of a campaign, by their numbers there."""
    album = load_campaign_images(study, campaign.id)
    keys = load_keys(study, {place.test_set_id for place in album})
    return [keys[place.test_set_id][place.row] for place in album]


def list_set_exposure(
    study: Study, test_set: str | None = None, *, person: str | None = None, without: Collection[str] = ()
) -> SetExposure:
    """Who has seen how many images of a set, when, and as what.

    Call `learn_exposures` before: what was answered without a server is not known else.

    Args:
        study: the study, which may be only read.
        test_set: which set; the only one by default.
        person: only them, by any of their names.
        without: the names of campaigns that nothing is told of.

    Raises:
        InputError: there is no such set, or nobody of that name.
    """
    entry, names = get_test_set(study, test_set), load_names(study)
    wanted = None if person is None else names.find_first(get_person(study, person).name)
    keys = load_keys(study, [entry.id]).get(entry.id, ())
    campaigns = {campaign.id: campaign for campaign in list_campaigns(study)}
    hidden = {number for number, campaign in campaigns.items() if campaign.name in without}
    found = (one for one in find_seen(study, keys, names=names) if one.campaign_id not in hidden)
    seen = [one for one in found if wanted in {None, one.person}]
    return SetExposure(
        entry.name,
        entry.n_images,
        len({one.place for one in seen}),
        tuple(_list_people(seen, names)),
        tuple(_list_rows(seen, campaigns)),
    )


def list_seen_images(
    study: Study, test_set: str | None = None, *, person: str | None = None
) -> tuple[tuple[str, str, SeenImage], ...]:
    """Every image of a set that somebody has seen, in row order, with its id and the campaign; empty for none.

    Arguments are as of `list_set_exposure`.
    """
    entry, names = get_test_set(study, test_set), load_names(study)
    wanted = None if person is None else names.find_first(get_person(study, person).name)
    keys = load_keys(study, [entry.id]).get(entry.id, ())
    ids = load_test_set(study, entry).image_ids.tolist()
    seen = (one for one in find_seen(study, keys, names=names) if wanted in {None, one.person})
    campaigns = {campaign.id: campaign.name for campaign in list_campaigns(study)}
    ordered = sorted(seen, key=lambda one: (one.place, one.first_at, one))
    return tuple((ids[one.place], campaigns.get(one.campaign_id, ""), one) for one in ordered)


def write_end(at: str) -> str:
    """A last moment as it is shown: empty where it goes on."""
    return "" if at == GOES_ON else at


def _list_people(seen: Iterable[SeenImage], names: NamesOfPeople) -> Iterator[ExposedPerson]:
    by_person: dict[str, list[SeenImage]] = defaultdict(list)
    for one in seen:
        by_person[one.person].append(one)
    for person, own in sorted(by_person.items()):
        n, first, last = (
            len({one.place for one in own}),
            min(one.first_at for one in own),
            max(one.last_at for one in own),
        )
        yield ExposedPerson(person, names.others.get(person, ()), n, first, write_end(last))


def _list_rows(seen: Iterable[SeenImage], campaigns: Mapping[int, CampaignEntry]) -> Iterator[ExposureRow]:
    parts: dict[tuple[str, str, int, str], list[SeenImage]] = defaultdict(list)
    for one in seen:
        parts[one.person, one.role.value, one.campaign_id, one.why].append(one)
    for (person, role, campaign_id, why), own in sorted(parts.items()):
        campaign = campaigns.get(campaign_id)
        name, kind = ("", "") if campaign is None else (campaign.name, str(campaign.kind))
        first, last = min(one.first_at for one in own), max(one.last_at for one in own)
        n = len({one.place for one in own})
        yield ExposureRow(person, ExposureRole(role), name, kind, n, first, write_end(last), why)
