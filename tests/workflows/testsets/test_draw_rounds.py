"""Draws by the votes of a campaign that asked more people only where a decision was open, on both databases."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from tests.storage.small_studies import NOW
from tests.workflows.answer_rows import read_answers
from tests.workflows.campaign_studies import LEASE, SHAPE, add_people, answer, make_answer, take
from tests.workflows.pool_studies import CLASSES, Pooled, make_pooled

import regauge
from regauge.campaigns.adaptive import settle_votes
from regauge.errors import InputError
from regauge.formats.labels.frequencies import load_selection_counts
from regauge.records.campaigns.campaign import CampaignPlan, CampaignTexts, Kind
from regauge.records.campaigns.redundancy import RedundancyRule
from regauge.records.evaluation.gaps import GapSettings
from regauge.records.evaluation.shifts import ShiftSettings
from regauge.records.labels.contains import ContainsSettings
from regauge.records.labels.frequencies import SelectionCounts
from regauge.records.responses.answers import Control
from regauge.records.studies import Selection
from regauge.records.testsets.pool import DrawAnnotators, DrawSources, Exclusion, ExclusionRule
from regauge.records.testsets.sampling import SamplingPlan, Strategy
from regauge.storage.labels.evidence import find_frequencies
from regauge.storage.labels.label_set import get_label_set
from regauge.storage.testsets.pool import insert_exclusions
from regauge.storage.testsets.test_set import get_test_set, load_test_set
from regauge.workflows.campaigns.openings import open_campaign
from regauge.workflows.campaigns.rounds import decide_campaign, extend_campaign
from regauge.workflows.demo.campaigns import ContainsQuestions, create_contains
from regauge.workflows.evaluation.evaluations import measure_strategies
from regauge.workflows.evaluation.gaps import study_gap
from regauge.workflows.labels.campaign_labels import build_labels
from regauge.workflows.labels.label_set import add_labels
from regauge.workflows.predictions import PredictionSource, add_predictions
from regauge.workflows.studies.study import Study
from regauge.workflows.testsets.draw_descriptions import describe_draw, get_draw, load_drawn
from regauge.workflows.testsets.draw_inputs import load_inputs
from regauge.workflows.testsets.draws import draw_test_set

N_FIRST, N_MOST = 3, 9
PLAN = SamplingPlan(Strategy.THRESHOLD, per_class=3, min_annotations=1)
RULE = RedundancyRule(PLAN, max_annotators=N_MOST)


def later(study: Study, hours: int) -> Study:
    return replace(study, around=replace(study.around, clock=lambda: NOW + timedelta(hours=hours)))


def work(study: Study, n_people: int) -> None:
    """New people answer all that there is; the higher the number of a picture, the more of them select it."""
    with study.read() as reading:
        found = read_answers(reading, "grids")
    for who in add_people(study, found.campaign, n_people):
        while given := take(study, found.campaign, who, n=10):
            for one in given:
                rng = np.random.default_rng([who.annotator.id, one.payload["cells"][0][0]])
                mask = 0
                for cell, (number, control) in enumerate(one.payload["cells"]):
                    share = int(found.image_ids[number][-2:]) / 38
                    is_in = rng.random() < share if control == Control.NONE else control == Control.POSITIVE
                    mask |= int(is_in) << cell
                answer(study, make_answer(one, f"{mask:x}"))


@pytest.fixture
def extended(tmp_path: Path, database: str) -> Iterator[Pooled]:
    with make_extended(tmp_path, database) as pooled:
        yield pooled


@contextmanager
def make_extended(folder: Path, database: str = "") -> Iterator[Pooled]:
    """Labels of the first round, `crowd@1`, and of all, `crowd@2`; more people were asked where the threshold was near."""
    with make_pooled(folder, database=database, with_files=True) as pooled:
        study = pooled.study
        with study.begin() as begun:
            plan = CampaignPlan("grids", Kind("contains"), N_FIRST, LEASE, CampaignTexts("Look.", "Agree?"))
            create_contains(begun, plan, ContainsQuestions("batch", controls="batch", shape=SHAPE, seed=0))
            open_campaign(begun, "grids")
        work(study, N_FIRST)
        with study.begin() as begun:
            build_labels(begun, "grids", name="crowd", settings=ContainsSettings(rules=None))
        with later(study, 1).begin() as begun:
            assert extend_campaign(begun, "grids", RULE, seed=0).n_tasks
        work(later(study, 1), N_FIRST)
        with later(study, 2).begin() as begun:
            build_labels(begun, "grids", name="crowd", settings=ContainsSettings(rules=None))
        yield pooled


def read_counts(study: Study, name: str) -> SelectionCounts:
    found = find_frequencies(study, get_label_set(study, name))
    assert found is not None
    return found


def list_votes(counts: SelectionCounts) -> dict[tuple[str, int], tuple[int, int]]:
    ids = counts.image_ids[counts.images].tolist()
    votes = zip(counts.n_shown.tolist(), counts.n_selected.tolist(), strict=True)
    return dict(zip(zip(ids, counts.classes.tolist(), strict=True), votes, strict=True))


def test_a_draw_takes_what_was_decided_and_says_so(extended: Pooled) -> None:
    with later(extended.study, 3).begin() as begun:
        made = draw_test_set(begun, PLAN, name="drawn", sources=DrawSources(), allow_short=True)
        inputs = load_inputs(begun, PLAN, sources=DrawSources())
        decided = list_votes(settle_votes(decide_campaign(begun, "grids", RULE)))
        raw = list_votes(read_counts(begun, "crowd"))
        assert describe_draw(begun, "drawn").is_settled
    candidates = inputs.candidates
    ids = zip(candidates.image_ids.tolist(), candidates.classes.tolist(), strict=True)
    votes = zip(candidates.n_shown.tolist(), candidates.n_selected.tolist(), strict=True)
    found = dict(zip(ids, votes, strict=True))
    assert found == decided != raw
    assert {n for n, _ in found.values()} == {N_MOST}
    assert len({n for n, _ in raw.values()}) > 1
    assert made.sources.frequencies == ("crowd@2",)
    assert "count as decided for threshold, as if 9 people had seen each" in made.notes[0]


def test_labels_of_before_keep_their_votes_whatever_was_asked_later(extended: Pooled) -> None:
    sources = DrawSources(frequencies=("crowd@1",))
    with later(extended.study, 3).begin() as begun:
        made = draw_test_set(begun, PLAN, name="drawn", sources=sources, allow_short=True)
        assert get_draw(begun, "drawn").sources.frequencies == ("crowd@1",)
        assert not describe_draw(begun, "drawn").is_settled
    assert set(made.draw.n_shown.tolist()) == {N_FIRST}
    assert made.notes == ()


def test_keywords_look_at_no_decision(extended: Pooled) -> None:
    plan = SamplingPlan(Strategy.KEYWORDS, per_class=3, min_annotations=N_FIRST)
    keywords = tuple((index, "one", 1) for index in CLASSES)
    with later(extended.study, 3).begin() as begun:
        made = draw_test_set(begun, plan, name="drawn", sources=DrawSources(keywords=keywords))
    assert len(made.draw) == 6
    assert made.notes == ()


def test_neither_half_of_such_annotators_chooses(extended: Pooled) -> None:
    sources = DrawSources(annotators=DrawAnnotators.FIRST_HALF)
    with (
        later(extended.study, 3).begin() as begun,
        pytest.raises(InputError, match="grids asked more people only where a decision was open, so neither half"),
    ):
        draw_test_set(begun, PLAN, name="drawn", sources=sources, allow_short=True)


def test_nobody_is_asked_again_about_what_was_excluded_since(extended: Pooled) -> None:
    with later(extended.study, 3).begin() as begun:
        before = extend_campaign(begun, "grids", RULE, is_trial=True, seed=0)
        decisions = decide_campaign(begun, "grids", RULE)
        counts = decisions.counts
        gone = str(counts.image_ids[counts.images[decisions.is_open]][0])
        pool = get_test_set(begun, "batch")
        insert_exclusions(begun, pool, [Exclusion(gone, ExclusionRule.REVIEW, is_excluded=True, reason="wrong")])
        after = extend_campaign(begun, "grids", RULE, is_trial=True, seed=0)
    assert (before.n_excluded, after.n_excluded) == (0, 1)
    assert after.n_asked + after.n_pending == before.n_asked + before.n_pending - 1


def test_several_sets_are_compared_by_votes_as_they_were_given_and_this_is_said(extended: Pooled) -> None:
    names = ("original", "one", "two")
    with later(extended.study, 3).begin() as begun:
        for name, seed in zip(names[1:], (1, 2), strict=True):
            draw_test_set(begun, replace(PLAN, seed=seed), name=name, sources=DrawSources(), allow_short=True)
        for name in names:
            test_set = load_test_set(begun, get_test_set(begun, name))
            for model in ("first", "second"):
                answers = regauge.Predictions(model, test_set.image_ids, np.roll(test_set.labels, 1))
                add_predictions(begun, PredictionSource(answers), test_set=name)
        old, *new = map(Selection, names)
        found = measure_strategies(begun, old, new, settings=ShiftSettings(n_bootstrap=100)).found
    (note,) = [one for one in found.notes if "votes as given" in one]
    assert note.startswith("More people were asked about one, two where a decision was open")


def test_a_gap_takes_votes_as_they_were_given_and_says_so(extended: Pooled) -> None:
    originals = load_selection_counts(extended.table)
    labels = regauge.LabelSet.from_lists("people", originals.image_ids, correct=[[0]] * len(originals.image_ids))
    with later(extended.study, 3).begin() as begun:
        draw_test_set(begun, PLAN, name="drawn", sources=DrawSources(), allow_short=True)
        add_labels(begun, regauge.Truth(label_sets=(labels,), frequencies=(originals,)))
        for name in ("original", "drawn"):
            test_set = load_test_set(begun, get_test_set(begun, name))
            model = regauge.Predictions("model", test_set.image_ids, np.roll(test_set.labels, 1))
            add_predictions(begun, PredictionSource(model), test_set=name)
        drawn = load_drawn(begun, "drawn")
        raw = list_votes(read_counts(begun, "crowd"))
        old, new = Selection("original", labels=("people",)), Selection("drawn")
        report = study_gap(begun, old, new, settings=GapSettings(n_bootstrap=100))
    given = [raw[pair] for pair in zip(drawn.image_ids.tolist(), drawn.classes.tolist(), strict=True)]
    assert report.frequencies[1].observed.value == pytest.approx(np.mean([k / n for n, k in given]))
    assert report.n_pool == len(raw)
    assert "More people were asked about drawn where a decision was open" in report.notes[-1]
