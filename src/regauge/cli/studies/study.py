"""What the commands inside a study share: finding it, one transaction per command, and lists of what it holds."""

from __future__ import annotations

import getpass
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
import numpy as np

from regauge.cli.options.participants import choice_options
from regauge.cli.printing.output import format_option, print_parts, print_records, print_sentences
from regauge.cli.printing.progress import make_track
from regauge.cli.printing.tables import IN_CSV, FittedTable, Holds
from regauge.estimates import MISSING
from regauge.records.addresses import check_base_url
from regauge.records.mistakes.coding import CodingEntry
from regauge.records.slices.slice import SliceEntry
from regauge.records.studies import ComparisonEntry, EvaluationEntry, LabelSetEntry, PredictionsEntry, TestSetEntry
from regauge.workflows.studies.study import Circumstances, Study, find_study, open_study

if TYPE_CHECKING:
    # Only the name is needed here, and what stands behind it takes longer to load than `regauge status` to run.
    from regauge.kinds.contract import Kinds

_Command = TypeVar("_Command", bound=Callable[..., Any])
_Entry = TypeVar("_Entry")

HIDDEN = ("digest", "sha256", "superseded_at", "superseded_by", "old_rules")
"""Columns that a table leaves out: only programs read them, or a note says it in words."""
FIRST = {
    "annotators": ("annotator", "controls", "counted", "dropped", "agreement", "flags", "seconds"),
    "answers": ("annotator", "selected", "status", "control", "seconds", "at"),
    "campaigns": (
        "name",
        "n_done",
        "n_tasks",
        "state",
        "kind",
        "n_failing_images",
        "n_annotators",
        "n_counted",
        "n_needed",
    ),
    "classes": ("class", "frequency", "n_selected", "n_shown"),
    "comparisons": ("id", "new", "original", "participants", "created_at"),
    "codings": ("name", "version", "participant", "n_coded", "n_major", "n_overturned", "labels", "test_set", "source"),
    "evaluations": ("id", "test_set", "participants", "labels", "created_at"),
    "label_sets": ("name", "version", "n_images", "kind", "n_problematic", "n_verdicts", "unlisted"),
    "relations": ("relation", "status", "share", "n", "reason", "source", "back", "n_back", "who"),
    "participants": ("participant", "kind", "family"),
    "slices": ("name", "n_images", "kind", "complete", "labels", "open", "test_set"),
    "predictions": ("participant", "test_set", "n_answered", "k", "has_scores", "added_at", "kind", "family"),
    "pools": ("name", "n_images", "n_excluded", "kind", "added_at"),
    "test_sets": ("name", "n_images", "kind", "strategy", "n_classes", "n_missing", "added_at"),
    "two_sample_tests": ("id", "auc", "p"),
}
"""The columns of lists that a narrow terminal shows first, in this order; of others it shows those to the left."""
PLAIN: Mapping[str, Mapping[str, object]] = {
    "predictions": {"kind": "model", "family": None, "has_seconds": False},
    "slices": {"open": False, "void": None},
}
"""Columns of lists that tables leave out where every row has this value, for they tell nothing."""
N_LISTED = 3
"""So many of a list stand in a cell; of more only their number."""
MIN_HEADER = 8
"""Names of columns that are no longer stand in one line."""
_NUMBER = re.compile(r"[-+−]?\d[\d.,: %\-]*(\[[^\]]*\])?|–")
"""Numbers, with their intervals, and times."""


def study_option(command: _Command) -> _Command:
    """The option --study that every command inside a study has."""
    option = click.option(
        "--study",
        "folder",
        type=click.Path(path_type=Path),
        metavar="DIR",
        help="The study; by default the nearest folder, here or above, that has a study.toml.",
    )
    return option(command)


def names_option(command: _Command) -> _Command:
    """The option --names of commands whose output leaves the study: people have pseudonyms without it."""
    option = click.option(
        "--names", "with_names", is_flag=True, help="Call people by their names in the study, not by pseudonyms."
    )
    return option(command)


def which_test_set_option(command: _Command) -> _Command:
    """The option --test-set of commands about one test set."""
    option = click.option("--test-set", metavar="NAME", help="Which test set; the only one by default.")
    return option(command)


