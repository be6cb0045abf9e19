"""LABEL: the counts of images while people answer. Answers become participants, as those of models are, and no labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from regauge.arrays import NO_CLASS
from regauge.errors import InputError
from regauge.kinds.label.answers import find_named
from regauge.records.campaigns.campaign import ResponseStatus
from regauge.records.labels.results import LabelContext, MadeLabels
from regauge.records.responses.figures import ImageCounts
from regauge.records.responses.named import NamedClasses
from regauge.responses.ledger import Ledger


@dataclass(frozen=True, slots=True)
class NoRule:
    """There are no labels, and so nothing to decide about them.

    Attributes:
        keep_annotators: nobody; nobody is left out.
        keep_responses: nothing.
    """

    keep_annotators: tuple[str, ...] = ()
    keep_responses: tuple[tuple[str, str], ...] = ()


class NameCounter:
    """Counts the classes that are named for the images of a running campaign."""

    def count(self, ledger: Ledger) -> ImageCounts:
        """The class that most people named for every image, over the answers that count; of equally frequent ones the first."""
        columns, tasks = ledger.columns, ledger.tasks
        held = columns.keep(columns.find_rows((ResponseStatus.COUNTED,)))
        keys = np.stack((held.tasks.astype(np.int64), find_named(held).astype(np.int64)))
        (owners, named), counts = np.unique(keys, axis=1, return_counts=True)
        # The most frequent one of a task comes last of its own, and so stays.
        order = np.lexsort((-named, counts, owners))
        classes, n_named = np.full(len(tasks), NO_CLASS, np.int32), np.zeros(len(tasks), np.int64)
        classes[owners[order]], n_named[owners[order]] = named[order], counts[order]
        work = np.flatnonzero(tasks.is_work)
        return ImageCounts(
            images=tasks.subjects[work],
            classes=classes[work],
            n_shown=np.bincount(held.tasks, minlength=len(tasks))[work],
            n_selected=n_named[work],
            is_control=np.zeros(len(work), np.bool_),
        )


def make_counter() -> NameCounter:
    """What counts the images of a running campaign."""
    return NameCounter()


def make_labels(
    responses: NamedClasses,  # noqa: ARG001 - every kind has this function
    settings: NoRule,  # noqa: ARG001
    *,
    context: LabelContext,
) -> MadeLabels:
    """No labels: nobody said of a class that it is wrong.

    Raises:
        InputError: always.
    """
    raise InputError(
        f"{context.name}: people who name one class each are participants, and give no labels; make them participants with: "
        "regauge campaign predictions."
    )
