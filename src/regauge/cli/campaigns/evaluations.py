"""`regauge campaign predictions`, `own-data`, `references`, `learning` and `group-review`: what comes of testing people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from regauge.cli.printing.output import format_option, print_notes
from regauge.cli.printing.printable import make_printable
from regauge.cli.studies.study import (
    describe_predictions,
    names_option,
    open_for_reading,
    open_for_writing,
    print_entries,
    study_option,
)
from regauge.errors import InputError
from regauge.estimates import to_fields
from regauge.workflows.annotation.class_cards import count_references
from regauge.workflows.annotation.training.group_reviews import open_to_group
from regauge.workflows.annotation.training.trainees import (
    BLOCK,
    CurvePoint,
    list_uncovered,
    measure_learning,
    pick_named,
)
from regauge.workflows.campaigns.participants import FAMILY, Naming, add_people
from regauge.workflows.people.own_data import allow_own_data


@click.command("predictions")
@click.argument("name")
@click.option(
    "--name",
    "names",
    multiple=True,
    metavar="ANNOTATOR=NAME",
    help="What the participant is called; a neutral pseudonym by default. Repeatable.",
)
@click.option(
    "--alias",
    "aliases",
    multiple=True,
    metavar="OTHER=ANNOTATOR",
    help="OTHER is the same person as ANNOTATOR, also for exposure. Repeatable.",
)
@click.option("--family", default=FAMILY, show_default=True, help="What the participants belong with.")
@click.option("--replace", "replaces", is_flag=True, help="Replace the participants that exist by new ones.")
@study_option
@format_option
def predictions(
    name: str,
    names: tuple[str, ...],
    aliases: tuple[str, ...],
    family: str,
    replaces: bool,
    folder: Path | None,
    output_format: str,
) -> None:
    """Make a participant of each person who answered, for each test set, with the seconds of each answer."""
    naming = Naming(_read_pairs(names, "--name"), _read_pairs(aliases, "--alias"), family)
    with open_for_writing(folder) as study:
        added = add_people(study, name, naming, replaces=replaces)
    rows = [describe_predictions(one) for one in added.entries]
    print_entries(rows, output_format, name="predictions")
    print_notes(added.notes)


@click.command("own-data")
@click.argument("name")
@click.option("--allow", is_flag=True, help="Let people see what they answered.")
@click.option("--withhold", is_flag=True, help="No longer let people see what they answered.")
@study_option
def own_data(name: str, allow: bool, withhold: bool, folder: Path | None) -> None:
    """Say whether people who were tested may see and download what they answered."""
    if allow is withhold:
        raise InputError("Say whether people may see what they answered, with --allow or --withhold.")
    is_allowed = allow
    with open_for_writing(folder) as study:
        campaign = allow_own_data(study, name, is_allowed=is_allowed)
    click.echo(tell_own_data(campaign.name, is_allowed=is_allowed), err=True)


def tell_own_data(name: str, *, is_allowed: bool) -> str:
    """Whether people see what they answered in a campaign from now on."""
    return f"People {'can now see' if is_allowed else 'do not see'} what they answered in {make_printable(name)}."


@click.command("group-review")
@click.argument("name")
@click.option("--open", "opens", is_flag=True, help="Let people of the training look at everybody's answers together.")
@click.option("--close", "closes", is_flag=True, help="No longer let them.")
@study_option
def group_review(name: str, opens: bool, closes: bool, folder: Path | None) -> None:
    """Let people of a training look at everybody's answers, one image at a time, and write notes into the guide."""
    if opens is closes:
        raise InputError("Say whether people may look at everybody's answers, with --open or --close.")
    is_open = opens
    with open_for_writing(folder) as study:
        campaign = open_to_group(study, name, is_open=is_open)
    click.echo(tell_group_review(campaign.name, campaign.id, is_open=is_open), err=True)


def tell_group_review(name: str, number: int, *, is_open: bool) -> str:
    """Who sees the answers to a training from now on."""
    called = make_printable(name)
    if not is_open:
        return f"Nobody looks at the answers to {called} together any longer."
    return f"People of {called} can now look at everybody's answers together, on the page /campaigns/{number}/group."


@click.command("references")
@click.argument("name")
@study_option
@format_option
def references(name: str, folder: Path | None, output_format: str) -> None:
    """Show how many reference images the cards of a campaign have of each class that it asks about."""
    with open_for_reading(folder) as study:
        rows = count_references(study, name)
    print_entries(rows, output_format, name="classes")


@click.command("learning")
@click.argument("name")
@click.option(
    "--classes",
    multiple=True,
    metavar="NAME",
    help="A group of classes: a class, a node of the hierarchy or a group; all classes by default. Repeatable.",
)
@click.option(
    "--block",
    type=click.IntRange(min=1),
    default=BLOCK,
    show_default=True,
    help="How many answers make one point of the curve.",
)
@click.option("--uncovered", is_flag=True, help="Show the classes without a guide entry, the most confused first.")
@names_option
@study_option
@format_option
def learning(
    name: str,
    classes: tuple[str, ...],
    block: int,
    uncovered: bool,
    with_names: bool,
    folder: Path | None,
    output_format: str,
) -> None:
    """Show how people of a training get better, group of classes by group, with intervals."""
    with open_for_reading(folder) as study:
        taxonomy = study.taxonomy
        if uncovered:
            rows: list[dict[str, Any]] = [
                {"class": one, "name": taxonomy.classes[one].name, "n_confused": n}
                for one, n in list_uncovered(study, name)
            ]
        else:
            groups = {one: pick_named(study, one) for one in classes} or {"all": tuple(range(len(taxonomy)))}
            points = measure_learning(study, name, groups=groups, block=block, with_names=with_names)
            rows = [_tell_point(point) for point in points]
    print_entries(rows, output_format, name="classes" if uncovered else "points")


def _tell_point(point: CurvePoint) -> dict[str, Any]:
    """A point as outputs have it."""
    counts = {"n_right": point.right.k, "n": point.right.n}
    where = {"annotator": point.annotator, "group": point.group, "first": point.first, "last": point.last}
    return {**where, **counts, **to_fields(point.right)}


def _read_pairs(words: Sequence[str], option: str) -> Mapping[str, str]:
    """What pairs such as ONE=OTHER say.

    Raises:
        InputError: a word is no such pair, or the first part comes twice.
    """
    pairs: dict[str, str] = {}
    for word in words:
        one, _, other = (part.strip() for part in word.partition("="))
        if not one or not other:
            raise InputError(f"{option} takes two names with = between them, not {word!r}.")
        if one in pairs:
            raise InputError(f"{option} is given twice for {one}; give it once.")
        pairs[one] = other
    return pairs


COMMANDS = (predictions, own_data, references, learning, group_review)
