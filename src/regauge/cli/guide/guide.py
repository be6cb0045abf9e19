"""`regauge guide list`, `show`, `history`, `diff` and `search`: what the labeling guide says, and what it said."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import click

from regauge.cli.guide.changes import COMMANDS, topic_arguments
from regauge.cli.printing.output import format_option, print_json, print_notes, print_records, print_sentences
from regauge.cli.printing.printable import make_printable
from regauge.cli.studies.study import open_for_reading, print_entries, study_option
from regauge.estimates import count_things
from regauge.records.guide.entries import (
    DiffLine,
    GuideCase,
    GuideCoverage,
    GuideEntry,
    GuideTopic,
    GuideVersion,
    LineChange,
    name_topic,
)
from regauge.records.taxonomy import Taxonomy
from regauge.workflows.guide.entries import (
    diff_entry,
    find_topic,
    get_entry,
    list_history,
    measure_coverage,
    read_guide,
    search_guide,
)

ENTRY_COLUMNS = ("entry", "classes", "version", "n_versions", "n_cases", "who", "changed_at", "reason")
"""The columns of a list of entries; docs/guide.md explains them."""
VERSION_COLUMNS = ("version", "who", "saved_at", "n_characters", "edited", "reason")
HIT_COLUMNS = ("entry", "classes", "version", "line")
SIGNS = {LineChange.SAME: " ", LineChange.ADDED: "+", LineChange.REMOVED: "-"}


@click.group("guide")
def command() -> None:
    """Write and read the labeling guide: what classes mean, how to tell two apart, and verdicts as cases."""


@command.command("list")
@click.option("--missing", is_flag=True, help="List the classes without an entry.")
@study_option
@format_option
def list_(*, missing: bool, folder: Path | None, output_format: str) -> None:
    """List the entries of the guide, and how many classes have one."""
    with open_for_reading(folder) as study:
        entries = read_guide(study)
        coverage, taxonomy = measure_coverage(study, entries), study.taxonomy
    if missing:
        rows = [{"class": i, "id": taxonomy.classes[i].id, "name": taxonomy.classes[i].name} for i in coverage.missing]
    else:
        rows = [describe_entry(entry, taxonomy) for entry in entries if not entry.is_empty]
    name, columns = ("classes", ("class", "id", "name")) if missing else ("entries", ENTRY_COLUMNS)
    if output_format != "table":
        print_records(rows, output_format, name=name, columns=columns)
        return
    if rows:
        print_entries(rows, output_format, name="guide", hidden=("classes",))
    print_sentences(tell_coverage(coverage))


@command.command()
@topic_arguments
@click.option("--version", type=int, help="Show the guide as it was at this version; by default, as it is now.")
@study_option
@format_option
def show(class_name: str, other: str, version: int | None, folder: Path | None, output_format: str) -> None:
    """Show the entry on CLASS, or on how to tell CLASS and OTHER apart, with its cases."""
    with open_for_reading(folder) as study:
        entry = get_entry(study, find_topic(study, class_name, other), version=version)
        taxonomy = study.taxonomy
    row = {**describe_entry(entry, taxonomy), "text": entry.text}
    cases = [describe_case(case) for case in entry.cases]
    if output_format == "json":
        print_json({"entry": row, "cases": cases})
    elif output_format != "table":
        print_records([row], output_format, name="entries")
    elif entry.is_empty:
        print_sentences(f"There is no entry on {name_topic(entry.topic, taxonomy)} yet.")
    else:
        print_sentences(_tell_entry(entry, taxonomy), "", *map(make_printable, entry.text.split("\n")), "")
        if cases:
            print_entries(cases, output_format, name="cases", hidden=("at", "labels"))


@command.command()
@topic_arguments
@study_option
@format_option
def history(class_name: str, other: str, folder: Path | None, output_format: str) -> None:
    """List all texts that an entry has had, the newest first."""
    with open_for_reading(folder) as study:
        found = list_history(study, find_topic(study, class_name, other))
    rows = [_describe_version(one) for one in found]
    if output_format != "table":
        print_records(rows, output_format, name="versions", columns=VERSION_COLUMNS)
    else:
        print_entries(rows, output_format, name="versions")


@command.command()
@topic_arguments
@click.option("--from", "before", type=int, metavar="VERSION", help="By default, the text before the last change.")
@click.option("--to", "after", type=int, metavar="VERSION", help="By default, the current text.")
@study_option
@format_option
def diff(
    class_name: str, other: str, before: int | None, after: int | None, folder: Path | None, output_format: str
) -> None:
    """Show what changed in an entry between two versions of the guide."""
    with open_for_reading(folder) as study:
        topic = find_topic(study, class_name, other)
        lines, taxonomy = diff_entry(study, topic, before=before, after=after), study.taxonomy
    if output_format != "table":
        rows = [{"change": one.change.value, "line": one.text} for one in lines]
        print_records(rows, output_format, name="lines", columns=("change", "line"))
        return
    print_sentences(*(f"{SIGNS[one.change]} {make_printable(one.text)}" for one in lines))
    print_sentences(_tell_diff(lines, topic, taxonomy))


@command.command()
@click.argument("words", nargs=-1, required=True)
@study_option
@format_option
def search(words: Sequence[str], folder: Path | None, output_format: str) -> None:
    """Find the entries that have all WORDS in their text, their cases or the names of their classes."""
    with open_for_reading(folder) as study:
        hits, taxonomy = search_guide(study, " ".join(words)), study.taxonomy
    rows = [
        {**_name(hit.entry.topic, taxonomy), "version": hit.entry.version or None, "line": hit.line} for hit in hits
    ]
    if output_format != "table":
        print_records(rows, output_format, name="entries", columns=HIT_COLUMNS)
    elif rows:
        print_entries(rows, output_format, name="guide", hidden=("classes",))
    else:
        print_notes(["No entry of the guide has all of these words."])


for one in COMMANDS:
    command.add_command(one)


def describe_entry(entry: GuideEntry, taxonomy: Taxonomy) -> dict[str, Any]:
    """The columns of an entry."""
    current = entry.current
    return {
        **_name(entry.topic, taxonomy),
        "version": entry.version or None,
        "n_versions": entry.n_versions,
        "n_cases": len(entry.cases),
        "who": None if current is None else current.who,
        "changed_at": None if current is None else current.at,
        "reason": None if current is None else current.reason,
    }


def describe_case(case: GuideCase) -> dict[str, Any]:
    """The columns of a case."""
    return {
        "version": case.version,
        "image_id": case.image.image_id,
        "test_set": case.image.test_set,
        "class": case.class_index,
        "verdict": case.verdict.name.lower(),
        "note": case.note,
        "labels": case.labels,
        "who": case.who,
        "at": case.at,
    }


def tell_coverage(found: GuideCoverage) -> str:
    """How much the guide covers."""
    classes = f"{found.n_covered:,} of {count_things(found.n_classes, 'class', many='classes')}"
    pairs, cases = count_things(found.n_pairs, "pair"), count_things(found.n_cases, "case")
    return f"Version {found.version:,} of the guide: an entry for {classes} and for {pairs}, {cases} cited."


def _tell_entry(entry: GuideEntry, taxonomy: Taxonomy) -> str:
    name = make_printable(name_topic(entry.topic, taxonomy))
    current = entry.current
    if current is None:
        return f"{name}: no text yet"
    return f"{name}: version {current.version:,}, {current.at[:10]}, by {make_printable(current.who) or 'somebody'}"


def _tell_diff(lines: Iterable[DiffLine], topic: GuideTopic, taxonomy: Taxonomy) -> str:
    n_added, n_removed = (
        sum(one.change is change for one in lines) for change in (LineChange.ADDED, LineChange.REMOVED)
    )
    name = make_printable(name_topic(topic, taxonomy))
    return f"The entry on {name}: {count_things(n_added, 'line')} added, {n_removed:,} removed."


def _describe_version(one: GuideVersion) -> dict[str, Any]:
    return {
        "version": one.version,
        "who": one.who,
        "saved_at": one.at,
        "n_characters": len(one.text),
        "edited": one.edited or None,
        "reason": one.reason,
    }


def _name(topic: GuideTopic, taxonomy: Taxonomy) -> dict[str, Any]:
    return {"entry": name_topic(topic, taxonomy), "classes": list(topic.classes)}
