"""Draw the pictures of the embedded world in several processes: they are many, small and independent of each other."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from typing import TypeAlias

import numpy as np

from regauge.records.progress import Track, track_silently
from regauge.world.collections import Draw, ImageArray, draw_all
from regauge.world.scenes import Scene

Spread: TypeAlias = Callable[[Draw, Iterable[Sequence[Scene]]], Iterable[ImageArray]]
"""Applies a function to many things, here or in other processes; the results come in their order."""

CHUNK = 100
"""Scenes that travel to a process at once."""

MAX_PROCESSES = 8
"""More would wait for the process that samples the scenes."""


def count_processors() -> int:
    """How many processes can draw at once on this machine."""
    return min(os.cpu_count() or 1, MAX_PROCESSES)


@contextmanager
def open_drawing_pool(n_processes: int, *, track: Track = track_silently) -> Iterator[Draw]:
    """A function that draws scenes in that many processes, which end with the block; the pictures are the same for any number.

    Args:
        n_processes: how many processes draw; this one alone where it is 1.
        track: who is told how far the drawing is.
    """
    if n_processes < 2:
        yield partial(_draw_in_chunks, spread=map, track=track)
        return
    # Forked processes would inherit locks that threads of numerical libraries hold; these start afresh.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(n_processes, mp_context=context, initializer=_follow_parent)
    try:
        yield partial(_draw_in_chunks, spread=pool.map, track=track)
    finally:
        pool.shutdown(cancel_futures=True)


def _draw_in_chunks(scenes: Sequence[Scene], *, spread: Spread, track: Track) -> ImageArray:
    chunks = [scenes[start : start + CHUNK] for start in range(0, len(scenes), CHUNK)]
    try:
        return np.concatenate(list(track(spread(draw_all, chunks), "Drawing, by the hundred", total=len(chunks))))
    except BrokenProcessPool:
        # A process was killed, for want of memory say. Nothing is lost but time.
        return draw_all(scenes)


def _follow_parent() -> None:
    """Leave Ctrl-C to the parent, and end when it ends, even if it was killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
