"""Comparisons of two test sets as records: settings that make no sense are refused, and lookups name what they miss."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from regauge.errors import InputError
from regauge.estimates import Estimate, Share
from regauge.records.evaluation.fits import Resample, Scale, ShiftFit
from regauge.records.evaluation.shifts import MeanChange, ModelShift, Shift, ShiftSettings


def make_model(name: str, *, rank_original: int, rank_new: int) -> ModelShift:
    return ModelShift(
        name,
        original=Share(0.8, 0.74, 0.85, n=200, k=160),
        new=Share(0.7, 0.6, 0.79, n=100, k=70),
        gap=Estimate(0.1, -0.005, 0.21),
        rank_original=rank_original,
        rank_new=rank_new,
    )


@pytest.fixture
def shift() -> Shift:
    fit = ShiftFit(
        scale=Scale.PROBIT,
        slope=Estimate(1.25, 1.0, 1.5),
        offset=Estimate(-0.5, -0.75, -0.25),
        models=("alpha", "beta"),
        n_bootstrap=90,
        resample=Resample.MODELS,
        band_at=np.array([0.0, 1.0]),
        band_low=np.array([-0.6, 0.6]),
        band_high=np.array([-0.4, 0.9]),
    )
    return Shift(
        original="old",
        new="fresh",
        models=(make_model("alpha", rank_original=1, rank_new=3), make_model("beta", rank_original=2, rank_new=2)),
        fits=(fit,),
        mean_changes={"top1": MeanChange(value=-0.1, low=-0.1, high=-0.1, n=2)},
        settings=ShiftSettings(scales=(Scale.PROBIT,)),
    )


def test_places_lost_are_negative() -> None:
    # From place 1 to place 3: two places lost, as in Table 1 of Recht et al. (2019).
    assert make_model("alpha", rank_original=1, rank_new=3).delta_rank == -2
    assert make_model("alpha", rank_original=4, rank_new=1).delta_rank == 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scales": ()}, "A fit needs at least one scale."),
        ({"n_bootstrap": 99}, "A fit takes 100 to 10,000,000 bootstrap samples, not 99."),
        ({"n_bootstrap": 10_000_001}, "A fit takes 100 to 10,000,000 bootstrap samples, not 10,000,001."),
        ({"seed": -1}, "A seed is a whole number from 0 to 2**64 - 1, not -1."),
        ({"seed": 2**64}, "A seed is a whole number from 0 to 2**64 - 1, not 18446744073709551616."),
        ({"level": 95}, "A confidence level lies strictly between 0 and 1, such as 0.95, not 95."),
        (
            {"resample": Resample.FAMILIES},
            "Drawing families needs to know them: give a file with the columns model,family.",
        ),
    ],
)
def test_settings_that_make_no_sense_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as error:
        ShiftSettings(**options)
    assert str(error.value) == message


@pytest.mark.parametrize("options", [{"n_bootstrap": 100}, {"n_bootstrap": 10_000_000}, {"seed": 2**64 - 1}])
def test_settings_at_the_limits_are_taken(options: dict[str, int]) -> None:
    settings = ShiftSettings(**options)  # type: ignore[arg-type]
    assert {name: getattr(settings, name) for name in options} == options


def test_the_default_is_the_fit_of_recht_and_others() -> None:
    settings = ShiftSettings()
    assert (settings.metric, settings.scales, settings.fit_resample) == ("top1", (Scale.LINEAR,), Resample.MODELS)
    assert (settings.n_samples, settings.level) == (100_000, 0.95)
    assert ShiftSettings(resample=Resample.IMAGES).n_samples == 10_000


def test_what_is_drawn_anew_speaks_for_fits_and_mean_changes_once_it_is_said() -> None:
    assert (ShiftSettings().fit_resample, ShiftSettings().change_resample) == (Resample.MODELS, Resample.IMAGES)
    for said in (Resample.MODELS, Resample.IMAGES, Resample.MODELS_AND_IMAGES):
        settings = ShiftSettings(resample=said)
        assert settings.fit_resample is settings.change_resample is said
    words = ["models", "families", "images", "models and images", "families and images"]
    assert [one.words for one in Resample] == words


def test_a_model_and_a_fit_are_found_by_name(shift: Shift) -> None:
    assert shift.get_model("beta").rank_original == 2
    assert shift.get_fit("probit") is shift.fits[0]
    assert shift.get_fit(Scale.PROBIT).n_models == 2


def test_an_absent_model_or_fit_is_named(shift: Shift) -> None:
    with pytest.raises(InputError, match=r"^There is no model 'gamma' in the comparison\.$"):
        shift.get_model("gamma")
    with pytest.raises(InputError, match=r"^There is no fit on the logit scale\.$"):
        shift.get_fit(Scale.LOGIT)


def test_a_frame_has_a_row_per_model_in_fractions(shift: Shift) -> None:
    frame = shift.to_frame()
    assert frame["name"].to_list() == ["alpha", "beta"]
    row = frame.row(0, named=True)
    assert (row["n_original"], row["n_correct_original"], row["original"]) == (200, 160, 0.8)
    assert (row["n_new"], row["n_correct_new"], row["new"], row["new_low"], row["new_high"]) == (
        100,
        70,
        0.7,
        0.6,
        0.79,
    )
    assert (row["gap"], row["gap_low"], row["gap_high"]) == (0.1, -0.005, 0.21)
    assert (row["rank_original"], row["rank_new"], row["delta_rank"]) == (1, 3, -2)
    assert (row["leverage"], row["effective_robustness"]) == (None, None)


def test_a_session_shows_models_and_fits_at_a_glance(shift: Shift) -> None:
    assert repr(shift).splitlines() == [
        "<Shift from old to fresh: 2 models, top1>",
        "  alpha: 80.0% [74.0, 85.0] → 70.0% [60.0, 79.0], gap 10.0",
        "  beta: 80.0% [74.0, 85.0] → 70.0% [60.0, 79.0], gap 10.0",
        "  probit fit: slope 1.25 [1.00, 1.50]",
    ]
