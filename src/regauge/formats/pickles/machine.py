"""The stack machine that a pickle's opcodes are for, without the opcodes that call what the pickle chooses."""

from __future__ import annotations

import pickletools
from collections.abc import Callable
from itertools import islice
from typing import Any

from regauge.formats.pickles.constructors import (
    Name,
    PendingArray,
    RefusedPickleError,
    check_key,
    construct,
    read_name,
    set_state,
)

MAX_DEPTH = 200
"""Marks that may be open at once. Pickled frames need about ten."""

MAX_STEPS = 50_000_000
"""Opcodes of one pickle, each of which may make an object. A frame of 50,000 images with the answers of forty models has a
quarter of them."""

MAX_DIGITS = 40
"""Bytes of a whole number: parsing a number takes time that grows with the square of its length."""

_PUSHED = frozenset(
    {
        *("BININT", "BININT1", "BININT2", "FLOAT", "BINFLOAT", "STRING", "BINSTRING", "SHORT_BINSTRING"),
        *("BINBYTES", "SHORT_BINBYTES", "BINBYTES8", "BYTEARRAY8"),
    }
)
"""Opcodes whose argument is the value."""

_TEXTS = ("UNICODE", "SHORT_BINUNICODE", "BINUNICODE", "BINUNICODE8")

SPARE = 1 << 20
TIMES = 8
"""Items and bytes that constructors may copy: this many, and this many times the size of the pickle."""

_EMPTY: dict[str, Callable[[], Any]] = {"EMPTY_LIST": list, "EMPTY_DICT": dict, "EMPTY_TUPLE": tuple, "EMPTY_SET": set}
_CONSTANTS = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False}
_SIZES = {"TUPLE1": 1, "TUPLE2": 2, "TUPLE3": 3}
_PASSED_OVER = frozenset({"PROTO", "FRAME"})


def read_objects(content: bytes) -> tuple[Any, int]:
    """The object that a pickle stands for, and how many bytes it took.

    Raises:
        RefusedPickleError: an opcode or a name is not one of those that are read, or the pickle is damaged.
    """
    machine = _Machine(len(content))
    try:
        for opcode, argument, position in islice(pickletools.genops(content), MAX_STEPS):
            if opcode.name == "STOP":
                return machine.pop(), (position or 0) + 1
            machine.step(opcode.name, argument)
    except RefusedPickleError:
        raise
    except (ValueError, IndexError, KeyError, OverflowError, MemoryError, UnicodeError, TypeError):
        raise RefusedPickleError("it is damaged or cut short") from None
    raise RefusedPickleError(f"it has more than {MAX_STEPS:,} opcodes")


