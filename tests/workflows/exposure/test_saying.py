"""What people say of exposure: declarations and names of one person, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.workflows.campaign_studies import add_people, make_pictured

from regauge.errors import InputError
from regauge.storage.events import list_events
from regauge.workflows.exposure.saying import (
    declare_exposure,
    declare_same,
    list_aliases,
    list_declarations,
    retract_declaration,
    separate,
)
from regauge.workflows.exposure.seen import list_set_exposure
from regauge.workflows.people.erasure import erase_annotator
from regauge.workflows.studies.study import Study


@pytest.fixture
def pictured(tmp_path: Path, database: str) -> Iterator[Study]:
    with make_pictured(tmp_path, database=database) as study:
        yield study


@pytest.fixture
def names(pictured) -> list[str]:
    return [one.annotator.name for one in add_people(pictured, None, 4)]


def same(study: Study, one: str, other: str) -> tuple[str, ...]:
    with study.begin() as begun:
        return declare_same(begun, one, other=other)


def list_all(study: Study) -> tuple[tuple[str, ...], ...]:
    with study.read() as reading:
        return list_aliases(reading)


def test_names_of_one_person_come_together_however_they_are_said(pictured, names):
    a, b, c, d = names
    assert same(pictured, a, b) == (a, b)
    assert same(pictured, c, d) == (c, d)
    assert set(same(pictured, d, b)) == {a, b, c, d}
    assert [set(one) for one in list_all(pictured)] == [{a, b, c, d}]


def test_a_name_can_be_taken_apart_again(pictured, names):
    a, b, c, _ = names
    same(pictured, a, b)
    same(pictured, b, c)
    with pictured.begin() as begun:
        separate(begun, b)
    assert list_all(pictured) == ((a, c),)
    with pictured.begin() as begun, pytest.raises(InputError, match="nobody's other name"):
        separate(begun, b)


@pytest.mark.same_sql
@pytest.mark.parametrize(
    ("pair", "problem"), [((0, 0), "one name"), ((0, 1), "one person already"), ((0, 9), "Nobody")]
)
def test_what_says_nothing_new_or_names_nobody_is_refused(pictured, names, pair, problem):
    same(pictured, names[0], names[1])
    one, other = (names[at] if at < len(names) else "nobody" for at in pair)
    with pytest.raises(InputError, match=problem):
        same(pictured, one, other)


def test_erasing_somebody_takes_their_declarations_and_names_away(pictured, names):
    a, b, *_ = names
    same(pictured, a, b)
    with pictured.begin() as begun:
        declare_exposure(begun, a, days=("2020-01-01", None), why=f"{a} wrote the paper")
        declare_exposure(begun, b, days=("2020-01-01", None), why=f"{a} told {b}")
        erase_annotator(begun, a, reason="asked")
    with pictured.read() as reading:
        ((left, _),) = list_declarations(reading)
        assert (left.person.name, a in left.why) == (b, False)
        assert list_aliases(reading) == ()
        assert not any(a in str(event.parameters) for event in list_events(reading))


def test_a_declaration_counts_for_all_images_until_it_is_retracted(pictured, names):
    with pictured.begin() as begun:
        made = declare_exposure(begun, names[0], days=("2020-01-31", "2021-01-31"), why="is an author")
    with pictured.read() as reading:
        (row,) = list_set_exposure(reading).rows
    assert (row.person, row.role, row.n_images, row.first_at, row.last_at, row.why) == (
        names[0],
        "declared",
        24,
        "2020-01-31",
        "2021-01-31",
        "is an author",
    )
    with pictured.begin() as begun:
        retract_declaration(begun, made.id)
        with pytest.raises(InputError, match="no declaration"):
            retract_declaration(begun, made.id)
    with pictured.read() as reading:
        assert list_set_exposure(reading).rows == ()


@pytest.mark.same_sql
@pytest.mark.parametrize(
    ("days", "why", "problem"),
    [
        (("31.1.2020", None), "x", "written as 2026-01-31"),
        (("2020-02-30", None), "x", "written as 2026-01-31"),
        (("2020-02-01", "2020-01-01"), "x", "before it begins"),
        (("2999-01-01", None), "x", "in the future"),
        (("2020-01-01", None), "  ", "Say why"),
        (("2020-01-01", None), "x" * 501, "Say why"),
    ],
)
def test_a_declaration_of_no_day_or_without_a_reason_is_refused(pictured, names, days, why, problem):
    with pictured.begin() as begun, pytest.raises(InputError, match=problem):
        declare_exposure(begun, names[0], days=days, why=why)


def test_a_declaration_of_nobody_or_of_no_set_is_refused(pictured, names):
    for person, test_set, problem in (("nobody", None, "Nobody is called"), (names[0], "elsewhere", "elsewhere")):
        with pictured.begin() as begun, pytest.raises(InputError, match=problem):
            declare_exposure(begun, person, test_set=test_set, days=("2020-01-01", None), why="x")
