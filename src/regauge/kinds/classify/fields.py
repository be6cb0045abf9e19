"""What can be set of CLASSIFY campaigns: how labels and main labels become objects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from regauge.campaigns.fields import KEPT, LEVEL, SCREENING, KindFields, QuestionSource
from regauge.fields import Field, KnownName, TextValue, pick
from regauge.kinds.classify.texts import TEXTS
from regauge.kinds.usual import suggest_nothing
from regauge.records.campaigns.campaign import Kind
from regauge.records.labels.classify import ClassifySettings
from regauge.records.labels.results import EasySource

ASKED: tuple[Field, ...] = ()
HOW: tuple[Field, ...] = ()
RULE = (
    Field(
        "contains",
        "Easy images",
        KnownName("label set", nothing="not known: the labels are of follow-up images only"),
        "The CONTAINS counts that tell which images are easy: an easy image counts as one object, its dataset label; "
        "without them, figures on objects and main labels are about the unclear images alone.",
        "",
        option="--contains",
        metavar="LABELS|FILE",
        usual="not known",
    ),
    Field(
        "split",
        "Split",
        TextValue(),
        "Which images are easy: a table printed by candidates split.",
        "",
        option="--split",
        metavar="FILE",
        in_form=False,
    ),
    replace(
        SCREENING,
        help="Without screening every answer counts, even those without a label or with a main label that was not selected.",
    ),
    KEPT,
    LEVEL,
)
suggest_rule = suggest_nothing


def settle(values: Mapping[str, Any]) -> dict[str, Any]:  # noqa: ARG001 - every kind has this function
    """Nothing: a task is one image."""
    return {}


def make_rule(given: Mapping[str, Any]) -> ClassifySettings:
    """The rule with what is given in the place of the defaults.

    Raises:
        InputError: a setting of the rule cannot be used.
    """
    return ClassifySettings(
        **pick(given, ("screening", "keep_annotators", "keep_responses", "level", "split", "contains"))
    )


def parse_rule(stored: Mapping[str, Any]) -> ClassifySettings:
    """The rule from how the provenance of a label set has it."""
    nested = {
        "keep_annotators": tuple(stored["keep_annotators"]),
        "keep_responses": tuple((image, annotator) for image, annotator in stored["keep_responses"]),
    }
    return ClassifySettings(**{**stored, **nested})


def find_easy_source(rule: ClassifySettings) -> EasySource | None:
    """What the rule names to tell easy images; None where it names nothing."""
    return EasySource(rule.split, rule.contains) if rule.split or rule.contains else None


FIELDS = KindFields(
    kind=Kind("classify"),
    about=TEXTS.summary,
    sources=(QuestionSource.PREDICTIONS, QuestionSource.CAMPAIGN, QuestionSource.FILE),
    n_annotators=9,
    asked=ASKED,
    how=HOW,
    settle=settle,
    rule=RULE,
    about_rule="The main label is the most frequent one, and labels are grouped into objects by who selected them together "
    "(Tsipras et al. 2020).",
    suggest_rule=suggest_rule,
    make_rule=make_rule,
    parse_rule=parse_rule,
    find_easy_source=find_easy_source,
    about_labels="Labels need them: the main label is the one that most people name, and with few people that is often a tie.",
)
