"""REVIEW: what a task asks, shows and takes as an answer."""

from __future__ import annotations

from typing import Any

import pytest

from regauge.campaigns.reviews.votes import MAX_PAIRS
from regauge.campaigns.visibility import TaskContext
from regauge.errors import InputError
from regauge.formats.taxonomies import load_taxonomy
from regauge.kinds.review.task import (
    describe_asked,
    list_images,
    list_keys,
    make_previews,
    make_review_task,
    parse,
    remove_images,
    view,
)
from regauge.records.campaigns.campaign import NOTHING_SHOWN
from regauge.records.labels.verdicts import Verdict

IMAGE = make_review_task([4], [3, 7, 9])
GRID = make_review_task([4, 5, 6], [3])
CONTEXT = TaskContext(
    load_taxonomy("cifar-10"), order=1, verdicts={4: {0: Verdict.WRONG, 3: Verdict.CORRECT, 8: Verdict.UNCLEAR}}
)


def test_an_image_comes_with_its_labels_and_with_what_was_judged_before() -> None:
    shown = view(IMAGE, CONTEXT)
    assert sorted(one["class"] for one in shown["items"]) == [3, 7, 9]
    assert [one["key"] for one in shown["items"]] == [str(one["class"]) for one in shown["items"]]
    # What is asked now is not told to be correct.
    assert [(one["name"], one["verdict"]) for one in shown["known"]] == [("airplane", "wrong"), ("ship", "unclear")]
    assert shown["target"] is None


def test_labels_come_in_an_order_of_the_annotators_own() -> None:
    orders = {
        tuple(one["class"] for one in view(IMAGE, TaskContext(CONTEXT.taxonomy, order=order))["items"])
        for order in range(20)
    }
    assert len(orders) > 1
    for order in range(5):
        context = TaskContext(CONTEXT.taxonomy, order=order)
        assert describe_asked(IMAGE, context)["classes"] == [one["class"] for one in view(IMAGE, context)["items"]]


def test_a_grid_shows_one_label_and_says_nothing_of_its_images() -> None:
    shown = view(GRID, CONTEXT)
    assert shown["target"]["name"] == "cat"
    assert shown["items"] == [{"key": "0"}, {"key": "1"}, {"key": "2"}]
    assert shown["known"] == []


def test_an_answer_has_one_form() -> None:
    answer = {
        "verdicts": {"9": "unclear", "3": "correct"},
        "reasons": {"3": "several objects"},
        "problems": ["heavily edited", "drawing or rendering"],
        "more": [5, 3, 5],
        "comment": " a toy \r\n",
        "link": "https://example.org/toy",
    }
    assert parse(IMAGE, answer) == {
        "version": 1,
        "verdicts": {"3": "correct", "9": "unclear"},
        "reasons": {"3": "several objects"},
        "problems": ["drawing or rendering", "heavily edited"],
        "more": [5],
        "comment": "a toy",
        "link": "https://example.org/toy",
    }
    assert parse(GRID, {"verdicts": {"2": "wrong"}}) == {"version": 1, "verdicts": {"2": "wrong"}}
    assert parse(IMAGE, {"not_shown": True}) == NOTHING_SHOWN


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ({}, "Judge at least one label"),
        ({"verdicts": {}}, "Judge at least one label"),
        ({"verdicts": {"3": "maybe"}}, "A verdict is one of correct, unclear, wrong"),
        ({"verdicts": {"4": "wrong"}}, "asks nothing about '4'"),
        ({"verdicts": ["correct"]}, "verdicts by the labels"),
        ({"verdicts": {"3": 2}}, "verdicts by the labels"),
        ({"verdicts": {"3": "wrong"}, "reasons": {"3": "several objects"}}, "no reason for that verdict"),
        ({"verdicts": {"3": "unclear"}, "reasons": {"3": "several objects"}}, "no reason for that verdict"),
        ({"reasons": {"3": "several objects"}}, "no reason for that verdict"),
        ({"problems": ["ugly"]}, "What is wrong with an image is one of"),
        ({"more": [-1]}, "a list of up to 20 classes"),
        ({"more": [True]}, "a list of up to 20 classes"),
        ({"more": list(range(30, 60))}, "a list of up to 20 classes"),
        ({"verdicts": {"3": "wrong"}, "link": "javascript:alert(1)"}, "A link to evidence begins with http"),
        ({"verdicts": {"3": "wrong"}, "link": "https://me:secret@example.org"}, "A link to evidence begins with http"),
    ],
)
def test_what_is_no_answer_is_refused_in_a_sentence(answer: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        parse(IMAGE, answer)


@pytest.mark.parametrize("answer", [{"problems": ["inappropriate"]}, {"more": [5]}])
def test_a_grid_says_nothing_about_whole_images(answer: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="where it is shown alone"):
        parse(GRID, answer)


def test_tasks_that_cannot_be_asked_are_refused() -> None:
    for images, classes in (([], [1]), ([1, 2], [3, 4]), ([1], list(range(MAX_PAIRS + 1)))):
        with pytest.raises(InputError, match="A task asks about 1 to 21 labels"):
            make_review_task(images, classes)
    with pytest.raises(InputError, match="every pair of image and label once"):
        make_review_task([1], [2, 2])


def test_images_that_are_taken_out_leave_the_others() -> None:
    fewer = remove_images(GRID, {4, 6})
    assert fewer is not None
    # A grid stays one, so that its answers are read as they were given.
    assert (list_images(fewer), list_keys(fewer)) == ([5], ["0"])
    assert remove_images(IMAGE, {4}) is None
    assert remove_images(IMAGE, {5}) == IMAGE


def test_previews_show_both_sorts_of_task() -> None:
    assert [len(one["images"]) for one in make_previews(list(range(24)))] == [1, 4]
