"""Everything that is known about the images, lined up by id once, so that the rest can go by row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from regauge.arrays import NO_CLASS, BoolArray, CountArray, IdArray, IntArray, find_repeated
from regauge.errors import InputError, MissingImagesError
from regauge.records.labels.frequencies import SelectionCounts
from regauge.records.labels.label_set import LabelSet, Truth
from regauge.records.labels.objects import ImageObjects
from regauge.records.predictions import Logits, Predictions
from regauge.records.testsets.rows import AnswerRows, LabelRows, LogitRows
from regauge.records.testsets.test_set import TestSet

NO_ROW = -1


@dataclass(frozen=True, eq=False)
class Target:
    """The images of a truth and what it says of them; all columns have one row per image.

    Attributes:
        name: what outputs call the images.
        image_ids: the images of the test set, then those that only a label set knows.
        dataset_labels: the class of each image; `NO_CLASS` where the truth has none.
        label_sets: every label set with its images in this order; images it does not know have no verdicts.
        is_known: per label set, which images it knows.
        objects: the objects of images, in an order of their own.
        frequencies: how often classes were selected for images, likewise.
        n_classes: how many classes the taxonomy has, where there is one.
        max_label: the highest dataset label in use; `NO_CLASS` where there is none.
        digests: the SHA-256 of each image, empty where it is not known; None where no image has one.
        has_ids: whether the images have ids. Without, `image_ids` number the rows for messages and join nothing.
    """

    name: str
    image_ids: IdArray
    dataset_labels: IntArray
    label_sets: tuple[LabelSet, ...]
    is_known: tuple[BoolArray, ...]
    objects: tuple[ImageObjects, ...] = ()
    frequencies: tuple[SelectionCounts, ...] = ()
    n_classes: int | None = None
    max_label: int = NO_CLASS
    digests: IdArray | None = None
    has_ids: bool = True

    @cached_property
    def row_by_id(self) -> dict[str, int]:
        """The row of each image; made when a list of images in another order first asks for it."""
        return {image_id: row for row, image_id in enumerate(self.image_ids.tolist())}

    @property
    def has_dataset_labels(self) -> bool:
        """Whether any image has a dataset label."""
        return self.max_label != NO_CLASS

    @property
    def n_strata(self) -> int:
        """Strata by dataset label: one per class index in use, and a last one for images without a label."""
        return self.max_label + 2


def line_up(truth: Truth, *, n_classes: int | None = None) -> Target:
    """The truth with all its parts in one row order, joined by image id.

    Raises:
        InputError: the truth has no image at all.
    """
    parts = [truth.test_set.image_ids] if truth.test_set is not None else []
    parts += [label_set.image_ids for label_set in truth.label_sets]
    ids = _unite(parts)
    if not len(ids):
        raise InputError(f"The truth {truth.name} has no images, so nothing can be scored on it.")
    labels = np.full(len(ids), NO_CLASS, dtype=np.int32)
    if truth.test_set is not None:
        labels[: len(truth.test_set)] = truth.test_set.labels
    lined_up = [_reorder(label_set, ids) for label_set in truth.label_sets]
    return Target(
        name=truth.name,
        image_ids=ids,
        dataset_labels=labels,
        label_sets=tuple(label_set for label_set, _ in lined_up),
        is_known=tuple(known for _, known in lined_up),
        objects=truth.objects,
        frequencies=truth.frequencies,
        n_classes=n_classes,
        max_label=int(labels.max(initial=NO_CLASS)),
        digests=_extend_digests(truth, len(ids)),
    )


def line_up_rows(rows: LabelRows, *, n_classes: int | None = None) -> Target:
    """The labels of images without ids; only rows of as many answers can be judged on them.

    Raises:
        InputError: there is no row.
    """
    if not len(rows):
        raise InputError("There are no labels, so nothing can be scored on them.")
    names = np.array([f"row {row}" for row in range(len(rows))])
    truth = Truth(TestSet(rows.name, names, rows.labels))
    return replace(line_up(truth, n_classes=n_classes), has_ids=False)


def key_rows(answers: AnswerRows | LogitRows, target: Target) -> Predictions | Logits:
    """Answers without ids as the answers on the target's rows, in their order.

    Raises:
        InputError: the target's images have ids, or there are more or fewer answers than images.
    """
    if target.has_ids:
        raise InputError(
            f"The answers of {answers.participant} are an array without image ids, and {target.name} is keyed by them; "
            "say which image each row is with `ids=…`."
        )
    if len(answers) != len(target.image_ids):
        raise InputError(
            f"The answers of {answers.participant} have {len(answers):,} rows and the labels {len(target.image_ids):,}; without "
            "image ids they are paired row by row, so there must be as many."
        )
    return answers.key(target.image_ids)


def _extend_digests(truth: Truth, n: int) -> IdArray | None:
    """The digests of the test set's images, which come first; those that only a label set knows have none."""
    if truth.test_set is None or truth.test_set.digests is None:
        return None
    digests = truth.test_set.digests
    return np.concatenate([digests, np.full(n - len(digests), "", digests.dtype)])


