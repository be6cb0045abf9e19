"""Label sets of released data: reassessed and reviewed labels, and the answers to CLASSIFY and CONTAINS."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace

import numpy as np

from regauge.errors import MissingDataError
from regauge.estimates import count_things
from regauge.formats.releases.loading import load_classified_images, load_contains_counts
from regauge.formats.releases.published import make_classify_responses, name_validation_image
from regauge.labels.frequencies.verdicts import make_frequency_labels
from regauge.labels.objects.easy import make_truth
from regauge.records.candidates import SplitPart
from regauge.records.labels.classify import ClassifyResult
from regauge.records.labels.evidence import LabelEvidence, VerdictEvidence
from regauge.records.labels.frequencies import FrequencyRule
from regauge.records.labels.label_set import Truth
from regauge.records.reproductions import ReleasedPart
from regauge.workflows.evaluation.kept_answers import keep_answers
from regauge.workflows.labels.aggregate_classify import aggregate_classify
from regauge.workflows.labels.label_set import add_labels
from regauge.workflows.labels.versions import AddedLabels
from regauge.workflows.reproduce.study.steps import (
    CLASSIFY,
    CONTAINS,
    REAL,
    REVIEWED,
    ReleaseStep,
    StudyInMaking,
    find_parts,
    load_validation,
)

REAL_FILES = ("real.json", "real2020_labels.json")
REVIEWED_FILE = "human_accuracy_v3.0.0.json"
OBJECT_RULE = "CLASSIFY: the name of an object"
EASY_RULE = "easy in CONTAINS: one object, its dataset label"


def list_label_steps() -> Iterator[ReleaseStep]:
    """Every label set."""
    yield ReleaseStep("label set", REAL, _add_real)
    yield ReleaseStep("label set", REVIEWED, _add_reviewed)
    yield ReleaseStep("label set", CONTAINS, _add_contains)
    yield ReleaseStep("label set", CLASSIFY, _add_classify)


def _add_real(making: StudyInMaking) -> Iterator[ReleasedPart]:
    path = making.data.get(*REAL_FILES)
    load_validation(making)
    yield _tell(making, add_labels(making.study, path, name=REAL))


def _add_reviewed(making: StudyInMaking) -> Iterator[ReleasedPart]:
    path = making.data.get(REVIEWED_FILE)
    yield _tell(making, add_labels(making.study, path, name=REVIEWED))


def _add_contains(making: StudyInMaking) -> Iterator[ReleasedPart]:
    counts, _ = load_contains_counts(making.data)
    counts = counts.keep_images(load_validation(making).image_ids.tolist())
    truth = Truth(label_sets=(make_frequency_labels(counts, FrequencyRule(), name=CONTAINS),), frequencies=(counts,))
    yield _tell(making, add_labels(making.study, truth, name=CONTAINS), "with selection frequencies")


def _add_classify(making: StudyInMaking) -> Iterator[ReleasedPart]:
    images, test_set = load_classified_images(making.data), load_validation(making)
    known = set(test_set.image_ids.tolist())
    kept = [image for image in images if name_validation_image(image.image) in known]
    if not kept:
        raise MissingDataError("answers to CLASSIFY on images of the validation set")
    responses = make_classify_responses(kept)
    parts: dict[str, SplitPart] | None = None
    with suppress(MissingDataError):
        parts = find_parts(making)
    result = aggregate_classify(responses, test_set, taxonomy=making.study.taxonomy, parts=parts)
    truth = make_truth(result.labels, result.easy)
    evidence = LabelEvidence.from_pairs(CLASSIFY, {**_explain_easy(truth), **_explain_objects(result)})
    truth = replace(truth, evidence=(evidence,))
    origin = keep_answers(making.study, responses, parts, name=CLASSIFY)
    making.notes += result.notes
    added = add_labels(making.study, truth, name=CLASSIFY, provenance=origin)
    if parts is not None:
        making.notes += _tell_easy(result, parts)
    yield _tell(making, added, f"with objects, main labels and {count_things(len(responses), 'answer')}")


def _tell_easy(result: ClassifyResult, parts: Mapping[str, SplitPart]) -> Iterator[str]:
    """Whether easy images weigh too much in scores under these labels, because answers on others are not there."""
    asked = set(result.labels.objects.image_ids.tolist())
    follow_up = [image_id for image_id, part in parts.items() if part is SplitPart.FOLLOW_UP]
    n_known = len(asked.intersection(follow_up))
    if n_known < len(follow_up):
        yield (
            f"{CLASSIFY} has answers on {n_known:,} of {len(follow_up):,} follow-up images, and all easy ones: in scores under "
            "it easy images weigh too much; the analyses of `regauge context` make up for that where they say so."
        )


def _explain_objects(result: ClassifyResult) -> Mapping[tuple[str, int], VerdictEvidence]:
    """What the verdict on the name of every object rests on: how many selected it, and how many for the main object."""
    labels = result.labels
    rows = np.repeat(np.arange(len(labels)), np.diff(labels.starts))
    counts = zip(
        labels.objects.image_ids[rows].tolist(),
        labels.classes.tolist(),
        *(column.tolist() for column in (labels.n_selected, labels.n_main, labels.n_accepted[rows])),
        strict=True,
    )
    names = {pair for row in range(len(labels)) for pair in _name_pairs(result, row)}
    return {
        (image_id, index): VerdictEvidence(
            rule=OBJECT_RULE, note=f"selected in {n_selected} of {n} answers, as the main label in {n_main}"
        )
        for image_id, index, n_selected, n_main, n in counts
        if (image_id, index) in names
    }


def _name_pairs(result: ClassifyResult, row: int) -> Iterator[tuple[str, int]]:
    objects = result.labels.objects
    return ((str(objects.image_ids[row]), index) for index in objects.get_names(row))


def _explain_easy(truth: Truth) -> Mapping[tuple[str, int], VerdictEvidence]:
    """That nobody was asked to CLASSIFY; what rests on answers is put in its place."""
    (label_set,) = truth.label_sets
    pairs = zip(label_set.image_ids[label_set.rows].tolist(), label_set.classes.tolist(), strict=True)
    return dict.fromkeys(pairs, VerdictEvidence(rule=EASY_RULE))


def _tell(making: StudyInMaking, added: AddedLabels, more: str = "") -> ReleasedPart:
    """What a label set holds."""
    entry = added.entry
    making.notes += added.notes
    detail = f"{entry.n_images:,} images, {count_things(entry.n_verdicts, 'verdict')}" + (f", {more}" if more else "")
    return ReleasedPart("label set", entry.full_name, detail)
