"""Drawn test sets in the database: what is stored comes back as it was."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.workflows.pool_studies import PLAN, make_pooled

from regauge.errors import InputError
from regauge.records.testsets.pool import ExclusionRule
from regauge.records.testsets.sampling import SamplingPlan, Shortfall, Strategy
from regauge.storage.testsets.draws import find_draw, find_pool, load_draw, load_pool_rows
from regauge.storage.testsets.pool import get_pools
from regauge.storage.testsets.test_set import get_test_set, load_test_set
from regauge.workflows.testsets.draw_reviews import remove_from_draw
from regauge.workflows.testsets.draws import draw_test_set, revise_test_set


def test_a_draw_comes_back_as_it_was(tmp_path: Path) -> None:
    with make_pooled(tmp_path) as pooled:
        pooled.exclude("c0-26", ExclusionRule.WINDOW, "too old")
        plan = SamplingPlan(Strategy.THRESHOLD, 10, 5, 0.6, {3: 1.0}, min_annotations=9, min_original=3)
        sources = replace(pooled.sources, keywords=((0, "one", 3), (3, "two", 1)))
        with pooled.study.begin() as begun:
            made = draw_test_set(begun, plan, name="drawn", sources=sources, allow_short=True)
        with pooled.study.read() as reading:
            entry = get_test_set(reading, "drawn")
            found, draw = find_draw(reading, entry), load_draw(reading, entry)
    assert found is not None
    assert (found.test_set, found.parent, found.plan) == ("drawn", "", plan)
    assert found.sources == replace(sources, pools=("batch",))
    assert found.shortfalls == made.draw.shortfalls == (Shortfall(3, "≥ 1", 6, 57),)
    assert {(one, where, reason): n for one, where, reason, n in found.excluded} == made.draw.exclusions
    assert draw.to_frame().equals(made.draw.to_frame())
    assert draw.plan == plan


def test_every_image_knows_its_batch_and_its_row_there(tmp_path: Path) -> None:
    with make_pooled(tmp_path) as pooled, pooled.study.begin() as begun:
        made = draw_test_set(begun, PLAN, name="drawn", sources=pooled.sources)
        (pool,) = get_pools(begun)
        pool_ids, rows = load_pool_rows(begun, made.entry)
        ids = load_test_set(begun, pool).image_ids
        assert set(pool_ids.tolist()) == {pool.id}
        assert ids[rows].tolist() == load_test_set(begun, made.entry).image_ids.tolist()
        assert find_pool(begun, made.entry, image_id=str(made.draw.image_ids[0])) == pool.id
        assert find_pool(begun, made.entry, image_id="o0-00") is None


def test_a_revision_names_its_parent(tmp_path: Path) -> None:
    with make_pooled(tmp_path) as pooled, pooled.study.begin() as begun:
        made = draw_test_set(begun, PLAN, name="drawn", sources=pooled.sources)
        remove_from_draw(begun, "drawn", image_id=str(made.draw.image_ids[0]), reason="wrong")
        revised = revise_test_set(begun, "drawn")
        found = find_draw(begun, revised.entry)
        assert found is not None
        assert found.parent == "drawn"
        assert revised.entry.parent_id == made.entry.id
        assert load_draw(begun, revised.entry).is_carried.sum() == 19


def test_a_set_that_was_added_as_it_is_has_no_draw(tmp_path: Path) -> None:
    with make_pooled(tmp_path) as pooled, pooled.study.read() as reading:
        entry = get_test_set(reading, "original")
        assert find_draw(reading, entry) is None
        with pytest.raises(InputError, match="'original' was added as it is, not drawn from a pool"):
            load_draw(reading, entry)
