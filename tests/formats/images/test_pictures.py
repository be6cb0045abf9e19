"""Small copies of images: upright, opaque, without metadata, and refused in a sentence where there is no image."""

from __future__ import annotations

import io
import struct
import zlib
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from regauge.errors import FormatError
from regauge.formats.images.pictures import MAX_PIXELS, make_thumbnail

RED, BLUE = (200, 10, 10), (10, 10, 200)


def encode(image: Image.Image, kind: str, **options: Any) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


def open_small(content: bytes, side: int = 64) -> Image.Image:
    small = Image.open(io.BytesIO(make_thumbnail(content, side=side)))
    assert (small.format, small.mode) == ("JPEG", "RGB")
    return small


def make_halves(size: tuple[int, int] = (120, 60)) -> Image.Image:
    """Red on the left, blue on the right."""
    image = Image.new("RGB", size, RED)
    image.paste(BLUE, (size[0] // 2, 0, *size))
    return image


def is_near(pixel: Any, colour: tuple[int, int, int]) -> bool:
    return bool(np.abs(np.subtract(pixel, colour)).max() < 25)


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "BMP", "TIFF", "WEBP", "PPM"])
def test_the_longer_side_shrinks_and_the_shape_stays(kind: str) -> None:
    small = open_small(encode(make_halves(), kind))
    assert small.size == (64, 32)
    assert is_near(small.getpixel((8, 16)), RED)
    assert is_near(small.getpixel((56, 16)), BLUE)


def test_a_small_image_is_not_enlarged() -> None:
    assert open_small(encode(make_halves((10, 6)), "PNG")).size == (10, 6)


def test_a_turned_photograph_is_shown_upright_and_loses_its_metadata() -> None:
    tags = Image.Exif()
    tags[0x0112] = 6  # Turn it by 90° clockwise.
    tags[0x010F] = "a camera"
    small = open_small(encode(make_halves(), "JPEG", exif=tags))
    assert small.size == (32, 64)
    assert is_near(small.getpixel((16, 8)), RED)
    assert not small.getexif()


@pytest.mark.parametrize("mode", ["RGBA", "LA"])
def test_what_is_transparent_becomes_white(mode: str) -> None:
    image = Image.new("RGBA", (20, 20), (0, 0, 0, 0)).convert(mode)
    assert is_near(open_small(encode(image, "PNG")).getpixel((10, 10)), (255, 255, 255))


def test_a_transparent_colour_of_a_palette_becomes_white() -> None:
    image = Image.new("P", (20, 20), 1)
    image.putpalette([*RED, *BLUE])
    for kind in ("GIF", "PNG"):
        assert is_near(open_small(encode(image, kind, transparency=1)).getpixel((10, 10)), (255, 255, 255))
        assert is_near(open_small(encode(image, kind)).getpixel((10, 10)), BLUE)


def test_sixteen_bits_keep_their_shades() -> None:
    ramp = np.tile(np.linspace(0, 65_535, 64).astype(np.uint16), (8, 1))
    small = open_small(encode(Image.fromarray(ramp), "PNG"))
    shades = [small.getpixel((x, 4))[0] for x in (0, 32, 63)]  # type: ignore[index]
    assert shades == pytest.approx([0, 128, 255], abs=6)


@pytest.mark.parametrize("mode", ["L", "1", "P", "CMYK", "I;16"])
def test_every_mode_becomes_a_picture(mode: str) -> None:
    kind = "TIFF" if mode in {"CMYK", "I;16"} else "PNG"
    assert open_small(encode(Image.new(mode, (30, 20)), kind)).size == (30, 20)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no image",
        b"\x89PNG\r\n\x1a\n",
        b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 10 10\n",
        encode(make_halves(), "PNG")[:90],
        encode(make_halves(), "JPEG")[:200],
    ],
    ids=["empty", "text", "header only", "a program", "half a PNG", "half a JPEG"],
)
def test_what_is_no_image_is_refused_with_a_sentence(content: bytes) -> None:
    with pytest.raises(FormatError, match=r"^image: it cannot be decoded: .*\.$"):
        make_thumbnail(content, side=64)


def test_an_image_of_too_many_pixels_is_refused_before_it_is_decoded() -> None:
    side = int(MAX_PIXELS**0.5) + 1
    header = struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)
    chunk = b"IHDR" + header
    content = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + chunk + struct.pack(">I", zlib.crc32(chunk))
    content += struct.pack(">I", 0) + b"IDAT" + struct.pack(">I", zlib.crc32(b"IDAT"))
    with pytest.raises(FormatError, match=f"it cannot be decoded: {side} × {side} pixels are more than 150,000,000"):
        make_thumbnail(content, side=64)


WHOLE = {kind: encode(make_halves((24, 16)), kind) for kind in ("PNG", "JPEG", "GIF", "BMP", "TIFF", "WEBP")}


@given(
    st.sampled_from(list(WHOLE)), st.lists(st.tuples(st.integers(0, 4_000), st.integers(0, 255)), max_size=8), st.data()
)
def test_a_damaged_file_gives_a_picture_or_a_sentence(kind: str, changes: list[tuple[int, int]], data: Any) -> None:
    content = bytearray(WHOLE[kind])
    for place, value in changes:
        content[place % len(content)] = value
    cut = data.draw(st.integers(0, len(content)))
    # Anything else that Pillow raises would fail the test.
    with suppress(FormatError):
        assert open_small(bytes(content[:cut])).width <= 64
