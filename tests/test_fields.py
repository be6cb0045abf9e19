"""Settings as tables: what may be typed, what came as JSON, and what holds where nothing was given."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regauge.errors import InputError
from regauge.fields import (
    Checkbox,
    Choice,
    Field,
    FieldError,
    KnownName,
    Names,
    TextValue,
    check_values,
    fill_in,
    parse_form,
)
from regauge.ranges import MINUTES, PERCENT, SHARE, WHOLE_PERCENT, Range

WHOLE = Range(1, 50, is_whole=True)
COUNT = Field("n", "Count", WHOLE, "So many.", 10)
FEE = Field("fee", "Fee, %", SHARE, "A fee.", 0.0, unit=PERCENT, is_optional=True)
MARK = Field("mark", "Mark, %", Range(0, 1, excludes_low=True), "A mark.", 0.8, unit=WHOLE_PERCENT)
LEASE = Field("seconds", "Minutes", Range(1, 3_600, is_whole=True), "So long.", 1_800, input="minutes", unit=MINUTES)
BOX = Field("has_more", "More", Checkbox(), "More of it.", default=False)
MORE = Field("more", "How much", WHOLE, "So much.", 7, when="has_more")
NEW = Field("new", "New only", Choice({"maybe": "Maybe", "surely": "Surely"}, ticked="surely"), "New.", "maybe")
SIZE = Field(
    "size", "As in", Choice({"small": "Small", "large": "Large"}, brings={"large": {"n": 40}}), "As in.", "small"
)


@pytest.mark.parametrize(
    ("range_", "inside", "outside"),
    [
        (WHOLE, [1, 50], [0, 51, math.nan]),
        (SHARE, [0, 1, Fraction(1, 3)], [-0.01, 1.01, math.inf]),
        (Range(0, 1, excludes_low=True), [0.01, 1], [0]),
        (Range(0, 0.5, excludes_high=True), [0], [0.5]),
        (Range(0), [0, 10**30], [-1, math.inf]),
    ],
)
def test_a_range_holds_its_ends_unless_it_excludes_them(range_: Range, inside: list[float], outside: list[float]):
    assert all(one in range_ for one in inside)
    assert not any(one in range_ for one in outside)


@pytest.mark.parametrize(
    ("field", "text", "value"),
    [
        (COUNT, " 7 ", 7),
        (FEE, "33.3", 33.3 / 100),
        (FEE, "", 0.0),
        (MARK, "80", 0.8),
        (LEASE, "30", 1_800),
        (Field("who", "Who", Names(), "Who."), " ann, ben ,", ("ann", "ben")),
        (Field("say", "Say", TextValue(20, has_lines=True), "Say."), " a\r\nb\tc ", "a\nb\tc"),
        (NEW, "on", "surely"),
        (NEW, "", "maybe"),
        (BOX, "on", True),
    ],
)
def test_what_is_typed_is_kept_in_the_unit_of_the_setting(field: Field, text: str, value: object):
    assert field.parse(text) == value
    assert type(field.parse(text)) is type(value)


@pytest.mark.parametrize(
    ("field", "text", "sentence"),
    [
        (COUNT, "0", "This is a whole number from 1 to 50, not 0."),
        (COUNT, "", "This is a whole number from 1 to 50, not empty."),
        (COUNT, "1.5", "not 1.5."),
        (COUNT, "٣", "not ٣."),
        (COUNT, "9" * 4_000, "not 9999"),
        (FEE, "101", "This is a number from 0 to 100, not 101."),
        (FEE, "nan", "not nan."),
        (MARK, "0", "This is a whole number from 1 to 100, not 0."),
        (LEASE, "61", "This is a whole number from 1 to 60, not 61."),
        (Field("name", "Name", TextValue(missing="It needs a name."), "A name."), " ", "It needs a name."),
        (Field("name", "Name", TextValue(3), "A name."), "abcd", "This has at most 3 characters, not 4."),
        (Field("name", "Name", TextValue(), "A name."), "a\nb", "This has a character that cannot be shown"),
        (SIZE, "huge", "Choose one of small, large."),
    ],
)
def test_what_cannot_be_is_said_in_the_unit_of_the_form(field: Field, text: str, sentence: str):
    with pytest.raises(FieldError) as caught:
        field.parse(text)
    assert caught.value.field_name == field.input_name
    assert sentence in str(caught.value)
    assert len(str(caught.value)) < 200


@given(st.integers(1, 100))
def test_a_percentage_comes_back_as_it_was_typed(n: int):
    assert MARK.show(MARK.parse(str(n))) == str(n)


@given(st.integers(1, 60))
def test_minutes_come_back_as_they_were_typed(n: int):
    assert LEASE.show(LEASE.parse(str(n))) == str(n)


def test_names_are_shown_as_they_are_typed():
    who = Field("who", "Who", Names(), "Who.", ())
    assert (who.show(()), who.show(("ann", "ben")), who.show(None)) == ("", "ann, ben", "")


def test_every_mistake_of_a_form_is_said_and_what_does_not_matter_has_its_default():
    values, mistakes = parse_form([COUNT, FEE, BOX, MORE], {"n": "0", "fee": "200", "more": "nonsense"})
    assert (values, set(mistakes)) == ({"has_more": False, "more": 7}, {"n", "fee"})
    _, mistakes = parse_form([COUNT, BOX, MORE], {"n": "3", "has_more": "on", "more": "nonsense"})
    assert set(mistakes) == {"more"}


def test_a_field_that_no_form_has_is_not_read_from_one():
    hidden = Field("n", "Count", WHOLE, "So many.", 10, in_form=False)
    assert parse_form([hidden], {"n": "3"}) == ({"n": 10}, {})


@pytest.mark.parametrize(
    ("field", "value"),
    [(COUNT, 1.0), (COUNT, True), (COUNT, "3"), (COUNT, 51), (FEE, 2), (BOX, "yes"), (SIZE, "huge"), (SIZE, 3)],
)
def test_values_of_another_type_or_outside_the_range_are_refused(field: Field, value: object):
    with pytest.raises(FieldError):
        check_values([field], {field.name: value})


def test_values_are_checked_in_the_unit_of_the_setting_and_others_are_left_alone():
    given_values = {"fee": 1, "n": 3, "new": "surely", "else": "?"}
    assert check_values([FEE, COUNT, NEW, BOX], given_values) == {"fee": 1, "n": 3, "new": "surely"}


def test_what_is_given_comes_before_what_a_choice_brings_and_that_before_the_default():
    table = [COUNT, SIZE]
    assert fill_in(table, {}) == {"n": 10, "size": "small"}
    assert fill_in(table, {"size": "large"}) == {"n": 40, "size": "large"}
    assert fill_in(table, {"size": "large", "n": 5}) == {"n": 5, "size": "large"}


def test_help_says_what_holds_otherwise_and_a_form_does_not_repeat_what_it_shows():
    assert (COUNT.explain(), COUNT.hint) == ("So many; 10 by default.", "So many.")
    assert COUNT.explain("at first") == "So many; 10 at first."
    drawn = Field("seed", "Seed", Range(0, is_whole=True), "Decides it.", usual="drawn")
    assert drawn.explain() == drawn.hint == "Decides it; drawn by default."
    other = Field("set", "Set", KnownName("test set", nothing="the same"), "A set.", "")
    assert (other.explain(), other.hint) == ("A set; the same by default.", "A set.")


def test_a_range_refuses_what_is_no_number():
    with pytest.raises(InputError, match="This is a number from 0 to 1, not"):
        SHARE.check([1])


def test_of_a_number_without_an_upper_end_too_many_digits_are_what_is_wrong():
    seed = Range(0, is_whole=True)
    assert seed.parse("9" * 18) == 10**18 - 1
    with pytest.raises(InputError, match=r"^This has at most 18 digits, not 19\.$"):
        seed.parse("9" * 19)
