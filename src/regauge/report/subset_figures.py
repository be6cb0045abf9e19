"""Accuracy by subset as a figure: one band per subset, in it a few participants from best to worst, every interval drawn."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import altair as alt
import polars as pl

from regauge.errors import InputError
from regauge.estimates import Estimate
from regauge.records.canvas import Canvas
from regauge.records.evaluation.scores import WHOLE, Scores
from regauge.report.drawing.axes import find_share_ticks
from regauge.report.drawing.marks import DIAMOND
from regauge.report.drawing.sheet import Sheet
from regauge.report.drawing.words import find_widest, fit_labels, measure_words
from regauge.report.metrics import choose_measures, get_title
from regauge.report.theme import INK, PEOPLE, SEQUENCE

LINE = 7
"""Pixels per participant inside a band."""
ROOMY_LINE, MAX_ROOMY = 11, 60
"""Likewise with the values in digits, which at most so many dots have."""
MAX_PARTICIPANTS, FEW_PARTICIPANTS = 6, 3
"""How many of many participants are drawn, and where there are many parts."""
N_ENDS = 20
"""With more subsets than twice this, only so many of the easiest and of the hardest are drawn."""
SHAPES = ("circle", "square", "triangle-up", "triangle-down", "cross", "triangle-left")
"""One per model, for those who cannot tell the colours apart; people are diamonds."""


def choose_spread(names: Sequence[str], n: int = MAX_PARTICIPANTS) -> list[str]:
    """The first, the last and names evenly between, at most n.

    >>> choose_spread(["a", "b", "c", "d", "e"], 3)
    ['a', 'c', 'e']
    """
    if len(names) <= n:
        return list(names)
    return [names[round(place * (len(names) - 1) / (n - 1))] for place in range(n)]


def plot_parts(scores: Scores, *, metrics: Sequence[str] | None = None, canvas: Canvas | None = None) -> alt.LayerChart:
    """How accurate participants are on the parts of a test set, by the first measure; of many participants, some of them.

    Args:
        scores: what to draw.
        metrics: which measure to draw, the first of them; by default the one that figures of scores begin with.
        canvas: how wide, and whether with a title.

    Raises:
        InputError: there is no part, or no such metric.
    """
    whole = scores.to_frame().filter(pl.col("subset") == WHOLE, pl.col("value").is_not_null())
    measures = choose_measures(whole, metrics)
    if not measures:
        raise InputError(f"There are no scores to draw for the metrics {', '.join(metrics or ()) or '(none)'}.")
    metric, labels = measures[0]
    theirs = whole.filter(pl.col("metric") == metric, pl.col("labels") == labels)
    ranked = theirs.sort(pl.col("value").neg(), "participant")["participant"].to_list()
    n_parts = scores.to_frame()["subset"].n_unique()
    chosen = choose_spread(ranked, MAX_PARTICIPANTS if n_parts <= N_ENDS else FEW_PARTICIPANTS)
    against = scores.settings.against
    if against in ranked and against not in chosen:
        chosen = [name for name in ranked if name in {*chosen[:-2], chosen[-1], against}]
    return plot_subsets(scores, chosen, measure=(metric, labels), canvas=canvas)


def plot_subsets(
    scores: Scores, participants: Sequence[str], *, measure: tuple[str, str], canvas: Canvas | None = None
) -> alt.LayerChart:
    """The accuracy of the participants on every subset, and on the whole test set above them.

    Of many subsets, those on which the first participant is best and worst are drawn, in this order.

    Args:
        scores: what to draw.
        participants: whom, best first; at most as many as there are colours.
        measure: the metric, and the labels it judges by.
        canvas: how wide, and whether with a title.

    Raises:
        InputError: there is no subset, or there are too many participants to tell apart.
    """
    if len(participants) > len(SEQUENCE):
        raise InputError(f"A figure of subsets tells {len(SEQUENCE)} participants apart, not {len(participants)}.")
    metric, labels = measure
    every = scores.to_frame().filter(pl.col("metric") == metric, pl.col("labels") == labels)
    rows = every.filter(pl.col("participant").is_in(list(participants)))
    subsets = rows["subset"].unique(maintain_order=True).to_list()
    if len(subsets) < 2:
        raise InputError("There are no subsets to draw; score them with `by=…`.")
    chosen = _choose_ends(rows, participants[0], subsets)
    drawn = rows.filter(pl.col("subset").is_in(chosen))
    bands = _Bands(drawn, participants, chosen, Sheet(canvas or Canvas()), people=scores.people)
    told = [f"Labels: {labels}. Lines are {100 * scores.settings.level:g}% intervals."]
    told += ["Thick bar: from all unjudged wrong to all unjudged right."] if bands.has_bounds else []
    n_all = every["participant"].n_unique()
    if len(participants) < n_all:
        told.append(f"{len(participants)} of {n_all:,} participants.")
    if len(chosen) < len(subsets):
        told.append(_describe_choice(len(subsets) - 1, len(chosen) - 1, participants[0]))
    heading = f"{get_title(metric, rows['remark'][0])} by part of {rows['test_set'][0]}"
    title = bands.sheet.make_title(heading, [" ".join(told)])
    return bands.sheet.finish(bands.plot(), width=bands.width, height=len(chosen) * bands.height, title=title)


class _Bands:
    """A band for every part, and in it a line for every participant."""

    def __init__(
        self,
        rows: pl.DataFrame,
        participants: Sequence[str],
        subsets: Sequence[str],
        sheet: Sheet,
        *,
        people: Collection[str],
    ) -> None:
        self.sheet = sheet
        self.looks = _find_looks(participants, people)
        self.participants = list(participants)
        counts = dict(rows.group_by("subset").agg(pl.col("n").max()).iter_rows())
        self.order = [_name(subset, counts[subset]) for subset in subsets]
        self.rows = _describe(rows.filter(pl.col("value").is_not_null()))
        self.has_values = self.rows.height <= MAX_ROOMY
        self.height = (ROOMY_LINE if self.has_values else LINE) * len(participants) + 10
        self.label_width = min(find_widest(self.order, sheet.letter), sheet.name_room) + 1
        self.width = sheet.inner - self.label_width - 8 - measure_words("100%", sheet.letter) / 2
        self.domain = self._find_domain()

    @property
    def has_bounds(self) -> bool:
        """Whether some predictions are unjudged."""
        return bool((self.rows["n_unjudged"] > 0).any())

    def plot(self) -> list[Any]:
        """All layers, from the back to the front."""
        base = self._base()
        coloured = base.encode(color=self._tell("color"))
        interval = coloured.mark_rule(strokeWidth=1.5, opacity=0.55).encode(x=self._x("low"), x2="high:Q")
        bounds = coloured.mark_rule(strokeWidth=4, opacity=0.4).encode(x=self._x("lower_bound"), x2="upper_bound:Q")
        point = coloured.mark_point(size=26, opacity=1, filled=True)
        shaped = point.encode(x=self._x("value"), shape=self._tell("shape"))
        text = base.mark_text(align="left", baseline="middle", dx=5, fontSize=self.sheet.small, color=INK)
        digits = [text.encode(x=self._x("right"), text="digits:N")] if self.has_values else []
        return [*((interval, bounds) if self.has_bounds else (interval,)), shaped, *digits]

    def _base(self) -> alt.Chart:
        """What all layers share: bands and participants inside them."""
        axis = alt.Axis(**fit_labels(self.order, self.label_width, size=self.sheet.letter), grid=False)
        padding = 10 / self.height
        lines = alt.Scale(domain=self.participants, paddingOuter=0.2)
        base: alt.Chart = alt.Chart({"values": self.rows.to_dicts()}).encode(
            y=alt.Y(
                "band:N",
                sort=self.order,
                title=None,
                axis=axis,
                scale=alt.Scale(domain=self.order, paddingInner=padding, paddingOuter=padding / 2),
            ),
            yOffset=alt.YOffset("participant:N", sort=self.participants, scale=lines),
            tooltip=[alt.Tooltip(f"{name}:N") for name in ("participant", "subset", "estimate", "n", "n_unjudged")],
        )
        return base

    def _x(self, field: str) -> alt.X:
        ticks = find_share_ticks(self.domain, self.width / (4.5 * self.sheet.letter))
        scale = alt.Scale(domain=list(self.domain), zero=False, nice=False)
        return alt.X(f"{field}:Q", title=None, axis=alt.Axis(format="~%", values=ticks), scale=scale)

    def _tell(self, channel: str) -> Any:  # noqa: ANN401 - a colour or a shape
        """Colours and shapes of the participants; only equal legends become one."""
        place = 0 if channel == "color" else 1
        scale = alt.Scale(domain=self.participants, range=[look[place] for look in self.looks])
        legend = self.sheet.make_legend(self.participants, left=self.label_width + 8)
        encoding = alt.Color if channel == "color" else alt.Shape
        return encoding("participant:N", scale=scale, legend=legend)

    def _find_domain(self) -> tuple[float, float]:
        """From the least to the greatest that is drawn, with room for digits at the right."""
        low = self.rows.select(pl.min_horizontal(pl.min("low"), pl.min("lower_bound"))).item()
        high = self.rows["right"].max()
        right = measure_words("100.0", self.sheet.small) + 8 if self.has_values else 6
        per_pixel = max(high - low, 0.01) / (self.width - right - 6)
        return low - 6 * per_pixel, high + right * per_pixel


def _find_looks(participants: Sequence[str], people: Collection[str]) -> list[tuple[str, str]]:
    """Colour and shape of each: models in the colours of models, people as diamonds in shades of orange."""
    models = iter(zip(SEQUENCE, SHAPES, strict=True))
    shades = iter(PEOPLE)
    return [(next(shades), DIAMOND) if name in people else next(models) for name in participants]


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
    return joined.with_columns(
        pl.Series("estimate", estimates, dtype=pl.String),
        pl.Series("band", bands, dtype=pl.String),
        pl.Series("digits", [f"{100 * value:.1f}" for value in rows["value"]], dtype=pl.String),
        right=pl.max_horizontal("high", "upper_bound"),
    )


def _name(subset: str, n: int) -> str:
    return f"{'whole test set' if subset == WHOLE else subset} ({n:,})"
