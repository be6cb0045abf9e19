"""Files of CLASSIFY answers: JSON Lines and Label Studio's export, and every defect with its place."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest

from regauge.arrays import NO_CLASS
from regauge.errors import FormatError
from regauge.formats.responses.classify import LoadedClassify, load_classify_responses
from regauge.formats.taxonomies import load_taxonomy

Loader: TypeAlias = Callable[..., LoadedClassify]
FIRST: dict[str, Any] = {"image_id": "i", "annotator_id": "a", "selected": [3, 1], "main": 1}
SECOND: dict[str, Any] = {"image_id": "i", "annotator_id": "b", "selected": [], "main": None, "seconds": 4.5}


@pytest.fixture
def load(tmp_path: Path) -> Loader:
    """Write rows, one per line, and load them."""

    def load_rows(*rows: object, **options: Any) -> LoadedClassify:
        path = tmp_path / "answers.jsonl"
        path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
        return load_classify_responses([path], **options)

    return load_rows


def test_answers_become_columns_in_file_order(load: Loader) -> None:
    responses, notes = load(FIRST, SECOND, {**FIRST, "image_id": 7})
    assert (responses.image_ids.tolist(), responses.annotator_ids.tolist()) == (["i", "7"], ["a", "b"])
    assert (responses.response_images.tolist(), responses.response_annotators.tolist()) == ([0, 0, 1], [0, 1, 0])
    assert (responses.starts.tolist(), responses.selected.tolist()) == ([0, 2, 2, 4], [3, 1, 3, 1])
    assert responses.main.tolist() == [1, NO_CLASS, 1]
    assert responses.seconds is not None
    np.testing.assert_array_equal(responses.seconds, [np.nan, 4.5, np.nan])
    assert responses.candidates is None
    assert notes == ("answers.jsonl: 3 responses read.",)


def test_a_line_may_hold_all_answers_on_an_image(load: Loader) -> None:
    line = {"image": 45, "label": 9, "main": [1, 2, None], "selected": [[1], [2, 3], []], "candidates": [1, 2, 3]}
    named = {**line, "image": 46, "annotator_ids": ["ann", "bea", "cid"]}
    found = load(line, named).responses
    assert found.image_ids.tolist() == ["45", "46"]
    assert found.annotator_ids.tolist() == ["45-1", "45-2", "45-3", "ann", "bea", "cid"]
    assert found.starts.tolist() == [0, 1, 3, 3, 4, 6, 6]
    assert found.main.tolist() == [1, 2, -1, 1, 2, -1]


def test_a_line_with_all_answers_needs_as_many_main_labels(load: Loader) -> None:
    with pytest.raises(
        FormatError, match="line 1: selected has the answers of 2 annotators; main must be a list as long"
    ):
        load({"image": 45, "main": [1], "selected": [[1], [2]]})


def test_candidates_are_kept_per_image_and_other_ones_are_said(load: Loader) -> None:
    rows = [{**FIRST, "candidates": [1, 2, 3]}, {**SECOND, "candidates": [3, 2, 1]}]
    responses, notes = load(*rows)
    assert responses.candidates is not None
    assert (responses.candidates.tolist(), len(notes)) == ([1, 2, 3], 1)
    responses, notes = load(rows[0], {**SECOND, "candidates": [3, 4]})
    assert responses.candidates is not None
    assert responses.candidates.tolist() == [1, 2, 3, 4]
    assert notes[1].startswith("1 response had other candidates")


def test_classes_may_be_ids_and_names(load: Loader) -> None:
    row = {**FIRST, "selected": ["n01440764", "goldfish", 2], "main": "1"}
    assert load(row, taxonomy=load_taxonomy("imagenet-1k")).responses.selected.tolist() == [0, 1, 2]


def test_several_files_are_one_record(tmp_path: Path) -> None:
    for name, row in (("one", FIRST), ("two", SECOND)):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(row), encoding="utf-8")
    assert len(load_classify_responses([tmp_path / "one.jsonl", tmp_path / "two.jsonl"]).responses) == 2
    (tmp_path / "two.jsonl").write_text(json.dumps({**FIRST, "selected": [1, 3]}), encoding="utf-8")
    message = r"line 1: annotator 'a' .* before, at line 1 of one.jsonl, with the same answer"
    with pytest.raises(FormatError, match=message):
        load_classify_responses([tmp_path / "one.jsonl", tmp_path / "two.jsonl"])


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({**FIRST}, "line 3: annotator 'a' has answered image 'i' before, at line 1, with the same answer"),
        ({**FIRST, "main": 3}, "line 3: annotator 'a' has answered image 'i' before, at line 1, with another answer"),
        ({**FIRST, "selected": [1, 1]}, "line 3: selected lists class 1 twice"),
        ({**FIRST, "selected": 3}, "line 3: selected must be a list of classes, not 3"),
        ({"image_id": "j", "annotator_id": "a", "main": 1}, "line 3: every answer needs the list selected"),
        ({**FIRST, "selected": [True]}, "line 3: a class must be an index, an id or a name, not True"),
        ({**FIRST, "selected": ["dog"]}, "line 3: 'dog' is not a class index; .* `taxonomy=…`"),
        ({**FIRST, "main": "dog"}, "line 3: 'dog' is not a class index"),
        ({**FIRST, "main": [1]}, "line 3: a class must be an index, an id or a name"),
        ({**FIRST, "image_id": ""}, "line 3: every answer needs an image_id that is not empty"),
        ({**FIRST, "annotator_id": None}, "line 3: every answer needs an annotator_id that is not empty"),
        ({**FIRST, "candidates": [1]}, r"line 3: class 3 is selected, but was not among the candidates \[1\]"),
        ({**FIRST, "main": 2, "candidates": [1, 3]}, "line 3: the main label 2 was not among the candidates"),
        ({**FIRST, "candidates": [1, 3, 3]}, "line 3: candidates lists class 3 twice"),
        ({**FIRST, "seconds": -1}, "line 3: seconds is a number from 0 up, not -1"),
        ({**FIRST, "seconds": "4"}, "line 3: seconds is a number from 0 up"),
        ([1], "line 3: every line must be a JSON object"),
    ],
)
def test_a_defect_is_named_with_its_line(load: Loader, row: object, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        load(FIRST, SECOND, row)


def test_an_unknown_class_of_the_taxonomy_is_refused(load: Loader) -> None:
    with pytest.raises(FormatError, match="line 1: '1000' is not a class of imagenet-1k"):
        load({**FIRST, "selected": [1000]}, taxonomy=load_taxonomy("imagenet-1k"))


def test_other_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="there is no such file"):
        load_classify_responses([tmp_path / "none.csv"])
    (tmp_path / "a.csv").write_text("image_id\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"a .jsonl file or a .json export of Label Studio, not .csv"):
        load_classify_responses([tmp_path / "a.csv"])


# Label Studio.


def choose(control: str, *choices: str) -> dict[str, Any]:
    return {"from_name": control, "to_name": "image", "type": "choices", "value": {"choices": list(choices)}}


def annotate(who: object, *results: dict[str, Any], **more: object) -> dict[str, Any]:
    return {"completed_by": who, "result": list(results), **more}


TASK = {
    "data": {"image": "/data/local-files/?d=val/img_7.JPEG", "candidates": [{"value": "3"}, {"value": "1"}]},
    "annotations": [
        annotate(5, choose("selected", "3", "1"), choose("main", "1"), lead_time=6.5),
        annotate({"id": 6, "email": "b@example.org"}, choose("selected", "3"), choose("main", "3")),
        annotate(7, was_cancelled=True),
    ],
}


def load_export(folder: Path, content: object, **options: Any) -> LoadedClassify:
    path = folder / "export.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return load_classify_responses([path], **options)


def test_an_export_of_label_studio_is_read(tmp_path: Path) -> None:
    responses, notes = load_export(tmp_path, [TASK])
    assert (responses.image_ids.tolist(), responses.annotator_ids.tolist()) == (["img_7"], ["5", "b@example.org"])
    assert (responses.selected.tolist(), responses.main.tolist()) == ([3, 1, 3], [1, 3])
    assert responses.candidates is not None
    assert responses.candidates.tolist() == [3, 1]
    assert notes == ("export.json: 2 responses read. 1 more were skipped by their annotators and are left out.",)


def test_choices_may_be_an_id_followed_by_a_name(tmp_path: Path) -> None:
    task = {"data": {"image_id": "x"}, "annotations": [annotate(1, choose("selected", "n01440764 tench"))]}
    responses = load_export(tmp_path, [task], taxonomy=load_taxonomy("imagenet-1k")).responses
    assert (responses.selected.tolist(), responses.main.tolist()) == ([0], [NO_CLASS])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"data": {}}, "an export of Label Studio is a list of tasks"),
        (
            [TASK, TASK],
            "task 2 of the export: annotator '5' has answered image 'img_7' before, at task 1, with the same",
        ),
        ([{"data": {}}], "task 1 of the export: the task has no list of annotations; export as JSON, not as JSON-MIN"),
        ([7], "task 1 of the export: a task is an object"),
        ([{"data": {}, "annotations": [annotate(1)]}], "every answer needs an image_id"),
        ([{"data": {"image_id": "x"}, "annotations": [{"completed_by": 1}]}], "an annotation has a list of results"),
        (
            [{"data": {"image_id": "x"}, "annotations": [annotate(1, choose("main", "1", "2"))]}],
            "the main label is one choice",
        ),
        ([{**TASK, "annotations": []}], "there is no answer in it"),
    ],
)
def test_a_defect_of_an_export_is_named_with_its_task(tmp_path: Path, content: object, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        load_export(tmp_path, content)
