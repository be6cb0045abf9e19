"""Arrays in `.npy` files with their image ids beside them, and in `.npz` archives, read with pickling off."""

from __future__ import annotations

import math
import tokenize
import zipfile
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regauge.arrays import IdArray, freeze_ids
from regauge.errors import FormatError, InputError
from regauge.formats.sizes import MAX_ID_LENGTH, check_room
from regauge.formats.text import read_text

SHARED_IDS = "image_ids.txt"
NO_PICKLES = "pickled Python objects are never loaded, so save plain arrays of numbers and text"
DAMAGES = (
    ArithmeticError,
    EOFError,
    KeyError,
    MemoryError,
    OSError,
    RuntimeError,
    SyntaxError,
    ValueError,
    tokenize.TokenError,
    zipfile.BadZipFile,
    zlib.error,
)
"""What NumPy raises for files that are cut short, altered, encrypted, no arrays, or that claim an impossible shape."""

_ZIP = b"PK"
_STARTS = (b"\x93NUMPY", _ZIP, b"\x80")
"""How arrays, archives and pickles begin, which are the three things that NumPy writes."""

_COPIES = 4
"""Copies of an array that are made while it is checked and brought into its type, itself included."""

_OBJECT_BYTES = 40
"""What a number takes as an object of Python, in a list."""

N_NAMED = 8
"""Arrays that an error names; the others are counted."""

_HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}


@dataclass(frozen=True, slots=True, eq=False)
class Archive:
    """An open `.npz` file."""

    path: Path
    file: np.lib.npyio.NpzFile

    @property
    def names(self) -> list[str]:
        """The arrays that it holds."""
        return list(self.file.files)

    def describe(self) -> str:
        """What it holds, for an error: its arrays and their shapes."""
        members = self._zip.namelist()
        if not members:
            return "this one is empty"
        named = [f"{name} {self._describe_member(name)}".strip() for name in self.names[:N_NAMED]]
        more = f" and {len(self.names) - N_NAMED:,} more" if len(self.names) > N_NAMED else ""
        return f"this one has: {', '.join(named)}{more}"

    def count_rows(self, name: str) -> int:
        """How many rows an array says that it has."""
        header = self._read_header(name)
        return header[0][0] if header is not None and header[0] else 0

    def read_bytes(self, name: str) -> bytes:
        """What is stored of an array, header and all."""
        self._check_header(name, None)
        return self._zip.read(self._find_member(name))

    def _describe_member(self, name: str) -> str:
        try:
            header = self._read_header(name)
        except DAMAGES:
            return ""
        return "" if header is None else str(list(header[0]))

    def check_room(self, names: Collection[str]) -> None:
        """Refuse an archive whose arrays of these names would not fit into the memory, by what its directory says of them."""
        n_bytes = sum(self._find_member(name).file_size for name in self.names if name in names)
        check_room(self.path, n_bytes * _COPIES, advice="keep the best answers, or save logits as .npy")

    def read(self, name: str, *, n_rows: int | None = None) -> NDArray[Any]:
        """One array, after a look at what it says of itself.

        Args:
            name: which one.
            n_rows: how many rows it must have, where that is known.

        Raises:
            FormatError: the member is not an array, claims to be larger than it is, or holds texts that are too long for names.
            InputError: the array has another number of rows than expected.
        """
        self._check_header(name, n_rows)
        array = self.file[name]
        # NumPy hands out the bytes of a member that is not an array.
        if not isinstance(array, np.ndarray):
            raise FormatError(self.path, f"{name} is not an array of numbers or text; {NO_PICKLES}.")
        return array

    def _check_header(self, name: str, n_rows: int | None) -> None:
        member = self._find_member(name)
        header = self._read_header(name)
        if header is None:
            return
        shape, dtype = header
        is_possible = min(shape, default=0) >= 0 and math.prod(shape) * dtype.itemsize <= member.file_size
        if not is_possible and not dtype.hasobject:
            raise FormatError(
                self.path,
                f"the file is damaged or cut short: {name} says that it is larger than it is; write it again.",
            )
        if dtype.kind in "SU" and dtype.itemsize > MAX_ID_LENGTH * np.dtype("U1").itemsize:
            raise FormatError(self.path, f"{name} has texts of more than {MAX_ID_LENGTH:,} characters.")
        if n_rows is not None and shape[:1] != (n_rows,):
            raise InputError(
                f"there are {n_rows:,} image ids, so {name} must have the shape [{n_rows}, k] with k at least 1, not "
                f"{list(shape)}."
            )

    def _read_header(self, name: str) -> tuple[tuple[int, ...], np.dtype[Any]] | None:
        """Shape and type that a member says it has; None where it is not an array."""
        with self._zip.open(self._find_member(name)) as stream:
            if stream.read(len(np.lib.format.MAGIC_PREFIX)) != np.lib.format.MAGIC_PREFIX:
                return None
            stream.seek(0)
            read_header = _HEADERS.get(np.lib.format.read_magic(stream), np.lib.format.read_array_header_2_0)
            shape, _, dtype = read_header(stream)
        return shape, dtype

    def _find_member(self, name: str) -> zipfile.ZipInfo:
        members = set(self._zip.namelist())
        return self._zip.getinfo(name if name in members else f"{name}.npy")

    @property
    def _zip(self) -> zipfile.ZipFile:
        if self.file.zip is None:
            raise FormatError(self.path, "the archive is closed.")
        return self.file.zip


