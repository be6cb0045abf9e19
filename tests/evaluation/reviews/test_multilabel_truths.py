"""Multi-label truths: worked numbers, an oracle for median changes, and what holds of all of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regauge.errors import InputError
from regauge.evaluation.metrics import find_measures
from regauge.evaluation.outcomes import Outcome
from regauge.evaluation.reviews.multilabel_truths import N_RESAMPLES, SEED, allows_several, summarise_truth
from regauge.evaluation.targets import line_up
from regauge.records.evaluation.reviews import ReviewField
from regauge.records.labels.evidence import LabelEvidence, VerdictEvidence
from regauge.records.labels.label_set import LabelKind, LabelSet, Truth
from regauge.records.testsets.test_set import TestSet
from regauge.workflows.inputs import load_truth

IDS = list("abcdefgh")
CORRECT = [[0], [0, 1], [0, 1, 2], [0], [1], [0], [0], [3]]
UNCLEAR = [[], [], [], [1], [0], [], [], []]
WRONG = [[1, 2], [2], [3], [2], [2], [1], [], [0]]
PROBLEMATIC = [False] * 7 + [True]
ANSWERS = {"good": [[0, 1]] * 8, "other": [[1, 0]] * 8, "third": [[2, 3]] * 8}


def make_labels(**changes: Any) -> Any:
    lists = {"correct": CORRECT, "unclear": UNCLEAR, "wrong": WRONG, "is_problematic": PROBLEMATIC}
    return LabelSet.from_lists("L@1", IDS, **{**lists, **changes})


def summarise(label_set: Any, *, answers: Any = None, evidence: Any = None, labels: Any = None) -> Any:
    """Everybody's answers, as wide as they are, judged by the metrics that score them."""
    answers = ANSWERS if answers is None else answers
    ids = [f"i{row}" for row in range(len(labels))] if labels is not None else IDS
    images = TestSet("t", ids, np.zeros(len(ids), np.int32) if labels is None else labels)
    target = line_up(Truth(images, (label_set,)))
    outcomes: dict[str, Any] = {}
    for name, given_answers in answers.items():
        rows = np.array(given_answers, np.int32)
        for measure in find_measures(target):
            if rows.shape[1] >= measure.n_answers:
                outcomes.setdefault(measure.metric, {})[name] = measure.judge(rows)
    firsts = np.array([np.array(one)[:, 0] for one in answers.values()], np.int32).reshape(len(answers), len(ids))
    return summarise_truth(ReviewField(images, tuple(answers), firsts, label_set), outcomes, evidence=evidence)


def test_shares_and_labels_are_those_counted_by_hand():
    """Seven images count: b has two correct labels and c three; h is problematic."""
    found = summarise(make_labels())
    assert (found.problematic.k, found.problematic.n) == (1, 8)
    assert (found.multilabel.k, found.multilabel.n) == (2, 7)
    assert (found.mean_labels.value, found.mean_labels.n) == (2.5, 2)
    assert found.multilabel.low < 2 / 7 < found.multilabel.high
    assert found.allows_several


def test_changes_and_ranks_are_those_counted_by_hand():
    """By dataset labels good is right on all seven; by people strictly on six, leniently on seven."""
    changes = {(one.metric, one.against): one for one in summarise(make_labels()).comparisons}
    assert list(changes) == [("multilabel_strict", "top1"), ("multilabel_lenient", "top1")]
    strict = {one.participant: one for one in changes["multilabel_strict", "top1"].changes}
    assert [strict[name].change.value for name in ANSWERS] == pytest.approx([-1 / 7, 3 / 7, 1 / 7])
    lenient = {one.participant: one for one in changes["multilabel_lenient", "top1"].changes}
    assert [lenient[name].change.value for name in ANSWERS] == pytest.approx([0, 4 / 7, 1 / 7])
    assert changes["multilabel_strict", "top1"].median.value == pytest.approx(1 / 7)
    # Two are never right by dataset labels and share the second rank there.
    (moved,) = changes["multilabel_lenient", "top1"].moved
    assert (moved.participant, moved.rank_before, moved.rank_after) == ("third", 2, 3)


