"""The compiled loops of agreement: votes listed by task, and pairs of annotators compared.

Nothing here takes more memory than a few numbers per vote. Tables over labels are cleared through the list of the labels that
were touched, so that a thousand labels cost no more than two.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from regauge.arrays import CountArray, FloatArray, IntArray

_FEW_LABELS = 16
"""With so few labels it is quicker to look at all of them than to sort those of a task."""


@njit(cache=True, nogil=True)
def count_groups(groups: IntArray, counts: CountArray) -> bool:
    """Fill how many members each group has; whether they lie in the order of the groups."""
    counts[:] = 0
    is_sorted = True
    before = 0
    for group in groups:
        counts[np.uint32(group)] += 1
        is_sorted &= group >= before
        before = group
    return is_sorted


@njit(cache=True, nogil=True)
def sort_by_group(groups: IntArray, starts: CountArray, order: IntArray) -> None:
    """Fill the positions of the members of each group, in their order, from where each group starts [n_groups + 1]."""
    nexts = starts[:-1].copy()
    for i in range(groups.size):
        group = groups[i]
        order[nexts[group]] = i
        nexts[group] += 1


@njit(cache=True, nogil=True)
def list_answers(
    starts: CountArray, answers: IntArray, n_labels: int, list_starts: CountArray, labels: IntArray, slots: IntArray
) -> NDArray[np.int32]:
    """List the distinct labels of each task in label order; fill starts, labels and every vote's place; return the counts."""
    counts = np.empty(answers.size, np.int32)
    n_by_label = np.zeros(n_labels, np.int32)
    place = np.empty(n_labels, np.int32)
    end = 0
    list_starts[0] = 0
    for task in range(starts.size - 1):
        own = answers[starts[task] : starts[task + 1]]
        first = end
        for label in own:
            n_by_label[np.uint32(label)] += 1
        if n_labels <= _FEW_LABELS:
            for label in range(n_labels):
                if n_by_label[label] > 0:
                    labels[end] = label
                    end += 1
        else:
            for label in own:
                if n_by_label[label] > 0:
                    spot = end
                    while spot > first and labels[spot - 1] > label:
                        labels[spot] = labels[spot - 1]
                        counts[spot] = counts[spot - 1]
                        spot -= 1
                    labels[spot] = label
                    counts[spot] = n_by_label[label]
                    n_by_label[label] = 0
                    end += 1
            for spot in range(first, end):
                n_by_label[labels[spot]] = counts[spot]
        for spot in range(first, end):
            label = labels[spot]
            place[label] = spot
            counts[spot] = n_by_label[label]
            n_by_label[label] = 0
        slots_of_task = slots[starts[task] : starts[task + 1]]
        for vote in range(own.size):
            slots_of_task[vote] = place[np.uint32(own[vote])]
        list_starts[task + 1] = end
    return counts[:end]


@njit(cache=True, nogil=True)
def measure_agreement(
    starts: CountArray,
    labels: IntArray,
    counts: IntArray,
    sums: FloatArray,
    class_alphas: FloatArray,
) -> tuple[float, float]:
    """Alpha and Fleiss' kappa; fills the alpha of each label against the rest, where there is room for it.

    Args:
        starts: where the labels of each task start.
        labels: the labels of the tasks.
        counts: how many annotators gave them.
        sums: [3, labels], overwritten.
        class_alphas: [labels], or empty.
    """
    sums[:] = 0.0
    n_votes = 0.0
    n_tasks = 0.0
    n_pairable = 0.0
    disagreement = 0.0
    matches = 0.0
    for task in range(starts.size - 1):
        size = 0
        squares = 0.0
        for spot in range(starts[task], starts[task + 1]):
            size += counts[spot]
            squares += float(counts[spot]) * counts[spot]
        if size == 0:
            continue
        n_tasks += 1
        for spot in range(starts[task], starts[task + 1]):
            sums[1, labels[spot]] += counts[spot] / size
        if size < 2:
            continue
        n_pairable += 1
        n_votes += size
        disagreement += (float(size) * size - squares) / (size - 1)
        matches += (squares - size) / (float(size) * (size - 1))
        for spot in range(starts[task], starts[task + 1]):
            count = float(counts[spot])
            sums[0, labels[spot]] += count
            sums[2, labels[spot]] += 2 * count * (size - count) / (size - 1)
    expected = n_votes * n_votes
    chance = 0.0
    for label in range(sums.shape[1]):
        expected -= sums[0, label] * sums[0, label]
        if n_tasks > 0:
            chance += (sums[1, label] / n_tasks) ** 2
    for label in range(class_alphas.size):
        rest = 2 * sums[0, label] * (n_votes - sums[0, label])
        class_alphas[label] = 1 - (n_votes - 1) * sums[2, label] / rest if rest > 0 else np.nan
    # Where one label alone was given, rounding may leave a hair of the expected disagreement.
    alpha = 1 - (n_votes - 1) * disagreement / expected if expected > 1e-9 * n_votes * n_votes else np.nan
    kappa = (matches / n_pairable - chance) / (1 - chance) if n_pairable > 0 and chance < 1 - 1e-12 else np.nan
    return alpha, kappa


