"""Scripts, styles and icons: read once, kept in memory plain and packed, under an address that changes when they do.

The address begins with a digest of all of them, so a browser may keep what it has for good and need not ask again, and modules
that import each other by relative addresses come from one version. Nothing else can be asked for: there is no path to a disk.
"""

from __future__ import annotations

import gzip
import hashlib
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from itertools import pairwise
from typing import TypeAlias

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from regauge.errors import InputError
from regauge.kinds.registry import KINDS

Folders: TypeAlias = Iterable[tuple[str, Traversable]]
"""What an address begins with, and the folder whose files stand there, those of folders in it included."""

PACKAGES = tuple(kind.package for kind in KINDS.values())
PLACE = "/static"
KEPT_FOR_GOOD = "public, max-age=31536000, immutable"
ASKED_AGAIN = "no-cache"
MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
"""What is served; whatever else lies in a folder is not."""

_VERSION = re.compile(r"[0-9a-f]{16}")
_IMPORT = re.compile(r"""\b(?:from|import)\s*["'](\.{1,2}/[^"']+)["']""")


@dataclass(frozen=True, slots=True)
class Asset:
    """One file: as it is, packed where that is shorter, and the modules that it imports."""

    content: bytes
    packed: bytes | None
    media_type: str
    imports: tuple[str, ...]

    @classmethod
    def make(cls, name: str, content: bytes) -> Asset:
        """A file by its name."""
        # A time in the packed file would make two processes disagree.
        packed = gzip.compress(content, mtime=0)
        imports = tuple(_find_imports(name, content)) if name.endswith(".js") else ()
        media_type = MEDIA_TYPES[posixpath.splitext(name)[1]]
        return cls(content, packed if len(packed) < len(content) else None, media_type, imports)


@dataclass(frozen=True, slots=True, eq=False)
class Assets:
    """All files by their names, and the digest of all."""

    files: Mapping[str, Asset]
    version: str

    @classmethod
    def load(cls, folders: Folders) -> Assets:
        """Whatever lies in the folders and may be served.

        Raises:
            InputError: two folders have a file of one name, so that chance would decide which is served.
        """
        found = sorted(_read(folders))
        twice = next((name for (name, _), (other, _) in pairwise(found) if name == other), None)
        if twice is not None:
            raise InputError(f"Two folders of what pages are made of have a {twice}; call one of them otherwise.")
        files = {name: Asset.make(name, content) for name, content in found}
        digest = hashlib.sha256()
        for name, asset in files.items():
            digest.update(f"{name} {len(asset.content)} ".encode() + asset.content)
        return cls(files, digest.hexdigest()[:16])

    def locate(self, name: str) -> str:
        """The address of a file.

        Raises:
            KeyError: there is no such file.
        """
        if name not in self.files:
            raise KeyError(name)
        return f"{PLACE}/{self.version}/{name}"

    def list_imports(self, name: str) -> tuple[str, ...]:
        """The modules that a module needs besides itself, directly or not, in the order of their names."""
        needed: set[str] = set()
        left = {name}
        while left:
            needed |= left
            left = {one for known in left for one in self.files[known].imports} - needed
        return tuple(sorted(needed - {name}))

    def find(self, path: str) -> tuple[Asset, bool] | None:
        """A file by what comes after `/static/`, and whether the address is of this version.

        Pages that were open when the server was started anew ask for an earlier version, or for none: they get what there is.
        """
        version, _, name = path.partition("/")
        if name in self.files and _VERSION.fullmatch(version):
            return self.files[name], version == self.version
        return (self.files[path], False) if path in self.files else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request below `/static`."""
        found = self.find(scope["path"].removeprefix(scope.get("root_path", "")).removeprefix("/"))
        if found is None:
            raise HTTPException(404)
        if scope["method"] not in {"GET", "HEAD"}:
            raise HTTPException(405, headers={"Allow": "GET, HEAD"})
        asset, is_current = found
        reply = _answer(asset, Headers(scope=scope), KEPT_FOR_GOOD if is_current else ASKED_AGAIN)
        await reply(scope, receive, send)


@cache
def load_assets(packages: tuple[str, ...] = PACKAGES) -> Assets:
    """The files of all pages; read once in a process.

    Args:
        packages: where kinds of task live: of each, what lies in its folder `page` is served, and nothing else.
    """
    own = (resources.files("regauge") / "look", resources.files("regauge.server") / "static")
    pages = (resources.files(package) / "page" for package in packages)
    return Assets.load(("", folder) for folder in (*own, *pages))


def _read(folders: Folders) -> Iterator[tuple[str, bytes]]:
    for prefix, folder in folders:
        for one in folder.iterdir():
            if one.is_dir():
                yield from _read([(f"{prefix}{one.name}/", one)])
            elif posixpath.splitext(one.name)[1] in MEDIA_TYPES:
                yield f"{prefix}{one.name}", one.read_bytes()


def _find_imports(name: str, content: bytes) -> Iterator[str]:
    for address in _IMPORT.findall(content.decode()):
        yield posixpath.normpath(posixpath.join(posixpath.dirname(name), address))


def _answer(asset: Asset, asked: Headers, caching: str) -> Response:
    tag = f'W/"{hashlib.sha256(asset.content).hexdigest()[:16]}"'
    headers = {"Cache-Control": caching, "ETag": tag, "Vary": "Accept-Encoding"}
    if tag.removeprefix("W/") in asked.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    if asset.packed is not None and takes_gzip(asked.get("accept-encoding", "")):
        return Response(asset.packed, media_type=asset.media_type, headers=headers | {"Content-Encoding": "gzip"})
    return Response(asset.content, media_type=asset.media_type, headers=headers)


def takes_gzip(accepted: str) -> bool:
    """Whether an Accept-Encoding header allows gzip.

    >>> takes_gzip("gzip, deflate, br"), takes_gzip("br;q=1, gzip;q=0"), takes_gzip("*;q=0, gzip"), takes_gzip("")
    (True, False, True, False)
    """
    parts = (part.partition(";") for part in accepted.lower().split(","))
    weights = {name.strip(): weight for name, _, weight in parts}
    # What is said of all others holds where nothing is said of gzip itself.
    weight = weights.get("gzip", weights.get("*"))
    return weight is not None and not re.fullmatch(r"\s*q\s*=\s*0(\.0*)?\s*", weight)
