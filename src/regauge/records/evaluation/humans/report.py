"""People and models in the same tables: how they are compared, and what comes out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import regauge.frames as pl
from regauge.errors import InputError
from regauge.estimates import DEFAULT_LEVEL, check_level
from regauge.records.evaluation.humans.tables import ACCURACIES, HUMAN_TABLES
from regauge.records.evaluation.scores import BALANCED_SUFFIX, MAX_BOOTSTRAP
from regauge.records.evaluation.shifts import Shift
from regauge.records.predictions import ParticipantKind
from regauge.records.results import Result
from regauge.records.testsets.shared_images import SharedBy

N_HUMAN_BOOTSTRAP = 2_000
MAX_DRAWS = 100_000
FAST_SECONDS = 60.0
"""Shankar et al. (2020): an image is fast where the median of all labelers' seconds is at most this."""
STRICT, LENIENT, TOP1 = "multilabel_strict", "multilabel_lenient", "top1"


@dataclass(frozen=True, slots=True)
class HumanSettings:
    """How people and models are compared.

    Attributes:
        metric: which accuracies, the first one leading: the tests, the images that everybody misses, consistency and seconds go
            by it. Without any, strict and then lenient multi-label accuracy where all truths have verdicts, else top1.
        person: globs; participants whose names match one of them are people, whatever their files say.
        by: groupings of the taxonomy whose groups are subsets; None takes object-organism and dogs where the taxonomy has them.
        pairs: globs; the participants between all pairs of whom McNemar's test is made, as one family. Without any, everybody.
        fast_seconds: an image is fast where the median of people's seconds is at most this.
        n_draws: how many times as many classes as a subset has are drawn.
        n_bootstrap: bootstrap samples of an interval.
        seed: start of every draw.
        level: nominal coverage of every interval.
        all_images: judge models on images that no person answered as well.
        allow_missing: go on when a model has not answered some images; people may always stop before the end.
        shared: how images of both sets are known to be the same.
    """

    metric: tuple[str, ...] = ()
    person: tuple[str, ...] = ()
    by: tuple[str, ...] | None = None
    pairs: tuple[str, ...] = ()
    fast_seconds: float = FAST_SECONDS
    n_draws: int = 1_000
    n_bootstrap: int = N_HUMAN_BOOTSTRAP
    seed: int = 0
    level: float = DEFAULT_LEVEL
    all_images: bool = False
    allow_missing: bool = False
    shared: SharedBy = SharedBy.DIGESTS

    def __post_init__(self) -> None:
        check_level(self.level)
        if not 0 < self.fast_seconds < float("inf"):
            raise InputError(f"An image is fast up to so many seconds, a number above 0, not {self.fast_seconds}.")
        if not 1 <= self.n_draws <= MAX_DRAWS:
            raise InputError(f"Classes are drawn 1 to {MAX_DRAWS:,} times, not {self.n_draws:,}.")
        if not 100 <= self.n_bootstrap <= MAX_BOOTSTRAP:
            raise InputError(f"A bootstrap takes 100 to {MAX_BOOTSTRAP:,} samples, not {self.n_bootstrap:,}.")
        if not 0 <= self.seed < 2**64:
            raise InputError(f"A seed is a whole number from 0 to 2**64 - 1, not {self.seed}.")
        for name in self.metric:
            if name.endswith(BALANCED_SUFFIX):
                raise InputError(
                    f"People and models are compared image by image, so a metric is a plain one such as {TOP1}, not {name}."
                )


@dataclass(frozen=True, slots=True)
class Labeler:
    """A participant in the tables, by what it is.

    Attributes:
        name: what it is called.
        kind: a model or a person.
        family: what it belongs with, where that is known.
        n_images: the images it answered, by test set.
    """

    name: str
    kind: ParticipantKind
    family: str | None
    n_images: Mapping[str, int]

    @property
    def is_person(self) -> bool:
        """Whether it is a person."""
        return self.kind is ParticipantKind.PERSON

    def to_dict(self) -> dict[str, Any]:
        """As docs/formats.md has it."""
        return {"name": self.name, "kind": str(self.kind), "family": self.family, "n_images": dict(self.n_images)}


@dataclass(frozen=True, slots=True, eq=False)
class HumanReport(Result):
    """People and models in the same tables; accuracies are fractions.

    Attributes:
        test_sets: the names of the sets, the original one first.
        metrics: which accuracies, the leading one first.
        participants: everybody, people first.
        tables: every table by its name in `HUMAN_TABLES`; a table without rows has its columns.
        shifts: for everybody, and for objects alone where they are known, what a figure of both sets needs; the line goes
            through the models. Nothing where there is one set.
        settings: how it was made.
        notes: what the reader should know, a sentence each.
        warnings: what is probably wrong.
    """

    plotter: ClassVar[str] = "plot_humans"

    test_sets: tuple[str, ...]
    metrics: tuple[str, ...]
    participants: tuple[Labeler, ...]
    tables: Mapping[str, pl.DataFrame]
    settings: HumanSettings
    shifts: Mapping[str, Shift] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def __repr__(self) -> str:
        n_people = len(self.people)
        sizes = f"{n_people} people and {len(self.participants) - n_people} models"
        return f"<HumanReport on {' and '.join(self.test_sets)}: {sizes}, {', '.join(self.metrics)}>"

    @property
    def people(self) -> tuple[str, ...]:
        """The names of the people."""
        return tuple(one.name for one in self.participants if one.is_person)

    def get_table(self, name: str) -> pl.DataFrame:
        """One of the tables.

        Raises:
            InputError: there is none of that name.
        """
        if name not in self.tables:
            raise InputError(f"There is no table {name!r}; there are: {', '.join(HUMAN_TABLES)}.")
        return self.tables[name]

    def to_frame(self) -> pl.DataFrame:
        """The accuracies: one row per participant, test set, metric and subset; `get_table` gives the other tables."""
        return self.tables[ACCURACIES]
