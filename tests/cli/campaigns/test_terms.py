"""The terms of a campaign on the command line."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.cli.command_runner import Result, make_runner
from tests.workflows.campaign_studies import make_pictured
from tests.workflows.quiz_campaigns import add_known

Run = Callable[..., Result]
GRID = ("--test-set", "pictures", "--controls", "known", "--cells", "8", "--positive", "2", "--negative", "2")
EVERYTHING = {
    "pay": {"per_task": 0.12, "currency": "EUR", "minimum_hourly": 12.5, "fee": 0.3},
    "newness": "required",
    "quiz": {"n_questions": 4, "pass_mark": 0.7, "max_attempts": 3, "classes": [0, 2]},
    "repeats": 0.1,
    "break_minutes": 25,
    "prolific": None,
    "mturk_tasks": 0,
    "washout_days": 180,
    "washout_warns": True,
}


@pytest.fixture
def run(tmp_path: Path, monkeypatch, capsys) -> Iterator[Run]:
    with make_pictured(tmp_path) as study:
        add_known(study, tmp_path)
        yield make_runner(monkeypatch, capsys, "campaign")


@pytest.fixture
def study(tmp_path: Path) -> tuple[str, str]:
    return ("--study", str(tmp_path / "study"))


def find_terms(result: Result) -> dict[str, object]:
    assert result.status == 0, result.err
    (campaign,) = json.loads(result.out)["campaigns"]
    return dict(campaign["terms"])


def test_every_term_can_be_typed_and_is_shown_by_status(run: Run, study: tuple[str, str]) -> None:
    money = ("--pay", "0.12", "--currency", "EUR", "--minimum-hourly", "12.5", "--fee", "0.3")
    quiz = ("--quiz", "4", "--pass-mark", "0.7", "--attempts", "3", "--quiz-class", "airplane", "--quiz-class", "2")
    care = ("--repeats", "0.1", "--break-after", "25", "--new-annotators", "required")
    seen = ("--washout", "180d", "--washout-warns")
    made = run("create", "contains", "grids", *GRID, *money, *quiz, *care, *seen, *study, "--format", "json")
    assert find_terms(made) == EVERYTHING
    assert find_terms(run("status", *study, "--format", "json")) == EVERYTHING
    assert "terms" not in run("status", *study).out


def test_classify_takes_the_same_terms_and_controls(run: Run, study: tuple[str, str], tmp_path: Path) -> None:
    candidates = tmp_path / "candidates.csv"
    candidates.write_text("image_id,class\ni0,0\ni0,1\ni1,1\n")
    words = ("--test-set", "pictures", "--controls", "known", "--quiz", "4")
    made = run("create", "classify", "labels", str(candidates), *words, *study, "--format", "json")
    assert find_terms(made)["quiz"] == {"n_questions": 4, "pass_mark": 0.8, "max_attempts": 2, "classes": []}


def test_terms_change_what_is_typed_and_nothing_else(run: Run, study: tuple[str, str]) -> None:
    run("create", "contains", "grids", *GRID, "--pay", "0.1", "--quiz", "4", *study)
    changed = find_terms(run("terms", "grids", "--fee", "0.2", "--pass-mark", "0.5", *study, "--format", "json"))
    assert changed["pay"] == {"per_task": 0.1, "currency": "USD", "minimum_hourly": None, "fee": 0.2}
    assert changed["quiz"] == {"n_questions": 4, "pass_mark": 0.5, "max_attempts": 2, "classes": []}
    shown = run("terms", "grids", *study)
    assert "quiz pass_mark" in shown.out
    assert "0.5" in shown.out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--fee", "0.1"), "go with --pay"),
        (("--attempts", "3"), "go with --quiz"),
        (("--pay", "-1"), "A task pays 0 to 1,000"),
        (("--repeats", "0.9"), "share of hidden repeats is 0 to 0.5"),
        (("--break-after", "999"), "up to 240 minutes"),
        (("--quiz", "4", "--quiz-class", "unicorn"), "'unicorn' is not a class"),
        (("--quiz", "49"), "asks 49 questions, but its classes have 32 images"),
    ],
)
def test_terms_that_make_no_sense_are_one_sentence(run: Run, study: tuple[str, str], words, message) -> None:
    result = run("create", "contains", "grids", *GRID, *words, *study)
    assert (result.status, result.out) == (2, "")
    assert message in result.err
    assert json.loads(run("status", *study, "--format", "json").out) == {"campaigns": []}


def test_texts_come_from_files_and_keep_what_is_not_given(run: Run, study: tuple[str, str], tmp_path: Path) -> None:
    for name in ("warning", "training"):
        (tmp_path / f"{name}.txt").write_text(f"The {name}.\n", encoding="utf-8")
    run("create", "contains", "grids", *GRID, "--training", str(tmp_path / "training.txt"), *study)
    assert run("texts", "grids", "--warning", str(tmp_path / "warning.txt"), *study).status == 0
    connection = sqlite3.connect(tmp_path / "study" / "study.db")
    found = connection.execute("SELECT warning, training FROM campaign_texts ORDER BY version").fetchall()
    connection.close()
    assert found == [("", "The training."), ("The warning.", "The training.")]


def test_a_text_that_is_not_utf_8_is_refused(run: Run, study: tuple[str, str], tmp_path: Path) -> None:
    (tmp_path / "latin.txt").write_bytes("Bären".encode("latin-1"))
    result = run("create", "contains", "grids", *GRID, "--training", str(tmp_path / "latin.txt"), *study)
    assert result.status == 2
    assert "is not text in UTF-8" in result.err


def test_whoever_changes_texts_second_sees_both(run: Run, study: tuple[str, str], tmp_path: Path) -> None:
    for name in ("first", "second", "third"):
        (tmp_path / f"{name}.txt").write_text(f"The {name} words.\n", encoding="utf-8")
    run("create", "contains", "grids", *GRID, *study)
    first, second, third = (("--consent", str(tmp_path / f"{name}.txt")) for name in ("first", "second", "third"))
    assert run("texts", "grids", *first, *study).status == 0
    refused = run("texts", "grids", *second, *study)
    assert (refused.status, "give --from 2." in refused.err) == (2, True)
    assert "consent, version 2:\n  The first words.\nconsent, yours:\n  The second words.\n" in refused.err
    assert run("texts", "grids", *third, "--from", "2", *study).status == 0


@pytest.mark.parametrize(("words", "message"), [("", "is empty"), ("\u200b", "shows no text")])
def test_a_consent_that_shows_nothing_is_refused(
    run: Run, study: tuple[str, str], tmp_path: Path, *, words: str, message: str
) -> None:
    (tmp_path / "consent.txt").write_text(words, encoding="utf-8")
    given = ("--consent", str(tmp_path / "consent.txt"))
    result = run("create", "contains", "grids", *GRID, *given, *study)
    assert (result.status, message in result.err) == (2, True)
    run("create", "contains", "grids", *GRID, *study)
    assert message in run("texts", "grids", *given, *study).err


def test_a_washout_is_any_time_that_people_write_and_one_given_anew_keeps_people_out(
    run: Run, study: tuple[str, str]
) -> None:
    assert run("create", "contains", "grids", *GRID, "--washout", "26w", "--washout-warns", *study).status == 0
    terms = find_terms(run("terms", "grids", "--washout", "6m", *study, "--format", "json"))
    assert (terms["washout_days"], terms["washout_warns"]) == (180, False)
    terms = find_terms(run("terms", "grids", "--washout-warns", *study, "--format", "json"))
    assert (terms["washout_days"], terms["washout_warns"]) == (180, True)
    terms = find_terms(run("terms", "grids", "--washout", "0", *study, "--format", "json"))
    assert (terms["washout_days"], terms["washout_warns"]) == (0, False)


def test_a_washout_that_is_no_time_or_that_only_warns_of_nothing_is_refused(run: Run, study: tuple[str, str]) -> None:
    strange = run("create", "contains", "grids", *GRID, "--washout", "half a year", *study)
    assert strange.status == 2
    assert "days, weeks, months or years such as 180d" in strange.err
    nothing = run("create", "contains", "grids", *GRID, "--washout-warns", *study)
    assert nothing.status == 2
    assert "goes with --washout" in nothing.err
