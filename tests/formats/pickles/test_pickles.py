"""Pickles read without unpickling: real and pandas-made frames, arrays of objects, and pickles that want more than that."""

from __future__ import annotations

import os
import pickle
from collections import Counter, OrderedDict, defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regauge.errors import FormatError
from regauge.formats.pickles.constructors import Inert, RefusedPickleError
from regauge.formats.pickles.files import load_frame, load_object_array, load_pickle
from regauge.formats.pickles.frames import make_frame
from regauge.formats.pickles.machine import read_objects

PROTOCOLS = (2, 3, 4, 5)

PLAIN = {
    "numbers": [0, 1, 255, 256, 65_536, -1, 2**40, -(2**80), 0.5, float("inf"), True, False, None],
    "text": ["", "tench", "Grüße", "x" * 300],
    "bytes": [b"", b"abc", b"y" * 300],
    "tuples": [(), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4)],
    "sets": [{1, 2}, set()],
    "counter": Counter({3: 2, 5: 1}),
    "ordered": OrderedDict([("b", 1), ("a", 2)]),
    "slice": slice(0, 4, 2),
    7: {"nested": {"deeper": [1, [2, [3]]]}},
}

ARRAYS = [
    np.arange(6).reshape(2, 3),
    np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    np.array([1, 2], ">i2"),
    np.array(["a", "bcd"]),
    np.array([b"a", b"bcd"]),
    np.array([True, False]),
    np.zeros((0, 5), np.float32),
    np.array([], "<U0"),
    np.array([[1], [2, 3], "four", Counter("aab")], object),
    np.array({"a": 1}, object),
    np.asfortranarray(np.array([["a", "b"], [None, [1]]], object)),
]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_plain_containers_come_back_as_they_were(protocol: int) -> None:
    assert read_objects(pickle.dumps(PLAIN, protocol))[0] == PLAIN
    assert read_objects(pickle.dumps(defaultdict(list, {1: [2]}), protocol))[0] == {1: [2]}


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("array", ARRAYS, ids=lambda array: f"{array.dtype}{array.shape}")
def test_arrays_come_back_as_they_were(array: np.ndarray[Any, Any], protocol: int) -> None:
    found, again = read_objects(pickle.dumps([array, array], protocol))[0]
    np.testing.assert_array_equal(found, array)
    assert found.dtype == array.dtype
    # What occurs twice is pickled once and remembered.
    assert again is found
    scalar = read_objects(pickle.dumps(np.int16(-3), protocol))[0]
    assert (scalar, scalar.dtype) == (-3, np.dtype(np.int16))


def test_a_pickle_of_python_2_is_read_as_text_of_single_bytes() -> None:
    # {'labels': [3, 8], 'data': 'x\xff'}, as the Python version of CIFAR-10 is written.
    content = b"\x80\x02}q\x01(U\x06labelsq\x02]q\x03(K\x03K\x08eU\x04dataq\x04U\x02x\xffq\x05u."
    assert read_objects(content)[0] == {"labels": [3, 8], "data": "x\xff"}


def import_pandas() -> Any:
    return pytest.importorskip("pandas")


def make_pandas_frames() -> dict[str, Any]:
    pandas = import_pandas()
    columns = {
        "main": [[3, 4], [5], []],
        "num_workers": [9, 8, 9],
        "counter": [Counter({3: 2}), Counter(), Counter({1: 1})],
        "share": [0.5, 0.25, 1.0],
        "number": np.array([1, 2, 3], np.int64),
        "pred": [np.array([1, 2]), np.array([3]), np.array([4])],
        "is_right": [True, False, True],
        "nested": [{392: (0, 9)}, {}, {1: (2, 3)}],
    }
    names = np.array(["a.JPEG", "b.JPEG", "c.JPEG"], object)
    plain = pandas.DataFrame(columns, index=pandas.Index(names, dtype=object, name="image"))
    text = plain.copy()
    text["text"] = pandas.array(["x", None, "zä"], dtype="string[python]")
    modern = pandas.DataFrame({"text": ["x", None, "zä"], "n": [1, 2, 3]}, index=pandas.Index(names.tolist()))
    return {
        "plain": plain,
        "text": text,
        "modern": modern,
        "numbered": plain.reset_index(drop=True),
        "empty": plain[:0],
    }


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("name", ["plain", "text", "modern", "numbered", "empty"])
def test_frames_of_todays_pandas_are_read_column_by_column(name: str, protocol: int, tmp_path: Path) -> None:
    frame = make_pandas_frames()[name]
    path = tmp_path / "frame.pkl"
    path.write_bytes(pickle.dumps(frame, protocol))
    found = load_frame(path)
    assert found.index.tolist() == frame.index.tolist()
    assert list(found.columns) == list(frame.columns)
    for column, values in found.columns.items():
        for one, two in zip(values.tolist(), frame[column].tolist(), strict=True):
            assert np.array_equal(one, two) or (
                column == "text" and import_pandas().isna(one) and import_pandas().isna(two)
            )


