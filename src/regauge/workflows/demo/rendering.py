"""Draw the pictures of the embedded world in several processes: they are many, small and independent of each other.

When all are drawn, a process may do other work of the demo meanwhile.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import numpy as np

from regauge.records.progress import Track, track_silently
from regauge.workflows.demo.processes import open_processes
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
        drawn = self.track(self.spread(render_all, chunks), "Drawing, by the hundred", total=len(chunks))
        return np.concatenate(list(drawn))

    def save(self, collection: Collection, folder: Path, *, side: int) -> list[str]:
        """Every picture of a collection as a JPEG file of that size, named by its id; returns the names."""
        columns = (collection.image_ids.tolist(), collection.scenes, collection.copyings)
        parts = [tuple(column[at : at + CHUNK] for column in columns) for at in range(0, len(collection), CHUNK)]
        save = partial(_save_chunk, folder=folder, side=side)
        saved = self.track(self.spread(save, parts), "Saving, by the hundred", total=len(parts))
        return [name for names in saved for name in names]

    def begin(self, work: Callable[[], _Result]) -> Callable[[], _Result]:
        """Let a process do some work; what comes back waits for the result. Where there is no other process, it does the work."""
        return partial(next, iter(self.spread(_do, [work])))


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
    with open_processes(n_processes) as processes:
        yield RenderingPool(processes.spread, track)


def _do(work: Callable[[], _Result]) -> _Result:
    return work()


def _save_chunk(part: tuple[list[str], Sequence[Scene], Sequence[Copying]], *, folder: Path, side: int) -> list[str]:
    names = [f"{image_id}.jpg" for image_id in part[0]]
    for name, scene, copying in zip(names, part[1], part[2], strict=True):
        copy_image(render(scene, side), copying).save(folder / name, quality=JPEG_QUALITY)
    return names
