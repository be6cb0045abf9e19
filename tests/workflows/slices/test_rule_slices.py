"""Slices by a rule in a study: who is not comparable on them, and ranges of counts, on both databases."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.workflows.slices.sliced_study import fill_slices

from regauge.records.slices.rules import CountRange, ImageRule
from regauge.storage.people.erasure import delete_participants
from regauge.storage.study import Study
from regauge.workflows.slices.creating import SliceRequest, create_slice
from regauge.workflows.slices.reading import list_slices, open_slice
from regauge.workflows.slices.scoring import score_study_slice


@pytest.fixture
def filled(study: Study, tmp_path: Path) -> Study:
    fill_slices(study, tmp_path)
    return study


def test_those_by_whose_mistakes_and_seconds_images_were_chosen_are_not_comparable(filled: Study):
    by_codes = SliceRequest("codes", ImageRule(severities=("major",)), labels="panel", codings=("R",))
    by_seconds = SliceRequest("fast", ImageRule(max_seconds=10.0), labels="panel")
    by_labels = SliceRequest("labels", ImageRule(n_wrong=CountRange(2)), labels="panel", codings=("R",))
    with filled.begin() as begun:
        told = {}
        for request in (by_codes, by_seconds, by_labels):
            create_slice(begun, request)
            scores = score_study_slice(begun, request.name).scores
            told[request.name] = [one.participant for one in scores if not one.is_comparable]
        assert told == {"codes": ["R"], "fast": ["ann"], "labels": []}
        delete_participants(begun, ["ann"])
        assert [one.name for one in list_slices(begun) if one.void] == ["fast"]


def test_a_range_without_an_end_is_kept_and_read_again(filled: Study):
    rule = ImageRule(n_correct=CountRange(), n_wrong=CountRange(2))
    with filled.begin() as begun:
        create_slice(begun, SliceRequest("any", rule, labels="panel"))
        assert open_slice(begun, "any").chosen.rule == rule
