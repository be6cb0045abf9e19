"""Tables that fit the terminal: the least important columns go first, and names and numbers are never split inside."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum

from rich import box
from rich import table as rich_table
from rich.cells import cell_len, set_cell_size
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from regauge.cli.printing.printable import make_printable
from regauge.records.taxonomy import Taxonomy

GAP = 2
"""Blanks between columns."""
MIN_NAME = 12
"""A name is not made shorter than this while anything else can go."""
LONG_NAME = 40
"""What is longer is shortened rather than that a column beside it is left out."""
MIN_WORDS = 24
"""A column of sentences is left out rather than made narrower than this."""
NUMBERS = frozenset({"classes", "index", "level", "n", "rank"})
"""Columns that stand to the right."""
_WORD = re.compile(r"(?:[-+−]?\d[\d.,%]* )?\[[-+−\d., %]{1,40}\]\S*|[np] [=<] \S+|\S+")
"""What sentences are not broken inside: words, numbers with their intervals, counts and p-values."""
_ENTRY = re.compile(r"[^,|;]+[,|;]?")
"""What lists are not broken inside."""
IN_CSV = "--format csv has all"
IN_JSON = "--format json has all"
"""Where a reader finds what a narrow table leaves out."""


class Holds(Enum):
    """What the cells of a column are, and so what may be done to them."""

    NAMES = "names: shortened in the middle where nothing else helps"
    NUMBERS = "numbers: as they are, or left out"
    WORDS = "sentences: broken between words"
    LISTS = "lists: broken between their entries, and a long entry between its words"


@dataclass(slots=True)
class Column:
    """A column of a table.

    Attributes:
        header: its name, in one line or more.
        holds: what its cells are.
        rank: how important it is. 0 stays; of the others the highest go first, those of one rank together.
        label: what the note calls it when it is left out; a column without one goes unmentioned with its neighbours.
        cells: one for each row.
    """

    header: str
    holds: Holds
    rank: int
    label: str
    cells: list[Text] = field(default_factory=list)

    @property
    def width(self) -> int:
        """The width at which no cell is touched."""
        lines = [line for cell in self.cells for line in cell.plain.split("\n")]
        return max(map(cell_len, [*self.header.split("\n"), *lines]))

    @property
    def need(self) -> int:
        """The width without which it is left out."""
        if self.holds is Holds.NUMBERS:
            return self.width
        return min(self.width, LONG_NAME if self.holds is Holds.NAMES else MIN_WORDS)


@dataclass(frozen=True, slots=True)
class TableFit:
    """Which columns a width has room for, by position, with their widths."""

    widths: dict[int, int]


@dataclass(slots=True)
class FittedTable:
    """Rows and columns, which the terminal shows as far as they fit.

    Attributes:
        title: the line above it.
        whole: where the reader finds all of it.
        columns: the columns from left to right.
        sections: positions of rows that a blank line follows.
    """

    title: str = ""
    whole: str = IN_CSV
    columns: list[Column] = field(default_factory=list)
    sections: set[int] = field(default_factory=set)

    @property
    def n_rows(self) -> int:
        """How many rows it has."""
        return len(self.columns[0].cells) if self.columns else 0

    def add_column(
        self, header: str, holds: Holds = Holds.NUMBERS, *, rank: int | None = None, label: str | None = None
    ) -> None:
        """Another column to the right; by position, the first two stay and the last one goes first."""
        header = "\n".join(map(make_printable, header.split("\n")))
        place = len(self.columns)
        usual = 0 if place < 2 else place
        name = header.replace("\n", " ") if label is None else make_printable(label)
        self.columns.append(Column(header, holds, usual if rank is None else rank, name))

    def add_columns(self, headers: Iterable[str], holds: Holds = Holds.NUMBERS) -> None:
        """More columns to the right."""
        for header in headers:
            self.add_column(header, holds)

    def add_row(self, *cells: str | Text) -> None:
        """Another row below; a text is taken as it is, whatever brackets and colons are in it."""
        for column, cell in zip(self.columns, cells, strict=True):
            column.cells.append(cell if isinstance(cell, Text) else show(cell))

    def add_section(self) -> None:
        """A blank line below the last row."""
        self.sections.add(self.n_rows - 1)

    def fit(self, width: int) -> TableFit:
        """The columns that there is room for: those that stay, then the others by their importance, as far as they fit."""
        kept = [place for place, column in enumerate(self.columns) if column.rank == 0] or [0]
        while len(kept) > 1 and self._count(kept, shortest=True) > width:
            kept.pop()
        for rank in sorted({column.rank for column in self.columns} - {0}):
            more = [place for place, column in enumerate(self.columns) if column.rank == rank]
            if self._count([*kept, *more]) <= width:
                kept += more
        needs = {place: self.columns[place].need for place in sorted(kept)}
        excess = self._count(kept) - width
        return TableFit(self._shorten(needs, excess) if excess > 0 else self._widen(needs, -excess))

    def fits(self, width: int) -> bool:
        """Whether every column has room."""
        found = self.fit(width)
        return len(found.widths) == len(self.columns) and not self._cuts(found)

    def _count(self, places: Sequence[int], *, shortest: bool = False) -> int:
        """The width of a table of these columns."""
        columns = [self.columns[place] for place in places]
        needs = (min(one.need, MIN_NAME) if shortest and one.holds is Holds.NAMES else one.need for one in columns)
        return sum(needs) + GAP * (len(columns) - 1)

    def _shorten(self, widths: dict[int, int], excess: int) -> dict[int, int]:
        """Take from the widest column of names again and again; a single column of anything gives what it must."""
        names = [place for place in widths if self.columns[place].holds is Holds.NAMES] or [*widths][:1]
        for _ in range(excess):
            widest = max(names, key=lambda place: widths[place])
            widths[widest] = max(1, widths[widest] - 1)
        return widths

    def _widen(self, widths: dict[int, int], room: int) -> dict[int, int]:
        """Give the room that is left to long names and to sentences."""
        for place, width in [*widths.items()]:
            widths[place] = min(self.columns[place].width, width + room)
            room -= widths[place] - width
        return widths

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The table at the width of the terminal, and what is not in it."""
        found = self.fit(options.max_width)
        if self.title:
            yield Text(make_printable(self.title), style="bold")
        yield self._render(found)
        note = self._tell(found)
        if note:
            yield Text(note, style="dim")
        yield Text()

    def _tell(self, found: TableFit) -> str:
        """What the reader does not see at this width."""
        labels = [
            one.label for place, one in enumerate(self.columns) if place not in found.widths and one.label.strip()
        ]
        parts = [f"Left out at this width: {', '.join(dict.fromkeys(labels))}"] if labels else []
        parts += (
            ["Names are shortened at this width" if not parts else "names are shortened"] if self._cuts(found) else []
        )
        return f"{'; '.join([*parts, self.whole])}." if parts else ""

    def _cuts(self, found: TableFit) -> bool:
        """Whether a cell is shortened."""
        return any(
            "…" in _cut(cell, width, self.columns[place].holds).plain.replace("…", "", cell.plain.count("…"))
            for place, width in found.widths.items()
            for cell in self.columns[place].cells
        )

    def _render(self, found: TableFit) -> rich_table.Table:
        """The columns that fit, each at its width, so that nothing is left to decide."""
        columns = {place: self.columns[place] for place in found.widths}
        shown = rich_table.Table(
            box=box.SIMPLE_HEAD,
            show_edge=False,
            pad_edge=False,
            padding=(0, 1, 0, 0),
            show_header=any(one.header for one in self.columns),
        )
        for place, one in columns.items():
            width = found.widths[place]
            header = _cut(Text(one.header), width, one.holds)
            shown.add_column(
                header, justify="right" if one.holds is Holds.NUMBERS else "left", width=width, no_wrap=True
            )
        for row in range(self.n_rows):
            cells = (_cut(one.cells[row], found.widths[place], one.holds) for place, one in columns.items())
            shown.add_row(*cells, end_section=row in self.sections and row < self.n_rows - 1)
        return shown


