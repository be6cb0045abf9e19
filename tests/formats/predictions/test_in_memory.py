"""Arrays of any library: what they are taken for, what is refused, and that rows without ids meet nothing that has ids."""

from __future__ import annotations

import array
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import regauge
from regauge.errors import FormatError, InputError
from regauge.evaluation.targets import key_rows, line_up, line_up_answers, line_up_rows
from regauge.records.testsets.rows import AnswerRows, LabelRows, LogitRows
from regauge.workflows.inputs import open_answers

LABELS = np.array([0, 1, 2, 3, 4, 9])
LOGITS = np.eye(10)[[0, 1, 2, 3, 9, 4]] + np.arange(10) / 100
"""Four of six are right."""
IDS = list("abcdef")


class ArrayOnly:
    """An array of a library that NumPy can read, and nothing else."""

    def __init__(self, values: Any) -> None:
        self.values = np.asarray(values)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.values.astype(dtype or self.values.dtype)


class DLPackOnly:
    """An array that shares its memory by DLPack, on a device of that number."""

    def __init__(self, values: Any, device: int = 1) -> None:
        self.values, self.device_type = np.ascontiguousarray(values), device

    def __dlpack__(self, **options: Any) -> Any:
        if self.device_type != 1:
            raise BufferError("another device")
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device_type, 0


class Tensor:
    """Refuses to be read as PyTorch's tensors do."""

    def __init__(self, *, device: str = "cpu", requires_grad: bool = False, dtype: str = "torch.float32") -> None:
        self.device, self.requires_grad, self.dtype = device, requires_grad, dtype

    def cpu(self) -> Tensor:
        return self

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise TypeError("can't convert")


def find_top1(*arguments: Any, name: str = "model", **keywords: Any) -> tuple[int | None, int]:
    one = regauge.score(*arguments, **keywords).get(name, "top1")
    return one.n_correct, one.n


@pytest.mark.parametrize(
    "turn",
    [
        np.asarray,
        lambda values: np.asarray(values).tolist(),
        ArrayOnly,
        DLPackOnly,
        pd.DataFrame,
        lambda v: tuple(map(tuple, v)),
    ],
    ids=["numpy", "lists", "__array__", "__dlpack__", "pandas", "tuples"],
)
def test_logits_of_any_library_are_scored(turn):
    assert find_top1(turn(LOGITS), LABELS) == (4, 6)
    assert regauge.score(turn(LOGITS), LABELS).get("model", "top5").n == 6


@pytest.mark.parametrize(
    "turn",
    [np.asarray, list, ArrayOnly, DLPackOnly, pd.Series, pl.Series, lambda values: array.array("i", values)],
    ids=["numpy", "list", "__array__", "__dlpack__", "pandas", "polars", "array.array"],
)
def test_classes_of_any_library_are_scored(turn):
    answers = [0, 1, 2, 3, 9, 4]
    assert find_top1(turn(answers), turn(LABELS.tolist())) == (4, 6)


def test_tensors_of_pytorch_are_scored():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    logits, labels = torch.tensor(LOGITS), torch.tensor(LABELS)
    assert find_top1(logits, labels) == (4, 6)
    assert find_top1(logits.half(), labels) == (4, 6)
    assert find_top1(logits.topk(5).indices, labels) == (4, 6)
    with pytest.raises(InputError, match=r"gradients.*\.detach\(\)"):
        regauge.score(logits.requires_grad_(), labels)
    with pytest.raises(InputError, match=r"bfloat16.*\.float\(\)"):
        regauge.score(logits.detach().bfloat16(), labels)
    with pytest.raises(InputError, match=r"device.*\.cpu\(\)"):
        regauge.score(logits.detach().to("meta"), labels)


@pytest.mark.parametrize(
    ("tensor", "sentence"),
    [
        (Tensor(device="cuda:0"), r"The Tensor of the answers of model is on a GPU .* with \.cpu\(\)\."),
        (Tensor(requires_grad=True), r"records gradients.* with \.detach\(\)\."),
        (Tensor(dtype="torch.bfloat16"), r"bfloat16, .* with \.float\(\)\."),
        (Tensor(), r"cannot be read as an array \(can't convert\); give a NumPy array\."),
        (DLPackOnly(LOGITS, device=2), r"The DLPackOnly of the answers of model is on a GPU"),
    ],
)
def test_a_tensor_that_cannot_be_read_is_refused_with_what_to_call_on_it(tensor, sentence):
    with pytest.raises(InputError, match=sentence):
        regauge.score(tensor, LABELS)


def test_the_best_classes_of_each_image_are_told_from_scores():
    best = [[0, 5, 6], [5, 1, 6], [2, 5, 6], [5, 6, 7], [4, 5, 6], [9, 5, 6]]
    assert find_top1(best, LABELS) == (4, 6)


