"""CLASSIFY: what a set of answers gives, wherever it comes from."""

from __future__ import annotations

import numpy as np
import polars as pl

from regauge.arrays import NO_CLASS
from regauge.errors import InputError
from regauge.estimates import count_things
from regauge.labels.objects.aggregation import aggregate_responses
from regauge.labels.objects.summary import summarise_labels
from regauge.records.labels.classify import DROPPED_COLUMNS, ClassifyResult, ClassifyScreening, ClassifySettings, Flaw
from regauge.records.labels.objects import ClassifyLabels
from regauge.records.responses.answers import ClassifyResponses
from regauge.records.testsets.test_set import TestSet
from regauge.responses.classify_annotators import describe_annotators
from regauge.responses.classify_screening import accept_all, find_responses, restore_responses, screen_responses


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
        InputError: screening leaves no response, or no response is about an image with a dataset label.
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
    return [f"{count_things(len(easy), 'easy image')} taken to show one object, the dataset label{asked}."]


def _screen(responses: ClassifyResponses, settings: ClassifySettings) -> ClassifyScreening:
    if not settings.screening:
        return accept_all(responses)
    screening = screen_responses(responses, keep_annotators=settings.keep_annotators)
    screening = restore_responses(screening, find_responses(responses, settings.keep_responses))
    if not screening.is_accepted.any():
        raise InputError(
            f"Screening leaves none of the {len(responses):,} responses: every one selects no label or a main label that it does "
            "not select, or is by an annotator of whose responses more than a third do. Look at them with `screening=False`."
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
