"""What slopes say together: from all scales, about what was drawn anew, and nothing where the limits cannot carry it."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np
import pytest

from regauge.estimates import Estimate
from regauge.evaluation.conclusions import COMMON_CHANGE, conclude
from regauge.records.evaluation.fits import Resample, Scale, ShiftFit
from regauge.records.evaluation.shifts import Shift, ShiftSettings

ABOVE, BELOW, AROUND = (1.08, 1.19), (0.2, 0.4), (0.9, 1.1)
THREE = tuple(Scale)


def make_fits(limits: Mapping[Scale, tuple[float, float]], *, n: int = 20, **settings: Any) -> Shift:
    """A comparison whose slopes have these limits."""
    chosen = ShiftSettings(**{"scales": tuple(limits), **settings})
    band = np.zeros(2)
    fits = tuple(
        ShiftFit(
            scale=scale,
            slope=Estimate((low + high) / 2, low, high),
            offset=Estimate(0.0, 0.0, 0.0),
            models=tuple(f"m{place}" for place in range(n)),
            n_bootstrap=200,
            resample=chosen.fit_resample,
            band_at=band,
            band_low=band,
            band_high=band,
        )
        for scale, (low, high) in limits.items()
    )
    return Shift("old", "fresh", (), fits, {}, chosen)


def test_slopes_below_1_on_every_scale_never_speak_against_overfitting() -> None:
    said = conclude(make_fits(dict(zip(THREE, [(0.25, 0.37), (0.18, 0.26), (0.16, 0.24)], strict=True))))
    assert said.startswith(
        "On all 3 scales the slope is below 1: better models lose more, whatever the scale, as with growing"
    )
    assert "speaks against" not in said


def test_slopes_above_1_on_every_scale_speak_against_growing_overfitting() -> None:
    said = conclude(make_fits(dict.fromkeys(THREE, ABOVE)))
    assert said.startswith(
        "On all 3 scales the slope is above 1: better models lose less, whatever the scale. There are no"
    )
    assert "which speaks against growing adaptive overfitting." in said


def test_limits_that_hold_1_on_every_scale_leave_it_open() -> None:
    said = conclude(make_fits(dict.fromkeys(THREE, AROUND)))
    assert said.startswith(
        "On all 3 scales the slope is not clearly on either side of 1: better models lose neither clearly more nor clearly less"
    )
    assert "stays open" in said


def test_scales_that_disagree_are_named() -> None:
    # The limits of Recht et al. (2019) on the three scales.
    said = conclude(make_fits(dict(zip(THREE, [(1.08, 1.19), (0.95, 0.99), (0.92, 0.95)], strict=True))))
    assert said.startswith(
        "Whether better models lose more or less depends on the scale: the slope is above 1 on the linear scale and below 1 on "
        "the probit and logit scales. Together the scales speak neither for nor against growing adaptive overfitting."
    )
    all_three = conclude(make_fits(dict(zip(THREE, [ABOVE, AROUND, BELOW], strict=True))))
    assert (
        "above 1 on the linear scale, below 1 on the logit scale and not clearly on either side of 1 on the probit"
        in all_three
    )


@pytest.mark.parametrize("limits", list(product((ABOVE, BELOW, AROUND), repeat=3)))
def test_a_conclusion_about_overfitting_needs_all_scales_on_one_side(limits: tuple[tuple[float, float], ...]) -> None:
    said = conclude(make_fits(dict(zip(THREE, limits, strict=True))))
    assert ("speaks against" in said) == (set(limits) == {ABOVE})
    assert ("as with growing" in said) == (set(limits) == {BELOW})
    assert ("depends on the scale" in said) == (len(set(limits)) > 1)


@pytest.mark.parametrize("scale", THREE)
@pytest.mark.parametrize(
    ("limits", "what"),
    [(ABOVE, "lose less there"), (BELOW, "lose more there"), (AROUND, "lose neither clearly more nor")],
)
def test_one_scale_makes_a_statement_about_that_scale_only(
    scale: Scale, limits: tuple[float, float], what: str
) -> None:
    said = conclude(make_fits({scale: limits}))
    assert what in said
    assert f'This is a statement about the {scale} scale only; `scales="all"` shows the others.' in said
    assert "overfitting" not in said


def test_scales_without_a_line_are_not_asked_for_again() -> None:
    said = conclude(make_fits({Scale.LINEAR: ABOVE}, scales=THREE))
    assert "The others have no line here, so this is a statement about the linear scale only." in said
    assert "scales=" not in said
    two = conclude(make_fits({Scale.LINEAR: ABOVE, Scale.PROBIT: ABOVE}))
    assert (
        "above 1 on the linear and probit scales: better models lose less there. This is a statement about the linear"
        in two
    )


def test_limits_that_touch_1_hold_it() -> None:
    assert "neither clearly more" in conclude(make_fits({Scale.LINEAR: (1.0, 1.2)}))
    assert "neither clearly more" in conclude(make_fits({Scale.LINEAR: (0.8, 1.0)}))


@pytest.mark.parametrize(
    ("resample", "about"),
    [
        ("models", "resampling models, this is about other models like these on the same images."),
        ("images", "resampling images, this is about these models on other images like these."),
        ("families", "resampling families, this is about other families of models like these on the same images."),
    ],
)
def test_it_holds_for_what_was_drawn_anew(resample: str, about: str) -> None:
    families = {f"m{place}": f"f{place}" for place in range(20)}
    said = conclude(make_fits({Scale.LINEAR: ABOVE}, resample=Resample(resample), families=families, level=0.9))
    assert f"By 90% limits from {about}" in said


@pytest.mark.parametrize("resample", list(Resample))
def test_every_way_of_drawing_anew_says_what_it_speaks_of(resample: Resample) -> None:
    families = {f"m{place}": f"f{place}" for place in range(20)}
    said = conclude(make_fits({Scale.LINEAR: ABOVE}, resample=resample, families=families))
    assert f"resampling {resample.words}, this is about " in said
    assert "+" not in said


def test_nothing_is_concluded_from_too_few_models_or_families() -> None:
    few = conclude(make_fits(dict.fromkeys(THREE, ABOVE), n=9))
    assert few == (
        "Whether better models lose more or less stays open: the limits come from resampling 9 models, which are too few "
        f"to conclude from. {COMMON_CHANGE}"
    )
    assert "stays open" not in conclude(make_fits({Scale.LINEAR: ABOVE}, n=10))
    families = {f"m{place}": f"f{place % 4}" for place in range(20)}
    for drawn in (Resample.FAMILIES, Resample.FAMILIES_AND_IMAGES):
        said = conclude(make_fits({Scale.LINEAR: ABOVE}, resample=drawn, families=families))
        assert "from resampling 4 families, which are too few" in said
    # Redrawn images speak of these models, however few they are.
    assert "stays open" not in conclude(make_fits({Scale.LINEAR: ABOVE}, n=4, resample=Resample.IMAGES))


def test_without_a_fit_nothing_is_said() -> None:
    assert conclude(make_fits({}, scales=THREE)) == ""
