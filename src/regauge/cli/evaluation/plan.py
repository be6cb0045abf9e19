"""`regauge plan`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

import click

import regauge
from regauge.cli.printing.figures import FigureFile, figure_option
from regauge.cli.printing.output import (
    format_option,
    print_json,
    print_notes,
    print_parts,
    print_rows,
    print_sentences,
)
from regauge.cli.printing.progress import make_track
from regauge.cli.printing.tables import FittedTable
from regauge.cli.studies.study import open_for_reading, study_option
from regauge.errors import InputError
from regauge.estimates import Estimate, format_percent, format_plain
from regauge.records.campaigns.terms import Pay
from regauge.records.evaluation.gaps import GapMethod
from regauge.records.evaluation.planning import (
    ENOUGH,
    FrequencySpread,
    PlanPoint,
    PlanSettings,
    StudyDesign,
    StudyPlan,
    Workforce,
)
from regauge.records.labels.frequencies import SelectionCounts
from regauge.records.responses.answers import GridShape
from regauge.workflows.evaluation.planning import (
    Expectations,
    WorkSettings,
    load_study_counts,
    make_plan,
    measure_design,
    names_label_set,
)

_Command = TypeVar("_Command", bound=Callable[..., Any])


def _read_numbers(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise InputError(f"Numbers are separated by commas, as in 5,10,20, not {text!r}.") from None


def _read_whole(_context: click.Context, _option: click.Parameter, text: str) -> tuple[int, ...]:
    found = _read_numbers(text)
    if not all(one.is_integer() for one in found):
        raise InputError(f"Annotators and images are whole numbers, not {text!r}.")
    return tuple(sorted({int(one) for one in found}))


def _read_spread(_context: click.Context, option: click.Parameter, text: str) -> FrequencySpread:
    found = _read_numbers(text)
    if len(found) != 2:
        raise InputError(f"{option.opts[0]} is the two shapes of a beta distribution, as in 3,1, not {text!r}.")
    return FrequencySpread(*found)


def _expectation_options(command: _Command) -> _Command:
    for option in (
        click.option("--taxonomy", metavar="NAME|FILE", help="The classes, where files name them."),
        click.option(
            "--predictions", metavar="FILE", help="A participant's answers, to measure the accuracy; with --truth."
        ),
        click.option("--truth", metavar="FILE", help="Labels of original images, to measure the accuracy."),
        click.option(
            "--pool-frequencies", metavar="FILE|LABELS", help="Selection counts of candidates, to measure their spread."
        ),
        click.option(
            "--frequencies", metavar="FILE|LABELS", help="Selection counts of original images, to measure their spread."
        ),
        click.option(
            "--pool-spread", default="1,0.7", show_default=True, callback=_read_spread, help="Beta of candidates."
        ),
        click.option(
            "--spread", default="3,1", show_default=True, callback=_read_spread, help="Beta of original frequencies."
        ),
        click.option(
            "--slope", default=3.0, show_default=True, help="How accuracy rises with frequency, on the logit scale."
        ),
        click.option("--gap", default=0.03, show_default=True, help="The loss on new images of equal frequency."),
        click.option("--accuracy", default=0.75, show_default=True, help="On original images."),
        click.option("--candidates", default=100, show_default=True, help="Of a class, that the pool has at most."),
        click.option("--original-per-class", default=20, show_default=True, help="Annotated original images."),
        click.option("--classes", default=1_000, show_default=True, help="How many classes."),
    ):
        command = option(command)
    return command


def _work_options(command: _Command) -> _Command:
    for option in (
        click.option("--hours-per-day", default=2.0, show_default=True, help="For how long each of them a day."),
        click.option("--people", default=10, show_default=True, help="How many people work at it."),
        click.option("--negative", default=3, show_default=True, help="Negative controls per grid."),
        click.option("--positive", default=3, show_default=True, help="Positive controls per grid."),
        click.option("--cells", default=48, show_default=True, help="Images per grid, controls included."),
        click.option("--seconds", type=float, help="That a grid takes; 1.25 per image by default."),
        click.option("--fee", default=0.0, show_default=True, help="Of a platform, as a share of the pay."),
        click.option("--currency", default="USD", show_default=True, help="Three capital letters."),
        click.option("--pay", type=float, help="For a grid; without it no costs are shown."),
    ):
        command = option(command)
    return command


@click.command("plan")
@click.option("--target", default=0.01, show_default=True, help="The half-width of the interval of the gap.")
@click.option(
    "--annotators", default="3,5,10,20,40", show_default=True, callback=_read_whole, help="Per image, to try."
)
@click.option("--per-class", default="5,10,20,40", show_default=True, callback=_read_whole, help="New images, to try.")
@click.option(
    "--method",
    type=click.Choice([one.value for one in GapMethod]),
    default=GapMethod.DECONVOLUTION.value,
    show_default=True,
    help="How the gap is split.",
)
@_expectation_options
@_work_options
@click.option("--level", default=0.95, show_default=True, help="Nominal coverage of the interval.")
@click.option("--n-studies", default=20, show_default=True, help="Simulated studies for every combination.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Decides every random choice.")
@figure_option
@study_option
@format_option
def command(
    target: float,
    annotators: tuple[int, ...],
    per_class: tuple[int, ...],
    method: str,
    level: float,
    n_studies: int,
    seed: int,
    figure: FigureFile | None,
    folder: Path | None,
    output_format: str,
    **given: Any,  # noqa: ANN401 - each option has its type
) -> None:
    """Work out how many annotators and images a precise gap takes, and what they cost.

    Studies are simulated as they would be drawn and measured; the cheapest combination that reaches the target is named.
    """
    settings = PlanSettings(annotators, per_class, target, level, n_studies, seed, method=GapMethod(method))
    design, notes = measure_design(_make_design(given), _make_expectations(given, folder))
    plan = make_plan(design, settings, work=_make_work(given), track=make_track())
    if figure is not None:
        figure.save(regauge.plot_plan(plan, canvas=figure.canvas))
    _print_plan(plan, output_format)
    print_notes([*notes, *plan.notes])


def _make_design(given: dict[str, Any]) -> StudyDesign:
    return StudyDesign(
        given["classes"],
        given["original_per_class"],
        given["candidates"],
        given["spread"],
        given["pool_spread"],
        given["accuracy"],
        given["gap"],
        given["slope"],
    )


def _make_expectations(given: dict[str, Any], folder: Path | None) -> Expectations:
    return Expectations(
        frequencies=_find_counts(given["frequencies"], folder),
        pool_frequencies=_find_counts(given["pool_frequencies"], folder),
        truth=given["truth"],
        predictions=given["predictions"],
        taxonomy=given["taxonomy"],
    )


def _find_counts(source: str | None, folder: Path | None) -> str | SelectionCounts | None:
    if source is None or not names_label_set(source):
        return source
    with open_for_reading(folder) as study:
        return load_study_counts(study, source)


def _make_work(given: dict[str, Any]) -> WorkSettings:
    if given["pay"] is None and given["fee"]:
        raise InputError("--fee is a share of what is paid for a grid; say how much that is with --pay.")
    shape = GridShape(given["cells"], given["positive"], given["negative"])
    pay = None if given["pay"] is None else Pay(given["pay"], given["currency"], fee=given["fee"])
    return WorkSettings(shape, pay, given["seconds"], Workforce(given["people"], given["hours_per_day"]))


def _print_plan(plan: StudyPlan, output_format: str) -> None:
    if output_format == "json":
        cheapest = {
            name: None if found is None else asdict(found)
            for name, found in (
                ("adjusted", plan.find_cheapest()),
                ("raw", plan.find_cheapest(is_adjusted=False)),
            )
        }
        whole = {"points": plan.to_frame().to_dicts(), "cheapest": cheapest, "currency": plan.currency or None}
        print_json({**whole, "design": asdict(plan.design), "settings": asdict(plan.settings), "notes": plan.notes})
    elif output_format != "table":
        print_rows(plan.to_frame(), output_format)
    else:
        print_sentences(*(describe_cheapest(plan, is_adjusted=one) for one in (True, False)), "")
        print_parts([_make_table(plan)])


def _make_table(plan: StudyPlan) -> FittedTable:
    price = f"cost,\n{plan.currency}" if plan.currency else "days"
    counts = {"annotators\nper image": 0, "images\nper class": 0, "candidates\nper class": 6}
    gaps = {"raw\ngap ±": 3, "raw\nreached": 4, "adjusted gap ±": 0, "adjusted\nreached": 1, "naive bias": 7}
    table = FittedTable(f"Target ± {100 * plan.settings.target:g} points")
    for name, rank in {**counts, **gaps, "classes\nshort": 8, "hours": 5, price: 2}.items():
        table.add_column(name, rank=rank, label=name.replace(",\n", " in ").replace("\n", " "))
    for point in plan.points:
        table.add_row(*_show(point))
    return table


def _show(point: PlanPoint) -> list[str]:
    adjusted = Estimate(point.adjusted_half_width, point.adjusted_low, point.adjusted_high)
    price = point.days if point.cost is None else point.cost
    return [
        *(f"{n:,}" for n in (point.annotators, point.per_class, point.candidates)),
        f"{100 * point.raw_half_width:.2f}",
        f"{100 * point.raw_reached:.0f}%",
        format_plain(adjusted, scale=100, decimals=2),
        f"{100 * point.adjusted_reached:.0f}%",
        f"{100 * point.naive_bias:+z.1f} ± {196 * point.naive_bias_error:.1f}",
        format_percent(point.share_short),
        f"{point.hours:,.0f}",
        f"{price:,.0f}" if price >= 100 else f"{price:,.1f}",
    ]


def describe_cheapest(plan: StudyPlan, *, is_adjusted: bool) -> str:
    """The combination that takes least and is enough, in one sentence."""
    what = "frequency-adjusted" if is_adjusted else "raw"
    goal = f"± {100 * plan.settings.target:g} points on the {what} gap"
    found = plan.find_cheapest(is_adjusted=is_adjusted)
    if found is None:
        return f"No combination that was tried reaches {goal} in {100 * ENOUGH:g}% of the studies; try more images or annotators."
    price = "" if found.cost is None else f" and {found.cost:,.0f} {plan.currency}"
    return (
        f"For {goal} the cheapest is {found.annotators:,} annotators on {found.candidates:,} candidates per class, of which "
        f"{found.per_class:,} are taken: {found.n_answers:,} answers, {found.hours:,.0f} hours{price}."
    )
