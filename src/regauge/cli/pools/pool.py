"""`regauge pool`."""

from __future__ import annotations

from pathlib import Path

import click

from regauge.cli.pools.options import frequencies_option, keywords_option, pools_option
from regauge.cli.pools.tables import describe_batch, print_changes, print_images, print_status
from regauge.cli.printing.output import format_option, print_notes
from regauge.cli.studies.study import (
    make_list_command,
    open_for_reading,
    open_for_writing,
    open_here,
    print_entries,
    study_option,
)
from regauge.errors import InputError
from regauge.records.testsets.pool import ExclusionRule, FieldNames
from regauge.workflows.pools.copies import read_all_fingerprints, store_copies
from regauge.workflows.pools.duplicates import PairRequest, UnknownImages, exclude_near_duplicates
from regauge.workflows.pools.filters import (
    RestoreRequest,
    Windows,
    exclude_listed,
    filter_pool,
    load_listed,
    read_window,
    restore_images,
)
from regauge.workflows.pools.images import list_candidates, list_excluded
from regauge.workflows.pools.pool import BatchRequest, add_batch, list_batches, prepare_batch
from regauge.workflows.pools.status import DEFAULT_ANNOTATIONS, DEFAULT_PER_CLASS, PoolStatusRequest, describe_pool

rules_option = click.option(
    "--rule",
    "rules",
    multiple=True,
    type=click.Choice([rule.value for rule in ExclusionRule]),
    help="Those that this rule excludes; any rule by default. Repeatable.",
)
original_option = click.option(
    "--original",
    "originals",
    multiple=True,
    metavar="TEST_SET",
    help="The original data, whose images must not come back; all test sets not drawn from a pool by default. Repeatable.",
)


@click.group("pool")
def command() -> None:
    """Gather candidates for a test set, and see which of them can be taken."""


@command.command()
@click.argument("path")
@click.option("--name", default="", help="What to call the batch; the file's or folder's name by default.")
@click.option(
    "--images",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="DIR",
    help="For a table or search results: the folder of the images; those without a file are found by their id.",
)
@click.option(
    "--class", "class_", metavar="CLASS", help="The class of rows that do not say: of a search for one class."
)
@click.option("--keyword", metavar="WORDS", help="The keyword of rows that do not say.")
@click.option("--source", metavar="NAME", help="The source of rows that do not say.")
@click.option("--licence", metavar="NAME", help="The licence of rows that do not say.")
@click.option(
    "--field",
    "fields",
    multiple=True,
    metavar="FIELD=NAME",
    help="Take a field from the column or key NAME: keyword=query. Repeatable.",
)
@original_option
@click.option("--no-duplicates", is_flag=True, help="Do not read the images to look for exact duplicates.")
@click.option("--skip-known", is_flag=True, help="Leave out images that another batch or an earlier row has.")
@click.option("--skip-missing", is_flag=True, help="Leave out rows whose image file is not there.")
@study_option
@format_option
def add(
    path: str,
    name: str,
    images: Path | None,
    class_: str | None,
    keyword: str | None,
    source: str | None,
    licence: str | None,
    fields: tuple[str, ...],
    originals: tuple[str, ...],
    no_duplicates: bool,
    skip_known: bool,
    skip_missing: bool,
    folder: Path | None,
    output_format: str,
) -> None:
    """Add the candidates at PATH: class folders, a folder with metadata, a table, or the JSON of an image search.

    Exact duplicates, by bytes or pixels, are excluded at once: within the batch, of other batches and of the original data.
    """
    given = {"class": class_, "keyword": keyword, "source": source, "licence": licence}
    names = FieldNames(dict(map(_split_field, fields)), {key: value for key, value in given.items() if value})
    request = BatchRequest(name, images, names, not no_duplicates, originals, skip_known, skip_missing)
    with open_here(folder) as study:
        with study.read() as begun:
            prepared = prepare_batch(begun, path, request=request)
        with study.begin() as begun:
            added = add_batch(begun, prepared)
    print_entries([describe_batch(added.entry)], output_format, name="pools")
    print_notes(added.notes)


command.add_command(make_list_command(list_batches, describe_batch, name="pools", about="List the batches."))


@command.command()
@click.option("--excluded", is_flag=True, help="Those that are excluded, with the rule, the reason, who and when.")
@rules_option
@pools_option
@study_option
@format_option
def images(
    excluded: bool, rules: tuple[str, ...], pools: tuple[str, ...], folder: Path | None, output_format: str
) -> None:
    """List the candidates that can be taken, as `campaign create contains --pairs` reads them, or those that cannot."""
    if rules and not excluded:
        raise InputError("--rule chooses among the images that are excluded; it goes with --excluded.")
    with open_for_reading(folder) as study:
        found = (
            list_excluded(study, pools=pools, rules=tuple(map(ExclusionRule, rules)))
            if excluded
            else list_candidates(study, pools=pools)
        )
    print_images(found, output_format, is_excluded=excluded)


