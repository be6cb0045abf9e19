"""Annotators of labels who answer alike: against a slow count, a worked number, and simulated crowds with and without copies."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from tests.responses.live.small_ledgers import REPEAT, book, make_choices

from regauge.records.responses.ledgers import LedgerColumns
from regauge.responses.agreement import AgreeingPair
from regauge.responses.ledger import Ledger
from regauge.responses.live.copies import find_copies

EVERYTHING = {"max_p": 1.1, "min_excess": -np.inf}
RULE = {"max_p": 0.001, "min_excess": 0.5}
CANDIDATES = (1, 2, 3, 4)


def find(ledger: Ledger, **rule: float) -> tuple[tuple[AgreeingPair, ...], int]:
    return find_copies(ledger.columns, n_tasks=len(ledger.tasks), **rule)


def make_crowd(
    rng: np.random.Generator, *, n_tasks: int, n_people: int = 10, per_task: int = 6, copies: bool = False
) -> Ledger:
    """Images on which honest people are more or less divided; with copies, person 2 answers as person 1 did."""
    ledger = make_choices(*[CANDIDATES] * n_tasks)
    doubts = rng.beta(0.4, 1.2, n_tasks)
    rows = []
    for task, doubt in enumerate(doubts.tolist(), 1):
        people = [1, 2, *(3 + rng.permutation(n_people - 2)[: per_task - 2])]
        answers = {who: draw_answer(rng, doubt) for who in people}
        if copies:
            answers[2] = answers[1]
        rows += [(task, int(who), given) for who, given in answers.items()]
    return book(ledger, *rows)


def draw_answer(rng: np.random.Generator, doubt: float) -> list[int]:
    """The main label first, then others."""
    if rng.random() < 0.15:
        return [int(rng.choice(CANDIDATES))]
    main = 2 if rng.random() < doubt / 2 else 1
    return [main, 3 - main] if rng.random() < doubt / 2 else [main]


def count_slowly(columns: LedgerColumns) -> dict[tuple[int, int], tuple[int, int]]:
    """Per pair of annotators the tasks of four or more answers that both answered, and their equal answers."""
    given: dict[int, dict[int, tuple[int, int]]] = {}
    columns_by_row = (columns.tasks, columns.annotators, columns.masks, columns.mains)
    for task, who, mask, main in zip(*(column.tolist() for column in columns_by_row), strict=True):
        given.setdefault(task, {})[who] = (mask, main)
    n, n_same = Counter[tuple[int, int]](), Counter[tuple[int, int]]()
    for answers in given.values():
        for pair in combinations(sorted(answers), 2) if len(answers) >= 4 else ():
            n[pair] += 1
            n_same[pair] += answers[pair[0]] == answers[pair[1]]
    return {pair: (n[pair], n_same[pair]) for pair in n}


@pytest.mark.parametrize("per_task", [3, 4, 7])
def test_equal_answers_are_counted_as_a_slow_count_has_them(rng, per_task):
    ledger = make_crowd(rng, n_tasks=25, per_task=per_task)
    found, n_compared = find(ledger, **EVERYTHING)
    expected = count_slowly(ledger.columns)
    assert n_compared == len(expected)
    assert {(one.first, one.second): (one.n_cells, one.n_agreed) for one in found} == expected


def test_a_worked_number():
    ledger = make_choices(*[CANDIDATES] * 2)
    # On the first task all name 1. On the second the first two name 2, the others 1: both deviate, and alike.
    rows = [(task, who, [2 if task == 2 and who < 3 else 1]) for task in (1, 2) for who in (1, 2, 3, 4)]
    found, n_compared = find(book(ledger, *rows), **EVERYTHING)
    first = next(one for one in found if (one.first, one.second) == (0, 1))
    # Both tasks are in the stratum where the others, persons 3 and 4, are united: person 1 is compared there with person 2 on
    # both tasks and with persons 3 and 4 on the first, and gives the others' answer on three of these four; person 2 likewise.
    # With half a task more r = s = (3 + 0.5)/(4 + 1) = 0.7, so chance is 0.7² + 0.3² = 0.58 per task, 1.16 of both.
    assert (n_compared, first.n_cells, first.n_agreed) == (6, 2, 2)
    assert first.n_expected == pytest.approx(1.16)
    assert first.excess == pytest.approx(1.0)


def test_who_copies_is_found_and_nobody_else():
    for seed in range(5):
        found, _ = find(make_crowd(np.random.default_rng(seed), n_tasks=120, copies=True), **RULE)
        assert [(one.first, one.second) for one in found] == [(0, 1)]


def test_honest_people_are_not_flagged_however_divided_images_are():
    # By the level of the rule one campaign in a thousand is flagged; two of a hundred would be a chance of 0.005.
    flagged = [bool(find(make_crowd(np.random.default_rng(seed), n_tasks=100), **RULE)[0]) for seed in range(100)]
    assert sum(flagged) <= 1


def test_hidden_repeats_and_tasks_with_few_answers_say_nothing():
    ledger = make_choices(*[CANDIDATES] * 2, sources=(0, 1))
    book(ledger, *((1, who, [1]) for who in (1, 2, 3)))
    book(ledger, *((2, who, [1]) for who in (1, 2, 3, 4)), first=10, status=REPEAT)
    assert find(ledger, **EVERYTHING) == ((), 0)


def test_no_answers_give_no_pairs():
    assert find(make_choices(CANDIDATES), **EVERYTHING) == ((), 0)
