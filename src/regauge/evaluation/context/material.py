"""Line up all that is known about the images of a test set, so that the analyses can go by row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from regauge.arrays import NO_CLASS, BoolArray, IntArray, divide
from regauge.candidates.split import split_images
from regauge.errors import InputError
from regauge.evaluation.context.contract import ContextMaterial
from regauge.evaluation.targets import Target, line_up_answers
from regauge.labels.objects.easy import add_easy, find_easy
from regauge.labels.objects.results import aggregate
from regauge.records.candidates import Candidates, PotentialLabels, SplitPart
from regauge.records.evaluation.context.report import ContextSettings
from regauge.records.labels.classify import ClassifyResult, ClassifySettings
from regauge.records.labels.frequencies import SelectionCounts
from regauge.records.labels.objects import ImageObjects
from regauge.records.predictions import Predictions
from regauge.records.responses.answers import ClassifyResponses
from regauge.records.taxonomy import Taxonomy
from regauge.records.testsets.test_set import TestSet
from regauge.testsets.counts import merge_tables


@dataclass(frozen=True, slots=True, eq=False)
class KnownOfImages:
    """What is known of images beside their truth and what participants answer; None where it is not.

    Attributes:
        responses: answers to CLASSIFY, before screening.
        rule: how these are screened.
        counts: selection counts of CONTAINS; those of the truth where they are not given.
        parts: image id → its part of the split; found by the counts where it is not given.
        potential: labels that people were asked about.
        candidates: labels that CLASSIFY offered.
        notes: what was found while these were read.
    """

    responses: ClassifyResponses | None = None
    rule: ClassifySettings | None = None
    counts: SelectionCounts | None = None
    parts: Mapping[str, SplitPart] | None = None
    potential: PotentialLabels | None = None
    candidates: Candidates | None = None
    notes: tuple[str, ...] = ()


def line_up_context(
    target: Target,
    answers: Iterable[Predictions],
    *,
    taxonomy: Taxonomy | None,
    known: KnownOfImages,
    settings: ContextSettings,
) -> ContextMaterial:
    """Everything known about the images, in their row order; participants are read one at a time.

    Args:
        target: the images with dataset labels and label sets.
        answers: what participants answered.
        taxonomy: the classes.
        known: what else is known.
        settings: the level, and whether answers may be missing.

    Raises:
        InputError: a participant, a split or a table is about other images, or answers are missing that may not be.
    """
    images = TestSet(target.name, target.image_ids, target.dataset_labels) if target.has_dataset_labels else None
    counts, notes = _find_counts(target, known)
    parts = _find_parts(target, images, counts, known)
    if known.parts is not None and parts is not None and len(parts) < len(known.parts):
        n_others = len(known.parts) - len(parts)
        notes = (*notes, f"Images of the split that are not in {target.name}: {n_others:,} (ignored).")
    easy = None if parts is None or images is None else find_easy(parts, images)
    classified = _aggregate(known, images, easy, level=settings.level)
    objects, told = _find_objects(target, classified, easy)
    names, firsts, in_five, has_five = _stack(answers, target, settings)
    return ContextMaterial(
        target=target,
        taxonomy=taxonomy,
        participants=names,
        firsts=firsts if names else None,
        in_five=in_five if has_five.any() else None,
        has_five=has_five if names else None,
        classify=None if classified is None else classified.labels,
        responses=None if classified is None else _keep_accepted(known, classified),
        objects=objects,
        counts=counts,
        parts=parts,
        potential=known.potential,
        candidates=known.candidates,
        notes=(*known.notes, *notes, *(() if classified is None else classified.notes), *told),
    )


def _find_counts(target: Target, known: KnownOfImages) -> tuple[SelectionCounts | None, tuple[str, ...]]:
    """The counts that were given, or those of the truth; of a pair in several tables the one with most annotators."""
    notes: tuple[str, ...] = ()
    if known.counts is not None:
        counts = known.counts
    elif not target.frequencies:
        return None, ()
    else:
        counts = target.frequencies[0] if len(target.frequencies) == 1 else merge_tables(target.frequencies)
        if len(target.frequencies) > 1:
            notes = (f"Selection counts of {len(target.frequencies)} tables are put together.",)
    here = counts.keep_images(target.row_by_id)
    if not len(here.image_ids):
        first = str(counts.image_ids[0]) if len(counts.image_ids) else ""
        raise InputError(_describe_others("The selection counts", first, target))
    return here, notes


def _find_parts(
    target: Target, images: TestSet | None, counts: SelectionCounts | None, known: KnownOfImages
) -> Mapping[str, SplitPart] | None:
    """The part of every image of the target: as given, or by the counts."""
    if known.parts is not None:
        here = {image_id: part for image_id, part in known.parts.items() if image_id in target.row_by_id}
        if known.parts and not here:
            raise InputError(_describe_others("The split", next(iter(known.parts)), target))
        return here
    if counts is None or images is None or (images.labels == NO_CLASS).any():
        return None
    return split_images(counts, images).to_parts()


def _describe_others(what: str, first: str, target: Target) -> str:
    return (
        f"{what} and {target.name} share no image id: the first is {first!r}, the truth's first {str(target.image_ids[0])!r}. "
        "Write the ids the same way in both files."
    )


def _aggregate(
    known: KnownOfImages, images: TestSet | None, easy: TestSet | None, *, level: float
) -> ClassifyResult | None:
    if known.responses is None:
        return None
    rule = replace(known.rule or ClassifySettings(), level=level)
    return aggregate(known.responses, rule, test_set=images, easy=easy)


def _find_objects(
    target: Target, classified: ClassifyResult | None, easy: TestSet | None
) -> tuple[ImageObjects | None, tuple[str, ...]]:
    """The objects that CLASSIFY answers make, or those of a label set, with easy images."""
    notes: tuple[str, ...] = ()
    if classified is not None:
        found = classified.labels.objects
    elif not target.objects:
        return None, ()
    else:
        found = target.objects[0]
        others = ", ".join(one.name for one in target.objects[1:])
        if others:
            notes = (f"Objects are those of {found.name}; others are known by {others}.",)
    return (found if easy is None else add_easy(found, easy)), notes


def _keep_accepted(known: KnownOfImages, classified: ClassifyResult) -> ClassifyResponses | None:
    """The answers that count; images and annotators keep their places."""
    responses, kept = known.responses, classified.screening.is_accepted
    if responses is None:
        return None
    sizes = np.diff(responses.starts)
    return replace(
        responses,
        response_images=responses.response_images[kept],
        response_annotators=responses.response_annotators[kept],
        starts=np.concatenate(([0], np.cumsum(sizes[kept]))),
        selected=responses.selected[np.repeat(kept, sizes)],
        main=responses.main[kept],
        seconds=None if responses.seconds is None else responses.seconds[kept],
    )


def _stack(
    answers: Iterable[Predictions], target: Target, settings: ContextSettings
) -> tuple[tuple[str, ...], IntArray, BoolArray, BoolArray]:
    """Names, first answers, whether the dataset label is among five, and who gives five; the best first, ties by name."""
    rows = [_read(one, target, settings) for one in answers]
    n_right = [int(((first == target.dataset_labels) & (first != NO_CLASS)).sum()) for _, first, _, _ in rows]
    n = [int(((target.dataset_labels != NO_CLASS) & (first != NO_CLASS)).sum()) for _, first, _, _ in rows]
    shares = divide(np.array(n_right, np.int64), np.array(n, np.int64)).tolist()
    order = sorted(range(len(rows)), key=lambda place: (-shares[place] if n[place] else 1.0, rows[place][0]))
    shape = (len(rows), len(target.image_ids))
    firsts = np.array([rows[place][1] for place in order], np.int32).reshape(shape)
    in_five = np.array([rows[place][2] for place in order], np.bool_).reshape(shape)
    has_five = np.array([rows[place][3] for place in order], np.bool_)
    return tuple(rows[place][0] for place in order), firsts, in_five, has_five


def _read(predictions: Predictions, target: Target, settings: ContextSettings) -> tuple[str, IntArray, BoolArray, bool]:
    found = line_up_answers(predictions, target, allow_missing=settings.allow_missing or predictions.is_person)
    labels = target.dataset_labels
    in_five = (found[:, :5] == labels[:, np.newaxis]).any(axis=1) & (labels != NO_CLASS)
    return predictions.participant, np.ascontiguousarray(found[:, 0]), in_five, found.shape[1] >= 5
