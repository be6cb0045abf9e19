"""Columns as short texts that scripts unpack fast, and chunks as classic scripts, which a browser loads from any folder.

`unpack.js` reads what is written here.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regauge.records.site import Chunk, ChunkName

Packed = Mapping[str, Any]

_WHOLE: tuple[str, ...] = ("u1", "i1", "u2", "i2", "i4")
"""The types of whole numbers, the shortest first."""
MAX_SHARED = 255


def pack_column(values: ArrayLike) -> Packed:
    """A column of numbers, little-endian, in the shortest type that holds them all; truth values as bits.

    >>> pack_column([1, 2, 300])
    {'t': 'u2', 'd': 'AQACACwB'}
    """
    column = np.asarray(values).ravel()
    if column.dtype == np.bool_:
        return {"t": "bit", "n": column.size, "d": _encode(np.packbits(column, bitorder="little"))}
    kind = "f4" if column.dtype.kind == "f" else _find_whole(column)
    return {"t": kind, "d": _encode(column.astype(f"<{kind}"))}


def pack_ids(ids: Sequence[str]) -> Packed:
    """Texts of which neighbours begin alike: how many letters each shares with the one before, and the rest of it.

    >>> pack_ids(["val_1", "val_2"])["rest"]
    ['val_1', '2']
    """
    shared = np.zeros(len(ids), np.int64)
    rest: list[str] = []
    before = ""
    for place, one in enumerate(ids):
        n = _count_shared(before, one)
        shared[place] = n
        rest.append(one[n:])
        before = one
    return {"shared": pack_column(shared), "rest": rest}


def pack_words(texts: Sequence[str]) -> Packed:
    """Texts that come again and again: each of them once, and which one every row has.

    >>> pack_words(["b", "a", "b"])["words"]
    ['b', 'a']
    """
    places: dict[str, int] = {}
    codes = [places.setdefault(one, len(places)) for one in texts]
    return {"words": list(places), "codes": pack_column(np.array(codes, np.int64))}


def write_chunk(chunk: Chunk, *, state: str) -> bytes:
    """A chunk as a script that hands its data to the page.

    Args:
        chunk: the chunk.
        state: the state of the study that it is of; the page refuses chunks of another one.
    """
    # In ASCII alone, whatever a host says of its files, and with nothing that ends a script where it stands in a page.
    data = json.dumps(chunk.payload, ensure_ascii=True, separators=(",", ":"), allow_nan=False).replace("</", "<\\/")
    return f"regauge.take({json.dumps(chunk.name)},{json.dumps(state)},{data});\n".encode("ascii")


def name_chunk(*parts: str | int) -> ChunkName:
    """What a chunk is called.

    >>> name_chunk("s", 0, "-b", 12)
    's0-b12'
    """
    return ChunkName("".join(map(str, parts)))


def _find_whole(column: NDArray[Any]) -> str:
    low, high = (int(column.min()), int(column.max())) if column.size else (0, 0)
    return next(kind for kind in _WHOLE if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max)


def _encode(column: NDArray[Any]) -> str:
    return base64.b64encode(np.ascontiguousarray(column).tobytes()).decode("ascii")


def _count_shared(first: str, second: str) -> int:
    """How many letters two texts begin with alike, at most `MAX_SHARED`, never half a letter of JavaScript's two."""
    n = 0
    for one, other in zip(first[:MAX_SHARED], second[:MAX_SHARED], strict=False):
        # JavaScript counts letters beyond the first 65,536 as two; they are never shared, so both count alike.
        if one != other or ord(one) > 0xFFFF:
            break
        n += 1
    return n
