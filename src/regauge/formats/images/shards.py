"""WebDataset shards → test sets: tar files in which `KEY.jpg` and `KEY.cls` (or `KEY.json`) belong together."""

from __future__ import annotations

import glob
import io
import json
import tarfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from regauge.arrays import NO_CLASS
from regauge.errors import FormatError, InputError
from regauge.estimates import count_things
from regauge.formats.classes import resolve_class
from regauge.formats.images.folders import IMAGE_SUFFIXES, check_collisions
from regauge.formats.sizes import make_names
from regauge.formats.text import name_from_files
from regauge.records.studies import ImagePlace, LocatedTestSet, TestSetKind
from regauge.records.taxonomy import Taxonomy
from regauge.records.testsets.test_set import TestSet

MAX_LABEL_BYTES = 65_536
MAX_READ_BYTES = 2**20


class _Shard(io.FileIO):
    """A shard of which names and labels are read, and nothing that is larger, whatever it says of its size."""

    def read(self, size: int | None = -1, /) -> bytes:
        """So many bytes."""
        if size is None or not 0 <= size <= MAX_READ_BYTES:
            raise tarfile.ReadError(f"a name of more than {MAX_READ_BYTES:,} bytes")
        return super().read(size) or b""


@dataclass(slots=True)
class _Sample:
    """What a shard holds under one key, while it is read."""

    place: ImagePlace | None = None
    label: int | None = None


def find_shards(path: Path) -> list[Path]:
    """The tar files that a file, a folder or a glob stands for; none where it stands for something else."""
    if path.is_dir():
        return sorted(path.glob("*.tar"))
    if path.suffix != ".tar":
        return []
    if path.exists() or not glob.has_magic(str(path)):
        return [path]
    return sorted(Path(match) for match in glob.glob(str(path)))  # noqa: PTH207 - absolute patterns too


def load_shards(shards: Sequence[Path], *, taxonomy: Taxonomy | None = None) -> LocatedTestSet:
    """The images of all shards in their order, each with its place inside its shard; the key is the image id."""
    root = shards[0].parent
    samples = [(shard, key, one) for shard in shards for key, one in _read_shard(shard, taxonomy)]
    # A key is a path without extension; it gets one, so that it is named as files are.
    ids = name_from_files([f"{key}.x" for _, key, _ in samples])
    check_collisions(root, ids, files=[f"{shard.name}: {key}" for shard, key, _ in samples])
    places = tuple(one.place for _, _, one in samples if one.place is not None)
    _check_labels(samples)
    labels = np.array([NO_CLASS if one.label is None else one.label for _, _, one in samples], np.int32)
    name = shards[0].stem if len(shards) == 1 else root.resolve().name
    without = "" if (labels != NO_CLASS).any() else ", without labels"
    note = f"{name}: {count_things(len(ids), 'image')} in {count_things(len(shards), 'shard')}{without}."
    return LocatedTestSet(
        TestSet(name, make_names(ids), labels), TestSetKind.SHARDS, str(root.resolve()), places, (note,)
    )


def _check_labels(samples: Sequence[tuple[Path, str, _Sample]]) -> None:
    """Refuse samples of which some have a label and some have none."""
    if all(one.label is None for _, _, one in samples):
        return
    for shard, key, one in samples:
        if one.label is None:
            raise FormatError(
                shard, f"sample {key!r} has no label, as others do; it needs {key}.cls or a label in {key}.json."
            )


def _read_shard(path: Path, taxonomy: Taxonomy | None) -> Iterator[tuple[str, _Sample]]:
    samples: dict[str, _Sample] = {}
    try:
        # Without compression: an image must have a place of its own in the file.
        with _Shard(path) as file, tarfile.open(fileobj=file, mode="r:") as archive:
            for member in archive:
                if member.isfile():
                    _read_member(path, archive, member, samples, taxonomy)
    except FileNotFoundError:
        raise FormatError(path, "there is no such file.") from None
    except FormatError:
        raise
    except (tarfile.TarError, EOFError, OSError, ValueError) as error:
        raise FormatError(path, f"this is not an uncompressed tar file: {error}.") from None
    samples = {key: one for key, one in samples.items() if one.place is not None}
    if not samples:
        raise FormatError(path, "the shard holds no images.")
    yield from samples.items()


def _read_member(
    path: Path,
    archive: tarfile.TarFile,
    member: tarfile.TarInfo,
    samples: dict[str, _Sample],
    taxonomy: Taxonomy | None,
) -> None:
    """Note down what one file of the shard says of its sample; other kinds of files are passed over."""
    folder, _, base = member.name.rpartition("/")
    stem, _, extension = base.partition(".")
    if not stem:
        return
    if member.issparse():
        raise FormatError(
            path, f"{member.name} is stored with holes, which are not bytes of the file; write it without."
        )
    sample = samples.setdefault(f"{folder}/{stem}" if folder else stem, _Sample())
    kind = f".{extension.lower()}"
    if kind in IMAGE_SUFFIXES:
        sample.place = ImagePlace(path.name, member.offset_data, member.size)
    elif kind in {".cls", ".json"}:
        stream = archive.extractfile(member)
        content = b"" if stream is None else stream.read(MAX_LABEL_BYTES)
        try:
            label = _read_label(content, is_json=kind == ".json")
            sample.label = sample.label if label is None else resolve_class(label, taxonomy)
        except (InputError, ValueError) as error:
            raise FormatError(path, f"{member.name}: {error}") from None
        except RecursionError:
            raise FormatError(path, f"{member.name}: the JSON is nested too deeply.") from None


def _read_label(content: bytes, *, is_json: bool) -> object:
    if not is_json:
        return content.decode("utf-8").strip()
    fields = json.loads(content)
    return fields.get("label") if isinstance(fields, dict) else None
