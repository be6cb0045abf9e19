"""What the steps share by which a study of released data is made."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from regauge.formats.releases.folders import DataFolders
from regauge.records.reproductions import ReleasedPart
from regauge.storage.study import Study

REAL, REVIEWED, CONTAINS, CLASSIFY = "beyer2020-real", "shankar2020-reviewed", "tsipras2020-contains", "tsipras2020"
"""What the study calls the label sets."""


@dataclass(slots=True)
class Making:
    """A study that is being made.

    Attributes:
        study: it, inside a transaction.
        data: where released data are looked for.
        notes: what the reader should know, as it was found.
    """

    study: Study
    data: DataFolders
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Step:
    """A part of the data that is looked for.

    Attributes:
        what: what it is.
        name: what the study calls it.
        add: adds it, and gives what was added; a `MissingDataError` says what is not there.
    """

    what: str
    name: str
    add: Callable[[Making], Iterator[ReleasedPart]]
