"""Which images teach, which are asked about, and which question comes to whom."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regauge.campaigns.quizzes import (
    MAX_EXAMPLES,
    N_EXAMPLE_CLASSES,
    KnownImage,
    choose_lessons,
    group_known,
    pick_questions,
)
from regauge.errors import InputError
from regauge.kinds.classify import making as classify_making
from regauge.kinds.classify import task as classify_task
from regauge.kinds.contains import making as contains_making
from regauge.kinds.contains import task as contains_task
from regauge.records.campaigns.terms import Quiz


def make_groups(n_classes: int, n_images: int) -> list[list[KnownImage]]:
    """Per class, images that show it and images that show the next one; no image twice."""
    groups = []
    for index in range(n_classes):
        for side in range(2):
            start = (2 * index + side) * n_images
            groups.append([KnownImage(start + place, index, index + side) for place in range(n_images)])
    return groups


def make_pool(n_positive: int, n_negative: int) -> dict[int, dict[str, object]]:
    known = [KnownImage(number, 0, 0 if number < n_positive else 1) for number in range(n_positive + n_negative)]
    return {one.image: dict(contains_making.make_lesson(one)) for one in known}


def test_examples_are_of_a_few_classes_and_never_asked_about():
    lessons = choose_lessons(make_groups(8, 10), Quiz(10, max_attempts=2))
    assert len(lessons.examples) == MAX_EXAMPLES
    assert len({one.class_index for one in lessons.examples}) == N_EXAMPLE_CLASSES
    assert sum(one.shows == one.class_index for one in lessons.examples) == MAX_EXAMPLES // 2
    # Four times the 20 questions that one person can be asked.
    assert len(lessons.questions) == 80
    images = [one.image for one in (*lessons.examples, *lessons.questions)]
    assert len(images) == len(set(images))


def test_questions_go_before_examples_where_images_are_few():
    lessons = choose_lessons(make_groups(1, 3), Quiz(5, max_attempts=1))
    assert (len(lessons.examples), len(lessons.questions)) == (1, 5)


def test_training_alone_has_examples_and_no_questions():
    lessons = choose_lessons(make_groups(2, 5), None)
    assert lessons.examples
    assert lessons.questions == ()


def test_no_images_and_no_quiz_make_no_lessons():
    assert choose_lessons([], None).examples == ()


def test_a_quiz_without_enough_images_is_refused():
    with pytest.raises(InputError, match="asks 7 questions, but its classes have 6 images"):
        choose_lessons(make_groups(1, 3), Quiz(7))


def test_an_image_that_stands_in_two_groups_is_taken_once():
    group = [KnownImage(number, 0, 0) for number in range(4)]
    lessons = choose_lessons([group, [KnownImage(number, 1, 0) for number in range(4)]], Quiz(3, max_attempts=1))
    images = [one.image for one in (*lessons.examples, *lessons.questions)]
    assert sorted(images) == [0, 1, 2, 3]


def test_images_that_stand_in_grids_come_last():
    images = np.arange(10, dtype=np.int32)
    avoided = np.array([0, 1, 2, 3], np.int32)
    group = group_known(images, class_index=5, shows=5, avoided=avoided, rng=np.random.default_rng(0))
    assert {one.image for one in group[-4:]} == {0, 1, 2, 3}


@given(st.integers(1, 10), st.integers(1, 10), st.integers(1, 12), st.integers(0, 100))
def test_questions_are_distinct_and_balanced_as_far_as_there_are_images(n_positive, n_negative, n, seed):
    pool = make_pool(n_positive, n_negative)
    drawn = pick_questions(pool, n=n, used=(), rng=np.random.default_rng(seed))
    assert len(drawn) == len(set(drawn)) == min(n, n_positive + n_negative)
    n_shown = sum(one < n_positive for one in drawn)
    half = len(drawn) / 2
    lowest, highest = min(half, n_positive) - 0.5, max(half, len(drawn) - n_negative) + 0.5
    assert lowest <= n_shown <= highest


def test_what_was_asked_before_comes_again_only_when_nothing_else_is_left():
    pool = make_pool(3, 3)
    used = {0, 3}
    rng = np.random.default_rng(0)
    assert set(pick_questions(pool, n=4, used=used, rng=rng)) == {1, 2, 4, 5}
    assert len(used.intersection(pick_questions(pool, n=5, used=used, rng=rng))) == 1


@pytest.mark.parametrize(
    ("shows", "mask", "is_right"), [(0, "1", True), (0, "0", False), (1, "1", False), (1, "0", True)]
)
def test_a_grid_of_one_is_right_when_it_says_what_the_image_shows(shows, mask, is_right):
    task = contains_making.make_lesson(KnownImage(7, 0, shows))
    assert contains_task.is_right(task, {"mask": mask}) is is_right


@pytest.mark.parametrize(
    ("selected", "is_right"), [([4], True), ([4, 1], True), ([4, 1, 2], False), ([1], False), ([], False)]
)
def test_labels_are_right_when_the_known_one_is_among_few(selected, is_right):
    # Of five candidates at most two may be selected.
    task = classify_making.make_lesson(KnownImage(7, 4, 4), [0, 1, 2, 3])
    assert classify_task.is_right(task, {"selected": selected}) is is_right


def test_a_shuffled_grid_has_the_same_cells_in_another_order():
    task = {"version": 1, "class": 3, "cells": [[image, image % 3] for image in range(12)]}
    shuffled = contains_task.shuffle(task, order=5)
    assert shuffled["cells"] != task["cells"]
    assert sorted(shuffled["cells"]) == task["cells"]
