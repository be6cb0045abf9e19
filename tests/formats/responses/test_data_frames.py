"""Votes in data frames: the same labels as from a file, whoever made the frame."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import regauge
from regauge.errors import InputError

VOTES: dict[str, list[Any]] = {
    "task": ["a", "a", "a", "b", "b", "b"],
    "worker": ["x", "y", "z"] * 2,
    "label": ["cat", "cat", "dog", "dog", "dog", "dog"],
    "note": [None] * 6,
}


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_a_data_frame_gives_the_labels_of_the_file_with_its_rows(make, tmp_path):
    pl.DataFrame(VOTES).write_csv(tmp_path / "votes.csv")
    of_frame = regauge.aggregate_votes(make(VOTES), method="dawid-skene")
    of_file = regauge.aggregate_votes(tmp_path / "votes.csv", method="dawid-skene")
    assert of_frame.to_frame().equals(of_file.to_frame())
    known = make({"task": ["a"], "label": ["dog"]})
    assert regauge.aggregate_votes(make(VOTES), gold=known).to_frame()["label"].to_list() == ["dog", "dog"]


def test_numbers_are_written_as_people_write_them():
    frame = pd.DataFrame({"task": [1.0, 1.0, 2.0], "annotator": [7, 8, 7], "label": [True, True, False]})
    assert regauge.aggregate_votes(frame).to_frame().select("task", "label").rows() == [("1", "True"), ("2", "False")]


@pytest.mark.parametrize("nothing", [None, "", np.nan, pd.NA, pd.NaT], ids=["None", "empty", "nan", "NA", "NaT"])
def test_a_row_without_a_value_is_refused(nothing):
    frame = pd.DataFrame({**VOTES, "label": ["cat", nothing, *VOTES["label"][2:]]})
    with pytest.raises(InputError, match="Row 1 of the data frame has no label"):
        regauge.aggregate_votes(frame)


def test_columns_that_are_missing_or_twice_are_refused():
    with pytest.raises(InputError, match="task, annotator or worker, and label; this one has: task, label"):
        regauge.aggregate_votes(pl.DataFrame(VOTES).select("task", "label"))
    frame = pd.DataFrame(VOTES)
    with pytest.raises(InputError, match="has the column 'label' twice"):
        regauge.aggregate_votes(pd.concat([frame, frame["label"]], axis=1))
    with pytest.raises(InputError, match="known labels has the columns task and label; this one has: task"):
        regauge.aggregate_votes(frame, gold=frame[["task"]])
    with pytest.raises(InputError, match="votes on task 'a' twice"):
        regauge.aggregate_votes(pd.concat([frame, frame]))
    with pytest.raises(InputError, match="no votes"):
        regauge.aggregate_votes(frame[:0])
