"""Who works on a campaign, decisions about them, images and estimates on the command line."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.command_runner import Result, make_runner
from tests.storage.small_studies import make_circumstances
from tests.workflows.campaign_studies import add_contains, add_people, answer, make_answer, make_pictured, take

from regauge.records.responses.quality import AnnotatorQuality
from regauge.storage.campaigns.campaign import get_campaign
from regauge.workflows.studies.study import open_study

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch, capsys) -> Run:
    """A campaign whose first annotator selects nothing and whose second selects the first two cells of every grid."""
    with make_pictured(tmp_path) as study:
        campaign = add_contains(study, quota=2)
        for person, mask in zip(add_people(study, campaign, 2), ("0", "3"), strict=True):
            for one in take(study, campaign, person, n=4):
                answer(study, make_answer(one, mask))
    runner = make_runner(monkeypatch, capsys, "campaign")
    return lambda *arguments: runner(*arguments, "--study", str(tmp_path / "study"))


def test_the_table_of_annotators_shows_shares_and_says_whom_the_rules_would_drop(run: Run) -> None:
    result = run("annotators", "grids")
    assert result.status == 0
    assert "annotator-0001" in result.out
    assert "same-answer" in result.out
    assert "annotator-0001: same-answer: Selects no image in 4 of 4 answers." in result.err
    assert "annotator-0001 should be dropped by the rules: Selected less than 20% of the positive" in result.err


def test_programs_get_every_figure(run: Run) -> None:
    first, second = json.loads(run("annotators", "grids", "--format", "json").out)["annotators"]
    assert (first["n_answers"], first["positive_n_right"], first["positive_n"]) == (4, 0, 8)
    assert (first["positive_value"], first["positive_low"]) == (0.0, 0.0)
    assert first["suggestion"].endswith("on 4 of 4 tasks.")
    assert (second["consistency_n"], second["consistency_value"], second["is_dropped"]) == (0, None, False)
    names = set(AnnotatorQuality.__dataclass_fields__) - {"id", "name", "decision"}
    assert all(any(column.startswith(name) for column in first) for name in names)
    rows = list(csv.DictReader(io.StringIO(run("annotators", "grids", "--format", "csv").out)))
    assert [row["annotator"] for row in rows] == ["annotator-0001", "annotator-0002"]


def test_a_campaign_without_answers_has_columns_and_no_annotators(run: Run) -> None:
    made = run("create", "contains", "empty", "--cells", "8", "--positive", "2", "--negative", "2")
    assert made.status == 0, made.err
    header = run("annotators", "empty", "--format", "csv").out.strip()
    assert header == run("annotators", "grids", "--format", "csv").out.splitlines()[0]
    assert json.loads(run("annotators", "empty", "--format", "json").out) == {"annotators": []}
    assert "no annotators yet" in run("annotators", "empty").out


def test_somebody_is_dropped_and_taken_back_with_a_reason(run: Run) -> None:
    dropped = run("drop", "grids", "annotator-0001", "--reason", "selects nothing")
    assert dropped.out == (
        "The answers of annotator-0001 to grids no longer count; 8 answers counted before, 4 do now.\n"
    )
    told = json.loads(run("annotators", "grids", "--format", "json").out)["annotators"][0]
    assert (told["is_dropped"], told["reason"], told["n_counted"], told["suggestion"]) == (
        True,
        "selects nothing",
        0,
        None,
    )
    assert "4 answers counted before, 8 do now" in run("restore", "grids", "annotator-0001", "--reason", "sorry").out
    again = run("restore", "grids", "annotator-0001", "--reason", "sorry")
    assert (again.status, "not dropped" in again.err) == (2, True)


@pytest.mark.parametrize("words", [("drop", "grids", "annotator-0001"), ("drop", "grids", "nobody", "--reason", "x")])
def test_a_decision_needs_a_reason_and_somebody_to_decide_about(run: Run, words: tuple[str, ...]) -> None:
    assert run(*words).status == 2


def test_an_estimate_is_told_in_sentences_with_its_sources(run: Run) -> None:
    result = run("estimate", "grids", "--people", "3", "--hours-per-day", "0.5")
    assert "8 tasks need 16 answers." in result.out
    # 16 × 10 s is 0.044 hours; three people work 1.5 hours a day together.
    assert "At 10 s each that is 0.044 hours of work: 0.03 days" in result.out
    assert "for 3 people at 0.5 hours a day." in result.out
    assert "a default of ours" in result.err
    (found,) = json.loads(run("estimate", "grids", "--format", "json").out)["estimate"]
    assert (found["n_people"], found["hours_per_day"], found["cost"], found["kind"]) == (10, 2.0, None, "contains")


def test_an_image_is_shown_with_every_answer(run: Run) -> None:
    found = json.loads(run("image", "grids", "i5", "--format", "json").out)
    assert (found["image"]["image_id"], found["image"]["dataset_label"]) == ("i5", 1)
    asked = [one["class"] for one in found["image"]["classes"]]
    assert set(asked) == {class_index for one in found["answers"] for class_index in one["asked"]} | set(asked)
    assert len(found["answers"]) >= found["image"]["classes"][0]["n_shown"]
    assert "dataset label 1 automobile" in run("image", "grids", "i5").out
    unknown = run("image", "grids", "i999")
    assert (unknown.status, "has no image 'i999'" in unknown.err) == (2, True)


def test_a_campaign_that_is_not_there_is_named(run: Run) -> None:
    for command in (("annotators", "none"), ("estimate", "none"), ("image", "none", "i1")):
        result = run(*command)
        assert (result.status, "no campaign 'none'" in result.err) == (2, True)


def test_seeds_are_drawn_and_it_is_said_where_controls_come_again(run: Run, tmp_path: Path) -> None:
    shape = ("--cells", "8", "--positive", "2", "--negative", "2")
    for name in ("one", "two"):
        assert (
            "control cells show an image that stands in another task too"
            in run("create", "contains", name, *shape, "--annotators", "2").err
        )
    study = open_study(tmp_path / "study", around=make_circumstances())
    with study.read() as reading:
        seeds = [get_campaign(reading, name).plan.settings["seed"] for name in ("one", "two")]
    study.close()
    assert seeds[0] != seeds[1]
    assert 0 not in seeds


def test_no_answers_per_grid_are_refused_and_not_taken_for_the_preset(run: Run) -> None:
    shape = ("--cells", "8", "--positive", "2", "--negative", "2")
    result = run("create", "contains", "nobody", *shape, "--annotators", "0")
    assert result.status == 2
    assert "1 to" in result.err
    assert "annotators, not 0" in result.err
