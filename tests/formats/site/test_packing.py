"""Columns and chunks of a website: short, read back as they were, and inert whatever they hold."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regauge.errors import InputError
from regauge.formats.site.packing import pack_column, pack_ids, pack_words, write_chunk
from regauge.records.site import Chunk, ChunkName, check_chunk_name, read_size

TYPES = {"u1": "<u1", "i1": "<i1", "u2": "<u2", "i2": "<i2", "i4": "<i4", "f4": "<f4"}


def unpack(packed: Mapping[str, Any]) -> Any:
    raw = base64.b64decode(packed["d"])
    if packed["t"] == "bit":
        return np.unpackbits(np.frombuffer(raw, np.uint8), bitorder="little")[: packed["n"]].astype(bool)
    return np.frombuffer(raw, TYPES[packed["t"]])


@given(st.lists(st.integers(-(2**31), 2**31 - 1)))
def test_whole_numbers_come_back(numbers):
    assert unpack(pack_column(np.array(numbers, np.int64))).tolist() == numbers


@pytest.mark.parametrize(
    ("numbers", "kind"),
    [([0, 255], "u1"), ([-1, 127], "i1"), ([0, 65_535], "u2"), ([-1, 999], "i2"), ([-1, 70_000], "i4"), ([0.5], "f4")],
)
def test_a_column_takes_the_shortest_type_that_holds_it(numbers, kind):
    assert pack_column(numbers)["t"] == kind


@given(st.lists(st.booleans()))
def test_truth_values_take_a_bit_each(flags):
    packed = pack_column(np.array(flags, np.bool_))
    assert unpack(packed).tolist() == flags
    assert len(base64.b64decode(packed["d"])) == -(-len(flags) // 8)


@given(st.lists(st.text(max_size=12)))
def test_ids_come_back(ids):
    packed = pack_ids(ids)
    found, before = [], ""
    for n, rest in zip(unpack(packed["shared"]).tolist(), packed["rest"], strict=True):
        before = before[:n] + rest
        found.append(before)
    assert found == ids


def test_words_that_come_again_are_kept_once():
    packed = pack_words(["dog", "cat", "dog"])
    assert [packed["words"][code] for code in unpack(packed["codes"])] == ["dog", "cat", "dog"]
    assert packed["words"] == ["dog", "cat"]


def test_a_chunk_is_ascii_and_ends_no_script():
    hostile = "</script><script>alert(1)</script>\u2028é"
    text = write_chunk(Chunk(ChunkName("s0"), {"name": hostile}), state="abc").decode("ascii")
    assert "</" not in text
    assert "\u2028" not in text
    name, state, data = json.loads(f"[{text.removeprefix('regauge.take(').removesuffix(');' + chr(10))}]")
    assert (name, state, data) == ("s0", "abc", {"name": hostile})


@pytest.mark.parametrize("name", ["", "../index", "A", "a/b", "0a", "a" * 65])
def test_a_part_is_called_as_a_file_can_be(name):
    with pytest.raises(InputError, match="small letters"):
        check_chunk_name(name)


@pytest.mark.parametrize("text", ["", "much", "-5MB", "5TB", "0"])
def test_what_is_no_size_is_refused(text):
    with pytest.raises(InputError, match="such as 500MB"):
        read_size(text)
