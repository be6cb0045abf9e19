"""Whether major mistakes are corrected first: by hand, from files and from answers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from tests.mistakes.small_sources import AFTER, BEFORE, SECOND, aim, answer

from regauge.errors import InputError
from regauge.mistakes.finding import apply_labels
from regauge.mistakes.fixing import compare_files, follow_coded
from regauge.records.mistakes.coded import CodedMistakes


def code(name: str, image_ids: list[str], predictions: list[int], severities: list[int]) -> CodedMistakes:
    return CodedMistakes(
        name,
        np.array(image_ids, np.str_),
        np.array(predictions, np.int32),
        categories=np.zeros(len(image_ids), np.int8),
        severities=np.array(severities, np.int8),
    )


# Mistakes of a first participant: major on a and c, minor on b, borderline on d.
CODED = code("first", ["a", "b", "c", "d"], [1, 3, 0, 0], [0, 1, 0, 2])


def test_what_another_file_does_not_have_is_corrected() -> None:
    found = compare_files(CODED, code("second", ["b", "d", "e"], [3, 1, 1], [1, 1, 1]), level=0.95)
    # Corrected are a and c, both major; kept are b, with the same prediction, and d, with another one, both of them minor.
    assert (found.corrected.k, found.corrected.n, found.kept.k, found.kept.n) == (2, 2, 0, 2)
    assert found.difference.value == 1.0
    assert found.test.chi2 == pytest.approx(4.0)
    # Of the six ways to choose the two that are corrected, one has both majors and one has none.
    assert found.p_exact == pytest.approx(2 / 6)


def test_a_second_participant_keeps_what_it_gets_wrong_with_whichever_answer() -> None:
    # The second is right on a, unclear on b, wrong on c as the first is, wrong on d with another answer.
    found = follow_coded(CODED, SECOND, applied=apply_labels(aim(BEFORE)), level=0.95)
    assert (found.first, found.second) == ("first", "second")
    assert (found.corrected.k, found.corrected.n, found.kept.k, found.kept.n) == (1, 2, 1, 2)
    assert found.difference.value == 0.0
    assert found.p_exact == pytest.approx(1.0)


def test_strict_labels_keep_what_people_found_unclear() -> None:
    found = follow_coded(CODED, SECOND, applied=apply_labels(aim(BEFORE), is_strict=True), level=0.95)
    assert (found.corrected.n, found.kept.n) == (1, 3)


def test_what_the_labels_accept_by_now_is_left_out() -> None:
    # The later labels accept 3 on b and 0 on c, and find d problematic: a alone is a mistake still.
    found = follow_coded(CODED, SECOND, applied=apply_labels(aim(AFTER)), level=0.95)
    assert (found.corrected.n, found.kept.n, found.n_left_out) == (1, 0, 3)
    assert (found.difference.value, found.test.chi2, found.p_exact) == (None, None, None)


def test_images_without_an_answer_are_left_out() -> None:
    found = follow_coded(CODED, answer("half", [0, 1], ["a", "c"]), applied=apply_labels(aim(BEFORE)), level=0.95)
    assert (found.corrected.n, found.kept.n, found.n_left_out) == (1, 1, 2)


def test_mistakes_that_the_labels_all_accept_are_refused() -> None:
    right = code("right", ["a", "b"], [0, 1], [0, 0])
    with pytest.raises(InputError, match="Not one of 2 coded mistakes of right is a mistake under labels@1"):
        follow_coded(right, SECOND, applied=apply_labels(aim(BEFORE)), level=0.95)


def test_images_that_the_label_set_does_not_know_are_left_out() -> None:
    far = code("first", ["a", "x"], [1, 1], [0, 0])
    found = follow_coded(far, SECOND, applied=apply_labels(aim(BEFORE)), level=0.95)
    assert (found.corrected.n, found.n_left_out) == (1, 1)


severities = st.lists(st.integers(0, 2), min_size=12, max_size=12)


@given(severities, st.lists(st.booleans(), min_size=12, max_size=12))
def test_majors_add_up_and_the_test_is_that_of_the_table(codes: list[int], is_kept: list[bool]) -> None:
    ids = [f"i{place}" for place in range(12)]
    coded = code("one", ids, [1] * 12, codes)
    kept = [one for one, is_it in zip(ids, is_kept, strict=True) if is_it]
    found = compare_files(
        coded, code("other", kept or ["far"], [1] * max(1, len(kept)), [0] * max(1, len(kept))), level=0.9
    )
    assert found.corrected.k + found.kept.k == int(coded.is_major.sum())
    assert found.corrected.n + found.kept.n == 12
    if found.p_exact is not None:
        rows = [[one.k, one.n - one.k] for one in (found.corrected, found.kept)]
        assert found.p_exact == pytest.approx(stats.fisher_exact(rows).pvalue, rel=1e-6)
