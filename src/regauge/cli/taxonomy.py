"""`regauge taxonomy NAME [list|search|show|distance|groups|relations|lint]`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import click

import regauge
from regauge.cli.printing.output import (
    format_option,
    print_json,
    print_notes,
    print_parts,
    print_records,
    print_sentences,
)
from regauge.cli.printing.tables import IN_CSV, FittedTable, Holds, make_table
from regauge.records.taxonomy import ImageClass, Taxonomy
from regauge.workflows.taxonomies import (
    check_taxonomy,
    describe_class,
    explain,
    find_classes,
    find_relations,
    list_groups,
    measure_distance,
)

IN_LIST = "list --format csv has all"
_RELATION_COLUMNS = ("kind", "first", "second", "status", "reason", "source")
_CLASS_COLUMNS = ("index", "id", "names", "gloss", "link")


@click.group("taxonomy", invoke_without_command=True)
@click.argument("name")
@click.pass_context
def command(context: click.Context, name: str) -> None:
    """List, search, compare and check the classes of a benchmark.

    NAME is a packaged taxonomy (imagenet-1k, cifar-10) or a CSV or JSON file. Without a further word the classes are
    listed. A class is given by its index, its id or one of its names.
    """
    context.obj = regauge.load_taxonomy(name)
    if context.invoked_subcommand is None:
        _print_classes(context.obj.classes, "table", whole=IN_LIST)


@command.command("list")
@format_option
@click.pass_obj
def list_(taxonomy: Taxonomy, output_format: str) -> None:
    """List every class with its names and gloss."""
    _print_classes(taxonomy.classes, output_format)


@command.command()
@click.argument("text")
@click.option("--limit", type=click.IntRange(min=1), default=10, show_default=True, help="How many classes at most.")
@format_option
@click.pass_obj
def search(taxonomy: Taxonomy, text: str, limit: int, output_format: str) -> None:
    """Find classes by name, synonym, id, what they are a kind of, or an everyday word.

    Words come in any order and number; typos are forgiven.
    """
    matches = find_classes(taxonomy, text, limit=limit)
    if output_format != "table":
        rows = [{**_class_row(match.image_class), "matched": match.name, "reason": match.reason} for match in matches]
        print_records(rows, output_format, name="matches", columns=(*_CLASS_COLUMNS, "matched", "reason"))
        return
    if not matches:
        print_sentences(f"No class of {taxonomy.name} resembles {text!r}.")
        return
    table = FittedTable()
    for place, name in enumerate(("index", "id", "name", "matched", "why")):
        table.add_column(name, Holds.NAMES if place else Holds.NUMBERS, rank=(0, 3, 0, 1, 2)[place])
    for match in matches:
        one = match.image_class
        table.add_row(str(one.index), one.id, one.name, match.name, explain(match))
    print_parts([table])


@command.command()
@click.argument("class_", metavar="CLASS")
@format_option
@click.pass_obj
def show(taxonomy: Taxonomy, class_: str, output_format: str) -> None:
    """Show one class: names, gloss, paths to the root, groups."""
    description = describe_class(taxonomy, class_)
    row = {**_class_row(description.image_class), "paths": description.paths, "groups": description.groups}
    if output_format == "json":
        print_json(row)
    elif output_format == "csv":
        paths = [" > ".join(path) for path in description.paths]
        groups = [f"{grouping}: {name}" for grouping, names in description.groups.items() for name in names]
        print_records([{**row, "paths": paths, "groups": groups}], output_format, name="classes")
    elif output_format == "jsonl":
        print_records([row], output_format, name="classes")
    else:
        one = description.image_class
        print_sentences(f"{one.index}  {one.id}  {', '.join(one.names)}")
        for text in filter(None, (one.gloss, one.link)):
            print_sentences(text)
        for path in description.paths:
            print_sentences("path: " + " → ".join(path))
        for grouping, names in description.groups.items():
            print_sentences(f"group: {grouping}: {'; '.join(names)}")


@command.command()
@click.argument("first")
@click.argument("second")
@format_option
@click.pass_obj
def distance(taxonomy: Taxonomy, first: str, second: str, output_format: str) -> None:
    """Measure how far apart two classes are.

    Path length counts the edges between them through a common ancestor; ancestor level the levels up to it, 1 for the
    same parent.
    """
    apart = measure_distance(taxonomy, first, second)
    row = {
        "first": apart.first.id,
        "second": apart.second.id,
        "path_length": apart.path_length,
        "ancestor_level": apart.ancestor_level,
        "common_ancestor": apart.common_ancestor,
    }
    if output_format == "json":
        print_json(row)
    elif output_format != "table":
        print_records([row], output_format, name="distances")
    elif apart.common_ancestor is None:
        print_sentences(f"Nothing joins {apart.first.name} and {apart.second.name} in {taxonomy.name}.")
    else:
        print_sentences(f"{apart.first.name} ({apart.first.id}) and {apart.second.name} ({apart.second.id})")
        print_sentences(f"path length      {apart.path_length}")
        print_sentences(f"ancestor level   {apart.ancestor_level}")
        print_sentences(f"common ancestor  {apart.common_ancestor}")


@command.command()
@click.argument("group", required=False)
@format_option
@click.pass_obj
def groups(taxonomy: Taxonomy, group: str | None, output_format: str) -> None:
    """List the groups with their sizes, or the classes of one GROUP or grouping."""
    found = list_groups(taxonomy, group)
    if output_format != "table":
        rows = [
            {
                "grouping": one.grouping,
                "group": one.name,
                "n_classes": len(one.classes),
                "classes": [c.index for c in one.classes],
            }
            for one in found
        ]
        print_records(rows, output_format, name="groups")
        return
    if group is not None and len(found) == 1:
        _print_classes(found[0].classes, output_format)
        return
    table = make_table("grouping", "group", "classes")
    for one in found:
        table.add_row(one.grouping, one.name, f"{len(one.classes):,}")
    print_parts([table])


@command.command()
@format_option
@click.pass_obj
def relations(taxonomy: Taxonomy, output_format: str) -> None:
    """List relations between classes: the taxonomy's own, and published ones, which are proposals."""
    found = find_relations(taxonomy)
    if output_format != "table":
        rows = [{name: getattr(one, name) for name in _RELATION_COLUMNS} for one in found]
        print_records(rows, output_format, name="relations", columns=_RELATION_COLUMNS)
        return
    if not found:
        print_sentences(f"Nothing is known of relations between the classes of {taxonomy.name}.")
        return
    table = FittedTable()
    for place, name in enumerate(("relation", "status", "reason", "source")):
        table.add_column(name, Holds.NAMES, rank=(0, 0, 1, 2)[place])
    for one in found:
        told = one.tell(lambda index: f"{index} {taxonomy.classes[index].name}")
        table.add_row(told, one.status.value, one.reason, one.source)
    print_parts([table])


