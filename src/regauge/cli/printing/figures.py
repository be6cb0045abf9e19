"""The options of commands whose result can be drawn: where to, how wide, and whether with a title."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

import regauge
from regauge.cli.printing.written import tell_written
from regauge.errors import FigureError
from regauge.records.canvas import Canvas

FIGURE_SUFFIXES = (".svg", ".png", ".pdf", ".html")

_Command = TypeVar("_Command", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class FigureFile:
    """A figure that somebody asks for: where to write it, and what to draw it on."""

    path: Path
    canvas: Canvas

    def save(self, figure: Any) -> Path:  # noqa: ANN401 - an altair chart, which only whoever draws loads
        """Write the figure."""
        return regauge.save_figure(figure, self.path)


def figure_option(command: _Command) -> _Command:
    """The options --figure, --width and --no-title, which the command gets as one argument `figure`."""

    @functools.wraps(command)
    def with_figure(*, figure: Path | None, width: str | None, no_title: bool, **options: Any) -> Any:  # noqa: ANN401 - click's
        if figure is None and (width is not None or no_title):
            given = "--no-title" if width is None else "--width"
            raise FigureError(f"{given} is about a figure; say where to draw one with --figure.")
        canvas = Canvas.read(width, has_title=not no_title)
        return command(figure=None if figure is None else FigureFile(figure, canvas), **options)

    for option in (
        click.option("--no-title", is_flag=True, help="Draw no title: your caption has it."),
        click.option("--width", metavar="LENGTH", help="Width of the figure, such as 84mm, 3.3in or 640px."),
        click.option(
            "--figure",
            type=click.Path(path_type=Path),
            metavar="FILE",
            callback=_check_figure,
            help="Also draw a figure: .svg, .png, .pdf or .html.",
        ),
    ):
        with_figure = option(with_figure)
    return with_figure  # type: ignore[return-value]


def _check_figure(context: click.Context, option: click.Parameter, path: Path | None) -> Path | None:
    """Refuse a figure that could not be written before anything is computed for it."""
    if path is None:
        return None
    if path.suffix.lower() not in FIGURE_SUFFIXES:
        raise FigureError(
            f"A figure is {', '.join(FIGURE_SUFFIXES)}, not {path.suffix or 'a file without extension'}: {path}."
        )
    if path.is_dir() or not path.parent.is_dir() or not os.access(path if path.exists() else path.parent, os.W_OK):
        raise FigureError(f"The figure cannot be written to {path}; name a file in a folder that you can write to.")
    return tell_written(context, option, path)
