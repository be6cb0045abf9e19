"""Several new sets: worked numbers, the frequencies, the parts of the variance, and their coverage."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from regauge.arrays import BoolArray, FloatArray
from regauge.errors import InputError
from regauge.evaluation.sides import Side, judge_side
from regauge.evaluation.strategies import ComparedSet, compare_strategies, find_mean_frequency
from regauge.evaluation.targets import line_up
from regauge.records.evaluation.shifts import ShiftSettings
from regauge.records.evaluation.strategies import (
    IMAGES,
    PARTICIPANTS,
    REST,
    SETS,
    STRATEGY_COLUMNS,
    VARIANCE_COLUMNS,
    StrategyComparison,
)
from regauge.records.labels.frequencies import SelectionCounts
from regauge.records.labels.label_set import Truth
from regauge.records.predictions import Predictions
from regauge.records.testsets.test_set import TestSet
from regauge.stats.intervals import clopper_pearson
from regauge.stats.two_way import split_squares

SETTINGS = ShiftSettings(n_bootstrap=100)


def judge(name: str, right: BoolArray) -> Side:
    """Participants a, b, … that are right on these images."""
    ids = np.array([f"{name}{place}" for place in range(right.shape[1])])
    models = [Predictions(chr(97 + place), ids, np.where(row, 0, 1)) for place, row in enumerate(right)]
    return judge_side(models, line_up(Truth(TestSet(name, ids, np.zeros(len(ids), np.int32)))), settings=SETTINGS)


def count(name: str, n: int, *n_right: int) -> ComparedSet:
    return ComparedSet(judge(name, np.array([[place < k for place in range(n)] for k in n_right])))


def compare(*new: ComparedSet, settings: ShiftSettings = SETTINGS) -> StrategyComparison:
    return compare_strategies(count("old", 50, 40, 30), new, settings=settings)


def test_two_sets_by_hand() -> None:
    found = compare(count("hard", 40, 20, 10), count("easy", 40, 36, 30))
    # Old 80% and 60%; hard 50% and 25%, easy 90% and 75%: changes of −30 and −35, +10 and +15 points.
    assert [one.changes["top1"].by_images.value for one in found.sets] == pytest.approx([-0.325, 0.125])
    assert [one.n_images for one in found.sets] == [40, 40]
    assert [one.spread.value for one in found.sets] == pytest.approx([0.25, 0.15])
    assert [(name, one.n) for name, one in found.ranges.items()] == [("a", 2), ("b", 2)]
    assert [one.value for one in found.ranges.values()] == pytest.approx([0.4, 0.5])
    deviations = [one.deviation.value for one in found.sets if one.deviation is not None]
    assert deviations == pytest.approx([0.25 / np.sqrt(2), 0.15 / np.sqrt(2)])
    # Squares: means of sets 0.375 and 0.825, of participants 0.7 and 0.5, each cell 0.025 off.
    squares = split_squares([[0.5, 0.9], [0.25, 0.75]])
    assert list(map(float, squares)) == pytest.approx([2 * 2 * 0.225**2, 2 * 2 * 0.1**2, 4 * 0.025**2])
    whole = sum(part.squares for part in found.variance)
    assert whole == pytest.approx(sum(map(float, squares)))
    assert sum(part.by_images.value or 0 for part in found.variance) == pytest.approx(1)
    assert [part.dof for part in found.variance] == [1, 1, 1, None]


def test_every_value_lies_within_its_limits() -> None:
    found = compare(count("hard", 40, 20, 10), count("easy", 40, 36, 30))
    for one in found.sets:
        change = one.changes["top1"]
        assert change.by_images.low is not None
        assert change.by_images.high is not None
        assert change.by_images.low < change.by_images.value < change.by_images.high
        assert one.spread.low <= one.spread.value <= one.spread.high
    for part in (found.get_part(SETS), found.get_part(PARTICIPANTS)):
        assert part.by_images.low is not None and part.by_images.value is not None and part.by_images.high is not None  # noqa: PT018
        assert part.by_images.low < part.by_images.value < part.by_images.high


def test_a_single_participant_has_no_limits_from_drawing_participants() -> None:
    found = compare_strategies(count("old", 50, 40), [count("hard", 40, 20), count("easy", 40, 36)], settings=SETTINGS)
    assert [one.deviation for one in found.sets] == [None, None]
    assert [one.changes["top1"].by_participants.low for one in found.sets] == [None, None]
    assert found.get_part(SETS).by_participants.low is None
    assert found.get_part(PARTICIPANTS).squares == 0
    assert found.get_part(SETS).by_images.low is not None


def test_sets_without_any_variance_have_no_shares() -> None:
    found = compare(count("one", 10, 10, 10), count("two", 10, 10, 10))
    assert [part.by_images.value for part in found.variance] == [None] * 4
    assert "–" in found.describe()


def test_fewer_than_two_new_sets_or_two_of_one_name_are_refused() -> None:
    with pytest.raises(InputError, match="at least two new sets, not on hard alone"):
        compare(count("hard", 40, 20, 10))
    with pytest.raises(InputError, match="different names"):
        compare(count("hard", 40, 20, 10), count("hard", 40, 20, 10))
    with pytest.raises(InputError, match="but not on"):
        compare(count("hard", 40, 20, 10), count("easy", 40, 36))


def test_the_tables_have_the_documented_columns() -> None:
    found = compare(count("hard", 40, 20, 10), count("easy", 40, 36, 30))
    assert dict(found.to_frame().schema) == dict(STRATEGY_COLUMNS)
    assert dict(found.to_variance_frame().schema) == dict(VARIANCE_COLUMNS)
    assert found.to_variance_frame()["component"].to_list() == [SETS, PARTICIPANTS, REST, IMAGES]
    row = found.to_frame().row(0, named=True)
    assert (row["test_set"], row["metric"], row["frequency"]) == ("hard", "top1", None)
    assert row["slope"] == pytest.approx(found.sets[0].shift.fits[0].slope.value)


def test_the_sentence_has_every_number() -> None:
    found = compare(count("hard", 40, 20, 10), count("easy", 40, 36, 30))
    text = found.describe()
    assert text.startswith(
        "A participant's top1 moves by 45.0 points (median of 2) between the 2 new sets, and the participants"
    )
    assert "25.0 points apart on one set (hard)" in text
    for part in found.variance:
        assert part.by_images.value is not None
        ends = [100 * (end or 0) for one in (part.by_participants, part.by_images) for end in (one.low, one.high)]
        shown = "other participants [{:.1f}, {:.1f}], other images [{:.1f}, {:.1f}]".format(*ends)
        assert f"{100 * part.by_images.value:.1f}% ({shown})" in text
    alone = compare_strategies(count("old", 50, 40), [count("hard", 40, 20), count("easy", 40, 36)], settings=SETTINGS)
    assert "other participants" not in alone.describe()
    assert "(other images [" in alone.describe()
    assert text in repr(found)


# Frequencies


def make_counts(name: str, n_shown: list[int], n_selected: list[int]) -> SelectionCounts:
    places = np.arange(len(n_shown))
    ids = np.array([f"i{place}" for place in places])
    return SelectionCounts(ids, places, np.zeros(len(places), np.int32), n_shown, n_selected, name)


def test_the_mean_frequency_leaves_out_images_that_nobody_judged() -> None:
    images = TestSet("set", np.array([f"i{place}" for place in range(5)]), np.array([0, 0, 0, 1, 0], np.int32))
    # The fourth image was asked about another class than its own, the fifth of nobody: 10/10, 5/10 and 2/8 count.
    counts = make_counts("asked", [10, 10, 8, 10, 0], [10, 5, 2, 9, 0])
    few = make_counts("few", [10], [0])
    target = line_up(Truth(images, frequencies=(few, counts)))
    found = find_mean_frequency(target, settings=SETTINGS)
    assert found is not None
    assert (found.labels, found.n) == ("asked", 3)
    assert found.value == pytest.approx((1 + 0.5 + 0.25) / 3)
    assert found.low is not None
    assert found.high is not None
    assert found.low < found.value < found.high
    assert find_mean_frequency(line_up(Truth(images)), settings=SETTINGS) is None


# Coverage


def answer(rng: np.random.Generator, accuracies: FloatArray, n: int) -> BoolArray:
    """Participants that find the same images hard; on average right that often."""
    skill = stats.norm.ppf(accuracies)[:, np.newaxis] * np.sqrt(2)
    return np.asarray(rng.standard_normal(n) + rng.standard_normal((len(accuracies), n)) < skill)


def test_limits_with_images_drawn_anew_cover_the_true_share_and_change(rng: np.random.Generator) -> None:
    truth = np.array([[0.8, 0.6], [0.7, 0.55], [0.55, 0.35]])
    squares = split_squares(truth)
    share = float(squares.sets) / sum(map(float, squares))
    n, n_share, n_change = 100, 0, 0
    for _ in range(n):
        new = [ComparedSet(judge(f"s{place}", answer(rng, truth[:, place], 200))) for place in range(2)]
        old = ComparedSet(judge("old", answer(rng, truth[:, 0], 200)))
        found = compare_strategies(old, new, settings=SETTINGS)
        part, change = found.get_part(SETS), found.sets[1].changes["top1"]
        assert part.by_images.low is not None
        assert part.by_images.high is not None
        assert change.by_images.low is not None
        assert change.by_images.high is not None
        n_share += part.by_images.low <= share <= part.by_images.high
        n_change += change.by_images.low <= float((truth[:, 1] - truth[:, 0]).mean()) <= change.by_images.high
    # The chance of images is taken off the whole as well, so that the share is that of the true accuracies nearly.
    assert clopper_pearson(n_share, n).high >= 0.95
    assert clopper_pearson(n_change, n).high >= 0.95
