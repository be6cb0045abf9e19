"""Effective robustness: what its limits hold, and how often they hold the truth."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from regauge.arrays import BoolArray, FloatArray
from regauge.evaluation.robustness import measure_robustness, note_robustness
from regauge.evaluation.side_pairs import Pair
from regauge.evaluation.sides import Side, score_images
from regauge.records.evaluation.fits import Resample, Scale
from regauge.records.evaluation.shifts import ShiftSettings
from regauge.records.testsets.shared_images import SharedImages
from regauge.stats.fits import bootstrap_lines, line_band
from regauge.stats.intervals import clopper_pearson

SETTINGS = ShiftSettings(n_bootstrap=400)
N_STUDIES = 2_000


def make_side(name: str, right: BoolArray) -> Side:
    """Models m00, m01, … that are right on these images."""
    n_models, n = right.shape
    outcomes = right.astype(np.int8)
    counts = {"top1": np.stack([right.sum(axis=1), np.full(n_models, n)], axis=1)}
    names = tuple(f"m{row:02}" for row in range(n_models))
    return Side(name, names, outcomes, counts, (), image_scores={"top1": score_images(outcomes)})


def answer(rng: np.random.Generator, chances: FloatArray, n: int) -> BoolArray:
    """Models that find the same images hard: right where difficulty and luck together are below a quantile."""
    difficulty = rng.standard_normal(n) + rng.standard_normal((len(chances), n))
    return np.asarray(difficulty / np.sqrt(2) < stats.norm.ppf(chances)[:, np.newaxis])


def draw_study(rng: np.random.Generator, *, n: tuple[int, int] = (300, 200)) -> tuple[Pair, list[str], float]:
    """Twenty models around the line 0.95·x − 0.1, and one that lies 3 points above it."""
    x = rng.uniform(0.4, 0.9, 20)
    y = 0.95 * x - 0.1 + rng.normal(0, 0.01, 20)
    chances = np.append(x, 0.7), np.append(y, 0.95 * 0.7 - 0.1 + 0.03)
    sides = [make_side(name, answer(rng, one, size)) for name, one, size in zip("ab", chances, n, strict=True)]
    return Pair(sides[0], sides[1], SETTINGS), [f"m{row:02}" for row in range(20)], 0.03


def test_limits_cover_the_true_distance_from_the_line_of_all_models() -> None:
    rng = np.random.default_rng(6)
    covered, by_line = [], []
    for study in range(N_STUDIES):
        pair, names, truth = draw_study(rng)
        _, lows, highs = measure_robustness(pair, names).columns
        covered.append(lows[-1] <= truth <= highs[-1])
        if study < 200:
            x, y = pair.accuracies
            band = line_band(bootstrap_lines(x[:-1], y[:-1], seed=1, n_resamples=400), x[-1:])
            by_line.append(y[-1] - band.high[0] <= truth <= y[-1] - band.low[0])
    low, high = clopper_pearson(sum(covered), N_STUDIES, level=0.999)
    assert low <= 0.95 <= high
    # The spread of the line alone leaves out the model's own images.
    assert np.mean(by_line) < 0.5


@pytest.mark.parametrize("scale", list(Scale))
def test_the_limits_are_those_of_a_plain_loop(scale: Scale) -> None:
    pair, names, _ = draw_study(np.random.default_rng(3))
    pair = replace(pair, settings=ShiftSettings(n_bootstrap=4_000, scales=(scale,)))
    found = measure_robustness(pair, names)
    there, back = {
        Scale.LINEAR: (lambda p: p, lambda p: p),
        Scale.PROBIT: (stats.norm.ppf, stats.norm.cdf),
        Scale.LOGIT: (stats.logistic.ppf, stats.logistic.cdf),
    }[scale]
    rng = np.random.default_rng(8)
    rights = pair.original.is_right, pair.new.is_right
    above = []
    for _ in range(2_000):
        x, y = (right[:, rng.integers(right.shape[1], size=right.shape[1])].mean(axis=1) for right in rights)
        drawn = rng.integers(20, size=20)
        slope, offset = np.polyfit(there(x[drawn]), there(y[drawn]), 1)
        above.append(y[-1] - back(slope * there(x[-1]) + offset))
    expected = np.quantile(above, [0.025, 0.975])
    assert (found.columns[1][-1], found.columns[2][-1]) == pytest.approx(tuple(expected), abs=0.12 * np.std(above))
    assert (found.baseline.scale, found.baseline.n_models, found.baseline.n_dropped) == (scale, 20, 0)
    assert (found.baseline.n_bootstrap, found.baseline.resample) == (2_000, Resample.MODELS_AND_IMAGES)


def test_more_images_and_more_models_make_the_limits_narrower() -> None:
    few, many = (draw_study(np.random.default_rng(4), n=n)[0] for n in ((200, 100), (2_000, 1_000)))
    names = [f"m{row:02}" for row in range(20)]
    widths = [
        float((found.columns[2] - found.columns[1])[-1])
        for found in (measure_robustness(one, names) for one in (few, many))
    ]
    # Ten times the images, and the scatter of the models around the line is small beside what images add.
    assert widths[1] / widths[0] == pytest.approx(10**-0.5, abs=0.12)


def test_families_of_copies_are_drawn_as_one() -> None:
    pair, names, _ = draw_study(np.random.default_rng(5))
    copies = [names[row] for row in (0, 7, 13)] * 6
    sides = []
    for side in (pair.original, pair.new):
        rows = [*pair.find_places(copies), 20]
        sides.append(make_side(side.name, side.is_right[rows]))
    families = {f"m{row:02}": str(row % 3) for row in range(18)} | {"m18": "own"}
    widths = []
    for settings in (SETTINGS, replace(SETTINGS, resample=Resample.FAMILIES, families=families)):
        found = measure_robustness(Pair(sides[0], sides[1], settings), [f"m{row:02}" for row in range(18)])
        widths.append(float((found.columns[2] - found.columns[1])[-1]))
    assert found.baseline.resample is Resample.FAMILIES_AND_IMAGES
    assert widths[0] < widths[1]
    (few, *_) = note_robustness(Pair(sides[0], sides[1], settings), found.baseline)
    assert few == (
        "The limits of effective robustness come from resampling the 3 families of the baseline, which are too few to trust "
        "them."
    )


def test_a_set_and_its_copy_leave_every_model_on_the_line() -> None:
    pair, names, _ = draw_study(np.random.default_rng(7))
    rows = np.arange(300)
    same = Pair(pair.original, replace(pair.original, name="copy"), SETTINGS, SharedImages(rows, rows))
    values, lows, highs = measure_robustness(same, names).columns
    for column in (values, lows, highs):
        assert column == pytest.approx(np.zeros(21), abs=1e-12)


def test_a_baseline_of_two_models_is_too_small_and_says_how_many_samples_have_no_line() -> None:
    pair, names, _ = draw_study(np.random.default_rng(9))
    found = measure_robustness(pair, names[:2])
    few, dropped = note_robustness(pair, found.baseline)
    assert "the 2 models of the baseline, which are too few" in few
    # Half of all draws are one model twice.
    assert found.baseline.n_dropped == pytest.approx(200, abs=60)
    assert dropped.startswith(f"{found.baseline.n_dropped} of 400 bootstrap samples have no line through the baseline")
    assert list(note_robustness(pair, measure_robustness(pair, names).baseline)) == []


def test_images_that_do_not_count_for_everybody_do_not_move_the_middle() -> None:
    pair, names, _ = draw_study(np.random.default_rng(10))
    outcomes = pair.original.outcomes.copy()
    outcomes[3, :150] = 3
    n = np.array([[int((row == 1).sum()), int((row != 3).sum())] for row in outcomes])
    some = replace(pair, original=replace(pair.original, outcomes=outcomes, counts={"top1": n}))
    values, lows, highs = measure_robustness(some, names).columns
    assert ((lows < values) & (values < highs)).all()
