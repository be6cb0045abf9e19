"""What a label set covers: whether it fits the test sets, and the versions before it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from regauge.arrays import NO_CLASS
from regauge.errors import InputError
from regauge.labels.selection import keep_images
from regauge.records.labels.evidence import LabelEvidence
from regauge.records.labels.label_set import LabelSet
from regauge.records.names import check_name
from regauge.records.studies import LabelSetEntry
from regauge.records.testsets.test_set import TestSet


def check_version(label_set: LabelSet, before: Sequence[LabelSetEntry]) -> None:
    """Make sure that a label set can be the next version of its name.

    A new name must be one; what an earlier version called otherwise gets its next version. Versions of one name are of one kind.

    Raises:
        InputError: the name is not a name, or earlier versions are of another kind.
    """
    if not before:
        check_name(label_set.name, what="A label set")
    elif before[-1].kind is not label_set.kind:
        raise InputError(
            f"Label set {label_set.name!r} is of the kind {before[-1].kind}, the new labels are {label_set.kind}; give them "
            "another name with `name=…`."
        )


def check_evidence(label_set: LabelSet, evidence: LabelEvidence) -> None:
    """Make sure that evidence is of verdicts that the label set has.

    Raises:
        InputError: there is evidence of a verdict that is not there.
    """
    named = dict.fromkeys(evidence.image_ids.tolist())
    judged = keep_images(label_set, named)
    pairs = set(zip(judged.image_ids[judged.rows].tolist(), judged.classes.tolist(), strict=True))
    unknown = next((pair for pair in evidence.by_pair if pair not in pairs), None)
    if unknown is not None:
        raise InputError(
            f"There is evidence of class {unknown[1]} in image {unknown[0]!r}, of which {label_set.name} has no verdict."
        )


def describe_coverage(label_set: LabelSet, given: TestSet | None, *, test_sets: Iterable[TestSet]) -> list[str]:
    """How many images of each test set the labels cover, a sentence for each of which they cover any.

    Args:
        label_set: the labels.
        given: the dataset labels that come with them, which must be those of the test sets.
        test_sets: those of the study.

    Raises:
        InputError: a dataset label differs, or no image is in a test set.
    """
    ours = set(label_set.image_ids.tolist())
    labels = {} if given is None else dict(zip(given.image_ids.tolist(), given.labels.tolist(), strict=True))
    notes = []
    for test_set in test_sets:
        ids = test_set.image_ids.tolist()
        n_covered = len(ours.intersection(ids))
        for image_id, label in zip(ids, test_set.labels.tolist(), strict=True) if labels else ():
            if labels.get(image_id, label) != label and NO_CLASS not in {label, labels[image_id]}:
                raise InputError(
                    f"Image {image_id!r} has the dataset label {label} in test set {test_set.name}, but {labels[image_id]} in "
                    "the file of labels; a dataset label never changes."
                )
        if n_covered:
            notes.append(f"{label_set.name} covers {n_covered:,} of {len(test_set):,} images of {test_set.name}.")
    if not notes:
        raise InputError(
            f"No image of {label_set.name} is in a test set of the study; its first is {str(label_set.image_ids[0])!r}. Add the "
            "test set first, or write the ids the same way."
        )
    return notes
