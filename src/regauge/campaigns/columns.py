"""Tasks and answers of a campaign as columns, from the texts that are stored. A campaign has up to a million of them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from regauge.records.arrays import NO_CLASS, CountArray, IntArray
from regauge.records.campaigns import Kind
from regauge.records.ledgers import NO_ITEM, Selections, TaskColumns
from regauge.records.reports import NOT_SHOWN
from regauge.records.responses import MaskArray

MASK_DIGITS = 16


def parse_tasks(kind: Kind, texts: Sequence[str], *, ids: CountArray, sources: CountArray) -> TaskColumns:
    """Tasks of a kind, from what they show as JSON."""
    payloads = [json.loads(text) for text in texts]
    subject, items = ("class", "cells") if kind is Kind.CONTAINS else ("image", "candidates")
    lists = [payload[items] for payload in payloads]
    flat = np.array([item for one in lists for item in one], np.int32)
    columns = flat.reshape(-1, 2).T if kind is Kind.CONTAINS else (flat, np.zeros(flat.size, np.int32))
    return TaskColumns(
        ids=ids,
        sources=sources,
        subjects=np.array([payload[subject] for payload in payloads], np.int32),
        starts=np.concatenate(([0], np.cumsum([len(one) for one in lists]))).astype(np.int64),
        items=columns[0],
        controls=columns[1].astype(np.uint8),
    )


def parse_masks(texts: Sequence[str]) -> tuple[MaskArray, MaskArray]:
    """The selected cells of answers to grids, and the cells that were not shown: none in earlier versions of answers."""
    found = _decode(texts, {"mask": pl.String, NOT_SHOWN: pl.String})
    return _read_hex(found["mask"]), _read_hex(found[NOT_SHOWN])


def _read_hex(column: pl.Series) -> MaskArray:
    if column.null_count() == len(column):
        return np.zeros(len(column), np.uint64)
    digits = column.fill_null("0").str.zfill(MASK_DIGITS)
    # All digits together are turned into numbers at once; one by one it would take a second for a million.
    return np.frombuffer(bytes.fromhex("".join(digits.to_list())), ">u8").astype(np.uint64)


def parse_selections(texts: Sequence[str]) -> Selections:
    """The selected labels of answers to CLASSIFY tasks, and the main ones."""
    found = _decode(texts, {"selected": pl.List(pl.Int32), "main": pl.Int32})
    sizes = found["selected"].list.len().to_numpy()
    labels = found["selected"].list.explode(empty_as_null=False, keep_nulls=False) if len(texts) else pl.Series([])
    return Selections(
        starts=np.concatenate(([0], np.cumsum(sizes))).astype(np.int64),
        selected=labels.to_numpy().astype(np.int32),
        main=found["main"].fill_null(NO_CLASS).to_numpy().astype(np.int32),
    )


def find_items(tasks: TaskColumns, places: IntArray, *, classes: IntArray) -> IntArray:
    """Which item of its task each class is; `NO_ITEM` where it is none of them.

    Args:
        tasks: the tasks.
        places: per class, the place of its task.
        classes: what to look for.
    """
    found = np.full(len(places), NO_ITEM, np.int32)
    starts, sizes = tasks.starts[places], tasks.sizes[places]
    for item in range(int(sizes.max(initial=0))):
        has = np.flatnonzero(sizes > item)
        found[has[tasks.items[starts[has] + item] == classes[has]]] = item
    return found


def mark_selections(tasks: TaskColumns, places: IntArray, *, selections: Selections) -> MaskArray:
    """The selected labels of answers as masks over the candidates of their tasks.

    Args:
        tasks: the tasks.
        places: per answer, the place of its task.
        selections: what the answers say.
    """
    owners = np.repeat(np.arange(len(places)), np.diff(selections.starts))
    items = find_items(tasks, places[owners], classes=selections.selected)
    known = items != NO_ITEM
    masks = np.zeros(len(places), np.uint64)
    np.bitwise_or.at(masks, owners[known], np.uint64(1) << items[known].astype(np.uint64))
    return masks


def _decode(texts: Sequence[str], fields: Mapping[str, pl.DataType | type[pl.DataType]]) -> pl.DataFrame:
    column = pl.Series("answer", texts, dtype=pl.String)
    return column.str.json_decode(pl.Struct(dict(fields))).struct.unnest()
