"""Two test sets compared: how accuracies move from the original one to the new one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

import polars as pl

from regauge.errors import InputError
from regauge.records.arrays import FloatArray
from regauge.records.estimates import DEFAULT_LEVEL, check_level, format_estimate
from regauge.records.scales import Scale
from regauge.records.scores import BALANCED_SUFFIX
from regauge.records.shared_images import SharedBy

N_MODEL_SAMPLES = 100_000
N_IMAGE_SAMPLES = 10_000
N_ROBUSTNESS_SAMPLES = 2_000


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


@dataclass(frozen=True, slots=True)
class ShiftSettings:
    """How two test sets are compared.

    Attributes:
        metric: which accuracy is fitted, plain or a mean of per-class means (`…_balanced`).
        scales: where lines are sought, the first one leading.
        fit_models: globs; a line goes through the models that match one of them.
        fit_except: globs; but not through these.
        baseline: globs; effective robustness is the distance from the line through these, where any are given.
        resample: what is drawn anew for fits and for mean changes; None draws models for fits, as Recht et al. (2019) did,
            and images for mean changes.
        families: the family of every model, where families are drawn.
        n_bootstrap: bootstrap samples of a fit; None takes 100,000, or 10,000 where images are drawn.
        seed: start of every bootstrap.
        level: nominal coverage of every interval.
        allow_missing: compare on the images that a model answered when some have no prediction.
        shared: how images of both sets are known to be the same.
    """

    metric: str = "top1"
    scales: tuple[Scale, ...] = (Scale.LINEAR,)
    fit_models: tuple[str, ...] = ("*",)
    fit_except: tuple[str, ...] = ()
    baseline: tuple[str, ...] = ()
    resample: Resample | None = None
    families: Mapping[str, str] = field(default_factory=dict)
    n_bootstrap: int | None = None
    seed: int = 0
    level: float = DEFAULT_LEVEL
    allow_missing: bool = False
    shared: SharedBy = SharedBy.DIGESTS

    def __post_init__(self) -> None:
        check_level(self.level)
        if not self.scales:
            raise InputError("A fit needs at least one scale.")
        if not 100 <= self.n_samples <= 10_000_000:
            raise InputError(f"A fit takes 100 to 10,000,000 bootstrap samples, not {self.n_samples:,}.")
        if not 0 <= self.seed < 2**64:
            raise InputError(f"A seed is a whole number from 0 to 2**64 - 1, not {self.seed}.")
        if self.resample is not None and self.resample.has_families and not self.families:
            raise InputError("Drawing families needs to know them: give a file with the columns model,family.")
        if self.is_balanced:
            self._check_balanced()

    def _check_balanced(self) -> None:
        if self.resample is not None and self.resample.has_images:
            raise InputError(
                f"The fit of {self.metric} cannot redraw images, which belong to classes; redraw models or families."
            )
        if self.baseline:
            raise InputError(
                f"Effective robustness redraws images, so its metric is a plain one such as top1, not {self.metric}."
            )

    @property
    def is_balanced(self) -> bool:
        """Whether the metric is a mean of per-class means."""
        return self.metric.endswith(BALANCED_SUFFIX)

    @property
    def fit_resample(self) -> Resample:
        """What the bootstrap of a fit draws anew."""
        return Resample.MODELS if self.resample is None else self.resample

    @property
    def change_resample(self) -> Resample:
        """What the interval of a mean change takes for drawn anew."""
        return Resample.IMAGES if self.resample is None else self.resample

    @property
    def robustness_resample(self) -> Resample:
        """What effective robustness draws anew: images and the baseline's models always, by families where these are drawn."""
        by_family = self.resample is not None and self.resample.has_families
        return Resample.FAMILIES_AND_IMAGES if by_family else Resample.MODELS_AND_IMAGES

    @property
    def n_redrawn(self) -> int:
        """The bootstrap samples of images; fewer where only effective robustness asks for them."""
        return self.n_samples if self.fit_resample.has_images else min(self.n_samples, N_ROBUSTNESS_SAMPLES)

    @property
    def n_samples(self) -> int:
        """The bootstrap samples that a fit takes."""
        if self.n_bootstrap is not None:
            return self.n_bootstrap
        return N_IMAGE_SAMPLES if self.fit_resample.has_images else N_MODEL_SAMPLES


@dataclass(frozen=True, slots=True)
class Accuracy:
    """One model's accuracy on one set, with its interval; a balanced mean is not n_correct/n."""

    n: int
    n_correct: int
    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return format_estimate(self.value, low=self.low, high=self.high)


