"""The tables of `regauge pool`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

import polars as pl

from regauge.cli.printing.output import print_json, print_parts, print_rows, print_sentences
from regauge.cli.printing.tables import FittedTable, Holds
from regauge.cli.studies.study import describe_test_set, print_entries
from regauge.estimates import count_things
from regauge.records.taxonomy import Taxonomy
from regauge.records.testsets.pool import ExclusionChange
from regauge.records.testsets.pool_tables import RULE_COLUMNS, PoolRow, PoolStatus
from regauge.workflows.pools.pool import PoolEntry

_N_IMAGES_SHOWN = 20
_RANKS = {
    "usable": 0,
    "missing": 1,
    "to gather": 2,
    "wanted": 3,
    "gathered": 4,
    "excluded": 5,
    "annotated": 6,
    "open": 7,
}
"""How important the columns of the table by class are; those of single rules are less."""


def describe_batch(entry: PoolEntry) -> dict[str, Any]:
    """The columns of a batch."""
    row = describe_test_set(entry.batch)
    first = {name: row[name] for name in ("name", "kind", "n_images")}
    return {**first, "n_excluded": entry.n_excluded, **row}


def print_changes(changes: Iterable[ExclusionChange], output_format: str) -> None:
    """What rules changed, a row per batch and rule."""
    rows = [{**asdict(change), "rule": change.rule.value} for change in changes]
    if rows or output_format != "table":
        print_entries(rows, output_format, name="changes")
    else:
        print_sentences("Nothing changed.")


def print_images(found: pl.DataFrame, output_format: str, *, is_excluded: bool) -> None:
    """Candidates one by one; a table for people shows the first of them."""
    if output_format == "json":
        print_json({"images": found.to_dicts()})
    elif output_format != "table":
        print_rows(found, output_format)
    else:
        names = ["image_id", "class", "pool", "keyword", *(["rule", "reason"] if is_excluded else [])]
        table = FittedTable()
        for place, name in enumerate(names):
            table.add_column(name, Holds.WORDS if name == "reason" else Holds.NAMES, rank=(0, 0, 4, 3, 1, 2)[place])
        for row in found.head(_N_IMAGES_SHOWN).iter_rows(named=True):
            table.add_row(*("–" if row[name] is None else str(row[name]) for name in names))
        if found.height:
            print_parts([table])
        more = (
            f", of which the first {_N_IMAGES_SHOWN} are shown; --format csv has all"
            if found.height > _N_IMAGES_SHOWN
            else ""
        )
        what = "exclusions" if is_excluded else "candidates can be taken"
        print_sentences(f"{found.height:,} {what}{more}.")


def print_status(found: PoolStatus, rows: list[PoolRow], taxonomy: Taxonomy, output_format: str) -> None:
    """What is left of the pool, the rows that were asked for."""
    names = {index: (one.id, one.name) for index, one in enumerate(taxonomy.classes)}
    frame = PoolStatus(tuple(rows), found.pools, found.min_annotations).to_frame(names)
    if output_format == "json":
        facts = {"pools": list(found.pools), "min_annotations": found.min_annotations}
        print_json({**facts, "frequencies": list(found.frequencies), "classes": frame.to_dicts()})
    elif output_format != "table":
        print_rows(frame, output_format)
    else:
        _print_table(found, rows, names)


def _print_table(found: PoolStatus, rows: list[PoolRow], names: Mapping[int, tuple[str, str]]) -> None:
    has_keywords = any(row.keyword is not None for row in rows)
    rules = [rule for rule in RULE_COLUMNS if any(row.by_rule.get(rule) for row in found.rows)]
    asked = ["annotated", "open"] if found.min_annotations is not None else []
    numbers = [
        "gathered",
        "excluded",
        *(rule.value.replace("-", "\n") for rule in rules),
        *asked,
        "usable",
        "wanted",
        "missing",
        "to gather",
    ]
    table = FittedTable()
    for name in ("class", *(["keyword"] if has_keywords else [])):
        table.add_column(name, Holds.NAMES)
    for number in numbers:
        # What can be taken and what lacks comes before what was left out, and by which rule.
        table.add_column(number, rank=_RANKS.get(number, len(_RANKS)))
    for row in rows:
        counts = [row.n_gathered, row.n_excluded, *(row.by_rule.get(rule, 0) for rule in rules)]
        counts += [row.n_annotated or 0, row.n_open] if asked else []
        counts += [row.n_usable, row.n_wanted, row.n_missing]
        to_gather = "?" if row.n_to_gather is None else f"{row.n_to_gather:,}"
        word = [row.keyword or "–"] if has_keywords else []
        cells = [f"{count:,}" for count in counts]
        table.add_row(f"{row.class_index} {names[row.class_index][1]}", *word, *cells, to_gather)
    if rows:
        print_parts([table])
    n_gathered = sum(row.n_gathered for row in found.rows)
    lacking = {row.class_index for row in found.rows if row.n_missing}
    n_missing = sum(row.n_missing for row in found.rows)
    lack = (
        f"{count_things(len(lacking), 'class lacks', many='classes lack')} {count_things(n_missing, 'image')}"
        if lacking
        else "no class lacks images"
    )
    print_sentences(f"{found.n_usable:,} of {n_gathered:,} candidates can be taken; {lack}.")
