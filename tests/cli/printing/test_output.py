"""How results are printed: widths, records and names."""

from __future__ import annotations

import json
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regauge.cli.printing.output import (
    FORMATS,
    PIPE_WIDTH,
    make_console,
    print_json,
    print_records,
    print_rows,
)
from regauge.cli.printing.printable import make_printable
from regauge.cli.printing.scores import print_scores
from regauge.records.evaluation.scores import SCORE_COLUMNS, Scores

RECORDS: list[dict[str, Any]] = [{"id": "a", "names": ["x", "y, z"], "n": 1}, {"id": "b", "names": [], "n": None}]
ROW = {
    "participant": "m",
    "test_set": "t",
    "labels": "dataset",
    "metric": "top1",
    "subset": "all",
    "n": 4,
    "n_correct": 3,
    "value": 0.75,
    "low": 0.194,
    "high": 0.994,
    "interval": "clopper-pearson",
    "lower_bound": 0.75,
    "upper_bound": 0.75,
    "n_unjudged": 0,
    "remark": None,
}


def make_scores(**changes: Any) -> Scores:
    return Scores(pl.DataFrame([ROW | changes], schema=SCORE_COLUMNS), notes=("See.",), warnings=("Look.",))


def test_into_a_pipe_tables_are_wide_unless_the_width_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    assert make_console().width == PIPE_WIDTH == 140
    monkeypatch.setenv("COLUMNS", "80")
    assert make_console().width == 80


@pytest.mark.parametrize("output_format", FORMATS)
def test_notes_and_warnings_are_kept_off_standard_output(
    capsys: pytest.CaptureFixture[str], output_format: str
) -> None:
    print_scores(make_scores(), output_format)
    captured = capsys.readouterr()
    assert captured.err == "Note: See.\nWarning: Look.\n"
    assert captured.out
    assert "Note:" not in captured.out


def test_a_table_shows_percentages_and_the_other_formats_fractions(capsys: pytest.CaptureFixture[str]) -> None:
    shown = {}
    for output_format in FORMATS:
        print_scores(make_scores(), output_format)
        shown[output_format] = capsys.readouterr().out
    assert "75.0% [19.4, 99.4]" in shown["table"]
    assert json.loads(shown["json"])["scores"] == [ROW]
    assert json.loads(shown["jsonl"]) == ROW
    header, line = shown["csv"].splitlines()
    assert header.split(",") == list(SCORE_COLUMNS)
    assert line.startswith("m,t,dataset,top1,all,4,3,0.75,0.194,0.994,clopper-pearson,0.75,0.75,0")


def test_a_score_without_a_value_is_null_empty_and_a_dash(capsys: pytest.CaptureFixture[str]) -> None:
    nothing = dict.fromkeys(("value", "low", "high", "interval", "lower_bound", "upper_bound"))
    shown = {}
    for output_format in FORMATS:
        print_scores(make_scores(n=0, n_correct=0, **nothing), output_format)
        shown[output_format] = capsys.readouterr().out
    assert "–" in shown["table"]
    assert "0.0%" not in shown["table"]
    assert json.loads(shown["json"])["scores"][0]["value"] is None
    assert json.loads(shown["jsonl"])["value"] is None
    assert shown["csv"].splitlines()[1] == "m,t,dataset,top1,all,0,0,,,,,,,0,"


def test_json_refuses_what_json_has_no_word_for() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        print_json({"value": float("nan")})
    with pytest.raises(ValueError, match="not JSON compliant"):
        print_rows(pl.DataFrame({"value": [float("inf")]}), "jsonl")


def test_records_are_printed_in_every_format(capsys: pytest.CaptureFixture[str]) -> None:
    print_records(RECORDS, "json", name="things")
    assert json.loads(capsys.readouterr().out) == {"things": RECORDS}
    print_records(RECORDS, "jsonl", name="things")
    assert [json.loads(line) for line in capsys.readouterr().out.splitlines()] == RECORDS
    print_records(RECORDS, "csv", name="things")
    assert capsys.readouterr().out == 'id,names,n\na,"x|y, z",1\nb,"",\n'


def test_no_records_are_an_empty_list_a_bare_header_or_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    print_records([], "json", name="things")
    assert json.loads(capsys.readouterr().out) == {"things": []}
    print_records([], "jsonl", name="things")
    assert capsys.readouterr().out == ""
    print_records([], "csv", name="things", columns=("id", "n"))
    assert capsys.readouterr().out == "id,n\n"


def test_names_are_not_cut_out_of_csv(capsys: pytest.CaptureFixture[str]) -> None:
    print_rows(pl.DataFrame({"name": ["\x1b[31mred\x1b[0m"]}), "csv")
    assert capsys.readouterr().out == "name\n\x1b[31mred\x1b[0m\n"


@given(text=st.text(st.characters()))
def test_a_printable_text_has_no_control_characters_and_printable_ones_stay(text: str) -> None:
    printable = make_printable(text)
    assert printable.isprintable()
    if text.isprintable():
        assert printable == text
