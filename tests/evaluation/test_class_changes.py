"""Two test sets class by class: worked numbers, plain Python, the order, and what is left out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from numpy.typing import ArrayLike

from regauge.arrays import NO_CLASS
from regauge.errors import InputError
from regauge.evaluation.class_changes import find_class_changes
from regauge.evaluation.outcomes import Outcome
from regauge.evaluation.sides import Side
from regauge.records.evaluation.class_changes import (
    CLASS_CHANGE_COLUMNS,
    EVERYBODY,
    TILTED_SCORE,
    ClassChange,
    ClassChanges,
)
from regauge.records.evaluation.shifts import ShiftSettings
from regauge.records.taxonomy import ClassIndex, ImageClass, NodeId, Taxonomy
from regauge.stats.multiplicity import benjamini_hochberg, holm
from regauge.stats.two_means import compare_means

SETTINGS = ShiftSettings(n_bootstrap=100)


def make_side(name: str, labels: ArrayLike | None, outcomes: ArrayLike, models: tuple[str, ...] = ("x", "y")) -> Side:
    table = np.array(outcomes, np.int8)
    counts = np.array([[int((row == 1).sum()), int((row != Outcome.NOT_COUNTED).sum())] for row in table], np.int64)
    known = None if labels is None else np.asarray(labels, np.int32)
    return Side(name, models, table, {"top1": counts}, (), known)


OLD = make_side("old", [0, 0, 0, 0, 1, 1, 2], [[1, 1, 1, 1, 0, 1, 1], [1, 1, 1, 0, 0, 1, 1]])
NEW = make_side("fresh", [0, 0, 0, 1, 1, 3], [[0, 0, 1, 0, 1, 1], [0, 0, 0, 1, 1, 0]])


def find(original: Side = OLD, new: Side = NEW, *each: str) -> ClassChanges:
    return find_class_changes(original, new, settings=SETTINGS, each=each)


def get(changes: ClassChanges, class_index: int, participant: str = EVERYBODY) -> ClassChange:
    (row,) = [one for one in changes.select(participant) if one.class_index == class_index]
    return row


def test_a_class_by_hand() -> None:
    row = get(find(), 0)
    # Old scores 2, 2, 2, 1 of two: 7/8; new scores 0, 0, 1: 1/6.
    assert (row.n_original, row.n_new, row.n_participants) == (4, 3, 2)
    assert [row.original, row.new] == pytest.approx([7 / 8, 1 / 6])
    assert row.change == pytest.approx(1 / 6 - 7 / 8)
    expected = compare_means([2, 2, 2, 1], [0, 0, 1], top=2)
    assert (row.low, row.high, row.p) == expected
    assert (row.test, row.interval) == (TILTED_SCORE, TILTED_SCORE)
    limits = [row.low or 0, row.change or 0, row.high or 0]
    assert limits == sorted(limits)


def test_a_class_that_one_set_lacks_has_a_row_without_a_change() -> None:
    for class_index, n in ((2, (1, 0)), (3, (0, 1))):
        row = get(find(), class_index)
        assert (row.n_original, row.n_new) == n
        assert (row.change, row.low, row.p, row.p_holm, row.p_bh, row.interval) == (None,) * 6
    assert get(find(), 3).original is None
    assert get(find(), 3).new == 0.5


def test_the_strongest_evidence_comes_first_and_classes_without_a_test_last() -> None:
    assert [row.class_index for row in find().rows] == [0, 1, 2, 3]
    p = [row.p for row in find().rows if row.p is not None]
    assert len(p) == 2
    assert [row.p_holm for row in find().rows[:2]] == pytest.approx(holm(p).tolist())
    assert [row.p_bh for row in find().rows[:2]] == pytest.approx(benjamini_hochberg(p).tolist())


def test_single_participants_follow_with_families_of_their_own() -> None:
    changes = find(OLD, NEW, "y")
    assert list(dict.fromkeys(row.participant for row in changes.rows)) == [EVERYBODY, "y"]
    row = get(changes, 0, "y")
    # y: 3 of 4 before, 0 of 3 now.
    assert (row.n_participants, row.change, row.interval) == (1, -0.75, TILTED_SCORE)
    assert row.p == compare_means([1, 1, 1, 0], [0, 0, 0], top=1).p
    assert get(changes, 0).p == get(find(), 0).p


def test_no_interval_contradicts_its_own_p_value() -> None:
    rng = np.random.default_rng(4)
    sides = []
    for name, n_images, easiness in (("old", 50, 2.0), ("fresh", 10, 0.8)):
        labels = np.repeat(np.arange(100), n_images)
        chances = 1 / (1 + np.exp(-rng.normal(easiness, 2, labels.size)))
        outcomes = (rng.random((5, labels.size)) < chances).astype(np.int8)
        sides.append(make_side(name, labels, outcomes, tuple("abcde")))
    rows = find(sides[0], sides[1], "a").to_frame()
    is_small, is_outside = rows["p"] <= 0.05, (rows["change_low"] > 0) | (rows["change_high"] < 0)
    assert is_small.to_list() == is_outside.to_list()
    assert 5 < is_small.sum() < 195


def test_participants_in_another_order_give_the_same() -> None:
    turned = make_side("fresh", NEW.labels, NEW.outcomes[::-1], ("y", "x"))
    assert find(OLD, turned, "x").to_frame().equals(find(OLD, NEW, "x").to_frame())


def test_a_row_does_not_depend_on_the_other_classes() -> None:
    alone = make_side("old", [0, 0, 0, 0], OLD.outcomes[:, :4])
    assert get(find(alone, NEW), 0).low == get(find(), 0).low


def test_images_that_do_not_count_for_everybody_or_have_no_class_are_left_out_and_said() -> None:
    holes = OLD.outcomes.copy()
    holes[1, 0] = Outcome.NOT_COUNTED
    labels = np.array(OLD.labels).copy()
    labels[6] = NO_CLASS
    changes = find(make_side("old", labels, holes), NEW)
    assert get(changes, 0).n_original == 3
    assert [row.class_index for row in changes.rows] == [0, 1, 3]
    assert [note.split(" of old ")[0] for note in changes.notes] == ["1 image", "1 image"]


def test_classes_are_named_by_their_ids() -> None:
    classes = tuple(ImageClass(ClassIndex(i), NodeId(f"c{i}"), (f"name {i}",)) for i in range(4))
    changes = find_class_changes(OLD, NEW, settings=SETTINGS, taxonomy=Taxonomy("four", classes))
    assert [row.class_id for row in changes.rows] == ["c0", "c1", "c2", "c3"]
    assert "class 0 (c0): -70.8%" in repr(changes)


def test_what_cannot_be_compared_by_class_is_refused() -> None:
    with pytest.raises(InputError, match="fresh has no dataset labels"):
        find(OLD, make_side("fresh", None, NEW.outcomes))
    with pytest.raises(InputError, match="No participant matches 'z'"):
        find(OLD, NEW, "z")


def test_a_participant_called_as_the_mean_is_asks_for_another_name() -> None:
    old, new = (replace(side, models=("x", EVERYBODY)) for side in (OLD, NEW))
    assert len(find(old, new, "x").select("x"))
    with pytest.raises(InputError, match="called 'all' cannot be told from the mean"):
        find(old, new, "*")


def test_the_table_has_the_documented_columns() -> None:
    frame = find(OLD, NEW, "*").to_frame()
    assert dict(frame.schema) == dict(CLASS_CHANGE_COLUMNS)
    assert frame["participant"].to_list() == ["all"] * 4 + ["x"] * 4 + ["y"] * 4
    assert frame.filter(pl.col("class") == 3)["change"].null_count() == 3


def test_the_sentence_counts_harder_and_easier_classes() -> None:
    old = make_side("old", np.repeat([0, 1, 2], 20), [np.repeat([1, 0, 1], 20)] * 2)
    new = make_side("fresh", np.repeat([0, 1, 2], 20), [np.repeat([0, 1, 1], 20)] * 2)
    assert find(old, new).describe() == (
        "Of 3 classes with images in both sets, 1 are harder on fresh and 1 easier at a false discovery rate of 5%; 2 changed "
        "even after Holm's adjustment."
    )
