"""CLASSIFY: the labels that a campaign makes of its answers, and the counts of its images while it runs."""

from __future__ import annotations

import numpy as np

from regauge.arrays import NO_CLASS
from regauge.labels.frequencies.verdicts import count_verdicts
from regauge.labels.objects.easy import make_truth
from regauge.labels.objects.results import aggregate
from regauge.records.campaigns.campaign import ResponseStatus
from regauge.records.labels.classify import ClassifySettings
from regauge.records.labels.results import LabelContext, MadeLabels
from regauge.records.responses.answers import ClassifyResponses
from regauge.records.responses.figures import ImageCounts
from regauge.responses.ledger import Ledger


def make_labels(responses: ClassifyResponses, settings: ClassifySettings, *, context: LabelContext) -> MadeLabels:
    """Verdicts with the objects and main labels behind them, of the images asked about and of easy ones."""
    result = aggregate(responses, settings, test_set=context.images, easy=context.easy)
    truth = make_truth(result.labels, result.easy)
    label_set, screening = truth.label_sets[0], result.screening
    n_unanswered = int(np.count_nonzero(~np.isin(result.labels.objects.image_ids, label_set.image_ids)))
    return MadeLabels(
        truth,
        n_images=len(label_set) + n_unanswered,
        n_unanswered=n_unanswered,
        n_screened_answers=int(np.count_nonzero(~screening.is_accepted)),
        n_screened_annotators=int(np.count_nonzero(screening.is_ignored & ~screening.is_restored)),
        verdicts=count_verdicts(label_set),
        notes=result.notes,
    )


def make_counter() -> MainCounter:
    """What counts the images of a running campaign."""
    return MainCounter()


class MainCounter:
    """Counts the main labels of the images of a running campaign."""

    def count(self, ledger: Ledger) -> ImageCounts:
        """The most frequent main label of every image, over the answers that count.

        Of equally frequent labels the first that was named stands for the image, as for its main label in the end.
        """
        from regauge.responses.live._kernels import find_most_named, sort_by

        columns, tasks = ledger.columns, ledger.tasks
        rows = columns.find_rows((ResponseStatus.COUNTED,))
        order, groups = sort_by(columns.tasks[rows], len(tasks))
        items, n_named = find_most_named(order, groups, columns.mains[rows].astype(np.int32))
        work = np.flatnonzero(tasks.is_work)
        has_main = items[work] >= 0
        places = np.minimum(tasks.starts[work] + np.maximum(items[work], 0), max(0, len(tasks.items) - 1))
        return ImageCounts(
            images=tasks.subjects[work],
            classes=np.where(has_main, tasks.items[places], NO_CLASS).astype(np.int32),
            n_shown=np.diff(groups)[work],
            n_selected=n_named[work],
            is_control=np.zeros(len(work), np.bool_),
        )
