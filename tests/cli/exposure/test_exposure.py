"""`regauge exposure`, as a manager types it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.cli.command_runner import Result, make_runner
from tests.workflows.campaign_studies import (
    add_contains,
    add_people,
    answer,
    get_clock,
    make_answer,
    make_pictured,
    take,
)

from regauge.records.exposure.exposures import ExposureRole, NewExposure
from regauge.records.predictions import ParticipantKind
from regauge.records.studies import ParticipantEntry
from regauge.storage.participants import save_participant
from regauge.workflows.exposure.recording import record_exposures
from regauge.workflows.predictions import PredictionSource, add_predictions
from regauge.workflows.studies.study import Study

Run = Callable[..., Result]


@pytest.fixture
def pictured(tmp_path: Path) -> Iterator[Study]:
    with make_pictured(tmp_path) as study:
        yield study


@pytest.fixture
def run(pictured, tmp_path: Path, monkeypatch, capsys) -> Run:
    runner = make_runner(monkeypatch, capsys, "exposure")
    where = ("--study", str(tmp_path / "study"))
    return lambda *words: runner(*words, *where)


@pytest.fixture
def names(pictured) -> list[str]:
    """Two annotators; the first has answered a grid, and saw two more images on cards."""
    grids = add_contains(pictured)
    one, other = add_people(pictured, grids, 2)
    answer(pictured, *(make_answer(task) for task in take(pictured, grids, one)))
    with pictured.begin() as begun:
        at = begun.around.now()
        rows = [NewExposure(one.annotator.id, 1, row, ExposureRole.CARD, 0, at) for row in (0, 1)]
        record_exposures(begun, rows)
    return [one.annotator.name, other.annotator.name]


def read_json(result: Result, name: str) -> list[dict[str, object]]:
    assert result.status == 0, result.err
    found: list[dict[str, object]] = json.loads(result.out)[name]
    return found


def test_the_list_has_a_row_for_each_person_role_and_campaign(run, names):
    rows = read_json(run("list", "--format", "json"), "exposures")
    assert [(row["person"], row["role"], row["campaign"], row["n_images"]) for row in rows] == [
        (names[0], "annotator", "grids", 8),
        (names[0], "class card", "", 2),
    ]
    assert "1 person has seen" in run("list").err


def test_the_list_by_person_counts_an_image_once_and_by_image_names_it(run, names):
    (person,) = read_json(run("list", "--by", "person", "--format", "json"), "exposures")
    images = read_json(run("list", "--by", "image", "--format", "json"), "exposures")
    assert person["n_images"] == len({row["image_id"] for row in images})
    assert {row["person"] for row in images} == {names[0]}
    header, *lines = run("list", "--by", "image", "--format", "csv").out.splitlines()
    assert header == "image_id,person,role,campaign,first_at,last_at,why"
    assert len(lines) == len(images) == 10


def test_an_alias_merges_two_names_and_separate_takes_them_apart(run, names):
    one, other = names
    assert run("alias", other, one).out == f"One person: {other}, {one}.\n"
    (person,) = read_json(run("list", "--by", "person", "--format", "json"), "exposures")
    assert (person["person"], person["also"]) == (other, [one])
    assert read_json(run("list", "--person", one, "--format", "json"), "exposures") != []
    assert read_json(run("aliases", "--format", "json"), "aliases") == [{"person": other, "also": [one]}]
    assert run("separate", one).status == 0
    assert read_json(run("list", "--person", other, "--format", "json"), "exposures") == []


def test_a_declaration_is_listed_counts_and_can_be_retracted(run, names):
    other = names[1]
    made = run(
        "declare", other, "--set", "pictures", "--since", "2020-01-01", "--why", "is an author", "--format", "json"
    )
    (row,) = read_json(made, "declarations")
    assert (row["number"], row["person"], row["test_set"], row["until"], row["why"]) == (
        1,
        other,
        "pictures",
        None,
        "is an author",
    )
    assert read_json(run("declared", "--format", "json"), "declarations") == [row]
    (seen,) = read_json(run("list", "--person", other, "--format", "json"), "exposures")
    assert (seen["role"], seen["n_images"], seen["last_at"]) == ("declared", 24, "")
    assert run("retract", "1").status == 0
    assert "There are no declarations yet." in run("declared").out


def test_who_has_seen_the_images_of_a_campaign_is_told(run, names, pictured):
    (row,) = read_json(run("campaign", "grids", "--format", "json"), "exposures")
    # Its own tasks do not count.
    assert (row["person"], row["n_images"], row["roles"]) == (names[0], 2, ["class card"])
    assert "Nothing keeps these images from them; --washout" in run("campaign", "grids").err


def test_the_effect_is_printed_for_people_and_for_programs(run, names, pictured, tmp_path):
    get_clock(pictured).jump(60)
    for name, n_wrong in zip(names, (2, 6), strict=True):
        file = tmp_path / f"{name}.csv"
        rows = "".join(f"i{number},{(number % 4 + (number < n_wrong)) % 10}\n" for number in range(24))
        file.write_text(f"image_id,class\n{rows}")
        with pictured.begin() as begun:
            add_predictions(begun, PredictionSource(file))
            save_participant(begun, ParticipantEntry(name, ParticipantKind.PERSON))
    found = run("effect", "--format", "json")
    assert found.status == 0, found.err
    content = json.loads(found.out)
    by_labeler = {
        row["is_exposed"]: (row["n_correct"], row["n"]) for row in content["scores"] if row["split"] == "labelers"
    }
    assert by_labeler == {True: (22, 24), False: (18, 24)}
    (difference,) = [row for row in content["differences"] if row["split"] == "labelers"]
    assert difference["interval"] == "newcombe"
    assert difference["low"] < difference["value"] < difference["high"]
    table = run("effect")
    assert "91.7% [73.0, 99.0]" in table.out
    assert "Clopper–Pearson, Newcombe" in table.out
    header = run("effect", "--format", "csv").out.splitlines()[0]
    assert header.startswith("split,labeler,is_exposed,n_labelers,n,n_correct,n_unjudged,value,low,high,interval")


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("list", "--test-set", "none"), "none"),
        (("list", "--person", "nobody"), "Nobody is called 'nobody'"),
        (("campaign", "none"), "none"),
        (("effect",), "predictions add"),
        (("alias", "nobody", "noone"), "Nobody is called 'nobody'"),
        (("retract", "7"), "There is no declaration 7"),
        (("declare", "nobody", "--since", "2020-01-01", "--why", "x"), "Nobody is called 'nobody'"),
    ],
)
def test_what_is_not_there_is_one_sentence(run, pictured, words, problem):
    found = run(*words)
    assert found.status == 2
    assert problem in found.err
    assert "Traceback" not in found.err
