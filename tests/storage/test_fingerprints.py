"""Checksums that were read before hold until a file is written again."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.storage.small_studies import make_study

from regauge.records.studies import ImagePlace
from regauge.storage.fingerprints import add_checksums, load_checksums, make_keys

PLACES = (ImagePlace("a"), ImagePlace("b", 3, 4))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "images"
    folder.mkdir()
    (folder / "a").write_bytes(b"one")
    (folder / "b").write_bytes(b"a shard")
    return folder


def test_what_is_kept_comes_back(tmp_path: Path, root: Path) -> None:
    with make_study(tmp_path) as study:
        keys = make_keys(root, PLACES)
        add_checksums(study, root, keys=keys, checksums=[("1", "2", ""), ("3", "", "é\nbroken")])
        assert load_checksums(study, root) == {keys[0]: ("1", "2", ""), keys[1]: ("3", "", "é\nbroken")}
        assert load_checksums(study, tmp_path) == {}


def test_a_file_that_was_written_again_is_another(root: Path) -> None:
    before = make_keys(root, PLACES)
    os.utime(root / "a", ns=(1, 1))
    assert make_keys(root, PLACES)[0] != before[0]
    assert make_keys(root, PLACES)[1] == before[1]
    (root / "b").unlink()
    assert make_keys(root, PLACES)[1] != before[1]


def test_a_line_that_was_cut_costs_nothing_else(tmp_path: Path, root: Path) -> None:
    with make_study(tmp_path) as study:
        first, second = make_keys(root, PLACES)
        add_checksums(study, root, keys=[first], checksums=[("1", "2", "")])
        (file,) = (study.paths.cache / "checksums").iterdir()
        with file.open("a", encoding="utf-8") as stream:
            stream.write('["b", 3, 4, 7')
        add_checksums(study, root, keys=[second], checksums=[("3", "4", "")])
        assert load_checksums(study, root) == {first: ("1", "2", ""), second: ("3", "4", "")}
