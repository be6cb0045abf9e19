"""The papers whose figures can be recomputed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from regauge.errors import InputError
from regauge.records.reproductions import Reproduction
from regauge.workflows.reproduce import recht2019, shankar2020, tsipras2020, vasudevan2022

PAPERS: dict[str, Callable[[Path], Reproduction]] = {
    "recht2019": recht2019.reproduce,
    "shankar2020": shankar2020.reproduce,
    "tsipras2020": tsipras2020.reproduce,
    "vasudevan2022": vasudevan2022.reproduce,
}


def reproduce(paper: str, folder: Path | str) -> Reproduction:
    """The figures of a paper beside what the released data in a folder give.

    Raises:
        InputError: the paper is not known, or the folder holds none of the released data.
    """
    if paper not in PAPERS:
        raise InputError(f"There is no reproduction of {paper!r}; there are: {', '.join(PAPERS)}.")
    folder = Path(folder)
    if not any(folder.glob("*20[0-9][0-9]_*")):
        raise InputError(
            f"{folder} holds none of the released data; docs/reproductions.md says which files belong there."
        )
    return PAPERS[paper](folder)
