"""People who named classes become participants, as models are: one for each person and set, with the seconds of each answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from regauge.arrays import BoolArray, CountArray
from regauge.errors import InputError
from regauge.estimates import count_things
from regauge.kinds.contract import KindOutput
from regauge.records.campaigns.campaign import CampaignEntry
from regauge.records.campaigns.evaluations import PARTICIPANTS_OF, PSEUDONYM
from regauge.records.campaigns.times import FLAGS
from regauge.records.exposure.exposures import NamedPerson
from regauge.records.names import check_name
from regauge.records.predictions import ParticipantKind, Predictions
from regauge.records.responses.named import NamedClasses
from regauge.records.studies import CAMPAIGN, PredictionsEntry
from regauge.storage.campaigns.campaign import get_campaign, load_campaign_images, set_settings
from regauge.storage.exposure.people import find_same_annotators, say_participant
from regauge.storage.people.annotators import get_annotator, list_annotators
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import list_image_sets
from regauge.workflows.campaigns.responses import load_answers, make_responses
from regauge.workflows.exposure.saying import declare_same
from regauge.workflows.predictions import PredictionSource, add_predictions

FAMILY = "people"


@dataclass(frozen=True, slots=True)
class Naming:
    """What participants are called.

    Attributes:
        names: by the name of an annotator, what the participant is called; a pseudonym by default.
        aliases: by the name of an annotator, that of another who is the same person; kept with the study.
        family: what they belong with.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)
    family: str = FAMILY


@dataclass(frozen=True, slots=True)
class AddedPeople:
    """The participants as they are stored now, and what the reader should know."""

    entries: tuple[PredictionsEntry, ...]
    notes: tuple[str, ...]


def add_people(study: Study, name: str | int, naming: Naming | None = None, *, replaces: bool = False) -> AddedPeople:
    """Make a participant of each person who answered, for each set that they answered images of.

    Whoever is not done gets those images alone. Nobody is screened out; who was dropped from the campaign has no participant.

    Args:
        study: the study, inside a transaction.
        name: the campaign.
        naming: what participants are called, and who is the same person.
        replaces: put new answers in the place of a participant's other ones, which is an error otherwise.

    Raises:
        InputError: the answers of the campaign make no participants, there are none, or a name cannot be given.
    """
    naming = naming or Naming()
    campaign = get_campaign(study, name)
    _keep_aliases(study, naming.aliases)
    made, notes = make_people(study, campaign, naming)
    _keep_called(study, campaign, naming)
    entries: list[PredictionsEntry] = []
    for test_set, people in made.items():
        source = PredictionSource(people, provenance={CAMPAIGN: campaign.name})
        added = add_predictions(study, source, test_set=test_set, replace=replaces, allow_missing=True)
        entries += added.entries
    return AddedPeople(tuple(entries), notes)


def _keep_called(study: Study, campaign: CampaignEntry, naming: Naming) -> None:
    """Keep which participant is of whom, so that an erasure finds it, and what they were shown counts for it."""
    answers: NamedClasses = make_responses(load_answers(study, campaign.name))
    same = find_same_annotators(study)
    people = _merge(answers, same)
    called = _call(study, campaign, people, naming=naming)
    of_whom = dict(zip(answers.annotator_ids[answers.annotators].tolist(), people.tolist(), strict=True))
    before: Mapping[str, list[str]] = campaign.plan.settings.get(PARTICIPANTS_OF, {})
    # What somebody else is called now is theirs no more.
    kept = {one: set(names).difference(called.values()) for one, names in before.items()}
    known = {str(one): sorted({*kept.get(str(one), ()), called[person]}) for one, person in of_whom.items()}
    set_settings(study, campaign, {**campaign.plan.settings, PARTICIPANTS_OF: {**before, **known}})
    for number, participant in called.items():
        say_participant(study, NamedPerson(get_annotator(study, number).name, number), participant)


def make_people(
    study: Study, campaign: CampaignEntry, naming: Naming
) -> tuple[dict[str, list[Predictions]], tuple[str, ...]]:
    """Per set, the participants that the answers to a campaign make, and what the reader should know.

    Raises:
        InputError: the answers make no participants, there are none, or a name cannot be given.
    """
    found = load_answers(study, campaign.name)
    if KindOutput.PREDICTIONS not in found.kind.gives:
        raise InputError(
            f"Campaign {campaign.name} is of the kind {campaign.kind}, whose answers make no participants; name one of the kind "
            "label."
        )
    if not len(found):
        raise InputError(
            f"Campaign {campaign.name} has no answers that count yet, so there is nobody to make participants of."
        )
    answers: NamedClasses = make_responses(found)
    people = _merge(answers, find_same_annotators(study))
    called = _call(study, campaign, people, naming=naming)
    is_first = _find_first(answers, people)
    sets = {one.id: one.name for one in list_image_sets(study)}
    of_set = np.array([one.test_set_id for one in load_campaign_images(study, campaign.id)], np.int64)[answers.images]
    made: dict[str, list[Predictions]] = {}
    for set_id in dict.fromkeys(of_set.tolist()):
        for number, participant in called.items():
            rows = np.flatnonzero(is_first & (of_set == set_id) & (people == number))
            if len(rows):
                made.setdefault(sets[set_id], []).append(_make(answers, rows, participant, family=naming.family))
    return made, tuple(describe_people(answers, is_first, people=people, n_tasks=campaign.n_tasks))


