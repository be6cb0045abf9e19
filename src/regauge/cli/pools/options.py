"""Options that gathering a pool, asking about its candidates and drawing from it share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from regauge.errors import InputError
from regauge.records.taxonomy import Taxonomy

pools_option = click.option(
    "--pool", "pools", multiple=True, metavar="NAME", help="Which batch; all by default. Repeatable."
)
keywords_option = click.option(
    "--keywords",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The keywords of the original images, to match: CSV image_id,keyword or class,keyword,n.",
)
frequencies_option = click.option(
    "--frequencies",
    multiple=True,
    metavar="LABELS|FILE",
    help="Selection frequencies: a label set made of a contains campaign, or a table; all such label sets by default. "
    "Repeatable.",
)


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
