"""CLASSIFY: what a set of answers gives, the labels that a campaign makes of it, and the counts of its images while it runs."""

from __future__ import annotations

import numpy as np
import polars as pl

from regauge.errors import InputError
from regauge.labels.objects.aggregation import aggregate_responses
from regauge.labels.objects.easy import make_truth
from regauge.labels.objects.summary import summarise_labels
from regauge.labels.verdicts import count_verdicts
from regauge.records.arrays import NO_CLASS
from regauge.records.campaigns import ResponseStatus
from regauge.records.classify import DROPPED_COLUMNS, ClassifyResult, ClassifyScreening, ClassifySettings, Flaw
from regauge.records.figures import ImageCounts
from regauge.records.objects import ClassifyLabels
from regauge.records.responses import ClassifyResponses
from regauge.records.results import EasySource, LabelContext, MadeLabels
from regauge.records.testsets import TestSet
from regauge.responses.classify_annotators import describe_annotators
from regauge.responses.classify_screening import accept_all, find_responses, restore_responses, screen_responses
from regauge.responses.ledger import Ledger


def aggregate(
    responses: ClassifyResponses,
    settings: ClassifySettings,
    *,
    test_set: TestSet | None = None,
    easy: TestSet | None = None,
    notes: tuple[str, ...] = (),
) -> ClassifyResult:
    """Main label, number of objects, objects and confidence of every image, and a table of the annotators.

    Args:
        responses: the answers.
        settings: whether and how to screen, and the level of the intervals.
        test_set: dataset labels, to find the object that holds each.
        easy: the easy images with their dataset labels; None where it is not known which are.
        notes: what is known of the answers already, a sentence each.

    Raises:
        InputError: none is left after screening, or the dataset labels fit none of them.
    """
    screening = _screen(responses, settings)
    labels = aggregate_responses(responses, screening.is_accepted, test_set=test_set, level=settings.level)
    return ClassifyResult(
        labels=labels,
        screening=screening,
        annotators=describe_annotators(responses, screening, level=settings.level),
        dropped=_list_dropped(responses, screening),
        summary=summarise_labels(labels),
        notes=(
            *notes,
            *_describe_screening(screening),
            *_describe_images(labels, test_set),
            *_describe_easy(labels, easy),
        ),
        easy=easy,
    )


def find_easy_source(settings: ClassifySettings) -> EasySource | None:
    """What the rule names; None where it names nothing."""
    return EasySource(settings.split, settings.contains) if settings.split or settings.contains else None


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


def _list_dropped(responses: ClassifyResponses, screening: ClassifyScreening) -> pl.DataFrame:
    rows = np.flatnonzero(~screening.is_accepted)
    columns = {
        "image_id": responses.image_ids[responses.response_images[rows]].tolist(),
        "annotator_id": responses.annotator_ids[responses.response_annotators[rows]].tolist(),
        "reason": [Flaw(flaw).sentence for flaw in screening.flaws[rows].tolist()],
    }
    return pl.DataFrame(columns, schema=dict(DROPPED_COLUMNS))


def _describe_easy(labels: ClassifyLabels, easy: TestSet | None) -> list[str]:
    if easy is None:
        n = int(np.count_nonzero(labels.n_accepted))
        which = "images of CLASSIFY" if n == len(labels) else "images of CLASSIFY that have an accepted answer"
        sentence = (
            f"Nothing says which images were easy in CONTAINS, so figures on objects and main labels are of the {n:,} {which} "
            "and are named “follow-up images only”; a split or the CONTAINS counts take easy images in."
        )
        return [sentence]
    n_asked = int(np.isin(easy.image_ids, labels.objects.image_ids[labels.n_accepted > 0]).sum())
    asked = f"; people were asked about {n_asked:,} of them, and their answers hold" if n_asked else ""
    return [f"{len(easy):,} images are easy and count as one object, their dataset label{asked}."]


def _screen(responses: ClassifyResponses, settings: ClassifySettings) -> ClassifyScreening:
    if not settings.screening:
        return accept_all(responses)
    screening = screen_responses(responses, keep_annotators=settings.keep_annotators)
    screening = restore_responses(screening, find_responses(responses, settings.keep_responses))
    if not screening.is_accepted.any():
        raise InputError(
            f"Screening leaves none of the {len(responses):,} responses: every one selects no label or a main label that it does "
            "not select, or is by an annotator of whose responses more than a third do. Look at them with --no-screening."
        )
    return screening


def _describe_screening(screening: ClassifyScreening) -> list[str]:
    n_ignored = len(screening) - int(screening.is_accepted.sum())
    if not n_ignored:
        return []
    reasons = ", ".join(f"{screening.count(flaw):,} {flaw.sentence}" for flaw in Flaw if screening.count(flaw))
    n_annotators = int((screening.is_ignored & ~screening.is_restored).sum())
    who = f" {n_annotators:,} of {len(screening.n_responses):,} annotators are ignored." if n_annotators else ""
    return [f"{n_ignored:,} of {len(screening):,} responses are ignored: {reasons}.{who}"]


def _describe_images(labels: ClassifyLabels, test_set: TestSet | None) -> list[str]:
    notes = []
    n_empty = int((labels.n_accepted == 0).sum())
    if n_empty:
        first = str(labels.objects.image_ids[int(np.argmax(labels.n_accepted == 0))])
        notes.append(
            f"{n_empty:,} of {len(labels):,} images, the first being {first!r}, have no accepted answer, so no labels."
        )
    n_unknown = int((labels.dataset_labels == NO_CLASS).sum())
    if test_set is not None and n_unknown == len(labels):
        raise InputError(
            f"The responses and {test_set.name} share no image id: the first response is on "
            f"{str(labels.objects.image_ids[0])!r}, the truth's first image is {str(test_set.image_ids[0])!r}. Write the ids "
            "the same way in both files."
        )
    if test_set is not None and n_unknown:
        notes.append(f"{n_unknown:,} of {len(labels):,} images have no dataset label in {test_set.name}.")
    return notes
