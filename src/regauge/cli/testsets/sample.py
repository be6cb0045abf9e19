"""`regauge testset sample` and `revise`: draw a test set from the pool, and draw it anew."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import click

from regauge.cli.pools.options import (
    class_threshold_option,
    frequencies_option,
    keywords_option,
    pools_option,
    read_thresholds,
)
from regauge.cli.printing.output import format_option, print_notes
from regauge.cli.studies.study import open_for_writing, print_entries, study_option
from regauge.errors import InputError
from regauge.records.testsets.draws import describe_shortfalls
from regauge.records.testsets.pool import DrawAnnotators, DrawSources
from regauge.records.testsets.sampling import SamplingPlan, Strategy
from regauge.workflows.studies.study import Study
from regauge.workflows.testsets.draw_descriptions import get_draw
from regauge.workflows.testsets.draw_inputs import load_keywords
from regauge.workflows.testsets.draws import DrawnTestSet, draw_test_set, revise_test_set

_Command = TypeVar("_Command", bound=Callable[..., Any])

_PLAN = ("per_class", "seed", "threshold", "min_annotations", "min_original")
_ONLY = {
    "threshold": ("--threshold", Strategy.THRESHOLD),
    "class_thresholds": ("--class-threshold", Strategy.THRESHOLD),
    "min_original": ("--min-original", Strategy.MATCHED_FREQUENCY),
    "keywords": ("--keywords", Strategy.KEYWORDS),
}
"""Options of one strategy; with another one they would be without effect."""


def _source_options(command: _Command) -> _Command:
    """What to draw from, and how exactly."""
    for option in reversed(
        (
            pools_option,
            click.option("--original", metavar="SET", help="The test set to imitate."),
            frequencies_option,
            keywords_option,
            click.option(
                "--annotators",
                type=click.Choice([one.value for one in DrawAnnotators]),
                help="Whose votes choose; with one half, the other reports on the chosen. All by default.",
            ),
            click.option("--per-class", type=int, help="Images of every class; 10 by default."),
            click.option("--seed", type=int, help="Decides every random choice; 0 by default."),
            click.option("--threshold", type=float, help="Lowest frequency of the strategy threshold; 0.7 by default."),
            class_threshold_option,
            click.option("--min-annotations", type=int, help="Annotators that a candidate needs; 10 by default."),
            click.option(
                "--min-original", type=int, help="Annotated original images that a class needs; 20 by default."
            ),
            click.option("--allow-short", is_flag=True, help="Where a class falls short, take what there is."),
        )
    ):
        command = option(command)
    return command


@click.command("sample")
@click.option(
    "--strategy",
    type=click.Choice([one.value for one in Strategy]),
    default=Strategy.MATCHED_FREQUENCY.value,
    show_default=True,
    help="Which images of a class are taken.",
)
@click.option("--name", required=True, help="What to call the test set.")
@_source_options
@study_option
@format_option
def sample(
    strategy: str,
    name: str,
    allow_short: bool,
    folder: Path | None,
    output_format: str,
    **options: Any,  # noqa: ANN401 - options
) -> None:
    """Draw a test set from the pool: by matched frequency, above a threshold, the best, or by keywords."""
    with open_for_writing(folder) as study:
        first = SamplingPlan(Strategy(strategy))
        if first.strategy is Strategy.KEYWORDS:
            # Keywords are matched without asking anybody, unless somebody says so.
            first = replace(first, min_annotations=0)
        plan, sources = _read(study, first, DrawSources(), options)
        drawn = draw_test_set(study, plan, name=name, sources=sources, allow_short=allow_short)
        names = [one.name for one in study.taxonomy.classes]
    _print(drawn, output_format, names)


@click.command("revise")
@click.argument("test_set", metavar="NAME")
@click.option("--name", default="", help="What to call the revision; NAME-2, NAME-3 … by default.")
@_source_options
@study_option
@format_option
def revise(
    test_set: str,
    name: str,
    allow_short: bool,
    folder: Path | None,
    output_format: str,
    **options: Any,  # noqa: ANN401 - options
) -> None:
    """Draw the test set NAME anew without what was removed; every image that can still be taken is kept.

    Whatever is not given is as it was for NAME.
    """
    with open_for_writing(folder) as study:
        found = get_draw(study, test_set)
        request = _read(study, found.plan, found.sources, options)
        drawn = revise_test_set(study, test_set, new_name=name, request=request, allow_short=allow_short)
        names = [one.name for one in study.taxonomy.classes]
    _print(drawn, output_format, names)


def _read(
    study: Study, plan: SamplingPlan, sources: DrawSources, options: dict[str, Any]
) -> tuple[SamplingPlan, DrawSources]:
    """Plan and sources with what was asked for in place of what was there."""
    _check_strategy(plan.strategy, options)
    changes = {name: options[name] for name in _PLAN if options[name] is not None}
    given = read_thresholds(study.taxonomy, options["class_thresholds"])
    changes["class_thresholds"] = {**plan.class_thresholds, **given}
    named = {
        "pools": options["pools"],
        "original": options["original"],
        "frequencies": options["frequencies"],
    }
    sources = replace(sources, **{name: value for name, value in named.items() if value})
    if options["annotators"] is not None:
        sources = replace(sources, annotators=DrawAnnotators(options["annotators"]))
    if options["keywords"] is not None:
        sources = replace(sources, keywords=load_keywords(study, options["keywords"], original=sources.original))
    return replace(plan, **changes), sources


def _check_strategy(strategy: Strategy, options: dict[str, Any]) -> None:
    for name, (option, only) in _ONLY.items():
        if options[name] not in {None, ()} and strategy is not only:
            raise InputError(
                f"{option} belongs to the strategy {only}, and this set is drawn by {strategy}; leave it out."
            )


def _print(drawn: DrawnTestSet, output_format: str, names: Sequence[str]) -> None:
    draw = drawn.draw
    row = {
        "name": drawn.entry.name,
        "strategy": draw.plan.strategy.value,
        "n_images": len(draw),
        "n_classes": len(set(draw.classes.tolist())),
        "n_carried_over": int(draw.is_carried.sum()),
        "n_upward": int(draw.is_upward.sum()),
        "n_missing": sum(one.n_missing for one in draw.shortfalls),
        "digest": drawn.entry.digest,
    }
    print_entries([row], output_format, name="test_sets")
    print_notes(drawn.notes, [f"{line}." for line in describe_shortfalls(draw.shortfalls, names)])
