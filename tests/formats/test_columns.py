from __future__ import annotations

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from regauge.formats.columns import find_repeated_row, number_texts


@given(st.lists(st.text(max_size=3), max_size=50))
def test_texts_are_numbered_by_first_appearance(texts):
    found = number_texts(pl.Series(texts, dtype=pl.String))
    distinct = list(dict.fromkeys(texts))
    # NumPy's texts do not keep zero characters at their end.
    assert found.texts.tolist() == [text.rstrip("\0") for text in distinct]
    assert found.codes.tolist() == [distinct.index(text) for text in texts]


@given(st.lists(st.integers(0, 2**40), max_size=50))
def test_the_first_repeat_is_found_with_the_row_it_repeats(codes):
    seen: dict[int, int] = {}
    expected = None
    for row, code in enumerate(codes):
        if code in seen:
            expected = (row, seen[code])
            break
        seen[code] = row
    assert find_repeated_row(np.array(codes, np.int64)) == expected
