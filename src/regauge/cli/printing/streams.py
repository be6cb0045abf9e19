"""Standard output: what it cannot hold or take is told in one sentence, and known from what other files cannot."""

from __future__ import annotations

import codecs
import errno
import io
import sys

PLAIN = {"–": "-", "—": "-", "−": "-", "…": "...", "→": "->", "←": "<-", "≥": ">=", "≤": "<=", "×": "x", "≈": "~"}
"""What our own sentences are written with, in letters that every terminal has."""

_HANDLER = "regauge.plain"


class OutputError(Exception):
    """Standard output cannot be written to."""

    def __init__(self, reason: OSError) -> None:
        self.is_closed = reason.errno == errno.EPIPE
        closed = "Standard output was closed before everything was written to it."
        super().__init__(
            closed if self.is_closed else f"Error: standard output cannot be written to: {reason.strerror}."
        )


class _Output(io.FileIO):
    """The file behind standard output, whose errors say that they are its own."""

    def write(self, content: bytes | memoryview, /) -> int | None:  # type: ignore[override]
        """Write as much as can be written."""
        try:
            return super().write(content)
        except OSError as error:
            raise OutputError(error) from error


def prepare_output() -> None:
    """Make standard output say what is wrong with it, and write out the characters that it has not."""
    codecs.register_error(_HANDLER, _write_out)
    buffer = getattr(sys.stdout, "buffer", None)
    # Where Python was told not to buffer, the file stands there itself.
    file = getattr(buffer, "raw", buffer)
    if type(file) is not io.FileIO:
        return
    sys.stdout.flush()
    sys.stdout = io.TextIOWrapper(
        io.BufferedWriter(_Output(file.fileno(), "wb", closefd=False)),
        encoding=sys.stdout.encoding,
        errors=_HANDLER,
        line_buffering=file is buffer or file.isatty(),
    )


def give_up_output() -> None:
    """Forget what standard output did not take; Python would try once more when it ends, and complain."""
    sys.stdout = None


def is_unicode() -> bool:
    """Whether standard output has every character."""
    return (getattr(sys.stdout, "encoding", None) or "utf-8").lower().replace("-", "").startswith("utf")


def _write_out(error: UnicodeError) -> tuple[str, int]:
    """A character that the encoding has not, in plain letters or as its number."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    plain = (PLAIN.get(one, one.encode("ascii", "backslashreplace").decode()) for one in text)
    return "".join(plain), error.end
