"""`regauge demo`."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import click
import numpy as np

from regauge.cli.evaluation.shift_tables import make_shift_tables
from regauge.cli.printing.output import print_parts
from regauge.cli.printing.printable import make_printable
from regauge.cli.studies.study import find_circumstances
from regauge.workflows.demo.flow import FULL, USUAL, Demo, run_demo
from regauge.workflows.demo.rendering import count_processors


@click.command("demo")
@click.argument("folder", type=click.Path(path_type=Path), default=Path("regauge-demo"), metavar="[DIR]")
@click.option("--full", is_flag=True, help="A world twice as large, and larger models; some minutes.")
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Another seed draws another world."
)
def command(folder: Path, full: bool, seed: int) -> None:
    """Draw a simulated world, rebuild its test set in a study, and compare models on all sets.

    The pictures are drawn and their truth is known; the models are really trained on them. The files and a study that holds
    them go into DIR, regauge-demo unless named.
    """
    extent = FULL if full else USUAL
    sizes = extent.sizes
    click.echo(
        f"A simulated world: drawing {sizes.training + sizes.original + sizes.pool:,} pictures and training models on "
        f"{sizes.training:,} of them …",
        err=True,
    )
    around = replace(find_circumstances(), rng=np.random.default_rng(seed))
    demo = run_demo(folder, around=around, extent=extent, n_processes=count_processors())
    print_parts(make_shift_tables(demo.shift, whole=f"{make_printable(str(demo.report.page))} has all"))
    click.echo()
    for name, text in _list_results(demo):
        click.echo(f"{name:<14}{make_printable(text)}")


def _list_results(demo: Demo) -> Iterator[tuple[str, str]]:
    """What there is now, and where, or the command that shows it."""
    folder = str(demo.folder)
    quoted = {
        name: shlex.quote(f"{folder}/{name}") for name in ("predictions/original", "original.jsonl", "taxonomy.json")
    }
    for line in demo.rebuilt:
        yield "Rebuilt", line
    yield "Pictures", f"{folder}/images.png"
    for found in demo.crowd:
        yield "Annotators", str(found)
    for line in demo.review.lines:
        yield "Review", line
    for line in demo.panel.lines:
        yield "Panel", line
    for line in demo.coding.lines:
        yield "Coding", line
    for line in demo.major.lines:
        yield "Slice", line
    for line in demo.people.lines:
        yield "People", line
    yield "Report", str(demo.report.page)
    yield "In browser", f"regauge serve --study {shlex.quote(str(demo.study))} --guests"
    yield "The study", f"regauge status --study {shlex.quote(str(demo.study))}"
    yield "One set", "regauge score {} --truth {} --taxonomy {}".format(*quoted.values())
    # Last, where a newcomer looks first; terminals make a link of it.
    yield "Website", demo.site.absolute().as_uri()
