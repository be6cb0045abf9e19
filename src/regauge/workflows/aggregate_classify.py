"""From CLASSIFY answers to the main label and the objects of every image."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np
import polars as pl

from regauge.candidates.split import split_images
from regauge.errors import InputError
from regauge.formats.classify_responses import load_classify_responses
from regauge.formats.frequencies import load_selection_counts
from regauge.formats.splits import load_parts
from regauge.formats.writers import write_truth
from regauge.labels.objects.aggregation import aggregate_responses
from regauge.labels.objects.easy import find_easy, make_truth
from regauge.labels.objects.summary import summarise_labels
from regauge.records.arrays import NO_CLASS
from regauge.records.candidates import Part
from regauge.records.classify import DROPPED_COLUMNS, ClassifyResult, ClassifyScreening, ClassifySettings, Flaw
from regauge.records.objects import ClassifyLabels
from regauge.records.responses import ClassifyResponses
from regauge.records.taxonomy import Taxonomy
from regauge.records.testsets import TestSet
from regauge.responses.classify_annotators import describe_annotators
from regauge.responses.classify_screening import accept_all, find_responses, restore_responses, screen_responses
from regauge.storage.files import write_whole
from regauge.workflows.inputs import TaxonomyLike, TruthLike, load_truth, open_taxonomy

ClassifyPart: TypeAlias = ClassifyResponses | str | Path


def aggregate_classify(
    responses: ClassifyPart | Sequence[str | Path],
    truth: TruthLike | None = None,
    *,
    taxonomy: TaxonomyLike = None,
    settings: ClassifySettings | None = None,
    parts: Mapping[str, Part] | None = None,
) -> ClassifyResult:
    """Main label, number of objects, objects and confidence of every image, and a table of the annotators.

    Which images are easy, and so were not asked about, is said by the parts, or by the files that the settings name.

    Args:
        responses: one or several files of answers, or a record.
        truth: files or records with dataset labels, to find the object that holds each.
        taxonomy: the classes, by name, file or record; without it files name classes by index.
        settings: whether and how to screen, the level of the intervals, and the files that tell easy images.
        parts: image id → where it went after CONTAINS.

    Raises:
        InputError: the answers are not what they must be, none is left after screening, or the truth fits none of them.
    """
    settings = settings or ClassifySettings()
    classes = open_taxonomy(taxonomy)
    answers, notes = _open(responses, classes)
    test_set = _find_test_set(truth, classes)
    easy = _find_easy(test_set, settings, parts, taxonomy=classes)
    screening = _screen(answers, settings)
    labels = aggregate_responses(answers, screening.is_accepted, test_set=test_set, level=settings.level)
    return ClassifyResult(
        labels=labels,
        screening=screening,
        annotators=describe_annotators(answers, screening, level=settings.level),
        dropped=_list_dropped(answers, screening),
        summary=summarise_labels(labels),
        notes=(
            *notes,
            *_describe_screening(screening),
            *_describe_images(labels, test_set),
            *_describe_easy(labels, easy),
        ),
        easy=easy,
    )


def save_labels(result: ClassifyResult, path: Path) -> None:
    """Write main labels and objects as a truth: the name of every object is correct, whatever is not named is wrong.

    Easy images are in it, where it is known which are; else the truth says that it is of follow-up images only.
    """
    labels, truth = result.labels, make_truth(result.labels, result.easy)
    label_of = {} if result.easy is None else dict(zip(*_list_columns(result.easy), strict=True))
    known = labels.dataset_labels != NO_CLASS
    label_of |= zip(labels.objects.image_ids[known].tolist(), labels.dataset_labels[known].tolist(), strict=True)
    test_set = TestSet("classify", np.array(list(label_of), np.str_), np.array(list(label_of.values()), np.int32))
    with write_whole(path, replaces=True) as partial:
        write_truth(test_set, truth.label_sets[0], path=partial, objects=truth.objects[0])


def _list_columns(test_set: TestSet) -> tuple[list[str], list[int]]:
    return test_set.image_ids.tolist(), test_set.labels.tolist()


def _find_easy(
    test_set: TestSet | None,
    settings: ClassifySettings,
    parts: Mapping[str, Part] | None,
    *,
    taxonomy: Taxonomy | None,
) -> TestSet | None:
    """The easy images, if anything says which they are."""
    if parts is None and not (settings.split or settings.contains):
        return None
    if test_set is None:
        raise InputError("An easy image counts as one object, its dataset label; say which that is with --truth.")
    if parts is None and settings.split:
        parts = load_parts(settings.split)
    elif parts is None:
        counts = load_selection_counts(settings.contains, taxonomy=taxonomy)
        parts = split_images(counts.keep_images(test_set.image_ids.tolist()), test_set).to_parts()
    return find_easy(parts, test_set)


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


def _list_dropped(responses: ClassifyResponses, screening: ClassifyScreening) -> pl.DataFrame:
    rows = np.flatnonzero(~screening.is_accepted)
    columns = {
        "image_id": responses.image_ids[responses.response_images[rows]].tolist(),
        "annotator_id": responses.annotator_ids[responses.response_annotators[rows]].tolist(),
        "reason": [Flaw(flaw).sentence for flaw in screening.flaws[rows].tolist()],
    }
    return pl.DataFrame(columns, schema=dict(DROPPED_COLUMNS))


def _open(
    responses: ClassifyPart | Sequence[str | Path], taxonomy: TaxonomyLike
) -> tuple[ClassifyResponses, tuple[str, ...]]:
    if isinstance(responses, ClassifyResponses):
        if not len(responses):
            raise InputError("There are no responses to aggregate.")
        return responses, ()
    paths = [responses] if isinstance(responses, str | Path) else list(responses)
    if not paths:
        raise InputError("Answers are needed: give at least one file.")
    return load_classify_responses(paths, taxonomy=open_taxonomy(taxonomy))


def _find_test_set(truth: TruthLike | None, taxonomy: TaxonomyLike) -> TestSet | None:
    if truth is None:
        return None
    found = load_truth(truth, taxonomy=taxonomy)
    if found.test_set is None:
        raise InputError(f"Objects are compared with dataset labels, and {found.name} has none.")
    return found.test_set


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
