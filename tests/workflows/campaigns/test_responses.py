"""Answers come out as the readers of `aggregate` take them in, on both databases."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.workflows.answer_rows import build_choices, build_grids, read_answers
from tests.workflows.busy_campaigns import make_crowd
from tests.workflows.campaign_studies import (
    LEASE,
    add_classify,
    add_contains,
    add_people,
    answer,
    get_clock,
    make_answer,
    make_pictured,
    take,
    write_pictures,
)

from regauge.errors import InputError
from regauge.formats.responses.classify import load_classify_responses
from regauge.formats.responses.contains import load_contains_responses
from regauge.kinds.registry import KINDS
from regauge.labels.frequencies.frequency import count_selections
from regauge.records.campaigns.campaign import CampaignPlan, Kind, NewAnswer
from regauge.records.responses.answers import ClassifyResponses
from regauge.records.responses.screening import ScreeningRules
from regauge.responses.grouping import group_votes
from regauge.responses.screening import screen
from regauge.workflows.annotation.tasks import consent
from regauge.workflows.campaigns.assigning import drop_annotator
from regauge.workflows.campaigns.openings import open_campaign
from regauge.workflows.campaigns.responses import (
    export_answers,
    list_recent_answers,
    load_answers,
    to_contains_responses,
)
from regauge.workflows.demo.campaigns import ClassifyQuestions, create_classify, to_classify_responses
from regauge.workflows.people.invitations import invite
from regauge.workflows.studies.study import Study
from regauge.workflows.testsets.test_set import add_test_set

HOSTILE = ('Ann "the, best"', "<script>alert(1)</script>", "=1+1", "été 犬", "'; DROP TABLE responses; --", "a\u00a0b")


@pytest.fixture
def pictured(tmp_path: Path, database: str) -> Iterator[Study]:
    with make_pictured(tmp_path, database=database) as study:
        yield study


def fill_grids(study: Study) -> None:
    """People with names that a careless writer would spoil answer all grids, some of them twice."""
    entry = add_contains(study, quota=len(HOSTILE))
    rng = np.random.default_rng(3)
    with study.begin() as begun:
        people = invite(begun, [name.replace("\u00a0", "-") for name in HOSTILE])
        for who in people:
            consent(begun, entry.id, annotator_id=who.annotator.id, version=1)
    for who in people:
        while given := take(study, entry, who, 3):
            for one in given:
                masks = [f"{int(rng.integers(256)):x}" for _ in range(rng.integers(1, 3))]
                answer(study, *(make_answer(one, mask, revision=revision) for revision, mask in enumerate(masks)))


def test_contains_answers_survive_the_way_through_a_file(pictured: Study, tmp_path: Path) -> None:
    fill_grids(pictured)
    with pictured.read() as reading:
        found = load_answers(reading, "grids")
        n = export_answers(reading, "grids", tmp_path / "answers.csv", with_names=True)
    direct = to_contains_responses(found)
    votes = load_contains_responses([tmp_path / "answers.csv"], taxonomy=pictured.taxonomy)
    grouped = group_votes(votes)
    assert n == len(found) == 8 * len(HOSTILE)
    counts = [
        count_selections(responses, screen(responses, ScreeningRules())).counts for responses in (direct, grouped)
    ]
    tables = [
        sorted(
            zip(
                counted.image_ids[counted.images].tolist(),
                counted.classes.tolist(),
                counted.n_shown.tolist(),
                counted.n_selected.tolist(),
                strict=True,
            )
        )
        for counted in counts
    ]
    assert tables[0] == tables[1]
    assert sum(row[2] for row in tables[0])
    assert set(votes.annotator_ids.tolist()) == {name.replace("\u00a0", "-") for name in HOSTILE}
    text = (tmp_path / "answers.csv").read_text(encoding="utf-8")
    assert ",'=1+1," in text, "a spreadsheet would take the name for a formula"
    assert ",=1+1," not in text


def test_every_bit_of_every_mask_is_in_the_file(pictured: Study, tmp_path: Path) -> None:
    fill_grids(pictured)
    with pictured.read() as reading:
        found = read_answers(reading, "grids")
        export_answers(reading, "grids", tmp_path / "answers.csv")
    votes = load_contains_responses([tmp_path / "answers.csv"], taxonomy=pictured.taxonomy)
    n_bits = sum(int(one.answer["mask"], 16).bit_count() for one in found.answers)
    assert int(votes.is_selected.sum()) == n_bits
    assert len(votes.is_selected) == 8 * len(found.answers)


def test_seconds_are_written_in_full(pictured: Study, tmp_path: Path) -> None:
    entry = add_contains(pictured)
    (one,) = take(pictured, entry, add_people(pictured, entry, 1)[0])
    get_clock(pictured).jump(20_000)
    answer(pictured, NewAnswer("client-1", one.id, one.annotator_id, {"mask": "1"}, 12345.678901))
    with pictured.read() as reading:
        export_answers(reading, "grids", tmp_path / "answers.csv")
    votes = load_contains_responses([tmp_path / "answers.csv"], taxonomy=pictured.taxonomy)
    assert votes.seconds is not None
    assert set(votes.seconds.tolist()) == {12345.678901}


def test_surplus_is_left_out_unless_asked_for(pictured: Study, tmp_path: Path) -> None:
    entry = add_contains(pictured, quota=1)
    late = []
    for who in add_people(pictured, entry, 2):
        late += [one for one in take(pictured, entry, who, 5) if one.task_id == 1]
        get_clock(pictured).jump(LEASE + 1)
    answer(pictured, *(make_answer(one) for one in late))
    with pictured.read() as reading:
        assert export_answers(reading, "grids", tmp_path / "counted.csv") == 1
        assert export_answers(reading, "grids", tmp_path / "all.csv", with_surplus=True) == 2


def test_answers_of_people_who_were_dropped_are_in_no_file(pictured: Study, tmp_path: Path) -> None:
    entry = add_contains(pictured, quota=2)
    honest, guesser = add_people(pictured, entry, 2)
    for who in (honest, guesser):
        answer(pictured, *(make_answer(one) for one in take(pictured, entry, who, 2)))
    with pictured.begin() as begun:
        drop_annotator(begun, "grids", annotator=guesser.annotator.name, reason="guesses")
    with pictured.read() as reading:
        assert export_answers(reading, "grids", tmp_path / "all.csv", with_surplus=True) == 2
        everything = load_answers(reading, "grids", with_surplus=True, with_dropped=True)
    votes = load_contains_responses([tmp_path / "all.csv"], taxonomy=pictured.taxonomy)
    assert set(votes.annotator_ids.tolist()) == {f"person-{honest.annotator.id}"}
    assert len(everything) == 4


def test_a_file_that_exists_is_left_alone(pictured: Study, tmp_path: Path) -> None:
    add_contains(pictured)
    (tmp_path / "there.csv").write_text("mine")
    with pytest.raises(InputError, match="exists"), pictured.read() as reading:
        export_answers(reading, "grids", tmp_path / "there.csv")
    assert (tmp_path / "there.csv").read_text() == "mine"


def test_a_campaign_without_answers_gives_empty_columns(pictured: Study, tmp_path: Path) -> None:
    add_contains(pictured)
    add_classify(pictured)
    with pictured.read() as reading:
        assert to_contains_responses(load_answers(reading, "grids")).masks.size == 0
        assert to_classify_responses(load_answers(reading, "labels")).main.size == 0
        assert export_answers(reading, "grids", tmp_path / "none.csv") == 0


def test_a_campaign_of_another_kind_is_refused(pictured: Study) -> None:
    add_contains(pictured)
    with pictured.read() as reading:
        found = load_answers(reading, "grids")
    with pytest.raises(InputError, match="is of the kind contains, not classify"):
        to_classify_responses(found)


def test_classify_answers_survive_the_way_through_a_file(pictured: Study, tmp_path: Path) -> None:
    ids = ('a"b', "c,d", "<e>", "été")
    with pictured.begin() as begun:
        write_pictures(tmp_path / "odd", n_images=4, prefix="o")
        rows = "".join(f'"{one.replace(chr(34), chr(34) * 2)}",{place},o{place}.png\n' for place, one in enumerate(ids))
        (tmp_path / "odd" / "odd.csv").write_text(f"image_id,label,file\n{rows}")
        add_test_set(begun, tmp_path / "odd" / "odd.csv", name="odd")
        plan = CampaignPlan("odd", Kind("classify"), 2)
        create_classify(begun, plan, ClassifyQuestions({one: [1, 5, 8] for one in ids}, test_set="odd", seed=0))
        entry = open_campaign(begun, "odd")
    for place, who in enumerate(add_people(pictured, entry, 2)):
        for one in take(pictured, entry, who, 5):
            chosen = {"selected": [8, 1][: place + 1], "main": 8}
            answer(pictured, NewAnswer(f"client-{one.id}", one.id, one.annotator_id, chosen, 2.5))
    with pictured.read() as reading:
        direct = to_classify_responses(load_answers(reading, "odd"))
        assert export_answers(reading, "odd", tmp_path / "odd.jsonl", with_names=True) == 8
    read = load_classify_responses([tmp_path / "odd.jsonl"], taxonomy=pictured.taxonomy)
    assert _describe(direct) == _describe(read.responses)


def _describe(found: ClassifyResponses) -> list[tuple[str, str, list[int], int]]:
    return sorted(
        (
            str(found.image_ids[found.response_images[row]]),
            str(found.annotator_ids[found.response_annotators[row]]),
            sorted(found.selected[found.starts[row] : found.starts[row + 1]].tolist()),
            int(found.main[row]),
        )
        for row in range(len(found.main))
    )


@pytest.mark.parametrize(("kind", "seed"), [(kind, seed) for kind in KINDS for seed in (11, 12)])
def test_columns_are_what_answers_read_one_by_one_give(pictured: Study, kind: Kind, seed: int) -> None:
    is_grid = kind == Kind("contains")
    campaign = add_contains(pictured, quota=3) if is_grid else add_classify(pictured, quota=3, n_images=8)
    crowd = make_crowd(pictured, campaign, seed=seed)
    for _ in range(60):
        crowd.step()
    for extra in ({}, {"with_surplus": True}, {"with_surplus": True, "with_dropped": True}):
        with pictured.read() as reading:
            found = load_answers(reading, campaign.name, **extra)
            read = read_answers(reading, campaign.name, **extra)
        assert len(found) == len(read.answers) > 5
        assert found.held.columns.ids.tolist() == [one.id for one in read.answers]
        if is_grid:
            assert list_columns(to_contains_responses(found)) == list_columns(build_grids(read))
        else:
            assert list_columns(to_classify_responses(found)) == list_columns(build_choices(read))


def list_columns(record: Any) -> dict[str, object]:
    """All columns of a record, and of those inside it."""
    columns = {field.name: getattr(record, field.name) for field in fields(record)}
    return {
        name: list_columns(column) if is_dataclass(column) else [str(cell) for cell in column.tolist()]
        for name, column in columns.items()
    }


def test_recent_answers_come_newest_first_with_their_campaign(pictured: Study) -> None:
    entry = add_contains(pictured)
    given = take(pictured, entry, add_people(pictured, entry, 1)[0], 3)
    for place, one in enumerate(given):
        answer(pictured, make_answer(one, f"{place:x}"))
    with pictured.read() as reading:
        recent = list_recent_answers(reading, limit=2)
    assert [(one.campaign, one.response.answer["mask"]) for one in recent] == [("grids", "2"), ("grids", "1")]