def test_a_rank_that_changes_is_told():
    answers = {"liked": [[0]] * 8, "right": [[1]] * 8}
    found = summarise(make_labels(correct=[[1]] * 8, unclear=[[]] * 8, wrong=[[0]] * 8), answers=answers)
    moved = found.comparisons[0].moved
    assert [(one.participant, one.rank_before, one.rank_after) for one in moved] == [("liked", 1, 2), ("right", 2, 1)]


def test_what_is_open_is_counted_and_widens_the_upper_limit():
    """Nobody has judged class 3 of f and g, so third, who answers it there, may be right."""
    answers = {"first": [[0]] * 8, "third": [[0]] * 5 + [[3]] * 3}
    found = summarise(make_labels(), answers=answers)
    assert found.n_open == 2
    strict = found.comparisons[0]
    third = next(one for one in strict.changes if one.participant == "third")
    assert third.change.holds_unjudged
    assert third.after.value == pytest.approx(4 / 7)
    assert strict.median.holds_unjudged
    assert [(one.metric, one.n_settled, one.n_pairs) for one in found.settled] == [
        ("multilabel_strict", 0, 1),
        ("multilabel_lenient", 0, 1),
    ]


def test_top_5_counts_only_those_who_give_five_answers():
    answers = {"five": [[1, 2, 3, 4, 0]] * 8, "one": [[0]] * 8}
    found = {(one.metric, one.against): one for one in summarise(make_labels(), answers=answers).comparisons}
    assert [one.participant for one in found["multilabel_strict", "top5"].changes] == ["five"]
    assert len(found["multilabel_strict", "top1"].changes) == 2


def test_reasons_are_those_of_verdicts_that_count():
    told = {("b", 1): "several objects", ("c", 1): "several objects", ("c", 2): "synonym or subset"}
    more = {("h", 3): "several objects", ("a", 1): "unclear image"}
    evidence = LabelEvidence.from_pairs(
        "L@1", {pair: VerdictEvidence(reason=one) for pair, one in (told | more).items()}
    )
    found = summarise(make_labels(), evidence=evidence)
    assert [(reason, share.k, share.n) for reason, share in found.reasons] == [
        ("several objects", 2, 3),
        ("synonym or subset", 1, 3),
    ]


def test_reassessed_labels_leave_out_images_without_a_list():
    labels = LabelSet.from_lists("real", IDS, correct=[*CORRECT[:7], []], kind=LabelKind.REAL)
    found = summarise(labels)
    assert (found.multilabel.k, found.multilabel.n) == (2, 7)
    assert [one.metric for one in found.comparisons] == ["real"]
    assert found.n_open == 0


def test_one_judged_class_per_image_cannot_tell_of_several():
    labels = LabelSet.from_lists("L@1", IDS, correct=[[0]] * 8, wrong=[[]] * 8)
    assert not allows_several(labels)
    assert not summarise(labels).allows_several
    assert allows_several(LabelSet.from_lists("L@1", IDS, correct=[[0]] * 8))


def test_without_participants_there_are_shares_alone():
    found = summarise(make_labels(), answers={})
    assert (found.multilabel.k, found.comparisons, found.settled) == (2, (), ())


def test_a_label_set_of_other_images_is_refused():
    other = LabelSet.from_lists("L@1", ["x"], correct=[[0]])
    field = ReviewField(TestSet("t", IDS, [0] * 8), (), np.empty((0, 8), np.int32), other)
    with pytest.raises(InputError, match=r"^Label set L@1 judges no image of t; name a test set of the same images\.$"):
        summarise_truth(field, {})
    with pytest.raises(InputError, match="there is none"):
        summarise_truth(ReviewField(TestSet("t", IDS, [0] * 8), (), np.empty((0, 8), np.int32)), {})


def test_the_limits_of_the_median_are_those_of_resampling_images_one_after_the_other():
    """The plain way: draw rows, judge every model on them, take the median of the changes."""
    rng = np.random.default_rng(7)
    n, labels = 60, np.zeros(60, np.int32)
    correct = [[0, 1] if row % 3 == 0 else [0] if row % 5 else [2] for row in range(n)]
    wrong = [[one for one in range(4) if one not in lists] for lists in correct]
    label_set = LabelSet.from_lists("L@1", [f"i{row}" for row in range(n)], correct=correct, wrong=wrong)
    answers = {f"m{one}": rng.integers(0, 3, (n, 1)) for one in range(5)}
    found = summarise(label_set, answers=answers, labels=labels).comparisons[0].median
    gains = np.array(
        [
            [(a in correct[row]) - (a == 0) for row, a in enumerate(given_answers[:, 0].tolist())]
            for given_answers in answers.values()
        ]
    )
    rows = np.random.default_rng(SEED).integers(n, size=(N_RESAMPLES, n))
    medians = [np.median(gains[:, drawn].mean(axis=1)) for drawn in rows]
    assert found.value == pytest.approx(np.median(gains.mean(axis=1)))
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(medians, [0.025, 0.975])), abs=1e-6)


