"""What `regauge export csv`, `jsonl` and `parquet` write is read back: export → score gives the numbers of the study."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.command_runner import Runner, make_runner
from tests.workflows.picture_study import evaluate_all, make_pictured_study

OPTIONS = ("--allow-missing", "--n-bootstrap", "100", "--taxonomy", "cifar-10", "--format", "json")
KEYS = ("participant", "labels", "metric", "subset", "n", "n_correct", "value", "low", "high")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Runner:
    with make_pictured_study(tmp_path) as study:
        evaluate_all(study)
    monkeypatch.chdir(tmp_path / "study")
    return make_runner(monkeypatch, capsys)


def list_scores(output: str) -> list[tuple[Any, ...]]:
    return sorted(tuple(row[key] for key in KEYS) for row in json.loads(output)["scores"])


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_an_export_scores_as_the_study_does(run: Runner, kind: str) -> None:
    stored = run("evaluate", "--allow-missing", "--n-bootstrap", "100", "--format", "json")
    assert run("export", kind, "../out").status == 0
    expected = list_scores(stored.out)
    assert {row[1] for row in expected} == {"dataset", "people@1"}
    whole = run("score", "../out", "--truth", "../out", *OPTIONS)
    assert whole.status == 0, whole.err
    assert list_scores(whole.out) == expected
    named = run(
        "score",
        f"../out/predictions.{kind}#pictures",
        "--truth",
        f"../out/images.{kind}#pictures",
        "--truth",
        f"../out/labels.{kind}",
        *OPTIONS,
    )
    assert list_scores(named.out) == expected
    refused = run("score", "../out", "--truth", f"../out/images.{kind}#others", *OPTIONS)
    assert f"there is no test set 'others' here; write images.{kind}#NAME with one of: pictures." in refused.err


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_an_export_is_added_to_another_study(run: Runner, kind: str) -> None:
    expected = list_scores(run("evaluate", "--allow-missing", "--n-bootstrap", "100", "--format", "json").out)
    assert run("export", kind, "../out").status == 0
    assert run("init", "../again", "--taxonomy", "cifar-10").status == 0
    for words in (
        ("testset", "add", f"../out/images.{kind}"),
        ("predictions", "add", f"../out/predictions.{kind}", "--allow-missing"),
        ("labels", "add", f"../out/labels.{kind}#people", "--name", "people"),
    ):
        result = run(*words, "--study", "../again")
        assert result.status == 0, result.err
    again = run("evaluate", "--allow-missing", "--n-bootstrap", "100", "--format", "json", "--study", "../again")
    assert list_scores(again.out) == expected


def test_images_without_labels_go_all_the_way(run: Runner, tmp_path: Path) -> None:
    """A flat folder is added, asked about, scored on people's labels alone, exported, and read back."""
    (tmp_path / "flat").mkdir()
    for file in (tmp_path / "pictures").glob("*/*.png"):
        (tmp_path / "flat" / file.name).write_bytes(file.read_bytes())
    again = ("--study", "../again")
    assert run("init", "../again", "--taxonomy", "cifar-10").status == 0
    assert "4 images without labels" in run("testset", "add", "../flat", *again).err
    assert "nothing" not in run("status", *again).err
    assert run("predictions", "add", "../good.csv", "../bad.csv", "--allow-missing", *again).status == 0
    nothing = run("evaluate", "--allow-missing", *again)
    assert (nothing.status, nothing.out) == (2, "")
    assert "has no dataset label, verdict, main label, object or frequency, so nothing can be scored" in nothing.err
    assert run("labels", "add", "../people.jsonl", *again).status == 0
    scored = run("evaluate", "--allow-missing", "--format", "json", *again)
    assert {row["labels"] for row in json.loads(scored.out)["scores"]} == {"people@1"}
    shape = ("--cells", "4", "--positive", "0", "--negative", "0", "--annotators", "2")
    refused = run("campaign", "create", "contains", "grids", *shape, *again)
    assert (refused.status, refused.out) == (2, "")
    assert "4 of 4 images of flat have no dataset label, and nothing else says which class to ask about" in refused.err
    (tmp_path / "pairs.csv").write_text("image_id,class\nd,3\nb test,1\n")
    asked = run("campaign", "create", "contains", "grids", "--pairs", "../pairs.csv", *shape, *again)
    assert asked.status == 0, asked.err
    for kind in ("csv", "jsonl", "parquet", "huggingface", "label-studio"):
        out = f"../{kind}.json" if kind == "label-studio" else f"../flat-{kind}"
        written = run("export", kind, out, *again)
        assert written.status == 0, written.err
    for kind in ("csv", "jsonl", "parquet", "huggingface"):
        back = run(
            "testset",
            "add",
            f"../flat-{kind}/images.{kind}" if kind != "huggingface" else "../flat-huggingface",
            "--name",
            kind,
        )
        assert back.status == 0, back.err
    report = run("report", "--output", "../report", *again)
    assert report.status == 0, report.err


def test_one_of_several_label_sets_is_named_when_it_is_added(run: Runner) -> None:
    assert run("labels", "add", "../people.jsonl").status == 0
    assert run("export", "csv", "../out").status == 0
    refused = run("labels", "add", "../out/labels.csv")
    assert (refused.status, refused.out) == (2, "")
    assert "there are 2; write FILE#NAME with one of: people@1, people@2." in refused.err
