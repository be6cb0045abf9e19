"""Whether files are images that can be shown: below their folder, of a format that is known, and of a size that can be opened."""

from __future__ import annotations

import io
from collections.abc import Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import BinaryIO

from regauge.errors import FormatError, InputError
from regauge.formats.images.contents import read_image
from regauge.formats.images.fingerprints import MAX_BYTES, TOO_LARGE, explain, map_images
from regauge.formats.images.named_files import ImageFiles
from regauge.formats.images.pictures import check_picture
from regauge.records.progress import Track, track_silently
from regauge.records.studies import ImagePlace


def find_broken(
    root: Path, places: Sequence[ImagePlace], *, follows_links: bool = False, track: Track = track_silently
) -> dict[int, str]:
    """Why images cannot be shown, by their rows: by header, limits and folder. Those without a file are passed over.

    The header tells format and size. An image that does not end as its format does is decoded, so that one which is cut short is
    found without decoding all.

    Args:
        root: the folder of the images.
        places: where they lie below it.
        follows_links: whether links may lead out of the folder.
        track: who is told how many are looked at.
    """
    rows = [row for row, place in enumerate(places) if place.path]
    if not rows:
        return {}
    files = ImageFiles(root)
    found = map_images([places[row] for row in rows], partial(_check, files, follows_links=follows_links), track=track)
    problems = (problem for chunk in found for problem in chunk)
    return {row: problem for row, problem in zip(rows, problems, strict=True) if problem}


def _check(files: ImageFiles, place: ImagePlace, *, follows_links: bool) -> str:
    try:
        if not follows_links:
            files.check(place.path)
        size = (files.root / place.path).stat().st_size if place.n_bytes is None else place.n_bytes
        if size > MAX_BYTES:
            return TOO_LARGE
        with _open(files.root, place) as file:
            check_picture(file)
    except FormatError as error:
        return explain(error)
    except InputError as error:
        return str(error)
    except OSError as error:
        return f"it cannot be read: {error.strerror}."
    return ""


def _open(root: Path, place: ImagePlace) -> AbstractContextManager[BinaryIO]:
    if place.offset is None:
        return (root / place.path).open("rb")
    return io.BytesIO(read_image(root, place))
