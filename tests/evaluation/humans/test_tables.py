"""Accuracies and gaps of people and models: the arithmetic, subsets, random classes, and who takes part."""

from __future__ import annotations

import numpy as np
import pytest
from tests.evaluation.humans.answers import (
    CLASSES,
    MODELS,
    PEOPLE,
    find_right,
    get_labels,
    get_predictions,
    keep,
    list_predictions,
    make_set,
    pick,
    run,
    stop_early,
)

from regauge.arrays import NO_CLASS
from regauge.errors import InputError, MissingImagesError
from regauge.evaluation.comparison import TANGO
from regauge.records.evaluation.humans.report import HumanReport
from regauge.records.evaluation.humans.tables import HUMAN_TABLES
from regauge.records.labels.label_set import LabelKind, LabelSet, Truth, Unlisted
from regauge.records.labels.verdicts import Verdict
from regauge.records.predictions import ParticipantKind, Predictions
from regauge.records.testsets.test_set import TestSet
from regauge.stats.intervals import clopper_pearson, newcombe
from regauge.stats.subsampling import class_subsampling
from regauge.workflows.evaluation.humans import humans
from regauge.workflows.evaluation.scoring import score
from regauge.workflows.inputs import TestSetAnswers

OLD, NEW = make_set("old", seed=1), make_set("new", seed=2, drop=0.1)


@pytest.fixture(scope="module")
def report() -> HumanReport:
    return run(OLD, NEW)


def test_everybody_is_in_the_same_tables_people_first_and_the_best_first(report: HumanReport):
    kinds = [one.kind for one in report.participants]
    assert kinds == [ParticipantKind.PERSON] * 3 + [ParticipantKind.MODEL] * 3
    accuracies = [find_right(OLD, one.name).mean() for one in report.participants]
    assert accuracies[:3] == sorted(accuracies[:3], reverse=True)
    assert accuracies[3:] == sorted(accuracies[3:], reverse=True)
    assert {name: list(frame.columns) for name, frame in report.tables.items()} == {
        name: list(columns) for name, columns in HUMAN_TABLES.items()
    }


def test_table_1_has_both_accuracies_and_newcombes_gap(report: HumanReport):
    for who in (*PEOPLE, *MODELS):
        row = pick(report, "gaps", participant=who, subset="all")
        k, k_new = (int(find_right(one, who).sum()) for one in (OLD, NEW))
        assert (row["original"], row["new"]) == (k / 80, k_new / 80)
        assert row["gap"] == pytest.approx((k - k_new) / 80)
        low, high = newcombe(k, 80, n_correct_b=k_new, n_b=80)
        assert (row["gap_low"], row["gap_high"]) == pytest.approx((float(low), float(high)))
        low, high = clopper_pearson(k, 80)
        assert (row["original_low"], row["original_high"]) == pytest.approx((float(low), float(high)))
    mean = pick(report, "gaps", participant="people", subset="all")
    assert mean["n_participants"] == 3
    assert mean["original"] == pytest.approx(np.mean([find_right(OLD, who).mean() for who in PEOPLE]))


def test_table_2_has_every_subset_with_its_images(report: HumanReport):
    labels = get_labels(OLD)
    dogs, objects = (labels >= 151) & (labels <= 268), labels >= 398
    subsets = {
        "all": labels >= 0,
        "without dogs": ~dogs,
        "objects": objects,
        "organisms": ~objects,
        "dogs": dogs,
        "other animals": ~objects & ~dogs,
    }
    named = list(dict.fromkeys(report.get_table("accuracies")["subset"]))
    assert named == [*subsets, "fast images", "fast images by others"]
    n_classes = {"without dogs": 882, "objects": 590, "organisms": 410, "dogs": 118, "other animals": 292, "all": None}
    for subset, images in subsets.items():
        for who in (*PEOPLE, *MODELS):
            row = pick(report, "accuracies", participant=who, test_set="old", subset=subset)
            right = find_right(OLD, who)
            assert (row["n"], row["n_correct"], row["n_classes"]) == (
                images.sum(),
                right[images].sum(),
                n_classes[subset],
            )
            if subset != "all":
                assert row["change"] == pytest.approx(right[images].mean() - right.mean())
                assert row["change_low"] <= row["change"] <= row["change_high"]