def test_names_are_compared_where_nothing_says_which_classes_there_are():
    answers, labels = np.array(["cat", "dog", "cat"]), pd.Series(["cat", "cat", "cat"])
    assert find_top1(answers, labels) == (2, 3)
    assert regauge.score(answers, labels, by="class").get("model", "top1", subset="0 cat").n == 3


def test_a_list_of_names_beside_an_array_is_no_list_of_files(tmp_path, monkeypatch):
    assert find_top1(["cat", "dog"], np.array(["cat", "cat"])) == (1, 2)
    assert find_top1(np.array(["cat", "dog"]), ["cat", "cat"]) == (1, 2)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cat.csv").write_text("image_id,label\na,0\nb,1\n")
    assert find_top1(np.array([0, 0]), ["cat.csv"], ids=["a", "b"]) == (1, 2)


def test_two_lists_of_names_are_no_files_and_one_in_a_dictionary_holds_answers():
    with pytest.raises(InputError, match=r"Two lists of text are read as files, and 'cat' is none; .*np\.array\(…\)"):
        regauge.score(["cat", "dog"], ["cat", "cat"])
    for predictions, labels in ((["cat.npz", "dog"], ["cat", "cat"]), (["cat"], ["dog"]), (["a", "b"], ["c"])):
        with pytest.raises(FormatError, match="there is no such file"):
            regauge.score(predictions, labels)
    assert regauge.score({"mine": ["cat", "dog"]}, ["cat", "cat"]).get("mine", "top1").n_correct == 1


def test_names_and_logits_meet_by_a_taxonomy():
    names = ["airplane", "automobile", "bird", "cat", "deer", "truck"]
    assert find_top1(LOGITS, names, taxonomy="cifar-10") == (4, 6)
    with pytest.raises(
        InputError, match=r"The labels name classes and the answers of model number them; .*`taxonomy=…`"
    ):
        regauge.score(LOGITS, names)


def test_a_dictionary_holds_several_participants(tmp_path):
    scores = regauge.score({"good": LOGITS, "bad": -LOGITS}, LABELS, against="bad")
    assert [scores.get(name, "top1").n_correct for name in ("good", "bad")] == [4, 0]
    (tmp_path / "one.csv").write_text("image_id,class\na,0\nb,0\n")
    truth = regauge.TestSet("two", ["a", "b"], [0, 1])
    assert regauge.score({"mine": tmp_path / "one.csv"}, truth).get("mine", "top1").n_correct == 1


@pytest.mark.parametrize(
    ("predictions", "labels", "sentence"),
    [
        (LOGITS[:3], LABELS, "have 3 rows and the labels 6; .* row by row"),
        (LOGITS[:, 0], LABELS, "one column of floats, which are neither classes nor one score per class"),
        (LOGITS[:, :1], LABELS, "one column of floats"),
        (LOGITS[:, :5], LABELS, "have 5 columns of floats, one per class, but a label is 9"),
        (LOGITS[None], LABELS, r"not an array of shape \[1, 6, 10\]; join batches"),
        (LOGITS > 0.5, LABELS, r"true or false in several columns; .*argmax\(1\)"),
        (LOGITS.astype(complex), LABELS, "not values of type complex128"),
        ((LOGITS * 100).astype(int), LABELS, "could be the best classes of each image or one score per class"),
        ([[0, 1], [1]], [0, 1], "have different lengths"),
        (LOGITS, np.eye(10)[LABELS], r"one-hot rows into classes with argmax\(1\)"),
        (LOGITS, [0, 1, None, 3, 4, 9], "have no class at position 2: None"),
        (LOGITS, [0.5] * 6, "row 0 has 0.5"),
        ([0, 1], [0, -1], "Row 1 has the label -1"),
        ([0, 1], [0, 2**40], "too large for a class index"),
        ([0, 1], [0, 5_000_000], "too large for a class index"),
        (np.array(["a", 1], object), [0, 1], "hold both names and numbers"),
        (np.array(["7", "cat"]), np.array(["7", "cat"]), "'7' is an index and 'cat' is none"),
        ({}, LABELS, "holds no participant"),
        ({"one": LOGITS, "two": "file.npz"}, LABELS, "'two' is of type str"),
        ({3: LOGITS}, LABELS, "texts, not 3"),
        (object(), LABELS, "not something of type object"),
        ([], LABELS, "Predictions are needed"),
        (LOGITS, object(), "not something of type object"),
        (LOGITS, [], "A truth is needed"),
        (np.zeros((0, 10)), np.zeros(0, int), "There are no labels"),
    ],
)
def test_what_is_ambiguous_or_no_answer_is_refused_in_a_sentence(predictions, labels, sentence):
    with pytest.raises(InputError, match=sentence):
        regauge.score(predictions, labels)


def test_logits_have_a_column_for_every_class_of_the_taxonomy():
    with pytest.raises(InputError, match="have 11 columns of floats, but cifar-10 has 10 classes"):
        regauge.score(np.zeros((6, 11)), LABELS, taxonomy="cifar-10")


