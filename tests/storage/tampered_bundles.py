"""Bundles that were meddled with, by somebody who knows how they are sealed."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from regauge.storage.bundles.files import MANIFEST, SEAL_BYTES, hash_bundle

Members: TypeAlias = dict[str, bytes]
Change: TypeAlias = Callable[[Members, dict[str, Any]], object]


def read_members(path: Path) -> Members:
    """Everything in the archive."""
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def meddle(source: Path, target: Path, change: Change, *, is_honest: bool = True) -> Path:
    """The bundle after a change of its members and its manifest, sealed again.

    Args:
        source: a bundle.
        target: the new file.
        change: alters the members (without the manifest) and the manifest in place.
        is_honest: whether sizes and checksums of members that the manifest names are brought up to date.
    """
    members = read_members(source)
    manifest = json.loads(members.pop(MANIFEST))
    change(members, manifest)
    if is_honest:
        for name, content in members.items():
            if name in manifest["members"]:
                facts = {"n_bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
                manifest["members"][name] = facts
    return write_sealed(target, {**members, MANIFEST: json.dumps(manifest).encode()})


def write_sealed(path: Path, members: Mapping[str, bytes]) -> Path:
    """An archive of these members with a seal that fits."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.comment = b"0" * SEAL_BYTES
        for name, content in members.items():
            archive.writestr(name, content)
    return seal(path)


def seal(path: Path) -> Path:
    """Make the seal fit, whatever the file holds."""
    with path.open("r+b") as file:
        fitting, _ = hash_bundle(file)
        file.seek(-SEAL_BYTES, io.SEEK_END)
        file.write(fitting.encode())
    return path


def edit_rows(members: Members, table: str, edit: Callable[[list[dict[str, Any]]], object]) -> None:
    """Alter the rows of a table in place."""
    name = f"tables/{table}.jsonl"
    rows = [json.loads(line) for line in members[name].splitlines()]
    edit(rows)
    members[name] = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
