"""Every metric on every subset against an oracle of plain sets and dicts, and properties on random truths.

A case is made of dicts keyed by image id. `build` turns it into records with the rows of each in an order of its own;
`score_by_hand` never sees a row.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from regauge.arrays import NO_CLASS
from regauge.evaluation.metrics import find_measures
from regauge.evaluation.outcomes import Outcome
from regauge.evaluation.scoring import score_participants
from regauge.evaluation.subsets import Subset, find_image_subsets
from regauge.evaluation.targets import Target, line_up
from regauge.records.evaluation.scores import Scores, ScoreSettings
from regauge.records.labels.label_set import LabelKind, LabelSet, Truth, Unlisted
from regauge.records.labels.verdicts import Verdict
from regauge.records.predictions import Predictions
from regauge.records.testsets.test_set import TestSet

KEYS = ["participant", "labels", "metric", "subset"]
ACCEPTED = {
    "multilabel_lenient": {Verdict.CORRECT, Verdict.UNCLEAR},
    "multilabel_strict": {Verdict.CORRECT},
    "real": {Verdict.CORRECT, Verdict.UNCLEAR},
}
SETTINGS = ScoreSettings(allow_missing=True, n_bootstrap=100)

seeds = st.integers(0, 2**32 - 1)


@dataclass
class Review:
    name: str
    kind: LabelKind
    unlisted: Unlisted
    verdicts: dict[str, dict[int, Verdict]]
    problematic: set[str] = field(default_factory=set)
    main: dict[str, int] = field(default_factory=dict)


@dataclass
class Case:
    labels: dict[str, int]
    reviews: list[Review]
    answers: dict[str, dict[str, list[int]]]
    class_subsets: dict[str, list[int]]
    image_subsets: dict[str, list[str]]

    @property
    def images(self) -> set[str]:
        return {*self.labels, *(image for review in self.reviews for image in review.verdicts)}


def make_case(seed: int) -> Case:
    """Missing and extra images, ragged answers, unlisted classes of both kinds, problematic images, lists with repeats."""
    rnd = random.Random(seed)  # noqa: S311 - nothing here is secret
    n_classes = rnd.randint(2, 7)
    images = [f"image {number}" for number in range(rnd.randint(1, 14))]
    labels = {image: rnd.randrange(n_classes) for image in images if rnd.random() < rnd.choice([0, 0.8, 1])}
    reviews = [make_review(rnd, f"review {number}", images, n_classes) for number in range(rnd.randint(0, 2))]
    if not labels and not any(review.kind is LabelKind.REAL for review in reviews):
        labels = {images[0]: 0}
    known = sorted({*labels, *(image for review in reviews for image in review.verdicts)})
    answers = {f"participant {n}": make_answers(rnd, known) for n in range(rnd.randint(1, 3))}
    classes = {"some": rnd.choices(range(8), k=rnd.randint(2, 4)), "one": [rnd.randrange(8)], "none": []}
    return Case(
        labels=labels,
        reviews=reviews,
        answers=answers,
        class_subsets=classes if labels else {},
        image_subsets={"listed": rnd.choices([*images, "unknown"], k=6), "empty": []},
    )


def make_review(rnd: random.Random, name: str, images: Sequence[str], n_classes: int) -> Review:
    reviewed = [image for image in [*images, "only reviewed"] if rnd.random() < 0.8] or list(images)
    kind = rnd.choice(list(LabelKind))
    verdicts = {
        image: {index: rnd.choice(list(Verdict)) for index in range(n_classes) if rnd.random() < 0.4}
        for image in reviewed
    }
    return Review(
        name=name,
        kind=kind,
        unlisted=rnd.choice(list(Unlisted)),
        verdicts=verdicts,
        problematic={image for image in reviewed if rnd.random() < 0.2},
        main={image: rnd.randrange(n_classes) for image in reviewed if rnd.random() < 0.5},
    )


def make_answers(rnd: random.Random, known: Sequence[str]) -> dict[str, list[int]]:
    k, is_ragged = rnd.choice([1, 3, 5, 6]), rnd.random() < 0.3
    answered = [image for image in known if rnd.random() < 0.9] or [known[0]]
    images = [*answered, *rnd.sample(["extra 1", "extra 2"], rnd.randint(0, 2))]
    return {image: rnd.sample(range(7), rnd.randint(1, k) if is_ragged else k) for image in images}


def shuffle(items: Iterable[Any], rnd: random.Random) -> list[Any]:
    shuffled = list(items)
    rnd.shuffle(shuffled)
    return shuffled


def build(case: Case, order_seed: int) -> tuple[list[Predictions], Target, tuple[Subset, ...]]:
    """The case as records, every record in a row order of its own."""
    rnd = random.Random(order_seed)  # noqa: S311
    rows = shuffle(case.labels, rnd)
    test_set = TestSet("t", np.array(rows), np.array([case.labels[image] for image in rows])) if rows else None
    target = line_up(Truth(test_set, tuple(build_review(review, rnd) for review in case.reviews)))
    participants = [build_predictions(name, answers, rnd) for name, answers in shuffle(case.answers.items(), rnd)]
    by_class = (Subset(name, classes=np.array(shuffle(c, rnd), np.int32)) for name, c in case.class_subsets.items())
    return participants, target, (*by_class, *find_image_subsets(case.image_subsets, target))


def build_review(review: Review, rnd: random.Random) -> LabelSet:
    images = shuffle(review.verdicts, rnd)

    def list_classes(verdict: Verdict) -> list[list[int]]:
        return [
            shuffle((index for index, said in review.verdicts[image].items() if said is verdict), rnd)
            for image in images
        ]

    return LabelSet.from_lists(
        review.name,
        images,
        correct=list_classes(Verdict.CORRECT),
        unclear=list_classes(Verdict.UNCLEAR),
        wrong=list_classes(Verdict.WRONG),
        is_problematic=[image in review.problematic for image in images],
        main_labels=[review.main.get(image, NO_CLASS) for image in images],
        kind=review.kind,
        unlisted=review.unlisted,
    )


def build_predictions(name: str, answers: Mapping[str, list[int]], rnd: random.Random) -> Predictions:
    images = shuffle(answers, rnd)
    k = max(map(len, answers.values()))
    padded = [[*answers[image], *[NO_CLASS] * (k - len(answers[image]))] for image in images]
    return Predictions(name, np.array(images), np.array(padded, np.int32))


def score_case(case: Case, *, order_seed: int = 0, with_subsets: bool = True) -> Scores:
    participants, target, subsets = build(case, order_seed)
    return score_participants(participants, target, subsets=subsets if with_subsets else (), settings=SETTINGS)


def find_measures_by_hand(case: Case, given_answers: Mapping[str, list[int]]) -> list[tuple[str, Review | None]]:
    n_answers = min(len(answers) for image, answers in given_answers.items() if image in case.images)
    measures: list[tuple[str, Review | None]] = []
    if case.labels:
        measures += [("top1", None), *([("top5", None)] if n_answers >= 5 else [])]
    for review in case.reviews:
        if review.kind is LabelKind.REAL:
            measures.append(("real", review))
        elif any(review.verdicts.values()):
            measures += [("multilabel_lenient", review), ("multilabel_strict", review)]
        if review.main:
            measures.append(("main_label", review))
    return measures


def judge_by_hand(case: Case, metric: str, review: Review | None, image: str, answers: list[int]) -> str | None:
    if review is None:
        n_answers = 5 if metric == "top5" else 1
        return None if image not in case.labels else str(case.labels[image] in answers[:n_answers])
    if image not in review.verdicts or image in review.problematic:
        return None
    if metric == "main_label":
        return str(answers[0] == review.main[image]) if image in review.main else None
    listed = review.verdicts[image]
    if metric == "real" and not listed:
        return None
    if answers[0] in listed:
        return str(listed[answers[0]] in ACCEPTED[metric])
    return "False" if review.unlisted is Unlisted.WRONG else "unjudged"


def summarise_by_hand(outcomes: Mapping[str, str | None]) -> dict[str, Any]:
    counted = [outcome for outcome in outcomes.values() if outcome is not None]
    n, right, unjudged = len(counted), counted.count("True"), counted.count("unjudged")
    return {
        "n": n,
        "n_correct": right,
        "n_unjudged": unjudged,
        "value": right / n if n else None,
        "lower_bound": right / n if n else None,
        "upper_bound": (right + unjudged) / n if n else None,
    }


def balance_by_hand(case: Case, outcomes: Mapping[str, str | None]) -> dict[str, Any]:
    by_class: dict[int, dict[str, str | None]] = {}
    for image, outcome in outcomes.items():
        if image in case.labels and outcome is not None:
            by_class.setdefault(case.labels[image], {})[image] = outcome
    classes = [summarise_by_hand(one) for one in by_class.values()]
    row: dict[str, Any] = {name: sum(one[name] for one in classes) for name in ("n", "n_correct", "n_unjudged")}
    for name in ("value", "lower_bound", "upper_bound"):
        row[name] = math.fsum(one[name] for one in classes) / len(classes) if classes else None
    return row


def score_by_hand(case: Case) -> dict[tuple[str, str, str, str], dict[str, Any]]:
    subsets: dict[str, set[str]] = {"all": case.images}
    subsets |= {name: {i for i in case.labels if case.labels[i] in set(c)} for name, c in case.class_subsets.items()}
    subsets |= {name: case.images & set(images) for name, images in case.image_subsets.items()}
    rows = {}
    for participant, answers in case.answers.items():
        for metric, review in find_measures_by_hand(case, answers):
            source = "dataset" if review is None else review.name
            for subset, images in subsets.items():
                outcomes = {i: judge_by_hand(case, metric, review, i, answers[i]) for i in images & answers.keys()}
                rows[participant, source, metric, subset] = summarise_by_hand(outcomes)
                if case.labels and len(set(case.class_subsets.get(subset, []))) != 1:
                    rows[participant, source, f"{metric}_balanced", subset] = balance_by_hand(case, outcomes)
    return rows


def index_rows(scores: Scores) -> dict[tuple[str, ...], dict[str, Any]]:
    rows = {tuple(row[key] for key in KEYS): row for row in scores.to_frame().to_dicts()}
    assert len(rows) == len(scores)
    return rows


@settings(max_examples=150)
@given(seed=seeds)
def test_every_score_is_what_plain_sets_and_dicts_give(seed: int) -> None:
    case = make_case(seed)
    rows, expected = index_rows(score_case(case, order_seed=seed)), score_by_hand(case)
    assert rows.keys() == expected.keys()
    for key, by_hand in expected.items():
        assert {name: rows[key][name] for name in by_hand} == pytest.approx(by_hand, abs=1e-12), key


@settings(max_examples=40)
@given(seed=seeds)
def test_plain_intervals_run_from_the_limit_of_the_lower_to_that_of_the_upper_bound(seed: int) -> None:
    rows = [row for row in score_case(make_case(seed)).to_frame().to_dicts() if "balanced" not in row["metric"]]
    for row in rows:
        n, k, most = row["n"], row["n_correct"], row["n_correct"] + row["n_unjudged"]
        if not n:
            assert (row["low"], row["high"], row["interval"]) == (None, None, None)
            continue
        assert row["low"] == pytest.approx(stats.beta.ppf(0.025, k, n - k + 1) if k else 0.0, abs=1e-9)
        assert row["high"] == pytest.approx(stats.beta.ppf(0.975, most + 1, n - most) if most < n else 1.0, abs=1e-9)
        assert row["interval"] == ("clopper-pearson (outer)" if row["n_unjudged"] else "clopper-pearson")


@settings(max_examples=40)
@given(seed=seeds, order_seed=seeds)
def test_the_order_of_images_participants_and_lists_changes_nothing(seed: int, order_seed: int) -> None:
    case = make_case(seed)
    assert index_rows(score_case(case, order_seed=order_seed)) == index_rows(score_case(case, order_seed=0))


@settings(max_examples=40)
@given(seed=seeds)
def test_the_order_in_which_scores_stand_to_each_other(seed: int) -> None:
    rows = index_rows(score_case(make_case(seed)))
    for (participant, labels, metric, subset), row in rows.items():
        if row["value"] is None:
            continue
        assert 0 <= row["lower_bound"] <= row["value"] <= row["upper_bound"] <= 1
        assert row["low"] <= row["high"]
        if "balanced" not in metric:
            assert row["low"] <= row["lower_bound"]
            assert row["upper_bound"] <= row["high"]
        for narrow, wide in (("strict", "lenient"), ("top1", "top5")):
            wider = rows.get((participant, labels, metric.replace(narrow, wide), subset))
            if wider is not None:
                assert row["n"] == wider["n"]
                assert row["value"] <= wider["value"] + 1e-12
                assert row["upper_bound"] <= wider["upper_bound"] + 1e-12


@settings(max_examples=60)
@given(seed=seeds, verdict=st.sampled_from(Verdict))
def test_a_new_verdict_moves_every_score_only_within_its_former_bounds(seed: int, verdict: Verdict) -> None:
    case = make_case(seed)
    before = index_rows(score_case(case))
    for review in case.reviews:
        for answers in case.answers.values():
            # An image that a ReaL list leaves empty is not counted, so a first verdict on it would change n.
            for image in sorted(answers.keys() & {image for image, listed in review.verdicts.items() if listed}):
                if review.unlisted is Unlisted.UNJUDGED:
                    review.verdicts[image].setdefault(answers[image][0], verdict)
    for key, row in index_rows(score_case(case)).items():
        assert row["n"] == before[key]["n"]
        if row["n"]:
            for name in ("lower_bound", "value", "upper_bound"):
                low, high = before[key]["lower_bound"], before[key]["upper_bound"]
                assert low - 1e-12 <= row[name] <= high + 1e-12


@settings(max_examples=40)
@given(seed=seeds, n_parts=st.integers(1, 4))
def test_the_counts_of_a_partition_add_up_to_the_whole(seed: int, n_parts: int) -> None:
    case = make_case(seed)
    parts = [sorted(case.images)[start::n_parts] for start in range(n_parts)]
    case = replace(case, class_subsets={}, image_subsets={f"part {i}": part for i, part in enumerate(parts)})
    counts = pl.col("n", "n_correct", "n_unjudged")
    frame = score_case(case).to_frame()
    whole = frame.filter(subset="all").select("participant", "labels", "metric", counts)
    added = frame.filter(pl.col("subset") != "all").group_by("participant", "labels", "metric").agg(counts.sum())
    assert whole.sort(KEYS[:3]).rows() == added.sort(KEYS[:3]).rows()


@settings(max_examples=40)
@given(seed=seeds)
def test_a_row_does_not_depend_on_what_else_is_scored(seed: int) -> None:
    case = make_case(seed)
    together = index_rows(score_case(case))
    for name, answers in case.answers.items():
        alone = index_rows(score_case(replace(case, answers={name: answers}), with_subsets=False))
        assert alone == {key: row for key, row in together.items() if key[0] == name and key[3] == "all"}


def judge(truth: Truth, answers: list[list[int]]) -> dict[tuple[str, str], list[int]]:
    """The outcomes of every measure on images in the truth's own order."""
    measures = find_measures(line_up(truth))
    return {(one.metric, one.labels): one.judge(np.array(answers, np.int32)).tolist() for one in measures}


