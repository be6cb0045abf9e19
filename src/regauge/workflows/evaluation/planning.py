"""Plan a study: how many annotators and images an answer of some precision takes, and what that costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Unpack

import numpy as np

from regauge.arrays import BoolArray, FloatArray
from regauge.campaigns.estimates import SECONDS_PER_IMAGE, TaskTime, estimate
from regauge.campaigns.packing import count_grids
from regauge.errors import InputError
from regauge.evaluation.planning import MAX_CLASSES, fit_slope, plan_points
from regauge.formats.labels.frequencies import is_table, load_selection_counts
from regauge.kinds.contract import KindOutput
from regauge.kinds.registry import KINDS, list_giving
from regauge.records.campaigns.campaign import CampaignPlan
from regauge.records.campaigns.terms import Pay, Terms
from regauge.records.evaluation.gaps import GapMethod
from regauge.records.evaluation.planning import (
    FrequencySpread,
    PlanPoint,
    PlanSettings,
    StudyDesign,
    StudyPlan,
    Workforce,
)
from regauge.records.keywords import PlanKeywords, choose_settings
from regauge.records.labels.frequencies import SelectionCounts
from regauge.records.progress import Track, track_silently
from regauge.records.responses.answers import GridShape
from regauge.records.responses.quality import CampaignForecast
from regauge.records.taxonomy import Taxonomy
from regauge.records.testsets.sampling import SamplingPlan
from regauge.stats.beta_binomial import BetaFit, fit_beta
from regauge.storage.labels.evidence import find_frequencies
from regauge.storage.labels.label_set import get_label_set
from regauge.storage.study import Study
from regauge.workflows.inputs import TaxonomyLike, load_predictions, load_truth, open_taxonomy

MIN_ANSWERED = 0.4
"""Where predictions answer fewer images of the truth than this share, something is wrong with the ids."""


_COUNTING = list_giving(KINDS, KindOutput.SELECTION_COUNTS)[0]
"""The kind of task whose answers a gap is measured with."""


@dataclass(frozen=True, slots=True)
class WorkSettings:
    """How people work: the grid, how long one takes, what is paid, and who is there."""

    shape: GridShape = field(default_factory=GridShape)
    pay: Pay | None = None
    seconds: float | None = None
    force: Workforce = field(default_factory=Workforce)

    def __post_init__(self) -> None:
        if self.seconds is not None and not 0 < self.seconds <= 86_400:
            raise InputError(f"A grid takes more than 0 seconds and up to a day, not {self.seconds:g}.")

    @property
    def time(self) -> TaskTime:
        """How long a grid takes."""
        seconds = SECONDS_PER_IMAGE * self.shape.n_cells if self.seconds is None else self.seconds
        how = f"a default of ours, {SECONDS_PER_IMAGE:g} s per image" if self.seconds is None else "as given"
        return TaskTime(seconds, 0, f"A grid takes {seconds:g} s, {how}.")


@dataclass(frozen=True, slots=True)
class Expectations:
    """What is measured already, in the place of what would be assumed.

    Attributes:
        frequencies: selection counts of original images: a table, or counts.
        pool_frequencies: those of candidates.
        truth: dataset labels of original images.
        predictions: a participant's answers to them.
        taxonomy: the classes, where files name them.
    """

    frequencies: str | Path | SelectionCounts | None = None
    pool_frequencies: str | Path | SelectionCounts | None = None
    truth: str | Path | None = None
    predictions: str | Path | None = None
    taxonomy: TaxonomyLike = None


def make_plan(
    design: StudyDesign,
    settings: PlanSettings | None = None,
    *,
    work: WorkSettings | None = None,
    track: Track = track_silently,
    **keywords: Unpack[PlanKeywords],
) -> StudyPlan:
    """Simulate the study for every combination that is to be tried, and say what each gives and takes.

    Args:
        design: what is expected.
        settings: what to try, and what is enough; or each of them by its keyword, as in `target=0.02`.
        work: how people work.
        track: who is told how far it is.
        keywords: fields of `PlanSettings`, words for choices.

    Raises:
        InputError: the method needs more annotators than are to be tried.
    """
    settings, work = choose_settings(PlanSettings, settings, keywords=keywords), work or WorkSettings()
    n_points = len(settings.annotators) * len(settings.per_class)
    points = tuple(
        _add_cost(one, design, work)
        for one in track(plan_points(design, settings), "Simulating combinations", total=n_points)
    )
    currency = "" if work.pay is None else work.pay.currency
    return StudyPlan(design, settings, points, currency, tuple(_explain(design, settings, work)))


def measure_design(design: StudyDesign, found: Expectations) -> tuple[StudyDesign, tuple[str, ...]]:
    """The design with what was measured in the place of what was assumed, and sentences that say what that is.

    Where a truth is given, frequencies of original images are those of their dataset labels alone.

    Raises:
        InputError: only one of truth and predictions is given, they are not about the same images, or a table has no votes.
    """
    taxonomy = open_taxonomy(found.taxonomy)
    if (found.truth is None) != (found.predictions is None):
        raise InputError("An accuracy is measured with both a truth and predictions; give the other one too.")
    notes: list[str] = []
    judged = _judge(found, taxonomy) if found.truth is not None else {}
    counts = _open_counts(found.frequencies, taxonomy)
    if counts is not None and judged:
        counts = _keep_labels(counts, judged)
    if counts is not None:
        fit = _fit(counts, "original images", notes)
        design = replace(design, original=FrequencySpread(fit.a, fit.b))
    pool = _open_counts(found.pool_frequencies, taxonomy)
    if pool is not None:
        fit = _fit(pool, "candidates", notes)
        design = replace(design, pool=FrequencySpread(fit.a, fit.b))
    if judged:
        design = _measure_accuracy(design, judged, counts, notes)
    return design, tuple(notes)


def names_label_set(source: str) -> bool:
    """Whether frequencies are behind a label set of a study, and not in a file."""
    return not is_table(source)


def load_study_counts(study: Study, name: str) -> SelectionCounts:
    """The selection counts of a label set of a study.

    Raises:
        InputError: there is no such label set, or it holds no counts.
    """
    entry = get_label_set(study, name)
    counts = find_frequencies(study, entry)
    if counts is None:
        raise InputError(f"Label set {name} holds no selection frequencies; name one made of a contains campaign.")
    return counts


def _open_counts(source: str | Path | SelectionCounts | None, taxonomy: Taxonomy | None) -> SelectionCounts | None:
    if source is None or isinstance(source, SelectionCounts):
        return source
    return load_selection_counts(source, taxonomy=taxonomy)


def _keep_labels(counts: SelectionCounts, judged: Mapping[tuple[str, int], bool]) -> SelectionCounts:
    """The counts of images with their dataset labels, without those of other labels that people were asked about."""
    kept = counts.keep_pairs(judged)
    if not len(kept):
        raise InputError(
            "The frequencies have no image of the truth with its label; write ids and classes the same way in both."
        )
    return kept


def _fit(counts: SelectionCounts, of: str, notes: list[str]) -> BetaFit:
    fit = fit_beta(counts.n_selected, counts.n_shown)
    if not fit.n_pairs:
        raise InputError(f"The table of frequencies of {of} has no votes; ask people first, or give shapes.")
    if counts.n_shown.max() < 2:
        raise InputError(
            f"One vote on each pair does not show how frequencies of {of} are spread; ask two people or more, or give shapes."
        )
    votes = np.median(counts.n_shown[counts.n_shown > 0])
    notes.append(
        f"Frequencies of {of} are spread like those of {fit.n_pairs:,} pairs with a median of {votes:g} votes: beta with shapes "
        f"{fit.a:.2f} and {fit.b:.2f}, mean {fit.mean:.2f}."
    )
    return fit


def _judge(found: Expectations, taxonomy: Taxonomy | None) -> Mapping[tuple[str, int], bool]:
    """Per image with its dataset label, whether the first answer is that label."""
    truth = load_truth(str(found.truth), taxonomy=taxonomy).test_set
    if truth is None:
        raise InputError(f"The truth {found.truth} has no dataset labels, which accuracy is measured against.")
    predictions = load_predictions(str(found.predictions), taxonomy=taxonomy)
    first = dict(zip(predictions.image_ids.tolist(), predictions.classes[:, 0].tolist(), strict=True))
    labels = zip(truth.image_ids.tolist(), truth.labels.tolist(), strict=True)
    judged = {(one, label): first[one] == label for one, label in labels if one in first}
    if len(judged) < MIN_ANSWERED * len(truth):
        raise InputError(
            f"The predictions answer {len(judged):,} of the {len(truth):,} images of the truth; their ids must be the same."
        )
    return judged


def _measure_accuracy(
    design: StudyDesign, judged: Mapping[tuple[str, int], bool], counts: SelectionCounts | None, notes: list[str]
) -> StudyDesign:
    accuracy = float(np.mean(list(judged.values())))
    notes.append(f"The accuracy on original images is {100 * accuracy:.1f}%, measured on {len(judged):,} of them.")
    measured = replace(design, accuracy=min(max(accuracy, 0.005), 0.995))
    frequencies, is_right = _pair_up(design, judged, counts)
    if frequencies.size < 50 or frequencies.std() < 0.02:
        notes.append(f"How accuracy goes with frequency is assumed: a slope of {design.slope:g} on the logit scale.")
        return measured
    slope = float(np.clip(fit_slope(frequencies, is_right), -50, 50))
    way = "rises" if slope >= 0 else "falls"
    notes.append(
        f"Accuracy {way} with frequency by {abs(slope):.2f} on the logit scale, measured on {frequencies.size:,} images by "
        "their posterior mean frequencies."
    )
    return replace(measured, slope=slope)


def _pair_up(
    design: StudyDesign, judged: Mapping[tuple[str, int], bool], counts: SelectionCounts | None
) -> tuple[FloatArray, BoolArray]:
    """Posterior mean frequency and outcome of the images that have both."""
    if counts is None:
        return np.zeros(0), np.zeros(0, np.bool_)
    pairs = zip(counts.image_ids[counts.images].tolist(), counts.classes.tolist(), strict=True)
    rows = [(row, judged[pair]) for row, pair in enumerate(pairs) if counts.n_shown[row] > 0]
    places = np.array([row for row, _ in rows], np.int64)
    a, b = design.original.a, design.original.b
    means = (counts.n_selected[places] + a) / (counts.n_shown[places] + a + b)
    return np.asarray(means, np.float64), np.array([right for _, right in rows], np.bool_)


def _add_cost(point: PlanPoint, design: StudyDesign, work: WorkSettings) -> PlanPoint:
    found = _estimate(point, design, work)
    return replace(
        point,
        n_tasks=found.n_tasks,
        n_answers=found.n_answers,
        hours=found.hours,
        days=found.days,
        cost=found.cost,
    )


def _estimate(point: PlanPoint, design: StudyDesign, work: WorkSettings) -> CampaignForecast:
    """What it takes to annotate the original images and the candidates, which the same people see in the same grids."""
    of_one_class = np.zeros(design.original_per_class + point.candidates, np.int32)
    n_tasks = design.n_classes * count_grids(of_one_class, work.shape)
    plan = CampaignPlan("plan", _COUNTING.name, point.annotators, terms=Terms(pay=work.pay))
    return estimate(plan, n_tasks=n_tasks, time=work.time, force=work.force)


def _explain(design: StudyDesign, settings: PlanSettings, work: WorkSettings) -> list[str]:
    """Where the figures come from."""
    candidates = f"Candidates are as many as let at most {100 * settings.max_short:g}% of the classes fall short."
    how = f"drawn by matched frequency and split by the method {settings.method}"
    notes = [f"Every combination was simulated {settings.n_studies:,} times, {how}. {candidates}"]
    if design.n_classes > MAX_CLASSES:
        notes.append(
            f"{MAX_CLASSES} of the {design.n_classes:,} classes were simulated; half-widths fall with the root of their number."
        )
    if settings.method is GapMethod.NAIVE:
        notes.append("The naive split is biased, see naive_bias: an interval around it can miss however narrow it is.")
    draw = SamplingPlan()
    if min(settings.annotators) < draw.min_annotations:
        notes.append(
            f"A draw asks for {draw.min_annotations} annotators per candidate; with fewer, draw with `min_annotations=…`."
        )
    if design.original_per_class < draw.min_original:
        notes.append(
            f"A draw asks for {draw.min_original} annotated original images per class; with fewer, draw with "
            "`min_original=…`."
        )
    notes.append(
        "Original images and candidates are in the same grids, as a campaign packs them with `also=…`; controls are other "
        "original images."
    )
    notes.append(work.time.source)
    notes.append("Gathering, near-duplicates, training, quizzes and dropped answers are not included.")
    return notes
