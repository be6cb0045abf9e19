"""Pickled pandas frames → columns.

pandas keeps columns of one type together in blocks. Releases differ in how they write them down: before 1.3 a dictionary of
axes and blocks in the state of the manager, since then blocks of their own; both are read. Text is an array of objects, or from
pandas 3 an array of its own kind, whose content may be Arrow's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regauge.formats.pickles.constructors import Inert, RefusedPickleError, make_array

_OLD_LAYOUT = "0.14.1"
"""The key under which pandas before 1.3 keeps axes and blocks; it is the version that began to."""

_MANAGER_KEYS = ("_mgr", "_data")
_OFFSETS: dict[object, np.dtype[Any]] = {
    "string": np.dtype("<i4"),
    "utf8": np.dtype("<i4"),
    "large_string": np.dtype("<i8"),
    "large_utf8": np.dtype("<i8"),
}
_HOLDERS = frozenset({"StringArray", "NumpyExtensionArray", "__pyx_unpickle_NDArrayBacked"})
"""Arrays of pandas' own that hold one of NumPy's."""

MAX_ROWS = 1_000_000
"""Rows that are numbered and not listed in the file."""

MAX_TEXT = 1 << 28
"""Bytes of the texts of one column: several may be cut from the same ones."""


@dataclass(frozen=True, slots=True, eq=False)
class PickledFrame:
    """The columns of a frame, each an array as long as the index."""

    index: NDArray[Any]
    columns: dict[str, NDArray[Any]]

    def __len__(self) -> int:
        return len(self.index)


def make_frame(found: object) -> PickledFrame:
    """The columns of what a pickled frame was read as.

    Raises:
        RefusedPickleError: what was read is not a frame, or is put together in an unknown way.
    """
    if not isinstance(found, Inert) or found.name != "DataFrame":
        raise RefusedPickleError(f"it holds a {_describe(found)} and no frame")
    if not isinstance(found.state, dict):
        raise RefusedPickleError("it holds a frame without content")
    manager = next((found.state[key] for key in _MANAGER_KEYS if key in found.state), None)
    axes, blocks = _read_manager(manager)
    names, index = (_read_index(axis) for axis in axes)
    columns: dict[int, NDArray[Any]] = {}
    for places, values in blocks:
        for place, row in zip(places, values, strict=True):
            columns[int(place)] = row
    if set(columns) != set(range(len(names))) or any(len(column) != len(index) for column in columns.values()):
        raise RefusedPickleError("it holds a frame whose columns do not fill it")
    if not all(isinstance(name, str | int) for name in names.tolist()):
        raise RefusedPickleError("it holds a frame with a column that is not named by text or a number")
    return PickledFrame(index, {str(name): columns[place] for place, name in enumerate(names.tolist())})


def _describe(found: object) -> str:
    return found.name if isinstance(found, Inert) else type(found).__name__


def _read_manager(manager: object) -> tuple[list[Any], list[tuple[Sequence[int], list[NDArray[Any]]]]]:
    if not isinstance(manager, Inert) or manager.name != "BlockManager":
        raise RefusedPickleError("it holds a frame that is not kept in blocks")
    if len(manager.args) >= 2:
        axes, blocks = list(manager.args[1]), [_read_block(block) for block in manager.args[0]]
    else:
        layout = _find_layout(manager.state)
        axes = list(layout["axes"])
        blocks = [_cut(block["values"], block["mgr_locs"]) for block in layout["blocks"]]
    if len(axes) != 2:
        raise RefusedPickleError("it holds a frame without rows and columns")
    return axes, blocks


def _find_layout(state: object) -> dict[str, Any]:
    if isinstance(state, tuple) and len(state) >= 4 and isinstance(state[3], dict) and _OLD_LAYOUT in state[3]:
        layout = state[3][_OLD_LAYOUT]
        if isinstance(layout, dict) and isinstance(layout.get("axes"), list) and isinstance(layout.get("blocks"), list):
            return layout
    raise RefusedPickleError("it holds a frame in a layout older than pandas 0.14")


def _read_block(block: object) -> tuple[Sequence[int], list[NDArray[Any]]]:
    if not isinstance(block, Inert) or block.name not in {"_unpickle_block", "new_block"} or len(block.args) < 2:
        raise RefusedPickleError("it holds a frame with a block of an unknown kind")
    return _cut(block.args[0], block.args[1])


def _cut(values: object, places: object) -> tuple[Sequence[int], list[NDArray[Any]]]:
    """The places of a block's columns, and the columns."""
    array = _read_values(values)
    rows = list(array) if array.ndim == 2 else [array]
    listed: Sequence[int]
    if isinstance(places, slice):
        listed = range(*places.indices(max(places.start or 0, places.stop or 0)))
    elif isinstance(places, np.ndarray) and places.dtype.kind in "iu":
        listed = [int(place) for place in places.ravel()]
    else:
        raise RefusedPickleError("it holds a frame whose blocks have no places")
    if len(listed) != len(rows):
        raise RefusedPickleError("it holds a block that has another number of columns than places")
    return listed, rows


