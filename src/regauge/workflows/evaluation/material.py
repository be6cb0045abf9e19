"""What a selection of a study stands for: a test set, its label sets, and who answered it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from regauge.errors import InputError
from regauge.formats.predictions.participants import Participant
from regauge.labels.selection import keep_images
from regauge.records.labels.label_set import LabelSet, Truth
from regauge.records.studies import LabelSetEntry, PredictionsEntry, Selection, TestSetEntry
from regauge.storage.labels.evidence import find_frequencies, find_objects
from regauge.storage.labels.label_set import get_label_set, list_label_sets, load_label_set
from regauge.storage.predictions import get_predictions, list_predictions, load_predictions
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import get_test_set, load_digests, load_test_set


@dataclass(frozen=True, slots=True, eq=False)
class StudyMaterial:
    """What a selection stands for."""

    test_set: TestSetEntry
    predictions: tuple[PredictionsEntry, ...]
    label_sets: tuple[LabelSetEntry, ...]
    participants: tuple[Participant, ...]
    truth: Truth


def find_material(
    study: Study, selection: Selection, *, may_miss: bool = False, needs_answers: bool = True
) -> StudyMaterial:
    """What a selection stands for.

    Args:
        study: the study, inside a transaction.
        selection: a test set, label sets, and whom.
        may_miss: whether a label set that is named may cover no image; it is left out then.
        needs_answers: whether a test set without predictions is refused.

    Raises:
        InputError: there is no such test set, label set or participant.
    """
    entry = get_test_set(study, selection.test_set)
    test_set = load_test_set(study, entry)
    has_answers = needs_answers or bool(list_predictions(study, entry))
    predictions = (
        get_predictions(study, entry, participants=selection.participants, chosen=selection.chosen)
        if has_answers
        else ()
    )
    chosen = _find_labels(study, selection, set(test_set.image_ids.tolist()), may_miss=may_miss)
    participants = tuple(
        Participant(one.participant, partial(load_predictions, study, one, test_set=test_set, digest=entry.digest))
        for one in predictions
    )
    label_sets = tuple(one for one, _ in chosen)
    truth = Truth(
        test_set,
        tuple(label_set for _, label_set in chosen),
        objects=tuple(filter(None, (find_objects(study, one) for one in label_sets))),
        frequencies=tuple(filter(None, (find_frequencies(study, one) for one in label_sets))),
    )
    return StudyMaterial(entry, predictions, label_sets, participants, truth)


def find_materials(study: Study, selections: Sequence[Selection]) -> list[StudyMaterial]:
    """What several selections stand for; a label set that is named must cover images of one of their sets, not of all.

    Raises:
        InputError: as in `find_material`, or of a set no label set that is named covers an image.
    """
    found = [find_material(study, one, may_miss=True) for one in selections]
    known = {entry.full_name for one in found for entry in one.label_sets}
    for name in dict.fromkeys(name for one in selections for name in one.labels):
        entry = get_label_set(study, name)
        if entry.full_name not in known:
            raise InputError(f"Label set {entry.full_name} covers no image of the test sets.")
    for one, selection in zip(found, selections, strict=True):
        if selection.labels and not one.label_sets:
            raise InputError(f"No label set that is named covers an image of {one.test_set.name}; name one that does.")
    return found


def add_digests(study: Study, material: StudyMaterial) -> StudyMaterial:
    """The same with what tells which images two sets share."""
    if material.truth.test_set is None:
        return material
    test_set = replace(material.truth.test_set, digests=load_digests(study, material.test_set))
    return replace(material, truth=replace(material.truth, test_set=test_set))


def _find_labels(
    study: Study, selection: Selection, images: set[str], *, may_miss: bool
) -> list[tuple[LabelSetEntry, LabelSet]]:
    """The label sets of a selection, cut to the images of the test set."""
    latest = {entry.name: entry for entry in list_label_sets(study)}
    asked = [get_label_set(study, name) for name in dict.fromkeys(selection.labels)]
    entries = {entry.id: entry for entry in asked or latest.values()}
    found = [(entry, keep_images(load_label_set(study, entry), images)) for entry in entries.values()]
    for entry, label_set in found:
        if asked and not may_miss and not len(label_set):
            raise InputError(f"Label set {entry.full_name} covers no image of the test set.")
    return [(entry, label_set) for entry, label_set in found if len(label_set)]
