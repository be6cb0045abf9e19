"""One participant against another: against every way the unjudged could turn out, properties, and worked numbers."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from statistics import fmean
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regauge.evaluation.scoring import score_participants
from regauge.evaluation.subsets import Subset
from regauge.evaluation.targets import line_up
from regauge.records.evaluation.scores import COMPARISON_COLUMNS, Scores, ScoreSettings
from regauge.records.labels.label_set import LabelSet, Truth
from regauge.records.labels.verdicts import Verdict
from regauge.records.predictions import Predictions
from regauge.records.testsets.test_set import TestSet
from regauge.stats.paired import tango

seeds = st.integers(0, 2**32 - 1)
QUICK = ScoreSettings(allow_missing=True, n_bootstrap=100)


@dataclass
class Duel:
    """Two participants with one answer per image, and a review that has not judged everything."""

    labels: dict[str, int]
    verdicts: dict[str, dict[int, Verdict]]
    problematic: set[str]
    first: dict[str, int]
    second: dict[str, int]


def make_duel(seed: int) -> Duel:
    rnd = random.Random(seed)  # noqa: S311 - nothing here is secret
    images = [f"image {number}" for number in range(rnd.randint(1, 9))]
    share = rnd.choice([0.3, 0.6, 0.9])
    verdicts = {
        image: {index: rnd.choice(list(Verdict)) for index in range(3) if rnd.random() < share} for image in images
    }
    verdicts[images[0]] = {0: Verdict.CORRECT}
    answers = [{image: rnd.randrange(3) for image in images if rnd.random() < 0.9} for _ in range(2)]
    for one in answers:
        one.setdefault(images[0], rnd.randrange(3))
    return Duel(
        labels={image: rnd.randrange(3) for image in images},
        verdicts=verdicts,
        problematic={image for image in images[1:] if rnd.random() < 0.15},
        first=answers[0],
        second=answers[1],
    )


def predict(name: str, answers: Mapping[str, int]) -> Predictions:
    return Predictions(name, np.array(list(answers)), np.array(list(answers.values()), np.int32))


def fight(duel: Duel, *, reference: str, settings: ScoreSettings = QUICK) -> Scores:
    images = list(duel.verdicts)
    lists = [
        [[index for index, said in duel.verdicts[image].items() if said is verdict] for image in images]
        for verdict in (Verdict.CORRECT, Verdict.UNCLEAR, Verdict.WRONG)
    ]
    label_set = LabelSet.from_lists(
        "review",
        images,
        correct=lists[0],
        unclear=lists[1],
        wrong=lists[2],
        is_problematic=[image in duel.problematic for image in images],
    )
    test_set = TestSet("t", np.array(list(duel.labels)), np.array(list(duel.labels.values()), np.int32))
    pair = {"first": predict("first", duel.first), "second": predict("second", duel.second)}
    target = line_up(Truth(test_set, (label_set,)))
    return score_participants(pair.values(), target, reference=pair[reference], settings=settings)


def get_row(scores: Scores, participant: str, metric: str, subset: str = "all") -> dict[str, Any]:
    (row,) = scores.to_frame().filter(participant=participant, metric=metric, subset=subset).to_dicts()
    return row


def try_everything(duel: Duel) -> Iterator[dict[str, int]]:
    """The strict difference (1, 0 or −1) on every image both are counted on, for every way of judging the unjudged."""
    shared = [image for image in duel.labels if {image} <= duel.first.keys() & duel.second.keys() - duel.problematic]
    pairs = {(image, answers[image]) for image in shared for answers in (duel.first, duel.second)}
    unjudged = sorted(pair for pair in pairs if pair[1] not in duel.verdicts[pair[0]])
    judged = {pair: duel.verdicts[pair[0]][pair[1]] is Verdict.CORRECT for pair in pairs - set(unjudged)}
    for outcomes in product([False, True], repeat=len(unjudged)):
        is_right = judged | dict(zip(unjudged, outcomes, strict=True))
        yield {image: is_right[image, duel.first[image]] - is_right[image, duel.second[image]] for image in shared}


def mean_of_means(duel: Duel) -> Callable[[dict[str, int]], float]:
    def mean(differences: dict[str, int]) -> float:
        by_class: dict[int, list[int]] = {}
        for image, difference in differences.items():
            by_class.setdefault(duel.labels[image], []).append(difference)
        return fmean(fmean(one) for one in by_class.values())

    return mean


@settings(max_examples=80)
@given(seed=seeds)
def test_bounds_are_the_extremes_over_every_way_the_unjudged_could_turn_out(seed: int) -> None:
    duel = make_duel(seed)
    # The first way takes every unjudged prediction as wrong, which is how values are given.
    ways = list(try_everything(duel))
    scores = fight(duel, reference="second")
    for metric, mean in (
        ("multilabel_strict", lambda differences: fmean(differences.values())),
        ("multilabel_strict_balanced", mean_of_means(duel)),
    ):
        row = get_row(scores, "first", metric)
        assert row["n_both"] == len(ways[0])
        assert row["n_only_participant"] == list(ways[0].values()).count(1)
        assert row["n_only_against"] == list(ways[0].values()).count(-1)
        assert row["difference"] == pytest.approx(mean(ways[0]), abs=1e-12)
        assert row["difference_lower_bound"] == pytest.approx(min(map(mean, ways)), abs=1e-12)
        assert row["difference_upper_bound"] == pytest.approx(max(map(mean, ways)), abs=1e-12)
        is_open = row["difference_lower_bound"] < row["difference_upper_bound"]
        assert row["difference_interval"].endswith(" (outer)") == is_open


@settings(max_examples=60)
@given(seed=seeds)
def test_comparing_the_other_way_round_turns_every_sign(seed: int) -> None:
    duel = make_duel(seed)
    there = fight(duel, reference="second").to_frame().filter(participant="first").to_dicts()
    back = fight(duel, reference="first").to_frame().filter(participant="second").to_dicts()
    for one, other in zip(there, back, strict=True):
        assert (one["metric"], one["n_both"]) == (other["metric"], other["n_both"])
        assert one["difference"] == pytest.approx(-other["difference"], abs=1e-12)
        assert one["difference_lower_bound"] == pytest.approx(-other["difference_upper_bound"], abs=1e-12)
        assert one["difference_upper_bound"] == pytest.approx(-other["difference_lower_bound"], abs=1e-12)
        assert one["n_only_participant"] == other["n_only_against"]
        assert one["p_mcnemar"] == other["p_mcnemar"]
        assert one["difference_lower_bound"] <= one["difference"] <= one["difference_upper_bound"]


def make_counts(n_both_right: int, b: int, c: int, n: int) -> tuple[dict[str, int], dict[str, int], dict[str, int]]:
    """Labels all 0 and two participants: both right, only the first (b), only the second (c), both wrong."""
    pairs = [(0, 0)] * n_both_right + [(0, 1)] * b + [(1, 0)] * c + [(1, 1)] * (n - n_both_right - b - c)
    images = [f"image {row}" for row in range(n)]
    first, second = ({image: pair[at] for image, pair in zip(images, pairs, strict=True)} for at in (0, 1))
    return dict.fromkeys(images, 0), first, second


def compare(labels: dict[str, int], *answers: dict[str, int], **options: Any) -> Scores:
    """Participants A, B, … of whom the last is the reference."""
    subsets = options.pop("subsets", ())
    predictions = [predict(name, one) for name, one in zip("ABCDE", answers, strict=False)]
    test_set = TestSet("t", np.array(list(labels)), np.array(list(labels.values()), np.int32))
    return score_participants(
        predictions,
        line_up(Truth(test_set)),
        subsets=subsets,
        reference=predictions[-1],
        settings=ScoreSettings(**options),
    )


def test_a_paired_difference_worked_by_hand() -> None:
    row = get_row(compare(*make_counts(3, 4, 1, 10)), "A", "top1")
    # A is right on 3 + 4 = 7 of 10, B on 3 + 1 = 4: the difference is (4 − 1)/10.
    assert (row["value"], row["difference"], row["against"]) == (0.7, pytest.approx(0.3), "B")
    assert (row["n_both"], row["n_only_participant"], row["n_only_against"]) == (10, 4, 1)
    # McNemar: of 5 images on which they differ, 1 or fewer are B's with probability (1 + 5)/2⁵; two-sided 12/32.
    assert row["p_mcnemar"] == pytest.approx(0.375)
    # The limits are Tango's.
    assert row["difference_interval"] == "tango"
    low, high = tango(4, 1, n=10)
    assert (row["difference_low"], row["difference_high"]) == (float(low), float(high))


def test_two_who_agree_on_every_image_are_not_known_to_be_equal() -> None:
    for n in (20, 1_000):
        row = get_row(compare(*make_counts(n // 2, 0, 0, n)), "A", "top1")
        assert row["difference"] == 0
        # Tango's limits without a discordant image: ±z²/(n + z²), z² = 3.8415.
        assert row["difference_low"] == pytest.approx(-3.841459 / (n + 3.841459), rel=1e-6)
        assert row["difference_high"] == pytest.approx(3.841459 / (n + 3.841459), rel=1e-6)


def test_the_interval_of_many_images_is_near_the_normal_one() -> None:
    row = get_row(compare(*make_counts(1_000, 400, 150, 2_000)), "A", "top1")
    # 0.125 ± 1.96·√((550/2000 − 0.125²)/2000) = 0.125 ± 0.02232.
    assert row["difference_low"] == pytest.approx(0.125 - 0.02232, abs=0.0005)
    assert row["difference_high"] == pytest.approx(0.125 + 0.02232, abs=0.0005)


def test_the_interval_of_the_other_way_round_is_its_mirror_image() -> None:
    labels, first, second = make_counts(100, 40, 15, 200)
    there = get_row(compare(labels, first, second), "A", "top1")
    back = get_row(compare(labels, second, first), "A", "top1")
    assert there["difference_low"] == pytest.approx(-back["difference_high"], abs=1e-12)
    assert there["difference_high"] == pytest.approx(-back["difference_low"], abs=1e-12)


def test_the_balanced_interval_is_close_to_that_of_resampling_images_within_their_classes() -> None:
    rng = np.random.default_rng(11)
    labels = {f"image {row}": row % 5 for row in range(150)}
    first = {image: label if rng.random() < 0.8 else 9 for image, label in labels.items()}
    second = {image: label if rng.random() < 0.6 else 9 for image, label in labels.items()}
    row = get_row(compare(labels, first, second, n_bootstrap=20_000), "A", "top1_balanced")
    replicates = np.zeros(20_000)
    for index in range(5):
        own = [image for image, label in labels.items() if label == index]
        signs = np.array([(first[image] == index) - (second[image] == index) for image in own])
        replicates += signs[rng.integers(len(own), size=(20_000, len(own)))].mean(axis=1) / 5
    low, high = np.quantile(replicates, [0.025, 0.975])
    # The limits are 0.24 apart.
    assert row["difference_low"] == pytest.approx(low, abs=0.012)
    assert row["difference_high"] == pytest.approx(high, abs=0.012)
    assert row["difference_interval"] == "paired grouped mid-p"
    assert row["p_mcnemar"] is None
    assert row["p_holm"] is None


def test_holm_runs_over_all_tests_of_the_table() -> None:
    labels, better, reference = make_counts(0, 8, 0, 10)
    similar = {image: int(row not in {0, 8, 9}) for row, image in enumerate(labels)}
    scores = compare(labels, better, similar, reference)
    a, b = get_row(scores, "A", "top1"), get_row(scores, "B", "top1")
    # A: 8 to 0, p = 2/2⁸ = 0.0078125. B: right on images 0, 8 and 9, 3 to 0, p = 2/2³ = 0.25. Two tests: the smaller is
    # doubled, the larger stays.
    assert (a["p_mcnemar"], b["p_mcnemar"]) == (pytest.approx(0.0078125), pytest.approx(0.25))
    assert (a["p_holm"], b["p_holm"]) == (pytest.approx(0.015625), pytest.approx(0.25))
    # The same two tests on a subset that holds every image make a family of four: 4·0.0078125, and 2·0.25 for B.
    again = Subset("again", rows=np.arange(10))
    scores = compare(labels, better, similar, reference, subsets=[again])
    for subset in ("all", "again"):
        assert get_row(scores, "A", "top1", subset)["p_holm"] == pytest.approx(0.03125)
        assert get_row(scores, "B", "top1", subset)["p_holm"] == pytest.approx(0.5)


def test_two_who_give_the_same_unjudged_answer_stand_or_fall_together() -> None:
    duel = Duel(
        labels={"a": 0, "b": 0, "c": 0, "d": 0},
        verdicts={"a": {0: Verdict.CORRECT}, "b": {0: Verdict.CORRECT}, "c": {}, "d": {}},
        problematic=set(),
        first={"a": 0, "b": 0, "c": 1, "d": 1},
        second={"a": 0, "b": 2, "c": 1, "d": 0},
    )
    row = get_row(fight(duel, reference="second"), "first", "multilabel_strict")
    # a: both right. b: only the first, unless the second's 2 is right. c: the same class, no difference either way.
    # d: two unjudged classes, from −1 to +1. So (1 + 0)/4 as scored, (0 − 1)/4 at worst and (1 + 1)/4 at best.
    assert row["difference"] == 0.25
    assert (row["difference_lower_bound"], row["difference_upper_bound"]) == (-0.25, 0.5)
    # The outer interval runs from the lower limit of the one end to the upper limit of the other: at worst d goes against
    # the first and b is a draw, at best both are for it.
    assert row["difference_low"] == float(tango(0, 1, n=4).low)
    assert row["difference_high"] == float(tango(2, 0, n=4).high)
    assert row["difference_interval"] == "tango (outer)"


def test_the_reference_itself_has_no_comparison() -> None:
    row = get_row(compare(*make_counts(3, 4, 1, 10)), "B", "top1")
    assert [row[name] for name in COMPARISON_COLUMNS] == [None] * len(COMPARISON_COLUMNS)
    assert row["value"] == 0.4


def test_without_a_reference_there_are_no_columns_of_a_comparison() -> None:
    labels, first, _ = make_counts(3, 4, 1, 10)
    test_set = TestSet("t", np.array(list(labels)), np.array(list(labels.values()), np.int32))
    scores = score_participants([predict("A", first)], line_up(Truth(test_set)), settings=ScoreSettings())
    assert not set(COMPARISON_COLUMNS) & set(scores.to_frame().columns)


def test_images_that_one_of_the_two_did_not_answer_are_left_out_of_the_comparison() -> None:
    labels, first, second = make_counts(3, 4, 1, 10)
    del first["image 0"], second["image 3"]
    row = get_row(compare(labels, first, second, allow_missing=True), "A", "top1")
    # One image of "both right" and one of "only A" are gone: b = 3, c = 1, n = 8.
    assert (row["n"], row["n_both"], row["difference"]) == (9, 8, 0.25)


def test_a_subset_without_images_has_no_difference_and_does_not_count_as_a_test() -> None:
    nowhere = Subset("nowhere", rows=np.zeros(0, np.int64))
    scores = compare(*make_counts(3, 4, 1, 10), subsets=[nowhere])
    for metric in ("top1", "top1_balanced"):
        row = get_row(scores, "A", metric, "nowhere")
        assert (row["n_both"], row["against"]) == (0, "B")
        names = ("difference", "difference_low", "difference_high", "difference_interval", "p_mcnemar", "p_holm")
        assert [row[name] for name in names] == [None] * 6
    assert get_row(scores, "A", "top1")["p_holm"] == pytest.approx(0.375)


def test_a_metric_that_does_not_apply_to_the_reference_is_not_compared() -> None:
    ids = np.array(["a", "b"])
    five = Predictions("five", ids, np.array([[0, 1, 2, 3, 4], [1, 0, 2, 3, 4]], np.int32))
    one = Predictions("one", ids, np.array([0, 1], np.int32))
    target = line_up(Truth(TestSet("t", ids, np.zeros(2, np.int32))))
    scores = score_participants([five, one], target, reference=one, settings=ScoreSettings())
    assert get_row(scores, "five", "top5")["value"] == 1
    assert get_row(scores, "five", "top5")["against"] is None
    assert get_row(scores, "five", "top1")["difference"] == 0


@settings(max_examples=25)
@given(seed=seeds)
def test_a_row_of_a_comparison_does_not_depend_on_who_else_is_compared_or_where(seed: int) -> None:
    rng = np.random.default_rng(seed)
    labels = {f"image {row}": int(rng.integers(3)) for row in range(20)}
    a, b, c = ({image: int(rng.integers(3)) for image in labels} for _ in range(3))
    names = [name for name in COMPARISON_COLUMNS if name not in {"against", "p_holm"}]
    for metric in ("top1", "top1_balanced"):
        alone = get_row(compare(labels, a, c, n_bootstrap=100), "A", metric)
        halves = [Subset(str(start), rows=np.arange(start, 20, 2)) for start in (0, 1)]
        together = get_row(compare(labels, a, b, c, n_bootstrap=100, subsets=halves), "A", metric)
        assert [alone[name] for name in names] == [together[name] for name in names]


def make_open_pair(n_right: int, n_unjudged: int) -> Scores:
    """Ten images: the second is right on none, the first on `n_right`; as many of the second's as said are unjudged."""
    ids = [f"i{number}" for number in range(10)]
    labels = LabelSet.from_lists(
        "review",
        ids,
        correct=[[0]] * 10,
        wrong=[[2] if row < n_unjudged else [1, 2] for row in range(10)],
    )
    first = predict("first", {one: 0 if row < n_right else 2 for row, one in enumerate(ids)})
    second = predict("second", dict.fromkeys(ids, 1))
    target = line_up(Truth(label_sets=(labels,)))
    return score_participants([first, second], target, reference=second, settings=QUICK)


def test_while_predictions_are_unjudged_the_p_value_is_the_least_favourable() -> None:
    # Right on 8 images against 0: p = 2·(1/2)⁸ = 0.0078 as scored. If the second's 2 unjudged answers on the first two
    # images were right, 6 against 0 would remain: 2·(1/2)⁶ = 0.03125.
    strict = make_open_pair(8, 2).to_frame().filter(metric="multilabel_strict").row(0, named=True)
    assert strict["p_mcnemar"] == pytest.approx(2 * 0.5**6)
    assert strict["difference"] == pytest.approx(0.8)
    assert strict["difference_lower_bound"] == pytest.approx(0.6)


def test_where_unjudged_predictions_could_turn_the_sign_nothing_is_significant() -> None:
    # Right on 2 images against 0; if the second's 8 unjudged answers were right, it would lead by 6 images: the first's
    # two hits then stand beside two of the second's, and six remain for the second alone.
    strict = make_open_pair(2, 8).to_frame().filter(metric="multilabel_strict").row(0, named=True)
    assert strict["difference_lower_bound"] < 0 < strict["difference_upper_bound"]
    assert strict["p_mcnemar"] == 1
