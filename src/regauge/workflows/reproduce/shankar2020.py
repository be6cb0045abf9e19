"""Shankar, Roelofs, Mania, Fang, Recht, Schmidt (2020), Evaluating Machine Accuracy on ImageNet."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np

from regauge.formats.published import load_annotated_rows
from regauge.formats.taxonomies import load_taxonomy
from regauge.records.reproductions import ReproducedFigure, Reproduction
from regauge.stats.intervals import clopper_pearson
from regauge.taxonomy.groups import find_groups
from regauge.workflows.reproduce.checks import Figures

TITLE = "Shankar et al. 2020, Evaluating Machine Accuracy on ImageNet"
FIGURES = Figures("shankar2020")

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

SAMPLE_SIZES = range(900, 1_001)


def reproduce(folder: Path) -> Reproduction:
    """What can be checked without the annotations."""
    sections = (
        (partial(_check_annotated, folder), "§2: annotated images"),
        (_check_groups, "§5: groups of classes"),
        (_check_intervals, "Table 1: intervals"),
    )
    figures = [figure for make, name in sections for figure in FIGURES.attempt(make, figure=name)]
    return Reproduction("shankar2020", TITLE, (*figures, *_list_absent()))


def _check_annotated(folder: Path) -> Iterator[ReproducedFigure]:
    rows = load_annotated_rows(folder)
    yield FIGURES.equal("§2: annotated validation images", published="20,000", recomputed=f"{len(np.unique(rows)):,}")


def _check_groups() -> Iterator[ReproducedFigure]:
    taxonomy = load_taxonomy("imagenet-1k")
    sizes = {
        name: len(members)
        for grouping in ("object-organism", "dogs")
        for name, members in find_groups(taxonomy, grouping).items()
    }
    for name, published in (
        ("objects", 590),
        ("organisms", 410),
        ("dogs", 118),
        ("other animals", 292),
        ("without dogs", 882),
    ):
        yield FIGURES.equal(
            f"§5: classes, {name}", published=str(published), recomputed=str(sizes[name]), note="derived from WordNet"
        )


def _check_intervals() -> Iterator[ReproducedFigure]:
    sets = [[row[place] for row in TABLE_1.values()] for place in (0, 1)]
    n_fit, n = max((_count_fitting(sets[0], n), n) for n in SAMPLE_SIZES)
    yield FIGURES.differs(
        "Table 1, ImageNet: rows whose interval is Clopper–Pearson for one n",
        published="8 of 8",
        recomputed=f"{n_fit} of 8",
        note=f"n is not printed; {n} fits best, and the rest is rounding",
    )
    n_fit, n = max((_count_fitting(sets[1], n), n) for n in SAMPLE_SIZES)
    yield FIGURES.differs(
        "Table 1, ImageNetV2: rows whose interval is Clopper–Pearson for one n",
        published="8 of 8",
        recomputed=f"{n_fit} of 8",
        note="the printed intervals are not centred on the printed accuracies: two different n were used",
    )
    yield FIGURES.differs(
        "§4.3: images with labels unchanged + added + modified",
        published="2,000",
        recomputed=f"{1_320 + 531 + 239:,}",
        note="the last two kinds overlap",
    )


def _count_fitting(rows: list[tuple[float, float, float]], n: int) -> int:
    """How many rows print the interval of a whole number of right answers among n."""
    n_fit = 0
    for value, low, high in rows:
        k = np.arange(int(n * (value - 0.06) / 100), int(n * (value + 0.06) / 100) + 2)
        k = k[(k <= n) & (np.round(100 * k / n, 1) == value)]
        limits = clopper_pearson(k, n)
        n_fit += bool(((np.round(100 * limits.low, 1) == low) & (np.round(100 * limits.high, 1) == high)).any())
    return n_fit


def _list_absent() -> Iterator[ReproducedFigure]:
    pickled = "the annotations are not in the folder given"
    yield FIGURES.absent(
        "§2: images of the three ImageNetV2 sets", "20,683", note="one of the three sets is not in the folder"
    )
    yield FIGURES.absent(
        "§3.2: distinct predictions of 72 models", "182,597", note="the 72 models are not the 67 released ones"
    )
    yield FIGURES.absent("§3.2: images with more than one correct label", "18.2%", note=pickled)
    yield FIGURES.absent("Tables 1 and 2: accuracies; McNemar tests", "", note=pickled)
