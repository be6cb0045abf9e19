"""What users hand over: files, folders, globs and records become participants and truths, or a sentence says why not."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from regauge.errors import FormatError, InputError, UnknownClassError
from regauge.formats.exports.writers import write_predictions
from regauge.formats.taxonomies import load_taxonomy
from regauge.records.labels.label_set import LabelSet, Truth, Unlisted
from regauge.records.predictions import Logits, Predictions
from regauge.records.testsets.test_set import TestSet
from regauge.workflows.inputs import find_participants, load_predictions, load_truth, open_taxonomy

IDS = np.array(["a", "b"])


def predict(name: str, *classes: int) -> Predictions:
    return Predictions(name, IDS, np.array(classes, np.int32))


def write(folder: Path, name: str, *classes: int) -> Path:
    path = folder / f"{name}.npz"
    write_predictions(predict(name, *classes), path)
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two participants in a folder that also holds something else."""
    predictions = tmp_path / "predictions"
    predictions.mkdir()
    write(predictions, "two", 1, 1)
    (predictions / "one.csv").write_text("image_id,class\nb,0\na,1\n")
    (predictions / "notes.txt").write_text("not predictions\n")
    return predictions


def find_names(*arguments: str | Path) -> list[str]:
    return [participant.name for participant in find_participants(arguments)]


def test_a_file_is_called_after_its_stem_unless_it_is_named(folder: Path) -> None:
    assert find_names(folder / "two.npz") == ["two"]
    assert find_names(f"my model={folder / 'two.npz'}") == ["my model"]


def test_a_folder_and_a_glob_stand_for_the_files_inside(folder: Path) -> None:
    assert find_names(folder) == ["one", "two"]
    assert find_names(str(folder / "t*.npz")) == ["two"]
    assert find_names(folder / "two.npz", str(folder / "*.csv")) == ["two", "one"]


def test_a_file_whose_own_name_holds_an_equals_sign_is_found(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(folder, "lr=0.1", 0, 0)
    monkeypatch.chdir(folder)
    assert find_names("lr=0.1.npz") == ["lr=0.1"]


def test_nothing_is_read_before_it_is_needed(folder: Path) -> None:
    (folder / "two.npz").write_text("damaged")
    participants = find_participants(folder)
    assert participants[0].load().classes.tolist() == [[0], [1]]
    with pytest.raises(FormatError, match=re.escape(f"{folder / 'two.npz'}: ")):
        participants[1].load()


def test_records_and_participants_are_taken_as_they_are(folder: Path) -> None:
    record = predict("record", 0, 1)
    (participant,) = find_participants(record)
    assert participant.load() is record
    assert find_participants(participant) == (participant,)
    names = [one.name for one in find_participants([record, folder / "two.npz"])]
    assert sorted(names) == ["record", "two"]


def test_logits_are_cut_to_the_five_best(folder: Path) -> None:
    values = np.array([[0, 5, 1, 4, 2, 3], [6, 0, 1, 2, 3, 4]], np.float32)
    expected = [[1, 3, 5, 4, 2], [0, 5, 4, 3, 2]]
    (participant,) = find_participants(Logits("logits", IDS, values))
    assert participant.load().classes.tolist() == expected
    np.save(folder / "raw.npy", values)
    (folder / "ids.txt").write_text("a\nb\n")
    loaded = load_predictions(folder / "raw.npy", ids=folder / "ids.txt")
    assert loaded.classes.tolist() == expected
    assert loaded.image_ids.tolist() == ["a", "b"]


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ([], "Predictions are needed: give at least one file or record."),
        ([predict("x", 0, 1), predict("x", 1, 1)], "Two participants are called 'x'; rename one."),
    ],
)
def test_no_participant_and_two_of_one_name_are_refused(records: list[Predictions], message: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        find_participants(records)


def test_two_files_of_one_name_are_refused_with_both_paths(folder: Path) -> None:
    other = write(folder.parent, "two", 0, 0)
    message = f"Two participants are called 'two': {folder / 'two.npz'} and {other}. Name one of them with NAME=PATH."
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        find_participants([folder / "two.npz", other])
    assert find_names(folder / "two.npz", f"other={other}") == ["two", "other"]


def test_a_file_and_a_record_of_one_name_are_refused(folder: Path) -> None:
    with pytest.raises(InputError, match=r"^Two participants are called 'two'; rename one\.$"):
        find_participants([folder / "two.npz", predict("two", 0, 0)])


def test_one_file_is_loaded_and_a_folder_of_several_is_refused(folder: Path) -> None:
    assert load_predictions(folder / "two.npz").participant == "two"
    message = f"{folder} holds 2 participants; name one file."
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        load_predictions(folder)


def test_a_taxonomy_is_opened_by_name_and_passed_on_as_a_record() -> None:
    opened = open_taxonomy("cifar-10")
    assert opened is not None
    assert opened.name == "cifar-10"
    assert open_taxonomy(opened) is opened
    assert open_taxonomy(None) is None


def test_a_class_that_the_taxonomy_does_not_have_is_refused_wherever_it_stands() -> None:
    taxonomy = load_taxonomy("cifar-10")
    truths: list[TestSet | LabelSet | Truth] = [
        TestSet("t", IDS, np.array([0, 10], np.int32)),
        LabelSet.from_lists("x", IDS, correct=[[10], []]),
        LabelSet.from_lists("x", IDS, main_labels=[10, 0]),
        Truth(label_sets=(LabelSet.from_lists("x", IDS, wrong=[[10], []]),)),
    ]
    message = r"^'10' is not a class of cifar-10; indices run from 0 to 9\.$"
    for truth in truths:
        with pytest.raises(UnknownClassError, match=message):
            load_truth(truth, taxonomy=taxonomy)
        assert isinstance(load_truth(truth), Truth)
    with pytest.raises(UnknownClassError, match=message):
        find_participants(predict("x", 0, 10), taxonomy=taxonomy)[0].load()


def test_truths_from_files_and_records_are_combined(tmp_path: Path) -> None:
    (tmp_path / "labels.csv").write_text("image_id,label\na,cat\nb,dog\n")
    review = LabelSet.from_lists("review", ["b"], correct=[[5]])
    truth = load_truth([tmp_path / "labels.csv", review], taxonomy="cifar-10")
    assert truth.test_set is not None
    assert truth.test_set.labels.tolist() == [3, 5]
    assert truth.label_sets == (review,)
    assert truth.name == "labels"


def test_what_a_class_in_no_list_means_can_be_overruled(tmp_path: Path) -> None:
    path = tmp_path / "review.jsonl"
    path.write_text(json.dumps({"image_id": "a", "correct": [1]}) + "\n")
    assert load_truth(path).label_sets[0].unlisted is Unlisted.WRONG
    assert load_truth(path, unlisted=Unlisted.UNJUDGED).label_sets[0].unlisted is Unlisted.UNJUDGED


def test_no_truth_at_all_is_refused() -> None:
    with pytest.raises(InputError, match=r"^A truth is needed: give at least one file or record\.$"):
        load_truth([])