class _Machine:
    """A stack, the marks on it, a memo, and how much may still be copied.

    A constructor copies what it is given, and the memo can give it the same again for two bytes, so that a small pickle could
    ask for any amount of memory. What pandas and NumPy write stands in the file once; several times that is never needed.
    """

    __slots__ = ("allowance", "marks", "memo", "stack")

    def __init__(self, n_bytes: int) -> None:
        self.allowance = SPARE + TIMES * n_bytes
        self.stack: list[Any] = []
        self.marks: list[int] = []
        self.memo: dict[int, Any] = {}

    def step(self, name: str, argument: object) -> None:
        """Carry out one opcode."""
        if name in _PUSHED:
            self.stack.append(argument)
        elif name in _STEPS:
            _STEPS[name](self, argument)
        elif name in _CONSTANTS:
            self.stack.append(_CONSTANTS[name])
        elif name in _EMPTY:
            self.stack.append(_EMPTY[name]())
        elif name in _SIZES:
            self._join(_SIZES[name])
        elif name not in _PASSED_OVER:
            raise RefusedPickleError(f"it uses the opcode {name}, which is not read")

    def pop(self) -> Any:  # noqa: ANN401 - what pickles hold has any type
        """The top of the stack; never what lies below a mark."""
        if not self.stack or (self.marks and len(self.stack) <= self.marks[-1]):
            raise RefusedPickleError("it is damaged: its stack is empty")
        return self.stack.pop()

    def pop_marked(self) -> list[Any]:
        """Everything above the last mark."""
        start = self.marks.pop()
        found = self.stack[start:]
        del self.stack[start:]
        return found

    def _join(self, size: int) -> None:
        parts = [self.pop() for _ in range(size)]
        self.stack.append(tuple(reversed(parts)))

    def mark(self, _: object) -> None:
        """Remember how high the stack is."""
        if len(self.marks) >= MAX_DEPTH:
            raise RefusedPickleError(f"it is nested more than {MAX_DEPTH} deep")
        self.marks.append(len(self.stack))

    def text(self, argument: object) -> None:
        """Push text; half characters, which no output can write, are replaced."""
        text = str(argument)
        self.stack.append(text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8"))

    def spend(self, parts: tuple[Any, ...]) -> None:
        """Count what is about to be copied."""
        self.allowance -= sum(map(_measure, parts))
        if self.allowance < 0:
            raise RefusedPickleError("it copies what it holds over and over")

    def number(self, argument: object) -> None:
        """Push a whole number."""
        if isinstance(argument, int) and argument.bit_length() > 8 * MAX_DIGITS:
            raise RefusedPickleError(f"it has a whole number of more than {MAX_DIGITS} bytes")
        self.stack.append(argument)

    def get(self, argument: object) -> None:
        """Push what the memo holds."""
        self.stack.append(self.memo[int(str(argument))])

    def put(self, argument: object) -> None:
        """Keep the top in the memo, under a key."""
        self._keep(int(str(argument)))

    def memoize(self, _: object) -> None:
        """Keep the top in the memo, under the next key."""
        self._keep(len(self.memo))

    def _keep(self, key: int) -> None:
        self.memo[key] = value = self.stack[-1]
        if isinstance(value, PendingArray):
            value.keys.append(key)

    def make_tuple(self, _: object) -> None:
        """Join what lies above the mark to a tuple."""
        self.stack.append(tuple(self.pop_marked()))

    def make_list(self, _: object) -> None:
        """Join what lies above the mark to a list."""
        self.stack.append(self.pop_marked())

    def make_dict(self, _: object) -> None:
        """Join what lies above the mark to a dictionary, keys and values in turn."""
        self.stack.append(_pair({}, self.pop_marked()))

    def make_frozenset(self, _: object) -> None:
        """Join what lies above the mark to a set."""
        self.stack.append(_add(set(), self.pop_marked()))

    def append(self, _: object) -> None:
        """Append the top to the list below it."""
        value = self.pop()
        self._get_target(list).append(value)

    def append_all(self, _: object) -> None:
        """Append what lies above the mark to the list below it."""
        values = self.pop_marked()
        self._get_target(list).extend(values)

    def set_item(self, _: object) -> None:
        """Set a key of the dictionary below it."""
        value, key = self.pop(), self.pop()
        _pair(self._get_target(dict), [key, value])

    def set_items(self, _: object) -> None:
        """Set several keys of the dictionary below the mark."""
        values = self.pop_marked()
        _pair(self._get_target(dict), values)

    def add_items(self, _: object) -> None:
        """Add what lies above the mark to the set below it."""
        values = self.pop_marked()
        _add(self._get_target(set), values)

    def _get_target(self, kind: type[Any]) -> Any:  # noqa: ANN401 - what pickles hold has any type
        target = self.stack[-1]
        if not isinstance(target, kind):
            raise RefusedPickleError(f"it fills a {type(target).__name__} as if it were a {kind.__name__}")
        return target

    def drop(self, _: object) -> None:
        """Forget the top."""
        self.pop()

    def drop_marked(self, _: object) -> None:
        """Forget what lies above the mark."""
        self.pop_marked()

    def name(self, argument: object) -> None:
        """Push a name that the opcode holds."""
        module, _, name = str(argument).partition(" ")
        self.stack.append(read_name(module, name))

    def name_from_stack(self, _: object) -> None:
        """Push a name whose parts are on the stack."""
        name, module = self.pop(), self.pop()
        if not isinstance(name, str) or not isinstance(module, str):
            raise RefusedPickleError("it has a name that is not text")
        self.stack.append(read_name(module, name))

    def call(self, _: object) -> None:
        """Push what a name and its arguments stand for."""
        args, callee = self.pop(), self.pop()
        if callee == Name("copyreg", "__newobj__") and isinstance(args, tuple) and args:
            callee, args = args[0], args[1:]
        self.spend(args if isinstance(args, tuple) else ())
        self.stack.append(construct(callee, args))

    def call_with_names(self, _: object) -> None:
        """The same with named arguments, of which there must be none."""
        names, args, callee = self.pop(), self.pop(), self.pop()
        if names:
            raise RefusedPickleError("it calls a constructor with named arguments, which is not read")
        self.spend(args if isinstance(args, tuple) else ())
        self.stack.append(construct(callee, args))

    def build(self, _: object) -> None:
        """Give an object its state; an array takes its final place in the memo."""
        state, target = self.pop(), self.pop()
        if isinstance(target, PendingArray) and isinstance(state, tuple):
            self.spend(state)
        made = set_state(target, state)
        if isinstance(target, PendingArray):
            for key in target.keys:
                self.memo[key] = made
        self.stack.append(made)


def _measure(part: object) -> int:
    """How many items or bytes a copy of something takes."""
    return len(part) if isinstance(part, str | bytes | bytearray | list | tuple | dict) else 0


def _pair(target: dict[Any, Any], values: list[Any]) -> dict[Any, Any]:
    if len(values) % 2:
        raise RefusedPickleError("it is damaged: a key has no value")
    for key, value in zip(values[::2], values[1::2], strict=True):
        check_key(key)
        target[key] = value
    return target


def _add(target: set[Any], values: list[Any]) -> set[Any]:
    for value in values:
        check_key(value)
        target.add(value)
    return target


_STEPS: dict[str, Callable[[_Machine, Any], None]] = {
    "MARK": _Machine.mark,
    **dict.fromkeys(_TEXTS, _Machine.text),
    **dict.fromkeys(("INT", "LONG", "LONG1", "LONG4"), _Machine.number),
    **dict.fromkeys(("GET", "BINGET", "LONG_BINGET"), _Machine.get),
    **dict.fromkeys(("PUT", "BINPUT", "LONG_BINPUT"), _Machine.put),
    "MEMOIZE": _Machine.memoize,
    "TUPLE": _Machine.make_tuple,
    "LIST": _Machine.make_list,
    "DICT": _Machine.make_dict,
    "FROZENSET": _Machine.make_frozenset,
    "APPEND": _Machine.append,
    "APPENDS": _Machine.append_all,
    "SETITEM": _Machine.set_item,
    "SETITEMS": _Machine.set_items,
    "ADDITEMS": _Machine.add_items,
    "POP": _Machine.drop,
    "POP_MARK": _Machine.drop_marked,
    "GLOBAL": _Machine.name,
    "STACK_GLOBAL": _Machine.name_from_stack,
    "REDUCE": _Machine.call,
    "NEWOBJ": _Machine.call,
    "NEWOBJ_EX": _Machine.call_with_names,
    "BUILD": _Machine.build,
}
