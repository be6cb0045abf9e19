"""Mean changes: what is drawn anew, and how often the limits hold the change of all images."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from tests.evaluation.sides import QUICK, compare, make_noisy, make_side

from regauge.evaluation.mean_changes import find_mean_change
from regauge.evaluation.shifts import compare_sides
from regauge.evaluation.side_pairs import Pair
from regauge.evaluation.sides import Side, score_images
from regauge.records.evaluation.fits import Resample
from regauge.records.evaluation.shifts import MeanChange, ShiftSettings
from regauge.stats.intervals import clopper_pearson

N_STUDIES = 2_000


@pytest.fixture(scope="module")
def noisy() -> tuple[Side, Side]:
    """Fourteen models whose accuracies scatter around a line."""
    return make_noisy()


def test_top5_has_a_mean_change_of_its_own_where_both_sides_have_it() -> None:
    first, five = {"a": [True, False], "b": [False, False]}, {"a": [True, True], "b": [True, False]}
    both = make_side("old", first, top5=five), make_side("fresh", first, top5=first)
    shift = compare_sides(*both, settings=QUICK)
    # From 1 and 0.5 to 0.5 and 0: a mean of −0.5.
    assert (shift.mean_changes["top1"].value, shift.mean_changes["top5"].value) == (0.0, -0.5)
    assert list(compare_sides(both[0], make_side("fresh", first), settings=QUICK).mean_changes) == ["top1"]


def test_the_mean_change_has_the_limits_of_resampling_models() -> None:
    rng = np.random.default_rng(3)
    old = {f"m{row}": int(k) for row, k in enumerate(rng.integers(300, 900, 30))}
    fresh = {name: k - int(rng.integers(0, 200)) for name, k in old.items()}
    change = compare(old, fresh, (1000, 1000), resample=Resample.MODELS).mean_changes["top1"]
    changes = (np.array(list(fresh.values())) - np.array(list(old.values()))) / 1000
    means = rng.choice(changes, (20_000, 30)).mean(axis=1)
    # Two bootstraps of 10,000 and 20,000 samples agree to a few percent of the spread.
    expected = np.quantile(means, [0.025, 0.975])
    assert (change.low, change.high) == pytest.approx(tuple(expected), abs=0.1 * means.std())


def test_the_mean_change_of_one_model_is_its_gap_turned_round_and_there_is_no_line() -> None:
    shift = compare({"only": 7}, {"only": 5}, (10, 10))
    change, model = shift.mean_changes["top1"], shift.models[0]
    assert (change.n, change.resample) == (1, Resample.IMAGES)
    assert (change.value, change.low, change.high) == pytest.approx((-model.gap.value, -model.gap.high, -model.gap.low))
    assert shift.fits == ()
    assert shift.notes == ("There is no linear fit: a line needs at least two models, and there is only only.",)


@pytest.mark.parametrize("resample", [Resample.MODELS, Resample.MODELS_AND_IMAGES])
def test_one_model_cannot_be_drawn_anew_and_a_note_says_what_to_do(resample: Resample) -> None:
    shift = compare({"only": 7}, {"only": 5}, (10, 10), resample=resample)
    change = shift.mean_changes["top1"]
    assert (change.low, change.high, change.resample) == (None, None, resample)
    assert shift.notes[-1] == (
        'The mean change has no interval: one model alone cannot be resampled. With `resample="images"` it has one.'
    )


def test_no_limit_leaves_the_changes_that_there_are() -> None:
    # Of one image each, the models take turns: drawing both would add up to 118 points on either side.
    change = compare({"a": 1, "b": 0}, {"a": 0, "b": 1}, (1, 1), resample=Resample.MODELS_AND_IMAGES).mean_changes[
        "top1"
    ]
    assert (change.value, change.low, change.high) == (0, -1, 1)


def test_few_models_that_are_drawn_anew_are_too_few_to_trust_the_limits() -> None:
    old, fresh = ({f"m{place}": top - place for place in range(12)} for top in (90, 80))
    few, few_fresh = ({name: each[name] for name in list(each)[:4]} for each in (old, fresh))
    told = "The limits of mean changes come from resampling 4 models, which are too few to trust them."
    for drawn in (Resample.MODELS, Resample.MODELS_AND_IMAGES):
        assert told in compare(few, few_fresh, (100, 100), resample=drawn).notes
    # Images are drawn unless something else is asked for, and twelve models are enough.
    assert told not in compare(few, few_fresh, (100, 100)).notes
    assert not any("mean changes" in note for note in compare(old, fresh, (100, 100), resample=Resample.MODELS).notes)


def test_the_mean_change_redraws_images_unless_asked_otherwise(noisy: tuple[Side, Side]) -> None:
    change = compare_sides(*noisy, settings=QUICK).mean_changes["top1"]
    rng = np.random.default_rng(4)
    means = []
    for side in noisy:
        shares = side.is_right.mean(axis=0)
        means.append(shares[rng.integers(len(shares), size=(20_000, len(shares)))].mean(axis=1))
    expected = np.quantile(means[1] - means[0], [0.025, 0.975])
    assert change.resample is Resample.IMAGES
    assert (change.low, change.high) == pytest.approx(tuple(expected), abs=0.1 * (means[1] - means[0]).std())


def test_drawing_models_and_images_is_the_widest(noisy: tuple[Side, Side]) -> None:
    families = {name: name[-1] for name in noisy[0].models}
    found = {
        resample: compare_sides(*noisy, settings=ShiftSettings(n_bootstrap=4_000, resample=resample, families=families))
        for resample in Resample
    }
    changes = {resample: shift.mean_changes["top1"] for resample, shift in found.items()}
    assert {change.resample for change in changes.values()} == set(Resample)
    widths = {resample: (change.high or 0) - (change.low or 0) for resample, change in changes.items()}
    assert widths[Resample.MODELS_AND_IMAGES] == pytest.approx(
        np.hypot(widths[Resample.MODELS], widths[Resample.IMAGES]), rel=0.1
    )
    slopes = {resample: shift.fits[0].slope.high - shift.fits[0].slope.low for resample, shift in found.items()}
    assert slopes[Resample.MODELS_AND_IMAGES] > max(slopes[Resample.MODELS], slopes[Resample.IMAGES])


def test_a_family_of_its_own_for_every_model_gives_the_mean_change_of_models(noisy: tuple[Side, Side]) -> None:
    alone = {name: f"family of {name}" for name in noisy[0].models}
    models, families = (
        compare_sides(*noisy, settings=replace(QUICK, resample=resample, families=alone)).mean_changes["top1"]
        for resample in (Resample.MODELS, Resample.FAMILIES)
    )
    spread = (models.high or 0) - (models.low or 0)
    assert (families.low, families.high) == pytest.approx((models.low, models.high), abs=0.05 * spread)


def test_limits_of_the_mean_change_cover_the_change_of_all_images() -> None:
    rng = np.random.default_rng(12)
    # Thirty models are right where skill exceeds the difficulty of the image and luck, both normal with variance 1/2.
    skill = np.linspace(0.2, 1.4, 30)[:, np.newaxis]
    truth = float((stats.norm.cdf(skill - 0.4) - stats.norm.cdf(skill)).mean())
    by_images, by_models = [], []
    for study in range(N_STUDIES):
        sides = []
        for name, drop, n in (("old", 0.0, 200), ("fresh", 0.4, 100)):
            right = np.sqrt(0.5) * (rng.standard_normal(n) + rng.standard_normal((30, n))) < skill - drop
            outcomes = right.astype(np.int8)
            counts = {"top1": np.stack([right.sum(axis=1), np.full(30, n)], axis=1)}
            names = tuple(f"m{row:02}" for row in range(30))
            sides.append(Side(name, names, outcomes, counts, (), image_scores={"top1": score_images(outcomes)}))
        pair = Pair(sides[0], sides[1], QUICK)
        by_images.append(covers(find_mean_change(pair, "top1", resample=Resample.IMAGES), truth))
        if study < 100:
            by_models.append(covers(find_mean_change(pair, "top1", resample=Resample.MODELS), truth))
    low, high = clopper_pearson(sum(by_images), N_STUDIES, level=0.999)
    assert low <= 0.95 <= high
    # Thirty models that see the same images are not thirty samples.
    assert np.mean(by_models) < 0.6


def covers(change: MeanChange, truth: float) -> bool:
    return change.low is not None and change.high is not None and change.low <= truth <= change.high
