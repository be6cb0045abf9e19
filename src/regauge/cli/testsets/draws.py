"""`regauge testset show`, `diff`, `remove`, `restore` and `export`: what was drawn, reviewed and handed on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from regauge.cli.printing.output import format_option, print_json, print_notes, print_parts, print_rows, print_sentences
from regauge.cli.printing.tables import IN_JSON, FittedTable, Holds, make_table, name_class
from regauge.cli.printing.written import tell_written
from regauge.cli.studies.study import open_for_reading, open_for_writing, print_entries, study_option
from regauge.estimates import Estimate, count_things, to_fields
from regauge.records.testsets.draws import DrawDescription, ImageChange, describe_plan, describe_shortfalls
from regauge.workflows.exports.draw_exports import export_draw
from regauge.workflows.testsets.draw_descriptions import describe_draw, diff_draws, load_drawn
from regauge.workflows.testsets.draw_reviews import remove_from_draw, restore_to_draw


@click.command("show")
@click.argument("test_set", metavar="NAME")
@study_option
@format_option
def show_(test_set: str, folder: Path | None, output_format: str) -> None:
    """Show how the test set NAME was drawn: plan, sources, bins, upward sampling, and what is lacking.

    As csv or jsonl, one row for each of its images.
    """
    with open_for_reading(folder) as study:
        found = describe_draw(study, test_set)
        images = load_drawn(study, test_set).to_frame()
        names = [one.name for one in study.taxonomy.classes]
    if output_format in {"csv", "jsonl"}:
        print_rows(images, output_format)
    elif output_format == "json":
        print_json(_describe(found))
    else:
        _print(found, names)


@click.command()
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@study_option
@format_option
def diff(first: str, second: str, folder: Path | None, output_format: str) -> None:
    """Show what became of the images of A in B, both drawn: carried over, new, and removed with the reason."""
    with open_for_reading(folder) as study:
        found, taxonomy = diff_draws(study, first, second), study.taxonomy
    counts = {change.value: found.count(change) for change in ImageChange}
    if output_format == "json":
        print_json({"first": first, "second": second, **counts, "images": found.to_frame().to_dicts()})
    elif output_format != "table":
        print_rows(found.to_frame(), output_format)
    else:
        table = FittedTable()
        for place, name in enumerate(("image_id", "class", "change", "selected", "upward", "reason")):
            holds = Holds.NUMBERS if name == "selected" else Holds.WORDS if name == "reason" else Holds.NAMES
            table.add_column(name, holds, rank=(0, 3, 0, 2, 4, 1)[place])
        for one in found.changes:
            if one.change is not ImageChange.CARRIED_OVER:
                votes = f"{one.n_selected} of {one.n_shown}"
                upward = "yes" if one.is_upward else ""
                label = name_class(one.class_index, taxonomy)
                table.add_row(one.image_id, label, one.change, votes, upward, one.reason)
        if table.n_rows:
            print_parts([table])
        kept, new, removed = counts.values()
        print_sentences(f"{kept:,} carried over, {new:,} new ({found.n_upward:,} upward), {removed:,} removed.")


@click.command()
@click.argument("test_set", metavar="NAME")
@click.argument("image", metavar="IMAGE")
@click.option("--reason", required=True, help="Why; it is kept, and revisions count it.")
@study_option
@format_option
def remove(test_set: str, image: str, reason: str, folder: Path | None, output_format: str) -> None:
    """Remove IMAGE of the drawn test set NAME as wrong: revisions are drawn without it."""
    with open_for_writing(folder) as study:
        found = remove_from_draw(study, test_set, image_id=image, reason=reason)
    row = {"test_set": test_set, "image_id": image, "removed": found.is_excluded, "reason": found.reason}
    print_entries([row], output_format, name="images")
    print_notes([f"{test_set} itself is unchanged; draw it again with: regauge testset revise {test_set}."])


@click.command()
@click.argument("test_set", metavar="NAME")
@click.argument("image", metavar="IMAGE")
@click.option("--reason", default="restored", show_default=True, help="Why.")
@study_option
@format_option
def restore(test_set: str, image: str, reason: str, folder: Path | None, output_format: str) -> None:
    """Undo the removal of IMAGE from the drawn test set NAME."""
    with open_for_writing(folder) as study:
        found = restore_to_draw(study, test_set, image_id=image, reason=reason)
    row = {"test_set": test_set, "image_id": image, "removed": found.is_excluded, "reason": found.reason}
    print_entries([row], output_format, name="images")


@click.command()
@click.argument("test_set", metavar="NAME")
@click.argument("path", metavar="DIR", type=click.Path(path_type=Path), callback=tell_written)
@click.option("--link", is_flag=True, help="Link to the images in place of copying them.")
@click.option("--license", "license_name", default="", metavar="NAME", help="The licence that the card is to state.")
@study_option
@format_option
def export(test_set: str, path: Path, link: bool, license_name: str, folder: Path | None, output_format: str) -> None:
    """Write the drawn test set NAME to DIR: one folder per class, a manifest with every image's source, and a card."""
    with open_for_reading(folder) as study:
        files = export_draw(study, test_set, folder=path, link=link, license_name=license_name)
        n_removed = len(describe_draw(study, test_set).removed)
    print_entries([{"file": str(one.path), "n_rows": one.n_rows} for one in files], output_format, name="files")
    if n_removed:
        text = f"Reviewers have removed {n_removed:,} of its images since; a revision is drawn without them."
        print_notes((), [text])


