"""`regauge serve`."""

from __future__ import annotations

from pathlib import Path

import click

from regauge.cli.printable import make_printable
from regauge.cli.studies import open_here, study_option
from regauge.server.running import ServeOptions, serve


@click.command("serve")
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="The address to listen on; 0.0.0.0 for all of them."
)
@click.option("--port", type=click.IntRange(0, 65_535), default=8_765, show_default=True, help="The port to listen on.")
@click.option(
    "--base-url", default="", metavar="URL", help="The address that people use, if it is another: behind a proxy."
)
@click.option("--guests", is_flag=True, help="Let anybody try the tasks; what guests answer is not kept.")
@click.option(
    "--workers",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help="Processes; more than one needs PostgreSQL.",
)
@study_option
def command(host: str, port: int, base_url: str, guests: bool, workers: int, folder: Path | None) -> None:
    """Serve a study to annotators in the browser; prints a link for the manager."""
    options = ServeOptions(host, port, base_url, has_guests=guests, n_workers=workers)
    with open_here(folder) as study:
        serve(study, options, announce=lambda text: click.echo(make_printable(text)))
