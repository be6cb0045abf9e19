"""The final review after people were tested: their answers are judged with those of models, and nobody judges their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from regauge.arrays import BoolArray
from regauge.campaigns.eligibility import NOT_FOR, PANEL
from regauge.campaigns.fields import PARTICIPANTS
from regauge.campaigns.reviews.final import ALLOW_OWN, FINAL_REVIEW, tell_final_review
from regauge.campaigns.visibility import LABELS
from regauge.errors import InputError
from regauge.estimates import count_things
from regauge.evaluation.reviews.final_reviews import FinalPairs, draw_final_pairs
from regauge.fields import FieldError, in_field, pick
from regauge.records.campaigns.campaign import CampaignEntry, CampaignPlan, CampaignState
from regauge.records.campaigns.evaluations import PARTICIPANTS_OF, is_blind
from regauge.records.evaluation.reviews import ReviewField
from regauge.records.predictions import ParticipantKind
from regauge.records.studies import TestSetEntry
from regauge.storage.campaigns.assignments import list_given_positions
from regauge.storage.campaigns.campaign import get_campaign
from regauge.storage.campaigns.decisions import find_dropped
from regauge.storage.campaigns.ledgers import find_names
from regauge.storage.campaigns.panels import load_for_some
from regauge.storage.evaluation.review_fields import load_review_field
from regauge.storage.exposure.people import list_same_people
from regauge.storage.people.annotators import get_annotator
from regauge.storage.predictions import get_predictions
from regauge.storage.study import Study


@dataclass(frozen=True, slots=True, eq=False)
class FinalReview:
    """What a final review asks.

    Attributes:
        pairs: images with classes.
        not_for: per pair that not everybody may judge, the numbers of those who may not.
        settings: what it rests on, for the record of the campaign.
    """

    pairs: list[tuple[str, int]]
    not_for: Mapping[tuple[str, int], tuple[int, ...]]
    settings: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Tested:
    """An evaluation: which participants its people became, and who is the same person as whom, by their numbers."""

    campaign: CampaignEntry
    names: Mapping[int, tuple[str, ...]]
    aliases: Mapping[int, int]

    def find_person(self, number: int) -> int:
        """Under which number somebody is known who may have two."""
        return self.aliases.get(number, number)


def find_final_review(
    study: Study, entry: TestSetEntry, *, plan: CampaignPlan, settings: Mapping[str, Any], seed: int
) -> FinalReview:
    """What people answered in an evaluation, on the images of one set, among answers of models that are drawn.

    Args:
        study: the study; a transaction that reads is enough.
        entry: the test set.
        plan: how many judge each label.
        settings: the evaluation, whose answers are drawn, the label set with the verdicts of before, the panel, and whether
            people may judge their own answers.
        seed: decides which answers of models are drawn.

    Raises:
        FieldError: the campaign tests nobody or is still open, its people are not participants yet, there is no model, or too few
            people can judge.
    """
    tested = in_field(FINAL_REVIEW.name, partial(_find_tested, study, settings[FINAL_REVIEW.name]))
    found = load_review_field(study, entry, labels=settings.get(LABELS) or None)
    people = _find_people(tested, found)
    models = _find_models(study, entry, settings)
    panel = _find_panel(study, tested, settings, n_needed=plan.n_annotators)
    is_left_out = _find_problematic(found)
    answers = found.answers[found.find_rows(tuple(people), at_least=1)]
    drawn = draw_final_pairs(
        answers, found.answers[found.find_rows(models, at_least=1)], is_left_out=is_left_out, seed=seed
    )
    ids = found.test_set.image_ids[drawn.rows].tolist()
    pairs = list(zip(ids, drawn.classes.tolist(), strict=True))
    allows_own = bool(settings.get(ALLOW_OWN.name))
    barred, n_own = _bar_own(tested, drawn, people, panel=panel, n_needed=plan.n_annotators)
    kept = {
        "campaign": tested.campaign.name,
        "people": list(people),
        "models": list(models),
        "n_given": int(drawn.is_by_people.sum()),
        "n_drawn": int(drawn.is_drawn.sum()),
        "n_shared": drawn.n_shared,
        "n_unmixed": drawn.n_unmixed,
        "n_left_out": int((is_left_out & (answers >= 0).any(axis=0)).sum()),
        "allows_own": allows_own,
        "n_own": n_own,
        "n_needed": plan.n_annotators,
    }
    not_for = {} if allows_own else {pairs[place]: own for place, own in barred.items()}
    named = {name: value for name, value in pick(settings, (LABELS, PARTICIPANTS.name)).items() if value}
    return FinalReview(pairs, not_for, {**named, PANEL: panel, FINAL_REVIEW.name: kept})


def describe_final_review(campaign: CampaignEntry) -> tuple[str, ...]:
    """Whose answers a campaign judges among what, and who judges them, in sentences; none of any other campaign."""
    return tuple(tell_final_review(campaign.plan.settings))


def find_own(study: Study, campaign: CampaignEntry, positions: Mapping[int, int]) -> dict[int, tuple[int, ...]]:
    """Per task of a final review that asks about what people answered themselves, who these are, by their numbers.

    Args:
        study: the study.
        campaign: which; one that is not a final review has no such task.
        positions: per task by its number, its position.
    """
    if not campaign.plan.settings.get(FINAL_REVIEW.name):
        return {}
    found = load_for_some(study, campaign, positions=list(positions.values()), conditions=(NOT_FOR,))
    return {one: tuple(found[position][NOT_FOR]) for one, position in positions.items() if position in found}


def _find_tested(study: Study, name: str) -> _Tested:
    """The evaluation of that name, whose people are participants.

    Raises:
        InputError: there is no such campaign, it tests nobody or is still open, or some of its people are not participants.
    """
    campaign = get_campaign(study, name)
    settings = campaign.plan.settings
    if not is_blind(settings):
        raise InputError(
            f"Campaign {name} tests nobody, so no final review follows it; name one of the kind label with "
            "`mode='evaluation'`."
        )
    if campaign.state is CampaignState.OPEN:
        raise InputError(
            f"Campaign {name} is open, and its people would see what others answered; close it before its final review."
        )
    dropped, known = find_dropped(study, campaign), settings.get(PARTICIPANTS_OF, {})
    answered = {one for one in list_given_positions(study, campaign, is_answered=True) if one not in dropped}
    lacking = sorted(find_names(study, [one for one in answered if str(one) not in known]).values())
    if lacking or not known:
        whole = f"The people of campaign {name} are not participants"
        who = f"{lacking[0]} of campaign {name} is not a participant" if lacking else whole
        raise InputError(f"{who} yet; run: regauge campaign predictions {name}.")
    names = {int(one): tuple(called) for one, called in known.items() if int(one) not in dropped}
    return _Tested(campaign, names, _find_aliases(study))


def _find_aliases(study: Study) -> dict[int, int]:
    """By the number of everybody who has several names, that of the one of them that was said first."""
    first: dict[int, int] = {}
    said = [(person, one.annotator_id) for person, one in list_same_people(study)]
    return {number: first.setdefault(person, number) for person, number in said if number is not None}


def _find_people(tested: _Tested, found: ReviewField) -> tuple[str, ...]:
    """The participants that people of an evaluation became who answered images of the set.

    Raises:
        FieldError: there is none.
    """
    called = {name for own in tested.names.values() for name in own}
    people = tuple(one for one in found.participants if one in called)
    if not people:
        raise FieldError(
            FINAL_REVIEW.name,
            f"Nobody of campaign {tested.campaign.name} has answers on {found.test_set.name}; name one of its sets with "
            "`test_set=…`.",
        )
    return people


def _find_models(study: Study, entry: TestSetEntry, settings: Mapping[str, Any]) -> tuple[str, ...]:
    """The models that answers are drawn of.

    Raises:
        FieldError: there is none.
    """
    named = get_predictions(study, entry, participants=settings.get(PARTICIPANTS.name, ()))
    models = tuple(one.participant for one in named if one.kind is ParticipantKind.MODEL)
    if not models:
        raise FieldError(
            PARTICIPANTS.name,
            f"There is no model with answers on {entry.name} to draw from, and people's answers alone would tell whose they are; "
            "add one with: regauge predictions add FILE….",
        )
    return models


def _find_panel(study: Study, tested: _Tested, settings: Mapping[str, Any], *, n_needed: int) -> list[int]:
    """Who judges, by their numbers: those who are named, or the people of the evaluation.

    Raises:
        FieldError: a label needs more people than there are.
    """
    named = [get_annotator(study, one) for one in settings.get(PANEL) or ()]
    usual = {tested.find_person(one) for one in tested.names}
    found = named or [one for one in map(partial(get_annotator, study), sorted(usual)) if one.erased_at is None]
    n_people = len({tested.find_person(one.id) for one in found})
    if n_people < n_needed:
        raise FieldError(
            "n_annotators",
            f"{n_needed:,} people judge every label, and {count_things(n_people, 'person', many='people')} of the final review "
            f"cannot; name more with `panel=…`, or let fewer judge.",
        )
    return sorted({one.id for one in found})


def _find_problematic(found: ReviewField) -> BoolArray:
    """The images that count for nobody."""
    known = found.label_set
    ids = found.test_set.image_ids
    if known is None:
        return np.zeros(len(ids), np.bool_)
    is_problematic: BoolArray = np.isin(ids, known.image_ids[known.is_problematic])
    return is_problematic


def _bar_own(
    tested: _Tested, drawn: FinalPairs, people: tuple[str, ...], *, panel: list[int], n_needed: int
) -> tuple[dict[int, tuple[int, ...]], int]:
    """Per pair by its place, whoever gave that class; and how many pairs all may judge since too few others are left."""
    numbers_of = [tuple(one for one, own in tested.names.items() if name in own) for name in people]
    judges = {tested.find_person(one) for one in panel}
    barred: dict[int, tuple[int, ...]] = {}
    n_own = 0
    for place in np.flatnonzero(drawn.is_by_people).tolist():
        own = {one for person in np.flatnonzero(drawn.is_given[place]).tolist() for one in numbers_of[person]}
        persons = {tested.find_person(one) for one in own}
        if len(judges - persons) < n_needed:
            n_own += 1
        else:
            own |= {one for one in (*panel, *tested.aliases) if tested.find_person(one) in persons}
            barred[place] = tuple(sorted(own))
    return barred, n_own
