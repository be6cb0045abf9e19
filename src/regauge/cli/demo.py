"""`regauge demo`."""

from __future__ import annotations

from pathlib import Path

import click
import numpy as np

from regauge.cli.output import print_scores
from regauge.workflows.demo import run_demo


@click.command("demo")
@click.argument("folder", type=click.Path(path_type=Path), default=Path("regauge-demo"), metavar="[DIR]")
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Another seed draws another benchmark."
)
def command(folder: Path, seed: int) -> None:
    """Draw a small benchmark, score models on it, and show a table and a figure.

    Everything is simulated: 600 drawn scenes whose truth is known, and five small models really trained on 1,200 others.
    The files go into DIR, regauge-demo unless named.
    """
    click.echo("A simulated benchmark: drawing scenes and training five small models on them …", err=True)
    demo = run_demo(folder, rng=np.random.default_rng(seed))
    print_scores(demo.scores, "table")
    click.echo(f"\nFigure        {demo.figure} (interactive: {demo.figure.with_suffix('.html')})")
    click.echo(f"Images        {demo.sheet}")
    click.echo(f"All scores    {demo.folder / 'scores.csv'}")
    click.echo(f"Do it again   {demo.command}")
