"""What every result can do: data frames, figures, files, and a table in a notebook from which nobody's name breaks out."""

from __future__ import annotations

import importlib
from html.parser import HTMLParser
from typing import Any

import numpy as np
import polars as pl
import pytest

import regauge
from regauge.errors import FigureError, InputError
from regauge.records.results import MAX_ROWS, Result

TRUTH = regauge.TestSet("tiny", ["a", "b", "c", "d"], [0, 1, 1, 0])
NASTY = "<script>alert('x')</script> & co"
MODELS = [
    regauge.Predictions("good", ["a", "b", "c", "d"], [0, 1, 1, 1]),
    regauge.Predictions(NASTY, ["a", "b", "c", "d"], [1, 1, 0, 1]),
]


def make_scores() -> regauge.Scores:
    return regauge.score(MODELS, TRUTH, by="class", against="good")


def make_shift() -> regauge.Shift:
    answers = regauge.TestSetAnswers(MODELS, TRUTH)
    return regauge.shift(answers, regauge.TestSetAnswers(MODELS, TRUTH, name="again"), n_bootstrap=100)


def make_gap() -> regauge.GapReport:
    counts = regauge.SelectionCounts(["a", "b", "c", "d"], range(4), [0, 1, 1, 0], [10] * 4, [9, 9, 5, 5])
    answers = regauge.TestSetAnswers(MODELS, TRUTH)
    again = regauge.TestSetAnswers(MODELS, TRUTH, name="again")
    return regauge.gap(answers, again, frequencies=regauge.FrequencySources([counts]), methods="naive", n_bootstrap=100)


def make_votes() -> Any:
    votes = {"task": [NASTY, NASTY, "b"], "worker": ["x", "y", "x"], "label": ["<b>cat</b>", "dog", "dog"]}
    return regauge.aggregate_votes(pl.DataFrame(votes))


RESULTS = [make_scores, make_shift, make_gap, make_votes]


class Reader(HTMLParser):
    """The tags and the text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize("make", RESULTS)
def test_a_notebook_shows_a_table_and_no_tag_of_anybody_else(make):
    shown = Reader(make()._repr_html_())
    assert set(shown.tags) <= {"div", "p", "strong", "small", "table", "thead", "tbody", "tr", "th", "td"}
    assert NASTY in shown.text


def test_a_notebook_shows_n_and_interval_and_what_the_reader_should_know():
    scores = make_scores()
    shown = Reader(scores._repr_html_()).text
    assert "75.0% [19.4, 99.4]" in shown
    for sentence in (*scores.notes, *scores.warnings):
        assert sentence in shown


def test_a_notebook_cuts_long_tables_and_says_so():
    models = {f"m{number}": [0, 1, 1, 0] for number in range(MAX_ROWS)}
    shown = Reader(regauge.score(models, [0, 1, 1, 0])._repr_html_())
    assert shown.tags.count("tr") == MAX_ROWS + 1
    assert "more rows: see to_frame()" in shown.text


@pytest.mark.parametrize("make", RESULTS)
def test_a_result_is_a_data_frame_of_polars_and_of_pandas(make):
    result = make()
    frame = result.to_polars()
    assert frame.equals(result.to_frame())
    of_pandas = result.to_pandas()
    assert list(of_pandas.columns) == frame.columns
    for name in frame.columns:
        column = of_pandas[name]
        assert column.astype(object).where(column.notna(), None).tolist() == frame[name].to_list()


def test_pandas_needs_no_pyarrow_and_gaps_keep_the_type(monkeypatch):
    class Table(Result):
        def to_frame(self) -> pl.DataFrame:
            return pl.DataFrame({"n": [1, None], "is": [True, None], "x": [0.5, None], "text": ["a", None]})

    monkeypatch.setattr(pl.DataFrame, "to_pandas", None)
    monkeypatch.setattr(pl.Series, "to_pandas", None)
    found = Table().to_pandas()
    assert [str(one) for one in found.dtypes[:3]] == ["Int64", "boolean", "float64"]
    assert np.isnan(found["x"][1])


def test_without_pandas_a_sentence_says_what_to_install(monkeypatch):
    real = importlib.import_module

    def refuse(name: str) -> Any:
        if name == "pandas":
            raise ImportError
        return real(name)

    scores = make_scores()
    monkeypatch.setattr(importlib, "import_module", refuse)
    with pytest.raises(
        InputError, match="pandas is not installed; install it with: pip install pandas, or call to_polars"
    ):
        scores.to_pandas()


@pytest.mark.parametrize("make", RESULTS[:3])
def test_a_result_plots_itself_as_its_function_does(make):
    result = make()
    assert result.plot().to_dict() == getattr(regauge, result.plotter)(result).to_dict()


def test_a_plot_takes_what_its_function_takes():
    scores = make_scores()
    assert scores.plot(metrics=["top1"]).to_dict() == regauge.plot_scores(scores, metrics=["top1"]).to_dict()


def test_a_result_without_a_figure_says_where_its_numbers_are(tmp_path):
    with pytest.raises(InputError, match=r"There is no figure of VoteLabels; to_frame\(\) has its numbers"):
        make_votes().plot()
    with pytest.raises(InputError, match="no figure of VoteLabels"):
        make_votes().save(tmp_path / "votes.svg")


@pytest.mark.parametrize("make", RESULTS)
def test_a_table_is_saved_by_its_extension(make, tmp_path):
    result = make()
    readers: dict[str, Any] = {".csv": pl.read_csv, ".jsonl": pl.read_ndjson, ".parquet": pl.read_parquet}
    for suffix, read in readers.items():
        path = result.save(tmp_path / f"table{suffix}")
        assert read(path).columns == result.to_frame().columns
        assert read(path).height == result.to_frame().height


def test_a_figure_is_saved_by_its_extension(tmp_path):
    scores = regauge.score([0, 1], [0, 1])
    assert scores.save(str(tmp_path / "scores.svg")).read_text().startswith("<svg")
    for path in (tmp_path / "scores.xlsx", tmp_path / "scores"):
        with pytest.raises(InputError, match=r"A table is \.csv, .*, a figure \.svg, .*, not"):
            scores.save(path)
    with pytest.raises(FigureError):
        scores.save(tmp_path / "nowhere" / "scores.svg")
