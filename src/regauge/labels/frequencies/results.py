"""CONTAINS: what a set of answers gives, wherever it comes from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from regauge.estimates import count_things
from regauge.labels.frequencies.annotator_spread import add_spread
from regauge.labels.frequencies.frequency import Selections, count_selections, find_shown
from regauge.labels.frequencies.models import ContainsFit, fit_contains
from regauge.labels.frequencies.verdicts import make_frequency_labels
from regauge.records.labels.contains import ContainsLabels, ContainsSettings, FrequencyMethod, FrequencyPrior
from regauge.records.labels.frequencies import SelectionCounts
from regauge.records.labels.label_set import LabelSet
from regauge.records.labels.votes import VoteMethod, VoteSettings
from regauge.records.responses.answers import ContainsResponses
from regauge.records.responses.screening import DropReason, Screening
from regauge.responses.annotators import describe_annotators
from regauge.responses.flags import Flags, find_flags
from regauge.responses.screening import RestoredAnnotators, screen
from regauge.stats.beta_binomial import BetaFit, Posterior, find_posterior, fit_beta
from regauge.stats.intervals import Limits, wilson

JEFFREYS = 0.5


def aggregate(
    responses: ContainsResponses, settings: ContainsSettings, *, notes: tuple[str, ...] = ()
) -> ContainsLabels:
    """How many distinct annotators were shown each (image, class) pair and selected it, over the answers that pass screening.

    Args:
        responses: the answers.
        settings: when answers are dropped, whom to keep, where intervals come from.
        notes: what is known of the answers already, a sentence each.

    Raises:
        InputError: an answer cannot be used, or nobody is left.
    """
    restored = RestoredAnnotators(settings.keep_annotators, settings.keep_responses)
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


def _find_limits(
    counts: SelectionCounts, settings: ContainsSettings
) -> tuple[Limits, Posterior | None, FrequencyPrior | None, tuple[str, ...]]:
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
    return posterior.limits, posterior, FrequencyPrior(fit.a, fit.b, fit.n_pairs), warnings


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
            f"Kept by hand: {count_things(int(screening.is_restored.sum()), 'annotator')} and "
            f"{count_things(len(screening.restored_responses), 'response')} that the rules would drop."
        )
    n_single = int(np.count_nonzero(screening.n_positive == 1))
    if settings.rules is not None and settings.rules.leave_one_out and n_single:
        yield (
            f"{count_things(n_single, 'response')} with a single positive control: no other control could judge "
            "the vote on it, so it is "
            "not counted."
        )
    n_repeated = int(selections.n_repeated.sum())
    if n_repeated:
        alike = int(selections.n_repeated_alike.sum())
        yield (
            f"{count_things(n_repeated, 'vote')} on a pair that the same annotator had voted on before, {alike:,} "
            "of them the same; the "
            "first accepted vote counts."
        )
    n_unseen = int(np.count_nonzero(selections.counts.n_shown == 0))
    if n_unseen:
        yield f"{count_things(n_unseen, 'pair')} without an accepted vote: the frequency is missing, not 0."
    for name, is_flagged in flags.is_flagged.items():
        if is_flagged.any():
            first = str(responses.annotator_ids[int(np.argmax(is_flagged))])
            yield (
                f"Flagged, not dropped: {count_things(int(is_flagged.sum()), 'annotator')} for {name}, the first "
                f"being {first!r}."
            )


def _describe_screening(screening: Screening) -> str:
    if screening.rules is None:
        return f"No screening: all {len(screening):,} responses of {len(screening.n_tasks):,} annotators count."
    n_by_annotator = int(np.count_nonzero(screening.reasons == DropReason.ANNOTATOR))
    n_by_controls = int(np.count_nonzero(screening.reasons == DropReason.CONTROLS))
    return (
        f"Screening drops {int(screening.is_dropped.sum()):,} of {len(screening.n_tasks):,} annotators with "
        f"{count_things(n_by_annotator, 'response')}, then {count_things(n_by_controls, 'single response')}, of "
        f"{len(screening):,} ({screening.rules.describe()})."
    )
