"""What can be set of VERIFY campaigns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.verify.making import CONTRADICTIONS
from tests.verify.results import VerifySettings
from tests.verify.texts import TEXTS

from regauge.campaigns.fields import KEPT, LABELS, PANEL, SCREENING, KindFields, QuestionSource
from regauge.campaigns.terms_fields import LESSONS
from regauge.fields import Choice, Field, pick
from regauge.records.campaigns.campaign import CampaignPlan, Kind

FIRST = Field(
    "first",
    "First come",
    Choice({"any": "all alike", CONTRADICTIONS: "labels that contradict the dataset's"}),
    "Which tasks are urgent.",
    "any",
    option="--first",
)
HOW = (FIRST, PANEL, LABELS)


def settle(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values of these settings."""
    return pick(values, [one.name for one in HOW])


def suggest_rule(plan: CampaignPlan) -> dict[str, Any]:
    """Nothing: the defaults suit every campaign."""
    return {}


def make_rule(given: Mapping[str, Any]) -> VerifySettings:
    """The rule with what is given in the place of the defaults."""
    return VerifySettings(**pick(given, ("screening", "keep_annotators")))


def parse_rule(stored: Mapping[str, Any]) -> VerifySettings:
    """The rule from how the provenance of a label set has it."""
    return VerifySettings(stored["screening"], tuple(stored["keep_annotators"]))


FIELDS = KindFields(
    kind=Kind("verify"),
    about=TEXTS.summary,
    sources=(QuestionSource.LABELS, QuestionSource.PREDICTIONS, QuestionSource.FILE),
    n_annotators=3,
    refused=LESSONS,
    asked=(),
    how=HOW,
    settle=settle,
    rule=(SCREENING, KEPT),
    about_rule="The vote of the most people holds; a shared first place is unclear.",
    suggest_rule=suggest_rule,
    make_rule=make_rule,
    parse_rule=parse_rule,
)
