"""The names that a pickle may call, and what stands for their results.

A name is admitted with all its spellings (`numpy.core` became `numpy._core`, `__builtin__` became `builtins`) or refused. What
NumPy's names stand for is made here from checked bytes. Names of pandas and Arrow give records that hold their arguments.
"""

from __future__ import annotations

import math
import re
from collections import Counter, OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from types import UnionType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regauge.errors import InputError


class RefusedPickleError(InputError):
    """A pickle asks for something that is not data, or is damaged."""


@dataclass(frozen=True, slots=True)
class Name:
    """A class or function that a pickle names; nothing is imported."""

    module: str
    name: str

    def __str__(self) -> str:
        return f"{self.module}.{self.name}"


@dataclass(slots=True, eq=False)
class Inert:
    """What a constructor of pandas or Arrow would have made: its name, its arguments and its state, and no behaviour."""

    name: str
    args: tuple[Any, ...]
    state: Any = None


@dataclass(slots=True, eq=False)
class NumberType:
    """A NumPy type; its byte order comes after it, as a state."""

    dtype: np.dtype[Any]


@dataclass(slots=True, eq=False)
class PendingArray:
    """An array whose shape, type and content come after it, as a state; `keys` are its places in the memo."""

    keys: list[int] = field(default_factory=list)


_TYPE = re.compile(r"[<>|=]?([?bBhHiIlLqQefdgFD]|[biuf]\d{1,2}|c\d{1,2}|[SU]\d{0,9}|O8?)")
_SPELLINGS = (("numpy._core", "numpy.core"), ("__builtin__", "builtins"), ("copy_reg", "copyreg"))

MAX_EMPTY = 1_000_000
"""What the other sides of an array without content may multiply to: its rows can be listed although they hold nothing."""

MAX_KEY = 16
"""Parts of a tuple that is a key, which is hashed anew whenever it is one."""

MAX_SHOWN = 120

_PLAIN = frozenset({"object", "int", "float", "str", "bool", "list", "dict", "tuple"})
"""Types that a pickle may name, as the factory of a `defaultdict` is, but not call."""

PANDAS = frozenset(
    {
        *("DataFrame", "Series", "BlockManager", "SingleBlockManager", "_unpickle_block", "new_block", "_new_Index"),
        *("Index", "RangeIndex", "Int64Index", "UInt64Index", "Float64Index", "NumericIndex", "StringDtype"),
        *("StringArray", "ArrowStringArray", "ArrowStringArrayNumpySemantics", "Flags", "NumpyExtensionArray"),
        "__pyx_unpickle_NDArrayBacked",
    }
)
ARROW = frozenset({"_restore_array", "chunked_array", "py_buffer", "type_for_alias"})


def admit(module: str, name: str) -> Name:
    """The name, spelled as this module spells it.

    Raises:
        RefusedPickleError: the name is not on the list of those that are read.
    """
    spelled = module
    for new, old in _SPELLINGS:
        if module == new or module.startswith(f"{new}."):
            spelled = old + module[len(new) :]
    found = Name(spelled, name)
    if (
        found in CONSTRUCTORS
        or found == ARRAY
        or is_inert(found)
        or (spelled == "builtins" and name in _PLAIN)
        or found == Name("copyreg", "__newobj__")
    ):
        return found
    shown = f"{module}.{name}"[:MAX_SHOWN]
    raise RefusedPickleError(f"it names {shown}, which is none of the array and frame constructors that are read")


def read_name(module: str, name: str) -> Name | None:
    """What a name stands for where it is met: itself, or nothing for pandas' sign of a missing value."""
    return None if module.split(".", maxsplit=1)[0] == "pandas" and name == "NA" else admit(module, name)


def is_inert(name: Name) -> bool:
    """Whether the name is one of pandas' or Arrow's that become records."""
    package = name.module.split(".")[0]
    return (package == "pandas" and name.name in PANDAS) or (name.module == "pyarrow.lib" and name.name in ARROW)


