"""Open a study with all that is known of exposure."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from regauge.cli.studies.study import open_here
from regauge.workflows.exposure.recording import has_unlearned, learn_some
from regauge.workflows.studies.study import Study


@contextmanager
def open_learned(folder: Path | None) -> Iterator[Study]:
    """The study as it is at one moment, with exposure learned from all answers that there are."""
    with open_here(folder) as study:
        with study.read() as reading:
            is_behind = has_unlearned(reading)
        while is_behind:
            # In parts, for others may want to write meanwhile.
            with study.begin() as begun:
                is_behind = learn_some(begun)
        with study.read() as reading:
            yield reading
