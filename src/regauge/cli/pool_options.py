"""Options that gathering a pool and drawing from it share."""

from __future__ import annotations

from pathlib import Path

import click

pools_option = click.option(
    "--pool", "pools", multiple=True, metavar="NAME", help="Which batch; all unless given. Repeatable."
)
keywords_option = click.option(
    "--keywords",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The keywords of the original images, to match: CSV image_id,keyword or class,keyword,n.",
)
frequencies_option = click.option(
    "--frequencies",
    multiple=True,
    metavar="LABELS|FILE",
    help="Selection frequencies: a label set made of a contains campaign, or a table; all such label sets unless given. "
    "Repeatable.",
)
