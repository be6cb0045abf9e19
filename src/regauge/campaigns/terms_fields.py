"""What can be set of the terms of a campaign, on which people work, and of the texts that they read first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from regauge.campaigns.exposure.durations import parse_washout
from regauge.errors import InputError
from regauge.fields import Checkbox, Choice, Field, FieldError, Names, TextValue, in_field, pick
from regauge.ranges import PERCENT, SHARE, WHOLE_PERCENT
from regauge.records.campaigns.campaign import MAX_TEXT
from regauge.records.campaigns.terms import (
    BREAK_MINUTES,
    MAX_ATTEMPTS,
    N_QUESTIONS,
    PASS_MARK,
    PAY,
    REPEATS,
    Newness,
    Pay,
    Quiz,
    Terms,
)
from regauge.records.taxonomy import Taxonomy

_PAY, _QUIZ, _TERMS = Pay(0), Quiz(), Terms()
"""Records that are as they are unless told otherwise: defaults come from them."""

PAYING = (
    Field(
        "per_task",
        "Per task",
        PAY,
        "What one answer pays.",
        option="--pay",
        usual="nothing",
        metavar="AMOUNT",
        is_optional=True,
    ),
    Field(
        "currency",
        "Currency",
        TextValue(3),
        "The currency of the pay, in three letters.",
        _PAY.currency,
        option="--currency",
        metavar="CODE",
    ),
    Field(
        "minimum_hourly",
        "Lowest pay per hour",
        PAY,
        "You are warned when the median pay per hour is lower.",
        option="--minimum-hourly",
        metavar="AMOUNT",
        is_optional=True,
    ),
    Field(
        "fee",
        "Platform’s fee, %",
        SHARE,
        "What a platform takes on top of the pay.",
        _PAY.fee,
        option="--fee",
        metavar="SHARE",
        unit=PERCENT,
        is_optional=True,
    ),
)
HAS_QUIZ = Field(
    "has_quiz",
    "A quiz before the first task",
    Checkbox(),
    "On controls, with feedback; only those who pass go on.",
    default=False,
)
QUIZ_SIZE = Field(
    "n_questions",
    "Questions",
    N_QUESTIONS,
    "How many questions a quiz before the first task asks.",
    _QUIZ.n_questions,
    option="--quiz",
    metavar="N",
    usual="none",
    when="has_quiz",
)
QUIZ_CLASSES = Field(
    "quiz_classes",
    "Classes",
    Names(),
    "What the quiz is about, by name, id or number.",
    (),
    option="--quiz-class",
    metavar="CLASS",
    usual="all classes",
    when="has_quiz",
)
PASSING = (
    Field(
        "pass_mark",
        "Pass mark, %",
        PASS_MARK,
        "The share of right answers that passes the quiz.",
        _QUIZ.pass_mark,
        option="--pass-mark",
        metavar="SHARE",
        unit=WHOLE_PERCENT,
        when="has_quiz",
    ),
    Field(
        "max_attempts",
        "Attempts",
        MAX_ATTEMPTS,
        "How often the quiz can be tried.",
        _QUIZ.max_attempts,
        option="--attempts",
        metavar="N",
        when="has_quiz",
    ),
)
QUIZZING = (QUIZ_SIZE, *PASSING, QUIZ_CLASSES)
CARE = (
    Field(
        "repeats",
        "Hidden repeats, %",
        REPEATS,
        "The share of tasks that come back, to see whether the answer is the same.",
        _TERMS.repeats,
        option="--repeats",
        metavar="SHARE",
        unit=PERCENT,
        is_optional=True,
    ),
    Field(
        "break_minutes",
        "Break after, minutes",
        BREAK_MINUTES,
        "A break is offered after this much work, or never if 0.",
        _TERMS.break_minutes,
        option="--break-after",
        metavar="MINUTES",
    ),
)
NEWNESS = Field(
    "newness",
    "Keep out people who judged the image in another campaign",
    Choice(
        {Newness.PREFERRED: "They get it last", Newness.REQUIRED: "They do not get it"},
        ticked=Newness.REQUIRED,
    ),
    "People who judged an image in another campaign get it last (preferred), or not at all (required).",
    _TERMS.newness,
    option="--new-annotators",
    input="is_new_only",
)
WASHOUT = Field(
    "washout",
    "Washout",
    TextValue(20),
    "People who were shown an image in any way do not get it for this long: 180d, 26w, 6m or 1y.",
    "",
    option="--washout",
    metavar="TIME",
    usual="none",
)
WASHOUT_WARNS = Field(
    "washout_warns",
    "Let them have it anyway, and tell me",
    Checkbox(),
    "The washout keeps nobody out: you are told who saw how many of the images, and when.",
    default=False,
    option="--washout-warns",
)
SEEN = (NEWNESS, WASHOUT, WASHOUT_WARNS)
"""What holds for people who have seen an image before."""
CHANGEABLE_TERMS = (*PAYING, *PASSING, *CARE, *SEEN)
"""The terms that can change after a campaign is made."""
TERMS = (*PAYING, *QUIZZING, *CARE, *SEEN)

_TEXT = TextValue(MAX_TEXT, has_lines=True)
TEXTS = (
    Field(
        "warning",
        "Content warning",
        _TEXT,
        "What the images may show; displayed first, with a choice to leave.",
        "",
        option="--warning",
        usual="none",
    ),
    Field("consent", "Consent", _TEXT, "What people agree to.", "", option="--consent", usual="the usual words"),
    Field(
        "training",
        "Training",
        _TEXT,
        "Explains the task at length before the first one, with pictures.",
        "",
        option="--training",
        usual="none",
    ),
    Field(
        "instructions",
        "Instructions",
        _TEXT,
        "What to do; always at hand.",
        "",
        option="--instructions",
        usual="the usual words",
    ),
)
"""What people read, in the order in which they do."""


def change_terms(terms: Terms, given: Mapping[str, Any]) -> Terms:
    """The terms with what is given in the place of what they had; classes of a quiz are given by their numbers.

    Raises:
        FieldError: a value cannot be used, or belongs to a setting that the terms do not have.
    """
    pay = in_field("currency", lambda: _change_pay(terms.pay, pick(given, [one.name for one in PAYING])))
    quiz = in_field("n_questions", lambda: _change_quiz(terms.quiz, given))
    care = pick(given, [one.name for one in (*CARE, NEWNESS)])
    washout = _change_washout(terms, pick(given, (WASHOUT.name, WASHOUT_WARNS.name)))
    return in_field("repeats", lambda: replace(terms, pay=pay, quiz=quiz, **care, **washout))


def find_classes(names: Iterable[str], taxonomy: Taxonomy) -> tuple[int, ...]:
    """The numbers of some classes, which are named as people type them.

    Raises:
        InputError: there is no such class.
    """
    return tuple(sorted({int(taxonomy.get_index(name)) for name in names}))


LESSONS = frozenset({HAS_QUIZ.name, *(one.name for one in QUIZZING), "training"})
"""What a kind refuses that has neither quiz nor training."""


def read_terms(values: Mapping[str, Any]) -> Terms:
    """The terms that a whole form says; without pay nothing else of it counts, nor of a quiz that was not wanted.

    Raises:
        FieldError: a value of the form cannot be used.
    """
    given = {one.name: values[one.name] for one in TERMS if one is not QUIZ_CLASSES}
    given["currency"] = given["currency"].upper()
    if given["per_task"] is None:
        if given["minimum_hourly"] is not None:
            raise FieldError("per_task", "Say what a task pays, or leave the lowest pay per hour empty.")
        given = {name: value for name, value in given.items() if name not in {one.name for one in PAYING}}
    if not values[HAS_QUIZ.name]:
        given = {name: value for name, value in given.items() if name not in {one.name for one in QUIZZING}}
    return change_terms(Terms(), given)


def _change_washout(old: Terms, given: Mapping[str, Any]) -> dict[str, Any]:
    """How long a washout lasts and whether it only warns; one that is given anew keeps people out unless told otherwise."""
    if not given:
        return {}
    days = old.washout_days
    if WASHOUT.name in given:
        days = in_field(WASHOUT.name, lambda: parse_washout(given[WASHOUT.name]))
    warns = bool(given.get(WASHOUT_WARNS.name, False))
    if warns and not days:
        raise FieldError(
            WASHOUT.name, "`washout_warns=True` goes with `washout=…`: say how long it lasts, such as 180d."
        )
    return {"washout_days": days, "washout_warns": warns}


def _change_pay(old: Pay | None, given: Mapping[str, Any]) -> Pay | None:
    if old is not None:
        return replace(old, **given)
    if given and "per_task" not in given:
        raise InputError("`currency=…`, `minimum_hourly=…` and `fee=…` go with `pay=…`: say what a task pays.")
    return Pay(**given) if given else None


def _change_quiz(old: Quiz | None, given: Mapping[str, Any]) -> Quiz | None:
    mine = pick(given, ("n_questions", "pass_mark", "max_attempts"))
    if given.get(QUIZ_CLASSES.name):
        mine["classes"] = given[QUIZ_CLASSES.name]
    if old is not None:
        return replace(old, **mine)
    if mine and "n_questions" not in mine:
        raise InputError(
            "`pass_mark=…`, `attempts=…` and `quiz_classes=…` go with `quiz=…`, which a campaign is made with: say how many "
            "questions it has."
        )
    return Quiz(**mine) if mine else None
