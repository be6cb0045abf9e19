"""From the top-5 ids of many models to counts per metric, class and subset: time against Python sets and NumPy masks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks._kernels import sum_once
from benchmarks.harness import Role, Variant, Workload, compare
from benchmarks.scoring import N_CLASSES, SEED, Invented, draw_truth, score_answers
from regauge.arrays import BoolArray, IntArray
from regauge.evaluation.outcomes import Outcome
from regauge.evaluation.subsets import EVERY_IMAGE, Subset, prepare_parts
from regauge.formats.taxonomies import load_taxonomy
from regauge.taxonomy.groups import find_groups

N_MODELS = 67
N_IMAGES = 50_000
SLOW_MODELS = 1


def draw_answers(truth: Invented) -> IntArray:
    """Five answers per model and image [models, images, 5]; about three in four first answers are right."""
    rng = np.random.default_rng(SEED)
    first = rng.integers(0, N_CLASSES, (N_MODELS, N_IMAGES), dtype=np.int32)
    first = np.where(rng.random(first.shape) < 0.75, truth.labels, first)
    # Steps that add up to less than the number of classes, so that no answer is given twice.
    steps = rng.integers(1, N_CLASSES // 5, (N_MODELS, N_IMAGES, 4), dtype=np.int32).cumsum(axis=2)
    further = (first[:, :, np.newaxis] + steps) % N_CLASSES
    return np.concatenate([first[:, :, np.newaxis], further], axis=2).astype(np.int32)


def score_with_sets(answers: IntArray, truth: Invented, subsets: Sequence[Subset]) -> list[dict[str, int]]:
    """A loop over images with Python sets, as a notebook would have it."""
    real = [set(labels) for labels in truth.lists]
    labels = truth.labels.tolist()
    members = [(subset.name, set(subset.classes.tolist())) for subset in subsets if subset.classes is not None]
    results = []
    for model in answers.tolist():
        counts: dict[str, int] = {}
        for five, label, accepted in zip(model, labels, real, strict=True):
            hits = {"top1": five[0] == label, "top5": label in five, "real": five[0] in accepted}
            names = [name for name, classes in members if label in classes]
            for metric, hit in hits.items():
                if hit:
                    for key in (metric, f"{metric} {label}", *(f"{metric} {name}" for name in names)):
                        counts[key] = counts.get(key, 0) + 1
        results.append(counts)
    return results


@dataclass(frozen=True, slots=True, eq=False)
class Masks:
    """What a vectorised evaluation prepares once.

    Attributes:
        accepted: [images, classes], the reassessed labels.
        is_listed: the images that have any.
        subsets: [subsets, images].
    """

    accepted: BoolArray
    is_listed: BoolArray
    subsets: BoolArray


def make_masks(truth: Invented, subsets: Sequence[Subset]) -> Masks:
    accepted = np.zeros((N_IMAGES, N_CLASSES), np.bool_)
    for row, labels in enumerate(truth.lists):
        accepted[row, labels] = True
    parts = np.stack([np.isin(truth.labels, subset.classes) for subset in subsets if subset.classes is not None])
    return Masks(accepted, np.array([bool(labels) for labels in truth.lists]), parts)


def score_with_masks(answers: IntArray, truth: Invented, masks: Masks) -> list[list[NDArray[np.int64]]]:
    """Vectorised comparisons: per metric the counted and the right images, on the whole, by class and by subset."""
    rows = np.arange(len(truth.labels))
    results = []
    for five in answers:
        is_answered = five[:, 0] >= 0
        judged = (
            (is_answered, five[:, 0] == truth.labels),
            (is_answered, (five == truth.labels[:, None]).any(axis=1)),
            (is_answered & masks.is_listed, masks.accepted[rows, five[:, 0]]),
        )
        counts = []
        for is_counted, is_right in judged:
            for mask in (is_counted & is_right, is_counted):
                by_class = np.bincount(truth.labels[mask], minlength=N_CLASSES)
                by_subset = np.count_nonzero(masks.subsets & mask, axis=1)
                counts.append(np.concatenate([[np.count_nonzero(mask)], by_class, by_subset]))
        results.append(counts)
    return results


def score_with_lean_masks(answers: IntArray, truth: Invented, masks: Masks) -> list[NDArray[np.int64]]:
    """As few steps as NumPy allows: right answers only, every image taken as counted, subsets by one matrix product."""
    rows = np.arange(len(truth.labels))
    membership = np.stack([np.bincount(truth.labels[part], minlength=N_CLASSES) > 0 for part in masks.subsets]).astype(
        np.int64
    )
    results = []
    for five in answers:
        hits = (
            five[:, 0] == truth.labels,
            (five == truth.labels[:, None]).any(axis=1),
            masks.accepted[rows, five[:, 0]],
        )
        by_class = np.stack([np.bincount(truth.labels[hit], minlength=N_CLASSES) for hit in hits])
        results.append(np.concatenate([by_class.sum(axis=1), by_class.ravel(), (by_class @ membership.T).ravel()]))
    return results


def run() -> Workload:
    truth = draw_truth(N_IMAGES)
    answers = draw_answers(truth)
    groups = find_groups(load_taxonomy("imagenet-1k"), "superclass")
    subsets = tuple(Subset(name, classes=members) for name, members in groups.items())
    masks = make_masks(truth, subsets)
    parts = prepare_parts((EVERY_IMAGE, *subsets), truth.target)
    check_equal(answers[0], truth, subsets=subsets)
    variants = [
        Variant("judge and count", lambda: [score_answers(model, truth, parts=parts) for model in answers], Role.OURS),
        Variant("NumPy masks", lambda: score_with_masks(answers, truth, masks)),
        Variant("NumPy masks, lean", lambda: score_with_lean_masks(answers, truth, masks), gives="right answers only"),
        Variant(
            "Python sets",
            lambda: score_with_sets(answers[:SLOW_MODELS], truth, subsets),
            fraction=SLOW_MODELS / N_MODELS,
        ),
        Variant(
            "sum of the ids", lambda: sum_once(answers.view(np.float32).reshape(-1, 5)), Role.FLOOR, gives="one number"
        ),
    ]
    return Workload(
        f"Top-5 ids of {N_MODELS} models × {N_IMAGES:,} images → counts",
        "Top-1, top-5 and ReaL, on the whole, by class and by the eleven superclasses. The counts of all variants were checked "
        "to be equal. NumPy masks do the same job: counted and right images, with missing answers looked for in every model. "
        "The lean variant gives right answers only and takes every image as counted, so it has no n to divide by.",
        (compare("Time", variants),),
    )


def check_equal(model: IntArray, truth: Invented, *, subsets: Sequence[Subset]) -> None:
    """Refuse to time variants that do not count the same."""
    ours = score_answers(model, truth, parts=prepare_parts((EVERY_IMAGE, *subsets), truth.target))
    masks = score_with_masks(model[np.newaxis], truth, make_masks(truth, subsets))[0]
    sets = score_with_sets(model[np.newaxis], truth, subsets)[0]
    lean = score_with_lean_masks(model[np.newaxis], truth, make_masks(truth, subsets))[0]
    for place, metric in enumerate(("top1", "top5", "real")):
        right, counted = masks[2 * place], masks[2 * place + 1]
        totals = ours.totals[metric]
        np.testing.assert_array_equal(totals[:, Outcome.RIGHT], right[[0, *range(-len(subsets), 0)]])
        np.testing.assert_array_equal(ours.count_right_by_class(metric), right[1 : N_CLASSES + 1])
        np.testing.assert_array_equal(len(model) - totals[0, Outcome.NOT_COUNTED], counted[0])
        np.testing.assert_array_equal(totals[0, Outcome.RIGHT], sets[metric])
        np.testing.assert_array_equal(totals[0, Outcome.RIGHT], lean[place])


if __name__ == "__main__":
    print(run().to_markdown())
