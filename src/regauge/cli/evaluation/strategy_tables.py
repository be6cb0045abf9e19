"""Several new test sets beside one original, as tables for the terminal and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from rich.table import Table
from rich.text import Text

import regauge
from regauge.cli.evaluation.fits import describe
from regauge.cli.evaluation.shift_tables import make_shift_tables
from regauge.cli.printing.output import make_console, print_json, print_notes, print_rows
from regauge.cli.printing.tables import make_table, show
from regauge.estimates import MISSING, format_limits, format_percent, format_plain, format_points, to_fields
from regauge.records.evaluation.strategies import MeanFrequency, NewSet, StrategyComparison


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
        "original_frequency": _describe_frequency(found.original_frequency),
        "metric": found.settings.metric,
        "sets": found.to_frame().to_dicts(),
        "shared_images": [asdict(one) for one in found.overlaps],
        "ranges": [{"name": name, "n": one.n, **to_fields(one)} for name, one in found.ranges.items()],
        "variance": found.to_variance_frame().to_dicts(),
        "sentence": found.describe(),
        "shifts": [describe(one.shift) for one in found.sets],
        "notes": list(found.notes),
        "warnings": list(found.warnings),
        "seed": found.settings.seed,
        "level": found.settings.level,
        "version": regauge.__version__,
    }


def _describe_frequency(found: MeanFrequency | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {"labels": found.labels, "n": found.n, **to_fields(found), "interval": found.method}


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
            *(_break(format_plain(fit.slope, decimals=2)) for fit in one.shift.fits[:1]),
            *([] if one.shift.fits else ["–"]),
            _break(format_points(one.spread)),
            _break(format_points(one.deviation)),
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
            format_percent(part.by_images.value),
            *(format_limits(share, scale=100) for share in (part.by_participants, part.by_images)),
        )
    return table


def _format_frequency(frequency: MeanFrequency | None) -> str:
    if frequency is None:
        return MISSING
    return f"{_break(format_plain(frequency, decimals=2))}\nn = {frequency.n:,}"


def _format_change(one: NewSet, metric: str) -> str:
    change = one.changes.get(metric)
    if change is None:
        return MISSING
    drawn = {"models": change.by_participants, "images": change.by_images}
    limits = [f"{format_limits(mean, scale=100)} {what}" for what, mean in drawn.items() if mean.low is not None]
    return "\n".join([f"{100 * change.by_images.value:+.1f}", *limits])


def _break(text: str) -> str:
    """The limits in a line of their own."""
    return text.replace(" [", "\n[", 1)


def _describe_limits(found: StrategyComparison) -> str:
    return (
        f"{100 * found.settings.level:g}% intervals. Changes (new − original, mean over models, in points): once with models, "
        "once with the images of both sets drawn anew. Slope: as in the fit below. Best − worst and standard deviation over "
        f"models: images drawn anew.{_describe_frequencies(found)}"
    )


def _describe_frequencies(found: StrategyComparison) -> str:
    means = (found.original_frequency, *(one.frequency for one in found.sets))
    names = dict.fromkeys(mean.method for mean in means if mean is not None and mean.method)
    return f" Frequencies: {'; '.join(names)}." if names else ""
