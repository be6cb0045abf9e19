"""What is lacking, in words; and differences of draws."""

from __future__ import annotations

import pytest

from regauge.records.testsets.draws import DrawChange, DrawDiff, ImageChange, describe_shortfalls
from regauge.records.testsets.sampling import Shortfall

NAMES = ["cat", "dog"]


@pytest.mark.parametrize(
    ("shortfall", "words"),
    [
        (Shortfall(0, "[0.2, 0.4)", 1, 9), "class 0 (cat) lacks 1 image in [0.2, 0.4): gather about 9 more candidates"),
        (
            Shortfall(1, "≥ 0.7", 3, 1_200),
            "class 1 (dog) lacks 3 images with a selection frequency ≥ 0.7: gather about 1,200 more candidates",
        ),
        (
            Shortfall(1, "[tabby]", 2, 4),
            "class 1 (dog) lacks 2 images of the keyword '[tabby]': gather about 4 more candidates",
        ),
        (Shortfall(1, "", 10, None), "class 1 (dog) lacks 10 images: gather candidates"),
        (
            Shortfall(0, "[0, 0.2)", 2, None),
            "class 0 (cat) lacks 2 images in [0, 0.2): gather candidates of another kind, as none so far could be taken there",
        ),
    ],
)
def test_a_shortfall_is_a_sentence_with_where_how_many_and_what_to_gather(shortfall: Shortfall, words: str) -> None:
    assert describe_shortfalls([shortfall], NAMES) == [words]


def test_changes_are_counted_by_kind() -> None:
    kinds = (ImageChange.CARRIED_OVER, ImageChange.NEW, ImageChange.NEW, ImageChange.REMOVED)
    rows = tuple(
        DrawChange(f"i{n}", 0, kind, "", is_upward=n < 2, n_shown=10, n_selected=5) for n, kind in enumerate(kinds)
    )
    diff = DrawDiff("a", "b", rows)
    assert [diff.count(kind) for kind in ImageChange] == [1, 2, 1]
    assert diff.n_upward == 1
    assert diff.to_frame()["image_id"].to_list() == ["i0", "i1", "i2", "i3"]
