"""`regauge restore`."""

from __future__ import annotations

from pathlib import Path

import click

from regauge.cli.printing.output import format_option, print_notes, print_records
from regauge.cli.printing.printable import make_printable
from regauge.cli.studies.copies import describe_access, keep_access_option
from regauge.cli.studies.study import find_circumstances
from regauge.workflows.studies.backups import Origin, restore_study


@click.command("restore")
@click.argument("path", metavar="BACKUP", type=click.Path(path_type=Path))
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--study",
    "source",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="For a .db: the study that it was made of, which has settings and predictions; the one around it by default.",
)
@click.option(
    "--database",
    default="",
    metavar="URL",
    help="For a .zip: an empty PostgreSQL database: postgresql://USER@HOST/NAME.",
)
@keep_access_option
@format_option
def command(
    path: Path, folder: Path, source: Path | None, database: str, keep_access: bool, output_format: str
) -> None:
    """Recreate a study from a backup, in DIR, which must be new or empty.

    Personal links and roles work in it if this installation made the backup, or if --keep-access is given.
    """
    origin = Origin(source, keeps_access=keep_access)
    made = restore_study(path, folder, origin=origin, database=database, around=find_circumstances())
    made.study.close()
    if output_format == "table":
        click.echo(f"Created a study in {make_printable(str(folder))} from {make_printable(str(path))}.")
    else:
        row = {"folder": str(made.study.paths.folder), "database": made.study.database, **describe_access(made)}
        print_records([row], output_format, name="studies")
    print_notes(made.notes)
