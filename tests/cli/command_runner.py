"""Running a command as a user does: arguments in; status, output and errors out."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple, TypeAlias

import pytest

from regauge.cli.main import main


class Result(NamedTuple):
    """What a command left behind."""

    status: object
    out: str
    err: str


Runner: TypeAlias = Callable[..., Result]


def make_runner(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *first: str) -> Runner:
    """A function that runs `regauge` with the first words and its arguments, on a terminal of no set width."""
    monkeypatch.delenv("COLUMNS", raising=False)

    def run_command(*arguments: str) -> Result:
        monkeypatch.setattr(sys, "argv", ["regauge", *first, *arguments])
        with pytest.raises(SystemExit) as stop:
            main()
        return Result(stop.value.code or 0, *capsys.readouterr())

    return run_command


TRUTH = "image_id,label\na,0\nb,1\nc,2\n"
PREDICTIONS = "image_id,class\na,0\nb,1\nc,0\n"
RANKED = "image_id,rank,class\n" + "".join(
    f"{image_id},{rank + 1},{(index + rank) % 6}\n"
    for image_id, index in (("a", 0), ("b", 5), ("c", 0))
    for rank in range(5)
)
VERDICTS = (
    '{"image_id":"a","correct":[0],"wrong":[1]}\n'
    '{"image_id":"b","correct":[2],"wrong":[3],"main":1}\n'
    '{"image_id":"c","correct":[],"wrong":[],"problematic":true}\n'
)
FILES = {"t.csv": TRUTH, "p.csv": PREDICTIONS, "top5.csv": RANKED, "v.jsonl": VERDICTS}


def write(folder: Path, files: Mapping[str, str | bytes | None]) -> None:
    """The files under the folder; None makes a folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if content is None:
            path.mkdir(exist_ok=True)
        else:
            path.write_bytes(content.encode() if isinstance(content, str) else content)


def read_rows(text: str) -> list[dict[str, str]]:
    """The rows of a CSV output."""
    return list(csv.DictReader(io.StringIO(text)))