def construct(callee: object, args: object) -> Any:  # noqa: ANN401 - what pickles hold has any type
    """What a name called with arguments stands for.

    Raises:
        RefusedPickleError: what is called is not a name that makes data, or does not take these arguments.
    """
    if not isinstance(callee, Name) or not isinstance(args, tuple):
        raise RefusedPickleError("it calls something that is not a name, or with something that is not a tuple")
    if is_inert(callee):
        return Inert(callee.name, args)
    make = CONSTRUCTORS.get(callee)
    if make is None:
        raise RefusedPickleError(f"it calls {callee}, which is only read as a name")
    try:
        return make(*args)
    except RefusedPickleError:
        raise
    except (TypeError, ValueError, AttributeError, OverflowError, MemoryError):
        raise RefusedPickleError(f"it calls {callee} with arguments that do not make data") from None


def set_state(target: object, state: object) -> Any:  # noqa: ANN401 - what pickles hold has any type
    """What an object is once its state is known; the object itself where it can take the state in."""
    if isinstance(target, PendingArray):
        return _fill_array(state)
    if isinstance(target, NumberType):
        _set_byte_order(target, state)
    elif isinstance(target, Inert):
        target.state = state
    else:
        raise RefusedPickleError(f"it sets the state of a {type(target).__name__}")
    return target


def check_key(key: object) -> None:
    """Only plain keys are hashed: the hash of tuples in tuples has no bound on its depth, and long numbers share theirs."""
    parts = key if isinstance(key, tuple) else (key,)
    if len(parts) > MAX_KEY or not all(_is_plain(part) for part in parts):
        raise RefusedPickleError("it has a key or a member of a set that is neither text nor a number")


def _is_plain(part: object) -> bool:
    if isinstance(part, int):
        return part.bit_length() <= 64
    return part is None or isinstance(part, str | bytes | float | np.generic)


def _make_type(name: object, *_: object) -> NumberType:
    text = name.decode("ascii") if isinstance(name, bytes) else name
    if not isinstance(text, str) or not _TYPE.fullmatch(text):
        raise RefusedPickleError("it has an array of a type other than numbers, text and objects")
    return NumberType(np.dtype("O" if text.lstrip("|<>=").startswith("O") else text))


def _set_byte_order(target: NumberType, state: object) -> None:
    if not isinstance(state, tuple) or len(state) < 5 or any(part is not None for part in state[2:5]):
        raise RefusedPickleError("it has an array with fields, of which none is read")
    order = state[1].decode("ascii") if isinstance(state[1], bytes) else state[1]
    if order not in {"<", ">", "|", "="}:
        raise RefusedPickleError("it has an array of an unknown byte order")
    if order in {"<", ">"} and target.dtype.kind != "O":
        target.dtype = target.dtype.newbyteorder("<" if order == "<" else ">")
    if target.dtype.kind in "SU" and target.dtype.itemsize == 0 and len(state) > 5 and isinstance(state[5], int):
        width = state[5] // (4 if target.dtype.kind == "U" else 1)
        target.dtype = np.dtype(f"{target.dtype.byteorder}{target.dtype.kind}{width}")


def _fill_array(state: object) -> NDArray[Any]:
    if not isinstance(state, tuple) or len(state) != 5 or not isinstance(state[2], NumberType):
        raise RefusedPickleError("it has an array whose state is not that of an array")
    _, shape, number_type, is_fortran, content = state
    return make_array(content, number_type.dtype, shape=shape, order="F" if is_fortran else "C")


def make_array(content: object, dtype: np.dtype[Any], *, shape: object, order: str = "C") -> NDArray[Any]:
    """An array of exactly the bytes or objects that are there; a claimed shape is never allocated.

    Raises:
        RefusedPickleError: the content does not fill the shape.
    """
    if not isinstance(shape, tuple) or not all(isinstance(n, int) and n >= 0 for n in shape):
        raise RefusedPickleError("it has an array without a shape")
    size = math.prod(shape)
    if size == 0 and math.prod(n for n in shape if n) > MAX_EMPTY:
        raise RefusedPickleError("it has an array without content that claims to be large")
    if dtype.kind == "O":
        return _make_objects(content, shape, size)
    raw = content.encode("latin-1") if isinstance(content, str) else content
    if not isinstance(raw, bytes | bytearray) or len(raw) != size * dtype.itemsize:
        raise RefusedPickleError(f"it has an array of {size} × {dtype.itemsize} bytes with another number of bytes")
    if dtype.itemsize == 0:
        return np.zeros(shape if size == 0 else (0,), dtype)
    return np.frombuffer(bytes(raw), dtype).reshape(shape, order="F" if order == "F" else "C")


