"""`regauge serve --open`: the browser at the manager's link."""

from __future__ import annotations

import webbrowser
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.command_runner import Runner, make_runner

from regauge.cli import serve
from regauge.server.running import ServeOptions
from regauge.storage.study import Study

LINK = "http://127.0.0.1:8765/#token"


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Addresses that a fake browser was sent to."""
    found: list[str] = []
    monkeypatch.setattr(webbrowser, "open", found.append)
    return found


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Runner:
    """Commands in a folder with a study, whose server only announces itself."""

    def announce_all(_study: Study, _options: ServeOptions, *, announce: Callable[[str], None]) -> None:
        for line in (
            "Serving study at http://127.0.0.1:8765",
            f"Manager    {LINK}",
            "Guests     http://127.0.0.1:8765/",
        ):
            announce(line)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(serve, "serve", announce_all)
    run = make_runner(monkeypatch, capsys)
    assert run("init", "study", "--taxonomy", "cifar-10").status == 0
    return run


def test_the_browser_opens_at_the_managers_link_alone_and_only_when_asked(run: Runner, opened: list[str]) -> None:
    plain = run("serve", "--study", "study")
    assert opened == []
    asked = run("serve", "--study", "study", "--open")
    assert opened == [LINK]
    assert asked.out == plain.out


def test_without_a_link_there_is_nothing_to_open(run: Runner, opened: list[str]) -> None:
    result = run("serve", "--study", "study", "--open", "--log", "json")
    assert result.status == 2
    assert "leave one of them out" in result.err
    assert opened == []
