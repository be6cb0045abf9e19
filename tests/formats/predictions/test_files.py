"""Predictions in archives, files that are none, and round trips."""

from __future__ import annotations

import io
import pickle
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.formats.prediction_arrays import load, load_npz

from regauge.arrays import NO_CLASS
from regauge.errors import FormatError
from regauge.formats.exports.writers import write_predictions
from regauge.formats.predictions.arguments import PredictionFile
from regauge.formats.predictions.files import load_predictions
from regauge.formats.taxonomies import load_taxonomy
from regauge.records.predictions import Predictions

IDS = np.array(["a", "b", "c"])
CLASSES = np.array([[0, 1], [1, 2], [2, 0]])


def refuse(folder: Path, content: bytes, name: str) -> str:
    (folder / name).write_bytes(content)
    (folder / "image_ids.txt").write_text("a\nb\nc\n", encoding="utf-8")
    with pytest.raises(FormatError) as caught:
        load_predictions(PredictionFile("model", folder / name))
    assert caught.value.path == folder / name
    return caught.value.problem


# Archives


def test_an_archive_gives_ids_classes_and_scores(tmp_path: Path) -> None:
    scores = np.array([[0.9, 0.1], [0.8, 0.1], [0.7, 0.2]])
    predictions = load_npz(tmp_path, image_ids=IDS, classes=CLASSES, scores=scores)
    assert predictions.participant == "model"
    assert predictions.image_ids.tolist() == ["a", "b", "c"]
    assert predictions.classes.tolist() == CLASSES.tolist()
    assert predictions.scores is not None
    np.testing.assert_array_equal(predictions.scores, scores.astype(np.float32))


def test_an_archive_needs_no_scores_and_may_hold_one_answer_per_image(tmp_path: Path) -> None:
    predictions = load_npz(tmp_path, image_ids=IDS, classes=np.array([2, 1, 0], ">u2"), extra=np.zeros(7))
    assert (predictions.classes.tolist(), predictions.scores) == ([[2], [1], [0]], None)


def test_ids_may_be_bytes_or_numbers(tmp_path: Path) -> None:
    encoded = np.array(["ä".encode(), b"b", b"c"])
    assert load_npz(tmp_path, image_ids=encoded, classes=CLASSES).image_ids.tolist() == ["ä", "b", "c"]
    assert load_npz(tmp_path, image_ids=np.arange(3), classes=CLASSES).image_ids.tolist() == ["0", "1", "2"]


@pytest.mark.parametrize("kind", [np.str_, np.bytes_])
def test_classes_of_an_archive_may_be_ids_and_names(tmp_path: Path, kind: type) -> None:
    words: NDArray[Any] = np.array([["tench", "n01443537"], ["2", "tench"], ["goldfish", "3"]]).astype(kind)
    predictions = load_npz(tmp_path, load_taxonomy("imagenet-1k"), image_ids=IDS, classes=words)
    assert predictions.classes.tolist() == [[0, 1], [2, 0], [1, 3]]


def test_no_class_fills_the_end_of_a_row(tmp_path: Path) -> None:
    predictions = load_npz(tmp_path, image_ids=IDS, classes=np.array([[0, 1], [1, -1], [2, 0]]))
    assert predictions.classes.tolist() == [[0, 1], [1, NO_CLASS], [2, 0]]


def test_scores_too_large_for_single_precision_become_infinite_without_a_warning(tmp_path: Path) -> None:
    predictions = load_npz(tmp_path, image_ids=IDS, classes=np.arange(3), scores=np.array([1e300, -1e300, 1]))
    assert predictions.scores is not None
    assert predictions.scores.ravel().tolist() == [np.inf, -np.inf, 1]


