"""Potential labels: what may be in an image, before anybody is asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from regauge.arrays import NO_CLASS, CountArray, IntArray
from regauge.errors import InputError
from regauge.records.candidates import DEFAULT_TOP, PotentialLabels
from regauge.records.predictions import Predictions
from regauge.records.testsets.test_set import TestSet

# Participants are united a block at a time, so that a thousand of them need little more memory than the result.
_N_AT_ONCE = 64


def find_potential_labels(
    predictions: Iterable[Predictions], test_set: TestSet, *, top: int = DEFAULT_TOP
) -> PotentialLabels:
    """The dataset label and the first answers of all participants, per image and without repetition.

    Tsipras et al. (2020) took the five best answers of ten models that range over all accuracies, which gave about 14 labels
    per image. An image that a participant did not answer has one source less; a note says how many there are.

    Args:
        predictions: the chosen participants, read one after the other.
        test_set: the images and their dataset labels.
        top: how many answers of each participant to take; those with fewer give all they have.

    Raises:
        InputError: there is no participant, one shares no image with the test set, or top is below 1.
    """
    if top < 1:
        raise InputError(f"At least one answer of each participant is needed, not {top}.")
    n_unlabelled = int((~test_set.is_labelled).sum())
    if n_unlabelled:
        raise InputError(
            f"{n_unlabelled:,} of {len(test_set):,} images of {test_set.name} have no dataset label, which is the first of the "
            "potential labels of an image; add a truth that has it."
        )
    merging = _Merging(test_set)
    for block in _gather(predictions, merging, top=top):
        merging.merge(block)
    if not merging.participants:
        raise InputError("Potential labels need the predictions of at least one participant.")
    return PotentialLabels(
        image_ids=test_set.image_ids,
        dataset_labels=test_set.labels,
        starts=merging.starts,
        classes=merging.classes,
        n_participants=merging.counts,
        top=top,
        participants=tuple(merging.participants),
        notes=tuple(merging.notes),
    )


@dataclass(slots=True)
class _Merging:
    """The labels so far; at first the dataset label of every image, which no participant has named yet."""

    test_set: TestSet
    participants: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    starts: CountArray = field(init=False)
    classes: IntArray = field(init=False)
    counts: CountArray = field(init=False)
    _row_by_id: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        n = len(self.test_set)
        self.starts, self.classes = np.arange(n + 1, dtype=np.int64), self.test_set.labels.copy()
        self.counts = np.zeros(n, np.int64)

    def merge(self, answers: IntArray) -> None:
        """Add the answers of a block of participants [participants, images, k]."""
        from regauge.candidates._kernels import merge_answers

        n_classes = 1 + max(int(self.classes.max(initial=0)), int(answers.max(initial=0)))
        self.starts, self.classes, self.counts = merge_answers(
            self.starts, self.classes, self.counts, answers, n_classes
        )

    def align(self, predictions: Predictions, top: int) -> IntArray:
        """The participant's first answers in the row order of the test set, `NO_CLASS` where there is none."""
        self.participants.append(predictions.participant)
        classes = predictions.classes[:, :top]
        if np.array_equal(predictions.image_ids, self.test_set.image_ids):
            return classes
        if not self._row_by_id:
            self._row_by_id = {image_id: row for row, image_id in enumerate(self.test_set.image_ids.tolist())}
        ids = predictions.image_ids.tolist()
        rows = np.fromiter((self._row_by_id.get(image_id, -1) for image_id in ids), np.int64, count=len(ids))
        answers = np.full((len(self.test_set), classes.shape[1]), NO_CLASS, np.int32)
        answers[rows[rows >= 0]] = classes[rows >= 0]
        self._describe(predictions, int((answers[:, 0] == NO_CLASS).sum()))
        return answers

    def _describe(self, predictions: Predictions, n_missing: int) -> None:
        n = len(self.test_set)
        if n_missing == n:
            first = str(predictions.image_ids[0]) if len(predictions) else ""
            raise InputError(
                f"{predictions.participant} and {self.test_set.name} share no image id: the test set's first is "
                f"{str(self.test_set.image_ids[0])!r}, the participant's {first!r}. Write the ids the same way in both files."
            )
        if n_missing:
            self.notes.append(f"{predictions.participant} has no answer for {n_missing:,} of {n:,} images.")


def _gather(predictions: Iterable[Predictions], merging: _Merging, *, top: int) -> Iterator[IntArray]:
    """The aligned answers of some participants at a time [participants, images, k]."""
    block: list[IntArray] = []
    for one in predictions:
        answers = merging.align(one, top)
        if block and (len(block) == _N_AT_ONCE or block[0].shape[1] != answers.shape[1]):
            yield np.stack(block)
            block = []
        block.append(answers)
    if block:
        yield np.stack(block)
