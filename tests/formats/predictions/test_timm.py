"""The CSV of timm's inference script in all its shapes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regauge.errors import FormatError
from regauge.formats.predictions.arguments import PredictionFile
from regauge.formats.predictions.files import load_predictions
from regauge.formats.predictions.timm import is_timm, read_timm
from regauge.formats.taxonomies import load_taxonomy
from regauge.formats.text import read_table
from regauge.records.predictions import Predictions


def load(folder: Path, content: str, *, taxonomy: str | None = None) -> Predictions:
    path = folder / "results.csv"
    path.write_text(content, encoding="utf-8", newline="")
    table = read_table(path)
    assert is_timm(table)
    found = read_timm(table, "model", None if taxonomy is None else load_taxonomy(taxonomy))
    assert isinstance(found, Predictions)
    return found


def list_scores(predictions: Predictions) -> Any:
    assert predictions.scores is not None
    return predictions.scores.tolist()


def test_one_answer_per_image(tmp_path: Path) -> None:
    predictions = load(tmp_path, "filename,index,prob\nval/a.JPEG,5,0.5\nb.jpg,1,0.25\n")
    assert predictions.image_ids.tolist() == ["a", "b"]
    assert (predictions.classes.tolist(), list_scores(predictions)) == ([[5], [1]], [[0.5], [0.25]])


def test_several_answers_are_printed_arrays_which_may_run_over_lines(tmp_path: Path) -> None:
    predictions = load(
        tmp_path,
        'filename,index,prob\na.jpg,[409 530 892],[0.5   0.25  0.125]\nb.jpg,"[  1\n  20 300]","[5.e-01 2.5e-01\n 1.]"\n',
    )
    assert predictions.classes.tolist() == [[409, 530, 892], [1, 20, 300]]
    assert list_scores(predictions) == [[0.5, 0.25, 0.125], [0.5, 0.25, 1]]


def test_several_answers_may_have_a_column_per_rank(tmp_path: Path) -> None:
    predictions = load(tmp_path, "filename,index_0,index_1,logit_0,logit_1\na.jpg,4,2,0.5,0.25\nb.jpg,1,0,-1.5,-2\n")
    assert predictions.classes.tolist() == [[4, 2], [1, 0]]
    assert list_scores(predictions) == [[0.5, 0.25], [-1.5, -2]]


def test_scores_may_be_absent(tmp_path: Path) -> None:
    assert load(tmp_path, "filename,index\na.jpg,4\n").scores is None


@pytest.mark.parametrize(
    ("label", "index"),
    [
        ("n01440764", 0),
        ("tench", 0),
        ('"tench, Tinca tinca"', 0),
        ('"tench, Tinca tinca: freshwater dace-like game fish, of Europe"', 0),
        ("drake: adult male of a wild or domestic duck", 97),
        ('"hen: adult female, chicken"', 8),
        ("jack-o'-lantern", 607),
    ],
)
def test_a_label_is_an_id_a_name_or_a_description(tmp_path: Path, label: str, index: int) -> None:
    predictions = load(tmp_path, f"filename,label\na.jpg,{label}\n", taxonomy="imagenet-1k")
    assert predictions.classes.tolist() == [[index]]


def test_every_description_of_imagenet_is_understood_but_for_the_ambiguous_names(tmp_path: Path) -> None:
    classes = load_taxonomy("imagenet-1k").classes
    names = [image_class.names for image_class in classes]
    distinct = [one for one in classes if names.count(one.names) == 1]
    lines = "".join(f'{one.id}.jpg,"{", ".join(one.names)}"\n' for one in distinct)
    predictions = load(tmp_path, "filename,label\n" + lines, taxonomy="imagenet-1k")
    assert predictions.classes.ravel().tolist() == [one.index for one in distinct]
    assert len(distinct) > 990


def test_printed_labels_are_quoted_either_way(tmp_path: Path) -> None:
    cell = """['analog clock' "jack-o'-lantern"\n 'tench, Tinca tinca']"""
    quoted = cell.replace('"', '""')
    predictions = load(tmp_path, f'filename,label\na.jpg,"{quoted}"\n', taxonomy="imagenet-1k")
    assert predictions.classes.tolist() == [[409, 607, 0]]


def test_the_index_is_believed_before_the_label(tmp_path: Path) -> None:
    content = "filename,label,index,prob\na.jpg,nonsense,3,1\n"
    assert load(tmp_path, content, taxonomy="imagenet-1k").classes.tolist() == [[3]]


@given(
    classes=st.lists(st.lists(st.integers(0, 999), min_size=30, max_size=30, unique=True), min_size=1, max_size=3),
    scores=st.lists(st.floats(0, 1, width=32), min_size=30, max_size=30),
)
def test_what_numpy_prints_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, classes: list[list[int]], scores: list[float]
) -> None:
    printed = np.array(scores, np.float32)
    lines = [f'{row}.jpg,"{np.array(cells)}","{printed}"' for row, cells in enumerate(classes)]
    predictions = load(tmp_path_factory.mktemp("timm"), "\n".join(["filename,index,prob", *lines]))
    assert "\n" in str(printed)
    assert predictions.classes.tolist() == classes
    np.testing.assert_allclose(list_scores(predictions)[0], printed, atol=1e-8, rtol=1e-6)


@pytest.mark.parametrize(
    ("rows", "line", "problem"),
    [
        ('a.jpg,"[0\n 1]",[.5 .25]\nb.jpg,[1],[.5]\n', 4, "index has 1 answers, the first image 2."),
        ("a.jpg,[],[]\n", 2, "index has no answer."),
        ('a.jpg,"[0\n 1]",[.5 .25]\nb.jpg,[1 2],[nan .5]\n', 4, "prob is not a number (NaN)."),
        ('a.jpg,"[0\n 1]",[.5 .25]\nb.jpg,[1 2],[.5 high]\n', 4, "prob must be a number, not '.5 high'."),
        ("a.jpg,[0 1 ... 998 999],[.5]\n", 2, "'...' is not a class of imagenet-1k"),
        ("a.jpg,0,.5\nb.jpg,crane,.5\n", 3, "'crane' names 2 classes of imagenet-1k"),
        ("a.jpg,0,.5\nb.jpg,unicorn,.5\n", 3, "'unicorn' is not a class of imagenet-1k"),
        ("a.jpg,0,.5\nb.jpg,-1,.5\n", 3, "'-1' is not a class of imagenet-1k"),
        ("a.jpg,0,.5\nb.jpg,1000,.5\n", 3, "'1000' is not a class of imagenet-1k; indices run from 0 to 999"),
        (
            "a.jpg,0,.5\na.jpg,1,.5\n",
            3,
            "image 'a' occurs a second time. Where files in several folders share a name, let",
        ),
        ("x/a.jpg,0,.5\nx/a.jpg,1,.5\ny/a.jpg,1,.5\n", 3, "image 'x/a' occurs a second time."),
        ("a.jpg,0,.5\n,1,.5\n", 3, "the column 'filename' is empty."),
        ("a.jpg,0,.5\nb.jpg,1,\n", 3, "the column 'prob' is empty."),
    ],
)
def test_a_defect_is_named_with_the_line_on_which_its_row_starts(
    tmp_path: Path, rows: str, line: int, problem: str
) -> None:
    with pytest.raises(FormatError) as caught:
        load(tmp_path, "filename,index,prob\n" + rows, taxonomy="imagenet-1k")
    assert caught.value.line == line
    assert caught.value.problem.startswith(problem)


def test_names_need_a_taxonomy(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="line 2: 'tench' is not a class index; to use ids or names"):
        load(tmp_path, "filename,label\na.jpg,tench\n")


@pytest.mark.parametrize("header", ["filename,prob", "image_id,index", "filename,index_1,index_2", "filename,class"])
def test_other_tables_are_not_taken_for_timms(tmp_path: Path, header: str) -> None:
    path = tmp_path / "x.csv"
    path.write_text(header + "\n" + ",".join("a" for _ in header.split(",")) + "\n", encoding="utf-8")
    assert not is_timm(read_table(path))


def test_an_id_that_was_named_for_the_truth_leaves_names_of_files_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "m.csv"
    path.write_text("filename,index\nb.jpg,1\na.jpg,0\n")
    found = load_predictions(PredictionFile("m", path), columns={"image_id": "ImageId"})
    assert isinstance(found, Predictions)
    assert found.image_ids.tolist() == ["b", "a"]
    path.write_text("name,index\nb.jpg,1\n")
    with pytest.raises(FormatError, match="there is no column 'ImageId' for image_id; this file has: name, index"):
        load_predictions(PredictionFile("m", path), columns={"image_id": "ImageId"})
