"""Several new test sets beside one original, as tables for the terminal and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from rich.table import Table
from rich.text import Text

import regauge
from regauge.cli.fits import describe
from regauge.cli.output import make_console, print_json, print_notes, print_rows
from regauge.cli.shift_tables import make_shift_tables
from regauge.cli.tables import make_table, show
from regauge.records.estimates import format_percent
from regauge.records.strategies import MeanFrequency, NewSet, Spread, StrategyComparison, VariancePart


def print_strategies(found: StrategyComparison, output_format: str) -> None:
    """The comparison on standard output, notes and warnings on standard error."""
    if output_format == "table":
        console = make_console()
        for part in make_strategy_tables(found, width=console.width):
            console.print(part)
    elif output_format == "json":
        print_json(describe_strategies(found))
    else:
        print_rows(found.to_frame(), output_format)
    print_notes(found.notes, found.warnings)


def make_strategy_tables(found: StrategyComparison, *, width: int) -> Iterator[Table | Text]:
    """The sets side by side, what varies more, and then every set with all its models."""
    yield _make_sets_table(found)
    yield Text(_describe_limits(found), style="dim")
    yield _make_variance_table(found)
    yield Text(found.describe())
    for one in found.sets:
        yield from make_shift_tables(one.shift, width=width)


def describe_strategies(found: StrategyComparison) -> dict[str, Any]:
    """The comparison as docs/formats.md has it; fractions, not percentages."""
    return {
        "original": found.original,
        "original_frequency": None if found.original_frequency is None else asdict(found.original_frequency),
        "metric": found.settings.metric,
        "sets": found.to_frame().to_dicts(),
        "shared_images": [asdict(one) for one in found.overlaps],
        "ranges": [asdict(one) for one in found.ranges],
        "variance": found.to_variance_frame().to_dicts(),
        "sentence": found.describe(),
        "shifts": [describe(one.shift) for one in found.sets],
        "notes": list(found.notes),
        "warnings": list(found.warnings),
        "seed": found.settings.seed,
        "level": found.settings.level,
        "version": regauge.__version__,
    }


def _make_sets_table(found: StrategyComparison) -> Table:
    table = make_table("set")
    table.title = show(f"{len(found.sets)} new sets beside {found.original}, {len(found.ranges)} models")
    metrics = list(dict.fromkeys(metric for one in found.sets for metric in one.changes))
    changes = [f"change of\n{metric}" for metric in metrics]
    for name in ("n", "selection\nfrequency", *changes, "slope", "best −\nworst", "deviation"):
        table.add_column(name, justify="right", no_wrap=True)
    if found.original_frequency is not None:
        blanks = [""] * (len(metrics) + 3)
        table.add_row(show(found.original), "", _format_frequency(found.original_frequency), *blanks)
    for one in found.sets:
        table.add_row(
            show(one.name),
            f"{one.n_images:,}",
            _format_frequency(one.frequency),
            *(_format_change(one, metric) for metric in metrics),
            *(f"{fit.slope:.2f}\n[{fit.slope_low:.2f}, {fit.slope_high:.2f}]" for fit in one.shift.fits[:1]),
            *([] if one.shift.fits else ["–"]),
            _format_spread(one.spread),
            _format_spread(one.deviation),
        )
    return table


def _make_variance_table(found: StrategyComparison) -> Table:
    table = make_table("part of the variance")
    for name in ("degrees of\nfreedom", "share", "models\ndrawn anew", "images\ndrawn anew"):
        table.add_column(name, justify="right", no_wrap=True)
    for part in found.variance:
        table.add_row(
            part.component,
            "" if part.dof is None else f"{part.dof:,}",
            format_percent(part.share),
            *_format_limits(part),
        )
    return table


def _format_limits(part: VariancePart) -> Iterator[str]:
    for low, high in ((part.low, part.high), (part.images_low, part.images_high)):
        yield "–" if low is None or high is None else f"[{100 * low:.1f}, {100 * high:.1f}]"


def _format_frequency(frequency: MeanFrequency | None) -> str:
    if frequency is None:
        return "–"
    has_limits = frequency.low is not None and frequency.high is not None
    limits = f"[{frequency.low:.2f}, {frequency.high:.2f}]\n" if has_limits else ""
    return f"{frequency.value:.2f}\n{limits}n = {frequency.n:,}"


def _format_change(one: NewSet, metric: str) -> str:
    change = one.changes.get(metric)
    if change is None:
        return "–"
    ends = ((change.low, change.high, "models"), (change.images_low, change.images_high, "images"))
    limits = [
        f"[{100 * low:.1f}, {100 * high:.1f}] {drawn}"
        for low, high, drawn in ends
        if low is not None and high is not None
    ]
    return "\n".join([f"{100 * change.value:+.1f}", *limits])


def _format_spread(spread: Spread | None) -> str:
    return "–" if spread is None else f"{100 * spread.value:.1f}\n[{100 * spread.low:.1f}, {100 * spread.high:.1f}]"


def _describe_limits(found: StrategyComparison) -> str:
    return (
        f"{100 * found.settings.level:g}% intervals. Changes (new − original, mean over models, in points): once with models, "
        "once with the images of both sets drawn anew. Slope: as in the fit below. Best − worst and standard deviation over "
        f"models: images drawn anew.{_describe_frequencies(found)}"
    )


def _describe_frequencies(found: StrategyComparison) -> str:
    means = (found.original_frequency, *(one.frequency for one in found.sets))
    names = dict.fromkeys(mean.interval for mean in means if mean is not None and mean.interval)
    return f" Frequencies: {'; '.join(names)}." if names else ""
