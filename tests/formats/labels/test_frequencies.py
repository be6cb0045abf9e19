"""Tables of selection counts: every form that is read, and every defect with its line."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from regauge.errors import FormatError
from regauge.formats.labels.frequencies import load_selection_counts
from regauge.formats.taxonomies import load_taxonomy
from regauge.records.labels.frequencies import SelectionCounts

HEADER = "image_id,class,n_shown,n_selected,selection_frequency\n"
ROWS = HEADER + "b,3,9,4,0.44\na,7,0,0,\nb,1,10,10,1.0\n"


def load(folder: Path, text: str, name: str = "f.csv") -> SelectionCounts:
    (folder / name).write_text(text, encoding="utf-8")
    return load_selection_counts(folder / name)


def list_pairs(counts: SelectionCounts) -> list[tuple[str, int, int, int]]:
    columns = (counts.image_ids[counts.images], counts.classes, counts.n_shown, counts.n_selected)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def test_counts_are_ordered_by_image_and_class(tmp_path: Path) -> None:
    expected = [("b", 1, 10, 10), ("b", 3, 9, 4), ("a", 7, 0, 0)]
    assert list_pairs(load(tmp_path, ROWS)) == expected
    lines = '{"image_id":"b","class":3,"n_shown":9,"n_selected":4}\n{"image_id":"b","class":"1","n_shown":10,"n_selected":10}\n'
    assert list_pairs(load(tmp_path, lines, "f.jsonl")) == expected[:2]
    pl.read_csv(tmp_path / "f.csv").write_parquet(tmp_path / "f.parquet")
    assert list_pairs(load_selection_counts(tmp_path / "f.parquet")) == expected


def test_classes_may_be_ids(tmp_path: Path) -> None:
    (tmp_path / "f.csv").write_text(HEADER + "a,n01440764,9,4,\n", encoding="utf-8")
    assert load_selection_counts(tmp_path / "f.csv", taxonomy=load_taxonomy("imagenet-1k")).classes.tolist() == [0]


@pytest.mark.parametrize(
    ("text", "name", "message"),
    [
        ("image_id,class\na,1\n", "f.csv", "needs the columns image_id, class, n_shown, n_selected"),
        (HEADER + "a,1,9,x,\n", "f.csv", "line 2: n_selected is a whole number from 0 up, not 'x'"),
        (HEADER + "a,1,-9,0,\n", "f.csv", "line 2: n_shown is a whole number from 0 up, not '-9'"),
        (HEADER + "a,1,9,0,\na,2,3,4,\n", "f.csv", "line 3: 4 annotators selected the pair, but only 3 saw it"),
        (HEADER + "a,1,9,0,\nb,1,9,0,\na,1,9,0,\n", "f.csv", "line 4: class 1 of image 'a' occurs a second time"),
        (HEADER + "a,dog,9,0,\n", "f.csv", "line 2: 'dog' is not a class index"),
        (
            '{"image_id":"a","class":1,"n_shown":1,"n_selected":2}',
            "f.jsonl",
            "line 1: n_selected and n_shown are whole",
        ),
        ('{"class":1,"n_shown":1,"n_selected":0}', "f.jsonl", "line 1: every line needs an image_id"),
        ("nonsense", "f.parquet", "this is not a Parquet file"),
    ],
)
def test_a_defect_is_named(tmp_path: Path, text: str, name: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        load(tmp_path, text, name)


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    for name in ("f.csv", "f.jsonl", "f.parquet"):
        with pytest.raises(FormatError, match="there is no such file"):
            load_selection_counts(tmp_path / name)
