"""Test sets as they lie on disk: folders, tables, metadata files and shards."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest
from tests.cli.command_runner import write

from regauge.errors import FormatError, InputError
from regauge.formats.taxonomies import load_taxonomy
from regauge.formats.testsets import add_checksums, load_located
from regauge.records.studies import TestSetKind

CIFAR = load_taxonomy("cifar-10")


def write_shard(path: Path, members: dict[str, bytes]) -> None:
    path.parent.mkdir(exist_ok=True)
    with tarfile.open(path, "w") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))


def test_a_folder_of_class_folders_gives_ids_labels_and_places(tmp_path: Path) -> None:
    write(tmp_path, {"set/bird/b.png": b"", "set/airplane/a.jpg": b"", "set/airplane/notes.txt": b""})
    found = load_located(tmp_path / "set", taxonomy=CIFAR)
    assert (found.kind, found.root) == (TestSetKind.IMAGE_FOLDER, str(tmp_path / "set"))
    assert (found.test_set.image_ids.tolist(), found.test_set.labels.tolist()) == (["a", "b"], [0, 2])
    assert [place.path for place in found.places] == ["airplane/a.jpg", "bird/b.png"]


def test_a_table_may_say_where_its_images_are(tmp_path: Path) -> None:
    write(tmp_path, {"t.csv": "image_id,label,file\nx,0,one/a.png\ny,bird,b.png\n", "one/a.png": b"", "b.png": b""})
    found = load_located(tmp_path / "t.csv", taxonomy=CIFAR)
    assert [place.path for place in found.places] == ["one/a.png", "b.png"]
    assert found.test_set.image_ids.tolist() == ["x", "y"]
    write(tmp_path, {"elsewhere/one/a.png": b"", "elsewhere/b.png": b""})
    assert load_located(tmp_path / "t.csv", taxonomy=CIFAR, images=tmp_path / "elsewhere").root.endswith("elsewhere")


def test_a_table_without_files_has_no_places_and_no_checksums(tmp_path: Path) -> None:
    write(tmp_path, {"t.csv": "image_id,label\nx,0\n"})
    found = load_located(tmp_path / "t.csv")
    assert (found.places[0].path, found.notes) == (
        "",
        ("t.csv: dataset labels of 1 image.", "t.csv: the images themselves are not at hand."),
    )
    with pytest.raises(InputError, match="does not say where its images are"):
        add_checksums(found)


@pytest.mark.parametrize(
    ("file", "reason"),
    [("gone.png", "no file 'gone.png'"), ("../t.csv", r"'\.\./t\.csv' is not below"), ("/etc/passwd", "is not below")],
)
def test_a_file_that_is_gone_or_outside_is_refused(tmp_path: Path, file: str, reason: str) -> None:
    write(tmp_path, {"in/t.csv": f"image_id,label,file\nx,0,{file}\n", "t.csv": b""})
    with pytest.raises(FormatError, match=reason):
        load_located(tmp_path / "in" / "t.csv")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("metadata.csv", "file_name,label\nsub/a.png,bird\nb.png,0\n"),
        ("metadata.jsonl", '{"file_name":"sub/a.png","label":"bird"}\n{"file_name":"b.png","label":0}\n'),
    ],
)
def test_a_folder_with_metadata_is_read_by_its_file_names(tmp_path: Path, name: str, content: str) -> None:
    write(tmp_path, {f"hf/{name}": content, "hf/sub/a.png": b"", "hf/b.png": b""})
    found = load_located(tmp_path / "hf", taxonomy=CIFAR)
    assert (found.kind, found.test_set.name) == (TestSetKind.METADATA_FOLDER, "hf")
    assert (found.test_set.image_ids.tolist(), found.test_set.labels.tolist()) == (["a", "b"], [2, 0])
    assert [place.path for place in found.places] == ["sub/a.png", "b.png"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (
            "file_name,label\na.png,\nx/a.png,0\n",
            r"'a.png' has no label, as others do; give all files a label, or none",
        ),
        ("file_name,label\na.png,0\n,1\n", r"line 3: every line needs a file_name"),
        ("file_name,label\na.png,0\na.png,1\n", "both stand for image 'a'"),
        ("file_name,label\na.png,unicorn\n", "line 2: 'unicorn' is not a class"),
    ],
)
def test_metadata_that_cannot_be_used_is_refused_with_its_line(tmp_path: Path, content: str, reason: str) -> None:
    write(tmp_path, {"hf/metadata.csv": content, "hf/a.png": b"", "hf/x/a.png": b""})
    with pytest.raises(FormatError, match=reason):
        load_located(tmp_path / "hf", taxonomy=CIFAR)


# Shards


def test_shards_give_the_place_of_every_image(tmp_path: Path) -> None:
    write_shard(tmp_path / "s" / "0.tar", {"a.jpg": b"first", "a.cls": b"2", "b.cls": b"bird", "b.jpg": b"second"})
    write_shard(tmp_path / "s" / "1.tar", {"c.png": b"third", "c.json": b'{"label": 7}', "c.txt": b"a caption"})
    found = load_located(tmp_path / "s", taxonomy=CIFAR)
    assert (found.kind, found.test_set.name) == (TestSetKind.SHARDS, "s")
    assert (found.test_set.image_ids.tolist(), found.test_set.labels.tolist()) == (["a", "b", "c"], [2, 2, 7])
    for place, content in zip(found.places, (b"first", b"second", b"third"), strict=True):
        whole = (tmp_path / "s" / place.path).read_bytes()
        assert place.offset is not None
        assert place.n_bytes is not None
        assert whole[place.offset : place.offset + place.n_bytes] == content
    # The checksum is that of the text second, not of the shard.
    assert add_checksums(found).places[1].sha256 == "16367aacb67a4a017c8da8ab95682ccb390863780f7114dda0a0e0c55644c7c4"


def test_a_glob_of_shards_takes_those_that_match(tmp_path: Path) -> None:
    for name in ("val-0", "val-1", "train-0"):
        write_shard(tmp_path / "s" / f"{name}.tar", {f"{name}.jpg": b"", f"{name}.cls": b"0"})
    assert load_located(tmp_path / "s" / "val-*.tar").test_set.image_ids.tolist() == ["val-0", "val-1"]


@pytest.mark.parametrize(
    ("members", "reason"),
    [
        ({"a.jpg": b"", "b.jpg": b"", "b.cls": b"0"}, "sample 'a' has no label, as others do"),
        ({"a.cls": b"0"}, "holds no images"),
        ({"a.jpg": b"", "a.cls": b"unicorn"}, "a.cls: 'unicorn' is not a class"),
        ({"a.jpg": b"", "a.json": b"{"}, "a.json: "),
    ],
)
def test_a_shard_that_cannot_be_used_is_refused(tmp_path: Path, members: dict[str, bytes], reason: str) -> None:
    write_shard(tmp_path / "s" / "0.tar", members)
    with pytest.raises(FormatError, match=reason):
        load_located(tmp_path / "s" / "0.tar", taxonomy=CIFAR)


def test_a_file_that_is_no_shard_is_refused(tmp_path: Path) -> None:
    write(tmp_path, {"0.tar": b"no tar file at all"})
    for name, reason in (("0.tar", "not an uncompressed tar file"), ("1.tar", "there is no such file")):
        with pytest.raises(FormatError, match=reason):
            load_located(tmp_path / name)
