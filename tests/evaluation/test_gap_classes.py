"""Classes that differ: the best of each are not the best of all."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from regauge.evaluation.gap_classes import expect_by_class
from regauge.evaluation.gap_methods import ANY_SHAPE
from regauge.evaluation.gap_samples import Material, line_up_sets
from regauge.evaluation.gaps import split_gap
from regauge.records.evaluation.gaps import GapMethod, GapSettings
from regauge.records.evaluation.judged_sets import CandidateCounts, JudgedSet
from regauge.stats.deconvolution import GRID

N_CLASSES, PER_CLASS, N_CHOSEN, N_ANNOTATORS = 20, 100, 10, 10


class Chosen:
    """The ten best of every class by votes; in some classes the best are good, in others poor."""

    def __init__(self, rng: np.random.Generator) -> None:
        ceilings = np.linspace(0.5, 0.95, N_CLASSES)[:, np.newaxis]
        true = ceilings * rng.beta(4, 1, (N_CLASSES, PER_CLASS))
        votes = rng.binomial(N_ANNOTATORS, true)
        best = np.argsort(-votes, axis=1, kind="stable")[:, :N_CHOSEN]
        classes = np.repeat(np.arange(N_CLASSES, dtype=np.int32), PER_CLASS)
        self.truth = float(np.take_along_axis(true, best, axis=1).mean())
        self.pool = CandidateCounts(np.full(votes.size, N_ANNOTATORS), votes.ravel(), classes)
        self.new = self._judge("new", np.take_along_axis(votes, best, axis=1))
        self.original = self._judge("old", votes[:, :N_CHOSEN])

    @staticmethod
    def _judge(name: str, votes: np.ndarray) -> JudgedSet:
        classes = np.repeat(np.arange(N_CLASSES, dtype=np.int32), N_CHOSEN)
        ids = np.arange(classes.size).astype(np.str_)
        right = np.arange(classes.size)[np.newaxis] % 2 == 0
        return JudgedSet(name, ids, np.full(ids.size, N_ANNOTATORS), votes.ravel(), ("model",), right, classes)

    def line_up(self, **changes: CandidateCounts | None) -> Material:
        return line_up_sets(self.original, self.new, pool=changes.get("pool", self.pool))


def test_the_best_of_every_class_are_not_taken_for_the_best_of_all(rng: np.random.Generator):
    errors = []
    for _ in range(10):
        chosen = Chosen(rng)
        together = replace(chosen.pool, classes=None)
        found = [
            split_gap(chosen.original, chosen.new, pool=pool, settings=GapSettings((GapMethod.NAIVE,), n_bootstrap=100))
            for pool in (together, chosen.pool)
        ]
        expected = [one.frequencies[1].expected for one in found]
        errors.append([part.value - chosen.truth for part in expected if part is not None])
    together_bias, apart_bias = np.mean(errors, axis=0)
    assert together_bias > 0.02
    assert abs(apart_bias) < together_bias / 3


def test_the_original_set_was_not_chosen_and_stays_as_it_is(rng: np.random.Generator):
    chosen = Chosen(rng)
    quick = GapSettings((GapMethod.NAIVE,), n_bootstrap=100)
    found = [
        split_gap(chosen.original, chosen.new, pool=pool, settings=quick).frequencies[0]
        for pool in (replace(chosen.pool, classes=None), chosen.pool)
    ]
    assert found[0] == found[1]


def test_a_class_of_the_best_is_not_expected_to_be_selected_by_more_than_all():
    best, all_counts = np.full(12, 4), np.arange(30) % 5
    pool = CandidateCounts(np.full(42, 4), np.append(best, all_counts), np.repeat([0, 1], [12, 30]).astype(np.int32))
    ids, right, classes = np.arange(12).astype(str), np.arange(12)[np.newaxis] % 2 == 0, np.zeros(12, np.int32)
    old, new = (JudgedSet(name, ids, best, best, ("model",), right, classes) for name in ("old", "new"))
    quick = GapSettings((GapMethod.NAIVE,), n_bootstrap=100)
    expected = split_gap(old, new, pool=pool, settings=quick).frequencies[1].expected
    assert expected is not None
    assert expected.value <= expected.high <= 1


def test_without_candidates_or_classes_nothing_changes(rng: np.random.Generator):
    chosen = Chosen(rng)
    for material in (chosen.line_up(pool=None), chosen.line_up(pool=replace(chosen.pool, classes=None))):
        found = expect_by_class(material, family=ANY_SHAPE, of=GRID[:, np.newaxis])
        assert found.change.tolist() == [0]
        # Images with the same votes are then expected to be alike.
        assert len(np.unique(found.apart)) == len(material.new_pairs.n_shown)


def test_classes_without_candidates_change_nothing(rng: np.random.Generator):
    chosen = Chosen(rng)
    known = expect_by_class(chosen.line_up(), family=ANY_SHAPE, of=GRID[:, np.newaxis])
    elsewhere = replace(chosen.new, classes=chosen.new.classes + 100 * (np.arange(len(chosen.new)) % 2))  # type: ignore[operator]
    half = expect_by_class(
        line_up_sets(chosen.original, elsewhere, pool=chosen.pool), family=ANY_SHAPE, of=GRID[:, np.newaxis]
    )
    assert half.change[0] == pytest.approx(known.change[0] / 2, rel=0.3)
    assert half.apart[::2].tolist() == known.apart[::2].tolist()