@command.command()
@click.option("--truth", multiple=True, metavar="FILE", help="Dataset labels, to look for ambiguous pairs. Repeatable.")
@click.option(
    "--frequencies", metavar="FILE", help="A table of selection counts: image_id, class, n_shown, n_selected."
)
@click.option("--classify", multiple=True, metavar="FILE", help="Answers to CLASSIFY. Repeatable.")
@click.option("--split", metavar="FILE", help="Which images are easy and were not asked about in CLASSIFY.")
@format_option
@click.pass_context
def lint(
    context: click.Context,
    truth: tuple[str, ...],
    frequencies: str | None,
    classify: tuple[str, ...],
    split: str | None,
    output_format: str,
) -> None:
    """Check the classes: shared names and links, cycles, empty groups, and pairs that annotators accept for each other.

    Exit status 1 when there is an error. Ambiguous pairs take dataset labels and votes on their images.
    """
    checked = check_taxonomy(context.obj)
    findings = checked.findings
    if truth or frequencies or classify or split:
        votes = regauge.find_ambiguous_classes(
            context.obj, truth, frequencies=frequencies, classify=classify, split=split
        )
        findings = (*findings, *votes)
    if output_format != "table":
        rows = [{"severity": f.severity, "code": f.code, "message": f.message, "ids": f.ids} for f in findings]
        print_records(rows, output_format, name="findings", columns=("severity", "code", "message", "ids"))
    else:
        for finding in findings:
            print_sentences(f"{finding.severity}: {finding.message}")
        n_errors = sum(finding.severity == "error" for finding in findings)
        print_sentences(f"{n_errors} errors, {len(findings) - n_errors} warnings in {context.obj.name}.")
        print_notes(checked.notes)
    if any(finding.severity == "error" for finding in findings):
        context.exit(1)


def _class_row(image_class: ImageClass) -> dict[str, Any]:
    one = image_class
    return dict(zip(_CLASS_COLUMNS, (one.index, one.id, list(one.names), one.gloss, one.link), strict=True))


def _print_classes(classes: Iterable[ImageClass], output_format: str, *, whole: str = IN_CSV) -> None:
    if output_format != "table":
        print_records([_class_row(one) for one in classes], output_format, name="classes")
        return
    table = FittedTable(whole=whole)
    for place, name in enumerate(("index", "id", "names", "gloss")):
        holds = (Holds.NUMBERS, Holds.NAMES, Holds.LISTS, Holds.WORDS)[place]
        table.add_column(name, holds, rank=(0, 1, 0, 2)[place])
    for one in classes:
        table.add_row(str(one.index), one.id, ", ".join(one.names), one.gloss)
    print_parts([table])