def line_up_answers(predictions: Predictions, target: Target, *, allow_missing: bool) -> IntArray:
    """The participant's answers [images, k] in the target's row order.

    Answers on images that the truth does not know are left out. An image without an answer has `NO_CLASS` in its row.

    Raises:
        InputError: not one image of the truth has an answer.
        MissingImagesError: some images have no answer, and `allow_missing` is off.
    """
    if not target.has_ids and predictions.image_ids is not target.image_ids:
        raise InputError(
            f"The answers of {predictions.participant} are keyed by image id, and the labels are an array without ids; say which "
            "image each label is of with `ids=…`."
        )
    if np.array_equal(predictions.image_ids, target.image_ids):
        return predictions.classes
    rows = _find_rows(predictions.image_ids.tolist(), target.row_by_id)
    found = rows != NO_ROW
    answers = np.full((len(target.image_ids), predictions.classes.shape[1]), NO_CLASS, dtype=np.int32)
    answers[rows[found]] = predictions.classes[found]
    missing = answers[:, 0] == NO_CLASS
    if missing.all():
        raise InputError(_describe_disjoint(predictions, target))
    if missing.any() and not allow_missing:
        raise MissingImagesError(
            predictions.participant,
            first=str(target.image_ids[int(np.argmax(missing))]),
            n_missing=int(missing.sum()),
            n_images=len(missing),
        )
    return answers


def _unite(parts: Sequence[IdArray]) -> IdArray:
    """All ids in the order in which they first occur; parts that are alike, as they mostly are, cost nothing."""
    if all(np.array_equal(part, parts[0]) for part in parts[1:]):
        return parts[0]
    return np.asarray(list(dict.fromkeys(image_id for part in parts for image_id in part.tolist())), dtype=np.str_)


def _find_rows(ids: Sequence[str], row_by_id: dict[str, int]) -> CountArray:
    return np.fromiter((row_by_id.get(image_id, NO_ROW) for image_id in ids), dtype=np.int64, count=len(ids))


def _reorder(label_set: LabelSet, ids: IdArray) -> tuple[LabelSet, BoolArray]:
    """The label set with one row per id, and which of them it knows."""
    if np.array_equal(label_set.image_ids, ids):
        return label_set, np.ones(len(ids), dtype=np.bool_)
    rows = _find_rows(ids.tolist(), {image_id: row for row, image_id in enumerate(label_set.image_ids.tolist())})
    known = rows != NO_ROW
    # A row of zeros at the end stands for every image that the label set does not know: NO_ROW points at it.
    lengths = np.append(np.diff(label_set.starts), 0)[rows]
    starts = np.concatenate(([0], np.cumsum(lengths)))
    # The place of every verdict: where its image starts in the old order, plus its place inside the image.
    inside = np.arange(starts[-1]) - np.repeat(starts[:-1], lengths)
    places = np.repeat(label_set.starts[rows], lengths) + inside
    reordered = LabelSet(
        name=label_set.name,
        image_ids=ids,
        starts=starts,
        classes=label_set.classes[places],
        verdicts=label_set.verdicts[places],
        kind=label_set.kind,
        unlisted=label_set.unlisted,
        is_problematic=np.append(label_set.is_problematic, False)[rows],
        main_labels=np.append(label_set.main_labels, np.int32(NO_CLASS))[rows],
        is_follow_up_only=label_set.is_follow_up_only,
    )
    return reordered, known


def _describe_disjoint(predictions: Predictions, target: Target) -> str:
    if not len(predictions):
        return f"{predictions.participant} has no predictions at all."
    ours, theirs = str(target.image_ids[0]), str(predictions.image_ids[0])
    stems = {image_id.rpartition(".")[0] or image_id for image_id in predictions.image_ids.tolist()}
    hint = ""
    if any(image_id in stems or image_id.rpartition(".")[0] in stems for image_id in target.image_ids[:100].tolist()):
        hint = " They would match without the file extension: write the ids the same way in both files."
    return (
        f"{predictions.participant} and {target.name} share no image id: the truth's first is {ours!r}, "
        f"the participant's {theirs!r}.{hint}"
    )


def combine_truths(truths: Sequence[Truth]) -> Truth:
    """One truth with the dataset labels and label sets of all.

    Raises:
        InputError: two truths give an image different dataset labels, or two label sets have one name.
    """
    label_sets = tuple(label_set for truth in truths for label_set in truth.label_sets)
    repeated = find_repeated(label_set.name for label_set in label_sets)
    if repeated is not None:
        raise InputError(f"Two label sets are called {repeated!r}; rename one of the files.")
    test_sets = [truth.test_set for truth in truths if truth.test_set is not None]
    notes = tuple(note for truth in truths for note in truth.notes)
    objects = tuple(one for truth in truths for one in truth.objects)
    frequencies = tuple(one for truth in truths for one in truth.frequencies)
    evidence = tuple(one for truth in truths for one in truth.evidence)
    return Truth(_combine_test_sets(test_sets), label_sets, notes, objects, frequencies, evidence)


def _combine_test_sets(test_sets: Sequence[TestSet]) -> TestSet | None:
    if len(test_sets) < 2:
        return test_sets[0] if test_sets else None
    label_of: dict[str, int] = {}
    digest_of: dict[str, str] = {}
    for test_set in test_sets:
        for image_id, label in zip(test_set.image_ids.tolist(), test_set.labels.tolist(), strict=True):
            known = label_of.get(image_id, NO_CLASS)
            label_of[image_id] = label if known == NO_CLASS else known
            if label not in {label_of[image_id], NO_CLASS}:
                raise InputError(
                    f"The truths disagree: image {image_id!r} has the dataset label {label_of[image_id]} in one and {label} "
                    f"in {test_set.name}."
                )
        if test_set.digests is not None:
            pairs = zip(test_set.image_ids.tolist(), test_set.digests.tolist(), strict=True)
            digest_of |= {image_id: digest for image_id, digest in pairs if digest}
    digests = np.array([digest_of.get(image_id, "") for image_id in label_of], np.str_) if digest_of else None
    return TestSet(test_sets[0].name, np.array(list(label_of)), np.array(list(label_of.values())), digests)