def base_url_option(command: _Command) -> _Command:
    """The option --base-url of commands that print addresses for people."""
    option = click.option(
        "--base-url",
        default="http://127.0.0.1:8765",
        show_default=True,
        callback=lambda _context, _option, address: check_base_url(address),
        help="The address that people use.",
    )
    return option(command)


def selection_options(command: _Command) -> Callable[..., Any]:
    """The options --labels, --participant, --kind and --family of commands that measure; the last two come as `chosen`."""
    labels = click.option(
        "--labels",
        multiple=True,
        metavar="NAME[@VERSION]",
        help="The label set to use, in its latest version by default. Repeatable; by default all that cover the images.",
    )
    participants = click.option(
        "--participant", multiple=True, metavar="GLOB", help="Which participants; all by default. Repeatable."
    )
    decorated: Callable[..., Any] = labels(participants(choice_options(command)))
    return decorated


def find_circumstances() -> Circumstances:
    """The time, chance, user and terminal of this process, and the kinds of task that it knows."""
    try:
        who = getpass.getuser()
    except (KeyError, OSError):
        who = ""
    return Circumstances(
        clock=lambda: datetime.now(UTC),
        rng=np.random.default_rng(),
        who=who,
        track=make_track(),
        command=_find_command_line(),
        kinds=find_kinds(),
    )


def find_kinds() -> Kinds | None:
    """The kinds of task that the program was started with, see `regauge.cli.main.cli`; None for those of the package."""
    context = click.get_current_context(silent=True)
    return None if context is None else context.obj


@contextmanager
def open_here(folder: Path | None) -> Iterator[Study]:
    """The study, for commands that read for long before they write for a moment."""
    study = open_study(find_study(folder), around=find_circumstances())
    try:
        yield study
    finally:
        study.close()


@contextmanager
def open_for_writing(folder: Path | None) -> Iterator[Study]:
    """The study inside a transaction, which is committed when the command succeeds and otherwise leaves no trace."""
    with open_here(folder) as study, study.begin() as begun:
        yield begun


@contextmanager
def open_for_reading(folder: Path | None) -> Iterator[Study]:
    """The study as it is at one moment."""
    with open_here(folder) as study, study.read() as begun:
        yield begun


def make_list_command(
    list_entries: Callable[[Study], Iterable[_Entry]],
    describe: Callable[[_Entry], dict[str, Any]],
    *,
    name: str,
    about: str,
) -> click.Command:
    """The command `list` of a group: every entry of a kind, a row each."""

    @click.command("list", help=about)
    @study_option
    @format_option
    def list_(folder: Path | None, output_format: str) -> None:
        with open_for_reading(folder) as study:
            rows = [describe(entry) for entry in list_entries(study)]
        print_entries(rows, output_format, name=name)

    return list_


def describe_test_set(entry: TestSetEntry) -> dict[str, Any]:
    """The columns of a test set."""
    return _pick(entry, ("name", "kind", "n_images", "root", "digest", "added_at"))


def describe_predictions(entry: PredictionsEntry) -> dict[str, Any]:
    """The columns of one participant's predictions."""
    columns = ("participant", "test_set", "kind", "family", "k", "n_answered", "has_scores", "has_seconds")
    return _pick(entry, (*columns, "sha256", "added_at"))


def describe_labels(entry: LabelSetEntry) -> dict[str, Any]:
    """The columns of a label-set version."""
    counts = ("n_images", "n_verdicts", "n_problematic")
    row = _pick(entry, ("name", "version", "parent", "kind", "unlisted", *counts, "added_at"))
    mark = entry.provenance.get("superseded", {})
    return {**row, "superseded_at": mark.get("at"), "superseded_by": mark.get("by")}


