"""The real layout of 6,298 MTurk grids of ImageNetV2, with simulated answers: shapes and sizes as they occur."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from regauge.labels.frequencies.frequency import count_selections
from regauge.records.responses.answers import ContainsResponses, Control, Grids
from regauge.records.responses.screening import ScreeningRules
from regauge.responses.screening import screen

N_ANSWERS = 10
N_ANNOTATORS = 400


@pytest.fixture(scope="module")
def responses(published: Path) -> ContainsResponses:
    """Ten answers to every grid, by annotators who select 90% of positive and 5% of negative controls."""
    with np.load(published / "recht2019_mturk_grids.npz", allow_pickle=False) as file:
        classes, cells, roles = file["grid_class"], file["image"], file["role"]
        prefixes = file["candidate_id_prefix"].astype(np.str_)
    n_grids, n_cells = cells.shape
    distinct, places = np.unique(cells, return_inverse=True)
    ids = [prefixes[one] if one >= 0 else f"ILSVRC2012_val_{-one:08d}" for one in distinct.tolist()]
    grids = Grids(
        np.array([f"grid-{grid}" for grid in range(n_grids)]),
        classes,
        starts=np.arange(n_grids + 1) * n_cells,
        image_ids=np.array(ids),
        cell_images=places.ravel().astype(np.int32),
        cell_controls=roles.ravel(),
    )
    rng = np.random.default_rng(20190213)
    annotators = np.stack([rng.choice(N_ANNOTATORS, N_ANSWERS, replace=False) for _ in range(n_grids)])
    chances = np.select([roles == Control.POSITIVE, roles == Control.NEGATIVE], [0.9, 0.05], 0.6)
    selected = rng.random((n_grids, N_ANSWERS, n_cells)) < chances[:, np.newaxis]
    masks = (selected.astype(np.uint64) << np.arange(n_cells, dtype=np.uint64)).sum(axis=2, dtype=np.uint64)
    return ContainsResponses(
        grids,
        np.array([f"w{who}" for who in range(N_ANNOTATORS)]),
        np.repeat(np.arange(n_grids, dtype=np.int32), N_ANSWERS),
        annotators.ravel().astype(np.int32),
        masks.ravel(),
        np.full(masks.size, np.nan),
    )


def test_every_real_grid_has_positive_controls_to_screen_by(responses):
    screening = screen(responses, ScreeningRules())
    assert len(responses) == 62_980
    # 3 to 24 positive controls at 90% each: few honest responses fall below 40%.
    assert (screening.n_positive.min(), screening.n_positive.max()) == (3, 24)
    assert screening.is_accepted.mean() > 0.97
    assert not screening.is_dropped.any()


def test_votes_add_up_to_what_the_grids_show(responses):
    screening = screen(responses, None)
    found = count_selections(responses, screening)
    n_votes = 48 * len(responses)
    assert found.counts.n_shown.sum() + found.n_repeated.sum() == n_votes
    n_pairs = len(
        {*zip(np.repeat(responses.grids.classes, 48).tolist(), responses.grids.cell_images.tolist(), strict=True)}
    )
    assert len(found.counts) == n_pairs
    # Controls come back in other grids of their class, so some annotators see a pair twice.
    assert found.n_repeated.sum() > 0
    assert found.counts.frequencies.min() >= 0
    assert found.counts.frequencies.max() <= 1


def test_control_frequencies_are_unbiased_only_when_a_vote_is_not_judged_by_itself(responses):
    grids = responses.grids
    positive = np.flatnonzero(grids.cell_controls == Control.POSITIVE)
    asked = np.repeat(grids.classes, 48)[positive]
    pairs = set(zip(grids.cell_images[positive].tolist(), asked.tolist(), strict=True))
    means = {}
    for leave_one_out in (True, False):
        screening = screen(responses, ScreeningRules(leave_one_out=leave_one_out, task_controls=0.8))
        counts = count_selections(responses, screening).counts
        is_control = np.array(
            [one in pairs for one in zip(counts.images.tolist(), counts.classes.tolist(), strict=True)]
        )
        means[leave_one_out] = counts.n_selected[is_control].sum() / counts.n_shown[is_control].sum()
    # True is 0.9. At a threshold of 80% many responses go, and the plain rule keeps those that happen to select.
    assert means[True] == pytest.approx(0.9, abs=0.01)
    assert means[False] > 0.92
