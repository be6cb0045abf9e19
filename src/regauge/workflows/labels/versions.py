"""A truth that becomes the next version of a label set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from regauge.errors import InputError
from regauge.labels.coverage import check_evidence, check_version, describe_coverage
from regauge.labels.selection import make_label_set
from regauge.records.labels.changes import VersionChanges
from regauge.records.labels.evidence import LabelEvidence, VerdictEvidence
from regauge.records.labels.label_set import LabelSet, Truth
from regauge.records.studies import LabelSetEntry
from regauge.storage.events import add_event
from regauge.storage.labels.evidence import SPREAD, find_evidence, insert_evidence, insert_frequencies, insert_objects
from regauge.storage.labels.label_set import find_versions, get_label_set, insert_label_set, load_label_set
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import list_image_sets, load_test_set


@dataclass(frozen=True, slots=True)
class AddedLabels:
    """The new version, and what the reader should know."""

    entry: LabelSetEntry
    notes: tuple[str, ...]


def store_truth(study: Study, truth: Truth, *, name: str | None = None, provenance: Mapping[str, Any]) -> AddedLabels:
    """Store a truth as the next version of a label set, with the evidence, objects and frequencies behind its verdicts.

    Args:
        study: the study, inside a transaction.
        truth: the labels; single labels become a label set in which the one class of each image is correct and every other
            wrong.
        name: what to call it; as the truth does by default. A name that exists gets a new version.
        provenance: where it came from.

    Raises:
        InputError: no image is in a test set of the study, a dataset label differs from it, or it cannot be called that.
    """
    label_set = _get_only_label_set(truth)
    label_set = label_set if name is None else replace(label_set, name=name)
    check_version(label_set, find_versions(study, label_set.name))
    for evidence in truth.evidence:
        check_evidence(label_set, evidence)
    given = truth.test_set if truth.label_sets else None
    test_sets = (load_test_set(study, entry) for entry in list_image_sets(study))
    coverage = describe_coverage(label_set, given, test_sets=test_sets)
    spread = next((counts.spread for counts in truth.frequencies if counts.spread is not None), None)
    kept = {} if spread is None else {SPREAD: asdict(spread)}
    entry = insert_label_set(study, label_set, provenance={**provenance, **kept, "notes": list(truth.notes)})
    for objects in truth.objects:
        insert_objects(study, entry, objects)
    for counts in truth.frequencies:
        insert_frequencies(study, entry, counts)
    own = {pair: one for evidence in truth.evidence for pair, one in evidence.by_pair.items()}
    found = LabelEvidence.from_pairs(entry.full_name, {**_inherit(study, entry, label_set), **own})
    insert_evidence(study, entry, found)
    add_event(study, "labels add", {"labels": entry.full_name, **provenance})
    return AddedLabels(entry, (*truth.notes, *coverage))


def _get_only_label_set(truth: Truth) -> LabelSet:
    if len(truth.label_sets) > 1:
        names = ", ".join(one.name for one in truth.label_sets)
        raise InputError(
            f"One label set is added at a time, and there are {len(truth.label_sets)}; write FILE#NAME with one of: {names}."
        )
    if truth.label_sets:
        return truth.label_sets[0]
    if truth.test_set is None:
        raise InputError("The truth has no labels.")
    return make_label_set(truth.test_set)


def _inherit(study: Study, entry: LabelSetEntry, label_set: LabelSet) -> dict[tuple[str, int], VerdictEvidence]:
    """What verdicts that did not change rested on before, where the version is stored whole; changes inherit by themselves."""
    if entry.base_id is not None or entry.parent is None:
        return {}
    before = get_label_set(study, f"{entry.name}@{entry.parent}")
    held = find_evidence(study, before).by_pair
    if not held:
        return {}
    changes = VersionChanges.between(load_label_set(study, before), label_set)
    changed = set(zip(changes.verdict_images.tolist(), changes.classes.tolist(), strict=True))
    gone = set(changes.removed.tolist())
    return {pair: one for pair, one in held.items() if pair not in changed and pair[0] not in gone}
