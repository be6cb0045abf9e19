"""Records → files in our own formats, so that whatever is computed can be read again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from regauge.arrays import NO_CLASS
from regauge.formats.labels.evidence import EVIDENCE_FIELD, FREQUENCY_FIELD, describe_evidence
from regauge.formats.labels.verdict_lines import KIND_FIELD, UNLISTED_FIELD
from regauge.records.labels.frequencies import SelectionCounts
from regauge.records.labels.label_set import LabelKind, Truth, Unlisted
from regauge.records.labels.objects import NO_OBJECT, ImageObjects
from regauge.records.labels.verdicts import Verdict
from regauge.records.predictions import Predictions


def write_predictions(predictions: Predictions, path: Path) -> None:
    """An NPZ with image_ids, classes and, where known, scores and seconds."""
    known = {name: getattr(predictions, name) for name in ("scores", "seconds", "active_seconds")}
    columns = {name: column for name, column in known.items() if column is not None}
    np.savez(path, image_ids=predictions.image_ids, classes=predictions.classes, **columns)


def write_truth(truth: Truth, *, path: Path) -> None:
    """JSON Lines with dataset label, if it is known, verdicts, problematic and main label of every image of the one label set.

    Lists of wrong classes tell a reader that other classes are unjudged; where the label set takes what it does not list
    for wrong, a field of its own says so, or there are no such lists. Objects and selection frequencies of these images, and
    what verdicts rest on, are written too, where they are known.
    """
    (label_set,), test_set = truth.label_sets, truth.test_set
    more = _describe_more(truth)
    is_complete, has_wrong = label_set.unlisted is Unlisted.WRONG, bool((label_set.verdicts == Verdict.WRONG).any())
    listed = [one for one in reversed(Verdict) if one is not Verdict.WRONG or has_wrong or not is_complete]
    known = [] if test_set is None else zip(test_set.image_ids.tolist(), test_set.labels.tolist(), strict=True)
    label_of = {image_id: label for image_id, label in known if label != NO_CLASS}
    with path.open("w", encoding="utf-8") as file:
        for row, image_id in enumerate(label_set.image_ids.tolist()):
            judged = slice(int(label_set.starts[row]), int(label_set.starts[row + 1]))
            classes, verdicts = label_set.classes[judged], label_set.verdicts[judged]
            line = {"image_id": image_id, "label": label_of.get(image_id)}
            line |= {verdict.name.lower(): classes[verdicts == verdict].tolist() for verdict in listed}
            if is_complete and has_wrong:
                line[UNLISTED_FIELD] = str(label_set.unlisted)
            if label_set.kind is not LabelKind.MULTILABEL:
                line[KIND_FIELD] = str(label_set.kind)
            line["problematic"] = bool(label_set.is_problematic[row])
            if label_set.is_follow_up_only:
                line["follow_up_only"] = True
            if label_set.main_labels[row] != NO_CLASS:
                line["main"] = int(label_set.main_labels[row])
            file.write(json.dumps(line | more.get(image_id, {})) + "\n")


def _describe_more(truth: Truth) -> dict[str, dict[str, Any]]:
    """The fields of every image besides its verdicts."""
    more: dict[str, dict[str, Any]] = {}
    fields = [
        *(_describe_objects(one) for one in truth.objects),
        *(_name_field(FREQUENCY_FIELD, _describe_frequencies(one)) for one in truth.frequencies),
        *(_name_field(EVIDENCE_FIELD, describe_evidence(one)) for one in truth.evidence),
    ]
    for found in fields:
        for image_id, said in found.items():
            more[image_id] = {**more.get(image_id, {}), **said}
    return more


def _name_field(name: str, found: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    return {image_id: {name: said} for image_id, said in found.items()}


def _describe_objects(objects: ImageObjects) -> dict[str, dict[str, Any]]:
    """The fields of every image whose objects are known."""
    fields: dict[str, dict[str, Any]] = {}
    for row, (image_id, n_objects) in enumerate(
        zip(objects.image_ids.tolist(), objects.n_objects.tolist(), strict=True)
    ):
        if n_objects:
            fields[image_id] = {"objects": objects.get_objects(row), "object_labels": objects.get_names(row)}
            if objects.main_objects[row] != NO_OBJECT:
                fields[image_id]["main_object"] = int(objects.main_objects[row])
    return fields


def _describe_frequencies(counts: SelectionCounts) -> dict[str, dict[str, list[int]]]:
    """Per image, [n_shown, n_selected] of every class."""
    fields: dict[str, dict[str, list[int]]] = {}
    columns = (counts.image_ids[counts.images], counts.classes, counts.n_shown, counts.n_selected)
    for image_id, index, n_shown, n_selected in zip(*(column.tolist() for column in columns), strict=True):
        fields.setdefault(image_id, {})[str(index)] = [n_shown, n_selected]
    return fields
