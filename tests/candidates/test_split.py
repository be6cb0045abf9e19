"""Where images go after CONTAINS: each test, their order, and plain fractions as an oracle."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.candidates.selection_counts import make_counts, make_labels

from regauge.candidates.split import split_images
from regauge.errors import InputError
from regauge.records.candidates import SplitPart

pairs = st.integers(0, 9).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


def split_one(counts: dict[int, tuple[int, int]], label: int = 0) -> SplitPart:
    return split_images(make_counts({"a": counts}), make_labels(a=label)).parts[0]


@pytest.mark.parametrize(
    ("counts", "part"),
    [
        # 9/9 against 4/9: more than twice. 8/8 against 4/8: exactly twice, which is not more.
        ({0: (9, 9), 1: (4, 9)}, SplitPart.EASY),
        ({0: (8, 8), 1: (4, 8)}, SplitPart.FOLLOW_UP),
        # The strong rival was shown to five only, so it is not compared.
        ({0: (6, 9), 1: (5, 5), 2: (2, 9)}, SplitPart.EASY),
        ({0: (6, 6)}, SplitPart.EASY),
        ({0: (0, 9), 1: (4, 9)}, SplitPart.MISLABELED),
        # Nobody of six selected it, and nothing speaks against it either: that is mislabeled, not easy.
        ({0: (0, 6)}, SplitPart.MISLABELED),
        # Frequency 0 is tested before the number of annotators.
        ({0: (0, 3), 1: (4, 9)}, SplitPart.MISLABELED),
        ({0: (5, 5), 1: (0, 9)}, SplitPart.AMBIGUOUS),
        # Nobody was shown the dataset label: its frequency is not 0 but unknown.
        ({0: (0, 0), 1: (4, 9)}, SplitPart.AMBIGUOUS),
        ({1: (4, 9)}, SplitPart.AMBIGUOUS),
        ({0: (5, 9), 1: (5, 9)}, SplitPart.FOLLOW_UP),
    ],
)
def test_the_first_test_that_holds_decides(counts: dict[int, tuple[int, int]], part: SplitPart) -> None:
    assert split_one(counts) is part


@given(st.dictionaries(st.integers(0, 4), pairs, min_size=1))
def test_plain_fractions_give_the_same(counts: dict[int, tuple[int, int]]) -> None:
    n_selected, n_shown = counts.get(0, (0, 0))
    others = [Fraction(k, n) for label, (k, n) in counts.items() if label != 0 and n >= 6]
    if n_shown >= 6 and n_selected and all(Fraction(n_selected, n_shown) > 2 * other for other in others):
        expected = SplitPart.EASY
    elif n_shown and not n_selected:
        expected = SplitPart.MISLABELED
    else:
        expected = SplitPart.AMBIGUOUS if n_shown < 6 else SplitPart.FOLLOW_UP
    assert split_one(counts) is expected


def test_the_table_names_the_strongest_other_label() -> None:
    counts = {"a": {0: (9, 9), 4: (3, 9), 2: (3, 9), 1: (5, 5)}, "b": {7: (1, 9)}}
    split = split_images(make_counts(counts), make_labels(a=0, b=7, c=1))
    rows = split.to_frame().to_dicts()
    assert (rows[0]["rival"], rows[0]["rival_n_selected"], rows[0]["rival_n_shown"]) == (2, 3, 9)
    assert (rows[1]["rival"], rows[1]["rival_n_shown"]) == (None, None)
    assert [split.count(part) for part in SplitPart] == [2, 0, 0, 0]
    assert split.notes == ("1 of 3 images of t have no counts and are left out.",)


def test_an_image_without_a_dataset_label_is_refused() -> None:
    with pytest.raises(InputError, match="Image 'a' has selection counts but no dataset label in t"):
        split_images(make_counts({"a": {0: (1, 2)}}), make_labels(b=0))
