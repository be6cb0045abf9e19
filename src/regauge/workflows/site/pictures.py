"""Pictures of a website: copies in the folder, if they were asked for; those that cannot be read are counted."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from regauge.errors import FormatError, InputError
from regauge.formats.images.contents import read_image
from regauge.formats.images.pictures import make_thumbnail
from regauge.records.site import SitePictures
from regauge.records.studies import ImagePlace
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import load_places
from regauge.workflows.site.sets import SiteSet

_SIDES = {SitePictures.THUMBNAILS: 256, SitePictures.RENDITIONS: 512}
_QUALITY = 80
"""Of the JPEG copies; nobody judges images by them, and finer ones are half as large again."""
PER_FOLDER = 1000
"""Copies in a folder; the page knows it."""
NO_PICTURE = -1


def write_pictures(
    study: Study, sets: Sequence[SiteSet], folder: Path, *, mode: SitePictures, spend: Callable[[int], None]
) -> int:
    """Write images as JPEG copies of at most the side that was asked for, by number; small ones are not enlarged.

    Images whose files are the same share a copy: a drawn set and its pool are pictured once.

    Args:
        study: the study inside a transaction.
        sets: whose images; each is told the copies of its images.
        folder: the folder of pictures, which need not be there.
        mode: which pictures; nothing is done where they are not copied.
        spend: told the bytes of each picture; raises where they are too many.

    Returns:
        How many pictures there are.

    Raises:
        InputError: pictures were asked for, and not one image can be read.
    """
    side = _SIDES.get(mode)
    if side is None:
        return 0
    number_of: dict[bytes, int] = {}
    n_written = 0
    for one in sets:
        one.pictures = np.full(len(one.test_set), NO_PICTURE, np.int64)
        places = load_places(study, one.entry)
        for row, place in enumerate(study.around.track(places, "Writing pictures", total=len(places))):
            found = _copy(Path(one.entry.root), place, side=side, known=number_of)
            if found is None:
                continue
            digest, copy = found
            if copy is not None:
                spend(len(copy))
                _write(folder, n_written, copy)
                number_of[digest] = n_written
                n_written += 1
            one.pictures[row] = number_of[digest]
    if not n_written:
        n = sum(len(one.test_set) for one in sets)
        raise InputError(
            f"Not one of {n:,} images can be read, so there is no picture to copy; leave out `pictures={mode.value!r}`, or say "
            "where the images are with: regauge testset relocate."
        )
    return n_written


def _copy(root: Path, place: ImagePlace, *, side: int, known: Mapping[bytes, int]) -> tuple[bytes, bytes | None] | None:
    """The digest of an image and its copy, None where one is there already; None alone where it cannot be read."""
    try:
        content = read_image(root, place)
        digest = hashlib.sha256(content).digest()
        return digest, None if digest in known else make_thumbnail(content, side=side, quality=_QUALITY)
    except (FormatError, InputError):
        return None


def _write(folder: Path, number: int, copy: bytes) -> None:
    own = folder / str(number // PER_FOLDER)
    own.mkdir(parents=True, exist_ok=True)
    (own / f"{number}.jpg").write_bytes(copy)
