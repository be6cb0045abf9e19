"""`regauge mistakes overturned`."""

from __future__ import annotations

import click

from regauge.cli.mistakes.flow_tables import print_flows
from regauge.cli.mistakes.sources import AnswerSource, judge_options, place_options
from regauge.cli.printing.output import format_option
from regauge.errors import InputError
from regauge.records.mistakes.found import FindSettings
from regauge.records.studies import Selection
from regauge.workflows.mistakes.finding import follow_reviews

ALL = "all"
"""Said of a test set whose mistakes were all reviewed."""


@click.command("overturned")
@place_options
@click.option(
    "--before", multiple=True, required=True, metavar="NAME[@VERSION]|FILE", help="The earlier label set. Repeatable."
)
@click.option("--after", multiple=True, required=True, metavar="NAME[@VERSION]|FILE", help="The later one. Repeatable.")
@click.option("--truth", "truths", multiple=True, metavar="FILE", help="Dataset labels of files. Repeatable.")
@click.option(
    "--participant", multiple=True, metavar="GLOB", help="Whose mistakes; everybody's by default. Repeatable."
)
@click.option(
    "--test-set",
    "test_sets",
    multiple=True,
    metavar="NAME",
    help="Which test sets; the only one by default. Repeatable.",
)
@click.option(
    "--sample",
    "samples",
    multiple=True,
    metavar="N|all",
    help="Draw so many of the mistakes at random; repeat it for several test sets, and say all where there was no sample.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Random seed of the sample.")
@judge_options
@format_option
def command(
    place: AnswerSource,
    before: tuple[str, ...],
    after: tuple[str, ...],
    truths: tuple[str, ...],
    participant: tuple[str, ...],
    test_sets: tuple[str, ...],
    samples: tuple[str, ...],
    seed: int,
    strict: bool,
    level: float,
    output_format: str,
) -> None:
    """Say how many mistakes a review overturned: a label set before it against one after it.

    Of two test sets, give --test-set, --before and --after twice; the first --before goes with the first --after. Two
    participants or test sets are tested against each other.
    """
    place.refuse({"--truth": truths}, {"--test-set": test_sets})
    settings = FindSettings(strict, seed=seed, level=level)
    if place.predictions:
        pairs = _pair(before, after, max(len(before), len(after)))
        sources = [place.read_files((*pair, *truths), participant) for pair in pairs]
        sizes = _read_sizes(samples, len(sources))
        print_flows(follow_reviews(sources, settings, n_samples=sizes), output_format)
        return
    sets = test_sets or (None,)
    pairs = _pair(before, after, len(sets))
    selections = [Selection(name, pair, participant) for name, pair in zip(sets, pairs, strict=True)]
    with place.read_study(*selections) as sources:
        sizes = _read_sizes(samples, len(sources))
        print_flows(follow_reviews(sources, settings, n_samples=sizes), output_format)


def _read_sizes(samples: tuple[str, ...], n: int) -> list[int | None]:
    """The size of the sample of each test set; one that is given once holds for all.

    Raises:
        InputError: one is neither a number nor `all`, or there are neither one nor as many as test sets.
    """
    sizes: list[int | None] = []
    for sample in samples or (ALL,):
        if sample != ALL and not (sample.isascii() and sample.isdecimal()):
            raise InputError(f"--sample is a number of mistakes, or {ALL}, not {sample!r}.")
        sizes.append(None if sample == ALL else int(sample))
    if len(sizes) not in {1, n}:
        raise InputError(f"--sample is given once, or once for each of {n} test sets, not {len(sizes)} times.")
    return sizes if len(sizes) == n else sizes * n


def _pair(before: tuple[str, ...], after: tuple[str, ...], n: int) -> list[tuple[str, str]]:
    """The label sets of each test set; one that is given once holds for all.

    Raises:
        InputError: there are neither one nor as many as test sets.
    """
    sides = []
    for name, given in (("--before", before), ("--after", after)):
        if len(given) not in {1, n}:
            raise InputError(f"{name} is given once, or once for each of {n} test sets, not {len(given)} times.")
        sides.append(given if len(given) == n else given * n)
    return list(zip(*sides, strict=True))
