"""What a multi-label truth says: how many images have several right labels, and what it makes of everybody's accuracy.

After Shankar et al. (2020): the share of multi-label images and their mean number of labels (§3), and multi-label against top-1
and top-5 accuracy with the median change (Figure 4).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regauge.arrays import BoolArray, FloatArray
from regauge.errors import InputError
from regauge.estimates import DEFAULT_LEVEL, Estimate, Share, make_share
from regauge.evaluation.lifts import measure_score_changes
from regauge.evaluation.outcomes import Outcome, OutcomeArray
from regauge.evaluation.reviews.bounds import find_pair_bounds
from regauge.evaluation.reviews.outcomes import find_field_items
from regauge.labels.selection import keep_images
from regauge.records.evaluation.details import ScoreChange
from regauge.records.evaluation.multilabel_truths import MetricChanges, MultilabelTruth, SettledPairs
from regauge.records.evaluation.reviews import ReviewField, ReviewMetric
from regauge.records.labels.evidence import LabelEvidence
from regauge.records.labels.label_set import LabelKind, LabelSet, Unlisted
from regauge.records.labels.verdicts import Verdict
from regauge.stats.count_means import estimate_count_mean
from regauge.stats.intervals import clopper_pearson
from regauge.stats.resampling import percentile_limits

TRUTH_METRICS = ("multilabel_strict", "multilabel_lenient", "real")
"""What a label set may be judged by here, in output order."""
AGAINST = ("top1", "top5")
"""By the dataset labels."""
SEVERAL = 2
"""As many correct labels make an image a multi-label image."""
N_RESAMPLES = 1_000
SEED = 0
METHOD = "image bootstrap"
_BATCH_ELEMENTS = 2**22

OutcomesByName = Mapping[str, Mapping[str, OutcomeArray]]
"""By metric and participant, what became of every answer; images in the order of the test set."""


def allows_several(label_set: LabelSet) -> bool:
    """Whether any image could have two right labels: the lists are complete, or two classes of an image were judged."""
    return label_set.unlisted is Unlisted.WRONG or bool((np.diff(label_set.starts) >= SEVERAL).any())


def summarise_truth(
    field: ReviewField,
    outcomes: OutcomesByName,
    *,
    evidence: LabelEvidence | None = None,
    level: float = DEFAULT_LEVEL,
) -> MultilabelTruth:
    """What the label set of a field says of its images and participants.

    Args:
        field: first answers and the label set; there may be no participant.
        outcomes: of the participants of the field under `TRUTH_METRICS` by the label set and `AGAINST` by the dataset labels, as
            far as they have them.
        evidence: what the verdicts rest on, where that is known.
        level: of all limits.

    Raises:
        InputError: there is no label set, or it judges no image of the test set.
    """
    if field.label_set is None:
        raise InputError("A summary is of a label set, and there is none.")
    kept = keep_images(field.label_set, set(field.test_set.image_ids.tolist()))
    if not len(kept):
        raise InputError(
            f"Label set {kept.name} judges no image of {field.test_set.name}; name a test set of the same images."
        )
    is_counted = _find_counted(kept)
    n_correct = np.bincount(kept.rows[kept.verdicts == Verdict.CORRECT], minlength=len(kept))[is_counted]
    several = n_correct[n_correct >= SEVERAL]
    return MultilabelTruth(
        labels=kept.name,
        test_set=field.test_set.name,
        n_images=len(kept),
        problematic=_share(int(kept.is_problematic.sum()), len(kept), level),
        multilabel=_share(len(several), len(n_correct), level),
        mean_labels=estimate_count_mean(several, least=SEVERAL, rng=np.random.default_rng(SEED), level=level),
        reasons=_count_reasons(kept, is_counted, evidence, level=level),
        n_open=len(find_field_items(field)),
        settled=tuple(_count_settled(field, outcomes)),
        comparisons=tuple(_compare(outcomes, level=level)),
        allows_several=allows_several(kept),
        level=level,
    )


def _find_counted(label_set: LabelSet) -> BoolArray:
    """Images that are not problematic; of reassessed labels, those with a list."""
    is_counted: BoolArray = ~label_set.is_problematic
    return is_counted & (np.diff(label_set.starts) > 0) if label_set.kind is LabelKind.REAL else is_counted


def _share(k: int, n: int, level: float) -> Share[float | None]:
    limits = clopper_pearson(k, n, level=level)
    return make_share(k, n, limits=(float(limits.low), float(limits.high)), method="clopper-pearson")


def _count_reasons(
    label_set: LabelSet, is_counted: BoolArray, evidence: LabelEvidence | None, *, level: float
) -> tuple[tuple[str, Share[float | None]], ...]:
    """Why classes are correct or unclear, the most frequent reason first."""
    if evidence is None or not len(evidence):
        return ()
    is_told = is_counted[label_set.rows] & (label_set.verdicts != Verdict.WRONG)
    ids = label_set.image_ids[label_set.rows[is_told]].tolist()
    known = evidence.by_pair
    pairs = zip(ids, label_set.classes[is_told].tolist(), strict=True)
    counts = Counter(known[pair].reason for pair in pairs if pair in known and known[pair].reason)
    return tuple((reason, _share(k, counts.total(), level)) for reason, k in counts.most_common())


def _count_settled(field: ReviewField, outcomes: OutcomesByName) -> Iterator[SettledPairs]:
    """Pairs that are settled by bounds, under each metric that the label set allows; reassessed labels are judged leniently."""
    if len(field.participants) < SEVERAL:
        return
    for metric in TRUTH_METRICS:
        if metric in outcomes:
            rule = ReviewMetric.STRICT if metric == ReviewMetric.STRICT else ReviewMetric.LENIENT
            bounds = find_pair_bounds(field, rule)
            yield SettledPairs(metric, int(bounds.is_settled.sum()), len(bounds))


class _Sides(NamedTuple):
    """The outcomes of some participants by the dataset labels and by the label set, [participants, images]."""

    metric: str
    against: str
    names: list[str]
    was: OutcomeArray
    now: OutcomeArray


def _compare(outcomes: OutcomesByName, *, level: float) -> Iterator[MetricChanges]:
    """Every metric of the label set against every one of the dataset labels, for those who have both."""
    sides = list(_line_up(outcomes))
    for side, median in zip(sides, _estimate_medians(sides, level=level), strict=True):
        was, now = list(side.was), list(side.now)
        changes = measure_score_changes(side.names, was, after=now, metric=side.metric, level=level)
        ordered = tuple(sorted(changes, key=lambda one: (one.rank_before, one.participant)))
        yield MetricChanges(side.metric, side.against, ordered, _widen(median, ordered))


def _widen(median: Estimate[float | None], changes: Sequence[ScoreChange]) -> Estimate[float | None]:
    """The median with limits that have a width: where resampling changes nothing, the medians of everybody's own limits."""
    if median.low != median.high:
        return median
    known = [one.change for one in changes if one.change is not None]
    low, high = (float(np.median([getattr(one, end) for one in known])) for end in ("low", "high"))
    return replace(median, low=low, high=high, method=known[0].method)


