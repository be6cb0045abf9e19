"""The papers whose figures can be recomputed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from regauge.errors import InputError
from regauge.formats.releases.folders import DataFolders, open_folders
from regauge.records.reproductions import Reproduction
from regauge.workflows.reproduce import beyer2020, recht2019, shankar2020, tsipras2020, vasudevan2022

PAPERS: dict[str, Callable[[DataFolders], Reproduction]] = {
    "recht2019": recht2019.reproduce,
    "shankar2020": shankar2020.reproduce,
    "tsipras2020": tsipras2020.reproduce,
    "vasudevan2022": vasudevan2022.reproduce,
    "beyer2020": beyer2020.reproduce,
}


def reproduce(paper: str, folders: Path | str | Sequence[Path | str]) -> Reproduction:
    """The figures of a paper beside what the data in some folders give.

    Args:
        paper: its short name.
        folders: clones of the public repositories, folders that hold several, or folders of the compact files.

    Raises:
        InputError: the paper is not known, or a folder holds none of the data.
    """
    if paper not in PAPERS:
        raise InputError(f"There is no reproduction of {paper!r}; there are: {', '.join(PAPERS)}.")
    return PAPERS[paper](open_folders([folders] if isinstance(folders, Path | str) else folders))


def reproduce_all(folders: Path | str | Sequence[Path | str]) -> tuple[Reproduction, ...]:
    """The figures of every paper beside what the data in some folders give, which are read once.

    Args:
        folders: as in `reproduce`.

    Raises:
        InputError: a folder holds none of the data.
    """
    data = open_folders([folders] if isinstance(folders, Path | str) else folders)
    return tuple(make(data) for make in PAPERS.values())
