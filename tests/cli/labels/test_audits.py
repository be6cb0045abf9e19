"""`regauge labels draw-audit` and `regauge labels audit` as a user sees them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.command_runner import Runner, make_runner, read_rows
from tests.storage.small_studies import make_circumstances, make_study
from tests.workflows.labels.review_studies import fill_study, judge_audit, review_images

from regauge.workflows.studies.study import open_study


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Runner:
    """`regauge labels` in a filled study."""
    with make_study(tmp_path) as study:
        fill_study(study)
        review_images(study, ["i000"])
    monkeypatch.chdir(tmp_path / "study")
    return make_runner(monkeypatch, capsys, "labels")


def test_an_audit_is_drawn_and_reported(run, tmp_path):
    path = tmp_path / "audit.json"
    drawn = run("draw-audit", str(path), "--n", "40", "--format", "json")
    assert json.loads(drawn.out)["audits"][0]["n_audited"] == 40
    before = run("audit", str(path), "--labels", "R")
    assert "so nothing is corrected" in before.err
    assert "–" in before.out
    study = open_study(tmp_path / "study", around=make_circumstances())
    judge_audit(study, json.loads(path.read_text())["image_ids"], n_wrong=2)
    study.close()
    found = run("audit", str(path), "--labels", "A")
    assert "Of 40 audited images, 2 have a dataset label that is not accepted" in found.out
    content = json.loads(run("audit", str(path), "--labels", "A", "--format", "json").out)
    assert (content["errors"]["k"], content["errors"]["n"]) == (2, 40)
    rows = read_rows(run("audit", str(path), "--labels", "A", "--format", "csv").out)
    assert [float(row["corrected"]) for row in rows] == [one["corrected"] for one in content["participants"]]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("draw-audit", "a.json", "--n", "0"), "An audit needs at least 1 image, not 0."),
        (("draw-audit", "a.json", "--participant", "x"), "No participant on t matches 'x'"),
        (("draw-audit", "study.toml"), "study.toml exists"),
        (("audit", "nothing.json", "--labels", "R"), "there is no such file"),
    ],
)
def test_bad_input_is_one_sentence(run, arguments, said):
    found = run(*arguments)
    assert (found.status, found.out) == (2, "")
    assert said in found.err
    assert not Path("a.json").exists()
