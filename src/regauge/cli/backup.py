"""`regauge backup`."""

from __future__ import annotations

from pathlib import Path

import click

from regauge.cli.output import format_option, print_records
from regauge.cli.printable import make_printable
from regauge.cli.studies import open_for_reading, study_option
from regauge.workflows.study_backups import back_up


@click.command("backup")
@click.argument("path", metavar="[FILE]", required=False, type=click.Path(path_type=Path))
@study_option
@format_option
def command(path: Path | None, folder: Path | None, output_format: str) -> None:
    """Copy a study's database while it is in use, to FILE or else into the study's folder `backups`."""
    with open_for_reading(folder) as study:
        written = back_up(study, path)
    if output_format == "table":
        belongs = (
            "the folder predictions belongs to it" if written.suffix == ".db" else "restore it with regauge import"
        )
        click.echo(f"The database is in {make_printable(str(written))}; {belongs}.")
    else:
        print_records([{"file": str(written), "n_bytes": written.stat().st_size}], output_format, name="backups")
