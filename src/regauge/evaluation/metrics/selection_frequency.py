"""The mean selection frequency of a participant's predictions: how many people see in an image what was predicted.

After Tsipras et al. (2020, §5.1). A prediction whose class nobody was asked about has no frequency: it is left out of the
mean, and the bounds say what the mean would be if nobody, or everybody, had selected it.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import numpy as np

from regauge.arrays import NO_CLASS, BoolArray, IntArray
from regauge.estimates import Estimate
from regauge.evaluation.lookups import NO_PAIR, PairLookup, find_target_rows, make_lookup
from regauge.evaluation.outcomes import MeanValue, Metric, Need, Rating, Values
from regauge.evaluation.targets import Target
from regauge.records.labels.frequencies import AnnotatorSpread, SelectionCounts
from regauge.records.testsets.sampling import Draw
from regauge.stats.frequency_means import limit_mean_frequency
from regauge.stats.intervals import Limits

OVER_ANNOTATORS = "score, over images and annotators"
FOR_THESE_ANNOTATORS = "score, over images, for these annotators"
"""Limits where nobody knows who gave which vote: they do not say what other annotators would select."""


def find_ratings(target: Target) -> Iterable[Rating]:
    """One rating per table of counts."""
    for counts in target.frequencies:
        rows = find_target_rows(target, counts.image_ids)
        is_known = np.zeros(len(target.image_ids), np.bool_)
        is_known[rows[rows != NO_PAIR]] = True
        lookup = make_lookup(target, counts.image_ids, images=counts.images, classes=counts.classes)
        yield Rating(counts.name, partial(rate_first, counts=counts, lookup=lookup, is_known=is_known))


def rate_first(answers: IntArray, *, counts: SelectionCounts, lookup: PairLookup, is_known: BoolArray) -> Values:
    """Per image, the share of people who selected the first answer; NaN where nobody was asked about it."""
    places = lookup.find(answers[:, 0])
    n_shown = np.where(places == NO_PAIR, 0, counts.n_shown[places])
    n_selected = np.where(places == NO_PAIR, 0, counts.n_selected[places])
    values = np.full(len(answers), np.nan)
    np.divide(n_selected, n_shown, out=values, where=n_shown > 0)

    def limit(rows: IntArray, level: float) -> Limits:
        return limit_mean_frequency(n_selected[rows], n_shown[rows], spread=counts.spread, level=level)

    return Values(values, is_known & (answers[:, 0] != NO_CLASS), limit, name_limits(counts.spread))


def name_limits(spread: AnnotatorSpread | None) -> str:
    """What the limits of a mean frequency hold for."""
    return FOR_THESE_ANNOTATORS if spread is None else OVER_ANNOTATORS


def measure_frequency(draw: Draw, spread: AnnotatorSpread | None) -> Estimate[float | None]:
    """The mean selection frequency of a draw, with limits for other images, and other annotators where their spread is known."""
    is_seen = draw.n_shown > 0
    selected, shown = draw.n_selected[is_seen], draw.n_shown[is_seen]
    if not shown.size:
        return Estimate(None, None, None, n=0)
    mean = float((selected / shown).mean())
    if shown.size < 2:
        return Estimate(mean, None, None, n=1)
    limits = limit_mean_frequency(selected, shown, spread=spread)
    return Estimate(mean, float(limits.low), float(limits.high), n=int(shown.size), method=name_limits(spread))


SELECTION_FREQUENCY = Metric(
    name="selection_frequency",
    title="Selection frequency",
    meaning="the share of people who see the first answer in the image",
    needs=(Need.FREQUENCY,),
    outcome=MeanValue(
        find_ratings, caption="Selection frequencies are of the n predictions that people were asked about."
    ),
)
