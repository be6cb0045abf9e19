"""`regauge annotators` and `campaign labels`, `backup` and `restore` as a manager meets them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.cli.command_runner import Runner, make_runner, read_rows
from tests.workflows.campaign_studies import add_classify, add_contains, make_pictured
from tests.workflows.labels.test_campaign_labels import answer_all, classify_all

from regauge.storage.events import list_events
from regauge.workflows.annotation.choosing import take_tasks
from regauge.workflows.annotation.tasks import consent
from regauge.workflows.studies.study import Study


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Study]:
    with make_pictured(tmp_path) as made:
        answer_all(made, add_contains(made))
        classify_all(made, add_classify(made))
        yield made


@pytest.fixture
def run(study: Study, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Runner:
    monkeypatch.chdir(study.paths.folder)
    return make_runner(monkeypatch, capsys)


def test_everybody_is_listed(run: Runner) -> None:
    rows = read_rows(run("annotators", "list", "--format", "csv").out)
    assert [row["name"] for row in rows] == [f"annotator-000{number}" for number in range(1, 5)]
    assert rows[0]["platform"] == "link"


def test_a_renewed_link_begins_with_the_address_that_people_use(run: Runner) -> None:
    out = run("annotators", "renew", "annotator-0001", "--base-url", "https://labels.example/").out
    assert out.startswith("annotator-0001  https://labels.example/join#")
    assert run("annotators", "renew", "nobody").status == 2


def test_ending_sessions_says_so(run: Runner) -> None:
    assert "annotator-0001 have ended" in run("annotators", "end-sessions", "annotator-0001").out


def test_releasing_tasks_says_how_many(run: Runner, study: Study) -> None:
    campaign = add_contains(study, "more")
    now = replace(study, around=replace(study.around, clock=lambda: datetime.now(UTC)))
    with now.begin() as begun:
        consent(begun, campaign.id, annotator_id=1, version=1)
        take_tasks(begun, campaign.id, annotator_id=1, n=2)
    assert run("annotators", "release", "annotator-0001", "--campaign", "grids").err.endswith(
        "annotator-0001 holds no task of campaign grids.\n"
    )
    assert "annotator-0001 kept 2 tasks" in run("annotators", "release", "annotator-0001").out


def test_what_is_stored_about_somebody_is_written_for_them_and_put_on_record(run: Runner, study: Study) -> None:
    path = study.paths.folder / "mine.json"
    assert "only you can read it" in run("annotators", "data", "annotator-0001", "mine.json").out
    assert path.stat().st_mode & 0o777 == 0o600
    assert json.loads(path.read_text())["name"] == "annotator-0001"
    with study.read() as reading:
        assert list_events(reading)[-1].what == "own data"
    assert run("annotators", "data", "annotator-0001", "mine.json").status == 2
    assert run("annotators", "data", "nobody", "other.json").status == 2


def test_an_erasure_asks_first(run: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("click.confirm", lambda text, **_: "delete their 8 answers to 1 campaign?" not in text)
    result = run("annotators", "erase", "annotator-0001", "--reason", "asked", "--answers")
    assert (result.status, result.err) == (2, "Error: Nothing was erased.\n")
    assert "annotator-0001" in run("annotators", "list").out


def test_an_erasure_says_what_it_did_and_what_remains(run: Runner) -> None:
    assert run("campaign", "labels", "grids", "--name", "crowd", "--min-shown", "1").status == 0
    assert run("backup").status == 0
    words = ("annotators", "erase", "annotator-0001", "--reason", "asked", "--answers", "--yes", "--format", "json")
    result = run(*words)
    (row,) = json.loads(result.out)["erasures"]
    assert (row["name"], row["n_answers"], row["labels"], row["scrubbed"]) == ("erased-0001", 8, ["crowd@2"], True)
    assert len(row["remaining"]) == 1
    assert "backups/study-" in result.err
    assert "annotator-0001" not in run("annotators", "list").out
    assert b"annotator-0001" not in Path("study.db").read_bytes() + Path("study.db-wal").read_bytes()


def test_versions_that_an_erasure_made_void_are_marked_in_the_list(run: Runner) -> None:
    run("campaign", "labels", "grids", "--name", "crowd", "--min-shown", "1")
    assert run("labels", "list").err == ""
    assert run("annotators", "erase", "annotator-0001", "--answers", "--reason", "asked", "--yes").status == 0
    first, second = read_rows(run("labels", "list", "--format", "csv").out)
    assert (first["superseded_by"], second["superseded_by"], second["superseded_at"]) == ("crowd@2", "", "")
    shown = run("labels", "list")
    assert "superseded" not in shown.out
    assert (
        f"crowd@1 was made with answers that were erased since, on {first['superseded_at'][:10]}; crowd@2" in shown.err
    )


def test_labels_are_previewed_and_made(run: Runner) -> None:
    words = ("campaign", "labels", "grids", "--min-shown", "1")
    (preview,) = json.loads(run(*words, "--preview", "--format", "json").out)["previews"]
    assert (preview["n_answers"], preview["n_images"], preview["n_judged"]) == (16, 24, 24)
    assert run("labels", "list", "--format", "csv").out.strip() == ""
    (row,) = read_rows(run(*words, "--format", "csv").out)
    assert (row["name"], row["version"], row["n_images"]) == ("grids", "1", "24")


def test_a_threshold_of_zero_is_a_threshold(run: Runner) -> None:
    words = ("campaign", "labels", "grids", "--preview", "--min-shown", "1", "--format", "json")
    (preview,) = json.loads(run(*words, "--correct", "0", "--unclear", "0").out)["previews"]
    assert preview["n_wrong"] == preview["n_unclear"] == 0
    assert preview["n_correct"] > 0


def test_options_of_another_kind_are_refused(run: Runner) -> None:
    result = run("campaign", "labels", "labels", "--correct", "0.5")
    assert result.status == 2
    assert "--correct is for a contains campaign" in result.err
    both = run("campaign", "labels", "grids", "--no-screening", "--keep-annotator", "annotator-0001")
    assert "nobody to keep" in both.err


def test_classify_labels_are_made(run: Runner) -> None:
    (row,) = read_rows(run("campaign", "labels", "labels", "--no-screening", "--format", "csv").out)
    assert row["n_verdicts"] == "5"


@pytest.mark.parametrize("words", [(), ("--bundle",)])
def test_a_backup_is_restored(run: Runner, words: tuple[str, ...], tmp_path: Path) -> None:
    (made,) = read_rows(run("backup", *words, "--format", "csv").out)
    result = run("restore", made["file"], str(tmp_path / "again"))
    assert (result.status, result.out.startswith("Created a study in")) == (0, True)
    assert "annotator-0004" in run("annotators", "list", "--study", str(tmp_path / "again")).out
    assert run("restore", made["file"], str(tmp_path / "again")).status == 2


def test_a_backup_that_was_cut_off_is_named_and_leaves_nothing(run: Runner, tmp_path: Path) -> None:
    (made,) = read_rows(run("backup", "--format", "csv").out)
    cut = tmp_path / "cut.db"
    cut.write_bytes(Path(made["file"]).read_bytes()[:50_000])
    result = run("restore", str(cut), str(tmp_path / "again"), "--study", ".")
    assert result.status == 2
    assert f"{cut} is damaged or was cut off" in result.err
    assert not (tmp_path / "again").exists()


@pytest.mark.parametrize("content", ["", "short", "a token with blanks in it", "é" * 30])
def test_a_token_that_is_none_is_refused(run: Runner, tmp_path: Path, content: str) -> None:
    (tmp_path / "token").write_text(content, encoding="utf-8")
    result = run("serve", "--port", "0", "--metrics-token-file", str(tmp_path / "token"))
    assert result.status == 2
    assert "openssl rand" in result.err