@contextmanager
def open_archive(path: Path) -> Iterator[Archive]:
    """The arrays of an `.npz` file, none of which is unpacked before it is asked for.

    Raises:
        FormatError: the file is damaged, is one array, or holds Python objects.
    """
    try:
        with path.open("rb") as stream:
            archive = np.load(stream, allow_pickle=False)
            if not isinstance(archive, np.lib.npyio.NpzFile):
                raise FormatError(path, "this is one array, not an archive; give it the extension .npy.")
            with archive:
                yield Archive(path, archive)
    except DAMAGES as error:
        raise explain_damage(path, error) from None


def read_arrays(path: Path, *names: str) -> dict[str, NDArray[Any]]:
    """The named arrays of an archive, all of which must be there."""
    with open_archive(path) as archive:
        missing = [name for name in names if name not in archive.names]
        if missing:
            raise FormatError(path, f"this archive has no {missing[0]}.")
        archive.check_room(names)
        return {name: archive.read(name) for name in names}


def map_array(path: Path) -> NDArray[Any]:
    """The array of a `.npy` file, memory-mapped.

    Raises:
        FormatError: the file is damaged, an archive, or holds Python objects.
    """
    try:
        with path.open("rb") as stream:
            is_archive = stream.read(len(_ZIP)) == _ZIP
        if is_archive:
            raise FormatError(path, "this is an archive, not one array; give it the extension .npz.")
        with np.errstate(over="raise"):
            array: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    except DAMAGES as error:
        raise explain_damage(path, error) from None
    return array


def read_array(path: Path) -> NDArray[Any]:
    """The array of a `.npy` file of which all will be held in memory, element by element."""
    array = map_array(path)
    check_room(path, array.size * _OBJECT_BYTES)
    return array


def read_ids(path: Path) -> list[str]:
    """The ids of a file with one per line; blank lines are passed over."""
    line_of: dict[str, int] = {}
    for line, text in enumerate(read_text(path).split("\n"), start=1):
        image_id = text.strip()
        if image_id and line_of.setdefault(image_id, line) != line:
            raise FormatError(path, f"image {image_id!r} occurs a second time.", line=line)
    return list(line_of)


class _LastIds:
    """The ids that were read last, and the bytes that they were read from: the files of many participants hold the same."""

    content: bytes = b""
    image_ids: IdArray | None = None


def read_archive_ids(archive: Archive, name: str, *, owner: str) -> IdArray:
    """The column of image ids of an archive, checked; where it is, byte by byte, the one that was read last, that very one.

    Args:
        archive: the open file.
        name: the array.
        owner: whose ids these are, for the error message.

    Raises:
        InputError: the ids are not distinct, not empty texts.
    """
    content = archive.read_bytes(name)
    if _LastIds.image_ids is None or content != _LastIds.content:
        _LastIds.image_ids = freeze_ids(_read_ids(archive.read(name), name), owner=owner)
        _LastIds.content = content
    return _LastIds.image_ids


def _read_ids(image_ids: NDArray[Any], name: str) -> IdArray:
    image_ids = decode_texts(image_ids, name)
    if image_ids.dtype.kind not in "Uiu":
        raise InputError(f"{name} must be text, not {image_ids.dtype}.")
    return image_ids.astype(np.str_)


def decode_texts(array: NDArray[Any], name: str) -> NDArray[Any]:
    """Text that was saved as bytes as text; anything else as it is."""
    try:
        return np.strings.decode(array, "utf-8") if array.dtype.kind == "S" else array
    except UnicodeDecodeError:
        raise InputError(f"{name} holds bytes that are not UTF-8 text.") from None


def explain_damage(path: Path, error: Exception) -> InputError:
    """What NumPy raised, said of the file."""
    if isinstance(error, InputError):
        return error
    if isinstance(error, FileNotFoundError):
        return FormatError(path, "there is no such file.")
    if isinstance(error, OSError) and error.strerror:
        return FormatError(path, f"the file cannot be read: {error.strerror}.")
    return FormatError(path, _explain_content(_read_start(path), error))


def _explain_content(start: bytes, error: Exception) -> str:
    """Why what begins like this is not an array or archive."""
    if not start:
        return "the file is empty."
    if not start.startswith(_STARTS):
        return "this is not a file of NumPy, whatever it is called; write it by numpy.save or numpy.savez."
    if isinstance(error, ValueError) and ("pickle" in str(error).lower() or "object" in str(error).lower()):
        return f"this does not hold plain arrays; {NO_PICKLES}."
    return f"the file is damaged or cut short ({type(error).__name__}); write it again."


def _read_start(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(8)
    except OSError:
        return b""
