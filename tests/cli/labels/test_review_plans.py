"""`regauge labels plan` and `regauge labels settled` as a user sees them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.command_runner import Runner, make_runner, read_rows
from tests.storage.small_studies import make_circumstances, make_study
from tests.workflows.labels.review_studies import fill_study, review_images

from regauge.workflows.studies.study import open_study

BOTH = ("--participant", "strong", "--participant", "weak", "--simulations", "20")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Runner:
    """`regauge labels` in a filled study."""
    with make_study(tmp_path) as study:
        fill_study(study)
        review_images(study, ["i000"])
    monkeypatch.chdir(tmp_path / "study")
    return make_runner(monkeypatch, capsys, "labels")


def test_a_plan_is_a_table_and_says_what_was_simulated(run):
    found = run("plan", *BOTH)
    assert found.status == 0
    assert "Until settled, of" in found.out
    assert "Note: The review was simulated 20 times, with the verdicts on open items drawn from how many" in found.err


def test_programs_get_all_fields(run):
    content = json.loads(run("plan", *BOTH, "--format", "json").out)
    assert (content["test_set"], content["metric"], content["participants"]) == (
        "t",
        "multilabel_strict",
        ["strong", "weak"],
    )
    (pair,) = content["pairs"]
    assert pair["items_low"] <= pair["items"] <= pair["items_high"] <= content["n_items"]
    assert pair["hours"] == pytest.approx(pair["items"] * 3 * 15 / 3_600)
    (row,) = read_rows(run("plan", *BOTH, "--format", "csv").out)
    assert float(row["items"]) == pair["items"]


def test_a_plan_is_kept_and_followed(run, tmp_path):
    path = str(tmp_path / "plan.json")
    made = run("plan", *BOTH, "--labels", "R", "--write", path)
    assert f"wrote {path}" in made.err
    nothing = run("settled", path)
    assert "strong against weak: open, about" in nothing.out
    study = open_study(tmp_path / "study", around=make_circumstances())
    review_images(study, ["i000", *json.loads(Path(path).read_text())["image_ids"]])
    study.close()
    found = run("settled", path)
    assert "strong against weak: settled, strong is ahead, by a sample of" in found.out
    content = json.loads(run("settled", path, "--format", "json").out)
    (pair,) = content["pairs"]
    assert (pair["settled"], pair["by"], pair["n_more"]) == (True, "sample", 0)
    assert pair["forecast_low"] <= pair["forecast"] <= pair["forecast_high"]
    (row,) = read_rows(run("settled", path, "--format", "csv").out)
    assert (row["ahead"], int(row["n_items"])) == ("strong", pair["n_items"])


def test_what_was_planned_without_labels_asks_for_them_by_the_name_of_the_option(run, tmp_path):
    path = str(tmp_path / "plan.json")
    run("plan", *BOTH, "--write", path)
    refused = run("settled", path)
    assert (refused.status, refused.out) == (2, "")
    assert "name the label set that has them with --labels: there is 'R'." in " ".join(refused.err.split())
    assert run("settled", path, "--labels", "R").status == 0
    unknown = run("settled", path, "--labels", "R", "--without", "x")
    assert "1 image is not in the plan, so --without says nothing of it: 'x'." in unknown.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("plan", "--participant", "strong"), "Name at least 2 participants, each once."),
        (("plan", *BOTH, "--level", "1"), "A confidence level lies strictly between 0 and 1"),
        (("plan", *BOTH, "--reviewers", "0"), "An item is judged by 1 to 100 people, not 0."),
        (("plan", *BOTH, "--labels", "x"), "no label set 'x'"),
        (("settled", "nothing.json"), "there is no such file"),
        (("settled", "study.toml"), "study.toml"),
    ],
)
def test_bad_input_is_one_sentence(run, arguments, said):
    found = run(*arguments)
    assert (found.status, found.out) == (2, "")
    assert said in found.err
    assert "Traceback" not in found.err
