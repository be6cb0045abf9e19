"""What things and people can be called: names by one rule, that look alike, hide something or show nothing."""

from __future__ import annotations

import pytest

from regauge.errors import InputError
from regauge.records.names import MAX_NAME, check_name, check_new_names, fold_name, is_blank

HIDDEN = (
    "\u200b",
    "\u200d",
    "\u200e",
    "\u202e",
    "\u2066",
    "\ufeff",
    "\u00ad",
    "\u2060",
    "\u034f",
    "\u3164",
    "\ufe0f",
    "\x07",
)
ALIKE = (("Crowd", "crowd"), ("ｃrowd", "crowd"), ("ﬁne", "fine"), ("Straße", "STRASSE"), ("e\u0301te", "\u00e9te"))


@pytest.mark.parametrize("character", HIDDEN)
def test_a_character_that_cannot_be_seen_is_named(character: str) -> None:
    with pytest.raises(InputError, match=f"A campaign cannot be called .*U\\+{ord(character):04X}"):
        check_new_names([f"gr{character}ids"], (), what="A campaign")
    assert fold_name(f"gr{character}ids") == fold_name("grids")
    assert is_blank(character * 3)


@pytest.mark.parametrize(("name", "other"), ALIKE)
def test_a_name_that_looks_like_another_is_refused(name: str, other: str) -> None:
    for taken, names in (((other,), [name]), ((), [other, name])):
        with pytest.raises(InputError, match="looks like"):
            check_new_names(names, taken, what="Somebody")


def test_the_very_same_name_and_others_are_fine() -> None:
    check_new_names(["crowd", "crowd-2", "été 犬", "a b"], ["crowd", "grids"], what="A label set")


def test_a_text_with_one_letter_is_not_blank() -> None:
    assert not is_blank("\u200b.\u200b")


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
        *(f"gr{character}ids" for character in HIDDEN),
    ],
)
def test_others_are_refused_by_one_sentence(name: str) -> None:
    with pytest.raises(InputError, match="A label set has a name of 1 to 200 printable characters"):
        check_name(name, what="A label set")
