"""`regauge report`."""

from __future__ import annotations

from pathlib import Path

import click

from regauge.cli.printing.output import format_option, print_records
from regauge.cli.printing.printable import make_printable
from regauge.cli.printing.progress import show_life
from regauge.cli.studies.study import open_here, study_option
from regauge.workflows.exposure.recording import learn_exposures
from regauge.workflows.reports.report import gather_report, record_report, write_report_files


@click.command("report")
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Where to; a new folder in the study's reports/ by default.",
)
@click.option("--title", default="", metavar="TEXT", help="What the report is called; the study's name by default.")
@click.option("--open", "is_opened", is_flag=True, help="Open the page in the browser.")
@study_option
@format_option
def command(output: Path | None, title: str, is_opened: bool, folder: Path | None, output_format: str) -> None:
    """Write a report: one page about a study that needs nothing else, and its figures and numbers as files.

    It shows the latest evaluation of every test set and the latest comparison of every pair of test sets.
    """
    with open_here(folder) as study:
        with study.begin() as begun:
            learn_exposures(begun)
        with study.read() as reading, show_life("Gathering the report"):
            content = gather_report(reading, title=title)
        with show_life("Writing the report"):
            report = write_report_files(study, content, folder=output)
        with study.begin() as begun:
            record_report(begun, report)
    if output_format != "table":
        row = {"page": str(report.page), "n_figures": len(report.figures), "n_tables": len(report.tables)}
        print_records([row], output_format, name="reports")
    else:
        click.echo(f"Report     {make_printable(str(report.page))}")
        click.echo(f"Figures    {make_printable(str(report.folder / 'figures'))} (svg, png, pdf)")
        click.echo(f"Tables     {make_printable(str(report.folder / 'tables'))} (csv)")
    click.echo(f"wrote {make_printable(str(report.page))}", err=True)
    if is_opened:
        click.launch(report.page.as_uri())
