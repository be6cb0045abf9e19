"""Accuracies without predictions: how many answers of a model are right on a test set, and nothing about which."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import regauge.frames as pl
from regauge.arrays import CountArray
from regauge.columns import ColumnTypes
from regauge.errors import InputError

ACCURACY_COLUMNS = ColumnTypes(
    {
        "model": "String",
        "set": "String",
        "metric": "String",
        "n": "Int64",
        "n_correct": "Int64",
        "accuracy": "Float64",
    }
)
"""The columns of a table of accuracies; `n` and `n_correct` are missing where a file tells accuracies alone."""


@dataclass(frozen=True, slots=True, eq=False)
class SetAccuracies:
    """The right answers of models on one test set.

    Attributes:
        name: the test set.
        models: the models, by name.
        counts: right answers and counted images per metric [models, 2]; a metric that some model lacks is absent. Under one
            metric all models have the same number of images.
        notes: what the reader should know, a sentence each.
    """

    name: str
    models: tuple[str, ...]
    counts: Mapping[str, CountArray]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class AccuracyTable:
    """Accuracies of models on one test set or several, under one metric or several.

    Attributes:
        name: what outputs call it: of a packaged table its name, else that of its file.
        frame: one row per model, set and metric, with `ACCURACY_COLUMNS`.
        notes: what was read, and how, a sentence each.
        citation: where the numbers come from, if that is known.
    """

    name: str
    frame: pl.DataFrame
    notes: tuple[str, ...] = ()
    citation: str | None = None

    def __post_init__(self) -> None:
        if dict(self.frame.schema) != dict(ACCURACY_COLUMNS):
            raise InputError(f"A table of accuracies has the columns {', '.join(ACCURACY_COLUMNS)}, in this order.")
        if not self.frame.height:
            raise InputError(f"The table of accuracies {self.name} has no rows.")

    def __repr__(self) -> str:
        n = self.frame["model"].n_unique()
        return f"<AccuracyTable {self.name}: {n:,} model{'' if n == 1 else 's'} on {', '.join(self.sets)}>"

    @property
    def sets(self) -> tuple[str, ...]:
        """The test sets, in the order of the table."""
        return tuple(self.frame["set"].unique(maintain_order=True))

    def get_rows(self, name: str) -> pl.DataFrame:
        """The rows of one test set.

        Raises:
            InputError: the table has no set of that name.
        """
        rows = self.frame.filter(pl.col("set") == name)
        if not rows.height:
            raise InputError(
                f"{self.name} has no set {name!r}{suggest(name, self.sets)}; it has: {', '.join(self.sets)}."
            )
        return rows

    def find_n(self, name: str, metric: str) -> int | None:
        """How many images a set has under a metric; None where the table does not tell, or lacks the metric."""
        rows = self.frame.filter(pl.col("set") == name, pl.col("metric") == metric)
        sizes: list[int | None] = rows["n"].unique().to_list()
        return sizes[0] if len(sizes) == 1 else None


@dataclass(frozen=True, slots=True)
class Beside:
    """Published models that somebody's own are to be seen beside.

    Attributes:
        source: a packaged table (recht2019), a file of accuracies, a table of them, or several of these.
        original_set: which of its sets the original one is, or the only one in a score; by default the set that is called
            the same, or the only one with as many images.
        new_set: likewise of the new set.
        without: globs; models that are left out.
    """

    source: str | AccuracyTable | Sequence[str | AccuracyTable]
    original_set: str | None = None
    new_set: str | None = None
    without: tuple[str, ...] = field(default=())


def suggest(name: str, known: Sequence[str]) -> str:
    """A question that follows a name nobody has, where a known one is close to it; else nothing.

    >>> suggest("recht2109", ["recht2019"]), suggest("imagenet", ["recht2019"])
    (" (did you mean 'recht2019'?)", '')
    """
    close = difflib.get_close_matches(name, known, n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""
