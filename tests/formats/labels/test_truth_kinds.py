"""Truths as other programs and releases have them: lists, arrays, sets, Kaggle's table, and images in folders and shards."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.cli.command_runner import write
from tests.formats.test_testsets import write_shard

from regauge.arrays import NO_CLASS
from regauge.errors import FormatError
from regauge.formats.labels.truth import load_truth
from regauge.formats.taxonomies import load_taxonomy
from regauge.formats.testsets import load_located
from regauge.records.labels.label_set import Truth
from regauge.records.labels.verdicts import Verdict

CIFAR = load_taxonomy("cifar-10")
IMAGENET = load_taxonomy("imagenet-1k")
VAL = "ILSVRC2012_val_0000000"


def read(folder: Path, name: str, content: str | bytes, **options: Any) -> Truth:
    write(folder, {name: content})
    return load_truth(folder / name, **options)


def list_labels(truth: Truth) -> dict[str, int]:
    assert truth.test_set is not None
    return dict(zip(truth.test_set.image_ids.tolist(), truth.test_set.labels.tolist(), strict=True))


def refuse(folder: Path, name: str, content: str | bytes, **options: Any) -> str:
    with pytest.raises(FormatError) as caught:
        read(folder, name, content, **options)
    return str(caught.value)


# Lists


def test_caffes_list_names_its_images(tmp_path: Path) -> None:
    truth = read(tmp_path, "val.txt", f"{VAL}1.JPEG 65\nsome/of them/{VAL}2.JPEG 970\n")
    assert list_labels(truth) == {f"{VAL}1": 65, f"{VAL}2": 970}
    assert truth.notes == ("val.txt: a list of image files, dataset labels of 2 images.",)
    assert "line 2: 'b.jpg' is not an image file with a label behind it" in refuse(
        tmp_path, "v.txt", "a.jpg 1\nb.jpg\n"
    )
    assert "line 3: the line is blank" in refuse(tmp_path, "v.txt", "a.jpg 1\nb.jpg 2\n\nc.jpg 3\n")


def test_a_list_of_class_ids_goes_by_the_number_of_the_validation_image(tmp_path: Path) -> None:
    name = "imagenet_2012_validation_synset_labels.txt"
    truth = read(tmp_path, name, "n01751748\nn09193705\n")
    assert list_labels(truth) == {f"{VAL}1": 65, f"{VAL}2": 970}
    assert truth.notes[1:] == (
        f"{name}: line i is taken for the image ILSVRC2012_val_%08d of i.",
        f"{name}: classes are numbered as in imagenet-1k, in the order of their ids.",
    )
    assert list_labels(read(tmp_path, name, "n01751748\n", taxonomy=IMAGENET)) == {f"{VAL}1": 65}
    assert "line 2: 'n99999999' is not a class" in refuse(tmp_path, name, "n01751748\nn99999999\n", taxonomy=IMAGENET)


def test_a_list_of_any_other_set_calls_its_images_by_their_place_and_says_so(tmp_path: Path) -> None:
    truth = read(tmp_path, "mine.txt", "cat\ndog\ncat\n", taxonomy=CIFAR)
    assert list_labels(truth) == {"0": 3, "1": 5, "2": 3}
    assert "called by their place, 0 to 2" in truth.notes[1]
    write(tmp_path, {"mine.ids.txt": "x\ny\nz\n"})
    assert list_labels(load_truth(tmp_path / "mine.txt", taxonomy=CIFAR)) == {"x": 3, "y": 5, "z": 3}
    write(tmp_path, {"mine.ids.txt": "x\ny\n"})
    with pytest.raises(FormatError, match=r"mine\.ids\.txt: there are 2 ids for the 3 labels of mine\.txt"):
        load_truth(tmp_path / "mine.txt", taxonomy=CIFAR)


GROUND_TRUTH = "ILSVRC2012_validation_ground_truth.txt"
# The devkit's first three classes: kit fox, English setter, Siberian husky.
DEVKIT = "n02119789\nn02100735\nn02110185\n"


def test_the_ground_truth_of_the_devkit_needs_its_own_order_of_classes(tmp_path: Path) -> None:
    problem = refuse(tmp_path, GROUND_TRUTH, "3\n1\n")
    assert "numbers classes from 1 in an order of its own (ILSVRC2012_ID in meta.mat)" in problem
    assert "meta.mat beside the file, or the class ids in that order, one per line, as synsets.txt" in problem
    write(tmp_path, {"order.txt": DEVKIT, "table.txt": "3,n02110185\n1,n02119789\n2,n02100735\n"})
    for order in ("order.txt", "table.txt"):
        truth = read(tmp_path, GROUND_TRUTH, "3\n1\n", synsets=tmp_path / order)
        assert list_labels(truth) == {f"{VAL}1": IMAGENET.get_index("n02110185"), f"{VAL}2": 278}
    write(tmp_path, {"synsets.txt": DEVKIT})
    assert list_labels(read(tmp_path, GROUND_TRUTH, "1\n", taxonomy=IMAGENET)) == {f"{VAL}1": 278}
    assert "line 2: 4 is none of the 3 classes that synsets.txt lists" in refuse(tmp_path, GROUND_TRUTH, "1\n4\n")


def test_a_list_of_classes_by_the_alphabet_is_not_taken_for_the_order_of_the_devkit(tmp_path: Path) -> None:
    write(tmp_path, {"synsets.txt": "n01440764\nn01443537\n"})
    assert "in alphabetical order, and the devkit numbers classes otherwise" in refuse(tmp_path, GROUND_TRUTH, "1\n2\n")
    write(tmp_path, {"synsets.txt": "kit fox\n"})
    assert "line 1: a line has a class id such as n02119789, not 'kit fox'" in refuse(tmp_path, GROUND_TRUTH, "1\n")
    write(tmp_path, {"synsets.txt": DEVKIT})
    problem = refuse(tmp_path, "x.txt", "cat\n", taxonomy=CIFAR, synsets=tmp_path / "synsets.txt")
    assert "these are not numbers" in problem


# Arrays


def test_arrays_of_labels_go_by_place_or_by_ids(tmp_path: Path) -> None:
    np.save(tmp_path / "labels.npy", np.array([3, 0], np.int64))
    truth = load_truth(tmp_path / "labels.npy", taxonomy=CIFAR)
    assert list_labels(truth) == {"0": 3, "1": 0}
    assert "called by their place, 0 to 1" in truth.notes[1]
    write(tmp_path, {"ids.txt": "x\ny\n"})
    assert list_labels(load_truth(tmp_path / "labels.npy", ids=tmp_path / "ids.txt")) == {"x": 3, "y": 0}
    np.savez(tmp_path / "t.npz", labels=np.array([3, 0]), image_ids=np.array(["a", "b"]))
    assert list_labels(load_truth(tmp_path / "t.npz")) == {"a": 3, "b": 0}


@pytest.mark.parametrize(
    ("labels", "problem"),
    [
        (np.zeros(2), "whole numbers [images], not float64 of shape [2]"),
        (np.zeros((2, 1), int), "not int64 of shape [2, 1]"),
        (np.array([0, -1]), "row 2 has the label -1; indices start at 0"),
        (np.array([10]), "'10' is not a class of cifar-10"),
        (np.zeros(0, int), "the array of labels is empty"),
    ],
)
def test_an_array_that_holds_no_labels_is_refused(tmp_path: Path, labels: np.ndarray[Any, Any], problem: str) -> None:
    np.save(tmp_path / "labels.npy", labels)
    with pytest.raises(FormatError) as caught:
        load_truth(tmp_path / "labels.npy", taxonomy=CIFAR)
    assert problem in str(caught.value)


def test_an_archive_without_labels_says_what_it_has(tmp_path: Path) -> None:
    np.savez(tmp_path / "t.npz", y=np.zeros(3), image_ids=np.array(["a"]))
    with pytest.raises(FormatError, match=r"labels and may have image_ids; this one has: y \[3\], image_ids \[1\]"):
        load_truth(tmp_path / "t.npz")


def test_the_released_labels_of_cifar_10_1_are_read(shared: Path) -> None:
    truth = load_truth(shared / "clones/CIFAR-10.1/datasets/cifar10.1_v6_labels.npy", taxonomy=CIFAR)
    assert truth.test_set is not None
    assert np.bincount(truth.test_set.labels).tolist() == [200] * 10


# Sets of ImageNetV2


def test_the_released_sets_of_imagenetv2_are_read(shared: Path) -> None:
    folder = shared / "clones/ImageNetV2/data/datasets"
    for name, n, first in (
        ("imagenetv2-b-33", 10_000, ("25949dd0704552263197b05a8359771a4192ff45", "n01667114")),
        ("imagenet-validation-original", 50_000, ("ILSVRC2012_val_00000293", "n01440764")),
    ):
        truth = load_truth(folder / f"{name}.json")
        assert truth.test_set is not None
        assert (len(truth.test_set), str(truth.test_set.image_ids[0])) == (n, first[0])
        assert truth.test_set.labels[0] == IMAGENET.get_index(first[1])
        assert list_labels(load_truth(folder / f"{name}.json", taxonomy=IMAGENET)) == list_labels(truth)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (
            {"image_filenames": [["a", "n01440764"], ["b"]]},
            "entry 2 of image_filenames is [image, class id], not ['b']",
        ),
        ({"image_filenames": [["a", "n1"]]}, "'n1' is not a class index"),
        ({"images": 3, "when": "now"}, "this is an object with images, when."),
        ([1, 2], "this is a list of 2 items, the first of them a number."),
    ],
)
def test_json_that_is_no_truth_is_told_what_it_is(tmp_path: Path, content: object, problem: str) -> None:
    assert problem in refuse(tmp_path, "set.json", json.dumps(content))


# Tables

SOLUTION = f"ImageId,PredictionString\n{VAL}1,n01751748 111 108 500 336 \n{VAL}2,n09193705 0 0 1 1 n09193705 5 5 9 9\n"


def test_kaggles_solution_is_read_by_its_boxes(tmp_path: Path) -> None:
    for options in (
        {},
        {"columns": {"image_id": "ImageId", "label": "PredictionString"}},
        {"columns": {"image_id": "ImageId", "class": "Guess"}},
    ):
        truth = read(tmp_path, "LOC_val_solution.csv", SOLUTION, **options)
        assert list_labels(truth) == {f"{VAL}1": 65, f"{VAL}2": 970}
        assert truth.notes[0] == "LOC_val_solution.csv: classes of the boxes in 2 images."
        assert truth.label_sets == ()


def test_boxes_of_several_classes_are_all_correct_and_give_no_dataset_label(tmp_path: Path) -> None:
    truth = read(tmp_path, "s.csv", SOLUTION + f"{VAL}3,n01440764 1 2 3 4 n01443537 1 2 3 4\n", taxonomy=IMAGENET)
    assert list_labels(truth)[f"{VAL}3"] == NO_CLASS
    verdicts = truth.label_sets[0]
    assert verdicts.classes.tolist() == [65, 970, 0, 1]
    assert set(verdicts.verdicts.tolist()) == {Verdict.CORRECT}
    assert "boxes of several classes are in 1 of them" in truth.notes[1]


def test_columns_are_named_for_any_table(tmp_path: Path) -> None:
    columns = {"image_id": "Name", "label": "Class"}
    assert list_labels(read(tmp_path, "t.csv", "Name,label,Class\na,wrong,3\n", columns=columns)) == {"a": 3}
    assert list_labels(read(tmp_path, "t.jsonl", '{"Name": "a", "Class": 3}\n', columns=columns)) == {"a": 3}
    pl.DataFrame({"Name": ["a"], "Class": [3.0]}).write_parquet(tmp_path / "t.parquet")
    assert list_labels(load_truth(tmp_path / "t.parquet", columns=columns)) == {"a": 3}
    problem = refuse(tmp_path, "t.csv", "Name,label\na,3\n", columns=columns)
    assert problem.endswith("there is no column 'Class' for label; this file has: Name, label.")
    assert (
        "needs the columns image_id, label; this file has: Name, Class. Say which is which with `columns=…`"
        in refuse(tmp_path, "t.csv", "Name,Class\na,3\n")
    )


def test_a_defect_in_parquet_is_named_with_its_row(tmp_path: Path) -> None:
    pl.DataFrame({"image_id": ["a", "b"], "label": ["cat", "unicorn"]}).write_parquet(tmp_path / "t.parquet")
    with pytest.raises(FormatError, match=r"t\.parquet: row 2: 'unicorn' is not a class of cifar-10"):
        load_truth(tmp_path / "t.parquet", taxonomy=CIFAR)


# Images


def test_shards_and_metadata_are_truths_too(tmp_path: Path) -> None:
    write_shard(tmp_path / "s" / "0.tar", {"x/a.jpg": b"1", "x/a.cls": b"2", "y/a.jpg": b"2", "y/a.cls": b"bird"})
    for path in (tmp_path / "s", tmp_path / "s" / "0.tar", tmp_path / "s" / "*.tar"):
        assert list_labels(load_truth(path, taxonomy=CIFAR)) == {"x/a": 2, "y/a": 2}
    rows = "file_name,kind\ncat/001.png,cat\ndog/001.png,dog\n"
    write(tmp_path, {"m/metadata.csv": rows, "m/cat/001.png": b"", "m/dog/001.png": b""})
    found = load_truth(tmp_path / "m", taxonomy=CIFAR, columns={"label": "kind"})
    assert list_labels(found) == {"cat/001": 3, "dog/001": 5}
    assert list_labels(load_truth(tmp_path / "m")) == {"cat/001": NO_CLASS, "dog/001": NO_CLASS}


def test_a_flat_folder_is_a_test_set_without_labels(shared: Path, tmp_path: Path) -> None:
    found = load_located(shared / "images")
    assert (len(found.test_set), found.test_set.has_labels) == (125, False)
    assert found.notes == ("images: 125 images without labels.",)
    write(tmp_path, {"flat/a.png": b"", "flat/a.jpg": b"", "flat/b.png": b""})
    assert load_located(tmp_path / "flat").test_set.image_ids.tolist() == ["a.jpg", "a.png", "b.png"]


# Datasets of Hugging Face


def write_dataset(folder: Path, frame: pl.DataFrame, names: list[str] | None) -> None:
    """A dataset as `save_to_disk` writes one: an Arrow stream, its features, and its files."""
    folder.mkdir(parents=True)
    frame.write_ipc_stream(folder / "data-00000-of-00001.arrow")
    label: Mapping[str, Any] = (
        {"dtype": "int64", "_type": "Value"} if names is None else {"names": names, "_type": "ClassLabel"}
    )
    features = {"image": {"_type": "Image"}, "label": label}
    state = {"_data_files": [{"filename": "data-00000-of-00001.arrow"}], "_split": "test"}
    write(folder, {"dataset_info.json": json.dumps({"features": features}), "state.json": json.dumps(state)})


def make_rows(*paths: str | None) -> pl.DataFrame:
    images = [{"bytes": b"\x89PNG", "path": path} for path in paths]
    return pl.DataFrame({"image": images, "label": list(range(len(paths)))})


def test_a_dataset_that_was_saved_to_disk_is_read(tmp_path: Path) -> None:
    write_dataset(tmp_path / "d", make_rows("x.png", "y.png"), ["dog", "cat"])
    found = load_located(tmp_path / "d", taxonomy=CIFAR)
    # The dataset numbers dog 0 and cat 1; CIFAR-10 numbers them 5 and 3.
    assert (found.test_set.image_ids.tolist(), found.test_set.labels.tolist()) == (["x", "y"], [5, 3])
    assert "its images are inside its files, so nobody can be shown them" in found.notes[0]
    assert list_labels(load_truth(tmp_path / "d")) == {"x": 0, "y": 1}
    write_dataset(tmp_path / "e", make_rows("x.png", "y.png"), ["dog", "unicorn"])
    with pytest.raises(
        FormatError, match="the classes of the dataset are not those of cifar-10: 'unicorn' is not a class"
    ):
        load_truth(tmp_path / "e", taxonomy=CIFAR)


def test_a_split_that_was_saved_by_itself_has_no_other_name(tmp_path: Path) -> None:
    write_dataset(tmp_path / "d", make_rows("x.png"), None)
    assert list_labels(load_truth(f"{tmp_path}/d#test")) == {"x": 0}
    with pytest.raises(FormatError, match=r"the dataset has no split 'train'; it was saved as one: leave out #train\."):
        load_truth(f"{tmp_path}/d#train")


def test_one_of_several_splits_is_chosen_by_its_name(tmp_path: Path) -> None:
    for split in ("train", "test"):
        write_dataset(tmp_path / "d" / split, make_rows(f"{split}.png"), None)
    write(tmp_path, {"d/dataset_dict.json": '{"splits": ["train", "test"]}'})
    with pytest.raises(FormatError, match=r"the dataset has 2 splits; write d#NAME with one of: train, test"):
        load_truth(tmp_path / "d")
    assert list_labels(load_truth(f"{tmp_path}/d#test")) == {"test": 0}
    with pytest.raises(FormatError, match="the dataset has no split 'dev'"):
        load_truth(f"{tmp_path}/d#dev")


def test_parquet_with_images_is_a_dataset_whose_names_stand_in_its_metadata(tmp_path: Path) -> None:
    info = {"info": {"features": {"label": {"names": ["dog", "cat"], "_type": "ClassLabel"}}}}
    (tmp_path / "hub" / "data").mkdir(parents=True)
    path = tmp_path / "hub" / "data" / "test-00000-of-00001.parquet"
    make_rows("x.png", "y.png").write_parquet(path, metadata={"huggingface": json.dumps(info)})
    for source in (tmp_path / "hub", path):
        assert list_labels(load_truth(source, taxonomy=CIFAR)) == {"x": 5, "y": 3}
    make_rows(None, None).write_parquet(path)
    truth = load_truth(path)
    assert list_labels(truth) == {"0": 0, "1": 1}
    assert "called by their place, 0 to 1" in truth.notes[1]


def test_a_damaged_dataset_is_refused(tmp_path: Path) -> None:
    write_dataset(tmp_path / "d", make_rows("x.png"), None)
    (tmp_path / "d" / "data-00000-of-00001.arrow").write_bytes(b"no arrow")
    with pytest.raises(FormatError, match="this is not an Arrow or Parquet file, or it is damaged"):
        load_truth(tmp_path / "d")
    write(tmp_path, {"d/state.json": '{"_data_files": [{"filename": "../x.arrow"}]}'})
    with pytest.raises(FormatError, match=r"there is no file '\.\./x\.arrow'"):
        load_truth(tmp_path / "d")
