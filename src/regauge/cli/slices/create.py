"""`regauge slice create major` and `regauge slice create rule`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from regauge.cli.campaigns.create import spread_values
from regauge.cli.printing.output import format_option, print_notes
from regauge.cli.slices.options import coding_option, complete_options, labels_option, queue_option
from regauge.cli.studies.study import (
    describe_slice,
    open_for_writing,
    print_entries,
    study_option,
    which_test_set_option,
)
from regauge.errors import InputError
from regauge.records.mistakes.coded import SEVERITIES
from regauge.records.slices.rules import CountRange, ImageRule, MajorRule, ProblematicImages
from regauge.workflows.slices.creating import SliceRequest, prepare_slice, store_slice
from regauge.workflows.slices.queues import write_queue


class SeveralModels(click.Command):
    """A command whose option --models takes several names one after the other: what follows them begins with a dash."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The rest of the words, as click has it."""
        return super().parse_args(ctx, spread_values(args, option="--models"))


@click.group("create")
def command() -> None:
    """Choose the images of a slice and freeze it: what it holds, and what it was chosen with, never changes."""


@command.command("major", cls=SeveralModels)
@click.argument("name", default="major")
@click.option(
    "--reference", required=True, metavar="NAME", help="The model whose coded major mistakes are chosen from."
)
@click.option("--models", multiple=True, required=True, metavar="NAME…", help="The other models.")
@click.option(
    "--at-least",
    type=int,
    required=True,
    metavar="N",
    help="How many of all these models, the reference included, must make a major mistake.",
)
@labels_option
@coding_option
@complete_options
@click.option("--allow-open", is_flag=True, help="Freeze the images that are settled while others wait for people.")
@queue_option
@which_test_set_option
@study_option
@format_option
def major_command(
    name: str,
    reference: str,
    models: tuple[str, ...],
    at_least: int,
    codings: tuple[str, ...],
    complete: bool,
    queue: Path | None,
    **options: Any,  # noqa: ANN401 - what all ways of making a slice have
) -> None:
    """Create the slice NAME of major mistakes that several models make.

    Of the coded major mistakes of --reference, those images on which at least --at-least models make a major mistake. A
    prediction that nobody has judged, or whose severity nobody has coded, has to be looked at first.
    """
    rule = MajorRule(reference, models, at_least)
    _create(name, rule=rule, codings=codings, is_complete=complete, queue=queue, **options)


@command.command("rule")
@click.argument("name")
@click.option("--n-correct", metavar="RANGE", help="How many labels are correct: 1, 2.., ..3 or 1..3.")
@click.option("--n-unclear", metavar="RANGE", help="How many labels are unclear.")
@click.option("--n-wrong", metavar="RANGE", help="How many labels are wrong.")
@click.option(
    "--problematic",
    type=click.Choice([one.value for one in ProblematicImages]),
    default=ProblematicImages.LEAVE_OUT.value,
    show_default=True,
    help="What becomes of images that the label set calls problematic.",
)
@click.option(
    "--group",
    "groups",
    multiple=True,
    metavar="GROUPING=GROUP",
    help="The group of the dataset label. Repeatable: any of these.",
)
@click.option(
    "--category", "categories", multiple=True, help="The category of a coded mistake. Repeatable: any of these."
)
@click.option(
    "--severity",
    "severities",
    multiple=True,
    type=click.Choice([str(one) for one in SEVERITIES]),
    help="The severity of the same mistake. Repeatable: any of these.",
)
@click.option("--max-seconds", type=float, metavar="X", help="People take so many seconds at most, in the median.")
@click.option("--images", metavar="FILE", help="A file that lists images; FILE#NAME chooses one of several lists.")
@labels_option
@coding_option
@complete_options
@queue_option
@which_test_set_option
@study_option
@format_option
def rule_command(
    name: str,
    groups: tuple[str, ...],
    images: str | None,
    codings: tuple[str, ...],
    complete: bool,
    queue: Path | None,
    **options: Any,  # noqa: ANN401 - the conditions, and what all ways of making a slice have
) -> None:
    """Create the slice NAME of the images that meet a rule: all the conditions that are given."""
    counts = {name: options.pop(name) for name in ("n_correct", "n_unclear", "n_wrong")}
    rule = ImageRule(
        **{name: None if text is None else CountRange.read(text) for name, text in counts.items()},
        problematic=ProblematicImages(options.pop("problematic")),
        groups=tuple(map(_read_group, groups)),
        categories=options.pop("categories"),
        severities=options.pop("severities"),
        max_seconds=options.pop("max_seconds"),
        images="" if images is None else Path(images).name,
    )
    _create(name, rule=rule, images=images, codings=codings, is_complete=complete, queue=queue, **options)


def _create(
    name: str,
    *,
    queue: Path | None,
    folder: Path | None,
    output_format: str,
    codings: Sequence[str],
    **request: Any,  # noqa: ANN401
) -> None:
    """Look at the slice, write what has to be done first, and freeze it where nothing has."""
    with open_for_writing(folder) as study:
        prepared = prepare_slice(study, SliceRequest(name, codings=codings, **request))
        if queue is not None:
            write_queue(prepared.queue, queue)
        entry = store_slice(study, prepared)
    print_entries([describe_slice(entry)], output_format, name="slices")
    print_notes(prepared.notes)


def _read_group(text: str) -> tuple[str, str]:
    grouping, mark, group = text.partition("=")
    if not mark or not grouping or not group:
        raise InputError(f"A group is GROUPING=GROUP, such as object-organism=organisms, not {text[:80]!r}.")
    return grouping, group
