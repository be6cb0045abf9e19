"""Bundles as files: zip archives of which every byte is accounted for, written and read without trusting them.

A bundle ends with a seal: the archive's comment is the SHA-256 of everything before it, so that no changed byte goes
unnoticed, not even one between the members. Inside, `manifest.json` has the size and the SHA-256 of every other member. Both
are against accidents; against malice every size is bounded and every name is one of a few.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

from regauge.errors import FormatError
from regauge.records.progress import Track, track_silently
from regauge.storage.bundles.tables import MAX_LINE_BYTES, Description
from regauge.storage.files import make_private

FORMAT = "regauge-bundle"
VERSION = 1
MANIFEST = "manifest.json"
SETTINGS = "study.json"
TAXONOMY = "taxonomy.json"
CHUNK_BYTES = 2**20
SEAL_BYTES = 64

_NAMES = re.compile(r"study\.json|taxonomy\.json|tables/[a-z][a-z0-9_]{0,62}\.jsonl|predictions/[0-9a-f]{64}\.npy")
_SMALL_BYTES = 64 * 2**20
_UNREADABLE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError, struct.error, OverflowError)


@dataclass(frozen=True, slots=True)
class Member:
    """Size and checksum of one file in a bundle."""

    n_bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a bundle says of itself.

    Attributes:
        study_id: which study it is.
        schema_revision: the revision of its tables.
        regauge_version: which Regauge wrote it.
        tables: a description of every table, those that are referred to first.
        members: every file but the manifest.
    """

    study_id: str
    schema_revision: str
    regauge_version: str
    tables: Mapping[str, Description]
    members: Mapping[str, Member]


@dataclass(frozen=True, slots=True, eq=False)
class Bundle:
    """An open bundle whose names and sizes are in order; `check_contents` looks at the rest."""

    path: Path
    archive: zipfile.ZipFile
    manifest: Manifest
    sha256: str

    def read_small(self, name: str) -> bytes:
        """A member that must fit into memory."""
        if self.manifest.members[name].n_bytes > _SMALL_BYTES:
            raise FormatError(self.path, f"{name} is larger than {_SMALL_BYTES // 2**20} MiB.")
        return b"".join(self.read_chunks(name))

    def read_chunks(self, name: str) -> Iterator[bytes]:
        """A member piece by piece, never more of it than the manifest says; refused at the end if it is another."""
        declared = self.manifest.members[name]
        digest, n_left = hashlib.sha256(), declared.n_bytes
        with _explain(self.path), self.archive.open(name) as stream:
            while chunk := stream.read(min(CHUNK_BYTES, n_left + 1)):
                n_left -= len(chunk)
                if n_left < 0:
                    raise FormatError(self.path, f"{name} is larger than the manifest says.")
                digest.update(chunk)
                yield chunk
        if n_left or digest.hexdigest() != declared.sha256:
            raise FormatError(self.path, f"{name} is not what the manifest says; the bundle was changed.")

    def read_lines(self, name: str) -> Iterator[bytes]:
        """The lines of a member, each of bounded length."""
        with _explain(self.path), self.archive.open(name) as stream:
            buffered = io.BufferedReader(cast("io.RawIOBase", stream), CHUNK_BYTES)
            while line := buffered.readline(MAX_LINE_BYTES + 1):
                if len(line) > MAX_LINE_BYTES:
                    raise FormatError(self.path, f"{name} has a line of more than {MAX_LINE_BYTES // 2**20} MiB.")
                yield line

    def check_contents(self, *, track: Track = track_silently) -> None:
        """Read all of it once.

        Raises:
            FormatError: a member is not what the manifest says.
        """
        for name in track(list(self.manifest.members), "Checking the bundle"):
            for _ in self.read_chunks(name):
                pass


