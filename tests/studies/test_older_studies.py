"""Studies, bundles, backups and dumps of every version that was kept open today and give the numbers that they gave.

What is computed anew may differ only where `CHANGED` says so, and each line there stands in CHANGELOG.md under
"Numbers that change". Results that are stored do not change at all.
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest
import tomlkit
from sqlalchemy import create_engine, text
from tests.cli.command_runner import make_runner
from tests.storage.postgres import drop_database, find_programs, share_server
from tests.studies.questions import COMPUTED, STORED, TABLES, WRITTEN, Ask, ask_everything, find_differences

HERE = Path(__file__).parent
VERSIONS = sorted(path.name for path in HERE.iterdir() if (path / "answers.json.gz").is_file())

MOVED = (
    ("status", "/folder"),
    ("status", "/database"),
    ("status", "/next_steps*"),
    ("*", "*/version"),
    ("campaign labels *", "*_at"),
)
"""What tells where a study is and what to do with it by today's rules, and moments of today: no numbers."""

CHANGED: dict[str, tuple[tuple[str, str], ...]] = {
    "0.1.0": (
        # Balanced means have limits that hold with small classes, and a note counts these.
        ("evaluate *", "/scores/*_balanced/low"),
        ("evaluate *", "/scores/*_balanced/high"),
        ("evaluate *", "/scores/*_balanced/interval"),
        ("evaluate *", "/notes"),
        # Paired differences have score limits.
        ("evaluate *", "/scores/*/difference_low"),
        ("evaluate *", "/scores/*/difference_high"),
        ("evaluate *", "/scores/*/difference_interval"),
        # Mean selection frequencies say for whom their limits hold.
        ("evaluate *", "/scores/*:selection_frequency/low"),
        ("evaluate *", "/scores/*:selection_frequency/high"),
        ("evaluate *", "/scores/*:selection_frequency/interval"),
        ("testset show *", "/selection_frequency/*"),
        ("testset compare *", "*frequency*low"),
        ("testset compare *", "*frequency*high"),
        # Mean changes take images for drawn anew.
        ("compare *", "/mean_change_intervals/*"),
        ("testset compare *", "/shifts/*/mean_change_intervals/*"),
        ("testset compare *", "/sets/*/change_images_*"),
        # Effective robustness holds the model's own images, and says how many models the baseline has.
        ("compare * --baseline *", "/models/*/effective_robustness_low"),
        ("compare * --baseline *", "/models/*/effective_robustness_high"),
        ("compare * --baseline *", "/notes"),
        # Classes have limits and p-values from one test.
        ("compare * --by-class", "/classes/*"),
        # Images that sets have in common are drawn once.
        ("testset compare *", "/sets/*/spread_*"),
        ("testset compare *", "/sets/*/deviation_*"),
        ("testset compare *", "/ranges/*"),
        ("testset compare *", "/variance/*"),
        ("testset compare *", "/sentence"),
        ("testset compare *", "/notes"),
        # Accuracies at equal frequency are compared within classes.
        ("gap *", "/gaps/*/selection*"),
        ("gap *", "/gaps/*/remainder*"),
        ("gap *", "/warnings"),
        ("report/tables/shift-*-gap.csv", "/*"),
    ),
    "0.2.0-306ff5b": (
        # Whoever takes less time than looking does is odd by that alone.
        ("campaign annotators *", "/annotators/*/sentences/*"),
        # Conclusions and a note say the same in plainer words.
        ("compare original *", "/conclusion"),
        ("compare * --baseline *", "/notes/0"),
        ("testset compare *", "/shifts/*/conclusion"),
    ),
}
"""By version: questions and paths whose numbers changed since."""


@pytest.fixture(params=VERSIONS)
def kept(request: pytest.FixtureRequest) -> Path:
    return HERE / str(request.param)


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Ask:
    run = make_runner(monkeypatch, capsys)

    def answer(*words: str) -> str:
        result = run(*words)
        assert result.status == 0, f"regauge {' '.join(words)}: {result.err}"
        return result.out

    return answer


def load_answers(kept: Path) -> dict[str, Any]:
    with gzip.open(kept / "answers.json.gz", "rt", encoding="utf-8") as file:
        answers: dict[str, Any] = json.load(file)
        return answers


def unpack_study(kept: Path, folder: Path) -> Path:
    with zipfile.ZipFile(kept / "study.zip") as archive:
        archive.extractall(folder / "study")
    return folder / "study"


def unpack(packed: Path, folder: Path) -> Path:
    path = folder / packed.stem
    path.write_bytes(gzip.decompress(packed.read_bytes()))
    return path


