"""What annotators answered on every image, counted, and their labels divided into objects."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from regauge.arrays import NO_CLASS, BoolArray, CountArray, IntArray, freeze
from regauge.errors import InputError
from regauge.records.responses.answers import ClassifyResponses

# A table over class indices may be this many times as long as the votes, plus some, before the indices are renumbered.
_MAX_CLASSES_PER_VOTE = 4
_FEW_CLASSES = 4_096


class Tallies(NamedTuple):
    """The counts of every image; the labels of image i are `starts[i]:starts[i + 1]`, the most selected first."""

    main_labels: IntArray
    n_objects: CountArray
    n_agreeing: CountArray
    starts: CountArray
    classes: IntArray
    n_selected: CountArray
    n_main: CountArray
    label_objects: IntArray
    cut_weights: CountArray
    n_best_cuts: CountArray


def tally_responses(responses: ClassifyResponses, is_accepted: BoolArray) -> Tallies:
    """Main label, number of objects, labels and their division of every image, from the accepted responses.

    The main label is the most frequent main answer, the number of objects the most frequent number of labels selected; of
    equal counts the first in acceptance order wins. With one object all labels mean it. With several, the labels of annotators
    who selected at least two are divided by the heaviest cut (`search_partitions`), the most selected first (equal ones by
    index), so that of equal cuts one is taken that lets these name different objects; other labels are placed nowhere.

    Args:
        responses: the answers; no label twice in one of them.
        is_accepted: which of them count.

    Raises:
        InputError: an image with several objects has more than eight labels to divide.
    """
    from regauge.labels.objects._kernels import aggregate_images, group_rows

    selected, main, classes = _number_classes(responses)
    starts, rows = group_rows(responses.response_images, freeze(is_accepted, np.bool_), len(responses.image_ids))
    tallies = Tallies(
        *aggregate_images(starts, rows, responses.starts, selected, main, max(1, _count_classes(selected, main)))
    )
    _check_sizes(responses, tallies)
    if classes is None:
        return tallies
    known = tallies.main_labels != NO_CLASS
    mains = (
        np.where(known, classes[np.where(known, tallies.main_labels, 0)], NO_CLASS)
        if classes.size
        else tallies.main_labels
    )
    return tallies._replace(main_labels=mains.astype(np.int32), classes=classes[tallies.classes])


def _number_classes(responses: ClassifyResponses) -> tuple[IntArray, IntArray, IntArray | None]:
    """Selected and main labels as they are, or numbered by the sorted classes in use where indices are far apart."""
    selected, main = responses.selected, responses.main
    if _count_classes(selected, main) <= _MAX_CLASSES_PER_VOTE * len(selected) + _FEW_CLASSES:
        return selected, main, None
    named = main != NO_CLASS
    classes = np.unique(np.concatenate([selected, main[named]]))
    places = np.full(len(main), NO_CLASS, np.int32)
    places[named] = np.searchsorted(classes, main[named])
    # Read-only like the columns of a record: Numba compiles once more for arrays that are not.
    return freeze(np.searchsorted(classes, selected), np.int32), freeze(places, np.int32), classes


def _count_classes(selected: IntArray, main: IntArray) -> int:
    return 1 + max(int(selected.max(initial=NO_CLASS)), int(main.max(initial=NO_CLASS)))


def _check_sizes(responses: ClassifyResponses, tallies: Tallies) -> None:
    from regauge.labels.objects._kernels import MAX_VERTICES

    is_too_large = tallies.n_best_cuts < 0
    if is_too_large.any():
        image = int(np.argmax(is_too_large))
        raise InputError(
            f"Image {str(responses.image_ids[image])!r} has {-tallies.n_best_cuts[image]} labels to divide into "
            f"{tallies.n_objects[image]} objects, and all partitions are compared for up to {MAX_VERTICES} labels only; offer "
            "its annotators fewer candidates, or take its answers out of the file."
        )
