"""Classes that are unclear to people and hard for models: compared by themselves, as far as their images tell."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit

from regauge.arrays import BoolArray, CountArray, FloatArray, IntArray
from regauge.evaluation.gap_effects import make_effects
from regauge.evaluation.gap_samples import GapSamples, Material, line_up_sets, resample, take_whole
from regauge.evaluation.gaps import split_gap
from regauge.records.evaluation.gaps import MEAN, GapMethod, GapSettings
from regauge.records.evaluation.judged_sets import CandidateCounts, JudgedSet
from regauge.stats.intervals import clopper_pearson

CORRECTED = tuple(method for method in GapMethod if method is not GapMethod.NAIVE)
QUICK = GapSettings(CORRECTED, n_bootstrap=100)
SEEN = 10
PER_CLASS, CHOSEN = 20, 8


def judge(
    name: str, votes: CountArray, right: BoolArray, classes: CountArray | IntArray, *, n_shown: int = SEEN
) -> JudgedSet:
    ids = np.arange(votes.size).astype(np.str_)
    names = tuple(f"model {number}" for number in range(len(right)))
    return JudgedSet(name, ids, np.full(votes.size, n_shown), votes, names, right, classes.astype(np.int32))


def get_classes(judged: JudgedSet | CandidateCounts) -> IntArray:
    assert judged.classes is not None
    return judged.classes


def make_exact(levels: FloatArray, frequencies: FloatArray, *, n_shown: int = 1_000) -> JudgedSet:
    """Votes that hardly err; accuracy is the level of the class + half the frequency, with as many right as that demands."""
    n_classes, n_frequencies, n = len(levels), frequencies.shape[1], 100
    chances = levels[:, np.newaxis] + frequencies / 2
    right = np.arange(n) < np.round(n * chances)[:, :, np.newaxis]
    votes = np.repeat(np.round(n_shown * frequencies).astype(np.int64).ravel(), n)
    classes = np.repeat(np.arange(n_classes), n_frequencies * n)
    return judge("set", votes, right.reshape(1, -1), classes, n_shown=n_shown)


LEVELS = np.array([0.1, 0.2, 0.3, 0.4])
LOW = np.array([[0.1, 0.3], [0.3, 0.5], [0.5, 0.7], [0.7, 0.9]])
"""Four classes: the clearer, the easier, by as much again as frequencies explain."""


def test_a_clearer_set_of_hard_classes_is_compared_with_their_own_images():
    # Every class is 0.1 clearer in the new set, and accuracy rises by half of that: 0.05 by selection, and nothing remains.
    old, new = make_exact(LEVELS, LOW), replace(make_exact(LEVELS, LOW + 0.1), name="new")
    found = split_gap(old, new, settings=QUICK)
    # Over all classes accuracy rises from 0.15 at 0.1 to 0.85 at 0.9, nearly one for one, which leaves 0.1 − 0.05.
    together = split_gap(replace(old, classes=None), replace(new, classes=None), settings=QUICK)
    for method in CORRECTED:
        assert found.get("model 0", method).gap.value == pytest.approx(-0.05)
        assert found.get("model 0", method).remainder.value == pytest.approx(0, abs=0.01)
        assert together.get("model 0", method).remainder.value > 0.03


def test_sets_of_other_classes_are_compared_class_by_class():
    # The new set has the first two classes alone: 0.25 + 0.3 / 2 are right of them, as in the original set.
    old = make_exact(LEVELS, np.full((4, 1), 0.5) + np.array([-0.2, 0.2]))
    rows = np.flatnonzero(get_classes(old) < 2)
    new = judge("new", old.n_selected[rows], old.is_correct[:, rows], get_classes(old)[rows], n_shown=1_000)
    for method in GapMethod:
        found = split_gap(old, new, settings=replace(QUICK, methods=(method,))).get("model 0", method)
        assert found.gap.value == pytest.approx(0.1)
        assert found.remainder.value == pytest.approx(0, abs=0.005)


def test_slopes_that_rise_with_the_clarity_of_a_class_are_followed():
    slopes = np.array([0.2, 0.4, 0.6, 0.8])[:, np.newaxis]
    # With two frequencies in a class, a bend of the curve could not be told from slopes that differ.
    wide = LOW.mean(axis=1, keepdims=True) * [0.5, 1.0, 1.0] + [-0.05, -0.05, 0.15]

    def make(name: str, frequencies: FloatArray) -> JudgedSet:
        chances = 0.1 + slopes * frequencies
        right = (np.arange(100) < np.round(100 * chances)[:, :, np.newaxis]).reshape(1, -1)
        votes = np.repeat(np.round(1_000 * frequencies).astype(np.int64).ravel(), 100)
        return judge(name, votes, right, np.repeat(np.arange(4), 300), n_shown=1_000)

    # Only the two unclear classes have clearer images: 0.1 clearer, at slopes of 0.2 and 0.4, in half of the set.
    shift = np.array([0.1, 0.1, 0.0, 0.0])[:, np.newaxis]
    found = split_gap(make("old", wide), make("new", wide + shift), settings=QUICK)
    for method in CORRECTED:
        assert found.get("model 0", method).selection.value == pytest.approx(-0.015, abs=0.004)


class World:
    """Classes with clarity and ease; the best images by votes are chosen from a poorer pool, and are as hard as original ones."""

    def __init__(self, seed: int, *, correlation: float, n_classes: int = 40, n_models: int = 2) -> None:
        rng = np.random.default_rng(seed)
        clarity, other = rng.normal(size=(2, n_classes))
        ease = correlation * clarity + np.sqrt(1 - correlation**2) * other
        means = expit(1 + 0.8 * clarity)
        sizes = PER_CLASS, 3 * PER_CLASS
        classes = [np.repeat(np.arange(n_classes), size) for size in sizes]
        true = [rng.beta(5 * means[one], 5 * (1 - means[one])) for one in classes]
        true[1] *= np.where(rng.random(true[1].size) < 0.3, 0.4, 1.0)
        votes = [rng.binomial(SEEN, one) for one in true]
        best = np.argsort(-votes[1].reshape(n_classes, -1), axis=1, kind="stable")[:, :CHOSEN]
        chosen = (best + np.arange(n_classes)[:, np.newaxis] * sizes[1]).ravel()
        skills = np.linspace(-1, 0, n_models)[:, np.newaxis]

        def answer(frequencies: FloatArray, of: CountArray) -> BoolArray:
            return np.asarray(rng.random((n_models, of.size)) < expit(skills + 3 * (frequencies - 0.5) + ease[of]))

        self.original = judge("old", votes[0], answer(true[0], classes[0]), classes[0])
        self.new = judge("new", votes[1][chosen], answer(true[1][chosen], classes[1][chosen]), classes[1][chosen])
        self.pool = CandidateCounts(np.full(votes[1].size, SEEN), votes[1], classes[1].astype(np.int32))

    def line_up(self) -> Material:
        return line_up_sets(self.original, self.new, pool=self.pool)


@pytest.mark.parametrize("correlation", [0.8, 0.0])
def test_chosen_images_leave_no_remainder_whether_unclear_classes_are_hard_or_not(correlation: float):
    errors: dict[str, list[float]] = {method: [] for method in CORRECTED}
    covered = dict.fromkeys(CORRECTED, 0)
    n_studies = 40
    for seed in range(n_studies):
        world = World(1_000 + seed, correlation=correlation)
        report = split_gap(world.original, world.new, pool=world.pool, settings=replace(QUICK, seed=seed))
        for method in CORRECTED:
            part = report.get(MEAN, method).remainder
            covered[method] += part.low <= 0 <= part.high
            errors[method].append(part.value)
    for method in CORRECTED:
        low, high = clopper_pearson(covered[method], n_studies)
        assert low <= 0.95 <= high, (method, covered[method])
        assert abs(np.mean(errors[method])) < 3 * np.std(errors[method]) / np.sqrt(n_studies)


def test_the_parts_add_up_with_classes_too():
    world = World(0, correlation=0.8)
    settings = replace(QUICK, methods=tuple(GapMethod))
    for one in split_gap(world.original, world.new, pool=world.pool, settings=settings).decompositions:
        assert one.selection.value + one.remainder.value == pytest.approx(one.gap.value, abs=1e-12)


def test_names_and_order_of_classes_do_not_matter():
    world = World(1, correlation=0.5)
    names = np.random.default_rng(0).permutation(1_000).astype(np.int32)
    order = np.random.default_rng(1).permutation(len(world.original))
    old = world.original
    shuffled = JudgedSet(
        "old",
        old.image_ids[order],
        old.n_shown[order],
        old.n_selected[order],
        old.participants,
        old.is_correct[:, order],
        names[get_classes(old)[order]],
    )
    renamed = replace(world.new, classes=names[get_classes(world.new)])
    pool = replace(world.pool, classes=names[get_classes(world.pool)])
    found = split_gap(old, world.new, pool=world.pool, settings=QUICK)
    again = split_gap(shuffled, renamed, pool=pool, settings=QUICK)
    for one in found.decompositions:
        assert again.get(one.participant, one.method).remainder.value == pytest.approx(one.remainder.value, abs=1e-9)


def test_one_class_and_single_images_of_classes_have_no_effects():
    world = World(2, correlation=0.8)
    n_old, n_new = len(world.original), len(world.new)
    terms = np.zeros((n_new, 2))
    together = np.zeros(n_new, np.int32)
    for old in (np.zeros(n_old, np.int32), np.arange(n_old, dtype=np.int32)):
        material = line_up_sets(replace(world.original, classes=old), replace(world.new, classes=together))
        assert make_effects(material, new_terms=terms) is None
    assert make_effects(line_up_sets(replace(world.original, classes=None), world.new), new_terms=terms) is None


def find_effects(material: Material, samples: GapSamples) -> FloatArray:
    """What effects add where the new images are a little clearer than the original ones."""
    terms = np.tile([0.6, 0.1], (len(material.new), 1))
    effects = make_effects(material, new_terms=terms)
    assert effects is not None
    return effects.find(samples, np.tile([1.0, 0.6, 0.1], (len(samples.original_counts), 1)))


def test_samples_move_the_effects_as_fitting_them_anew_would():
    world = World(3, correlation=0.8, n_models=1)
    material = world.line_up()
    rng = np.random.default_rng(0)
    (samples,) = resample(material, rng=rng, n_samples=60)
    moved, anew = find_effects(material, samples)[:, 0], []
    for row in range(60):
        # Copies of an image have the same votes, so the sample is made of images as often as they were drawn.
        drawn = np.repeat(np.arange(len(world.original)), samples.original_weights[row].astype(np.int64))
        old = world.original
        again = judge("old", old.n_selected[drawn], old.is_correct[:, drawn], get_classes(old)[drawn])
        other = line_up_sets(again, world.new, pool=world.pool)
        anew.append(find_effects(other, take_whole(other))[0, 0])
    assert np.corrcoef(moved, anew)[0, 1] > 0.75
    assert np.std(moved) == pytest.approx(np.std(anew), rel=0.3)


def test_a_note_counts_images_of_classes_that_the_original_set_lacks():
    world = World(4, correlation=0.0)
    strange = replace(world.new, classes=get_classes(world.new) + 39)
    notes = split_gap(world.original, strange, settings=QUICK).notes
    # Of forty classes one is left, and 39 · 8 images have no class to be compared with.
    assert any(
        note.startswith("312 images of new compared with images of all classes: old has none of the same class")
        for note in notes
    )
    assert not any(
        "none of the same class" in note for note in split_gap(world.original, world.new, settings=QUICK).notes
    )
