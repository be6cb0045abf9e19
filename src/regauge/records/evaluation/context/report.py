"""What an analysis of benchmark and task finds: an answer, tables with n and intervals, and what could not be done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

import regauge.frames as pl
from regauge.columns import ColumnTypes
from regauge.errors import InputError
from regauge.estimates import DEFAULT_LEVEL, check_level
from regauge.records.evaluation.scores import MAX_BOOTSTRAP
from regauge.records.results import Result

MAX_LISTED = 1_000
MAX_FEWER = 1_000


@dataclass(frozen=True, slots=True)
class ContextSettings:
    """How benchmark and task are compared.

    Attributes:
        participant: globs; whom lists of single participants are about. Without any, the best one by top-1.
        n_listed: entries of a ranked list.
        n_fewer: annotators per image who are drawn where an analysis is repeated with fewer of them.
        n_bootstrap: bootstrap samples of an interval, and draws of fewer annotators.
        seed: start of every draw.
        level: nominal coverage of every interval.
        allow_missing: go on when a model has not answered some images; people may always stop before the end.
    """

    participant: tuple[str, ...] = ()
    n_listed: int = 15
    n_fewer: int = 5
    n_bootstrap: int = 2_000
    seed: int = 0
    level: float = DEFAULT_LEVEL
    allow_missing: bool = False

    def __post_init__(self) -> None:
        check_level(self.level)
        if not 1 <= self.n_listed <= MAX_LISTED:
            raise InputError(f"A ranked list has 1 to {MAX_LISTED:,} entries, not {self.n_listed:,}.")
        if not 1 <= self.n_fewer <= MAX_FEWER:
            raise InputError(f"From 1 to {MAX_FEWER:,} annotators are drawn per image, not {self.n_fewer:,}.")
        if not 100 <= self.n_bootstrap <= MAX_BOOTSTRAP:
            raise InputError(f"A bootstrap takes 100 to {MAX_BOOTSTRAP:,} samples, not {self.n_bootstrap:,}.")
        if not 0 <= self.seed < 2**64:
            raise InputError(f"A seed is a whole number from 0 to 2**64 - 1, not {self.seed}.")


@dataclass(frozen=True, slots=True)
class ContextTable:
    """A table of an analysis.

    Attributes:
        title: what stands above it.
        columns: its columns in output order. A number with limits is three columns, NAME, NAME_low and NAME_high, and stands
            beside its n.
        figures: which figures of Tsipras et al. (2020) it has the numbers of, such as "15a".
        points: differences of shares, which people read in points.
        plain: numbers that are no shares, which people read as they are; others read shares in percent.
    """

    title: str
    columns: ColumnTypes
    figures: tuple[str, ...] = ()
    points: tuple[str, ...] = ()
    plain: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class ContextReport(Result):
    """What one analysis finds; shares are fractions.

    Attributes:
        analysis: which one, as the command calls it.
        title: what documents call it.
        test_set: whose images.
        answers: what it comes to, a sentence each, the most important first.
        tables: every table by its name, the leading one first; one without rows has its columns.
        settings: how it was made.
        notes: what the reader should know, a sentence each; what could not be done among them.
        warnings: what is probably wrong.
    """

    plotter: ClassVar[str] = "plot_context"

    analysis: str
    title: str
    test_set: str
    answers: tuple[str, ...]
    tables: Mapping[str, pl.DataFrame]
    settings: ContextSettings = field(default_factory=ContextSettings)
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<ContextReport: {self.analysis} of {self.test_set}, {', '.join(self.tables)}>"

    def get_table(self, name: str) -> pl.DataFrame:
        """One of the tables.

        Raises:
            InputError: there is none of that name.
        """
        if name not in self.tables:
            raise InputError(f"There is no table {name!r}; there are: {', '.join(self.tables)}.")
        return self.tables[name]

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values; shares are fractions."""
        return {
            "analysis": self.analysis,
            "title": self.title,
            "test_set": self.test_set,
            "answers": list(self.answers),
            "tables": {name: frame.to_dicts() for name, frame in self.tables.items()},
            "notes": list(self.notes),
            "warnings": list(self.warnings),
            "settings": asdict(self.settings),
        }

    def to_frame(self) -> pl.DataFrame:
        """The leading table; `get_table` gives the others."""
        return next(iter(self.tables.values()))
