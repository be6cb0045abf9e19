"""Whoever is tested cannot tell from which set an image is, and the test that says so finds a leak that was planted.

Few images are enough to find what is wrong at once; `python -m tests.kinds.label.source_leaks` takes 2,000 of each set, whose
limits are half as far from ½ as they may be.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.kinds.label.label_study import Examined
from tests.kinds.label.source_leaks import note_traces, plant_quality, serve_two_sources

N_PER_SET = 60
CERTAIN = 0.9999
"""Addresses and latencies are by chance: so seldom the test fails without a leak."""


@pytest.fixture
def examined(tmp_path: Path) -> Iterator[Examined]:
    with serve_two_sources(tmp_path, n_per_set=N_PER_SET) as made:
        yield made


def test_the_set_of_an_image_cannot_be_told_by_what_the_page_receives(examined: Examined) -> None:
    traces = note_traces(examined)
    assert len(traces.labels) == 2 * N_PER_SET
    found = traces.judge(level=CERTAIN)
    assert found.limits.low < 0.5 < found.limits.high
    # Nothing of these depends on the image at all.
    assert (traces.features["headers"] == traces.features["headers"][0]).all()


def test_one_step_of_jpeg_quality_between_the_sets_is_found(examined: Examined) -> None:
    with plant_quality(examined.study, {"original": 84, "new": 85}):
        traces = note_traces(examined)
    found = traces.judge()
    assert found.auc > 0.9
    assert found.limits.low > 0.5
    assert traces.judge(names=("dimensions",), level=CERTAIN).limits.low < 0.5
