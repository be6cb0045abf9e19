"""`regauge guide edit`, `restore`, `cite`, `withdraw`, `hide`, `export` and `import`: what changes the guide, or hands it on."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from regauge.arrays import NO_CLASS
from regauge.cli.printing.output import format_option, print_notes
from regauge.cli.printing.printable import make_printable
from regauge.cli.studies.study import open_for_reading, open_for_writing, open_here, print_entries, study_option
from regauge.errors import InputError
from regauge.estimates import count_things
from regauge.records.guide.entries import MAX_TEXT, GuideEdit, GuideTopic, GuideVersion
from regauge.workflows.guide.cases import Citation, cite_label, withdraw_case
from regauge.workflows.guide.entries import find_topic, get_entry, restore_entry, save_entry
from regauge.workflows.guide.folders import export_guide, import_guide
from regauge.workflows.guide.pictures import hide_from_campaign
from regauge.workflows.studies.study import Study

_Command = TypeVar("_Command", bound=Callable[..., Any])

STANDARD_INPUT = Path("-")
UNKNOWN = (
    "Not all of these images have a checksum, so copies of them cannot be recognised, and no picture and no case "
    "is shown. Add the set with --checksums under another name, and hide that one."
)
reason_option = click.option("--reason", default="", help="Why; it is kept with the version.")


def topic_arguments(function: _Command) -> _Command:
    """CLASS and, for an entry on two, OTHER."""
    other = click.argument("other", metavar="[OTHER]", default="")
    return click.argument("class_name", metavar="CLASS")(other(function))


@click.command()
@topic_arguments
@click.option(
    "--text",
    "path",
    type=click.Path(path_type=Path, exists=True, dir_okay=False, allow_dash=True),
    metavar="FILE",
    help="Take the text from FILE, or from - for standard input; by default an editor opens.",
)
@click.option(
    "--version", type=int, help="The version of the entry that you edited, 0 for none; the current one by default."
)
@reason_option
@study_option
@format_option
def edit(
    class_name: str,
    other: str,
    path: Path | None,
    version: int | None,
    reason: str,
    folder: Path | None,
    output_format: str,
) -> None:
    """Write the entry on CLASS, or on how to tell CLASS and OTHER apart, as a new version.

    If somebody else has changed it in the meantime, nothing is overwritten: the command refuses and keeps your text in a file.
    """
    with open_here(folder) as study:
        with study.read() as reading:
            topic = find_topic(reading, class_name, other)
            entry = get_entry(reading, topic)
        edited = entry.version if version is None else version
        text = _open_editor(entry.text) if path is None else _read_text(path)
        if text is None or text.strip("\n") == entry.text:
            print_notes(["The text has not changed; nothing was stored."])
            return
        if path is None:
            stored = _save_or_keep(study, topic, GuideEdit(text, reason, edited))
        else:
            stored = _save(study, topic, GuideEdit(text, reason, edited))
    _print_version(stored, output_format)


@click.command()
@topic_arguments
@click.option("--version", type=int, required=True, help="The version of the guide to restore the text from.")
@reason_option
@study_option
@format_option
def restore(class_name: str, other: str, version: int, reason: str, folder: Path | None, output_format: str) -> None:
    """Restore the text that an entry had at a version of the guide, as a new version."""
    with open_for_writing(folder) as study:
        topic = find_topic(study, class_name, other)
        edited = get_entry(study, topic).version
        stored = restore_entry(study, topic, version=version, reason=reason, edited=edited)
    _print_version(stored, output_format)


@click.command()
@click.argument("labels", metavar="NAME[@VERSION]")
@click.argument("image", metavar="IMAGE")
@topic_arguments
@click.option("--note", default="", help="Why it is a case.")
@study_option
@format_option
def cite(
    labels: str, image: str, class_name: str, other: str, note: str, folder: Path | None, output_format: str
) -> None:
    """Cite the verdict of a label set on CLASS in IMAGE (ID or ID@SET) as a case.

    With OTHER it also stands in the entry on how to tell the two apart.
    """
    with open_for_writing(folder) as study:
        judged = find_topic(study, class_name).class_index
        apart = find_topic(study, other).class_index if other else NO_CLASS
        case = cite_label(study, Citation(image, judged, note, apart), labels=labels)
    row = {"version": case.version, "image_id": case.image.image_id, "class": case.class_index}
    print_entries([{**row, "verdict": case.verdict.name.lower(), "note": case.note}], output_format, name="cases")


@click.command()
@click.argument("version", type=int)
@study_option
def withdraw(version: int, folder: Path | None) -> None:
    """Withdraw the case that VERSION cited from the guide."""
    with open_for_writing(folder) as study:
        case = withdraw_case(study, version)
    click.echo(f"The case of image {make_printable(case.image.image_id)} was withdrawn from the guide.")


@click.command()
@click.argument("campaign")
@click.option(
    "--images",
    multiple=True,
    metavar="SET",
    help="A set whose images are hidden. Repeatable; without it, everything is shown.",
)
@study_option
def hide(campaign: str, images: Sequence[str], folder: Path | None) -> None:
    """Hide images of a set, and exact copies of them, from the annotators of a campaign, in the guide and on cards."""
    with open_for_writing(folder) as study:
        hidden = hide_from_campaign(study, campaign, sets=images)
    if not images:
        click.echo(f"The guide shows everything to the annotators of {make_printable(campaign)}.")
        return
    n = count_things(len(hidden.image_ids), "image")
    click.echo(
        f"The guide and cards hide {n} and their exact copies from the annotators of {make_printable(campaign)}."
    )
    if not hidden.is_known:
        print_notes([], [UNKNOWN])


@click.command("export")
@click.argument("path", metavar="FOLDER", type=click.Path(path_type=Path))
@study_option
@format_option
def export_(path: Path, folder: Path | None, output_format: str) -> None:
    """Write the guide to FOLDER: one Markdown file for each entry, and the cases."""
    with open_for_reading(folder) as study:
        found = export_guide(study, path)
    row = {"folder": str(path), "n_entries": found.n_entries, "n_cases": found.n_cases}
    print_entries([row], output_format, name="exports")
    if found.n_left_out:
        n = count_things(found.n_left_out, "entry", many="entries")
        print_notes([], [f"{n} left out: on a class that the taxonomy does not have."])


@click.command("import")
@click.argument("path", metavar="FOLDER", type=click.Path(path_type=Path))
@click.option("--replace", is_flag=True, help="Also replace entries that were changed since the files were written.")
@reason_option
@study_option
@format_option
def import_(path: Path, *, replace: bool, reason: str, folder: Path | None, output_format: str) -> None:
    """Store the Markdown files of FOLDER that differ from their entries as new versions, all of them or none."""
    with open_for_writing(folder) as study:
        found = import_guide(study, path, reason=reason, replaces=replace)
        version = max((one.version for one in found.saved), default=None)
    row = {"folder": str(path), "n_saved": len(found.saved), "n_same": found.n_same, "version": version}
    print_entries([row], output_format, name="imports")


COMMANDS = (edit, restore, cite, withdraw, hide, export_, import_)


def _open_editor(text: str) -> str | None:
    """What the editor was left with; None where nothing was saved in it."""
    return click.edit(text, extension=".md")


def _read_text(path: Path) -> str:
    """The text of a file or of standard input, up to one that is too long anyway."""
    at_most = 4 * MAX_TEXT + 1
    if path == STANDARD_INPUT:
        content = sys.stdin.buffer.read(at_most)
    else:
        with path.open("rb") as file:
            content = file.read(at_most)
    try:
        return content.decode("utf-8-sig", errors="ignore" if len(content) == at_most else "strict")
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8 text; save it as UTF-8.") from None


def _save(study: Study, topic: GuideTopic, wanted: GuideEdit) -> GuideVersion:
    with study.begin() as begun:
        return save_entry(begun, topic, wanted)


def _save_or_keep(study: Study, topic: GuideTopic, wanted: GuideEdit) -> GuideVersion:
    """Store what was typed; where that is refused, it is kept in a file before the reason is told."""
    try:
        return _save(study, topic, wanted)
    except InputError:
        kept = next(
            path for number in range(1, 10_000) if not (path := Path(f"guide-{topic.key}-{number}.md")).exists()
        )
        with kept.open("x", encoding="utf-8") as file:
            file.write(wanted.text)
        print_notes([f"Your text is kept in {kept}."])
        raise


def _print_version(stored: GuideVersion, output_format: str) -> None:
    row = {
        "version": stored.version,
        "classes": list(stored.topic.classes),
        "who": stored.who,
        "saved_at": stored.at,
        "reason": stored.reason,
    }
    print_entries([row], output_format, name="versions")
