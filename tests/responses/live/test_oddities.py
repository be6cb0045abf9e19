"""Flags of a running campaign, each by its rule and with its figures."""

from __future__ import annotations

import numpy as np
from tests.responses.live.small_ledgers import REPEAT, book, get_figures, make_choices, make_grids, make_tally

from regauge.kinds.classify.task import find_places
from regauge.responses.ledger import Ledger

N_TASKS = 10
WIDE = [(image, 0) for image in range(12)]
HONEST = (0b000000111111, 0b101010101010, 0b110011001100, 0b000111000111, 0b111000111000)


def find(ledger: Ledger) -> list[dict[str, str]]:
    """Per annotator the sentence of each flag."""
    names = [f"number {one}" for one in ledger.columns.annotator_ids.tolist()]
    kind = get_figures(ledger)
    answers, figures = kind.make_memory().copy_answers(ledger), make_tally(ledger).update()
    orders = {number: number for number in kind.pick_doubtful(figures, answers).tolist()}
    found = kind.find_oddities(figures, answers, tasks=ledger.tasks, orders=orders)
    flags = [[oddity.to_flag(names) for oddity in own] for own in found]
    return [{flag.name: flag.sentence for flag in own} for own in flags]


def make_crowd(*odd: int | None, n_honest: int = 3) -> Ledger:
    """Honest annotators who all see the same, and one more who gives these masks in turn."""
    ledger = make_grids(*[WIDE] * N_TASKS)
    number = 1
    for who in range(1, n_honest + 1):
        rows = [(task, who, HONEST[task % len(HONEST)] ^ (1 << (task + who) % 12)) for task in range(1, N_TASKS + 1)]
        book(ledger, *rows, first=number, seconds=[12.0] * N_TASKS)
        number += N_TASKS
    masks = [odd[task % len(odd)] for task in range(N_TASKS)]
    rows = [(task, 99, mask) for task, mask in enumerate(masks, 1) if mask is not None]
    return book(ledger, *rows, first=number, seconds=[3.0] * len(rows)) if rows else ledger


def test_honest_annotators_have_no_flags():
    assert find(make_crowd(None)) == [{}, {}, {}]


def test_who_selects_nothing_is_told_how_often():
    *_, odd = find(make_crowd(0))
    assert odd["same-answer"] == "Selects no image in 10 of 10 answers."
    assert odd["too-fast"] == "Takes 0.25 s per image, less than a third of the 1 s of the median annotator."
    assert odd["disagrees"].startswith("Agrees with the others on ")


def test_who_selects_the_same_cells_is_told_how_often():
    *_, odd = find(make_crowd(0b000010010101, 0b000010010101, 0b010101011011))
    # Two masks take turns two to one over ten tasks: seven times the first.
    assert odd["same-pattern"] == "Selects the same cells in 7 of 10 answers, whatever the grid shows."


def test_who_selects_half_a_grid_is_told_of_runs():
    *_, odd = find(make_crowd(0b000000111111, 0b111111000000, 0b000001111111, 0b001111111000))
    assert odd["long-runs"].startswith("Equal answers lie together in ")


def test_those_who_answer_alike_are_told_of_each_other(rng):
    ledger = make_grids(*[WIDE] * 60)
    number = 1
    for who in range(1, 6):
        noise = np.random.default_rng(7 if who > 3 else who).integers(0, 2**12, 60)
        rows = [(task, who, int(noise[task - 1])) for task in range(1, 61)]
        book(ledger, *rows, first=number)
        number += 60
    *honest, one, other = find(ledger)
    assert not any("agreement" in flags for flags in honest)
    assert one["agreement"].startswith("Gives the same answers as number 5 on 100.0% of the 720 cells that both saw; ")
    assert other["agreement"].startswith("Gives the same answers as number 4 on 100.0% ")


