"""What can be set of REVIEW campaigns, and of how votes become verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from regauge.campaigns.fields import (
    AUDIT,
    AUDIT_SIZE,
    COMPLETE,
    CONTROLS,
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
from regauge.campaigns.reviews.final import ALLOW_OWN, FINAL_REVIEW
from regauge.campaigns.terms_fields import LESSONS
from regauge.campaigns.visibility import REFERENCES
from regauge.fields import Checkbox, Choice, Field, FieldError, pick
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
    "Otherwise they are problematic and left out for every participant.",
    default=False,
    option="--keep-wrong-labels",
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
ASKED = (LABELS, PARTICIPANTS, TRUST, GOLD, GOLD_SHARE, REVIEW_PLAN, AUDIT, AUDIT_SIZE)
HOW = (MODE, BY, PANEL, REFERENCES, SIMILAR, SHOW_SCORE)
RULE = (
    MIN_VOTES,
    replace(TRUST, help="Dataset labels that nobody judged count as correct."),
    KEEP_WRONG,
    replace(
        SCREENING, help="Without screening, reviewers who call more than two thirds of all labels unclear count, too."
    ),
    KEPT,
    LEVEL,
)


_AFTER_TESTS = (FINAL_REVIEW, ALLOW_OWN)
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


def _check_final(values: Mapping[str, Any]) -> None:
    """A final review says itself what is asked about, image by image, and shows nothing that tells where a label is from."""
    for one, what in ((REVIEW_PLAN, "a plan"), (AUDIT, "an audit"), (AUDIT_SIZE, "an audit"), (TRUST, "trust")):
        if values.get(one.name):
            raise FieldError(
                one.name,
                f"A final review asks about what people and models answered, dataset labels or not, without {what}; leave out "
                f"`{one.name}=…`.",
            )
    if values.get(SHOW_SCORE.name):
        raise FieldError(
            SHOW_SCORE.name,
            "People's answers have no scores, so scores would tell which labels of a final review are theirs; leave out "
            f"`{SHOW_SCORE.name}=…`.",
        )
    for one in (BY, MODE):
        if values.get(one.name) in (BY_CLASS_PAIR, COMPLETE):
            raise FieldError(one.name, f"A final review is image by image, label by label; leave out `{one.name}=…`.")


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
    if values.get(FINAL_REVIEW.name):
        _check_final(values)
    elif values.get(ALLOW_OWN.name):
        raise FieldError(
            ALLOW_OWN.name,
            "Only a final review asks people about their own answers; name its evaluation with `final_review=…`.",
        )
    return pick(values, [one.name for one in (*ASKED, *_AFTER_TESTS, *HOW)])


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
    refused=LESSONS | {CONTROLS.name},
    asked=(*ASKED, *_AFTER_TESTS),
    how=HOW,
    settle=settle,
    rule=RULE,
    about_rule="The most frequent verdict wins, and a shared first place is unclear; verdicts join the label set "
    "that the campaign names.",
    suggest_rule=suggest_rule,
    make_rule=make_rule,
    parse_rule=parse_rule,
    about_labels="Three reviewers are our default: with two every disagreement is unclear.",
)
