"""Checksums tell images apart that look different, and not those that look the same."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from regauge.errors import FormatError
from regauge.formats.images.fingerprints import CHUNK, read_checksums
from regauge.formats.images.pictures import hash_pixels
from regauge.records.studies import ImagePlace


def make_picture(seed: int = 0, *, size: tuple[int, int] = (6, 4)) -> Image.Image:
    pixels = np.random.default_rng(seed).integers(0, 256, (size[1], size[0], 3), np.uint8)
    return Image.fromarray(pixels)


def dump(image: Image.Image, kind: str = "PNG", **options: object) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


def test_the_same_pixels_in_other_files_have_the_same_checksum() -> None:
    picture = make_picture()
    assert (
        hash_pixels(dump(picture)) == hash_pixels(dump(picture, "BMP")) == hash_pixels(dump(picture, compress_level=0))
    )


def test_one_other_pixel_makes_another_checksum() -> None:
    other = make_picture()
    red, green, blue = other.getpixel((0, 0))  # type: ignore[misc]
    other.putpixel((0, 0), (red, green, blue ^ 1))
    assert hash_pixels(dump(make_picture())) != hash_pixels(dump(other))


def test_the_size_counts_beside_the_pixels() -> None:
    flat = Image.new("RGB", (6, 4), "red"), Image.new("RGB", (4, 6), "red")
    assert hash_pixels(dump(flat[0])) != hash_pixels(dump(flat[1]))


def test_an_image_that_is_to_be_turned_is_the_same_as_one_that_was() -> None:
    picture = make_picture()
    exif = Image.Exif()
    # The sixth orientation is shown turned by 90 degrees clockwise.
    exif[0x0112] = 6
    assert hash_pixels(dump(picture, exif=exif)) == hash_pixels(dump(picture.transpose(Image.Transpose.ROTATE_270)))


def test_grey_is_grey_in_any_mode() -> None:
    grey = make_picture().convert("L")
    assert hash_pixels(dump(grey)) == hash_pixels(dump(grey.convert("RGB")))


def test_a_large_jpeg_is_hashed_in_full() -> None:
    # Decoded at a fraction of their size, as for small copies, these two would be the same.
    wide = make_picture(1, size=(640, 480))
    other = wide.copy()
    other.paste((0, 0, 0), (0, 0, 2, 2))
    first, second = (hash_pixels(dump(one, "JPEG", quality=100)) for one in (wide, other))
    assert first != second


def test_checksums_come_in_the_order_of_the_images(tmp_path: Path) -> None:
    n = 2 * CHUNK + 3
    for number in range(n):
        (tmp_path / f"{number}.png").write_bytes(dump(make_picture(number)))
    places = [ImagePlace(f"{number}.png") for number in range(n)]
    chunks = list(read_checksums(tmp_path, places))
    assert [len(chunk) for chunk in chunks] == [CHUNK, CHUNK, 3]
    found = [pixels for chunk in chunks for _, pixels, _ in chunk]
    assert found == [hash_pixels(dump(make_picture(number))) for number in range(n)]


def test_what_cannot_be_decoded_has_a_checksum_of_its_bytes_and_a_reason(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"no image")
    (tmp_path / "b.png").write_bytes(dump(make_picture(size=(60, 40)))[:900])
    ((first, second),) = read_checksums(tmp_path, [ImagePlace("a.png"), ImagePlace("b.png")])
    assert (len(first[0]), first[1], first[2]) == (64, "", "it is not an image of a format that is known.")
    assert (len(second[0]), second[1]) == (64, "")
    assert second[2].startswith("it cannot be decoded")


def test_a_huge_file_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("regauge.formats.images.fingerprints.MAX_BYTES", 4)
    (tmp_path / "a.png").write_bytes(b"no image")
    ((found,),) = read_checksums(tmp_path, [ImagePlace("a.png")])
    assert found[:2] == ("", "")
    assert "its file is larger than" in found[2]


def test_a_file_that_is_gone_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="there is no such file"):
        list(read_checksums(tmp_path, [ImagePlace("a.png")]))
