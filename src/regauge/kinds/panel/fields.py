"""What can be set of PANEL campaigns, and of how votes become verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from regauge.campaigns.discussions.words import CHAIR, PANELISTS
from regauge.campaigns.fields import (
    ANNOTATORS,
    CONTROLS,
    KEPT,
    LABELS,
    LEVEL,
    PARTICIPANTS,
    SCREENING,
    SIMILAR,
    KindFields,
    QuestionSource,
)
from regauge.campaigns.terms_fields import LESSONS
from regauge.campaigns.visibility import REFERENCES
from regauge.fields import pick
from regauge.kinds.panel.texts import TEXTS
from regauge.kinds.usual import suggest_nothing
from regauge.records.campaigns.campaign import Kind
from regauge.records.labels.panel import PanelSettings

ASKED = (PARTICIPANTS, LABELS)
HOW = (PANELISTS, CHAIR, REFERENCES, SIMILAR)
RULE = (
    replace(SCREENING, help="Nothing is screened: panelists argue instead."),
    replace(KEPT, help="Nobody is left out, so nobody needs to be kept."),
    LEVEL,
)
_STORED = ("level", "screening")
suggest_rule = suggest_nothing


def settle(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values of these settings."""
    return pick(values, [one.name for one in (*ASKED, *HOW)])


def make_rule(given: Mapping[str, Any]) -> PanelSettings:
    """The rule with what is given in the place of the defaults."""
    return PanelSettings(**pick(given, (*_STORED, "keep_annotators")))


def parse_rule(stored: Mapping[str, Any]) -> PanelSettings:
    """The rule from how the provenance of a label set has it."""
    return PanelSettings(**pick(stored, _STORED), keep_annotators=tuple(stored["keep_annotators"]))


FIELDS = KindFields(
    kind=Kind("panel"),
    about=TEXTS.summary,
    sources=(QuestionSource.NOVEL, QuestionSource.FILE),
    n_annotators=5,
    refused=LESSONS | {CONTROLS.name, ANNOTATORS.name},
    asked=ASKED,
    how=HOW,
    settle=settle,
    rule=RULE,
    about_rule="Of what is locked, the vote of the most panelists holds, and a shared first place is unclear. Images whose "
    "dataset label most find wrong, or which most find problematic, are left out for every participant.",
    suggest_rule=suggest_rule,
    make_rule=make_rule,
    parse_rule=parse_rule,
    about_labels="Five panelists are our default: with an odd number, two verdicts never tie.",
)
