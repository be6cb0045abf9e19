"""From two sides to gaps, ranks, lines and robustness (Recht et al. 2019)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

import numpy as np

from regauge.errors import InputError
from regauge.evaluation.sides import CHANGES, Side, check_same_models, is_balanced, sort_side
from regauge.records.arrays import CountArray, FloatArray
from regauge.records.estimates import format_percent
from regauge.records.scales import Scale
from regauge.records.shifts import Accuracy, MeanChange, ModelShift, Resample, Shift, ShiftFit, ShiftSettings
from regauge.stats.balanced import subtract_limits
from regauge.stats.fits import LineReplicates, bootstrap_lines, fit_line, leverages, line_band, line_limits
from regauge.stats.image_fits import bootstrap_image_lines
from regauge.stats.intervals import Limits, clopper_pearson, newcombe
from regauge.stats.resampling import bootstrap, percentile_limits
from regauge.stats.scales import from_scale, to_scale

N_BAND = 100
N_MEAN_RESAMPLES = 10_000
FEW_DRAWN = 10
"""With fewer models or families a percentile interval covers much less than it says."""


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """Both sides with their models in one order, and the accuracies that are compared."""

    original: Side
    new: Side
    settings: ShiftSettings

    @property
    def models(self) -> tuple[str, ...]:
        """The models."""
        return self.original.models

    @property
    def accuracies(self) -> tuple[FloatArray, FloatArray]:
        """Original and new accuracy of every model under the metric that is compared."""
        return _accuracies(self.original, self.settings.metric), _accuracies(self.new, self.settings.metric)


def compare_sides(original: Side, new: Side, *, settings: ShiftSettings) -> Shift:
    """Gaps with intervals, ranks, mean changes, fits on every scale asked for, leverage and effective robustness.

    A scale on which no line can be drawn is left out with a note: one model, equal accuracies, or an accuracy of 0 or 1 on
    the probit or logit scale. Effective robustness is left out likewise.

    Raises:
        InputError: the sides do not have the same models, or a glob or the families do not fit them.
    """
    original, new = _tell_apart(original, new)
    check_same_models(original, new)
    names = _rank(original.models, _accuracies(original, settings.metric))
    pair = Pair(sort_side(original, names), sort_side(new, names), settings)
    chosen = _choose(pair.models, settings.fit_models, settings.fit_except)
    baseline = _choose(pair.models, settings.baseline, ())
    if settings.resample is Resample.FAMILIES:
        _check_families(pair.models, settings.families)
    fits, notes = _fit_scales(pair, chosen)
    models = _make_models(pair)
    models = _add_leverage(models, fits, pair)
    robust, more = _add_robustness(models, pair, baseline)
    return Shift(
        original=original.name,
        new=new.name,
        models=tuple(robust),
        fits=fits,
        mean_changes=_average_changes(pair),
        settings=settings,
        notes=(*notes, *more, *_note_images(pair)),
        warnings=tuple(f"On {side.name}, {warning}" for side in (original, new) for warning in side.warnings),
    )


def _tell_apart(original: Side, new: Side) -> tuple[Side, Side]:
    """The sides with names that differ: files of truth in two folders are often called the same."""
    if original.name != new.name:
        return original, new
    return replace(original, name=f"{original.name} (original)"), replace(new, name=f"{new.name} (new)")


def _accuracies(side: Side, metric: str) -> FloatArray:
    if side.by_class is not None and is_balanced(metric):
        return side.by_class.means
    counts = side.counts[metric]
    accuracies: FloatArray = counts[:, 0] / counts[:, 1]
    return accuracies


def _rank(names: Sequence[str], accuracies: FloatArray) -> list[str]:
    """The names by descending accuracy, ties by name."""
    return [name for _, name in sorted(zip((-accuracies).tolist(), names, strict=True))]


def _choose(models: Sequence[str], globs: Sequence[str], without: Sequence[str]) -> list[str]:
    """The models that match one of the globs and none of the others; a glob that matches nothing is refused."""
    for glob in (*globs, *without):
        if not any(fnmatchcase(name, glob) for name in models):
            raise InputError(
                f"No model matches {glob!r}; there are: {', '.join(models[:10])}{', …' if len(models) > 10 else ''}."
            )
    return [name for name in models if _matches(name, globs) and not _matches(name, without)]


def _matches(name: str, globs: Sequence[str]) -> bool:
    return any(fnmatchcase(name, glob) for glob in globs)


def _make_models(pair: Pair) -> list[ModelShift]:
    original, new = (_measure(side, pair.settings) for side in (pair.original, pair.new))
    low, high = _find_gap_limits(pair)
    rank_new = {name: rank for rank, name in enumerate(_rank(pair.models, pair.accuracies[1]), start=1)}
    return [
        ModelShift(
            name=name,
            original=original[place],
            new=new[place],
            gap=original[place].value - new[place].value,
            gap_low=float(low[place]),
            gap_high=float(high[place]),
            rank_original=place + 1,
            rank_new=rank_new[name],
        )
        for place, name in enumerate(pair.models)
    ]


def _measure(side: Side, settings: ShiftSettings) -> list[Accuracy]:
    counts: CountArray = side.counts[settings.metric]
    low, high = _find_limits(side, settings)
    values = _accuracies(side, settings.metric).tolist()
    return [
        Accuracy(n, k, value, lower, upper)
        for (k, n), value, lower, upper in zip(counts.tolist(), values, low.tolist(), high.tolist(), strict=True)
    ]


def _find_limits(side: Side, settings: ShiftSettings) -> Limits:
    if side.by_class is not None:
        return side.by_class.find_limits(level=settings.level)
    n_correct, n = side.counts[settings.metric].T
    return clopper_pearson(n_correct, n, level=settings.level)


def _find_gap_limits(pair: Pair) -> Limits:
    """Newcombe's limits of original − new; of balanced means, the same formula with their own limits."""
    settings = pair.settings
    if pair.original.by_class is not None and pair.new.by_class is not None:
        limits = _find_limits(pair.original, settings), _find_limits(pair.new, settings)
        return subtract_limits(*pair.accuracies, limits=limits)
    (k_a, n_a), (k_b, n_b) = (side.counts[settings.metric].T for side in (pair.original, pair.new))
    return newcombe(k_a, n_a, n_correct_b=k_b, n_b=n_b, level=settings.level)


