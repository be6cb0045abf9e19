"""Features from files: with their ids, memory-mapped, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from regauge.errors import FormatError, InputError
from regauge.formats.predictions.features import load_features
from regauge.records.testsets.features import Features


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "old.npy"
    np.save(path, np.arange(6, dtype=np.float32).reshape(3, 2))
    return path


def test_features_come_with_the_ids_beside_them(file: Path, tmp_path: Path) -> None:
    (tmp_path / "image_ids.txt").write_text("a\nb\nc\n")
    found = load_features(file, name="old")
    assert (found.name, found.image_ids.tolist(), found.values[2].tolist()) == ("old", ["a", "b", "c"], [4, 5])
    (tmp_path / "old.ids.txt").write_text("x\ny\nz\n")
    assert load_features(file, name="old").image_ids.tolist() == ["x", "y", "z"]
    assert repr(found) == "<Features of old: 3 images, 2 features>"


def test_features_without_ids_say_how_to_give_them(file: Path) -> None:
    with pytest.raises(FormatError, match=r"features need their image ids.*old.ids.txt.*`ids_a=…`"):
        load_features(file, name="old", option="ids_a")


def test_ids_that_do_not_fit_are_refused(file: Path, tmp_path: Path) -> None:
    ids = tmp_path / "ids.txt"
    ids.write_text("a\nb\n")
    with pytest.raises(FormatError, match=r"2 ids for the 3 rows of old\.npy"):
        load_features(file, name="old", ids=ids)
    ids.write_text("a\nb\na\n")
    with pytest.raises(FormatError, match="'a' occurs a second time"):
        load_features(file, name="old", ids=ids)


@pytest.mark.parametrize("array", [np.zeros(3), np.zeros((3, 2), np.int32), np.zeros((3, 2, 2))])
def test_what_is_no_table_of_real_numbers_is_refused(tmp_path: Path, array: NDArray[Any]) -> None:
    np.save(tmp_path / "f.npy", array)
    with pytest.raises(FormatError, match=r"float array \[images, features\]"):
        load_features(tmp_path / "f.npy", name="f")


def test_damaged_files_and_archives_are_refused(tmp_path: Path) -> None:
    (tmp_path / "bad.npy").write_bytes(b"\x93NUMPY\x01")
    with pytest.raises(FormatError, match="damaged or cut short"):
        load_features(tmp_path / "bad.npy", name="bad")
    np.savez(tmp_path / "z.npz", a=np.zeros(2))
    (tmp_path / "z.npz").rename(tmp_path / "z.npy")
    with pytest.raises(FormatError, match="this is an archive"):
        load_features(tmp_path / "z.npy", name="z")


def test_features_without_columns_are_refused() -> None:
    with pytest.raises(InputError, match=r"must have the shape \[2, features\]"):
        Features("f", np.array(["a", "b"]), np.zeros((2, 0)))