def test_every_metric_judges_as_its_paper_does() -> None:
    ids = np.array(["a", "b", "c", "d", "e"])
    test_set = TestSet("t", ids, np.array([0, 0, 0, 0, 0], np.int32))
    review = LabelSet.from_lists(
        "review",
        ids,
        correct=[[0], [1], [], [0], []],
        unclear=[[], [], [1], [1], []],
        wrong=[[1], [], [0], [], []],
        is_problematic=[False, False, False, True, False],
        main_labels=[1, 1, NO_CLASS, 1, 0],
    )
    real = LabelSet.from_lists("real", ids, correct=[[0], [0, 1], [], [1], [2]], kind=LabelKind.REAL)
    # Everybody's first answer is 1; the label 0 comes second, sixth or not at all.
    answers = [[1, 0, 2, 3, 4, 5], [1, 2, 3, 4, 5, 0], [1, 2, 3, 4, 0, 5], [1, 0, 2, 3, 4, 5], [1, 2, 3, 4, 5, 6]]
    wrong, right, unjudged, left_out = Outcome.WRONG, Outcome.RIGHT, Outcome.UNJUDGED, Outcome.NOT_COUNTED
    assert judge(Truth(test_set, (review, real)), answers) == {
        ("top1", "dataset"): [wrong] * 5,
        ("top5", "dataset"): [right, wrong, right, right, wrong],
        ("multilabel_lenient", "review"): [wrong, right, right, left_out, unjudged],
        ("multilabel_strict", "review"): [wrong, right, wrong, left_out, unjudged],
        ("real", "real"): [wrong, right, left_out, right, wrong],
        ("main_label", "review"): [right, right, left_out, left_out, wrong],
    }


def test_an_image_without_answer_or_without_truth_is_not_counted() -> None:
    test_set = TestSet("t", np.array(["a", "b"]), np.array([0, 0], np.int32))
    review = LabelSet.from_lists("review", ["b", "c"], correct=[[0], [0]])
    outcomes = judge(Truth(test_set, (review,)), [[0], [NO_CLASS], [0]])
    assert outcomes["top1", "dataset"] == [Outcome.RIGHT, Outcome.NOT_COUNTED, Outcome.NOT_COUNTED]
    assert outcomes["multilabel_strict", "review"] == [Outcome.NOT_COUNTED, Outcome.NOT_COUNTED, Outcome.RIGHT]


def test_a_truth_allows_only_the_metrics_it_has_labels_for() -> None:
    verdicts = LabelSet.from_lists("verdicts", ["a"], correct=[[0]])
    mains = LabelSet.from_lists("mains", ["a"], main_labels=[0])
    assert judge(Truth(label_sets=(verdicts,)), [[0]]).keys() == {
        ("multilabel_lenient", "verdicts"),
        ("multilabel_strict", "verdicts"),
    }
    assert judge(Truth(label_sets=(mains,)), [[0]]).keys() == {("main_label", "mains")}
