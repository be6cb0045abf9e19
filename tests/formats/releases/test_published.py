"""Readers of the released data: small files of their layout, and files that are none."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from regauge.errors import FormatError
from regauge.formats.releases.published import (
    load_annotated_rows,
    load_class_confusions,
    load_classified_images,
    load_grids,
    load_released_set,
    load_split,
    make_classify_responses,
)

CLASSIFIED = {
    "image": 45,
    "label": 3,
    "main": [3, 5],
    "selected": [[3], [3, 5]],
    "main_top": 3,
    "num_objects": 1,
    "objects": [[3, 5]],
    "main_object": 0,
    "imagenet_object": None,
}


def write_released(folder: Path) -> None:
    top1 = np.array([[0, 1], [1, 1]], np.int16)
    rest = np.array([[[1, 2, 3, 4], [0, 2, 3, 4]]] * 2, np.int16)
    np.savez(
        folder / "recht2019_imagenet_top1.npz",
        models=np.array(["a", "b"]),
        val_top1=top1,
        val_labels=np.array([0, 1], np.int16),
        val_ids=np.array([7, 50_000], np.int32),
        threshold07_top1=top1,
        threshold07_labels=np.array([0, 1], np.int16),
        threshold07_ids=np.array([b"ab", b"cd"]),
        val20k_rows=np.array([1], np.int32),
    )
    np.savez(folder / "recht2019_imagenet_top2to5.npz", val_top2to5=rest, threshold07_top2to5=rest + 5)


def test_a_released_set_has_ids_labels_and_five_answers_per_model(tmp_path: Path) -> None:
    write_released(tmp_path)
    released = load_released_set(tmp_path, "val")
    assert released.models == ("a", "b")
    assert released.test_set.image_ids.tolist() == ["ILSVRC2012_val_00000007", "ILSVRC2012_val_00050000"]
    assert released.get_predictions("a").classes.tolist() == [[0, 1, 2, 3, 4], [1, 0, 2, 3, 4]]
    assert load_released_set(tmp_path, "threshold07").test_set.image_ids.tolist() == ["ab", "cd"]
    assert load_annotated_rows(tmp_path).tolist() == [1]


def test_grids_come_with_the_nearest_class_of_each_class(tmp_path: Path) -> None:
    images = np.array([[3, -9]], np.int32)
    np.savez(
        tmp_path / "recht2019_mturk_grids.npz",
        grid_class=np.array([1], np.int16),
        image=images,
        role=np.zeros((1, 2), np.uint8),
    )
    np.savez(tmp_path / "similar_classes.npz", most_similar=np.array([[0, 1], [1, 0]], np.int16))
    grids = load_grids(tmp_path)
    assert (grids.images.tolist(), grids.nearest.tolist()) == ([[3, -9]], [1, 0])


def test_classified_images_keep_answers_and_results(tmp_path: Path) -> None:
    (tmp_path / "tsipras2020_classify_half.jsonl").write_text(json.dumps(CLASSIFIED), encoding="utf-8")
    (image,) = load_classified_images(tmp_path)
    assert (image.selected, image.dataset_object, image.n_objects) == (((3,), (3, 5)), None, 1)
    responses = make_classify_responses([image])
    assert responses.image_ids.tolist() == ["ILSVRC2012_val_00000045"]
    assert (responses.starts.tolist(), responses.selected.tolist()) == ([0, 1, 3], [3, 3, 5])
    assert (responses.main.tolist(), len(responses.annotator_ids)) == ([3, 5], 2)


def test_a_row_that_is_no_classified_image_is_named(tmp_path: Path) -> None:
    text = json.dumps(CLASSIFIED) + "\n" + json.dumps({"image": 1})
    (tmp_path / "tsipras2020_classify_half.jsonl").write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match="line 2: this is not a row of the CLASSIFY release: KeyError"):
        load_classified_images(tmp_path)


def test_the_split_needs_its_columns(tmp_path: Path) -> None:
    path = tmp_path / "tsipras2020_split.csv"
    path.write_text("image,split\n3,easy\n", encoding="utf-8")
    assert load_split(tmp_path) == {3: "easy"}
    path.write_text("image,part\n3,easy\n", encoding="utf-8")
    with pytest.raises(FormatError, match="needs the columns image and split"):
        load_split(tmp_path)


def test_confusions_are_triples(tmp_path: Path) -> None:
    path = tmp_path / "vasudevan2022_class_confusions.json"
    path.write_text("[[1, 2, 3]]", encoding="utf-8")
    assert load_class_confusions(tmp_path) == [(1, 2, 3)]
    path.write_text('[[1, 2, "many"]]', encoding="utf-8")
    with pytest.raises(FormatError, match=r"confusions are \[class, class, count\]"):
        load_class_confusions(tmp_path)


def test_a_missing_or_damaged_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"recht2019_imagenet_top1\.npz: there is no such file"):
        load_released_set(tmp_path, "val")
    (tmp_path / "recht2019_imagenet_top1.npz").write_bytes(b"no archive")
    with pytest.raises(FormatError, match="this is not a file of NumPy, whatever it is called"):
        load_released_set(tmp_path, "val")