@pytest.mark.parametrize(
    ("arrays", "problem"),
    [
        (
            {"classes": CLASSES},
            "the rows of an NPZ without image_ids need their image ids, one per line in row order",
        ),
        (
            {"predictions": CLASSES},
            "needs the arrays image_ids and classes or logits; this one has: predictions [3, 2].",
        ),
        (
            {"image_ids": IDS, "classes": CLASSES.astype(float)},
            "classes must be class indices (integers) or ids (text)",
        ),
        (
            {"image_ids": IDS, "classes": CLASSES > 0},
            "classes must be class indices (integers) or ids (text), not bool",
        ),
        (
            {"image_ids": IDS, "classes": CLASSES[:2]},
            "there are 3 image ids, so classes must have the shape [3, k]",
        ),
        ({"image_ids": IDS, "classes": np.zeros((3, 0), int)}, "with k at least 1, not [3, 0]"),
        ({"image_ids": IDS, "classes": np.zeros((3, 2, 1), int)}, "not [3, 2, 1]"),
        ({"image_ids": IDS, "classes": np.array(1)}, "must have the shape [3, k]"),
        ({"image_ids": np.array("a"), "classes": CLASSES}, "must be one column"),
        ({"image_ids": np.zeros(3), "classes": CLASSES}, "must be text"),
        ({"image_ids": np.array(["a", "b", "a"]), "classes": CLASSES}, "lists image 'a' more than once"),
        ({"image_ids": np.array(["a", "", "c"]), "classes": CLASSES}, "has an empty image id at position 1"),
        ({"image_ids": IDS, "classes": np.array([0, -1, 0])}, "gives image 'b' a class below 0"),
        ({"image_ids": IDS, "classes": np.array([[0, 1], [1, -2], [0, 1]])}, "gives image 'b' a class below 0"),
        ({"image_ids": IDS, "classes": np.array([0, 1 - 2**32, 0])}, "gives image 'b' a class below 0"),
        (
            {"image_ids": IDS, "classes": np.array([0, 10, 0])},
            "'10' is not a class of cifar-10; indices run from 0 to 9",
        ),
        ({"image_ids": IDS, "classes": np.array([0, 2**32 + 1, 0])}, "'4294967297' is not a class of cifar-10"),
        ({"image_ids": IDS, "classes": np.array(["cat", "0", "unicorn"])}, "'unicorn' is not a class of cifar-10"),
        ({"image_ids": IDS, "classes": np.array([b"cat", b"\xff", b"0"])}, "classes holds bytes that are not UTF-8"),
        (
            {"image_ids": np.array([b"a", b"\xff", b"c"]), "classes": CLASSES},
            "image_ids holds bytes that are not UTF-8",
        ),
        ({"image_ids": IDS, "classes": CLASSES, "scores": np.zeros((3, 1))}, "they must be the same"),
        ({"image_ids": IDS, "classes": CLASSES, "scores": CLASSES * np.nan}, "not a number (NaN) for image 'a'"),
        ({"image_ids": IDS, "classes": CLASSES, "scores": CLASSES.astype(str)}, "scores must be numbers, not"),
        ({"image_ids": IDS, "classes": CLASSES.astype(object)}, "pickled Python objects are never loaded"),
        ({"image_ids": IDS.astype(object), "classes": CLASSES}, "pickled Python objects are never loaded"),
    ],
)
def test_an_archive_with_wrong_arrays_is_refused(tmp_path: Path, arrays: dict[str, NDArray[Any]], problem: str) -> None:
    with pytest.raises(FormatError) as caught:
        load_npz(tmp_path, load_taxonomy("cifar-10"), **arrays)
    assert problem in caught.value.problem
    assert caught.value.path.name == "m.npz"


def test_a_huge_index_is_refused_without_a_taxonomy_too(tmp_path: Path) -> None:
    for classes in (np.array([0, 2**40, 0]), np.array([0, 2**63, 0], np.uint64)):
        with pytest.raises(FormatError, match="is too large for a class index"):
            load_npz(tmp_path, image_ids=IDS, classes=classes)