def make_table(*names: str, title: str = "", whole: str = IN_CSV) -> FittedTable:
    """A table in the one look, with these columns; without a head where none has a name."""
    table = FittedTable(title, whole)
    for name in names:
        table.add_column(name, Holds.NUMBERS if name in NUMBERS else Holds.NAMES)
    return table


def show(text: str) -> Text:
    """A name as it is: rich would take brackets for markup and :dog: for a picture."""
    return Text(make_printable(text))


def shorten_name(name: str, width: int) -> str:
    """The name without its middle where it is wider than that; beginnings and ends tell most names apart.

    >>> shorten_name("gradients-histogram-logistic", 16)
    'gradient…ogistic'
    """
    if cell_len(name) <= width:
        return name
    ends = max(0, width - 1) // 2
    first = set_cell_size(name, max(0, width - 1 - ends)).rstrip()
    last = set_cell_size(name[::-1], ends)[::-1].lstrip() if ends else ""
    return f"{first}…{last}"


def _cut(cell: Text, width: int, holds: Holds = Holds.NAMES) -> Text:
    """The cell with what is too wide for the column shortened: lines of a name, words of a sentence."""
    if max(map(cell_len, cell.plain.split("\n"))) <= width:
        return cell
    lines = (
        shorten_name(line, width)
        if holds in {Holds.NAMES, Holds.NUMBERS}
        else wrap_words(line, width, is_list=holds is Holds.LISTS)
        for line in cell.plain.split("\n")
    )
    return Text("\n".join(lines), style=cell.style)


def wrap_words(line: str, width: int, *, is_list: bool = False) -> str:
    r"""The line broken between its words, of a list between its entries where they fit.

    A number stays with its interval, and what is wider than the line is shortened.

    >>> wrap_words("slope 0.92 [0.88, 0.96] of all", 18)
    'slope\n0.92 [0.88, 0.96]\nof all'
    """
    lines: list[str] = []
    for entry in _ENTRY.findall(line) if is_list else [line]:
        words = [entry.strip()] if is_list and cell_len(entry.strip()) <= width else _WORD.findall(entry)
        for word in (shorten_name(one, width) for one in words):
            if lines and cell_len(lines[-1]) + 1 + cell_len(word) <= width:
                lines[-1] += f" {word}"
            else:
                lines.append(word)
    return "\n".join(lines)


def name_class(index: int | None, taxonomy: Taxonomy | None) -> str:
    """The index with the name beside it; a dash where there is no class."""
    if index is None:
        return "–"
    is_known = taxonomy is not None and 0 <= index < len(taxonomy)
    return f"{index} {taxonomy.classes[index].name}" if taxonomy is not None and is_known else str(index)


def name_classes(taxonomy: Taxonomy) -> list[str]:
    """Every class of a taxonomy, by index."""
    return [name_class(index, taxonomy) for index in range(len(taxonomy))]
