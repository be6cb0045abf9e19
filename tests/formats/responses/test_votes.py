from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from regauge.errors import FormatError, InputError
from regauge.formats.responses.votes import load_gold, load_votes
from regauge.records.responses.votes import Votes

LONG = "task,worker,label\nt1,ann,cat\nt1,bea,dog\nt2,ann,cat\n"


def write(folder: Path, text: str, name: str = "votes.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def list_votes(votes: Votes) -> list[tuple[str, str, str]]:
    columns = (votes.task_ids[votes.tasks], votes.annotator_ids[votes.annotators], votes.labels[votes.answers])
    return list(zip(*(column.tolist() for column in columns), strict=True))


EXPECTED = [("t1", "ann", "cat"), ("t1", "bea", "dog"), ("t2", "ann", "cat")]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("votes.csv", LONG),
        ("votes.csv", LONG.replace("worker", "annotator")),
        ("votes.csv", "label, task ,time,worker\ncat,t1,3,ann\ndog,t1,5,bea\n\ncat,t2,1, ann\n"),
        ("votes.tsv", LONG.replace(",", "\t")),
        ("votes.csv", "task,ann,bea\nt1,cat,dog\nt2,cat,\n"),
        ("votes.csv", ",ann,bea,cid\nt1,cat, dog,\nt2,cat,, \n"),
    ],
)
def test_long_and_wide_tables_give_the_same_votes(tmp_path, name, text):
    loaded = load_votes([write(tmp_path, text, name)])
    assert list_votes(loaded.votes) == EXPECTED
    assert "3 votes" in loaded.notes[0]


def test_tasks_annotators_and_labels_are_numbered_by_first_appearance(tmp_path):
    votes = load_votes([write(tmp_path, "task,worker,label\nz,q,9\na,p,10\nz,p,2\n")]).votes
    assert votes.task_ids.tolist() == ["z", "a"]
    assert votes.annotator_ids.tolist() == ["q", "p"]
    assert votes.labels.tolist() == ["9", "10", "2"]


def test_parquet_with_numbers_is_read_as_text(tmp_path):
    path = tmp_path / "votes.parquet"
    pl.DataFrame({"task": [7, 7, 8], "worker": ["ann", "bea", "ann"], "label": [1, 0, 1]}).write_parquet(path)
    assert list_votes(load_votes([path]).votes) == [("7", "ann", "1"), ("7", "bea", "0"), ("8", "ann", "1")]


def make_annotation(by: Any, *choices: str, **more: Any) -> dict[str, Any]:
    region = {"from_name": "label", "to_name": "image", "type": "choices", "value": {"choices": list(choices)}}
    return {"completed_by": by, "result": [region], **more}


def test_label_studio_gives_single_choices_and_skipped_ones_are_no_votes(tmp_path):
    content = [
        {
            "id": 1,
            "data": {"task_id": "t1"},
            "annotations": [make_annotation("ann", "cat"), make_annotation("bea", "dog")],
        },
        {
            "id": "t2",
            "data": {"image": "x.png"},
            "annotations": [
                make_annotation({"id": 3, "email": "ann"}, "cat"),
                make_annotation(4, "x", was_cancelled=True),
            ],
        },
    ]
    loaded = load_votes([write(tmp_path, json.dumps(content), "export.json")])
    assert list_votes(loaded.votes) == EXPECTED
    assert "1 skipped" in loaded.notes[0]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"id": 1}, "list of tasks"),
        ([{"id": 1, "annotations": []}], "no task has an annotation"),
        (
            [{"id": 1, "annotations": [make_annotation("ann", "cat", "dog")]}],
            "task '1' has 2 choices; a vote is exactly one",
        ),
        ([{"id": 1, "annotations": [{"completed_by": 1, "result": []}]}], "has 0 choices"),
        ([{"id": 1, "annotations": [make_annotation("ann", " ")]}], "exactly one"),
        ([{"id": 1, "annotations": [make_annotation(None, "cat")]}], "does not say who completed it"),
        ([{"id": None, "annotations": [make_annotation("ann", "cat")]}], "every task needs an id"),
        (
            [{"id": 1, "annotations": [make_annotation(2, "cat"), make_annotation(2, "dog")]}],
            "'2' gives task '1' the label",
        ),
    ],
)
def test_other_exports_are_refused(tmp_path, content, message):
    with pytest.raises(FormatError, match=message):
        load_votes([write(tmp_path, json.dumps(content), "export.json")])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("task,worker,label\n", "a header and no rows"),
        ("task,label\nt1,cat\n", "need the columns task,worker,label"),
        ("worker,label\nann,cat\n", "this file has: worker, label"),
        ("image,worker,label\nx,ann,cat\n", "need the columns"),
        ("item,ann,bea\nx,cat,dog\n", "need the columns"),
        ("task,worker,annotator,label\nt,a,b,c\n", "both name who voted"),
        ("task,worker,label\nt1,ann,cat\nt2,ann,\n", "line 3: the column 'label' is empty"),
        ("task,worker,label\nt1, ,cat\n", "line 2: the column 'worker' is empty"),
        (LONG + "t1,ann,cat\n", "line 5: annotator 'ann' gives task 't1' the label 'cat' a second time; .* remove one"),
        (LONG + "t1,ann,dog\n", "line 5: annotator 'ann' gives task 't1' the label 'dog' after 'cat'; .* keep one"),
        ("task,ann,bea\nt1,cat,dog\nt1,cat,cat\n", "line 3: task 't1' occurs a second time"),
        ("task,ann,bea\nt1,,\n", "every cell is empty"),
        ("task,ann,,bea\nt1,cat,x,dog\n", "has no name"),
    ],
)
def test_what_cannot_be_counted_is_refused_with_its_line(tmp_path, text, message):
    with pytest.raises(FormatError, match=message):
        load_votes([write(tmp_path, text)])


