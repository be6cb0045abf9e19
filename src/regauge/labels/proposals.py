"""Relations between classes that verdicts suggest because they repeat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from regauge.arrays import CountArray, IntArray
from regauge.estimates import DEFAULT_LEVEL, Share, make_share
from regauge.records.labels.label_set import LabelSet, Unlisted
from regauge.records.labels.relations import ProposalSettings, RelationEntry, RelationSupport
from regauge.records.labels.verdicts import Verdict
from regauge.records.taxonomy import ClassRelation, RelationKind, RelationStatus
from regauge.stats.intervals import clopper_pearson

N_EXAMPLES = 3
_METHOD = "clopper-pearson"


@dataclass(frozen=True, slots=True, eq=False)
class _Pairs:
    """Pairs of classes that are correct in one image, each in both orders.

    Attributes:
        firsts: the class from which one is looked at.
        seconds: the other.
        n_both: images in which both are correct.
        n_judged: images in which the first is correct and the second was judged.
    """

    firsts: IntArray
    seconds: IntArray
    n_both: CountArray
    n_judged: CountArray


def propose_relations(label_set: LabelSet, settings: ProposalSettings | None = None) -> tuple[RelationEntry, ...]:
    """Relations that the verdicts suggest, those with the largest share first, then with the most images.

    a ⊂ b is proposed where b is correct on at least 90% of at least 5 images. **The denominator** is the images in which a is
    correct *and b was judged*, correct, unclear or wrong; where a label set takes what it does not list for wrong, b was judged
    in all of them. a = b is proposed where the same holds the other way round too. Problematic images are left out. The
    interval (95%, Clopper–Pearson) is of the share among images like these; it is not corrected for the many pairs
    that are looked at, so a proposal is a question to a person and no finding: a thing that always stands beside another is
    proposed like a synonym.

    Args:
        label_set: people's own verdicts; derived ones would propose what they follow from.
        settings: the share and the number of images from which a relation is proposed.

    >>> labels = LabelSet.from_lists("dogs", list("abcdef"), correct=[[1, 0]] * 5 + [[0]])
    >>> (entry,) = propose_relations(labels)
    >>> print(entry.relation, entry.support.forward.k, entry.support.forward.n)
    1 ⊂ 0 5 5
    """
    settings = settings or ProposalSettings()
    pairs = _count_pairs(label_set)
    with np.errstate(divide="ignore"):
        is_found = (pairs.n_both / pairs.n_judged >= settings.min_share) & (pairs.n_judged >= settings.min_images)
    found = [(int(pairs.firsts[place]), int(pairs.seconds[place])) for place in np.flatnonzero(is_found)]
    chosen = set(found)
    source = f"verdicts of {label_set.name}"
    entries = []
    for first, second in found:
        is_same = (second, first) in chosen
        if is_same and first > second:
            continue
        kind = RelationKind.SAME if is_same else RelationKind.SUBSET
        relation = ClassRelation(kind, first, second, source=source, status=RelationStatus.PROPOSED)
        entries.append(RelationEntry(relation, measure_support(label_set, relation)))
    return tuple(sorted(entries, key=_rank))


def measure_support(label_set: LabelSet, relation: ClassRelation) -> RelationSupport:
    """How often the verdicts of a label set agree with a relation, whoever proposes it, with a few images to look at.

    The shares are those of `propose_relations`; where no image counts they have no value.
    """
    forward, backward = (
        _compare(label_set, *ends) for ends in ((relation.first, relation.second), (relation.second, relation.first))
    )
    exceptions = forward.exceptions + (backward.exceptions if relation.kind is RelationKind.SAME else ())
    return RelationSupport(label_set.name, forward.share, backward.share, forward.examples, exceptions)


def _count_pairs(label_set: LabelSet) -> _Pairs:
    """All pairs that are correct together at least once."""
    kept = ~label_set.is_problematic[label_set.rows]
    rows, verdicts = label_set.rows[kept], label_set.verdicts[kept]
    classes, columns = np.unique(label_set.classes[kept], return_inverse=True)
    shape = (len(label_set), max(len(classes), 1))
    is_correct = verdicts == Verdict.CORRECT
    correct, judged = (
        csr_array((np.ones(int(chosen.sum()), np.int64), (rows[chosen], columns[chosen])), shape=shape)
        for chosen in (is_correct, np.ones(len(rows), np.bool_))
    )
    both = (correct.T @ correct).tocoo()
    is_pair = both.row != both.col
    firsts, seconds = both.row[is_pair], both.col[is_pair]
    if label_set.unlisted is Unlisted.WRONG:
        n_judged = np.bincount(columns[is_correct], minlength=shape[1])[firsts]
    else:
        # What is correct was judged, so that every pair is among these; in the order of its key.
        counts = (correct.T @ judged).tocoo()
        keys = counts.row.astype(np.int64) * shape[1] + counts.col
        order = np.argsort(keys)
        wanted = np.searchsorted(keys[order], firsts.astype(np.int64) * shape[1] + seconds)
        n_judged = counts.data[order][wanted]
    return _Pairs(classes[firsts], classes[seconds], both.data[is_pair], n_judged.astype(np.int64))


class _Comparison(NamedTuple):
    """Of the images in which one class is correct and another was judged, how many have that correct, and a few of them."""

    share: Share[float | None]
    examples: tuple[str, ...]
    exceptions: tuple[str, ...]


def _compare(label_set: LabelSet, first: int, second: int) -> _Comparison:
    rows, is_correct = label_set.rows, label_set.verdicts == Verdict.CORRECT
    with_first = rows[is_correct & (label_set.classes == first)]
    with_first = with_first[~label_set.is_problematic[with_first]]
    of_second = label_set.classes == second
    is_judged = np.isin(with_first, rows[of_second]) | (label_set.unlisted is Unlisted.WRONG)
    judged = with_first[is_judged]
    is_both = np.isin(judged, rows[of_second & is_correct])
    k, n = int(is_both.sum()), len(judged)
    limits = clopper_pearson(k, n, level=DEFAULT_LEVEL)
    examples, exceptions = (
        tuple(label_set.image_ids[judged[chosen][:N_EXAMPLES]].tolist()) for chosen in (is_both, ~is_both)
    )
    share = make_share(k, n, limits=(float(limits.low), float(limits.high)), method=_METHOD)
    return _Comparison(share, examples, exceptions)


def _rank(entry: RelationEntry) -> tuple[float, int, int, int]:
    share = entry.support.forward if entry.support is not None else None
    value, n = (0.0, 0) if share is None or share.value is None else (share.value, share.n)
    return -value, -n, entry.relation.first, entry.relation.second
