"""A participant by name, and how its answers are read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from regauge.records.predictions import Predictions


@dataclass(frozen=True, slots=True)
class Participant:
    """A participant whose answers are read only when they are needed.

    Attributes:
        name: what outputs call it.
        load: reads the answers.
        path: the file that they are in, where they come from one.
    """

    name: str
    load: Callable[[], Predictions]
    path: Path | None = None