def test_who_selects_negative_controls_is_flagged_from_where_the_limit_is_below_half():
    grid = [(0, 0), (1, 1), *((image, 2) for image in range(2, 8))]
    # All six negative controls selected: the upper limit of 0 of 6 is 0.459, of 0 of 5 is 0.522.
    assert find(book(make_grids(grid), (1, 7, 0b11111110)))[0] == {
        "negative-controls": "Selects 6 of 6 negative controls, which do not show the class."
    }
    assert find(book(make_grids(grid[:-1]), (1, 7, 0b1111110)))[0] == {}


def test_labels_are_flagged_where_everything_or_nothing_is_selected():
    ledger = make_choices(*[[1, 2, 3]] * 4)
    rows = [(task, who, [1 + (task + who) % 3]) for who in (1, 2) for task in range(1, 5)]
    book(ledger, *rows, *((task, 3, [1, 2, 3]) for task in range(1, 5)), *((task, 4, []) for task in range(1, 5)))
    *_, everything, nothing = find(ledger)
    assert everything["same-answer"] == "Selects every candidate in 4 of 4 answers."
    assert nothing["same-answer"] == "Selects no label in 4 of 4 answers."


def test_those_who_label_alike_are_told_of_each_other():
    ledger = make_choices(*[[1, 2, 3, 4]] * 80)
    noise = np.random.default_rng(5).integers(1, 5, (5, 80)).tolist()
    noise[4] = noise[3]
    rows = [(task, who, [noise[who - 1][task - 1]]) for task in range(1, 81) for who in range(1, 6)]
    *honest, one, other = find(book(ledger, *rows))
    assert not any("agreement" in flags for flags in honest)
    assert one["agreement"].startswith("Gives the same answers as number 5 on 100.0% of the 80 images that both saw; ")
    assert other["agreement"].startswith("Gives the same answers as number 4 on 100.0% ")


def test_a_task_with_one_candidate_is_no_sign():
    ledger = make_choices(*[[1]] * 4)
    assert find(book(ledger, *((task, 3, [1]) for task in range(1, 5)))) == [{}]


def take_place(place: int, *, number: int, candidates: list[int]) -> list[int]:
    """The label that an answer of this number saw at a place of its page."""
    return [candidates[find_places(len(candidates), number)[place]]]


def make_first(n: int) -> Ledger:
    """One annotator who takes what stands first on each of so many pages."""
    ledger = make_choices(*[[3, 5, 8, 9]] * n)
    return book(ledger, *((task, 7, take_place(0, number=task, candidates=[3, 5, 8, 9])) for task in range(1, n + 1)))


def test_who_always_takes_what_stands_at_one_place_is_flagged_alone_and_among_others():
    offered = [[3, 5, 8, 9]] * 12
    alone = [(task, 7, take_place(2, number=task, candidates=offered[0])) for task in range(1, 13)]
    sentence = (
        "Names the label at position 3 as the main one in 12 of the latest 12 answers that choose one of several, "
        "whatever is offered there."
    )
    assert find(book(make_choices(*offered), *alone)) == [{"same-position": sentence}]
    others = [(task, who, [5]) for who in (1, 2, 3) for task in range(1, 13)]
    ledger = book(book(make_choices(*offered), *alone), *others, first=100)
    assert [flags.get("same-position") for flags in find(ledger)] == [sentence, None, None, None]


def test_the_latest_answers_tell_who_takes_one_place():
    offered = [[3, 5, 8, 9]] * 100
    rows = [
        (task, 7, take_place(0 if task > 55 else task % 4, number=task, candidates=offered[0]))
        for task in range(1, 101)
    ]
    assert "in 40 of the latest 40 answers" in find(book(make_choices(*offered), *rows))[0]["same-position"]


def test_too_few_answers_or_one_candidate_tell_no_place():
    two = [(task, 7, take_place(0, number=task, candidates=[3, 5])) for task in range(1, 11)]
    # Ten coins that fall alike, either way: 2 in 1,024.
    assert "same-position" not in find(book(make_choices(*[[3, 5]] * 10), *two))[0]
    assert find(book(make_choices(*[[3]] * 30), *((task, 7, [3]) for task in range(1, 31)))) == [{}]


