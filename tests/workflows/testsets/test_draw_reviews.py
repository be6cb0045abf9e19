"""How far a review is, what a revision would do, and that inputs are read once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from tests.storage.small_studies import NOW
from tests.workflows.pool_studies import PLAN, Pooled, make_pooled

from regauge.errors import InputError
from regauge.records.testsets.draws import ClassReview, ImageChange
from regauge.workflows.studies.study import Study
from regauge.workflows.testsets.draw_descriptions import diff_draws
from regauge.workflows.testsets.draw_inputs import DrawInputs
from regauge.workflows.testsets.draw_reviews import (
    MAX_REMEMBERED,
    DrawMemory,
    find_pictures,
    foresee_revision,
    is_candidate,
    list_class,
    mark_reviewed,
    name_drawn,
    open_review,
    remove_from_draw,
    restore_to_draw,
)
from regauge.workflows.testsets.draws import draw_test_set, revise_test_set


@pytest.fixture
def pooled(tmp_path: Path, database: str) -> Iterator[Pooled]:
    """A study with the drawn test set `drawn`."""
    with make_pooled(tmp_path, database=database) as made:
        with made.study.begin() as begun:
            draw_test_set(begun, PLAN, name="drawn", sources=made.sources)
        yield made


def test_classes_are_reviewed_one_by_one_and_removed_images_are_counted(pooled: Pooled) -> None:
    with pooled.study.begin() as begun:
        review = open_review(begun, "drawn")
        assert review.classes == (ClassReview(0, 10, 0, is_reviewed=False), ClassReview(3, 10, 0, is_reviewed=False))
        images = list_class(review, class_index=3)
        remove_from_draw(begun, "drawn", image_id=images[2].image_id, reason="a drawing")
        mark_reviewed(begun, "drawn", class_index=3)
        review = open_review(begun, "drawn")
        assert review.get_class(3) == ClassReview(3, 10, 1, is_reviewed=True)
        assert (review.n_reviewed, list(review.removed)) == (1, [images[2].image_id])
        after = list_class(review, class_index=3)
        assert [one.removed is not None for one in after] == [number == 2 for number in range(10)]
        assert after[2].removed is not None
        assert (after[2].removed.reason, after[2].removed.who) == ("a drawing", "tester")
        assert all(one.frequency.n == 10 for one in after)


def test_in_a_revision_only_classes_with_new_images_are_open_again(pooled: Pooled) -> None:
    with pooled.study.begin() as begun:
        for index in (0, 3):
            mark_reviewed(begun, "drawn", class_index=index)
        first = list_class(open_review(begun, "drawn"), class_index=0)[0]
        remove_from_draw(begun, "drawn", image_id=first.image_id, reason="wrong")
        revise_test_set(begun, "drawn")
        assert [one.is_reviewed for one in open_review(begun, "drawn-2").classes] == [False, True]
        mark_reviewed(begun, "drawn-2", class_index=0)
        assert open_review(begun, "drawn-2").n_reviewed == 2


def test_a_revision_is_foreseen_for_a_class_and_for_all(pooled: Pooled) -> None:
    memory = DrawMemory()
    with pooled.study.begin() as begun:
        for index in (0, 3):
            one = list_class(open_review(begun, "drawn"), class_index=index)[0]
            remove_from_draw(begun, "drawn", image_id=one.image_id, reason="wrong")
        review = open_review(begun, "drawn")
        assert foresee_revision(begun, review, memory=memory, class_index=3).n_new == 1
        whole = foresee_revision(begun, review, memory=memory)
        assert (whole.n_new, whole.n_missing) == (2, 0)
        made = revise_test_set(begun, "drawn")
        assert int((~made.draw.is_carried).sum()) == whole.n_new


def test_inputs_are_read_once_and_few_are_remembered(pooled: Pooled) -> None:
    memory = DrawMemory()
    with pooled.study.begin() as begun:
        review = open_review(begun, "drawn")
        first = memory.get(begun, review.entry, review.drawn)
        assert memory.get(begun, review.entry, review.drawn) is first
        for number in range(MAX_REMEMBERED):
            draw_test_set(begun, PLAN, name=f"more {number}", sources=pooled.sources)
            other = open_review(begun, f"more {number}")
            memory.get(begun, other.entry, other.drawn)
    assert len(memory.kept) == MAX_REMEMBERED
    assert review.entry.id not in memory.kept


def test_inputs_that_another_thread_forgets_meanwhile_are_there_all_the_same(pooled: Pooled) -> None:
    class Forgetful(dict[int, DrawInputs]):
        def __setitem__(self, key: int, value: DrawInputs) -> None:
            pass

    with pooled.study.read() as reading:
        review = open_review(reading, "drawn")
        assert len(DrawMemory(Forgetful()).get(reading, review.entry, review.drawn).candidates) == 76


def test_the_reason_of_a_removal_is_that_of_when_the_revision_was_drawn(pooled: Pooled) -> None:
    def later(hours: int) -> Study:
        around = replace(pooled.study.around, clock=lambda: NOW + timedelta(hours=hours))
        return replace(pooled.study, around=around)

    with later(1).begin() as begun:
        first, second = open_review(begun, "drawn").draw.image_ids[:2].tolist()
        for image_id in (first, second):
            remove_from_draw(begun, "drawn", image_id=image_id, reason="a drawing")
    with later(2).begin() as begun:
        restore_to_draw(begun, "drawn", image_id=second)
        revise_test_set(begun, "drawn")
    with later(3).begin() as begun:
        restore_to_draw(begun, "drawn", image_id=first)
        remove_from_draw(begun, "drawn", image_id=second, reason="blurred")
        (removed,) = diff_draws(begun, "drawn", "drawn-2").find(ImageChange.REMOVED)
    assert (removed.image_id, removed.reason) == (first, "review: a drawing")


def test_pictures_are_those_of_the_pool(pooled: Pooled) -> None:
    with pooled.study.read() as reading:
        review = open_review(reading, "drawn")
        places = find_pictures(reading, "drawn")
        assert set(places) == set(review.draw.image_ids.tolist())
        assert all(is_candidate(reading, *place) for place in places.values())
        assert not is_candidate(reading, review.entry.id, 0)
        assert name_drawn(reading, review.entry.id) == "drawn"


def test_what_is_not_there_is_refused(pooled: Pooled) -> None:
    with pooled.study.begin() as begun:
        with pytest.raises(InputError, match="has no image of class 5"):
            mark_reviewed(begun, "drawn", class_index=5)
        with pytest.raises(InputError, match="no such test set"):
            name_drawn(begun, 99)
        with pytest.raises(InputError, match="'original' was added as it is"):
            open_review(begun, "original")
