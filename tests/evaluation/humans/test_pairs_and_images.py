"""All pairs, images that all miss, error consistency and seconds, each against a plain loop."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import binomtest
from tests.evaluation.humans.answers import (
    MODELS,
    PEOPLE,
    find_right,
    get_labels,
    get_predictions,
    make_set,
    pick,
    run,
    stop_early,
)

from regauge.errors import InputError
from regauge.records.evaluation.humans.report import HumanReport
from regauge.stats.agreement.cohen import cohen_kappa
from regauge.stats.multiplicity import holm

OLD, NEW = make_set("old", seed=1), make_set("new", seed=2, drop=0.1)
EVERYBODY = (*PEOPLE, *MODELS)


@pytest.fixture(scope="module")
def report() -> HumanReport:
    return run(OLD, NEW)


def test_every_pair_is_tested_once_on_every_set_the_better_one_first(report: HumanReport):
    frame = report.get_table("pairs")
    assert frame.height == 2 * 15
    for row in frame.to_dicts():
        answers = OLD if row["test_set"] == "old" else NEW
        first, second = (find_right(answers, row[side]) for side in ("first", "second"))
        b, c = int((first & ~second).sum()), int((second & ~first).sum())
        assert (row["n"], row["n_only_first"], row["n_only_second"]) == (80, b, c)
        assert b >= c
        assert row["difference"] == pytest.approx((b - c) / 80)
        assert row["p_mcnemar"] == pytest.approx(binomtest(c, b + c).pvalue if b + c else 1.0)


def test_holm_is_over_all_pairs_of_the_family_on_both_sets(report: HumanReport):
    frame = report.get_table("pairs")
    np.testing.assert_allclose(frame["p_holm"], holm(frame["p_mcnemar"].to_numpy()))
    few = run(OLD, NEW, pairs=("ann", "large", "small")).get_table("pairs")
    assert few.height == 2 * 3
    assert set(few["first"]) | set(few["second"]) == {"ann", "large", "small"}
    np.testing.assert_allclose(few["p_holm"], holm(few["p_mcnemar"].to_numpy()))


def test_a_family_of_one_is_refused():
    with pytest.raises(
        InputError, match=r"needs at least two participants, and ann matches ann alone; name more of them"
    ):
        run(OLD, pairs="ann")
    with pytest.raises(InputError, match="No participant matches 'zoe'; there are: "):
        run(OLD, pairs=("ann", "zoe"))


def test_images_that_all_miss_are_counted_by_group(report: HumanReport):
    labels = get_labels(NEW)
    groups = {"all": labels >= 0, "dogs": (labels >= 151) & (labels <= 268), "objects": labels >= 398}
    whom = {"people": PEOPLE, "models": MODELS, "everybody": EVERYBODY}
    for who, names in whom.items():
        wrong = np.array([~find_right(NEW, name) for name in names])
        for group, images in groups.items():
            row = pick(report, "missed", test_set="new", who=who, group=group)
            assert (row["n"], row["n_missed"]) == (images.sum(), wrong[:, images].all(axis=0).sum())
            assert row["share"] == row["n_missed"] / row["n"]
            rates = wrong[:, images].mean(axis=1)
            assert row["expected"] == pytest.approx(images.sum() * rates.prod())
            assert row["expected_low"] <= row["expected"] <= row["expected_high"]
        listed = report.get_table("missed_images").filter(test_set="new", who=who)["image_id"]
        assert list(listed) == [f"new{row}" for row in np.flatnonzero(wrong.all(axis=0))]
    people, models, both = (
        pick(report, "missed", test_set="new", who=who, group="all") for who in ("people", "models", "everybody")
    )
    assert both["expected_apart"] == pytest.approx(people["n_missed"] * models["n_missed"] / 80)
    assert people["expected_apart"] is None


def test_consistency_is_kappa_of_every_pair(report: HumanReport):
    frame = report.get_table("consistency").filter(test_set="old")
    assert frame.height == 15
    for one, other in combinations(EVERYBODY, 2):
        row = next(row for row in frame.to_dicts() if {row["first"], row["second"]} == {one, other})
        expected = cohen_kappa(find_right(OLD, one), find_right(OLD, other)).kappa[0]
        assert row["kappa"] == pytest.approx(expected)
        assert row["kappa_low"] <= row["kappa"] <= row["kappa_high"]
        assert sum(row[name] for name in ("n_both_right", "n_only_first", "n_only_second", "n_both_wrong")) == row["n"]
    mean = pick(report, "mean_consistency", test_set="old", first_kind="person", second_kind="model")
    between = frame.filter(first_kind="person", second_kind="model")["kappa"]
    assert mean["n_pairs"] == 9
    assert mean["kappa"] == pytest.approx(between.mean())


def test_consistency_with_somebody_who_stopped_is_on_shared_images():
    found = run(stop_early(OLD, "bob", 30)).get_table("consistency").to_dicts()
    row = next(row for row in found if {row["first"], row["second"]} == {"bob", "large"})
    assert row["n"] == 30
    expected = cohen_kappa(find_right(OLD, "bob")[:30], find_right(OLD, "large")[:30]).kappa[0]
    assert row["kappa"] == pytest.approx(expected)


def test_seconds_have_a_median_and_hours_by_both_clocks(report: HumanReport):
    for clock, factor in (("seconds", 1), ("active_seconds", 2)):
        everything = []
        for who in PEOPLE:
            both = [get_predictions(one, who).seconds for one in (OLD, NEW)]
            seconds = np.concatenate([one for one in both if one is not None]) / factor
            everything.append(seconds)
            row = pick(report, "seconds", participant=who, clock=clock)
            assert (row["n"], row["n_unknown"]) == (160, 0)
            assert row["median"] == pytest.approx(np.median(seconds), rel=1e-6)
            assert row["hours"] == pytest.approx(seconds.sum() / 3_600, rel=1e-6)
            assert row["median_low"] < row["median"] < row["median_high"]
        people = pick(report, "seconds", participant="people", clock=clock)
        assert people["median"] == pytest.approx(np.median(np.concatenate(everything)), rel=1e-6)
        assert people["hours"] == pytest.approx(np.median([one.sum() for one in everything]) / 3_600, rel=1e-6)


def test_accuracy_by_seconds_has_every_answer_in_one_bin(report: HumanReport):
    frame = report.get_table("accuracy_by_seconds")
    for who in PEOPLE:
        rows = frame.filter(participant=who).to_dicts()
        assert sum(row["n"] for row in rows) == 160
        first = next(row for row in rows if row["from_seconds"] == 0)
        n = k = 0
        for answers in (OLD, NEW):
            seconds = get_predictions(answers, who).seconds
            assert seconds is not None
            n += int((seconds < 10).sum())
            k += int(find_right(answers, who)[seconds < 10].sum())
        assert (first["n"], first["n_correct"], first["to_seconds"]) == (n, k, 10)
    for mean in ("people", "models"):
        assert frame.filter(participant=mean)["n"].sum() == 160


def test_a_bin_without_answers_has_no_value():
    answers = make_set("old", seed=1)
    frame = run(answers).get_table("accuracy_by_seconds")
    empty = frame.filter(n=0)
    assert empty.height
    assert empty["value"].null_count() == empty["low"].null_count() == empty["interval"].null_count() == empty.height


def test_the_line_of_the_figure_goes_through_the_models_alone(report: HumanReport):
    assert list(report.shifts) == ["all", "objects"]
    for shift in report.shifts.values():
        assert shift.people == set(PEOPLE)
        assert set(shift.fits[0].models) == set(MODELS)
    objects = report.shifts["objects"].get_model("ann").original
    assert objects.n == 40
