"""What a predictions argument means: a file, a folder or a glob, with or without NAME= in front."""

from __future__ import annotations

import glob
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from regauge.errors import InputError
from regauge.formats.text import split_part

SUFFIXES = (".npz", ".csv", ".tsv", ".npy", ".parquet", ".jsonl", ".json")
EXPORTED = "predictions"
"""What `regauge export` calls its table of answers, which lies beside tables of images, labels and scores."""


@dataclass(frozen=True, slots=True)
class PredictionFile:
    """A file of predictions, not read yet.

    Attributes:
        participant: what its participant is called, unless the file says so itself.
        path: the file.
        is_named: whether the name was given by the user, and so holds whatever the file says.
        part: the test set whose answers are meant, where PATH#NAME names one of several in a table.
    """

    participant: str
    path: Path
    is_named: bool = False
    part: str | None = None


def find_prediction_files(arguments: Iterable[str | Path]) -> tuple[PredictionFile, ...]:
    """The files that the arguments mean, in their order.

    Raises:
        InputError: an argument means no file.
    """
    return tuple(file for argument in arguments for file in _expand(str(argument)))


def check_names(named: Iterable[tuple[str, Path]]) -> None:
    """Refuse two participants of one name.

    Raises:
        InputError: two files have a participant of one name.
    """
    path_of: dict[str, Path] = {}
    for name, path in named:
        if name in path_of:
            raise InputError(
                f"Two participants are called {name!r}: {path_of[name]} and {path}. Name one of them with NAME=PATH."
            )
        path_of[name] = path


def _expand(argument: str) -> Iterator[PredictionFile]:
    name, pattern = _split_name(argument)
    if not pattern:
        raise InputError(f"{argument!r} names no file of predictions; write PATH or NAME=PATH.")
    file, part = split_part(pattern)
    paths = _find_paths(str(file))
    if name is not None and len(paths) > 1:
        raise InputError(f"{argument}: one name was given for {len(paths)} files; name them one by one.")
    for path in paths:
        if path.suffix.lower() not in SUFFIXES and not path.exists():
            raise InputError(f"{path}: there is no such file or folder; predictions are {', '.join(SUFFIXES)} files.")
        if path.suffix.lower() not in SUFFIXES:
            raise InputError(
                f"{path}: predictions are {', '.join(SUFFIXES)} files, not {path.suffix or 'without extension'}."
            )
        yield PredictionFile(name or path.stem, path, is_named=name is not None, part=part)


def _split_name(argument: str) -> tuple[str | None, str]:
    name, equals, pattern = argument.partition("=")
    if not equals or not name or "/" in name or Path(argument).exists():
        return None, argument
    return name, pattern


def _find_paths(pattern: str) -> list[Path]:
    path = Path(pattern)
    if path.is_dir():
        return _find_inside(path)
    if path.exists() or not glob.has_magic(pattern):
        return [path]
    paths = sorted(Path(match) for match in glob.glob(pattern, recursive=True))  # noqa: PTH207 - absolute patterns too
    if not paths:
        raise InputError(f"{pattern}: no file matches.")
    return [path for path in paths if path.is_file()]


def _find_inside(folder: Path) -> list[Path]:
    """The files of a folder that may hold predictions; of an export, its table of them alone."""
    files = sorted(file for file in folder.iterdir() if file.is_file())
    paths = [file for file in files if file.suffix.lower() in SUFFIXES]
    if not paths:
        found = describe_files(files, folder)
        raise InputError(f"{folder}: the folder holds no predictions ({', '.join(SUFFIXES)} files); {found}.")
    exported = [path for path in paths if path.stem == EXPORTED]
    beside = {path.stem for path in paths}
    return exported if exported and {"images", "labels", "scores"} <= beside else paths


def describe_files(files: Iterable[Path], folder: Path) -> str:
    """What lies in a folder, for an error.

    >>> describe_files([Path("a.txt"), Path("b.txt"), Path("c")], Path("here"))
    'it holds 3 files (.txt, without extension)'
    """
    found = list(files)
    n_folders = sum(entry.is_dir() for entry in folder.iterdir()) if folder.is_dir() else 0
    kinds = sorted({file.suffix.lower() or "without extension" for file in found})
    parts = []
    if found:
        parts.append(f"{len(found):,} file{'s'[: len(found) != 1]} ({', '.join(kinds)})")
    if n_folders:
        parts.append(f"{n_folders:,} folder{'s'[: n_folders != 1]}")
    return f"it holds {' and '.join(parts)}" if parts else "it is empty"
