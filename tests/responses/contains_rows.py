"""Answers to CONTAINS grids as plain rows, and a slow reference that screens and counts them one by one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from regauge.records.responses.answers import ContainsVotes, Control


class Row(NamedTuple):
    """One annotator's answer for one image of one task."""

    task: str
    annotator: str
    asked: int
    image: str
    control: Control
    selected: bool


def make_votes(rows: Sequence[Row], seconds: Sequence[float] | None = None) -> ContainsVotes:
    """The rows as a record, ids in the order in which they occur."""
    ids = [list(dict.fromkeys(getattr(row, name) for row in rows)) for name in ("task", "annotator", "image")]
    places = [{one: place for place, one in enumerate(column)} for column in ids]
    return ContainsVotes(
        np.array(ids[0], np.str_),
        np.array(ids[1], np.str_),
        np.array(ids[2], np.str_),
        tasks=np.array([places[0][row.task] for row in rows], np.int32),
        annotators=np.array([places[1][row.annotator] for row in rows], np.int32),
        images=np.array([places[2][row.image] for row in rows], np.int32),
        classes=np.array([row.asked for row in rows], np.int32),
        controls=np.array([row.control for row in rows], np.uint8),
        is_selected=np.array([row.selected for row in rows], np.bool_),
        seconds=None if seconds is None else np.asarray(seconds, np.float64),
    )


class Reference(NamedTuple):
    """What the rules make of rows: accepted responses, dropped annotators, and counts by (image, class)."""

    accepted: set[tuple[str, str]]
    dropped: set[str]
    counts: dict[tuple[str, int], tuple[int, int]]
    repeats: dict[str, tuple[int, int]]


def _find_dropped(shares: dict[tuple[str, str], tuple[int, int]], limit: Fraction, half: Fraction) -> set[str]:
    """Annotators with too many poor tasks; shares are (selected, shown) positive controls per response."""
    tasks = defaultdict(list)
    for (_, annotator), (k, n) in shares.items():
        tasks[annotator].append(n > 0 and Fraction(k, n) < limit)
    return {annotator for annotator, poor in tasks.items() if Fraction(sum(poor), len(poor)) >= half}


def judge(
    rows: Sequence[Row], *, limits: tuple[str, str, str] = ("0.2", "0.5", "0.4"), leave_one_out: bool = True
) -> Reference:
    """Screen and count row by row, recomputing everything without each control's vote where that is asked for."""
    low, half, task_low = map(Fraction, limits)
    shares: dict[tuple[str, str], tuple[int, int]] = {}
    for row in rows:
        k, n = shares.get((row.task, row.annotator), (0, 0))
        is_positive = row.control is Control.POSITIVE
        shares[row.task, row.annotator] = (k + (is_positive and row.selected), n + is_positive)

    def accepts(response: tuple[str, str], known: dict[tuple[str, str], tuple[int, int]]) -> bool:
        k, n = known[response]
        return response[1] not in _find_dropped(known, low, half) and not (n and Fraction(k, n) < task_low)

    accepted = {response for response in shares if accepts(response, shares)}
    counts: dict[tuple[str, int], list[int]] = defaultdict(lambda: [0, 0])
    firsts: dict[tuple[str, str, int], bool] = {}
    repeats: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    # Responses count in the order in which they first occur, whatever the order of their rows.
    for response, (k, n) in shares.items():
        for row in (one for one in rows if (one.task, one.annotator) == response):
            pair = counts[row.image, row.asked]
            is_counted = response in accepted
            if leave_one_out and row.control is Control.POSITIVE:
                others = {**shares, response: (k - row.selected, n - 1)}
                is_counted = n > 1 and accepts(response, others)
            if not is_counted:
                continue
            key = (row.annotator, row.image, row.asked)
            if key in firsts:
                repeats[row.annotator][0] += 1
                repeats[row.annotator][1] += firsts[key] == row.selected
                continue
            firsts[key] = row.selected
            pair[0] += 1
            pair[1] += row.selected
    return Reference(
        accepted,
        _find_dropped(shares, low, half),
        {pair: (n, k) for pair, (n, k) in counts.items()},
        {annotator: (n, alike) for annotator, (n, alike) in repeats.items()},
    )


@st.composite
def draw_rows(draw: st.DrawFn, min_positive: int = 1) -> list[Row]:
    """Rows of a few small grids that share images and classes, answered by a few annotators, in any order."""
    images = [f"i{number}" for number in range(7)]
    rows: list[Row] = []
    for task in range(draw(st.integers(1, 5))):
        asked = draw(st.integers(0, 2))
        shown = draw(st.permutations(images))[: draw(st.integers(max(1, min_positive), 7))]
        marks = [Control.POSITIVE] * min_positive + draw(
            st.lists(st.sampled_from(list(Control)), min_size=len(shown), max_size=len(shown))
        )
        controls = dict(zip(shown, marks, strict=False))
        for annotator in draw(st.sets(st.integers(0, 4), min_size=1)):
            order = draw(st.sampled_from([shown, shown[::-1]]))
            rows.extend(
                Row(f"t{task}", f"w{annotator}", asked, image, controls[image], draw(st.booleans())) for image in order
            )
    return draw(st.permutations(rows)) if draw(st.booleans()) else rows
