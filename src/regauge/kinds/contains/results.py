"""CONTAINS: the labels that a campaign makes of its answers, and the counts of its images while it runs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from regauge.arrays import BoolArray, IdArray, IntArray
from regauge.kinds.contains.figures import GridMemory
from regauge.labels.frequencies.frequency import count_selections
from regauge.labels.frequencies.results import aggregate, judge
from regauge.labels.frequencies.verdicts import UNJUDGED, count_verdicts, judge_counts
from regauge.labels.selection import keep_images
from regauge.records.campaigns.campaign import ResponseStatus
from regauge.records.labels.contains import ContainsSettings
from regauge.records.labels.frequencies import SelectionCounts
from regauge.records.labels.label_set import Truth
from regauge.records.labels.results import LabelContext, MadeLabels
from regauge.records.responses.answers import ContainsResponses, Control, Grids
from regauge.records.responses.figures import ImageCounts
from regauge.responses.ledger import Ledger
from regauge.responses.screening import screen


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
