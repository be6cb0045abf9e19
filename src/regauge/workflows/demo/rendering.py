"""Draw the pictures of the embedded world in several processes: they are many, small and independent of each other.

When all are drawn, a process may do other work of the demo meanwhile.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import numpy as np

from regauge.interrupts import hold_stop
from regauge.records.progress import Track, track_silently
from regauge.world.collections import Collection, ImageArray, render_all
from regauge.world.copies import Copying, copy_image
from regauge.world.scenes import Scene, render

_Result = TypeVar("_Result")

ParallelMap: TypeAlias = Callable[..., Iterable[Any]]
"""Applies a function to many things, here or in other processes; the results come in their order."""

JPEG_QUALITY = 92
CHUNK = 100
"""Scenes that travel to a process at once."""

MAX_PROCESSES = 8
"""More would wait for the process that samples the scenes."""

_N_BLAS_THREADS = "OPENBLAS_NUM_THREADS"
"""The variable by which a numerical library learns how many threads it may use; it is read when a process starts."""


def count_processors() -> int:
    """How many processes can draw at once on this machine."""
    return min(os.cpu_count() or 1, MAX_PROCESSES)


@dataclass(frozen=True, slots=True)
class RenderingPool:
    """Draws in as many processes as there are."""

    spread: ParallelMap
    track: Track

    def render(self, scenes: Sequence[Scene]) -> ImageArray:
        """All scenes as pictures."""
        chunks = [scenes[start : start + CHUNK] for start in range(0, len(scenes), CHUNK)]
        try:
            drawn = self.track(self.spread(render_all, chunks), "Drawing, by the hundred", total=len(chunks))
            return np.concatenate(list(drawn))
        except BrokenProcessPool:
            # A process was killed, for want of memory say. Nothing is lost but time.
            return render_all(scenes)

    def save(self, collection: Collection, folder: Path, *, side: int) -> list[str]:
        """Every picture of a collection as a JPEG file of that size, named by its id; returns the names."""
        columns = (collection.image_ids.tolist(), collection.scenes, collection.copyings)
        parts = [tuple(column[at : at + CHUNK] for column in columns) for at in range(0, len(collection), CHUNK)]
        save = partial(_save_chunk, folder=folder, side=side)
        try:
            saved = list(self.track(self.spread(save, parts), "Saving, by the hundred", total=len(parts)))
        except BrokenProcessPool:
            saved = list(map(save, parts))
        return [name for names in saved for name in names]

    def begin(self, work: Callable[[], _Result]) -> Callable[[], _Result]:
        """Let a process do some work; what comes back waits for the result. Where there is no other process, it does the work."""
        begun = iter(self.spread(_do, [work]))

        def wait() -> _Result:
            try:
                result: _Result = next(begun)
            except BrokenProcessPool:
                return work()
            return result

        return wait


@contextmanager
def open_rendering_pool(n_processes: int, *, track: Track = track_silently) -> Iterator[RenderingPool]:
    """Draws scenes in that many processes, which end with the block; the pictures are the same for any number.

    Args:
        n_processes: how many processes draw; this one alone where it is 1.
        track: who is told how far the drawing is.
    """
    if n_processes < 2:
        yield RenderingPool(map, track)
        return
    # Forked processes would inherit locks that threads of numerical libraries hold; these start afresh.
    context = multiprocessing.get_context("spawn")
    others = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(n_processes, mp_context=context, initializer=_follow_parent)
    try:
        # They load their modules while the first scenes are sampled.
        _spread(pool, _do, [_do_nothing] * n_processes)
        yield RenderingPool(partial(_spread, pool), track)
    except BaseException:
        # Whoever stops the demo does not wait for work that nobody wants any more.
        for process in set(multiprocessing.active_children()) - others:
            process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _spread(pool: ProcessPoolExecutor, function: Callable[..., Any], *columns: Iterable[Any]) -> Iterator[Any]:
    """Hand all out, which starts the processes. They inherit that Ctrl-C is held back, so it is left to this one.

    This one takes it when all have been started. They also inherit that each has one thread for matrices: there are as many of
    them as processors.
    """
    before, n_threads = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}), os.environ.get(_N_BLAS_THREADS)
    os.environ[_N_BLAS_THREADS] = "1"
    try:
        with hold_stop():
            return pool.map(function, *columns)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if n_threads is None:
            del os.environ[_N_BLAS_THREADS]
        else:
            os.environ[_N_BLAS_THREADS] = n_threads


def _do(work: Callable[[], _Result]) -> _Result:
    return work()


def _do_nothing() -> None:
    """Work that is done when a process has started."""


def _save_chunk(part: tuple[list[str], Sequence[Scene], Sequence[Copying]], *, folder: Path, side: int) -> list[str]:
    names = [f"{image_id}.jpg" for image_id in part[0]]
    for name, scene, copying in zip(names, part[1], part[2], strict=True):
        copy_image(render(scene, side), copying).save(folder / name, quality=JPEG_QUALITY)
    return names


def _follow_parent() -> None:
    """End when the parent ends, even if it was killed."""
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