class BundleWriter:
    """Adds members to a new archive and keeps account of them."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._members: dict[str, Member] = {}

    def add(self, name: str, chunks: Iterable[bytes], *, deflated: bool = True) -> Member:
        """Write a member; what is already dense is stored as it is."""
        # The default moment of a member is fixed, so that one study gives one bundle, byte for byte.
        info = zipfile.ZipInfo(name)
        info.compress_type = zipfile.ZIP_DEFLATED if deflated else zipfile.ZIP_STORED
        info.external_attr = 0o644 << 16
        digest, n_bytes = hashlib.sha256(), 0
        with self._archive.open(info, "w", force_zip64=True) as file:
            for chunk in chunks:
                file.write(chunk)
                digest.update(chunk)
                n_bytes += len(chunk)
        self._members[name] = Member(n_bytes, digest.hexdigest())
        return self._members[name]

    def add_manifest(self, **facts: Any) -> None:  # noqa: ANN401 - whatever JSON can hold
        """Write the manifest, after all members."""
        members = {name: {"n_bytes": one.n_bytes, "sha256": one.sha256} for name, one in self._members.items()}
        content = {"format": FORMAT, "version": VERSION, **facts, "members": members}
        self.add(MANIFEST, [json.dumps(content, indent=1).encode()])


@contextmanager
def make_bundle(path: Path) -> Iterator[BundleWriter]:
    """A new archive at the path, for its owner only, sealed when the block ends."""
    make_private(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.comment = b"0" * SEAL_BYTES
        yield BundleWriter(archive)
    with path.open("r+b") as file:
        seal, _ = hash_bundle(file)
        file.seek(-SEAL_BYTES, io.SEEK_END)
        file.write(seal.encode())


@contextmanager
def open_bundle(path: Path) -> Iterator[Bundle]:
    """The bundle in a file, with its seal, its names and its sizes checked.

    Raises:
        FormatError: the file is not a bundle, was changed or cut off, or was written by a newer Regauge.
    """
    if not path.exists():
        raise FormatError(path, "there is no such file.")
    if not path.is_file():
        # A device or a pipe may never end.
        raise FormatError(path, "this is a folder or a device, and no bundle of Regauge.")
    try:
        file = path.open("rb")
    except OSError as error:
        raise FormatError(path, f"the file cannot be read: {error.strerror}.") from error
    with file:
        try:
            archive = zipfile.ZipFile(file)
        except _UNREADABLE:
            raise FormatError(path, "this is not a bundle of Regauge, or one that was cut off.") from None
        with archive:
            yield _check_bundle(path, file, archive)


def _check_bundle(path: Path, file: IO[bytes], archive: zipfile.ZipFile) -> Bundle:
    with _explain(path):
        if MANIFEST not in archive.namelist():
            raise FormatError(path, f"this is not a bundle of Regauge: it has no {MANIFEST}.")
        seal, sha256 = hash_bundle(file)
        if archive.comment != seal.encode():
            raise FormatError(path, "the bundle was changed or cut off after it was written.")
        _check_names(path, archive)
        manifest = _load_manifest(path, archive)
        _check_sizes(path, archive, manifest)
        return Bundle(path, archive, manifest, sha256)


def hash_bundle(file: IO[bytes]) -> tuple[str, str]:
    """SHA-256 of all but the seal, and of all."""
    n_left = file.seek(0, io.SEEK_END) - SEAL_BYTES
    file.seek(0)
    digest = hashlib.sha256()
    while n_left > 0 and (chunk := file.read(min(CHUNK_BYTES, n_left))):
        digest.update(chunk)
        n_left -= len(chunk)
    seal = digest.hexdigest()
    digest.update(file.read())
    return seal, digest.hexdigest()


@contextmanager
def _explain(path: Path) -> Iterator[None]:
    """What zipfile says of an archive that is damaged, in one sentence."""
    try:
        yield
    except FormatError:
        raise
    except _UNREADABLE as error:
        raise FormatError(
            path, f"the bundle is damaged: {str(error).strip().rstrip('.') or 'it ends too early'}."
        ) from None


def _check_names(path: Path, archive: zipfile.ZipFile) -> None:
    seen: set[str] = set()
    for info in archive.infolist():
        name = info.orig_filename
        if name in seen:
            raise FormatError(path, f"{name!r} is in the bundle twice.")
        seen.add(name)
        if name != MANIFEST and not _NAMES.fullmatch(name):
            raise FormatError(path, f"{name!r:.80} does not belong in a bundle.")
        if info.flag_bits & 1 or info.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
            raise FormatError(path, f"{name} is encrypted, or packed in a way that bundles are not.")


def _load_manifest(path: Path, archive: zipfile.ZipFile) -> Manifest:
    with archive.open(MANIFEST) as stream:
        content = stream.read(_SMALL_BYTES + 1)
    if len(content) > _SMALL_BYTES:
        raise FormatError(path, f"{MANIFEST} is larger than {_SMALL_BYTES // 2**20} MiB.")
    try:
        facts = json.loads(content)
    except (ValueError, RecursionError):
        raise FormatError(path, f"{MANIFEST} is not JSON.") from None
    if not isinstance(facts, dict) or facts.get("format") != FORMAT:
        raise FormatError(path, f"this is not a bundle of Regauge: {MANIFEST} does not name the format {FORMAT}.")
    if facts.get("version") != VERSION:
        raise FormatError(path, f"this is a bundle of version {facts.get('version')!r:.20}; install a newer Regauge.")
    try:
        return _make_manifest(facts)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise FormatError(path, f"{MANIFEST} does not say what it must.") from None


def _make_manifest(facts: Mapping[str, Any]) -> Manifest:
    texts = {name: facts[name] for name in ("study_id", "schema_revision", "regauge_version")}
    if not all(isinstance(text, str) and 0 < len(text) <= 64 for text in texts.values()):
        raise ValueError(texts)
    members = {name: Member(int(one["n_bytes"]), str(one["sha256"])) for name, one in facts["members"].items()}
    tables = {name: dict(one) for name, one in facts["tables"].items()}
    return Manifest(**texts, tables=tables, members=members)


def _check_sizes(path: Path, archive: zipfile.ZipFile, manifest: Manifest) -> None:
    found = {info.orig_filename: info.file_size for info in archive.infolist() if info.orig_filename != MANIFEST}
    expected = {SETTINGS, *(f"tables/{name}.jsonl" for name in manifest.tables)}
    for name in sorted(manifest.members.keys() | expected):
        if name not in found or name not in manifest.members:
            raise FormatError(path, f"{name!r:.80} is missing from the bundle.")
        if found[name] != manifest.members[name].n_bytes:
            raise FormatError(path, f"{name} has {found[name]:,} bytes, not {manifest.members[name].n_bytes:,}.")
    allowed = {name for name in manifest.members if name in expected or not name.startswith("tables/")}
    for name in sorted(found.keys() - allowed):
        raise FormatError(path, f"{name} is in the bundle, but not in its manifest.")
