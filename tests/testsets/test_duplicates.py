"""Near-duplicates: components, which image of each is kept, and the real case."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from regauge.errors import InputError
from regauge.testsets.duplicates import find_components

IDS = np.array(["d", "c", "b", "a", "e", "val-1"])
IS_ORIGINAL = np.array([False] * 5 + [True])


def test_of_a_chain_the_first_by_id_is_kept() -> None:
    found = find_components(IDS, np.array([[0, 1], [1, 2]]), is_original=IS_ORIGINAL)
    assert IDS[found.is_kept].tolist() == ["b", "a", "e"]
    assert len(set(found.components[:3].tolist())) == 1


def test_none_is_kept_where_an_original_image_shows_the_same() -> None:
    found = find_components(IDS, np.array([[0, 1], [1, 5]]), is_original=IS_ORIGINAL)
    assert IDS[found.is_kept].tolist() == ["b", "a", "e"]
    assert IDS[found.has_original].tolist() == ["d", "c", "val-1"]


def test_without_pairs_every_candidate_is_kept() -> None:
    found = find_components(IDS, np.zeros((0, 2), np.int64), is_original=IS_ORIGINAL)
    assert found.is_kept.tolist() == [True] * 5 + [False]


def test_the_order_of_pairs_changes_nothing(rng: np.random.Generator) -> None:
    ids = np.array([f"i{number:03d}" for number in range(200)])
    pairs = rng.integers(0, 200, (120, 2))
    is_original = rng.random(200) < 0.05
    first = find_components(ids, pairs, is_original=is_original)
    second = find_components(ids, rng.permutation(pairs)[:, ::-1], is_original=is_original)
    assert first.is_kept.tolist() == second.is_kept.tolist()


def test_a_pair_of_an_unknown_image_is_refused() -> None:
    with pytest.raises(InputError, match="from 0 to 5"):
        find_components(IDS, np.array([[0, 6]]), is_original=IS_ORIGINAL)


def test_the_released_pairs_leave_one_of_each_component_or_none(published: Path) -> None:
    released = np.load(published / "recht2019_near_duplicates.npz", allow_pickle=False)
    ids, pairs = released["ids"], released["duplicate_pairs"]
    is_original = np.char.startswith(ids, "ILSVRC") | np.char.startswith(ids, "n0") | np.char.startswith(ids, "n1")
    found = find_components(ids, pairs, is_original=is_original)
    kept = np.bincount(found.components, found.is_kept)
    has_original = np.bincount(found.components, is_original) > 0
    assert (kept == np.where(has_original, 0, 1)).all()
