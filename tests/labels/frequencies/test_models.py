from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from regauge.errors import InputError
from regauge.labels.frequencies.frequency import count_selections, find_shown
from regauge.labels.frequencies.models import fit_contains
from regauge.records.labels.votes import VoteMethod, VoteSettings
from regauge.records.responses.answers import ContainsResponses, Grids
from regauge.records.responses.screening import ScreeningRules
from regauge.responses.screening import screen

MAJORITY = VoteSettings(method=VoteMethod.MAJORITY)
DAWID_SKENE = VoteSettings(method=VoteMethod.DAWID_SKENE)


def make_grids(*columns: Any) -> Grids:
    return Grids(*columns)


def respond(*columns: Any) -> ContainsResponses:
    return ContainsResponses(*columns)


def draw_responses(rng: np.random.Generator) -> tuple[ContainsResponses, np.ndarray]:
    """Answers to 60 grids of 3 classes that share images and controls; and whether each cell contains its class."""
    n_grids, n_cells, n_annotators = 60, 12, 20
    classes = np.arange(n_grids) % 3
    images = np.stack([rng.choice(np.arange(3, 80), n_cells, replace=False) for _ in range(n_grids)])
    images[:, :3] = [0, 1, 2]
    truth = (images + 7 * classes[:, None]) % 5 < 2
    truth[:, :3] = True
    controls = np.zeros((n_grids, n_cells), np.uint8)
    controls[:, :3] = 1
    grids = make_grids(
        [f"g{i}" for i in range(n_grids)],
        classes,
        np.arange(0, n_grids * n_cells + 1, n_cells),
        [f"i{i}" for i in range(80)],
        images.ravel(),
        controls.ravel(),
    )
    annotators = np.concatenate([rng.permutation(n_annotators)[:9] for _ in range(n_grids)])
    of_grid = np.repeat(np.arange(n_grids), 9)
    misses, adds = rng.uniform(0, 0.5, n_annotators), rng.uniform(0, 0.3, n_annotators)
    chance = np.where(truth[of_grid], 1 - misses[annotators, None], adds[annotators, None])
    selected = rng.random(chance.shape) < chance
    masks = (selected.astype(np.uint64) << np.arange(n_cells, dtype=np.uint64)).sum(axis=1, dtype=np.uint64)
    names = [f"a{i}" for i in range(n_annotators)]
    return respond(grids, names, of_grid, annotators, masks, np.full(of_grid.size, np.nan)), truth.ravel()


def test_counts_are_those_of_selection_frequencies(rng):
    responses, _ = draw_responses(rng)
    screening = screen(responses, ScreeningRules())
    expected = count_selections(responses, screening).counts
    for settings in (MAJORITY, DAWID_SKENE):
        found = fit_contains(responses, find_shown(responses, screening), settings=settings).counts
        for name in ("images", "classes", "n_shown", "n_selected"):
            assert (getattr(found, name) == getattr(expected, name)).all(), name


def test_by_majority_the_probability_is_the_frequency(rng):
    responses, _ = draw_responses(rng)
    found = fit_contains(responses, np.ones(len(responses), np.bool_), settings=MAJORITY)
    np.testing.assert_allclose(found.probabilities, found.counts.frequencies)
    assert found.counts.n_shown.sum() < np.bitwise_count(responses.masks).size * 12


@pytest.mark.parametrize("method", [VoteMethod.DAWID_SKENE, VoteMethod.ONE_COIN])
def test_a_model_finds_more_of_the_truth_than_the_majority(rng, method):
    responses, truth = draw_responses(rng)
    everything = np.ones(len(responses), np.bool_)
    model = fit_contains(responses, everything, settings=VoteSettings(method=method))
    majority = fit_contains(responses, everything, settings=MAJORITY)
    keys = model.counts.images.astype(np.int64) * 3 + model.counts.classes
    grids = responses.grids
    true_keys = grids.cell_images[truth].astype(np.int64) * 3 + np.repeat(grids.classes, 12)[truth]
    is_true = np.isin(keys, true_keys)
    right = [((one.probabilities > 0.5) == is_true).mean() for one in (model, majority)]
    assert right[0] >= right[1]
    assert right[0] > 0.95


def test_what_is_not_accepted_does_not_count_and_a_pair_without_votes_has_no_probability(rng):
    responses, _ = draw_responses(rng)
    accepted = responses.response_grids == 0
    found = fit_contains(responses, accepted, settings=DAWID_SKENE)
    assert np.isnan(found.probabilities[found.counts.n_shown == 0]).all()
    assert not np.isnan(found.probabilities[found.counts.n_shown > 0]).any()
    assert found.counts.n_shown.max() == 9
    with pytest.raises(InputError, match="No answer counts"):
        fit_contains(responses, np.zeros(len(responses), np.bool_), settings=MAJORITY)
    with pytest.raises(InputError, match="as many marks"):
        fit_contains(responses, accepted[1:], settings=MAJORITY)


def test_controls_are_clamped_when_they_are_taken_for_known(rng):
    responses, _ = draw_responses(rng)
    everything = np.ones(len(responses), np.bool_)
    found = fit_contains(responses, everything, settings=DAWID_SKENE, controls_are_known=True)
    assert (found.probabilities[found.counts.images < 3] == 1).all()
    assert ((found.probabilities > 0.01) & (found.probabilities < 0.99)).any()


def test_an_annotator_counts_once_per_pair_with_the_first_answer():
    grids = make_grids(["g", "h"], [0, 0], [0, 1, 2], ["i"], [0, 0], [0, 0])
    responses = respond(grids, ["a", "b"], [0, 1, 0], [0, 0, 1], np.array([1, 0, 0]), np.full(3, np.nan))
    found = fit_contains(responses, np.ones(3, np.bool_), settings=MAJORITY)
    assert (found.counts.n_shown.tolist(), found.counts.n_selected.tolist()) == ([2], [1])
