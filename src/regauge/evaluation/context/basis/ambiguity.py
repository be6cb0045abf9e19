"""Pairs of classes that annotators accept on images of either class.

Tsipras et al. (2020, §4.2) print no formula. Ours: of every image of one class on which both labels were judged, the lesser of
the two selection frequencies, averaged over the images of both classes; images of either class must have been judged, and in
both directions somebody must have selected both. From CLASSIFY alone: the share of images of both classes on which two or more
annotators each selected both labels and these mean one object, again in both directions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from regauge.arrays import NO_CLASS, BoolArray, CountArray, FloatArray, divide
from regauge.estimates import DEFAULT_LEVEL, Estimate, format_estimate
from regauge.evaluation.context.basis.selections import RowVotes, line_up_selections
from regauge.evaluation.context.contract import ContextMaterial
from regauge.evaluation.lookups import NO_PAIR, find_target_rows
from regauge.records.labels.objects import NO_OBJECT, ClassifyLabels
from regauge.stats.frequency_means import GroupedValues, limit_group_means
from regauge.stats.intervals import Limits, clopper_pearson
from regauge.stats.redraws import draw_weights
from regauge.taxonomy.lint import Finding

N_AGREE = 2
"""Annotators who must have selected a label in CLASSIFY."""
AMBIGUOUS = 0.5
"""From this value on a pair is called ambiguous: on average half of the annotators accept even the label that fewer accept."""
MIN_IMAGES = 5
"""Images of both classes that must have been judged."""
MAX_REDRAWN = 2_000
"""Pairs that redraws look at; those after them are too far from the first places to take one."""


@dataclass(frozen=True, slots=True, eq=False)
class ClassPairs:
    """Pairs of classes with how ambiguous they are, the most ambiguous first.

    Attributes:
        first: the class with the lower index.
        second: the other.
        n: images of both classes that were judged.
        values: how ambiguous they are, from 0 to 1.
        limits: of the values.
        n_first: images of the first class that were judged.
        of_first: the value on these.
        n_second: images of the second class that were judged.
        of_second: the value on these.
        replicates: values in redraws of the images of every class [n_resamples, pairs].
    """

    first: CountArray
    second: CountArray
    n: CountArray
    values: FloatArray
    limits: Limits
    n_first: CountArray
    of_first: FloatArray
    n_second: CountArray
    of_second: FloatArray
    replicates: FloatArray

    def __len__(self) -> int:
        return len(self.first)

    @property
    def is_ambiguous(self) -> BoolArray:
        """Which pairs reach the value from which on they are called so."""
        return self.values >= AMBIGUOUS


@dataclass(frozen=True, slots=True, eq=False)
class Redraws:
    """How limits are made.

    Attributes:
        n_resamples: redraws of the images of every class.
        seed: start of the draws.
        level: nominal coverage.
    """

    n_resamples: int
    seed: int
    level: float


@dataclass(frozen=True, slots=True, eq=False)
class _Judged:
    """Judgements of an image under its dataset label and a partner.

    Attributes:
        rows: per judgement, the image.
        partners: the other class.
        values: what came out, from 0 to 1.
    """

    rows: CountArray
    partners: CountArray
    values: FloatArray

    def keep(self, which: BoolArray) -> _Judged:
        """Some of them."""
        return _Judged(self.rows[which], self.partners[which], self.values[which])


def find_by_frequency(material: ContextMaterial, votes: RowVotes, *, redraws: Redraws) -> ClassPairs:
    """Pairs by the lesser of both selection frequencies, averaged over the images of both classes."""
    pairs = votes.others
    rows = votes.rows[pairs]
    own = votes.own_frequencies[rows]
    lesser = np.minimum(own, divide(votes.counts.n_selected[pairs], votes.counts.n_shown[pairs]))
    judged = _Judged(rows, votes.counts.classes[pairs].astype(np.int64), lesser).keep(~np.isnan(own))
    judged = judged.keep(np.isin(_code(material, judged), _find_mutual(material, judged)))
    codes, places, n = np.unique(_code(material, judged), return_inverse=True, return_counts=True)
    judged = judged.keep(n[places] >= MIN_IMAGES)
    codes = codes[n >= MIN_IMAGES]
    pairs_of = (*_split(material, codes), np.searchsorted(codes, _code(material, judged)))
    return _measure(material, judged, pairs_of, redraws, is_share=False)


def find_by_objects(material: ContextMaterial, classify: ClassifyLabels, *, redraws: Redraws) -> ClassPairs:
    """Pairs by the share of images of both classes on which two annotators or more each gave both labels to one object."""
    hits, is_known = _find_shared_objects(material, classify)
    rows_of = _list_rows(material, is_known)
    known = np.array([len(rows) for rows in rows_of])
    first, second = _split(material, _find_mutual(material, hits))
    enough = known[first] + known[second] >= MIN_IMAGES
    first, second = first[enough], second[enough]
    # Both sides of every pair, one after the other.
    mine, others = (np.stack(sides, axis=1).ravel() for sides in ((first, second), (second, first)))
    rows = np.concatenate([np.zeros(0, np.int64), *(rows_of[one] for one in mine.tolist())])
    partners = np.repeat(others, known[mine])
    stride = material.n_classes
    is_hit = np.isin(rows * stride + partners, hits.rows * stride + hits.partners)
    places = np.repeat(np.arange(len(mine)) // 2, known[mine])
    judged = _Judged(rows, partners, is_hit.astype(np.float64))
    return _measure(material, judged, (first, second, places), redraws, is_share=True)


def _find_shared_objects(material: ContextMaterial, classify: ClassifyLabels) -> tuple[_Judged, BoolArray]:
    """Images on which a label shares the object of the dataset label; and the images whose objects are known."""
    image = np.repeat(np.arange(len(classify)), np.diff(classify.starts))
    rows = find_target_rows(material.target, classify.objects.image_ids)
    known = [rows[classify.n_accepted > 0]]
    known += [] if material.objects is None else [find_target_rows(material.target, material.objects.image_ids)]
    is_known = np.zeros(len(material.labels), np.bool_)
    is_known[np.concatenate(known)[np.concatenate(known) != NO_PAIR]] = True
    is_known &= material.labels != NO_CLASS
    is_meant = (classify.n_selected >= N_AGREE) & (classify.label_objects != NO_OBJECT) & (rows[image] != NO_PAIR)
    is_own = classify.classes == material.labels[rows[image]]
    own_object = np.full(len(classify), NO_OBJECT, np.int64)
    own_object[image[is_meant & is_own]] = classify.label_objects[is_meant & is_own]
    is_hit = is_meant & ~is_own & (own_object[image] == classify.label_objects) & is_known[rows[image]]
    hits = np.flatnonzero(is_hit)
    return _Judged(rows[image[hits]], classify.classes[hits].astype(np.int64), np.ones(len(hits))), is_known


def _list_rows(material: ContextMaterial, is_known: BoolArray) -> list[CountArray]:
    """The known images of every class."""
    rows = np.flatnonzero(is_known)
    rows = rows[np.argsort(material.labels[rows], kind="stable")]
    ends = np.cumsum(np.bincount(material.labels[rows], minlength=material.n_classes))
    return np.split(rows, ends[:-1])


def _code(material: ContextMaterial, judged: _Judged) -> CountArray:
    """One number for each pair of classes, whichever of them is the dataset label."""
    own = material.labels[judged.rows].astype(np.int64)
    return np.minimum(own, judged.partners) * material.n_classes + np.maximum(own, judged.partners)


def _split(material: ContextMaterial, codes: CountArray) -> tuple[CountArray, CountArray]:
    """The classes of pairs, the lower index first."""
    return codes // material.n_classes, codes % material.n_classes


def _find_mutual(material: ContextMaterial, judged: _Judged) -> CountArray:
    """The pairs that have a value above 0 in both directions: their codes in ascending order."""
    codes, places = np.unique(_code(material, judged), return_inverse=True)
    is_first = material.labels[judged.rows] < judged.partners
    sums = [np.bincount(places[side], judged.values[side], len(codes)) for side in (is_first, ~is_first)]
    return codes[(sums[0] > 0) & (sums[1] > 0)]


def _measure(
    material: ContextMaterial,
    judged: _Judged,
    pairs: tuple[CountArray, CountArray, CountArray],
    redraws: Redraws,
    *,
    is_share: bool,
) -> ClassPairs:
    """Values with limits, in both directions and together, the highest first; of equal ones those with more images.

    Args:
        material: the images.
        judged: everything that counts.
        pairs: lower and higher class of every pair, and the pair of every judgement.
        redraws: how limits are made.
        is_share: whether values are 0 or 1, so that limits are those of counts.
    """
    first, second, places = pairs
    n_pairs = len(first)
    is_first = material.labels[judged.rows] < judged.partners
    n_of = [np.bincount(places[side], minlength=n_pairs) for side in (is_first, ~is_first)]
    sums = [np.bincount(places[side], judged.values[side], n_pairs) for side in (is_first, ~is_first)]
    n, values = n_of[0] + n_of[1], divide(sums[0] + sums[1], n_of[0] + n_of[1])
    if is_share:
        limits = clopper_pearson((sums[0] + sums[1]).astype(np.int64), n, level=redraws.level)
    else:
        limits = limit_group_means(GroupedValues(judged.values, places, n_pairs), level=redraws.level)
    order = np.lexsort((second, first, -n, -np.round(values, 9)))
    rank = np.empty(n_pairs, np.int64)
    rank[order] = np.arange(n_pairs)
    return ClassPairs(
        first[order],
        second[order],
        n[order],
        values[order],
        Limits(limits.low[order], limits.high[order]),
        n_of[0][order],
        divide(sums[0], n_of[0])[order],
        n_of[1][order],
        divide(sums[1], n_of[1])[order],
        _redraw(material, judged, rank[places], is_first, redraws),
    )


def _redraw(
    material: ContextMaterial, judged: _Judged, ranks: CountArray, is_first: BoolArray, redraws: Redraws
) -> FloatArray:
    """The values of the first pairs if the images of every class are drawn anew; NaN where one direction is lost."""
    n_pairs = min(MAX_REDRAWN, int(ranks.max(initial=-1)) + 1)
    used = ranks < n_pairs
    shape = (n_pairs, len(material.labels))
    at = (ranks[used], judged.rows[used])
    parts = [judged.values[used] * side[used] for side in (is_first, ~is_first)]
    above = [csr_array((part.astype(np.float32), at), shape=shape) for part in parts]
    below = csr_array((np.ones(int(used.sum()), np.float32), at), shape=shape)
    found = np.full((redraws.n_resamples, n_pairs), np.nan)
    draws = draw_weights(
        len(material.labels),
        rng=np.random.default_rng([redraws.seed, 7]),
        n_resamples=redraws.n_resamples,
        strata=material.labels,
    )
    for rows, weights in draws:
        turned = np.ascontiguousarray(weights.T)
        sums = [part @ turned for part in above]
        values = divide(sums[0] + sums[1], below @ turned)
        found[rows] = np.where((sums[0] > 0) & (sums[1] > 0), values, np.nan).T
    return found


def find_ambiguous(material: ContextMaterial, *, level: float = DEFAULT_LEVEL) -> tuple[Finding, ...]:
    """A finding for every pair that is ambiguous by selection frequencies, or by answers to CLASSIFY, as a lint has them."""
    redraws = Redraws(1, 0, level)
    votes = line_up_selections(material)
    found = [] if votes is None else [find_by_frequency(material, votes, redraws=redraws)]
    found += [] if material.classify is None else [find_by_objects(material, material.classify, redraws=redraws)]
    by_classes = {one.ids: one for pairs in reversed(found) for one in _report(pairs, material)}
    return tuple(by_classes.values())


def _report(pairs: ClassPairs, material: ContextMaterial) -> Iterator[Finding]:
    taxonomy = material.taxonomy
    if taxonomy is None:
        return
    for place in np.flatnonzero(pairs.is_ambiguous).tolist():
        one, two = (taxonomy.classes[int(index[place])] for index in (pairs.first, pairs.second))
        share = Estimate(*(float(part[place]) for part in (pairs.values, *pairs.limits)))
        message = (
            f"Annotators accept both {one.name} ({one.id}) and {two.name} ({two.id}) on images of either class: "
            f"{format_estimate(share)} on {int(pairs.n[place]):,} images."
        )
        yield Finding("warning", "ambiguous-pair", message, (one.id, two.id))