def test_p_of_random_classes_is_that_of_the_statistic(report: HumanReport):
    labels = get_labels(OLD)
    used = np.unique(labels)
    right = {who: np.array([find_right(OLD, who)[labels == one].sum() for one in used]) for who in (*PEOPLE, *MODELS)}
    order = [one.name for one in report.participants]
    kept = (used < 151) | (used > 268)
    found = class_subsampling(
        np.array([right[who] for who in order]),
        np.full((6, len(used)), 2),
        is_kept=kept,
        rng=np.random.default_rng(0),
        n_draws=200,
    )
    for who, p in zip(order, found.p, strict=True):
        row = pick(report, "accuracies", participant=who, test_set="old", subset="without dogs")
        assert row["p_subsampling"] == p
        assert row["n_draws"] == 200
    # People of this world find dogs hard, and models do not.
    assert pick(report, "accuracies", participant="people", test_set="old", subset="dogs")["p_subsampling"] == 1 / 201
    fast = report.get_table("accuracies").filter(subset="fast images")
    assert fast["p_subsampling"].null_count() == fast.height


def test_the_difference_of_gaps_is_a_person_s_less_a_model_s(report: HumanReport):
    frame = report.get_table("gap_differences")
    assert frame.height == 9
    for row in frame.to_dicts():
        gaps = [find_right(OLD, who).mean() - find_right(NEW, who).mean() for who in (row["person"], row["model"])]
        assert (row["gap_person"], row["gap_model"]) == pytest.approx(tuple(gaps))
        assert row["difference"] == pytest.approx(gaps[0] - gaps[1])
        assert row["difference_low"] < row["difference"] < row["difference_high"]


def test_an_empty_subset_is_a_row_without_a_value():
    images = get_labels(OLD) >= 398
    answers = [one.choose(np.flatnonzero(images)) for one in list_predictions(OLD)]
    truth = OLD.truth
    assert isinstance(truth, TestSet)
    only = TestSetAnswers(answers, TestSet("objects", truth.image_ids[images], truth.labels[images]))
    found = run(only, NEW)
    for who in ("ann", "large", "people"):
        row = pick(found, "accuracies", participant=who, test_set="objects", subset="dogs")
        assert row["n"] == 0
        assert {row[name] for name in ("value", "low", "high", "change", "p_subsampling")} == {None}
    assert pick(found, "gaps", participant="ann", subset="dogs")["gap"] is None
    missed = pick(found, "missed", test_set="objects", who="people", group="dogs")
    assert (missed["n"], missed["n_missed"], missed["share"], missed["expected"]) == (0, 0, None, None)


def test_fast_images_go_by_the_median_and_by_that_of_the_others(report: HumanReport):
    seconds = np.array([get_predictions(OLD, who).seconds for who in PEOPLE])
    fast = np.median(seconds, axis=0) <= 60
    row = pick(report, "accuracies", participant="large", test_set="old", subset="fast images")
    assert (row["n"], row["n_correct"]) == (fast.sum(), find_right(OLD, "large")[fast].sum())
    for place, who in enumerate(PEOPLE):
        others = np.median(np.delete(seconds, place, axis=0), axis=0) <= 60
        row = pick(report, "accuracies", participant=who, test_set="old", subset="fast images by others")
        assert (row["n"], row["n_correct"]) == (others.sum(), find_right(OLD, who)[others].sum())
    assert pick(report, "fast_images", test_set="old", rule="<= 60 s")["n_fast"] == fast.sum()


def test_sixty_seconds_are_fast_by_the_paper_and_not_by_its_code():
    person = Predictions("ann", ["a", "b", "c"], [0, 0, 0], seconds=[60, 59, 61], kind=ParticipantKind.PERSON)
    found = run(TestSetAnswers(person, TestSet("tiny", ["a", "b", "c"], [0, 0, 0])))
    rules = {row["rule"]: row["n_fast"] for row in found.get_table("fast_images").to_dicts()}
    assert rules == {"<= 60 s": 2, "< 60 s": 1}
    # Nobody else's seconds are known, so that there is no image that others were fast on.
    row = pick(found, "accuracies", participant="ann", subset="fast images by others")
    assert (row["n"], row["value"]) == (0, None)
    assert pick(run(OLD, fast_seconds=30), "fast_images", rule="< 30 s")["n"] == 80


def test_whoever_stops_early_is_scored_on_what_they_answered():
    found = run(stop_early(OLD, "bob", 30), NEW)
    row = pick(found, "accuracies", participant="bob", test_set="old", subset="all")
    assert (row["n"], row["n_correct"]) == (30, find_right(OLD, "bob")[:30].sum())
    assert pick(found, "accuracies", participant="ann", test_set="old", subset="all")["n"] == 80
    pairs = found.get_table("pairs").filter(test_set="old").to_dicts()
    assert {row["n"] for row in pairs if "bob" in (row["first"], row["second"])} == {30}
    assert {row["n"] for row in pairs if "bob" not in (row["first"], row["second"])} == {80}
    assert pick(found, "missed", test_set="old", who="people", group="all")["n"] == 30
    difference = pick(found, "gap_differences", person="bob", model="large")
    assert (difference["n_original"], difference["n_new"]) == (30, 80)
    assert any("bob answered 30 of 80 images of old" in note for note in found.notes)


