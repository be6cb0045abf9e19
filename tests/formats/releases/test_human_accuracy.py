"""Version 3 of the labels of Shankar et al. (2020), as a truth and as lists of images."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.formats.clones import WNIDS, name_image, write_json

from regauge.errors import FormatError
from regauge.formats.labels.truth import load_truth
from regauge.formats.releases.human_accuracy import load_human_accuracy
from regauge.formats.subsets import load_subsets
from regauge.formats.taxonomies import load_taxonomy
from regauge.records.labels.label_set import Unlisted

CONTENT: dict[str, Any] = {
    "initial_annots": {
        name_image(1): {"correct": [WNIDS[0], WNIDS[4]], "wrong": [WNIDS[7]]},
        name_image(2): {"correct": [WNIDS[1]], "unclear": [WNIDS[2]], "wrong": []},
        f"{'a' * 40}.jpeg": {"wrong": [WNIDS[3]]},
    },
    "problematic_images": {name_image(2): "a drawing"},
    "imagenet_m": [name_image(1)],
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write_json(tmp_path / "human_accuracy_v3.0.0.json", CONTENT)


def test_verdicts_become_a_label_set(path: Path) -> None:
    truth = load_truth(path)
    (label_set,) = truth.label_sets
    assert label_set.image_ids.tolist() == ["ILSVRC2012_val_00000001", "ILSVRC2012_val_00000002", "a" * 40]
    assert label_set.is_problematic.tolist() == [False, True, False]
    assert label_set.unlisted is Unlisted.UNJUDGED
    assert len(label_set.classes) == 6
    assert truth.notes[:3] == (
        "human_accuracy_v3.0.0.json: verdicts on 3 images, 2 of them of the validation set: 3 correct, 1 unclear, 2 wrong.",
        "human_accuracy_v3.0.0.json: problematic_images lists images: 1.",
        "human_accuracy_v3.0.0.json: imagenet_m lists images: 1.",
    )


def test_lists_of_images_become_subsets(path: Path) -> None:
    assert load_subsets(path).images == {
        "imagenet_m": ["ILSVRC2012_val_00000001"],
        "problematic_images": ["ILSVRC2012_val_00000002"],
    }


@pytest.mark.parametrize("kind", [list, dict])
def test_lists_may_be_lists_or_the_keys_of_objects(kind: type[Any], tmp_path: Path) -> None:
    names = [name_image(2), name_image(1)]
    content = {**CONTENT, "imagenet_m": dict.fromkeys(names, 1) if kind is dict else names}
    found = load_human_accuracy(write_json(tmp_path / "a.json", content))
    assert found.major_slice == ("ILSVRC2012_val_00000002", "ILSVRC2012_val_00000001")


def test_oddities_are_passed_over_and_counted(tmp_path: Path) -> None:
    odd = {
        name_image(1): {"correct": [WNIDS[0], "n00000000"], "wrong": [WNIDS[0]], "labeler": ["A"]},
        name_image(2): [WNIDS[0]],
    }
    found = load_human_accuracy(write_json(tmp_path / "odd.json", {"initial_annots": odd}))
    assert found.verdicts["ILSVRC2012_val_00000001"] == {"correct": [], "unclear": [0], "wrong": []}
    assert found.verdicts["ILSVRC2012_val_00000002"] == {"correct": [], "unclear": [], "wrong": []}
    assert found.notes[1:] == (
        "odd.json: problematic_images is not there.",
        "odd.json: imagenet_m is not there.",
        "odd.json: class ids that ImageNet does not have: 1.",
        "odd.json: classes under two verdicts, which count as unclear: 1.",
        "odd.json: other lists of an image, which are not read: 1.",
        "odd.json: images without lists of classes: 1.",
    )


def test_other_classes_are_refused(path: Path) -> None:
    assert load_truth(path, taxonomy=load_taxonomy("imagenet-1k")).label_sets
    with pytest.raises(FormatError, match="classes of imagenet-1k, not of cifar-10"):
        load_truth(path, taxonomy=load_taxonomy("cifar-10"))


def test_an_object_without_annotations_is_another_kind_of_truth(tmp_path: Path) -> None:
    path = write_json(tmp_path / "real.json", {name_image(1): [3]})
    (label_set,) = load_truth(path).label_sets
    assert np.array_equal(label_set.classes, [3])
    path.write_text(json.dumps({"initial_annots": {}}), encoding="utf-8")
    with pytest.raises(FormatError, match="no initial_annots"):
        load_truth(path)
