"""Options of commands from tables of settings."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any, TypeAlias

import click

from regauge.errors import InputError
from regauge.fields import Checkbox, Choice, Field, KnownName, Names, TextValue
from regauge.ranges import Range

Command: TypeAlias = Callable[..., Any]
UNLESS_GIVEN = "by default"
AT_FIRST = "at first"
"""Of settings that stay as they were the last time."""


def field_options(
    fields: Iterable[Field], *, usual: str = "", refused: Collection[str] = ()
) -> Callable[[Command], Command]:
    """An option for every setting that has one; the command gets what was typed as `given`, by the names of the settings.

    Args:
        fields: the settings; defaults are the caller's business, for only they know what was before.
        usual: what to say after a default, `UNLESS_GIVEN` or `AT_FIRST`; no default is said without it.
        refused: settings that the command refuses in a sentence, and of which its help says nothing.
    """
    table = _say_brought([one for one in fields if one.option])

    def decorate(command: Command) -> Command:
        @wraps(command)
        def call(**typed: Any) -> Any:  # noqa: ANN401 - whatever the command takes and gives
            mine = {one.name: _read(one, typed.pop(one.name)) for one in table}
            given = {name: value for name, value in mine.items() if value is not None}
            # Another decorator of this kind may have begun.
            return command(given={**typed.pop("given", {}), **given}, **typed)

        decorated: Command = call
        for one in reversed(table):
            words = one.explain(usual=usual) if usual else one.help
            decorated = _make_option(one, words, hidden=one.name in refused)(decorated)
        return decorated

    return decorate


def _say_brought(table: Sequence[Field]) -> list[Field]:
    """The settings; those that a choice among them brings along say so."""
    bringers = {
        name: one.option
        for one in table
        if isinstance(one.type, Choice)
        for brought in one.type.brings.values()
        for name in brought
    }
    return [replace(one, usual=f"that of {bringers[one.name]}") if one.name in bringers else one for one in table]


def _make_option(field: Field, words: str, *, hidden: bool) -> Callable[[Command], Command]:
    """The option of one setting; None or nothing where it is not typed."""
    is_list = isinstance(field.type, Names) or (isinstance(field.type, KnownName) and field.type.is_repeatable)
    if isinstance(field.type, Checkbox):
        return click.option(field.option, field.name, is_flag=True, help=words, hidden=hidden)
    return click.option(
        field.option,
        field.name,
        type=_find_type(field),
        metavar=field.metavar or ("FILE" if _is_file(field) else None),
        multiple=is_list,
        help=f"{words} Repeatable." if is_list else words,
        hidden=hidden,
    )


def _find_type(field: Field) -> Any:  # noqa: ANN401 - what click takes as a type
    kind = field.type
    if isinstance(kind, Range):
        if kind.is_whole and kind.high == math.inf:
            # A seed, which no record looks at.
            return click.IntRange(min=int(kind.low))
        # The record that holds a number says in its own words what is wrong with it.
        return int if kind.is_whole else float
    if isinstance(kind, Choice):
        return click.Choice([str(one) for one in kind.options])
    return click.Path(path_type=Path, exists=True, dir_okay=False) if _is_file(field) else str


def _is_file(field: Field) -> bool:
    """Whether a text is long enough to come from a file."""
    return isinstance(field.type, TextValue) and field.type.has_lines


def _read(field: Field, typed: Any) -> Any:  # noqa: ANN401 - what click gives
    """The value that was typed; None where none was."""
    if typed is None or typed == () or (isinstance(field.type, Checkbox) and not typed):
        return None
    if isinstance(field.type, Checkbox):
        return not field.default
    if isinstance(field.type, Choice):
        return field.check(typed)
    return read_text(typed) if _is_file(field) else typed


def read_text(path: Path) -> str:
    """The text of a file.

    Raises:
        InputError: the file is empty, or not a text file.
    """
    try:
        text = path.read_text(encoding="utf-8").strip()
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path} is not text in UTF-8; save it as such. ({error.reason} at byte {error.start})"
        ) from None
    if not text:
        raise InputError(f"{path} is empty; write the text into it, or leave the option out.")
    return text
