"""The compiled loops of annotator models: expectation and counting in one pass over the votes.

The probability of a label of a task is used as soon as it is known, to count who answered what when what was true, and is
then forgotten; only the last pass writes it down. So a pass reads each vote twice and takes no memory that grows with votes
times labels. Sums run in the order of the votes; there is no fastmath. Places are read as unsigned numbers, which spares a
check for those below 0.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from regauge.arrays import CountArray, FloatArray, IntArray

EPS = 1e-10
"""What crowd-kit puts in the place of a smaller count or prevalence, so that no logarithm is infinite."""

_NEGLIGIBLE = -36.0
"""Labels less likely than the best by this power of e, 2·10⁻¹⁶, are taken for impossible in a pass."""

_TIE = 1e-9
"""Labels whose probabilities differ by a smaller share are equally likely but for rounding; the first of them is taken."""


@njit(cache=True, nogil=True)
def find_shares(
    list_starts: CountArray, labels: IntArray, counts: IntArray, gold: IntArray, shares: FloatArray
) -> None:
    """Fill the share of each task's votes that its labels have; where a label is known, 1 for it and 0 for others."""
    for task in range(gold.size):
        n_votes = 0
        for spot in range(list_starts[task], list_starts[task + 1]):
            n_votes += counts[spot]
        for spot in range(list_starts[task], list_starts[task + 1]):
            if gold[task] < 0:
                shares[spot] = counts[spot] / n_votes
            else:
                shares[spot] = 1.0 if labels[spot] == gold[task] else 0.0


@njit(cache=True, nogil=True)
def number_rows(annotators: IntArray, answers: IntArray, n_labels: int, rows: IntArray, n_votes: FloatArray) -> int:
    """Fill n_labels·annotator + answer of each vote, and how many votes have it; return how many of them occur."""
    n_votes[:] = 0.0
    n_rows = 0
    for vote in range(rows.size):
        row = np.uint32(annotators[vote] * n_labels + answers[vote])
        rows[vote] = row
        n_rows += n_votes[row] == 0
        n_votes[row] += 1
    return n_rows


@njit(cache=True, nogil=True)
def keep_rows(rows: IntArray, n_votes: FloatArray, distinct: IntArray, kept_votes: FloatArray) -> None:
    """Number the rows anew that have a vote; fill the old number and the votes of each."""
    numbers = np.empty(n_votes.size, np.int32)
    n_rows = 0
    for row in range(n_votes.size):
        if n_votes[row] > 0:
            distinct[n_rows] = row
            kept_votes[n_rows] = n_votes[row]
            numbers[row] = n_rows
            n_rows += 1
    for vote in range(rows.size):
        rows[vote] = numbers[rows[vote]]


@njit(cache=True, nogil=True)
def start_binary(
    starts: CountArray, rows: IntArray, answers: IntArray, gold: IntArray, sums: FloatArray
) -> tuple[float, float]:
    """Fill the sums of `step_binary` from the shares of the votes; return the sums of the shares, and times the votes.

    `answers` has the answer, 0 or 1, of each row.
    """
    sums[:] = 0.0
    n_ones = n_votes_ones = 0.0
    for task in range(gold.size):
        begin, end = starts[task], starts[task + 1]
        own = rows[begin:end]
        n_second = 0
        for row in own:
            n_second += answers[np.uint32(row)]
        share = float(gold[task]) if gold[task] >= 0 else n_second / (end - begin)
        n_ones += share
        n_votes_ones += share * (end - begin)
        for row in own:
            sums[np.uint32(row)] += share
    return n_ones, n_votes_ones


