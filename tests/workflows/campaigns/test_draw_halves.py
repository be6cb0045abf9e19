"""One half of the annotators chooses, the other reports: counts by half, and what a draw makes of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.workflows.campaign_studies import LEASE, SHAPE, add_people, answer, make_answer, take
from tests.workflows.pool_studies import Pooled, make_pooled

from regauge.errors import InputError
from regauge.records.campaigns.campaign import CampaignPlan, CampaignTexts, Kind
from regauge.records.labels.contains import ContainsSettings
from regauge.records.labels.frequencies import SelectionCounts
from regauge.records.testsets.pool import DrawAnnotators, DrawSources
from regauge.records.testsets.sampling import SamplingPlan, Strategy
from regauge.storage.labels.evidence import find_frequencies
from regauge.storage.labels.label_set import get_label_set
from regauge.workflows.campaigns.openings import open_campaign
from regauge.workflows.campaigns.responses import load_half
from regauge.workflows.demo.campaigns import ContainsQuestions, create_contains
from regauge.workflows.labels.campaign_labels import build_labels
from regauge.workflows.testsets.draw_descriptions import describe_draw
from regauge.workflows.testsets.draws import draw_test_set

N_PEOPLE = 12
PLAN = SamplingPlan(Strategy.TOP_IMAGES, per_class=5, min_annotations=1)


@pytest.fixture
def asked(tmp_path: Path, database: str) -> Iterator[Pooled]:
    """Twelve people who select at random have seen every candidate."""
    with make_pooled(tmp_path, database=database, with_files=True) as pooled:
        study = pooled.study
        with study.begin() as begun:
            plan = CampaignPlan("grids", Kind("contains"), N_PEOPLE, LEASE, CampaignTexts("Look.", "Agree?"))
            create_contains(begun, plan, ContainsQuestions("batch", controls="batch", shape=SHAPE, seed=0))
            campaign = open_campaign(begun, "grids")
        rng = np.random.default_rng(5)
        for who in add_people(study, campaign, N_PEOPLE):
            while given := take(study, campaign, who, n=10):
                answer(study, *(make_answer(one, f"{rng.integers(256):x}") for one in given))
        with study.begin() as begun:
            build_labels(begun, "grids", name="crowd", settings=ContainsSettings(rules=None))
        yield pooled


def load_counts(pooled: Pooled) -> tuple[SelectionCounts, SelectionCounts, SelectionCounts]:
    with pooled.study.read() as reading:
        entry = get_label_set(reading, "crowd")
        known = find_frequencies(reading, entry)
        assert known is not None
        halves = [load_half(reading, entry, known, half=half) for half in list(DrawAnnotators)[1:]]
    return known, halves[0], halves[1]


def test_the_two_halves_add_up_to_all_and_share_nobody(asked: Pooled) -> None:
    known, first, second = load_counts(asked)
    assert set(first.image_ids.tolist()) == set(second.image_ids.tolist()) == set(known.image_ids.tolist())
    of = {
        (str(known.image_ids[image]), index): (shown, selected)
        for image, index, shown, selected in zip(
            known.images.tolist(),
            known.classes.tolist(),
            known.n_shown.tolist(),
            known.n_selected.tolist(),
            strict=True,
        )
    }
    for place in range(len(first)):
        pair = str(first.image_ids[first.images[place]]), int(first.classes[place])
        both = (
            int(first.n_shown[place] + second.n_shown[place]),
            int(first.n_selected[place] + second.n_selected[place]),
        )
        assert of[pair] == both
    # Whoever is in a half is so for every pair.
    assert len(set(first.n_shown.tolist())) == 1


def test_one_half_chooses_and_the_other_reports_less(asked: Pooled) -> None:
    sources = DrawSources(frequencies=("crowd",), annotators=DrawAnnotators.FIRST_HALF)
    _, first, _ = load_counts(asked)
    with asked.study.begin() as begun:
        made = draw_test_set(begun, PLAN, name="drawn", sources=sources)
        found = describe_draw(begun, "drawn")
    assert made.sources.annotators is DrawAnnotators.FIRST_HALF
    assert set(made.draw.n_shown.tolist()) == set(first.n_shown.tolist())
    assert found.reported is not None
    assert found.reported.n == 10
    # Everybody selects half of what they see, so whatever looks better was chosen for it.
    assert found.frequency.value is not None
    assert found.reported.value is not None
    assert found.frequency.value > 0.6
    assert abs(found.reported.value - 0.5) < found.frequency.value - 0.5


def test_nothing_is_reported_apart_where_everybody_chose(asked: Pooled) -> None:
    with asked.study.begin() as begun:
        draw_test_set(begun, PLAN, name="drawn", sources=DrawSources(frequencies=("crowd",)))
        assert describe_draw(begun, "drawn").reported is None


def test_counts_whose_annotators_are_not_known_cannot_be_halved(asked: Pooled) -> None:
    sources = replace(asked.sources, annotators=DrawAnnotators.FIRST_HALF)
    with asked.study.begin() as begun, pytest.raises(InputError, match="does not say who selected what"):
        draw_test_set(begun, PLAN, name="drawn", sources=sources)


def test_each_half_is_the_others_other() -> None:
    assert [one.others for one in DrawAnnotators] == [
        DrawAnnotators.ALL,
        DrawAnnotators.SECOND_HALF,
        DrawAnnotators.FIRST_HALF,
    ]
