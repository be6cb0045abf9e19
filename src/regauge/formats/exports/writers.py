"""Records → files in our own formats, so that whatever is computed can be read again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from regauge.arrays import NO_CLASS
from regauge.records.labels.frequencies import SelectionCounts
from regauge.records.labels.label_set import LabelSet, Unlisted, Verdict
from regauge.records.labels.objects import NO_OBJECT, ImageObjects
from regauge.records.predictions import Predictions
from regauge.records.taxonomy import Grouping, Taxonomy
from regauge.records.testsets.test_set import TestSet


def write_predictions(predictions: Predictions, path: Path) -> None:
    """An NPZ with image_ids, classes and, where known, scores."""
    if predictions.scores is None:
        np.savez(path, image_ids=predictions.image_ids, classes=predictions.classes)
    else:
        np.savez(path, image_ids=predictions.image_ids, classes=predictions.classes, scores=predictions.scores)


def write_truth(
    test_set: TestSet | None,
    label_set: LabelSet,
    *,
    path: Path,
    objects: ImageObjects | None = None,
    frequencies: SelectionCounts | None = None,
) -> None:
    """JSON Lines with dataset label, if a test set has it, verdicts, problematic and main label of every image of the label set.

    Lists of wrong classes tell a reader that other classes are unjudged; where the label set takes what it does not list
    for wrong, they say nothing more and are left out. Objects and selection frequencies of these images are written too,
    where they are given.
    """
    evidence = _describe_objects(objects)
    for image_id, counts in _describe_frequencies(frequencies).items():
        evidence[image_id] = {**evidence.get(image_id, {}), "frequencies": counts}
    listed = [one for one in reversed(Verdict) if one is not Verdict.WRONG or label_set.unlisted is Unlisted.UNJUDGED]
    known = [] if test_set is None else zip(test_set.image_ids.tolist(), test_set.labels.tolist(), strict=True)
    label_of = {image_id: label for image_id, label in known if label != NO_CLASS}
    with path.open("w", encoding="utf-8") as file:
        for row, image_id in enumerate(label_set.image_ids.tolist()):
            judged = slice(int(label_set.starts[row]), int(label_set.starts[row + 1]))
            classes, verdicts = label_set.classes[judged], label_set.verdicts[judged]
            line = {"image_id": image_id, "label": label_of.get(image_id)}
            line |= {verdict.name.lower(): classes[verdicts == verdict].tolist() for verdict in listed}
            line["problematic"] = bool(label_set.is_problematic[row])
            if label_set.is_follow_up_only:
                line["follow_up_only"] = True
            if label_set.main_labels[row] != NO_CLASS:
                line["main"] = int(label_set.main_labels[row])
            file.write(json.dumps(line | evidence.get(image_id, {})) + "\n")


def _describe_objects(objects: ImageObjects | None) -> dict[str, dict[str, Any]]:
    """The fields of every image whose objects are known."""
    if objects is None:
        return {}
    fields: dict[str, dict[str, Any]] = {}
    for row, (image_id, n_objects) in enumerate(
        zip(objects.image_ids.tolist(), objects.n_objects.tolist(), strict=True)
    ):
        if n_objects:
            fields[image_id] = {"objects": objects.get_objects(row), "object_labels": objects.get_names(row)}
            if objects.main_objects[row] != NO_OBJECT:
                fields[image_id]["main_object"] = int(objects.main_objects[row])
    return fields


def _describe_frequencies(counts: SelectionCounts | None) -> dict[str, dict[str, list[int]]]:
    """Per image, [n_shown, n_selected] of every class."""
    fields: dict[str, dict[str, list[int]]] = {}
    if counts is None:
        return fields
    columns = (counts.image_ids[counts.images], counts.classes, counts.n_shown, counts.n_selected)
    for image_id, index, n_shown, n_selected in zip(*(column.tolist() for column in columns), strict=True):
        fields.setdefault(image_id, {})[str(index)] = [n_shown, n_selected]
    return fields


def write_taxonomy(taxonomy: Taxonomy, path: Path) -> None:
    """Regauge's own JSON, as docs/taxonomy.md describes it."""
    path.write_text(format_taxonomy(taxonomy), encoding="utf-8")


def format_taxonomy(taxonomy: Taxonomy, *, source: str = "") -> str:
    """The taxonomy in Regauge's own format, one class, node and group per line, so that versions can be compared.

    Args:
        taxonomy: what to write.
        source: where the words come from, kept in the file.
    """
    classes = [
        {
            "index": one.index,
            "id": one.id,
            "names": one.names,
            "gloss": one.gloss,
            "link": one.link,
            "parents": taxonomy.parents.get(one.id, ()),
        }
        for one in taxonomy.classes
    ]
    class_ids = {one.id for one in taxonomy.classes}
    nodes = [
        {"id": node, "names": taxonomy.find_names(node), "parents": parents}
        for node, parents in taxonomy.parents.items()
        if node not in class_ids
    ]
    head = {"format": "regauge-taxonomy", "version": 1, "name": taxonomy.name, "source": source}
    fields = [f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in head.items()]
    groupings = ",\n".join(map(_format_grouping, taxonomy.groupings))
    lists = [
        f'"classes": {_format_list(classes)}',
        f'"nodes": {_format_list(nodes)}',
        f'"groupings": [\n{groupings}\n]',
    ]
    return "{\n" + ",\n".join(fields + lists) + "\n}\n"


def _format_grouping(grouping: Grouping) -> str:
    groups = [{"name": rule.name, "within": rule.within, "without": rule.without} for rule in grouping.groups]
    head = json.dumps({"name": grouping.name, "reference": grouping.reference}, ensure_ascii=False)
    return f'{head[:-1]}, "groups": {_format_list(groups)}}}'


def _format_list(entries: Iterable[Mapping[str, Any]]) -> str:
    return "[\n" + ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in entries) + "\n]"
