"""A slice is complete only after reviewers have looked at each of its images and their labels are those of the slice."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.kinds.review.reviewed_study import ask, told
from tests.kinds.review.test_complete import NOTHING, answer
from tests.verify.verify_study import Told
from tests.workflows.conftest import database, postgres, postgres_database

from regauge.errors import InputError
from regauge.workflows.slices.creating import SliceRequest, create_slice, prepare_slice
from regauge.workflows.slices.queues import write_queue
from regauge.workflows.slices.reading import make_card, open_slice

__all__ = ["database", "postgres", "postgres_database", "told"]


def say(place: int, view: Mapping[str, Any]) -> Mapping[str, Any]:
    """The first reviewer finds a ship in the image of which something is known; the others find nothing."""
    said = agree(place, view)
    return {"verdicts": said["verdicts"], "more": [8]} if place == 0 and view["known"] else said


def agree(_place: int, view: Mapping[str, Any]) -> Mapping[str, Any]:
    """All labels are right, and nothing is missing."""
    return {"verdicts": {one["key"]: "correct" for one in view["items"]}, **NOTHING} if view["items"] else NOTHING


def test_a_slice_is_complete_once_every_image_is(told: Told, tmp_path: Path) -> None:
    (tmp_path / "few.txt").write_text("i0\ni4\n", encoding="utf-8")
    request = SliceRequest("few", labels="known", images=tmp_path / "few.txt", is_complete=True)
    with told.study.begin() as begun:
        prepared = prepare_slice(begun, request)
        assert "Complete labelling does not cover 2 images of 2 ('i0', 'i4')" in prepared.problem
        write_queue(prepared.queue, tmp_path / "look.csv")
    ask(told, "--mode", "complete", "--pairs", str(tmp_path / "look.csv"))
    assert told.get("experts").n_tasks == 2
    answer(told, say)
    with told.study.begin() as begun:
        # Somebody found a ship in i0, which has to be judged first.
        assert "1 image of 2 ('i0')" in prepare_slice(begun, request).problem
    told.run("campaign", "extend", "experts")
    answer(told, agree)
    with told.study.begin() as begun:
        # All is covered now, but the labels named do not hold the ship.
        assert (
            "known@1 has no verdict on classes that reviewers judged on 2 images ('i0', 'i4')"
            in prepare_slice(begun, request).problem
        )
    told.run("campaign", "labels", "experts", "--name", "known")
    with told.study.begin() as begun:
        entry = create_slice(begun, request)
        found, card = open_slice(begun, "few"), make_card(begun, "few")
    assert entry.is_complete
    assert found.chosen.inputs.complete_by == ("experts",)
    assert "| Complete labelling | experts |" in card
    assert "Its labels are not complete" not in card


def test_an_ordinary_review_makes_nothing_complete(told: Told, tmp_path: Path) -> None:
    (tmp_path / "few.txt").write_text("i0\n", encoding="utf-8")
    ask(told)
    answer(told, lambda _place, view: {"verdicts": {one["key"]: "correct" for one in view["items"]}})
    with told.study.begin() as begun, pytest.raises(InputError, match="Complete labelling does not cover 1 image"):
        create_slice(begun, SliceRequest("few", labels="known", images=tmp_path / "few.txt", is_complete=True))
