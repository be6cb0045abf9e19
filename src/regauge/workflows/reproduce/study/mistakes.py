"""Coded mistakes of released data, the parts of the split as slices, and what a study cannot hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

import numpy as np

from regauge.errors import MissingDataError
from regauge.estimates import count_things
from regauge.formats.releases.loading import find_coded_file
from regauge.formats.releases.multilabel import PREDICTIONS
from regauge.records.candidates import SplitPart
from regauge.records.reproductions import ReleasedPart
from regauge.records.slices.answers import OpenPredictions
from regauge.records.slices.slice import Slice, SliceInputs, SliceKind
from regauge.storage.labels.label_set import list_label_sets
from regauge.workflows.mistakes.codings import CodingSource, add_coding
from regauge.workflows.reproduce.study.steps import (
    CLASSIFY,
    REAL,
    REVIEWED,
    ReleaseStep,
    StudyInMaking,
    find_parts,
    load_validation,
)
from regauge.workflows.slices.creating import PreparedSlice, store_slice

CODED: Mapping[str, str] = {"vit3b": "ViT-3B", "greedy_soups": "Greedy Soups"}
SPLIT = "tsipras2020-split"


def list_mistake_steps() -> Iterator[ReleaseStep]:
    """Coded mistakes, the split, and what is left out."""
    for model, participant in CODED.items():
        yield ReleaseStep("coded mistakes", participant, partial(_add_coded, model=model))
    yield ReleaseStep("slices", SPLIT, _add_split)
    yield ReleaseStep("predictions", "models of Tsipras et al. (2020)", _leave_out_own)
    yield ReleaseStep("test set", "CIFAR-10.1", _leave_out_cifar)


def _find_labels(making: StudyInMaking, *names: str) -> str | None:
    """The first of some label sets that the study has."""
    known = {entry.name: entry.full_name for entry in list_label_sets(making.study)}
    return next((known[name] for name in names if name in known), None)


def _add_coded(making: StudyInMaking, *, model: str) -> Iterator[ReleasedPart]:
    path, participant = find_coded_file(making.data, model), CODED[model]
    images = load_validation(making)
    labels = _find_labels(making, REVIEWED, REAL)
    if labels is None:
        raise MissingDataError(f"labels under which they are mistakes: {REVIEWED}", REAL)
    name = participant.lower().replace(" ", "-")
    added = add_coding(making.study, CodingSource(path, participant, labels, name, test_set=images.name))
    making.notes += added.notes
    entry = added.entry
    detail = (
        f"{entry.n_coded:,} coded under {labels}, {entry.n_overturned:,} more overturned; {participant} has no score: only its "
        "mistakes are known, not its answers"
    )
    yield ReleasedPart("coded mistakes", entry.full_name, detail)


def _add_split(making: StudyInMaking) -> Iterator[ReleasedPart]:
    parts, images = find_parts(making), load_validation(making)
    labels = _find_labels(making, REAL, REVIEWED, CLASSIFY)
    if labels is None:
        raise MissingDataError(f"labels to score its parts by: {REAL}", REVIEWED, CLASSIFY)
    counts = []
    for part in SplitPart:
        ids = [image_id for image_id, one in parts.items() if one is part]
        if not ids:
            continue
        chosen = Slice(
            name=f"tsipras2020-{part.value}",
            kind=SliceKind.LIST,
            test_set=images.name,
            image_ids=np.array(ids, np.str_),
            labels=labels,
            inputs=SliceInputs(n_candidates=len(ids), source="the split of Tsipras et al. (2020)"),
        )
        nothing = OpenPredictions(np.array([], np.str_), np.array([], np.int32), (), ())
        store_slice(making.study, PreparedSlice(chosen, nothing))
        counts.append(f"{part.value} {len(ids):,}")
    detail = f"{count_things(len(counts), 'slice')} by part: {', '.join(counts)}; right answers are those of {labels}"
    yield ReleasedPart("slices", SPLIT, detail)


def _leave_out_own(making: StudyInMaking) -> Iterator[ReleasedPart]:
    if making.data.find(PREDICTIONS) is not None:
        detail = "on some of the images only, and called like participants of Recht et al. (2019)"
        yield ReleasedPart("predictions", "models of Tsipras et al. (2020)", detail, is_added=False)


def _leave_out_cifar(_: StudyInMaking) -> Iterator[ReleasedPart]:
    detail = "its classes are not those of ImageNet, and a study has one taxonomy"
    yield ReleasedPart("test set", "CIFAR-10.1", detail, is_added=False)