def test_several_files_are_one_campaign_and_a_repeat_names_the_file_it_is_in(tmp_path):
    first = write(tmp_path, LONG)
    second = write(tmp_path, "task,annotator,label\nt3,cid,cat\nt2,cid,dog\n", "more.csv")
    loaded = load_votes([first, second])
    assert list_votes(loaded.votes) == [*EXPECTED, ("t3", "cid", "cat"), ("t2", "cid", "dog")]
    assert len(loaded.notes) == 2
    third = write(tmp_path, "task,annotator,label\nt9,ann,cat\nt2,ann,dog\n", "third.csv")
    with pytest.raises(
        FormatError, match=r"third\.csv, line 3: annotator 'ann' gives task 't2' the label 'dog' after 'cat'"
    ):
        load_votes([first, second, third])


@pytest.mark.parametrize("name", ["none.csv", "none.parquet", "none.json", "none.txt"])
def test_a_file_that_is_not_there_is_refused(tmp_path, name):
    with pytest.raises(FormatError, match="there is no such file"):
        load_votes([tmp_path / name])


def test_other_files_are_refused(tmp_path):
    with pytest.raises(FormatError, match=r"votes are a \.csv, \.tsv, \.parquet or \.json file, not \.txt"):
        load_votes([write(tmp_path, LONG, "votes.txt")])
    with pytest.raises(FormatError, match="not a Parquet file"):
        load_votes([write(tmp_path, LONG, "votes.parquet")])
    with pytest.raises(InputError, match="at least one file"):
        load_votes([])


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"task": ["a"], "label": ["x"]}, "need the columns"),
        ({"task": ["a", "b"], "worker": ["u", None], "label": ["x", "y"]}, "row 2: the column 'worker' is empty"),
        ({"task": ["a"], "worker": ["u"], "label": [["x"]]}, "not texts or whole numbers"),
        ({"task": ["a", "a"], "worker": ["u", "u"], "label": ["x", "y"]}, "row 2: annotator 'u' gives task 'a'"),
    ],
)
def test_parquet_that_cannot_be_counted_is_refused_with_its_row(tmp_path, columns, message):
    path = tmp_path / "votes.parquet"
    pl.DataFrame(columns).write_parquet(path)
    with pytest.raises(FormatError, match=message):
        load_votes([path])


def test_known_labels_are_read_and_two_for_one_task_refused(tmp_path):
    gold = load_gold(write(tmp_path, "task,label\nt1,cat\nt2,dog\n"))
    assert (gold.task_ids.tolist(), gold.labels.tolist()) == (["t1", "t2"], ["cat", "dog"])
    with pytest.raises(FormatError, match="line 3: task 't1' occurs a second time"):
        load_gold(write(tmp_path, "task,label\nt1,cat\nt1,cat\n"))
    with pytest.raises(FormatError, match="needs the columns task, label"):
        load_gold(write(tmp_path, "image_id,label\nt1,cat\n"))


def test_a_hundred_thousand_votes_are_numbered_as_python_would(tmp_path, rng):
    tasks, who = rng.integers(0, 30_000, 100_000), rng.integers(0, 10**6, 100_000)
    votes = pl.DataFrame({"task": tasks, "worker": who, "label": rng.integers(0, 300, 100_000)}).unique(
        ["task", "worker"], maintain_order=True
    )
    path = tmp_path / "many.csv"
    votes.write_csv(path)
    found = load_votes([path]).votes
    assert list_votes(found) == votes.cast(pl.String).rows()
    assert found.task_ids.tolist() == list(dict.fromkeys(votes["task"].cast(pl.String)))
    assert np.bincount(found.answers).min() > 0
