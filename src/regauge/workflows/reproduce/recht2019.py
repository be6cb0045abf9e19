"""Recht, Roelofs, Schmidt, Shankar (2019), Do ImageNet Classifiers Generalize to ImageNet?"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np

from regauge.evaluation.shifts import compare_sides
from regauge.evaluation.sides import Side, judge_side
from regauge.evaluation.targets import line_up
from regauge.formats.published import (
    MATCHED_FREQUENCY,
    THRESHOLD,
    VALIDATION,
    load_grids,
    load_released_set,
    name_validation_image,
)
from regauge.records.labels import Truth
from regauge.records.reproductions import ReproducedFigure, Reproduction
from regauge.records.shifts import Accuracy, ModelShift, Shift, ShiftSettings
from regauge.stats.intervals import clopper_pearson
from regauge.workflows.reproduce.checks import Figures

TITLE = "Recht et al. 2019, Do ImageNet Classifiers Generalize to ImageNet?"
FIGURES = Figures("recht2019")

NOT_CONVOLUTIONAL = "fv_*"
BEFORE_ALEXNET_PEERS = ("fv_", "alexnet", "squeezenet")

TABLE_1 = {
    "pnasnet_large_tf": "1 | 82.9 [82.5, 83.2] | 72.2 [71.3, 73.1] | 10.7 | 3 | -2",
    "nasnetalarge": "4 | 82.5 [82.2, 82.8] | 72.2 [71.3, 73.1] | 10.3 | 1 | 3",
    "resnet152": "21 | 78.3 [77.9, 78.7] | 67.0 [66.1, 67.9] | 11.3 | 21 | 0",
    "inception_v3_tf": "23 | 78.0 [77.6, 78.3] | 66.1 [65.1, 67.0] | 11.9 | 24 | -1",
    "densenet161": "30 | 77.1 [76.8, 77.5] | 65.3 [64.4, 66.2] | 11.8 | 30 | 0",
    "vgg19_bn": "43 | 74.2 [73.8, 74.6] | 61.9 [60.9, 62.8] | 12.3 | 44 | -1",
    "alexnet": "64 | 56.5 [56.1, 57.0] | 44.0 [43.0, 45.0] | 12.5 | 64 | 0",
    "fv_64k": "65 | 35.1 [34.7, 35.5] | 24.1 [23.2, 24.9] | 11.0 | 65 | 0",
}
"""Printed rows: original rank | original accuracy | new accuracy | gap | new rank | change of rank."""

CIFAR_ROWS = 7


def reproduce(folder: Path) -> Reproduction:
    """Every figure of the paper about ImageNet that the released data can give."""
    sections = (
        (partial(_check_section_2), "Section 2"),
        (partial(_check_models, folder), "Tables 1 and 2, Figure 1"),
        (partial(_check_grids, folder), "Section 4: grids"),
    )
    figures = [figure for make, name in sections for figure in FIGURES.attempt(make, figure=name)]
    return Reproduction("recht2019", TITLE, (*figures, *_list_absent()))


def _check_section_2() -> Iterator[ReproducedFigure]:
    for level, published in ((0.95, 1), (0.9999, 2)):
        limits = clopper_pearson(np.arange(10_001), 10_000, level=level)
        half = float(((limits.high - limits.low) / 2).max())
        name = f"§2: half width of a {100 * level:g}% interval at n = 10,000, in points, at most"
        yield FIGURES.equal(
            name,
            published=f"{published}",
            recomputed=f"{np.ceil(100 * half):.0f}",
            note=f"the widest is {100 * half:.3f}",
        )


def _check_models(folder: Path) -> Iterator[ReproducedFigure]:
    original, matched, threshold = (_judge(folder, name) for name in (VALIDATION, MATCHED_FREQUENCY, THRESHOLD))
    shift = compare_sides(original, matched, settings=ShiftSettings(fit_except=(NOT_CONVOLUTIONAL,)))
    for name, published in TABLE_1.items():
        yield FIGURES.equal(
            f"Table 1, ImageNet: {name}", published=published, recomputed=_format_row(shift.get_model(name))
        )
    yield from _check_ranges(shift, original, matched)
    yield from _check_fit(shift)
    every = compare_sides(original, threshold, settings=ShiftSettings())
    yield from _check_table_2(shift, every)
    yield from _check_spans(original)


def _judge(folder: Path, name: str) -> Side:
    released = load_released_set(folder, name)
    target = line_up(Truth(released.test_set))
    return judge_side((released.get_predictions(model) for model in released.models), target, settings=ShiftSettings())


def _format_row(model: ModelShift) -> str:
    sides = (_format_accuracy(side) for side in (model.original, model.new))
    return " | ".join(
        [str(model.rank_original), *sides, f"{100 * model.gap:.1f}", str(model.rank_new), str(model.delta_rank)]
    )


def _format_accuracy(accuracy: Accuracy) -> str:
    return f"{100 * accuracy.value:.1f} [{100 * accuracy.low:.1f}, {100 * accuracy.high:.1f}]"


def _check_ranges(shift: Shift, original: Side, matched: Side) -> Iterator[ReproducedFigure]:
    accuracies = [100 * model.original.value for model in shift.models]
    yield FIGURES.equal(
        "§3.3: original top-1, lowest to highest",
        published="21 – 83",
        recomputed=f"{min(accuracies):.0f} – {max(accuracies):.0f}",
    )
    best = shift.models[0].name
    place, again = original.models.index(best), matched.models.index(best)
    top5 = [100 * counts[0] / counts[1] for counts in (original.counts["top5"][place], matched.counts["top5"][again])]
    yield FIGURES.equal(
        "§3.3: best model, top-5 on both sets", published="96 → 90", recomputed=f"{top5[0]:.0f} → {top5[1]:.0f}"
    )
    top1 = shift.models[0]
    yield FIGURES.equal(
        "§3.3: best model, top-1 on both sets",
        published="83 → 72",
        recomputed=f"{100 * top1.original.value:.0f} → {100 * top1.new.value:.0f}",
    )
    drops = [100 * model.gap for model in shift.models if not model.name.startswith("fv_")]
    yield FIGURES.differs(
        "abstract: accuracy drops on ImageNet",
        published="11 – 14",
        recomputed=f"{min(drops):.0f} – {max(drops):.0f}",
        note=f"the 64 convolutional networks drop by {min(drops):.1f} to {max(drops):.1f}; nasnetalarge drops least",
    )


def _check_fit(shift: Shift) -> Iterator[ReproducedFigure]:
    fit = shift.fits[0]
    yield FIGURES.equal(
        "§3.3: slope of the linear fit",
        published="1.11",
        recomputed=f"{fit.slope:.2f}",
        note="over the 64 convolutional networks",
    )
    tried = "the bootstrap over models is the closest of many tried; none gives all six printed digits"
    yield FIGURES.differs(
        "§3.3: interval of the slope",
        published="[1.07, 1.19]",
        recomputed=f"[{fit.slope_low:.2f}, {fit.slope_high:.2f}]",
        note=tried,
    )
    yield FIGURES.differs(
        "§3.3: offset of the linear fit, in points", published="-20.2", recomputed=f"{100 * fit.offset:.1f}", note=tried
    )
    limits = f"[{100 * fit.offset_low:.1f}, {100 * fit.offset_high:.1f}]"
    yield FIGURES.differs("§3.3: interval of the offset", published="[-26.0, -17.8]", recomputed=limits, note=tried)


def _check_table_2(matched: Shift, threshold: Shift) -> Iterator[ReproducedFigure]:
    rows = {"MatchedFrequency": ("-11.8 / -8.2", matched), "Threshold0.7": ("-3.2 / -1.2", threshold)}
    for name, (published, shift) in rows.items():
        changes = [100 * shift.mean_changes[metric].value for metric in ("top1", "top5")]
        recomputed = " / ".join(f"{change:.1f}" for change in changes)
        yield FIGURES.equal(
            f"Table 2, {name}: mean change of top-1 / top-5",
            published=published,
            recomputed=recomputed,
            note="over all 67 models",
        )


def _check_spans(original: Side) -> Iterator[ReproducedFigure]:
    kept = [i for i, name in enumerate(original.models) if not name.startswith(BEFORE_ALEXNET_PEERS)]
    spans = []
    for metric in ("top1", "top5"):
        counts = original.counts[metric][kept]
        spans.append(100 * float(np.ptp(counts[:, 0] / counts[:, 1])))
    recomputed = f"{spans[0]:.0f} / {spans[1]:.0f}"
    yield FIGURES.equal(
        "§4: span of post-AlexNet networks, top-1 / top-5",
        published="14 / 8",
        recomputed=recomputed,
        note="on the original set",
    )


def _check_grids(folder: Path) -> Iterator[ReproducedFigure]:
    grids = load_grids(folder)
    released = f"{len(grids.images):,} grids are in the folder given"
    yield FIGURES.equal("§4: images per grid", published="48", recomputed=str(grids.images.shape[1]), note=released)
    own, near = ((grids.roles == role).sum(axis=1).min() for role in (1, 2))
    yield FIGURES.equal("§4: controls of the grid's class, at least", published="3", recomputed=str(own))
    yield FIGURES.equal("§4: controls of a nearby class, at least", published="3", recomputed=str(near))
    labels = load_released_set(folder, VALIDATION).test_set
    label_of = dict(zip(labels.image_ids.tolist(), labels.labels.tolist(), strict=True))
    for role, what, classes in ((1, "grid's", grids.classes), (2, "nearest other", grids.nearest[grids.classes])):
        rows, places = np.nonzero(grids.roles == role)
        found = np.array([label_of[name_validation_image(-int(image))] for image in grids.images[rows, places]])
        n_right = int((found == classes[rows]).sum())
        yield FIGURES.equal(
            f"release: controls that are of the {what} class", published=f"{len(found):,}", recomputed=f"{n_right:,}"
        )


def _list_absent() -> Iterator[ReproducedFigure]:
    answers = "the annotators' answers are not in the folder given"
    yield FIGURES.absent(
        "Table 1, CIFAR-10", f"{CIFAR_ROWS} rows", note="predictions on CIFAR-10 are not in the folder"
    )
    yield FIGURES.absent("Table 2, TopImages", "+2.1 / +1.8", note="predictions on TopImages are not in the folder")
    yield FIGURES.absent("Table 2: mean selection frequencies", "0.73, 0.85, 0.93", note=answers)
    yield FIGURES.absent("§4: selection frequency of the original set", "0.71", note=answers)
    yield FIGURES.absent(
        "§4: annotated validation images per class", "≥ 20", note="a part of the grids is not in the folder given"
    )
