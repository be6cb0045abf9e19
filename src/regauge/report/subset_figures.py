"""Accuracy by subset as a figure: one band per subset, in it a few participants from best to worst, every interval drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import polars as pl

from regauge.errors import InputError
from regauge.estimates import Estimate
from regauge.records.evaluation.scores import WHOLE, Scores
from regauge.report.metrics import get_title
from regauge.report.theme import CONFIG, SEQUENCE

WIDTH = 460
LABEL_LIMIT = 300
LINE = 7
"""Pixels per participant inside a band."""
MAX_PARTICIPANTS = 6
N_ENDS = 20
"""With more subsets than twice this, only so many of the easiest and of the hardest are drawn."""
SHAPES = ("circle", "diamond", "square", "triangle-up", "triangle-down", "cross")
"""One per participant, for those who cannot tell the colours apart."""


def choose_spread(names: Sequence[str], n: int = MAX_PARTICIPANTS) -> list[str]:
    """The first, the last and names evenly between, at most n.

    >>> choose_spread(["a", "b", "c", "d", "e"], 3)
    ['a', 'c', 'e']
    """
    if len(names) <= n:
        return list(names)
    return [names[round(place * (len(names) - 1) / (n - 1))] for place in range(n)]


def plot_subsets(scores: Scores, participants: Sequence[str], *, measure: tuple[str, str]) -> alt.LayerChart:
    """The accuracy of the participants on every subset, and on the whole test set above them.

    Of many subsets, those on which the first participant is best and worst are drawn, in this order.

    Args:
        scores: what to draw.
        participants: whom, best first; at most as many as there are colours.
        measure: the metric, and the labels it judges by.

    Raises:
        InputError: there is no subset, or there are too many participants to tell apart.
    """
    if len(participants) > len(SEQUENCE):
        raise InputError(f"A figure of subsets tells {len(SEQUENCE)} participants apart, not {len(participants)}.")
    metric, labels = measure
    rows = scores.to_frame().filter(
        (pl.col("metric") == metric) & (pl.col("labels") == labels) & pl.col("participant").is_in(list(participants))
    )
    subsets = rows["subset"].unique(maintain_order=True).to_list()
    if len(subsets) < 2:
        raise InputError("There are no subsets to draw; score them with `by=…`.")
    chosen = _choose_ends(rows, participants[0], subsets)
    drawn = rows.filter(pl.col("subset").is_in(chosen))
    base = _make_base(drawn, participants, chosen)
    x: dict[str, Any] = {
        "title": None,
        "axis": alt.Axis(format=".0%", tickCount=6),
        "scale": alt.Scale(zero=False, nice=True, padding=8),
    }
    interval = base.mark_rule(strokeWidth=1.5, opacity=0.55).encode(x=alt.X("low:Q", **x), x2="high:Q")
    bounds = base.mark_rule(strokeWidth=4, opacity=0.4).encode(x=alt.X("lower_bound:Q", **x), x2="upper_bound:Q")
    point = base.mark_point(size=26, opacity=1, filled=True).encode(x=alt.X("value:Q", **x), shape=_tell(participants))
    has_bounds = bool((drawn["n_unjudged"] > 0).any())
    told = [f"Labels: {labels}. Lines are {100 * scores.settings.level:g}% intervals."]
    told += ["Thick bar: from all unjudged wrong to all unjudged right."] if has_bounds else []
    if len(chosen) < len(subsets):
        told.append(_describe_choice(len(subsets) - 1, len(chosen) - 1, participants[0]))
    figure = alt.layer(
        *((interval, bounds, point) if has_bounds else (interval, point)),
        width=WIDTH,
        height=len(chosen) * (LINE * len(participants) + 10),
        title=alt.TitleParams(
            f"{get_title(metric, rows['remark'][0])} by part of {rows['test_set'][0]}", subtitle=told
        ),
    )
    configured: alt.LayerChart = figure.configure(**CONFIG)
    return configured


def _make_base(rows: pl.DataFrame, participants: Sequence[str], subsets: Sequence[str]) -> alt.Chart:
    """What all layers share: bands, participants inside them and their colours."""
    counts = dict(rows.group_by("subset").agg(pl.col("n").max()).iter_rows())
    order = [_name(subset, counts[subset]) for subset in subsets]
    colours = alt.Scale(domain=list(participants), range=list(SEQUENCE[: len(participants)]))
    base: alt.Chart = alt.Chart({"values": _describe(rows.filter(pl.col("value").is_not_null())).to_dicts()}).encode(
        y=alt.Y(
            "band:N",
            sort=order,
            title=None,
            axis=alt.Axis(labelLimit=LABEL_LIMIT, grid=False),
            scale=alt.Scale(domain=order, padding=0.3),
        ),
        yOffset=alt.YOffset("participant:N", sort=list(participants)),
        color=alt.Color("participant:N", scale=colours, legend=_make_legend()),
        tooltip=[alt.Tooltip(f"{name}:N") for name in ("participant", "subset", "estimate", "n", "n_unjudged")],
    )
    return base


def _tell(participants: Sequence[str]) -> alt.Shape:
    scale = alt.Scale(domain=list(participants), range=list(SHAPES[: len(participants)]))
    return alt.Shape("participant:N", scale=scale, legend=_make_legend())


def _make_legend() -> alt.Legend:
    """The legend of colours and shapes; only equal ones become one."""
    return alt.Legend(title=None, orient="top", columns=3, labelLimit=200, symbolOpacity=1, columnPadding=24)


def _choose_ends(rows: pl.DataFrame, participant: str, subsets: Sequence[str]) -> list[str]:
    """All subsets in output order, or the whole test set and then the easiest and the hardest of many, best first."""
    if len(subsets) <= 2 * N_ENDS + 1:
        return list(subsets)
    theirs = rows.filter((pl.col("participant") == participant) & pl.col("value").is_not_null())
    ordered = theirs.filter(pl.col("subset") != WHOLE).sort(pl.col("value").neg(), "subset")["subset"].to_list()
    ends = ordered if len(ordered) <= 2 * N_ENDS else [*ordered[:N_ENDS], *ordered[-N_ENDS:]]
    return [*(subset for subset in subsets if subset == WHOLE), *ends]


def _describe_choice(n_parts: int, n_drawn: int, participant: str) -> str:
    """Which parts are drawn, where not all are: the ends of many, or those that have a value."""
    if n_drawn < 2 * N_ENDS:
        return f"Of {n_parts:,} parts, the {n_drawn:,} on which {participant} has a value."
    return f"Of {n_parts:,} parts, the {N_ENDS} easiest and the {N_ENDS} hardest for {participant}."


def _describe(rows: pl.DataFrame) -> pl.DataFrame:
    estimates = [str(Estimate(*numbers)) for numbers in rows.select("value", "low", "high").iter_rows()]
    highest = rows.group_by("subset").agg(pl.col("n").max().alias("n_band"))
    joined = rows.join(highest, on="subset", how="left", maintain_order="left")
    bands = [_name(subset, n) for subset, n in joined.select("subset", "n_band").iter_rows()]
    return joined.with_columns(pl.Series("estimate", estimates), pl.Series("band", bands))


def _name(subset: str, n: int) -> str:
    return f"{'whole test set' if subset == WHOLE else subset} ({n:,})"
