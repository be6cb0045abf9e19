"""The CONTAINS task: what a page is told, and which answers are taken."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regauge.campaigns.packing import Grid
from regauge.campaigns.visibility import TaskContext
from regauge.errors import InputError
from regauge.formats.taxonomies import load_taxonomy
from regauge.kinds.contains import task
from regauge.kinds.contains.task import make_contains_task
from regauge.records.responses.answers import Control
from regauge.records.taxonomy import ClassIndex, ImageClass, NodeId, describe_class

GRID = Grid(3, (7, 101, 9, 55), (Control.NONE, Control.POSITIVE, Control.NONE, Control.NEGATIVE))
TASK = make_contains_task(GRID)


def test_a_task_holds_images_and_controls_in_display_order():
    assert task.list_images(TASK) == [7, 101, 9, 55]
    assert task.list_controls(TASK) == list(GRID.controls)


def test_a_task_survives_json():
    assert json.loads(json.dumps(TASK)) == TASK


def test_the_view_tells_neither_controls_nor_image_numbers():
    view = task.view(TASK, TaskContext(load_taxonomy("cifar-10"), 1))
    assert set(view) == {"target", "ask", "n_cells"}
    assert set(view["target"]) == {"name", "synonyms", "gloss", "link"}
    assert view["n_cells"] == 4
    text = json.dumps(view)
    assert not any(word in text for word in ("control", "positive", "negative", "101"))


def test_the_view_of_two_grids_of_a_class_is_the_same():
    other = make_contains_task(Grid(3, (1, 2, 3, 4), (Control.NONE,) * 4))
    taxonomy = load_taxonomy("cifar-10")
    assert task.view(TASK, TaskContext(taxonomy, 1)) == task.view(other, TaskContext(taxonomy, 2))


@given(st.integers(0, 15))
def test_any_selection_is_taken_and_kept(mask):
    assert task.parse(TASK, {"mask": f"{mask:x}"})["mask"] == f"{mask:x}"


def test_the_canonical_mask_has_no_leading_zeros():
    assert task.parse(TASK, {"mask": "0000000f"}) == {"version": 1, "mask": "f"}
    assert task.parse(TASK, {"mask": "0"})["mask"] == "0"


@pytest.mark.parametrize(
    "mask", [None, "", 3, True, ["3"], "3" * 17, "F", "0x3", "-1", " 3", "3\n", "３", "1_0", {"a": 1}, float("nan")]
)
def test_what_is_no_mask_is_refused(mask):
    with pytest.raises(InputError, match="mask of 1 to 16 hexadecimal digits"):
        task.parse(TASK, {"mask": mask})


def test_a_mask_beyond_the_grid_is_refused():
    with pytest.raises(InputError, match="beyond the 4 of the grid"):
        task.parse(TASK, {"mask": "10"})


def test_what_else_an_answer_holds_is_not_kept():
    assert task.parse(TASK, {"mask": "1", "control": [1, 2], "x" * 1000: None}) == {"version": 1, "mask": "1"}


def test_a_class_without_a_link_gets_a_search_that_is_quoted():
    shown = describe_class(ImageClass(ClassIndex(0), NodeId("n1"), ('a<b>&"c"', "other")))
    assert shown["link"].endswith("search=a%3Cb%3E%26%22c%22")
    assert shown["name"] == 'a<b>&"c"'
