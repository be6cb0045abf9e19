"""Where names stand beside their dots so that nothing overlaps; a name that finds no room is left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, hypot, pi, sin, sqrt

DIRECTIONS = (0, 7, 1, 4, 3, 5, 6, 2)
"""Eighths of a turn, counted upwards from the right, in the order in which they are tried: right first, above last."""
RINGS = (1.0, 10.0, 22.0, 38.0)
"""Pixels from the edge of a dot to its name; beyond the first a line leads to it."""
GAP = 1.5
"""Pixels that stay free around a name."""


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in pixels; y grows upwards."""

    left: float
    bottom: float
    right: float
    top: float

    def overlaps(self, other: Box) -> bool:
        """Whether both have a point in common that is not on an edge."""
        is_beside = self.right <= other.left or other.right <= self.left
        return not (is_beside or self.top <= other.bottom or other.top <= self.bottom)

    def holds(self, other: Box) -> bool:
        """Whether the other one lies inside."""
        is_within = self.left <= other.left and other.right <= self.right
        return is_within and self.bottom <= other.bottom and other.top <= self.top

    def widen(self, by: float) -> Box:
        """The rectangle with so many pixels more on every side."""
        return Box(self.left - by, self.bottom - by, self.right + by, self.top + by)


@dataclass(frozen=True, slots=True)
class Anchor:
    """A dot that wants its name beside it: where it is, how large the name is, and how far the dot reaches, in pixels."""

    x: float
    y: float
    width: float
    height: float
    radius: float = 0.0


@dataclass(frozen=True, slots=True)
class PlacedName:
    """Where a name stands: its rectangle, and on which ring around its dot, counted from 0."""

    box: Box
    ring: int

    @property
    def is_far(self) -> bool:
        """Whether a line must lead from the dot to it."""
        return self.ring > 0


def place_names(
    anchors: Sequence[Anchor], *, frame: Box, taken: Sequence[Box] = (), strokes: Sequence[Box] = ()
) -> list[PlacedName | None]:
    """A place for every name, the first ones choosing first; None where there is no room.

    Each name takes the first free place around its dot, near before far. Names never overlap each other, what is taken, or the
    frame's edge; far names also have a free line to their dot.

    Args:
        anchors: the dots that want a name, the most important first.
        frame: where names may stand.
        taken: rectangles that stay free of names: dots, other words.
        strokes: thin strokes, of which a name covers two rather than stand one ring further out.
    """
    placed: list[PlacedName | None] = []
    occupied = list(taken)
    leaders: list[Box] = []
    for anchor in anchors:
        free = [one for one in _list_places(anchor) if _is_free(one, frame, [*occupied, *leaders])]
        # A line to a far name is free of names; dots that it passes are smaller than what it tells.
        names = [one.box for one in placed if one is not None]
        free = [one for one in free if not one.is_far or not _crosses(anchor, one.box, names)]
        best = min(
            free, key=lambda one: 2 * one.ring + sum(one.box.overlaps(stroke) for stroke in strokes), default=None
        )
        placed.append(best)
        if best is not None:
            occupied.append(best.box)
            leaders += _list_steps(anchor, best.box) if best.is_far else []
    return placed


def find_line_end(anchor: Anchor, box: Box) -> tuple[float, float]:
    """Where on a name's rectangle the line from its dot ends: the nearest point."""
    return min(max(anchor.x, box.left), box.right), min(max(anchor.y, box.bottom), box.top)


def _list_places(anchor: Anchor) -> list[PlacedName]:
    return [
        PlacedName(_find_box(anchor, eighth, distance), ring)
        for ring, distance in enumerate(RINGS)
        for eighth in DIRECTIONS
    ]


def _find_box(anchor: Anchor, eighth: int, distance: float) -> Box:
    """The rectangle whose nearest edge or corner lies in this direction."""
    across, up = cos(eighth * pi / 4), sin(eighth * pi / 4)
    # A dot takes a square, whose corners are as free as its edges.
    reach = (anchor.radius + GAP) * (1 if eighth % 2 == 0 else sqrt(2)) + distance
    left = _begin(anchor.x + reach * across, anchor.width, round(across, 6))
    bottom = _begin(anchor.y + reach * up, anchor.height, round(up, 6))
    return Box(left, bottom, left + anchor.width, bottom + anchor.height)


def _begin(at: float, length: float, direction: float) -> float:
    """Where a length begins that lies beyond a place, before it or around it."""
    if direction > 0:
        return at
    return at - length if direction < 0 else at - length / 2


def _is_free(place: PlacedName, frame: Box, occupied: Sequence[Box]) -> bool:
    return frame.holds(place.box) and not any(place.box.widen(GAP).overlaps(one) for one in occupied)


def _crosses(anchor: Anchor, box: Box, names: Sequence[Box]) -> bool:
    return any(step.overlaps(name) for step in _list_steps(anchor, box) for name in names)


def _list_steps(anchor: Anchor, box: Box) -> list[Box]:
    """Small rectangles along the line from a dot to its name."""
    end_x, end_y = find_line_end(anchor, box)
    n = max(2, round(hypot(end_x - anchor.x, end_y - anchor.y) / 4))
    shares = [step / n for step in range(1, n)]
    places = [(anchor.x + share * (end_x - anchor.x), anchor.y + share * (end_y - anchor.y)) for share in shares]
    return [Box(x - 1, y - 1, x + 1, y + 1) for x, y in places]
