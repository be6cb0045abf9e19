"""What a panel votes on: mistakes of participants under a label set that nobody has judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from regauge.campaigns.fields import LABELS, PARTICIPANTS
from regauge.evaluation.targets import line_up
from regauge.fields import FieldError, in_field
from regauge.labels.selection import keep_images
from regauge.mistakes.finding import AppliedLabels, apply_labels, find_mistakes
from regauge.records.labels.label_set import Truth
from regauge.records.mistakes.found import FoundMistakes
from regauge.records.studies import TestSetEntry
from regauge.storage.labels.label_set import get_label_set, load_label_set
from regauge.storage.predictions import get_predictions, load_predictions
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import load_test_set


class NovelPairs(NamedTuple):
    """Answers that a label set does not accept and that nobody has judged.

    Attributes:
        pairs: image ids with classes, each once.
        scores: the highest score that one of the participants gives a pair, where any has scores.
        settings: whose they are and under which labels, for the record.
    """

    pairs: Sequence[tuple[str, int]] = ()
    scores: Mapping[tuple[str, int], float] = {}
    settings: Mapping[str, Any] = {}


def find_novel(study: Study, entry: TestSetEntry, asked: Mapping[str, Any]) -> NovelPairs:
    """The novel mistakes of the participants that are named, as `mistakes find` finds them.

    Raises:
        FieldError: no label set or no participant is named, nobody has such a name, or nothing is novel.
    """
    labels, globs = asked.get(LABELS.name), tuple(asked.get(PARTICIPANTS.name) or ())
    if not labels:
        raise FieldError(
            LABELS.name,
            "Mistakes are found under a label set; name the one that the panel goes on from with `labels=…`.",
        )
    if not globs:
        raise FieldError(PARTICIPANTS.name, "Name whose mistakes the panel votes on with `participants=…`.")
    full_name = in_field(LABELS.name, lambda: get_label_set(study, labels).full_name)
    applied = in_field(LABELS.name, lambda: _apply(study, entry, full_name))
    chosen = in_field(PARTICIPANTS.name, lambda: get_predictions(study, entry, participants=globs))
    scores: dict[tuple[str, int], float] = {}
    n_mistakes = 0
    images = load_test_set(study, entry)
    for one in chosen:
        answers = load_predictions(study, one, test_set=images, digest=entry.digest)
        found = in_field(PARTICIPANTS.name, partial(find_mistakes, answers, applied))
        n_mistakes += len(found)
        _add(scores, found)
    names = [one.participant for one in chosen]
    if not scores:
        raise FieldError(
            PARTICIPANTS.name,
            f"Nothing is novel: {full_name} has a verdict on every answer of {', '.join(names)} that it does not accept.",
        )
    known = {pair: score for pair, score in scores.items() if not np.isnan(score)}
    settings = {PARTICIPANTS.name: names, "n_mistakes": n_mistakes}
    return NovelPairs(tuple(sorted(scores)), known, settings)


def _apply(study: Study, entry: TestSetEntry, labels: str) -> AppliedLabels:
    """The label set over the images of the test set."""
    images = load_test_set(study, entry)
    label_set = keep_images(load_label_set(study, get_label_set(study, labels)), set(images.image_ids.tolist()))
    target = line_up(Truth(images, (label_set,)), n_classes=len(study.taxonomy))
    return apply_labels(target)


def _add(scores: dict[tuple[str, int], float], found: FoundMistakes) -> None:
    rows = zip(found.image_ids.tolist(), found.predictions.tolist(), found.scores.tolist(), strict=True)
    for is_novel, (image_id, index, score) in zip(found.is_novel.tolist(), rows, strict=True):
        if is_novel:
            before = scores.get((image_id, index), np.nan)
            scores[image_id, index] = float(np.fmax(before, score))
