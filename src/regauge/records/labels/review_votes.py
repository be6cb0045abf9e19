"""What reviewers said: verdicts on pairs of image and class, and statements about images."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from regauge.arrays import BoolArray, CountArray, IdArray, IntArray, freeze, freeze_ids
from regauge.estimates import DEFAULT_LEVEL
from regauge.records.labels.label_set import VerdictArray

NO_GOLD = -1
"""Stands for the verdict that is known beforehand where none is."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ReviewVotes:
    """Votes of reviewers, in the order in which they came; of two by one person on a pair the later alone.

    Attributes:
        image_ids: per number of an image in the campaign, its id.
        names: the reviewers.
        images: per vote, the number of its image.
        classes: per vote, its class.
        reviewers: per vote, the position of its reviewer.
        verdicts: per vote, a `Verdict`.
        is_added: per vote, whether nobody asked: the reviewer named the class.
        reasons: per vote, why; empty where no reason was given.
        received: per vote, when its answer came, in milliseconds since 1970.
        notes: per vote, what the reviewer wrote beside the answer it was part of, with the link to evidence.
        gold: per vote, the `Verdict` that was known beforehand; `NO_GOLD` where none was. Such a vote makes no verdict.
        is_expert: per vote, whether the pair was referred and the reviewer asked as an expert: that vote stands alone.
        referred_images: per pair that was referred to experts, the number of its image.
        referred_classes: its class.
        problem_images: per statement about an image, its number.
        problem_reviewers: who made it.
        problems: what is wrong with the image.
        seen_images: the images that were shown alone, once for each reviewer who could say what is wrong with them.
        seen_reviewers: who.
        looking_images: the images in which somebody looked for what is missing, in the last task of each; with the next two.
        looking_reviewers: who.
        looking_found: whether they named something.
    """

    image_ids: IdArray
    names: IdArray
    images: IntArray
    classes: IntArray
    reviewers: IntArray
    verdicts: VerdictArray
    is_added: BoolArray
    received: CountArray
    reasons: tuple[str, ...]
    notes: tuple[str, ...]
    gold: VerdictArray
    is_expert: BoolArray
    referred_images: IntArray
    referred_classes: IntArray
    problem_images: IntArray
    problem_reviewers: IntArray
    problems: tuple[str, ...]
    seen_images: IntArray
    seen_reviewers: IntArray
    looking_images: IntArray
    looking_reviewers: IntArray
    looking_found: BoolArray

    def __post_init__(self) -> None:
        for name in ("image_ids", "names"):
            object.__setattr__(self, name, freeze_ids(getattr(self, name), owner="The review"))
        columns = (
            "images",
            "classes",
            "reviewers",
            "referred_images",
            "referred_classes",
            "problem_images",
            "problem_reviewers",
            "seen_images",
            "seen_reviewers",
            "looking_images",
            "looking_reviewers",
        )
        for name in columns:
            object.__setattr__(self, name, freeze(getattr(self, name), np.int32))
        for name in ("verdicts", "gold"):
            object.__setattr__(self, name, freeze(getattr(self, name), np.int8))
        for name in ("is_added", "is_expert", "looking_found"):
            object.__setattr__(self, name, freeze(getattr(self, name), np.bool_))
        object.__setattr__(self, "received", freeze(self.received, np.int64))

    def __len__(self) -> int:
        return len(self.images)

    def __repr__(self) -> str:
        return f"<ReviewVotes: {len(self):,} by {len(self.names):,} reviewers>"


@dataclass(frozen=True, slots=True)
class ReviewSettings:
    """How the votes of reviewers become verdicts.

    Attributes:
        min_votes: a pair with fewer votes stays open.
        trust_dataset_labels: whether dataset labels that nobody judged are correct.
        keep_wrong_labels: whether images whose dataset label is wrong stay; otherwise they are problematic.
        level: nominal coverage of intervals; verdicts have none.
        screening: whether those are left out who call nearly everything unclear.
        keep_annotators: who may not be left out.
        keep_responses: nothing; there are no single answers to keep.
    """

    min_votes: int = 1
    trust_dataset_labels: bool = False
    keep_wrong_labels: bool = False
    level: float = DEFAULT_LEVEL
    screening: bool = True
    keep_annotators: tuple[str, ...] = ()
    keep_responses: tuple[tuple[str, str], ...] = ()
