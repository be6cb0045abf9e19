"""A comparison of two test sets as tables for the terminal, in as many tables as the width asks for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich.table import Table
from rich.text import Text

import regauge
from regauge.cli.printing.tables import fits, make_table, show
from regauge.estimates import format_limits, format_plain, format_points
from regauge.records.evaluation.scales import Scale
from regauge.records.evaluation.shifts import MeanChange, Shift, ShiftFit
from regauge.records.option_names import name_options


class ShiftColumn(NamedTuple):
    """A header and one cell per model."""

    header: str
    cells: list[str]


def make_shift_tables(shift: Shift, *, width: int) -> Iterator[Table | Text]:
    """Models by original rank; then mean changes, fits and what the slopes say in words."""
    blocks = list(_split_columns(shift, width))
    blocks[0].title = show(f"{shift.settings.metric} on {shift.original} and on {shift.new}")
    yield from blocks
    yield Text(_describe_intervals(shift), style="dim")
    for metric, change in shift.mean_changes.items():
        yield Text(_describe_change(metric, change, has_images=not shift.only_counts))
    for fit in shift.fits:
        yield Text(_describe_fit(fit))
    if shift.fits:
        yield Text(name_options(regauge.conclude(shift)), style="dim")


def _split_columns(shift: Shift, width: int) -> Iterator[Table]:
    """The columns in tables, each as wide as the terminal allows and at least one column wide; all name the models."""
    block: list[ShiftColumn] = []
    for column in _make_columns(shift):
        if block and not fits(_make_block(shift, [*block, column]), width):
            yield _make_block(shift, block)
            block = []
        block.append(column)
    yield _make_block(shift, block)


def _make_block(shift: Shift, columns: Sequence[ShiftColumn]) -> Table:
    table = make_table("rank", "model")
    for column in columns:
        table.add_column(column.header, justify="right", no_wrap=True)
    for model, *cells in zip(shift.models, *(column.cells for column in columns), strict=True):
        table.add_row(str(model.rank_original), show(model.name), *cells)
    return table


def _make_columns(shift: Shift) -> Iterator[ShiftColumn]:
    models = shift.models
    yield ShiftColumn(
        f"original\n{_describe_n([one.original.n for one in models])}", [str(one.original) for one in models]
    )
    yield ShiftColumn(f"new\n{_describe_n([one.new.n for one in models])}", [str(one.new) for one in models])
    yield ShiftColumn("gap", [format_points(one.gap) for one in models])
    yield ShiftColumn("new\nrank", [str(one.rank_new) for one in models])
    yield ShiftColumn("Δ\nrank", [f"{one.delta_rank:+d}" if one.delta_rank else "0" for one in models])
    if shift.fits:
        yield ShiftColumn("lever-\nage", ["–" if one.leverage is None else f"{one.leverage:.3f}" for one in models])
    if _has_robustness(shift):
        yield ShiftColumn("effective\nrobustness", [format_points(one.effective_robustness) for one in models])


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
    models = "1 model" if change.n == 1 else f"{change.n} models"
    text = f"Mean change of {metric} over {models}: {100 * change.value:+.1f} points"
    if change.low is None:
        return text
    drawn = f"{change.resample.words} drawn anew"
    if change.resample.has_images and not has_images:
        together = "" if change.n == 1 else " as if all models erred on the same images"
        drawn = f"answers drawn anew{together}"
    return f"{text} {format_limits(change, scale=100)}, {drawn}"


def _describe_fit(fit: ShiftFit) -> str:
    unit, name = (100, " points") if fit.scale is Scale.LINEAR else (1, "")
    return (
        f"{fit.scale.value.capitalize()} fit through {fit.n_models} models: slope {format_plain(fit.slope, decimals=3)}, "
        f"offset {unit * fit.offset.value:.2f}{name} {format_limits(fit.offset, scale=unit, decimals=2)} "
        f"({fit.n_bootstrap:,} bootstrap samples of {fit.resample.words})"
    )
