"""The command line as a whole: overview, exit statuses, pipes, start-up."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from tests.waits import PATIENCE

import regauge
from regauge.cli.main import COMMANDS, cli, main
from regauge.cli.start import STOPPED
from regauge.errors import InputError

PYTHON = [sys.executable, "-m", "regauge"]


def run(*arguments: str, monkeypatch: pytest.MonkeyPatch) -> object:
    monkeypatch.setattr(sys, "argv", ["regauge", *arguments])
    with pytest.raises(SystemExit) as stop:
        main()
    return stop.value.code or 0


def test_help_lists_the_commands_in_flow_order() -> None:
    for option in ("--help", "-h"):
        result = CliRunner().invoke(cli, [option])
        assert result.exit_code == 0
        listed = [line.split()[0] for line in result.output.partition("Commands:")[2].splitlines() if line[2:3].strip()]
        assert listed == list(COMMANDS)
    outside = [
        "demo",
        "score",
        "shift",
        "gap",
        "humans",
        "context",
        "aggregate",
        "mistakes",
        "reproduce",
        "taxonomy",
        "plan",
    ]
    asking = [
        "init",
        "status",
        "testset",
        "pool",
        "predictions",
        "candidates",
        "campaign",
        "annotators",
        "exposure",
        "guide",
        "serve",
    ]
    measuring = [
        "labels",
        "relations",
        "evaluate",
        "compare",
        "slice",
        "report",
        "export",
        "import",
        "backup",
        "restore",
    ]
    assert list(COMMANDS) == [*outside, *asking, *measuring]


@pytest.mark.parametrize("name", list(COMMANDS))
def test_every_command_opens_its_help_with_the_words_of_the_overview(name: str) -> None:
    result = CliRunner().invoke(cli, [name, "--help"])
    assert result.exit_code == 0
    opening = " ".join(result.output.partition("\n\n")[2].split()).casefold()
    assert opening.startswith(COMMANDS[name].summary.casefold()[:28])


def test_help_imports_no_heavy_library() -> None:
    code = (
        "import sys; from click.testing import CliRunner; from regauge.cli.main import cli; "
        "CliRunner().invoke(cli, ['--help']); "
        "print([name for name in ('numpy', 'polars', 'numba', 'scipy', 'altair', 'rich') if name in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout == "[]\n"


def test_python_m_regauge_is_the_same_command() -> None:
    result = subprocess.run([*PYTHON, "--version"], capture_output=True, text=True, check=True)
    assert (result.stdout, result.stderr) == (f"regauge, version {regauge.__version__}\n", "")


def test_an_unknown_command_ends_with_status_2(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("nonsense", monkeypatch=monkeypatch) == 2
    assert "Error: No such command 'nonsense'." in capsys.readouterr().err


def test_no_command_shows_the_overview(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(monkeypatch=monkeypatch) == 2
    assert "Start with: regauge demo" in capsys.readouterr().err


def test_success_and_help_end_with_status_0(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("--help", monkeypatch=monkeypatch) == 0
    assert run("taxonomy", "cifar-10", "distance", "cat", "dog", monkeypatch=monkeypatch) == 0


@pytest.mark.parametrize(
    ("error", "status", "message"),
    [
        (InputError("Say\x1b[2J it."), 2, "Error: Say\\x1b[2J it.\n"),
        (PermissionError(13, "Permission denied", "secret\n"), 2, "Error: secret\\n: Permission denied.\n"),
        (KeyboardInterrupt(), 130, f"{STOPPED}\n"),
        (click.Abort(), 130, f"{STOPPED}\n"),
        (click.UsageError("Not so."), 2, "Error: Not so.\n"),
    ],
)
def test_what_stops_a_command_is_one_line_and_a_status(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: BaseException,
    status: int,
    message: str,
) -> None:
    def stop(**_: object) -> None:
        raise error

    monkeypatch.setattr(cli, "main", stop)
    assert run(monkeypatch=monkeypatch) == status
    assert capsys.readouterr() == ("", message)


def test_a_mistake_of_ours_is_not_swallowed(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(**_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(cli, "main", stop)
    with pytest.raises(ZeroDivisionError):
        main()


@pytest.mark.parametrize(
    "arguments",
    [
        ["taxonomy", "imagenet-1k"],
        ["taxonomy", "imagenet-1k", "list", "--format", "csv"],
        ["taxonomy", "imagenet-1k", "list", "--format", "jsonl"],
        ["taxonomy", "imagenet-1k", "groups", "--format", "json"],
    ],
)
def test_a_pipe_that_closes_early_prints_no_traceback(arguments: list[str]) -> None:
    command = subprocess.Popen([*PYTHON, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert command.stdout is not None
    assert command.stderr is not None
    assert command.stdout.read(1)
    command.stdout.close()
    errors = command.stderr.read()
    command.stderr.close()
    assert command.wait(timeout=PATIENCE) in {0, 1, 141}
    assert b"Traceback" not in errors
    assert errors.count(b"\n") <= 1


def test_bad_input_in_a_real_process_is_one_line_without_a_traceback(tmp_path: Path) -> None:
    truth, predictions = tmp_path / "t.csv", tmp_path / "m.npz"
    truth.write_text("image_id,label\na,0\n", encoding="utf-8")
    predictions.write_bytes(b"PK\x03\x04 cut short")
    command = [*PYTHON, "score", str(predictions), "--truth", str(truth)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == (f"Error: {predictions}: the file is damaged or cut short (BadZipFile); write it again.\n")