@njit(cache=True, nogil=True)
def _count_pairs(
    first: IntArray, second: IntArray, firsts: FloatArray, seconds: FloatArray
) -> tuple[int, float, float]:
    """How many pairs are equal, the share that chance would make equal, and kappa; the counts of both labels are left filled."""
    n = first.size
    n_equal = 0
    for i in range(n):
        firsts[first[i]] += 1
        seconds[second[i]] += 1
        n_equal += first[i] == second[i]
    if n == 0:
        return 0, np.nan, np.nan
    n_by_chance = 0.0
    for i in range(n):
        n_by_chance += seconds[first[i]]
    chance = n_by_chance / (float(n) * n)
    return n_equal, chance, (n_equal / n - chance) / (1 - chance) if chance < 1 else np.nan


@njit(cache=True, nogil=True)
def _clear(first: IntArray, second: IntArray, firsts: FloatArray, seconds: FloatArray) -> None:
    for i in range(first.size):
        firsts[first[i]] = 0
        seconds[second[i]] = 0


@njit(cache=True, nogil=True)
def compare_groups(starts: CountArray, first: IntArray, second: IntArray, n_labels: int, results: FloatArray) -> None:
    """Fill for every group of pairs of labels [groups, 6]: pairs, equal pairs, Cohen's kappa, and what its limits need.

    These are the share that chance makes equal, the sum of the squared influences of the pairs on it, and the sum of their
    products with the influences on the share that differs.
    """
    firsts = np.zeros(n_labels)
    seconds = np.zeros(n_labels)
    for group in range(starts.size - 1):
        ours, theirs = first[starts[group] : starts[group + 1]], second[starts[group] : starts[group + 1]]
        n = ours.size
        n_equal, chance, kappa = _count_pairs(ours, theirs, firsts, seconds)
        squares, products = 0.0, 0.0
        for i in range(n):
            on_expected = (2 * chance - (seconds[ours[i]] + firsts[theirs[i]]) / n) / n
            on_observed = ((1.0 if ours[i] != theirs[i] else 0.0) - (n - n_equal) / n) / n
            squares += on_expected * on_expected
            products += on_expected * on_observed
        _clear(ours, theirs, firsts, seconds)
        results[group, 0] = n
        results[group, 1] = n_equal
        results[group, 2] = kappa
        results[group, 3] = chance
        results[group, 4] = squares
        results[group, 5] = products


@njit(cache=True, nogil=True)
def find_others(
    starts: CountArray,
    list_starts: CountArray,
    labels: IntArray,
    counts: IntArray,
    slots: IntArray,
    others: IntArray,
) -> None:
    """Fill for every vote the label that most of the task's other votes give; −1 where there are none or several share it."""
    for task in range(starts.size - 1):
        for vote in range(starts[task], starts[task + 1]):
            best = 0
            label = -1
            for spot in range(list_starts[task], list_starts[task + 1]):
                count = counts[spot] - (1 if spot == slots[vote] else 0)
                if count > best:
                    best = count
                    label = labels[spot]
                elif count == best:
                    label = -1
            others[vote] = label


