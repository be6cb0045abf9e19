"""Fields of a JSON object, each of the type that it must be; the error says which one is not."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from regauge.errors import FormatError, InputError

_Scalar = TypeVar("_Scalar", bound=np.generic)


def check_version(content: Mapping[str, Any], version: int, *, path: Path, what: str) -> None:
    """Refuse a file of another version of its format, or one that does not say its version."""
    found = content.get("version")
    if type(found) is not int:
        raise FormatError(path, f"this {what} does not say of which version it is; make a new one.")
    if found != version:
        raise FormatError(
            path, f"this {what} is of version {found!s:.30}, and version {version} is read; use a newer program."
        )


def get_field(content: Mapping[str, Any], name: str) -> Any:  # noqa: ANN401 - JSON can be anything; the callers check
    """What the object has under that name."""
    if name not in content:
        raise InputError(f"the field {name} is missing")
    return content[name]


def get_object(content: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """An object in the object."""
    value = get_field(content, name)
    if not isinstance(value, dict):
        raise InputError(f"the field {name} is not an object")
    return value


def get_flag(content: Mapping[str, Any], name: str) -> bool:
    """True or false."""
    value = get_field(content, name)
    if not isinstance(value, bool):
        raise InputError(f"the field {name} is not true or false")
    return value


def get_text(content: Mapping[str, Any], name: str) -> str:
    """A text, possibly empty."""
    value = get_field(content, name)
    if not _is_text(value):
        raise InputError(f"the field {name} is not a text")
    return str(value)


def get_texts(content: Mapping[str, Any], name: str) -> list[str]:
    """Texts of which none is empty and none occurs twice, one at least."""
    values = get_field(content, name)
    if not isinstance(values, list) or not values or not all(_is_text(one) and one for one in values):
        raise InputError(f"the field {name} is not a list of texts")
    if len(set(values)) < len(values):
        raise InputError(f"the field {name} has a text twice")
    return values


def get_number(content: Mapping[str, Any], name: str) -> float:
    """A finite number."""
    value = get_field(content, name)
    if not _is_number(value):
        raise InputError(f"the field {name} is not a number")
    return float(value)


def get_whole(content: Mapping[str, Any], name: str) -> int:
    """A whole number."""
    value = get_field(content, name)
    if type(value) is not int:
        raise InputError(f"the field {name} is not a whole number")
    return value


def get_column(
    content: Mapping[str, Any], name: str, *, dtype: type[_Scalar], shape: tuple[int, ...]
) -> NDArray[_Scalar]:
    """Finite numbers in a list of that length, or in lists within a list; whole ones where the type is."""
    values = get_field(content, name)
    _check_numbers(values, name, dtype=dtype, shape=shape)
    return np.array(values, dtype)


def _check_numbers(values: object, name: str, *, dtype: type[np.generic], shape: Sequence[int]) -> None:
    if not isinstance(values, list) or len(values) != shape[0]:
        raise InputError(f"the field {name} is not a list of {shape[0]:,}")
    if len(shape) > 1:
        for one in values:
            _check_numbers(one, name, dtype=dtype, shape=shape[1:])
    elif issubclass(dtype, np.integer):
        limits = np.iinfo(dtype)
        if not all(type(one) is int and limits.min <= one <= limits.max for one in values):
            raise InputError(f"the field {name} has other things than whole numbers of {limits.bits} bits")
    elif not all(map(_is_number, values)):
        raise InputError(f"the field {name} has other things than numbers")


def _is_number(value: object) -> bool:
    # Compared, not converted: Python compares whole numbers of any size, and converts none beyond the largest float.
    return type(value) in {int, float} and -sys.float_info.max <= value <= sys.float_info.max  # type: ignore[operator]


def _is_text(value: object) -> bool:
    """Whether it is a text that can be printed and stored: JSON can write half a character, and a zero that ends texts."""
    return isinstance(value, str) and not any(letter == "\0" or "\ud800" <= letter <= "\udfff" for letter in value)
