"""Cells of CSV: none is a formula, and every text comes back as it was."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import regauge
from regauge.formats.text import read_table
from regauge.records.cells import disarm, format_csv, undo_disarm, undo_disarm_frame, write_csv

SIGNS = "=+-@\t\r'"
TEXTS = st.text(alphabet=st.one_of(st.sampled_from(SIGNS + "0123456789.eE"), st.characters(codec="utf-8")), max_size=12)
FORMULAS = (
    "=1+1",
    "+1+1",
    "-1+1",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "'=1",
    "''=1",
    '=HYPERLINK("http://evil.example")',
    "-",
    "-x",
)
NUMBERS = ("-5", "+5", "-.5", "5.", "-1e-9", "+1.5E+3")


@given(TEXTS)
def test_every_text_comes_back(text: str) -> None:
    assert undo_disarm(disarm(text)) == text


@given(TEXTS)
def test_no_cell_begins_like_a_formula_unless_it_is_a_number(text: str) -> None:
    cell = disarm(text)
    assert not cell.startswith(("=", "@", "\t", "\r"))
    if cell.startswith(("+", "-")):
        float(cell)


@pytest.mark.parametrize("text", FORMULAS)
def test_formulas_get_an_apostrophe(text: str) -> None:
    assert disarm(text) == f"'{text}"


@pytest.mark.parametrize("text", [*NUMBERS, "plain", "'quoted'", "", "a=b", "–5"])
def test_everything_else_stays(text: str) -> None:
    assert disarm(text) == text == undo_disarm(text)


@given(st.lists(TEXTS, min_size=1, max_size=5))
def test_frames_are_like_texts(texts: list[str]) -> None:
    frame = pl.DataFrame({"=name": texts, "n": [-1.5] * len(texts)})
    rows = list(csv.reader(io.StringIO(format_csv(frame), newline="")))
    assert rows[0] == ["'=name", "n"]
    assert [row[0] for row in rows[1:]] == [disarm(text) for text in texts]
    # Numbers stay numbers.
    assert {row[1] for row in rows[1:]} == {"-1.5"}
    cells = pl.DataFrame({"'=name": [row[0] for row in rows[1:]]})
    assert undo_disarm_frame(cells)["=name"].to_list() == texts


def test_a_table_that_we_wrote_is_read_as_it_was(tmp_path: Path) -> None:
    texts = [text for text in (*FORMULAS, *NUMBERS, "plain") if text == text.strip()]
    frame = pl.DataFrame({"image_id": texts, "label": [None, *["x"] * (len(texts) - 1)]})
    write_csv(frame, tmp_path / "table.csv")
    assert read_table(tmp_path / "table.csv").frame.equals(frame)


def test_nothing_else_in_the_package_writes_csv() -> None:
    """A new writer goes through `records.cells`, too; the other one listed writes no file."""
    allowed = {
        "records/cells.py": "it does it",
        "records/option_names.py": "an option of the command line",
    }
    package = Path(regauge.__file__).parent
    found = {
        str(path.relative_to(package))
        for path in package.rglob("*.py")
        if re.search(r"\.write_csv\(|csv\.(Dict)?[wW]riter\(", path.read_text(encoding="utf-8"))
    }
    assert found == set(allowed)
