"""The option --class-threshold of commands that draw test sets or prepare draws."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from regauge.errors import InputError
from regauge.records.taxonomy import Taxonomy

_Command = TypeVar("_Command", bound=Callable[..., Any])


def class_threshold_option(command: _Command) -> _Command:
    """The option --class-threshold, which the command gets as `class_thresholds`."""
    option = click.option(
        "--class-threshold",
        "class_thresholds",
        multiple=True,
        metavar="CLASS=SHARE",
        help="Another one for a class. Repeatable.",
    )
    return option(command)


def read_thresholds(taxonomy: Taxonomy, words: Sequence[str]) -> dict[int, float]:
    """The threshold of every class that is named.

    Raises:
        InputError: a word is not CLASS=SHARE, or names no class.
    """
    found: dict[int, float] = {}
    for word in words:
        name, _, text = word.rpartition("=")
        try:
            share = float(text)
        except ValueError:
            share = None
        if not name or share is None:
            raise InputError(f"--class-threshold takes CLASS=SHARE, such as dog=0.8, not {word!r}.")
        found[taxonomy.get_index(name)] = share
    return found
