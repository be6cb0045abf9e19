"""Tables of predictions in any kind of file, as timm writes them and as our own export does."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.cli.command_runner import write

from regauge.errors import FormatError, InputError
from regauge.formats.predictions.arguments import PredictionFile, find_prediction_files
from regauge.formats.predictions.files import find_answers, load_predictions
from regauge.formats.tables import parse_columns
from regauge.formats.taxonomies import load_taxonomy
from regauge.records.predictions import Logits, Predictions

ROWS: list[dict[str, Any]] = [
    {"filename": "cat/001.png", "index": [3, 5], "label": ["cat", "dog"], "prob": [0.75, 0.25]},
    {"filename": "dog/001.png", "index": [5, 0], "label": ["dog", "airplane"], "prob": [0.5, 0.125]},
]


def write_as_timm(folder: Path, kind: str) -> Path:
    """The rows as timm's inference script writes them with pandas, which indents JSON by four.

    For `json-record`, of which it knows another spelling, it writes CSV into a file called .json.
    """
    path = folder / f"m.{kind.split('-', maxsplit=1)[0]}"
    if kind == "parquet":
        pl.DataFrame(ROWS).select("index", "label", "prob", "filename").write_parquet(path)
    elif kind == "json":
        path.write_text(
            json.dumps({row["filename"]: {k: row[k] for k in ("index", "label", "prob")} for row in ROWS}, indent=4)
        )
    elif kind == "json-split":
        path.write_text(json.dumps({"columns": list(ROWS[0]), "data": [list(row.values()) for row in ROWS]}, indent=4))
    elif kind == "json-lines":
        path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    else:
        cells = [[row["filename"], *(str(np.array(row[name])) for name in ("index", "label", "prob"))] for row in ROWS]
        lines = "".join(",".join(f'"{cell}"' for cell in row) + "\n" for row in cells)
        path.write_text("filename,index,label,prob\n" + lines)
    return path


@pytest.mark.parametrize("kind", ["csv", "parquet", "json", "json-split", "json-record", "json-lines"])
def test_everything_that_timm_writes_is_read_alike(tmp_path: Path, kind: str) -> None:
    path = write_as_timm(tmp_path, kind)
    found = load_predictions(PredictionFile("m", path), taxonomy=load_taxonomy("cifar-10"))
    assert isinstance(found, Predictions)
    assert found.image_ids.tolist() == ["cat/001", "dog/001"]
    assert found.classes.tolist() == [[3, 5], [5, 0]]
    assert found.scores is not None
    assert found.scores.tolist() == [[0.75, 0.25], [0.5, 0.125]]


def test_labels_alone_are_read_from_lists(tmp_path: Path) -> None:
    pl.DataFrame(ROWS).select("filename", "label").write_parquet(tmp_path / "m.parquet")
    found = load_predictions(PredictionFile("m", tmp_path / "m.parquet"), taxonomy=load_taxonomy("cifar-10"))
    assert isinstance(found, Predictions)
    assert (found.classes.tolist(), found.scores) == ([[3, 5], [5, 0]], None)


def test_outputs_without_classes_are_those_of_all_classes(tmp_path: Path) -> None:
    rows = [{"filename": "a.png", "logit": [0.5, 2.0, 1.0]}, {"filename": "b.png", "logit": [3.0, 2.0, 1.0]}]
    pl.DataFrame(rows).write_parquet(tmp_path / "m.parquet")
    found = load_predictions(PredictionFile("m", tmp_path / "m.parquet"))
    assert isinstance(found, Logits)
    assert found.values.argmax(axis=1).tolist() == [1, 0]
    with pytest.raises(FormatError, match="every image has 3 outputs, but cifar-10 has 10 classes"):
        load_predictions(PredictionFile("m", tmp_path / "m.parquet"), taxonomy=load_taxonomy("cifar-10"))


EXPORTED = "participant,test_set,image_id,rank,class,class_id,score\n"


def test_a_table_of_several_participants_gives_each_their_own_answers(tmp_path: Path) -> None:
    rows = "one,t,a,1,3,,0.5\ntwo,t,a,1,4,,\none,t,b,1,5,,0.25\ntwo,t,b,1,6,,\n"
    write(tmp_path, {"predictions.csv": EXPORTED + rows})
    found = find_answers(PredictionFile("predictions", tmp_path / "predictions.csv"))
    loaded = {name: read() for name, read in found.items()}
    assert {name: one.classes.tolist() for name, one in loaded.items() if isinstance(one, Predictions)} == {
        "one": [[3], [5]],
        "two": [[4], [6]],
    }
    with pytest.raises(FormatError, match="holds the answers of 2 participants, who are not all 'me': one, two"):
        find_answers(PredictionFile("me", tmp_path / "predictions.csv", is_named=True))
    write(tmp_path, {"predictions.csv": EXPORTED + "one,t,a,1,3,,0.5\n"})
    assert list(find_answers(PredictionFile("me", tmp_path / "predictions.csv", is_named=True))) == ["me"]


def test_a_row_at_fault_is_named_by_its_line_in_the_whole_file(tmp_path: Path) -> None:
    write(
        tmp_path,
        {"p.csv": EXPORTED + "one,t,a,1,3,,1\ntwo,t,a,1,x,,1\n", "q.csv": EXPORTED + "one,t,a,1,3,,1\n,t,a,1,3,,1\n"},
    )
    with pytest.raises(FormatError, match=r"p\.csv, line 3: 'x' is not a class index"):
        find_answers(PredictionFile("p", tmp_path / "p.csv"))["two"]()
    with pytest.raises(FormatError, match=r"q\.csv, line 3: the column 'participant' is empty"):
        find_answers(PredictionFile("q", tmp_path / "q.csv"))


def test_an_image_of_two_test_sets_has_one_answer(tmp_path: Path) -> None:
    write(tmp_path, {"p.csv": EXPORTED + "one,t,a,1,3,,\none,u,a,1,3,,\none,u,b,1,4,,\n"})
    found = find_answers(PredictionFile("p", tmp_path / "p.csv"))["one"]()
    assert found.image_ids.tolist() == ["a", "b"]
    write(tmp_path, {"p.csv": EXPORTED + "one,t,a,1,3,,\none,u,a,1,4,,\n"})
    with pytest.raises(
        FormatError,
        match=r"line 3: image 'a' has other answers in the test set 'u' .*#NAME with one of: t, u",
    ):
        find_answers(PredictionFile("p", tmp_path / "p.csv"))["one"]()


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_one_of_several_test_sets_is_chosen(tmp_path: Path, suffix: str) -> None:
    rows = [("one", "t", "a", 3), ("one", "u", "a", 4), ("one", "u", "b", 5), ("two", "u", "a", 6)]
    frame = pl.DataFrame(rows, schema=["participant", "test_set", "image_id", "class"], orient="row")
    path = tmp_path / f"p.{suffix}"
    writers: dict[str, Callable[[Path], object]] = {
        "csv": frame.write_csv,
        "jsonl": frame.write_ndjson,
        "parquet": frame.write_parquet,
    }
    writers[suffix](path)
    (file,) = find_prediction_files([f"{path}#u"])
    assert (file.path, file.part, file.participant) == (path, "u", "p")
    loaded = {name: read() for name, read in find_answers(file).items()}
    found = {name: one.classes.tolist() for name, one in loaded.items() if isinstance(one, Predictions)}
    assert found == {"one": [[4], [5]], "two": [[6]]}
    (named,) = find_prediction_files([f"me={path}#t"])
    assert list(find_answers(named)) == ["me"]
    with pytest.raises(
        FormatError, match=rf"there is no test set 'v' here; write p\.{suffix}#NAME with one of: t, u\."
    ):
        find_answers(replace(file, part="v"))


def test_a_test_set_is_not_chosen_from_a_file_that_has_none(tmp_path: Path) -> None:
    write(tmp_path, {"p.csv": "image_id,class\na,3\n"})
    np.savez(tmp_path / "p.npz", image_ids=np.array(["a"]), classes=np.array([[3]]))
    with pytest.raises(FormatError, match="this table has no column test_set to choose 'u' from"):
        load_predictions(PredictionFile("p", tmp_path / "p.csv", part="u"))
    with pytest.raises(FormatError, match="#u chooses a test set of a table, and this file holds one set of answers"):
        load_predictions(PredictionFile("p", tmp_path / "p.npz", part="u"))


def test_columns_are_named_for_predictions(tmp_path: Path) -> None:
    write(tmp_path, {"p.csv": "Id,Predicted\na,3\n", "q.csv": "model,Id,Predicted\nm,a,3\nn,a,4\n"})
    columns = {"image_id": "Id", "class": "Predicted"}
    assert load_predictions(PredictionFile("p", tmp_path / "p.csv"), columns=columns).image_ids.tolist() == ["a"]
    several = find_answers(PredictionFile("q", tmp_path / "q.csv"), columns={**columns, "participant": "model"})
    assert list(several) == ["m", "n"]
    with pytest.raises(FormatError, match=r"this file has: Id, Predicted\. Say which is which with `columns=…`"):
        load_predictions(PredictionFile("p", tmp_path / "p.csv"))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("image_id", "takes pairs such as image_id=ImageId with commas between, not 'image_id'"),
        ("class=", "not 'class='"),
        ("klass=x", "'klass' is not a column that is read here; there are: image_id, class"),
        ("class=x,class=y", "class is given twice, as 'x' and as 'y'"),
    ],
)
def test_pairs_of_columns_that_are_none_are_refused(text: str, problem: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_columns(text, ("image_id", "class"))
    assert problem in str(caught.value)


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("p.json", "[1, 2]", "this is a list of 2 items, the first of them a number"),
        (
            "p.json",
            '{"columns": ["image_id", "class"], "data": [["a"]]}',
            "row 1 of data has not one value for each of the 2",
        ),
        (
            "p.jsonl",
            '{"image_id": "a", "class": 1}\n{"image_id": "b", "class": "x"}\n',
            "line 2: 'x' is not a class index",
        ),
        ("p.jsonl", '{"image_id": "a", "class": 1}\nnonsense\n', "line 2: this is not JSON"),
        ("p.parquet", b"no parquet", "this is not a Parquet file."),
    ],
)
def test_a_file_that_is_no_table_is_refused(tmp_path: Path, name: str, content: str | bytes, problem: str) -> None:
    write(tmp_path, {name: content})
    with pytest.raises(FormatError) as caught:
        load_predictions(PredictionFile("p", tmp_path / name))
    assert problem in str(caught.value)


@pytest.mark.parametrize("head", ["model,accuracy,n", "model,n,n_correct", "model,top1,top1_err,top5,top5_err"])
def test_a_table_of_accuracies_is_called_so(tmp_path: Path, head: str) -> None:
    (tmp_path / "a.csv").write_text(f"{head}\nm{',1' * head.count(',')}\n")
    with pytest.raises(FormatError, match=r"this is a table of accuracies \(model, .* compared by `shift`.*`beside=…`"):
        load_predictions(PredictionFile("a", tmp_path / "a.csv"))
