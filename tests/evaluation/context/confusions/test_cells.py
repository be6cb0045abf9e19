"""Cells of confusion matrices: worked counts, plain loops and scikit-learn as oracles, ties, groups that overlap."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.evaluation.context.confusions.small import make_material, split_rows

from regauge.arrays import NO_CLASS
from regauge.errors import InputError
from regauge.evaluation.context.basis.tables import choose_participants
from regauge.evaluation.context.confusions.answers import (
    find_main_labels,
    find_people,
    find_seen_objects,
    give_one_each,
    take_answers,
)
from regauge.evaluation.context.confusions.cells import count_confusions, list_cells
from regauge.evaluation.context.confusions.levels import find_cells, make_class_level, make_group_level
from regauge.evaluation.context.confusions.tables import rank_cells
from regauge.evaluation.context.contract import ContextMaterial
from regauge.records.evaluation.context.report import ContextSettings

LABELS = np.array([0, 0, 0, 1, 1, 2, 2, NO_CLASS], np.int32)
ANSWERS = np.array([1, 1, 0, 1, 0, NO_CLASS, 1, 3], np.int32)


def test_cells_come_fullest_first_with_their_images() -> None:
    cells = list_cells(give_one_each("a", ANSWERS, labels=LABELS), labels=LABELS)
    # Two of the three images of class 0 are taken for 1; of class 2 one image has an answer.
    assert [(label, taken, n, rows.tolist()) for label, taken, n, rows in cells] == [
        (0, 1, 2.0, [0, 1]),
        (1, 0, 1.0, [4]),
        (2, 1, 1.0, [6]),
    ]
    assert cells.n_labelled.tolist() == [3, 2, 1]
    assert cells.n_tied.tolist() == [0, 0, 0]
    whole = list_cells(give_one_each("a", ANSWERS, labels=LABELS), labels=LABELS, with_right=True)
    assert (len(whole), whole.counts.sum()) == (5, 6)


def test_cells_of_somebody_without_a_mistake_are_none() -> None:
    assert len(list_cells(give_one_each("a", LABELS, labels=LABELS), labels=LABELS)) == 0


def test_classes_that_share_the_highest_frequency_share_the_image() -> None:
    # Image 0: 2 of 4 and 4 of 8 are the same share, 1 of 4 is less. Image 1: nobody selected anything. Image 2: one label.
    counts = [(0, 0, 4, 2), (0, 5, 8, 4), (0, 6, 4, 1), (1, 0, 4, 0), (1, 1, 4, 0), (2, 2, 3, 1), (2, 1, 3, 0)]
    material = make_material([0, 0, 1], counts=counts)
    (people,) = find_people(material)
    assert (people.n, people.n_tied) == (2, 1)
    assert people.is_given.tolist() == [True, False, True]
    cells = list_cells(people, labels=material.labels)
    assert [(label, taken, n) for label, taken, n, _ in cells] == [(1, 2, 1.0), (0, 5, 0.5)]
    assert cells.n_tied.tolist() == [0, 1]
    assert cells.n_labelled.tolist() == [1, 1]


def list_mains(material: ContextMaterial) -> list[int]:
    mains = find_main_labels(material)
    assert mains is not None
    return [int(one) for one in mains]


def test_easy_images_have_the_dataset_label_and_those_without_answers_none() -> None:
    parts = split_rows(4, follow_up=[0, 1, 2])
    material = make_material([0, 1, 2, 3], mains={0: [4, 4, 0], 2: [2]}, parts=parts)
    assert list_mains(material) == [4, NO_CLASS, 2, 3]
    unsplit = make_material([0, 1, 2, 3], mains={0: [4, 4, 0], 2: [2]})
    assert list_mains(unsplit) == [4, NO_CLASS, 2, NO_CLASS]
    assert find_main_labels(make_material([0])) is None
    seen = find_seen_objects(material)
    assert seen is not None
    assert sorted(zip(seen.rows.tolist(), seen.classes.tolist(), strict=True)) == [(0, 4), (2, 2), (3, 3)]


def test_participants_are_chosen_by_globs_and_the_best_without_one() -> None:
    material = make_material([0, 1], {"worse": [1, 1], "best": [0, 1], "other": [2, 2]})
    assert material.participants == ("best", "worse", "other")
    assert choose_participants(material, ContextSettings()) == [0]
    assert choose_participants(material, ContextSettings(("o*", "w*"))) == [1, 2]
    assert choose_participants(make_material([0]), ContextSettings()) == []
    with pytest.raises(InputError, match="No participant is called 'x'; there are: best, worse, other"):
        choose_participants(material, ContextSettings(("x",)))
    with pytest.raises(InputError, match="no predictions"):
        take_answers(make_material([0]), 0)


def test_everybodys_cells_are_those_of_scikit_learn(rng: np.random.Generator) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    labels = rng.integers(-1, 12, 400).astype(np.int32)
    firsts = rng.integers(-1, 12, (3, 400)).astype(np.int32)
    found = count_confusions(labels, firsts, n_classes=12)
    for place, answers in enumerate(firsts):
        own = slice(*found.starts[place : place + 2])
        matrix = np.zeros((12, 12), np.int64)
        matrix[found.labels[own], found.predicted[own]] = found.counts[own]
        kept = (labels >= 0) & (answers >= 0)
        expected = metrics.confusion_matrix(labels[kept], answers[kept], labels=np.arange(12))
        np.testing.assert_array_equal(matrix, expected)
        keys = found.labels[own].astype(np.int64) * 12 + found.predicted[own]
        assert (np.diff(keys) > 0).all()


@given(
    st.lists(st.sets(st.integers(0, 5)), min_size=1, max_size=4),
    st.lists(st.tuples(st.integers(-1, 5), st.integers(-1, 5)), max_size=30),
)
def test_an_answer_in_a_group_of_its_label_has_not_left_it(
    members: list[set[int]], pairs: list[tuple[int, int]]
) -> None:
    groups = {f"g{place}": np.array(sorted(one), np.int32) for place, one in enumerate(members)}
    level = make_group_level("any", groups, n_classes=6)
    labels, answers = np.array(pairs, np.int32).reshape(-1, 2).T
    expected = np.zeros((level.n_rows, level.n_columns))
    for label, answer in pairs:
        if min(label, answer) >= 0:
            own = [place for place, one in enumerate(members) if answer in one] or [level.n_rows]
            for row, one in enumerate(members):
                if label in one:
                    expected[row, [row] if answer in one else own] += 1
    found = count_confusions(labels, answers[np.newaxis], n_classes=6, levels=[level]).groups[0][0]
    np.testing.assert_array_equal(found, expected)
    cells = find_cells(level, give_one_each("a", answers, labels=labels), labels=labels)
    beside = np.bincount(cells.cells, cells.weights, expected.size).reshape(expected.shape)
    np.fill_diagonal(expected, 0)
    np.testing.assert_array_equal(beside, expected)


def test_the_level_of_classes_has_the_same_cells_as_the_list(rng: np.random.Generator) -> None:
    labels, answers = rng.integers(0, 8, (2, 100)).astype(np.int32)
    one = give_one_each("a", answers, labels=labels)
    pairs = find_cells(make_class_level(8), one, labels=labels)
    cells = list_cells(one, labels=labels)
    counts = {(cell // 8, cell % 8): n for cell, n in zip(*np.unique(pairs.cells, return_counts=True), strict=True)}
    assert counts == {(label, taken): n for label, taken, n, _ in cells}


def test_a_class_beyond_the_taxonomy_is_refused() -> None:
    with pytest.raises(InputError, match="8 classes, with indices from 0 to 7, and class 9 occurs"):
        count_confusions(np.zeros(1, np.int32), np.array([[9]], np.int32), n_classes=8)


def test_a_cell_that_is_far_ahead_stays_on_the_list_and_equal_ones_take_turns() -> None:
    # Of class 0 forty images are taken for 1; four other cells have one image each, and one of them has the second place.
    labels = np.array([0] * 40 + [1, 2, 3, 4] + [5] * 156, np.int32)
    answers = np.array([1] * 40 + [0, 0, 0, 0] + [5] * 156, np.int32)
    cells = list_cells(give_one_each("a", answers, labels=labels), labels=labels)
    found = rank_cells(cells, n_images=200, settings=ContextSettings(n_listed=2, n_bootstrap=4_000)).firmness
    assert found.stays[0] == 1
    # All four are alike. One is listed unless none is drawn, which is so in (196/200)^200 = 0.0176 of the redraws.
    assert found.stays[1] == pytest.approx((1 - 0.98**200) / 4, abs=0.02)
    assert found.leaving.value == pytest.approx(2 - found.stays.sum())


def test_a_list_without_cells_has_nothing_to_lose() -> None:
    cells = list_cells(give_one_each("a", LABELS, labels=LABELS), labels=LABELS)
    found = rank_cells(cells, n_images=8, settings=ContextSettings(n_bootstrap=100)).firmness
    assert (found.leaving.value, found.stays.size) == (None, 0)


def test_the_confusions_of_released_models_are_those_of_a_plain_count(published: Path) -> None:
    with np.load(published / "recht2019_imagenet_top1.npz", allow_pickle=False) as released:
        labels, firsts = released["val_labels"].astype(np.int32), released["val_top1"][:2].astype(np.int32)
    found = count_confusions(labels, firsts, n_classes=1_000)
    for place, answers in enumerate(firsts):
        own = slice(*found.starts[place : place + 2])
        keys, counts = np.unique(labels.astype(np.int64) * 1_000 + answers, return_counts=True)
        np.testing.assert_array_equal(found.labels[own].astype(np.int64) * 1_000 + found.predicted[own], keys)
        np.testing.assert_array_equal(found.counts[own], counts)