def list_superseded(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """A sentence about every label-set version among such rows that an erasure has made void."""
    return [
        f"{row['name']}@{row['version']} was made with answers that were erased since, on {row['superseded_at'][:10]}; "
        + (f"{row['superseded_by']} takes its place." if row["superseded_by"] else "nothing takes its place.")
        for row in rows
        if row["superseded_at"]
    ]


def describe_evaluation(entry: EvaluationEntry) -> dict[str, Any]:
    """The columns of an evaluation."""
    row = _pick(entry, ("id", "test_set", "labels", "participants", "code_version", "created_at"))
    lists = {"labels": list(entry.labels), "participants": list(entry.participants), "old_rules": list(entry.old_rules)}
    return {**row, **lists}


def describe_comparison(entry: ComparisonEntry) -> dict[str, Any]:
    """The columns of a comparison."""
    row = _pick(entry, ("id", "original", "new", "labels", "participants", "code_version", "created_at"))
    lists = {"labels": list(entry.labels), "participants": list(entry.participants), "old_rules": list(entry.old_rules)}
    return {**row, **lists}


def describe_coding(entry: CodingEntry) -> dict[str, Any]:
    """The columns of a version of a coding of mistakes."""
    counts = ("n_coded", "n_major", "n_overturned")
    row = _pick(entry, ("name", "version", "participant", "test_set", "labels", *counts, "source", "who"))
    return {**row, "added_at": entry.at}


def describe_slice(entry: SliceEntry) -> dict[str, Any]:
    """The columns of a slice."""
    return {
        "name": entry.name,
        "kind": str(entry.kind),
        "n_images": entry.n_images,
        "test_set": entry.test_set,
        "labels": entry.labels,
        "complete": entry.is_complete,
        "open": entry.is_open,
        "void": entry.void or None,
        "who": entry.who,
        "added_at": entry.at,
    }


def print_entries(
    rows: Sequence[Mapping[str, Any]],
    output_format: str,
    *,
    name: str,
    hidden: Iterable[str] = HIDDEN,
    whole: str = IN_CSV,
) -> None:
    """Rows as a table without the columns that only programs read, or all of it for programs."""
    if output_format != "table":
        print_records(rows, output_format, name=name)
        return
    if not rows:
        print_sentences(f"There are no {name.replace('_', ' ')} yet.")
        return
    plain = {
        column for column, value in PLAIN.get(name, {}).items() if all(row.get(column, value) == value for row in rows)
    }
    columns = [column for column in rows[0] if column not in {*hidden, *plain}]
    table = FittedTable(whole=whole)
    order = [*dict.fromkeys([*(one for one in FIRST.get(name, columns[:2]) if one in columns), *columns])]
    for column in columns:
        values = [row[column] for row in rows]
        header = _break(column, max(len(_show(column, one)) for one in values))
        # The first of a line tells it from the others, and the second says something of it.
        table.add_column(header, _find_kind(column, values), rank=max(0, order.index(column) - 1), label=column)
    for row in rows:
        table.add_row(*(_show(column, row[column]) for column in columns))
    print_parts([table])


def _find_command_line() -> str:
    """The command as it was typed; empty where another program calls us."""
    program = Path(sys.argv[0]).name
    return shlex.join(["regauge", *sys.argv[1:]]) if program in {"regauge", "__main__.py", "start.py"} else ""


def _find_kind(column: str, values: Sequence[object]) -> Holds:
    """What a column holds: numbers and times are never shortened, lists break between their words."""
    if any(isinstance(one, list | tuple) for one in values):
        return Holds.LISTS
    texts = [_show(column, one) for one in values if not isinstance(one, bool)]
    return Holds.NUMBERS if texts and all(_NUMBER.fullmatch(one) for one in texts) else Holds.NAMES


def _break(column: str, width: int) -> str:
    """The name of a column in lines no longer than its cells, as far as it has joints."""
    lines = [""]
    for part in re.split(r"(?<=[^_]{3}_)", column):
        if lines[-1] and len(lines[-1]) + len(part) > max(width, MIN_HEADER):
            lines.append("")
        lines[-1] += part
    return "\n".join(lines)


def _show(column: str, value: object) -> str:
    if value is None:
        return MISSING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) if len(value) <= N_LISTED else f"{len(value):,}"
    if column.endswith("_at"):
        # To the minute; programs get all of it.
        return str(value)[:16].replace("T", " ")
    return f"{value:,}" if isinstance(value, int) else str(value)


def _pick(entry: object, names: Sequence[str]) -> dict[str, Any]:
    return {name: getattr(entry, name) for name in names}