@contextmanager
def restore_dump(kept: Path, folder: Path) -> Iterator[Path]:
    """A study whose tables are in a PostgreSQL that was filled from the dump, beside the predictions of the other."""
    study = unpack_study(kept, folder)
    (study / "study.db").unlink()
    with share_server() as socket:
        name = f"kept_{os.getpid()}"
        address = f"postgresql://postgres@/{name}?host={socket}"
        engine = create_engine(f"postgresql+psycopg://postgres@/postgres?host={socket}", isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.execute(text(f"CREATE DATABASE {name}"))
        engine.dispose()
        programs = find_programs()
        assert programs is not None
        command = [
            str(programs / "psql"),
            "--quiet",
            "--set=ON_ERROR_STOP=1",
            f"--host={socket}",
            "--username=postgres",
            name,
        ]
        subprocess.run(
            command, input=gzip.decompress((kept / "dump.sql.gz").read_bytes()), check=True, capture_output=True
        )
        settings = tomlkit.parse((study / "study.toml").read_text(encoding="utf-8"))
        settings["database"] = address
        (study / "study.toml").write_text(tomlkit.dumps(settings), encoding="utf-8")
        try:
            yield study
        finally:
            drop_database(address)


def is_listed(question: str, path: str, changes: tuple[tuple[str, str], ...]) -> bool:
    return any(fnmatchcase(question, asked) and fnmatchcase(path, where) for asked, where in changes)


def find_changes(before: dict[str, Any], after: dict[str, Any]) -> list[tuple[str, str, Any, Any]]:
    """Every difference that is not about where the study is."""
    return [
        (question, path, old, new)
        for question in after.keys() & before.keys()
        for path, old, new in find_differences(before[question], after[question])
        if not is_listed(question, path, MOVED)
    ]


def find_unlisted(kept: Path, ask: Ask, study: Path) -> list[tuple[str, str, Any, Any]]:
    """Every difference in what a study has stored, or in what is counted from it, that is not listed."""
    after = {
        question: json.loads(ask(*question.split(), "--study", str(study), "--format", "json")) for question in STORED
    }
    found = find_changes(load_answers(kept), after)
    return [one for one in found if not is_listed(*one[:2], CHANGED[kept.name])]


def test_a_version_is_kept() -> None:
    assert VERSIONS
    assert set(CHANGED) == set(VERSIONS)


def test_a_bundle_of_an_older_version_holds_the_same(kept: Path, ask: Ask, tmp_path: Path) -> None:
    ask("import", str(kept / "bundle.zip"), str(tmp_path / "study"))
    assert find_unlisted(kept, ask, tmp_path / "study") == []


def test_a_backup_of_an_older_version_holds_the_same(kept: Path, ask: Ask, tmp_path: Path) -> None:
    study = unpack_study(kept, tmp_path)
    backup = unpack(kept / "backup.db.gz", tmp_path)
    ask("restore", str(backup), str(tmp_path / "restored"), "--study", str(study))
    assert find_unlisted(kept, ask, tmp_path / "restored") == []


def test_a_dump_of_an_older_version_holds_the_same(kept: Path, ask: Ask, tmp_path: Path) -> None:
    with restore_dump(kept, tmp_path) as study:
        assert find_unlisted(kept, ask, study) == []


def test_a_study_of_an_older_version_gives_the_same_but_for_what_is_listed(
    kept: Path, ask: Ask, tmp_path: Path
) -> None:
    study = unpack_study(kept, tmp_path)
    after = ask_everything(lambda *words: ask(*words, "--study", str(study)), tmp_path)
    changes = CHANGED[kept.name]
    report = (tmp_path / "report/report.html").read_text()
    has_other_rules = any(question == "compare *" for question, _ in changes)
    assert ("which had other rules for intervals of mean changes" in report) is has_other_rules
    found = find_changes(load_answers(kept), after)
    assert [one for one in found if not is_listed(*one[:2], changes)][:20] == []
    assert [
        line for line in changes if not any(is_listed(question, path, (line,)) for question, path, *_ in found)
    ] == []


def test_results_by_older_rules_are_marked(ask: Ask, tmp_path: Path) -> None:
    study = unpack_study(HERE / "0.1.0", tmp_path)
    status = json.loads(ask("status", "--study", str(study), "--format", "json"))
    assert all("intervals of means over classes" in one["old_rules"] for one in status["evaluations"])
    assert all("intervals of mean changes" in one["old_rules"] for one in status["comparisons"])
    assert "Evaluate original again by today's rules: regauge evaluate --test-set original" in status["next_steps"]
    assert "by Regauge 0.1.0, which had other rules for" in ask("status", "--study", str(study))


def test_results_by_the_same_rules_are_not_marked(ask: Ask, tmp_path: Path) -> None:
    study = unpack_study(HERE / "0.2.0-306ff5b", tmp_path)
    assert "which had other rules for" not in ask("status", "--study", str(study))


def test_results_by_todays_rules_are_not_marked(kept: Path, ask: Ask, tmp_path: Path) -> None:
    study = unpack_study(kept, tmp_path)
    ask("evaluate", "--test-set", "original", "--study", str(study))
    status = json.loads(ask("status", "--study", str(study), "--format", "json"))
    assert status["evaluations"][-1]["old_rules"] == []
    assert not any("Evaluate original again" in step for step in status["next_steps"])


def test_every_answer_that_is_kept_is_asked_for_still(kept: Path) -> None:
    answers = load_answers(kept)
    assert {question for question in answers if not question.startswith(TABLES)} <= {*STORED, *COMPUTED, *WRITTEN}


def test_every_question_was_answered_by_the_last_version_that_is_kept() -> None:
    assert {*STORED, *COMPUTED, *WRITTEN} <= load_answers(HERE / VERSIONS[-1]).keys()