def _line_up(outcomes: OutcomesByName) -> Iterator[_Sides]:
    """What is compared, each on the images that count under both; whoever has no such image is left out."""
    for metric in TRUTH_METRICS:
        for against in AGAINST:
            after, before = outcomes.get(metric, {}), outcomes.get(against, {})
            names = [name for name in before if name in after]
            if not names:
                continue
            was, now = (np.stack([side[name] for name in names]) for side in (before, after))
            is_left_out = (was == Outcome.NOT_COUNTED) | (now == Outcome.NOT_COUNTED)
            was[is_left_out] = now[is_left_out] = Outcome.NOT_COUNTED
            rows = np.flatnonzero(~is_left_out.all(axis=1))
            if len(rows):
                yield _Sides(metric, against, [names[row] for row in rows], was[rows], now[rows])


def _estimate_medians(sides: Sequence[_Sides], *, level: float) -> list[Estimate[float | None]]:
    """Of each comparison the median change over participants; images are resampled for its limits, jointly for all.

    In the value and at the lower limit unjudged answers are wrong, at the upper limit they are right.
    """
    rows: list[_Gains] = []
    for one in sides:
        counted = one.now != Outcome.NOT_COUNTED
        is_right, is_unjudged = one.now == Outcome.RIGHT, one.now == Outcome.UNJUDGED
        rows.append(_Gains(_subtract(is_right, one.was), counted))
        if is_unjudged.any():
            rows.append(_Gains(_subtract(is_right | is_unjudged, one.was), counted))
    limits = iter([percentile_limits(one, level=level) for one in _resample_medians(rows)])
    found: list[Estimate[float | None]] = []
    for one in sides:
        counted, has_unjudged = one.now != Outcome.NOT_COUNTED, bool((one.now == Outcome.UNJUDGED).any())
        gain = _subtract(one.now == Outcome.RIGHT, one.was)
        value = float(np.median(gain.sum(axis=1) / counted.sum(axis=1)))
        first = next(limits)
        last = next(limits) if has_unjudged else first
        ends = min(float(first.low), value), max(float(last.high), value)
        found.append(Estimate(value, *ends, n=len(one.names), method=METHOD, holds_unjudged=has_unjudged))
    return found


class _Gains(NamedTuple):
    """Per participant and image, right after less right before, and whether the image counts."""

    gain: NDArray[np.float32]
    counted: BoolArray


def _subtract(is_right: BoolArray, was: OutcomeArray) -> NDArray[np.float32]:
    gain: NDArray[np.float32] = is_right.astype(np.float32) - (was == Outcome.RIGHT)
    return gain


def _resample_medians(rows: Sequence[_Gains]) -> list[FloatArray]:
    """Of each block of rows the median change in every resample of the images that count for anybody."""
    if not rows:
        return []
    gain, counted = np.concatenate([one.gain for one in rows]), np.concatenate([one.counted for one in rows])
    used = counted.any(axis=0)
    # Mostly the same images count for everybody; then one row says so for all.
    same = bool((counted[:, used] == counted[:1, used]).all())
    gain, counted = gain[:, used].T, (counted[:1] if same else counted)[:, used].T.astype(np.float32)
    blocks = np.split(np.arange(gain.shape[1]), np.cumsum([len(one.gain) for one in rows])[:-1])
    rng, step = np.random.default_rng(SEED), max(1, _BATCH_ELEMENTS // len(gain))
    medians: list[list[FloatArray]] = [[] for _ in blocks]
    for start in range(0, N_RESAMPLES, step):
        # All that a resample needs is how often each image is in it.
        weights = _draw_weights(rng, min(step, N_RESAMPLES - start), n=len(gain))
        changes = (weights @ gain) / np.maximum(weights @ counted, 1)
        for found, block in zip(medians, blocks, strict=True):
            found.append(np.median(changes[:, block], axis=1))
    return [np.concatenate(found).astype(np.float64) for found in medians]


def _draw_weights(rng: np.random.Generator, size: int, *, n: int) -> NDArray[np.float32]:
    """How often each of n images is in each of so many resamples."""
    drawn = rng.integers(n, size=(size, n)) + np.arange(size)[:, np.newaxis] * n
    return np.bincount(drawn.ravel(), minlength=size * n).reshape(size, n).astype(np.float32)
