"""From CLASSIFY answers to the main label and the objects of every image."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias, Unpack

import numpy as np

from regauge.arrays import NO_CLASS
from regauge.candidates.split import split_images
from regauge.errors import InputError
from regauge.formats.exports.writers import write_truth
from regauge.formats.labels.frequencies import load_selection_counts
from regauge.formats.labels.splits import load_parts
from regauge.formats.responses.classify import load_classify_responses
from regauge.formats.responses.data_frames import is_data_frame
from regauge.labels.objects.easy import find_easy, make_truth
from regauge.labels.objects.results import aggregate
from regauge.records.candidates import SplitPart
from regauge.records.keywords import ClassifyKeywords, choose_settings
from regauge.records.labels.classify import ClassifyResult, ClassifySettings
from regauge.records.responses.answers import ClassifyResponses
from regauge.records.taxonomy import Taxonomy
from regauge.records.testsets.test_set import TestSet
from regauge.storage.files import write_whole
from regauge.workflows.inputs import TaxonomyLike, TruthLike, load_truth, open_taxonomy

ClassifyPart: TypeAlias = ClassifyResponses | str | Path


def aggregate_classify(
    responses: ClassifyPart | Sequence[str | Path],
    truth: TruthLike | None = None,
    *,
    taxonomy: TaxonomyLike = None,
    settings: ClassifySettings | None = None,
    parts: Mapping[str, SplitPart] | None = None,
    **keywords: Unpack[ClassifyKeywords],
) -> ClassifyResult:
    """Main label, number of objects, objects and confidence of every image, and a table of the annotators.

    Which images are easy, and so were not asked about, is said by the parts, or by the files that the settings name.

    Args:
        responses: one or several files of answers, or a record.
        truth: files or records with dataset labels, to find the object that holds each.
        taxonomy: the classes, by name, file or record; without it files name classes by index.
        settings: whether and how to screen, the level of the intervals, and the files that tell easy images; or each of them
            by its keyword, as in `screening=False`.
        parts: image id → where it went after CONTAINS.
        keywords: fields of `ClassifySettings`.

    Raises:
        InputError: the answers are not what they must be, none is left after screening, or the truth fits none of them.
    """
    settings = choose_settings(ClassifySettings, settings, keywords=keywords)
    classes = open_taxonomy(taxonomy)
    answers, notes = _open(responses, classes)
    test_set = _find_test_set(truth, classes)
    easy = _find_easy(test_set, settings, parts, taxonomy=classes)
    return aggregate(answers, settings, test_set=test_set, easy=easy, notes=notes)


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
        write_truth(replace(truth, test_set=test_set), path=partial)


def _list_columns(test_set: TestSet) -> tuple[list[str], list[int]]:
    return test_set.image_ids.tolist(), test_set.labels.tolist()


def _find_easy(
    test_set: TestSet | None,
    settings: ClassifySettings,
    parts: Mapping[str, SplitPart] | None,
    *,
    taxonomy: Taxonomy | None,
) -> TestSet | None:
    """The easy images, if anything says which they are."""
    if parts is None and not (settings.split or settings.contains):
        return None
    if test_set is None:
        raise InputError("An easy image counts as one object, its dataset label; say which that is with `truth=…`.")
    if parts is None and settings.split:
        parts = load_parts(settings.split)
    elif parts is None:
        counts = load_selection_counts(settings.contains, taxonomy=taxonomy)
        parts = split_images(counts.keep_images(test_set.image_ids.tolist()), test_set).to_parts()
    return find_easy(parts, test_set)


def _open(
    responses: ClassifyPart | Sequence[str | Path], taxonomy: TaxonomyLike
) -> tuple[ClassifyResponses, tuple[str, ...]]:
    if isinstance(responses, ClassifyResponses):
        if not len(responses):
            raise InputError("There are no responses to aggregate.")
        return responses, ()
    if is_data_frame(responses):
        raise InputError(
            "Answers to CLASSIFY are files or `ClassifyResponses`, not a data frame: write it as JSON Lines, with "
            "the lists of labels as they are."
        )
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
