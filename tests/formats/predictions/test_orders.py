"""Arrays without ids: which image each row is about, and what an archive says of itself."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tests.cli.command_runner import write
from tests.formats.prediction_arrays import load

from regauge.errors import FormatError
from regauge.formats.predictions.arguments import PredictionFile
from regauge.formats.predictions.files import load_predictions
from regauge.formats.predictions.orders import load_order
from regauge.formats.taxonomies import load_taxonomy
from regauge.records.predictions import Logits

LOGITS = np.eye(3, dtype=np.float32)[[2, 0]]


def test_an_archive_may_hold_logits_with_ids(tmp_path: Path) -> None:
    np.savez(tmp_path / "m.npz", logits=LOGITS, image_ids=np.array(["a", "b"]), labels=np.array([2, 0]))
    found = load_predictions(PredictionFile("m", tmp_path / "m.npz"))
    assert isinstance(found, Logits)
    assert (found.image_ids.tolist(), found.values.argmax(axis=1).tolist()) == (["a", "b"], [2, 0])
    with pytest.raises(FormatError, match="the logits have 3 columns, but cifar-10 has 10 classes"):
        load_predictions(PredictionFile("m", tmp_path / "m.npz"), taxonomy=load_taxonomy("cifar-10"))


def test_logits_with_labels_alone_are_paired_only_in_an_order_that_is_given(tmp_path: Path) -> None:
    np.savez(tmp_path / "m.npz", logits=LOGITS, labels=np.array([2, 1]))
    file = PredictionFile("m", tmp_path / "m.npz")
    with pytest.raises(FormatError, match=r"m\.ids\.txt .* Its labels alone do not tell which image a row is\.$"):
        load_predictions(file)
    write(tmp_path, {"truth.csv": "image_id,label\nx,2\ny,1\n", "other.csv": "image_id,label\ny,1\nx,2\n"})
    found = load_predictions(file, ids=tmp_path / "truth.csv")
    assert found.image_ids.tolist() == ["x", "y"]
    problem = r"row 1 has the label 2, but image 'y', which .*other\.csv has there, has 1: .*\(2 labels differ\)"
    with pytest.raises(FormatError, match=problem):
        load_predictions(file, ids=tmp_path / "other.csv")


ORDERS = {
    "ids.txt": "x\ny\n",
    "val.txt": "some/x.JPEG 2\nsome/y.JPEG 1\n",
    "ids.csv": "image_id,more\nx,1\ny,1\n",
    "list.csv": "x\ny\n",
    "truth.csv": "image_id,label\nx,2\ny,1\n",
    "truth.jsonl": '{"image_id": "x", "label": 2}\n{"image_id": "y", "label": 1}\n',
    "ids.json": '["x", "y"]',
    "set.json": json.dumps({"image_filenames": [["x", "n01440764"], ["y", "n01443537"]]}),
    "real.json": '{"x.JPEG": [2], "y.JPEG": [1]}',
}


@pytest.mark.parametrize("name", [*ORDERS, "ids.npy", "bytes.npy", "t.npz"])
def test_an_order_is_told_by_a_list_a_column_an_array_or_a_truth(tmp_path: Path, name: str) -> None:
    write(tmp_path, ORDERS)
    np.save(tmp_path / "ids.npy", np.array(["x", "y"]))
    np.save(tmp_path / "bytes.npy", np.array([b"x", b"y"]))
    np.savez(tmp_path / "t.npz", labels=np.array([2, 1]), image_ids=np.array(["x", "y"]))
    np.save(tmp_path / "m.npy", np.array([[2, 1], [0, 1]]))
    found = load(tmp_path / "m.npy", ids=tmp_path / name)
    assert (found.image_ids.tolist(), found.classes.tolist()) == (["x", "y"], [[2, 1], [0, 1]])


def test_an_order_that_has_changed_on_disk_is_read_again(tmp_path: Path) -> None:
    write(tmp_path, {"ids.txt": "x\ny\n"})
    assert load_order(tmp_path / "ids.txt") is load_order(tmp_path / "ids.txt")
    write(tmp_path, {"ids.txt": "x\nz\nw\n"})
    assert load_order(tmp_path / "ids.txt").image_ids.tolist() == ["x", "z", "w"]


def test_whole_numbers_are_classes_and_floats_are_logits(tmp_path: Path) -> None:
    write(tmp_path, {"image_ids.txt": "x\ny\n"})
    np.save(tmp_path / "m.npy", np.array([2, 1], np.uint8))
    assert load(tmp_path / "m.npy").classes.tolist() == [[2], [1]]
    np.save(tmp_path / "m.npy", np.zeros(2))
    with pytest.raises(
        FormatError, match=r"logits, floats \[images, classes\], or classes, .*, not float64 of shape \[2\]"
    ):
        load(tmp_path / "m.npy")
    np.save(tmp_path / "m.npy", np.array([[2, 1]]))
    with pytest.raises(FormatError, match=r"image_ids\.txt: there are 2 ids for the 1 rows of m\.npy"):
        load(tmp_path / "m.npy")


def test_ids_that_repeat_from_file_to_file_are_read_once(tmp_path: Path) -> None:
    for name, ids in (("a", ["x", "y"]), ("b", ["x", "y"]), ("c", ["x", "z"]), ("d", ["x", "y"])):
        np.savez(tmp_path / f"{name}.npz", image_ids=np.array(ids), classes=np.array([0, 1]))
    a, b, c, d = (load(tmp_path / f"{name}.npz") for name in "abcd")
    assert a.image_ids is b.image_ids
    assert (c.image_ids.tolist(), d.image_ids.tolist()) == (["x", "z"], ["x", "y"])


def test_the_released_predictions_of_imagenetv2_have_the_order_of_their_set(shared: Path) -> None:
    # Recht et al. (2019), appendix: resnet50 has 63.3% on MatchedFrequency, alexnet 44.0%.
    data = shared / "clones/ImageNetV2/data"
    order = load_order(data / "datasets/imagenetv2-b-33.json")
    assert order.labels is not None
    for model, n_right in (("resnet50", 6333), ("alexnet", 4398)):
        found = load(data / f"predictions/imagenetv2-b-33/{model}.npy")
        assert np.array_equal(found.image_ids, order.image_ids)
        assert int((found.classes[:, 0] == order.labels).sum()) == n_right