@njit(cache=True, nogil=True)
def step_binary(
    starts: CountArray,
    rows: IntArray,
    gains: FloatArray,
    odds: float,
    gold: IntArray,
    list_starts: CountArray,
    labels: IntArray,
    best: IntArray,
    shares: FloatArray,
    probabilities: FloatArray,
    sums: FloatArray,
) -> tuple[float, float, float, float]:
    """One pass with two labels: fill the sum of the probabilities of label 1 per (annotator, answer).

    Args:
        starts: where the votes of each task start.
        rows: the row (annotator, answer) of each vote; there may be more answers than the two labels.
        gains: per row, log P(answer | 1) − log P(answer | 0).
        odds: log prevalence of 1 − log prevalence of 0.
        gold: 0 or 1 where the truth of a task is known, else −1.
        list_starts: where the labels of each task start.
        labels: the distinct labels of the tasks.
        best: filled: the most probable label of each task.
        shares: filled: its probability.
        probabilities: filled: the probability of every label voted for.
        sums: [rows], filled.

    Returns:
        Sums over tasks: of the probabilities, of the same times the votes, of log(1 + e^log-odds), and of the entropies.
    """
    sums[:] = 0.0
    n_ones = n_votes_ones = likelihood = entropy = 0.0
    # The logarithm of a product of a few hundred numbers up to 2 takes as long as that of one.
    product = 1.0
    n_factors = 0
    log_sum = 0.0
    for task in range(gold.size):
        begin, end = starts[task], starts[task + 1]
        own = rows[begin:end]
        total = odds
        for row in own:
            total += gains[np.uint32(row)]
        if gold[task] >= 0:
            share = float(gold[task])
            likelihood += share * total
        else:
            size = abs(total)
            tail = np.exp(-size)
            rest = tail / (1 + tail)
            share = 1 - rest if total > 0 else rest
            likelihood += max(total, 0.0)
            entropy += size * rest
            product *= 1 + tail
            n_factors += 1
            if n_factors == 500:
                log_sum += np.log(product)
                product = 1.0
                n_factors = 0
        # A hair above one half is rounding; the first label is taken then.
        is_second = share > 0.5 + _TIE / 4
        best[task] = is_second
        shares[task] = share if is_second else 1 - share
        for spot in range(list_starts[task], list_starts[task + 1]):
            probabilities[spot] = share if labels[spot] == 1 else 1 - share
        n_ones += share
        n_votes_ones += share * (end - begin)
        for row in own:
            sums[np.uint32(row)] += share
    log_sum += np.log(product)
    return n_ones, n_votes_ones, likelihood + log_sum, entropy + log_sum


@njit(cache=True, nogil=True)
def _weigh(logs: FloatArray, kept: IntArray) -> tuple[int, float, float]:
    """Turn logarithms into probabilities in place; list those that count, and return their number, log sum and entropy."""
    top = logs[0]
    for k in range(1, logs.size):
        top = max(top, logs[k])
    n_kept = 0
    total = 0.0
    spread = 0.0
    for k in range(logs.size):
        below = logs[k] - top
        if below > _NEGLIGIBLE:
            share = np.exp(below)
            total += share
            spread += share * below
            logs[k] = share
            kept[n_kept] = k
            n_kept += 1
        else:
            logs[k] = 0.0
    for i in range(n_kept):
        logs[kept[i]] /= total
    log_total = np.log(total)
    return n_kept, top + log_total, log_total - spread / total


@njit(cache=True, nogil=True)
def _add_dense(rows: IntArray, log_tables: FloatArray, log_prior: FloatArray, logs: FloatArray) -> None:
    logs[:] = log_prior
    for row in rows:
        table = log_tables[np.uint32(row)]
        for k in range(logs.size):
            logs[k] += table[k]


@njit(cache=True, nogil=True)
def step_dense(
    starts: CountArray,
    rows: IntArray,
    log_tables: FloatArray,
    log_prior: FloatArray,
    gold: IntArray,
    list_starts: CountArray,
    labels: IntArray,
    best: IntArray,
    shares: FloatArray,
    probabilities: FloatArray,
    counts: FloatArray,
    totals: FloatArray,
) -> tuple[float, float]:
    """One pass with a table of all labels: fill the counts [rows, labels] and the totals [2, labels] of tasks and of votes.

    Also fills the most probable label of each task, its probability, and the probability of every label voted for.

    Returns:
        The log-likelihood, and the sum of the entropies.
    """
    counts[:] = 0.0
    totals[:] = 0.0
    logs = np.empty(log_prior.size)
    kept = np.empty(log_prior.size, np.int32)
    likelihood = 0.0
    entropy = 0.0
    for task in range(starts.size - 1):
        own = rows[starts[task] : starts[task + 1]]
        if own.size == 0 and gold[task] < 0:
            best[task] = -1
            shares[task] = np.nan
            continue
        _add_dense(own, log_tables, log_prior, logs)
        if gold[task] >= 0:
            n_kept = 1
            kept[0] = gold[task]
            likelihood += logs[gold[task]]
            logs[:] = 0.0
            logs[gold[task]] = 1.0
        else:
            n_kept, log_total, spread = _weigh(logs, kept)
            likelihood += log_total
            entropy += spread
        first = kept[0]
        for i in range(n_kept):
            k = kept[i]
            totals[0, k] += logs[k]
            totals[1, k] += logs[k] * own.size
            if logs[k] > logs[first] * (1 + _TIE):
                first = k
        best[task] = first
        shares[task] = logs[first]
        for spot in range(list_starts[task], list_starts[task + 1]):
            probabilities[spot] = logs[labels[spot]]
        if 3 * n_kept > logs.size:
            for row in own:
                table = counts[np.uint32(row)]
                for k in range(logs.size):
                    table[k] += logs[k]
        else:
            for i in range(n_kept):
                k = np.uint32(kept[i])
                for row in own:
                    counts[np.uint32(row), k] += logs[k]
    return likelihood, entropy


