"""Records of CONTAINS answers refuse what cannot be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from regauge.arrays import freeze_ids
from regauge.errors import InputError
from regauge.records.labels.contains import ContainsSettings
from regauge.records.responses.answers import ContainsResponses, ContainsVotes, Grids


def make_grids(**changes: Any) -> Grids:
    columns = {
        "task_ids": np.array(["t", "u"]),
        "classes": [0, 3],
        "starts": [0, 2, 3],
        "image_ids": np.array(["a", "b"]),
        "cell_images": [0, 1, 0],
        "cell_controls": [1, 0, 0],
    }
    return Grids(**{**columns, **changes})


def make_responses(**changes: Any) -> ContainsResponses:
    columns = {
        "grids": make_grids(),
        "annotator_ids": np.array(["v", "w"]),
        "response_grids": [0, 1],
        "response_annotators": [0, 1],
        "masks": [3, 1],
        "seconds": [1.0, np.nan],
    }
    return ContainsResponses(**{**columns, **changes})


def make_votes(**changes: Any) -> ContainsVotes:
    columns = {
        "task_ids": np.array(["t"]),
        "annotator_ids": np.array(["v"]),
        "image_ids": np.array(["a", "b"]),
        "tasks": [0, 0],
        "annotators": [0, 0],
        "images": [0, 1],
        "classes": [4, 4],
        "controls": [0, 2],
        "is_selected": [True, False],
    }
    return ContainsVotes(**{**columns, **changes})


@pytest.mark.parametrize(
    ("make", "changes", "message"),
    [
        (make_grids, {"starts": [0, 3, 3]}, "Grid 'u' is empty"),
        (make_grids, {"classes": [0]}, "2 grids need 2 classes"),
        (make_grids, {"cell_controls": [0, 0]}, "one image and one control mark"),
        (make_grids, {"cell_controls": [0, 0, 3]}, "A control is one of 0 .none., 1 .positive., 2 .negative., not 3"),
        (make_grids, {"cell_images": [0, 1, 2]}, "refers to image 2; there are 2"),
        (make_grids, {"classes": [0, -1]}, "an index from 0 up, not -1"),
        (
            make_grids,
            {"starts": [0, 2, 67], "cell_images": [0] * 67, "cell_controls": [0] * 67},
            "Grid 'u' has 65 cells; a grid shows at most 64",
        ),
        (make_responses, {"masks": [4, 1]}, "task 't' selects a cell that its grid does not have"),
        (make_responses, {"response_grids": [0, 0], "response_annotators": [1, 1]}, "'w' answers task 't' twice"),
        (make_responses, {"response_grids": [0, 2]}, "refers to grid 2"),
        (make_responses, {"response_annotators": [0, 5]}, "refers to annotator 5"),
        (make_responses, {"seconds": [1.0]}, "Every response needs one grid"),
        (make_votes, {"images": [0, 2]}, "refers to image 2"),
        (make_votes, {"tasks": [0, -1]}, "refers to task -1"),
        (make_votes, {"annotators": [0, 1]}, "refers to annotator 1"),
        (make_votes, {"classes": [0, -3]}, "from 0 up, not -3"),
        (make_votes, {"controls": [0, 7]}, "not 7"),
        (make_votes, {"classes": [0]}, "Every row of answers needs"),
        (make_votes, {"seconds": [0.0]}, "Every row of answers needs"),
    ],
)
def test_what_cannot_be_is_refused(make, changes, message):
    make()
    with pytest.raises(InputError, match=message):
        make(**changes)


def test_all_64_cells_of_a_grid_can_be_selected():
    grids = make_grids(starts=[0, 64, 65], cell_images=[0] * 65, cell_controls=[0] * 65)
    assert make_responses(grids=grids, masks=np.array([2**64 - 1, 1], np.uint64)).masks[0] == 2**64 - 1


def test_ids_that_were_checked_are_handed_on_as_they_are_and_others_are_checked():
    ids = freeze_ids(["a", "b"], owner="Somebody")
    assert freeze_ids(ids, owner="Somebody else") is ids
    with pytest.raises(InputError, match="Somebody else lists image 'a' more than once"):
        freeze_ids(np.array(["a", "a"]), owner="Somebody else")


def test_records_say_what_they_hold():
    assert repr(make_grids()) == "<Grids: 2 with 3 cells, 2 images>"
    assert repr(make_responses()) == "<ContainsResponses: 2 by 2 annotators on 2 grids>"
    assert len(make_votes()) == 2


def test_settings_refuse_a_level_that_is_none():
    with pytest.raises(InputError, match="strictly between 0 and 1"):
        ContainsSettings(level=95)
