"""Lines that were added and removed, and nothing lost between."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from regauge.guide.diffs import diff_texts
from regauge.records.guide.entries import LineChange

TEXTS = st.lists(st.sampled_from(["a", "b", "", "  "]), max_size=8).map("\n".join)


@given(TEXTS, TEXTS)
def test_both_texts_can_be_read_from_their_difference(old, new):
    found = diff_texts(old, new)
    kept = {LineChange.REMOVED: old, LineChange.ADDED: new}
    for change, text in kept.items():
        lines = [line.text for line in found if line.change in {LineChange.SAME, change}]
        assert "\n".join(lines) == text


def test_a_text_that_stays_has_no_change():
    assert {line.change for line in diff_texts("a\nb", "a\nb")} == {LineChange.SAME}
    assert diff_texts("", "") == ()
