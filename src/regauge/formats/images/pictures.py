"""Small copies of images to look at."""

from __future__ import annotations

import hashlib
import io
import struct
import warnings
import zlib
from typing import BinaryIO

from PIL import Image, ImageOps

from regauge.errors import FormatError
from regauge.formats.images.contents import SUFFIX_OF_FORMAT

MAX_PIXELS = 150_000_000
JPEG_QUALITY = 85
TAIL = 64
ENDS = {"JPEG": b"\xff\xd9", "MPO": b"\xff\xd9", "PNG": b"IEND"}
"""What stands at the end of a whole file, within so many bytes; some programs put a little behind it."""
FORMATS = [name for name in SUFFIX_OF_FORMAT if name != "MPO"]
"""What is opened: no format that needs another program. MPO comes in by JPEG, as Pillow has it."""
BROKEN = (
    AttributeError,
    EOFError,
    LookupError,
    MemoryError,
    OSError,
    OverflowError,
    SyntaxError,
    TypeError,
    ValueError,
    struct.error,
    zlib.error,
    Image.DecompressionBombError,
)
"""What Pillow raises over files that are cut short or were tampered with; it promises none of it."""


def make_thumbnail(content: bytes, *, side: int, quality: int = JPEG_QUALITY) -> bytes:
    """The image as a JPEG file whose longer side has at most so many pixels, upright, without metadata.

    Raises:
        FormatError: the content is not an image, or has too many pixels.
    """
    flat = _open_flat(content, side)
    flat.thumbnail((side, side), Image.Resampling.LANCZOS)
    return _write_jpeg(flat, quality)


def make_rendition(content: bytes, *, side: int) -> bytes:
    """The image as a JPEG file whose longer side has just so many pixels, upright, without metadata.

    A small image is enlarged: else its size would tell from which set it is.

    Raises:
        FormatError: the content is not an image, or has too many pixels.
    """
    flat = _open_flat(content, side)
    scale = side / max(flat.size)
    width, height = (max(1, round(scale * length)) for length in flat.size)
    return _write_jpeg(flat.resize((width, height), Image.Resampling.LANCZOS))


def hash_pixels(content: bytes) -> str:
    """The SHA-256 of width, height and all pixels of the image in RGB, upright: files that look the same have the same.

    Raises:
        FormatError: the content is not an image, or has too many pixels.
    """
    flat = _open_flat(content, None)
    digest = hashlib.sha256(f"{flat.width} {flat.height} ".encode())
    digest.update(flat.tobytes())
    return digest.hexdigest()


def check_picture(file: BinaryIO) -> None:
    """Refuse a file that is not an image, has too many pixels, or ends too early.

    Only the header is read, unless the file does not end as its format does; then all of it is decoded. Whoever calls it in
    several threads silences warnings.

    Raises:
        FormatError: the file is not an image, has too many pixels, or ends too early.
    """
    try:
        with Image.open(file, formats=FORMATS) as opened:
            _check_size(opened)
            if not _ends_well(file, opened.format or ""):
                opened.load()
    except BROKEN as error:
        raise FormatError("image", f"it cannot be decoded: {error}.") from error


def _ends_well(file: BinaryIO, image_format: str) -> bool:
    file.seek(0, io.SEEK_END)
    file.seek(max(0, file.tell() - TAIL))
    return ENDS.get(image_format, b"\x00" * TAIL) in file.read()


def _check_size(opened: Image.Image) -> None:
    if opened.width * opened.height > MAX_PIXELS:
        raise Image.DecompressionBombError(f"{opened.width} × {opened.height} pixels are more than {MAX_PIXELS:,}")


def _open_flat(content: bytes, side: int | None) -> Image.Image:
    """The image in RGB, upright; of a JPEG, no more pixels than a picture of that side needs, if one is given."""
    try:
        with warnings.catch_warnings():
            # Of damaged tags and of many pixels; whoever looks at the picture sees what came of them.
            warnings.simplefilter("ignore")
            with Image.open(io.BytesIO(content), formats=FORMATS) as opened:
                _check_size(opened)
                if side is not None:
                    opened.draft("RGB", (2 * side, 2 * side))
                return _flatten(ImageOps.exif_transpose(opened))
    except BROKEN as error:
        raise FormatError("image", f"it cannot be decoded: {error}.") from error


def _write_jpeg(flat: Image.Image, quality: int = JPEG_QUALITY) -> bytes:
    # Pillow would write a comment of the file into the copy.
    flat.info = {}
    buffer = io.BytesIO()
    flat.save(buffer, "JPEG", quality=quality)
    return buffer.getvalue()


def _flatten(image: Image.Image) -> Image.Image:
    """The image in RGB; what is transparent becomes white."""
    if image.mode in {"RGBA", "LA", "PA"} or "transparency" in image.info:
        over = image.convert("RGBA")
        ground = Image.new("RGBA", over.size, "white")
        return Image.alpha_composite(ground, over).convert("RGB")
    if image.mode.startswith("I;16"):
        # Pillow would cut off all above 255 of 65,535.
        return image.point(lambda depth: depth / 256).convert("L").convert("RGB")
    return image.convert("RGB")
