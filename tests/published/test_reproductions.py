"""The reproductions on the data at hand: everything known to match does, and the docs page says the same."""

from __future__ import annotations

import importlib.util
import re
import sys
from functools import cache
from pathlib import Path

import pytest

from regauge.records.reproductions import FigureAgreement, Reproduction
from regauge.workflows.reproduce.papers import PAPERS, reproduce

ROOT = Path(__file__).resolve().parents[2]


@cache
def reproduce_once(paper: str, *folders: Path) -> Reproduction:
    return reproduce(paper, folders)


@pytest.fixture(params=list(PAPERS))
def result(request: pytest.FixtureRequest, published: Path, shared: Path) -> Reproduction:
    return reproduce_once(request.param, published, shared / "clones")


def test_every_figure_stands_as_it_is_known_to_stand(result: Reproduction) -> None:
    known = [figure for figure in result.figures if figure.expected is not None]
    assert [figure for figure in known if figure.agreement is not figure.expected] == []
    assert result.is_sound


def test_every_figure_that_is_computed_says_on_what_it_rests(result: Reproduction) -> None:
    computed = [figure for figure in result.figures if figure.agreement is not FigureAgreement.NOT_COMPUTABLE]
    assert computed
    assert all(figure.basis is not None for figure in computed)


def test_what_is_absent_was_looked_for(result: Reproduction) -> None:
    absent = [figure.note for figure in result.figures if figure.agreement is FigureAgreement.NOT_COMPUTABLE]
    starts = ("not in the folders given: ", "none of the files that are read holds ")
    assert [note for note in absent if not note.startswith(starts)] == []


def test_every_figure_that_differs_or_is_absent_says_why(result: Reproduction) -> None:
    reproduced = {FigureAgreement.EQUAL, FigureAgreement.CONSISTENT}
    assert [one.figure for one in result.figures if one.agreement not in reproduced and not one.note] == []


def test_figures_are_named_once(result: Reproduction) -> None:
    names = [figure.figure for figure in result.figures]
    assert len(set(names)) == len(names)


def test_the_page_in_the_docs_is_what_the_script_writes(
    published: Path, shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = ROOT / "scripts" / "write_reproductions.py"
    spec = importlib.util.spec_from_file_location("write_reproductions", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["write_reproductions"] = module
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "reproduce", lambda paper, folders: reproduce_once(paper, *folders))
    page = (ROOT / "docs" / "reproductions.md").read_text(encoding="utf-8")
    assert module.write_page([published, shared / "clones"]) == page


def test_nothing_is_said_of_what_somebody_did_not_release() -> None:
    # We see folders, not what people have released: what is absent is "not in the folder given".
    statement = re.compile(r"(never|not)( been)? released", re.IGNORECASE)
    pages = [*ROOT.glob("docs/**/*.md"), *ROOT.glob("src/**/*.py"), ROOT / "README.md"]
    assert [page.name for page in pages if statement.search(page.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize("paper", list(PAPERS))
def test_the_parts_of_the_clones_alone_hold_no_surprise(paper: str, shared: Path) -> None:
    result = reproduce(paper, [path for path in sorted((shared / "clones").iterdir()) if path.is_dir()])
    assert result.is_sound
    assert result.count(FigureAgreement.EQUAL) > 0