VERDICTS = st.lists(st.permutations(range(4)), min_size=8, max_size=8)


@given(VERDICTS, st.lists(st.lists(st.integers(0, 3), min_size=8, max_size=8), min_size=1, max_size=3))
def test_lenient_is_never_below_strict_and_limits_hold_their_value(shuffled, answers):
    labels = make_labels(
        correct=[one[:1] for one in shuffled],
        unclear=[one[1:2] for one in shuffled],
        wrong=[one[2:3] for one in shuffled],
    )
    given_answers = {f"m{row}": [[one] for one in column] for row, column in enumerate(answers)}
    found = {one.metric: one for one in summarise(labels, answers=given_answers).comparisons}
    strict, lenient = found["multilabel_strict"], found["multilabel_lenient"]
    assert strict.median.value <= lenient.median.value
    for one in (strict, lenient):
        assert one.median.low <= one.median.value <= one.median.high
        for change in one.changes:
            assert change.rank_after == 1 + sum(other.after.value > change.after.value for other in one.changes)


def test_the_table_has_every_figure_once():
    frame = summarise(make_labels()).to_frame()
    assert frame["figure"].unique(maintain_order=True).to_list() == [
        "problematic_images",
        "multilabel_images",
        "labels_per_multilabel_image",
        "open_items",
        "settled_pairs",
        "median_change",
        "change",
    ]
    row = frame.filter(frame["figure"] == "multilabel_images").row(0, named=True)
    assert (row["k"], row["n"], row["interval"]) == (2, 7, "clopper-pearson")
    changes = frame.filter(frame["figure"] == "change")
    assert changes.height == 6
    assert changes["rank_before"].to_list() == [1, 2, 2, 1, 2, 2]


def test_outcomes_are_not_changed():
    labels = make_labels()
    before = np.full(8, Outcome.RIGHT, np.int8)
    field = ReviewField(TestSet("t", IDS, [0] * 8), ("m",), np.zeros((1, 8), np.int32), labels)
    after = np.array([1, 1, 1, 1, 0, 1, 1, 3], np.int8)
    summarise_truth(field, {"top1": {"m": before}, "multilabel_strict": {"m": after}})
    assert before.tolist() == [1] * 8


def test_67_models_by_reassessed_labels(published: Path):
    """The labels of Shankar et al. (2020) are not at hand; those of Beyer et al. (2020) give medians of their own."""
    with np.load(published / "recht2019_imagenet_top1.npz", allow_pickle=False) as archive:
        firsts, labels = archive["val_top1"].astype(np.int32), archive["val_labels"].astype(np.int32)
        ids = np.array([f"ILSVRC2012_val_{number:08d}" for number in archive["val_ids"].tolist()])
        names = tuple(archive["models"].tolist())
    with np.load(published / "recht2019_imagenet_top2to5.npz", allow_pickle=False) as archive:
        rest = archive["val_top2to5"].astype(np.int32)
    images, label_set = TestSet("val", ids, labels), load_truth(published / "real2020_labels.json").label_sets[0]
    measures = [one for one in find_measures(line_up(Truth(images, (label_set,)))) if one.metric != "main_label"]
    outcomes = {
        one.metric: {
            name: one.judge(np.concatenate([first[:, np.newaxis], others], axis=1))
            for name, first, others in zip(names, firsts, rest, strict=True)
        }
        for one in measures
    }
    found: Any = summarise_truth(ReviewField(images, names, firsts, label_set), outcomes)
    assert (found.multilabel.k, found.multilabel.n) == (7_443, 46_837)
    assert round(found.mean_labels.value, 2) == 2.44
    medians = [(round(100 * one.median.value, 1), len(one.moved)) for one in found.comparisons]
    assert medians == [(4.2, 36), (-11.1, 36)]
    assert [(one.n_settled, one.n_pairs) for one in found.settled] == [(2_211, 2_211)]
