"""Polars by its names, and tables of columns, without loading it before it is needed."""

from __future__ import annotations

import subprocess
import sys

import polars as pl
import pytest

from regauge import frames
from regauge.columns import ColumnTypes
from regauge.records.evaluation.scores import COMPARISON_COLUMNS, SCORE_COLUMNS, STORED_COLUMNS

PROGRAM = """
import sys
import regauge.frames as pl
from regauge.columns import ColumnTypes
columns = ColumnTypes({"name": "String", "n": "Int64"})
assert list(columns) == ["name", "n"] and len(columns) == 2 and "n" in columns.names
assert not hasattr(pl, "__path__")
before = "polars" in sys.modules
frame = pl.DataFrame(schema=dict(columns))
print(before, "polars" in sys.modules, frame.schema["n"])
"""


def test_polars_is_loaded_when_the_first_of_its_names_is_used():
    run = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["False", "True", "Int64"]


def test_a_stop_while_polars_is_loaded_waits_until_it_is():
    program = """
import importlib, signal, sys
import regauge.frames as pl
load = importlib.import_module
def stop(name):
    signal.raise_signal(signal.SIGINT)
    return load(name)
importlib.import_module = stop
try:
    pl.col
except KeyboardInterrupt:
    print("stopped", "polars" in sys.modules)
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["stopped", "True"]


def test_the_names_are_those_of_polars():
    assert frames.DataFrame is pl.DataFrame
    assert frames.exceptions is pl.exceptions
    with pytest.raises(AttributeError, match="DataFarme"):
        _ = frames.DataFarme  # type: ignore[attr-defined]


def test_columns_have_types_of_polars():
    columns = ColumnTypes({"name": "String", "n": "Int64"})
    assert dict(columns) == {"name": pl.String, "n": pl.Int64}
    assert pl.DataFrame(schema=columns).schema == {"name": pl.String, "n": pl.Int64}
    with pytest.raises(KeyError, match="absent"):
        _ = columns["absent"]


def test_a_study_keeps_all_columns_of_a_score_but_the_remark():
    assert dict(STORED_COLUMNS) == {
        name: kind for name, kind in {**SCORE_COLUMNS, **COMPARISON_COLUMNS}.items() if name != "remark"
    }
