"""What a section of a report is made of. A section is data: the page draws every block by its shape and knows no section.

To add a section, make a `Section` of blocks; the contents list, folding, print, figure files and table files follow by
themselves. Keep the page short: a new section is folded, unless it is what readers came for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeAlias

import polars as pl

from regauge.report.content import SampleImage
from regauge.report.tables import DocumentTable

MAX_PRINTED_ROWS = 60
"""A folded table with more rows is left out on paper: its file has them."""


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph; its style is a class of the style sheet."""

    shape: ClassVar[str] = "text"
    words: str
    style: str = ""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading inside a section; with an anchor it can be linked to."""

    shape: ClassVar[str] = "heading"
    words: str
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class Facts:
    """Terms with what they are."""

    shape: ClassVar[str] = "facts"
    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Code:
    """Lines as they were typed."""

    shape: ClassVar[str] = "code"
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class ReportFigure:
    """A figure of a report: the name of its files, what a reader who cannot see it is told, and its Vega-Lite drawing."""

    shape: ClassVar[str] = "figure"
    name: str
    text: str
    spec: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ReportTable:
    """A table of a report: its anchor, its caption, and whether rows can be filtered by name."""

    shape: ClassVar[str] = "table"
    id: str
    caption: str
    content: DocumentTable
    can_filter: bool = False


@dataclass(frozen=True, slots=True)
class Pictures:
    """Images to look at."""

    shape: ClassVar[str] = "pictures"
    images: tuple[SampleImage, ...]


@dataclass(frozen=True, slots=True)
class Fold:
    """Blocks behind a line that unfolds them.

    Attributes:
        title: the line.
        blocks: what is behind it.
        anchor: where links lead to; may be empty.
        is_printed: whether it is unfolded on paper; else it is left out there.
    """

    shape: ClassVar[str] = "fold"
    title: str
    blocks: tuple[Block, ...]
    anchor: str = ""
    is_printed: bool = True


Block: TypeAlias = Text | Heading | Facts | Code | ReportFigure | ReportTable | Pictures | Fold


@dataclass(frozen=True, slots=True, eq=False)
class Section:
    """A part of the report.

    Attributes:
        anchor: where links lead to.
        title: its heading, and its line in the contents.
        blocks: what it shows.
        gist: what it says in a line, for those who do not unfold it.
        is_folded: whether it is folded as the page opens.
        frames: the numbers behind it, by the name of their file.
        is_printed: whether a folded section is unfolded on paper; else its title and its gist stand there.
    """

    anchor: str
    title: str
    blocks: tuple[Block, ...]
    gist: str = ""
    is_folded: bool = False
    frames: Sequence[tuple[str, pl.DataFrame]] = ()
    is_printed: bool = True


def keep_off_paper(folds: Iterator[Fold]) -> Iterator[Fold]:
    """The same, left out on paper."""
    return (replace(one, is_printed=False) for one in folds)


def list_figures(blocks: Sequence[Block]) -> Iterator[ReportFigure]:
    """All figures among the blocks, folded ones too."""
    for block in blocks:
        if isinstance(block, ReportFigure):
            yield block
        elif isinstance(block, Fold):
            yield from list_figures(block.blocks)


def fold_table(title: str, table: ReportTable, *, notes: Sequence[str] = (), anchor: str = "") -> Iterator[Fold]:
    """The table behind a line, with notes below it; nothing where it is empty."""
    if table.content.is_empty:
        return
    blocks: tuple[Block, ...] = (table, *(Text(note, "quiet") for note in notes))
    yield Fold(title, blocks, anchor, is_printed=len(table.content.rows) <= MAX_PRINTED_ROWS)
