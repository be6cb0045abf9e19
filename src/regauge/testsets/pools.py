"""What is left of a pool once candidates are excluded, and what must still be gathered."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from regauge.arrays import BoolArray, CountArray
from regauge.records.testsets.pool import ExclusionRule
from regauge.records.testsets.pool_tables import PoolRow
from regauge.records.testsets.sampling import PoolCandidates
from regauge.testsets.quotas import Quotas, count_to_gather


def summarise_pool(
    pool: PoolCandidates,
    excluded: Mapping[ExclusionRule, BoolArray],
    *,
    quotas: Quotas,
    min_annotations: int | None = None,
) -> tuple[PoolRow, ...]:
    """The candidates per class, or per class and keyword, in that order; those that are wanted and not there have a row too.

    Args:
        pool: the candidates.
        excluded: per rule, which of them it excludes.
        quotas: how many are wanted.
        min_annotations: annotators that a candidate needs; None where selection frequencies do not matter.
    """
    keywords = pool.keywords.tolist() if quotas.has_keywords else [""] * len(pool)
    groups = list(zip(pool.classes.tolist(), keywords, strict=True))
    names = sorted({*groups, *quotas.wanted})
    number = {name: place for place, name in enumerate(names)}
    codes = np.array([number[group] for group in groups], np.int64)
    is_out = np.zeros(len(pool), np.bool_)
    for column in excluded.values():
        is_out |= column
    is_seen = np.ones(len(pool), np.bool_) if min_annotations is None else pool.n_shown >= min_annotations
    counts = {
        "n_gathered": _count(codes, np.ones(len(pool), np.bool_), names),
        "n_excluded": _count(codes, is_out, names),
        "n_annotated": _count(codes, is_seen, names),
        "n_open": _count(codes, ~is_out & ~is_seen, names),
        "n_usable": _count(codes, ~is_out & is_seen, names),
    }
    by_rule = {rule: _count(codes, column, names) for rule, column in excluded.items()}
    return tuple(
        _make_row(
            name,
            {key: column[place] for key, column in counts.items()},
            {rule: column[place] for rule, column in by_rule.items()},
            quotas,
            min_annotations,
        )
        for place, name in enumerate(names)
    )


def _count(codes: CountArray, chosen: BoolArray, names: list[tuple[int, str]]) -> list[int]:
    found: list[int] = np.bincount(codes[chosen], minlength=len(names)).tolist()
    return found


def _make_row(
    name: tuple[int, str],
    counts: Mapping[str, int],
    by_rule: Mapping[ExclusionRule, int],
    quotas: Quotas,
    min_annotations: int | None,
) -> PoolRow:
    n_wanted = quotas.wanted.get(name, 0)
    # What is open may yet be usable: nobody should gather more before it is annotated.
    n_possible = counts["n_usable"] + counts["n_open"]
    return PoolRow(
        class_index=name[0],
        keyword=name[1] if quotas.has_keywords else None,
        n_gathered=counts["n_gathered"],
        n_excluded=counts["n_excluded"],
        by_rule=by_rule,
        n_annotated=None if min_annotations is None else counts["n_annotated"],
        n_open=counts["n_open"],
        n_usable=counts["n_usable"],
        n_wanted=n_wanted,
        n_to_gather=count_to_gather(n_wanted - n_possible, n_gathered=counts["n_gathered"], n_usable=n_possible),
    )
