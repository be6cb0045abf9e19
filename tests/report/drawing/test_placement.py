"""Names beside dots: none overlaps another, a dot or the edge; near places come before far ones."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regauge.report.drawing.placement import Anchor, Box, find_line_end, place_names

FRAME = Box(0, 0, 400, 300)


def find_dots(anchors: list[Anchor]) -> list[Box]:
    return [Box(one.x, one.y, one.x, one.y).widen(one.radius) for one in anchors]


def test_a_lone_name_stands_right_of_its_dot_without_a_line() -> None:
    anchor = Anchor(100, 100, 40, 10, 3)
    (placed,) = place_names([anchor], frame=FRAME, taken=find_dots([anchor]))
    assert placed is not None
    assert not placed.is_far
    assert placed.box.left > 103
    assert (placed.box.bottom, placed.box.top) == (95, 105)


def test_at_the_right_edge_a_name_goes_to_another_side() -> None:
    (placed,) = place_names([Anchor(395, 150, 40, 10, 3)], frame=FRAME)
    assert placed is not None
    assert placed.box.right <= 400


def test_the_first_chooses_first_and_a_name_without_room_is_left_out() -> None:
    anchors = [Anchor(30, 6, 40, 10, 3)] * 2
    first, second = place_names(anchors, frame=Box(0, 0, 80, 12), taken=find_dots(anchors))
    assert first is not None
    assert second is None


def test_a_name_goes_further_out_where_its_neighbours_are_in_the_way_and_a_line_ends_at_its_edge() -> None:
    anchor = Anchor(200, 150, 40, 10, 3)
    crowd = Box(200, 150, 200, 150).widen(14)
    (placed,) = place_names([anchor], frame=FRAME, taken=[crowd])
    assert placed is not None
    assert placed.is_far
    x, y = find_line_end(anchor, placed.box)
    assert x in (placed.box.left, placed.box.right) or y in (placed.box.bottom, placed.box.top)


def test_of_places_that_are_equally_near_the_one_without_strokes_is_taken() -> None:
    anchor = Anchor(200, 150, 40, 10, 3)
    stroke = Box(190, 149.5, 300, 150.5)
    (placed,) = place_names([anchor], frame=FRAME, strokes=[stroke])
    assert placed is not None
    assert not placed.is_far
    assert not placed.box.overlaps(stroke)


@given(
    st.lists(
        st.tuples(st.floats(0, 400), st.floats(0, 300), st.floats(5, 150), st.floats(6, 14)), min_size=1, max_size=40
    )
)
@settings(max_examples=40, deadline=None)
def test_nothing_ever_overlaps(dots: list[tuple[float, float, float, float]]) -> None:
    anchors = [Anchor(*one, 3) for one in dots]
    taken = find_dots(anchors)
    boxes = [one.box for one in place_names(anchors, frame=FRAME, taken=taken) if one is not None]
    assert all(FRAME.holds(box) for box in boxes)
    assert not [box for box in boxes if any(box.overlaps(dot) for dot in taken)]
    assert not [1 for place, box in enumerate(boxes) for other in boxes[:place] if box.overlaps(other)]


@pytest.mark.parametrize("n", [3, 67])
def test_the_same_dots_give_the_same_places(n: int) -> None:
    anchors = [Anchor(20 + 5 * place, 20 + 4 * place, 60, 11, 3) for place in range(n)]
    assert place_names(anchors, frame=FRAME) == place_names(anchors, frame=FRAME)
