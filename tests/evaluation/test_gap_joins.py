"""Counts meet outcomes by image id and dataset label; controls are not candidates."""

from __future__ import annotations

import numpy as np
import pytest

import regauge
from regauge.errors import InputError
from regauge.evaluation.gap_joins import find_doubts, gather_pool, join_counts
from regauge.evaluation.sides import Side, judge_side
from regauge.evaluation.targets import Target, line_up
from regauge.records.evaluation.shifts import ShiftSettings
from regauge.records.labels.frequencies import SelectionCounts


def make_counts(rows: list[tuple[str, int, int, int]]) -> SelectionCounts:
    """Image, class, n_shown and n_selected; images in the order of the rows."""
    ids = list(dict.fromkeys(row[0] for row in rows))
    columns = np.array([(ids.index(row[0]), *row[1:]) for row in rows]).T
    return SelectionCounts(np.array(ids), *columns)


@pytest.fixture
def target() -> Target:
    return line_up(regauge.Truth(regauge.TestSet("old", ["a", "b", "c"], [0, 1, 1])))


@pytest.fixture
def side(target: Target) -> Side:
    model = regauge.Predictions("model", ["c", "b", "a"], [1, 0, 0])
    return judge_side([model], target, settings=ShiftSettings())


def test_counts_are_those_of_the_dataset_label_whatever_the_order(target: Target, side: Side):
    counts = make_counts([("c", 1, 9, 4), ("c", 0, 9, 9), ("b", 1, 8, 2), ("a", 0, 7, 7), ("x", 0, 5, 5)])
    judged, notes = join_counts(side, target, tables=[counts])
    assert judged.image_ids.tolist() == ["a", "b", "c"]
    assert (judged.n_shown.tolist(), judged.n_selected.tolist()) == ([7, 8, 9], [7, 2, 4])
    assert judged.is_correct.tolist() == [[True, False, True]]
    assert notes == ()


def test_images_that_nobody_saw_are_left_out_and_counted(target: Target, side: Side):
    judged, notes = join_counts(side, target, tables=[make_counts([("a", 0, 0, 0), ("b", 0, 9, 9), ("c", 1, 9, 4)])])
    assert judged.image_ids.tolist() == ["c"]
    assert notes == ("2 of 3 images of old have no selection frequency and are left out.",)


def test_of_a_pair_in_several_tables_the_last_holds(target: Target, side: Side):
    tables = [make_counts([("a", 0, 9, 1), ("b", 1, 9, 2)]), make_counts([("a", 0, 5, 5)])]
    judged, _ = join_counts(side, target, tables=tables)
    assert (judged.n_shown.tolist(), judged.n_selected.tolist()) == ([5, 9], [5, 2])


def test_a_set_without_any_frequency_is_refused(target: Target, side: Side):
    with pytest.raises(InputError, match="No image of old has a selection frequency of its dataset label"):
        join_counts(side, target, tables=[make_counts([("a", 1, 9, 1)])])


def test_controls_from_the_original_set_are_no_candidates(target: Target):
    tables = [make_counts([("a", 0, 9, 9), ("p", 0, 9, 3), ("q", 0, 0, 0)]), make_counts([("r", 1, 5, 5)])]
    pool = gather_pool(tables, original=target)
    assert pool is not None
    assert (pool.n_shown.tolist(), pool.n_selected.tolist()) == ([9, 5], [3, 5])


def test_no_tables_are_no_pool_but_a_pool_of_controls_is_refused(target: Target):
    assert gather_pool([], original=target) is None
    with pytest.raises(InputError, match="no candidate that anybody saw, besides images of old"):
        gather_pool([make_counts([("a", 0, 9, 9)])], original=target)


def test_a_table_in_which_nobody_saw_a_pair_takes_nothing_from_one_before(target: Target, side: Side):
    tables = [make_counts([("a", 0, 9, 1), ("b", 1, 9, 2)]), make_counts([("a", 0, 0, 0), ("b", 1, 8, 8)])]
    judged, _ = join_counts(side, target, tables=tables)
    assert (judged.n_shown.tolist(), judged.n_selected.tolist()) == ([9, 8], [1, 8])
    pool = gather_pool([make_counts([("p", 0, 9, 3)]), make_counts([("p", 0, 0, 0)])], original=target)
    assert pool is not None
    assert pool.n_shown.tolist() == [9]


def test_a_candidate_in_two_tables_is_one_candidate_with_the_last_counts(target: Target):
    tables = [make_counts([("p", 0, 9, 3), ("q", 1, 9, 4)]), make_counts([("q", 1, 8, 7), ("q", 0, 8, 1)])]
    pool = gather_pool(tables, original=target)
    assert pool is not None
    assert pool.classes is not None
    found = set(zip(pool.classes.tolist(), pool.n_shown.tolist(), pool.n_selected.tolist(), strict=True))
    assert (len(pool), found) == (3, {(0, 9, 3), (1, 8, 7), (0, 8, 1)})


def judge_two(target: Target, answered: list[str]) -> Side:
    """One model answers all images, another only some."""
    models = [regauge.Predictions(name, ids, [1] * len(ids)) for name, ids in (("x", [*"abc"]), ("y", answered))]
    return judge_side(models, target, settings=ShiftSettings(allow_missing=True))


def test_images_that_one_participant_lacks_are_left_out_for_all_and_counted(target: Target):
    counts = make_counts([("a", 0, 9, 4), ("b", 1, 9, 4), ("c", 1, 9, 4)])
    judged, notes = join_counts(judge_two(target, ["b", "c"]), target, tables=[counts])
    assert judged.image_ids.tolist() == ["b", "c"]
    assert notes == ("1 image of old left out: not counted for every participant.",)


def test_participants_without_a_common_image_are_refused_for_what_they_lack(target: Target):
    models = [regauge.Predictions(name, [one], [1]) for name, one in (("x", "a"), ("y", "b"))]
    side = judge_side(models, target, settings=ShiftSettings(allow_missing=True))
    with pytest.raises(InputError, match="No image of old counts for every participant"):
        join_counts(side, target, tables=[make_counts([("a", 0, 9, 1)])])


def test_chosen_images_outside_the_pool_are_doubtful():
    new = line_up(regauge.Truth(regauge.TestSet("new", ["c", "p", "q"], [1, 0, 0])))
    pool = make_counts([("c", 1, 9, 4), ("p", 1, 9, 4), ("q", 0, 9, 4)])
    (absent,) = find_doubts(new, pool=[pool])
    assert absent.startswith("1 of 3 images of new are not in the pool")
    others = line_up(regauge.Truth(regauge.TestSet("new", ["q"], [0])))
    assert not [*find_doubts(others, pool=[pool]), *find_doubts(others, pool=[])]
