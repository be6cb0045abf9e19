"""What the things of a study may be called."""

from __future__ import annotations

import pytest

from regauge.errors import InputError
from regauge.records.names import MAX_NAME, check_name


@pytest.mark.parametrize(
    "name", ["a", "val", "ImageNet v2 – matched", "größer", "a.b", ".hidden", "x" * MAX_NAME, "=1+1", "-5"]
)
def test_names_that_can_be_seen_and_lead_nowhere_are_names(name: str) -> None:
    assert check_name(name, what="A test set") == name


@pytest.mark.parametrize(
    "name",
    [
        *("", " ", "a ", " a", ".", "..", "a/b", "../a", "a\\b", "a@2", "@", "x" * (MAX_NAME + 1)),
        *("a\nb", "a\tb", "a\x00", "a\u200bb", "a\u202eb", "\ud800", "a\u2028b"),
    ],
)
def test_others_are_refused_by_one_sentence(name: str) -> None:
    with pytest.raises(InputError, match="A label set has a name of 1 to 200 printable characters"):
        check_name(name, what="A label set")
