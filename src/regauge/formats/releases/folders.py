"""The folders that somebody gave: clones, folders that hold clones side by side, folders of compact files, in any mixture."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from regauge.errors import InputError, MissingDataError

_Read = TypeVar("_Read")

MARKS = (
    "*20[0-9][0-9]_*",
    "data/datasets/*.json",
    "data/predictions/*",
    "model_predictions/*",
    "datasets/cifar10.1_*",
    "data/image_info.pkl",
    "data/annotations_*.pkl",
    "metadata/*_mistakes.json",
    "real.json",
    "scores.npz",
    "human_accuracy_*.json",
    "*test_batch*",
    "cifar10_test_labels.npy",
)
"""By one of these a folder is known to hold some of the data."""


@dataclass(frozen=True, slots=True)
class DataFolders:
    """Where files are looked for, in order, and what was read from them."""

    roots: tuple[Path, ...]
    kept: dict[Hashable, Any] = field(default_factory=dict, compare=False, repr=False)

    def read_once(self, key: Hashable, read: Callable[[], _Read]) -> _Read:
        """What a function reads from the folders; the second time, what it read the first time."""
        if key not in self.kept:
            self.kept[key] = read()
        found: _Read = self.kept[key]
        return found

    def find(self, name: str) -> Path | None:
        """The first file or folder of that relative name, or None."""
        return next((root / name for root in self.roots if (root / name).exists()), None)

    def get(self, *names: str) -> Path:
        """The first of several files that is there.

        Raises:
            MissingDataError: none of the files is there; the error names them.
        """
        found = next((path for path in map(self.find, names) if path is not None), None)
        if found is None:
            raise MissingDataError(*names)
        return found

    def list_files(self, pattern: str) -> list[Path]:
        """The files of the folder that has most of that pattern, by name; of the first of equals.

        Raises:
            MissingDataError: no folder has a file of that pattern.
        """
        found = max(([path for path in root.glob(pattern) if path.is_file()] for root in self.roots), key=len)
        if not found:
            raise MissingDataError(pattern)
        return sorted(found)


def open_folders(folders: Sequence[Path | str]) -> DataFolders:
    """The folders, each followed by the folders in it, so that clones may lie side by side.

    Raises:
        InputError: a path is not a folder, cannot be read, or holds none of the data.
    """
    roots: list[Path] = []
    for folder in map(Path, folders):
        if not folder.is_dir():
            raise InputError(f"There is no folder {folder}.")
        own = [folder, *_list_folders(folder)]
        if not any(next(root.glob(mark), None) for root in own for mark in MARKS):
            raise InputError(
                f"{folder} holds none of the papers' data; docs/reproductions.md says which repositories and files are read."
            )
        roots += own
    return DataFolders(tuple(dict.fromkeys(roots)))


def _list_folders(folder: Path) -> list[Path]:
    """The folders in a folder; hidden ones and those that may not be entered are passed over."""
    try:
        found = sorted(path for path in folder.iterdir() if path.is_dir() and not path.name.startswith("."))
    except OSError as error:
        raise InputError(f"The folder {folder} cannot be read: {error.strerror}.") from None
    return [path for path in found if os.access(path, os.R_OK | os.X_OK)]
