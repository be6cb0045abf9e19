"""Scores: worked numbers, empty subsets, and what notes and warnings say. The oracle stands in test_metrics.py."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from scipy import stats

from regauge.errors import InputError
from regauge.evaluation.scoring import score_participants
from regauge.evaluation.subsets import Subset
from regauge.evaluation.targets import Target, line_up
from regauge.records.evaluation.scores import Scores, ScoreSettings
from regauge.records.labels.label_set import LabelSet, Truth
from regauge.records.predictions import Predictions
from regauge.records.testsets.test_set import TestSet


def score_review(counts: Mapping[str, int], **options: Any) -> Scores:
    """One participant who answers class 1 on images of dataset label 0, judged correct, unclear, wrong or not at all."""
    said = [verdict for verdict, n in counts.items() for _ in range(n)]
    ids = np.array([f"image {row}" for row in range(len(said))])
    lists = {name: [[1] if one == name else [] for one in said] for name in ("correct", "unclear", "wrong")}
    label_set = LabelSet.from_lists("review", ids, **lists)  # type: ignore[arg-type]
    target = line_up(Truth(TestSet("t", ids, np.zeros(len(ids), np.int32)), (label_set,)))
    model = Predictions("model", ids, np.ones(len(ids), np.int32))
    return score_participants([model], target, settings=ScoreSettings(**options))


def test_the_outer_interval_solves_the_binomial_equations_of_both_bounds() -> None:
    score = score_review({"correct": 6, "wrong": 2, "unjudged": 2}).get("model", "multilabel_strict")
    # 6 of 10 are right, and 8 of 10 if the two unjudged are: 0.6, between 0.6 and 0.8.
    assert (score.n, score.n_correct, score.n_unjudged) == (10, 6, 2)
    assert (score.value, score.lower_bound, score.upper_bound) == (0.6, 0.6, 0.8)
    assert score.low is not None
    assert score.high is not None
    assert score.low == pytest.approx(0.2624, abs=5e-5)
    assert score.high == pytest.approx(0.9748, abs=5e-5)
    # P(X ≥ 6) = 2.5% at the lower limit, P(X ≤ 8) = 2.5% at the upper.
    at_least_6 = sum(math.comb(10, k) * score.low**k * (1 - score.low) ** (10 - k) for k in range(6, 11))
    at_most_8 = sum(math.comb(10, k) * score.high**k * (1 - score.high) ** (10 - k) for k in range(9))
    assert at_least_6 == pytest.approx(0.025, abs=1e-9)
    assert at_most_8 == pytest.approx(0.025, abs=1e-9)
    assert score.method == "clopper-pearson (outer)"


def test_unclear_counts_as_right_only_in_the_lenient_accuracy() -> None:
    scores = score_review({"correct": 5, "unclear": 2, "wrong": 3})
    assert scores.get("model", "multilabel_lenient").value == 0.7
    assert scores.get("model", "multilabel_strict").value == 0.5


def test_the_level_is_that_of_the_settings() -> None:
    narrow = score_review({"correct": 6, "wrong": 4}, level=0.5).get("model", "multilabel_strict")
    assert narrow.low == pytest.approx(stats.beta.ppf(0.25, 6, 5))
    assert narrow.high == pytest.approx(stats.beta.ppf(0.75, 7, 4))


def make_balanced() -> tuple[Target, Predictions, np.ndarray[Any, Any]]:
    """12 classes of 6 to 28 images, each right with a probability of its own."""
    rng = np.random.default_rng(5)
    labels = np.repeat(np.arange(12, dtype=np.int32), np.arange(6, 30, 2))
    hits = rng.random(len(labels)) < np.linspace(0.2, 0.95, 12)[labels]
    ids = np.array([f"image {row}" for row in range(len(labels))])
    model = Predictions("model", ids, np.where(hits, labels, 99).astype(np.int32))
    return line_up(Truth(TestSet("t", ids, labels))), model, hits


def test_the_balanced_interval_is_close_to_that_of_resampling_images_within_their_classes() -> None:
    target, model, hits = make_balanced()
    score = score_participants([model], target, settings=ScoreSettings()).get("model", "top1_balanced")
    rng = np.random.default_rng(6)
    replicates = np.zeros(20_000)
    for index in range(12):
        own = hits[target.dataset_labels == index]
        # One image fewer than there are is drawn: as many would show too little variance in a small class.
        replicates += own[rng.integers(len(own), size=(20_000, len(own) - 1))].mean(axis=1) / 12
    low, high = np.quantile(replicates, [0.025, 0.975])
    assert score.low == pytest.approx(low, abs=0.01)
    assert score.high == pytest.approx(high, abs=0.01)
    assert score.method == "grouped mid-p"


def make_uneven(n_large: int = 100) -> tuple[Target, Predictions]:
    """Three classes of which the last has one image; every answer is right."""
    labels = np.repeat(np.arange(3, dtype=np.int32), [n_large, n_large, 1])
    ids = np.array([f"image {row}" for row in range(len(labels))])
    return line_up(Truth(TestSet("t", ids, labels))), Predictions("model", ids, labels)


def test_a_class_with_one_image_leaves_the_balanced_mean_open() -> None:
    target, model = make_uneven()
    score = score_participants([model], target, settings=ScoreSettings()).get("model", "top1_balanced")
    # One image that is right, with one and a half of the others, speaks for an accuracy from 0.05^(1/2.5) = 30% up, and its
    # class is a third of the mean.
    assert score.low == pytest.approx(1 - (1 - 0.05 ** (1 / 2.5)) / 3, abs=0.003)
    assert (score.value, score.high) == (1.0, 1.0)


def test_small_classes_are_counted_once_and_said_to_carry_the_balanced_mean() -> None:
    target, model = make_uneven()
    again = Predictions("again", model.image_ids, model.classes)
    scores = score_participants([model, again], target, settings=ScoreSettings())
    # 1 of 1/100 + 1/100 + 1 is 98%.
    note = (
        "1 of 3 classes in t has fewer than 5 images, 1 image in all. Were all classes equally accurate, 98% of the variance of "
        "a balanced mean would come from that image: its interval rests on so few."
    )
    assert [one for one in scores.notes if "fewer than 5 images" in one] == [note]


def test_classes_that_are_all_small_are_counted_without_blaming_a_few() -> None:
    target, model = make_uneven(4)
    scores = score_participants([model], target, settings=ScoreSettings())
    assert "3 of 3 classes in t have fewer than 5 images, 9 images in all." in scores.notes


def test_large_classes_leave_no_note() -> None:
    target, model, _ = make_balanced()
    assert not any("images, " in note for note in score_participants([model], target, settings=ScoreSettings()).notes)


def test_a_balanced_interval_does_not_depend_on_the_seed() -> None:
    target, model, _ = make_balanced()
    limits = [
        score_participants([model], target, settings=ScoreSettings(seed=seed)).get("model", "top1_balanced").low
        for seed in (1, 2)
    ]
    assert limits[0] == limits[1]


def test_an_empty_subset_is_a_row_without_value() -> None:
    target, model, _ = make_balanced()
    nowhere = Subset("nowhere", rows=np.zeros(0, np.int64))
    scores = score_participants([model], target, subsets=[nowhere], settings=ScoreSettings())
    for metric in ("top1", "top1_balanced"):
        row = scores.get("model", metric, subset="nowhere")
        assert (row.n, row.n_correct, row.n_unjudged) == (0, 0, 0)
        missing = (row.value, row.low, row.high, row.method, row.lower_bound, row.upper_bound)
        assert missing == (None,) * 6


def make_small(k: int) -> tuple[Target, Predictions]:
    ids = np.array(["a", "b", "c"])
    classes = np.array([[0, 1, 2, 3, 4], [1, 0, 2, 3, 4], [1, 2, 3, 4, 5]], np.int32)[:, :k]
    return line_up(Truth(TestSet("t", ids, np.zeros(3, np.int32))), n_classes=6), Predictions("model", ids, classes)


def test_top5_is_absent_with_fewer_than_five_answers_and_a_note_says_so() -> None:
    target, model = make_small(4)
    scores = score_participants([model], target, settings=ScoreSettings())
    assert set(scores.to_frame()["metric"]) == {"top1", "top1_balanced"}
    assert "model gives fewer than five answers for some images; top5 is absent." in scores.notes
    target, model = make_small(5)
    scores = score_participants([model], target, settings=ScoreSettings())
    # The label 0 is first on a, second on b and nowhere on c.
    assert scores.get("model", "top1").n_correct == 1
    assert scores.get("model", "top5").n_correct == 2
    assert not any("top5" in note for note in scores.notes)


def test_notes_tell_of_missing_and_extra_images_and_of_empty_classes() -> None:
    target, _ = make_small(1)
    partial = Predictions("model", np.array(["b", "x", "y"]), np.array([0, 1, 1], np.int32))
    scores = score_participants([partial], target, settings=ScoreSettings(allow_missing=True))
    assert scores.notes == (
        "5 of 6 classes have no image in t; balanced means leave them out.",
        "1 of 1 classes in t has fewer than 5 images, 3 images in all.",
        "model has no prediction for 2 of 3 images; it is scored on the rest.",
        "model also answers 2 images that are not in t (ignored).",
        "model gives fewer than five answers for some images; top5 is absent.",
    )
    assert scores.get("model", "top1").n == 1


def test_what_holds_for_several_participants_is_said_once() -> None:
    target, _ = make_small(1)
    settings = ScoreSettings(allow_missing=True)

    def note(**images: str) -> tuple[str, ...]:
        said = [Predictions(name, np.array(list(ids)), np.zeros(len(ids), np.int32)) for name, ids in images.items()]
        return score_participants(said, target, settings=settings).notes[2:]

    absent = "fewer than five answers for some images; top5 is absent."
    assert note(m="abx", n="aby") == (
        "All 2 participants have no prediction for 1 of 3 images each; they are scored on the rest.",
        "All 2 participants also answer 1 image each that is not in t (ignored).",
        f"All 2 participants give {absent}",
    )
    assert note(m="abcxy", n="ab", o="abcxz", p="abcyz") == (
        "n has no prediction for 1 of 3 images; it is scored on the rest.",
        "m, o and p also answer 2 images each that are not in t (ignored).",
        f"All 4 participants give {absent}",
    )
    many = note(**dict.fromkeys("mnopq", "abcx"), r="abc")
    assert many[0] == "m, n and 3 others also answer 1 image each that is not in t (ignored)."


def test_a_truth_that_says_nothing_is_refused() -> None:
    target = line_up(Truth(label_sets=(LabelSet.from_lists("blank", ["a"]),)))
    message = r"^The truth blank has no dataset label, verdict, main label, object or frequency, so nothing can be scored; give "
    with pytest.raises(InputError, match=message):
        score_participants([], target, settings=ScoreSettings())


def test_answers_in_the_wrong_order_are_reported_with_the_scores() -> None:
    ids = np.array([f"image {row}" for row in range(200)])
    labels = np.arange(200, dtype=np.int32) % 20
    worst_first = np.stack([(labels + 7) % 20, labels], axis=1).astype(np.int32)
    target = line_up(Truth(TestSet("t", ids, labels)))
    scores = score_participants([Predictions("model", ids, worst_first)], target, settings=ScoreSettings())
    assert len(scores.warnings) == 1
    assert "stored worst first" in scores.warnings[0]
