"""What is said of models that stand beside published ones."""

from __future__ import annotations

from collections.abc import Iterator

from regauge.estimates import typeset
from regauge.records.evaluation.shifts import PublishedShift
from regauge.records.evaluation.standings import PublishedRank, PublishedScores, Residual

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
    distance, fit = residual.distance, published.shift.fits[0]
    value = typeset(distance, scale=100, sign=True)
    start = (
        f"{residual.model} is {value} points from the {fit.scale} fit through the {fit.n_models} models of {published.source} "
        f"({published.shift.original} to {published.shift.new})"
    )
    if distance.low <= 0 <= distance.high:
        return f"{start}: it cannot be told apart from the line."
    more = "more" if distance.value > 0 else "less"
    return f"{start}: {more} accurate on the new set than the line predicts from the original one."


def _describe_limits(published: PublishedShift) -> Iterator[str]:
    baseline = published.baseline
    if baseline is not None:
        yield (
            f"Limits of distances come from {baseline.n_bootstrap:,} bootstrap samples: the right answers of every model, drawn "
            "from a binomial distribution each by itself, since which images the published ones get right is not known, and the "
            f"{baseline.n_models} models of the line."
        )
