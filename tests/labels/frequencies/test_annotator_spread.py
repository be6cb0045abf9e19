"""How far annotators differ: a plain loop over votes, and a campaign whose annotators are known to differ."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from tests.responses.contains_rows import Row, make_votes

from regauge.labels.frequencies.annotator_spread import add_spread
from regauge.labels.frequencies.frequency import count_selections
from regauge.records.labels.frequencies import AnnotatorSpread
from regauge.records.responses.answers import Control
from regauge.responses.grouping import group_votes
from regauge.responses.screening import screen
from regauge.stats.frequency_means import measure_spread


def draw_campaign(rng: np.random.Generator, *, spread: float, n_grids: int = 30, n_annotators: int = 12) -> list[Row]:
    """Grids of 20 images of one class each, answered by eight of the annotators."""
    readiness = rng.normal(0, spread, n_annotators)
    rows = []
    for grid in range(n_grids):
        easiness = rng.normal(1, 1.5, 20)
        for who in rng.permutation(n_annotators)[:8]:
            selected = rng.random(20) < 1 / (1 + np.exp(-(easiness + readiness[who])))
            rows += [
                Row(f"t{grid}", f"w{who}", grid % 3, f"{grid}-{place}", Control.NONE, bool(one))
                for place, one in enumerate(selected)
            ]
    return rows


def find_spread(rows: list[Row]) -> AnnotatorSpread | None:
    responses = group_votes(make_votes(rows))
    screening = screen(responses, None)
    return add_spread(count_selections(responses, screening).counts, responses, screening=screening).spread


def test_it_is_what_a_loop_over_the_votes_gives(rng: np.random.Generator) -> None:
    rows = draw_campaign(rng, spread=0.8, n_grids=5)
    votes = defaultdict(list)
    for row in rows:
        votes[row.image, row.asked].append(row.selected)
    surplus: dict[str, float] = defaultdict(float)
    information: dict[str, float] = defaultdict(float)
    for row in rows:
        own = votes[row.image, row.asked]
        n, k = len(own), sum(own)
        surplus[row.annotator] += (row.selected - k / n) * (n / (n - 1)) ** 0.5
        information[row.annotator] += k * (n - k) / (n * (n - 1))
    names = list(surplus)
    expected = measure_spread([surplus[one] for one in names], [information[one] for one in names])
    found = find_spread(rows)
    assert found is not None
    assert expected is not None
    assert found.n_annotators == expected.n_annotators == 12
    np.testing.assert_allclose([found.n_effective, found.variance], [expected.n_effective, expected.variance])


@pytest.mark.parametrize("spread", [0.0, 0.5, 1.0])
def test_it_finds_how_far_annotators_differ(spread: float, rng: np.random.Generator) -> None:
    variances = [find_spread(draw_campaign(rng, spread=spread)) for _ in range(15)]
    mean = np.mean([one.variance for one in variances if one is not None])
    # Twelve annotators tell a variance to within 43%, fifteen times that many to within 11%; linearising costs some.
    assert mean == pytest.approx(spread**2, rel=0.45, abs=0.02)


def test_one_annotator_alone_has_no_spread() -> None:
    rows = [Row("t", "w", 0, f"{place}", Control.NONE, place % 2 == 0) for place in range(10)]
    assert find_spread(rows) is None
