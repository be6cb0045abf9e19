"""From files or records to a summary."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from regauge.errors import InputError, UnknownClassError
from regauge.records.labels.label_set import LabelSet
from regauge.records.mistakes.coded import CodedMistakes
from regauge.records.mistakes.summaries import MistakesSettings
from regauge.records.testsets.test_set import TestSet
from regauge.workflows.mistakes.summaries import summarise_coded

HEADER = "image_id,prediction,category,severity\n"
FIRST = HEADER + "a,cat,fine-grained,major\nb,dog,fine-grained,Borderline\nc,frog,spurious,minor\n"
SECOND = HEADER + "a,cat,fine-grained,minor\nb,cat,spurious,major\nd,dog,non-prototypical,minor\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "first.csv").write_text(FIRST, encoding="utf-8")
    (tmp_path / "second.csv").write_text(SECOND, encoding="utf-8")
    (tmp_path / "val.csv").write_text("image_id,label\na,dog\nb,cat\nc,ship\nd,cat\n", encoding="utf-8")
    return tmp_path


def make_record(name: str = "record", prediction: int = 3) -> CodedMistakes:
    return CodedMistakes(
        name, np.array(["a"]), np.array([prediction]), categories=np.array([0]), severities=np.array([1])
    )


def test_one_file_is_summarised_and_its_reader_heard(folder: Path) -> None:
    summary = summarise_coded(folder / "first.csv", taxonomy="cifar-10")
    assert [share.k for share in summary.files[0].categories] == [2, 0, 1, 0]
    assert summary.notes == (
        "first.csv: 3 coded mistakes of first.",
        "1 of 3 mistakes of first were entered as borderline; they count as minor.",
    )


def test_two_files_are_compared(folder: Path) -> None:
    summary = summarise_coded([str(folder / "first.csv"), f"other={folder / 'second.csv'}"], taxonomy="cifar-10")
    assert [file.name for file in summary.files] == ["first", "other"]
    assert summary.comparison is not None
    shared = summary.comparison.shared
    assert (shared.n_same_prediction, shared.n_different_prediction) == (1, 1)
    assert (shared.n_only_first, shared.n_only_second) == (1, 1)


def test_truth_and_taxonomy_add_class_pairs_and_ancestor_levels(folder: Path) -> None:
    summary = summarise_coded(folder / "first.csv", folder / "val.csv", taxonomy="cifar-10")
    (file,) = summary.files
    assert file.class_pairs is not None
    assert (file.class_pairs[0].first, file.class_pairs[0].second, file.class_pairs[0].n) == (3, 5, 2)
    assert file.levels is not None
    assert sum(one.n for one in file.levels) == 3
    assert "val.csv: dataset labels of 4 images." in summary.notes


def test_records_are_taken_as_files_are(folder: Path) -> None:
    truth = TestSet("val", np.array(["a"]), np.array([5]))
    summary = summarise_coded([make_record(), folder / "first.csv"], truth, taxonomy="cifar-10")
    assert summary.files[0].n == 1
    assert summary.comparison is not None
    assert summary.comparison.shared.n_same_prediction == 1


def test_the_same_seed_gives_the_same_permutations(folder: Path) -> None:
    def permute(seed: int) -> float | None:
        settings = MistakesSettings(seed=seed, n_permutations=1_000)
        comparison = summarise_coded(
            [folder / "first.csv", folder / "second.csv"], taxonomy="cifar-10", settings=settings
        ).comparison
        assert comparison is not None
        return comparison.category.p_permutation

    assert permute(0) == permute(0)
    assert len({permute(seed) for seed in range(5)}) > 1


def test_two_files_of_one_name_are_refused(folder: Path) -> None:
    with pytest.raises(
        InputError, match="Two files of coded mistakes are called 'first'; name one of them with NAME=PATH"
    ):
        summarise_coded([folder / "first.csv", folder / "first.csv"], taxonomy="cifar-10")


def test_a_record_with_a_class_that_the_taxonomy_does_not_have_is_refused() -> None:
    with pytest.raises(UnknownClassError, match="'10' is not a class of cifar-10"):
        summarise_coded(make_record(prediction=10), taxonomy="cifar-10")


def test_a_truth_without_dataset_labels_is_refused() -> None:
    reviewed = LabelSet.from_lists("reviewed", ["a"], correct=[[3]])
    with pytest.raises(InputError, match="need dataset labels, and reviewed has none"):
        summarise_coded(make_record(), reviewed)
