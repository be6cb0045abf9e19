"""The public repositories as they are cloned: real parts of them, and small whole ones with made-up numbers."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
from tests.formats.clones import (
    World,
    name_image,
    write_cifar,
    write_classified,
    write_coded,
    write_frame,
    write_json,
)

from regauge.errors import FormatError, InputError, MissingDataError
from regauge.formats.releases import loading
from regauge.formats.releases.cifar import CIFAR_ORIGINAL, CIFAR_V4, CIFAR_V6, count_shared
from regauge.formats.releases.folders import DataFolders, open_folders
from regauge.formats.releases.loading import CLONED, TOP_IMAGES
from regauge.formats.releases.published import MATCHED_FREQUENCY, THRESHOLD, VALIDATION
from regauge.formats.releases.reassessed import load_label_lists, load_scores, load_votes

MODELS = ("alexnet", "fv_16k", "resnet50")


@pytest.fixture(scope="module")
def cloned(shared: Path) -> DataFolders:
    return open_folders([shared / "clones"])


@pytest.fixture(scope="module")
def compact(published: Path) -> DataFolders:
    return open_folders([published])


@pytest.mark.parametrize("name", [VALIDATION, MATCHED_FREQUENCY, THRESHOLD])
def test_a_clone_and_the_compact_files_give_the_same_answers(
    name: str, cloned: DataFolders, compact: DataFolders
) -> None:
    ours, theirs = (loading.load_released_set(data, name) for data in (compact, cloned))
    assert theirs.models == MODELS
    np.testing.assert_array_equal(theirs.test_set.image_ids, ours.test_set.image_ids)
    np.testing.assert_array_equal(theirs.test_set.labels, ours.test_set.labels)
    for model in MODELS:
        np.testing.assert_array_equal(theirs.get_predictions(model).classes, ours.get_predictions(model).classes)


def test_answers_stored_worst_first_are_turned_and_said(cloned: DataFolders) -> None:
    assert loading.load_released_set(cloned, VALIDATION).notes == ()
    (note,) = loading.load_released_set(cloned, MATCHED_FREQUENCY).notes
    assert note.startswith("On matched_frequency, fv_16k is stored worst first")
    released = loading.load_released_set(cloned, MATCHED_FREQUENCY)
    # Read as it is stored, its top-1 accuracy is 2.5%.
    assert (released.get_predictions("fv_16k").classes[:, 0] == released.test_set.labels).mean() == 0.1924


def test_what_is_in_both_layouts_is_the_same(cloned: DataFolders, compact: DataFolders) -> None:
    assert loading.load_split(cloned) == loading.load_split(compact)
    assert sorted(loading.load_class_confusions(cloned)) == sorted(loading.load_class_confusions(compact))
    ours, theirs = (loading.load_coded_mistakes(data, "vit3b") for data in (compact, cloned))
    assert theirs.name == "vit3b_mistakes"
    pairs = [set(zip(one.image_ids.tolist(), one.predictions.tolist(), strict=True)) for one in (ours, theirs)]
    assert pairs[0] == pairs[1]
    np.testing.assert_array_equal(np.sort(ours.categories), np.sort(theirs.categories))


def test_reassessed_labels_are_those_that_score_enough(cloned: DataFolders) -> None:
    lists = load_label_lists(cloned.get("real.json"))
    scores = load_scores(cloned.get("scores.npz"))
    assert (len(lists), len(scores.scores)) == (50_000, 184_962)
    kept = np.bincount([int(image[-8:]) for image in scores.image_ids[scores.scores >= 0.8]], minlength=50_001)
    asked = np.unique([int(image[-8:]) for image in scores.image_ids])
    assert [len(lists[number - 1]) for number in asked] == kept[asked].tolist()
    votes = load_votes(cloned.get("golden.npz"))
    assert (votes.answers.shape, votes.n_answers) == ((5, 1_135), 5_675)


def test_what_is_not_there_is_named(cloned: DataFolders) -> None:
    with pytest.raises(MissingDataError, match=r"data/predictions/imagenetv2-c-12/\*.npy"):
        loading.load_released_set(cloned, TOP_IMAGES)
    with pytest.raises(MissingDataError, match="cifar-10-batches-py/test_batch"):
        loading.load_released_set(cloned, CIFAR_ORIGINAL)
    with pytest.raises(MissingDataError) as caught:
        loading.load_classified_images(cloned)
    assert caught.value.names == ("data/annotations_classify_task.pkl", "tsipras2020_classify_half.jsonl")


@pytest.fixture
def world(tmp_path: Path, rng: np.random.Generator) -> World:
    return World(tmp_path / "ImageNetV2", MODELS, rng).write()


def test_all_five_sets_of_a_whole_clone_are_read(world: World) -> None:
    # The folder above holds the clone.
    data = open_folders([world.folder.parent])
    for name, called in CLONED.items():
        released = loading.load_released_set(data, name)
        assert sorted(released.models) == sorted(MODELS)
        assert released.test_set.labels.tolist() == world.labels[called]
        for model in MODELS:
            np.testing.assert_array_equal(released.get_predictions(model).classes, world.answers[called, model])


def test_grids_are_read_from_lists_and_objects(world: World) -> None:
    grids = loading.load_grids(open_folders([world.folder]))
    assert grids.images.shape == (39, 48)
    assert ((grids.roles == 1).sum(axis=1) == 3).all()
    assert ((grids.roles == 2).sum(axis=1) == 3).all()
    assert ((grids.images < 0) == (grids.roles > 0)).all()
    np.testing.assert_array_equal(grids.nearest[:3], [1, 2, 3])


@pytest.mark.parametrize(
    ("spoil", "problem"),
    [
        (lambda folder: np.save(folder / "alexnet.npy", np.zeros((3, 5), int)), r"whole numbers \[80, 5\]"),
        (lambda folder: np.save(folder / "alexnet.npy", np.full((80, 5), 1_000)), "from 0 to 999"),
        (lambda folder: np.save(folder / "alexnet.npy", np.array([{}], object), allow_pickle=True), "plain arrays"),
    ],
)
def test_spoiled_predictions_are_refused(world: World, spoil, problem: str) -> None:
    spoil(world.folder / "data/predictions/imagenetv2-b-33")
    with pytest.raises(FormatError, match=problem):
        loading.load_released_set(open_folders([world.folder]), MATCHED_FREQUENCY)


def write_labels(folder: Path, kind: str, labels: np.ndarray) -> Path:
    folder.mkdir()
    if kind == "array":
        np.save(folder / "cifar10_test_labels.npy", labels)
    elif kind == "binary":
        rows = np.zeros((len(labels), 3_073), np.uint8)
        rows[:, 0] = labels
        rows.tofile(folder / "test_batch.bin")
    else:
        content = {"batch_label": "testing batch", "labels": labels.tolist(), "data": np.zeros((2, 4), np.uint8)}
        (folder / "cifar-10-batches-py").mkdir()
        (folder / "cifar-10-batches-py/test_batch").write_bytes(pickle.dumps(content, protocol=2))
    return folder


@pytest.mark.parametrize("kind", ["array", "binary", "python"])
def test_labels_of_cifar_come_from_any_of_its_versions(kind: str, tmp_path: Path, rng: np.random.Generator) -> None:
    labels = write_cifar(tmp_path / "CIFAR-10.1", {"wrn_28_10": 0.9}, rng)
    data = open_folders([tmp_path / "CIFAR-10.1", write_labels(tmp_path / "cifar", kind, labels["original"])])
    original, v4, v6 = (loading.load_released_set(data, name) for name in (CIFAR_ORIGINAL, CIFAR_V4, CIFAR_V6))
    np.testing.assert_array_equal(original.test_set.labels, labels["original"])
    assert v4.models == ("wrn_28_10",)
    # Places 0 to 199 and 50 to 249 of Tiny Images.
    assert count_shared([v4, v6]) == 150


def test_frames_of_a_whole_clone_are_read(tmp_path: Path) -> None:
    images = [(name_image(number), number % 7) for number in range(1, 21)]
    write_classified(tmp_path, images, every_with_two=4)
    found = loading.load_classified_images(open_folders([tmp_path]))
    assert (len(found), sum(image.n_objects == 2 for image in found)) == (20, 5)
    assert (found[0].image, found[0].objects, found[0].main_object, found[0].dataset_object) == (1, ((1,), (2,)), 1, 0)


def test_counts_of_contains_are_read(tmp_path: Path) -> None:
    columns = {
        "query": [[5, 3], [7]],
        "selected": [[9, 0], [4]],
        "total": [[9, 8], [5]],
        "imagenet_label": [5, 7],
        "sel_dict": [{5: (9, 9)}, {7: (4, 5)}],
    }
    write_frame(tmp_path / "data/annotations_contains_task.pkl", columns, [name_image(2), name_image(1)])
    counts, test_set = loading.load_contains_counts(open_folders([tmp_path]))
    assert counts.classes.tolist() == [3, 5, 7]
    assert (counts.n_selected.tolist(), counts.n_shown.tolist()) == ([0, 9, 4], [8, 9, 5])
    assert test_set.labels.tolist() == [5, 7]


def test_a_frame_without_a_column_says_which_it_has(tmp_path: Path) -> None:
    write_frame(tmp_path / "data/annotations_contains_task.pkl", {"query": [[1]]}, [name_image(1)])
    with pytest.raises(FormatError, match="no column selected; it has 1 rows and: query"):
        loading.load_contains_counts(open_folders([tmp_path]))


def test_own_predictions_follow_the_rows_of_the_validation_set(world: World) -> None:
    rows = [3, 0]
    columns = {
        "img_number": rows,
        "imagenet_label": [0, 0],
        "pred_vgg16": [[1, 2, 3, 4, 5], np.arange(5)],
        "top1_vgg16": [0, 1],
    }
    write_frame(world.folder / "data/model_predictions.pkl", columns)
    found = loading.load_own_predictions(open_folders([world.folder]))
    assert found.models == ("vgg16",)
    images = world.images["imagenet-validation-original"]
    assert found.test_set.image_ids.tolist() == [images[row].removesuffix(".JPEG") for row in rows]
    assert found.answers.tolist() == [[[1, 2, 3, 4, 5], [0, 1, 2, 3, 4]]]


def test_mistakes_of_the_repository_are_coded_mistakes(tmp_path: Path) -> None:
    codes = {
        name_image(1): (5, "Fine-grained with OOV", "Borderline"),
        name_image(2): (6, "Fine-grained with Multilabel Options", "Major"),
    }
    write_coded(tmp_path / "metadata/greedy_soups_mistakes.json", codes)
    found = loading.load_coded_mistakes(open_folders([tmp_path]), "greedy_soups")
    assert (found.categories.tolist(), found.severities.tolist()) == ([1, 0], [2, 0])
    assert found.predictions.tolist() == [5, 6]


def test_a_folder_with_nothing_of_it_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    write_json(tmp_path / "clone/real.json", [[1]])
    with pytest.raises(InputError, match="empty holds none of the papers' data"):
        open_folders([tmp_path / "clone", tmp_path / "empty"])
    with pytest.raises(InputError, match="There is no folder"):
        open_folders([tmp_path / "nowhere"])


def test_of_two_clones_the_fuller_one_counts_in_any_order(tmp_path: Path) -> None:
    for name, models in (("part", ("alexnet",)), ("whole", ("alexnet", "resnet50"))):
        World(tmp_path / name, models, np.random.default_rng(1)).write()
    for order in (("part", "whole"), ("whole", "part")):
        data = open_folders([tmp_path / name for name in order])
        assert loading.load_released_set(data, VALIDATION).models == ("alexnet", "resnet50")


@pytest.mark.parametrize("odd", [["a", ["n01440764"]], ["a", None], [["a"], "n01440764"], "n01440764", {"a": 1}])
def test_an_image_without_a_class_is_said_whatever_stands_there(odd: object, tmp_path: Path) -> None:
    path = write_json(tmp_path / "data/datasets/imagenetv2-c-12.json", {"image_filenames": [odd]})
    with pytest.raises(FormatError, match=r"an image of ImageNetV2 is \[image, class id\]"):
        loading.load_images(open_folders([path.parents[2]]), TOP_IMAGES)
