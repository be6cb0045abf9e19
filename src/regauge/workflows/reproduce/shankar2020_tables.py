"""What the printed tables of Shankar et al. (2020) say of each other, without the answers of the five people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.special import chdtrc

from regauge.arrays import BoolArray, CountArray, FloatArray
from regauge.records.reproductions import Basis, ReproducedFigure
from regauge.stats.paired import exact_mcnemar
from regauge.workflows.reproduce.checks import Figures, expect_to_differ

TABLE_1 = {
    "ResNet50": ((84.2, 81.8, 86.4), (75.7, 73.2, 78.7)),
    "AdvProp": ((93.6, 91.9, 95.0), (88.3, 86.5, 90.6)),
    "FixRes": ((95.5, 94.0, 96.7), (89.6, 87.9, 91.8)),
    "Human A": ((91.9, 90.0, 93.5), (91.1, 89.6, 93.2)),
    "Human B": ((94.7, 93.1, 96.0), (93.9, 92.6, 95.6)),
    "Human C": ((96.2, 94.9, 97.3), (96.7, 95.9, 98.1)),
    "Human D": ((95.7, 94.3, 96.9), (94.8, 93.7, 96.4)),
    "Human E": ((97.3, 96.0, 98.2), (96.5, 95.6, 97.9)),
}
"""Printed accuracies with their intervals, in percent: on ImageNet and on ImageNetV2."""
GAPS = dict(zip(TABLE_1, (8.4, 5.3, 5.9, 0.8, 0.8, -0.5, 0.9, 0.7), strict=True))
"""The gaps that Table 1 prints, in points."""
TABLE_2 = {
    "FixRes": (95.5, 89.6, 96.0, 90.1, 95.0, 89.1),
    "Human A": (91.9, 91.1, 94.2, 93.4, 97.0, 96.7),
    "Human B": (94.7, 93.9, 96.9, 96.0, 98.3, 97.8),
    "Human C": (96.2, 96.7, 98.4, 98.6, 99.1, 99.8),
    "Human D": (95.7, 94.8, 97.3, 96.6, 98.8, 98.4),
    "Human E": (97.2, 96.5, 98.7, 97.3, 98.8, 97.0),
}
"""Accuracy on all images, without dogs and on objects, each on ImageNet and on ImageNetV2."""
WITHOUT_DOGS, OBJECTS = 2, 4
SETS = ("ImageNet", "ImageNetV2")
N_IMAGES = 1_000
"""What was taken of each set; by the tables' intervals fewer of them count."""
SMALL_P = 1e-3
"""Below it a p-value is printed with one digit."""


class FastImages(NamedTuple):
    """How many images of a set are fast, as a count and in percent."""

    test_set: str
    n_fast: int
    percent: int

    @property
    def sizes(self) -> list[int]:
        """So many images must count for the count to be the percentage."""
        return [n for n in range(self.n_fast, N_IMAGES + 1) if round(100 * self.n_fast / n) == self.percent]


class PrintedTest(NamedTuple):
    """A McNemar test as it is printed: who against whom on how many images, what the tables have for each, and p.

    Attributes:
        figure: where it stands.
        images: what the text says of the fast images of the set.
        first: the accuracies that the tables have for the first, in percent.
        second: likewise for the second.
        p: as printed.
        is_exact: whether some discordant counts are known to give it by the exact test.
    """

    figure: str
    images: FastImages
    first: tuple[float, ...]
    second: tuple[float, ...]
    p: float
    is_exact: bool


FAST = (FastImages("ImageNet", 756, 77), FastImages("ImageNetV2", 714, 73))
TESTS = (
    PrintedTest(
        "§5: McNemar, Human E against FixRes on ImageNet", FAST[0], (97.3, 97.2), (95.5,), 0.037, is_exact=False
    ),
    PrintedTest("§5: McNemar, Human B against FixRes on ImageNetV2", FAST[1], (93.9,), (89.6,), 2e-4, is_exact=True),
)


def _compare(figures: Figures, figure: str, printed: tuple[str, str], *, note: str, is_same: bool) -> ReproducedFigure:
    """Two printed numbers that should be one: those that are known to differ say why, and the rest are known to be equal."""
    published, recomputed = printed
    basis = Basis.ARITHMETIC
    if is_same:
        return figures.equal(figure, published=published, recomputed=recomputed, basis=basis)
    return figures.differs(figure, published=published, recomputed=recomputed, note=note, basis=basis)


def check_tables(figures: Figures) -> Iterator[ReproducedFigure]:
    """Whether Table 1, Table 2 and the text say the same."""
    yield from _check_gaps(figures)
    yield from _check_twice_printed(figures)
    yield from _check_gains(figures)
    yield from _check_best_model(figures)
    yield from _check_fast_images(figures)
    yield from (_check_test(figures, test) for test in TESTS)


def _check_gaps(figures: Figures) -> Iterator[ReproducedFigure]:
    for name, ((original, *_), (new, *_)) in TABLE_1.items():
        yield _compare(
            figures,
            f"Table 1: gap of {name}, in points",
            (f"{GAPS[name]:.1f}", f"{original - new:.1f}"),
            note="the difference of the two printed accuracies; rounding of all three may explain 0.1",
            is_same=name not in {"ResNet50", "Human E"},
        )


