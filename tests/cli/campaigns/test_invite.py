"""`regauge campaign invite`: for whom, and what is shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.command_runner import make_runner
from tests.storage.small_studies import make_study


@pytest.mark.parametrize("words", [(), ("Ann", "--count", "2")])
def test_it_must_be_said_for_whom(tmp_path: Path, words: tuple[str, ...], monkeypatch, capsys) -> None:
    with make_study(tmp_path) as study:
        run = make_runner(monkeypatch, capsys, "campaign", "invite", "--study", str(study.paths.folder))
        result = run(*words)
    assert (result.status, result.out) == (2, "")
    assert "either names, or how many with --count, or a list with --csv" in result.err


def test_links_begin_with_the_address_that_people_use(tmp_path: Path, monkeypatch, capsys) -> None:
    with make_study(tmp_path) as study:
        run = make_runner(monkeypatch, capsys, "campaign", "invite", "--study", str(study.paths.folder))
        result = run("Ann", "Bob", "--base-url", "https://labels.example/", "--format", "json")
    links = json.loads(result.out)["links"]
    assert [one["name"] for one in links] == ["Ann", "Bob"]
    assert all(one["link"].startswith("https://labels.example/join#") for one in links)
    assert len({one["link"] for one in links}) == 2
