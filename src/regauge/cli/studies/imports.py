"""`regauge import`."""

from __future__ import annotations

from pathlib import Path

import click

from regauge.cli.printing.output import format_option, print_notes, print_records
from regauge.cli.printing.printable import make_printable
from regauge.cli.studies.copies import describe_access, keep_access_option
from regauge.cli.studies.study import find_circumstances
from regauge.workflows.studies.bundles import import_study


@click.command("import")
@click.argument("path", metavar="BUNDLE", type=click.Path(path_type=Path))
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--database", default="", metavar="URL", help="An empty PostgreSQL database: postgresql://USER@HOST/NAME."
)
@keep_access_option
@format_option
def command(path: Path, folder: Path, database: str, keep_access: bool, output_format: str) -> None:
    """Recreate a study from a bundle, in DIR, which must be new or empty.

    Personal links and roles of the original do not work in it, unless --keep-access is given.
    """
    made = import_study(path, folder, database=database, keeps_access=keep_access, around=find_circumstances())
    made.study.close()
    if output_format == "table":
        click.echo(f"Created a study in {make_printable(str(folder))} from {make_printable(str(path))}.")
    else:
        row = {
            "folder": str(made.study.paths.folder),
            "database": made.study.database,
            "sha256": made.sha256,
            **describe_access(made),
        }
        print_records([row], output_format, name="studies")
    print_notes(made.notes)
