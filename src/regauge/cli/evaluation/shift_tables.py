"""A comparison of two test sets for the terminal: the answer in sentences, then one table of the models."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

import regauge
from regauge.cli.printing.tables import IN_JSON, FittedTable, Holds
from regauge.estimates import count_things, format_limits, format_plain, format_points
from regauge.records.evaluation.fits import Scale, ShiftFit
from regauge.records.evaluation.shifts import MeanChange, Shift
from regauge.records.option_names import name_options


def make_shift_tables(shift: Shift, *, whole: str = IN_JSON) -> Iterator[FittedTable | Text]:
    """The answer first: mean change and fit; then the models by original rank, and what else there is to say."""
    metric = shift.settings.metric
    has_images = not shift.only_counts
    changes = {
        name: _describe_change(name, change, has_images=has_images) for name, change in shift.mean_changes.items()
    }
    fits = [_describe_fit(fit) for fit in shift.fits]
    first = [*([changes.pop(metric)] if metric in changes else []), *fits[:1]]
    for line in first:
        yield Text(line)
    if first:
        yield Text()
    yield _make_models(shift, whole)
    yield Text(_describe_intervals(shift), style="dim")
    for line in (*changes.values(), *fits[1:]):
        yield Text(line)
    if shift.fits:
        yield Text(name_options(regauge.conclude(shift)), style="dim")


def _make_models(shift: Shift, whole: str) -> FittedTable:
    models = shift.models
    table = FittedTable(f"{shift.settings.metric} on {shift.original} and on {shift.new}", whole)
    table.add_column("rank", rank=3)
    table.add_column("model", Holds.NAMES, rank=0)
    table.add_column(f"original\n{_describe_n([one.original.n for one in models])}", rank=1)
    table.add_column(f"new\n{_describe_n([one.new.n for one in models])}", rank=0)
    table.add_column("gap", rank=2)
    table.add_column("new\nrank", rank=5)
    table.add_column("Δ\nrank", rank=4)
    if shift.fits:
        table.add_column("lever-\nage", rank=7, label="leverage")
    if _has_robustness(shift):
        table.add_column("effective\nrobustness", rank=6)
    for one in models:
        cells = [str(one.original), str(one.new), format_points(one.gap), str(one.rank_new)]
        cells.append(f"{one.delta_rank:+d}" if one.delta_rank else "0")
        cells += ["–" if one.leverage is None else f"{one.leverage:.3f}"] if shift.fits else []
        cells += [format_points(one.effective_robustness)] if _has_robustness(shift) else []
        table.add_row(str(one.rank_original), one.name, *cells)
    return table


def _describe_n(counts: Sequence[int]) -> str:
    return f"n = {min(counts):,}" + ("" if len(set(counts)) == 1 else f" to {max(counts):,}")


def _has_robustness(shift: Shift) -> bool:
    return any(model.effective_robustness is not None for model in shift.models)


def _describe_intervals(shift: Shift) -> str:
    robustness = f" Effective robustness: {describe_robustness(shift)}" if _has_robustness(shift) else ""
    return f"{shift.describe_intervals()}{robustness}"


def describe_robustness(shift: Shift) -> str:
    """What effective robustness is, and what its limits hold."""
    baseline = shift.baseline
    if baseline is None:
        fit = f"the {shift.settings.scales[0]} fit through the baseline"
        return f"points above {fit}, with the limits of that fit alone."
    drawn = "families" if baseline.resample.has_families else "models"
    if not shift.only_counts:
        return (
            f"points above the {baseline.scale} fit through the {baseline.n_models} models of the baseline; limits from "
            f"{baseline.n_bootstrap:,} bootstrap samples of the images, the same for model and baseline, and of the baseline's "
            f"{drawn}."
        )
    return (
        f"points above the {baseline.scale} fit through the {baseline.n_models} models of the baseline; limits from "
        f"{baseline.n_bootstrap:,} bootstrap samples of each model's right answers, binomial and by themselves, and of the "
        f"baseline's {drawn}."
    )


def _describe_change(metric: str, change: MeanChange, *, has_images: bool = True) -> str:
    models = count_things(change.n, "model")
    text = f"Mean change of {metric} over {models}: {100 * change.value:+z.1f} points"
    if change.low is None:
        return text
    drawn = f"{change.resample.words} resampled"
    if change.resample.has_images and not has_images:
        together = "" if change.n == 1 else " as if all models erred on the same images"
        drawn = f"answers resampled{together}"
    return f"{text} {format_limits(change, scale=100)}, {drawn}"


def _describe_fit(fit: ShiftFit) -> str:
    unit, name = (100, " points") if fit.scale is Scale.LINEAR else (1, "")
    return (
        f"{fit.scale.value.capitalize()} fit through {fit.n_models} models: slope {format_plain(fit.slope, decimals=3)}, "
        f"offset {unit * fit.offset.value:z.2f}{name} {format_limits(fit.offset, scale=unit, decimals=2)} "
        f"({fit.n_bootstrap:,} bootstrap samples of {fit.resample.words})"
    )
