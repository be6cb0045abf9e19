"""What reviews made of mistakes, as tables, JSON, CSV and JSON Lines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from rich.text import Text

import regauge
from regauge.cli.printing.output import Part, print_json, print_notes, print_parts, print_records
from regauge.cli.printing.printable import make_printable
from regauge.cli.printing.tables import FittedTable, make_table
from regauge.estimates import format_p_phrase, format_points, name_methods, to_fields
from regauge.records.mistakes.flows import FATES, OVERTURNED, Fate, FlowComparison, ReviewFlow, ReviewFlows

COLUMNS = ("participant", "test_set", "before", "after", "image_id", "prediction", "status", "fate")
"""The columns of CSV and JSON Lines; docs/formats.md explains them."""
_ROWS = (("novel", True), ("judged before", False))


def print_flows(found: ReviewFlows, output_format: str) -> None:
    """What reviews made of mistakes on standard output, notes on standard error."""
    if output_format == "table":
        print_parts(_make_parts(found))
    elif output_format == "json":
        print_json(_describe(found))
    else:
        print_records(_make_rows(found), output_format, name="mistakes", columns=COLUMNS)
    print_notes(found.notes)


def _describe(found: ReviewFlows) -> dict[str, Any]:
    return {
        "flows": [_describe_flow(flow) for flow in found.flows],
        "comparison": None if found.comparison is None else _describe_comparison(found.comparison),
        "notes": list(found.notes),
        "settings": asdict(found.settings),
        "version": regauge.__version__,
    }


def _describe_flow(flow: ReviewFlow) -> dict[str, Any]:
    share = flow.overturned
    return {
        "participant": flow.participant,
        "test_set": flow.test_set,
        "before": flow.before,
        "after": flow.after,
        "n": flow.n_images,
        "n_mistakes": flow.n_mistakes,
        "n_looked_at": len(flow),
        "n_overturned": share.share.k,
        **to_fields(share.share, "share"),
        "interval": share.share.method,
        "n_low": share.n_low,
        "n_high": share.n_high,
        "n_appeared": flow.n_appeared,
        "fates": {fate.value: flow.count(fate) for fate in FATES},
        "novel": {fate.value: flow.count(fate, is_novel=True) for fate in FATES},
        "judged": {fate.value: flow.count(fate, is_novel=False) for fate in FATES},
        "accuracies": [
            {
                "subset": one.subset,
                "n_before": one.before.n,
                **to_fields(one.before, "before"),
                "n_after": one.after.n,
                **to_fields(one.after, "after"),
                **to_fields(one.change, "change"),
            }
            for one in flow.accuracies
        ],
    }


def _describe_comparison(comparison: FlowComparison) -> dict[str, Any]:
    test = comparison.test
    return {
        **to_fields(comparison.difference, "difference"),
        "chi2": test.chi2,
        "dof": test.dof,
        "p": test.p,
        "n": test.n,
        "min_expected": test.min_expected,
    }


def _make_rows(found: ReviewFlows) -> Iterator[dict[str, Any]]:
    for flow in found.flows:
        columns = (flow.image_ids.tolist(), flow.predictions.tolist(), flow.is_novel.tolist(), flow.fates.tolist())
        for image_id, prediction, is_novel, fate in zip(*columns, strict=True):
            yield {
                "participant": flow.participant,
                "test_set": flow.test_set,
                "before": flow.before,
                "after": flow.after,
                "image_id": image_id,
                "prediction": prediction,
                "status": "novel" if is_novel else "judged",
                "fate": FATES[fate].value,
            }


def _make_parts(found: ReviewFlows) -> Iterator[Part]:
    yield _make_shares(found)
    yield Text(f"Intervals: {name_methods(flow.overturned.share.method for flow in found.flows)}.", style="dim")
    if found.comparison is not None:
        yield Text(_format_comparison(found.comparison))
    for flow in found.flows:
        yield Text()
        yield _make_fates(flow)
        yield _make_accuracies(flow)
    yield Text("Accuracies: Clopper–Pearson; changes on the images that both judge, in points: Tango.", style="dim")


def _make_shares(found: ReviewFlows) -> FittedTable:
    table = make_table("participant", title="Mistakes that a review overturned")
    table.add_column("overturned", rank=0)
    table.add_column("of", rank=0)
    table.add_column("share", rank=0)
    table.add_column("mistakes", rank=1)
    table.add_column("remain", rank=2)
    table.add_column("test set", rank=3)
    for flow in found.flows:
        share = flow.overturned.share
        counts = (f"{share.k:,}", f"{share.n:,}", str(share), f"{flow.n_mistakes:,}", f"{flow.count(Fate.REMAINS):,}")
        table.add_row(make_printable(flow.participant), *counts, make_printable(flow.test_set))
    return table


def _format_comparison(comparison: FlowComparison) -> str:
    test = comparison.test
    difference = f"Difference in points: {format_points(comparison.difference, sign=True)} (Newcombe)"
    if test.chi2 is None or test.p is None:
        return f"{difference}; no test (N = {test.n:,})."
    return f"{difference}; χ²({test.dof}, N = {test.n:,}) = {test.chi2:.2f}, {format_p_phrase(test.p)}."


def _make_fates(flow: ReviewFlow) -> FittedTable:
    """What became of novel mistakes and of those that were judged before."""
    title = f"{flow.participant}: from {flow.before} to {flow.after}"
    table = make_table("mistakes", title=title)
    table.add_column("n", rank=0)
    table.add_column("overturned", rank=0)
    for rank, fate in enumerate(FATES, start=1):
        table.add_column(fate.value, rank=0 if fate is Fate.REMAINS else rank)
    for name, is_novel in _ROWS:
        n = flow.count(*FATES, is_novel=is_novel)
        counts = (flow.count(fate, is_novel=is_novel) for fate in FATES)
        table.add_row(
            name, f"{n:,}", f"{flow.count(*OVERTURNED, is_novel=is_novel):,}", *(f"{one:,}" for one in counts)
        )
    table.add_row("all", f"{len(flow):,}", f"{flow.count(*OVERTURNED):,}", *(f"{flow.count(one):,}" for one in FATES))
    return table


def _make_accuracies(flow: ReviewFlow) -> FittedTable:
    table = make_table("accuracy", title="")
    table.add_column("before", rank=0)
    table.add_column("after", rank=0)
    table.add_column("change", rank=1)
    table.add_column("n before", rank=2)
    table.add_column("n after", rank=3)
    for one in flow.accuracies:
        change = format_points(one.change, sign=True)
        table.add_row(one.subset, str(one.before), str(one.after), change, f"{one.before.n:,}", f"{one.after.n:,}")
    return table
