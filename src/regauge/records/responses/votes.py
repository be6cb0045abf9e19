"""Answers to questions that each take one label, as columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from regauge.arrays import IdArray, IntArray, freeze, freeze_ids
from regauge.errors import InputError


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Votes:
    """Answers to questions that each take one label, in the order in which they were given.

    Attributes:
        task_ids: the distinct tasks.
        annotator_ids: the distinct annotators.
        labels: the distinct labels.
        tasks: per vote, the position of its task.
        annotators: per vote, the position of its annotator.
        answers: per vote, the position of its label.
    """

    task_ids: IdArray
    annotator_ids: IdArray
    labels: IdArray
    tasks: IntArray
    annotators: IntArray
    answers: IntArray

    if TYPE_CHECKING:

        def __init__(  # noqa: PLR0913, PLR0917 - the columns of the record, in their order
            self,
            task_ids: ArrayLike,
            annotator_ids: ArrayLike,
            labels: ArrayLike,
            tasks: ArrayLike,
            annotators: ArrayLike,
            answers: ArrayLike,
        ) -> None: ...

    def __post_init__(self) -> None:
        for name in ("task_ids", "annotator_ids", "labels"):
            object.__setattr__(self, name, freeze_ids(getattr(self, name), owner="The votes"))
        for name in ("tasks", "annotators", "answers"):
            object.__setattr__(self, name, freeze(getattr(self, name), np.int32))
        n = len(self.tasks)
        if self.annotators.shape != (n,) or self.answers.shape != (n,):
            raise InputError(f"{n:,} votes need {n:,} annotators and {n:,} labels.")
        for name, codes in (("task_ids", self.tasks), ("annotator_ids", self.annotators), ("labels", self.answers)):
            if codes.size and not (codes.min() >= 0 and codes.max() < len(getattr(self, name))):
                raise InputError(f"A vote refers to a place outside {name}.")

    def __len__(self) -> int:
        return len(self.tasks)

    def __repr__(self) -> str:
        return (
            f"<Votes: {len(self):,} by {len(self.annotator_ids):,} annotators on {len(self.task_ids):,} tasks, "
            f"{len(self.labels):,} labels>"
        )
