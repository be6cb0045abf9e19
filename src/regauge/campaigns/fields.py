"""What can be set of every campaign and of every rule for labels, and what a kind adds to it; docs/settings.md shows it all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from regauge.campaigns.terms_fields import CARE, HAS_QUIZ, PAYING, QUIZZING, SEEN, TEXTS
from regauge.estimates import DEFAULT_LEVEL
from regauge.fields import Checkbox, Choice, Field, FileValue, KnownName, Names, TextValue
from regauge.ranges import MINUTES, Range
from regauge.records.campaigns.campaign import DEFAULT_LEASE, LEASE_SECONDS, N_ANNOTATORS, CampaignPlan, Kind
from regauge.records.evaluation.audits import MAX_AUDITED
from regauge.records.labels.results import EasySource
from regauge.records.names import MAX_NAME


class QuestionSource(StrEnum):
    """Where the questions come from."""

    LABELS = "labels"
    """Every image with its dataset label; of a pool, like below, those that can be taken."""
    PREDICTIONS = "predictions"
    """Every image with its dataset label and the first answers of the models."""
    CAMPAIGN = "campaign"
    """Every image with the candidates that a CONTAINS campaign left (METHODS, candidate labels)."""
    UNJUDGED = "unjudged"
    """Every first answer of a model, and every dataset label, that has no verdict yet."""
    NOVEL = "novel"
    """Every mistake of a model that nobody has judged."""
    MISTAKES = "mistakes"
    """Every first answer of one participant that a label set does not accept."""
    FILE = "file"
    """A table of images and classes."""


NAME = Field("name", "Name", TextValue(MAX_NAME, missing="A campaign needs a name."), "Annotators see it.")
TEST_SET = Field(
    "test_set",
    "Test set",
    KnownName("test set"),
    "The images that are asked about.",
    option="--test-set",
    metavar="NAME",
    usual="the only test set",
)
SOURCE = Field(
    "source",
    "Questions",
    Choice(
        {
            QuestionSource.LABELS: "Every image with its dataset label",
            QuestionSource.PREDICTIONS: "Every image with its dataset label and the first answers of the models",
            QuestionSource.CAMPAIGN: "The candidates that a CONTAINS campaign left",
            QuestionSource.UNJUDGED: "What models answer, and dataset labels, that nobody has judged yet",
            QuestionSource.NOVEL: "Mistakes of models that nobody has judged yet",
            QuestionSource.MISTAKES: "What a participant still gets wrong under a label set",
            QuestionSource.FILE: "A CSV file with the columns image_id and class",
        },
        is_open=True,
    ),
    "Where the questions come from.",
    QuestionSource.LABELS,
)
TOP = Field(
    "top",
    "First answers of each model",
    Range(1, 20, is_whole=True),
    "How many answers to take from every model.",
    5,
    when="source=predictions",
)
SOURCE_CAMPAIGN = Field(
    "source_campaign",
    "Campaign",
    KnownName("campaign"),
    "The campaign whose answers left the candidates.",
    "",
    when="source=campaign",
)
IS_FOLLOW_UP = Field(
    "is_follow_up",
    "Only images that need a second look",
    Checkbox(),
    "Leaves out images whose dataset label clearly holds, and images in which nobody found it.",
    default=True,
    when="source=campaign",
)
QUESTIONS = (NAME, TEST_SET, SOURCE, TOP, SOURCE_CAMPAIGN, IS_FOLLOW_UP)

ANNOTATORS = Field(
    "n_annotators",
    "Answers per task",
    N_ANNOTATORS,
    "How many people answer every task.",
    option="--annotators",
    usual="the kind's own number",
)
CONTROLS = Field(
    "controls",
    "Controls come from",
    KnownName("test set", nothing="the same test set"),
    "Images whose dataset labels are trusted: examples, the quiz and, in grids, hidden controls are made from them.",
    "",
    option="--controls",
    metavar="TEST_SET",
)
LEASE = Field(
    "lease_seconds",
    "Kept for, minutes",
    LEASE_SECONDS,
    "How long a task is kept for the person it was given to.",
    DEFAULT_LEASE,
    option="--lease",
    metavar="SECONDS",
    input="lease_minutes",
    unit=MINUTES,
)
SEED = Field(
    "seed",
    "Seed",
    Range(0, is_whole=True),
    "Decides every random choice, and is kept; annotators must not know it.",
    option="--seed",
    usual="drawn",
)
PLAN = (CONTROLS, ANNOTATORS, LEASE, SEED)

COMMON = (*QUESTIONS, *PLAN, *PAYING, HAS_QUIZ, *QUIZZING, *CARE, *SEEN, *TEXTS)

SCREENING = Field(
    "screening",
    "Leave out answers that screening finds flawed",
    Checkbox(),
    "Without screening every answer counts.",
    default=True,
    option="--no-screening",
)
KEPT = Field(
    "keep_annotators",
    "Kept annotators",
    Names(),
    "Screening may not leave them out.",
    (),
    option="--keep-annotator",
    metavar="NAME",
    in_form=False,
)
LEVEL = Field(
    "level",
    "Level",
    Range(0, 1, excludes_low=True, excludes_high=True),
    "Confidence level of every interval.",
    DEFAULT_LEVEL,
    option="--level",
    in_form=False,
)
ALSO = Field(
    "also",
    "Together with",
    KnownName("test set", nothing="nothing else", is_repeatable=True),
    "Another set, such as the original: only what the same people judged without knowing which is which can be compared.",
    "",
    option="--also",
    metavar="TEST_SET",
)
PANEL = Field(
    "panel",
    "Panel",
    Names(),
    "Only these people get tasks.",
    (),
    option="--panel",
    metavar="NAME",
    usual="everybody",
)
LABELS = Field(
    "labels",
    "Verdicts of",
    KnownName("label set", nothing="none"),
    "Its verdicts apply: a review shows them and does not ask again, coders look at what it does not accept, and training "
    "treats them as right.",
    "",
    option="--labels",
    metavar="NAME[@VERSION]",
)
PARTICIPANTS = Field(
    "participants",
    "Participants",
    Names(),
    "Whose first answers are judged; names may have * in them, except where all mistakes of one participant are coded.",
    (),
    option="--participant",
    metavar="GLOB",
    usual="everybody",
)
TRUST = Field(
    "trust_dataset_labels",
    "Trust the dataset labels",
    Checkbox(),
    "Nobody is asked whether dataset labels are correct.",
    default=False,
    option="--trust-dataset-labels",
)
DOCUMENT = FileValue(".json,application/json")
REVIEW_PLAN = Field(
    "plan",
    "Plan",
    DOCUMENT,
    "Ask about the images of this plan, in its order; regauge labels plan --write FILE writes one.",
    "",
    option="--plan",
    metavar="FILE",
)
AUDIT = Field(
    "audit",
    "Audit",
    DOCUMENT,
    "Mix in the images of this audit, without a sign which they are; regauge labels draw-audit FILE writes one.",
    "",
    option="--audit",
    metavar="FILE",
)
AUDIT_SIZE = Field(
    "audit_size",
    "Audit, images to draw",
    Range(0, MAX_AUDITED, is_whole=True),
    "Draw this many images on which everybody answers the dataset label, and mix them in without a sign which they are.",
    0,
    option="--audit-size",
    metavar="N",
    is_optional=True,
)
GOLD = Field(
    "gold",
    "Gold items from",
    KnownName("label set", nothing="none"),
    "A trusted label set: some of its verdicts are asked about, hidden among the others, to see how well people judge.",
    "",
    option="--gold",
    metavar="NAME[@VERSION]",
)
SHOW_SCORE = Field(
    "show_score",
    "Show scores",
    Checkbox(),
    "Reviewers can see, by the key v, the highest score that one of the participants gives a label.",
    default=False,
    option="--show-score",
)
SIMILAR = Field(
    "similar",
    "Similar classes",
    TextValue(),
    "Cards show the classes that this file calls similar: NPZ most_similar, or CSV class,similar.",
    "",
    option="--similar",
    metavar="FILE",
    in_form=False,
)
ONLY_OPEN, COMPLETE = "open", "complete"
MODE = Field(
    "mode",
    "People look at",
    Choice({ONLY_OPEN: "what has no verdict yet", COMPLETE: "every image, for what is missing"}),
    "What has no verdict yet, or every image with its verdicts so far, to name what is missing.",
    ONLY_OPEN,
    option="--mode",
)
"""For kinds that ask about what has no verdict."""
RULE = (SCREENING, KEPT, LEVEL)


def propose_nothing(class_sizes: Sequence[int]) -> Mapping[str, Any]:  # noqa: ARG001 - some kinds look at them
    """The usual settings work for all images."""
    return {}


def name_no_easy_source(rule: Any) -> EasySource | None:  # noqa: ANN401, ARG001 - each kind has its own rule
    """Nothing, as the rules of most kinds: what they label is what people were asked about."""
    return None


@dataclass(frozen=True, slots=True)
class KindFields:
    """What can be set of the campaigns of one kind, besides what all have.

    Attributes:
        kind: which kind.
        about: what it asks, in a sentence.
        sources: where its questions may come from.
        n_annotators: answers per task, by default.
        asked, how: settings of what is asked, and of how it is asked.
        settle: the settings that tasks are made by, from the values of these; a `FieldError` where they do not go together.
        rule: settings of how answers become labels, those in `RULE` among them.
        about_rule: what else to know of it; empty for nothing.
        suggest_rule: values that suit a campaign better than the defaults.
        make_rule: the rule from those values that are given; the others have their defaults.
        parse_rule: the rule from how the provenance of a label set has it.
        find_easy_source: what a rule names to tell which images are easy; nothing by default.
        blamed: the field beside which it is said why tasks cannot be made.
        propose: settings that work for the images at hand, by how many of them each class has; nothing where the usual ones do.
        about_labels: how many answers labels will need, in a sentence; empty where any number will do.
        refused: settings that others have and this kind refuses; none by default.
        compares_images: whether it is looked for copies among the sets that a campaign names, so that all need checksums.
    """

    kind: Kind
    about: str
    sources: tuple[QuestionSource, ...]
    n_annotators: int
    asked: tuple[Field, ...]
    how: tuple[Field, ...]
    settle: Callable[[Mapping[str, Any]], Mapping[str, Any]]
    rule: tuple[Field, ...]
    about_rule: str
    suggest_rule: Callable[[CampaignPlan], Mapping[str, Any]]
    make_rule: Callable[[Mapping[str, Any]], Any]
    parse_rule: Callable[[Mapping[str, Any]], Any]
    find_easy_source: Callable[[Any], EasySource | None] = name_no_easy_source
    blamed: str = "source"
    about_labels: str = ""
    propose: Callable[[Sequence[int]], Mapping[str, Any]] = propose_nothing
    refused: frozenset[str] = frozenset()
    compares_images: bool = False

    @property
    def own(self) -> tuple[Field, ...]:
        """What only campaigns of this kind have."""
        return (*self.asked, *self.how)

    @property
    def common(self) -> tuple[Field, ...]:
        """What all campaigns have, with the defaults of this kind."""
        annotators = replace(ANNOTATORS, default=self.n_annotators, usual="")
        return tuple(annotators if one is ANNOTATORS else one for one in COMMON)

    @property
    def campaign(self) -> tuple[Field, ...]:
        """All that can be set of a new campaign of this kind."""
        return (*self.common, *self.own)
