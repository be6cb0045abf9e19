"""Output that cannot be written, held or finished: one sentence and a fitting exit status, wherever it goes wrong."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.command_runner import FILES, write

from regauge.cli import main as entry
from regauge.cli.main import CLOSED, NO_MEMORY, NO_OUTPUT

PROGRAM = (sys.executable, "-m", "regauge")
NAMES = "image_id,class\na,0\nb,1\nc,0\n"
NOTHING_FREE = "No space left on device"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A truth and predictions of a participant whose name is in no Latin letters."""
    write(tmp_path, {**FILES, "日本.csv": NAMES})
    return tmp_path


def run(
    folder: Path, *words: str, to: str | int = subprocess.PIPE, **variables: str
) -> subprocess.CompletedProcess[str]:
    """A command with its standard output going to a file, and some variables set."""
    env = {**os.environ, "PYTHONUTF8": "0", **variables}
    out = os.open(to, os.O_WRONLY) if isinstance(to, str) else to
    try:
        return subprocess.run(
            [*PROGRAM, *words], cwd=folder, env=env, stdout=out, stderr=subprocess.PIPE, check=False, encoding="utf-8"
        )
    finally:
        if isinstance(to, str):
            os.close(out)


SCORE = ("score", "日本.csv", "--truth", "t.csv")


@pytest.mark.parametrize(
    ("words", "unbuffered"),
    [
        (("--help",), ""),
        (("--help",), "1"),
        (SCORE, ""),
        (SCORE, "1"),
        ((*SCORE, "--format", "csv"), ""),
        ((*SCORE, "--format", "jsonl"), "1"),
    ],
)
def test_a_full_disk_behind_standard_output_is_one_sentence(
    folder: Path, words: tuple[str, ...], unbuffered: str
) -> None:
    result = run(folder, *words, to="/dev/full", PYTHONUNBUFFERED=unbuffered)
    said = [line for line in result.stderr.splitlines() if not line.startswith("Note: ")]
    assert said == [f"Error: standard output cannot be written to: {NOTHING_FREE}."]
    assert result.returncode == NO_OUTPUT


@pytest.mark.parametrize("words", [("--help",), (*SCORE, "--format", "csv")])
def test_a_reader_who_has_gone_is_one_sentence(folder: Path, words: tuple[str, ...]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    result = run(folder, *words, to=writing)
    os.close(writing)
    said = [line for line in result.stderr.splitlines() if not line.startswith("Note: ")]
    assert said == ["Standard output was closed before everything was written to it."]
    assert result.returncode == CLOSED


def test_whoever_hears_nothing_gets_the_status_all_the_same(folder: Path) -> None:
    for words, to, status in (
        (("score", "none.csv", "--truth", "t.csv"), os.devnull, 2),
        (("nonsense",), os.devnull, 2),
        (SCORE, "/dev/full", NO_OUTPUT),
    ):
        with open("/dev/full", "w", encoding="utf-8") as full, open(to, "w", encoding="utf-8") as out:  # noqa: PTH123
            result = subprocess.run([*PROGRAM, *words], cwd=folder, stdout=out, stderr=full, check=False)
        assert result.returncode == status


def test_without_standard_output_a_command_still_works(folder: Path) -> None:
    command = f'exec "{sys.executable}" -m regauge score p.csv --truth t.csv --figure f.svg >&-'
    result = subprocess.run(["sh", "-c", command], cwd=folder, capture_output=True, text=True, check=False)  # noqa: S607
    assert (result.returncode, "Traceback" in result.stderr) == (0, False)
    assert (folder / "f.svg").stat().st_size


@pytest.mark.parametrize("encoding", ["latin-1", "ascii"])
def test_tables_are_whole_in_any_encoding(folder: Path, encoding: str) -> None:
    result = run(folder, *SCORE, PYTHONIOENCODING=encoding)
    assert result.returncode == 0, result.stderr
    assert r"\u65e5\u672c" in result.stdout
    assert result.stdout.isascii()


def test_a_status_in_latin_1_is_whole(folder: Path) -> None:
    study = str(folder / "study")
    entry.cli.main(["init", study, "--taxonomy", "cifar-10"], standalone_mode=False)
    entry.cli.main(["testset", "add", str(folder / "t.csv"), "--study", study], standalone_mode=False)
    plain, latin = (run(folder, "status", "--study", "study", PYTHONIOENCODING=one) for one in ("utf-8", "latin-1"))
    assert (plain.returncode, latin.returncode, latin.stderr) == (0, 0, plain.stderr)
    assert len(latin.stdout.splitlines()) == len(plain.stdout.splitlines())


def test_json_is_the_same_in_any_encoding(folder: Path) -> None:
    for kind in ("json", "jsonl"):
        plain, ascii_only = (
            run(folder, *SCORE, "--format", kind, PYTHONIOENCODING=one).stdout for one in ("utf-8", "ascii")
        )
        assert ascii_only.isascii()
        assert not plain.isascii()
        if kind == "json":
            assert json.loads(ascii_only) == json.loads(plain)
        else:
            assert [json.loads(one) for one in ascii_only.splitlines()] == [
                json.loads(one) for one in plain.splitlines()
            ]


def test_csv_that_the_encoding_cannot_hold_is_refused_whole(folder: Path) -> None:
    result = run(folder, *SCORE, "--format", "csv", PYTHONIOENCODING="latin-1")
    assert (result.returncode, result.stdout) == (2, "")
    assert (
        r"Error: Standard output is in iso8859-1, which has no '\u65e5'; set PYTHONIOENCODING=utf-8, " in result.stderr
    )
    assert (
        run(folder, "score", "p.csv", "--truth", "t.csv", "--format", "csv", PYTHONIOENCODING="ascii").returncode == 0
    )


def test_memory_that_is_not_there_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run_out(**_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(entry.cli, "main", run_out)
    with pytest.raises(SystemExit) as stop:
        entry.main()
    assert stop.value.code == NO_MEMORY
    assert capsys.readouterr().err == (
        "Error: there is not enough memory for this; give it less at a time, or use a machine with more.\n"
    )


def test_a_cell_of_a_megabyte_is_not_printed_whole(folder: Path) -> None:
    write(folder, {"long.csv": f"image_id,class\na,{'x' * 1_000_000}\n"})
    result = run(folder, "score", "long.csv", "--truth", "t.csv")
    assert result.returncode == 2
    assert len(result.stderr) < 2_100
