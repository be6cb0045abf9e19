"""The compiled loops over the answers of a running campaign: majorities of the others, equal answers, and medians."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from regauge.arrays import BoolArray, CountArray, FloatArray, IntArray
from regauge.records.responses.answers import MaskArray
from regauge.responses._kernels import N_STRATA

_ONE = np.uint64(1)
_NONE = np.uint64(0)
_MAX_ITEMS = 64


@njit(cache=True, nogil=True)
def sort_by(codes: IntArray, n_codes: int) -> tuple[CountArray, CountArray]:
    """The rows by code, those of one code in their order, and where each code starts [n + 1]."""
    groups = np.zeros(n_codes + 2, np.int64)
    for code in codes:
        groups[code + 2] += 1
    for code in range(2, n_codes + 2):
        groups[code] += groups[code - 1]
    rows = np.empty(codes.size, np.int64)
    for row in range(codes.size):
        rows[groups[codes[row] + 1]] = row
        groups[codes[row] + 1] += 1
    return rows, groups[:-1].copy()


@njit(cache=True, nogil=True)
def compare_cells(
    rows: CountArray, groups: CountArray, votes: tuple[MaskArray, MaskArray], counts: BoolArray, judged: MaskArray
) -> tuple[CountArray, CountArray]:
    """Per answer, the judged cells on which the others have a majority, and those on which the answer is theirs.

    Args:
        rows: answers sorted by task.
        groups: where the answers of each task start among them, and their number at the end.
        votes: per answer, the selected cells, and the cells that were shown.
        counts: per answer, whether it is one of the others to anybody else.
        judged: per task, the cells that are looked at.
    """
    masks, shown = votes
    n_compared = np.zeros(masks.size, np.int64)
    n_alike = np.zeros(masks.size, np.int64)
    n_selected = np.zeros(_MAX_ITEMS, np.int64)
    n_missing = np.zeros(_MAX_ITEMS, np.int64)
    for task in range(groups.size - 1):
        start, end = groups[task], groups[task + 1]
        if start == end:
            continue
        n_votes = 0
        n_selected[:] = 0
        n_missing[:] = 0
        for position in range(start, end):
            row = rows[position]
            if counts[row]:
                n_votes += 1
                mask, cell = masks[row], 0
                while mask != _NONE:
                    n_selected[cell] += np.int64(mask & _ONE)
                    mask >>= _ONE
                    cell += 1
                missing, cell = judged[task] & ~shown[row], 0
                while missing != _NONE:
                    n_missing[cell] += np.int64(missing & _ONE)
                    missing >>= _ONE
                    cell += 1
        for position in range(start, end):
            row = rows[position]
            own = np.int64(counts[row])
            mask, left, cell = masks[row], judged[task] & shown[row], 0
            while left != _NONE:
                if left & _ONE:
                    vote = np.int64(mask & _ONE)
                    twice = 2 * (n_selected[cell] - own * vote) - (n_votes - n_missing[cell] - own)
                    n_compared[row] += twice != 0
                    n_alike[row] += (twice > 0) == (vote == 1) and twice != 0
                left >>= _ONE
                mask >>= _ONE
                cell += 1
    return n_compared, n_alike


@njit(cache=True, nogil=True)
def compare_mains(
    rows: CountArray, groups: CountArray, mains: IntArray, counts: BoolArray
) -> tuple[CountArray, CountArray]:
    """Per answer, whether others named a main label, and whether the most frequent one of theirs is the answer's.

    Of equally frequent ones the first that was named is theirs. Arguments as above; a main below 0 names nothing.
    """
    n_compared = np.zeros(mains.size, np.int64)
    n_alike = np.zeros(mains.size, np.int64)
    # Every answer to a task may name another label.
    most_answers = np.diff(groups).max() if groups.size > 1 else 0
    labels = np.zeros(most_answers, np.int64)
    n_named = np.zeros(most_answers, np.int64)
    first = np.zeros(most_answers, np.int64)
    second = np.zeros(most_answers, np.int64)
    for task in range(groups.size - 1):
        start, end = groups[task], groups[task + 1]
        n_labels, n_votes = 0, 0
        for position in range(start, end):
            row = rows[position]
            if mains[row] < 0 or not counts[row]:
                continue
            n_votes += 1
            place = 0
            while place < n_labels and labels[place] != mains[row]:
                place += 1
            if place == n_labels:
                n_labels += 1
                labels[place], n_named[place], first[place], second[place] = mains[row], 0, position, end
            elif n_named[place] == 1:
                second[place] = position
            n_named[place] += 1
        for position in range(start, end):
            row = rows[position]
            own = np.int64(counts[row])
            if mains[row] < 0 or n_votes - own <= 0:
                continue
            n_compared[row] = 1
            best, most, earliest = -1, 0, end
            for place in range(n_labels):
                is_own = own == 1 and labels[place] == mains[row]
                n = n_named[place] - is_own
                at = second[place] if is_own and first[place] == position else first[place]
                if n > most or (n == most and n > 0 and at < earliest):
                    best, most, earliest = labels[place], n, at
            n_alike[row] = best == mains[row]
    return n_compared, n_alike


@njit(cache=True, nogil=True)
def find_medians(rows: CountArray, groups: CountArray, values: FloatArray) -> FloatArray:
    """Per group the median of the values that are known; NaN where none is."""
    medians = np.full(groups.size - 1, np.nan)
    known = np.empty(rows.size, np.float64)
    for group in range(groups.size - 1):
        n = 0
        for position in range(groups[group], groups[group + 1]):
            value = values[rows[position]]
            if not np.isnan(value):
                known[n] = value
                n += 1
        if n:
            medians[group] = np.median(known[:n])
    return medians


@njit(cache=True, nogil=True)
def find_most_named(rows: CountArray, groups: CountArray, mains: IntArray) -> tuple[CountArray, CountArray]:
    """Per task the main label that most answers name, the first named of equally frequent, and by how many; −1 and 0 for none."""
    best = np.full(groups.size - 1, -1, np.int64)
    most = np.zeros(groups.size - 1, np.int64)
    n_named = np.zeros(_MAX_ITEMS, np.int64)
    for task in range(groups.size - 1):
        n_named[:] = 0
        for position in range(groups[task], groups[task + 1]):
            if mains[rows[position]] >= 0:
                n_named[mains[rows[position]]] += 1
        for position in range(groups[task], groups[task + 1]):
            main = mains[rows[position]]
            if main >= 0 and n_named[main] > most[task]:
                best[task], most[task] = main, n_named[main]
    return best, most


@njit(cache=True, nogil=True)
def compare_choices(
    rows: CountArray,
    groups: CountArray,
    annotators: IntArray,
    masks: MaskArray,
    mains: IntArray,
    n_annotators: int,
    max_partners: int,
    n_comparisons: int,
) -> tuple[CountArray, NDArray[np.uint8], NDArray[np.uint8], CountArray, CountArray]:
    """How often two annotators give the very same answer, in strata of how united the others are.

    The others' answer to a task is the one that most of them give, both of the two left out; of equally frequent ones the
    first by its bits, which has nothing to do with what the two answered. Where all others give it, the task is in stratum 4;
    in 3 to 1 where more than two thirds, more than a third or fewer do.

    Args:
        rows: answers sorted by task, only of tasks with at least four.
        groups: where the answers of each such task start among them, and their number at the end.
        annotators: per answer its annotator; the next two columns likewise.
        masks: the selected labels.
        mains: the main label.
        n_annotators: how many annotators there are.
        max_partners: with how many of the answers after it an answer is compared at most.
        n_comparisons: how many comparisons that makes.

    Returns:
        Per comparison the pair of annotators (smaller · n_annotators + larger), its stratum as a one [n, strata], and whether
        both answers are the same; per annotator and stratum the tasks compared and those answered as the others do.
    """
    keys = np.empty(n_comparisons, np.int64)
    n_cells = np.zeros((n_comparisons, N_STRATA), np.uint8)
    n_agreed = np.zeros(n_comparisons, np.uint8)
    n_seen = np.zeros((n_annotators, N_STRATA), np.int64)
    n_taken = np.zeros((n_annotators, N_STRATA), np.int64)
    largest = np.diff(groups).max() if groups.size > 1 else 0
    codes = np.empty(largest, np.int64)
    kinds = np.empty(largest, np.int64)
    n_of = np.empty(largest, np.int64)
    at = 0
    for task in range(groups.size - 1):
        start, end = groups[task], groups[task + 1]
        n_kinds = 0
        for position in range(start, end):
            row = rows[position]
            code = 0
            while code < n_kinds and (masks[kinds[code]] != masks[row] or mains[kinds[code]] != mains[row]):
                code += 1
            if code == n_kinds:
                kinds[code], n_of[code] = row, 0
                n_kinds += 1
            n_of[code] += 1
            codes[position - start] = code
        n_others = end - start - 2
        for first in range(end - start - 1):
            for second in range(first + 1, min(end - start, first + 1 + max_partners)):
                n_of[codes[first]] -= 1
                n_of[codes[second]] -= 1
                best = 0
                for code in range(1, n_kinds):
                    one, other = kinds[code], kinds[best]
                    is_before = (masks[one], mains[one]) < (masks[other], mains[other])
                    if n_of[code] > n_of[best] or (n_of[code] == n_of[best] and is_before):
                        best = code
                most = n_of[best]
                n_of[codes[first]] += 1
                n_of[codes[second]] += 1
                stratum = 1
                if most == n_others:
                    stratum = 4
                elif 3 * most > 2 * n_others:
                    stratum = 3
                elif 3 * most > n_others:
                    stratum = 2
                a, b = annotators[rows[start + first]], annotators[rows[start + second]]
                keys[at] = min(a, b) * np.int64(n_annotators) + max(a, b)
                n_cells[at, stratum] = 1
                n_agreed[at] = codes[first] == codes[second]
                n_seen[a, stratum] += 1
                n_seen[b, stratum] += 1
                n_taken[a, stratum] += codes[first] == best
                n_taken[b, stratum] += codes[second] == best
                at += 1
    return keys, n_cells, n_agreed, n_seen, n_taken
