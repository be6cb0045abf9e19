"""Two participants' mistakes: by hand, and the numbers of the paper."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.mistakes.small_sources import BEFORE, FIRST, IDS, SECOND, aim, answer

from regauge.errors import InputError
from regauge.evaluation.targets import line_up
from regauge.mistakes.finding import apply_labels, find_mistakes
from regauge.mistakes.overlap import compare_answers
from regauge.records.labels.label_set import LabelSet, Truth
from regauge.records.mistakes.overlaps import OVERLAPS, Overlap

APPLIED = apply_labels(aim(BEFORE))


def test_what_is_corrected_new_and_common_by_hand() -> None:
    # First errs on a, b, c, d; second on c with the same answer and on d with another.
    overlap = compare_answers(FIRST, SECOND, applied=APPLIED)
    assert {one: overlap.count(one) for one in OVERLAPS} == {
        Overlap.CORRECTED: 2,
        Overlap.NEW: 0,
        Overlap.DIFFERENT: 1,
        Overlap.SAME: 1,
    }
    assert overlap.image_ids.tolist() == ["a", "b", "c", "d"]
    assert (overlap.first_wrong.k, overlap.second_wrong.k, overlap.n_images) == (4, 2, 4)
    # Two are corrected and none is new: p = 2 · ½².
    assert overlap.p == pytest.approx(0.5)
    assert overlap.difference.value == pytest.approx(-0.5)


def test_answers_that_nobody_has_judged_are_counted_apart() -> None:
    overlap = compare_answers(FIRST, SECOND, applied=APPLIED)
    assert (overlap.count_novel(Overlap.DIFFERENT), overlap.count_novel(Overlap.SAME)) == (1, 1)
    assert (overlap.count_novel(Overlap.NEW), overlap.count_novel(Overlap.CORRECTED)) == (0, 0)


def test_turned_round_corrected_and_new_change_places() -> None:
    overlap, back = (compare_answers(*pair, applied=APPLIED) for pair in ((FIRST, SECOND), (SECOND, FIRST)))
    assert back.count(Overlap.NEW) == overlap.count(Overlap.CORRECTED)
    assert back.p == overlap.p
    assert (back.difference.low, back.difference.high) == pytest.approx(
        (-(overlap.difference.high or 0), -(overlap.difference.low or 0))
    )


def test_the_numbers_of_the_paper_come_out_of_answers_that_have_them() -> None:
    # Vasudevan et al. (2022, §4.3): 380 mistakes, of which 209 are corrected and 28 answered otherwise; 170 are new; 341 in all.
    n = 1_000
    ids = [f"i{number}" for number in range(n)]
    first, second = np.zeros(n, int), np.zeros(n, int)
    first[:380] = 1
    second[209:380] = 1
    second[209:237] = 2
    second[380:550] = 1
    labels = LabelSet.from_lists("panel", ids, correct=[[0]] * n, wrong=[[]] * n)
    applied = apply_labels(line_up(Truth(None, (labels,))))
    overlap = compare_answers(
        answer("vit", first.tolist(), ids), answer("soups", second.tolist(), ids), applied=applied
    )
    assert [overlap.count(one) for one in (Overlap.CORRECTED, Overlap.NEW, Overlap.DIFFERENT)] == [209, 170, 28]
    assert overlap.second_wrong.k == 341
    assert overlap.count_novel(Overlap.NEW) + overlap.count_novel(Overlap.DIFFERENT) == 198


def test_images_that_only_one_answered_take_no_part() -> None:
    overlap = compare_answers(FIRST, answer("half", [1, 3], ["a", "c"]), applied=APPLIED)
    assert (overlap.n_images, overlap.image_ids.tolist()) == (2, ["a", "c"])


def test_participants_without_an_image_in_common_are_refused() -> None:
    with pytest.raises(InputError, match="have no image in common that labels@1 judges"):
        compare_answers(answer("one", [1], ["a"]), answer("other", [1], ["b"]), applied=APPLIED)


answers = st.lists(st.integers(0, 3), min_size=5, max_size=5)


@given(answers, answers)
def test_first_minus_corrected_plus_new_is_second(one: list[int], other: list[int]) -> None:
    pair = (answer("one", one), answer("other", other))
    overlap = compare_answers(*pair, applied=APPLIED)
    n_first, n_second = (find_mistakes(each, APPLIED).n_mistakes for each in pair)
    assert n_first - overlap.count(Overlap.CORRECTED) + overlap.count(Overlap.NEW) == n_second
    assert len(overlap) == sum(overlap.count(each) for each in OVERLAPS)
    assert set(overlap.image_ids.tolist()) <= set(IDS)
