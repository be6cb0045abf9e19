"""Vasudevan, Caine, Gontijo-Lopes, Fridovich-Keil, Roelofs (2022), When does dough become a bagel?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from regauge.formats.mistakes import load_mistakes
from regauge.formats.published import VALIDATION, load_class_confusions, load_released_set
from regauge.formats.taxonomies import load_taxonomy
from regauge.mistakes.summary import count_codes, count_levels, find_dataset_labels
from regauge.records.arrays import CountArray
from regauge.records.estimates import DEFAULT_LEVEL
from regauge.records.reproductions import ReproducedFigure, Reproduction
from regauge.stats.independence import ChiSquare, chi_square
from regauge.workflows.reproduce.checks import Figures

TITLE = "Vasudevan et al. 2022, When does dough become a bagel? Analyzing the remaining mistakes on ImageNet"
FIGURES = Figures("vasudevan2022")

MISTAKES = "vasudevan2022_mistakes_vit3b.json"

V2_CATEGORIES = (35, 5, 8, 5)
V2_SEVERITIES = (22, 31)
"""The 53 mistakes on ImageNetV2 that Table 2 prints as shares; these are the whole numbers that give them."""

CATEGORY_NAMES = ("fine-grained", "fine-grained, out of vocabulary", "spurious correlation", "non-prototypical")
SEVERITY_NAMES = ("major", "minor")


def reproduce(folder: Path) -> Reproduction:
    """Table 2, the tests between sets, and the long tail of confusions."""
    sections = (
        (_check_reviewed, "§4.2: share of reviewed mistakes that were none"),
        (partial(_check_mistakes, folder), "Table 2 and §4.2"),
        (partial(_check_levels, folder), "§4.1: ancestor level"),
        (partial(_check_confusions, folder), "§4.1: class confusions"),
    )
    figures = [figure for make, name in sections for figure in FIGURES.attempt(make, figure=name)]
    return Reproduction("vasudevan2022", TITLE, (*figures, *_list_absent()))


def _check_reviewed() -> Iterator[ReproducedFigure]:
    test = chi_square(np.array([[296, 676 - 296], [47, 53]]))
    yield FIGURES.equal(
        "§4.2: χ², 296 of 676 against 47 of 100", published="0.36, p = .55", recomputed=_format_test(test)
    )


def _check_mistakes(folder: Path) -> Iterator[ReproducedFigure]:
    table = count_codes(load_mistakes(folder / MISTAKES))
    categories, severities = table.sum(axis=1), table.sum(axis=0)
    n = int(table.sum())
    yield FIGURES.equal(
        "§4: remaining mistakes of ViT-3B", published="378", recomputed=f"{n:,}", note="the text also prints 382"
    )
    yield from _check_shares("Table 2, ViT-3B on ImageNet", CATEGORY_NAMES, ("64.0", "14.3", "13.8", "7.9"), categories)
    yield from _check_shares("Table 2, ViT-3B on ImageNet", SEVERITY_NAMES, ("40.7", "59.3"), severities)
    yield FIGURES.differs(
        "§5.1: major mistakes of ViT-3B",
        published="155",
        recomputed=str(severities[0]),
        note="154 of 378 is the 40.7% that Table 2 prints",
    )
    yield FIGURES.equal(
        "Table 2, ViT-3B on ImageNetV2: shares of 53 mistakes, %",
        published="66.0 9.4 15.1 9.4 | 41.5 58.5",
        recomputed=" | ".join(
            " ".join(f"{100 * k / 53:.1f}" for k in counts) for counts in (V2_CATEGORIES, V2_SEVERITIES)
        ),
        note="whole numbers that give the printed shares; the rows themselves are not in the folder given",
    )
    by_category = chi_square(np.array([categories, V2_CATEGORIES]))
    yield FIGURES.differs(
        "§4.2: χ² of the categories between the sets",
        published="0.97, p = .80",
        recomputed=_format_test(by_category),
        note=f"the paper prints N = 434, the released table and the 53 rows have N = {by_category.n}",
    )
    by_severity = chi_square(np.array([severities, V2_SEVERITIES]))
    yield FIGURES.equal(
        "§4.2: χ² of the severities between the sets", published="0.01, p = .92", recomputed=_format_test(by_severity)
    )


def _check_shares(
    table: str, names: Sequence[str], published: Sequence[str], counts: CountArray
) -> Iterator[ReproducedFigure]:
    shares = 100 * counts / counts.sum()
    for name, printed, share, count in zip(names, published, shares, counts, strict=True):
        yield FIGURES.equal(
            f"{table}: {name}, %", published=printed, recomputed=f"{share:.1f}", note=f"{count} of {counts.sum()}"
        )


def _format_test(test: ChiSquare) -> str:
    """As the paper prints it, without the zero before the point."""
    return f"{test.statistic:.2f}, p = {test.p:.2f}".replace("p = 0.", "p = .")


def _check_levels(folder: Path) -> Iterator[ReproducedFigure]:
    """The share of fine-grained mistakes, in or out of the vocabulary, by levels up to the common ancestor."""
    mistakes = load_mistakes(folder / MISTAKES)
    labels = find_dataset_labels(mistakes, load_released_set(folder, VALIDATION).test_set)
    levels = count_levels(mistakes, labels, taxonomy=load_taxonomy("imagenet-1k"), level=DEFAULT_LEVEL)
    for level, published in ((1, "80.9%"), (3, "54.3%")):
        row = next(one for one in levels if one.level == level)
        n_fine = row.categories[0].n + row.categories[1].n
        yield FIGURES.differs(
            f"§4.1: fine-grained, of mistakes with the common ancestor {level} up",
            published=published,
            recomputed=f"{100 * n_fine / row.n:.1f}%",
            note=f"{n_fine} of {row.n}, by the dataset label; the authors had several correct labels per image, and none of "
            "about twenty ways to count levels gives both figures",
        )


def _check_confusions(folder: Path) -> Iterator[ReproducedFigure]:
    counts = Counter(count for _, _, count in load_class_confusions(folder))
    rare = counts[1] + counts[2]
    yield FIGURES.equal(
        "§4.1: confused class pairs that occur once or twice",
        published="the majority",
        recomputed="the majority" if 2 * rare > counts.total() else "a minority",
        note=f"{rare} of {counts.total()} pairs; {counts.total() - rare} occur three times or more",
    )


def _list_absent() -> Iterator[ReproducedFigure]:
    labels = "the multi-label annotations are not in the folder"
    yield FIGURES.absent("Table 1: multi-label accuracy of ViT-3B", "96.3% → 97.9%", note=labels)
    yield FIGURES.absent(
        "Table 2, Greedy Soups", "69.1 10.4 12.9 7.6 | 35.7 64.3", note="its coded mistakes are not in the folder"
    )
    yield FIGURES.absent("Table 3: models and the best human", "", note=labels)
    yield FIGURES.absent("§5.1: ImageNet-M", "68 images", note="needs the coded mistakes of four models")
