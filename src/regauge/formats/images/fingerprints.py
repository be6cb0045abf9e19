"""Images → checksums of their bytes and pixels, many at a time."""

from __future__ import annotations

import hashlib
import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TypeAlias, TypeVar

from PIL import UnidentifiedImageError

from regauge.errors import FormatError, InputError
from regauge.formats.images.contents import read_image
from regauge.formats.images.pictures import hash_pixels
from regauge.records.progress import Track, track_silently
from regauge.records.studies import ImagePlace

Checksums: TypeAlias = tuple[str, str, str]
"""Of the bytes, of the pixels, and why one is empty."""

MAX_BYTES = 512 * 2**20
TOO_LARGE = f"its file is larger than {MAX_BYTES // 2**20} MiB."
CHUNK = 64
MAX_THREADS = 8

_Result = TypeVar("_Result")


def read_checksums(
    root: Path, places: Sequence[ImagePlace], *, goes_on: bool = False, track: Track = track_silently
) -> Iterator[list[Checksums]]:
    """The checksums of images, in their order, some at a time. Decoding runs in several threads.

    An image that cannot be decoded has a checksum of its bytes alone.

    Args:
        root: the folder of the images.
        places: where they lie below it.
        goes_on: whether an image that cannot be read has no checksums, but a reason; else it is refused.
        track: who is told how many are read.

    Raises:
        FormatError: a file cannot be read.
    """
    return map_images(places, partial(_try if goes_on else _read, root), track=track)


def map_images(
    places: Sequence[ImagePlace], look: Callable[[ImagePlace], _Result], *, track: Track = track_silently
) -> Iterator[list[_Result]]:
    """What looking at each image gives, in their order, some at a time, in several threads."""
    chunks = [places[start : start + CHUNK] for start in range(0, len(places), CHUNK)]
    threads = ThreadPoolExecutor(min(os.cpu_count() or 1, MAX_THREADS))
    try:
        with warnings.catch_warnings():
            # Of damaged tags and of many pixels. Threads share the filters, so they are set once for all.
            warnings.simplefilter("ignore")
            description = f"Reading images, {CHUNK} at a time"
            yield from track(
                threads.map(lambda chunk: [look(place) for place in chunk], chunks), description, total=len(chunks)
            )
    finally:
        threads.shutdown(cancel_futures=True)


def _try(root: Path, place: ImagePlace) -> Checksums:
    try:
        return _read(root, place)
    except FormatError as error:
        return "", "", error.problem
    except InputError as error:
        return "", "", str(error)


def _read(root: Path, place: ImagePlace) -> Checksums:
    if place.n_bytes is None and _find_size(root / place.path) > MAX_BYTES:
        return "", "", TOO_LARGE
    content = read_image(root, place)
    sha256 = hashlib.sha256(content).hexdigest()
    try:
        return sha256, hash_pixels(content), ""
    except FormatError as error:
        return sha256, "", explain(error)


def _find_size(path: Path) -> int:
    """How many bytes a file has; 0 where that cannot be told, for whoever reads it to say why."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def explain(error: FormatError) -> str:
    """Why an image cannot be decoded; Pillow names the place in memory of what it does not know."""
    return (
        "it is not an image of a format that is known."
        if isinstance(error.__cause__, UnidentifiedImageError)
        else error.problem
    )
