"""What a predictions argument means: a file, a folder or a glob, with or without NAME= in front."""

from __future__ import annotations

import glob
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from regauge.errors import InputError

SUFFIXES = (".npz", ".csv", ".tsv", ".npy")


@dataclass(frozen=True, slots=True)
class PredictionFile:
    """One participant's predictions, not read yet."""

    participant: str
    path: Path


def find_prediction_files(arguments: Iterable[str | Path]) -> tuple[PredictionFile, ...]:
    """The files that the arguments mean, in their order.

    Raises:
        InputError: an argument means no file, or two files would be participants of one name.
    """
    files = tuple(file for argument in arguments for file in _expand(str(argument)))
    path_of: dict[str, Path] = {}
    for file in files:
        if file.participant in path_of:
            raise InputError(
                f"Two participants are called {file.participant!r}: {path_of[file.participant]} and {file.path}. "
                "Name one of them with NAME=PATH."
            )
        path_of[file.participant] = file.path
    return files


def _expand(argument: str) -> Iterator[PredictionFile]:
    name, pattern = _split_name(argument)
    if not pattern:
        raise InputError(f"{argument!r} names no file of predictions; write PATH or NAME=PATH.")
    paths = _find_paths(pattern)
    if name is not None and len(paths) > 1:
        raise InputError(f"{argument}: one name was given for {len(paths)} files; name them one by one.")
    for path in paths:
        if path.suffix.lower() not in SUFFIXES:
            raise InputError(
                f"{path}: predictions are {', '.join(SUFFIXES)} files, not {path.suffix or 'without extension'}."
            )
        yield PredictionFile(name or path.stem, path)


def _split_name(argument: str) -> tuple[str | None, str]:
    name, equals, pattern = argument.partition("=")
    if not equals or not name or "/" in name or Path(argument).exists():
        return None, argument
    return name, pattern


def _find_paths(pattern: str) -> list[Path]:
    path = Path(pattern)
    if path.is_dir():
        paths = sorted(file for file in path.iterdir() if file.suffix.lower() in SUFFIXES and file.is_file())
        if not paths:
            raise InputError(f"{path}: the folder holds no predictions ({', '.join(SUFFIXES)} files).")
        return paths
    if path.exists() or not glob.has_magic(pattern):
        return [path]
    paths = sorted(Path(match) for match in glob.glob(pattern, recursive=True))  # noqa: PTH207 - absolute patterns too
    if not paths:
        raise InputError(f"{pattern}: no file matches.")
    return [path for path in paths if path.is_file()]
