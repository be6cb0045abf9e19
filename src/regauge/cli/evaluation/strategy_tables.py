"""Several new test sets beside one original, as tables for the terminal and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from rich.text import Text

import regauge
from regauge.cli.evaluation.fits import describe
from regauge.cli.evaluation.shift_tables import make_shift_tables
from regauge.cli.printing.output import print_json, print_notes, print_parts, print_rows
from regauge.cli.printing.tables import IN_JSON, FittedTable, Holds, make_table
from regauge.estimates import MISSING, format_limits, format_percent, format_plain, format_points, to_fields
from regauge.records.evaluation.strategies import MeanFrequency, NewSet, StrategyComparison


def print_strategies(found: StrategyComparison, output_format: str) -> None:
    """The comparison on standard output, notes and warnings on standard error."""
    if output_format == "table":
        print_parts(make_strategy_tables(found))
    elif output_format == "json":
        print_json(describe_strategies(found))
    else:
        print_rows(found.to_frame(), output_format)
    print_notes(found.notes, found.warnings)


def make_strategy_tables(found: StrategyComparison) -> Iterator[FittedTable | Text]:
    """The sets side by side, what varies more, and then every set with all its models."""
    yield _make_sets_table(found)
    yield Text(_describe_limits(found), style="dim")
    yield _make_variance_table(found)
    yield Text(found.describe())
    for one in found.sets:
        yield from make_shift_tables(one.shift)


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


def _make_sets_table(found: StrategyComparison) -> FittedTable:
    table = FittedTable(f"{len(found.sets)} new sets beside {found.original}, {len(found.ranges)} models")
    table.add_column("set", Holds.NAMES)
    metrics = list(dict.fromkeys(metric for one in found.sets for metric in one.changes))
    changes = [f"change of\n{metric}" for metric in metrics]
    table.add_column("n", rank=6)
    table.add_column("selection\nfrequency", rank=2)
    for place, name in enumerate(changes):
        table.add_column(name, rank=3 if place else 0)
    for rank, name in enumerate(("slope", "best −\nworst", "deviation")):
        table.add_column(name, rank=(1, 5, 4)[rank])
    if found.original_frequency is not None:
        blanks = [""] * (len(metrics) + 3)
        table.add_row(found.original, "", _format_frequency(found.original_frequency), *blanks)
    for one in found.sets:
        table.add_row(
            one.name,
            f"{one.n_images:,}",
            _format_frequency(one.frequency),
            *(_format_change(one, metric) for metric in metrics),
            *(_break(format_plain(fit.slope, decimals=2)) for fit in one.shift.fits[:1]),
            *([] if one.shift.fits else ["–"]),
            _break(format_points(one.spread)),
            _break(format_points(one.deviation)),
        )
    return table


def _make_variance_table(found: StrategyComparison) -> FittedTable:
    table = make_table("part of the variance", whole=IN_JSON)
    table.add_columns(("degrees of\nfreedom", "share", "models\nresampled", "images\nresampled"))
    for part in found.variance:
        table.add_row(
            part.component,
            "" if part.dof is None else f"{part.dof:,}",
            format_percent(part.by_images.value),
            *(format_limits(share, scale=100) for share in (part.by_participants, part.by_images)),
        )
    return table


def _format_frequency(frequency: MeanFrequency | None) -> Text:
    if frequency is None:
        return Text(MISSING)
    return _break(f"{format_plain(frequency, decimals=2)}\nn = {frequency.n:,}")


def _format_change(one: NewSet, metric: str) -> Text:
    change = one.changes.get(metric)
    if change is None:
        return Text(MISSING)
    drawn = {"models": change.by_participants, "images": change.by_images}
    limits = [f"{format_limits(mean, scale=100)} {what}" for what, mean in drawn.items() if mean.low is not None]
    return Text("\n".join([f"{100 * change.by_images.value:+z.1f}", *limits]))


def _break(text: str) -> Text:
    """The limits in a line of their own."""
    return Text(text.replace(" [", "\n[", 1))


def _describe_limits(found: StrategyComparison) -> str:
    return (
        f"{100 * found.settings.level:g}% intervals. Changes (new − original, mean over models, in points): once with models, "
        "once with the images of both sets resampled. Slope: as in the fit below. Best − worst and standard deviation "
        "over "
        f"models: images resampled.{_describe_frequencies(found)}"
    )


def _describe_frequencies(found: StrategyComparison) -> str:
    means = (found.original_frequency, *(one.frequency for one in found.sets))
    names = dict.fromkeys(mean.method for mean in means if mean is not None and mean.method)
    return f" Frequencies: {'; '.join(names)}." if names else ""
