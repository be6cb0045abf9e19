"""Files of answers to CONTAINS grids: what is read, and what is refused with its line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from regauge.errors import FormatError, InputError
from regauge.formats.responses.contains import factorise, load_contains_responses
from regauge.formats.taxonomies import load_taxonomy
from regauge.records.responses.answers import Control

HEADER = "task_id,annotator_id,class,image_id,control,selected,seconds\n"
ROWS = "t1,w1,0,a,positive,1,30\nt1,w1,0,b,,0,30\nt1,w2,0,a,positive,1,\nt1,w2,0,b,,1,\n"


@pytest.fixture
def write(tmp_path: Path):
    def write_file(content: str, name: str = "answers.csv") -> Path:
        path = tmp_path / name
        path.write_text(content, encoding="utf-8")
        return path

    return write_file


def test_a_table_is_read_as_it_stands(write):
    votes = load_contains_responses([write(HEADER + ROWS)])
    assert votes.task_ids.tolist() == ["t1"]
    assert votes.annotator_ids[votes.annotators].tolist() == ["w1", "w1", "w2", "w2"]
    assert votes.image_ids[votes.images].tolist() == ["a", "b", "a", "b"]
    assert votes.classes.tolist() == [0] * 4
    assert votes.controls.tolist() == [Control.POSITIVE, Control.NONE] * 2
    assert votes.is_selected.tolist() == [True, False, True, True]
    assert votes.seconds is not None
    np.testing.assert_array_equal(votes.seconds, [30, 30, np.nan, np.nan])
    assert votes.notes == ("answers.csv: 4 answers by 2 annotators on 1 task.",)
    assert repr(votes) == "<ContainsVotes: 4 by 2 annotators on 1 tasks, 2 images>"


def test_seconds_may_be_absent_and_spaces_and_further_columns_do_not_matter(write):
    path = write(
        "class, image_id ,selected,control,note,task_id,annotator_id\n 3 , a ,1, negative ,x,t, w\n3,a,0,,,t, v\n"
    )
    votes = load_contains_responses([path])
    assert votes.seconds is None
    assert votes.classes.tolist() == [3, 3]
    assert votes.image_ids.tolist() == ["a"]
    assert votes.controls.tolist() == [Control.NEGATIVE, Control.NONE]


def test_tabs_and_parquet_give_the_same(write, tmp_path):
    table = load_contains_responses([write(HEADER + ROWS)])
    frame = pl.read_csv(write(HEADER + ROWS)).with_columns(pl.col("selected").cast(pl.Boolean))
    frame.write_parquet(tmp_path / "answers.parquet")
    for path in (write((HEADER + ROWS).replace(",", "\t"), "answers.tsv"), tmp_path / "answers.parquet"):
        other = load_contains_responses([path])
        for name in (
            "task_ids",
            "annotator_ids",
            "image_ids",
            "images",
            "classes",
            "controls",
            "is_selected",
            "seconds",
        ):
            np.testing.assert_array_equal(getattr(other, name), getattr(table, name))


def test_several_files_are_one_campaign(write):
    second = write(HEADER.replace(",seconds", "") + "t2,w2,1,c,,1\nt2,w3,1,c,,0\n", "more.csv")
    votes = load_contains_responses([write(HEADER + ROWS), second])
    assert votes.annotator_ids.tolist() == ["w1", "w2", "w3"]
    assert votes.annotators.tolist() == [0, 0, 1, 1, 1, 2]
    assert votes.task_ids[votes.tasks].tolist() == ["t1"] * 4 + ["t2"] * 2
    assert len(votes.notes) == 2
    assert votes.seconds is not None
    assert np.isnan(votes.seconds[-2:]).all()


def test_classes_are_given_by_index_id_or_name_with_a_taxonomy(write):
    content = HEADER + "t1,w,cat,a,,1,\nt2,w,3,b,,1,\n"
    assert load_contains_responses([write(content)], taxonomy=load_taxonomy("cifar-10")).classes.tolist() == [3, 3]


REFUSED = {
    "empty file": ("", "the file is empty"),
    "no rows": (HEADER, "a header and no rows"),
    "missing columns": (
        "task_id,image_id\nt,a\n",
        "needs the columns task_id, annotator_id, class, image_id, control, selected",
    ),
    "class name": (HEADER + ROWS + "t2,w,cat,a,,1,\n", "line 6: 'cat' is not a class index"),
    "no class": (HEADER + "t2,w,,a,,1,\n", "line 2: '' is not a class index"),
    "selected": (HEADER + ROWS + "t2,w,0,a,,yes,\n", "line 6: selected is 0 or 1, not 'yes'"),
    "selected missing": (HEADER + "t2,w,0,a,,,\n", "line 2: selected is 0 or 1, not ''"),
    "control": (HEADER + "t2,w,0,a,Positive,1,\n", "line 2: control is positive, negative or empty, not 'Positive'"),
    "task missing": (HEADER + ROWS + " ,w,0,a,,1,\n", "line 6: the column 'task_id' is empty"),
    "annotator missing": (HEADER + "t,,0,a,,1,\n", "line 2: the column 'annotator_id' is empty"),
    "image missing": (HEADER + "t,w,0,,,1,\n", "line 2: the column 'image_id' is empty"),
    "seconds": (HEADER + "t,w,0,a,,1,soon\n", "line 2: seconds is a number from 0 up, or empty, not 'soon'"),
    "negative seconds": (HEADER + "t,w,0,a,,1,-3\n", "line 2: seconds is a number from 0 up"),
}


@pytest.mark.parametrize(("content", "message"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_answer_is_refused_with_its_line(write, content, message):
    with pytest.raises(FormatError, match=message):
        load_contains_responses([write(content)])


def test_an_unknown_class_of_a_taxonomy_is_refused(write):
    with pytest.raises(FormatError, match="line 2: 'unicorn' is not a class of cifar-10"):
        load_contains_responses([write(HEADER + "t,w,unicorn,a,,1,\n")], taxonomy=load_taxonomy("cifar-10"))


def test_files_that_are_not_there_or_no_answers_are_refused(write, tmp_path):
    for name, message in (
        ("none.csv", "no such file"),
        ("none.parquet", "no such file"),
        ("none.txt", "no such file"),
        ("none.json", "no such file"),
    ):
        with pytest.raises(FormatError, match=message):
            load_contains_responses([tmp_path / name])
    with pytest.raises(FormatError, match=r"not \.txt"):
        load_contains_responses([write("x", "answers.txt")])
    with pytest.raises(FormatError, match="not a Parquet file"):
        load_contains_responses([write("x", "answers.parquet")])
    with pytest.raises(InputError, match="at least one file"):
        load_contains_responses([])


def test_a_parquet_table_is_checked_as_a_csv_is(tmp_path):
    path = tmp_path / "a.parquet"
    frame = pl.DataFrame({"task_id": ["t"], "annotator_id": ["w"], "class": [0], "image_id": ["a"], "control": [None]})
    frame.with_columns(selected=pl.lit(2)).write_parquet(path)
    with pytest.raises(FormatError, match=r"a\.parquet: row 1: selected is 0 or 1, not '2'"):
        load_contains_responses([path])
    frame.with_columns(selected=pl.lit([1])).write_parquet(path)
    with pytest.raises(FormatError, match="'selected' holds List"):
        load_contains_responses([path])
    frame.clear().with_columns(selected=pl.lit(1)).write_parquet(path)
    with pytest.raises(FormatError, match="the file has no rows"):
        load_contains_responses([path])


def test_words_are_numbered_in_the_order_of_their_first_rows():
    # Another column is there: categories are shared between columns, and their numbers with them.
    other = pl.Series(["x", "b", "y"]).cast(pl.Categorical)
    words = factorise(pl.Series(["b", "a", " b", None, "a "]))
    assert (words.codes.tolist(), words.words) == ([0, 1, 0, 2, 1], ["b", "a", ""])
    assert len(other) == 3


def make_task(**changes: Any) -> dict[str, Any]:
    task = {
        "id": 7,
        "data": {
            "class": 3,
            "images": [{"value": "a", "html": "<img src='/a.jpg'>"}, {"value": "b"}, "c"],
            "controls": {"positive": ["a"], "negative": ["c"]},
        },
        "annotations": [
            {
                "completed_by": 1,
                "lead_time": 20.5,
                "result": [{"from_name": "selected", "type": "choices", "value": {"choices": ["a", "b"]}}],
            },
            {"completed_by": {"id": 2, "email": "two@example.org"}, "result": []},
            {"completed_by": 3, "result": [], "was_cancelled": True},
        ],
    }
    return {**task, **changes}


def test_an_export_of_label_studio_gives_a_row_per_annotator_and_image(write):
    votes = load_contains_responses([write(json.dumps([make_task()]), "export.json")])
    assert votes.task_ids.tolist() == ["7"]
    assert votes.annotator_ids[votes.annotators].tolist() == ["1"] * 3 + ["two@example.org"] * 3
    assert votes.image_ids[votes.images].tolist() == ["a", "b", "c"] * 2
    assert votes.controls.tolist() == [Control.POSITIVE, Control.NONE, Control.NEGATIVE] * 2
    assert votes.is_selected.tolist() == [True, True, False, False, False, False]
    assert votes.classes.tolist() == [3] * 6
    np.testing.assert_array_equal(votes.seconds, [20.5] * 3 + [np.nan] * 3)
    assert votes.notes == (
        "export.json: 6 answers by 2 annotators on 1 task. 1 response left out: skipped by the annotator.",
    )


DATA = make_task()["data"]
ANNOTATION = make_task()["annotations"][0]
EXPORTS = {
    "no list": ({"tasks": []}, "an export of Label Studio is a list of tasks"),
    "no answer": ([], "there is no answer in it"),
    "no data": ([{"annotations": []}], "task 1 of the export: a task is an object with its data"),
    "minimal": ([{"data": DATA, "id": 1}], "not as JSON-MIN"),
    "no class": ([make_task(data={"images": ["a"]})], "need the class"),
    "no id": ([{**make_task(), "id": None}], "needs an id"),
    "empty grid": ([make_task(), make_task(data={**DATA, "images": []})], "task 2 of the export: the grid is empty"),
    "bad image": ([make_task(data={**DATA, "images": [{"html": "x"}]})], "an image is an id"),
    "image twice": ([make_task(data={**DATA, "images": ["a", "c", "a"]})], "shows image 'a' twice"),
    "strange control": (
        [make_task(data={**DATA, "controls": {"positive": ["z"]}})],
        "control 'z' is not among its images",
    ),
    "both controls": (
        [make_task(data={**DATA, "controls": {"positive": ["a"], "negative": ["a"]}})],
        "two control marks",
    ),
    "no controls": ([make_task(data={**DATA, "controls": ["a"]})], "lists positive and negative"),
    "nobody": ([make_task(annotations=[{**ANNOTATION, "completed_by": None}])], "needs completed_by"),
    "no result": ([make_task(annotations=[{**ANNOTATION, "result": None}])], "needs a list result"),
    "no choices": (
        [make_task(annotations=[{**ANNOTATION, "result": [{"from_name": "selected", "value": {}}]}])],
        "needs a list of choices",
    ),
    "strange choice": (
        [make_task(annotations=[{**ANNOTATION, "result": [{"from_name": "selected", "value": {"choices": ["q"]}}]}])],
        "annotator '1' chose 'q', which the grid does not show",
    ),
    "time": ([make_task(annotations=[{**ANNOTATION, "lead_time": -1}])], "lead_time is a number of seconds"),
    "class": ([make_task(data={**DATA, "class": "cat"})], "task '7': 'cat' is not a class index"),
}


@pytest.mark.parametrize(("content", "message"), EXPORTS.values(), ids=EXPORTS)
def test_an_export_that_is_no_grid_is_refused(write, content, message):
    with pytest.raises(FormatError, match=message):
        load_contains_responses([write(json.dumps(content), "export.json")])
