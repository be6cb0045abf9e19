"""What is built holds everything: also templates, scripts and styles, those of kinds of task among them."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from regauge.kinds.registry import KINDS

ROOT = Path(__file__).resolve().parents[2]


def test_the_wheel_holds_every_file_of_the_package_and_the_pages_of_all_kinds(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--quiet", "--wheel-dir", str(tmp_path), str(ROOT)]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    if built.returncode:
        pytest.skip("no wheel can be built here: pip finds no hatchling")
    (wheel,) = tmp_path.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    files = [path for path in (ROOT / "src").rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    assert {path.relative_to(ROOT / "src").as_posix() for path in files} <= names
    for kind in KINDS:
        assert {f"regauge/kinds/{kind}/page/{kind}.{suffix}" for suffix in ("html", "js", "css")} <= names
