"""What a report is made of: results as they were measured, pictures, and where everything came from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from regauge.estimates import DEFAULT_LEVEL
from regauge.records.campaigns.campaign import CampaignState
from regauge.records.evaluation.context.report import ContextReport
from regauge.records.evaluation.details import EvaluationDetails
from regauge.records.evaluation.gaps import GapReport
from regauge.records.evaluation.humans.report import HumanReport
from regauge.records.evaluation.multilabel_truths import MultilabelTruth
from regauge.records.evaluation.scores import Scores
from regauge.records.evaluation.shifts import Shift
from regauge.records.exposure.effects import ExposureEffect
from regauge.records.mistakes.flows import AccuracyChange, MistakeFlow
from regauge.records.mistakes.summaries import FileSummary
from regauge.records.responses.quality import AnnotatorQuality, CampaignPulse
from regauge.records.responses.summaries import AnswerSummary
from regauge.records.slices.scores import SlicePart
from regauge.records.studies import Event, LabelSetEntry, StudyStatus, TestSetEntry


class ShownOutcome(StrEnum):
    """What became of an answer that is shown beside its image."""

    RIGHT = "right"
    WRONG = "wrong"
    UNJUDGED = "unjudged"
    NOT_COUNTED = "not counted"
    """The image takes no part: it is problematic, or the label set does not cover it."""


@dataclass(frozen=True, slots=True)
class SampleImage:
    """One image to look at, with what is said to be in it and what a participant answered.

    Attributes:
        image_id: which image.
        picture: the image as a small JPEG file.
        dataset_label: the class it is filed under; empty where there is none.
        correct: classes that people found in it; None where nobody looked.
        unclear: classes that people could not decide about.
        answer: the participant's first answer; None where there is none.
        standing: what the answer is worth under the label set, or under the dataset label where there is none.
        votes: what annotators said of it, where that is why it is shown.
    """

    image_id: str
    picture: bytes
    dataset_label: str
    correct: tuple[str, ...] | None = None
    unclear: tuple[str, ...] = ()
    answer: str | None = None
    standing: ShownOutcome | None = None
    votes: str = ""


@dataclass(frozen=True, slots=True)
class MistakeImages:
    """Mistakes of one participant to look at: one of each confusion in turn, the most frequent confusion first.

    Attributes:
        participant: whose answers are shown.
        labels: by which labels the answers are judged, as score tables name them.
        images: the images.
        n_wrong: how many answers are wrong in all.
        n_missing: images that were chosen but could not be read.
        seed: the start of the draw among the images of a confusion.
    """

    participant: str
    labels: str
    images: tuple[SampleImage, ...]
    n_wrong: int
    n_missing: int
    seed: int


@dataclass(frozen=True, slots=True, eq=False)
class EvaluationPart:
    """One evaluation in a report.

    Attributes:
        evaluation_id: its number in the study.
        test_set: on which images.
        label_sets: the label-set versions that it was made with.
        scores: what was measured.
        details: a closer look at the answers; None where none of them is stored any more as it was evaluated.
        mistakes: images to look at; None where the image files are not at hand, or there is no closer look.
        made_at: when it was computed.
        code_version: by which version of Regauge.
        old_rules: the numbers that a new run would compute by another rule.
    """

    evaluation_id: int
    test_set: TestSetEntry
    label_sets: Sequence[LabelSetEntry]
    scores: Scores
    details: EvaluationDetails | None
    mistakes: MistakeImages | None
    made_at: str
    code_version: str
    old_rules: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class ComparisonPart:
    """One comparison of two test sets in a report, and what selection frequencies explain of it where they are known.

    `old_rules` are the numbers that a new run would compute by another rule.
    """

    comparison_id: int
    shift: Shift
    labels: tuple[str, ...]
    made_at: str
    code_version: str
    gap: GapReport | None = None
    old_rules: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class CampaignPart:
    """What people answered to one campaign.

    Attributes:
        name: the campaign.
        kind: what its tasks are called.
        state: whether people can still work on it.
        pulse: answers, times and cost.
        annotators: everybody who has answered, by the number of their answers; the report calls them by their place.
        summary: agreement and frequencies.
        disputed: the images that annotators agree about least; None where the image files are not at hand.
    """

    name: str
    kind: str
    state: CampaignState
    pulse: CampaignPulse
    annotators: tuple[AnnotatorQuality, ...]
    summary: AnswerSummary
    disputed: tuple[SampleImage, ...] | None


class Misser(StrEnum):
    """Who misses an image."""

    PEOPLE = "people only"
    MODELS = "models only"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class MissedPictures:
    """Images that everybody of a kind misses, to look at.

    Attributes:
        test_set: of which set.
        who: who misses them.
        n: how many there are.
        images: some of them, in the order of the set.
        n_missing: images that were chosen but could not be read.
    """

    test_set: str
    who: Misser
    n: int
    images: tuple[SampleImage, ...]
    n_missing: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class HumanPart:
    """People beside models in a report.

    Attributes:
        found: all tables; None where they cannot be made.
        why: why not; empty where they can.
        measures: per test set the metric that leads and the labels that it judges by.
        exposures: per test set that people are known to have been asked about, what exposure changes.
        pictures: images that all people, all models or both miss; None where the image files are not at hand.
        others: further test sets on which people answered, which are not shown.
    """

    found: HumanReport | None
    why: str = ""
    measures: tuple[tuple[str, str, str], ...] = ()
    exposures: tuple[ExposureEffect, ...] = ()
    pictures: tuple[MissedPictures, ...] | None = None
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class ReviewedMistakes:
    """What remains of one participant's mistakes after a review.

    Attributes:
        participant: whose mistakes.
        test_set: on which images.
        flow: what took mistakes away; None where there is one label set and no coding of the mistakes under it.
        summary: the coded mistakes by category and severity; None where nobody coded them.
        coding: which coding; empty where there is none.
        accuracies: the accuracy under the first and the last label set; empty where there are not two, or answers are not known.
        level: nominal coverage of every interval.
        notes: what the reader should know, a sentence each.
    """

    participant: str
    test_set: str
    flow: MistakeFlow | None
    summary: FileSummary | None = None
    coding: str = ""
    accuracies: tuple[AccuracyChange, ...] = ()
    level: float = DEFAULT_LEVEL
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class ReportContent:
    """Everything that a report shows.

    Attributes:
        title: what the report is called.
        about: what the study is, in its makers' words; may be empty.
        status: what the study holds.
        evaluations: one per test set, in the order in which the test sets were added.
        comparisons: one per pair of test sets.
        campaigns: those that somebody has answered, in the order in which they were made.
        events: what happened to the study, the oldest first.
        made_at: when the report was made.
        code_version: by which version of Regauge.
        command: the command that made it; empty when it was made from Python.
        truths: what every label set says that was evaluated and under which images can have several right labels.
        humans: people beside models; None where no participant is a person.
        reviewed: what remains of mistakes after a review, of everybody whose mistakes were coded first.
        slices: slices with everybody's scores.
        context: benchmark and task of a test set, analysis by analysis; empty where no label set has objects or frequencies.
    """

    title: str
    about: str
    status: StudyStatus
    evaluations: tuple[EvaluationPart, ...]
    comparisons: tuple[ComparisonPart, ...]
    campaigns: tuple[CampaignPart, ...]
    events: tuple[Event, ...]
    made_at: str
    code_version: str
    command: str = ""
    truths: tuple[MultilabelTruth, ...] = ()
    humans: HumanPart | None = None
    reviewed: tuple[ReviewedMistakes, ...] = ()
    slices: tuple[SlicePart, ...] = ()
    context: tuple[ContextReport, ...] = ()
