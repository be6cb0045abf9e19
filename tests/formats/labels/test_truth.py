"""Truth files: every form that is read, and every defect with its line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from regauge.arrays import NO_CLASS
from regauge.errors import FormatError
from regauge.formats.labels.truth import load_truth
from regauge.formats.taxonomies import load_taxonomy
from regauge.records.labels.label_set import LabelKind, LabelSet, Truth, Unlisted
from regauge.records.labels.verdicts import Verdict
from regauge.records.taxonomy import Taxonomy

Loader: TypeAlias = Callable[..., Truth]


@pytest.fixture
def load(tmp_path: Path) -> Loader:
    """Write a text, bytes, JSON content or list of lines to a file of that name and load it."""

    def load_content(content: object, name: str, **options: Any) -> Truth:
        path = tmp_path / name
        if isinstance(content, list) and name.endswith(".jsonl"):
            content = "\n".join(json.dumps(row) for row in content)
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8", newline="")
        return load_truth(path, **options)

    return load_content


@pytest.fixture(scope="module")
def imagenet() -> Taxonomy:
    return load_taxonomy("imagenet-1k")


def list_labels(truth: Truth) -> dict[str, int]:
    assert truth.test_set is not None
    return dict(zip(truth.test_set.image_ids.tolist(), truth.test_set.labels.tolist(), strict=True))


def list_verdicts(label_set: LabelSet, verdict: Verdict) -> dict[str, list[int]]:
    return {
        image_id: [
            int(index)
            for index, one in zip(
                label_set.classes[label_set.starts[row] : label_set.starts[row + 1]],
                label_set.verdicts[label_set.starts[row] : label_set.starts[row + 1]],
                strict=True,
            )
            if one == verdict
        ]
        for row, image_id in enumerate(label_set.image_ids.tolist())
    }


# CSV


def test_a_table_gives_dataset_labels(load: Loader) -> None:
    truth = load("image_id,label,more\na,3,x\nb,0,y\n", "val.csv")
    assert list_labels(truth) == {"a": 3, "b": 0}
    assert truth.name == "val"
    assert truth.label_sets == ()
    assert truth.notes == ("val.csv: dataset labels of 2 images.",)


def test_a_table_may_hold_the_digests_of_its_images(load: Loader) -> None:
    digest = "0123456789abcdef" * 4
    truth = load(f"image_id,label,sha256\na,3,{digest.upper()}\nb,0,\n", "val.csv")
    assert truth.test_set is not None
    assert truth.test_set.digests is not None
    assert truth.test_set.digests.tolist() == [digest, ""]
    with pytest.raises(FormatError, match="line 3: sha256 is 64 hexadecimal digits or empty, not 'beef'"):
        load(f"image_id,label,sha256\na,3,{digest}\nb,0,beef\n", "val.csv")


def test_labels_may_be_indices_ids_and_names_when_there_is_a_taxonomy(load: Loader, imagenet: Taxonomy) -> None:
    truth = load("image_id\tlabel\na\ttench\nb\tn01443537\nc\t2\n", "val.tsv", taxonomy=imagenet)
    assert list_labels(truth) == {"a": 0, "b": 1, "c": 2}


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("id,label\na,0\n", "line 1: a truth table needs the columns image_id, label; this file has: id, label."),
        ("image_id,label\na,0\nb,zebra-ish\n", "line 3: 'zebra-ish' is not a class of imagenet-1k"),
        ("image_id,label\na,0\nb,crane\n", "line 3: 'crane' names 2 classes of imagenet-1k: n02012849, n03126707"),
        ("image_id,label\na,1000\n", "line 2: '1000' is not a class of imagenet-1k; indices run from 0 to 999"),
        ("image_id,label\na,-1\n", "line 2: '-1' is not a class"),
        ("image_id,label\na,0\nb,1\na,0\n", "line 4: image 'a' occurs a second time."),
        ("image_id,label\na,0\nb,\n", "line 3: the column 'label' is empty."),
        ("image_id,label\na,0\n,1\n", "line 3: the column 'image_id' is empty."),
        ("", "the file is empty."),
        ("image_id,label\n", "line 1: the file has a header and no rows."),
        (b"image_id,label\na,0\nb\xe9,1\n", "line 3: this is not UTF-8 text"),
    ],
)
def test_a_defect_of_a_table_is_named_with_its_line(
    load: Loader, imagenet: Taxonomy, content: str | bytes, problem: str
) -> None:
    with pytest.raises(FormatError) as caught:
        load(content, "val.csv", taxonomy=imagenet)
    assert problem in str(caught.value)
    assert "val.csv" in str(caught.value)


# JSON Lines


def test_json_lines_give_labels_verdicts_and_main_labels(load: Loader) -> None:
    rows = [
        {"image_id": "a", "label": 1, "correct": [1, 2], "unclear": [3], "wrong": [4, 5], "main": 2},
        {"image_id": "b", "label": None, "correct": [0, 0], "problematic": True},
        {"image_id": 7, "label": 0},
    ]
    truth = load(rows, "multi.jsonl")
    (label_set,) = truth.label_sets
    assert list_labels(truth) == {"a": 1, "7": 0}
    assert list_verdicts(label_set, Verdict.CORRECT) == {"a": [1, 2], "b": [0], "7": []}
    assert list_verdicts(label_set, Verdict.UNCLEAR) == {"a": [3], "b": [], "7": []}
    assert list_verdicts(label_set, Verdict.WRONG) == {"a": [4, 5], "b": [], "7": []}
    assert label_set.is_problematic.tolist() == [False, True, False]
    assert label_set.main_labels.tolist() == [2, NO_CLASS, NO_CLASS]
    assert (label_set.kind, label_set.unlisted) == (LabelKind.MULTILABEL, Unlisted.UNJUDGED)
    (note,) = truth.notes
    assert note.startswith("multi.jsonl: 6 verdicts on 3 images, 1 of them problematic and left out; ")
    assert note.endswith("a class that an image does not list is unjudged.")


def test_the_field_names_of_tfds_are_understood(load: Loader) -> None:
    rows = [
        {
            "file_name": "ILSVRC2012_val_00000001.JPEG",
            "original_label": 65,
            "correct_multi_labels": [65, 62],
            "unclear_multi_labels": [58],
            "wrong_multi_labels": [60],
            "is_problematic": False,
        },
        {
            "file_name": "val/ILSVRC2012_val_00000002.JPEG",
            "original_label": 970,
            "correct_multi_labels": [],
            "unclear_multi_labels": [],
            "wrong_multi_labels": [],
            "is_problematic": True,
        },
    ]
    truth = load(rows, "tfds.jsonl")
    (label_set,) = truth.label_sets
    assert list_labels(truth) == {"ILSVRC2012_val_00000001": 65, "ILSVRC2012_val_00000002": 970}
    assert list_verdicts(label_set, Verdict.CORRECT)["ILSVRC2012_val_00000001"] == [65, 62]
    assert list_verdicts(label_set, Verdict.UNCLEAR)["ILSVRC2012_val_00000001"] == [58]
    assert list_verdicts(label_set, Verdict.WRONG)["ILSVRC2012_val_00000001"] == [60]
    assert label_set.is_problematic.tolist() == [False, True]


def test_without_lists_of_wrong_classes_an_unlisted_class_is_wrong(load: Loader) -> None:
    (label_set,) = load([{"image_id": "a", "correct": [1]}], "x.jsonl").label_sets
    assert label_set.unlisted is Unlisted.WRONG


@pytest.mark.parametrize("unlisted", list(Unlisted))
@pytest.mark.parametrize("row", [{"image_id": "a", "correct": [1]}, {"image_id": "a", "correct": [1], "wrong": [2]}])
def test_what_an_unlisted_class_means_can_be_said(load: Loader, unlisted: Unlisted, row: dict[str, Any]) -> None:
    (label_set,) = load([row], "x.jsonl", unlisted=unlisted).label_sets
    assert label_set.unlisted is unlisted


def test_json_lines_with_labels_alone_give_no_label_set(load: Loader) -> None:
    truth = load([{"image_id": "a", "label": 1}, {"image_id": "b", "label": 0}], "x.jsonl")
    assert (list_labels(truth), truth.label_sets) == ({"a": 1, "b": 0}, ())
    assert truth.notes == ("x.jsonl: dataset labels of 2 images.",)


def test_main_labels_alone_give_a_label_set_and_no_test_set(load: Loader) -> None:
    truth = load([{"image_id": "a", "main": 1}, {"image_id": "b"}], "x.jsonl")
    assert truth.test_set is None
    assert truth.label_sets[0].main_labels.tolist() == [1, NO_CLASS]


def test_classes_of_json_lines_may_be_ids_and_names(load: Loader, imagenet: Taxonomy) -> None:
    (label_set,) = load(
        [{"image_id": "a", "correct": ["tench", "n01443537", 2]}], "x.jsonl", taxonomy=imagenet
    ).label_sets
    assert label_set.classes.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ('{"image_id": "b", "correct": [1], "wrong": [2, 1]}', "class 1 is listed as correct and as wrong"),
        ('{"image_id": "b", "correct": [1], "unclear": [1]}', "class 1 is listed as correct and as unclear"),
        ('{"image_id": "b", "correct": 5}', "correct must be a list of classes, not 5."),
        ('{"image_id": "b", "correct": 0}', "correct must be a list of classes, not 0."),
        ('{"image_id": "b", "wrong": ""}', "wrong must be a list of classes, not ''."),
        ('{"image_id": "b", "unclear": {}}', "unclear must be a list of classes, not {}."),
        ('{"image_id": "b", "correct": [[1]]}', "a class must be an index, an id or a name, not [1]."),
        ('{"image_id": "b", "label": 1.5}', "a class must be an index, an id or a name, not 1.5."),
        ('{"image_id": "b", "label": true}', "a class must be an index, an id or a name, not True."),
        ('{"image_id": "b", "label": -1}', "'-1' is not a class index"),
        ('{"image_id": "b", "main": "tench"}', "'tench' is not a class index"),
        ('{"image_id": "b", "problematic": "no"}', "problematic must be true or false, not 'no'."),
        ('{"image_id": "a", "correct": []}', "image 'a' occurs a second time."),
        ('{"image_id": "", "label": 1}', "every line needs an image_id (or a file_name) that is not empty."),
        ('{"image_id": true, "label": 1}', "every line needs an image_id (or a file_name) that is not empty."),
        ('{"file_name": "/", "label": 1}', "every line needs an image_id (or a file_name) that is not empty."),
        ('{"label": 1}', "every line needs an image_id (or a file_name) that is not empty."),
        ("[1, 2]", "every line must be a JSON object."),
        ('{"image_id": "b"', "this is not JSON: "),
    ],
)
def test_a_defect_of_json_lines_is_named_with_its_line(load: Loader, line: str, problem: str) -> None:
    with pytest.raises(FormatError) as caught:
        load('{"image_id": "a", "label": 1}\n\n' + line + "\n", "x.jsonl")
    assert caught.value.line == 3
    assert caught.value.problem.startswith(problem)


def test_json_lines_that_say_nothing_about_the_images_are_refused(load: Loader) -> None:
    with pytest.raises(FormatError, match="no line has a label, a main label or a list"):
        load([{"image_id": "a"}, {"image_id": "b", "colour": "red"}], "x.jsonl")


# ReaL


def test_a_real_list_stands_for_the_validation_images_in_order(load: Loader) -> None:
    truth = load([[65], [], [1, 2, 1]], "real.json")
    (label_set,) = truth.label_sets
    assert label_set.image_ids.tolist() == [f"ILSVRC2012_val_{number:08d}" for number in (1, 2, 3)]
    assert list(list_verdicts(label_set, Verdict.CORRECT).values()) == [[65], [], [1, 2]]
    assert (label_set.kind, label_set.unlisted, truth.test_set) == (LabelKind.REAL, Unlisted.WRONG, None)
    assert truth.notes == ("real.json: reassessed labels of 3 images, 1 of them left out: no label.",)


def test_a_real_object_names_its_files(load: Loader, imagenet: Taxonomy) -> None:
    (label_set,) = load({"x/b.JPEG": ["tench"], "a.JPEG": []}, "real.json", taxonomy=imagenet).label_sets
    assert list_verdicts(label_set, Verdict.CORRECT) == {"b": [0], "a": []}


def test_the_released_real_labels_are_read(published: Path) -> None:
    truth = load_truth(published / "real2020_labels.json")
    assert len(truth.label_sets[0]) == 50_000
    assert "3,163 of them left out: no label" in truth.notes[0]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("[1, 2]", "a JSON truth is a list of label lists (ReaL)"),
        ("[]", "a JSON truth is a list of label lists (ReaL)"),
        ("{}", "a JSON truth is a list of label lists (ReaL)"),
        ('{"a": 1}', "a JSON truth is a list of label lists (ReaL)"),
        ("3", "a JSON truth is a list of label lists (ReaL)"),
        ('[{"image_id": "a", "correct": [1]}]', "verdicts go into .jsonl"),
        ("[[0], [0.5]]", "image 'ILSVRC2012_val_00000002': a class must be an index"),
        ("[[-1]]", "image 'ILSVRC2012_val_00000001': '-1' is not a class index"),
        ("[[NaN]]", "a class must be an index, an id or a name, not nan"),
        ("[[4000000000]]", "4000000000 is too large for a class index"),
        ('{"a": ["tench"]}', "image 'a': 'tench' is not a class index; to use ids or names"),
        ('{"a.png": [0], "/a.png": [1]}', "a.png and /a.png both stand for image 'a'; rename one."),
        ('{"a": [0], "a": [1]}', "an object has the key 'a' twice."),
        ('{"": [0]}', "has an empty image id"),
        ("[[0],", "this is not JSON"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_json_that_is_not_real_is_refused_with_the_image_that_is_wrong(
    load: Loader, content: str, problem: str
) -> None:
    with pytest.raises(FormatError) as caught:
        load(content, "real.json")
    assert problem in caught.value.problem
    assert caught.value.path.name == "real.json"


# Folders


def make_folder(root: Path, *files: str) -> Path:
    for file in files:
        path = root / "images" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return root / "images"


def test_a_folder_of_class_folders_gives_labels_by_the_taxonomy(tmp_path: Path, imagenet: Taxonomy) -> None:
    folder = make_folder(
        tmp_path, "n01443537/b.JPEG", "n01440764/a.jpg", "tiger shark/c.PNG", "n01440764/notes.txt", ".git/x.png"
    )
    truth = load_truth(folder, taxonomy=imagenet)
    assert list_labels(truth) == {"a": 0, "b": 1, "c": 3}
    assert truth.name == "images"
    assert truth.notes == ("images: 3 images in 3 class folders.",)


def test_without_a_taxonomy_folders_are_numbered_by_name_and_the_note_says_so(tmp_path: Path) -> None:
    truth = load_truth(make_folder(tmp_path, "zebra/a.jpg", "ant/b.jpg", "10/c.jpg"))
    assert list_labels(truth) == {"c": 0, "b": 1, "a": 2}
    assert truth.notes == ("images: 3 images in 3 class folders, numbered in alphabetical order.",)


def test_folders_named_by_index_keep_their_index(tmp_path: Path) -> None:
    truth = load_truth(make_folder(tmp_path, "10/a.jpg", "9/b.jpg", "002/c.jpg"))
    assert list_labels(truth) == {"a": 10, "b": 9, "c": 2}


def test_the_current_folder_is_called_by_its_own_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(make_folder(tmp_path, "0/a.jpg"))
    truth = load_truth(".")
    assert truth.name == "images"
    assert truth.notes[0].startswith("images: 1 image")


def test_a_folder_without_images_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(FormatError, match=r"the folder holds no images; .*; this one is empty\.$"):
        load_truth(tmp_path / "empty")
    with pytest.raises(FormatError, match=r"this one holds 1 file \(\.txt\) and 1 folder\.$"):
        load_truth(make_folder(tmp_path, "0/a.txt", "b.txt"))
    with pytest.raises(
        FormatError, match=r"this one holds 1 folder, and val holds folders with images: name that one\.$"
    ):
        load_truth(make_folder(tmp_path / "deep", "val/0/a.jpg"))


def test_images_of_one_name_in_two_class_folders_are_called_by_their_paths(tmp_path: Path) -> None:
    folder = make_folder(tmp_path, "0/a.jpg", "1/a.png", "1/b.png")
    assert list_labels(load_truth(folder)) == {"0/a": 0, "1/a": 1, "1/b": 1}


def test_images_beside_class_folders_are_left_out_aloud(tmp_path: Path) -> None:
    truth = load_truth(make_folder(tmp_path, "0/a.jpg", "b.jpg", "c.jpg"))
    assert truth.notes[1] == "images: 2 images beside the class folders left out."


def test_a_class_folder_that_the_taxonomy_does_not_know_is_refused(tmp_path: Path, imagenet: Taxonomy) -> None:
    folder = make_folder(tmp_path, "n01440764/a.jpg", "n99999999/b.jpg")
    with pytest.raises(
        FormatError, match="a class folder is not understood: 'n99999999' is not a class of imagenet-1k"
    ):
        load_truth(folder, taxonomy=imagenet)


# Which file it is


def test_a_truth_that_does_not_exist_is_named(tmp_path: Path) -> None:
    for name in ("nope", "nope.csv", "nope.json", "nope.jsonl"):
        with pytest.raises(FormatError, match=rf"{name}: there is no such file"):
            load_truth(tmp_path / name)


def test_a_file_of_another_kind_is_refused(load: Loader) -> None:
    with pytest.raises(FormatError, match=r"a truth is a \.csv, .* or a folder of images, not \.xlsx"):
        load("x", "truth.xlsx")
    with pytest.raises(FormatError, match="or a folder of images, not this"):
        load("x", "truth")


def test_a_list_of_far_too_many_lists_is_refused_before_it_is_taken_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "real.json"
    path.write_bytes(b"[" + b"[]," * 2_000_000 + b"[]]")
    monkeypatch.setattr("regauge.formats.labels.json_truths.parse_json", lambda _: pytest.fail("it was taken apart"))
    with pytest.raises(
        FormatError, match=r"a JSON truth has at most 2,000,000 label lists; larger ones go into \.jsonl\."
    ):
        load_truth(path)