def _describe(found: DrawDescription) -> dict[str, object]:
    plan, sources = found.drawn.plan, found.drawn.sources
    return {
        "name": found.entry.name,
        "parent": found.drawn.parent or None,
        "revisions": list(found.revisions),
        "n_images": found.entry.n_images,
        "n_classes": found.n_classes,
        "plan": {
            "strategy": plan.strategy.value,
            "per_class": plan.per_class,
            "seed": plan.seed,
            "threshold": plan.threshold,
            "class_thresholds": {str(index): share for index, share in plan.class_thresholds.items()},
            "min_annotations": plan.min_annotations,
            "min_original": plan.min_original,
        },
        "sources": {
            "pools": list(sources.pools),
            "original": sources.original or None,
            "frequencies": list(sources.frequencies),
            "annotators": sources.annotators.value,
            "keywords": [{"class": index, "keyword": word, "n": n} for index, word, n in sources.keywords],
        },
        "n_carried_over": found.n_carried,
        "n_upward": found.n_upward,
        "bins": [{"bin": one.bin, "n": one.n, "n_upward": one.n_upward} for one in found.bins],
        "settled": found.is_settled,
        "selection_frequency": _describe_mean(found.frequency),
        "reported_frequency": None if found.reported is None else _describe_mean(found.reported),
        "shortfalls": [
            {"class": one.class_index, "where": one.where, "n_missing": one.n_missing, "n_to_gather": one.n_to_gather}
            for one in found.drawn.shortfalls
        ],
        "excluded": [
            {"class": index, "bin": where, "reason": reason, "n": n} for index, where, reason, n in found.drawn.excluded
        ],
        "removed": [
            {"image_id": one.image_id, "reason": one.reason, "who": one.who, "at": one.at}
            for one in found.removed.values()
        ],
    }


def _describe_mean(mean: Estimate[float | None]) -> dict[str, Any]:
    return {**to_fields(mean), "n": mean.n, "interval": mean.method}


def _show_mean(mean: Estimate[float | None]) -> str:
    return f"{mean}, n = {mean.n:,}"


def _print(found: DrawDescription, names: list[str]) -> None:
    sources, mean = found.drawn.sources, found.frequency
    table = FittedTable(
        f"{found.entry.name}: {count_things(found.entry.n_images, 'image')} of "
        f"{count_things(found.n_classes, 'class', many='classes')}",
        IN_JSON,
    )
    table.add_column("", Holds.WORDS)
    table.add_column("", Holds.NAMES)
    facts = {**describe_plan(found.drawn.plan), "pools": ", ".join(sources.pools)}
    facts |= {"original": sources.original, "frequencies": ", ".join(sources.frequencies)}
    facts |= {"revises": found.drawn.parent, "revised in": ", ".join(found.revisions)}
    facts |= {"carried over": f"{found.n_carried:,}", "upward": f"{found.n_upward:,}"}
    facts["mean selection frequency"] = _show_mean(mean)
    if found.is_settled:
        facts["counts"] = "as several rounds decided, not votes as given"
    if found.reported is not None:
        facts["chosen by"] = sources.annotators.value
        facts["mean by the other half"] = _show_mean(found.reported)
    facts["removed by reviewers since"] = f"{len(found.removed):,}"
    for name, value in facts.items():
        if value not in {"", None}:
            table.add_row(name, str(value))
    bins = make_table("bin", "n", whole=IN_JSON)
    bins.add_column("upward")
    for one in found.bins:
        bins.add_row(one.bin, f"{one.n:,}", f"{one.n_upward:,}")
    print_parts([table, bins])
    print_notes((), [f"{line}." for line in describe_shortfalls(found.drawn.shortfalls, names)])
