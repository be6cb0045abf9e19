"""Judged sets and pools refuse counts that cannot be."""

from __future__ import annotations

import pytest
from tests.evaluation.judged_sets import make_set

from regauge.errors import InputError
from regauge.records.evaluation.judged_sets import CandidateCounts, JudgedSet


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_shown": [10, 0, 10]}, "seen by an annotator"),
        ({"n_selected": [11, 0, 1]}, "selected by no more than saw it"),
        ({"n_shown": [10, 10]}, "as many counts"),
        ({"participants": ("a", "b")}, "an outcome for each participant and image"),
        ({"is_correct": [[True, True]]}, "an outcome for each participant and image"),
        ({"image_ids": ["a", "a", "b"]}, "more than once"),
        ({"classes": [0, 1]}, "and classes, where they are given"),
    ],
)
def test_a_judged_set_without_counts_or_outcomes_is_refused(change: dict[str, object], message: str):
    columns = {"image_ids": ["a", "b", "c"], "n_shown": [10] * 3, "n_selected": [1] * 3, "participants": ("a",)}
    with pytest.raises(InputError, match=message):
        JudgedSet("old", **{**columns, "is_correct": [[True] * 3], **change})  # type: ignore[arg-type]


def test_two_participants_of_one_name_are_refused():
    with pytest.raises(InputError, match="Two participants on old are called 'a'"):
        JudgedSet("old", ["x"], [1], [1], ("a", "a"), [[True], [True]])  # type: ignore[arg-type]


@pytest.mark.parametrize(("n_shown", "n_selected"), [([], []), ([3], [4]), ([0], [0]), ([3, 3], [1])])
def test_a_pool_needs_candidates_that_somebody_saw(n_shown: list[int], n_selected: list[int]):
    with pytest.raises(InputError, match="pool"):
        CandidateCounts(n_shown, n_selected)  # type: ignore[arg-type]


def test_a_set_says_how_large_it_is():
    assert repr(make_set("old", "1010", [1])) == "<JudgedSet old: 4 images, 1 participants>"