def _fit_scales(pair: Pair, chosen: Sequence[str]) -> tuple[tuple[ShiftFit, ...], list[str]]:
    fits: list[ShiftFit] = []
    notes: list[str] = []
    for scale in pair.settings.scales:
        try:
            fits.append(_fit(pair, chosen, scale))
        except InputError as error:
            notes.append(f"There is no {scale} fit: {error}")
    return tuple(fits), [*notes, *(_note_few(pair.settings, chosen) if fits else ())]


def _note_few(settings: ShiftSettings, chosen: Sequence[str]) -> Iterator[str]:
    """A sentence when so little is drawn anew that the limits promise too much; two models even give limits of no width."""
    drawn = {settings.families[name] for name in chosen} if settings.resample is Resample.FAMILIES else set(chosen)
    if settings.resample is not Resample.IMAGES and len(drawn) < FEW_DRAWN:
        yield f"The limits of the fit come from drawing {len(drawn)} {settings.resample} anew, which are too few to trust them."


def _fit(pair: Pair, chosen: Sequence[str], scale: Scale) -> ShiftFit:
    x, y = _put_on_scale(pair, chosen, scale)
    line = fit_line(x, y)
    replicates = _resample(pair, chosen, scale)
    limits = line_limits(replicates, level=pair.settings.level)
    at = np.linspace(x.min(), x.max(), N_BAND)
    band = line_band(replicates, at, level=pair.settings.level)
    return ShiftFit(
        scale=scale,
        slope=line.slope,
        offset=line.offset,
        slope_low=float(limits.slope.low),
        slope_high=float(limits.slope.high),
        offset_low=float(limits.offset.low),
        offset_high=float(limits.offset.high),
        models=tuple(chosen),
        n_bootstrap=_count_lines(replicates),
        resample=pair.settings.resample,
        band_at=at,
        band_low=band.low,
        band_high=band.high,
    )


def _find_places(pair: Pair, names: Sequence[str]) -> list[int]:
    return [pair.models.index(name) for name in names]


def _put_on_scale(pair: Pair, names: Sequence[str], scale: Scale) -> tuple[FloatArray, FloatArray]:
    """Original and new accuracies of the models on a scale; the error names what keeps them from having a line there."""
    places = _find_places(pair, names)
    x, y = (accuracies[places] for accuracies in pair.accuracies)
    for name, original, new in zip(names, x, y, strict=True):
        if scale is not Scale.LINEAR and not (0 < original < 1 and 0 < new < 1):
            raise InputError(f"{name} has an accuracy of 0% or 100%, which has no {scale}; fit the line without it.")
    if len(names) < 2:
        raise InputError(f"a line needs at least two models, and there is {f'only {names[0]}' if names else 'none'}.")
    if (x == x[0]).all():
        raise InputError(
            f"all {len(names)} models have the same accuracy on {pair.original.name}, {format_percent(x[0])}."
        )
    return to_scale(x, scale), to_scale(y, scale)


def _resample(pair: Pair, chosen: Sequence[str], scale: Scale) -> LineReplicates:
    """The lines of bootstrap samples, of which one at least has a line."""
    replicates = _draw_lines(pair, chosen, scale)
    if not _count_lines(replicates):
        n, drawn = len(replicates.slopes), pair.settings.resample
        raise InputError(f"not one of {n:,} bootstrap samples of {drawn} has a line.")
    return replicates


