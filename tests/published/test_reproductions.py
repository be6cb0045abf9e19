"""The four reproductions on the released data: everything known to match does, and the docs page says the same."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

import pytest

from regauge.records.reproductions import Agreement, Reproduction
from regauge.workflows.reproduce.papers import PAPERS, reproduce

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module", params=list(PAPERS))
def result(request: pytest.FixtureRequest, published: Path) -> Reproduction:
    return reproduce(request.param, published)


def test_every_figure_stands_as_it_is_known_to_stand(result: Reproduction) -> None:
    assert [figure for figure in result.figures if figure.agreement is not figure.expected] == []
    assert result.is_sound


def test_every_figure_that_differs_or_is_absent_says_why(result: Reproduction) -> None:
    reproduced = {Agreement.EQUAL, Agreement.CONSISTENT}
    assert [one.figure for one in result.figures if one.agreement not in reproduced and not one.note] == []


def test_figures_are_named_once(result: Reproduction) -> None:
    names = [figure.figure for figure in result.figures]
    assert len(set(names)) == len(names)


def test_the_page_in_the_docs_is_what_the_script_writes(published: Path) -> None:
    path = ROOT / "scripts" / "write_reproductions.py"
    spec = importlib.util.spec_from_file_location("write_reproductions", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["write_reproductions"] = module
    spec.loader.exec_module(module)
    page = (ROOT / "docs" / "reproductions.md").read_text(encoding="utf-8")
    assert module.write_page(published) == page


def test_nothing_is_said_of_what_somebody_did_not_release() -> None:
    # We see folders, not what people have released: what is absent is "not in the folder given".
    statement = re.compile(r"(never|not)( been)? released", re.IGNORECASE)
    pages = [*ROOT.glob("docs/**/*.md"), *ROOT.glob("src/**/*.py"), ROOT / "README.md"]
    assert [page.name for page in pages if statement.search(page.read_text(encoding="utf-8"))] == []
