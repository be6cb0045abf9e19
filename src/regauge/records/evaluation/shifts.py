"""Two test sets compared: how accuracies move from the original one to the new one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import regauge.frames as pl
from regauge.errors import InputError
from regauge.estimates import DEFAULT_LEVEL, Estimate, Share, check_level, format_plain, format_points, to_fields
from regauge.records.evaluation.fits import Baseline, Resample, Scale, ShiftFit
from regauge.records.evaluation.scores import is_balanced
from regauge.records.evaluation.standings import PublishedRank, Residual, list_fields
from regauge.records.results import Result
from regauge.records.testsets.shared_images import SharedBy

N_MODEL_SAMPLES = 100_000
N_IMAGE_SAMPLES = 10_000
N_ROBUSTNESS_SAMPLES = 2_000


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
        return is_balanced(self.metric)

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
    def n_resampled(self) -> int:
        """The bootstrap samples of images; fewer where only effective robustness asks for them."""
        return self.n_samples if self.fit_resample.has_images else min(self.n_samples, N_ROBUSTNESS_SAMPLES)

    @property
    def n_samples(self) -> int:
        """The bootstrap samples that a fit takes."""
        if self.n_bootstrap is not None:
            return self.n_bootstrap
        return N_IMAGE_SAMPLES if self.fit_resample.has_images else N_MODEL_SAMPLES


@dataclass(frozen=True, slots=True)
class ModelShift:
    """One model on both sets.

    Attributes:
        name: the model.
        original: its accuracy on the original set; a balanced mean is not k/n.
        new: its accuracy on the new set.
        gap: original − new.
        rank_original: its rank on the original set, 1 for the best; ties go by name.
        rank_new: likewise on the new set.
        leverage: its weight in the leading fit; None where it takes no part.
        effective_robustness: new accuracy minus what the line through the baseline predicts; None without a baseline.
    """

    name: str
    original: Share[float]
    new: Share[float]
    gap: Estimate[float]
    rank_original: int
    rank_new: int
    leverage: float | None = None
    effective_robustness: Estimate[float] | None = None

    @property
    def delta_rank(self) -> int:
        """Places gained (positive) or lost from the original to the new set."""
        return self.rank_original - self.rank_new

    def to_dict(self) -> dict[str, Any]:
        """The model as docs/formats.md has it; fractions, not percentages."""
        accuracies = {
            side: {"n": share.n, "n_correct": share.k, **to_fields(share)}
            for side, share in (("original", self.original), ("new", self.new))
        }
        return {
            "name": self.name,
            **accuracies,
            **to_fields(self.gap, "gap"),
            "rank_original": self.rank_original,
            "rank_new": self.rank_new,
            "delta_rank": self.delta_rank,
            "leverage": self.leverage,
            **to_fields(self.effective_robustness, "effective_robustness"),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanChange(Estimate[float | None]):
    """The mean over n models of new − original; without limits where nothing can be drawn anew, as of one model.

    Attributes:
        resample: what the limits take for drawn anew. Comparisons that were stored before it was told drew models.
    """

    value: float
    n: int
    resample: Resample = Resample.MODELS

    def to_dict(self) -> dict[str, Any]:
        """The change as docs/formats.md has it; fractions, not points."""
        return {"n_models": self.n, **to_fields(self), "resample": self.resample}


@dataclass(frozen=True, slots=True, eq=False)
class PublishedShift:
    """Published models beside a comparison, of which only counts of right answers are known.

    Attributes:
        source: the table that they come from.
        citation: where its numbers come from, if that is known.
        shift: the published models on both sets, by the names that the table has for these, and the lines through them.
        standings: where each model that is compared stands among them, on both sets.
        residuals: how far each lies above the leading line; none without a line.
        baseline: what the residuals are measured against; None without them.
    """

    source: str
    citation: str | None
    shift: Shift
    standings: tuple[PublishedRank, ...]
    residuals: tuple[Residual, ...] = ()
    baseline: Baseline | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Shift(Result):
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
        only_counts: those of the two sets of which only counts of right answers are known.
        published: published models that these are seen beside, if any.
        people: those of the models that are people, by name; no line goes through them, and figures draw them as diamonds.
    """

    plotter: ClassVar[str] = "plot_shift"

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
    only_counts: tuple[str, ...] = ()
    published: PublishedShift | None = None
    people: frozenset[str] = frozenset()

    def __repr__(self) -> str:
        lines = [f"<Shift from {self.original} to {self.new}: {len(self.models)} models, {self.settings.metric}>"]
        shown = self.models[:8]
        lines += [f"  {one.name}: {one.original} → {one.new}, gap {100 * one.gap.value:z.1f}" for one in shown]
        lines += [f"  {fit.scale} fit: slope {format_plain(fit.slope, decimals=2)}" for fit in self.fits]
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

    def _list_shown(self) -> tuple[list[str], list[list[Any]]]:
        rows: list[list[Any]] = [
            [one.name, str(one.original), str(one.new), format_points(one.gap), one.rank_original, one.rank_new]
            for one in self.models
        ]
        return ["model", self.original, self.new, "gap, in points", "rank", "new rank"], rows

    def get_model(self, name: str) -> ModelShift:
        """The model of that name."""
        if (found := next((one for one in self.models if one.name == name), None)) is not None:
            return found
        raise InputError(f"There is no model {name!r} in the comparison.")

    def get_fit(self, scale: Scale | str) -> ShiftFit:
        """The fit on that scale."""
        for fit in self.fits:
            if fit.scale == scale:
                return fit
        raise InputError(f"There is no fit on the {scale} scale.")

    def to_frame(self) -> pl.DataFrame:
        """One row per model; fractions, not percentages."""
        beside = {} if self.published is None else list_fields(self.published.standings, self.published.residuals)
        return pl.DataFrame(
            [
                {
                    "name": one.name,
                    "n_original": one.original.n,
                    "n_correct_original": one.original.k,
                    **to_fields(one.original, "original"),
                    "n_new": one.new.n,
                    "n_correct_new": one.new.k,
                    **to_fields(one.new, "new"),
                    **to_fields(one.gap, "gap"),
                    "rank_original": one.rank_original,
                    "rank_new": one.rank_new,
                    "delta_rank": one.delta_rank,
                    "leverage": one.leverage,
                    **to_fields(one.effective_robustness, "effective_robustness"),
                    **beside.get(one.name, {}),
                }
                for one in self.models
            ],
            infer_schema_length=None,
        )
