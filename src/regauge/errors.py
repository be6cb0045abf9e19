"""Everything Regauge raises on purpose.

    RegaugeError
    ├── InputError              a file, an option or an argument is not what it must be
    │   ├── FormatError         a file is unreadable or has the wrong shape; knows the file and the line
    │   ├── UnknownClassError   no class of the taxonomy has that index, id or name
    │   ├── AmbiguousClassError several classes share that name
    │   ├── MissingImagesError  some images of the truth have no prediction
    │   ├── MissingDataError    none of the folders given holds a file that is needed
    │   ├── ConflictError       somebody else changed it meanwhile; knows the version that stands now
    │   └── AccessError         whoever asks is not among those whom it is for
    ├── StorageError            a study's database or one of its files cannot be read or written
    ├── DrawingError            a figure could not be written
    └── PlatformError           a recruitment platform cannot be reached, or refuses what it is asked for

Every message is one sentence or two that say what is wrong, which item it is, the rule, what came instead
and what to do. The command line prints the message and exits with 2; it never shows a traceback for these.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any


class RegaugeError(Exception):
    """Base of all errors that Regauge raises on purpose."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Errors come out of other processes as they went in, whatever they were made of."""
        return _revive, (type(self), self.args, self.__dict__)


def _revive(kind: type[RegaugeError], arguments: tuple[Any, ...], state: dict[str, Any]) -> RegaugeError:
    error = kind.__new__(kind, *arguments)
    error.args = arguments
    error.__dict__.update(state)
    return error


class InputError(RegaugeError, ValueError):
    """What the user gave cannot be used."""


class FormatError(InputError):
    """A file does not hold what its format promises."""

    def __init__(self, path: Path | str, problem: str, *, line: int | None = None) -> None:
        self.path = Path(path)
        self.line = line
        self.problem = problem
        where = f"{path}, line {line}" if line is not None else f"{path}"
        super().__init__(f"{where}: {problem}")


class UnknownClassError(InputError):
    """No class of the taxonomy answers to the text."""

    def __init__(self, text: str, taxonomy: str, *, hint: str = "") -> None:
        self.text = text
        super().__init__(f"{text!r} is not a class of {taxonomy}{'; ' + hint if hint else ''}.")


class AmbiguousClassError(InputError):
    """Several classes of the taxonomy share the name."""

    def __init__(self, text: str, taxonomy: str, ids: Sequence[str]) -> None:
        self.text = text
        self.ids = tuple(ids)
        super().__init__(
            f"{text!r} names {len(ids)} classes of {taxonomy}: {', '.join(ids)}. Write the id of the one you mean."
        )


class MissingImagesError(InputError):
    """Some images of the truth have no prediction of a participant."""

    def __init__(self, participant: str, *, first: str, n_missing: int, n_images: int) -> None:
        self.participant = participant
        self.n_missing = n_missing
        super().__init__(
            f"{participant} has no prediction for {n_missing:,} of {n_images:,} images, the first being {first!r}. "
            "Add them, or score the rest with `allow_missing=True`."
        )


class MissingDataError(InputError):
    """None of the folders given holds a file; knows which ones were looked for, any of which would have done."""

    def __init__(self, *names: str) -> None:
        self.names = names
        super().__init__(f"not in the folders given: {' or '.join(names)}")


class ConflictError(InputError):
    """Somebody else changed what was edited; nothing was stored, and both texts are still there."""

    def __init__(self, message: str, *, version: int) -> None:
        self.version = version
        super().__init__(message)


class AccessError(InputError):
    """Whoever asks is not among those whom it is for."""


class StorageError(RegaugeError):
    """A study's database or one of its files cannot be read or written."""


class FigureError(RegaugeError):
    """A figure could not be written."""


class PlatformError(RegaugeError):
    """A recruitment platform cannot be reached, or refuses what it is asked for."""
