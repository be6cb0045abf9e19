"""The order in which the ILSVRC devkit numbers classes: from its `meta.mat`, or from a text file.

`meta.mat` is a MATLAB 5 file with a struct array `synsets`. It lists the 1,000 classes and then the synsets above them, which
have children and no number of their own in the ground truth. SciPy reads such files without running anything that they hold.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import scipy

from regauge.errors import FormatError
from regauge.formats.sizes import format_bytes
from regauge.formats.text import read_bytes, read_lines

META = "meta.mat"
SYNSETS = "synsets.txt"

_FIELDS = ("ILSVRC2012_ID", "WNID", "num_children")
_WNID = re.compile(r"n\d{8}")
_MAX_BYTES = 16 << 20
"""Of a `meta.mat`, packed or unpacked; that of the devkit is far smaller."""
_HEADER = 128
_COMPRESSED = 15


def find_order_file(ground_truth: Path) -> Path | None:
    """The file beside a ground truth that says how classes are numbered, a list before the devkit's own; None without one."""
    beside = (ground_truth.with_name(name) for name in (SYNSETS, META))
    return next((path for path in beside if path.is_file()), None)


def load_class_order(path: Path) -> list[str]:
    """The class ids by their number from 1, from `meta.mat` or from lines of class ids.

    Raises:
        FormatError: the file cannot be read, or its numbers and class ids do not belong together one to one.
    """
    wnids = _read_meta(path) if path.suffix.lower() == ".mat" else _read_list(path)
    found = [wnids[number] for number in sorted(wnids)]
    if sorted(wnids) != list(range(1, len(wnids) + 1)) or len(set(found)) < len(found):
        raise FormatError(path, "every number from 1 stands for one class id, and every class id for one number.")
    if found == sorted(found) and len(found) > 1:
        raise FormatError(
            path,
            "these class ids are in alphabetical order, and the devkit numbers classes otherwise: take WNID by ILSVRC2012_ID of "
            "its meta.mat.",
        )
    return found


def _read_list(path: Path) -> dict[int, str]:
    """Class ids one per line, with their number before them or by their line; what stands behind an id is passed over."""
    wnids: dict[int, str] = {}
    for number, line in enumerate(read_lines(path), start=1):
        words = line.replace(",", " ").split()
        wnid = next((word for word in words[:2] if _WNID.fullmatch(word)), None)
        if wnid is None:
            raise FormatError(path, f"a line has a class id such as n02119789, not {line[:40]!r}.", line=number)
        place = int(words[0]) if words[0].isascii() and words[0].isdigit() and len(words[0]) < 9 else number
        if wnids.setdefault(place, wnid) != wnid:
            raise FormatError(path, f"number {place} stands for {wnids[place]} and for {wnid}.", line=number)
    return wnids


def _read_meta(path: Path) -> dict[int, str]:
    """Class ids by ILSVRC2012_ID, without the synsets that have children."""
    synsets = _load_synsets(path)
    names = synsets.dtype.names or ()
    missing = [name for name in _FIELDS if name not in names]
    if missing:
        raise FormatError(path, f"its synsets have no {missing[0]}; give the meta.mat of the ILSVRC devkit.")
    wnids: dict[int, str] = {}
    for number, wnid, n_children in zip(*(synsets[name] for name in _FIELDS), strict=True):
        if not (_is_count(number) and _is_count(n_children) and _WNID.fullmatch(str(wnid))):
            raise FormatError(
                path, f"a synset has a number and a class id, not {str(number)[:20]} and {str(wnid)[:20]!r}."
            )
        if int(n_children) == 0 and wnids.setdefault(int(number), str(wnid)) != str(wnid):
            raise FormatError(path, f"number {int(number)} stands for {wnids[int(number)]} and for {wnid}.")
    return wnids


def _load_synsets(path: Path) -> np.ndarray[Any, Any]:
    content = read_bytes(path, max_bytes=_MAX_BYTES)
    if sum(_list_sizes(content)) > _MAX_BYTES:
        problem = (
            f"it holds more than {format_bytes(_MAX_BYTES)} when unpacked; give the meta.mat of the ILSVRC devkit."
        )
        raise FormatError(path, problem)
    try:
        found = scipy.io.loadmat(BytesIO(content), variable_names=["synsets"], squeeze_me=True)
    except Exception as error:
        # Whatever its parser comes upon in bytes that are no such file, SciPy raises.
        problem = (
            "it cannot be read as a MATLAB 5 file; give the meta.mat of the ILSVRC devkit, or a list of class ids."
        )
        raise FormatError(path, problem) from error
    if "synsets" not in found:
        raise FormatError(path, "it has no variable synsets; give the meta.mat of the ILSVRC devkit.")
    return np.atleast_1d(found["synsets"])


def _list_sizes(content: bytes) -> Iterator[int]:
    """What each variable takes when it is unpacked, or a byte more than is allowed; a file that is no such file has none."""
    start = _HEADER
    while start + 8 <= len(content):
        kind, n_bytes = struct.unpack_from("<II" if content[126:128] == b"IM" else ">II", content, start)
        packed = content[start + 8 : start + 8 + n_bytes]
        try:
            yield len(zlib.decompressobj().decompress(packed, _MAX_BYTES + 1)) if kind == _COMPRESSED else len(packed)
        except zlib.error:
            return
        start += 8 + n_bytes


def _is_count(value: object) -> bool:
    if not isinstance(value, int | np.integer | float | np.floating):
        return False
    return float(value).is_integer() and float(value) >= 0
