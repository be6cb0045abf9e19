"""What can be set of LABEL campaigns: whether people are tested or trained, and with which images."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from regauge.campaigns.fields import ALSO, ANNOTATORS, CONTROLS, LABELS, PANEL, KindFields, QuestionSource
from regauge.campaigns.terms_fields import LESSONS
from regauge.campaigns.visibility import REFERENCES
from regauge.fields import Checkbox, Choice, Field, FieldError, KnownName, Names, pick
from regauge.kinds.label.results import NoRule
from regauge.kinds.label.texts import TEXTS
from regauge.kinds.usual import suggest_nothing
from regauge.ranges import Range
from regauge.records.campaigns.campaign import N_ANNOTATORS, Kind

EVALUATION, TRAINING = "evaluation", "training"
PER_CLASS = Range(1, 10_000, is_whole=True)
EVERYBODY_AT_MOST = int(N_ANNOTATORS.high)
"""A task needs no number of people: as many as there can be."""

MODE = Field(
    "label_mode",
    "People are",
    Choice({EVALUATION: "tested, blind and timed", TRAINING: "trained: told after each answer what is right"}),
    "What the answers are for.",
    EVALUATION,
    option="--mode",
)
SETS = Field(
    "sets",
    "Test sets",
    KnownName("test set", is_repeatable=True),
    "The sets whose images are shuffled together, such as the original and the new one.",
    (),
    option="--sets",
    metavar="NAME…",
    usual="the only test set",
    in_form=False,
)
FROM = Field(
    "from_set",
    "Train from",
    KnownName("test set", nothing="the test set"),
    "For training: the set that all images are taken from; no evaluation of the study may use any of them.",
    "",
    option="--from",
    metavar="TEST_SET",
    in_form=False,
)
SAMPLE = Field(
    "n_per_class",
    "Images per class",
    PER_CLASS,
    "For an evaluation: how many images are drawn of each class of each set.",
    1,
    option="--per-class",
    metavar="N",
)
TAKE_FEWER = Field(
    "take_fewer",
    "Take fewer if a class has fewer",
    Checkbox(),
    "Classes with fewer images give what they have, and are counted; otherwise they are refused.",
    default=False,
    option="--take-fewer",
)
LEAVE_OUT = Field(
    "leave_out_shared",
    "Leave out images that are used otherwise",
    Checkbox(),
    "Leave out, and count, what people are tested with from a training, and what they were trained with from the original set "
    "of an evaluation; otherwise these are refused.",
    default=False,
    option="--leave-out-shared",
)
CLASSES = Field(
    "only_classes",
    "Only of",
    Names(),
    "Classes, nodes of the hierarchy or groups, by name: only images of these are asked about.",
    (),
    option="--classes",
    metavar="NAME",
    usual="all classes",
)
ASKED = (MODE, SETS, FROM, ALSO, LABELS, SAMPLE, TAKE_FEWER, LEAVE_OUT, CLASSES)
HOW = (REFERENCES, PANEL)
REFUSED = frozenset({*LESSONS, ANNOTATORS.name, CONTROLS.name})
suggest_rule = suggest_nothing


def settle(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values of these settings.

    Raises:
        FieldError: somebody said how many people answer.
    """
    if values.get(ANNOTATORS.name) not in (None, EVERYBODY_AT_MOST):
        raise FieldError(
            ANNOTATORS.name,
            "Everybody who takes part answers all images, however many they are; leave out `annotators=…`. To let "
            "only certain people take part, name them with `panel=…`.",
        )
    return pick(values, [one.name for one in (*ASKED, *HOW) if one not in (SETS, ALSO)])


def make_rule(given: Mapping[str, Any]) -> NoRule:  # noqa: ARG001 - every kind has this function
    """The rule that decides nothing."""
    return NoRule()


def parse_rule(stored: Mapping[str, Any]) -> NoRule:  # noqa: ARG001 - every kind has this function
    """The same."""
    return NoRule()


FIELDS = KindFields(
    kind=Kind("label"),
    about=TEXTS.summary,
    sources=(QuestionSource.LABELS,),
    n_annotators=EVERYBODY_AT_MOST,
    refused=REFUSED,
    asked=ASKED,
    how=HOW,
    settle=settle,
    rule=(),
    about_rule="Answers become participants, and no labels.",
    suggest_rule=suggest_rule,
    make_rule=make_rule,
    parse_rule=parse_rule,
    blamed="only_classes",
    compares_images=True,
)
