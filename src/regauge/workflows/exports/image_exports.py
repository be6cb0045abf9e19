"""Copy the images of a test set to a folder that leaves the study."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from regauge.errors import FormatError, InputError
from regauge.formats.images.contents import find_suffix, read_image
from regauge.records.studies import TestSetEntry
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import load_places, load_test_set


class CopiedImage(NamedTuple):
    """Where an image went, below the folder, and its SHA-256."""

    file: str
    sha256: str


def copy_images(
    study: Study, entry: TestSetEntry, *, folder: Path, name_file: Callable[[int, str], str], link: bool = False
) -> list[CopiedImage]:
    """Copy every image of a test set, byte for byte, in row order.

    Args:
        study: the study, inside a transaction.
        entry: the test set.
        folder: where.
        name_file: gives the file, below the folder, of a row and a suffix such as `.jpg`.
        link: whether to make symbolic links in place of copies; pieces of a shard are copied nevertheless.

    Raises:
        InputError: an image has no file, or two images would get the same name.
        FormatError: an image cannot be read.
    """
    root, copied = Path(entry.root), []
    for row, place in enumerate(study.around.track(load_places(study, entry), "Copying images")):
        if not place.path:
            image_id = load_test_set(study, entry).image_ids[row]
            raise InputError(f"Image {str(image_id)!r} of {entry.name} has no file, so it cannot be copied.")
        content = read_image(root, place)
        suffix = find_suffix(content)
        if suffix is None:
            raise FormatError(root / place.path, "this is not an image of a known format.")
        copied.append(CopiedImage(name_file(row, suffix), hashlib.sha256(content).hexdigest()))
        _put(folder / copied[-1].file, content, root / place.path if link and place.offset is None else None)
    return copied


def _put(path: Path, content: bytes, linked: Path | None) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists():
        raise InputError(f"Two images would be called {path.parent.name}/{path.name}; one of them needs another id.")
    if linked is None:
        path.write_bytes(content)
    else:
        path.symlink_to(linked.resolve())