def test_nobody_who_looks_is_flagged_for_a_place(rng):
    """In 60 campaigns of one or six people who name what they see, some of them nearly always the same class."""
    n_flagged = 0
    for campaign in range(60):
        ledger, number = make_choices(*[[0, 1, 2, 3, 4]] * 25), 1
        for who in range(1, 2 if campaign % 2 else 7):
            seen = np.where(rng.random(25) < rng.choice([0.3, 0.98]), 2, rng.integers(0, 5, 25)).tolist()
            book(ledger, *((task, who, [seen[task - 1]]) for task in range(1, 26)), first=number)
            number += 25
        n_flagged += sum("same-position" in flags for flags in find(ledger))
    assert n_flagged == 0


def test_who_labels_in_no_time_is_flagged():
    ledger = make_choices(*[[1, 2]] * 3)
    rows = [(task, who, [1]) for who in (1, 2, 3) for task in (1, 2, 3)]
    book(ledger, *rows, seconds=[9.0] * 6 + [2.0] * 3)
    assert find(ledger)[2] == {"too-fast": "Takes 2 s per task, less than a third of the 9 s of the median annotator."}


def test_who_answers_otherwise_when_asked_again_is_flagged():
    ledger = make_grids(*[WIDE] * 4, *[WIDE] * 4, sources=[0, 0, 0, 0, 1, 2, 3, 4])
    for who in (1, 2, 3, 4):
        book(ledger, *((task, who, HONEST[task]) for task in range(1, 5)), first=100 * who)
        again = [(task + 4, who, HONEST[task] ^ (0b111111111111 if who == 4 else 0)) for task in range(1, 5)]
        book(ledger, *again, first=100 * who + 50, status=REPEAT)
    *honest, other = find(ledger)
    assert not any("inconsistent" in flags for flags in honest)
    assert other["inconsistent"] == (
        "Answers as before on 0.0% of 48 votes when asked again; the median annotator on 100.0%."
    )


def test_a_ledger_without_answers_has_no_flags():
    assert find(make_grids(WIDE)) == []


def claim(*claimed: float) -> Ledger:
    """Somebody who takes two seconds for each answer and claims these."""
    rows = [(task, 1, 1 << task) for task in range(1, len(claimed) + 1)]
    return book(make_grids(*[WIDE] * len(claimed)), *rows, seconds=[2.0] * len(claimed), claimed=list(claimed))


def test_who_claims_more_time_than_there_was_is_told_how_often():
    # A second more may be the clock's; not two.
    assert find(claim(2.0, 3.0, 45.0, 45.0)) == [
        {"impossible-times": "Claims more time than had passed for 2 answers; only time that had passed is credited."}
    ]
    assert "for 1 answer;" in find(claim(2.0, 4.0))[0]["impossible-times"]
    assert find(claim(2.0, 3.0)) == [{}]


def make_hasty(seconds: float) -> Ledger:
    """Somebody alone who takes so many seconds for each of four grids of twelve images."""
    rows = [(task, 1, 1 << task) for task in range(1, 5)]
    return book(make_grids(*[WIDE] * 4), *rows, seconds=[12 * seconds] * 4)


def make_favourite() -> Ledger:
    """Somebody alone who selects the third image of every grid."""
    rows = [(task, 1, 0b100) for task in range(1, 9)]
    return book(make_grids(*[WIDE] * 8), *rows, seconds=[20.0] * 8)


def test_a_lone_clicker_is_told_what_looking_takes():
    assert find(make_hasty(0.05)) == [{"too-fast": "Takes 0.05 s per image, less than the floor of 0.1 s."}]
    assert find(make_hasty(0.5)) == [{}]


def test_a_favourite_place_is_told():
    assert find(make_favourite())[0]["same-position"] == (
        "Selects the image at position 3 in 8 of 8 answers that select some, whatever the grid shows."
    )


def test_a_revision_that_claims_what_there_was_takes_the_flag_off():
    ledger = claim(45.0)
    book(ledger, (1, 1, 0b1), first=2, revisions=[1], seconds=[3.0])
    assert find(ledger) == [{}]
