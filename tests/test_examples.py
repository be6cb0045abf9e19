"""Every command that the docs show runs, in a copy of the demo."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest
from tests.test_docs import PAGES, ROOT, name_of

from regauge.cli.main import cli
from regauge.workflows.demo.flow import Demo

TUTORIAL = "docs/tutorial.md"
"""Its commands need what its Python has saved, so that it is run as a whole."""


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
@pytest.mark.parametrize("page", sorted(find_console_lines().keys() - {TUTORIAL}))
def test_command_line_examples_run_in_the_demo_folder(page, demo_folder, monkeypatch, capsys):
    monkeypatch.chdir(demo_folder)
    for line in find_console_lines()[page]:
        assert cli.main(shlex.split(line), standalone_mode=False) in {None, 0}, line
        assert capsys.readouterr().out, line


def test_the_tutorial_leads_from_logits_to_a_figure_in_four_commands(demo_folder, monkeypatch, capsys):
    monkeypatch.chdir(demo_folder)
    page = (ROOT / TUTORIAL).read_text(encoding="utf-8")
    (program,) = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    exec(compile(program, TUTORIAL, "exec"), {})  # noqa: S102 - our own page
    commands = find_console_lines()[TUTORIAL]
    assert len(commands) == 4
    for line in commands:
        assert cli.main(shlex.split(line), standalone_mode=False) in {None, 0}, line
        printed = capsys.readouterr()
        assert "mine" in printed.out, line
        assert "Warning" not in printed.err, line
    assert (demo_folder / "mine.svg").stat().st_size > 1000
