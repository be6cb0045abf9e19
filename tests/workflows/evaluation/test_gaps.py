"""Gaps split inside a study: a drawn set tells its pool, others need to be told; and from records without a study."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.workflows.campaign_studies import LEASE, SHAPE, add_people, make_answer, take
from tests.workflows.campaign_studies import answer as post
from tests.workflows.pool_studies import CANDIDATES, CLASSES, PLAN, Pooled, make_pooled

import regauge
from regauge.errors import InputError
from regauge.formats.labels.frequencies import load_selection_counts
from regauge.records.campaigns.campaign import CampaignPlan, CampaignTexts, Kind
from regauge.records.evaluation.gaps import GapMethod, GapSettings
from regauge.records.labels.contains import ContainsSettings
from regauge.records.labels.frequencies import SelectionCounts
from regauge.records.studies import Selection
from regauge.records.testsets.pool import DrawAnnotators, DrawSources
from regauge.records.testsets.sampling import SamplingPlan, Strategy
from regauge.storage.testsets.test_set import get_test_set, load_test_set
from regauge.workflows.campaigns.openings import open_campaign
from regauge.workflows.demo.campaigns import ContainsQuestions, create_contains
from regauge.workflows.evaluation.gaps import FrequencySources, gap, study_gap
from regauge.workflows.inputs import TestSetAnswers
from regauge.workflows.labels.campaign_labels import build_labels
from regauge.workflows.labels.label_set import add_labels
from regauge.workflows.predictions import PredictionSource, add_predictions
from regauge.workflows.testsets.draws import draw_test_set
from regauge.workflows.testsets.test_set import add_test_set

QUICK = GapSettings((GapMethod.NAIVE, GapMethod.DECONVOLUTION), n_bootstrap=100)
OLD, NEW = Selection("original"), Selection("drawn")


def answer(pooled: Pooled, name: str, *, n_wrong: int) -> None:
    """A model that is wrong on the first images of a test set."""
    with pooled.study.begin() as begun:
        test_set = load_test_set(begun, get_test_set(begun, name))
        classes = test_set.labels.copy()
        classes[:n_wrong] = 9
        model = regauge.Predictions("model", test_set.image_ids, classes)
        add_predictions(begun, PredictionSource(model), test_set=name)


def add_frequencies(pooled: Pooled) -> None:
    """The counts as a label set, too."""
    counts = load_selection_counts(pooled.table)
    labels = regauge.LabelSet.from_lists("people", counts.image_ids, correct=[[0]] * len(counts.image_ids))
    with pooled.study.begin() as begun:
        add_labels(begun, regauge.Truth(label_sets=(labels,), frequencies=(counts,)))


@pytest.fixture
def pooled(tmp_path: Path) -> Iterator[Pooled]:
    with make_pooled(tmp_path) as made:
        yield made


def draw(pooled: Pooled, plan: SamplingPlan = PLAN) -> None:
    with pooled.study.begin() as begun:
        draw_test_set(begun, plan, name="drawn", sources=pooled.sources)
    answer(pooled, "original", n_wrong=4)
    answer(pooled, "drawn", n_wrong=5)


def test_a_drawn_set_tells_its_counts_its_pool_and_that_it_was_matched(pooled: Pooled) -> None:
    draw(pooled)
    with pooled.study.read() as begun:
        report = study_gap(begun, OLD, NEW, settings=QUICK)
    assert (report.original, report.new) == ("original", "drawn")
    assert report.n_pool == len(CLASSES) * len(CANDIDATES)
    found = report.get("model", "naive")
    assert found.gap.value == pytest.approx((1 - 4 / 40) - (1 - 5 / 20))
    assert (found.n_original, found.n_new) == (40, 20)
    assert found.gap.method == "bootstrap of images, matched"
    # Bins of 2, 2, 4, 4 and 8 make 1, 1, 2, 2 and 4: the naive method sees no difference to explain.
    assert found.selection.value == pytest.approx(0, abs=1e-6)


def test_a_set_of_the_best_is_not_matched_and_looks_better_than_it_is(pooled: Pooled) -> None:
    draw(pooled, SamplingPlan(Strategy.TOP_IMAGES))
    with pooled.study.read() as begun:
        report = study_gap(begun, OLD, NEW, settings=QUICK)
    assert report.get("model", "naive").gap.method == "bootstrap of images"
    found = report.frequencies[1]
    assert found.expected is not None
    assert found.observed.value > found.expected.value


def test_what_contradicts_the_draw_is_refused(pooled: Pooled) -> None:
    draw(pooled, SamplingPlan(Strategy.TOP_IMAGES))
    with pooled.study.read() as begun:
        with pytest.raises(InputError, match="drawn is named twice"):
            study_gap(begun, NEW, NEW, settings=QUICK)
        with pytest.raises(InputError, match="knows its candidates; leave tables of candidates out"):
            study_gap(begun, OLD, NEW, pool=["absent.csv"], settings=QUICK)
        with pytest.raises(InputError, match="leave `is_matched=True` out"):
            study_gap(begun, OLD, NEW, settings=replace(QUICK, is_matched=True))


def test_a_set_that_was_added_takes_frequencies_from_label_sets(pooled: Pooled, tmp_path: Path) -> None:
    ids = [f"c{index}-{number:02d}" for index in CLASSES for number in range(10)]
    rows = "".join(f"{one},{one[1]}\n" for one in ids)
    (tmp_path / "added.csv").write_text(f"image_id,label\n{rows}")
    with pooled.study.begin() as begun:
        add_test_set(begun, tmp_path / "added.csv", name="added")
    answer(pooled, "original", n_wrong=4)
    answer(pooled, "added", n_wrong=5)
    added = Selection("added")
    with pooled.study.read() as begun, pytest.raises(InputError, match="No label set has selection frequencies"):
        study_gap(begun, OLD, added, settings=QUICK)
    add_frequencies(pooled)
    with pooled.study.read() as begun:
        fresh = study_gap(begun, OLD, added, settings=QUICK)
        chosen = study_gap(begun, OLD, added, pool=[pooled.table], settings=QUICK)
    assert (fresh.n_pool, chosen.n_pool) == (None, len(CLASSES) * len(CANDIDATES))
    assert fresh.get("model", "naive").selection == chosen.get("model", "naive").selection
    assert any("taken for fresh ones" in note for note in fresh.notes)


def test_of_several_label_sets_the_counts_with_most_annotators_hold_as_in_a_draw(pooled: Pooled) -> None:
    draw(pooled)
    add_frequencies(pooled)
    ids = np.array([f"o{index}-{number:02d}" for index in CLASSES for number in range(20)])
    few = np.ones(ids.size, np.int64)
    counts = SelectionCounts(ids, np.arange(ids.size, dtype=np.int32), np.repeat(CLASSES, 20), few, 0 * few)
    labels = regauge.LabelSet.from_lists("wary", ids, correct=[[0]] * ids.size)
    with pooled.study.begin() as begun:
        add_labels(begun, regauge.Truth(label_sets=(labels,), frequencies=(counts,)))
    with pooled.study.read() as begun:
        alone, both = (
            study_gap(begun, Selection("original", names), NEW, settings=QUICK)
            for names in (("people",), ("people", "wary"))
        )
    assert both.frequencies[0].observed == alone.frequencies[0].observed


def test_an_original_that_was_chosen_by_its_votes_is_doubtful(pooled: Pooled) -> None:
    draw(pooled)
    with pooled.study.begin() as begun:
        draw_test_set(begun, SamplingPlan(Strategy.TOP_IMAGES), name="best", sources=pooled.sources)
    answer(pooled, "best", n_wrong=3)
    with pooled.study.read() as begun:
        right, doubtful = (study_gap(begun, one, Selection("best"), settings=QUICK).warnings for one in (OLD, NEW))
    assert not [one for one in right if "chose its images" in one]
    assert [one for one in doubtful if one.startswith("The votes on drawn chose its images")]


def test_named_label_sets_without_frequencies_are_refused_by_name(pooled: Pooled) -> None:
    draw(pooled)
    labels = regauge.LabelSet.from_lists("plain", np.array(["o0-00"]), correct=[[0]])
    with pooled.study.begin() as begun:
        add_labels(begun, regauge.Truth(label_sets=(labels,)))
    with pooled.study.read() as begun, pytest.raises(InputError, match="Nothing of plain holds selection frequencies"):
        study_gap(begun, Selection("original", ("plain",)), NEW, settings=QUICK)


def ask(pooled: Pooled) -> None:
    """Let twelve people who select at random see every candidate, and make labels of it."""
    study = pooled.study
    with study.begin() as begun:
        plan = CampaignPlan("grids", Kind("contains"), 12, LEASE, CampaignTexts("Look.", "Agree?"))
        create_contains(begun, plan, ContainsQuestions("batch", controls="batch", shape=SHAPE, seed=0))
        campaign = open_campaign(begun, "grids")
    rng = np.random.default_rng(5)
    for who in add_people(study, campaign, 12):
        while given := take(study, campaign, who, n=10):
            post(study, *(make_answer(one, f"{rng.integers(256):x}") for one in given))
    with study.begin() as begun:
        build_labels(begun, "grids", name="crowd", settings=ContainsSettings(rules=None))


def test_where_half_of_the_annotators_chose_the_others_report(tmp_path: Path) -> None:
    with make_pooled(tmp_path, with_files=True) as pooled:
        add_frequencies(pooled)
        ask(pooled)
        plan = SamplingPlan(Strategy.TOP_IMAGES, per_class=5, min_annotations=1)
        sources = DrawSources(frequencies=("crowd",), annotators=DrawAnnotators.FIRST_HALF)
        with pooled.study.begin() as begun:
            drawn = draw_test_set(begun, plan, name="drawn", sources=sources).draw
        answer(pooled, "original", n_wrong=4)
        answer(pooled, "drawn", n_wrong=5)
        with pooled.study.read() as begun:
            report = study_gap(begun, Selection("original", ("people", "crowd")), NEW, settings=QUICK)
    assert report.n_pool is None
    # Everybody selects half of what they see: the chosen look better to those who chose, not to the others.
    chosen = (drawn.n_selected / drawn.n_shown).mean()
    reported = report.frequencies[1].observed.value
    assert abs(reported - 0.5) < chosen - 0.5


def test_nobody_on_both_sets_is_refused(pooled: Pooled) -> None:
    with pooled.study.begin() as begun:
        draw_test_set(begun, PLAN, name="drawn", sources=pooled.sources)
        test_set = load_test_set(begun, get_test_set(begun, "drawn"))
        other = regauge.Predictions("other", test_set.image_ids, test_set.labels)
        add_predictions(begun, PredictionSource(other), test_set="drawn")
    answer(pooled, "original", n_wrong=4)
    with pooled.study.read() as begun, pytest.raises(InputError, match="No participant has predictions on both"):
        study_gap(begun, OLD, NEW, settings=QUICK)


def test_records_can_be_split_without_a_study(pooled: Pooled) -> None:
    counts = load_selection_counts(pooled.table)
    sides = []
    for prefix, n in (("o", 20), ("c", 12)):
        ids = [f"{prefix}{index}-{number:02d}" for index in CLASSES for number in range(n)]
        labels = np.repeat(CLASSES, n)
        model = regauge.Predictions("model", np.array(ids), np.where(np.arange(2 * n) % 4 == 0, 9, labels))
        sides.append(TestSetAnswers(model, regauge.TestSet(prefix, np.array(ids), labels)))
    report = gap(*sides, frequencies=FrequencySources([counts], [counts]), settings=QUICK)
    assert report.n_pool == len(CLASSES) * len(CANDIDATES)
    assert report.get("model", "naive").gap.value == pytest.approx(0)