def _make(answers: NamedClasses, rows: CountArray, participant: str, *, family: str) -> Predictions:
    return Predictions(
        participant,
        answers.image_ids[answers.images[rows]],
        answers.classes[rows],
        seconds=answers.seconds[rows].astype(np.float32),
        active_seconds=answers.active_seconds[rows].astype(np.float32),
        kind=ParticipantKind.PERSON,
        family=family,
    )


def _merge(answers: NamedClasses, same: Mapping[int, int]) -> CountArray:
    """Per answer the number of the person, where one who has two is known by one of them."""
    numbers = [same.get(one, one) for one in answers.annotator_ids.tolist()]
    return np.array(numbers, np.int64)[answers.annotators]


def _find_first(answers: NamedClasses, people: CountArray) -> BoolArray:
    """Per answer whether it is the first of its person to its image: under another name they had seen the image before."""
    order = np.lexsort((answers.received, answers.images, people))
    keys = np.stack((people[order], answers.images[order].astype(np.int64)))
    is_first = np.zeros(len(answers), np.bool_)
    is_first[order[np.append(True, (np.diff(keys) != 0).any(axis=0))]] = True
    return is_first


def _call(study: Study, campaign: CampaignEntry, people: CountArray, *, naming: Naming) -> dict[int, str]:
    """What every person is called, by their number: as is said now, or was before, or else by a pseudonym.

    Raises:
        InputError: a name is given to somebody who answered nothing, or to two people.
    """
    present, same = set(people.tolist()), find_same_annotators(study)
    given: dict[int, str] = {}
    for one, name in naming.names.items():
        annotator_id = get_annotator(study, one).id
        number = same.get(annotator_id, annotator_id)
        if number not in present:
            raise InputError(f"{one} has no answers of their own in this campaign, so the name {name!r} is nobody's.")
        if given.setdefault(number, name) != name:
            raise InputError(f"{one} is also somebody else here, who is to be called {given[number]!r}; give one name.")
    before: Mapping[str, list[str]] = campaign.plan.settings.get(PARTICIPANTS_OF, {})
    called = {}
    for number in sorted(present):
        names = [name for name in before.get(str(number), ()) if name not in given.values()]
        usual = names[0] if len(names) == 1 else PSEUDONYM.format(number=number)
        called[number] = given.get(number, usual)
    known = {entry.name for entry in list_annotators(study)}
    for name in given.values():
        check_name(name, what="A participant", how="as ANNOTATOR=NAME", forbidden=frozenset())
        if name in known:
            raise InputError(
                f"{name} is what an annotator is called, and an erasure could not take that from results; give a name that "
                "does not tell who it is."
            )
    if len(set(called.values())) < len(called):
        raise InputError(
            "Two people would be called the same; give each a name of their own, or say that they are one person."
        )
    return called


def _keep_aliases(study: Study, aliases: Mapping[str, str]) -> None:
    """Keep who is the same person as whom, for exposure too.

    Raises:
        InputError: there is no such annotator, or somebody is said to be themselves.
    """
    for one, other in aliases.items():
        own, first = get_annotator(study, one), get_annotator(study, other)
        same = find_same_annotators(study)
        if own.id == first.id or same.get(own.id, own.id) != same.get(first.id, first.id):
            declare_same(study, first.name, other=own.name)


def describe_people(answers: NamedClasses, is_first: BoolArray, *, people: CountArray, n_tasks: int) -> Iterator[str]:
    """Who is not done, which answers a person gave twice under two names, and whose times are flagged."""
    n_twice = int((~is_first).sum())
    if n_twice:
        yield (
            f"{count_things(n_twice, 'answer')} left out: the same person had answered the image before under another name."
        )
    counts = np.unique(people[is_first], return_counts=True)[1]
    n_partial = int((counts < n_tasks).sum())
    if n_partial:
        yield (
            f"{n_partial:,} of {count_things(len(counts), 'person', many='people')} did not answer all "
            f"{n_tasks:,} images, and {'is' if n_partial == 1 else 'are'} scored on those that they answered."
        )
    n_unknown = int(np.isnan(answers.seconds[is_first]).sum())
    if n_unknown:
        yield f"The seconds of {count_things(n_unknown, 'answer')} are not known."
    flags = answers.time_flags[is_first]
    told = [
        f"{one.value} {int((flags >> place & 1).sum()):,}"
        for place, one in enumerate(FLAGS)
        if (flags >> place & 1).any()
    ]
    if told:
        yield (
            f"The seconds of {count_things(int((flags > 0).sum()), 'answer')} are flagged ({', '.join(told)}); they are kept "
            "as they are."
        )
