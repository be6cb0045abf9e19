"""Which labels to ask people about: potential labels, candidates for CLASSIFY, and where each image goes."""

from __future__ import annotations

from regauge.candidates.final import find_candidates
from regauge.candidates.potential import find_potential_labels
from regauge.candidates.split import split_images
from regauge.errors import InputError
from regauge.estimates import DEFAULT_LEVEL, check_level
from regauge.formats.classes import check_indices
from regauge.formats.labels.frequencies import load_selection_counts
from regauge.records.candidates import DEFAULT_TOP, Candidates, PotentialLabels, Split
from regauge.records.labels.frequencies import SelectionCounts
from regauge.records.taxonomy import Taxonomy
from regauge.records.testsets.test_set import TestSet
from regauge.workflows.inputs import (
    CountsLike,
    PredictionsLike,
    TaxonomyLike,
    TruthLike,
    find_participants,
    load_truth,
    open_taxonomy,
)


def find_potential(
    predictions: PredictionsLike, truth: TruthLike, *, taxonomy: TaxonomyLike = None, top: int = DEFAULT_TOP
) -> PotentialLabels:
    """The dataset label and the first answers of all participants, per image.

    Args:
        predictions: files, folders, globs or records, as in `score`; they are read one after the other.
        truth: files or records with the dataset labels.
        taxonomy: the classes, by name, file or record.
        top: how many answers of each participant to take.
    """
    classes = open_taxonomy(taxonomy)
    test_set = _get_test_set(truth, classes)
    participants = find_participants(predictions, taxonomy=classes)
    return find_potential_labels((one.load() for one in participants), test_set, top=top)


def find_final(
    counts: CountsLike,
    truth: TruthLike,
    *,
    taxonomy: TaxonomyLike,
    level: float = DEFAULT_LEVEL,
    skip_unknown: bool = False,
) -> Candidates:
    """The candidates for CLASSIFY from selection counts, with the rule that chose each.

    Args:
        counts: what `aggregate contains` gave: a file or a record.
        truth: files or records with the dataset labels.
        taxonomy: the classes and their hierarchy.
        level: nominal coverage of the intervals.
        skip_unknown: leave out images that the truth does not have, such as controls from another test set.
    """
    classes = open_taxonomy(taxonomy)
    if classes is None:
        raise InputError(
            "Candidates are chosen by their distance in the hierarchy; name the classes with `taxonomy=…`."
        )
    check_level(level)
    test_set = _get_test_set(truth, classes)
    known = _open_counts(counts, classes, test_set if skip_unknown else None)
    return find_candidates(known, test_set, taxonomy=classes, level=level)


def find_split(
    counts: CountsLike,
    truth: TruthLike,
    *,
    taxonomy: TaxonomyLike = None,
    level: float = DEFAULT_LEVEL,
    skip_unknown: bool = False,
) -> Split:
    """Where each image goes after CONTAINS: easy, mislabeled, ambiguous or follow-up; arguments as in `find_final`."""
    classes = open_taxonomy(taxonomy)
    check_level(level)
    test_set = _get_test_set(truth, classes)
    return split_images(_open_counts(counts, classes, test_set if skip_unknown else None), test_set, level=level)


def _open_counts(counts: CountsLike, taxonomy: Taxonomy | None, known: TestSet | None) -> SelectionCounts:
    """The counts; where a test set is given, those of its images alone."""
    if isinstance(counts, SelectionCounts):
        check_indices(counts.classes, taxonomy)
        found = counts
    else:
        found = load_selection_counts(counts, taxonomy=taxonomy)
    return found if known is None else found.keep_images(known.image_ids.tolist())


def _get_test_set(truth: TruthLike, taxonomy: Taxonomy | None) -> TestSet:
    found = load_truth(truth, taxonomy=taxonomy)
    if found.test_set is None:
        raise InputError(f"Candidates are chosen around dataset labels, and {found.name} has none.")
    return found.test_set
