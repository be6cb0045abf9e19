"""What can be set of REVIEW campaigns, and of how votes become verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from regauge.campaigns.fields import (
    AUDIT,
    AUDIT_SIZE,
    COMPLETE,
    GOLD,
    KEPT,
    LABELS,
    LEVEL,
    MODE,
    PANEL,
    PARTICIPANTS,
    REVIEW_PLAN,
    SCREENING,
    SHOW_SCORE,
    SIMILAR,
    TRUST,
    KindFields,
    QuestionSource,
)
from regauge.fields import Checkbox, Choice, Field, FieldError, KnownName, pick
from regauge.kinds.review.gold import DEFAULT_SHARE
from regauge.kinds.review.making import BY_CLASS_PAIR, BY_IMAGE
from regauge.kinds.review.texts import TEXTS
from regauge.ranges import PERCENT, Range
from regauge.records.campaigns.campaign import CampaignPlan, Kind
from regauge.records.labels.review_votes import ReviewSettings

BY = Field(
    "by",
    "A task shows",
    Choice(
        {BY_IMAGE: "one image with all its open labels", BY_CLASS_PAIR: "one label with images of one dataset label"}
    ),
    "Image by image, or label by label: a grid of images that have the same dataset label and the same answer.",
    BY_IMAGE,
    option="--by",
)
VERDICTS = replace(
    LABELS, help="What this label set has judged is not asked again, and reviewers see it beside the image."
)
MIN_VOTES = Field(
    "min_votes",
    "Votes that a verdict needs",
    Range(1, 1_000, is_whole=True),
    "A label with fewer votes stays open.",
    1,
    option="--min-votes",
)
KEEP_WRONG = Field(
    "keep_wrong_labels",
    "Keep images whose dataset label is wrong",
    Checkbox(),
    "Otherwise they are problematic and count for nobody.",
    default=False,
    option="--keep-wrong-labels",
)
REFERENCES = Field(
    "references",
    "Reference images from",
    KnownName("test set", nothing="no set"),
    "Cards of classes show images of this set as examples, beside all images of the class in the test set.",
    "",
    option="--references",
    metavar="TEST_SET",
)
SHARE = Range(0, 1, excludes_low=True)
GOLD_SHARE = Field(
    "gold_share",
    "Gold items for each label, %",
    SHARE,
    "How many gold items there are for each label that is asked about.",
    DEFAULT_SHARE,
    option="--gold-share",
    metavar="SHARE",
    unit=PERCENT,
)
ASKED = (VERDICTS, PARTICIPANTS, TRUST, GOLD, GOLD_SHARE, REVIEW_PLAN, AUDIT, AUDIT_SIZE)
HOW = (MODE, BY, PANEL, REFERENCES, SIMILAR, SHOW_SCORE)
RULE = (
    MIN_VOTES,
    replace(TRUST, help="Dataset labels that nobody judged count as correct."),
    KEEP_WRONG,
    replace(SCREENING, help="Without screening those count, too, who call more than two thirds of all labels unclear."),
    KEPT,
    LEVEL,
)


_STORED = ("min_votes", TRUST.name, KEEP_WRONG.name, "screening", "level")


def _check_complete(values: Mapping[str, Any]) -> None:
    """Complete labelling is image by image, asks about nobody's answers, and shows the verdicts that gold items would hide."""
    if values.get(BY.name) == BY_CLASS_PAIR:
        raise FieldError(BY.name, "Complete labelling shows one image at a time; leave out class-pair.")
    for one in (PARTICIPANTS, REVIEW_PLAN, AUDIT, AUDIT_SIZE, SHOW_SCORE):
        if values.get(one.name):
            raise FieldError(one.name, "Complete labelling asks about no participant's answers; leave them out.")
    if values.get(GOLD.name):
        raise FieldError(GOLD.name, "Complete labelling shows all verdicts, so it has no gold items; leave them out.")


def settle(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values of these settings.

    Raises:
        FieldError: settings do not go together, or the share of gold items is none.
    """
    for one, what in ((REVIEW_PLAN, "a plan"), (AUDIT, "an audit"), (AUDIT_SIZE, "an audit")):
        if values.get(one.name) and values.get(BY.name) == BY_CLASS_PAIR:
            raise FieldError(BY.name, f"The images of {what} are judged one by one; leave out `by=…`.")
    if values.get(AUDIT.name) and values.get(AUDIT_SIZE.name):
        raise FieldError(
            AUDIT_SIZE.name, "The audit in the file has its images already; leave out the file or the number of images."
        )
    share = values.get(GOLD_SHARE.name, DEFAULT_SHARE)
    if share not in SHARE:
        raise FieldError(GOLD_SHARE.name, f"The share of gold items is {SHARE}, not {share:g}.")
    if values.get(MODE.name) == COMPLETE:
        _check_complete(values)
    return pick(values, [one.name for one in (*ASKED, *HOW)])


def suggest_rule(plan: CampaignPlan) -> dict[str, Any]:
    """Dataset labels are trusted where the campaign did not ask about them."""
    return {TRUST.name: bool(plan.settings.get(TRUST.name))}


def make_rule(given: Mapping[str, Any]) -> ReviewSettings:
    """The rule with what is given in the place of the defaults."""
    return ReviewSettings(**pick(given, (*_STORED, "keep_annotators")))


def parse_rule(stored: Mapping[str, Any]) -> ReviewSettings:
    """The rule from how the provenance of a label set has it."""
    return ReviewSettings(**pick(stored, _STORED), keep_annotators=tuple(stored["keep_annotators"]))


FIELDS = KindFields(
    kind=Kind("review"),
    about=TEXTS.summary,
    sources=(QuestionSource.UNJUDGED, QuestionSource.FILE),
    n_annotators=3,
    asked=ASKED,
    how=HOW,
    settle=settle,
    rule=RULE,
    about_rule="The verdict of the most reviewers holds, and a shared first place is unclear; verdicts join the label set "
    "that the campaign names.",
    suggest_rule=suggest_rule,
    make_rule=make_rule,
    parse_rule=parse_rule,
    about_labels="Three reviewers are our default: with two every disagreement is unclear.",
)
