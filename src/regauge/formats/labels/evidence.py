"""What a truth file says beside its verdicts: what they rest on, objects, and selection frequencies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from regauge.errors import InputError
from regauge.formats.classes import resolve_class
from regauge.formats.sizes import make_names
from regauge.records.labels.evidence import LabelEvidence, VerdictEvidence
from regauge.records.labels.frequencies import SelectionCounts
from regauge.records.labels.objects import NO_OBJECT, ImageObjects
from regauge.records.taxonomy import Taxonomy

FREQUENCY_FIELD = "frequencies"
EVIDENCE_FIELD = "evidence"
"""Per class by its index, what its verdict rests on."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The objects of one image, how often its classes were shown and selected, and what its verdicts rest on.

    Attributes:
        objects: per object, its labels.
        names: per object, the label that it is called by.
        main_object: the number of the main object from 0; `NO_OBJECT` where it is not said.
        frequencies: per class, n_shown and n_selected.
        verdicts: per class, what its verdict rests on.
    """

    objects: tuple[tuple[int, ...], ...] = ()
    names: tuple[int, ...] = ()
    main_object: int = NO_OBJECT
    frequencies: Mapping[int, tuple[int, int]] | None = None
    verdicts: Mapping[int, VerdictEvidence] | None = None


def read_evidence(row: Mapping[str, Any], taxonomy: Taxonomy | None) -> Evidence:
    """The fields `objects`, `object_labels`, `main_object`, `frequencies` and `evidence` of one line, all optional."""
    objects = tuple(tuple(labels) for labels in _read_objects(row.get("objects"), taxonomy))
    names = _read_names(row.get("object_labels"), objects, taxonomy)
    main = row.get("main_object")
    if main is not None and (isinstance(main, bool) or not isinstance(main, int) or not 0 <= main < len(objects)):
        raise InputError(f"main_object is the number of an object, from 0 to {len(objects) - 1} here, not {main!r}.")
    return Evidence(
        objects,
        names,
        NO_OBJECT if main is None else main,
        _read_frequencies(row.get(FREQUENCY_FIELD), taxonomy),
        _read_verdicts(row.get(EVIDENCE_FIELD), taxonomy),
    )


def make_objects(name: str, image_ids: Sequence[str], *, evidence: Sequence[Evidence]) -> ImageObjects:
    """The objects of all images of a file."""
    return ImageObjects.from_lists(
        name,
        make_names(image_ids),
        objects=[one.objects for one in evidence],
        names=[one.names for one in evidence],
        main_objects=[one.main_object for one in evidence],
    )


def make_frequencies(name: str, image_ids: Sequence[str], *, evidence: Iterable[Evidence]) -> SelectionCounts:
    """The counts of all images of a file, by image and class."""
    rows = [
        (image, index, *counts)
        for image, one in enumerate(evidence)
        for index, counts in sorted((one.frequencies or {}).items())
    ]
    columns = np.array(rows, np.int64).reshape(-1, 4).T
    images, classes, n_shown, n_selected = columns
    return SelectionCounts(
        make_names(image_ids), images.astype(np.int32), classes.astype(np.int32), n_shown, n_selected, name
    )


def make_label_evidence(name: str, image_ids: Sequence[str], *, evidence: Iterable[Evidence]) -> LabelEvidence:
    """What the verdicts of all images of a file rest on."""
    pairs = zip(image_ids, evidence, strict=True)
    return LabelEvidence.from_pairs(
        name, {(image_id, index): said for image_id, one in pairs for index, said in (one.verdicts or {}).items()}
    )


def describe_evidence(evidence: LabelEvidence) -> dict[str, dict[str, Any]]:
    """Per image, what the verdict on each class rests on, as the field has it."""
    fields: dict[str, dict[str, Any]] = {}
    for (image_id, index), one in evidence.by_pair.items():
        fields.setdefault(image_id, {})[str(index)] = one.to_dict()
    return fields


def _read_verdicts(value: object, taxonomy: Taxonomy | None) -> dict[int, VerdictEvidence] | None:
    if value is None:
        return None
    if not isinstance(value, dict) or not all(isinstance(one, dict) for one in value.values()):
        raise InputError(f"evidence must be an object from classes to what their verdicts rest on, not {value!r:.80}.")
    found: dict[int, VerdictEvidence] = {}
    for word, said in value.items():
        index = resolve_class(word, taxonomy)
        if index in found:
            raise InputError(f"evidence has class {index} twice, the second time as {word!r:.80}.")
        found[index] = VerdictEvidence.from_dict(said)
    return found


def _read_objects(value: object, taxonomy: Taxonomy | None) -> list[list[int]]:
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(labels, list) and labels for labels in value):
        raise InputError(f"objects must be a list of lists of classes, none of them empty, not {value!r}.")
    objects = [[resolve_class(label, taxonomy) for label in labels] for labels in value]
    seen: set[int] = set()
    for label in (label for labels in objects for label in labels):
        if label in seen:
            raise InputError(f"class {label} stands in two places of objects; a label means one object.")
        seen.add(label)
    return objects


def _read_names(value: object, objects: Sequence[Sequence[int]], taxonomy: Taxonomy | None) -> tuple[int, ...]:
    """What the objects are called: their first labels by default."""
    if value is None:
        return tuple(labels[0] for labels in objects)
    if not isinstance(value, list) or len(value) != len(objects):
        raise InputError(f"object_labels must name each of the {len(objects)} objects, not {value!r}.")
    names = tuple(resolve_class(label, taxonomy) for label in value)
    for label, labels in zip(names, objects, strict=True):
        if label not in labels:
            raise InputError(f"an object is called {label}, which is none of its labels {list(labels)}.")
    return names


def _read_frequencies(value: object, taxonomy: Taxonomy | None) -> dict[int, tuple[int, int]] | None:
    if value is None:
        return None
    if not isinstance(value, dict):
        raise InputError(f"frequencies must be an object from classes to [n_shown, n_selected], not {value!r}.")
    counts: dict[int, tuple[int, int]] = {}
    for word, pair in value.items():
        index = resolve_class(word, taxonomy)
        if index in counts:
            raise InputError(f"frequencies has class {index} twice.")
        counts[index] = _read_counts(word, pair)
    return counts


def _read_counts(word: str, pair: object) -> tuple[int, int]:
    if isinstance(pair, list) and len(pair) == 2 and all(type(one) is int for one in pair):
        n_shown, n_selected = pair
        if 0 <= n_selected <= n_shown:
            return n_shown, n_selected
    raise InputError(f"the frequency of class {word} is [n_shown, n_selected] with n_selected ≤ n_shown, not {pair!r}.")