class Trap:
    """Writes a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.path,)


@pytest.mark.parametrize("name", ["m.npz", "m.npy"])
def test_a_pickle_is_never_loaded_whatever_it_is_called(tmp_path: Path, name: str) -> None:
    trap = pickle.dumps(Trap(tmp_path / "sprung"))
    assert "pickled Python objects are never loaded" in refuse(tmp_path, trap, name)
    assert not (tmp_path / "sprung").exists()


def test_a_pickle_inside_an_archive_or_array_is_never_loaded(tmp_path: Path) -> None:
    trapped = np.array([Trap(tmp_path / "sprung")], dtype=object)
    inside = zip_members({"image_ids.npy": pickle.dumps(Trap(tmp_path / "sprung")), "classes.npy": to_npy(CLASSES)})
    assert "pickled Python objects are never loaded" in refuse(tmp_path, inside, "m.npz")
    assert "pickled Python objects are never loaded" in refuse(tmp_path, to_npy(trapped), "m.npy")
    members = zip_members({"image_ids.npy": to_npy(trapped), "classes.npy": to_npy(CLASSES)})
    assert "pickled Python objects are never loaded" in refuse(tmp_path, members, "m.npz")
    assert not (tmp_path / "sprung").exists()


def to_npy(array: NDArray[Any]) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=True)
    return stream.getvalue()


def make_header(shape: tuple[int, ...], kind: str = "<i4") -> bytes:
    """An array file that claims a shape and holds no data."""
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"descr": kind, "fortran_order": False, "shape": shape})
    return stream.getvalue()


def zip_members(members: Mapping[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return stream.getvalue()


def test_text_under_the_name_of_an_archive_is_refused(tmp_path: Path) -> None:
    assert "this is not a file of NumPy, whatever it is called" in refuse(tmp_path, b"image_id,class\na,0\n", "m.npz")
    assert "this is not a file of NumPy, whatever it is called" in refuse(tmp_path, b"image_id,class\na,0\n", "m.npy")
    assert refuse(tmp_path, b"", "m.npy") == refuse(tmp_path, b"", "m.npz") == "the file is empty."


def test_an_array_and_an_archive_are_told_apart_by_content(tmp_path: Path) -> None:
    assert (
        refuse(tmp_path, to_npy(CLASSES), "m.npz") == "this is one array, not an archive; give it the extension .npy."
    )
    archive = zip_members({"image_ids.npy": to_npy(IDS)})
    assert refuse(tmp_path, archive, "m.npy") == "this is an archive, not one array; give it the extension .npz."


@pytest.mark.parametrize("name", ["m.npz", "m.npy"])
def test_a_file_cut_short_anywhere_is_refused(tmp_path: Path, name: str) -> None:
    whole = {
        "m.npz": zip_members({"image_ids.npy": to_npy(IDS), "classes.npy": to_npy(CLASSES)}),
        "m.npy": to_npy(np.ones((3, 7), np.float32)),
    }[name]
    for length in [0, 1, *range(4, len(whole), 9), len(whole) - 1]:
        problem = refuse(tmp_path, whole[:length], name)
        assert (
            "damaged or cut short" in problem
            or ("the file is empty" if length == 0 else "not a file of NumPy") in problem
        )


@given(place=st.integers(min_value=0, max_value=600), value=st.integers(min_value=0, max_value=255))
def test_an_archive_with_one_byte_changed_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, place: int, value: int
) -> None:
    content = bytearray(zip_members({"image_ids.npy": to_npy(IDS), "classes.npy": to_npy(CLASSES)}))
    content[place % len(content)] = value
    path = tmp_path_factory.mktemp("changed") / "m.npz"
    path.write_bytes(content)
    try:
        predictions = load(path)
    except FormatError:
        return
    assert len(predictions) == 3


@pytest.mark.parametrize("shape", [(10**15,), (10**19,), (10**30, 10**30), (-1,), (1 << 62, 1 << 62)])
def test_an_enormous_shape_in_a_tiny_file_is_refused_without_the_memory(tmp_path: Path, shape: tuple[int, ...]) -> None:
    archive = zip_members({"image_ids.npy": to_npy(IDS), "classes.npy": make_header(shape)})
    assert "damaged or cut short" in refuse(tmp_path, archive, "m.npz")
    assert "damaged or cut short" in refuse(tmp_path, make_header(shape, "<f4"), "m.npy")


def test_a_header_that_is_no_header_is_refused(tmp_path: Path) -> None:
    for header in (b"{" * 16, b"__import__('os')", b"(" * 16, b"\xff" * 16):
        refuse(tmp_path, b"\x93NUMPY\x01\x00\x10\x00" + header, "m.npy")
        member = b"\x93NUMPY\x01\x00\x10\x00" + header
        refuse(tmp_path, zip_members({"image_ids.npy": member, "classes.npy": member}), "m.npz")


def test_members_named_like_paths_are_neither_read_nor_written(tmp_path: Path) -> None:
    arrays = {"image_ids.npy": to_npy(IDS), "classes.npy": to_npy(CLASSES)}
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "m.npz").write_bytes(zip_members({**arrays, "../evil.npy": to_npy(IDS), "/tmp/evil.npy": b""}))  # noqa: S108
    assert len(load(inside / "m.npz")) == 3
    assert [path.name for path in tmp_path.rglob("*")] == ["inside", "m.npz"]
    moved = zip_members({f"../{name}": content for name, content in arrays.items()})
    assert "this one has: ../image_ids [3], ../classes [3, 2]" in refuse(tmp_path, moved, "m.npz")


def test_a_member_that_is_no_array_is_refused(tmp_path: Path) -> None:
    archive = zip_members({"image_ids": b"a b c", "classes.npy": to_npy(CLASSES)})
    assert refuse(tmp_path, archive, "m.npz").startswith("image_ids is not an array of numbers or text")


def test_an_encrypted_archive_is_refused(tmp_path: Path) -> None:
    content = bytearray(zip_members({"image_ids.npy": to_npy(IDS), "classes.npy": to_npy(CLASSES)}))
    # Bit 0 of the flags, in the entry (at 6) and in the directory (at 8), says that the member is encrypted.
    for signature, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        start = 0
        while (start := content.find(signature, start)) >= 0:
            content[start + place] |= 1
            start += 4
    assert "(RuntimeError)" in refuse(tmp_path, bytes(content), "m.npz")


@pytest.mark.parametrize("name", ["nope.npz", "nope.csv", "nope.npy"])
def test_a_file_that_does_not_exist_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(FormatError, match=rf"{name}: there is no such file\.$"):
        load_predictions(PredictionFile("model", tmp_path / name))


def test_a_file_that_the_system_refuses_says_why(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for name in ("m.npz", "m.npy", "m.csv"):
        with pytest.raises(FormatError, match="the file cannot be read: Not a directory"):
            load_predictions(PredictionFile("model", tmp_path / "file" / name))


# Round trips

NAMES = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=8)


@st.composite
def make_predictions(draw: st.DrawFn) -> Predictions:
    ids = draw(st.lists(NAMES, min_size=1, max_size=5, unique=True))
    k = draw(st.integers(min_value=1, max_value=6))
    shape = (len(ids), k)
    answers = st.lists(st.integers(0, 999_999), min_size=k, max_size=k, unique=True)
    classes = draw(st.lists(answers, min_size=len(ids), max_size=len(ids)))
    scores = draw(
        st.none() | st.lists(st.floats(width=32, allow_nan=False), min_size=len(ids) * k, max_size=len(ids) * k)
    )
    return Predictions(
        "model",
        np.array(ids),
        np.array(classes, np.int32),
        None if scores is None else np.array(scores, np.float32).reshape(shape),
    )


@given(predictions=make_predictions())
def test_written_predictions_are_read_back(tmp_path_factory: pytest.TempPathFactory, predictions: Predictions) -> None:
    path = tmp_path_factory.mktemp("trip") / "model.npz"
    write_predictions(predictions, path)
    back = load(path)
    assert back.image_ids.tolist() == predictions.image_ids.tolist()
    np.testing.assert_array_equal(back.classes, predictions.classes)
    assert (back.scores is None) == (predictions.scores is None)
    if back.scores is not None and predictions.scores is not None:
        np.testing.assert_array_equal(back.scores, predictions.scores)
