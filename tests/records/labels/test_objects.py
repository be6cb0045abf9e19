"""Objects of images: what the record holds, what it refuses, and that a truth file carries it there and back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from regauge.errors import FormatError, InputError
from regauge.evaluation.targets import combine_truths
from regauge.formats.exports.writers import write_truth
from regauge.formats.labels.truth import load_truth
from regauge.records.labels.frequencies import SelectionCounts
from regauge.records.labels.label_set import LabelSet, Truth
from regauge.records.labels.objects import NO_OBJECT, ImageObjects
from regauge.records.testsets.test_set import TestSet

OBJECTS = ImageObjects.from_lists(
    "o", ["a", "b", "c"], objects=[[[3, 1], [2]], [], [[7]]], names=[[1, 2], [], [7]], main_objects=[1, NO_OBJECT, 0]
)


def write_lines(folder: Path, *rows: dict[str, Any]) -> Path:
    path = folder / "t.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return path


def test_objects_of_images_are_nested_columns() -> None:
    assert OBJECTS.n_objects.tolist() == [2, 0, 1]
    assert (OBJECTS.get_objects(0), OBJECTS.get_names(0)) == ([[3, 1], [2]], [1, 2])
    assert (OBJECTS.object_images.tolist(), OBJECTS.label_objects.tolist()) == ([0, 0, 2], [0, 0, 1, 2])


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"objects": [[[1], []]]}, "an object without labels"),
        ({"objects": [[[1], [1]]]}, "image 'a' has label 1 in two places"),
        ({"objects": [[[1]]], "names": [[2]]}, "is called 2, which is none of its labels"),
        ({"objects": [[[1]]], "main_objects": [1]}, "has 1 objects, so its main object cannot be number 1"),
        ({"objects": [[[-1]]]}, "a class index from 0 up, not -1"),
    ],
)
def test_nonsense_is_refused(columns: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        ImageObjects.from_lists("o", ["a"], **columns)


def test_a_truth_file_carries_objects_and_frequencies_there_and_back(tmp_path: Path) -> None:
    labels = LabelSet.from_lists("l", ["a", "b", "c"], correct=[[1], [], [7]], main_labels=[2, -1, 7])
    counts = SelectionCounts(np.array(["c", "a"]), [0, 1, 1], [7, 1, 5], [9, 10, 0], [9, 4, 0])
    test_set = TestSet("t", np.array(["a", "b", "c"]), np.array([1, 2, 7]))
    truth = Truth(test_set, (labels,), objects=(OBJECTS,), frequencies=(counts,))
    write_truth(truth, path=tmp_path / "t.jsonl")
    truth = load_truth(tmp_path / "t.jsonl")
    (objects,), (frequencies,) = truth.objects, truth.frequencies
    assert (objects.name, objects.image_ids.tolist()) == ("t", ["a", "b", "c"])
    for name in ("object_starts", "names", "label_starts", "classes", "main_objects"):
        np.testing.assert_array_equal(getattr(objects, name), getattr(OBJECTS, name))
    columns = (
        frequencies.image_ids[frequencies.images],
        frequencies.classes,
        frequencies.n_shown,
        frequencies.n_selected,
    )
    found = zip(*(column.tolist() for column in columns), strict=True)
    assert list(found) == [("a", 1, 10, 4), ("a", 5, 0, 0), ("c", 7, 9, 9)]
    assert truth.label_sets[0].main_labels.tolist() == [2, -1, 7]
    assert "The objects in 2 images are known." in truth.notes[0]


def test_files_without_objects_are_read_as_before(tmp_path: Path) -> None:
    truth = load_truth(write_lines(tmp_path, {"image_id": "a", "correct": [1]}))
    assert (truth.objects, truth.frequencies) == ((), ())


def test_a_file_with_objects_alone_is_a_truth_without_verdicts(tmp_path: Path) -> None:
    truth = load_truth(write_lines(tmp_path, {"image_id": "a", "objects": [[4, 2]]}))
    assert not truth.label_sets[0].has_verdicts
    assert truth.objects[0].get_names(0) == [4]


def test_combined_truths_keep_their_objects() -> None:
    test_set = TestSet("t", np.array(["a"]), np.array([1]))
    both = combine_truths([Truth(test_set), Truth(test_set, objects=(OBJECTS,))])
    assert both.objects == (OBJECTS,)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"objects": [1]}, "line 1: objects must be a list of lists of classes"),
        ({"objects": [[]]}, "line 1: objects must be a list of lists of classes, none of them empty"),
        ({"objects": [[1], [1]]}, "line 1: class 1 stands in two places"),
        ({"objects": [[1]], "object_labels": [1, 2]}, "line 1: object_labels must name each of the 1 objects"),
        ({"objects": [[1]], "object_labels": [2]}, "line 1: an object is called 2, which is none of its labels"),
        (
            {"objects": [[1]], "main_object": 1},
            "line 1: main_object is the number of an object, from 0 to 0 here, not 1",
        ),
        ({"objects": [[1]], "main_object": True}, "line 1: main_object is the number"),
        ({"frequencies": [1]}, "line 1: frequencies must be an object from classes"),
        ({"frequencies": {"1": [3, 4]}}, r"line 1: the frequency of class 1 is \[n_shown, n_selected\]"),
        ({"frequencies": {"1": [3, 1], "01": [3, 1]}}, "line 1: frequencies has class 1 twice"),
    ],
)
def test_a_defect_in_a_truth_file_is_named_with_its_line(tmp_path: Path, fields: dict[str, Any], message: str) -> None:
    with pytest.raises(FormatError, match=message):
        load_truth(write_lines(tmp_path, {"image_id": "a", **fields}))