def test_somebody_on_one_set_alone_has_no_gap():
    found = run(OLD, keep(NEW, ("ann", "large")))
    assert set(found.get_table("gaps")["participant"]) == {"ann", "large"}
    assert pick(found, "accuracies", participant="bob", test_set="old", subset="all")["n"] == 80
    assert found.get_table("accuracies").filter(participant="bob", test_set="new").height == 0


def test_models_are_judged_on_what_people_answered_unless_asked_otherwise():
    some = OLD
    for who in PEOPLE:
        some = stop_early(some, who, 50)
    found = run(some)
    assert pick(found, "accuracies", participant="large", subset="all")["n"] == 50
    assert any("30 images left out: no person answered them" in note for note in found.notes)
    whole = run(some, all_images=True)
    assert pick(whole, "accuracies", participant="large", subset="all")["n"] == 80
    assert pick(whole, "accuracies", participant="ann", subset="all")["n"] == 50


def test_a_model_must_not_lack_images_and_people_may():
    with pytest.raises(MissingImagesError, match="large has no prediction for 20 of 80 images"):
        run(stop_early(OLD, "large", 60))
    found = run(stop_early(OLD, "large", 60), allow_missing=True)
    assert pick(found, "accuracies", participant="large", subset="all")["n"] == 60


def test_people_are_named_by_their_files_or_by_globs():
    unnamed = TestSetAnswers(
        [Predictions(one.participant, one.image_ids, one.classes) for one in list_predictions(OLD)], OLD.truth
    )
    assert run(unnamed).people == ()
    assert sorted(run(unnamed, person=("a*", "bob")).people) == ["ann", "bob"]
    with pytest.raises(InputError, match="No participant matches 'zoe', so it names no person; there are: "):
        run(unnamed, person="zoe")
    with pytest.raises(InputError, match="ann is a person on one test set and a model on another"):
        run(OLD, TestSetAnswers([*list_predictions(unnamed)[:1]], OLD.truth, name="new"))


def test_models_alone_and_people_alone_have_their_tables():
    models = run(keep(OLD, MODELS), keep(NEW, MODELS))
    assert set(models.get_table("missed")["who"]) == {"models"}
    for name in ("gap_differences", "seconds", "fast_images", "accuracy_by_seconds"):
        assert models.get_table(name).height == 0
    assert list(models.get_table("accuracies").filter(n_participants=3)["participant"].unique()) == ["models"]
    people = run(keep(OLD, PEOPLE), keep(NEW, PEOPLE))
    assert set(people.get_table("missed")["who"]) == {"people"}
    one = run(keep(OLD, ("ann",)))
    assert one.get_table("pairs").height == one.get_table("consistency").height == 0


def test_images_of_both_sets_count_once():
    same = TestSetAnswers(OLD.predictions, OLD.truth, name="again")
    found = run(OLD, same, shared="ids")
    row = pick(found, "gaps", participant="ann", subset="all")
    assert (row["gap"], row["gap_low"], row["gap_high"]) == (0, 0, 0)
    assert row["gap_interval"] == "newcombe, shared images once"
    difference = pick(found, "gap_differences", person="ann", model="large")
    assert (difference["difference_low"], difference["difference_high"]) == (0, 0)
    assert any("share 80 images" in note for note in found.notes)
    apart = pick(run(OLD, same), "gaps", participant="ann", subset="all")
    assert apart["gap_low"] < 0 < apart["gap_high"]


def make_verdicts(answers: TestSetAnswers, *, unlisted: Unlisted = Unlisted.UNJUDGED) -> Truth:
    """The dataset label is correct on even rows and unclear on odd ones; of other classes nothing is known."""
    truth = answers.truth
    assert isinstance(truth, TestSet)
    n = len(truth)
    verdicts = np.where(np.arange(n) % 2 == 0, Verdict.CORRECT, Verdict.UNCLEAR)
    labels = LabelSet(
        name="reviewed",
        image_ids=truth.image_ids,
        starts=np.arange(n + 1),
        classes=truth.labels,
        verdicts=verdicts,
        kind=LabelKind.MULTILABEL,
        unlisted=unlisted,
        is_problematic=np.zeros(n, np.bool_),
        main_labels=np.full(n, NO_CLASS, np.int32),
    )
    return Truth(truth, (labels,))


