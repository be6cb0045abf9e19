"""Recht et al. (2019) on CIFAR-10, from the predictions in the repository of CIFAR-10.1.

The printed intervals belong to 2,021 images, which is version 4; version 6, of 2,000, shares most of them. The paper ranks more
models than the repository holds, so ranks are told and not compared.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from regauge.errors import MissingDataError
from regauge.estimates import format_limits, format_points, make_share
from regauge.formats.releases.cifar import CIFAR_ORIGINAL, CIFAR_V4, CIFAR_V6, count_shared
from regauge.records.evaluation.shifts import Shift
from regauge.records.reproductions import Basis, ReproducedFigure
from regauge.stats.intervals import clopper_pearson
from regauge.workflows.reproduce.checks import Figures, count_fitting
from regauge.workflows.reproduce.sides import Sides

FIGURES = Figures("recht2019")

TABLE_1 = {
    "autoaug_pyramid_net_tf": ("98.4 [98.1, 98.6]", "95.5 [94.5, 96.4]", "2.9"),
    "shake_shake_64d_cutout": ("97.1 [96.8, 97.4]", "93.0 [91.8, 94.1]", "4.1"),
    "wide_resnet_28_10": ("95.9 [95.5, 96.3]", "89.7 [88.3, 91.0]", "6.2"),
    "resnet_basic_110": ("93.5 [93.0, 93.9]", "85.2 [83.5, 86.7]", "8.3"),
    "vgg_15_BN_64": ("93.0 [92.5, 93.5]", "84.9 [83.2, 86.4]", "8.1"),
    "cudaconvnet": ("88.5 [87.9, 89.2]", "77.5 [75.7, 79.3]", "11.0"),
    "random_features_256k_aug": ("85.6 [84.9, 86.3]", "73.1 [71.1, 75.1]", "12.5"),
}
"""Printed rows: original accuracy, new accuracy, gap."""

NAMES = {"shake_shake_64d_cutout": "shake_shake_26_2x64d_SSI_cutout16", "wide_resnet_28_10": "wrn_28_10"}
"""What the repository calls models that the table calls otherwise."""

FIT = (
    ("§3.3, CIFAR-10: slope of the linear fit", "1.69"),
    ("§3.3, CIFAR-10: interval of the slope", "[1.63, 1.76]"),
    ("§3.3, CIFAR-10: offset of the linear fit, in points", "-72.7"),
    ("§3.3, CIFAR-10: interval of the offset", "[-78.6, -67.5]"),
)
RANGES = (
    ("§3.3, CIFAR-10: original accuracy, lowest to highest", "83 – 98"),
    ("abstract: accuracy drops on CIFAR-10", "3 – 15"),
)
N_V4 = 2_021
N_V6 = 2_000


def check_cifar(sides: Sides) -> tuple[ReproducedFigure, ...]:
    """Every figure about CIFAR-10 that the folders allow."""
    rows = TABLE_1.items()
    return FIGURES.gather(
        (_check_sizes, ()),
        *((partial(_check_new, sides, name), [(_name_new(name), new)]) for name, (_, new, _) in rows),
        *(
            (partial(_check_original, sides, name), [(_name_old(name), f"{old} | {gap}")])
            for name, (old, _, gap) in rows
        ),
        (partial(_check_ranges, sides), RANGES),
        (partial(_check_fit, sides), FIT),
    )


def _check_sizes() -> Iterator[ReproducedFigure]:
    rows = [_parse(new) for _, new, _ in TABLE_1.values()]
    fitting = {n: count_fitting(rows, n) for n in (N_V4, N_V6)}
    yield FIGURES.equal(
        f"Table 1, CIFAR-10: rows whose new interval is that of {N_V4:,} images",
        published=f"{len(rows)} of {len(rows)}",
        recomputed=f"{fitting[N_V4]} of {len(rows)}",
        basis=Basis.ARITHMETIC,
        note=f"that is version 4; {fitting[N_V6]} rows would be right with the {N_V6:,} images of version 6",
    )


def _parse(text: str) -> tuple[float, float, float]:
    value, low, high = text.replace("[", "").replace("]", "").replace(",", "").split()
    return float(value), float(low), float(high)


def _name_new(name: str) -> str:
    return f"Table 1, CIFAR-10: {name}, new accuracy"


def _name_old(name: str) -> str:
    return f"Table 1, CIFAR-10: {name}, original accuracy | gap"


def _check_new(sides: Sides, name: str) -> Iterator[ReproducedFigure]:
    side = sides.judge(CIFAR_V4)
    model = _find(name, side.models, folder="v4")
    n_right, n = (int(count) for count in side.counts["top1"][side.models.index(model)])
    low, high = map(float, clopper_pearson(n_right, n))
    accuracy = make_share(n_right, n, limits=(low, high), method="clopper-pearson")
    rank = 1 + sum(int(other) > n_right for other in side.counts["top1"][:, 0])
    yield FIGURES.untried(
        _name_new(name),
        published=TABLE_1[name][1],
        recomputed=format_points(accuracy),
        note=f"{_note_name(name)}{n_right:,} of {n:,}, place {rank} of the {len(side.models)} models there",
    )


def _check_original(sides: Sides, name: str) -> Iterator[ReproducedFigure]:
    shift = sides.compare(CIFAR_ORIGINAL, CIFAR_V4)
    found = shift.get_model(_find(name, [model.name for model in shift.models], folder="original"))
    old = found.original
    yield FIGURES.untried(
        _name_old(name),
        published=f"{TABLE_1[name][0]} | {TABLE_1[name][2]}",
        recomputed=f"{format_points(old)} | {100 * found.gap.value:z.1f}",
        note=f"{_note_name(name)}place {found.rank_original} of the {len(shift.models)} models there",
    )


def _find(name: str, models: list[str] | tuple[str, ...], *, folder: str) -> str:
    called = NAMES.get(name, name)
    if called not in models:
        raise MissingDataError(f"model_predictions/{folder}_predictions/{called}_predictions.json")
    return called


def _note_name(name: str) -> str:
    return f"called {NAMES[name]} there; " if name in NAMES else ""


def _check_ranges(sides: Sides) -> Iterator[ReproducedFigure]:
    shift = sides.compare(CIFAR_ORIGINAL, CIFAR_V4)
    accuracies = [100 * model.original.value for model in shift.models]
    drops = [100 * model.gap.value for model in shift.models]
    for (figure, published), values in zip(RANGES, (accuracies, drops), strict=True):
        yield FIGURES.untried(
            figure,
            published=published,
            recomputed=f"{min(values):.0f} – {max(values):.0f}",
            note=f"over the {len(values)} models there",
        )


def _check_fit(sides: Sides) -> Iterator[ReproducedFigure]:
    shift = sides.compare(CIFAR_ORIGINAL, CIFAR_V4)
    if not shift.fits:
        raise MissingDataError("predictions of several models on CIFAR-10")
    fit, note = shift.fits[0], _describe_fit(sides, shift)
    found = (
        f"{fit.slope.value:.2f}",
        format_limits(fit.slope, decimals=2),
        f"{100 * fit.offset.value:z.1f}",
        format_limits(fit.offset, scale=100),
    )
    for (figure, published), recomputed in zip(FIT, found, strict=True):
        yield FIGURES.untried(figure, published=published, recomputed=recomputed, note=note)


def _describe_fit(sides: Sides, shift: Shift) -> str:
    """Which models, and what the other version gives where it is there."""
    models = f"over the {len(shift.models)} models there"
    try:
        other = sides.compare(CIFAR_ORIGINAL, CIFAR_V6)
    except MissingDataError:
        return models
    n_shared = count_shared([sides.load(name) for name in (CIFAR_V4, CIFAR_V6)])
    parts = [f"the slope is {other.fits[0].slope.value:.2f}"] if other.fits else []
    parts += [f"{n_shared:,} images are in both versions"] if n_shared else []
    return f"{models}. On version 6: {'; '.join(parts)}" if parts else models