@command.command("filter")
@click.option("--taken", metavar="FROM..TO", help="Taken from this day up to, but not including, that one.")
@click.option("--uploaded", metavar="FROM..TO", help="Uploaded from this day up to, but not including, that one.")
@click.option(
    "--undated",
    type=click.Choice(("keep", "exclude")),
    default="keep",
    show_default=True,
    help="What to do with images that do not say.",
)
@pools_option
@study_option
@format_option
def filter_(
    taken: str | None,
    uploaded: str | None,
    undated: str,
    pools: tuple[str, ...],
    folder: Path | None,
    output_format: str,
) -> None:
    """Exclude candidates outside a window of time; a later filter replaces an earlier one."""
    first, second = (read_window(text) if text else None for text in (taken, uploaded))
    windows = Windows(first, second, undated == "keep")
    with open_for_writing(folder) as study:
        found = filter_pool(study, windows, pools=pools)
    print_changes(found.changes, output_format)
    print_notes(found.notes)


@command.command()
@click.argument("pairs", nargs=-1)
@click.option(
    "--unsure",
    type=click.Choice(("keep", "exclude")),
    default="keep",
    show_default=True,
    help="Pairs nobody is sure of.",
)
@click.option(
    "--unknown",
    type=click.Choice([one.value for one in UnknownImages]),
    default=UnknownImages.REFUSE.value,
    show_default=True,
    help="What images are that the study does not have: a mistake, original data (training images), or other candidates.",
)
@click.option("--replace", is_flag=True, help="Take back what earlier pairs excluded and these do not.")
@original_option
@frequencies_option
@study_option
@format_option
def duplicates(
    pairs: tuple[str, ...],
    unsure: str,
    unknown: str,
    replace: bool,
    originals: tuple[str, ...],
    frequencies: tuple[str, ...],
    folder: Path | None,
    output_format: str,
) -> None:
    """Exclude near-duplicates by the reviewed PAIRS, CSV files of image_a,image_b,verdict: all that were reviewed, together.

    Without PAIRS, look for exact duplicates again: after a test set was added, say. Either way, of images that are the same one
    stays, or none if one of them is original.
    """
    with open_here(folder) as study:
        if pairs:
            request = PairRequest(unsure == "exclude", UnknownImages(unknown), replace, originals, frequencies)
            with study.begin() as begun:
                found = exclude_near_duplicates(begun, pairs, request=request)
        else:
            with study.read() as begun:
                prints, notes = read_all_fingerprints(begun, originals=originals)
            print_notes(notes)
            with study.begin() as begun:
                found = store_copies(begun, prints, frequencies=frequencies)
    print_changes(found.changes, output_format)
    print_notes(found.notes)


@command.command()
@click.argument("path", metavar="LIST")
@click.option("--reason", default="", metavar="TEXT", help="Why, where the list does not say.")
@study_option
@format_option
def exclude(path: str, reason: str, folder: Path | None, output_format: str) -> None:
    """Exclude the images of LIST, a CSV of image_id,reason."""
    with open_for_writing(folder) as study:
        found = exclude_listed(study, path, reason=reason)
    print_changes(found.changes, output_format)


@command.command()
@click.argument("path", metavar="[LIST]", required=False)
@click.option("--image", "images", multiple=True, metavar="ID", help="Which image. Repeatable.")
@rules_option
@click.option("--reason", default="", metavar="TEXT", help="Why.")
@pools_option
@study_option
@format_option
def restore(
    path: str | None,
    images: tuple[str, ...],
    rules: tuple[str, ...],
    reason: str,
    pools: tuple[str, ...],
    folder: Path | None,
    output_format: str,
) -> None:
    """Take exclusions back: of the images of LIST (CSV image_id), of single images, or all by a rule."""
    listed = load_listed(path) if path is not None else ()
    if path is not None and not listed:
        raise InputError(f"{path} lists no images.")
    request = RestoreRequest((*listed, *images), tuple(map(ExclusionRule, rules)), pools, reason)
    with open_for_writing(folder) as study:
        found = restore_images(study, request)
    print_changes(found.changes, output_format)
    print_notes(found.notes)


@command.command()
@pools_option
@click.option(
    "--per-class", type=int, default=DEFAULT_PER_CLASS, show_default=True, help="Images wanted of every class."
)
@click.option(
    "--original",
    default="",
    metavar="TEST_SET",
    help="Whose classes are wanted, and whose images the keywords name; all test sets not drawn from a pool by default.",
)
@keywords_option
@frequencies_option
@click.option(
    "--min-annotations",
    type=int,
    default=DEFAULT_ANNOTATIONS,
    show_default=True,
    help="Annotators that a candidate needs, where anybody was asked.",
)
@click.option("--lacking", is_flag=True, help="Show only classes and keywords that lack images.")
@study_option
@format_option
def status(
    pools: tuple[str, ...],
    per_class: int,
    original: str,
    keywords: Path | None,
    frequencies: tuple[str, ...],
    min_annotations: int,
    lacking: bool,
    folder: Path | None,
    output_format: str,
) -> None:
    """Show per class what is gathered, excluded, annotated and usable, and what must still be gathered."""
    request = PoolStatusRequest(pools, per_class, original, keywords, frequencies, min_annotations)
    with open_for_reading(folder) as study:
        found = describe_pool(study, request)
        taxonomy = study.taxonomy
    rows = [row for row in found.rows if row.n_missing or not lacking]
    print_status(found, rows, taxonomy, output_format)
    print_notes(found.notes)


def _split_field(text: str) -> tuple[str, str]:
    field, sign, name = text.partition("=")
    if not sign or not name:
        raise InputError(f"A field is taken from a column or key by FIELD=NAME, such as keyword=query, not {text!r}.")
    return field, name
