"""Table 2 of Recht et al. (2019) from the released predictions, and the classes behind it."""

from __future__ import annotations

from pathlib import Path

import pytest

from regauge.evaluation.class_changes import find_class_changes
from regauge.evaluation.sides import Side, judge_side
from regauge.evaluation.strategies import ComparedSet, compare_strategies
from regauge.evaluation.targets import line_up
from regauge.formats.releases.published import MATCHED_FREQUENCY, THRESHOLD, VALIDATION, load_released_set
from regauge.records.evaluation.shifts import ShiftSettings
from regauge.records.evaluation.strategies import IMAGES, PARTICIPANTS, REST, SETS, StrategyComparison
from regauge.records.labels.label_set import Truth

SETTINGS = ShiftSettings(n_bootstrap=2_000, fit_except=("fv_*",))


@pytest.fixture(scope="module")
def sides(published: Path) -> dict[str, Side]:
    found = {}
    for name in (VALIDATION, MATCHED_FREQUENCY, THRESHOLD):
        released = load_released_set(published, name)
        models = (released.get_predictions(model) for model in released.models)
        found[name] = judge_side(models, line_up(Truth(released.test_set)), settings=SETTINGS)
    return found


@pytest.fixture(scope="module")
def comparison(sides: dict[str, Side]) -> StrategyComparison:
    original, *new = (ComparedSet(side) for side in sides.values())
    return compare_strategies(original, new, settings=SETTINGS)


def test_the_mean_changes_are_those_of_table_2(comparison: StrategyComparison) -> None:
    changes = {
        one.name: [round(100 * one.changes[metric].by_images.value, 1) for metric in ("top1", "top5")]
        for one in comparison.sets
    }
    assert changes == {MATCHED_FREQUENCY: [-11.8, -8.2], THRESHOLD: [-3.2, -1.2]}
    assert [one.changes["top5"].by_participants.n for one in comparison.sets] == [67, 67]
    assert [round(one.shift.fits[0].slope.value, 2) for one in comparison.sets] == [1.11, 1.10]


def test_other_images_matter_more_than_other_models(comparison: StrategyComparison) -> None:
    change = comparison.sets[0].changes["top1"]
    assert change.by_participants.low is not None
    assert change.by_participants.high is not None
    assert change.by_images.low is not None
    assert change.by_images.high is not None
    # With 10,000 images and models that err together the images say less than the 67 models seem to.
    assert change.by_images.high - change.by_images.low > 2 * (change.by_participants.high - change.by_participants.low)
    assert (100 * change.by_images.low, 100 * change.by_images.high) == pytest.approx((-12.6, -11.1), abs=0.1)


def test_the_models_differ_more_than_the_two_sets_and_everybody_drops_alike(comparison: StrategyComparison) -> None:
    shares = {part.component: round(100 * (part.by_images.value or 0), 1) for part in comparison.variance}
    assert shares == {SETS: 12.7, PARTICIPANTS: 87.0, REST: 0.2, IMAGES: 0.1}


def test_few_classes_can_be_told_to_have_changed_from_ten_images(sides: dict[str, Side]) -> None:
    changes = find_class_changes(sides[VALIDATION], sides[MATCHED_FREQUENCY], settings=SETTINGS)
    assert {(row.n_original, row.n_new) for row in changes.rows} == {(50, 10)}
    assert sum(row.change or 0 for row in changes.rows) / 1_000 == pytest.approx(-0.11827, abs=1e-5)
    assert changes.describe() == (
        "Of 1,000 classes with images in both sets, 87 are harder on matched_frequency and 1 easier at a false discovery rate "
        "of 5%; 15 changed even after Holm's adjustment."
    )
    # Limits and p-values come from one test: none contradicts the other.
    rows = changes.to_frame()
    is_outside = (rows["change_low"] > 0) | (rows["change_high"] < 0)
    assert (rows["p"] <= 0.05).to_list() == is_outside.to_list()