def test_columns_of_pandas_with_different_indexes_are_not_paired_by_position():
    answers, labels = pd.Series([0, 1], index=[1, 0]), pd.Series([0, 1])
    with pytest.raises(InputError, match="different indexes"):
        regauge.score(answers, labels)
    assert find_top1(answers.sort_index(), labels) == (0, 2)


def test_ids_key_arrays_so_that_they_meet_files_and_records(tmp_path):
    truth = regauge.TestSet("set", IDS[::-1], LABELS[::-1])
    keyed = regauge.Predictions("keyed", IDS[::-1], LABELS[::-1])
    assert find_top1(LOGITS, truth, ids=IDS) == (4, 6)
    assert find_top1(keyed, LABELS, ids=IDS, name="keyed") == (6, 6)
    (tmp_path / "ids.txt").write_text("\n".join(IDS))
    assert find_top1(LOGITS, truth, ids=tmp_path / "ids.txt") == (4, 6)
    with pytest.raises(InputError, match="There are 5 ids, but the labels have 6 rows"):
        regauge.score(LOGITS, LABELS, ids=IDS[:5])
    with pytest.raises(InputError, match="Neither predictions nor truth are arrays"):
        regauge.score(keyed, truth, ids=IDS)
    with pytest.raises(InputError, match="text or whole numbers"):
        regauge.score(LOGITS, LABELS, ids=np.arange(6) / 2)


def test_rows_without_ids_have_no_column_of_ids():
    for rows in (LabelRows("rows", LABELS), AnswerRows("rows", LABELS[:, None]), LogitRows("rows", LOGITS)):
        assert not hasattr(rows, "image_ids")


def test_rows_without_ids_never_meet_what_is_keyed_by_id(tmp_path):
    # The ids are those that messages give to rows, so that a join by them would succeed if there were one.
    names = [f"row {row}" for row in range(6)]
    keyed = regauge.Predictions("keyed", names, LABELS)
    (tmp_path / "truth.csv").write_text("image_id,label\n" + "".join(f"{one},0\n" for one in names))
    truth = regauge.TestSet("set", names, LABELS)
    for predictions, labels in ((LOGITS, truth), (LOGITS, tmp_path / "truth.csv"), (keyed, LABELS)):
        with pytest.raises(InputError, match=r"an array without .*ids.*`ids=…`"):
            regauge.score(predictions, labels)
    with pytest.raises(InputError, match="An array has no image ids"):
        regauge.score([keyed, LOGITS], truth)  # type: ignore[list-item]
    with pytest.raises(InputError, match="set is keyed by them"):
        key_rows(AnswerRows("rows", LABELS[:, None]), line_up(regauge.Truth(truth)))
    (tmp_path / "subsets.csv").write_text("subset,image_id\neasy,row 0\n")
    with pytest.raises(InputError, match="lists images by id"):
        regauge.score(LOGITS, LABELS, by=tmp_path / "subsets.csv")


def test_frequencies_that_are_keyed_by_id_do_not_meet_rows():
    answers = regauge.TestSetAnswers(LOGITS, LABELS)
    counts = regauge.SelectionCounts([f"row {row}" for row in range(6)], range(6), LABELS, [9] * 6, [5] * 6)
    with pytest.raises(InputError, match="frequencies are keyed by image id"):
        regauge.gap(answers, answers, frequencies=regauge.FrequencySources([counts]))


def test_answers_with_ids_do_not_meet_rows_without():
    target = line_up_rows(LabelRows("rows", LABELS))
    keyed = regauge.Predictions("keyed", target.image_ids.tolist(), LABELS)
    with pytest.raises(InputError, match="keyed are keyed by image id"):
        line_up_answers(keyed, target, allow_missing=True)


def test_rows_of_two_sets_are_never_the_same_images():
    sides = [regauge.TestSetAnswers({"good": LOGITS, "bad": -LOGITS}, LABELS, name=name) for name in ("old", "new")]
    moved = regauge.shift(*sides, settings=regauge.ShiftSettings(shared=regauge.SharedBy.IDS, n_bootstrap=100))
    assert moved.n_shared == 0
    assert not any("share" in note or "image id" in note for note in moved.notes)
    assert moved.get_model("good").gap.value == 0


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=20), st.randoms())
def test_pairing_by_position_is_joining_by_ids_that_are_in_the_same_order(pairs, random):
    answers, labels = map(list, zip(*pairs, strict=True))
    opened = open_answers(regauge.TestSetAnswers(answers, labels), taxonomy=None)
    by_row = opened.participants[0].load().classes[:, 0] == opened.target.dataset_labels
    assert by_row.tolist() == [one == other for one, other in pairs]
    order = random.sample(range(len(pairs)), len(pairs))
    truth = regauge.TestSet("set", [f"i{row}" for row in order], [labels[row] for row in order])
    n_correct, _ = find_top1(answers, truth, ids=[f"i{row}" for row in range(len(pairs))])
    assert n_correct == int(by_row.sum())
