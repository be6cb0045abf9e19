"""The numbers about coded mistakes answer for themselves."""

from __future__ import annotations

from typing import Any

import pytest

from regauge.errors import InputError
from regauge.records.mistakes.summaries import ClassPair, MistakesSettings, SharedMistakes


@pytest.mark.parametrize(("first", "second"), [(3, 3), (4, 3), (-1, 3)])
def test_a_pair_is_two_classes_in_index_order(first: int, second: int) -> None:
    assert ClassPair(3, 4, n=2).n == 2
    with pytest.raises(InputError, match="the smaller index first"):
        ClassPair(first, second, n=1)


def test_shared_images_agree_or_differ() -> None:
    assert SharedMistakes(3, 2, n_only_first=7, n_only_second=8).n_shared == 5


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"level": 1.0}, "A confidence level lies strictly between 0 and 1"),
        ({"seed": -1}, "A seed is a whole number from 0 up, not -1."),
        ({"n_permutations": 99}, "A permutation test takes 100 to 1,000,000 permutations, not 99."),
        ({"n_permutations": 1_000_001}, "not 1,000,001."),
    ],
)
def test_settings_refuse_what_no_test_can_use(options: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError) as caught:
        MistakesSettings(**options)
    assert problem in str(caught.value)
