"""The compiled loops of Dawid–Skene with many labels: only the cells (annotator, answer, truth) that can occur are kept."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from regauge.arrays import CountArray, FloatArray, IntArray
from regauge.labels.votes._kernels import _TIE, EPS, _weigh

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
    vote_starts: CountArray,
    order: IntArray,
    row_annotators: IntArray,
    tasks: IntArray,
    starts: CountArray,
    kept_starts: CountArray,
    kept: IntArray,
    pair_starts: CountArray,
    n_labels: int,
    pairs: IntArray,
    row_starts: CountArray,
    truths: IntArray,
    columns: IntArray,
    n_missing: FloatArray,
    n_answers: IntArray,
) -> tuple[int, int]:
    """Number the cells (annotator, answer, truth) that occur, and the columns (annotator, truth) that they form.

    Args:
        vote_starts: where the votes of each row (annotator, answer) start.
        order: the votes row by row.
        row_annotators: the annotator of each row; those of one annotator lie side by side.
        tasks: the task of each vote.
        starts: where the votes of each task start.
        kept_starts: where the possible labels of each task start.
        kept: the possible labels.
        pair_starts: where the pairs (vote, possible label) of each task start.
        n_labels: how many labels a task can have; there may be more answers.
        pairs: filled: the cell of each pair.
        row_starts: filled: where the cells of each row start.
        truths: filled: the truth of each cell.
        columns: filled: the column of each cell.
        n_missing: filled: for how many of the annotator's answers a column has no cell.
        n_answers: filled: how many different answers each annotator gave.

    Returns:
        The numbers of cells and of columns.
    """
    n_cells = 0
    n_columns = 0
    last_row = np.full(n_labels, -1, np.int32)
    cell_of = np.empty(n_labels, np.int32)
    last_one = np.full(n_labels, -1, np.int32)
    column_of = np.empty(n_labels, np.int32)
    first_column = 0
    n_answers[:] = 0
    for row in range(row_annotators.size):
        one = row_annotators[row]
        row_starts[row] = n_cells
        n_answers[one] += vote_starts[row + 1] > vote_starts[row]
        for place in range(vote_starts[row], vote_starts[row + 1]):
            vote = order[place]
            task = tasks[vote]
            n_kept = kept_starts[task + 1] - kept_starts[task]
            base = pair_starts[task] + (vote - starts[task]) * n_kept
            for i in range(n_kept):
                truth = np.uint32(kept[kept_starts[task] + i])
                if last_row[truth] != row:
                    last_row[truth] = row
                    cell_of[truth] = n_cells
                    if last_one[truth] != one:
                        last_one[truth] = one
                        column_of[truth] = n_columns
                        n_missing[n_columns] = 0
                        n_columns += 1
                    column = column_of[truth]
                    truths[n_cells] = truth
                    columns[n_cells] = column
                    n_missing[column] -= 1
                    n_cells += 1
                pairs[base + i] = cell_of[truth]
        if row + 1 == row_annotators.size or row_annotators[row + 1] != one:
            n_missing[first_column:n_columns] += n_answers[one]
            first_column = n_columns
    row_starts[-1] = n_cells
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
            logs[i] += log_cells[np.uint32(pairs[place])]
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
                counts[np.uint32(own[place])] += logs[i]
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
    row_starts: CountArray,
    row_answers: IntArray,
    truths: IntArray,
    columns: IntArray,
    n_missing: FloatArray,
    prior: float,
    if_right: FloatArray,
    if_wrong: FloatArray,
    weights: FloatArray,
    column_weights: FloatArray,
) -> None:
    """Fill the weight of each cell, and what each column adds up to; see `normalise_dense`.

    Answers of an annotator that have no cell in a column, `n_missing` of them, count `EPS` each without a prior.
    """
    if prior == 0:
        column_weights[:] = n_missing * EPS
        for cell in range(counts.size):
            weights[cell] = max(counts[cell], EPS)
            column_weights[np.uint32(columns[cell])] += weights[cell]
        return
    column_weights[:] = prior
    for row in range(row_starts.size - 1):
        right, wrong = if_right[row], if_wrong[row]
        for cell in range(row_starts[row], row_starts[row + 1]):
            weights[cell] = counts[cell] + (right if truths[cell] == row_answers[row] else wrong)
            column_weights[np.uint32(columns[cell])] += counts[cell]


@njit(cache=True, nogil=True)
def divide_cells(counts: FloatArray, columns: IntArray, log_columns: FloatArray, log_cells: FloatArray) -> float:
    """Take the logarithm of its column from that of every cell; return Σ counts · log_cells."""
    fit = 0.0
    for cell in range(counts.size):
        log_cells[cell] -= log_columns[np.uint32(columns[cell])]
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
    rows: IntArray,
    row_starts: CountArray,
    truths: IntArray,
    is_known: NDArray[np.bool_],
    first_task: int,
    end_task: int,
) -> float:
    """How much all labels that a task was not given could weigh beside those it was given, at most over some tasks.

    Where an annotator's answer has no cell for such a label, its probability is at most 1 / the number of the annotator's
    answers, as without a prior (see `weigh_cells`). A cell that holds it was made by another task.
    """
    n_labels = log_prior.size
    logs = np.empty(most)
    listed = np.empty(most, np.int32)
    sums = np.zeros(n_labels)
    last_task = np.full(n_labels, -1, np.int32)
    touched = np.empty(n_labels, np.int32)
    largest = 0.0
    for task in range(first_task, end_task):
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
        for vote in range(starts[task], starts[task + 1]):
            row = rows[vote]
            log_n = log_answers[annotators[vote]]
            for cell in range(row_starts[row], row_starts[row + 1]):
                label = np.uint32(truths[cell])
                if last_task[label] != task:
                    last_task[label] = task
                    sums[label] = base + log_prior[label]
                    touched[n_touched] = label
                    n_touched += 1
                sums[label] += log_cells[cell] + log_n
        for label in labels:
            sums[label] = -np.inf
        weight = np.exp(base - log_total)
        for i in range(n_touched):
            below = sums[np.uint32(touched[i])] - log_total
            weight += np.exp(below) if below > _FAR_BELOW else 0.0
        largest = max(largest, weight)
    return largest
