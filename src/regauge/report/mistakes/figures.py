"""The flow of a participant's mistakes as a figure with counts: what a review left of them, step by step.

After Figure 1 of Vasudevan et al. (2022). Every bar is the mistakes under one label set, as long as they are many; what the next
label set or the coders take away is at its right end, and the rest flows into the bar below.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from regauge.estimates import count_things
from regauge.records.canvas import Canvas
from regauge.records.mistakes.flows import BORDERLINE, MAJOR, MINOR, NOT_CODED, Fate, FlowStep, MistakeFlow
from regauge.report.drawing.sheet import Sheet
from regauge.report.drawing.words import BOLD, wrap_words
from regauge.report.theme import DATASET, FIT, GREEN, HUMAN, INK, LIGHT, MODEL, MUTED, PALE, PINK

REMAIN, BY_CODERS = "remain", "overturned by coders"
COLOURS = {
    REMAIN: MODEL,
    Fate.CORRECT.value: GREEN,
    Fate.UNCLEAR.value: "#56B4E9",
    Fate.PROBLEMATIC.value: PINK,
    Fate.UNKNOWN.value: DATASET,
    BY_CODERS: HUMAN,
    MAJOR: FIT,
    MINOR: LIGHT,
    BORDERLINE: PALE,
    NOT_CODED: DATASET,
}
BAR = 26
"""Pixels that a bar is high."""
GAP = 14
"""Pixels from the words below a bar to those above the next one."""
LEAD = 4
"""Pixels between a line of words and the next thing."""


@dataclass(frozen=True, slots=True)
class _Bar:
    """The mistakes under one label set: what stands above and below the bar, its parts, and how much of it flows on."""

    heading: str
    told: str
    parts: tuple[tuple[str, int], ...]
    n_flowing: int = 0

    @property
    def n(self) -> int:
        """How many mistakes the bar is long."""
        return sum(n for _, n in self.parts)


def plot_flow(flow: MistakeFlow, *, canvas: Canvas | None = None) -> alt.LayerChart:
    """The flow as a figure that can be published as it is.

    Args:
        flow: what to draw.
        canvas: how wide, and whether with a title.
    """
    sheet = Sheet(canvas or Canvas())
    bars = list(_list_bars(flow))
    place = _Place(sheet, max([bar.n for bar in bars] + [1]))
    layers: list[Any] = []
    for number, bar in enumerate(bars):
        following = bars[number + 1] if number + 1 < len(bars) else None
        layers += place.draw(bar, following)
    drawn = {name for bar in bars for name, _ in bar.parts}
    names = [name for name in COLOURS if name in drawn]
    layers.append(_plot_key(names, sheet))
    title = sheet.make_title(f"What a review left of the mistakes of {flow.participant}", [_explain(flow)])
    return sheet.finish(layers, width=sheet.inner, height=place.y, title=title)


class _Place:
    """Where the next bar goes: everything is in pixels, counted from the upper left corner."""

    def __init__(self, sheet: Sheet, n_widest: int) -> None:
        self.sheet, self.y = sheet, 0.0
        self._unit = sheet.inner / n_widest

    def draw(self, bar: _Bar, following: _Bar | None) -> Iterator[alt.Chart]:
        """The words above, the bar, those below, and what flows on to the bar that follows."""
        yield self._write(bar.heading, self.sheet.letter, INK, is_bold=True)
        top, self.y = self.y, self.y + BAR
        yield self._plot_parts(bar, top)
        self.y += LEAD
        below = self.y
        words = [self._write(bar.told, self.sheet.small, MUTED)] if bar.told else []
        if following is not None:
            self.y += GAP
            # The flow ends where the next bar begins, below the words above that.
            n_lines = len(self._wrap(following.heading, self.sheet.letter))
            end = self.y + n_lines * (self.sheet.letter + LEAD)
            yield self._plot_ribbon(bar.n_flowing, below - LEAD, end)
        yield from words

    def _wrap(self, words: str, size: int) -> list[str]:
        return wrap_words(words, self.sheet.inner / BOLD, size=size)

    def _write(self, words: str, size: int, color: str, *, is_bold: bool = False) -> alt.Chart:
        rows = []
        for line in self._wrap(words, size):
            rows.append({"x": 0, "y": self.y, "words": line})
            self.y += size + LEAD
        text = alt.Chart({"values": rows}).mark_text(
            align="left", baseline="top", fontSize=size, color=color, fontWeight="bold" if is_bold else "normal"
        )
        written: alt.Chart = text.encode(self._x("x"), self._y("y"), text="words:N")
        return written

    def _plot_parts(self, bar: _Bar, top: float) -> alt.Chart:
        rows, x = [], 0.0
        for name, n in bar.parts:
            end = x + n * self._unit
            about = f"{name}: {count_things(n, 'mistake')}"
            rows.append({"x": x, "x2": end, "y": top, "y2": top + BAR, "color": COLOURS[name], "about": about})
            x = end
        rect = alt.Chart({"values": rows}).mark_rect()
        drawn: alt.Chart = rect.encode(
            self._x("x"),
            alt.X2("x2:Q"),
            self._y("y"),
            alt.Y2("y2:Q"),
            color=alt.Color("color:N", scale=None),
            description="about:N",
            tooltip=["about:N"],
        )
        return drawn

    def _plot_ribbon(self, n: int, top: float, end: float) -> alt.Chart:
        """What is a mistake still, from one bar to the next one, in a tint that words can stand on."""
        rows = [{"x": 0, "x2": n * self._unit, "y": y} for y in (top, end)]
        area = alt.Chart({"values": rows}).mark_area(orient="horizontal", color=MODEL, opacity=0.1)
        flow: alt.Chart = area.encode(self._y("y"), self._x("x"), alt.X2("x2:Q"))
        return flow

    def _x(self, field: str) -> alt.X:
        scale = alt.Scale(domain=[0, self.sheet.inner], nice=False, zero=False)
        return alt.X(f"{field}:Q", scale=scale, axis=None)

    def _y(self, field: str) -> alt.Y:
        """Downwards; the scale is set by the height of the figure, which is known when all bars are placed."""
        return alt.Y(f"{field}:Q", scale=alt.Scale(domain={"expr": "[height, 0]"}, nice=False, zero=False), axis=None)


def _plot_key(names: Sequence[str], sheet: Sheet) -> alt.Chart:
    """Invisible marks that give the legend its names and colours."""
    colours = alt.Scale(domain=list(names), range=[COLOURS[name] for name in names])
    legend = sheet.make_legend(names, symbolType="square", symbolSize=90)
    key = alt.Chart({"values": [{"part": name} for name in names]}).mark_square(opacity=0, size=0)
    chart: alt.Chart = key.encode(alt.Color("part:N", scale=colours, legend=legend))
    return chart


def _list_bars(flow: MistakeFlow) -> Iterator[_Bar]:
    n_joined = 0
    for step in flow.steps:
        yield _Bar(
            _head(step.n, step.n_novel, step.before), _tell_left(step, n_joined), _list_parts(step), step.n_remaining
        )
        n_joined = step.n_joined
    parts = tuple((name, n) for name, n in flow.ends if n) or ((REMAIN, flow.n_end),)
    told = ", ".join(f"{n:,} {name}" for name, n in flow.ends if n)
    head = _head(flow.n_end, flow.n_end_novel, flow.labels[-1])
    if flow.coding:
        head = f"{count_things(flow.n_end, 'mistake')} after {flow.coding}"
    yield _Bar(head, _join(told, _tell_joined(n_joined)), parts)


def _list_parts(step: FlowStep) -> tuple[tuple[str, int], ...]:
    left = ((BY_CODERS, step.n_left),) if step.is_coding else step.left
    return tuple((name, n) for name, n in ((REMAIN, step.n_remaining), *left) if n)


def _head(n: int, n_novel: int, under: str) -> str:
    novel = f", {n_novel:,} of them judged by nobody" if n_novel else ""
    return f"{count_things(n, 'mistake')} under {under}{novel}"


def _tell_left(step: FlowStep, n_joined: int) -> str:
    reasons = ", ".join(f"{name} {n:,}" for name, n in step.left)
    who = "taken away by coders" if step.is_coding else f"taken away by {step.after}"
    return _join(f"{who}: {step.n_left:,} ({reasons})" if step.left else f"{who}: none", _tell_joined(n_joined))


def _tell_joined(n: int) -> str:
    return f"accepted or not judged before: {n:,}" if n else ""


def _join(*parts: str) -> str:
    return "; ".join(filter(None, parts))


def _explain(flow: MistakeFlow) -> str:
    share = flow.overturned.share
    strict = " Unclear answers are mistakes." if flow.is_strict else ""
    if not share.n:
        return f"On {flow.test_set}.{strict}"
    n_open = flow.steps[0].n - share.n
    more = f" ({n_open:,} more are not judged)" if n_open else ""
    first = count_things(share.n, "first mistake")
    return f"Overturned: {share.k:,} of {first} on {flow.test_set}{more}, {share}.{strict}"
