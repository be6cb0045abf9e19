"""From two sides to gaps, ranks, lines and robustness (Recht et al. 2019)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

import numpy as np

from regauge.arrays import CountArray, FloatArray
from regauge.errors import InputError
from regauge.estimates import Estimate, Share, count_things, format_percent
from regauge.evaluation.count_sides import check_image_settings, note_counts
from regauge.evaluation.mean_changes import find_mean_changes, note_changes
from regauge.evaluation.robustness import FEW_RESAMPLED, measure_robustness, note_robustness
from regauge.evaluation.side_pairs import Pair, find_accuracies, pair_sides
from regauge.evaluation.sides import Side, check_same_models, sort_side
from regauge.evaluation.small_classes import note_small_classes
from regauge.records.evaluation.fits import Baseline, Resample, Scale, ShiftFit
from regauge.records.evaluation.shifts import ModelShift, Shift, ShiftSettings
from regauge.stats.balanced import subtract_limits
from regauge.stats.fits import LineReplicates, bootstrap_lines, fit_line, leverages, line_band, line_limits
from regauge.stats.image_fits import fit_resampled, resample_weights
from regauge.stats.intervals import Limits, clopper_pearson, newcombe

N_BAND = 100
HALF_ANSWER = "accuracies half an answer from the end, 1/(2n) and 1 − 1/(2n), stand in"


def compare_sides(original: Side, new: Side, *, settings: ShiftSettings) -> Shift:
    """Gaps with intervals, ranks, mean changes, fits on every scale asked for, leverage and effective robustness.

    Where no line can be drawn, through one model or equal accuracies, a note says so; effective robustness is left out
    likewise. On the probit and logit scales an accuracy of 0 or 1 stands half an answer from the end.

    Raises:
        InputError: the sides do not have the same models, or a glob or the families do not fit them.
    """
    original, new = tell_apart(original, new)
    check_same_models(original, new)
    check_image_settings((original, new), settings)
    names = _rank(original.models, find_accuracies(original, settings.metric))
    pair = pair_sides(sort_side(original, names), new, settings=settings)
    people = original.people | new.people
    chosen = [name for name in _choose(pair.models, settings.fit_models, settings.fit_except) if name not in people]
    baseline = [name for name in _choose(pair.models, settings.baseline, ()) if name not in people]
    if settings.resample is not None and settings.resample.has_families:
        _check_families(pair.models, settings.families)
    changes = find_mean_changes(pair)
    fits, notes = _fit_scales(pair, chosen)
    models = _make_models(pair)
    models = _add_leverage(models, fits, pair)
    robust, against, more = _add_robustness(models, pair, baseline)
    return Shift(
        original=original.name,
        new=new.name,
        models=tuple(robust),
        fits=fits,
        mean_changes=changes,
        settings=settings,
        notes=(
            *notes,
            *more,
            *note_changes(pair, changes),
            *_note_people(pair, people),
            *_note_images(pair),
            *note_counts((original, new)),
        ),
        warnings=tuple(f"On {side.name}, {warning}" for side in (original, new) for warning in side.warnings),
        n_shared=len(pair.shared),
        only_counts=tuple(side.name for side in (original, new) if not side.has_images),
        baseline=against,
        people=people,
    )


def tell_apart(original: Side, new: Side) -> tuple[Side, Side]:
    """The sides with names that differ: files of truth in two folders are often called the same."""
    if original.name != new.name:
        return original, new
    return replace(original, name=f"{original.name} (original)"), replace(new, name=f"{new.name} (new)")


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
    lows, highs = (limits.tolist() for limits in _limit_gaps(pair))
    rank_new = {name: rank for rank, name in enumerate(_rank(pair.models, pair.accuracies[1]), start=1)}
    return [
        ModelShift(
            name=name,
            original=original[place],
            new=new[place],
            gap=Estimate(original[place].value - new[place].value, lows[place], highs[place]),
            rank_original=place + 1,
            rank_new=rank_new[name],
        )
        for place, name in enumerate(pair.models)
    ]


def _limit_gaps(pair: Pair) -> Limits:
    """Newcombe's limits of every model's gap; where images are in both sets, those of a gap in which they count once.

    Balanced means have the same formula with their own limits, in which shared images count twice.
    """
    if pair.original.by_class is not None and pair.new.by_class is not None:
        limits = _find_limits(pair.original, pair.settings), _find_limits(pair.new, pair.settings)
        return subtract_limits(*pair.accuracies, limits=limits)
    if not len(pair.shared):
        (k_a, n_a), (k_b, n_b) = (side.counts[pair.settings.metric].T for side in (pair.original, pair.new))
        return newcombe(k_a, n_a, n_correct_b=k_b, n_b=n_b, level=pair.settings.level)
    gaps = [pair.limit_gap(*pair.score_model(place)) for place in range(len(pair.models))]
    return Limits(np.array([gap.low for gap in gaps]), np.array([gap.high for gap in gaps]))


def _measure(side: Side, settings: ShiftSettings) -> list[Share[float]]:
    counts: CountArray = side.counts[settings.metric]
    low, high = _find_limits(side, settings)
    values = find_accuracies(side, settings.metric).tolist()
    return [
        Share(value, lower, upper, n=n, k=k)
        for (k, n), value, lower, upper in zip(counts.tolist(), values, low.tolist(), high.tolist(), strict=True)
    ]


def _find_limits(side: Side, settings: ShiftSettings) -> Limits:
    if side.by_class is not None:
        return side.by_class.find_limits(level=settings.level)
    n_correct, n = side.counts[settings.metric].T
    return clopper_pearson(n_correct, n, level=settings.level)


def _fit_scales(pair: Pair, chosen: Sequence[str]) -> tuple[tuple[ShiftFit, ...], list[str]]:
    fits: list[ShiftFit] = []
    notes: list[str] = []
    for scale in pair.settings.scales:
        try:
            fits.append(_fit(pair, chosen, scale))
        except InputError as error:
            notes.append(f"There is no {scale} fit: {error}")
    if fits:
        notes += [*_note_few(pair.settings, chosen), *_note_ends(pair, fits), *_note_dropped(fits)]
    return tuple(fits), notes


def _note_few(settings: ShiftSettings, chosen: Sequence[str]) -> Iterator[str]:
    """A sentence when so little is drawn anew that the limits promise too much; two models even give limits of no width."""
    resample = settings.fit_resample
    drawn = {settings.families[name] for name in chosen} if resample.has_families else set(chosen)
    if resample.has_models and len(drawn) < FEW_RESAMPLED:
        what = "families" if resample.has_families else "models"
        yield f"The limits of the fit come from resampling {len(drawn)} {what}, which are too few to trust them."


def _note_ends(pair: Pair, fits: Sequence[ShiftFit]) -> Iterator[str]:
    """What stood at 0% or 100%, and where a curved scale takes it to stand: models, and samples of images in which one did."""
    curved = [fit for fit in fits if fit.scale is not Scale.LINEAR]
    if not curved:
        return
    names = curved[0].models
    where = f"{' and '.join(fit.scale for fit in curved)} scale{'s' if len(curved) > 1 else ''}"
    places = pair.find_places(names)
    at_end = ((pair.accuracies[0] % 1 == 0) | (pair.accuracies[1] % 1 == 0))[places]
    moved = [name for name, is_moved in zip(names, at_end.tolist(), strict=True) if is_moved]
    if moved:
        more = f" and {len(moved) - 3} more" if len(moved) > 3 else ""
        yield (f"On the {where}, {HALF_ANSWER} for models at 0% or 100%: {', '.join(moved[:3])}{more}.")
    n_at_end = pair.resampled.choose(places).n_at_end if curved[0].resample.has_images else 0
    if n_at_end:
        n = len(pair.resampled.original)
        yield f"In {n_at_end:,} of {n:,} bootstrap samples a model is at 0% or 100%; on the {where}, {HALF_ANSWER}."


def _note_dropped(fits: Sequence[ShiftFit]) -> Iterator[str]:
    """How many bootstrap samples have no line; on every scale the same ones, for it is equal accuracies that have none."""
    fit = max(fits, key=lambda one: one.n_dropped or 0)
    if fit.n_dropped:
        yield (
            f"{fit.n_dropped:,} of {fit.n_dropped + fit.n_bootstrap:,} bootstrap samples of {fit.resample.words} have no line, "
            "for all their models are equally accurate on the original set; they are left out of the limits."
        )


def _fit(pair: Pair, chosen: Sequence[str], scale: Scale) -> ShiftFit:
    x, y = _put_on_scale(pair, chosen, scale)
    line = fit_line(x, y)
    replicates = _resample(pair, chosen, scale)
    limits = line_limits(replicates, level=pair.settings.level)
    at = np.linspace(x.min(), x.max(), N_BAND)
    band = line_band(replicates, at, level=pair.settings.level)
    return ShiftFit(
        scale=scale,
        slope=Estimate(line.slope, float(limits.slope.low), float(limits.slope.high), n=len(chosen)),
        offset=Estimate(line.offset, float(limits.offset.low), float(limits.offset.high), n=len(chosen)),
        models=tuple(chosen),
        n_bootstrap=_count_lines(replicates),
        resample=pair.settings.fit_resample,
        band_at=at,
        band_low=band.low,
        band_high=band.high,
        n_dropped=replicates.n_degenerate,
    )


def _put_on_scale(pair: Pair, names: Sequence[str], scale: Scale) -> tuple[FloatArray, FloatArray]:
    """Original and new accuracies of the models on a scale; the error names what keeps them from having a line there."""
    x = pair.accuracies[0][pair.find_places(names)]
    if len(names) < 2:
        raise InputError(f"a line needs at least two models, and there is {f'only {names[0]}' if names else 'none'}.")
    if (x == x[0]).all():
        raise InputError(
            f"all {len(names)} models have the same accuracy on {pair.original.name}, {format_percent(x[0])}."
        )
    return pair.place_on_scale(names, scale)


def _resample(pair: Pair, chosen: Sequence[str], scale: Scale) -> LineReplicates:
    """The lines of bootstrap samples, of which one at least has a line."""
    replicates = _resample_lines(pair, chosen, scale)
    if not _count_lines(replicates):
        n, drawn = len(replicates.slopes), pair.settings.fit_resample
        raise InputError(f"not one of {n:,} bootstrap samples of {drawn.words} has a line.")
    return replicates


def _count_lines(replicates: LineReplicates) -> int:
    return len(replicates.slopes) - replicates.n_degenerate


def _resample_lines(pair: Pair, chosen: Sequence[str], scale: Scale) -> LineReplicates:
    settings, resample = pair.settings, pair.settings.fit_resample
    _check_groups(pair, chosen, resample)
    groups = pair.name_groups(chosen, resample) if resample.has_models else None
    if resample.has_images:
        resampled = pair.resampled.choose(pair.find_places(chosen))
        n = len(resampled.original)
        weights = None if groups is None else resample_weights(groups, n_replicates=n, seed=settings.seed)
        return fit_resampled(resampled, scale=scale, weights=weights)
    x, y = _put_on_scale(pair, chosen, scale)
    by_family = groups if resample.has_families else None
    return bootstrap_lines(x, y, seed=settings.seed, n_resamples=settings.n_samples, groups=by_family)


def _check_groups(pair: Pair, names: Sequence[str], resample: Resample) -> None:
    groups = pair.name_groups(names, resample)
    if resample.has_families and len(set(groups)) < 2:
        raise InputError(f"drawing families needs at least two, and all {len(groups)} models are {groups[0]}.")


def _check_families(models: Sequence[str], families: Mapping[str, str]) -> None:
    unknown = [name for name in families if name not in set(models)]
    if unknown:
        raise InputError(f"The families name {_list_first(unknown)}, which is not a model here.")
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
    models: Sequence[ModelShift], pair: Pair, names: Sequence[str]
) -> tuple[list[ModelShift], Baseline | None, list[str]]:
    """The models with their effective robustness, what it is measured against, and notes."""
    if not names:
        return list(models), None, []
    try:
        _put_on_scale(pair, names, pair.settings.scales[0])
        _check_groups(pair, names, pair.settings.robustness_resample)
        found = measure_robustness(pair, names)
    except InputError as error:
        return list(models), None, [f"There is no effective robustness: {error}"]
    robust = [
        replace(one, effective_robustness=Estimate(*numbers, n=one.new.n))
        for one, *numbers in zip(models, *(column.tolist() for column in found.columns), strict=True)
    ]
    return robust, found.baseline, list(note_robustness(pair, found.baseline))


def _note_people(pair: Pair, people: Collection[str]) -> Iterator[str]:
    """What is of the models alone, and what is of everybody."""
    n_models = len(pair.models) - len(people)
    if people and n_models:
        yield (
            f"Lines go through the models alone; mean changes are over all {len(pair.models)} participants, "
            f"{count_things(len(people), 'person', many='people')} among them."
        )


def _note_images(pair: Pair) -> Iterator[str]:
    for side in (pair.original, pair.new):
        n_shared, n_most = side.is_right.shape[1], int(side.counts[pair.settings.metric][:, 1].max())
        if n_shared < n_most and pair.settings.fit_resample.has_images:
            yield f"The images of {side.name} that are resampled for fits are the {n_shared:,} that count for every model."
        if pair.settings.is_balanced and side.labels is not None:
            yield from note_small_classes(side.name, side.labels[side.is_counted])
    if pair.settings.is_balanced and len(pair.shared):
        yield (
            f"Limits of {pair.settings.metric} take images that are in both sets for different ones, which leaves them too wide "
            "rather than too short."
        )
