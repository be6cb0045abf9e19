"""The candidates of a pool one by one: those that can be taken, or those that cannot and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl

from regauge.records.studies import TestSetEntry
from regauge.records.testsets.pool import ExclusionRule
from regauge.records.testsets.pool_tables import POOL_IMAGE_COLUMNS
from regauge.storage.study import Study
from regauge.storage.testsets.pool import find_excluded, get_pools, load_fact
from regauge.storage.testsets.test_set import load_test_set


def list_candidates(study: Study, *, pools: Sequence[str] = ()) -> pl.DataFrame:
    """The candidates that no rule excludes, batch by batch.

    Args:
        study: the study, inside a transaction.
        pools: the batches; all by default.

    Raises:
        InputError: there is no such batch.
    """
    return _make_frame(row for entry in get_pools(study, pools) for row in _list_free(study, entry))


def list_excluded(study: Study, *, pools: Sequence[str] = (), rules: Sequence[ExclusionRule] = ()) -> pl.DataFrame:
    """The candidates that are excluded now, once for every rule that excludes them, with the reason, who and when.

    Args:
        study: the study, inside a transaction.
        pools: the batches; all by default.
        rules: the rules; all by default.

    Raises:
        InputError: there is no such batch.
    """
    wanted = frozenset(rules or ExclusionRule)
    return _make_frame(row for entry in get_pools(study, pools) for row in _list_held(study, entry, wanted))


def _list_free(study: Study, entry: TestSetEntry) -> Iterator[dict[str, Any]]:
    held = find_excluded(study, entry)
    return (row for row in _list_images(study, entry) if row["image_id"] not in held)


def _list_held(study: Study, entry: TestSetEntry, rules: frozenset[ExclusionRule]) -> Iterator[dict[str, Any]]:
    held = find_excluded(study, entry)
    for row in _list_images(study, entry):
        for one in held.get(row["image_id"], ()):
            if one.rule in rules:
                yield {**row, "rule": one.rule.value, "reason": one.reason, "who": one.who, "at": one.at}


def _list_images(study: Study, entry: TestSetEntry) -> Iterator[dict[str, Any]]:
    test_set, keywords = load_test_set(study, entry), load_fact(study, entry, name="keywords")
    ids = [one.id for one in study.taxonomy.classes]
    for image_id, index, keyword in zip(
        test_set.image_ids.tolist(), test_set.labels.tolist(), keywords.tolist(), strict=True
    ):
        yield {
            "image_id": image_id,
            "class": index,
            "class_id": ids[index],
            "pool": entry.name,
            "keyword": keyword or None,
        }


def _make_frame(rows: Iterator[dict[str, Any]]) -> pl.DataFrame:
    return pl.DataFrame(list(rows), schema=dict(POOL_IMAGE_COLUMNS))
