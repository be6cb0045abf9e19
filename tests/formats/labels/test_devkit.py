"""The order in which the ILSVRC devkit numbers classes, from a `meta.mat` laid out as the devkit's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.io import savemat

from regauge import load_taxonomy, load_truth
from regauge.errors import FormatError
from regauge.formats.labels.devkit import load_class_order

# Kit fox, English setter and Siberian husky, and a synset above them, which has children.
ROWS = [(1, "n02119789", 0), (2, "n02100735", 0), (3, "n02110185", 0), (1001, "n02083346", 3)]


def write_meta(path: Path, rows: Any = ROWS, *, name: str = "synsets", compress: bool = True) -> Path:
    """The fields of the devkit's struct array, one column of structs, numbers as MATLAB has them."""
    kinds = [(field, object) for field in ("ILSVRC2012_ID", "WNID", "words", "gloss", "num_children", "children")]
    synsets = np.empty((len(rows), 1), kinds)
    for place, (number, wnid, n_children) in enumerate(rows):
        children = np.arange(n_children, dtype=float)
        synsets[place, 0] = (float(number), wnid, "a name, another", "what it means", float(n_children), children)
    savemat(path, {name: synsets}, do_compression=compress)
    return path


def refuse(path: Path) -> str:
    with pytest.raises(FormatError) as caught:
        load_class_order(path)
    return str(caught.value)


@pytest.mark.parametrize("compress", [True, False])
def test_classes_have_the_numbers_of_the_devkit_and_synsets_above_them_none(tmp_path: Path, compress: bool) -> None:
    meta = write_meta(tmp_path / "meta.mat", compress=compress)
    assert load_class_order(meta) == ["n02119789", "n02100735", "n02110185"]
    shuffled = write_meta(tmp_path / "shuffled.mat", ROWS[::-1], compress=compress)
    assert load_class_order(shuffled) == load_class_order(meta)


def test_a_ground_truth_finds_the_file_beside_it_or_is_told_which(tmp_path: Path) -> None:
    imagenet = load_taxonomy("imagenet-1k")
    truth_file = tmp_path / "ILSVRC2012_validation_ground_truth.txt"
    truth_file.write_text("3\n1\n")
    labels = [imagenet.get_index(wnid) for wnid in ("n02110185", "n02119789")]
    other = write_meta(tmp_path / "elsewhere.mat")
    named = load_truth(truth_file, taxonomy=imagenet, synsets=other).test_set
    write_meta(tmp_path / "meta.mat")
    beside = load_truth(truth_file, taxonomy=imagenet).test_set
    for found in (named, beside):
        assert found is not None
        assert found.labels.tolist() == labels


def test_what_is_no_meta_file_is_refused_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "text.mat").write_text("n02119789\n" * 40)
    (tmp_path / "short.mat").write_bytes(write_meta(tmp_path / "whole.mat").read_bytes()[:300])
    (tmp_path / "empty.mat").write_bytes(b"")
    for name in ("text", "short", "empty"):
        assert "it cannot be read as a MATLAB 5 file" in refuse(tmp_path / f"{name}.mat")
    assert "there is no such file" in refuse(tmp_path / "absent.mat")
    assert "it has no variable synsets" in refuse(write_meta(tmp_path / "m.mat", name="others"))
    savemat(tmp_path / "plain.mat", {"synsets": np.arange(3)})
    assert "its synsets have no ILSVRC2012_ID" in refuse(tmp_path / "plain.mat")


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ([(1, "n02119789", 0), (1, "n02100735", 0)], "number 1 stands for n02119789 and for n02100735"),
        ([(1, "n02119789", 0), (3, "n02100735", 0)], "every number from 1 stands for one class id"),
        ([(1, "n02100735", 0), (2, "n02119789", 0)], "these class ids are in alphabetical order"),
        ([(1.5, "n02119789", 0), (2, "n02100735", 0)], "a synset has a number and a class id, not 1.5"),
        ([(1, "kit fox", 0), (2, "n02100735", 0)], "a synset has a number and a class id, not 1.0 and 'kit fox'"),
    ],
)
def test_numbers_and_class_ids_belong_together_one_to_one(tmp_path: Path, rows: Any, problem: str) -> None:
    assert problem in refuse(write_meta(tmp_path / "meta.mat", rows))


def test_a_small_file_that_would_fill_the_memory_is_refused(tmp_path: Path) -> None:
    savemat(tmp_path / "bomb.mat", {"synsets": np.zeros(4 << 20)}, do_compression=True)
    assert (tmp_path / "bomb.mat").stat().st_size < 100_000
    assert "it holds more than 16.0 MiB when unpacked" in refuse(tmp_path / "bomb.mat")