def _make_objects(content: object, shape: tuple[int, ...], size: int) -> NDArray[Any]:
    # Objects are listed row by row whatever the memory order. Arrays of objects in arrays of objects are refused: freed one
    # inside the other, deep ones would exhaust the C stack.
    if not isinstance(content, list) or len(content) != size:
        raise RefusedPickleError(f"it has an array of {size} objects with another number of them")
    if any(isinstance(one, PendingArray) or (isinstance(one, np.ndarray) and one.dtype.kind == "O") for one in content):
        raise RefusedPickleError("it has an array of objects in an array of objects")
    array = np.empty(size, object)
    for place, one in enumerate(content):
        array[place] = one
    return array.reshape(shape)


def _make_scalar(number_type: object, content: object = b"") -> Any:  # noqa: ANN401 - what pickles hold has any type
    return make_array(content, _require(number_type, NumberType).dtype, shape=(1,))[0]


def _make_from_buffer(
    content: object, number_type: object, shape: object, order: object = "C", *_: object
) -> NDArray[Any]:
    return make_array(content, _require(number_type, NumberType).dtype, shape=shape, order=str(order))


def _count(content: object = None) -> Counter[Any]:
    counter: Counter[Any] = Counter()
    if content is not None:
        dict.update(counter, _require(content, dict))
    return counter


def _order(content: object = ()) -> OrderedDict[Any, Any]:
    ordered: OrderedDict[Any, Any] = OrderedDict()
    for key, value in _require(content, list | tuple):
        check_key(key)
        ordered[key] = value
    return ordered


def _gather(content: object = ()) -> set[Any]:
    members = _require(content, list)
    for member in members:
        check_key(member)
    return set(members)


def _encode(text: object, encoding: object = "latin1") -> bytes:
    if encoding not in {"latin1", "latin-1"}:
        raise RefusedPickleError("it encodes text in another way than bytes are pickled")
    return bytes(_require(text, str).encode("latin-1"))


def _slice(*limits: object) -> slice:
    if not all(limit is None or isinstance(limit, int) for limit in limits):
        raise RefusedPickleError("it has a slice of something else than whole numbers")
    return slice(*limits)


def _require(content: object, kind: type[Any] | UnionType) -> Any:  # noqa: ANN401 - what pickles hold has any type
    if not isinstance(content, kind):
        raise RefusedPickleError("it makes a container of something that is not a list or dictionary")
    return content


def _pend(*_: object) -> PendingArray:
    return PendingArray()


def _copy_bytes(content: object = b"") -> bytes:
    return bytes(_require(content, bytes | bytearray))


ARRAY = Name("numpy", "ndarray")
CONSTRUCTORS: dict[Name, Callable[..., Any]] = {
    Name("numpy.core.multiarray", "_reconstruct"): _pend,
    Name("numpy.core.multiarray", "scalar"): _make_scalar,
    Name("numpy.core.numeric", "_frombuffer"): _make_from_buffer,
    Name("numpy", "dtype"): _make_type,
    Name("collections", "Counter"): _count,
    Name("collections", "OrderedDict"): _order,
    Name("collections", "defaultdict"): lambda *_: {},
    Name("builtins", "slice"): _slice,
    Name("builtins", "set"): _gather,
    Name("builtins", "frozenset"): _gather,
    Name("builtins", "bytes"): _copy_bytes,
    Name("builtins", "bytearray"): _copy_bytes,
    Name("_codecs", "encode"): _encode,
}
