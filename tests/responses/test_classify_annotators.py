"""The table of annotators: agreement with the others against plain Python, medians, and what is missing."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from tests.labels.objects.classify_answers import Answer, answer_lists, make_responses

from regauge.arrays import NO_CLASS
from regauge.records.responses.answers import ClassifyResponses
from regauge.responses.classify_annotators import compare_mains, describe_annotators
from regauge.responses.classify_screening import screen_responses
from regauge.stats.intervals import clopper_pearson


def test_agreement_leaves_the_own_answer_out() -> None:
    # On image i the mains are 1, 1, 2. Without a, the others say 1 and 2: 1 was first, so a agrees. Without b the same. Without
    # c both say 1: c does not agree. On image j there is nobody to compare a with.
    answers: list[Answer] = [("i", "a", [1], 1), ("i", "b", [1], 1), ("i", "c", [2], 2), ("j", "a", [3], 3)]
    responses = make_responses(answers)
    table = describe_annotators(responses, screen_responses(responses)).to_frame()
    assert table["n_compared"].to_list() == [1, 1, 1]
    assert table["n_alike"].to_list() == [1, 1, 0]
    low, high = clopper_pearson(1, 1)
    assert table.row(0, named=True)["main_agreement_low"] == low
    assert table.row(0, named=True)["main_agreement_high"] == high


def test_one_own_vote_cannot_win_over_an_equal_one_of_another() -> None:
    responses = make_responses([("i", "a", [1], 1), ("i", "b", [2], 2)])
    assert compare_mains(responses, screen_responses(responses)).is_alike.tolist() == [False, False]


def test_what_is_not_known_is_missing() -> None:
    responses = make_responses([("i", "a", [1, 2], 1), ("j", "b", [], NO_CLASS)])
    rows = describe_annotators(responses, screen_responses(responses)).to_frame().to_dicts()
    assert (rows[0]["mean_labels"], rows[1]["mean_labels"]) == (2, None)
    assert all(row["main_agreement"] is None and row["median_seconds"] is None for row in rows)
    assert (rows[1]["ignored"], rows[1]["reason"]) == (True, "1 of 1 responses flawed, more than a third")
    assert (rows[0]["ignored"], rows[0]["reason"]) == (False, "")


def test_medians_are_of_the_known_times() -> None:
    answers = [(f"{n}", who, [1], 1) for n, who in enumerate("aaabbc")]
    responses = make_responses(answers, seconds=[9, 1, 4, 2, np.nan, np.nan])
    table = describe_annotators(responses, screen_responses(responses)).to_frame()
    assert table["median_seconds"].to_list() == [4, 2, None]


@given(answer_lists(max_classes=3))
def test_plain_python_finds_the_same_agreement(answers: list[Answer]) -> None:
    responses = make_responses(answers)
    found = compare_mains(responses, screen_responses(responses))
    for row, (image, who, _, main) in enumerate(answers):
        others = [one[3] for one in answers if one[0] == image and one[1] != who]
        assert found.is_compared[row] == bool(others)
        assert found.is_alike[row] == (bool(others) and Counter(others).most_common(1)[0][0] == main)


def test_the_interval_of_the_agreement_covers_the_true_rate() -> None:
    # The annotator names the object with probability 0.8, each of two others always does: the true agreement is 0.8. Each of
    # 2,000 annotators answers 40 images of their own.
    rng = np.random.default_rng(40)
    n_annotators, n_images = 2_000, 40
    n = n_annotators * n_images
    mains = np.zeros((n, 3), np.int32)
    mains[:, 0] = rng.random(n) >= 0.8
    images = np.repeat(np.arange(n, dtype=np.int32), 3)
    annotators = np.stack(
        [np.repeat(np.arange(n_annotators), n_images), np.full(n, n_annotators), np.full(n, n_annotators + 1)]
    )
    responses = ClassifyResponses(
        image_ids=np.arange(n).astype(np.str_),
        annotator_ids=np.arange(n_annotators + 2).astype(np.str_),
        response_images=images,
        response_annotators=annotators.T.ravel().astype(np.int32),
        starts=np.arange(3 * n + 1),
        selected=mains.ravel(),
        main=mains.ravel(),
    )
    table = describe_annotators(responses, screen_responses(responses)).to_frame().head(n_annotators)
    covered = (table["main_agreement_low"] <= 0.8) & (table["main_agreement_high"] >= 0.8)
    _, high = clopper_pearson(int(covered.sum()), n_annotators, level=0.999)
    assert high >= 0.95
