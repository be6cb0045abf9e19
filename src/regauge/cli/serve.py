"""`regauge serve`."""

from __future__ import annotations

import webbrowser
from pathlib import Path

import click

from regauge.cli.printing.printable import make_printable
from regauge.cli.studies.study import open_here, study_option
from regauge.errors import InputError
from regauge.server.logs import LogFormat
from regauge.server.running import ServeOptions, serve

MIN_TOKEN = 16
"""Characters of the token that opens the metrics."""
MANAGER = "Manager"
"""Begins the line with the manager's link."""


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
    "--guest-results",
    is_flag=True,
    help="Let guests browse images, labels and scores, without pictures; annotators could look there, too.",
)
@click.option(
    "--workers",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help="Processes; more than one needs PostgreSQL.",
)
@click.option(
    "--log",
    "log_format",
    type=click.Choice([one.value for one in LogFormat]),
    default=LogFormat.TEXT.value,
    show_default=True,
    help="What goes wrong as text, or everything that happens as lines of JSON, on standard error.",
)
@click.option(
    "--metrics-token-file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="FILE",
    help="Who sends the token in this file may read /metrics; without it nobody may.",
)
@click.option("--open", "is_opened", is_flag=True, help="Open the browser at the manager's link.")
@study_option
def command(
    host: str,
    port: int,
    base_url: str,
    guests: bool,
    guest_results: bool,
    workers: int,
    log_format: str,
    metrics_token_file: Path | None,
    is_opened: bool,
    folder: Path | None,
) -> None:
    """Serve a study to annotators in the browser; prints a link for the manager."""
    if is_opened and LogFormat(log_format) is LogFormat.JSON:
        raise InputError("--open goes to the manager's link, which is not made with --log json; leave one of them out.")
    options = ServeOptions(
        host,
        port,
        base_url,
        has_guests=guests or guest_results,
        shows_results=guest_results,
        n_workers=workers,
        metrics_token="" if metrics_token_file is None else _read_token(metrics_token_file),
        log_format=LogFormat(log_format),
    )
    with open_here(folder) as study:
        serve(study, options, announce=_open_and_print if is_opened else _print)


def _print(text: str) -> None:
    click.echo(make_printable(text))


def _open_and_print(text: str) -> None:
    """Print a line; the browser waits at the manager's link, for the port listens already."""
    _print(text)
    word, _, address = text.partition(" ")
    if word == MANAGER and address.strip().startswith(("http://", "https://")):
        webbrowser.open(address.strip())


def _read_token(path: Path) -> str:
    token = path.read_text(encoding="utf-8").strip()
    if len(token) < MIN_TOKEN or not token.isascii() or any(character.isspace() for character in token):
        raise InputError(
            f"{path} must hold a token of at least {MIN_TOKEN} letters, digits or signs and nothing else; make one with: "
            f"openssl rand -hex 24."
        )
    return token
