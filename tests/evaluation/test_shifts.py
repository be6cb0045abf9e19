"""Two sides compared: worked numbers, an oracle in plain Python, properties, and notes where there is no line."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from scipy import stats
from tests.evaluation.sides import QUICK, Rights, compare, make_noisy, make_side

from regauge.evaluation.shifts import compare_sides
from regauge.evaluation.sides import Side
from regauge.records.evaluation.fits import Resample, Scale
from regauge.records.evaluation.shifts import Shift, ShiftSettings
from regauge.stats import fits, image_fits


def read(shift: Shift) -> dict[str, Any]:
    """Everything that a comparison says, as plain values that can be equal."""
    return {
        "models": shift.to_frame().to_dicts(),
        "fits": [
            (
                fit.scale,
                fit.slope.value,
                fit.offset.value,
                fit.slope.low,
                fit.slope.high,
                fit.offset.low,
                fit.offset.high,
            )
            for fit in shift.fits
        ],
        "bands": [(fit.band_low.tolist(), fit.band_high.tolist()) for fit in shift.fits],
        "changes": dict(shift.mean_changes),
    }


# The oracle


def find_wilson(k: int, n: int) -> tuple[float, float]:
    z = NormalDist().inv_cdf(0.975)
    middle, spread = k + z * z / 2, z * math.sqrt(k * (n - k) / n + z * z / 4)
    return (middle - spread) / (n + z * z), (middle + spread) / (n + z * z)


def find_newcombe(k_a: int, n_a: int, k_b: int, n_b: int) -> tuple[float, float]:
    (low_a, high_a), (low_b, high_b) = find_wilson(k_a, n_a), find_wilson(k_b, n_b)
    p_a, p_b = k_a / n_a, k_b / n_b
    low = p_a - p_b - math.sqrt((p_a - low_a) ** 2 + (high_b - p_b) ** 2)
    return low, p_a - p_b + math.sqrt((high_a - p_a) ** 2 + (p_b - low_b) ** 2)


def find_clopper_pearson(k: int, n: int) -> tuple[float, float]:
    low = 0.0 if k == 0 else float(stats.beta.ppf(0.025, k, n - k + 1))
    return low, 1.0 if k == n else float(stats.beta.ppf(0.975, k + 1, n - k))


def count_rank(model: str, accuracies: Mapping[str, float]) -> int:
    """One more than the models that are better, or as good and earlier by name."""
    own = accuracies[model]
    return 1 + sum(value > own or (value == own and name < model) for name, value in accuracies.items())


@st.composite
def draw_rights(draw: st.DrawFn, *, min_models: int = 1) -> tuple[Rights, Rights]:
    """The same models on two sets of a few images, so that ties, 0 and 1 are common."""
    names = draw(st.lists(st.text("abXY_0é", min_size=1, max_size=3), min_size=min_models, max_size=6, unique=True))
    sizes = draw(st.tuples(st.integers(1, 12), st.integers(1, 12)))
    old, fresh = (
        {name: draw(st.lists(st.booleans(), min_size=size, max_size=size)) for name in names} for size in sizes
    )
    return old, fresh


@given(draw_rights())
def test_gaps_ranks_and_intervals_agree_with_plain_python(rights: tuple[Rights, Rights]) -> None:
    old, fresh = rights
    shift = compare_sides(make_side("old", old), make_side("fresh", fresh), settings=QUICK)
    accuracies = [{name: sum(right) / len(right) for name, right in side.items()} for side in rights]
    assert [model.name for model in shift.models] == sorted(old, key=lambda name: (-accuracies[0][name], name))
    for model in shift.models:
        counts = [(sum(side[model.name]), len(side[model.name])) for side in rights]
        for accuracy, (k, n) in zip((model.original, model.new), counts, strict=True):
            assert (accuracy.k, accuracy.n, accuracy.value) == (k, n, k / n)
            assert (accuracy.low, accuracy.high) == pytest.approx(find_clopper_pearson(k, n), abs=1e-9)
        assert model.gap.value == accuracies[0][model.name] - accuracies[1][model.name]
        assert (model.gap.low, model.gap.high) == pytest.approx(find_newcombe(*counts[0], *counts[1]), abs=1e-9)
        assert model.rank_original == count_rank(model.name, accuracies[0])
        assert model.rank_new == count_rank(model.name, accuracies[1])
        assert model.delta_rank == model.rank_original - model.rank_new
    changes = [accuracies[1][name] - accuracies[0][name] for name in old]
    assert shift.mean_changes["top1"].value == pytest.approx(sum(changes) / len(changes), abs=1e-12)


@given(draw_rights(min_models=3), st.randoms(use_true_random=False))
@examples(max_examples=40)
def test_the_order_of_models_and_images_changes_nothing(rights: tuple[Rights, Rights], random: Any) -> None:
    shifts = []
    for turned in (False, True):
        sides = []
        for name, side in zip(("old", "fresh"), rights, strict=True):
            models, images = list(side), list(range(len(next(iter(side.values())))))
            if turned:
                random.shuffle(models)
                random.shuffle(images)
            sides.append(make_side(name, {model: [side[model][image] for image in images] for model in models}))
        # Effective robustness draws images by their rows, so that another order is another draw of its limits.
        shifts.append(compare_sides(*sides, settings=replace(QUICK, scales=tuple(Scale))))
    assert read(shifts[0]) == read(shifts[1])


@given(draw_rights())
def test_swapping_the_sets_turns_the_sign_of_gaps_and_rank_changes(rights: tuple[Rights, Rights]) -> None:
    old, fresh = make_side("old", rights[0]), make_side("fresh", rights[1])
    there, back = compare_sides(old, fresh, settings=QUICK), compare_sides(fresh, old, settings=QUICK)
    for model in there.models:
        other = back.get_model(model.name)
        assert (other.gap.value, other.delta_rank) == (-model.gap.value, -model.delta_rank)
        assert (other.gap.low, other.gap.high) == pytest.approx((-model.gap.high, -model.gap.low), abs=1e-12)
        assert (other.original, other.new) == (model.new, model.original)
    assert there.mean_changes["top1"].value == pytest.approx(-back.mean_changes["top1"].value, abs=1e-12)


@given(st.integers(0, 2**32), st.integers(3, 12))
@examples(max_examples=40)
def test_fits_leverages_and_robustness_agree_with_numpy_on_every_scale(seed: int, n_models: int) -> None:
    rng = np.random.default_rng(seed)
    k_old = rng.choice(np.arange(1, 60), n_models, replace=False)
    k_new = rng.integers(1, 40, n_models)
    old, fresh = ({f"m{row:02}": int(k) for row, k in enumerate(side)} for side in (k_old, k_new))
    for lead, there, back in (
        (Scale.LINEAR, lambda p: p, lambda p: p),
        (Scale.PROBIT, stats.norm.ppf, stats.norm.cdf),
        (Scale.LOGIT, lambda p: np.log(p / (1 - p)), lambda p: 1 / (1 + np.exp(-p))),
    ):
        shift = compare(old, fresh, (60, 40), scales=(lead,), baseline=("*",))
        x, y = there(k_old / 60), there(k_new / 40)
        slope, offset = np.polyfit(x, y, 1)
        assert (shift.fits[0].slope.value, shift.fits[0].offset.value) == pytest.approx((slope, offset), abs=1e-8)
        hat = np.diag(np.vander(x, 2) @ np.linalg.pinv(np.vander(x, 2)))
        found = [shift.get_model(name) for name in old]
        assert [model.leverage for model in found] == pytest.approx(hat.tolist(), abs=1e-8)
        above = k_new / 40 - back(slope * x + offset)
        robust = [model.effective_robustness for model in found]
        values = [one.value for one in robust if one is not None]
        assert values == pytest.approx(above.tolist(), abs=1e-8)


# Worked numbers


def test_a_comparison_by_hand() -> None:
    original = {"alpha": 18, "beta": 16, "gamma": 10}
    new = {"alpha": 6, "beta": 8, "gamma": 4}
    shift = compare(original, new, (20, 10))
    alpha, beta, gamma = shift.models
    # 18/20 − 6/10 = 0.3, 16/20 − 8/10 = 0, 10/20 − 4/10 = 0.1; the mean change is −(0.3 + 0 + 0.1)/3.
    assert [model.gap.value for model in shift.models] == pytest.approx([0.3, 0.0, 0.1])
    assert shift.mean_changes["top1"].value == pytest.approx(-0.4 / 3)
    assert shift.mean_changes["top1"].n == 3
    # On the new set beta leads before alpha: alpha loses one place and beta gains it.
    assert [model.delta_rank for model in (alpha, beta, gamma)] == [-1, 1, 0]
    # Newcombe for gamma: Wilson gives [0.2993, 0.7007] for 10 of 20 and [0.1682, 0.6873] for 4 of 10, hence
    # 0.1 − √(0.2007² + 0.2873²) = −0.2505 and 0.1 + √(0.2007² + 0.2318²) = 0.4066.
    assert (gamma.gap.low, gamma.gap.high) == pytest.approx((-0.2505, 0.4066), abs=1e-4)
    # Clopper–Pearson for 4 of 10.
    assert (gamma.new.low, gamma.new.high) == pytest.approx((0.1216, 0.7376), abs=1e-4)
    # x = 0.9, 0.8, 0.5 with mean 11/15 and Σ(x − x̄)² = 0.086667; y = 0.6, 0.8, 0.4 with mean 0.6;
    # Σ(x − x̄)(y − ȳ) = 0 + 0.066667·0.2 + 0.233333·0.2 = 0.06, so the slope is 0.692308 and the offset 0.092308.
    assert (shift.fits[0].slope.value, shift.fits[0].offset.value) == pytest.approx((0.692308, 0.092308), abs=1e-6)
    # Leverages 1/3 + (x − x̄)²/Σ: 1/3 + 0.027778/0.086667, 1/3 + 0.004444/0.086667, 1/3 + 0.054444/0.086667; sum 2.
    assert [model.leverage for model in shift.models] == pytest.approx([0.653846, 0.384615, 0.961538], abs=1e-6)


def test_models_of_equal_accuracy_rank_by_name() -> None:
    shift = compare({"b": 5, "a": 5, "B": 5}, {"b": 9, "a": 1, "B": 1}, (10, 10))
    assert [(model.name, model.rank_original, model.rank_new) for model in shift.models] == [
        ("B", 1, 2),
        ("a", 2, 3),
        ("b", 3, 1),
    ]


# Bootstraps


@pytest.fixture(scope="module")
def noisy() -> tuple[Side, Side]:
    """Fourteen models whose accuracies scatter around a line."""
    return make_noisy()


def test_the_fit_has_the_limits_and_the_band_of_resampling_models(noisy: tuple[Side, Side]) -> None:
    fit = compare_sides(*noisy, settings=ShiftSettings(n_bootstrap=20_000)).fits[0]
    x, y = (side.counts["top1"][:, 0] / side.counts["top1"][:, 1] for side in noisy)
    rows = np.random.default_rng(5).integers(14, size=(20_000, 14))
    sxx = ((x[rows] - x[rows].mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    sxy = ((x[rows] - x[rows].mean(axis=1, keepdims=True)) * y[rows]).sum(axis=1)
    slopes = sxy / sxx
    offsets = y[rows].mean(axis=1) - slopes * x[rows].mean(axis=1)
    close = 0.1 * slopes.std()
    assert (fit.slope.low, fit.slope.high) == pytest.approx(np.quantile(slopes, [0.025, 0.975]), abs=close)
    assert (fit.offset.low, fit.offset.high) == pytest.approx(np.quantile(offsets, [0.025, 0.975]), abs=close)
    assert (fit.band_at[0], fit.band_at[-1], len(fit.band_at)) == (x.min(), x.max(), 100)
    ends = np.quantile(slopes[:, np.newaxis] * x[[0, -1]] + offsets[:, np.newaxis], [0.025, 0.975], axis=0)
    spread = 0.1 * (ends[1] - ends[0]).max()
    order = np.argsort(x[[0, -1]])
    assert fit.band_low[[0, -1]] == pytest.approx(ends[0][order], abs=spread)
    assert fit.band_high[[0, -1]] == pytest.approx(ends[1][order], abs=spread)


def find_width(sides: tuple[Side, Side], **options: Any) -> tuple[float, float]:
    fit = compare_sides(*sides, settings=ShiftSettings(n_bootstrap=20_000, **options)).fits[0]
    return fit.slope.low, fit.slope.high


def test_a_family_of_its_own_for_every_model_is_drawing_models(noisy: tuple[Side, Side]) -> None:
    alone = {name: f"family of {name}" for name in noisy[0].models}
    models = find_width(noisy)
    families = find_width(noisy, resample=Resample.FAMILIES, families=alone)
    assert families == pytest.approx(models, abs=0.05 * (models[1] - models[0]))


def test_copies_of_a_model_narrow_the_limits_of_models_but_not_of_families(noisy: tuple[Side, Side]) -> None:
    copied = (copy_models(noisy[0]), copy_models(noisy[1]))
    families = {name: name.split(" ")[0] for name in copied[0].models}
    before, after = find_width(noisy), find_width(copied)
    kept = find_width(copied, resample=Resample.FAMILIES, families=families)
    # Four copies of each model halve the standard error of drawing models; drawing families sees the copies as one.
    assert (after[1] - after[0]) / (before[1] - before[0]) == pytest.approx(0.5, abs=0.1)
    assert kept == pytest.approx(before, abs=0.05 * (before[1] - before[0]))


def copy_models(side: Side) -> Side:
    names = tuple(f"{name} {copy}" for name in side.models for copy in range(4))
    counts = {metric: np.repeat(rows, 4, axis=0) for metric, rows in side.counts.items()}
    return replace(side, models=names, outcomes=np.repeat(side.outcomes, 4, axis=0), counts=counts)


def test_drawing_images_gives_the_limits_of_redrawing_both_sets(noisy: tuple[Side, Side]) -> None:
    settings = ShiftSettings(n_bootstrap=4_000, resample=Resample.IMAGES)
    fit = compare_sides(*noisy, settings=settings).fits[0]
    rng = np.random.default_rng(8)
    slopes = []
    for _ in range(4_000):
        x, y = (
            right[:, rng.integers(right.shape[1], size=right.shape[1])].mean(axis=1)
            for right in (noisy[0].is_right, noisy[1].is_right)
        )
        slopes.append(np.cov(x, y)[0, 1] / np.var(x, ddof=1))
    assert (fit.slope.low, fit.slope.high) == pytest.approx(
        np.quantile(slopes, [0.025, 0.975]), abs=0.15 * np.std(slopes)
    )
    assert (fit.n_bootstrap, fit.resample) == (4_000, Resample.IMAGES)


@pytest.mark.parametrize("resample", list(Resample))
def test_one_thread_and_two_give_the_same_bits(
    noisy: tuple[Side, Side], monkeypatch: pytest.MonkeyPatch, resample: Resample
) -> None:
    families = {name: name[-1] for name in noisy[0].models}
    settings = ShiftSettings(
        n_bootstrap=5_000, resample=resample, families=families, scales=tuple(Scale), baseline=("m0*",)
    )
    monkeypatch.setattr(fits, "_MIN_DRAWS_FOR_THREADS", 1)
    found = []
    for n_threads in (1, 2):
        monkeypatch.setattr(fits, "_N_THREADS", n_threads)
        monkeypatch.setattr(image_fits, "_N_THREADS", n_threads)
        found.append(read(compare_sides(*noisy, settings=settings)))
    assert len(found[0]["fits"]) == 3
    assert found[0] == found[1]
    other_seed = read(compare_sides(*noisy, settings=replace(settings, seed=1)))
    assert other_seed["fits"] != found[0]["fits"]


def test_the_level_widens_every_interval(noisy: tuple[Side, Side]) -> None:
    narrow, wide = (
        compare_sides(*noisy, settings=ShiftSettings(n_bootstrap=2_000, level=level, baseline=("*",)))
        for level in (0.5, 0.99)
    )
    for one, other in zip(narrow.models, wide.models, strict=True):
        assert other.original.low < one.original.low < one.original.high < other.original.high
        assert other.gap.low < one.gap.low < one.gap.value < one.gap.high < other.gap.high
        assert one.effective_robustness is not None
        assert other.effective_robustness is not None
        assert other.effective_robustness.low < one.effective_robustness.low
    assert wide.fits[0].slope.low < narrow.fits[0].slope.low < narrow.fits[0].slope.high < wide.fits[0].slope.high