def _count_lines(replicates: LineReplicates) -> int:
    return len(replicates.slopes) - replicates.n_degenerate


def _draw_lines(pair: Pair, chosen: Sequence[str], scale: Scale) -> LineReplicates:
    settings = pair.settings
    if settings.resample is Resample.IMAGES:
        places = _find_places(pair, chosen)
        original, new = pair.original.is_right[places], pair.new.is_right[places]
        images = bootstrap_image_lines(original, new, seed=settings.seed, n_resamples=settings.n_samples, scale=scale)
        return images.lines
    groups = None
    if settings.resample is Resample.FAMILIES:
        groups = [settings.families[name] for name in chosen]
        if len(set(groups)) < 2:
            raise InputError(f"drawing families needs at least two, and all {len(groups)} models are {groups[0]}.")
    x, y = _put_on_scale(pair, chosen, scale)
    return bootstrap_lines(x, y, seed=settings.seed, n_resamples=settings.n_samples, groups=groups)


def _check_families(models: Sequence[str], families: Mapping[str, str]) -> None:
    unknown = [name for name in families if name not in set(models)]
    if unknown:
        raise InputError(f"The families name {_list_first(unknown)}, which is no model here.")
    missing = [name for name in models if name not in families]
    if missing:
        raise InputError(f"{_list_first(missing)} has no family; give every model one.")


def _list_first(names: Sequence[str]) -> str:
    return repr(names[0]) + (f" (and {len(names) - 1} more)" if len(names) > 1 else "")


def _add_leverage(models: Sequence[ModelShift], fits: Sequence[ShiftFit], pair: Pair) -> list[ModelShift]:
    if not fits:
        return list(models)
    x, _ = _put_on_scale(pair, fits[0].models, fits[0].scale)
    leverage_of = dict(zip(fits[0].models, leverages(x).tolist(), strict=True))
    return [replace(model, leverage=leverage_of.get(model.name)) for model in models]


def _add_robustness(
    models: Sequence[ModelShift], pair: Pair, baseline: Sequence[str]
) -> tuple[list[ModelShift], list[str]]:
    """Each model's new accuracy above the line through the baseline, in accuracy, with the spread of that line.

    A model whose original accuracy has no place on the scale has none.
    """
    if not baseline:
        return list(models), []
    scale = pair.settings.scales[0]
    try:
        line = fit_line(*_put_on_scale(pair, baseline, scale))
        replicates = _resample(pair, baseline, scale)
    except InputError as error:
        return list(models), [f"There is no effective robustness: {error}"]
    placed = [one for one in models if scale is Scale.LINEAR or 0 < one.original.value < 1]
    at = to_scale([one.original.value for one in placed], scale)
    band = line_band(replicates, at, level=pair.settings.level)
    above = [
        np.array([one.new.value for one in placed]) - from_scale(heights, scale)
        for heights in (line.at(at), band.high, band.low)
    ]
    robust = {one.name: _set_robustness(one, *row) for one, *row in zip(placed, *np.array(above).tolist(), strict=True)}
    return [robust.get(model.name, model) for model in models], []


def _set_robustness(model: ModelShift, value: float, low: float, high: float) -> ModelShift:
    return replace(model, effective_robustness=value, effective_robustness_low=low, effective_robustness_high=high)


def _average_changes(pair: Pair) -> dict[str, MeanChange]:
    metrics = dict.fromkeys((*CHANGES, pair.settings.metric))
    shared = [metric for metric in metrics if metric in pair.original.counts and metric in pair.new.counts]
    return {metric: _average_change(pair, metric) for metric in shared}


def _average_change(pair: Pair, metric: str) -> MeanChange:
    changes = _accuracies(pair.new, metric) - _accuracies(pair.original, metric)
    if len(changes) == 1:
        return MeanChange(1, float(changes[0]), None, None)
    rng = np.random.default_rng(pair.settings.seed)
    replicates = bootstrap(changes, lambda samples: samples.mean(axis=1), rng=rng, n_resamples=N_MEAN_RESAMPLES)
    limits = percentile_limits(replicates, level=pair.settings.level)
    return MeanChange(len(changes), float(changes.mean()), float(limits.low), float(limits.high))


def _note_images(pair: Pair) -> Iterator[str]:
    for side in (pair.original, pair.new):
        n_shared, n_most = side.is_right.shape[1], int(side.counts[pair.settings.metric][:, 1].max())
        if n_shared < n_most and pair.settings.resample is Resample.IMAGES:
            yield f"The images of {side.name} that are drawn anew are the {n_shared:,} that count for every model."
