"""`regauge demo`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click
import numpy as np

from regauge.cli.output import make_console, print_scores
from regauge.cli.printable import make_printable
from regauge.cli.shift_tables import make_shift_tables
from regauge.cli.studies import find_circumstances
from regauge.workflows.demo import run_demo
from regauge.workflows.world_demo import run_world_demo


@click.command("demo")
@click.argument("folder", type=click.Path(path_type=Path), default=Path("regauge-demo"), metavar="[DIR]")
@click.option(
    "--full", is_flag=True, help="A larger world, in a study: 10,000 pictures, 15 models, two test sets; a minute."
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Another seed draws another benchmark."
)
def command(folder: Path, full: bool, seed: int) -> None:
    """Draw a small benchmark, score models on it, and show a table and a figure.

    Everything is simulated: 600 drawn scenes whose truth is known, and five small models really trained on 1,200 others.
    The files go into DIR, regauge-demo unless named.
    """
    if full:
        _run_full(folder, seed)
        return
    click.echo("A simulated benchmark: drawing scenes and training five small models on them …", err=True)
    demo = run_demo(folder, rng=np.random.default_rng(seed))
    print_scores(demo.scores, "table")
    click.echo(f"\nFigure        {demo.figure} (interactive: {demo.figure.with_suffix('.html')})")
    click.echo(f"Images        {demo.sheet}")
    click.echo(f"All scores    {demo.folder / 'scores.csv'}")
    click.echo(f"Do it again   {demo.command}")


def _run_full(folder: Path, seed: int) -> None:
    click.echo("A simulated world: drawing 10,000 pictures and training 15 models on 6,000 of them …", err=True)
    demo = run_world_demo(folder, around=replace(find_circumstances(), rng=np.random.default_rng(seed)))
    console = make_console()
    for part in make_shift_tables(demo.shift, width=console.width):
        console.print(part)
    shown = make_printable(str(demo.folder))
    click.echo(f"\nFigures       {shown}/scores.svg, {shown}/shift.svg (interactive: .html)")
    click.echo(f"Images        {shown}/images.png")
    click.echo(f"All scores    {shown}/scores.csv, {shown}/shift.csv")
    click.echo(f"The study     regauge status --study {make_printable(str(demo.study))}")
