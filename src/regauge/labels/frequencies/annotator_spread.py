"""How far annotators differ in how readily they select: the part of a mean frequency's chance that images do not tell."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from regauge.arrays import FloatArray
from regauge.labels.frequencies.frequency import find_shown
from regauge.records.labels.frequencies import SelectionCounts
from regauge.records.responses.answers import ContainsResponses
from regauge.records.responses.screening import Screening
from regauge.stats.frequency_means import find_information, measure_spread


def add_spread(counts: SelectionCounts, responses: ContainsResponses, *, screening: Screening) -> SelectionCounts:
    """The counts with the spread of the annotators behind them; see `measure_spread`.

    Every accepted vote is held against the frequency of its pair. As the vote itself is part of that, the difference is
    stretched by √(n/(n − 1)). A vote on a pair that an annotator was shown again counts again.

    Args:
        counts: what `count_selections` made of the responses.
        responses: the answers.
        screening: which of them are believed.
    """
    worth, stretch, expected = _describe_cells(counts, responses)
    shown = find_shown(responses, screening)
    starts = responses.grids.starts[responses.response_grids]
    sizes = np.diff(responses.grids.starts)[responses.response_grids]
    surplus, information = np.zeros(len(responses)), np.zeros(len(responses))
    for place in range(int(sizes.max(initial=0))):
        bit = np.uint64(1) << np.uint64(place)
        rows = np.flatnonzero((sizes > place) & ((shown & bit) > 0))
        cells = starts[rows] + place
        surplus[rows] += ((responses.masks[rows] & bit) > 0) * stretch[cells] - expected[cells]
        information[rows] += worth[cells]
    n = len(responses.annotator_ids)
    sums = (np.bincount(responses.response_annotators, one, minlength=n) for one in (surplus, information))
    return replace(counts, spread=measure_spread(*sums))


def _describe_cells(counts: SelectionCounts, responses: ContainsResponses) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Per cell of the grids: the information of its pair, what a vote is stretched by, and the stretched frequency."""
    grids = responses.grids
    classes = np.repeat(grids.classes, np.diff(grids.starts)).astype(np.int64)
    n_classes = int(max(classes.max(initial=0), counts.classes.max(initial=0))) + 1
    keys = counts.images.astype(np.int64) * n_classes + counts.classes
    pairs = np.searchsorted(keys, grids.cell_images.astype(np.int64) * n_classes + classes)
    n_shown = counts.n_shown[pairs]
    stretch = np.sqrt(n_shown / np.maximum(n_shown - 1, 1))
    frequency = counts.n_selected[pairs] / np.maximum(n_shown, 1)
    return find_information(counts.n_selected[pairs], n_shown), stretch, stretch * frequency
