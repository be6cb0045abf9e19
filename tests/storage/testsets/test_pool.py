"""Batches of a pool, their facts and their exclusions, as rows of either database."""

from __future__ import annotations

import numpy as np
import pytest
from sqlalchemy import select
from tests.storage.small_studies import STAMP
from tests.workflows.conftest import database, postgres, postgres_database, study

from regauge.errors import InputError
from regauge.records.studies import ImagePlace, LocatedTestSet, TestSetKind, TestSetRole
from regauge.records.testsets.pool import Exclusion, ExclusionRule, GatheredImages, PoolFacts
from regauge.records.testsets.test_set import TestSet
from regauge.storage.database.schema import pool_images
from regauge.storage.study import Study
from regauge.storage.testsets.pool import (
    count_exclusions,
    find_asked_pools,
    find_drawn_pools,
    find_excluded,
    get_pools,
    insert_exclusions,
    insert_pool,
    list_exclusions,
    list_pools,
    load_facts,
)
from regauge.storage.testsets.test_set import get_test_set, list_image_sets, list_test_sets, load_places, load_test_set

__all__ = ["database", "postgres", "postgres_database", "study"]

FACTS = ("keywords", "taken_at", "uploaded_at", "sources", "licences", "urls", "pixels_sha256")


def make_gathered(name: str = "batch", ids: str = "abc") -> GatheredImages:
    """Candidates with a fact here and there."""
    n = len(ids)
    known = {
        "keywords": ["tabby 🐈", *[""] * (n - 1)],
        "taken_at": ["", "2013-01-02", *[""] * (n - 2)],
        "uploaded_at": ["2013-01-03T04:05:06.000Z", *[""] * (n - 1)],
        "sources": ["flickr"] * n,
        "licences": [""] * n,
        "urls": [f"https://example.org/{one}" for one in ids],
        "pixels_sha256": ["", "f" * 64, *[""] * (n - 2)],
    }
    places = tuple(ImagePlace(f"{one}.jpg", sha256="0" * 64) for one in ids)
    test_set = TestSet(name, np.array(list(ids)), np.arange(n, dtype=np.int32) % 10)
    located = LocatedTestSet(test_set, TestSetKind.TABLE, "/images", places)
    return GatheredImages(located, PoolFacts(**{key: np.array(value, np.str_) for key, value in known.items()}))


def exclude(image_id: str, rule: ExclusionRule, reason: str = "so", *, is_excluded: bool = True) -> Exclusion:
    return Exclusion(image_id, rule, is_excluded, reason)


def test_a_batch_comes_back_as_it_was(study: Study) -> None:
    gathered = make_gathered()
    with study.begin() as begun:
        entry = insert_pool(begun, gathered, provenance={"path": "x"})
    with study.read() as reading:
        facts = load_facts(reading, entry)
        assert {name: getattr(facts, name).tolist() for name in FACTS} == {
            name: getattr(gathered.facts, name).tolist() for name in FACTS
        }
        assert load_places(reading, entry) == gathered.located.places
        assert load_test_set(reading, entry).labels.tolist() == [0, 1, 2]
        assert get_test_set(reading, "batch").role is TestSetRole.POOL


def test_what_is_not_known_is_null_where_it_would_be_a_date_or_a_checksum(study: Study) -> None:
    with study.begin() as begun:
        insert_pool(begun, make_gathered(), provenance={})
        row = begun.connection.execute(select(pool_images).where(pool_images.c.row == 2)).mappings().one()
    assert (row["taken_at"], row["uploaded_at"], row["pixels_sha256"]) == (None, None, None)
    assert (row["keyword"], row["licence"]) == ("", "")


def test_a_pool_is_no_test_set(study: Study) -> None:
    with study.begin() as begun:
        insert_pool(begun, make_gathered("first"), provenance={})
        insert_pool(begun, make_gathered("second", "xyz"), provenance={})
        assert list_test_sets(begun) == ()
        assert [entry.name for entry in list_image_sets(begun)] == ["first", "second"]
        assert [entry.name for entry in list_pools(begun)] == ["first", "second"]
        assert [entry.name for entry in get_pools(begun, ["second"])] == ["second"]
        with pytest.raises(InputError, match="has no pool 'third'; it has: first, second"):
            get_pools(begun, ["first", "third"])


def test_a_study_without_a_pool_says_how_to_gather_one(study: Study) -> None:
    with study.read() as reading, pytest.raises(InputError, match="gather candidates with: regauge pool add PATH"):
        get_pools(reading)


def test_a_name_is_taken_once(study: Study) -> None:
    with study.begin() as begun:
        insert_pool(begun, make_gathered(), provenance={})
        with pytest.raises(InputError, match="already has another set of images 'batch'"):
            insert_pool(begun, make_gathered(ids="xyz"), provenance={})


def test_the_last_exclusion_of_each_rule_holds(study: Study) -> None:
    with study.begin() as begun:
        entry = insert_pool(begun, make_gathered(), provenance={})
        window, listed = ExclusionRule.WINDOW, ExclusionRule.LIST
        assert insert_exclusions(begun, entry, [exclude("a", window), exclude("a", listed), exclude("b", window)]) == 3
        insert_exclusions(begun, entry, [exclude("a", window, "wider", is_excluded=False)])
        found = find_excluded(begun, entry)
        assert {image_id: [one.rule for one in ones] for image_id, ones in found.items()} == {
            "a": [listed],
            "b": [window],
        }
        assert find_excluded(begun, entry, rule=window).keys() == {"b"}
        written = list_exclusions(begun, entry)
        assert (len(written), count_exclusions(begun, entry)) == (4, 4)
        assert written[-1] == Exclusion("a", window, False, "wider", "tester", STAMP)


def test_an_image_of_another_batch_cannot_be_excluded(study: Study) -> None:
    with study.begin() as begun:
        entry = insert_pool(begun, make_gathered(), provenance={})
        insert_pool(begun, make_gathered("other", "xyz"), provenance={})
        with pytest.raises(InputError, match="Image 'x' is not in the pool batch"):
            insert_exclusions(begun, entry, [exclude("x", ExclusionRule.LIST)])
        assert find_excluded(begun, entry) == {}


def test_an_exclusion_needs_a_reason() -> None:
    with pytest.raises(InputError, match="needs a reason"):
        exclude("a", ExclusionRule.LIST, " ")


def test_a_new_pool_was_neither_asked_about_nor_drawn_from(study: Study) -> None:
    with study.begin() as begun:
        insert_pool(begun, make_gathered(), provenance={})
        assert find_asked_pools(begun) == find_drawn_pools(begun) == set()
