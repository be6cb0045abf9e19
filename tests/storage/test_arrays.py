"""Prediction arrays: named by content, whole or absent."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest

from regauge.errors import StorageError
from regauge.storage.arrays import find_orphans, open_array, store_array

ARRAY = np.arange(6, dtype=np.int32).reshape(3, 2)


def test_the_name_of_a_file_is_its_checksum(tmp_path: Path) -> None:
    sha256 = store_array(ARRAY, tmp_path)
    content = (tmp_path / f"{sha256}.npy").read_bytes()
    assert hashlib.sha256(content).hexdigest() == sha256
    assert [path.name for path in tmp_path.iterdir()] == [f"{sha256}.npy"]


def test_an_array_comes_back_read_only(tmp_path: Path) -> None:
    array = open_array(store_array(ARRAY, tmp_path), tmp_path, shape=(3, 2), dtype=np.int32)
    assert array.tolist() == ARRAY.tolist()
    with pytest.raises(ValueError, match="read-only"):
        array[0, 0] = 9


def test_the_same_array_is_stored_once(tmp_path: Path) -> None:
    first = store_array(ARRAY, tmp_path)
    changed_at = (tmp_path / f"{first}.npy").stat().st_mtime_ns
    # An array in another memory order has the same values, and so the same name.
    assert store_array(np.asfortranarray(ARRAY), tmp_path) == first
    assert (tmp_path / f"{first}.npy").stat().st_mtime_ns == changed_at


def test_a_folder_that_is_gone_is_said_and_nothing_is_left(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"cannot be written: No such file or directory\. Nothing was changed"):
        store_array(ARRAY, tmp_path / "gone")


def test_a_file_that_holds_objects_is_never_unpickled(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(StorageError, match="missing or damaged"):
        open_array("x", tmp_path, shape=(1, 1), dtype=np.int32)


def test_orphans_are_arrays_and_halves_that_nobody_refers_to(tmp_path: Path) -> None:
    kept = store_array(ARRAY, tmp_path)
    for name in ("left.npy", "half.1.partial", "notes.txt"):
        (tmp_path / name).write_bytes(b"")
    assert sorted(path.name for path in find_orphans(tmp_path, {kept})) == ["half.1.partial", "left.npy"]
