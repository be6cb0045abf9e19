"""CONTAINS: what a set of answers gives, the labels that a campaign makes of it, and the counts of its images while it runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from regauge.labels.annotator_spread import add_spread
from regauge.labels.contains_models import ContainsFit, fit_contains
from regauge.labels.frequencies import Selections, count_selections, find_shown
from regauge.labels.selection import keep_images
from regauge.labels.verdicts import UNJUDGED, count_verdicts, judge_counts, make_frequency_labels
from regauge.records.arrays import BoolArray, IdArray, IntArray
from regauge.records.campaigns import ResponseStatus
from regauge.records.contains import ContainsLabels, ContainsSettings, FrequencyMethod, Prior
from regauge.records.figures import ImageCounts
from regauge.records.frequencies import SelectionCounts
from regauge.records.labels import LabelSet, Truth
from regauge.records.responses import ContainsResponses, Control, Grids
from regauge.records.results import EasySource, LabelContext, MadeLabels
from regauge.records.screening import Reason, Screening
from regauge.records.vote_labels import VoteMethod, VoteSettings
from regauge.responses.annotators import describe_annotators
from regauge.responses.contains_figures import GridMemory
from regauge.responses.flags import Flags, find_flags
from regauge.responses.ledger import Ledger
from regauge.responses.screening import Restored, screen
from regauge.stats.beta_binomial import BetaFit, Posterior, find_posterior, fit_beta
from regauge.stats.intervals import Limits, wilson

JEFFREYS = 0.5


def aggregate(
    responses: ContainsResponses, settings: ContainsSettings, *, notes: tuple[str, ...] = ()
) -> ContainsLabels:
    """How many distinct annotators were shown each (image, class) pair and selected it, over answers that are believed.

    Args:
        responses: the answers.
        settings: when answers are dropped, whom to keep, where intervals come from.
        notes: what is known of the answers already, a sentence each.

    Raises:
        InputError: an answer cannot be used, or nobody is left.
    """
    restored = Restored(settings.keep_annotators, settings.keep_responses)
    screening = screen(responses, settings.rules, restored=restored)
    selections = count_selections(responses, screening)
    counts = add_spread(selections.counts, responses, screening=screening)
    flags = find_flags(responses)
    repeats = (selections.n_repeated, selections.n_repeated_alike)
    limits, posterior, prior, warnings = _find_limits(selections.counts, settings)
    model = _fit_model(responses, screening, settings)
    return ContainsLabels(
        counts,
        low=limits.low,
        high=limits.high,
        posterior_means=None if posterior is None else posterior.means,
        prior=prior,
        responses=responses,
        screening=screening,
        annotators=describe_annotators(responses, screening, flags=flags, repeats=repeats, level=settings.level),
        agreements=tuple(_name_agreements(responses, flags)),
        settings=settings,
        notes=(*notes, *_describe(responses, screening, selections=selections, flags=flags, settings=settings)),
        warnings=warnings if model is None else (*warnings, *model.warnings),
        probabilities=None if model is None else model.probabilities,
    )


def judge(labels: ContainsLabels, *, name: str) -> LabelSet:
    """The verdicts that the rule of the settings makes of the frequencies; a class without one is unjudged."""
    rule = labels.settings.verdicts
    return make_frequency_labels(labels.counts, rule, name=name, probabilities=labels.probabilities)


def find_easy_source(settings: ContainsSettings) -> EasySource | None:  # noqa: ARG001 - no rule names one
    """Nothing: every image is asked about."""
    return None


def make_labels(responses: ContainsResponses, settings: ContainsSettings, *, context: LabelContext) -> MadeLabels:
    """Verdicts with the selection counts behind them, of the images asked about; controls of another set are left out."""
    result = aggregate(responses, settings)
    ids = context.asked
    counts = result.counts.keep_images(ids)
    label_set = keep_images(judge(result, name=context.name), ids)
    is_asked = np.array([one in ids for one in result.counts.image_ids.tolist()], np.bool_)[result.counts.images]
    judged = judge_counts(result.counts, settings.verdicts, probabilities=result.probabilities)[is_asked]
    is_answered = np.bincount(counts.images, weights=counts.n_shown, minlength=len(counts.image_ids)) > 0
    screening = result.screening
    return MadeLabels(
        Truth(label_sets=(label_set,), frequencies=(counts,)),
        n_images=len(counts.image_ids),
        n_unanswered=int(np.count_nonzero(~is_answered)),
        n_screened_answers=int(np.count_nonzero(~screening.is_accepted)),
        n_screened_annotators=int(np.count_nonzero(screening.is_dropped & ~screening.is_restored)),
        verdicts={**count_verdicts(label_set), "unjudged": int(np.count_nonzero(judged == UNJUDGED))},
        notes=(*result.notes, *_describe_unanswered(counts.image_ids, is_answered)),
        warnings=result.warnings,
    )


def make_counter() -> PairCounter:
    """What counts the images of a running campaign."""
    return PairCounter()


class PairCounter:
    """Counts every pair of image and class of a running campaign, as `aggregate` does before screening."""

    def __init__(self) -> None:
        self._grids = GridMemory()
        self._pairs: _Pairs | None = None

    def count(self, ledger: Ledger) -> ImageCounts:
        """How many were shown each pair, and selected it, over the answers that count."""
        responses = self._grids.copy_answers(ledger, statuses=(ResponseStatus.COUNTED,))
        counts = count_selections(responses, screen(responses, None)).counts
        if self._pairs is None or self._pairs.grids is not responses.grids:
            numbers = counts.image_ids.astype(np.int32)[counts.images]
            self._pairs = _Pairs(responses.grids, numbers, _find_controls(responses.grids, counts))
        pairs = self._pairs
        return ImageCounts(pairs.images, counts.classes, counts.n_shown, counts.n_selected, pairs.is_control)


class _Pairs(NamedTuple):
    """What of the pairs of some grids never changes: the number of the image, and whether it is there as a control alone."""

    grids: Grids
    images: IntArray
    is_control: BoolArray


def _find_controls(grids: Grids, counts: SelectionCounts) -> BoolArray:
    """Which pairs are in grids as controls alone."""
    pairs = counts.images.astype(np.int64) << 32 | counts.classes
    is_asked = grids.cell_controls == Control.NONE
    classes = np.repeat(grids.classes, np.diff(grids.starts))
    marks = np.ones(len(pairs), np.bool_)
    # Pairs come by image and class, so each is found by halving.
    marks[np.searchsorted(pairs, (grids.cell_images.astype(np.int64) << 32 | classes)[is_asked])] = False
    return marks


def _describe_unanswered(image_ids: IdArray, is_answered: BoolArray) -> tuple[str, ...]:
    n = int(np.count_nonzero(~is_answered))
    if not n:
        return ()
    first = str(image_ids[int(np.argmin(is_answered))])
    return (f"{n:,} of {len(image_ids):,} images, the first being {first!r}, have no accepted answer, so no verdicts.",)


def _find_limits(
    counts: SelectionCounts, settings: ContainsSettings
) -> tuple[Limits, Posterior | None, Prior | None, tuple[str, ...]]:
    if settings.method is not FrequencyMethod.BETA_BINOMIAL:
        return wilson(counts.n_selected, counts.n_shown, level=settings.level), None, None, ()
    fit = fit_beta(counts.n_selected, counts.n_shown)
    warnings: tuple[str, ...] = ()
    if fit.is_at_edge:
        fit = BetaFit(JEFFREYS, JEFFREYS, fit.n_pairs, fit.log_likelihood, is_at_edge=True)
        sentence = (
            f"The {fit.n_pairs:,} pairs do not tell how frequencies are distributed: no beta distribution makes them most "
            "likely. Jeffreys' Beta(0.5, 0.5) is used instead."
        )
        warnings = (sentence,)
    posterior = find_posterior(counts.n_selected, counts.n_shown, fit=fit, level=settings.level)
    return posterior.limits, posterior, Prior(fit.a, fit.b, fit.n_pairs), warnings


def _fit_model(responses: ContainsResponses, screening: Screening, settings: ContainsSettings) -> ContainsFit | None:
    """What a model of the annotators makes of the votes that count; None where the method is none."""
    if settings.method in {FrequencyMethod.FREQUENCY, FrequencyMethod.BETA_BINOMIAL}:
        return None
    chosen = VoteSettings(method=VoteMethod(settings.method.value), prior=settings.prior, level=settings.level)
    return fit_contains(responses, find_shown(responses, screening), settings=chosen)


def _name_agreements(responses: ContainsResponses, flags: Flags) -> Iterator[tuple[Any, ...]]:
    for pair in flags.agreements:
        first, second = (str(responses.annotator_ids[one]) for one in (pair.first, pair.second))
        yield (first, second, *pair[2:])


def _describe(
    responses: ContainsResponses,
    screening: Screening,
    *,
    selections: Selections,
    flags: Flags,
    settings: ContainsSettings,
) -> Iterator[str]:
    """What was dropped, restored, repeated, left uncounted and flagged, a sentence each."""
    yield _describe_screening(screening)
    if len(screening.restored_responses) or screening.is_restored.any():
        yield (
            f"Kept by hand: {int(screening.is_restored.sum()):,} annotators and "
            f"{len(screening.restored_responses):,} responses that the rules would drop."
        )
    if settings.rules is not None and settings.rules.leave_one_out and (screening.n_positive == 1).any():
        yield (
            f"{np.count_nonzero(screening.n_positive == 1):,} responses have a single positive control; no other one could judge "
            "the vote on it, so that vote is not counted."
        )
    n_repeated = int(selections.n_repeated.sum())
    if n_repeated:
        alike = int(selections.n_repeated_alike.sum())
        yield (
            f"{n_repeated:,} votes are on a pair that the same annotator had voted on before, {alike:,} of them alike; the first "
            "accepted vote counts."
        )
    n_unseen = np.count_nonzero(selections.counts.n_shown == 0)
    if n_unseen:
        yield f"{n_unseen:,} pairs have no accepted vote; their frequency is missing, not 0."
    for name, is_flagged in flags.is_flagged.items():
        if is_flagged.any():
            first = str(responses.annotator_ids[int(np.argmax(is_flagged))])
            yield f"Flagged, not dropped: {int(is_flagged.sum()):,} annotators for {name}, the first being {first!r}."


def _describe_screening(screening: Screening) -> str:
    if screening.rules is None:
        return f"No screening: all {len(screening):,} responses of {len(screening.n_tasks):,} annotators count."
    n_by_annotator = np.count_nonzero(screening.reasons == Reason.ANNOTATOR)
    n_by_controls = np.count_nonzero(screening.reasons == Reason.CONTROLS)
    return (
        f"Screening drops {int(screening.is_dropped.sum()):,} of {len(screening.n_tasks):,} annotators with {n_by_annotator:,} "
        f"responses, then {n_by_controls:,} single responses, of {len(screening):,} ({screening.rules.describe()})."
    )
