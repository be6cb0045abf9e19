"""What is said of models that stand beside published ones."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from regauge.estimates import typeset
from regauge.records.evaluation.shifts import PublishedShift
from regauge.records.evaluation.standings import PublishedLine, PublishedRank, PublishedScores, Residual
from regauge.stats.scales import from_scale, to_scale

N_SAID = 5
"""Models beyond which the rest is left to the other outputs."""


def describe_published(published: PublishedScores | PublishedShift, *, level: float) -> Iterator[str]:
    """Where every model stands, in sentences: ranks, then distances from the line with what their limits hold."""
    models = list(dict.fromkeys(standing.model for standing in published.standings))
    shown = set(models[:N_SAID])
    for standing in published.standings:
        if standing.model in shown:
            yield describe_standing(standing, published.source, level=level)
    yield (
        f"Limits of ranks hold at {100 * level:g}% for all models of {published.source} at once: Newcombe's of each difference, "
        "by Bonferroni, as if each model had been measured on images of its own."
    )
    if isinstance(published, PublishedShift):
        for residual in published.residuals:
            if residual.model in shown:
                yield describe_residual(residual, published)
        yield from _describe_limits(published)
    else:
        for line in published.lines:
            for residual in line.residuals:
                if residual.model in shown:
                    yield describe_metric_residual(residual, line, published=published)
        yield from _describe_joint_limits(published)
    n_more = len(models) - len(shown)
    if n_more:
        models_stand = "1 more model stands" if n_more == 1 else f"{n_more:,} more models stand"
        yield f"{models_stand} in the machine-readable output."


def describe_standing(standing: PublishedRank, source: str, *, level: float) -> str:
    """The rank of a model, and how far it is settled."""
    n, unclear = standing.n_published, standing.n_unclear
    models = "the only model" if n == 1 else f"the {n:,} models"
    start = (
        f"{standing.model} ranks {standing.rank} of {n + 1:,} by {standing.metric} on {standing.test_set}, among {models} of "
        f"{source} and itself"
    )
    if not unclear:
        return f"{start}; it can be told apart from all of them."
    them = "1 of them" if unclear == 1 else f"{unclear:,} of them"
    ranks = f"between {standing.rank_low} and {standing.rank_high}"
    return f"{start}; {100 * level:g}% limits put it {ranks}, because {them} cannot be told apart from it."


def describe_residual(residual: Residual, published: PublishedShift) -> str:
    """How far a model lies from the line, and whether that can be told from 0."""
    fit = published.shift.fits[0]
    line = (
        f"the {fit.scale} fit through the {fit.n_models} models of {published.source} ({published.shift.original} to "
        f"{published.shift.new})"
    )
    return _tell_distance(residual, line, "on the new set than the line predicts from the original one")


def describe_metric_residual(residual: Residual, line: PublishedLine, *, published: PublishedScores) -> str:
    """Likewise of the line of one metric against another on one test set."""
    first, second = line.metrics
    fit = (
        f"the {line.fit.scale} fit of {second} against {first} through the {line.fit.n_models} models of {published.source} on "
        f"{published.accuracies.name}"
    )
    said = _tell_distance(residual, fit, f"by {second} than the line predicts from its {first}")
    if residual.distance.low <= 0 <= residual.distance.high:
        return said
    n = _count_as_far(residual, line, published)
    side = "above" if residual.distance.value > 0 else "below"
    if not n:
        return f"{said[:-1]}; none of these models lies as far {side} it."
    lie = "1 of these models lies" if n == 1 else f"{n:,} of these models lie"
    return f"{said[:-1]}; {lie} at least as far {side} it."


def _count_as_far(residual: Residual, line: PublishedLine, published: PublishedScores) -> int:
    """How many published models lie on the same side of their line, at least as far from it."""
    first, second = (np.divide(*published.accuracies.counts[metric].T) for metric in line.metrics)
    fit, value = line.fit, residual.distance.value
    above = second - from_scale(fit.slope.value * to_scale(first, fit.scale) + fit.offset.value, fit.scale)
    return int((above >= value).sum() if value > 0 else (above <= value).sum())


def _tell_distance(residual: Residual, line: str, than: str) -> str:
    distance = residual.distance
    start = f"{residual.model} is {typeset(distance, scale=100, sign=True)} points from {line}"
    if distance.low <= 0 <= distance.high:
        return f"{start}: it cannot be told apart from the line."
    more = "more" if distance.value > 0 else "less"
    return f"{start}: {more} accurate {than}."


def _describe_limits(published: PublishedShift) -> Iterator[str]:
    baseline = published.baseline
    if baseline is not None:
        yield (
            f"Limits of distances come from {baseline.n_bootstrap:,} bootstrap samples: the right answers of every model, drawn "
            "from a binomial distribution each by itself, since which images the published ones get right is not known, and the "
            f"{baseline.n_models} models of the line."
        )


def _describe_joint_limits(published: PublishedScores) -> Iterator[str]:
    if published.lines:
        baseline = published.lines[0].baseline
        n = len(published.accuracies.models)
        yield (
            f"Limits of distances come from {baseline.n_bootstrap:,} bootstrap samples of three things: a participant's answers, "
            f"counted as right by both metrics, by one or by neither; the {n} models of the line; and their right answers "
            "by each metric separately, since only counts of them are known."
        )
