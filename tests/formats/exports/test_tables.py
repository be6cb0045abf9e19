"""Tables for other programs: what stands in their cells, and that they are written part by part."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from regauge import NO_CLASS, LabelSet, Predictions, TestSet, load_taxonomy
from regauge.formats.exports.tables import (
    KINDS,
    PREDICTION_COLUMNS,
    VOTE_COLUMNS,
    shape_images,
    shape_labels,
    shape_predictions,
    shape_votes,
    write_table,
)
from regauge.records.cells import undo_disarm_frame
from regauge.records.labels.label_set import LabelKind, Unlisted
from regauge.records.studies import ImagePlace, LabelSetEntry

CLASSES = load_taxonomy("cifar-10")
HOSTILE = '=1+1,"x"\r\n\x00\x1b[2J\t../é'


def test_images_have_their_label_by_index_id_and_name() -> None:
    test_set = TestSet("t", ["a", "b"], [0, 9])
    frame = shape_images(test_set, [ImagePlace("x.jpg"), ImagePlace()], taxonomy=CLASSES)
    assert frame.select("image_id", "label", "label_id", "label_name", "path", "sha256").rows() == [
        ("a", 0, "n02691156", "airplane", "x.jpg", None),
        ("b", 9, "n04490091", "truck", None, None),
    ]


def test_an_image_without_verdicts_keeps_a_row() -> None:
    label_set = LabelSet.from_lists(
        "l@1", ["a", "b"], correct=[[1], []], wrong=[[0], []], is_problematic=[False, True], main_labels=[NO_CLASS, 2]
    )
    entry = LabelSetEntry("l", 1, LabelKind.MULTILABEL, Unlisted.UNJUDGED, 2, 2, 1, None, "")
    frame = shape_labels(entry, label_set, taxonomy=CLASSES)
    assert frame.select("image_id", "class", "verdict", "problematic", "main").rows() == [
        ("a", 1, "correct", False, None),
        ("a", 0, "wrong", False, None),
        ("b", None, None, True, 2),
    ]
    assert frame["class_id"].to_list() == ["n02958343", "n02691156", None]


def test_answers_are_rows_with_ranks_from_one_and_no_row_stands_for_none() -> None:
    answers = Predictions("m", ["a", "b"], [[3, 1], [2, NO_CLASS]], [[0.75, 0.25], [0.5, float("nan")]])
    frame = shape_predictions(answers, "t", taxonomy=CLASSES)
    assert dict(frame.schema) == dict(PREDICTION_COLUMNS)
    assert frame.select("participant", "test_set", "image_id", "rank", "class", "score").rows() == [
        ("m", "t", "a", 1, 3, 0.75),
        ("m", "t", "a", 2, 1, 0.25),
        ("m", "t", "b", 1, 2, 0.5),
    ]
    assert frame["class_id"].to_list() == ["n02121620", "n02958343", "n01503061"]


def test_a_score_that_is_not_known_is_null_and_not_zero() -> None:
    frame = shape_predictions(Predictions("m", ["a"], [3]), "t", taxonomy=CLASSES)
    assert frame["score"].to_list() == [None]


def test_votes_are_first_answers() -> None:
    frame = shape_votes(Predictions("m", ["a", "b"], [[3, 1], [2, 0]]))
    assert frame.rows() == [("a", "m", 3), ("b", "m", 2)]


def read(path: Path, kind: str) -> list[tuple[object, ...]]:
    if kind == "parquet":
        return pl.read_parquet(path).rows()
    if kind == "jsonl":
        return pl.read_ndjson(path, schema=dict(VOTE_COLUMNS)).rows()
    return undo_disarm_frame(pl.read_csv(path, schema=dict(VOTE_COLUMNS))).rows()


@pytest.mark.parametrize("kind", KINDS)
def test_parts_come_back_as_one_table_whatever_is_in_the_cells(tmp_path: Path, kind: str) -> None:
    parts = [
        pl.DataFrame({"task": [HOSTILE], "worker": ["w"], "label": [1]}),
        pl.DataFrame(schema=dict(VOTE_COLUMNS)),
        pl.DataFrame({"task": ["b", ""], "worker": [None, "-1"], "label": [None, 3]}, schema=dict(VOTE_COLUMNS)),
    ]
    written = write_table(parts, tmp_path / "t", kind=kind, schema=VOTE_COLUMNS)
    assert written.n_rows == 3
    assert read(tmp_path / "t", kind) == [(HOSTILE, "w", 1), ("b", None, None), ("", "-1", 3)]
    assert [path.name for path in tmp_path.iterdir()] == ["t"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_table_without_rows_is_a_table(tmp_path: Path, kind: str) -> None:
    assert write_table([], tmp_path / "t", kind=kind, schema=VOTE_COLUMNS).n_rows == 0
    assert read(tmp_path / "t", kind) == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_part_is_asked_for_when_the_one_before_is_written(tmp_path: Path, kind: str) -> None:
    sizes = []

    def make() -> Iterator[pl.DataFrame]:
        for _ in range(3):
            sizes.append(sum(path.stat().st_size for path in tmp_path.iterdir()))
            yield pl.DataFrame({"task": ["x" * 100_000], "worker": ["w"], "label": [1]})

    write_table(make(), tmp_path / "t", kind=kind, schema=VOTE_COLUMNS)
    assert sizes[0] <= sizes[1] <= sizes[2]
    assert sizes[0] < sizes[2]


def test_what_fails_leaves_no_parts(tmp_path: Path) -> None:
    def make() -> Iterator[pl.DataFrame]:
        yield pl.DataFrame({"task": ["a"], "worker": ["w"], "label": [1]})
        raise RuntimeError("half-way")

    with pytest.raises(RuntimeError, match="half-way"):
        write_table(make(), tmp_path / "t", kind="parquet", schema=VOTE_COLUMNS)
    assert list(tmp_path.iterdir()) == []
