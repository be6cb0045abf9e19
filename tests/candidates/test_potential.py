"""Potential labels against Python sets, with participants that differ in images and answers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regauge.arrays import NO_CLASS
from regauge.candidates import potential
from regauge.candidates.potential import find_potential_labels
from regauge.errors import InputError
from regauge.records.candidates import PotentialLabels
from regauge.records.predictions import Predictions
from regauge.records.testsets.test_set import TestSet

TEST_SET = TestSet("t", np.array(["a", "b"]), np.array([5, 0]))


def predict(name: str, ids: str, *rows: list[int]) -> Predictions:
    return Predictions(name, np.array(list(ids)), np.array(rows))


def get_labels(found: PotentialLabels, row: int) -> dict[int, int]:
    labels = slice(int(found.starts[row]), int(found.starts[row + 1]))
    return dict(zip(found.classes[labels].tolist(), found.n_participants[labels].tolist(), strict=True))


def test_the_dataset_label_is_there_even_if_nobody_names_it() -> None:
    found = find_potential_labels([predict("m", "ab", [7, 3], [0, 9]), predict("n", "ba", [9, 0], [7, 1])], TEST_SET)
    assert get_labels(found, 0) == {1: 1, 3: 1, 5: 0, 7: 2}
    assert get_labels(found, 1) == {0: 2, 9: 2}
    frame = found.to_frame()
    assert frame["class"].to_list() == [1, 3, 5, 7, 0, 9]
    assert frame["is_dataset_label"].to_list() == [False, False, True, False, True, False]
    assert (found.participants, found.notes) == (("m", "n"), ())


def test_only_the_first_answers_are_taken_and_missing_images_are_said() -> None:
    found = find_potential_labels([predict("m", "b", [4, 9])], TEST_SET, top=1)
    assert (get_labels(found, 0), get_labels(found, 1)) == ({5: 0}, {0: 0, 4: 1})
    assert found.notes == ("m has no answer for 1 of 2 images.",)


def test_participants_with_different_numbers_of_answers_are_united() -> None:
    found = find_potential_labels([predict("m", "ab", [1], [2]), predict("n", "ab", [3, NO_CLASS], [2, 4])], TEST_SET)
    assert (get_labels(found, 0), get_labels(found, 1)) == ({1: 1, 3: 1, 5: 0}, {0: 0, 2: 2, 4: 1})


@pytest.mark.parametrize("n_at_once", [1, 2, 64])
@given(st.lists(st.lists(st.integers(0, 12), min_size=8, max_size=8), min_size=1, max_size=5))
def test_sets_give_the_same_whatever_the_size_of_a_block(n_at_once: int, answers: list[list[int]]) -> None:
    predictions = [predict(f"m{n}", "ab", row[:4], row[4:]) for n, row in enumerate(answers) if _is_valid(row)]
    if not predictions:
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(potential, "_N_AT_ONCE", n_at_once)
        found = find_potential_labels(predictions, TEST_SET)
    for row, label in enumerate(TEST_SET.labels.tolist()):
        lists = [one.classes[row].tolist() for one in predictions]
        counts = {one: sum(one in answered for answered in lists) for one in {label, *(x for y in lists for x in y)}}
        assert get_labels(found, row) == dict(sorted(counts.items()))


def _is_valid(row: list[int]) -> bool:
    """A participant names a class once per image."""
    return len(set(row[:4])) == len(set(row[4:])) == 4


def test_what_cannot_be_used_is_refused() -> None:
    with pytest.raises(InputError, match="at least one participant"):
        find_potential_labels([], TEST_SET)
    with pytest.raises(
        InputError, match="m and t share no image id: the test set's first is 'a', the participant's 'z'"
    ):
        find_potential_labels([predict("m", "z", [1])], TEST_SET)
    with pytest.raises(InputError, match="At least one answer of each participant is needed, not 0"):
        find_potential_labels([predict("m", "a", [1])], TEST_SET, top=0)
