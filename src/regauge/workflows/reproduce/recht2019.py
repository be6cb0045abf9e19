"""Recht, Roelofs, Schmidt, Shankar (2019), Do ImageNet Classifiers Generalize to ImageNet?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

import numpy as np

from regauge.errors import MissingDataError
from regauge.estimates import format_limits, format_plain, format_points
from regauge.formats.labels.frequencies import load_selection_counts
from regauge.formats.releases.folders import DataFolders
from regauge.formats.releases.loading import ANNOTATED, CLONED, TOP_IMAGES, load_grids, load_images
from regauge.formats.releases.published import (
    MATCHED_FREQUENCY,
    NO_CELL,
    THRESHOLD,
    VALIDATION,
    PublishedGrids,
    name_validation_image,
)
from regauge.records.evaluation.shifts import ModelShift, Shift
from regauge.records.reproductions import Basis, ReproducedFigure, Reproduction
from regauge.stats.intervals import clopper_pearson
from regauge.workflows.reproduce import recht2019_cifar
from regauge.workflows.reproduce.checks import Figures, leave_open
from regauge.workflows.reproduce.sides import Sides

TITLE = "Recht et al. 2019, Do ImageNet Classifiers Generalize to ImageNet?"
FIGURES = Figures("recht2019")

N_MODELS = 67
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

TABLE_2 = {
    MATCHED_FREQUENCY: ("MatchedFrequency", "-11.8 / -8.2", "0.73"),
    THRESHOLD: ("Threshold0.7", "-3.2 / -1.2", "0.85"),
    TOP_IMAGES: ("TopImages", "+2.1 / +1.8", "0.93"),
}
"""Per set: its name, the mean change of top-1 and top-5 in points, and the mean selection frequency."""

FREQUENCIES = "recht2019_selection_frequencies.csv"
MIN_ANNOTATED = 20
N_KNOWN_GRIDS = 6_298
"""Grids in the compact file. A clone may hold others, with which no outcome is a surprise."""


def reproduce(data: DataFolders) -> Reproduction:
    """Every figure of the paper that the folders allow."""
    sides = Sides(data)
    figures = FIGURES.gather(
        (_check_section_2, ()),
        *((partial(_check_row, sides, name), [(_name_row(name), row)]) for name, row in TABLE_1.items()),
        (partial(_check_ranges, sides), RANGES),
        (partial(_check_fit, sides), FIT),
        *((partial(_check_changes, sides, name), [(_name_changes(name), TABLE_2[name][1])]) for name in TABLE_2),
        *((partial(_check_line, sides, name), [(_name_line(name), LINE)]) for name in (THRESHOLD, TOP_IMAGES)),
        (partial(_check_spans, sides), [(SPANS, "14 / 8")]),
        (partial(_check_grids, data), [("§4: images per grid", "48")]),
        (partial(_check_annotated, data), [(ENOUGH, "all")]),
        *(
            (partial(_check_frequency, data, name), [(_name_frequency(name), printed)])
            for name, printed in _MEANS.items()
        ),
    )
    cifar = recht2019_cifar.check_cifar(sides)
    return Reproduction("recht2019", TITLE, (*figures, *cifar), sides.notes)


def _check_section_2() -> Iterator[ReproducedFigure]:
    for level, published in ((0.95, 1), (0.9999, 2)):
        limits = clopper_pearson(np.arange(10_001), 10_000, level=level)
        half = float(((limits.high - limits.low) / 2).max())
        yield FIGURES.equal(
            f"§2: half width of a {100 * level:g}% interval at n = 10,000, in points, at most",
            published=f"{published}",
            recomputed=f"{np.ceil(100 * half):.0f}",
            basis=Basis.ARITHMETIC,
            note=f"the widest is {100 * half:.3f}",
        )


def _name_row(name: str) -> str:
    return f"Table 1, ImageNet: {name}"


def _check_row(sides: Sides, name: str) -> Iterator[ReproducedFigure]:
    """A row with its ranks where all models are there, else without them."""
    common = sides.find_common(VALIDATION, MATCHED_FREQUENCY)
    if name not in common:
        lacking = [one for one in (VALIDATION, MATCHED_FREQUENCY) if name not in sides.load(one).models]
        raise MissingDataError(", ".join(f"data/predictions/{CLONED[one]}/{name}.npy" for one in lacking))
    row = _format_row(sides.compare(VALIDATION, MATCHED_FREQUENCY, fit_except=(NOT_CONVOLUTIONAL,)).get_model(name))
    if len(common) == N_MODELS:
        yield FIGURES.equal(_name_row(name), published=TABLE_1[name], recomputed=row)
    else:
        published, recomputed = (" | ".join(text.split(" | ")[1:4]) for text in (TABLE_1[name], row))
        note = f"without the ranks, which need all {N_MODELS} models; {len(common)} are in the folders given"
        yield FIGURES.equal(_name_row(name), published=published, recomputed=recomputed, note=note)


def _format_row(model: ModelShift) -> str:
    sides = (format_points(side) for side in (model.original, model.new))
    return " | ".join(
        [str(model.rank_original), *sides, f"{100 * model.gap.value:z.1f}", str(model.rank_new), str(model.delta_rank)]
    )


RANGES = (
    ("§3.3: original top-1, lowest to highest", "21 – 83"),
    ("§3.3: best model, top-5 on both sets", "96 → 90"),
    ("§3.3: best model, top-1 on both sets", "83 → 72"),
    ("abstract: accuracy drops on ImageNet", "11 – 14"),
)


def _check_ranges(sides: Sides) -> Iterator[ReproducedFigure]:
    sides.require_all(VALIDATION, MATCHED_FREQUENCY, n=N_MODELS)
    shift = sides.compare(VALIDATION, MATCHED_FREQUENCY, fit_except=(NOT_CONVOLUTIONAL,))
    accuracies = [100 * model.original.value for model in shift.models]
    best = shift.models[0]
    top5 = [_find_top5(sides, name, best.name) for name in (VALIDATION, MATCHED_FREQUENCY)]
    found = (
        f"{min(accuracies):.0f} – {max(accuracies):.0f}",
        f"{top5[0]:.0f} → {top5[1]:.0f}",
        f"{100 * best.original.value:.0f} → {100 * best.new.value:.0f}",
    )
    for (figure, published), recomputed in zip(RANGES[:3], found, strict=True):
        yield FIGURES.equal(figure, published=published, recomputed=recomputed)
    drop_of = {model.name: 100 * model.gap.value for model in shift.models if not model.name.startswith("fv_")}
    yield FIGURES.differs(
        RANGES[3][0],
        published=RANGES[3][1],
        recomputed=f"{min(drop_of.values()):.0f} – {max(drop_of.values()):.0f}",
        note=_describe_drops(drop_of),
    )


def _describe_drops(drop_of: Mapping[str, float]) -> str:
    """Which drops there are, in points, and who has the least."""
    least, most = min(drop_of.values()), max(drop_of.values())
    names = " and ".join(name for name, drop in drop_of.items() if drop == least)
    return f"the {len(drop_of)} convolutional networks drop by {least:.1f} to {most:.1f}; the least is that of {names}"


def _find_top5(sides: Sides, name: str, model: str) -> float:
    """Top-5 accuracy of a model, in percent."""
    side = sides.judge(name)
    n_right, n = side.counts["top5"][side.models.index(model)]
    return float(100 * n_right / n)


FIT = (
    ("§3.3: slope of the linear fit", "1.11"),
    ("§3.3: interval of the slope", "[1.07, 1.19]"),
    ("§3.3: offset of the linear fit, in points", "-20.2"),
    ("§3.3: interval of the offset", "[-26.0, -17.8]"),
)


def _check_fit(sides: Sides) -> Iterator[ReproducedFigure]:
    sides.require_all(VALIDATION, MATCHED_FREQUENCY, n=N_MODELS)
    fit = sides.compare(VALIDATION, MATCHED_FREQUENCY, fit_except=(NOT_CONVOLUTIONAL,)).fits[0]
    (figure, published), *others = FIT
    networks = f"over the {fit.n_models} convolutional networks"
    yield FIGURES.equal(figure, published=published, recomputed=f"{fit.slope.value:.2f}", note=networks)
    tried = "the bootstrap over models is the closest of many tried; none gives all six printed digits"
    found = (
        format_limits(fit.slope, decimals=2),
        f"{100 * fit.offset.value:z.1f}",
        format_limits(fit.offset, scale=100),
    )
    for (figure, published), recomputed in zip(others, found, strict=True):
        yield FIGURES.differs(figure, published=published, recomputed=recomputed, note=tried)


def _name_changes(name: str) -> str:
    return f"Table 2, {TABLE_2[name][0]}: mean change of top-1 / top-5"


def _check_changes(sides: Sides, name: str) -> Iterator[ReproducedFigure]:
    sides.require_all(VALIDATION, name, n=N_MODELS)
    shift = sides.compare(VALIDATION, name, fit_except=(NOT_CONVOLUTIONAL,))
    recomputed = " / ".join(f"{100 * shift.mean_changes[metric].value:+z.1f}" for metric in ("top1", "top5"))
    # The released predictions on TopImages were not at hand when this was written.
    make = FIGURES.untried if name == TOP_IMAGES else FIGURES.equal
    yield make(
        _name_changes(name), published=TABLE_2[name][1], recomputed=recomputed, note=f"over all {N_MODELS} models"
    )


LINE = "a linear function"


def _name_line(name: str) -> str:
    return f"Figure 2, {TABLE_2[name][0]}: accuracies follow"


def _check_line(sides: Sides, name: str) -> Iterator[ReproducedFigure]:
    sides.require_all(VALIDATION, name, n=N_MODELS)
    shift = sides.compare(VALIDATION, name, fit_except=(NOT_CONVOLUTIONAL,))
    fit = shift.fits[0]
    explained = _find_explained(shift)
    figure = FIGURES.statement(
        _name_line(name),
        published=LINE,
        recomputed=f"slope {format_plain(fit.slope, decimals=2)}, offset {format_points(fit.offset)}, R² {explained:.3f}",
        holds=explained > 0.95,
        note=f"over the {fit.n_models} convolutional networks; the figure draws the line without printing it, and R² above "
        "0.95 is our reading of closely",
    )
    yield leave_open(figure) if name == TOP_IMAGES else figure


def _find_explained(shift: Shift) -> float:
    """R² of the line over the networks."""
    networks = [model for model in shift.models if not model.name.startswith("fv_")]
    return float(
        np.corrcoef([model.original.value for model in networks], [model.new.value for model in networks])[0, 1] ** 2
    )


SPANS = "§4: span of post-AlexNet networks, top-1 / top-5"


def _check_spans(sides: Sides) -> Iterator[ReproducedFigure]:
    original = sides.judge(VALIDATION)
    if len(original.models) < N_MODELS:
        raise MissingDataError(
            f"predictions of all {N_MODELS} models on {VALIDATION}; {len(original.models)} are there"
        )
    kept = [i for i, name in enumerate(original.models) if not name.startswith(BEFORE_ALEXNET_PEERS)]
    spans = []
    for metric in ("top1", "top5"):
        counts = original.counts[metric][kept]
        spans.append(100 * float(np.ptp(counts[:, 0] / counts[:, 1])))
    recomputed = f"{spans[0]:.0f} / {spans[1]:.0f}"
    yield FIGURES.equal(SPANS, published="14 / 8", recomputed=recomputed, note="on the original set")


def _check_grids(data: DataFolders) -> Iterator[ReproducedFigure]:
    """Grids of the usual size: the repository also holds those of trials, which were smaller and had fewer controls."""
    everything = load_grids(data)
    usual, grids = _keep_usual(everything)
    n_others = len(everything.classes) - len(grids.classes)
    others = f"; of another size, and left out below: {n_others:,}" if n_others else ""
    found = [
        FIGURES.equal(
            "§4: images per grid",
            published="48",
            recomputed=str(usual),
            basis=Basis.ROWS,
            note=f"{len(grids.classes):,} grids of this size are in the folders given{others}",
        ),
        *(_count_controls(grids, role, what) for role, what in ((1, "the grid's class"), (2, "a nearby class"))),
        *_check_controls(grids, _index_labels(data)),
    ]
    is_known = len(everything.classes) == N_KNOWN_GRIDS
    yield from (found if is_known else map(leave_open, found))


def _keep_usual(grids: PublishedGrids) -> tuple[int, PublishedGrids]:
    """The most frequent number of images of a grid, and the grids that have it."""
    sizes = (grids.roles != NO_CELL).sum(axis=1)
    usual = int(np.bincount(sizes).argmax())
    kept = sizes == usual
    return usual, PublishedGrids(grids.classes[kept], grids.images[kept], grids.roles[kept], grids.nearest)


def _count_controls(grids: PublishedGrids, role: int, what: str) -> ReproducedFigure:
    fewest = int((grids.roles == role).sum(axis=1).min())
    return FIGURES.equal(f"§4: controls of {what}, at least", published="3", recomputed=str(fewest), basis=Basis.ROWS)


def _check_controls(grids: PublishedGrids, label_of: dict[str, int]) -> Iterator[ReproducedFigure]:
    for role, what, classes in ((1, "grid's", grids.classes), (2, "nearest other", grids.nearest[grids.classes])):
        rows, places = np.nonzero(grids.roles == role)
        names = [name_validation_image(-int(image)) for image in grids.images[rows, places]]
        n_right = int((np.array([label_of.get(name, -1) for name in names]) == classes[rows]).sum())
        yield FIGURES.every(
            f"§4: controls that are validation images of the {what} class",
            found=(n_right, len(names)),
            note="the paper says a nearby class, not that it is the nearest" if role == 2 else "",
        )


def _index_labels(data: DataFolders) -> dict[str, int]:
    images = load_images(data, VALIDATION)
    return dict(zip(images.image_ids.tolist(), images.labels.tolist(), strict=True))


ENOUGH = f"§4: classes with at least {MIN_ANNOTATED} annotated validation images"


def _check_annotated(data: DataFolders) -> Iterator[ReproducedFigure]:
    """More grids can only show more images, so enough is enough, and too few decide nothing."""
    grids = load_grids(data)
    rows, places = np.nonzero(grids.roles == 1)
    pairs = np.unique(np.stack([grids.classes[rows], grids.images[rows, places]]), axis=1)
    per_class = np.bincount(pairs[0], minlength=1_000)
    n_enough = int((per_class >= MIN_ANNOTATED).sum())
    if n_enough < len(per_class):
        raise MissingDataError(
            f"grids enough to tell; the {len(grids.images):,} there show {MIN_ANNOTATED} or more for {n_enough} classes of "
            f"{len(per_class):,}"
        )
    yield FIGURES.untried(ENOUGH, published="all", recomputed="all", note=f"the fewest are {per_class.min()}")


_MEANS = {**{name: printed for name, (_, _, printed) in TABLE_2.items()}, ANNOTATED: "0.71"}


def _name_frequency(name: str) -> str:
    if name == ANNOTATED:
        return "§4: mean selection frequency of the original set"
    return f"Table 2, {TABLE_2[name][0]}: mean selection frequency"


def _check_frequency(data: DataFolders, name: str) -> Iterator[ReproducedFigure]:
    counts = load_selection_counts(data.get(FREQUENCIES))
    images = load_images(data, name)
    label_of = dict(zip(images.image_ids.tolist(), images.labels.tolist(), strict=True))
    labels = np.array([label_of.get(image, -1) for image in counts.image_ids.tolist()])
    own = (counts.classes == labels[counts.images]) & (counts.n_shown > 0)
    if not own.any():
        raise MissingDataError(f"frequencies of the images of {name} in {FREQUENCIES}")
    mean = float((counts.n_selected[own] / counts.n_shown[own]).mean())
    note = f"over {int(own.sum()):,} of {len(images):,} images"
    yield FIGURES.untried(_name_frequency(name), published=_MEANS[name], recomputed=f"{mean:.2f}", note=note)
