"""Campaigns with known frequencies, from answers to intervals: what is estimated is the truth, as often as promised."""

from __future__ import annotations

import numpy as np
import pytest

from regauge.arrays import FloatArray
from regauge.labels.frequencies.frequency import count_selections
from regauge.records.labels.frequencies import SelectionCounts
from regauge.records.responses.answers import ContainsResponses, Control, Grids
from regauge.records.responses.screening import ScreeningRules
from regauge.responses.screening import screen
from regauge.stats.beta_binomial import find_posterior, fit_beta
from regauge.stats.intervals import Limits, clopper_pearson, wilson
from regauge.world.annotators import Annotator, Profile, answer_contains, hire
from regauge.world.collections import Sizes, World, make_world

N_GRIDS = 60
N_CELLS = 48
N_POSITIVE = 6


def pack(selected: np.ndarray) -> np.ndarray:
    """Answers [responses, cells] as masks."""
    bits = selected.astype(np.uint64) << np.arange(selected.shape[1], dtype=np.uint64)
    return np.asarray(bits.sum(axis=1), np.uint64)


def run_campaign(rng: np.random.Generator, truth: FloatArray, *, n_annotators: int, n_spammers: int) -> SelectionCounts:
    """Every annotator answers every grid; honest ones select with the true frequency, spammers hardly anything."""
    controls = np.where(np.arange(N_CELLS) < N_POSITIVE, int(Control.POSITIVE), int(Control.NONE))
    grids = Grids(
        np.array([f"t{grid}" for grid in range(N_GRIDS)]),
        np.arange(N_GRIDS, dtype=np.int32),
        starts=np.arange(N_GRIDS + 1) * N_CELLS,
        image_ids=np.array([f"i{cell}" for cell in range(N_GRIDS * N_CELLS)]),
        cell_images=np.arange(N_GRIDS * N_CELLS, dtype=np.int32),
        cell_controls=np.tile(controls, N_GRIDS).astype(np.uint8),
    )
    n = n_annotators + n_spammers
    chances = np.where(np.arange(n)[:, np.newaxis] < n_annotators, truth, 0.02).reshape(n, N_GRIDS, N_CELLS)
    selected = rng.random(chances.shape) < chances
    responses = ContainsResponses(
        grids,
        np.array([f"w{who}" for who in range(n)]),
        np.tile(np.arange(N_GRIDS, dtype=np.int32), n),
        np.repeat(np.arange(n, dtype=np.int32), N_GRIDS),
        pack(selected.reshape(-1, N_CELLS)),
        np.full(n * N_GRIDS, np.nan),
    )
    return count_selections(responses, screen(responses, ScreeningRules())).counts


def draw_truth(rng: np.random.Generator) -> FloatArray:
    """Frequencies of all cells: controls are easy, the others anything."""
    truth = rng.random((N_GRIDS, N_CELLS))
    truth[:, :N_POSITIVE] = rng.beta(9, 2, (N_GRIDS, N_POSITIVE))
    return truth.ravel()


def check_coverage(limits: Limits, truth: FloatArray) -> None:
    n_covered = np.count_nonzero((limits.low <= truth) & (truth <= limits.high))
    low, high = clopper_pearson(n_covered, truth.size, level=0.999)
    assert low <= 0.95 <= high, n_covered / truth.size


def test_wilson_limits_cover_known_frequencies_with_spammers_in_the_campaign(rng):
    truth = draw_truth(rng)
    counts = run_campaign(rng, truth, n_annotators=25, n_spammers=3)
    # The spammers select 2% of the controls, so they are dropped; nearly all honest responses stay.
    assert 24 < counts.n_shown.mean() <= 25
    check_coverage(wilson(counts.n_selected, counts.n_shown), truth)


def test_posterior_limits_cover_known_frequencies(rng):
    truth = rng.beta(3, 2, N_GRIDS * N_CELLS)
    counts = run_campaign(rng, truth, n_annotators=12, n_spammers=1)
    fit = fit_beta(counts.n_selected, counts.n_shown)
    assert fit.mean == pytest.approx(0.6, abs=0.02)
    check_coverage(find_posterior(counts.n_selected, counts.n_shown, fit=fit).limits, truth)


@pytest.fixture(scope="module")
def world() -> World:
    return make_world(np.random.default_rng(20190213), sizes=Sizes(training=64, original=320, pool=64))


def answer_grids(world: World, annotators: tuple[Annotator, ...]) -> tuple[ContainsResponses, np.ndarray]:
    """Grids of 20 pictures for the first four classes, four of them positive controls; and the cells' (row, class)."""
    pictures = world.original
    rows, classes = [], []
    for asked in range(4):
        positive = np.argsort(-pictures.degrees[:, asked], kind="stable")[:4]
        others = np.setdiff1d(np.arange(len(pictures)), positive)[asked * 40 : asked * 40 + 16]
        rows.append(np.concatenate([positive, others]))
        classes.append(np.full(20, asked))
    cells, asked_for = np.concatenate(rows), np.concatenate(classes)
    grids = Grids(
        np.array(["a", "b", "c", "d"]),
        np.arange(4, dtype=np.int32),
        starts=np.arange(5) * 20,
        image_ids=pictures.image_ids,
        cell_images=cells.astype(np.int32),
        cell_controls=np.tile((np.arange(20) < 4).astype(np.uint8), 4),
    )
    answers = [answer_contains(one, pictures, rows=cells, classes=asked_for) for one in annotators]
    selected = np.stack([one.selected for one in answers]).reshape(-1, 20)
    seconds = np.stack([one.seconds for one in answers]).reshape(-1, 20).sum(axis=1)
    n = len(annotators)
    ids = np.array([one.annotator_id for one in annotators])
    responses = ContainsResponses(
        grids,
        ids,
        np.tile(np.arange(4, dtype=np.int32), n),
        np.repeat(np.arange(n, dtype=np.int32), 4),
        pack(selected),
        seconds,
    )
    return responses, np.stack([cells, asked_for])


def test_in_the_embedded_world_spammers_are_dropped_and_frequencies_follow_the_truth(world, rng):
    annotators = hire(40, rng=rng, shares={Profile.CAREFUL: 0.8, Profile.SPAMMER: 0.2})
    responses, (rows, asked) = answer_grids(world, annotators)
    screening = screen(responses, ScreeningRules())
    is_spammer = np.array([one.profile is Profile.SPAMMER for one in annotators])
    assert is_spammer.any()
    # Nobody careful is dropped; spammers select each control with probability 0.3, so some of their responses pass by luck.
    assert not screening.is_dropped[~is_spammer].any()
    accepted = screening.is_accepted.reshape(40, 4)
    assert accepted[~is_spammer].mean() > 0.97
    assert accepted[is_spammer].mean() < 0.5
    counts = count_selections(responses, screening).counts
    degrees = {
        (int(row), int(one)): float(world.original.degrees[row, one]) for row, one in zip(rows, asked, strict=True)
    }
    truth = np.array([degrees[pair] for pair in zip(counts.images.tolist(), counts.classes.tolist(), strict=True)])
    # Careful annotators select from a degree of 0.47 on.
    assert counts.frequencies[truth > 0.8].mean() > 0.9
    assert counts.frequencies[truth < 0.1].mean() < 0.1
