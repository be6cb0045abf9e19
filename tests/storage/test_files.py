"""Files and folders that are whole or not there at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from regauge.errors import InputError, StorageError
from regauge.storage.files import write_whole, write_whole_folder


def test_a_file_has_its_name_only_when_it_is_whole(tmp_path: Path) -> None:
    with write_whole(tmp_path / "a.txt") as partial:
        partial.write_text("whole")
        assert not (tmp_path / "a.txt").exists()
    assert (tmp_path / "a.txt").read_text() == "whole"
    assert len(list(tmp_path.iterdir())) == 1


def write_and_fail(path: Path) -> None:
    path.write_text("half")
    raise RuntimeError("half-way")


def test_what_raises_leaves_no_file_and_no_folder(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="half-way"), write_whole(tmp_path / "a.txt") as partial:
        write_and_fail(partial)
    with pytest.raises(RuntimeError, match="half-way"), write_whole_folder(tmp_path / "b") as partial:
        write_and_fail(partial / "a.txt")
    assert list(tmp_path.iterdir()) == []


def test_what_exists_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("precious")
    (tmp_path / "link").symlink_to("nowhere")
    for name in ("a.txt", "link"):
        with pytest.raises(InputError, match="exists; name a file that does not"), write_whole(tmp_path / name):
            pytest.fail("it exists")
    for folder in (tmp_path, tmp_path / "a.txt"):
        with pytest.raises(InputError, match="not an empty folder"), write_whole_folder(folder):
            pytest.fail("it exists")
    assert (tmp_path / "a.txt").read_text() == "precious"


def test_what_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("")
    with pytest.raises(StorageError, match=r"cannot be written: "), write_whole(tmp_path / "a.txt" / "b") as partial:
        partial.write_text("")
    with pytest.raises(StorageError, match=r"cannot be written: "), write_whole_folder(tmp_path / "a.txt" / "b"):
        pytest.fail("its parent is a file")


def test_a_folder_that_somebody_stands_in_stays_the_same_folder(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    before = (tmp_path / "b").stat().st_ino
    with write_whole_folder(tmp_path / "b") as partial:
        (partial / "deep").mkdir()
        (partial / "deep" / "a.txt").write_text("whole")
        assert list((tmp_path / "b").iterdir()) == []
    assert (tmp_path / "b").stat().st_ino == before
    assert (tmp_path / "b" / "deep" / "a.txt").read_text() == "whole"
    assert [path.name for path in tmp_path.iterdir()] == ["b"]
