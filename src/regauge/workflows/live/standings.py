"""Which comparisons the answers to a review campaign settle at this moment, remembered until answers change."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from regauge.arrays import BoolArray
from regauge.campaigns.fields import PARTICIPANTS, TRUST, QuestionSource
from regauge.errors import InputError, StorageError
from regauge.estimates import count_things
from regauge.evaluation.reviews.bounds import find_pair_bounds
from regauge.kinds.registry import find_kind
from regauge.records.campaigns.campaign import CampaignEntry
from regauge.records.campaigns.image_reports import TAKEN_OUT
from regauge.records.evaluation.reviews import PAIR_BOUND_COLUMNS, PairBounds, ReviewField, ReviewMetric
from regauge.records.responses.ledgers import HeldAnswers
from regauge.storage.campaigns.campaign import get_campaign
from regauge.storage.campaigns.ledgers import find_standing
from regauge.storage.predictions import get_predictions, list_predictions
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import get_test_set
from regauge.workflows.campaigns.responses import CampaignAnswers, load_answers
from regauge.workflows.labels.campaign_labels import find_usual_labels
from regauge.workflows.labels.review_plans import (
    FollowedReview,
    find_plan,
    follow_planned,
    open_field,
)

N_SIMULATIONS = 50
"""Simulated reviews behind what is still to come: fewer than a plan has, for this is asked again and again."""
MAX_REMEMBERED = 4
"""Campaigns whose standing is kept at a time; the answers of 67 participants to 50,000 images take 13 megabytes."""


@dataclass(frozen=True, slots=True, eq=False)
class CampaignStandings:
    """What the answers to a campaign settle.

    Attributes:
        n_finished: tasks that have all their answers; verdicts on others may still change, and do not count.
        n_tasks: all tasks.
        bounds: every two of the participants whose answers are judged.
        followed: where the pairs of the plan stand; None where the campaign follows none.
        problem: why nothing can be said; empty where something can.
    """

    n_finished: int
    n_tasks: int
    bounds: PairBounds | None = None
    followed: FollowedReview | None = None
    problem: str = ""

    def to_frame(self) -> pl.DataFrame:
        """One row per pair of participants, by bounds; none where nothing can be said."""
        return pl.DataFrame(schema=dict(PAIR_BOUND_COLUMNS)) if self.bounds is None else self.bounds.to_frame()

    @property
    def sentences(self) -> tuple[str, ...]:
        """Where the pairs of the plan stand, a sentence for each, and how many of all pairs are settled by bounds."""
        planned = () if self.followed is None else self.followed.sentences
        return (*planned, *(() if self.bounds is None else _tell_bounds(self.bounds)))

    @property
    def notes(self) -> tuple[str, ...]:
        """What the reader should know."""
        return (*_note_tasks(self), *(() if self.followed is None else self.followed.notes))


class StandingMemory:
    """What was found last of the campaigns that somebody looked at. Every method may be called from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._fields: OrderedDict[tuple[Any, ...], ReviewField] = OrderedDict()
        self._found: OrderedDict[int, tuple[tuple[Any, ...], CampaignStandings]] = OrderedDict()

    def find(self, study: Study, campaign: CampaignEntry) -> CampaignStandings | None:
        """What the answers to a campaign settle; None where it does not judge answers of participants.

        It is found anew only when an answer has come, or something was decided about answers or images.
        """
        if not judges_answers(study, campaign):
            return None
        entry = get_test_set(study, campaign.plan.settings["test_set"])
        answers = (entry.digest, *((one.participant, one.sha256) for one in list_predictions(study, entry)))
        now = find_standing(study, campaign)
        taken = len(campaign.plan.settings.get(TAKEN_OUT, {}))
        version = (answers, now.generation, now.last_response, now.last_task, now.last_decision, now.epoch, taken)
        with self._lock:
            known, found = self._found.get(campaign.id, (None, None))
            if found is None or known != version:
                found = self._measure(study, campaign, answers)
                if not found.problem:
                    _remember(self._found, campaign.id, (version, found))
            return found

    def _measure(self, study: Study, campaign: CampaignEntry, answers: tuple[Any, ...]) -> CampaignStandings:
        try:
            field = self._fields.get(answers) or open_field(study, test_set=campaign.plan.settings["test_set"])
            _remember(self._fields, answers, field)
            return _measure(study, campaign, field)
        except (InputError, StorageError) as error:
            # A plan that does not hold any more, or predictions that are gone: whoever looks is told, and asks again.
            return CampaignStandings(0, campaign.n_tasks, problem=str(error))