@njit(cache=True, nogil=True)
def start_dense(
    starts: CountArray,
    rows: IntArray,
    gold: IntArray,
    list_starts: CountArray,
    labels: IntArray,
    shares: FloatArray,
    counts: FloatArray,
    totals: FloatArray,
) -> None:
    """Fill counts and totals as `step_dense` does, from the shares of the votes; answers that are no truth come last."""
    counts[:] = 0.0
    totals[:] = 0.0
    for task in range(starts.size - 1):
        own = rows[starts[task] : starts[task + 1]]
        if gold[task] >= 0:
            totals[0, gold[task]] += 1
            totals[1, gold[task]] += own.size
            for row in own:
                counts[row, gold[task]] += 1
            continue
        for spot in range(list_starts[task], list_starts[task + 1]):
            k = labels[spot]
            if k >= counts.shape[1]:
                break
            totals[0, k] += shares[spot]
            totals[1, k] += shares[spot] * own.size
            for row in own:
                counts[row, k] += shares[spot]


@njit(cache=True, nogil=True)
def normalise_dense(
    counts: FloatArray,
    is_used: NDArray[np.bool_],
    annotators: IntArray,
    answers: IntArray,
    prior: float,
    if_right: FloatArray,
    if_wrong: FloatArray,
    log_tables: FloatArray,
    columns: FloatArray,
) -> tuple[float, float]:
    """Fill log P(answer | truth) per row (annotator, answer) and truth, and the logarithms of each annotator's columns.

    Without a prior, counts below `EPS` are raised to it and an annotator's answers are those ever given, as in crowd-kit. With
    one, `prior` votes are added to every column, of which a row has `if_right` where its answer is the truth, else `if_wrong`.

    Returns:
        The logarithm of the prior, up to a constant, and Σ counts · log_tables.
    """
    n_labels = counts.shape[1]
    columns[:] = prior
    for row in range(counts.shape[0]):
        if is_used[row]:
            for k in range(n_labels):
                columns[annotators[row], k] += counts[row, k] if prior > 0 else max(counts[row, k], EPS)
    penalty = fit = 0.0
    log_prior = np.log(prior) if prior > 0 else 0.0
    for one in range(columns.shape[0]):
        for k in range(n_labels):
            columns[one, k] = np.log(columns[one, k]) if columns[one, k] > 0 else 0.0
            penalty -= prior * (columns[one, k] - log_prior)
    log_eps = np.log(EPS)
    for row in range(counts.shape[0]):
        if not is_used[row]:
            continue
        one = annotators[row]
        wrong = if_wrong[row]
        log_wrong = np.log(wrong) if prior > 0 else log_eps
        for k in range(n_labels):
            # Most cells of large tables are empty, and a logarithm takes longer than all else.
            count = counts[row, k]
            is_right = answers[row] == k
            if prior == 0:
                log_weight = np.log(count) if count > EPS else log_eps
            elif count == 0 and not is_right:
                log_weight = log_wrong
            else:
                added = if_right[row] if is_right else wrong
                log_weight = np.log(count + added)
                penalty += added * (log_weight - np.log(added))
            log_tables[row, k] = log_weight - columns[one, k]
            fit += count * log_tables[row, k]
    return penalty, fit


@njit(cache=True, nogil=True)
def sum_right(
    starts: CountArray, annotators: IntArray, slots: IntArray, probabilities: FloatArray, sums: FloatArray
) -> None:
    """Fill per annotator [2, annotators]: Σ p and Σ p(1 − p) over votes, with p the probability that the vote is right."""
    sums[:] = 0.0
    for vote in range(starts[-1]):
        share = probabilities[slots[vote]]
        sums[0, annotators[vote]] += share
        sums[1, annotators[vote]] += share * (1 - share)


@njit(cache=True, nogil=True)
def pick_best(
    list_starts: CountArray,
    labels: IntArray,
    values: FloatArray,
    best: IntArray,
    shares: FloatArray,
    is_tied: FloatArray,
) -> None:
    """Fill the label of each task with the largest value, the first in label order of several; its value; 1 where tied."""
    for task in range(best.size):
        best[task] = -1
        shares[task] = np.nan
        is_tied[task] = 0.0
        for spot in range(list_starts[task], list_starts[task + 1]):
            if best[task] < 0 or values[spot] > shares[task] + _TIE:
                best[task] = labels[spot]
                shares[task] = values[spot]
                is_tied[task] = 0.0
            elif values[spot] >= shares[task] - _TIE:
                is_tied[task] = 1.0
