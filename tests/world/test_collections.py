"""The collections hold what they say: the same bits from the same seed, truth, copies and dates in every row."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from regauge.errors import InputError
from regauge.records.labels.label_set import Unlisted
from regauge.records.labels.verdicts import Verdict
from regauge.world.collections import (
    ORIGINAL,
    POOL,
    SIDE,
    Collection,
    Sizes,
    World,
    gather,
    make_world,
)
from regauge.world.copies import CopyKind
from regauge.world.objects import CLASS_IDS
from regauge.world.scenes import find_truth, judge, render

TINY = Sizes(training=64, original=100, pool=100)


def find_by_id(world: World) -> dict[str, tuple[Collection, int]]:
    return {
        image_id: (collection, row)
        for collection in (world.training, world.original, world.pool)
        for row, image_id in enumerate(collection.image_ids.tolist())
    }


def test_the_same_seed_gives_the_same_bits():
    one, other = (make_world(np.random.default_rng(5), sizes=TINY) for _ in range(2))
    for first, second in ((one.training, other.training), (one.original, other.original), (one.pool, other.pool)):
        assert first.images.tobytes() == second.images.tobytes()
        assert first.scenes == second.scenes
        assert first.copyings == second.copyings
        for column in ("labels", "queries", "taken_on", "uploaded_on", "source_ids", "degrees", "saliences"):
            assert np.array_equal(getattr(first, column), getattr(second, column)), column


def test_pictures_drawn_in_many_threads_are_the_same():
    scenes = gather(ORIGINAL, 64, rng=np.random.default_rng(5)).scenes
    alone = [render(scene, SIDE).tobytes() for scene in scenes]
    with ThreadPoolExecutor(4) as threads:
        together = list(threads.map(lambda scene: render(scene, SIDE).tobytes(), scenes))
    assert alone == together


def test_another_seed_gives_another_world():
    first, second = (gather(ORIGINAL, 32, rng=np.random.default_rng(seed)) for seed in (1, 2))
    assert first.images.tobytes() != second.images.tobytes()


def test_every_collection_needs_a_picture_of_each_class():
    with pytest.raises(InputError, match=f"pool needs a picture of each of the {len(CLASS_IDS)} classes, not 10"):
        Sizes(pool=10)


def test_the_columns_cannot_be_changed(world):
    with pytest.raises(ValueError, match="read-only"):
        world.pool.images[0] = 0
    with pytest.raises(ValueError, match="read-only"):
        world.pool.taken_on[0] = np.datetime64("2000-01-01")


def test_queries_are_balanced_over_the_classes(world):
    fresh = ~world.pool.is_copy
    counts = np.bincount(world.pool.labels[fresh], minlength=len(CLASS_IDS))
    assert world.training.labels.tolist().count(0) == len(world.training) // len(CLASS_IDS)
    assert counts.min() >= 0.85 * counts.max()


def test_a_query_is_a_name_of_its_class(world):
    names = [image_class.names for image_class in world.taxonomy.classes]
    assert all(
        query in names[label]
        for query, label in zip(world.pool.queries.tolist(), world.pool.labels.tolist(), strict=True)
    )
    assert "soccer ball" in world.pool.queries.tolist()


def test_a_picture_is_uploaded_after_it_was_taken_and_the_pool_is_younger(world):
    for collection in (world.training, world.original, world.pool):
        assert (collection.uploaded_on > collection.taken_on).all()
    assert np.median(world.pool.taken_on.astype(int)) > np.median(world.original.taken_on.astype(int))


def test_a_row_tells_the_truth_of_its_scene(world):
    pool = world.pool
    for row in range(0, len(pool), 97):
        truth = find_truth(pool.scenes[row])
        n_things = len(pool.scenes[row].things)
        assert pool.degrees[row] == pytest.approx(truth.degrees, abs=1e-6)
        assert pool.thing_degrees[row, :n_things] == pytest.approx(truth.thing_degrees, abs=1e-6)
        assert (pool.thing_degrees[row, n_things:] == 0).all()
        assert pool.main_labels[row] == truth.thing_degrees[truth.saliences.argmax()].argmax()
        assert pool.verdicts[row].tolist() == judge(truth.degrees).tolist()


def test_a_row_can_be_drawn_again_at_its_own_and_at_another_size(world):
    fresh = np.flatnonzero(~world.pool.is_copy)[:20]
    for row in fresh.tolist():
        assert np.asarray(world.pool.render(row, SIDE)).tobytes() == world.pool.images[row].tobytes()
    assert world.pool.render(0, 200).size == (200, 200)


def test_copies_are_recorded_with_their_true_source_and_no_source_is_a_copy(world):
    by_id = find_by_id(world)
    pool = world.pool
    copies = np.flatnonzero(pool.is_copy)
    assert len(copies) == round(POOL.copy_rate * len(pool))
    for row in copies.tolist():
        source, at = by_id[str(pool.source_ids[row])]
        assert not source.is_copy[at]
        assert pool.scenes[row] == source.scenes[at]
        assert pool.labels[row] == source.labels[at]
        assert np.array_equal(pool.degrees[row], source.degrees[at])
    origins = {by_id[str(source_id)][0].name for source_id in pool.source_ids[copies]}
    assert origins == {"training", "original", "pool"}


def test_an_exact_copy_has_the_same_pixels_and_a_near_copy_nearly(world):
    by_id = find_by_id(world)
    kinds = set()
    for row in np.flatnonzero(world.pool.is_copy).tolist():
        source, at = by_id[str(world.pool.source_ids[row])]
        kind = world.pool.copyings[row].kind
        kinds.add(kind)
        difference = np.abs(world.pool.images[row].astype(float) - source.images[at])
        if kind is CopyKind.EXACT:
            assert difference.max() == 0
        elif kind is not CopyKind.RELIT or abs(world.pool.copyings[row].strength - 0.5) > 0.03:
            assert 0 < difference.mean() < 45
    assert kinds == {CopyKind.EXACT, CopyKind.RESAVED, CopyKind.CROPPED, CopyKind.RELIT}


def test_pictures_with_the_same_pixels_are_all_recorded_as_copies(world):
    owners: dict[bytes, list[str]] = {}
    roots = {}
    for image_id, (collection, row) in find_by_id(world).items():
        owners.setdefault(collection.images[row].tobytes(), []).append(image_id)
        roots[image_id] = str(collection.source_ids[row]) or image_id
    groups = [ids for ids in owners.values() if len(ids) > 1]
    assert groups
    assert all(len({roots[image_id] for image_id in ids}) == 1 for ids in groups)


def test_some_queries_were_wrong_and_more_of_them_in_the_pool(world):
    wrong = {c.name: float((c.label_verdicts == Verdict.WRONG).mean()) for c in (world.original, world.pool)}
    assert 0.02 < wrong["original"] < 0.09
    assert 0.09 < wrong["pool"] < 0.20


def test_there_are_unclear_multi_label_and_side_object_pictures(world):
    original = world.original
    assert ((original.verdicts == Verdict.CORRECT).sum(axis=1) > 1).mean() > 0.15
    assert (original.verdicts == Verdict.UNCLEAR).any(axis=1).mean() > 0.10
    right = original.label_verdicts == Verdict.CORRECT
    assert (original.main_labels[right] != original.labels[right]).mean() > 0.01


def test_the_pool_lies_nearer_to_the_borders_than_the_original(world):
    def doubt(collection: Collection) -> float:
        return float(((collection.degrees > 0.1) & (collection.degrees < 0.7)).any(axis=1).mean())

    assert doubt(world.pool) > doubt(world.original) + 0.02


def test_the_truth_becomes_a_complete_label_set(world):
    labels = world.original.to_label_set()
    assert labels.unlisted is Unlisted.WRONG
    assert len(labels) == len(world.original)
    assert labels.is_problematic.tolist() == (world.original.label_verdicts == Verdict.WRONG).tolist()
    assert labels.main_labels.tolist() == world.original.main_labels.tolist()
    row = int(np.flatnonzero((world.original.verdicts == Verdict.CORRECT).sum(axis=1) == 2)[0])
    judged = dict(
        zip(
            labels.classes[labels.starts[row] : labels.starts[row + 1]].tolist(),
            labels.verdicts[labels.starts[row] : labels.starts[row + 1]].tolist(),
            strict=True,
        )
    )
    assert judged == {
        index: verdict
        for index, verdict in enumerate(world.original.verdicts[row].tolist())
        if verdict != Verdict.WRONG
    }


def test_chosen_rows_keep_everything_that_is_known_of_them(world):
    rows = np.array([5, 3, int(np.flatnonzero(world.pool.is_copy)[0])])
    few = world.pool.choose(rows, name="few")
    assert (few.name, len(few)) == ("few", 3)
    assert few.image_ids.tolist() == world.pool.image_ids[rows].tolist()
    assert few.source_ids.tolist() == world.pool.source_ids[rows].tolist()
    assert few.verdicts.tolist() == world.pool.verdicts[rows].tolist()
    assert np.asarray(few.render(1, SIDE)).tobytes() == np.asarray(world.pool.render(3, SIDE)).tobytes()
    assert few.copyings[2] == world.pool.copyings[rows[2]]


def test_the_test_set_has_the_dataset_labels(world):
    test_set = world.original.to_test_set()
    assert test_set.name == "original"
    assert test_set.labels.tolist() == world.original.labels.tolist()
