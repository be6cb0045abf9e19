"""A progress bar on standard error, where that is a terminal; nothing in a pipe, so that only results are in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import click
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from regauge.cli.printing.printable import make_printable
from regauge.records.progress import Track, track_silently

T = TypeVar("T")


def make_track() -> Track:
    """What shows the progress of this command; the bar is gone when the work is done."""
    console = Console(stderr=True)
    if not console.is_terminal or console.is_dumb_terminal:
        return track_silently

    def track(items: Iterable[T], description: str, *, total: int | None = None) -> Iterator[T]:
        with _make_progress(console) as progress:
            # A command that is stopped leaves this generator where it is; the bar must be gone before anything is said.
            context = click.get_current_context(silent=True)
            if context is not None:
                context.call_on_close(progress.stop)
            yield from progress.track(items, total=total, description=make_printable(description))

    return track


@contextmanager
def show_life(description: str) -> Iterator[None]:
    """Say what is being done and for how long, where nobody can say how much of it there is; gone when it is done."""
    console = Console(stderr=True)
    if not console.is_terminal or console.is_dumb_terminal:
        yield
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, redirect_stdout=False, redirect_stderr=False) as progress:
        progress.add_task(description, total=None)
        yield


def _make_progress(console: Console) -> Progress:
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    # Standard output is left alone: what a command prints there is never part of the bar.
    return Progress(*columns, console=console, transient=True, redirect_stdout=False, redirect_stderr=False)