@dataclass(frozen=True, slots=True)
class ModelShift:
    """One model on both sets.

    Attributes:
        name: the model.
        original: its accuracy on the original set.
        new: its accuracy on the new set.
        gap: original − new, with its interval.
        rank_original: its rank on the original set, 1 for the best; ties go by name.
        rank_new: likewise on the new set.
        leverage: its weight in the leading fit; None where it takes no part.
        effective_robustness: new accuracy minus what the line through the baseline predicts; None without a baseline.
    """

    name: str
    original: Accuracy
    new: Accuracy
    gap: float
    gap_low: float
    gap_high: float
    rank_original: int
    rank_new: int
    leverage: float | None = None
    effective_robustness: float | None = None
    effective_robustness_low: float | None = None
    effective_robustness_high: float | None = None

    @property
    def delta_rank(self) -> int:
        """Places gained (positive) or lost from the original to the new set."""
        return self.rank_original - self.rank_new


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
    slope: float
    offset: float
    slope_low: float
    slope_high: float
    offset_low: float
    offset_high: float
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


@dataclass(frozen=True, slots=True)
class MeanChange:
    """The mean over models of new − original.

    Attributes:
        n_models: over how many models.
        value: the mean.
        low: lower limit; None where nothing can be drawn anew, as of one model.
        high: upper limit likewise.
        resample: what the limits take for drawn anew. Comparisons that were stored before it was told drew models.
    """

    n_models: int
    value: float
    low: float | None
    high: float | None
    resample: Resample = Resample.MODELS


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


@dataclass(frozen=True, slots=True, eq=False)
class Shift:
    """What became of the models from the original to the new set.

    Attributes:
        original: name of the original set.
        new: name of the new set.
        models: in the order of their rank on the original set.
        fits: one per scale that has a line, the leading one first.
        mean_changes: by metric; one that a set or a model does not allow is absent.
        settings: how they were computed.
        notes: what the reader should know, a sentence each.
        warnings: what is probably wrong with the input, a sentence each.
        baseline: what effective robustness is measured against; None without it. Where models have one and this is None, an
            earlier version gave limits that hold the line alone.
        n_shared: images that are in both sets and count once; None where an earlier version did not look for them.
    """

    original: str
    new: str
    models: tuple[ModelShift, ...]
    fits: tuple[ShiftFit, ...]
    mean_changes: Mapping[str, MeanChange]
    settings: ShiftSettings
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    n_shared: int | None = None
    baseline: Baseline | None = None

    def __repr__(self) -> str:
        lines = [f"<Shift from {self.original} to {self.new}: {len(self.models)} models, {self.settings.metric}>"]
        lines += [f"  {one.name}: {one.original} → {one.new}, gap {100 * one.gap:.1f}" for one in self.models[:8]]
        lines += [
            f"  {fit.scale} fit: slope {fit.slope:.2f} [{fit.slope_low:.2f}, {fit.slope_high:.2f}]" for fit in self.fits
        ]
        return "\n".join(lines)

    @property
    def accuracy_interval(self) -> str:
        """What the limits of accuracies are called."""
        return "grouped mid-p" if self.settings.is_balanced else "Clopper–Pearson"

    def describe_intervals(self) -> str:
        """How accuracies and gaps have their limits, in a sentence."""
        gaps = "Newcombe"
        if self.settings.is_balanced:
            gaps = "from the limits of both accuracies"
        elif self.n_shared:
            images = "image" if self.n_shared == 1 else "images"
            gaps = f"Newcombe, with the {self.n_shared:,} {images} of both sets counted once"
        level = f"{100 * self.settings.level:g}%"
        return f"{level} intervals: accuracies {self.accuracy_interval}, gaps (original − new, in points) {gaps}."

    def get_model(self, name: str) -> ModelShift:
        """The model of that name."""
        for model in self.models:
            if model.name == name:
                return model
        raise InputError(f"There is no model {name!r} in the comparison.")

    def get_fit(self, scale: Scale | str) -> ShiftFit:
        """The fit on that scale."""
        for fit in self.fits:
            if fit.scale == scale:
                return fit
        raise InputError(f"There is no fit on the {scale} scale.")

    def to_frame(self) -> pl.DataFrame:
        """One row per model; fractions, not percentages."""
        return pl.DataFrame(
            [
                {
                    "name": one.name,
                    "n_original": one.original.n,
                    "n_correct_original": one.original.n_correct,
                    "original": one.original.value,
                    "original_low": one.original.low,
                    "original_high": one.original.high,
                    "n_new": one.new.n,
                    "n_correct_new": one.new.n_correct,
                    "new": one.new.value,
                    "new_low": one.new.low,
                    "new_high": one.new.high,
                    "gap": one.gap,
                    "gap_low": one.gap_low,
                    "gap_high": one.gap_high,
                    "rank_original": one.rank_original,
                    "rank_new": one.rank_new,
                    "delta_rank": one.delta_rank,
                    "leverage": one.leverage,
                    "effective_robustness": one.effective_robustness,
                    "effective_robustness_low": one.effective_robustness_low,
                    "effective_robustness_high": one.effective_robustness_high,
                }
                for one in self.models
            ],
            infer_schema_length=None,
        )
