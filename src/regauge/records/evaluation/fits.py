"""Lines through the accuracies of models, and what bootstraps draw anew for their limits."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from regauge.arrays import FloatArray
from regauge.estimates import Estimate, to_fields


class Scale(StrEnum):
    """Where a straight line is sought: whether a slope exceeds 1 is a statement about one of these.

    - linear: the accuracies themselves.
    - probit: Φ⁻¹(accuracy), the quantile of the standard normal distribution.
    - logit: log(accuracy/(1 − accuracy)).
    """

    LINEAR = "linear"
    PROBIT = "probit"
    LOGIT = "logit"


class Resample(StrEnum):
    """What is drawn anew: what else might have been there in place of what is."""

    MODELS = "models"
    """Models one by one, as Recht et al. (2019) did; optimistic, for models err together."""
    FAMILIES = "families"
    """Whole families of models."""
    IMAGES = "images"
    """The images of both sets; the models stay."""
    MODELS_AND_IMAGES = "models+images"
    """Both, each by itself; wider than either."""
    FAMILIES_AND_IMAGES = "families+images"
    """Likewise with whole families."""

    @property
    def has_images(self) -> bool:
        """Whether images are drawn anew."""
        return self in {Resample.IMAGES, Resample.MODELS_AND_IMAGES, Resample.FAMILIES_AND_IMAGES}

    @property
    def has_families(self) -> bool:
        """Whether models are drawn by whole families."""
        return self in {Resample.FAMILIES, Resample.FAMILIES_AND_IMAGES}

    @property
    def has_models(self) -> bool:
        """Whether models, or families of them, are drawn anew."""
        return self is not Resample.IMAGES

    @property
    def words(self) -> str:
        """What is drawn anew, as a sentence has it."""
        return self.value.replace("+", " and ")


@dataclass(frozen=True, slots=True, eq=False)
class ShiftFit:
    """A line new = slope · original + offset on one scale, with percentile limits from a bootstrap.

    Attributes:
        scale: where the line is straight.
        models: the models that it goes through.
        n_bootstrap: bootstrap samples that gave a line.
        resample: what they drew anew.
        band_at: positions on the scale for the shaded band.
        band_low: lower limit of the line's height there.
        band_high: upper limit.
        n_dropped: bootstrap samples that gave none and are left out; None where that was not kept.
    """

    scale: Scale
    slope: Estimate[float]
    offset: Estimate[float]
    models: tuple[str, ...]
    n_bootstrap: int
    resample: Resample
    band_at: FloatArray
    band_low: FloatArray
    band_high: FloatArray
    n_dropped: int | None = None

    @property
    def n_models(self) -> int:
        """How many models the line goes through."""
        return len(self.models)

    def to_line(self) -> dict[str, float | None]:
        """Slope and offset, and then the limits of both, as docs/formats.md has them."""
        slope, offset = to_fields(self.slope, "slope"), to_fields(self.offset, "offset")
        return {"slope": self.slope.value, "offset": self.offset.value, **slope, **offset}


@dataclass(frozen=True, slots=True)
class Baseline:
    """What effective robustness is measured against, and what its limits hold.

    Attributes:
        scale: where the line through the baseline is straight.
        models: the models that it goes through.
        resample: what is drawn anew: the images of both sets, the same for the model and the baseline, and the baseline's models.
        n_bootstrap: bootstrap samples that gave a line.
        n_dropped: those that gave none and are left out.
    """

    scale: Scale
    models: tuple[str, ...]
    resample: Resample
    n_bootstrap: int
    n_dropped: int

    @property
    def n_models(self) -> int:
        """How many models the line goes through."""
        return len(self.models)
