"""The queue of a review against Python sets, and on the released answers of 67 models."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regauge.arrays import NO_CLASS
from regauge.candidates.review_queue import find_open_items
from regauge.errors import InputError
from regauge.records.labels.label_set import LabelSet, Unlisted
from regauge.records.labels.reviews import ReviewItems

IDS = np.array(["a", "b", "c"])
LABELS = np.array([1, 2, NO_CLASS], np.int32)
ANSWERS = np.array([[1, 5, 3], [4, 5, NO_CLASS]], np.int32)


def list_items(items: ReviewItems) -> list[tuple[str, int, int, bool]]:
    return [
        tuple(row) for row in items.to_frame().select("image_id", "class", "n_participants", "is_dataset_label").rows()
    ]


def test_every_answer_and_every_dataset_label_is_asked_about_once():
    items = find_open_items(IDS, LABELS, answers=ANSWERS)
    assert list_items(items) == [
        ("a", 1, 1, True),
        ("a", 4, 1, False),
        ("b", 2, 0, True),
        ("b", 5, 2, False),
        ("c", 3, 1, False),
    ]
    assert (items.n_images, items.starts.tolist()) == (3, [0, 2, 4, 5])
    assert repr(items) == "<ReviewItems: 5 on 3 of 3 images>"


def test_trusted_dataset_labels_are_asked_about_by_nobody():
    items = find_open_items(IDS, LABELS, answers=ANSWERS, trust_dataset_labels=True)
    assert list_items(items) == [("a", 4, 1, False), ("b", 5, 2, False), ("c", 3, 1, False)]


def test_verdicts_close_items_by_image_id_and_problematic_images_close_all_of_theirs():
    verdicts = LabelSet.from_lists(
        "L", ["c", "x", "a"], correct=[[], [5], []], wrong=[[], [], [4]], is_problematic=[True, False, False]
    )
    items = find_open_items(IDS, LABELS, answers=ANSWERS, label_set=verdicts)
    assert list_items(items) == [("a", 1, 1, True), ("b", 2, 0, True), ("b", 5, 2, False)]


def test_complete_lists_leave_nothing_open_on_their_images():
    verdicts = LabelSet.from_lists("L", ["a"], correct=[[1]], unlisted=Unlisted.WRONG)
    assert set(find_open_items(IDS, LABELS, answers=ANSWERS, label_set=verdicts).images.tolist()) == {1, 2}


def test_a_label_set_of_other_images_and_columns_that_do_not_fit_are_refused():
    other = LabelSet.from_lists("L", ["x"], correct=[[1]])
    with pytest.raises(InputError, match="Label set L judges none of these images: its first id is 'x'"):
        find_open_items(IDS, LABELS, answers=ANSWERS, label_set=other)
    with pytest.raises(InputError, match=r"3 images need 3 dataset labels and answers \[participants, 3\]"):
        find_open_items(IDS, LABELS, answers=ANSWERS[:, :2])
    with pytest.raises(InputError, match="Class indices start at 0"):
        find_open_items(IDS, LABELS, answers=ANSWERS - 1)


CLASSES = st.integers(NO_CLASS, 4)


@given(
    st.lists(st.lists(CLASSES, min_size=3, max_size=3), max_size=4),
    st.lists(CLASSES, min_size=3, max_size=3),
    st.lists(st.sets(st.integers(0, 4)), min_size=2, max_size=2),
    st.booleans(),
)
def test_sets_of_pairs_give_the_same(
    answers: list[list[int]], labels: list[int], judged: list[set[int]], trust: bool
) -> None:
    verdicts = LabelSet.from_lists("L", IDS[:2], correct=[[]] * 2, wrong=[sorted(one) for one in judged])
    items = find_open_items(
        IDS,
        np.array(labels, np.int32),
        answers=np.array(answers, np.int32).reshape(-1, 3),
        label_set=verdicts,
        trust_dataset_labels=trust,
    )
    named = {(row, label) for row, label in enumerate(labels) if label != NO_CLASS}
    given_ = {(row, one) for answer in answers for row, one in enumerate(answer) if one != NO_CLASS}
    closed = {(row, one) for row, classes in enumerate(judged) for one in classes}
    expected = sorted((given_ - named if trust else given_ | named) - closed)
    assert list(zip(items.images.tolist(), items.classes.tolist(), strict=True)) == expected
    counts = [sum(answer[row] == one for answer in answers) for row, one in expected]
    assert items.n_participants.tolist() == counts


def test_the_released_answers_of_67_models_give_so_many_items(published: Path):
    with np.load(published / "recht2019_imagenet_top1.npz", allow_pickle=False) as archive:
        answers, labels = archive["val_top1"].astype(np.int32), archive["val_labels"].astype(np.int32)
        ids, rows = archive["val_ids"].astype(np.str_), archive["val20k_rows"]
    before = time.process_time()
    everything = find_open_items(ids, labels, answers=answers)
    assert time.process_time() - before < 1
    assert np.count_nonzero(everything.n_participants) == 252_868
    chosen = {"answers": answers[:, rows]}
    with_labels = find_open_items(ids[rows], labels[rows], **chosen)
    assert len(with_labels) == 102_141
    assert np.count_nonzero(with_labels.n_participants) == 101_181
    assert len(find_open_items(ids[rows], labels[rows], **chosen, trust_dataset_labels=True)) == 82_141
