"""Three people and three models on eighty images of two sets: dogs, other animals and objects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from regauge.records.evaluation.humans.report import HumanReport
from regauge.records.predictions import ParticipantKind, Predictions
from regauge.records.testsets.test_set import TestSet
from regauge.workflows.evaluation.humans import humans
from regauge.workflows.inputs import TestSetAnswers

CLASSES = np.concatenate([np.arange(151, 161), np.arange(10), np.arange(500, 520)])
"""Ten dogs, ten other animals, twenty objects of imagenet-1k."""
PEOPLE, MODELS = ("ann", "bob", "cat"), ("large", "medium", "small")
SKILLS = {"ann": 0.95, "bob": 0.9, "cat": 0.85, "large": 0.85, "medium": 0.75, "small": 0.6}
N_PER_CLASS = 2


def make_set(name: str, *, seed: int, drop: float = 0.0) -> TestSetAnswers:
    """Everybody's answers; people are worse at dogs and take longer, models lose accuracy by the drop."""
    rng = np.random.default_rng(seed)
    labels = np.repeat(CLASSES, N_PER_CLASS)
    ids = np.array([f"{name}{row}" for row in range(len(labels))])
    is_dog = (labels >= 151) & (labels <= 268)
    answers = []
    for who, skill in SKILLS.items():
        is_person = who in PEOPLE
        chance = skill - (0.5 * is_dog if is_person else drop)
        right = rng.random(len(labels)) < chance
        classes = np.where(right, labels, (labels + 1) % 1_000)
        if not is_person:
            answers.append(Predictions(who, ids, classes))
            continue
        seconds = np.round(rng.exponential(30, len(labels)) + 60 * is_dog, 1)
        kind = ParticipantKind.PERSON
        answers.append(Predictions(who, ids, classes, seconds=seconds, active_seconds=seconds / 2, kind=kind))
    return TestSetAnswers(answers, TestSet(name, ids, labels))


def stop_early(answers: TestSetAnswers, who: str, n: int) -> TestSetAnswers:
    """The same with somebody who answered the first n images only."""
    given = [one.choose(np.arange(n)) if one.participant == who else one for one in list_predictions(answers)]
    return replace(answers, predictions=given)


def keep(answers: TestSetAnswers, names: Sequence[str]) -> TestSetAnswers:
    """The same with these participants."""
    return replace(answers, predictions=[one for one in list_predictions(answers) if one.participant in names])


def list_predictions(answers: TestSetAnswers) -> list[Predictions]:
    """Everybody's answers."""
    return list(answers.predictions)  # type: ignore[arg-type]


def get_predictions(answers: TestSetAnswers, who: str) -> Predictions:
    """Somebody's answers."""
    return next(one for one in list_predictions(answers) if one.participant == who)


def get_labels(answers: TestSetAnswers) -> np.ndarray:
    """The dataset labels."""
    assert isinstance(answers.truth, TestSet)
    return answers.truth.labels


def find_right(answers: TestSetAnswers, who: str) -> np.ndarray:
    """Where somebody is right."""
    return np.asarray(get_predictions(answers, who).classes[:, 0] == get_labels(answers))


def run(*sets: TestSetAnswers, **keywords: object) -> HumanReport:
    """All tables, with few draws."""
    few = {"n_draws": 200, "n_bootstrap": 200, "taxonomy": "imagenet-1k"}
    return humans(*sets, **{**few, **keywords})  # type: ignore[arg-type]


def pick(report: HumanReport, table: str, **where: object) -> dict[str, Any]:
    """The one row of a table in which columns have these values."""
    rows = report.get_table(table).filter(**where).to_dicts()
    assert len(rows) == 1, f"{len(rows)} rows of {table} with {where}"
    return rows[0]
