"""The people who answered, as a section: agreement, annotators, time, cost, and the images that they disagree about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import altair as alt
import polars as pl

from regauge.estimates import count_things
from regauge.report.content import CampaignPart
from regauge.report.findings.people import find_in_campaign
from regauge.report.findings.ranks import Question
from regauge.report.sections.blocks import (
    Block,
    Fold,
    Heading,
    Pictures,
    ReportFigure,
    ReportTable,
    Section,
    Text,
    fold_table,
)
from regauge.report.tables import make_annotators_table, make_campaigns_table
from regauge.report.theme import CONFIG, HUMAN

PEOPLE = "people"
WIDTH, HEIGHT = 460, 180
N_DISPUTED = 3
"""How many disputed images of a folded campaign are shown: pictures are what pages are heavy with."""


def make_people(parts: Sequence[CampaignPart], *, headline: str = "") -> Section:
    """All campaigns that somebody has answered: the one with the most answers open, the others folded."""
    main = find_main(parts)
    number_of = {part.name: number for number, part in enumerate(parts, 1)}
    table = ReportTable("people-campaigns", "Campaigns", make_campaigns_table(parts))
    notes = (
        (
            "Intervals of a median hold for annotators like these, whatever their distribution; with fewer than six "
            "annotators there is none."
        ),
        "Annotators are numbered in each campaign by how many answers they gave; their names are not in this report.",
    )
    blocks: tuple[Block, ...] = (
        table,
        *_show_campaign(main, number_of[main.name], headline=headline),
        *(
            Fold(f"Campaign {part.name}", tuple(_show_campaign(_shorten(part), number_of[part.name])), is_printed=False)
            for part in parts
            if part is not main
        ),
        Fold("How to read this", tuple(Text(note, "quiet") for note in notes)),
    )
    frames = [(f"people-{number_of[part.name]}", _frame_annotators(part)) for part in parts]
    return Section(PEOPLE, "The people who answered", blocks, frames=frames)


def find_main(parts: Sequence[CampaignPart]) -> CampaignPart:
    """The campaign with the most answers; of equals the first."""
    return max(parts, key=lambda part: part.pulse.n_answers)


def draw_frequencies(part: CampaignPart, number: int) -> ReportFigure | None:
    """How many pairs of image and class have which selection frequency; None where there are none."""
    bins = part.summary.bins
    if not bins:
        return None
    n = sum(one.n for one in bins)
    rows = [{"low": one.low, "high": one.high, "n": one.n, "share": one.n / n} for one in bins]
    title = alt.TitleParams(
        f"Selection frequencies in {part.name}", subtitle=[f"all {count_things(n, 'pair')} of image and class"]
    )
    x = alt.X("low:Q", title="share of annotators who selected the class", axis=alt.Axis(format=".0%"), bin="binned")
    chart = alt.Chart({"values": rows}).mark_bar(color=HUMAN, opacity=1)
    figure = chart.encode(x, alt.X2("high:Q"), alt.Y("n:Q", title="pairs"), tooltip=["low:Q", "high:Q", "n:Q"])
    spec = figure.properties(width=WIDTH, height=HEIGHT, title=title).configure(**CONFIG).to_dict(validate=False)
    text = f"How often annotators of {part.name} selected a class for an image."
    return ReportFigure(f"people-{number}-frequencies", text, spec)


def _show_campaign(part: CampaignPart, number: int, *, headline: str = "") -> Iterator[Block]:
    yield Heading(part.name)
    for one in find_in_campaign(part, PEOPLE):
        # Claims of quality repeat a number that the evidence has with its limits.
        yield Text(one.evidence if one.question is not Question.EFFORT else f"{one.claim} {one.evidence}")
    if part.pulse.pay_warning:
        yield Text(part.pulse.pay_warning, "notice warning")
    figure = draw_frequencies(part, number)
    if figure is not None and figure.name != headline:
        yield Fold("Selection frequencies, as a figure", (figure,))
    n = count_things(len(part.annotators), "annotator")
    table = ReportTable(f"people-{number}-annotators", f"Annotators of {part.name}", make_annotators_table(part))
    yield from fold_table(f"Table of {n}", table)
    yield from _show_disputed(part)


def _shorten(part: CampaignPart) -> CampaignPart:
    """The campaign with fewer disputed images."""
    return part if part.disputed is None else replace(part, disputed=part.disputed[:N_DISPUTED])


def _show_disputed(part: CampaignPart) -> Iterator[Block]:
    if part.disputed is None:
        yield Text("The image files are not at hand, so no disputed images are shown.", "quiet")
    elif not part.disputed and not part.summary.is_compared:
        yield Text("No two annotators answered about the same image, so whether they agree is not known.", "quiet")
    elif not part.disputed:
        yield Text("Annotators who saw the same image gave the same answer, so no image is disputed.", "quiet")
    else:
        n = count_things(len(part.disputed), "image")
        yield Text(f"The {n} that annotators disagree about most, and how many selected the class:", "quiet")
        yield Pictures(part.disputed)


def _frame_annotators(part: CampaignPart) -> pl.DataFrame:
    """The annotators as a table file, by number; fractions, not percentages."""
    rows = []
    for number, one in enumerate(part.annotators, 1):
        row: dict[str, object] = {"campaign": part.name, "annotator": number, "n_answers": one.n_answers}
        for name in ("controls", "agreement", "consistency"):
            share = getattr(one, name)
            row |= {f"{name}_n_right": share.k, f"{name}_n": share.n, f"{name}_value": share.value}
            row |= {f"{name}_low": share.low, f"{name}_high": share.high}
        rows.append({**row, "median_seconds": one.median_seconds, "is_dropped": one.is_dropped})
    return pl.DataFrame(rows, infer_schema_length=None)
