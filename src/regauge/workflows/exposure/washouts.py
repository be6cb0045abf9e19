"""Who has seen the images of a campaign before it asks about them, and what its washout makes of that."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

from regauge.campaigns.eligibility import is_on_panel
from regauge.campaigns.exposure.roles import counts_for
from regauge.estimates import count_things
from regauge.records.campaigns.campaign import CampaignEntry, Role
from regauge.records.campaigns.evaluations import is_blind
from regauge.storage.campaigns.campaign import get_campaign
from regauge.storage.people.annotators import list_annotators
from regauge.storage.study import Study
from regauge.workflows.exposure.recording import learn_exposures
from regauge.workflows.exposure.seen import (
    GOES_ON,
    NamesOfPeople,
    SeenImage,
    find_seen,
    list_campaign_keys,
    load_names,
    write_end,
)

N_NAMED = 10
"""People whom sentences name; of more their number is told."""


@dataclass(frozen=True, slots=True)
class SeenBefore:
    """What somebody who may take part in a campaign has seen of its images.

    Attributes:
        person: who, by the first of their names.
        n_images: how many of its images.
        n_recent: how many of these within the washout; all of them where there is none.
        first_at: when they saw the first.
        last_at: when they saw the last; empty where that goes on.
        roles: as what they saw them.
    """

    person: str
    n_images: int
    n_recent: int
    first_at: str
    last_at: str
    roles: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CampaignExposure:
    """Who has seen what of the images of a campaign.

    Attributes:
        campaign: its name.
        is_evaluation: whether people are measured in it.
        washout_days: how long its washout lasts; 0 for none.
        warns: whether that keeps nobody out.
        n_images: how many images it has.
        n_people: how many may take part: its panel, or all annotators of the study.
        people: those among them who have seen any.
    """

    campaign: str
    is_evaluation: bool
    washout_days: int
    warns: bool
    n_images: int
    n_people: int
    people: tuple[SeenBefore, ...]


def find_campaign_exposure(study: Study, name: str | int) -> CampaignExposure:
    """Who of those who may take part in a campaign has seen its images, other than in its own tasks.

    Call `learn_exposures` before: what was answered without a server is not known else.

    Raises:
        InputError: there is no such campaign.
    """
    campaign, names = get_campaign(study, name), load_names(study)
    people = _list_people(study, campaign, names)
    keys, terms = list_campaign_keys(study, campaign), campaign.plan.terms
    found: dict[str, list[SeenImage]] = defaultdict(list)
    for one in find_seen(study, keys, names=names):
        if one.person in people and counts_for(one.campaign_id, one.role, own=campaign.id):
            found[one.person].append(one)
    since = study.around.now(after=-timedelta(days=terms.washout_days)) if terms.washout_days else ""
    return CampaignExposure(
        campaign.name,
        is_blind(campaign.plan.settings),
        terms.washout_days,
        terms.washout_warns,
        len(keys),
        len(people),
        tuple(_sum_up(person, own, since) for person, own in sorted(found.items())),
    )


def tell_exposure(study: Study, name: str | int) -> tuple[str, ...]:
    """What is to be known before a campaign begins: nothing where it neither has a washout nor measures people.

    Args:
        study: the study, inside a transaction that may write: exposure is learned from all answers first.
        name: the campaign, by its name or number.
    """
    campaign = get_campaign(study, name)
    if not (campaign.plan.terms.washout_days or is_blind(campaign.plan.settings)):
        return ()
    learn_exposures(study)
    return tuple(describe_exposure(find_campaign_exposure(study, campaign.id)))


def describe_exposure(found: CampaignExposure) -> Iterator[str]:
    """Who has seen what of the images of a campaign, a sentence for each, and what follows from that."""
    told = [one for one in found.people if one.n_recent]
    for one in told[:N_NAMED]:
        when = f"from {one.first_at[:10]} on" if not one.last_at else f"last on {one.last_at[:10]}"
        yield (
            f"{one.person} has seen {one.n_recent:,} of the {found.n_images:,} images of {found.campaign}, {when}, as "
            f"{' and '.join(one.roles)}."
        )
    if len(told) > N_NAMED:
        yield f"{count_things(len(told) - N_NAMED, 'other person has', many='other people have')} seen some of them, too."
    if told and found.washout_days:
        yield (
            f"The washout of {found.washout_days} days only warns: they are given these images."
            if found.warns
            else f"The washout of {found.washout_days} days keeps these images from them."
        )
    elif told:
        yield "Nothing keeps these images from them; `washout=180d` would."
    if not found.is_evaluation or told:
        return
    if found.people:
        who = count_things(len(found.people), "person", many="people")
        yield f"All that {who} saw of the images of {found.campaign} was before its washout of {found.washout_days} days."
    elif found.n_people:
        may = count_things(found.n_people, "person", many="people")
        yield f"No image of {found.campaign} was seen before by the {may} who may take part."


def _list_people(study: Study, campaign: CampaignEntry, names: NamesOfPeople) -> frozenset[str]:
    """Who may take part, each by the first of their names."""
    return frozenset(
        names.find_first(entry.name)
        for entry in list_annotators(study)
        if entry.role is Role.ANNOTATOR and entry.erased_at is None and is_on_panel(campaign.plan.settings, entry.id)
    )


def _sum_up(person: str, own: list[SeenImage], since: str) -> SeenBefore:
    recent = [one for one in own if one.last_at == GOES_ON or one.last_at >= since[: len(one.last_at)]]
    return SeenBefore(
        person,
        len({one.place for one in own}),
        len({one.place for one in recent}),
        min(one.first_at for one in own),
        write_end(max(one.last_at for one in own)),
        tuple(sorted({one.role.value for one in recent or own})),
    )
