"""A clone of google-research/reassessed-imagenet: labels, the scores they come from, and who said what."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from regauge.arrays import FloatArray, IntArray
from regauge.errors import FormatError
from regauge.formats.array_files import read_arrays
from regauge.formats.text import name_from_file, read_json

ANSWERS = ("no", "maybe", "yes")


@dataclass(frozen=True, slots=True, eq=False)
class ScoredLabels:
    """One score per (image, class) that was proposed."""

    image_ids: NDArray[np.str_]
    classes: IntArray
    scores: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class QuestionVotes:
    """Answers of people to questions: [people, questions], the place in `ANSWERS`, or −1 where somebody was not asked."""

    answers: NDArray[np.int8]

    @property
    def n_answers(self) -> int:
        """How many answers there are."""
        return int((self.answers >= 0).sum())

    @property
    def n_per_question(self) -> NDArray[np.int64]:
        """How many people answered each question."""
        return np.asarray((self.answers >= 0).sum(axis=0), np.int64)


def load_label_lists(path: Path) -> list[list[int]]:
    """The labels of every validation image, in file order."""
    content = read_json(path)
    if not isinstance(content, list) or not all(isinstance(labels, list) for labels in content):
        raise FormatError(path, "reassessed labels are a list of label lists, one per validation image.")
    if not all(isinstance(label, int) for labels in content for label in labels):
        raise FormatError(path, "a reassessed label is a class index.")
    return content


def load_scores(path: Path) -> ScoredLabels:
    """The score of every label that was proposed for an image."""
    found = read_arrays(path, "tensor", "info")
    scores, info = found["tensor"], found["info"]
    if scores.ndim != 1 or info.shape != (len(scores), 2) or info.dtype.kind != "U" or scores.dtype.kind != "f":
        raise FormatError(
            path, f"scores are numbers with a file name and a label each, not {scores.shape} and {info.shape}."
        )
    try:
        classes = info[:, 1].astype(np.int32)
    except ValueError:
        raise FormatError(path, "a label is a class index, written as text.") from None
    return ScoredLabels(np.array([name_from_file(name) for name in info[:, 0].tolist()], np.str_), classes, scores)


def load_votes(path: Path) -> QuestionVotes:
    """The answers of people, one-hot over no, maybe and yes."""
    tensor = read_arrays(path, "tensor")["tensor"]
    if tensor.ndim != 3 or tensor.shape[2] != len(ANSWERS) or not tensor.size or tensor.dtype.kind not in "biuf":
        raise FormatError(
            path, f"answers are numbers [people, questions, {len(ANSWERS)}], not {tensor.dtype} {tensor.shape}."
        )
    answers = np.full(tensor.shape[:2], -1, np.int8)
    for place in range(len(ANSWERS)):
        answers[tensor[:, :, place] > 0] = place
    if ((tensor > 0).sum(axis=2) > 1).any():
        raise FormatError(path, "somebody gave several answers to one question.")
    return QuestionVotes(answers)
