"""Published models by two metrics on one test set, and how far from their line somebody's participants lie."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from regauge.estimates import Estimate
from regauge.evaluation.joint_counts import FIRST
from regauge.evaluation.metrics import find_metric
from regauge.evaluation.published_lines import compare_published, measure_distances, note_line
from regauge.records.evaluation.accuracies import SetAccuracies
from regauge.records.evaluation.scores import WHOLE, Score, Scores, ScoreSettings
from regauge.records.evaluation.shifts import ShiftSettings
from regauge.records.evaluation.standings import JointCount, PublishedLine, PublishedScores, Residual


def find_lines(scores: Scores, whole: Sequence[Score], *, found: SetAccuracies) -> tuple[PublishedLine, ...]:
    """The line of every metric that both have against top-1, where there is one; other labels for the same answers come first.

    Args:
        scores: what the participants reached, and how top-1 and the other metrics judge the same answers.
        whole: their shares of right answers on the whole set, under metrics that one label set gives.
        found: the published models, under the metrics that both have.
    """
    if FIRST not in found.counts:
        return ()
    metrics = sorted((one for one in found.counts if one != FIRST), key=lambda one: not _is_of_other_labels(one))
    score_of = {(one.participant, one.metric): one for one in whole}
    lines = []
    for metric in metrics:
        joint = [
            one
            for one in scores.joint
            if one.metrics == (FIRST, metric) and all((one.participant, name) in score_of for name in one.metrics)
        ]
        pairs = [(score_of[one.participant, FIRST], score_of[one.participant, metric]) for one in joint]
        lines += list(_find_line(joint, pairs, found, settings=scores.settings))
    return tuple(lines)


def note_lines(scores: Scores, published: PublishedScores) -> Iterator[str]:
    """Why there is no line, or what makes its limits doubtful."""
    source, found = published.source, published.accuracies
    if len(found.counts) == 1 or FIRST not in found.counts:
        yield (
            f"There is no line through the models of {source}: it takes {FIRST} and a second accuracy on one test set, and these "
            f"scores and every model of {source} on {found.name} have only {' and '.join(found.counts)} in common."
        )
    else:
        yield from note_line(len(found.models), source, has_line=bool(published.lines))
    for one in scores:
        if one.subset == WHOLE and one.n_unjudged and one.metric in found.counts:
            yield (
                f"{one.participant}: {one.n_unjudged:,} of {one.n:,} predictions are unjudged under {one.metric} and count as "
                f"wrong beside {source}."
            )


def _find_line(
    joint: Sequence[JointCount],
    pairs: Sequence[tuple[Score, Score]],
    found: SetAccuracies,
    *,
    settings: ScoreSettings,
) -> Iterator[PublishedLine]:
    """The line of one metric; nothing where the published models have none, or no participant has both metrics."""
    if not joint:
        return
    metrics = joint[0].metrics
    chosen = ShiftSettings(metric=FIRST, level=settings.level, seed=settings.seed, n_bootstrap=settings.n_bootstrap)
    sides = [replace(found, name=metric, counts={FIRST: found.counts[metric]}) for metric in metrics]
    fits = compare_published(sides, chosen).fits
    if not fits:
        return
    own = [np.array([(one.n_correct, one.n) for one in column], np.int64) for column in zip(*pairs, strict=True)]
    cells = np.array([one.cells for one in joint], np.int64)
    measured = measure_distances(own, sides, settings=chosen, joint=cells)
    columns = zip(pairs, *(column.tolist() for column in measured.columns), strict=False)
    residuals = tuple(Residual(second.participant, Estimate(*numbers, n=second.n)) for (_, second), *numbers in columns)
    yield PublishedLine(metrics, fits[0], residuals, tuple(joint), measured.baseline)


def _is_of_other_labels(metric: str) -> bool:
    """Whether the metric judges the same answers as top-1 by other labels."""
    known = find_metric(metric)
    return known is not None and known.is_finding