def test_strict_multi_label_accuracy_leads_where_there_are_verdicts():
    sets = [TestSetAnswers(one.predictions, make_verdicts(one)) for one in (OLD, NEW)]
    found = run(*sets)
    assert found.metrics == ("multilabel_strict", "multilabel_lenient")
    strict = pick(found, "accuracies", participant="ann", test_set="old", subset="all", metric="multilabel_strict")
    right = find_right(OLD, "ann")
    assert strict["n_correct"] == right[::2].sum()
    assert strict["n_unjudged"] == (~right).sum()
    assert strict["upper_bound"] == pytest.approx((right[::2].sum() + (~right).sum()) / 80)
    lenient = pick(found, "accuracies", participant="ann", test_set="old", subset="all", metric="multilabel_lenient")
    assert lenient["n_correct"] == right.sum()
    assert set(found.get_table("pairs")["metric"]) == {"multilabel_strict"}
    assert any("predictions are unjudged under multilabel_strict" in warning for warning in found.warnings)
    assert run(*sets, metric="top1").metrics == ("top1",)


def test_pairs_with_unjudged_predictions_are_those_of_a_comparison_by_name():
    answers = TestSetAnswers(OLD.predictions, make_verdicts(OLD))
    found = run(answers).get_table("pairs")
    for against in ("ann", "small"):
        scores = score(list_predictions(OLD), make_verdicts(OLD), against=against)
        for row in scores.frame.filter(metric="multilabel_strict", subset="all").to_dicts():
            if row["participant"] == against:
                continue
            pair = next(
                one for one in found.to_dicts() if {one["first"], one["second"]} == {row["participant"], against}
            )
            assert pair["p_mcnemar"] == pytest.approx(row["p_mcnemar"])
            sign = 1 if pair["second"] == against else -1
            assert pair["difference"] == pytest.approx(sign * row["difference"])
            ends = sorted(sign * row[f"difference_{end}"] for end in ("low", "high"))
            assert [pair["difference_low"], pair["difference_high"]] == pytest.approx(ends)
            assert pair["difference_interval"] == f"{TANGO} (outer)"


def test_a_metric_that_a_truth_does_not_allow_is_refused():
    with pytest.raises(InputError, match="For real there is nothing in the truth of old; it allows: top1"):
        run(OLD, metric="real")
    with pytest.raises(InputError, match="a plain one such as top1, not top1_balanced"):
        run(OLD, metric="top1_balanced")
    with pytest.raises(InputError, match="ann gives too few answers for top5 on old"):
        run(OLD, metric="top5")


def test_groupings_are_those_of_the_taxonomy():
    with pytest.raises(
        InputError, match="no grouping of classes 'colour'; there are: superclass, object-organism, dogs"
    ):
        run(OLD, by="colour")
    with pytest.raises(InputError, match="groupings come with a taxonomy"):
        humans(OLD, by="dogs")
    plain = humans(OLD, n_bootstrap=100)
    assert list(plain.get_table("accuracies")["subset"].unique(maintain_order=True)) == [
        "all",
        "fast images",
        "fast images by others",
    ]


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"fast_seconds": 0}, "a number above 0, not 0"),
        ({"n_draws": 0}, "drawn 1 to 100,000 times, not 0"),
        ({"n_bootstrap": 3}, "100 to 1,000,000 samples, not 3"),
        ({"level": 1.5}, "strictly between 0 and 1"),
        ({"seed": -1}, "A seed is a whole number"),
        ({"shared": "looks"}, "one of digests, ids"),
    ],
)
def test_settings_that_mean_nothing_are_refused(keywords: dict[str, object], message: str):
    with pytest.raises(InputError, match=message):
        run(OLD, **keywords)


def test_the_same_seed_gives_the_same_tables():
    first, second, other = run(OLD, NEW, seed=3), run(OLD, NEW, seed=3), run(OLD, NEW, seed=4)
    assert all(first.get_table(name).equals(second.get_table(name)) for name in HUMAN_TABLES)
    assert not first.get_table("consistency").equals(other.get_table("consistency"))


def test_a_table_that_does_not_exist_is_refused(report: HumanReport):
    with pytest.raises(InputError, match="There is no table 'scores'; there are: accuracies, gaps"):
        report.get_table("scores")


def test_answers_that_stand_worst_first_are_warned_of():
    labels = np.repeat(CLASSES, 3)
    ids = [f"image{row}" for row in range(len(labels))]
    ranked = np.stack([(labels + step) % 1_000 for step in (4, 3, 2, 1, 0)], axis=1)
    truth = TestSet("old", ids, labels)
    found = run(TestSetAnswers(Predictions("backward", ids, ranked), truth))
    assert [warning.partition(":")[0] for warning in found.warnings] == ["On old, backward"]
    assert not run(TestSetAnswers(Predictions("forward", ids, ranked[:, ::-1]), truth)).warnings
