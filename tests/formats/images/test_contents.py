"""Images are read from where they lie, and from nowhere else."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path

import pytest
from PIL import Image

from regauge.errors import FormatError, InputError
from regauge.formats.images.contents import SUFFIX_OF_FORMAT, check_places, find_suffix, read_image
from regauge.records.studies import ImagePlace


def draw(kind: str) -> bytes:
    content = io.BytesIO()
    Image.new("RGB", (4, 4), "red").save(content, kind)
    return content.getvalue()


def test_an_image_is_a_file_or_a_piece_of_a_shard(tmp_path: Path) -> None:
    (tmp_path / "a.jpg").write_bytes(b"whole")
    (tmp_path / "s.tar").write_bytes(b"...piece...")
    assert read_image(tmp_path, ImagePlace("a.jpg")) == b"whole"
    assert read_image(tmp_path, ImagePlace("s.tar", 3, 5)) == b"piece"


@pytest.mark.parametrize("path", ["", "../a.jpg", "/etc/passwd", "x/../../a.jpg"])
def test_nothing_outside_of_the_root_is_read(tmp_path: Path, path: str) -> None:
    (tmp_path / "a.jpg").write_bytes(b"secret")
    (tmp_path / "below").mkdir()
    for look in (lambda: read_image(tmp_path / "below", ImagePlace(path)), lambda: check(tmp_path / "below", path)):
        with pytest.raises(InputError, match="is not an image file below"):
            look()


def check(root: Path, path: str) -> int:
    return check_places(root, [ImagePlace(path)])


def test_an_image_that_is_gone_cut_off_or_another_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.jpg").write_bytes(b"whole")
    for place, reason in (
        (ImagePlace("b.jpg"), "there is no such file"),
        (ImagePlace("a.jpg", 3, 5), "the shard ends before an image at byte 3"),
    ):
        with pytest.raises(FormatError, match=reason):
            read_image(tmp_path, place)
        with pytest.raises(FormatError, match=reason):
            check_places(tmp_path, [place])
    other = ImagePlace("a.jpg", sha256=hashlib.sha256(b"other").hexdigest())
    with pytest.raises(FormatError, match="its checksum is another"):
        check_places(tmp_path, [ImagePlace("a.jpg"), other])


def test_checksums_are_compared_where_there_are_any(tmp_path: Path) -> None:
    (tmp_path / "a.jpg").write_bytes(b"whole")
    known = ImagePlace("a.jpg", sha256=hashlib.sha256(b"whole").hexdigest())
    assert check_places(tmp_path, [ImagePlace("a.jpg"), known, known]) == 2


@pytest.mark.parametrize(("kind", "suffix"), SUFFIX_OF_FORMAT.items())
def test_the_suffix_of_an_image_is_told_by_its_content(kind: str, suffix: str) -> None:
    assert find_suffix(draw(kind)) == suffix


@pytest.mark.parametrize("content", [b"", b"root:x:0:0:root:/root:/bin/bash\n", b"<svg/>", draw("PNG")[:20]])
def test_what_is_no_image_has_no_suffix(content: bytes) -> None:
    assert find_suffix(content) is None
