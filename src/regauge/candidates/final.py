"""Candidates for CLASSIFY: the few labels of an image that are worth offering.

The rules are those of Tsipras et al. (2020), appendix B.1.3, in their order:

1. the dataset label, always;
2. labels that at least half of their viewers selected;
3. labels that anybody selected and that are more than five edges from the dataset label in the hierarchy: likely another object;
4. while there are fewer than five, further labels that anybody selected, the most frequent first;
5. past the sixth, a label is cut that was selected less often than the dataset label, or whose image has a dataset label that at
   most one in eight selected.

Within a rule the more frequent label comes first, then the lower class index. A pair that nobody was shown has no frequency;
it goes back into the queue and no rule but the first can choose it.
"""

from __future__ import annotations

import numpy as np

from regauge.arrays import BoolArray, CountArray, IntArray
from regauge.candidates.pairs import CandidatePairs, describe_unasked, line_up_pairs
from regauge.estimates import DEFAULT_LEVEL
from regauge.records.candidates import NO_PATH, CandidateRule, Candidates, CodeArray, CutReason
from regauge.records.labels.frequencies import SelectionCounts
from regauge.records.taxonomy import Taxonomy
from regauge.records.testsets.test_set import TestSet
from regauge.stats.intervals import clopper_pearson
from regauge.taxonomy.hierarchy import count_path_lengths

MAX_NEAR_PATH = 5
"""Labels with a longer path to the dataset label are likely to mean another object."""
N_ENOUGH = 5
"""Rule 4 fills up to this many candidates."""
N_KEPT = 6
"""Only labels past these many can be cut."""


def find_candidates(
    counts: SelectionCounts, test_set: TestSet, *, taxonomy: Taxonomy, level: float = DEFAULT_LEVEL
) -> Candidates:
    """The candidates of every image that has counts, with the rule that chose each and the clause that cut it.

    Args:
        counts: how often each potential label was shown and selected in CONTAINS.
        test_set: the dataset labels.
        taxonomy: the hierarchy for rule 3. Classes that nothing joins count as distant; a taxonomy without any hierarchy leaves
            the rule out, and a note says so.
        level: nominal coverage of the intervals of the frequencies.

    Raises:
        InputError: an image has no dataset label.
    """
    pairs = line_up_pairs(counts, test_set)
    paths, notes = _measure(pairs, taxonomy)
    rules = _apply_rules(pairs, paths, has_hierarchy=bool(taxonomy.parents))
    turn = np.where(rules == CandidateRule.NONE, len(CandidateRule), rules)
    order = np.lexsort((pairs.classes, -np.nan_to_num(pairs.frequencies), turn, pairs.images))
    rules, cuts = _fill_and_cut(pairs, rules[order], order)
    ask_again = pairs.n_shown[order] == 0
    shown = (rules != CandidateRule.NONE) | ask_again
    order, rules, cuts = order[shown], rules[shown], cuts[shown]
    limits = clopper_pearson(pairs.n_selected[order], pairs.n_shown[order], level=level)
    return Candidates(
        image_ids=pairs.image_ids,
        dataset_labels=pairs.dataset_labels,
        images=pairs.images[order].astype(np.int32),
        classes=pairs.classes[order],
        rules=rules,
        cuts=cuts,
        ask_again=ask_again[shown],
        n_shown=pairs.n_shown[order],
        n_selected=pairs.n_selected[order],
        path_lengths=paths[order],
        low=limits.low,
        high=limits.high,
        notes=(*notes, *_describe_unknown(pairs), *describe_unasked(counts, test_set)),
    )


def _measure(pairs: CandidatePairs, taxonomy: Taxonomy) -> tuple[IntArray, list[str]]:
    """Path lengths to the dataset label for the pairs on which rule 3 depends, `NO_PATH` elsewhere; and a note."""
    lengths = np.full(len(pairs.classes), NO_PATH, np.int32)
    if not taxonomy.parents:
        return lengths, [
            f"Taxonomy {taxonomy.name} has no hierarchy, so no label is chosen for being distant (rule 3)."
        ]
    asked = np.flatnonzero(~pairs.is_dataset & _is_selected(pairs) & ~_is_frequent(pairs))
    own = pairs.dataset_labels[pairs.images[asked]]
    distinct, places = np.unique(np.stack([own, pairs.classes[asked]]), axis=1, return_inverse=True)
    found = count_path_lengths(taxonomy, distinct[0].tolist(), distinct[1].tolist())
    lengths[asked] = np.array([NO_PATH if one is None else one for one in found], np.int32)[places.ravel()]
    return lengths, []


def _apply_rules(pairs: CandidatePairs, paths: IntArray, *, has_hierarchy: bool) -> CodeArray:
    """The rule that chooses each pair, rule 4 not yet counted: `FILL` where it may."""
    rules = np.full(len(pairs.classes), CandidateRule.NONE, np.uint8)
    selected = _is_selected(pairs)
    rules[selected] = CandidateRule.FILL
    if has_hierarchy:
        rules[selected & ((paths > MAX_NEAR_PATH) | (paths == NO_PATH))] = CandidateRule.DISTANT
    rules[_is_frequent(pairs)] = CandidateRule.FREQUENT
    rules[pairs.is_dataset] = CandidateRule.DATASET_LABEL
    return rules


def _fill_and_cut(pairs: CandidatePairs, rules: CodeArray, order: CountArray) -> tuple[CodeArray, CodeArray]:
    """Rules 4 and 5 on pairs that stand in the order of the rules: who is past the fifth, and who past the sixth."""
    images = pairs.images[order]
    place = np.arange(len(order)) - np.searchsorted(images, images)
    rules = np.where((rules == CandidateRule.FILL) & (place >= N_ENOUGH), CandidateRule.NONE, rules).astype(np.uint8)
    is_excess = (rules != CandidateRule.NONE) & (place >= N_KEPT)
    own = pairs.dataset_rows[images]
    is_known = pairs.n_shown[own] > 0
    # n_selected / n_shown < own_selected / own_shown, in whole numbers.
    is_below = pairs.n_selected[order] * pairs.n_shown[own] < pairs.n_selected[own] * pairs.n_shown[order]
    is_rare = 8 * pairs.n_selected[own] <= pairs.n_shown[own]
    cuts = np.full(len(order), CutReason.NONE, np.uint8)
    cuts[is_excess & is_known & is_rare] = CutReason.DATASET_LABEL_RARE
    cuts[is_excess & is_known & is_below] = CutReason.BELOW_DATASET_LABEL
    return rules, cuts


def _is_selected(pairs: CandidatePairs) -> BoolArray:
    return pairs.n_selected > 0


def _is_frequent(pairs: CandidatePairs) -> BoolArray:
    return (pairs.n_shown > 0) & (2 * pairs.n_selected >= pairs.n_shown)


def _describe_unknown(pairs: CandidatePairs) -> list[str]:
    unknown = pairs.n_shown == 0
    if not unknown.any():
        return []
    n_images = len(np.unique(pairs.images[unknown]))
    note = (
        f"{int(unknown.sum()):,} pairs of {n_images:,} images have no accepted answer; ask about them again (ask_again) before "
        "the candidates of these images are used."
    )
    return [note]
