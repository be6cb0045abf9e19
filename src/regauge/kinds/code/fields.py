"""What can be set of CODE campaigns; of how votes become verdicts and codes nothing can be set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from regauge.campaigns.discussions.words import CHAIR
from regauge.campaigns.eligibility import PANEL
from regauge.campaigns.fields import (
    CONTROLS,
    LABELS,
    PARTICIPANTS,
    SHOW_SCORE,
    SIMILAR,
    KindFields,
    QuestionSource,
)
from regauge.campaigns.reviews.coding import CATEGORIES, CODERS, are_discussed
from regauge.campaigns.terms_fields import LESSONS
from regauge.campaigns.visibility import REFERENCES
from regauge.fields import FieldError, pick
from regauge.kinds.code.results import CodeRule
from regauge.kinds.code.texts import TEXTS
from regauge.kinds.usual import suggest_nothing
from regauge.records.campaigns.campaign import Kind

ASKED = (PARTICIPANTS, LABELS, CATEGORIES)
HOW = (CODERS, CHAIR, REFERENCES, SIMILAR, SHOW_SCORE)
suggest_rule = suggest_nothing


def settle(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values of these settings.

    Raises:
        FieldError: no label set is named, or a chair and not two coders.
    """
    if not values.get(LABELS.name):
        raise FieldError(
            LABELS.name,
            "Name the label set that says what is a mistake with `labels=…`; a version of it as NAME@VERSION.",
        )
    chosen = pick(values, [one.name for one in (*ASKED, *HOW)])
    if are_discussed(values):
        return chosen
    if values.get(CHAIR.name):
        raise FieldError(
            CHAIR.name,
            "A chair ends what coders talk about; name two coders or more with `coders=…`, or leave out the chair.",
        )
    return {**chosen, PANEL: values.get(CODERS.name) or ()}


def make_rule(given: Mapping[str, Any]) -> CodeRule:  # noqa: ARG001 - nothing can be given
    """The one rule."""
    return CodeRule()


def parse_rule(stored: Mapping[str, Any]) -> CodeRule:  # noqa: ARG001 - nothing was given
    """The one rule."""
    return CodeRule()


FIELDS = KindFields(
    kind=Kind("code"),
    about=TEXTS.summary,
    sources=(QuestionSource.MISTAKES, QuestionSource.FILE),
    n_annotators=2,
    refused=LESSONS | {CONTROLS.name},
    asked=ASKED,
    how=HOW,
    settle=settle,
    rule=(),
    about_rule="What most coders overturned becomes correct, and a novel answer that most of them code becomes wrong.",
    suggest_rule=suggest_rule,
    make_rule=make_rule,
    parse_rule=parse_rule,
    about_labels="Two coders at least: of one alone nobody knows how far others would agree.",
)
