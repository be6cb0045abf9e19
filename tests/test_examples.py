"""Every command that the docs show runs, in a copy of the demo."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest
from tests.test_docs import PAGES, name_of

from regauge.cli.main import cli
from regauge.workflows.demo.flow import Demo


@pytest.fixture
def demo_folder(demo: Demo, tmp_path: Path) -> Path:
    """A copy of the demo's folder, for the examples write into it."""
    return shutil.copytree(demo.folder, tmp_path / "demo")


def find_console_lines() -> dict[str, list[str]]:
    """Per page that has any, its commands; a later one may use what an earlier one made."""
    lines = {
        name_of(path): [
            line.removeprefix("$ regauge ")
            for block in re.findall(
                r"^```console\n(.*?)^```$", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
            )
            for line in block.splitlines()
            if line.startswith("$ regauge ")
        ]
        for path in PAGES
    }
    return {page: found for page, found in lines.items() if found}


@pytest.mark.usefixtures("hasty_gaps")
@pytest.mark.parametrize("page", find_console_lines())
def test_command_line_examples_run_in_the_demo_folder(page, demo_folder, monkeypatch, capsys):
    monkeypatch.chdir(demo_folder)
    for line in find_console_lines()[page]:
        assert cli.main(shlex.split(line), standalone_mode=False) in {None, 0}, line
        assert capsys.readouterr().out, line
