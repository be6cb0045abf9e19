"""The shift from ImageNet to its new test sets in Recht et al. (2019), from the released predictions."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from regauge.evaluation.conclusions import conclude
from regauge.records.evaluation.fits import Resample, Scale
from regauge.records.evaluation.shifts import ModelShift, Shift, ShiftSettings
from regauge.records.predictions import Predictions
from regauge.records.testsets.test_set import TestSet
from regauge.workflows.evaluation.shifts import shift
from regauge.workflows.inputs import TestSetAnswers

NETWORKS = ShiftSettings(scales=tuple(Scale), fit_except=("fv_*",))
"""The printed fit goes through the 64 networks and leaves the Fisher vectors out."""


@pytest.fixture(scope="module")
def sides(published: Path) -> dict[str, TestSetAnswers]:
    arrays: dict[str, NDArray[Any]] = {}
    for name in ("recht2019_imagenet_top1.npz", "recht2019_imagenet_top2to5.npz"):
        with np.load(published / name, allow_pickle=False) as archive:
            arrays |= {key: archive[key] for key in archive.files}
    return {name: make_side(name, arrays) for name in ("val", "matched_frequency", "threshold07")}


def make_side(name: str, arrays: dict[str, NDArray[Any]]) -> TestSetAnswers:
    ids, labels = arrays[f"{name}_ids"], arrays[f"{name}_labels"]
    if name == "val":
        ids = np.array([f"ILSVRC2012_val_{number:08d}" for number in ids.tolist()])
    answers = zip(arrays["models"].tolist(), arrays[f"{name}_top1"], arrays[f"{name}_top2to5"], strict=True)
    models = [
        Predictions(model, ids, np.concatenate([first[:, np.newaxis], rest], axis=1)) for model, first, rest in answers
    ]
    return TestSetAnswers(models, TestSet(name, ids, labels))


@pytest.fixture(scope="module")
def matched(sides: dict[str, TestSetAnswers]) -> Shift:
    return shift(sides["val"], sides["matched_frequency"], settings=NETWORKS)


def write_row(model: ModelShift, decimals: int) -> list[str]:
    """A line of Table 1."""
    accuracies = [
        "{0:.{3}f} [{1:.{3}f}, {2:.{3}f}]".format(100 * one.value, 100 * one.low, 100 * one.high, decimals)
        for one in (model.original, model.new)
    ]
    gap = f"{100 * model.gap.value:.{decimals}f}"
    return [str(model.rank_original), *accuracies, gap, str(model.rank_new), str(model.delta_rank)]


@pytest.mark.parametrize(("column", "decimals"), [("published", 1), ("recomputed", 2)])
def test_table_1_is_reproduced(matched: Shift, published: Path, column: str, decimals: int) -> None:
    figures = json.loads((published / "published_figures.json").read_text(encoding="utf-8"))
    expected = {
        figure["figure"].removeprefix("Table 1 ImageNet, "): figure[column].split(" | ")
        for figure in figures
        if figure["figure"].startswith("Table 1 ImageNet, ")
    }
    assert len(expected) == 8
    assert {name: write_row(matched.get_model(name), decimals) for name in expected} == expected


def test_the_linear_fit_through_the_64_networks_is_reproduced(matched: Shift) -> None:
    fit = matched.get_fit(Scale.LINEAR)
    assert (fit.n_models, fit.n_bootstrap, fit.resample) == (64, 100_000, Resample.MODELS)
    assert round(fit.slope.value, 4) == 1.1098
    assert round(100 * fit.offset.value, 2) == -20.26
    # Limits of another 100,000 samples: a percentile wanders by about √(0.025·0.975/10⁵)/density, here below 0.001 in the
    # slope and 0.1 points in the offset, both ways.
    assert (fit.slope.low, fit.slope.high) == pytest.approx((1.078, 1.188), abs=0.002)
    assert (100 * fit.offset.low, 100 * fit.offset.high) == pytest.approx((-26.31, -17.87), abs=0.15)


def test_whether_the_slope_exceeds_1_depends_on_the_scale(matched: Shift) -> None:
    assert {fit.scale.value: round(fit.slope.value, 2) for fit in matched.fits} == {
        "linear": 1.11,
        "probit": 0.97,
        "logit": 0.93,
    }
    assert matched.get_fit(Scale.LINEAR).slope.low > 1 > matched.get_fit(Scale.PROBIT).slope.high


def test_the_page_says_what_the_program_concludes_and_has_its_slopes(matched: Shift) -> None:
    page = (Path(__file__).parents[2] / "docs" / "shift.md").read_text(encoding="utf-8")
    quotations = re.findall(r"(?:^>.*\n)+", page, re.MULTILINE)
    quoted = [" ".join(line.removeprefix(">").strip() for line in one.splitlines()) for one in quotations]
    assert quoted[0] == conclude(matched)
    for fit in matched.fits:
        row = f"| {fit.scale} | {fit.slope.value:.2f} | [{fit.slope.low:.2f}, {fit.slope.high:.2f}] |"
        assert row in page
    # No sentence outside the quotation concludes what it does not.
    assert "no diminishing returns" not in page


def test_the_fisher_vectors_would_turn_the_line(sides: dict[str, TestSetAnswers]) -> None:
    settings = ShiftSettings(n_bootstrap=100)
    fit = shift(sides["val"], sides["matched_frequency"], settings=settings).fits[0]
    assert (fit.n_models, round(fit.slope.value, 4), round(100 * fit.offset.value, 2)) == (67, 0.9678, -9.46)


def test_the_mean_changes_of_table_2_are_reproduced(matched: Shift) -> None:
    assert round(100 * matched.mean_changes["top1"].value, 3) == -11.827
    assert round(100 * matched.mean_changes["top5"].value, 3) == -8.213
    assert matched.mean_changes["top5"].n == 67


def test_threshold_07_is_reproduced(sides: dict[str, TestSetAnswers]) -> None:
    settings = ShiftSettings(n_bootstrap=20_000, fit_except=("fv_*",))
    found = shift(sides["val"], sides["threshold07"], settings=settings)
    fit = found.fits[0]
    assert (round(fit.slope.value, 4), round(100 * fit.offset.value, 2)) == (1.0954, -10.34)
    assert (fit.slope.low, fit.slope.high) == pytest.approx((1.073, 1.123), abs=0.003)
    assert (100 * fit.offset.low, 100 * fit.offset.high) == pytest.approx((-12.50, -8.60), abs=0.2)
    assert round(100 * found.mean_changes["top1"].value, 3) == -3.204
    assert round(100 * found.mean_changes["top5"].value, 3) == -1.240


def test_redrawn_images_and_families_tell_of_other_uncertainties(
    sides: dict[str, TestSetAnswers], matched: Shift
) -> None:
    models = matched.get_fit(Scale.LINEAR)
    families = {model.name: re.split(r"[\d_]", model.name)[0] for model in matched.models}
    for resample, n in ((Resample.IMAGES, 1_000), (Resample.FAMILIES, 20_000)):
        settings = ShiftSettings(fit_except=("fv_*",), resample=resample, families=families, n_bootstrap=n)
        fit = shift(sides["val"], sides["matched_frequency"], settings=settings).fits[0]
        assert (fit.slope.value, fit.offset.value) == (models.slope.value, models.offset.value)
        assert 1.05 < fit.slope.low < 1.09
        if resample is Resample.FAMILIES:
            # Models of one family err together, so that drawing them one by one is optimistic.
            assert fit.slope.high - fit.slope.low > 1.1 * (models.slope.high - models.slope.low)
        else:
            assert fit.slope.high == pytest.approx(1.145, abs=0.01)


def test_alexnet_pulls_the_line_most(matched: Shift) -> None:
    leverages = {model.name: model.leverage for model in matched.models if model.leverage is not None}
    assert len(leverages) == 64
    assert sum(leverages.values()) == pytest.approx(2)
    assert max(leverages, key=lambda name: leverages[name]) == "alexnet"


def test_no_model_gains_and_none_is_suspected(matched: Shift) -> None:
    # The drops of the 64 networks: 10.3 to 13.6 points.
    gaps = [100 * model.gap.value for model in matched.models if not model.name.startswith("fv_")]
    assert (round(min(gaps), 1), round(max(gaps), 1)) == (10.3, 13.6)
    assert (matched.notes, matched.warnings) == ((), ())