def _check_twice_printed(figures: Figures) -> Iterator[ReproducedFigure]:
    """What both tables print of the same participants."""
    for name, row in TABLE_2.items():
        for place, test_set in enumerate(SETS):
            yield _compare(
                figures,
                f"Table 2: {name} on all images of {test_set}, against Table 1",
                (f"{TABLE_1[name][place][0]:.1f}", f"{row[place]:.1f}"),
                note="the two tables print it differently",
                is_same=(name, test_set) != ("Human E", "ImageNet"),
            )


def _check_gains(figures: Figures) -> Iterator[ReproducedFigure]:
    """How much people gain without dogs and on objects, on average."""
    for what, start, published in (("without dogs", WITHOUT_DOGS, (1.9, 1.8)), ("on objects", OBJECTS, (3.3, 3.4))):
        for place, test_set in enumerate(SETS):
            gains = [row[start + place] - row[place] for name, row in TABLE_2.items() if name.startswith("Human")]
            mean = float(np.mean(gains))
            yield _compare(
                figures,
                f"§5: mean gain of people {what}, {test_set}, in points",
                (f"{published[place]:.1f}", f"{mean:.1f}"),
                note=f"Table 2 gives {mean:.2f}, from numbers that are rounded themselves",
                is_same=(what, test_set) not in {("without dogs", "ImageNet"), ("on objects", "ImageNetV2")},
            )


def _check_best_model(figures: Figures) -> Iterator[ReproducedFigure]:
    """The same of the best model."""
    row = TABLE_2["FixRes"]
    for what, start, published in (("without dogs", WITHOUT_DOGS, (0.6, 1.1)), ("on objects", OBJECTS, (-0.5, -0.5))):
        for place, test_set in enumerate(SETS):
            yield _compare(
                figures,
                f"§5: change of the best model {what}, {test_set}, in points",
                (f"{published[place]:+.1f}", f"{row[start + place] - row[place]:+.1f}"),
                note="by Table 2",
                is_same=what != "without dogs",
            )


def _check_fast_images(figures: Figures) -> Iterator[ReproducedFigure]:
    """How many images there must be for a count to be its printed percentage."""
    for one in FAST:
        yield _compare(
            figures,
            f"§5: fast images of {one.test_set}",
            (
                f"{one.percent}% ({one.n_fast} of {N_IMAGES:,})",
                f"{100 * one.n_fast / N_IMAGES:.0f}% ({one.n_fast} of {N_IMAGES:,})",
            ),
            note=f"{one.percent}% needs {one.sizes[0]} to {one.sizes[-1]} images that count",
            is_same=False,
        )


def _check_test(figures: Figures, test: PrintedTest) -> ReproducedFigure:
    """Which discordant counts the printed accuracies allow, and which of them give the printed p."""
    first, second = _list_discordant(test).T
    exact = _rounds_to(exact_mcnemar(first, second), test.p)
    corrected = _rounds_to(_correct_mcnemar(first, second), test.p)
    sizes = test.images.sizes
    figure = figures.statement(
        test.figure,
        published=f"p = {test.p:g}",
        recomputed=_describe(first, second, exact),
        holds=bool(exact.any()),
        note=f"by the exact test, of {len(first):,} pairs of discordant counts that the printed accuracies allow with "
        f"{sizes[0]} to {sizes[-1]} images; by the chi-square with continuity correction: {_describe(first, second, corrected)}",
    )
    known = figure if test.is_exact else expect_to_differ(figure)
    return replace(known, basis=Basis.ARITHMETIC)


def _list_discordant(test: PrintedTest) -> CountArray:
    """Images that only the first gets right and that only the second does, wherever accuracies print as they do [pairs, 2]."""
    found: set[tuple[int, int]] = set()
    for n in test.images.sizes:
        for k_first in _list_counts(test.first, n):
            for k_second in _list_counts(test.second, n):
                gain = k_first - k_second
                found.update((gain + only, only) for only in range(n - k_first + 1) if gain + only <= n - k_second)
    return np.array(sorted(found), np.int64)


def _list_counts(accuracies: Sequence[float], n: int) -> list[int]:
    """The numbers of right answers among n that print as one of these."""
    return [k for k in range(n + 1) if round(100 * k / n, 1) in accuracies]


def _correct_mcnemar(first: CountArray, second: CountArray) -> FloatArray:
    """The p-value of McNemar's chi-square with Edwards' continuity correction."""
    differing = np.maximum(first + second, 1)
    statistic = np.maximum(np.abs(first - second) - 1, 0) ** 2 / differing
    return np.asarray(chdtrc(1, statistic), np.float64)


def _rounds_to(p: FloatArray, printed: float) -> BoolArray:
    """Which p-values print as this one, to as many digits as it has."""
    decimals = 4 if printed < SMALL_P else 3
    return np.asarray(np.round(p, decimals) == printed, np.bool_)


def _describe(first: CountArray, second: CountArray, fits: BoolArray) -> str:
    """The pairs that fit: the only one, or the first and the last of several."""
    pairs = [f"{one} against {other}" for one, other in zip(first[fits].tolist(), second[fits].tolist(), strict=True)]
    if not pairs:
        return "none fits"
    return f"{pairs[0]} fits" if len(pairs) == 1 else f"{len(pairs)} fit, {pairs[0]} to {pairs[-1]}"
