"""The compiled loops of Dawid–Skene with many labels: only the cells (annotator, answer, truth) that can occur are kept."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from regauge.labels._kernels import _TIE, EPS, _weigh
from regauge.records.arrays import CountArray, FloatArray, IntArray

_FAR_BELOW = -32.0


@njit(cache=True, nogil=True)
def keep_labels(
    list_starts: CountArray, labels: IntArray, counts: IntArray, gold: IntArray, most: int, kept_starts: CountArray
) -> NDArray[np.int32]:
    """List the labels that a task may have: its gold label alone, else those voted for, at most the `most` frequent ones."""
    kept = np.empty(labels.size + gold.size, np.int32)
    end = 0
    kept_starts[0] = 0
    for task in range(gold.size):
        begin, stop = list_starts[task], list_starts[task + 1]
        if gold[task] >= 0:
            kept[end] = gold[task]
            end += 1
        elif stop - begin <= most:
            kept[end : end + stop - begin] = labels[begin:stop]
            end += stop - begin
        else:
            by_votes = np.argsort(-counts[begin:stop], kind="mergesort")[:most]
            for place in np.sort(by_votes):
                kept[end] = labels[begin + place]
                end += 1
        kept_starts[task + 1] = end
    return kept[:end].copy()


@njit(cache=True, nogil=True)
def number_cells(
    order: IntArray,
    annotators: IntArray,
    answers: IntArray,
    tasks: IntArray,
    starts: CountArray,
    kept_starts: CountArray,
    kept: IntArray,
    pair_starts: CountArray,
    n_labels: int,
    pairs: IntArray,
    cells: IntArray,
    n_answers: IntArray,
    column_sizes: IntArray,
) -> tuple[int, int]:
    """Number the cells (annotator, answer, truth) that occur, and the columns (annotator, truth) that they form.

    Args:
        order: the votes by annotator and answer.
        annotators: who gave each vote, task after task.
        answers: the label of each vote.
        tasks: the task of each vote.
        starts: where the votes of each task start.
        kept_starts: where the possible labels of each task start.
        kept: the possible labels.
        pair_starts: where the pairs (vote, possible label) of each task start.
        n_labels: how many labels there are.
        pairs: filled: the cell of each pair.
        cells: [4, cells], filled: annotator, answer, truth and column of each cell.
        n_answers: filled: how many different answers each annotator gave.
        column_sizes: filled: how many cells a column has.

    Returns:
        The numbers of cells and of columns.
    """
    n_cells = 0
    n_columns = 0
    run = 0
    first = 0
    last_run = np.full(n_labels, -1, np.int32)
    cell_of = np.empty(n_labels, np.int32)
    last_one = np.full(n_labels, -1, np.int32)
    column_of = np.empty(n_labels, np.int32)
    n_answers[:] = 0
    while first < order.size:
        one, answer = annotators[order[first]], answers[order[first]]
        place = first
        while place < order.size and annotators[order[place]] == one and answers[order[place]] == answer:
            vote = order[place]
            task = tasks[vote]
            n_kept = kept_starts[task + 1] - kept_starts[task]
            base = pair_starts[task] + (vote - starts[task]) * n_kept
            for i in range(n_kept):
                truth = kept[kept_starts[task] + i]
                if last_run[truth] != run:
                    last_run[truth] = run
                    cell_of[truth] = n_cells
                    if last_one[truth] != one:
                        last_one[truth] = one
                        column_of[truth] = n_columns
                        column_sizes[n_columns] = 0
                        n_columns += 1
                    cells[0, n_cells] = one
                    cells[1, n_cells] = answer
                    cells[2, n_cells] = truth
                    cells[3, n_cells] = column_of[truth]
                    column_sizes[column_of[truth]] += 1
                    n_cells += 1
                pairs[base + i] = cell_of[truth]
            place += 1
        n_answers[one] += 1
        run += 1
        first = place
    return n_cells, n_columns


@njit(cache=True, nogil=True)
def _add_sparse(
    pairs: IntArray, n_votes: int, labels: IntArray, log_cells: FloatArray, log_prior: FloatArray, logs: FloatArray
) -> None:
    for i in range(labels.size):
        logs[i] = log_prior[labels[i]]
    place = 0
    for _ in range(n_votes):
        for i in range(labels.size):
            logs[i] += log_cells[pairs[place]]
            place += 1


@njit(cache=True, nogil=True)
def step_sparse(
    starts: CountArray,
    kept_starts: CountArray,
    kept: IntArray,
    pair_starts: CountArray,
    pairs: IntArray,
    log_cells: FloatArray,
    log_prior: FloatArray,
    most: int,
    list_starts: CountArray,
    listed_labels: IntArray,
    best: IntArray,
    shares: FloatArray,
    probabilities: FloatArray,
    counts: FloatArray,
    totals: FloatArray,
) -> tuple[float, float]:
    """One pass: fill the counts [cells] and the totals [2, labels] of tasks and of votes.

    Also fills the most probable label of each task, its probability, and the probability of every label voted for.

    Returns:
        The log-likelihood, and the sum of the entropies.
    """
    counts[:] = 0.0
    totals[:] = 0.0
    buffer = np.empty(most)
    listed = np.empty(most, np.int32)
    likelihood = 0.0
    entropy = 0.0
    for task in range(starts.size - 1):
        labels = kept[kept_starts[task] : kept_starts[task + 1]]
        if labels.size == 0:
            best[task] = -1
            shares[task] = np.nan
            continue
        n_votes = starts[task + 1] - starts[task]
        logs = buffer[: labels.size]
        own = pairs[pair_starts[task] : pair_starts[task + 1]]
        _add_sparse(own, n_votes, labels, log_cells, log_prior, logs)
        _, log_total, spread = _weigh(logs, listed)
        likelihood += log_total
        entropy += spread
        first = 0
        for i in range(labels.size):
            totals[0, labels[i]] += logs[i]
            totals[1, labels[i]] += logs[i] * n_votes
            if logs[i] > logs[first] * (1 + _TIE):
                first = i
        best[task] = labels[first]
        shares[task] = logs[first]
        # Both lists are in label order.
        i = 0
        for spot in range(list_starts[task], list_starts[task + 1]):
            while i < labels.size and labels[i] < listed_labels[spot]:
                i += 1
            is_kept = i < labels.size and labels[i] == listed_labels[spot]
            probabilities[spot] = logs[i] if is_kept else 0.0
        place = 0
        for _ in range(n_votes):
            for i in range(labels.size):
                counts[own[place]] += logs[i]
                place += 1
    return likelihood, entropy


@njit(cache=True, nogil=True)
def start_sparse(
    starts: CountArray,
    kept_starts: CountArray,
    kept: IntArray,
    pair_starts: CountArray,
    pairs: IntArray,
    list_starts: CountArray,
    listed_labels: IntArray,
    listed_shares: FloatArray,
    counts: FloatArray,
    totals: FloatArray,
) -> None:
    """Fill counts and totals as `step_sparse` does, from the shares of the votes; a task with one possible label has that."""
    counts[:] = 0.0
    totals[:] = 0.0
    for task in range(starts.size - 1):
        labels = kept[kept_starts[task] : kept_starts[task + 1]]
        n_votes = starts[task + 1] - starts[task]
        spot = list_starts[task]
        for i in range(labels.size):
            share = 1.0
            if labels.size > 1:
                while listed_labels[spot] < labels[i]:
                    spot += 1
                share = listed_shares[spot]
            totals[0, labels[i]] += share
            totals[1, labels[i]] += share * n_votes
            for vote in range(n_votes):
                counts[pairs[pair_starts[task] + vote * labels.size + i]] += share


@njit(cache=True, nogil=True)
def weigh_cells(
    counts: FloatArray,
    cells: IntArray,
    n_missing: FloatArray,
    n_labels: int,
    prior: float,
    right: FloatArray,
    weights: FloatArray,
    columns: FloatArray,
) -> None:
    """Fill the weight of each cell, and what each column adds up to; see `normalise_dense`.

    Answers of an annotator that have no cell in a column, `n_missing` of them, count `EPS` each without a prior.
    """
    for column in range(columns.size):
        columns[column] = prior if prior > 0 else n_missing[column] * EPS
    for cell in range(counts.size):
        if prior > 0:
            one = cells[0, cell]
            is_right = cells[1, cell] == cells[2, cell]
            added = prior * right[one] if is_right else prior * (1 - right[one]) / max(n_labels - 1, 1)
            weights[cell] = counts[cell] + added
            columns[cells[3, cell]] += counts[cell]
        else:
            weights[cell] = max(counts[cell], EPS)
            columns[cells[3, cell]] += weights[cell]


@njit(cache=True, nogil=True)
def divide_cells(counts: FloatArray, cells: IntArray, log_columns: FloatArray, log_cells: FloatArray) -> float:
    """Take the logarithm of its column from that of every cell; return Σ counts · log_cells."""
    fit = 0.0
    for cell in range(counts.size):
        log_cells[cell] -= log_columns[cells[3, cell]]
        fit += counts[cell] * log_cells[cell]
    return fit


@njit(cache=True, nogil=True)
def bound_unlisted(
    starts: CountArray,
    kept_starts: CountArray,
    kept: IntArray,
    pair_starts: CountArray,
    pairs: IntArray,
    log_cells: FloatArray,
    log_prior: FloatArray,
    most: int,
    annotators: IntArray,
    log_answers: FloatArray,
    cells: IntArray,
    is_known: NDArray[np.bool_],
) -> float:
    """How much all labels that a task was not given could weigh beside those it was given, at most over all tasks.

    Where an annotator's answer has no cell for such a label, its probability is at most 1 / the number of the annotator's
    answers, as without a prior (see `weigh_cells`). A cell that holds it was made by another task; the cells of one
    annotator and answer lie side by side.
    """
    n_labels = log_prior.size
    logs = np.empty(most)
    listed = np.empty(most, np.int32)
    sums = np.zeros(n_labels)
    last_task = np.full(n_labels, -1, np.int32)
    touched = np.empty(n_labels, np.int32)
    largest = 0.0
    for task in range(starts.size - 1):
        labels = kept[kept_starts[task] : kept_starts[task + 1]]
        if labels.size == 0 or is_known[task]:
            continue
        n_votes = starts[task + 1] - starts[task]
        own = pairs[pair_starts[task] : pair_starts[task + 1]]
        _add_sparse(own, n_votes, labels, log_cells, log_prior, logs[: labels.size])
        _, log_total, _ = _weigh(logs[: labels.size], listed)
        base = 0.0
        for vote in range(starts[task], starts[task + 1]):
            base -= log_answers[annotators[vote]]
        n_touched = 0
        for vote in range(n_votes):
            one = annotators[starts[task] + vote]
            some = own[vote * labels.size]
            first = some
            while first > 0 and cells[0, first - 1] == one and cells[1, first - 1] == cells[1, some]:
                first -= 1
            cell = first
            while cell < log_cells.size and cells[0, cell] == one and cells[1, cell] == cells[1, some]:
                label = cells[2, cell]
                if last_task[label] != task:
                    last_task[label] = task
                    sums[label] = base + log_prior[label]
                    touched[n_touched] = label
                    n_touched += 1
                sums[label] += log_cells[cell] + log_answers[one]
                cell += 1
        for label in labels:
            sums[label] = -np.inf
        weight = np.exp(base - log_total)
        for i in range(n_touched):
            below = sums[touched[i]] - log_total
            weight += np.exp(below) if below > _FAR_BELOW else 0.0
        largest = max(largest, weight)
    return largest
