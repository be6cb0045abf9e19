"""What the first page of a website says: scores with intervals, and what every set is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from regauge.evaluation.metrics import find_metric
from regauge.evaluation.scoring import score_participants
from regauge.evaluation.site.findings import tell_best, tell_wrong_labels
from regauge.evaluation.targets import Target, line_up
from regauge.formats.site.study import SetFacts, pack_scores
from regauge.labels.selection import keep_images
from regauge.records.evaluation.scores import ScoreSettings, is_balanced
from regauge.records.labels.label_set import Truth
from regauge.records.predictions import Predictions
from regauge.records.studies import LabelSetEntry
from regauge.storage.labels.evidence import find_frequencies, find_objects, has_frequencies
from regauge.storage.labels.label_set import count_covered, load_label_sets
from regauge.storage.slices.slices import list_slices, load_slice
from regauge.storage.study import Study
from regauge.storage.testsets.draws import find_draw
from regauge.workflows.site.sets import SiteSet


def describe_set(study: Study, one: SiteSet, *, numbers: Mapping[str, int]) -> SetFacts:
    """What the first page and the lists of choices say of a set.

    Args:
        study: the study inside a transaction.
        one: the set.
        numbers: by the name of a participant, their number on the website.
    """
    drawn = None if one.is_pool else find_draw(study, one.entry)
    slices = {
        entry.name: np.isin(one.test_set.image_ids, load_slice(study, entry).image_ids)
        for entry in list_slices(study)
        if entry.test_set == one.entry.name and not entry.void
    }
    return SetFacts(
        entry=one.entry,
        n_labelled=int(one.test_set.is_labelled.sum()),
        participants=tuple(numbers[entry.participant] for entry in one.predictions),
        labels=tuple(one.labels),
        covered=tuple(count_covered(study, entry, test_set=one.entry) for entry in one.labels.values()),
        counted={
            number: _count_counted(study, one, entry)
            for number, entry in one.labels.items()
            if has_frequencies(study, entry)
        },
        codings=tuple(one.codings),
        drawn=drawn,
        slices=slices,
        blocks=(one.n_blocks, one.n_shards),
    )


def _count_counted(study: Study, one: SiteSet, entry: LabelSetEntry) -> int:
    """Images of the set with selection counts."""
    found = find_frequencies(study, entry)
    return 0 if found is None else int(np.isin(one.test_set.image_ids, found.image_ids).sum())


def gather_scores(study: Study, sets: Sequence[SiteSet]) -> Mapping[str, Any]:
    """Everybody's scores on every test set under its dataset labels and the latest version of each label set, and findings."""
    frames: list[pl.DataFrame] = []
    findings: list[dict[str, Any]] = []
    for key, one in enumerate(sets):
        if one.is_pool:
            continue
        target = line_up(find_truth(study, one))
        if one.predictions:
            frame = _score(study, one, target)
            findings += [{"set": key, "text": text} for text in tell_best(frame, one.entry.name)]
            frames.append(frame.with_columns(set=pl.lit(key)))
        findings += [{"set": key, "text": text} for text in tell_wrong_labels(target)]
    found = pl.concat(frames) if frames else pl.DataFrame()
    metrics = {} if not frames else {name: find_metric(name) for name in found["metric"].unique(maintain_order=True)}
    titles = {name: (one.title, one.meaning) for name, one in metrics.items() if one is not None}
    return {**pack_scores(found, titles), "findings": findings}


def _score(study: Study, one: SiteSet, target: Target) -> pl.DataFrame:
    """Everybody's scores, without means of per-class means."""
    frame = score_participants(_load_answers(study, one), target, settings=ScoreSettings(allow_missing=True)).to_frame()
    return frame.filter(~pl.col("metric").map_elements(is_balanced, return_dtype=pl.Boolean))


def find_truth(study: Study, one: SiteSet) -> Truth:
    """The images with the latest version of each label set, and the objects and selection counts behind these."""
    latest: dict[str, LabelSetEntry] = {entry.name: entry for entry in one.labels.values()}
    entries = list(latest.values())
    images = set(one.test_set.image_ids.tolist())
    return Truth(
        one.test_set,
        tuple(keep_images(found, images) for found in load_label_sets(study, entries)),
        objects=tuple(filter(None, (find_objects(study, entry) for entry in entries))),
        frequencies=tuple(filter(None, (find_frequencies(study, entry) for entry in entries))),
    )


def _load_answers(study: Study, one: SiteSet) -> Iterator[Predictions]:
    """Everybody's answers, one after the other; of those who did not answer all images, the answered ones."""
    answers = zip(one.predictions, one.load_answers(study), strict=True)
    for entry, classes in study.around.track(answers, "Scoring", total=len(one.predictions)):
        kept = slice(None) if entry.n_answered == len(one.test_set) else classes[:, 0] >= 0
        ids = one.test_set.image_ids[kept]
        if len(ids):
            yield Predictions(entry.participant, ids, classes[kept], kind=entry.kind, family=entry.family)
