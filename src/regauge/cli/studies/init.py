"""`regauge init`."""

from __future__ import annotations

from pathlib import Path

import click

from regauge.cli.printing.output import format_option, print_records
from regauge.cli.printing.printable import make_printable
from regauge.cli.studies.study import find_circumstances
from regauge.workflows.studies.study import init_study


@click.command("init")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--taxonomy", required=True, metavar="NAME|FILE", help="The classes: imagenet-1k, cifar-10, or a file.")
@click.option(
    "--database", default="", metavar="URL", help="An empty PostgreSQL database: postgresql://USER@HOST/NAME."
)
@click.option(
    "--about",
    default="",
    metavar="TEXT",
    help="What the study is, in a sentence or two; reports and the pages of annotators begin with it.",
)
@format_option
def command(folder: Path, taxonomy: str, database: str, about: str, output_format: str) -> None:
    """Create a study: one folder for test sets, predictions, labels and scores. DIR must be new or empty."""
    study = init_study(folder, taxonomy=taxonomy, database=database, about=about, around=find_circumstances())
    study.close()
    if output_format != "table":
        row = {"folder": str(study.paths.folder), "database": study.database, "taxonomy": study.taxonomy.name}
        print_records([row], output_format, name="studies")
        return
    click.echo(
        f"Created a study in {make_printable(str(folder))} with the {len(study.taxonomy):,} classes of {study.taxonomy.name}."
    )
    click.echo(f"Next, inside it or with --study {make_printable(str(folder))}: regauge testset add PATH")
