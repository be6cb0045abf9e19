"""Telling test sets apart from files, records and a study."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.cli.command_runner import write

from regauge.errors import InputError
from regauge.records.evaluation.two_sample import TwoSampleSettings
from regauge.records.testsets.features import Features
from regauge.storage.evaluation.two_samples import load_two_sample
from regauge.workflows.evaluation.two_sample import FeatureSet, compare_features, find_feature_set, store_two_sample
from regauge.workflows.studies.study import Study, describe_status
from regauge.workflows.testsets.test_set import add_test_set

QUICK = TwoSampleSettings(n_permutations=19)


def make_files(folder: Path, name: str, shift: float = 0.0) -> Path:
    """Features of 40 images, of which a truth knows 30, in three classes."""
    rng = np.random.default_rng(len(name))
    ids = [f"{name}{row}" for row in range(40)]
    np.save(folder / f"{name}.npy", rng.standard_normal((40, 3)) + shift)
    rows = "".join(f"{one},{row % 3}\n" for row, one in enumerate(ids[:30]))
    write(folder, {f"{name}.ids.txt": "\n".join(ids), f"{name}.csv": f"image_id,label\n{rows}"})
    return folder / f"{name}.npy"


def test_files_alone_are_enough(tmp_path: Path) -> None:
    old, fresh = make_files(tmp_path, "old"), make_files(tmp_path, "fresh", 2)
    found = compare_features(FeatureSet(old), FeatureSet(str(fresh)), settings=QUICK)
    assert (found.first, found.second, found.n_pairs, found.p) == ("old", "fresh", 40, 0.05)
    assert {one.class_index for one in found.likenesses} == {None}


def test_a_truth_says_which_images_the_set_has_and_their_classes(tmp_path: Path) -> None:
    old, fresh = make_files(tmp_path, "old"), make_files(tmp_path, "fresh", 2)
    write(tmp_path, {"old.csv": (tmp_path / "old.csv").read_text() + "other,0\n"})
    sides = FeatureSet(old, tmp_path / "old.csv"), FeatureSet(fresh, tmp_path / "fresh.csv")
    settings = TwoSampleSettings(by_class=True, n_permutations=19)
    found = compare_features(*sides, settings=settings)
    assert (found.n_first, found.n_pairs, found.n_classes) == (30, 30, 3)
    assert found.notes[0] == "1 of 31 images of old have no features."


def test_sets_of_one_name_are_told_apart_by_name(rng: np.random.Generator) -> None:
    sets = [
        FeatureSet(Features("same", np.array([f"{side}{row}" for row in range(20)]), rng.standard_normal((20, 2))))
        for side in "ab"
    ]
    found = compare_features(*sets, settings=QUICK)
    assert (found.first, found.second) == ("same (first)", "same (second)")


def test_ids_that_no_truth_has_and_truths_without_labels_are_refused(tmp_path: Path) -> None:
    old, fresh = make_files(tmp_path, "old"), make_files(tmp_path, "fresh")
    with pytest.raises(InputError, match="have none of its image ids"):
        compare_features(FeatureSet(old, tmp_path / "fresh.csv"), FeatureSet(fresh), settings=QUICK)
    write(tmp_path, {"verdicts.jsonl": '{"image_id":"old1","correct":[0],"wrong":[1]}\n'})
    with pytest.raises(InputError, match="has no dataset labels"):
        compare_features(FeatureSet(old, tmp_path / "verdicts.jsonl"), FeatureSet(fresh), settings=QUICK)


def test_test_sets_of_a_study_bring_their_images(study: Study, tmp_path: Path) -> None:
    files = {name: make_files(tmp_path, name) for name in ("old", "fresh")}
    with study.begin() as begun:
        for name in files:
            add_test_set(begun, tmp_path / f"{name}.csv")
        sides = [find_feature_set(begun, name, features=path, ids=None) for name, path in files.items()]
        with pytest.raises(InputError, match="no test set 'other'"):
            find_feature_set(begun, "other", features=files["old"], ids=None)
    found = compare_features(*sides, settings=QUICK)
    assert (found.first, found.second, found.n_first) == ("old", "fresh", 30)


def test_a_stored_test_equals_the_computed_one(study: Study, tmp_path: Path) -> None:
    files = {name: make_files(tmp_path, name) for name in ("old", "fresh")}
    with study.begin() as begun:
        for name in files:
            add_test_set(begun, tmp_path / f"{name}.csv")
        first, second = (find_feature_set(begun, name, features=path, ids=None) for name, path in files.items())
        found = compare_features(first, second, settings=TwoSampleSettings(by_class=True, n_permutations=19, seed=3))
        number = store_two_sample(begun, found, sets=(first, second))
    with study.read() as reading:
        kept = load_two_sample(reading, number)
        (entry,) = describe_status(reading).two_samples
        with pytest.raises(InputError, match="no two-sample test 99"):
            load_two_sample(reading, 99)
    for name in found.__dataclass_fields__:
        assert getattr(kept, name) == getattr(found, name), name
    assert (entry.id, entry.first, entry.second, entry.by_class) == (number, "old", "fresh", True)
    assert (entry.n_pairs, entry.auc, entry.p) == (30, found.auc.value, found.p)
    with study.begin() as begun, pytest.raises(InputError, match="its own test sets"):
        store_two_sample(begun, found, sets=(FeatureSet(files["old"]), second))
