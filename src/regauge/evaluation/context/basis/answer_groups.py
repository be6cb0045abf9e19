"""Accuracy of all participants by what is known of images: objects, how far annotators agree, how often the label is selected."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import regauge.frames as pl
from regauge.arrays import NO_CLASS, CountArray, IntArray
from regauge.evaluation.context.basis.selections import MainLabels, RowVotes, count_objects
from regauge.evaluation.context.basis.tables import INT, TEXT, list_estimate, make_columns, make_frame, put_share
from regauge.evaluation.context.contract import ContextMaterial, ContextTable
from regauge.evaluation.lookups import NO_PAIR, find_target_rows

GROUPED = ContextTable(
    "Accuracy by what is known of images",
    make_columns({"participant": TEXT, "by": TEXT, "group": TEXT, "n": INT, "n_right": INT}, list_estimate("accuracy")),
)
NO_GROUP = -1
OBJECTS = ("1", "2", "3", "4 or more")
AGREEMENTS = ("below 50%", "50% to 75%", "75% to 100%", "all")
FREQUENCY_BINS = ("0% to 20%", "20% to 40%", "40% to 60%", "60% to 80%", "80% to 100%")
"""A bin begins with its lower limit, and the last one ends with its upper limit too."""


def tabulate_groups(
    material: ContextMaterial, votes: RowVotes | None, *, mains: MainLabels | None, level: float
) -> pl.DataFrame:
    """One row per participant and group; a group without images has n = 0 and no value."""
    firsts = material.firsts
    if firsts is None:
        return make_frame(GROUPED)
    is_counted = (firsts != NO_CLASS) & (material.labels != NO_CLASS)
    is_right = is_counted & (firsts == material.labels)
    found: dict[str, list[object]] = {"by": [], "group": []}
    n, n_right = [], []
    for by, names, codes in _find_groups(material, votes, mains):
        member = (codes[:, np.newaxis] == np.arange(len(names))).astype(np.float32)
        n.append((is_counted.astype(np.float32) @ member).astype(np.int64))
        n_right.append((is_right.astype(np.float32) @ member).astype(np.int64))
        found["by"] += [by] * len(names)
        found["group"] += names
    if not n:
        return make_frame(GROUPED)
    whole, right = np.hstack(n).ravel(), np.hstack(n_right).ravel()
    n_groups = len(found["by"])
    columns = {
        "participant": np.repeat(material.participants, n_groups),
        "by": found["by"] * len(firsts),
        "group": found["group"] * len(firsts),
        "n": whole,
        "n_right": right,
        **put_share("accuracy", right, n=whole, level=level),
    }
    return make_frame(GROUPED, columns)


def _find_groups(
    material: ContextMaterial, votes: RowVotes | None, mains: MainLabels | None
) -> Iterator[tuple[str, tuple[str, ...], IntArray]]:
    """Each way to group the images, with the names of its groups and the group of every image."""
    if material.objects is not None:
        yield "objects", OBJECTS, (np.minimum(count_objects(material), len(OBJECTS)) - 1).astype(np.int32)
    if material.classify is not None and mains is not None:
        labels = material.classify
        rows = find_target_rows(material.target, labels.objects.image_ids)
        agreeing, shown = (np.zeros(len(material.labels), np.int64) for _ in range(2))
        here = (rows != NO_PAIR) & (labels.n_accepted > 0)
        agreeing[rows[here]], shown[rows[here]] = labels.n_agreeing[here], labels.n_shown[here]
        yield "agreement on objects", AGREEMENTS, _grade(agreeing, shown)
        yield "agreement on the main label", AGREEMENTS, _grade(mains.n_agreeing, mains.n_accepted)
    if votes is not None:
        selected, shown = votes.own
        n_bins = len(FREQUENCY_BINS)
        bins = np.minimum(n_bins * selected // np.maximum(shown, 1), n_bins - 1)
        yield "frequency of the dataset label", FREQUENCY_BINS, np.where(shown > 0, bins, NO_GROUP).astype(np.int32)


def _grade(k: CountArray, n: CountArray) -> IntArray:
    """How far k of n agree, in whole numbers."""
    grades = np.select([2 * k < n, 4 * k < 3 * n, k < n], [0, 1, 2], default=3)
    return np.where(n > 0, grades, NO_GROUP).astype(np.int32)
