"""How a campaign goes while people work: its pulse, its annotators, its images, and what it will cost.

Every share carries its counts and its limits; where there is nothing to judge by there is no value, never 0. Moments (`at`,
`*_at`) are texts in UTC such as 2026-01-31T12:00:00.000Z. Money is in the currency of the campaign's pay.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from regauge.errors import InputError
from regauge.estimates import Share, to_share_fields
from regauge.records.campaigns.campaign import CampaignProgress, Decision, Kind, Platform, ResponseStatus
from regauge.records.responses.answers import Control

MAX_PAGE = 1_000
"""Rows of a list that are given out at a time."""
ANNOTATOR_SHARES = ("controls", "positive", "negative", "agreement", "consistency")
"""What of annotators is a share."""
NEWCOMER = "somebody new"
"""Stands for whoever answered after the moment that a reader looks at; the next look has the name."""


@dataclass(frozen=True, slots=True)
class CampaignPulse:
    """How a campaign stands at a moment.

    Attributes:
        progress: answers, tasks and people.
        at: the moment.
        answers_per_hour: answers that came in each of the last 24 hours of the clock, the present one last: its beginning and
            how many. Revisions do not count again; surplus, dropped and repeated answers do: somebody worked on them.
        n_last_hour: answers of the last 60 minutes.
        n_answers: answers that are stored, whatever they are good for, each (task, annotator) once; what is paid for.
        n_dropped: those of annotators who were dropped.
        n_repeats: those to hidden repeats.
        n_unseen: those to tasks of which nothing but controls was shown.
        n_reports: reports that nothing of a task could be shown, which are not answers and not paid for.
        n_working: people who answered within the last ten minutes.
        expected_end: when the last answer that is needed will come if it goes on as now; None where nobody can tell.
        expectation: how that was found, or why it is unknown, in a sentence.
        median_seconds: of the answers whose time is known, without those of people who were dropped; None where none is.
        n_timed: how many those are.
        hourly_pay: what the median answer earns in an hour; None without pay or times.
        pay_warning: a sentence where that is below the minimum that was set; empty otherwise.
        cost_so_far: pay for all stored answers with the platform's fee; None without pay.
        cost_expected: that, and the same for all that are still needed.
        currency: three letters; empty without pay.
    """

    progress: CampaignProgress
    at: str
    answers_per_hour: tuple[tuple[str, int], ...]
    n_last_hour: int
    n_answers: int
    n_dropped: int
    n_repeats: int
    n_unseen: int
    n_reports: int
    n_working: int
    expected_end: str | None
    expectation: str
    median_seconds: float | None
    n_timed: int
    hourly_pay: float | None
    pay_warning: str
    cost_so_far: float | None
    cost_expected: float | None
    currency: str


@dataclass(frozen=True, slots=True)
class Flag:
    """Something odd about an annotator: the name of the rule, and a sentence with the figures."""

    name: str
    sentence: str


@dataclass(frozen=True, slots=True)
class AnnotatorQuality:
    """What is known of somebody's work on a campaign.

    Attributes:
        id: their number in the study.
        name: what they are called.
        platform: how they came.
        n_answers: tasks that they answered, hidden repeats not among them.
        n_counted: those of them that count.
        controls: controls answered rightly, of both kinds.
        positive: positive controls that they selected.
        negative: negative controls that they left out.
        agreement: votes that are those of the majority of the others: cells that are not controls, or main labels.
        consistency: answers to hidden repeats that are those given before: cells, or main labels.
        median_seconds: of their answers whose time is known, as it was credited; None where none is.
        n_impossible_times: answers, hidden repeats among them, for which more time was claimed than there can have been.
        flags: what is odd; flags drop nobody by themselves.
        suggestion: why the screening rules would drop them, fit to be the reason of a decision; None where they would not.
        is_dropped: whether they are dropped.
        decision: the last decision about them; None where there is none.
        last_at: when their last answer came; None before the first.
    """

    id: int
    name: str
    platform: Platform
    n_answers: int
    n_counted: int
    controls: Share[float | None]
    positive: Share[float | None]
    negative: Share[float | None]
    agreement: Share[float | None]
    consistency: Share[float | None]
    median_seconds: float | None
    n_impossible_times: int = 0
    flags: tuple[Flag, ...] = ()
    suggestion: str | None = None
    is_dropped: bool = False
    decision: Decision | None = None
    last_at: str | None = None

    def to_fields(self) -> dict[str, Any]:
        """The columns of tables for programs; docs/quality.md explains them."""
        shares: dict[str, Share[float | None]] = {name: getattr(self, name) for name in ANNOTATOR_SHARES}
        return {
            "annotator": self.name,
            "platform": self.platform.value,
            "n_answers": self.n_answers,
            "n_counted": self.n_counted,
            **{key: number for name, share in shares.items() for key, number in to_share_fields(share, name).items()},
            "median_seconds": self.median_seconds,
            "n_impossible_times": self.n_impossible_times,
            "flags": [flag.name for flag in self.flags],
            "sentences": [flag.sentence for flag in self.flags],
            "suggestion": self.suggestion,
            "is_dropped": self.is_dropped,
            "reason": None if self.decision is None else self.decision.reason,
            "last_at": self.last_at,
        }


class AnnotatorOrder(StrEnum):
    """What a list of annotators is sorted by; who has no value comes last either way."""

    NAME = "name"
    ANSWERS = "answers"
    CONTROLS = "controls"
    AGREEMENT = "agreement"
    CONSISTENCY = "consistency"
    SECONDS = "seconds"
    FLAGS = "flags"
    """Those whom the rules would drop first, then by the number of flags."""
    LAST = "last"
    """By their last answer."""


class AnnotatorFilter(StrEnum):
    """Which annotators a list shows."""

    ALL = "all"
    FLAGGED = "flagged"
    """Those with a flag or whom the rules would drop, unless they are dropped already."""
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True)
class ListPage:
    """Which part of a list is wanted.

    Attributes:
        offset: rows to leave out.
        limit: rows to give.
        is_descending: whether the highest comes first.
    """

    offset: int = 0
    limit: int = 50
    is_descending: bool = False

    def __post_init__(self) -> None:
        if self.offset < 0 or not 1 <= self.limit <= MAX_PAGE:
            raise InputError(f"A page begins at row 0 or later and has 1 to {MAX_PAGE:,} rows.")


@dataclass(frozen=True, slots=True)
class AnnotatorList:
    """A part of the annotators of a campaign.

    Attributes:
        rows: that part, in order.
        n: how many the filter leaves.
        n_all: how many there are.
        n_flagged: how many have a flag or a suggestion and are not dropped.
        n_dropped: how many are dropped.
        flags_at: when flags were last looked for; they may be some seconds older than the rest.
    """

    rows: tuple[AnnotatorQuality, ...]
    n: int
    n_all: int
    n_flagged: int
    n_dropped: int
    flags_at: str


@dataclass(frozen=True, slots=True)
class ClassAnswers:
    """How often a class was selected for an image, over the answers that count.

    Attributes:
        class_index: the class.
        selected: those who selected it, of those who were asked about it and did not leave it out.
        n_main: those who named it as the main object's; None where that is not asked.
    """

    class_index: int
    selected: Share[float | None]
    n_main: int | None = None


@dataclass(frozen=True, slots=True)
class ImageAnswer:
    """What somebody answered about an image.

    Attributes:
        annotator_id: their number.
        annotator: what they are called.
        task_id: to which task.
        asked: the classes that they were asked about, without those that they left out.
        selected: those of them that they selected.
        main: the main object's; None where none was named or that is not asked.
        seconds: how long the whole task took; None where unknown.
        at: when the answer first came.
        status: what it is good for.
        control: whether the answer was known beforehand.
        is_revised: whether they changed it.
    """

    annotator_id: int
    annotator: str
    task_id: int
    asked: tuple[int, ...]
    selected: tuple[int, ...]
    main: int | None
    seconds: float | None
    at: str
    status: ResponseStatus
    control: Control = Control.NONE
    is_revised: bool = False


@dataclass(frozen=True, slots=True)
class ImageAnswers:
    """Everything that a campaign knows of an image.

    Attributes:
        number: the image's number in the campaign.
        image_id: its id.
        test_set: which test set it is from.
        row: which row of it.
        dataset_label: the class that the test set gives it.
        classes: how often each class was selected, the most frequent first; asked about, even where nobody answered yet.
        answers: all of them, in the order in which they came.
    """

    number: int
    image_id: str
    test_set: str
    row: int
    dataset_label: int
    classes: tuple[ClassAnswers, ...]
    answers: tuple[ImageAnswer, ...]


class ImageOrder(StrEnum):
    """What a list of images is sorted by; those without answers come last either way."""

    NUMBER = "number"
    FREQUENCY = "frequency"
    DISAGREEMENT = "disagreement"
    ANSWERS = "answers"


@dataclass(frozen=True, slots=True)
class ImageRow:
    """An image of a campaign in a list, with the class that stands for it.

    Attributes:
        number: the image's number in the campaign.
        image_id: its id.
        class_index: CONTAINS: the class that was asked about, one row for each; CLASSIFY: the most frequent main label, None
            where no answer names one.
        frequency: those who selected the class (CLASSIFY: named it as the main object's) among the answers that count.
        disagreement: the chance that two of those answers, drawn at random, differ; None with fewer than two.
        is_control: whether the answer was known beforehand.
    """

    number: int
    image_id: str
    class_index: int | None
    frequency: Share[float | None]
    disagreement: float | None
    is_control: bool = False


@dataclass(frozen=True, slots=True)
class ImageList:
    """A part of the images of a campaign, and how many rows there are in all."""

    rows: tuple[ImageRow, ...]
    n: int


@dataclass(frozen=True, slots=True)
class CampaignForecast:
    """What a campaign will take before it is opened.

    Attributes:
        kind: what its tasks ask.
        n_tasks: tasks.
        n_answers: answers that they need.
        n_repeats: hidden repeats on top, about.
        seconds_per_task: how long one takes.
        n_timed: the answers to earlier campaigns of the kind in this study that say so; 0 where it is a default.
        hours: of work in total.
        n_people: how many work at it.
        hours_per_day: for so long a day.
        days: until it is done then.
        pay: for all answers; None without pay.
        fee: what the platform takes on top; None without pay.
        hourly_pay: what somebody earns in an hour at that speed; None without pay.
        currency: three letters; empty without pay.
        sources: where the figures come from and what they leave out, a sentence each.
    """

    kind: Kind
    n_tasks: int
    n_answers: int
    n_repeats: int
    seconds_per_task: float
    n_timed: int
    hours: float
    n_people: int
    hours_per_day: float
    days: float
    pay: float | None = None
    fee: float | None = None
    hourly_pay: float | None = None
    currency: str = ""
    sources: tuple[str, ...] = field(default=())

    @property
    def cost(self) -> float | None:
        """Pay and fee; None without pay."""
        return None if self.pay is None or self.fee is None else self.pay + self.fee
