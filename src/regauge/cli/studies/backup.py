"""`regauge backup`."""

from __future__ import annotations

from pathlib import Path

import click

from regauge.cli.printing.output import format_option, print_notes, print_records
from regauge.cli.printing.printable import make_printable
from regauge.cli.studies.study import open_for_reading, study_option
from regauge.workflows.studies.backups import back_up, is_own_backup


@click.command("backup")
@click.argument("path", metavar="[FILE]", required=False, type=click.Path(path_type=Path))
@click.option("--bundle", "as_bundle", is_flag=True, help="One file with predictions and settings, of SQLite, too.")
@study_option
@format_option
def command(path: Path | None, as_bundle: bool, folder: Path | None, output_format: str) -> None:
    """Copy a study's database while it is in use, to FILE or else into the study's folder `backups`."""
    with open_for_reading(folder) as study:
        written = back_up(study, path, as_bundle=as_bundle)
    if output_format == "table":
        is_whole = as_bundle or study.engine.dialect.name != "sqlite"
        belongs = "the study is in it" if is_whole else "the folder predictions belongs to it"
        click.echo(f"The database is in {make_printable(str(written))}; {belongs}. See regauge restore.")
    else:
        print_records([{"file": str(written), "n_bytes": written.stat().st_size}], output_format, name="backups")
    print_notes(_note(is_known=is_own_backup(written)))


def _note(*, is_known: bool) -> list[str]:
    if is_known:
        return []
    said = (
        "That this installation made the backup could not be noted down in the folder of your user's state; to let people in "
        "again by their links, restore it with --keep-access."
    )
    return [said]
