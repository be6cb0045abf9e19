"""Predictions in tables, and logits with their ids."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.formats.prediction_arrays import load_text

from regauge.arrays import NO_CLASS
from regauge.errors import FormatError
from regauge.formats.predictions.arguments import PredictionFile
from regauge.formats.predictions.files import load_predictions
from regauge.formats.taxonomies import load_taxonomy
from regauge.records.predictions import Logits

IDS = np.array(["a", "b", "c"])
CLASSES = np.array([[0, 1], [1, 2], [2, 0]])


# Tables


def test_a_table_of_one_class_per_image_is_one_answer_each(tmp_path: Path) -> None:
    predictions = load_text(tmp_path, "image_id,class,score\nb,1,0.5\na,0,.25\n")
    assert (predictions.image_ids.tolist(), predictions.classes.tolist()) == (["b", "a"], [[1], [0]])
    assert predictions.scores is not None
    assert predictions.scores.tolist() == [[0.5], [0.25]]


LINES = ["b,2,0,.125", "a,1,0,.5", "b,1,1,.75", "a,2,1,.25", "a,3,5,.125", "c,1,3,1"]


@given(order=st.permutations(LINES), first=st.sampled_from([0, 1]))
def test_ranks_may_stand_in_any_order_and_count_from_0_or_1(
    tmp_path_factory: pytest.TempPathFactory, order: list[str], first: int
) -> None:
    cells = [line.split(",") for line in order]
    lines = [f"{image_id},{int(rank) - 1 + first},{index},{score}" for image_id, rank, index, score in cells]
    content = "\n".join(["image_id,rank,class,score", *lines])
    predictions = load_text(tmp_path_factory.mktemp("ranks"), content)
    answers = dict(zip(predictions.image_ids.tolist(), predictions.classes.tolist(), strict=True))
    assert answers == {"a": [0, 1, 5], "b": [1, 0, NO_CLASS], "c": [3, NO_CLASS, NO_CLASS]}
    assert predictions.scores is not None
    scores = dict(zip(predictions.image_ids.tolist(), predictions.scores.tolist(), strict=True))
    assert scores == {"a": [0.5, 0.25, 0.125], "b": [0.75, 0.125, 0], "c": [1, 0, 0]}


def test_classes_of_a_table_may_be_ids_and_names(tmp_path: Path) -> None:
    content = 'image_id\tclass\na\ttench\nb\tn01443537\nc\t"great white shark"\n'
    predictions = load_text(tmp_path, content, "m.tsv", taxonomy=load_taxonomy("imagenet-1k"))
    assert predictions.classes.ravel().tolist() == [0, 1, 2]


def test_scores_of_a_table_may_be_infinite_or_too_large(tmp_path: Path) -> None:
    predictions = load_text(tmp_path, "image_id,class,score\na,0,inf\nb,1,-1e300\n")
    assert predictions.scores is not None
    assert predictions.scores.ravel().tolist() == [np.inf, -np.inf]


RANKED = "image_id,rank,class,score\n"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("id,class\na,0\n", "line 1: predictions need the columns image_id,rank,class[,score]"),
        ("image_id,rank,class\na,1\n", "line 2: the column 'class' is empty."),
        ("image_id,class\na,0,1\n", "line 2: the line has 3 cells, the header 2."),
        ("image_id,class\na,0\nb,1\na,1\n", "line 4: image 'a' occurs a second time."),
        ("image_id,class\na,0\nb,10\n", "line 3: '10' is not a class of cifar-10; indices run from 0 to 9."),
        ("image_id,class\na,0\nb,-1\n", "line 3: '-1' is not a class of cifar-10"),
        ("image_id,class\na,0\nb,99999999999999999999\n", "line 3: 99999999999999999999 is too large"),
        (RANKED + "a,first,0,.5\n", "line 2: a rank is a whole number, 1 for the best answer, not 'first'."),
        (RANKED + "a,1,0,.5\na,2.0,1,.5\n", "line 3: a rank is a whole number, 1 for the best answer, not '2.0'."),
        (RANKED + "a,-1,0,.5\n", "line 2: a rank is a whole number"),
        (RANKED + "a,1,0,.5\na,1000000,1,.5\n", "line 3: a rank is a whole number"),
        (RANKED + "a,99999999999999999999,0,.5\n", "line 2: a rank is a whole number"),
        (RANKED + "a,,0,.5\n", "line 2: the column 'rank' is empty."),
        (RANKED + "b,1,0,.5\na,1,0,.5\na,3,1,.5\n", "line 3: the ranks of image 'a' have a gap"),
        (RANKED + "a,2,0,.5\n", "line 2: the ranks of image 'a' have a gap"),
        (RANKED + "a,0,0,.5\nb,1,1,.5\n", "line 3: the ranks of image 'b' have a gap"),
        (RANKED + "a,1,0,.5\na,1,1,.5\n", "line 3: image 'a' has two answers of rank 1."),
        (RANKED + "a,1,0,high\n", "line 2: score must be a number, not 'high'."),
        (RANKED + "a,1,0,.5\na,2,1,nan\n", "line 3: score must be a number, not 'nan'."),
        (RANKED + "a,1,0,\nb,1,0,1\n", "line 2: the column 'score' is empty."),
        ("", "the file is empty."),
        ("image_id,class\n", "line 1: the file has a header and no rows."),
        (b"image_id,class\na,0\n\xff,1\n", "line 3: this is not UTF-8 text"),
    ],
)
def test_a_defect_of_a_table_is_named_with_its_line(tmp_path: Path, content: str | bytes, problem: str) -> None:
    with pytest.raises(FormatError) as caught:
        load_text(tmp_path, content, taxonomy=load_taxonomy("cifar-10"))
    assert problem in str(caught.value)
    assert caught.value.path.name == "m.csv"


# Logits


def load_logits(
    folder: Path, values: NDArray[Any], ids: str | None = "a\nb\nc\n", *, taxonomy: str | None = None, name: str = "ids"
) -> Logits:
    np.save(folder / "m.npy", values)
    if ids is not None:
        (folder / name).write_text(ids, encoding="utf-8")
    logits = load_predictions(
        PredictionFile("model", folder / "m.npy"),
        taxonomy=None if taxonomy is None else load_taxonomy(taxonomy),
        ids=folder / name if name == "ids" and ids is not None else None,
    )
    assert isinstance(logits, Logits)
    return logits


@pytest.mark.parametrize("kind", ["<f2", "<f4", "<f8", ">f4"])
def test_logits_are_mapped_and_lined_up_with_their_ids(tmp_path: Path, kind: str) -> None:
    values = np.arange(30).reshape(3, 10).astype(kind)
    logits = load_logits(tmp_path, values, "\ufeffc\r\n a \n\nb", taxonomy="cifar-10")
    assert isinstance(logits.values, np.memmap)
    assert logits.image_ids.tolist() == ["c", "a", "b"]
    np.testing.assert_array_equal(logits.values, values)


@pytest.mark.parametrize("name", ["m.ids.txt", "image_ids.txt"])
def test_ids_beside_the_logits_are_found(tmp_path: Path, name: str) -> None:
    assert load_logits(tmp_path, np.zeros((3, 4)), name=name).image_ids.tolist() == ["a", "b", "c"]


def test_ids_of_the_file_itself_come_before_those_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "image_ids.txt").write_text("x\ny\nz\n", encoding="utf-8")
    assert load_logits(tmp_path, np.zeros((3, 4)), name="m.ids.txt").image_ids.tolist() == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("values", "ids", "problem"),
    [
        (
            np.zeros((3, 10)),
            None,
            "m.npy: logits need their image ids, one per line in row order: write them to m.ids.txt",
        ),
        (np.zeros((3, 10)), "a\nb\n", "ids: there are 2 ids for the 3 rows of m.npy."),
        (np.zeros((3, 10)), "a\nb\n\na\n", "ids, line 4: image 'a' occurs a second time."),
        (np.zeros((3, 10)), "\n", "ids: the file is empty."),
        (np.zeros((3, 11)), "a\nb\nc\n", "11 columns, but cifar-10 has 10 classes. Drop the background class first."),
        (np.zeros((3, 9)), "a\nb\nc\n", "m.npy: the logits have 9 columns, but cifar-10 has 10 classes."),
        (np.zeros((3, 10), int), "a\nb\nc\n", "gives one class twice for image 'a'"),
        (np.zeros(3), "a\nb\nc\n", "not float64 of shape [3]."),
        (np.zeros((3, 10, 1)), "a\nb\nc\n", "not float64 of shape [3, 10, 1]."),
    ],
)
def test_logits_that_do_not_fit_are_refused(
    tmp_path: Path, values: NDArray[Any], ids: str | None, problem: str
) -> None:
    with pytest.raises(FormatError) as caught:
        load_logits(tmp_path, values, ids, taxonomy="cifar-10")
    assert problem in str(caught.value)


def test_logits_of_1001_classes_hint_at_the_background_class(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"1,001 columns, but imagenet-1k has 1,000 classes\. Drop the background"):
        load_logits(tmp_path, np.zeros((3, 1001), np.float32), taxonomy="imagenet-1k")
