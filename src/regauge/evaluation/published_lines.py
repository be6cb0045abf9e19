"""The line through published models of which only counts are known, and how far from it somebody's own models lie."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from regauge.arrays import CountArray
from regauge.estimates import count_things
from regauge.evaluation.count_sides import make_count_side
from regauge.evaluation.robustness import FEW_RESAMPLED, Robustness, measure_robustness
from regauge.evaluation.shifts import compare_sides
from regauge.evaluation.side_pairs import Pair
from regauge.records.evaluation.accuracies import SetAccuracies
from regauge.records.evaluation.shifts import Shift, ShiftSettings

MIN_MODELS = 3
"""Any two models lie on a line, which then says nothing about them or about others."""


def compare_published(found: Sequence[SetAccuracies], settings: ShiftSettings) -> Shift:
    """The published models on two sets, or by two metrics on one, and the lines through all of them.

    Fewer than three have no line.
    """
    sides = [make_count_side(one, settings=settings) for one in found]
    theirs = compare_sides(sides[0], sides[1], settings=simplify(settings))
    return theirs if len(theirs.models) >= MIN_MODELS else replace(theirs, fits=())


def simplify(settings: ShiftSettings) -> ShiftSettings:
    """The settings of the published models' own line: through all of them, each drawn anew by itself."""
    return replace(settings, fit_models=("*",), fit_except=(), baseline=(), resample=None, families={})


def measure_distances(
    own: Sequence[CountArray],
    found: Sequence[SetAccuracies],
    *,
    settings: ShiftSettings,
    joint: CountArray | None = None,
) -> Robustness:
    """How far above the line through the published models the user's lie, and what the line goes through.

    Right answers of all models are drawn from binomial distributions, each model by itself, the user's as well: whether hers and
    theirs err on the same images is not known. The models of the line are drawn anew too; the user's stay.

    Args:
        own: right answers and n of the user's models [models, 2], on both sides.
        found: those of the published ones.
        settings: metric, scale, level, seed and number of bootstrap samples.
        joint: where both sides are of the same answers to the same images, how they go together; see `Pair`.
    """
    n_own = len(own[0])
    # Numbers in place of names, which both may have.
    names = tuple(map(str, range(n_own + len(found[0].models))))
    sides = [
        make_count_side(
            SetAccuracies(
                one.name, names, {settings.metric: np.concatenate([mine, one.counts[settings.metric]])}, one.notes
            ),
            settings=settings,
        )
        for mine, one in zip(own, found, strict=True)
    ]
    measured = measure_robustness(Pair(sides[0], sides[1], simplify(settings), joint=joint), names[n_own:])
    return measured._replace(baseline=replace(measured.baseline, models=found[0].models))


def note_line(n_models: int, source: str, *, has_line: bool) -> Iterator[str]:
    """A sentence where published models have no line, and one where they are too few for its limits."""
    if not has_line:
        yield (
            f"There is no line through {count_things(n_models, 'model')} of {source}, so nobody has a distance from it: a line "
            f"takes at least {MIN_MODELS} models that are not all equally accurate."
        )
    elif n_models < FEW_RESAMPLED:
        yield (
            f"The limits of distances from the line come from resampling the {n_models} models of {source}, which are too few to "
            "trust them."
        )


def note_same_names(own: Iterable[str], published: Iterable[str], *, source: str) -> Iterator[str]:
    """A sentence where one of the user's models has the name of a published one."""
    names = set(published)
    same = [name for name in own if name in names]
    if same:
        more = f" (and {len(same) - 1} more)" if len(same) > 1 else ""
        yield (
            f"{same[0]}{more} is also the name of a model of {source}; if it is the same model, it is seen beside itself."
        )
