"""Annotators of a running CLASSIFY campaign who give the very same answers far more than what others answered explains."""

from __future__ import annotations

import numpy as np

from regauge.records.responses.ledgers import REPEAT, LedgerColumns
from regauge.responses.agreement import (
    MAX_PARTNERS,
    MIN_ANSWERS,
    AgreeingPair,
    add_up,
    find_rates,
    judge_pairs,
)


def find_copies(
    columns: LedgerColumns, *, n_tasks: int, max_p: float, min_excess: float
) -> tuple[tuple[AgreeingPair, ...], int]:
    """The pairs of annotators who give too many equal answers to tasks that both answered, and how many pairs were compared.

    The method is that of `find_agreement`, with a task in the place of a cell: labels of one image exclude each other, so that
    votes on them are no separate pieces of evidence, and a test that took them for such would find copies among honest people.
    Tasks are divided by how many of the others give the answer that most of them give. Within a stratum two people who give
    that answer at rates r and s both do so with chance r·s, and both do not with (1 − r)(1 − s); in the second case they may
    still differ, so that the sum is more than chance gives, and the test errs on the side of the annotators.

    Args:
        columns: the answers; those to hidden repeats are left out.
        n_tasks: tasks of the campaign.
        max_p: the largest p-value, adjusted by Holm over all pairs.
        min_excess: the smallest share of the room between chance and perfect agreement that the pair fills.
    """
    from regauge.responses._kernels import count_partners
    from regauge.responses.live._kernels import compare_choices, sort_by

    n_answers = np.bincount(columns.tasks[columns.statuses != REPEAT], minlength=n_tasks)
    kept = np.flatnonzero((columns.statuses != REPEAT) & (n_answers[columns.tasks] >= MIN_ANSWERS))
    order, groups = sort_by(columns.tasks[kept], n_tasks)
    compared = n_answers >= MIN_ANSWERS
    n_annotators = len(columns.annotator_ids)
    keys, n_cells, n_agreed, n_seen, n_taken = compare_choices(
        kept[order],
        np.append(groups[:-1][compared], len(kept)),
        columns.annotators,
        columns.masks,
        columns.mains.astype(np.int32),
        n_annotators,
        MAX_PARTNERS,
        count_partners(n_answers[compared], MAX_PARTNERS),
    )
    pairs = add_up(keys, n_cells, n_agreed=n_agreed, n_annotators=n_annotators)
    return judge_pairs(pairs, find_rates(n_taken, n_seen), max_p=max_p, min_excess=min_excess)