def test_a_frame_of_the_older_layout_is_read(shared: Path) -> None:
    found = load_frame(shared / "clones" / "ImageNetMultiLabel" / "data" / "image_info.pkl")
    assert len(found) == 10_000
    assert found.index[0] == "ILSVRC2012_val_00047683.JPEG"
    assert Counter(found.columns["annotation"].tolist()) == {"easy": 2_923, "fu": 6_761, "amb": 166, "mis": 150}


def test_dictionaries_saved_as_arrays_are_read(shared: Path) -> None:
    folder = shared / "clones" / "ImageNetMultiLabel" / "data"
    superclasses = load_object_array(folder / "superclasses.npy")
    assert [len(classes) for classes in superclasses.values()] == [130, 88, 59, 60, 61, 63, 172, 90, 92, 117, 68]
    wnids = load_object_array(folder / "imagenet_label_to_wnid.npy")
    assert (len(wnids), wnids[0]) == (1_000, "n01440764")


def test_an_array_of_objects_is_read_with_its_shape(tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    np.save(path, np.array([[1], [2, 3]], object), allow_pickle=True)
    assert load_object_array(path).tolist() == [[1], [2, 3]]


class Calls:
    """Pickles as a call of something with arguments."""

    def __init__(self, callee: Any, *args: Any) -> None:
        self.call = callee, args

    def __reduce__(self) -> Any:
        return self.call


TYPE = b"cnumpy\ndtype\n(X\x02\x00\x00\x00i8I00\nI01\ntR(I3\nX\x01\x00\x00\x00<NNNI-1\nI-1\nI0\ntb"
OBJECTS = TYPE.replace(b"i8", b"O8")
ARRAY_OF = b"cnumpy.core.multiarray\n_reconstruct\n(tR(I1\n(I300000\nt"
HOSTILE = {
    "posix.system": (pickle.dumps(Calls(os.system, "exit 1")), "posix.system"),
    "eval": (pickle.dumps(Calls(eval, "1")), "builtins.eval"),
    "getattr": (pickle.dumps(Calls(getattr, 1, "real")), "builtins.getattr"),
    "open": (pickle.dumps(Calls(open, "x")), "open"),
    "partial": (b"cfunctools\npartial\n(tR.", "functools.partial"),
    "numpy.load": (b"cnumpy\nload\n(X\x01\x00\x00\x00xtR.", "numpy.load"),
    "numpy.core.x": (b"cnumpy.core.multiarray\nfromfile\n(X\x01\x00\x00\x00xtR.", "fromfile"),
    "pandas.read_pickle": (b"cpandas\nread_pickle\n(X\x01\x00\x00\x00xtR.", "pandas.read_pickle"),
    "a type as a function": (b"cbuiltins\nlist\n(X\x01\x00\x00\x00xtR.", "only read as a name"),
    "a call of a text": (b"X\x01\x00\x00\x00x(tR.", "not a name"),
    "an instance": (b"(S'x'\nios\nsystem\n.", "INST"),
    "a persistent id": (b"Pid\n.", "PERSID"),
    "an extension": (b"\x82\x01.", "EXT1"),
    "a buffer from elsewhere": (b"\x97.", "NEXT_BUFFER"),
    "a claimed shape": (
        b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(I0\ntX\x01\x00\x00\x00btR(I1\n(I1000000000000\nt"
        + TYPE
        + b"I00\nX\x00\x00\x00\x00tb.",
        "another number of bytes",
    ),
    "a structured type": (b"cnumpy\ndtype\n(X\x05\x00\x00\x00i4,i4I00\nI01\ntR.", "numbers, text and objects"),
    "many marks": (b"(" * 10_000 + b".", "nested more than 200 deep"),
    "a huge number": (b"\x8b\x00\x10\x00\x00" + b"\x7f" * 4_096 + b".", "whole number"),
    "a tuple in a tuple as a key": (b"}" + b")" + b"\x85" * 500_000 + b"Ns.", "neither text nor a number"),
    "an absent memo": (b"h\x07.", "damaged"),
    "below the mark": (b"I1\n(0.", "stack is empty"),
    "nothing": (b"", "damaged or cut short"),
    "no end": (b"]", "damaged or cut short"),
    "a state of a list": (b"]}b.", "sets the state of a list"),
    "an odd dictionary": (b"}(I1\nu.", "a key has no value"),
    "a name with half a character": (b"\x8c\x03\xed\xa0\x80\x8c\x01x\x93.", "it names ?.x"),
    "a name that fills the screen": (b"c" + b"x" * 100_000 + b"\ny\n.", "x, which is none of"),
    "the same text encoded again and again": (
        b"X\x40\x42\x0f\x00" + b"a" * 1_000_000 + b"q\x000(" + b"c_codecs\nencode\n(h\x00tR" * 50 + b"l.",
        "over and over",
    ),
    "the same list made an array again and again": (
        b"(" + b"N" * 300_000 + b"lq\x000(" + (ARRAY_OF + OBJECTS + b"I00\nh\x00tb") * 20 + b"l.",
        "over and over",
    ),
    "a key of many parts": (b"}(" + b"N" * 100 + b"tNs.", "neither text nor a number"),
    "a key of a long number": (b"}\x8a\x09" + b"\x01" * 9 + b"Ns.", "neither text nor a number"),
    "rows of nothing": (
        b"cnumpy.core.multiarray\n_reconstruct\n(tR(I1\n(I9000000\nI0\nt" + TYPE + b"I00\nC\x00tb.",
        "without content that claims to be large",
    ),
}


@pytest.mark.parametrize(("content", "problem"), HOSTILE.values(), ids=HOSTILE)
def test_a_pickle_that_wants_more_than_data_is_refused_by_name(content: bytes, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "hostile.pkl"
    path.write_bytes(content)
    with pytest.raises(FormatError) as caught:
        load_pickle(path)
    assert problem in caught.value.problem
    assert caught.value.problem.startswith("this pickle is not read: ")
    assert len(caught.value.problem) < 300
    caught.value.problem.encode("utf-8")


def make_inert_frame(columns: object, index: object, block: tuple[object, object]) -> Inert:
    axes = [Inert("_new_Index", (None, {"data": columns})), Inert("_new_Index", (None, index))]
    manager = Inert("BlockManager", ((Inert("new_block", (*block, 2)),), axes))
    return Inert("DataFrame", (), {"_mgr": manager})


def make_texts(ends: list[int], content: bytes) -> Inert:
    buffers = [None, Inert("py_buffer", (np.array(ends, "<i4").tobytes(),)), Inert("py_buffer", (content,))]
    parts = (Inert("type_for_alias", ("string",)), len(ends) - 1, 0, 0, buffers)
    return Inert("ArrowStringArray", (), {"_pa_array": Inert("_restore_array", (parts,))})


NAMES = np.array(["a"], object)


def test_texts_of_arrow_are_cut_one_after_the_other() -> None:
    values = np.zeros((1, 2))
    frame = make_frame(make_inert_frame(NAMES, {"data": make_texts([0, 3, 5], b"abcde")}, (values, slice(0, 1))))
    assert frame.index.tolist() == ["abc", "de"]
    # Cut over and over from the same bytes, a few numbers would make any amount of text.
    for ends in ([0, 3, 0], [0, 3, 9], [-1, 3, 5]):
        with pytest.raises(RefusedPickleError, match="texts overlap"):
            make_frame(make_inert_frame(NAMES, {"data": make_texts(ends, b"abcde")}, (values, slice(0, 1))))


def test_rows_and_columns_that_are_only_claimed_are_refused() -> None:
    rows = {"start": 0, "stop": 10**7, "step": 1}
    with pytest.raises(RefusedPickleError, match="too many rows"):
        make_frame(make_inert_frame(NAMES, rows, (np.zeros((1, 2)), slice(0, 1))))
    with pytest.raises(RefusedPickleError, match="another number of columns than places"):
        make_frame(make_inert_frame(NAMES, {"data": NAMES}, (np.zeros((1, 1)), slice(0, 10**15))))


def test_a_pickle_may_not_have_more_opcodes_than_a_frame_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("regauge.formats.pickles.machine.MAX_STEPS", 100)
    assert read_objects(b"]" + b"Na" * 49 + b".")[0] == [None] * 49
    with pytest.raises(RefusedPickleError, match="more than 100 opcodes"):
        read_objects(b"]" + b"Na" * 50 + b".")


def test_arrays_of_objects_are_not_nested() -> None:
    inner = np.empty(1, object)
    outer = np.empty(1, object)
    outer[0] = inner
    with pytest.raises(RefusedPickleError, match="in an array of objects"):
        read_objects(pickle.dumps(outer))


def test_nothing_of_a_pickle_runs(tmp_path: Path) -> None:
    path, witness = tmp_path / "hostile.pkl", tmp_path / "witness"
    path.write_bytes(pickle.dumps([1, Calls(os.mkdir, str(witness))]))
    with pytest.raises(FormatError):
        load_frame(path)
    assert not witness.exists()


def test_something_else_than_a_frame_is_said(tmp_path: Path) -> None:
    path = tmp_path / "list.pkl"
    path.write_bytes(pickle.dumps([1]))
    with pytest.raises(FormatError, match="it holds a list and no frame"):
        load_frame(path)
    with pytest.raises(FormatError, match="there is no such file"):
        load_frame(tmp_path / "absent.pkl")


WHOLE = pickle.dumps([PLAIN, ARRAYS], 4)


@given(place=st.integers(0, len(WHOLE) - 1), byte=st.integers(0, 255))
def test_a_damaged_pickle_gives_data_or_one_sentence(place: int, byte: int) -> None:
    content = bytearray(WHOLE)
    content[place] = byte
    for damaged in (bytes(content), WHOLE[:place]):
        try:
            read_objects(damaged)
        except RefusedPickleError as error:
            assert str(error)  # noqa: PT017 - either is right


@given(st.binary(max_size=200))
def test_any_bytes_give_data_or_one_sentence(content: bytes) -> None:
    try:
        read_objects(content)
    except RefusedPickleError as error:
        assert str(error)  # noqa: PT017 - either is right
