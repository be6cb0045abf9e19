"""`wrote FILE`: what a command has written, on standard error, so that pipes stay clean."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from regauge.cli.printing.printable import make_printable


def tell_written(context: click.Context, _option: click.Parameter, path: Path | None) -> Path | None:
    """A callback of options and arguments that name what to write: once the command ends, it says so if it was written."""
    if path is not None:
        context.call_on_close(partial(_tell, path, _look_at(path)))
    return path


def _tell(path: Path, before: tuple[int, ...]) -> None:
    if _look_at(path) != before and path.exists():
        click.echo(f"wrote {make_printable(str(path))}", err=True)


def _look_at(path: Path) -> tuple[int, ...]:
    """What tells a file from another one in its place; empty where there is none."""
    try:
        found = path.stat()
    except (OSError, ValueError):
        return ()
    return found.st_ino, found.st_mtime_ns, found.st_size
