"""Lists of annotators of a running campaign: order, filters, flags, on both databases."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import update
from tests.workflows.busy_campaigns import AFTER_FLAGS, look
from tests.workflows.campaign_studies import (
    add_contains,
    add_people,
    answer,
    get_clock,
    make_answer,
    make_pictured,
    take,
)

from regauge.records.responses.quality import AnnotatorFilter, AnnotatorOrder, ListPage
from regauge.storage.database.schema import annotators, campaigns
from regauge.workflows.campaigns.assigning import drop_annotator
from regauge.workflows.live.campaigns import LiveCampaigns
from regauge.workflows.studies.study import Study


@pytest.fixture
def pictured(tmp_path: Path, database: str) -> Iterator[Study]:
    with make_pictured(tmp_path, database=database) as study:
        yield study


def test_a_list_can_be_sorted_filtered_and_paged(pictured):
    campaign, live = add_contains(pictured, "one", quota=3), LiveCampaigns()
    people = add_people(pictured, campaign, 4)
    for n, person in enumerate(people, 1):
        for one in take(pictured, campaign, person, n=n):
            answer(pictured, make_answer(one, "0"))
    name = people[0].annotator.name
    with pictured.begin() as begun:
        drop_annotator(begun, "one", annotator=name, reason="saw nothing")
    with pictured.read() as reading:
        most = live.annotators(reading, campaign, order=AnnotatorOrder.ANSWERS, page=ListPage(0, 2, is_descending=True))
        rest = live.annotators(reading, campaign, order=AnnotatorOrder.ANSWERS, page=ListPage(2, 2, is_descending=True))
        dropped = live.annotators(reading, campaign, shown=AnnotatorFilter.DROPPED)
        flagged = live.annotators(reading, campaign, shown=AnnotatorFilter.FLAGGED, order=AnnotatorOrder.FLAGS)
        everybody = list(live.list_everybody(reading, campaign))
    counts = [row.n_answers for row in (*most.rows, *rest.rows)]
    assert (counts, most.n) == (sorted(counts, reverse=True), 4)
    assert [row.name for row in dropped.rows] == [name]
    assert dropped.rows[0].decision is not None
    assert dropped.rows[0].decision.reason == "saw nothing"
    assert (dropped.rows[0].suggestion, dropped.n_dropped) == (None, 1)
    assert name not in {row.name for row in flagged.rows}
    assert all(row.suggestion and "positive controls" in row.suggestion for row in flagged.rows)
    assert (flagged.n, flagged.n_flagged) == (3, 3)
    assert [row.name for row in everybody] == sorted(person.annotator.name for person in people)


def test_flags_are_looked_for_again_after_some_seconds_and_say_when(pictured):
    campaign, live = add_contains(pictured, "one", quota=3), LiveCampaigns()
    (person,) = add_people(pictured, campaign, 1)
    taken = take(pictured, campaign, person, n=4)
    get_clock(pictured).jump(60)
    answer(pictured, make_answer(taken[0], "0"))
    with pictured.read() as reading:
        first = live.annotators(reading, campaign)
    for one in taken[1:]:
        answer(pictured, make_answer(one, "0"))
    get_clock(pictured).jump(1)
    with pictured.read() as reading:
        second = live.annotators(reading, campaign)
    get_clock(pictured).jump(AFTER_FLAGS)
    with pictured.read() as reading:
        third = live.annotators(reading, campaign)
    assert (second.flags_at, second.rows[0].flags) == (first.flags_at, first.rows[0].flags)
    assert third.flags_at > second.flags_at
    assert [(flag.name, flag.sentence) for flag in third.rows[0].flags] == [
        ("same-answer", "Selects no image in 4 of 4 answers.")
    ]


def test_of_a_large_campaign_flags_are_found_beside_other_work(pictured, monkeypatch):
    monkeypatch.setattr("regauge.workflows.live.annotators.MANY_ANSWERS", 1)
    campaign, live = add_contains(pictured, "one", quota=3), LiveCampaigns()
    (person,) = add_people(pictured, campaign, 1)
    taken = take(pictured, campaign, person, n=4)
    get_clock(pictured).jump(60)
    answer(pictured, make_answer(taken[0], "0"))
    with pictured.read() as reading:
        assert live.annotators(reading, campaign).rows[0].flags == ()
    answer(pictured, *(make_answer(one, "0") for one in taken[1:]))
    get_clock(pictured).jump(AFTER_FLAGS)
    with pictured.read() as reading:
        live.annotators(reading, campaign)
        for thread in threading.enumerate():
            if thread.name == "flags":
                thread.join()
        (row,) = live.annotators(reading, campaign).rows
    assert [flag.name for flag in row.flags] == ["same-answer"]


def test_a_flag_names_others_as_they_are_called_now(pictured):
    campaign, live = add_contains(pictured, "one", quota=3), LiveCampaigns()
    people = add_people(pictured, campaign, 4)
    with pictured.begin() as begun:
        more = {"n_annotators": 10}
        begun.connection.execute(update(campaigns).values(**more))
    masks = np.random.default_rng(3).integers(0, 2**8, (4, 8))
    masks[1] = masks[0]
    for person, own in zip(people, masks.tolist(), strict=True):
        for place, mask in enumerate(own):
            (one,) = take(pictured, campaign, person)
            assert place < len(own)
            answer(pictured, make_answer(one, f"{mask:x}"))
    first = {row.name: row for row in look(pictured, live, "one")["annotators"].rows}  # type: ignore[attr-defined]
    sentences = [flag.sentence for flag in first[people[0].annotator.name].flags if flag.name == "agreement"]
    assert len(sentences) == 1
    assert people[1].annotator.name in sentences[0]
    with pictured.begin() as begun:
        mine = annotators.c.id == people[1].annotator.id
        begun.connection.execute(update(annotators).where(mine).values(name="erased-0001"))
    rows = look(pictured, live, "one")["annotators"].rows  # type: ignore[attr-defined]
    told = " ".join(flag.sentence for row in rows for flag in row.flags)
    assert "erased-0001" in told
    assert people[1].annotator.name not in told
