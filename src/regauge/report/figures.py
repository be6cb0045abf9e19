"""Scores as a figure: one line per participant on one axis, the dots of what it is measured by joined, every interval drawn."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import altair as alt
import polars as pl

from regauge.errors import InputError
from regauge.estimates import Estimate, count_things, name_methods
from regauge.evaluation.outcomes import DATASET_LABELS
from regauge.records.canvas import Canvas
from regauge.records.evaluation.scores import WHOLE, Scores
from regauge.report.drawing.axes import find_share_ticks
from regauge.report.drawing.marks import mark_participants
from regauge.report.drawing.sheet import Sheet
from regauge.report.drawing.words import cut_words, find_widest, fit_labels, measure_words
from regauge.report.metrics import choose_measures, get_title
from regauge.report.published_figures import list_published_rows
from regauge.report.theme import DATASET, HUMAN, INK, MEASURES, MODEL, MUTED

LANE = 11
"""Pixels for what a participant is measured by, where its value is printed beside the dot."""
MAX_LANES = 60
"""Values beyond which none are printed, and lines stand closer."""
CLOSE_LANE, MIN_ROW = 6, 14
MANY = 40
"""Participants beyond whom only some are named."""
DENSE_HEIGHT, MIN_DENSE_ROW = 640, 4.0
DOT, SMALL_DOT, DENSE_DOT = 46, 30, 14
N_MOVED = 4
"""How many of those who change places most are named among many."""


def plot_scores(
    scores: Scores, *, metrics: Sequence[str] | None = None, subset: str = WHOLE, canvas: Canvas | None = None
) -> alt.LayerChart:
    """The scores of all participants on one subset, best first by the first metric.

    The dot is the value, the line its interval. Where predictions are unjudged, a bar leads from the value
    that the participant would have if all of them were wrong to the one if all were right.

    Args:
        scores: what to draw.
        metrics: what participants are measured by, the one that orders them first; by default top-1 and what judges the
            same answers by other labels.
        subset: which subset.
        canvas: how wide, and whether with a title.

    Raises:
        InputError: there is nothing to draw, or more than can be told apart.
    """
    rows = scores.to_frame().filter(pl.col("subset") == subset, pl.col("value").is_not_null())
    measures = choose_measures(rows, metrics)
    rows = _pick(rows, measures)
    if not measures or not rows.height:
        asked = ", ".join(metrics or ()) or "(none)"
        raise InputError(f"There are no scores to draw for subset {subset!r} and the metrics {asked}.")
    if len(measures) > len(MEASURES) + 1:
        raise InputError(f"A figure tells {len(MEASURES) + 1} metrics and label sets apart, not {len(measures)}.")
    theirs = list_published_rows(scores.published if subset == WHOLE else None, [metric for metric, _ in measures])
    panel = Panel(
        rows,
        measures,
        against=scores.settings.against,
        sheet=Sheet(canvas or Canvas()),
        theirs=theirs,
        people=scores.people,
    )
    part = "" if subset == WHOLE else f", {subset}"
    title = panel.sheet.make_title(f"Accuracy on {rows['test_set'][0]}{part}", _explain(panel, scores))
    extent = {"width": panel.width, "height": panel.row * len(panel.places)}
    return panel.sheet.finish(panel.plot(), **extent, title=title)


class Panel:
    """The rows of a figure with their places: participants below each other, and in each row a lane for every measure."""

    def __init__(  # noqa: PLR0913 - what is drawn, whose and where, all but the first two by name
        self,
        rows: pl.DataFrame,
        measures: Sequence[tuple[str, str]],
        *,
        against: str | None,
        sheet: Sheet,
        theirs: Sequence[Mapping[str, Any]] = (),
        people: Collection[str] = (),
    ) -> None:
        self.sheet = sheet
        self.people = set(people)
        self.titles = _name_measures(rows, measures)
        self.rows = rows.with_columns(measure=pl.Series(self._name_rows(rows, measures)))
        self.names = _order_participants(rows, measures[0])
        self.is_many = len(self.names) > MANY
        self.has_values = len(self.names) * len(measures) <= MAX_LANES
        self.theirs = [{**row, "measure": self.titles[row["place"]]} for row in theirs]
        below = list(dict.fromkeys(row["participant"] for row in theirs))
        self.places = [*self.names, *below]
        self.labels = {**self._label(against), **{name: name for name in below}}
        widest = find_widest(list(self.labels.values()), sheet.letter)
        self.label_width = min(widest, sheet.name_room) + 1
        overhang = measure_words("100%", sheet.letter) / 2
        self.width = sheet.inner - self.label_width - 8 - overhang
        self.domain = self._find_domain()

    @property
    def row(self) -> float:
        """How high the row of a participant is."""
        if self.is_many:
            return max(MIN_DENSE_ROW, min(MIN_ROW, DENSE_HEIGHT / len(self.names)))
        lanes = len(self.titles) * (LANE if self.has_values else CLOSE_LANE)
        return max(float(lanes + 8), MIN_ROW)

    @property
    def dot(self) -> int:
        """The area of a dot."""
        if self.is_many:
            return DENSE_DOT
        return DOT if self.has_values else SMALL_DOT

    @property
    def has_bounds(self) -> bool:
        """Whether some predictions are unjudged."""
        return bool((self.rows["n_unjudged"] > 0).any())

    def plot(self) -> list[Any]:
        """All layers, from the back to the front."""
        has_several = len(self.titles) > 1
        return [
            *([self.plot_published()] if self.theirs else []),
            *([self.plot_joins()] if has_several else []),
            *([self.plot_bounds()] if self.has_bounds else []),
            self.plot_intervals(),
            *self.plot_dots(),
            *(self.plot_values() if self.has_values else []),
        ]

    def plot_published(self) -> alt.Chart:
        """Published models as grey dots in a row of their own, below the participants."""
        dots = alt.Chart({"values": self.theirs}).mark_circle(color=DATASET, size=SMALL_DOT, opacity=0.5)
        tooltip = [alt.Tooltip(f"{name}:N") for name in ("model", "measure", "estimate")]
        grey: alt.Chart = self._add_lanes(dots.encode(y=self._y(), x=self._x("value"), tooltip=tooltip))
        return grey

    def plot_joins(self) -> alt.Chart:
        """Thin lines between the dots of a participant."""
        line = self._base(is_coloured=False).mark_line(color=MUTED, strokeWidth=0.8, opacity=0.55)
        joins: alt.Chart = line.encode(x=self._x("value"), detail="participant:N", order="lane:Q")
        return joins

    def plot_bounds(self) -> alt.Chart:
        """Where the values may lie, whatever unjudged predictions turn out to be."""
        judged = self._base(pl.col("n_unjudged") > 0).mark_rule(strokeWidth=6, opacity=0.35)
        bounds: alt.Chart = judged.encode(x=self._x("lower_bound"), x2="upper_bound:Q")
        return bounds

    def plot_intervals(self) -> alt.Chart:
        """The intervals."""
        rule = self._base().mark_rule(strokeWidth=1 if self.is_many else 1.6, opacity=0.65)
        intervals: alt.Chart = rule.encode(x=self._x("low"), x2="high:Q")
        return intervals

    def plot_dots(self) -> list[alt.Chart]:
        """The values: models as dots, people as diamonds."""
        is_person = pl.col("participant").is_in(list(self.people))
        found = []
        for chosen, are_people in ((~is_person, False), (is_person, True)):
            if self.rows.select(chosen.any()).item():
                mark = mark_participants(self._base(chosen), size=self.dot, are_people=are_people)
                found.append(mark.encode(x=self._x("value")))
        return found

    def plot_values(self) -> list[alt.Chart]:
        """The values in digits, right of what is drawn of them, on a ground of their own."""
        base = self._base(is_coloured=False).encode(x=self._x("right"), text="digits:N")
        options: dict[str, Any] = {"align": "left", "baseline": "middle", "dx": 5, "fontSize": self.sheet.small}
        ground = base.mark_text(**options, stroke="white", strokeWidth=3, color="white")
        return [ground, base.mark_text(**options, color=INK)]

    def _base(self, chosen: pl.Expr | None = None, *, is_coloured: bool = True) -> alt.Chart:
        """What all layers share: a row per participant, a lane per measure, and what shows under the mouse."""
        rows = self.rows if chosen is None else self.rows.filter(chosen)
        limits = rows.select("value", "low", "high").iter_rows()
        drawn = rows.with_columns(
            pl.Series("estimate", [str(Estimate(*numbers)) for numbers in limits], dtype=pl.String),
            digits=pl.Series([f"{100 * value:.1f}" for value in rows["value"]], dtype=pl.String),
            right=pl.max_horizontal("high", "upper_bound"),
            lane=pl.col("measure").replace_strict({name: place for place, name in enumerate(self.titles)}),
        )
        base = alt.Chart({"values": drawn.to_dicts()}).encode(
            y=self._y(),
            tooltip=[
                *(alt.Tooltip(f"{name}:N") for name in ("participant", "measure", "estimate")),
                *(alt.Tooltip(f"{name}:Q", format=",") for name in ("n", "n_unjudged")),
            ],
        )
        base = self._add_lanes(base)
        if not is_coloured:
            return base
        if len(self.titles) == 1 and self.people:
            # One measure needs no colour, so colours tell people from models.
            whose = [HUMAN if name in self.people else MODEL for name in self.places]
            scale = alt.Scale(domain=self.places, range=whose)
            return base.encode(color=alt.Color("participant:N", scale=scale, legend=None))
        coloured: alt.Chart = base.encode(color=self._colour())
        return coloured

    def _add_lanes(self, chart: alt.Chart) -> alt.Chart:
        """The chart with a lane per measure, unless rows stand close."""
        if self.is_many:
            return chart
        lanes = alt.Scale(domain=self.titles, paddingOuter=0.4)
        laned: alt.Chart = chart.encode(yOffset=alt.YOffset("measure:N", sort=self.titles, scale=lanes))
        return laned

    def _x(self, field: str) -> alt.X:
        title = self.titles[0] if len(self.titles) == 1 else None
        ticks = find_share_ticks(self.domain, self.width / (4.5 * self.sheet.letter))
        axis = alt.Axis(format="~%", values=ticks, titleColor=INK)
        return alt.X(
            f"{field}:Q", title=title, axis=axis, scale=alt.Scale(domain=list(self.domain), nice=False, zero=False)
        )

    def _y(self) -> alt.Y:
        axis = fit_labels(self.places, self.label_width, size=self.sheet.letter)
        if self.is_many:
            # Only some have a name; it tells their values as well.
            axis |= {"values": list(self.labels), "labelExpr": f"({json.dumps(self.labels)})[datum.value]"}
        axis |= {"grid": True}
        scale = alt.Scale(domain=self.places, paddingInner=0, paddingOuter=0)
        return alt.Y("participant:N", sort=self.places, title=None, axis=alt.Axis(**axis), scale=scale)

    def _colour(self) -> alt.Color:
        colours = _colour_measures(self.rows, self.titles)
        legend = None
        if len(self.titles) > 1:
            left = self.label_width + 8
            legend = self.sheet.make_legend(self.titles, left=left, symbolType="circle", symbolSize=60)
        return alt.Color("measure:N", scale=alt.Scale(domain=self.titles, range=colours), legend=legend)

    def _name_rows(self, rows: pl.DataFrame, measures: Sequence[tuple[str, str]]) -> list[str]:
        names = dict(zip(measures, self.titles, strict=True))
        return [names[metric, labels] for metric, labels in rows.select("metric", "labels").iter_rows()]

    def _label(self, against: str | None) -> Mapping[str, str]:
        """Who is named, and with which words."""
        if not self.is_many:
            return {name: name for name in self.names}
        spacing = math.ceil((self.sheet.letter + 3) / self.row)
        places = find_interesting(self.rows, self.names, titles=self.titles, against=against)
        kept: list[int] = []
        for place in places:
            if all(abs(place - other) >= spacing for other in kept):
                kept.append(place)
        return {self.names[place]: self._tell(self.names[place]) for place in sorted(kept)}

    def _tell(self, name: str) -> str:
        """A name with its values, for rows that are too close for digits in the figure; a long name loses its middle."""
        theirs = dict(self.rows.filter(pl.col("participant") == name).select("measure", "value").iter_rows())
        values = " → ".join(f"{100 * theirs[title]:.1f}" for title in self.titles if title in theirs)
        room = self.sheet.name_room - measure_words(f" {values}", self.sheet.letter)
        return f"{cut_words(name, room, size=self.sheet.letter)} {values}"

    def _find_domain(self) -> tuple[float, float]:
        """From the least to the greatest that is drawn, with room for digits at the right."""
        low = self.rows.select(pl.min_horizontal(pl.min("low"), pl.min("lower_bound"))).item()
        high = self.rows.select(pl.max_horizontal(pl.max("high"), pl.max("upper_bound"))).item()
        low, high = (
            min([low, *(row["value"] for row in self.theirs)]),
            max([high, *(row["value"] for row in self.theirs)]),
        )
        span = max(high - low, 0.01)
        right = measure_words("100.0", self.sheet.small) + 8 if self.has_values else 6
        per_pixel = span / (self.width - right - 6)
        return low - 6 * per_pixel, high + right * per_pixel


def find_interesting(
    rows: pl.DataFrame, names: Sequence[str], *, titles: Sequence[str], against: str | None
) -> list[int]:
    """Which of many participants to name, by their places, the most interesting first.

    The best, the worst, the one that others are compared with, those whose place is another by the last measure than by the
    first, and the median.
    """
    first = {name: place for place, name in enumerate(names)}
    places = [0, len(names) - 1]
    places += [first[against]] if against in first else []
    if len(titles) > 1:
        last = rows.filter(pl.col("measure") == titles[-1]).sort("value", descending=True, maintain_order=True)
        moves = {name: abs(place - first[name]) for place, name in enumerate(last["participant"])}
        moved = sorted((name for name in moves if moves[name]), key=lambda name: (-moves[name], first[name]))
        places += [first[name] for name in moved[:N_MOVED]]
    return list(dict.fromkeys([*places, len(names) // 2]))


def _pick(rows: pl.DataFrame, measures: Sequence[tuple[str, str]]) -> pl.DataFrame:
    chosen = pl.DataFrame(
        {"metric": [one for one, _ in measures], "labels": [one for _, one in measures]},
        schema={"metric": pl.String, "labels": pl.String},
    )
    return rows.join(chosen, on=["metric", "labels"], how="semi", maintain_order="left")


def _order_participants(rows: pl.DataFrame, measure: tuple[str, str]) -> list[str]:
    """The best by the measure first; those without it last."""
    first = _pick(rows, [measure]).sort("value", descending=True, maintain_order=True)["participant"].to_list()
    return list(dict.fromkeys([*first, *rows["participant"].to_list()]))


def _name_measures(rows: pl.DataFrame, measures: Sequence[tuple[str, str]]) -> list[str]:
    """Metric, labels and n of each measure."""
    names = []
    for metric, labels in measures:
        part = _pick(rows, [(metric, labels)])
        counts: list[int] = part["n"].to_list()
        low, high = min(counts), max(counts)
        n = f"n = {low:,}" if low == high else f"n = {low:,} to {high:,}"
        names.append(f"{get_title(metric, part['remark'][0])} (labels: {labels}; {n})")
    return names


def _colour_measures(rows: pl.DataFrame, titles: Sequence[str]) -> list[str]:
    """Grey for the labels of the dataset beside others, else the colours in their order."""
    if len(titles) == 1:
        return [MODEL]
    labels = dict(rows.select("measure", "labels").iter_rows())
    others = iter(MEASURES)
    by_dataset = [title for title in titles if labels[title] == DATASET_LABELS]
    grey = by_dataset[0] if by_dataset else None
    return [DATASET if title == grey else next(others) for title in titles]


def _explain(panel: Panel, scores: Scores) -> list[str]:
    rows = panel.rows
    methods = name_methods(rows["interval"].unique(maintain_order=True))
    told = f"{100 * scores.settings.level:g}% intervals: {methods}."
    if panel.has_bounds:
        told += " Thick bar: from all unjudged wrong to all unjudged right."
    if _is_any_hidden(panel):
        told += " Where no line shows, the interval is narrower than the dot."
    n_people = len(panel.people.intersection(panel.names))
    if n_people:
        told += f" Diamonds: {count_things(n_people, 'person', many='people')}."
    if panel.is_many:
        told += f" {len(panel.names):,} participants, {len(panel.labels):,} of them named."
    return [told]


def _is_any_hidden(panel: Panel) -> bool:
    """Whether some interval is so narrow that the dot hides it."""
    narrowest = panel.rows.select((pl.col("high") - pl.col("low")).min()).item()
    per_pixel = (panel.domain[1] - panel.domain[0]) / panel.width
    return bool(narrowest < 2 * math.sqrt(panel.dot / math.pi) * per_pixel)
