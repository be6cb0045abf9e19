"""What a kind of task tells about the figures of its campaigns: a module with these functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeAlias

from regauge.arrays import BoolArray, CountArray, IntArray
from regauge.records.responses.figures import AnnotatorFigures, ImageVote
from regauge.records.responses.ledgers import LedgerColumns, TaskColumns
from regauge.records.responses.quality import ImageAnswer
from regauge.responses.ledger import Ledger
from regauge.responses.live.oddities import Oddity

Copied: TypeAlias = Any
"""Answers in a form of the kind's own, which it looks for oddities in."""


class Memory(Protocol):
    """Keeps what of a campaign's tasks is made once."""

    def copy_answers(self, ledger: Ledger) -> Copied:
        """The answers as they are now; the ledger may change meanwhile."""
        ...


class FigureKind(Protocol):
    """What is peculiar to a kind in the figures about annotators and images.

    `tasks` are all tasks of a campaign, `columns` some answers to them.
    """

    HAS_MAIN: bool
    """Whether answers name a main object."""
    MIN_SECONDS: float
    """Credited seconds below which nobody has looked, with the reason: per task, or per image where tasks have many."""

    def make_memory(self) -> Memory:
        """A memory of what is made of the tasks once."""
        ...

    def find_poor(self, tasks: TaskColumns, columns: LedgerColumns) -> BoolArray:
        """Which answers speak against their annotators."""
        ...

    def find_bad(self, n_poor: CountArray, n_answers: CountArray) -> BoolArray:
        """Whom the screening would drop, with so many poor answers of all."""
        ...

    def describe_bad(self, n_poor: int, n_answers: int) -> str:
        """Why screening would drop somebody, in a sentence."""
        ...

    def compare(self, tasks: TaskColumns, columns: LedgerColumns) -> tuple[CountArray, CountArray]:
        """Per answer, votes on which the others whose answers count have a majority, and those of them that are theirs.

        Answers come by whole tasks. A vote of one's own always agrees, so it is left out; where the others are divided there is
        nothing to agree with.
        """
        ...

    def read_votes(self, tasks: TaskColumns, columns: LedgerColumns, *, row: int) -> dict[int, int]:
        """The votes of one answer, each by what it is about, to be compared with those in a hidden repeat."""
        ...

    def pick_doubtful(self, figures: AnnotatorFigures, answers: Copied) -> CountArray:
        """The numbers of answers of which `find_oddities` must know the order that their page gave the items; none as a rule."""
        ...

    def find_oddities(
        self, figures: AnnotatorFigures, answers: Copied, *, tasks: TaskColumns, orders: Mapping[int, int]
    ) -> list[tuple[Oddity, ...]]:
        """Per annotator what is odd, from all of their answers as `Memory` copies them.

        `orders` has what decided the order of the items, by the number of the answer, for those that `pick_doubtful` gave.
        """
        ...

    def tell_answer(self, answer: ImageAnswer, *, name: Callable[[int], str]) -> tuple[str, str]:
        """What an answer says about an image, in two cells of a table; `name` tells what a class is called."""
        ...

    def find_images(self, tasks: TaskColumns) -> tuple[CountArray, IntArray]:
        """Which task shows which image: the place of the task and the number of the image, entry by entry."""
        ...

    def list_asked(self, tasks: TaskColumns, *, task: int) -> tuple[int, ...]:
        """The classes that a task asks about, by its place."""
        ...

    def read_image(self, tasks: TaskColumns, columns: LedgerColumns, *, row: int, image: int) -> ImageVote | None:
        """What one answer says about an image of its task; None where it was not shown."""
        ...
