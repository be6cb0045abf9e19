"""What a website of a study shows: whose answers on which images, whether pictures, and tables that others add."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NewType

from regauge.errors import InputError

ChunkName = NewType("ChunkName", str)
"""What a chunk of data is called, in its file, its address and the scripts."""

_NAME = re.compile(r"[a-z][a-z0-9-]{0,63}")
_SIZE = re.compile(r"(?P<number>[0-9]{1,9}(?:\.[0-9]{1,3})?)\s*(?P<unit>[KMG]?)B?", re.IGNORECASE)
_UNITS = {"": 1, "K": 1_000, "M": 1_000_000, "G": 1_000_000_000}


class SitePictures(StrEnum):
    """Which pictures a website holds; many benchmarks forbid copies, so none is what happens by itself."""

    NONE = "none"
    """Pages have a place that says why there is no picture."""
    THUMBNAILS = "thumbnails"
    """JPEG copies of at most 256 pixels."""
    RENDITIONS = "renditions"
    """JPEG copies of at most 512 pixels."""
    LINKS = "links"
    """Links to where the images are served already; nothing is copied."""
    SERVED = "served"
    """The server of the study shows them, to those who may see them."""


@dataclass(frozen=True, slots=True)
class SiteSettings:
    """What a website shows.

    Attributes:
        test_set: only this one; all by default.
        labels: only these label sets, as NAME@VERSION or NAME for the latest; all versions by default.
        participants: globs on names; everybody by default.
        pictures: which pictures.
        link_prefix: what addresses of linked pictures begin with.
        title: what the first page is called; the name of the folder of the study by default.
    """

    test_set: str | None = None
    labels: Sequence[str] = ()
    participants: Sequence[str] = ()
    pictures: SitePictures = SitePictures.NONE
    link_prefix: str = ""
    title: str = ""

    def __post_init__(self) -> None:
        if self.link_prefix and self.pictures is not SitePictures.LINKS:
            raise InputError("An address of pictures is for links; ask for them with `pictures='links'`.")
        if self.pictures is SitePictures.LINKS and not self.link_prefix.startswith(("https://", "http://")):
            raise InputError(
                "Links to pictures need the address that they begin with, https://… or http://…, as `image_url_prefix`; "
                f"{self.link_prefix!r} came."
            )


@dataclass(frozen=True, slots=True)
class SiteTable:
    """A table that stands on the page "Tables" of a website, by itself.

    Attributes:
        name: small letters, digits and hyphens; part of the table's address.
        title: what stands above it.
        columns: their names in order. `class` and `…_class` hold class indices, `image_id` images of the test set and
            `participant` participants: these become links. A number with limits is three columns, NAME, NAME_low and NAME_high.
        rows: the cells; None where nothing is known.
        about: what the reader should know, a sentence each.
        test_set: whose images it is about; empty for all.
    """

    name: str
    title: str
    columns: tuple[str, ...]
    rows: Sequence[Sequence[Any]]
    about: tuple[str, ...] = ()
    test_set: str = ""

    def __post_init__(self) -> None:
        check_chunk_name(self.name)
        if any(len(row) != len(self.columns) for row in self.rows):
            raise InputError(f"Every row of the table {self.name!r} needs {len(self.columns)} cells, one per column.")


@dataclass(frozen=True, slots=True)
class Chunk:
    """A part of the data of a website: what the scripts call it, and what it holds."""

    name: ChunkName
    payload: Mapping[str, Any]


def check_chunk_name(name: str) -> ChunkName:
    """The name, if a file, an address and a script can all have it.

    Raises:
        InputError: it has other letters than small ones, digits and hyphens.

    >>> check_chunk_name("s0-b12")
    's0-b12'
    """
    if not _NAME.fullmatch(name):
        raise InputError(f"A part of a website is called by small letters, digits and hyphens, not {name[:80]!r}.")
    return ChunkName(name)


def read_size(text: str) -> int:
    """How many bytes a size such as 500MB is.

    Raises:
        InputError: the text is no size.

    >>> read_size("1.5 GB"), read_size("300k"), read_size("42")
    (1500000000, 300000, 42)
    """
    found = _SIZE.fullmatch(text.strip())
    n_bytes = 0 if found is None else round(float(found["number"]) * _UNITS[found["unit"].upper()])
    if n_bytes < 1:
        raise InputError(f"A size is a number of bytes, KB, MB or GB, such as 500MB, not {text[:40]!r}.")
    return n_bytes


def write_size(n_bytes: int) -> str:
    """A number of bytes for people.

    >>> write_size(999), write_size(1_500_000)
    ('999 bytes', '1.5 MB')
    """
    for unit, name in ((1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "KB")):
        if n_bytes >= unit:
            return f"{n_bytes / unit:.1f} {name}"
    return f"{n_bytes} bytes"
