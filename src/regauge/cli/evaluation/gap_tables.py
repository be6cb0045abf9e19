"""A split gap as tables for people, and as one object for programs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

import regauge
from regauge.cli.printing.tables import IN_JSON, FittedTable, Holds, make_table
from regauge.estimates import format_estimate, format_points, name_methods
from regauge.records.evaluation.gaps import GapMethod, GapReport, format_shares
from regauge.records.testsets.sampling import BIN_NAMES


def make_gap_tables(report: GapReport) -> Iterator[FittedTable]:
    """The split gaps, the frequencies of both sets, accuracies by bin, and hypothetical sets where asked for."""
    first = report.decompositions[0]
    sizes, method = f"n = {first.n_original:,} and {first.n_new:,}", name_methods([first.gap.method])
    title = f"{report.original} − {report.new}, in points ({sizes}; {method})"
    table = make_table("participant", "method", title=title)
    for rank, name in enumerate(("gap", "selection", "remainder", "share\nexplained")):
        table.add_column(name, rank=(0, 1, 0, 2)[rank])
    # A method names what everything in its line was made by, and is the same in all lines unless several were asked for.
    table.columns[1].rank = 3 if len({one.method for one in report.shown}) == 1 else 0
    for one in report.shown:
        cells = [format_points(part) for part in (one.gap, one.selection, one.remainder)]
        table.add_row(one.participant, _name_method(one.method), *cells, format_estimate(one.selection_share))
    yield table
    yield _make_frequency_table(report)
    yield _make_bin_table(report)
    if report.reweighted:
        yield _make_reweighted_table(report)


def _name_method(method: GapMethod) -> str:
    """A method, with a word beside it where its intervals do not hold; a warning says more."""
    return f"{method} (biased)" if method.is_biased else method


def describe_gap(report: GapReport) -> dict[str, object]:
    """The report as docs/formats.md has it; fractions, not points."""
    return {
        "original": report.original,
        "new": report.new,
        "n_pool": report.n_pool,
        "n_shared_images": report.n_shared,
        "gaps": report.to_frame().to_dicts(),
        "bins": report.to_bins_frame().to_dicts(),
        "reweighted": report.to_reweighted_frame().to_dicts(),
        "frequencies": report.to_sets_frame().to_dicts(),
        "notes": list(report.notes),
        "warnings": list(report.warnings),
        "settings": asdict(report.settings),
        "version": regauge.__version__,
    }


def _make_frequency_table(report: GapReport) -> FittedTable:
    table = make_table("test set", "n", title="Mean selection frequency", whole=IN_JSON)
    table.add_columns(("observed", "expected"))
    for one in report.frequencies:
        table.add_row(one.test_set, f"{one.n:,}", str(one.observed), format_estimate(one.expected))
    return table


def _make_bin_table(report: GapReport) -> FittedTable:
    """Accuracy by bin, one row per participant and set; n, which everybody shares, above those of each set."""
    table = make_table("test set", "participant", title="Accuracy by observed selection frequency", whole=IN_JSON)
    table.add_columns(BIN_NAMES)
    test_set = None
    for start in range(0, len(report.bins), len(BIN_NAMES)):
        cells = report.bins[start : start + len(BIN_NAMES)]
        if cells[0].test_set != test_set:
            test_set = cells[0].test_set
            table.add_row(test_set, "n", *(f"{one.accuracy.n:,}" for one in cells))
        table.add_row("", cells[0].participant, *(str(one.accuracy) for one in cells))
    return table


def _make_reweighted_table(report: GapReport) -> FittedTable:
    table = make_table("participant", "test set", title="Accuracy with other shares of the bins", whole=IN_JSON)
    table.add_column("shares", Holds.NAMES, rank=0)
    table.add_column("n", rank=1)
    table.add_column("accuracy", rank=0)
    for one in report.reweighted:
        n, text = f"{one.accuracy.n:,}", str(one.accuracy)
        table.add_row(one.participant, one.test_set, format_shares(one.shares), n, text)
    return table
