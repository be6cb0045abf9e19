"""Votes in two halves: nobody is in both, together they are all, and the seed decides."""

from __future__ import annotations

import numpy as np
from tests.responses.contains_rows import Row, make_votes

from regauge.labels.frequencies.disjoint import count_disjoint, split_annotators
from regauge.labels.frequencies.frequency import count_selections
from regauge.records.responses.answers import Control
from regauge.responses.grouping import group_votes
from regauge.responses.screening import screen

NAMES = [f"annotator-{number}" for number in range(40)]


def test_an_annotator_stays_in_a_half_whoever_joins():
    halves = split_annotators(NAMES, seed=3)
    assert split_annotators(NAMES[10:20], seed=3).tolist() == halves[10:20].tolist()
    assert split_annotators(NAMES, seed=4).tolist() != halves.tolist()
    assert 10 < halves.sum() < 30


def test_both_halves_together_have_all_votes_and_each_only_its_own():
    rows = [
        Row("t", name, 0, image, Control.NONE, (number + place) % 3 == 0)
        for number, name in enumerate(NAMES)
        for place, image in enumerate("abc")
    ]
    responses = group_votes(make_votes(rows))
    screening = screen(responses, None)
    whole = count_selections(responses, screening).counts
    choosing, reporting = count_disjoint(responses, screening, seed=3)
    assert (choosing.n_shown + reporting.n_shown).tolist() == whole.n_shown.tolist()
    assert (choosing.n_selected + reporting.n_selected).tolist() == whole.n_selected.tolist()
    n_choosing = int(split_annotators(responses.annotator_ids.tolist(), seed=3).sum())
    assert choosing.n_shown.tolist() == [n_choosing] * 3
    assert np.array_equal(choosing.image_ids, reporting.image_ids)
