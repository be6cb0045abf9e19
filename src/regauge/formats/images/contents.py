"""The images of a test set, read from where they lie: a file of their own, or a piece of a shard."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Mapping, Sequence
from pathlib import Path

from PIL import Image

from regauge.errors import FormatError, InputError
from regauge.records.studies import ImagePlace

SUFFIX_OF_FORMAT: Mapping[str, str] = {
    "BMP": ".bmp",
    "GIF": ".gif",
    "JPEG": ".jpg",
    "MPO": ".jpg",
    "PNG": ".png",
    "PPM": ".ppm",
    "TIFF": ".tiff",
    "WEBP": ".webp",
}
"""The formats that Regauge knows, as Pillow calls them, and how their files are called."""


def is_outside(path: str) -> bool:
    """Whether the path of an image leads out of the folder that it is relative to.

    >>> is_outside("n01440764/a.jpg"), is_outside("../a.jpg"), is_outside("/etc/passwd")
    (False, True, True)
    """
    named = Path(path)
    return named.is_absolute() or ".." in named.parts


def read_image(root: Path, place: ImagePlace) -> bytes:
    """The bytes of one image, as they are.

    Raises:
        InputError: the place is not below the root, or is not known.
        FormatError: the file cannot be read, ends too early, or is not the one whose checksum was stored.
    """
    if not place.path or is_outside(place.path):
        raise InputError(f"{place.path!r} is not an image file below {root}.")
    path = root / place.path
    try:
        with path.open("rb") as file:
            file.seek(place.offset or 0)
            content = file.read(-1 if place.n_bytes is None else place.n_bytes)
    except FileNotFoundError:
        raise FormatError(path, "there is no such file; if the images were moved: regauge testset relocate.") from None
    except OSError as error:
        raise FormatError(path, f"the image cannot be read: {error.strerror}.") from error
    if place.n_bytes is not None and len(content) != place.n_bytes:
        raise FormatError(path, f"the shard ends before an image at byte {place.offset:,} does.")
    if place.sha256 is not None and hashlib.sha256(content).hexdigest() != place.sha256:
        raise FormatError(path, "the image is not the one that was added: its checksum is another.")
    return content


def find_suffix(content: bytes) -> str | None:
    """How the file of such an image is called; None where the bytes are no image that is known."""
    try:
        # Pillow tells an MPO, a JPEG with further pictures behind it, only after it has opened a JPEG.
        with Image.open(io.BytesIO(content), formats=[one for one in SUFFIX_OF_FORMAT if one != "MPO"]) as image:
            return SUFFIX_OF_FORMAT.get(image.format or "")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return None


def check_places(root: Path, places: Sequence[ImagePlace]) -> int:
    """Refuse a root below which an image is not there or is another; returns how many checksums were compared.

    Without a stored checksum an image counts as there when its file is, and is long enough.

    Raises:
        InputError: a place is not known, or is not below the root.
        FormatError: a file is missing, too short or another.
    """
    sizes: dict[str, int] = {}
    for place in places:
        if place.sha256 is not None:
            read_image(root, place)
            continue
        if not place.path or is_outside(place.path):
            raise InputError(f"{place.path!r} is not an image file below {root}.")
        if place.path not in sizes:
            sizes[place.path] = _find_size(root / place.path)
        if (place.offset or 0) + (place.n_bytes or 0) > sizes[place.path]:
            raise FormatError(root / place.path, f"the shard ends before an image at byte {place.offset:,} does.")
    return sum(place.sha256 is not None for place in places)


def _find_size(path: Path) -> int:
    if not path.is_file():
        raise FormatError(path, "there is no such file.")
    return path.stat().st_size
