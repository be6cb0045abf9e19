"""Alignment: plain loops as oracles, what must be 1, and simulated matrices of which the correlation is known."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from tests.evaluation.context.confusions.small import make_material, split_rows

from regauge.arrays import NO_CLASS, FloatArray, IntArray
from regauge.evaluation.context.confusions.alignment import AlignmentPlan, ReferenceAnswers, align
from regauge.evaluation.context.confusions.alignment_tables import limit_corrected, limit_spread
from regauge.evaluation.context.confusions.answers import GivenAnswers, find_people, give_one_each
from regauge.evaluation.context.confusions.halves import split_frequencies, split_main_labels
from regauge.evaluation.context.confusions.levels import make_class_level, make_group_level
from regauge.stats.thinning import thin

K = 6


def find_rates(labels: IntArray, answers: IntArray, n: int = K) -> FloatArray:
    """Rates beside the diagonal, row by row, of rows with two images or more."""
    rows = [row for row in range(n) if np.count_nonzero((labels == row) & (answers != NO_CLASS)) > 1]
    return np.array(
        [
            [
                np.mean(answers[(labels == row) & (answers != NO_CLASS)] == column)
                for column in range(n)
                if column != row
            ]
            for row in rows
        ]
    ).ravel()


def correlate(x: FloatArray, y: FloatArray) -> float:
    return float(np.corrcoef(x, y)[0, 1])


def average_products(labels: IntArray, one: IntArray, other: IntArray) -> float:
    """The mean over cells of products of rates, from pairs of different images alone."""
    total = 0.0
    for row in range(K):
        images = np.flatnonzero(labels == row)
        pairs = [(a, b) for a, b in product(images, images) if a != b]
        total += sum(one[a] == other[b] != row for a, b in pairs) / len(pairs)
    return total / (K * (K - 1))


@pytest.fixture(scope="module")
def drawn() -> tuple[IntArray, IntArray, IntArray]:
    """Labels, and answers of two who often make the same mistakes."""
    rng = np.random.default_rng(5)
    labels = np.repeat(np.arange(K, dtype=np.int32), 8)
    wrong = (labels + rng.choice([1, 2, 3], (2, labels.size), p=[0.7, 0.2, 0.1])) % K
    answers = np.where(rng.random((2, labels.size)) < 0.5, wrong, labels).astype(np.int32)
    return labels, answers[0], answers[1]


def test_the_correlation_is_that_of_all_rates_beside_the_diagonal(drawn: tuple[IntArray, IntArray, IntArray]) -> None:
    labels, one, other = drawn
    people = give_one_each("people", other, labels=labels)
    plan = AlignmentPlan(labels, 100, 0)
    (found,) = align(
        [give_one_each("a", one, labels=labels), people],
        ReferenceAnswers(people),
        levels=[make_class_level(K)],
        plan=plan,
    )
    x, y = find_rates(labels, one), find_rates(labels, other)
    assert found.plain[:, 0] == pytest.approx([correlate(x, y), 1])
    assert (found.n.tolist(), found.n_rows) == ([48, 48], K)
    assert found.accuracies[0, 0] == pytest.approx(np.mean(one == labels))
    # Noise is in the mean of products, and hardly in the product of means.
    size = x.size
    moments = {
        pair: average_products(labels, *sides)
        for pair, sides in {"xy": (one, other), "xx": (one, one), "yy": (other, other)}.items()
    }
    plain = {"xy": (x * y).mean(), "xx": (x * x).mean(), "yy": (y * y).mean()}
    means = {"xy": x.mean() * y.mean(), "xx": x.mean() ** 2, "yy": y.mean() ** 2}
    parts = {pair: plain[pair] - means[pair] - (plain[pair] - moments[pair]) * (1 - 1 / size) for pair in plain}
    assert found.corrected[0, 0] == pytest.approx(parts["xy"] / np.sqrt(parts["xx"] * parts["yy"]))
    assert found.plain[0, 1:].std() > 0


def test_images_that_one_of_them_lacks_do_not_count_for_them(drawn: tuple[IntArray, IntArray, IntArray]) -> None:
    labels, one, other = drawn
    fewer, people = one.copy(), other.copy()
    fewer[::7], people[::5] = NO_CLASS, NO_CLASS
    kept = people != NO_CLASS
    plan = AlignmentPlan(labels, 100, 0)
    (found,) = align(
        [give_one_each("a", fewer, labels=labels)],
        ReferenceAnswers(give_one_each("people", people, labels=labels)),
        levels=[make_class_level(K)],
        plan=plan,
    )
    expected = correlate(find_rates(labels[kept], fewer[kept]), find_rates(labels[kept], people[kept]))
    assert found.plain[0, 0] == pytest.approx(expected)
    assert found.n.tolist() == [np.count_nonzero(kept & (fewer != NO_CLASS))]


def test_one_class_and_rows_without_images_have_no_correlation() -> None:
    labels = np.zeros(6, np.int32)
    people = give_one_each("people", labels, labels=labels)
    for level in (make_class_level(1), make_class_level(4)):
        (found,) = align([people], ReferenceAnswers(people), levels=[level], plan=AlignmentPlan(labels, 100, 0))
        assert np.isnan(found.plain).all()
        assert np.isnan(limit_spread(found.plain, level=0.95).low).all()


def test_halves_of_people_who_all_agree_are_alike_and_those_of_others_are_less() -> None:
    rng = np.random.default_rng(3)
    labels = np.repeat(np.arange(8), 12)
    wrong = np.where(rng.random(labels.size) < 0.4, (labels + 1 + rng.integers(0, 2, labels.size)) % 8, labels)
    together = {row: [int(wrong[row])] * 5 for row in range(labels.size)}
    # Of six votes three are as above, and three are for any class.
    apart = {row: [*[int(wrong[row])] * 3, *rng.integers(0, 8, 3).tolist()] for row in range(labels.size)}
    ceilings = []
    for mains in (together, apart):
        material = make_material(labels, mains=mains)
        (people,) = find_people(material)
        reference = ReferenceAnswers(people, split_main_labels(material))
        (found,) = align([people], reference, levels=[make_class_level(8)], plan=AlignmentPlan(material.labels, 100, 0))
        assert found.ceiling is not None
        assert found.with_half is not None
        assert found.with_half[0, 0] >= found.ceiling[0] - 1e-9
        ceilings.append(found.ceiling[0])
    assert ceilings[0] == pytest.approx(1)
    assert 0.3 < ceilings[1] < 0.95


def test_halves_name_the_main_label_that_most_of_them_name_and_the_first_of_several() -> None:
    parts = split_rows(3, follow_up=[0, 1])
    material = make_material([0, 1, 2], mains={0: [4, 5, 4, 5], 1: [3]}, parts=parts)
    votes = split_main_labels(material)
    assert votes is not None
    # Image 1 has one answer, so it has no halves; image 2 is easy.
    assert (votes.n, votes.n_single) == (2, 1)
    weights, is_given = votes.split(np.arange(500, dtype=np.uint64))
    assert is_given.shape == (2, 1, 3)
    assert is_given[:, 0].tolist() == [[True, False, True]] * 2
    own = votes.rows == 0
    assert votes.classes[own].tolist() == [4, 5]
    assert (weights[:, :, own].sum(axis=2) == 1).all()
    assert (weights[:, :, ~own] == 0).all()
    # Two fours, or four and five in this order, or in the other: of the six halves {4,4}, {5,5}, and four of both, in which
    # four comes first in three: 1 + 3 of 6 say four.
    assert weights[0, :, own][0].mean() == pytest.approx(4 / 6, abs=0.08)


def test_halves_of_selection_counts_are_drawn_without_replacement() -> None:
    pairs = [(0, 0, 4, 3), (0, 1, 4, 2), (1, 2, 3, 1)]
    material = make_material([0, 1], counts=pairs)
    votes = split_frequencies(material)
    assert votes is not None
    weights, is_given = votes.split(np.arange(4_000, dtype=np.uint64))
    # Of image 0 the first pair has more unless the second one has 2 of 2, and they are even at 1 of 2 or 2 of 2 each.
    first, second = thin(np.array([3, 2]), np.array([4, 4]), n_left=2)
    ahead = sum(first[a] * second[b] for a in range(3) for b in range(3) if a > b)
    even = sum(first[a] * second[a] for a in (1, 2))
    for side in weights:
        assert np.mean(side[:, 0] == 1) == pytest.approx(ahead, abs=0.03)
        assert np.mean(side[:, 0] == 0.5) == pytest.approx(even, abs=0.03)
    # The one selection of image 1 is in one of the halves.
    assert (is_given[:, :, 1].sum(axis=0) == 1).all()
    assert is_given[:, :, 0].all()


def test_halves_need_answers_one_by_one() -> None:
    assert split_main_labels(make_material([0])) is None
    assert split_frequencies(make_material([0])) is None


G, N = 9, 2_500


def simulate(rng: np.random.Generator, rates: tuple[FloatArray, FloatArray]) -> tuple[IntArray, list[GivenAnswers]]:
    """Images of G classes and answers with these chances of every wrong class; a third of the mistakes are made by both alike."""
    labels = rng.integers(0, G, N).astype(np.int32)
    answers = []
    shared = rng.random(N) < 0.33
    chances = rng.random(N)
    for one in rates:
        own = np.where(shared, chances, rng.random(N))
        places = (own[:, np.newaxis] > np.cumsum(one, axis=1)[labels]).sum(axis=1)
        wrong = places + (places >= labels)
        answers.append(give_one_each("a", np.where(places < G - 1, wrong, labels).astype(np.int32), labels=labels))
    return labels, answers


def test_limits_without_noise_hold_the_correlation_of_the_rates_themselves_and_plain_ones_that_of_such_samples() -> (
    None
):
    rng = np.random.default_rng(11)
    base = rng.dirichlet(np.full(G - 1, 0.4), G)
    rates = 0.25 * base, 0.12 * (0.6 * base + 0.4 * rng.dirichlet(np.full(G - 1, 0.4), G))
    truth = correlate(rates[0].ravel(), rates[1].ravel())
    level = make_class_level(G)
    plain, limits, is_covered = [], [], []
    for place in range(60):
        labels, (people, one) = simulate(rng, rates)
        plan = AlignmentPlan(labels, 200, place)
        (found,) = align([one], ReferenceAnswers(people), levels=[level], plan=plan)
        plain.append(found.plain[0, 0])
        limits.append(tuple(float(end[0]) for end in limit_spread(found.plain, level=0.95)))
        low, high = (float(end[0]) for end in limit_corrected(found.corrected, level=0.95))
        is_covered.append(low <= truth <= high)
    # Noise pulls the plain correlation below that of the rates.
    mean = float(np.mean(plain))
    assert mean < truth - 0.03
    assert np.mean(is_covered) >= 0.9
    assert np.mean([low <= mean <= high for low, high in limits]) >= 0.85


def test_groups_are_aligned_as_the_classes_of_a_smaller_matrix() -> None:
    rng = np.random.default_rng(8)
    labels, one, other = rng.integers(0, 8, (3, 300)).astype(np.int32)
    groups = {f"g{place}": np.array([2 * place, 2 * place + 1], np.int32) for place in range(4)}
    plan = AlignmentPlan(labels, 100, 0)
    (found,) = align(
        [give_one_each("a", one, labels=labels)],
        ReferenceAnswers(give_one_each("p", other, labels=labels)),
        levels=[make_group_level("pairs", groups, n_classes=8)],
        plan=plan,
    )
    assert found.plain[0, 0] == pytest.approx(
        correlate(find_rates(labels // 2, one // 2, 4), find_rates(labels // 2, other // 2, 4))
    )
