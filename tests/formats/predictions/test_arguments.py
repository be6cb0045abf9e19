"""What a predictions argument means."""

from __future__ import annotations

from pathlib import Path

import pytest

from regauge.errors import InputError
from regauge.formats.predictions.arguments import check_names, find_prediction_files


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a file of every kind in `preds`."""
    monkeypatch.chdir(tmp_path)
    for name in ("b.npz", "a.csv", "c.v2.npy", "d.TSV", "image_ids.txt", "c.v2.ids.txt"):
        path = tmp_path / "preds" / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
    (tmp_path / "preds" / "more.npz").mkdir()
    (tmp_path / "empty").mkdir()
    return tmp_path


def find(*arguments: str | Path) -> list[tuple[str, str]]:
    return [(file.participant, file.path.as_posix()) for file in find_prediction_files(arguments)]


def test_a_file_is_a_participant_of_its_own_name(folder: Path) -> None:
    assert find("preds/c.v2.npy", Path("preds/b.npz")) == [("c.v2", "preds/c.v2.npy"), ("b", "preds/b.npz")]


def test_a_folder_gives_its_prediction_files_in_order_and_nothing_else(folder: Path) -> None:
    assert [name for name, _ in find("preds")] == ["a", "b", "c.v2", "d"]


def test_a_glob_gives_the_files_that_match(folder: Path) -> None:
    assert [name for name, _ in find("preds/*.npz")] == ["b"]
    assert [name for name, _ in find(str(folder / "**" / "*.csv"))] == ["a"]


def test_a_file_whose_name_looks_like_a_glob_is_that_file(folder: Path) -> None:
    (folder / "[ab].csv").touch()
    assert find("[ab].csv") == [("[ab]", "[ab].csv")]


def test_a_name_before_an_equals_sign_names_the_participant(folder: Path) -> None:
    assert find("My model, v2=preds/b.npz") == [("My model, v2", "preds/b.npz")]
    assert find("m=preds/*.csv") == [("m", "preds/a.csv")]
    assert find("b=preds/b.npz") == [("b", "preds/b.npz")]


def test_an_equals_sign_in_a_path_is_part_of_the_path(folder: Path) -> None:
    (folder / "lr=0.1").mkdir()
    (folder / "lr=0.1" / "m.csv").touch()
    (folder / "x=y.csv").touch()
    assert find("lr=0.1/m.csv", "x=y.csv") == [("m", "lr=0.1/m.csv"), ("x=y", "x=y.csv")]
    assert find("./runs/lr=1/m.npz") == [("m", "runs/lr=1/m.npz")]


def test_a_file_that_is_not_there_is_left_to_its_reader(folder: Path) -> None:
    assert find("nope.npz") == [("nope", "nope.npz")]
    assert find("=preds/b.npz") == [("b", "=preds/b.npz")]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["preds/b.npz", "x/b.csv"], r"Two participants are called 'b': preds/b\.npz and x/b\.csv\. .* NAME=PATH"),
        (["m=preds/b.npz", "m=preds/a.csv"], "Two participants are called 'm'"),
        (["preds/b.npz", "preds"], "Two participants are called 'b'"),
        (["m=preds"], "m=preds: one name was given for 4 files; name them one by one"),
        (["empty"], r"empty: the folder holds no predictions \(\.npz, \.csv, .*, \.json files\); it is empty\."),
        (["zz*.npz"], r"zz\*\.npz: no file matches"),
        (["preds/image_ids.txt"], r"image_ids\.txt: predictions are .* files, not \.txt"),
        (
            ["model.pkl"],
            r"model\.pkl: there is no such file or folder; predictions are \.npz, \.csv, \.tsv, \.npy, \.parquet, \.jsonl, ",
        ),
        (["model"], r"model: there is no such file or folder; predictions are \.npz, .*, \.json files\."),
        ([""], "'' names no file of predictions; write PATH or NAME=PATH"),
        (["m="], "'m=' names no file of predictions"),
    ],
)
def test_an_argument_that_means_no_one_participant_is_refused(folder: Path, arguments: list[str], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        check_names((file.participant, file.path) for file in find_prediction_files(arguments))
