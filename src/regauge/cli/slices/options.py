"""Options that the commands about slices share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import click

from regauge.cli.printing.written import tell_written

_Command: TypeAlias = Callable[..., Any]


def queue_option(command: _Command) -> _Command:
    """The option --queue of commands that find predictions to be judged or coded."""
    option = click.option(
        "--queue",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        callback=tell_written,
        help="Write what has to be judged, coded or looked at to a CSV, which campaign create review --pairs reads.",
    )
    return option(command)


def coding_option(command: _Command) -> _Command:
    """The option --coding, which is given once for each coding."""
    option = click.option(
        "--coding",
        "codings",
        multiple=True,
        metavar="NAME[@VERSION]",
        help="A coding whose categories and severities hold. Repeatable.",
    )
    return option(command)


def labels_option(command: _Command) -> _Command:
    """The option --labels of one label set."""
    option = click.option(
        "--labels",
        metavar="NAME[@VERSION]",
        help="The label set that says which answers are right; NAME for the latest.",
    )
    return option(command)


def complete_options(command: _Command) -> _Command:
    """The option --complete."""
    option = click.option(
        "--complete",
        is_flag=True,
        help="Refuse the slice unless complete labelling has covered every image.",
    )
    return option(command)