def _read_index(index: object) -> NDArray[Any]:
    if not isinstance(index, Inert) or index.name != "_new_Index" or len(index.args) < 2:
        raise RefusedPickleError("it holds a frame with an index of an unknown kind")
    content = index.args[1]
    if isinstance(content, dict) and "data" in content:
        return _read_values(content["data"])
    if isinstance(content, dict) and isinstance(content.get("stop"), int):
        places = range(content.get("start") or 0, content["stop"], content.get("step") or 1)
        if len(places) > MAX_ROWS:
            raise RefusedPickleError("it holds a frame with too many rows")
        return np.arange(places.start, places.stop, places.step)
    raise RefusedPickleError("it holds a frame with an index of an unknown kind")


def _read_values(values: object) -> NDArray[Any]:
    if isinstance(values, np.ndarray):
        return values
    if isinstance(values, Inert) and values.name.startswith("Arrow") and isinstance(values.state, dict):
        return _read_arrow(values.state.get("_pa_array"))
    if isinstance(values, Inert) and values.name in _HOLDERS:
        held = [one for one in _list_parts(values.state) if isinstance(one, np.ndarray)]
        if len(held) == 1:
            return held[0]
    raise RefusedPickleError(f"it holds a frame with a column kept as {_describe(values)}")


def _list_parts(state: object) -> list[Any]:
    """What a state holds, whether it is a dictionary or, as compiled classes write it, a tuple with one inside."""
    if isinstance(state, dict):
        return list(state.values())
    if isinstance(state, tuple):
        return [part for one in state for part in (one.values() if isinstance(one, dict) else [one])]
    return []


def _read_arrow(found: object) -> NDArray[Any]:
    texts: list[str | None] = []
    n_bytes = 0
    for chunk in _list_chunks(found):
        read, size = _read_texts(chunk)
        n_bytes += size + len(read)
        if n_bytes > MAX_TEXT:
            raise RefusedPickleError(f"it holds a column with more than {MAX_TEXT:,} bytes of text")
        texts.extend(read)
    return make_array(texts, np.dtype("O"), shape=(len(texts),))


def _list_chunks(found: object) -> Iterator[Any]:
    if isinstance(found, Inert) and found.name == "chunked_array" and found.args and isinstance(found.args[0], list):
        yield from found.args[0]
    else:
        yield found


def _read_texts(chunk: object) -> tuple[list[str | None], int]:
    """The texts of one array, (type, length, nulls, offset, [validity, offsets, bytes], …), and the bytes they are cut from."""
    parts = chunk.args[0] if isinstance(chunk, Inert) and chunk.name == "_restore_array" and chunk.args else None
    if not isinstance(parts, tuple) or len(parts) < 5 or not isinstance(parts[4], list) or len(parts[4]) != 3:
        raise RefusedPickleError("it holds an Arrow array of an unknown kind")
    kind, length, _, offset = parts[:4]
    width = _OFFSETS.get(kind.args[0]) if isinstance(kind, Inert) and kind.args else None
    validity, limits, raw = (_read_buffer(buffer) for buffer in parts[4])
    if width is None or not isinstance(length, int) or not isinstance(offset, int) or limits is None:
        raise RefusedPickleError("it holds an Arrow array that is not text")
    if min(length, offset) < 0 or len(limits) < (offset + length + 1) * width.itemsize:
        raise RefusedPickleError("it holds an Arrow array that is cut short")
    ends = np.frombuffer(limits, width, count=offset + length + 1)[offset:].tolist()
    if ends != sorted(ends) or ends[0] < 0 or ends[-1] > len(raw or b""):
        raise RefusedPickleError("it holds an Arrow array whose texts overlap")
    bits = np.unpackbits(np.frombuffer(validity, np.uint8), bitorder="little") if validity else None
    if bits is not None and len(bits) < offset + length:
        raise RefusedPickleError("it holds an Arrow array that is cut short")
    texts = [(raw or b"")[start:end].decode("utf-8", "replace") for start, end in pairwise(ends)]
    kept = [text if bits is None or bits[offset + place] else None for place, text in enumerate(texts)]
    return kept, ends[-1] - ends[0]


def _read_buffer(buffer: object) -> bytes | None:
    if buffer is None:
        return None
    if isinstance(buffer, Inert) and buffer.name == "py_buffer" and len(buffer.args) == 1:
        content = buffer.args[0]
        if isinstance(content, bytes | bytearray):
            return bytes(content)
    raise RefusedPickleError("it holds an Arrow array without content")