@njit(cache=True, nogil=True)
def compare_pairs(
    starts: CountArray,
    annotators: IntArray,
    answers: IntArray,
    vote_starts: CountArray,
    vote_order: IntArray,
    vote_tasks: IntArray,
    n_labels: int,
    min_shared: int,
    kappa_sums: FloatArray,
    n_pairs: CountArray,
    influences: FloatArray,
    chances: FloatArray,
) -> None:
    """Add to every annotator the kappas with each other one on the tasks that both answered, and how many there were.

    Args:
        starts: where the votes of each task start.
        annotators: who gave each vote, task after task.
        answers: the label of each vote.
        vote_starts: where the votes of each annotator start in `vote_order`.
        vote_order: positions of votes, annotator after annotator.
        vote_tasks: the task of each vote.
        n_labels: how many labels there are.
        min_shared: pairs with fewer shared tasks do not count.
        kappa_sums: added to.
        n_pairs: added to.
        influences: [3, tasks], added to: per task, the derivatives by its weight of the sums over pairs of the observed
            disagreement and of the logarithm of the expected one, the former in units of what is expected of the pair, and
            how many pairs it is in.
        chances: [1], added to: the expected disagreement of every pair.
    """
    n_annotators = vote_starts.size - 1
    most = 0
    for one in range(n_annotators):
        size = 0
        for k in range(vote_starts[one], vote_starts[one + 1]):
            task = vote_tasks[vote_order[k]]
            size += starts[task + 1] - starts[task]
        most = max(most, size)
    own = np.empty(most, np.int32)
    theirs = np.empty(most, np.int32)
    tasks = np.empty(most, np.int32)
    n_shared = np.zeros(n_annotators, np.int64)
    ends = np.zeros(n_annotators, np.int64)
    met = np.empty(n_annotators, np.int32)
    firsts = np.zeros(n_labels)
    seconds = np.zeros(n_labels)
    for one in range(n_annotators):
        n_met = 0
        for k in range(vote_starts[one], vote_starts[one + 1]):
            task = vote_tasks[vote_order[k]]
            for vote in range(starts[task], starts[task + 1]):
                other = annotators[vote]
                if other > one:
                    if n_shared[other] == 0:
                        met[n_met] = other
                        n_met += 1
                    n_shared[other] += 1
        end = 0
        for i in range(n_met):
            ends[met[i]] = end
            end += n_shared[met[i]]
        for k in range(vote_starts[one], vote_starts[one + 1]):
            task = vote_tasks[vote_order[k]]
            for vote in range(starts[task], starts[task + 1]):
                other = annotators[vote]
                if other > one:
                    own[ends[other]] = answers[vote_order[k]]
                    theirs[ends[other]] = answers[vote]
                    tasks[ends[other]] = task
                    ends[other] += 1
        for i in range(n_met):
            other = met[i]
            n = n_shared[other]
            n_shared[other] = 0
            if n < min_shared:
                continue
            shared = slice(ends[other] - n, ends[other])
            ours, yours, where = own[shared], theirs[shared], tasks[shared]
            n_equal, chance, kappa = _count_pairs(ours, yours, firsts, seconds)
            if not np.isnan(kappa):
                kappa_sums[one] += kappa
                kappa_sums[other] += kappa
                n_pairs[one] += 1
                n_pairs[other] += 1
                chances[0] += 1 - chance
                for j in range(n):
                    differs = 1.0 if ours[j] != yours[j] else 0.0
                    moved = 2 * chance - (seconds[ours[j]] + firsts[yours[j]]) / n
                    influences[0, where[j]] += (differs - (n - n_equal) / n) / (n * (1 - chance))
                    influences[1, where[j]] += moved / (n * (1 - chance))
                    influences[2, where[j]] += 1
            _clear(ours, yours, firsts, seconds)
