"""Adding images looks at every one of them: header, limits and folder, whatever way they come in."""

from __future__ import annotations

import io
import struct
import tarfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.workflows.campaign_studies import draw_picture, make_pictured

from regauge.errors import FormatError, InputError
from regauge.storage.testsets.pool import find_excluded
from regauge.storage.testsets.test_set import load_test_set
from regauge.workflows.pools.pool import BatchRequest, add_batch, prepare_batch
from regauge.workflows.studies.study import Study
from regauge.workflows.testsets.test_set import (
    TestSetRequest,
    add_test_set,
    prepare_test_set,
    relocate_test_set,
    store_test_set,
)

TEXT = b"Dear reader, this is not a picture."
FORMATS = ("PNG", "JPEG", "GIF", "BMP", "WEBP", "TIFF", "PPM")


def make_bomb() -> bytes:
    """A PNG of few bytes that says it has 40,000 × 40,000 pixels."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 40_000, 40_000, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")


def cut(content: bytes) -> bytes:
    return content[: len(content) * 2 // 3]


BROKEN = {"text": TEXT, "bomb": make_bomb(), "cut": cut(draw_picture(1)), "empty": b""}
of_each = pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN.keys())


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Study]:
    """A study of small pictures."""
    with make_pictured(tmp_path) as made:
        yield made


def write_folder(folder: Path, content: bytes) -> Path:
    """Class folders with two pictures, and one file that may be none."""
    for place, name in (("airplane", "good"), ("bird", "fine")):
        (folder / place).mkdir(parents=True)
        (folder / place / f"{name}.png").write_bytes(draw_picture(len(name)))
    (folder / "bird" / "odd.png").write_bytes(content)
    return folder


def write_metadata(folder: Path, content: bytes) -> Path:
    write_folder(folder, content)
    lines = ["file_name,label", "airplane/good.png,0", "bird/fine.png,2", "bird/odd.png,2"]
    (folder / "metadata.csv").write_text("\n".join(lines))
    return folder


def write_table(folder: Path, content: bytes) -> Path:
    write_folder(folder, content)
    lines = ["image_id,label,file", "good,0,airplane/good.png", "fine,2,bird/fine.png", "odd,2,bird/odd.png"]
    (folder / "set.csv").write_text("\n".join(lines))
    return folder / "set.csv"


def write_shard(folder: Path, content: bytes) -> Path:
    folder.mkdir()
    with tarfile.open(folder / "set.tar", "w") as archive:
        for name, image in (("good", draw_picture(4)), ("odd", content)):
            for member, data in ((f"{name}.png", image), (f"{name}.cls", b"2")):
                entry = tarfile.TarInfo(member)
                entry.size = len(data)
                archive.addfile(entry, io.BytesIO(data))
    return folder / "set.tar"


LAYOUTS = (write_folder, write_metadata, write_table, write_shard)


@of_each
@pytest.mark.parametrize("write", LAYOUTS)
def test_what_is_no_image_is_refused_and_named_in_every_layout(study, tmp_path, content, write):
    path = write(tmp_path / "odd", content)
    with study.begin() as begun, pytest.raises(InputError, match=r"1 of \d images of \w+ cannot be shown: odd \("):
        add_test_set(begun, path)


@pytest.mark.parametrize("write", LAYOUTS)
def test_it_is_left_out_with_a_note_where_that_is_wanted(study, tmp_path, write):
    path = write(tmp_path / "odd", TEXT)
    with study.begin() as begun:
        request = TestSetRequest(name="some", skips_broken=True, checksums=True)
        added = store_test_set(begun, prepare_test_set(begun, path, request=request))
        ids = load_test_set(begun, added.entry).image_ids.tolist()
        again = store_test_set(begun, prepare_test_set(begun, path, request=request))
    assert "odd" not in ids
    assert "good" in ids
    assert any(
        "left out" in note and "odd (it is not an image of a format that is known)" in note for note in added.notes
    )
    assert again.entry.id == added.entry.id


def test_a_set_of_which_nothing_is_left_is_refused(study, tmp_path):
    (tmp_path / "odd" / "bird").mkdir(parents=True)
    (tmp_path / "odd" / "bird" / "a.png").write_bytes(TEXT)
    with study.begin() as begun, pytest.raises(InputError, match="1 of 1 images"):
        prepare_test_set(begun, tmp_path / "odd", request=TestSetRequest(skips_broken=True))


@pytest.mark.parametrize("write", LAYOUTS[:3])
@pytest.mark.parametrize("is_folder", [False, True])
def test_a_link_that_leads_out_of_the_folder_is_refused(study, tmp_path, write, is_folder):
    path = write(tmp_path / "odd", draw_picture(9))
    (tmp_path / "private").mkdir()
    inside = tmp_path / "odd" / "bird"
    if is_folder:
        inside.rename(tmp_path / "private" / "bird")
        inside.symlink_to(tmp_path / "private" / "bird")
    else:
        (tmp_path / "private" / "secret.png").write_bytes(draw_picture(9))
        (inside / "odd.png").unlink()
        (inside / "odd.png").symlink_to(tmp_path / "private" / "secret.png")
    with study.begin() as begun, pytest.raises(InputError, match="leads out of"):
        add_test_set(begun, path)


def test_links_are_taken_by_those_who_say_so_and_may_lead_out_after_a_move_too(study, tmp_path):
    path = write_folder(tmp_path / "odd", draw_picture(9))
    (tmp_path / "odd" / "bird").rename(tmp_path / "birds")
    (tmp_path / "odd" / "bird").symlink_to(tmp_path / "birds")
    with study.begin() as begun:
        prepared = prepare_test_set(begun, path, request=TestSetRequest(follows_links=True))
        assert store_test_set(begun, prepared).entry.n_images == 3
        add_test_set(begun, write_folder(tmp_path / "plain", draw_picture(9)))
        relocate_test_set(begun, "odd", root=tmp_path / "odd")
        with pytest.raises(FormatError, match="leads out of"):
            relocate_test_set(begun, "plain", root=tmp_path / "odd")


def test_a_link_within_the_folder_is_followed(study, tmp_path):
    path = write_folder(tmp_path / "odd", draw_picture(9))
    (path / "bird" / "same.png").symlink_to(path / "bird" / "odd.png")
    with study.begin() as begun:
        assert add_test_set(begun, path).entry.n_images == 4


@pytest.mark.parametrize("image_format", FORMATS)
def test_whole_images_of_every_format_are_taken_and_cut_ones_are_not(study, tmp_path, image_format):
    whole = draw_picture(3, size=(64, 48), image_format=image_format)
    with study.begin() as begun:
        assert add_test_set(begun, write_folder(tmp_path / "whole", whole)).entry.n_images == 3
        with pytest.raises(InputError, match="cannot be shown: odd"):
            add_test_set(begun, write_folder(tmp_path / "cut", cut(whole)))


def test_a_file_with_a_little_behind_its_end_is_taken(study, tmp_path):
    padded = draw_picture(3, image_format="JPEG") + b"\x00" * 500
    with study.begin() as begun:
        assert add_test_set(begun, write_folder(tmp_path / "padded", padded)).entry.n_images == 3


def test_relocating_looks_at_the_images_too(study, tmp_path):
    with study.begin() as begun:
        add_test_set(begun, write_folder(tmp_path / "here", draw_picture(3)))
        write_folder(tmp_path / "there", TEXT)
        with pytest.raises(FormatError, match="1 of 3 images cannot be shown"):
            relocate_test_set(begun, "here", root=tmp_path / "there")


@of_each
def test_a_batch_that_is_not_compared_excludes_what_is_no_image(study, tmp_path, content):
    path = write_folder(tmp_path / "batch", content)
    with study.begin() as begun:
        added = add_batch(begun, prepare_batch(begun, path, request=BatchRequest(is_compared=False)))
        assert set(find_excluded(begun, added.entry.batch)) == {"odd"}
