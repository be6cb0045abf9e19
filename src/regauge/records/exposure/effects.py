"""What it changes that people have seen images before: their accuracy with and without exposure."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from regauge.estimates import Estimate, Share


class ExposureSplit(StrEnum):
    """What is set apart."""

    LABELERS = "labelers"
    """People who have seen any of the images before they began, and people who have seen none."""
    IMAGES = "images"
    """Answers to images that whoever answered had seen before, and answers to other images."""
    WITHIN = "within"
    """The same of one person."""


@dataclass(frozen=True, slots=True)
class ExposedScore:
    """How often answers of a part are right.

    Attributes:
        split: what is set apart.
        labeler: whose answers these are; empty for those of several people.
        is_exposed: which of the two parts.
        n_labelers: how many people gave them.
        accuracy: the share of right answers; unjudged ones count as wrong in it, and either way in its limits.
        n_unjudged: answers that nobody has judged.
    """

    split: ExposureSplit
    labeler: str
    is_exposed: bool
    n_labelers: int
    accuracy: Share[float | None]
    n_unjudged: int = 0


@dataclass(frozen=True, slots=True)
class ExposureDifference:
    """The accuracy with exposure minus that without.

    Attributes:
        split: what is set apart.
        labeler: whose answers these are; empty for those of several people.
        difference: with its limits; without a value where one of the parts is empty.
        n_exposed: answers of the exposed part.
        n_unexposed: answers of the other.
    """

    split: ExposureSplit
    labeler: str
    difference: Estimate[float | None]
    n_exposed: int
    n_unexposed: int


@dataclass(frozen=True, slots=True)
class ExposedLabeler:
    """What a participant had seen of the images before they began.

    Attributes:
        labeler: who.
        person: who that is in the study, by their pseudonym; empty where nobody is known under that name.
        began_at: before which moment exposure counts.
        n_images: images that they answered.
        n_exposed: how many of these they had seen.
        first_at: when they saw the first of them; empty for none.
        last_at: when they saw the last before they began.
        accuracy: the share of right answers to all.
        roles: as what they had seen them.
        why: what was declared of them.
    """

    labeler: str
    person: str
    began_at: str
    n_images: int
    n_exposed: int
    first_at: str
    last_at: str
    accuracy: Share[float | None]
    roles: tuple[str, ...] = ()
    why: tuple[str, ...] = ()

    @property
    def is_exposed(self) -> bool:
        """Whether they had seen any of the images."""
        return self.n_exposed > 0


@dataclass(frozen=True, slots=True)
class ExposureEffect:
    """Accuracies of people with and without exposure on a test set.

    Attributes:
        test_set: which set.
        metric: when an answer is right.
        labels: by which labels.
        labelers: everybody, with what they had seen.
        scores: the two parts of every split, without exposure first.
        differences: one for every split.
        notes: what to know.
    """

    test_set: str
    metric: str
    labels: str
    labelers: tuple[ExposedLabeler, ...]
    scores: tuple[ExposedScore, ...]
    differences: tuple[ExposureDifference, ...]
    notes: tuple[str, ...] = ()
