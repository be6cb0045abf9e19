"""Rows of comparisons → what a list says of each, without the results, whose records take long to load."""

from __future__ import annotations

from dataclasses import replace

from sqlalchemy import RowMapping, select

import regauge
from regauge.records.rules import BY_CLASS, MEAN_CHANGES, ROBUSTNESS, SHARED_IMAGES, list_old_rules
from regauge.records.studies import ComparisonEntry
from regauge.storage.database.schema import comparisons, test_sets
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import has_common_images

_originals, _news = test_sets.alias("originals"), test_sets.alias("news")

CLASSES = "classes"
"""Where a result holds the changes class by class, if they were asked for."""


def list_comparisons(study: Study) -> tuple[ComparisonEntry, ...]:
    """All comparisons, the oldest first."""
    columns = [column for column in comparisons.c if column.name != "result"]
    query = (
        select(*columns, _originals.c.name.label("original"), _news.c.name.label("new"))
        .join(_originals, comparisons.c.original_id == _originals.c.id)
        .join(_news, comparisons.c.new_id == _news.c.id)
        .order_by(comparisons.c.id)
    )
    rows = study.connection.execute(query).mappings().all()
    return tuple(replace(_make_entry(row), old_rules=_find_old_rules(study, row)) for row in rows)


def _make_entry(row: RowMapping) -> ComparisonEntry:
    original, new = row["inputs"]["original"], row["inputs"]["new"]
    return ComparisonEntry(
        id=row["id"],
        original=row["original"],
        new=row["new"],
        labels=tuple(dict.fromkeys([*original["labels"], *new["labels"]])),
        predictions={name: (sha256, new["predictions"][name]) for name, sha256 in original["predictions"].items()},
        settings=row["settings"],
        code_version=row["code_version"],
        created_at=row["created_at"],
    )


def _find_old_rules(study: Study, row: RowMapping) -> tuple[str, ...]:
    """What a new run of a comparison of another version would compute by another rule."""
    if row["code_version"] == regauge.__version__:
        return ()
    result = study.connection.execute(select(comparisons.c.result).where(comparisons.c.id == row["id"])).scalar_one()
    parts = [MEAN_CHANGES]
    parts += [SHARED_IMAGES] if has_common_images(study, row["original_id"], row["new_id"]) else []
    parts += [BY_CLASS] if CLASSES in result else []
    parts += [ROBUSTNESS] if any(one.get("effective_robustness") is not None for one in result["models"]) else []
    return list_old_rules(row["code_version"], parts)
