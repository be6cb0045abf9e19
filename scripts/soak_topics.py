"""What panelists of `soak_panel.py` discuss: whether predictions are correct, or what kind of mistakes they are."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scripts.soak_annotators import BrokenPromiseError

from regauge.records.campaigns.campaign import Kind
from regauge.records.mistakes.coded import SEVERITIES
from regauge.records.predictions import Predictions
from regauge.workflows.campaigns.campaign import Questions
from regauge.workflows.mistakes.coders import preview_codes
from regauge.workflows.predictions import PredictionSource, add_predictions
from regauge.workflows.studies.study import Study

ASKED = 3
"""The class that a model answers on every image."""
WORDS = ("correct", "unclear", "wrong")
CATEGORIES = ("fine-grained", "spurious-correlation")
MISTAKE, NO_MISTAKE = "a mistake", "no mistake"
Answer = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Topic:
    """What is discussed.

    Attributes:
        kind: the kind of task.
        question: what items call the question that is looked at; where it is a number, pages call it by the class.
        say: an answer to a task, at random.
        read: the vote of an answer on the question.
        ask: the questions of the campaign, by the study, the images and who takes part.
        check: compares the answers that count on each locked item with what the program makes of them.
    """

    kind: Kind
    question: str
    say: Callable[[Mapping[str, Any], random.Random], dict[str, Any]]
    read: Callable[[Answer], str]
    ask: Callable[[Study, Sequence[str], Mapping[str, Any]], Questions]
    check: Callable[[Study, str, Sequence[Sequence[Answer]]], None]


def _vote(task: Mapping[str, Any], chance: random.Random) -> dict[str, Any]:
    return {"verdicts": {one["key"]: chance.choice(WORDS) for one in task["view"]["items"]}}


def _ask_panel(study: Study, names: Sequence[str], people: Mapping[str, Any]) -> Questions:  # noqa: ARG001 - alike for all
    pairs = [(one, ASKED) for one in names]
    return Questions(pairs=pairs, settings={**people, "labels": "known"}, seed=0)


def _code(task: Mapping[str, Any], chance: random.Random) -> dict[str, Any]:  # noqa: ARG001 - all tasks are alike
    if chance.random() < 0.4:
        return {"overturned": "missed object", "comment": "There is one."}
    return {"category": chance.choice(CATEGORIES), "severity": str(chance.choice(SEVERITIES))}


def _ask_coders(study: Study, names: Sequence[str], people: Mapping[str, Any]) -> Questions:
    answers = Predictions("model", np.array(names), np.full((len(names), 1), ASKED, np.int32))
    add_predictions(study, PredictionSource([answers]))
    settings = {
        "coders": people["panelists"],
        "chairs": people["chairs"],
        "labels": "known",
        "participants": ("model",),
    }
    return Questions(settings=settings, seed=0)


def _check_coding(study: Study, name: str, locked: Sequence[Sequence[Answer]]) -> None:
    """The coding has as many mistakes of each category and severity as the answers say, counted here otherwise."""
    made = preview_codes(study, name)
    coded = made.coding.coded
    codes = zip(coded.categories.tolist(), coded.severities.tolist(), strict=True)
    found = Counter((coded.category_names[category], str(SEVERITIES[severity])) for category, severity in codes)
    told = Counter[tuple[str, str]]()
    n_gone = 0
    for answers in locked:
        rest = [one for one in answers if "overturned" not in one]
        if 2 * len(rest) < len(answers):
            n_gone += 1
        elif 2 * len(rest) > len(answers):
            most = [_find_most([one[what] for one in rest]) for what in ("category", "severity")]
            told.update([(most[0], most[1])] if all(most) else [])
    if found != told or len(made.coding.overturned) != n_gone:
        raise BrokenPromiseError(
            f"The coding has {dict(found)} and {len(made.coding.overturned)} overturned, not {dict(told)} and {n_gone}."
        )


def _find_most(words: Sequence[str]) -> str:
    first, *others = Counter(words).most_common()
    return "" if others and others[0][1] == first[1] else first[0]


TOPICS: Mapping[str, Topic] = {
    "panel": Topic(
        Kind("panel"),
        str(ASKED),
        _vote,
        lambda answer: str(answer["verdicts"][str(ASKED)]),
        _ask_panel,
        lambda _study, _name, _locked: None,
    ),
    "code": Topic(
        Kind("code"),
        "verdict",
        _code,
        lambda answer: NO_MISTAKE if "overturned" in answer else MISTAKE,
        _ask_coders,
        _check_coding,
    ),
}