def measure_standings(study: Study, name: str) -> CampaignStandings:
    """What the answers to a campaign settle at this moment.

    Raises:
        InputError: there is no such campaign, it does not judge answers of participants, or what its plan rests on has changed.
    """
    campaign = get_campaign(study, name)
    if not judges_answers(study, campaign):
        raise InputError(
            f"Campaign {campaign.name} is of the kind {campaign.kind} and does not judge answers of participants, so it settles "
            "nothing between them."
        )
    return _measure(study, campaign, open_field(study, test_set=campaign.plan.settings["test_set"]))


def judges_answers(study: Study, campaign: CampaignEntry) -> bool:
    """Whether a campaign asks about first answers of participants, of whom there are some."""
    if QuestionSource.UNJUDGED not in find_kind(study.around.kinds, campaign.kind).fields.sources:
        return False
    return bool(list_predictions(study, get_test_set(study, campaign.plan.settings["test_set"])))


def _measure(study: Study, campaign: CampaignEntry, field: ReviewField) -> CampaignStandings:
    settings, planned = campaign.plan.settings, find_plan(study, campaign)
    answers = load_answers(study, campaign.name)
    is_finished = _find_finished(answers)
    verdicts = find_usual_labels(study, replace(answers, held=_keep(answers.held, is_finished)))
    now = replace(field, label_set=verdicts)
    metric, followed = ReviewMetric.STRICT, None
    if planned is not None:
        metric, names = planned.plan.terms.metric, planned.plan.participants
        over = set(planned.plan.image_ids.tolist()) - _find_waiting(answers, is_finished)
        followed = follow_planned(planned, now, without=over, n_simulations=N_SIMULATIONS)
    else:
        entry = get_test_set(study, settings["test_set"])
        chosen = get_predictions(study, entry, participants=settings.get(PARTICIPANTS.name, ()))
        names = tuple(one.participant for one in chosen)
    judged = now.keep_participants(names, trusts=bool(settings.get(TRUST.name)))
    is_work = answers.held.tasks.is_work
    return CampaignStandings(
        int(is_finished[is_work].sum()), int(is_work.sum()), find_pair_bounds(judged, metric), followed
    )


def _find_finished(answers: CampaignAnswers) -> BoolArray:
    """Per task, whether it has all its answers, so that its verdicts stay as they are."""
    held = answers.held
    n_answers = np.bincount(held.columns.tasks, minlength=len(held.tasks))
    return np.asarray(n_answers >= held.tasks.count_wanted(answers.campaign.plan.n_annotators), np.bool_)


def _keep(held: HeldAnswers, is_finished: BoolArray) -> HeldAnswers:
    """The answers to tasks that are finished."""
    rows = np.flatnonzero(is_finished[held.columns.tasks])
    texts = tuple(held.texts[row] for row in rows.tolist()) if held.texts else ()
    return replace(held, columns=held.columns.keep(rows), texts=texts)


def _find_waiting(answers: CampaignAnswers, is_finished: BoolArray) -> set[str]:
    """The images that somebody will still judge; of the others of a plan nothing more will be known soon.

    What waits for an expert may wait for long: such an image is not waited for, and what is open of it is taken at its worst.
    """
    tasks, taken = answers.held.tasks, answers.campaign.plan.settings.get(TAKEN_OUT, {})
    numbers = set(tasks.subjects[tasks.is_work & ~tasks.is_alone & ~is_finished].tolist())
    return {str(answers.held.image_ids[number]) for number in numbers if str(number) not in taken}


def _remember(memory: OrderedDict[Any, Any], key: object, value: object) -> None:
    memory[key] = value
    memory.move_to_end(key)
    if len(memory) > MAX_REMEMBERED:
        memory.popitem(last=False)


def _tell_bounds(bounds: PairBounds) -> Iterator[str]:
    if len(bounds):
        n = int(bounds.is_settled.sum())
        people = count_things(len(bounds.participants), "participant")
        yield f"Bounds settle {n:,} of {count_things(len(bounds), 'pair')} of {people}, whatever is still open."


def _note_tasks(standings: CampaignStandings) -> Iterator[str]:
    if standings.problem:
        yield standings.problem
    elif standings.n_finished < standings.n_tasks:
        yield (
            f"{standings.n_finished:,} of {count_things(standings.n_tasks, 'task')} have all their answers; verdicts of these "
            "alone count here, for others may still change."
        )
