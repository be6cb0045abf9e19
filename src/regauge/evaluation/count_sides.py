"""Sides of which only counts are known: how many answers of each model are right, and not which."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import polars as pl

from regauge.arrays import CountArray, FloatArray
from regauge.errors import InputError
from regauge.evaluation.sides import Side
from regauge.records.evaluation.accuracies import AccuracyTable, SetAccuracies
from regauge.records.evaluation.scores import is_balanced
from regauge.records.evaluation.shifts import ShiftSettings


def choose_set(
    table: AccuracyTable, name: str | None = None, *, sizes: Mapping[str, int] | None = None
) -> SetAccuracies:
    """The right answers on one set of a table.

    Args:
        table: the accuracies.
        name: the set; None takes the only one.
        sizes: per metric, how many images there are, for tables that do not tell.

    Raises:
        InputError: there is no such set, it is not clear which, or models were counted on different numbers of images.
    """
    if name is None and len(table.sets) > 1:
        raise InputError(f"{table.name} has several sets: {', '.join(table.sets)}; say which one is meant.")
    chosen = table.sets[0] if name is None else name
    rows = table.get_rows(chosen)
    models = tuple(rows["model"].unique(maintain_order=True))
    counts: dict[str, CountArray] = {}
    for (metric,), part in rows.group_by("metric", maintain_order=True):
        n = _find_size(table.name, part, (sizes or {}).get(str(metric)))
        if n is not None and part.height == len(models):
            counts[str(metric)] = _count(part, models, n)
    return SetAccuracies(chosen, models, counts, table.notes)


def make_count_side(accuracies: SetAccuracies, *, settings: ShiftSettings) -> Side:
    """All models on a set of which only counts are known.

    The mean accuracy of the models has an interval nevertheless. Its variance depends on how far the models err on the same
    images, which counts do not tell; it is greatest where they do as far as their accuracies allow. So the scores of images are
    those of nested answers, in which whatever a model gets right every better one gets right too: the limits are the widest
    that the counts allow.

    Raises:
        InputError: the table lacks the metric or n, or the metric needs images.
    """
    if is_balanced(settings.metric):
        raise InputError(
            f"{settings.metric} is a mean over classes, and {accuracies.name} has accuracies only; compare a plain metric such "
            "as top1, or give predictions."
        )
    if settings.metric not in accuracies.counts:
        if not accuracies.counts:
            raise InputError(
                f"{accuracies.name} does not tell for all models on how many images they were counted: add a column n, or give "
                "the number by `load_accuracies(…, n=…)`."
            )
        raise InputError(
            f"{accuracies.name} has no {settings.metric} with n for all models; it has {', '.join(accuracies.counts)}."
        )
    return Side(
        name=accuracies.name,
        models=accuracies.models,
        outcomes=np.empty((len(accuracies.models), 0), np.int8),
        counts=dict(accuracies.counts),
        warnings=(),
        image_scores={metric: nest_scores(counts) for metric, counts in accuracies.counts.items()},
    )


def nest_scores(counts: CountArray) -> FloatArray:
    """The share of models that is right on each image where answers are nested: image i is right for models with more than i.

    >>> nest_scores(np.array([[1, 4], [3, 4]]))
    array([1. , 0.5, 0.5, 0. ])
    """
    n = int(counts[0, 1])
    ends = np.bincount(counts[:, 0], minlength=n + 1)
    # Models with more than i right answers are all but those with at most i.
    scores: FloatArray = 1 - np.cumsum(ends)[:n] / len(counts)
    return scores


def note_counts(sides: Sequence[Side]) -> Iterator[str]:
    """What is not known of sides without predictions, in a sentence; nothing where all have them."""
    names = [side.name for side in sides if not side.has_images]
    if names:
        yield (
            f"Of {' and '.join(names)} only counts of right answers are known, so nothing that needs single images has a value: "
            "no redrawn images, no images in both sets, no classes, no balanced means. The limits of mean changes take all "
            "models to err on the same images as far as their accuracies allow, the widest that counts permit."
        )


def check_image_settings(sides: Sequence[Side], settings: ShiftSettings) -> None:
    """Refuse to redraw images of sides that have none."""
    names = [side.name for side in sides if not side.has_images]
    if names and settings.fit_resample.has_images:
        raise InputError(
            f"Redrawing {settings.fit_resample.words} needs to know which images a model gets right, and of {names[0]} only "
            "counts are known; redraw models or families, or give predictions."
        )


def _find_size(table: str, rows: pl.DataFrame, given: int | None) -> int | None:
    """How many images all rows were counted on; None where nobody tells."""
    sizes = rows["n"].unique(maintain_order=True).to_list()
    if len(sizes) > 1:
        raise InputError(
            f"In {table} models were counted on {sizes[0]:,} and on {sizes[1]:,} images of {rows['set'][0]} under "
            f"{rows['metric'][0]}; models of one test set need one n."
        )
    size: int | None = sizes[0]
    return given if size is None else size


def _count(rows: pl.DataFrame, models: Sequence[str], n: int) -> CountArray:
    """Right answers and n, in the order of the models."""
    right_of = {
        model: round(accuracy * n) if n_correct is None else n_correct
        for model, accuracy, n_correct in rows.select("model", "accuracy", "n_correct").iter_rows()
    }
    return np.array([(right_of[model], n) for model in models], np.int64)
