"""Fields of forms from tables of settings: what a template needs to show each."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from regauge.fields import TICKED, Checkbox, Choice, Field, KnownName


@dataclass(frozen=True, slots=True)
class Option:
    """One choice of a field.

    Attributes:
        value: what is sent.
        title: what it is called.
        hint: what explains it; empty for nothing.
        brings: what it fills in of other fields, by their names, as they show it.
        kinds: the kinds of task that have it; empty for all.
        is_disabled: whether it cannot be chosen now, for the reason in the hint.
    """

    value: str
    title: str
    hint: str = ""
    brings: Mapping[str, str] = field(default_factory=dict)
    kinds: tuple[str, ...] = ()
    is_disabled: bool = False

    @property
    def fill(self) -> str:
        """What it fills in, for a script."""
        return json.dumps(dict(self.brings)) if self.brings else ""


@dataclass(frozen=True, slots=True)
class Input:
    """One field of a form.

    Attributes:
        field: the setting.
        value: what it shows first.
        options: what can be chosen; empty where something is typed.
        kinds: the kinds of task that have it; empty for all.
    """

    field: Field
    value: str
    options: tuple[Option, ...] = ()
    kinds: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Its name in the form."""
        return self.field.input_name

    @property
    def control(self) -> str:
        """What it looks like."""
        return self.field.type.control

    @property
    def is_short(self) -> bool:
        """Whether it stands beside others in a row."""
        return self.control == "number"

    @property
    def is_ticked(self) -> bool:
        """Whether its box is ticked at first."""
        return self.value == TICKED


Things: TypeAlias = Mapping[str, Sequence[tuple[str, str]]]
"""Names of things that the study has, each with what a form calls it, by what they are: test set, label set …"""


def make_input(setting: Field, *, values: Mapping[str, Any], things: Things, kinds: tuple[str, ...] = ()) -> Input:
    """The field of one setting.

    Args:
        setting: the setting.
        values: what some settings are at first; the others have their defaults.
        things: what the study has that can be chosen.
        kinds: the kinds of task that have the setting; empty for all.
    """
    value = values.get(setting.name, setting.default)
    return Input(setting, _show(setting, value), _list_options(setting, things), kinds)


def make_inputs(fields: Iterable[Field], *, values: Mapping[str, Any], things: Things) -> tuple[Input, ...]:
    """The fields of those settings that a form has."""
    return tuple(make_input(one, values=values, things=things) for one in fields if one.in_form)


def make_rows(inputs: Iterable[Input]) -> tuple[tuple[Input, ...], ...]:
    """The fields line by line: short ones that follow each other share one."""
    rows: list[list[Input]] = []
    for one in inputs:
        if rows and one.is_short and rows[-1][-1].is_short and rows[-1][-1].kinds == one.kinds:
            rows[-1].append(one)
        else:
            rows.append([one])
    return tuple(map(tuple, rows))


def _show(setting: Field, value: Any) -> str:  # noqa: ANN401 - each type has its own values
    if isinstance(setting.type, Checkbox):
        return TICKED if value else ""
    if isinstance(setting.type, Choice) and setting.type.ticked:
        return TICKED if value == setting.type.ticked else ""
    return setting.show(value)


def _list_options(setting: Field, things: Things) -> tuple[Option, ...]:
    kind = setting.type
    if isinstance(kind, Choice):
        brought = {value: {name: str(n) for name, n in brings.items()} for value, brings in kind.brings.items()}
        return tuple(Option(str(value), title, brings=brought.get(value, {})) for value, title in kind.options.items())
    if isinstance(kind, KnownName):
        none = [Option("", kind.nothing)] if kind.nothing else []
        return (*none, *(Option(name, title) for name, title in things.get(kind.what, ())))
    return ()
