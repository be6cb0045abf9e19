"""What the answers to a campaign give when labels are made of them, and what that depends on beside the answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from regauge.records.campaigns.discussions import DiscussionStanding
from regauge.records.labels.evidence import LabelEvidence
from regauge.records.labels.label_set import LabelSet, Truth
from regauge.records.testsets.test_set import TestSet


class EasySource(NamedTuple):
    """What says which images are easy, so that nobody is asked about them further.

    Attributes:
        split: a table of images; empty where none is named.
        contains: selection counts, a table or a label set of the study; empty where none are named.
    """

    split: str = ""
    contains: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class LabelContext:
    """What labels depend on beside the answers and the rule.

    Attributes:
        name: what to call them.
        images: the test set under study, with dataset labels.
        asked: the ids of all images that are asked about; controls may be of another set.
        easy: the easy images with their dataset labels; None where it is not known which are.
        base: the label set that the campaign names, whose verdicts stand; None where it names none.
        base_evidence: what its verdicts rest on.
        guide: since when, in milliseconds since 1970, each version of the labeling guide holds.
        sampled: the ids of images that were drawn for a sampled review.
        discussion: where the discussion of the answers stands; None where they are not discussed.
    """

    name: str
    images: TestSet
    asked: frozenset[str]
    easy: TestSet | None = None
    base: LabelSet | None = None
    base_evidence: LabelEvidence | None = None
    guide: tuple[tuple[int, int], ...] = ()
    sampled: frozenset[str] = frozenset()
    discussion: DiscussionStanding | None = None

    def find_guide(self, at: int) -> int:
        """The version of the guide at a moment; 0 before the first."""
        return max((version for since, version in self.guide if since <= at), default=0)


@dataclass(frozen=True, slots=True, eq=False)
class MadeLabels:
    """Labels, and what to say of them.

    Attributes:
        truth: one label set, with the counts or objects behind it.
        n_images: images asked about, and easy ones.
        n_unanswered: those of them of whose answers none counts, and which are not easy: they have no labels.
        n_screened_answers: answers that screening drops.
        n_screened_annotators: people all of whose answers it drops.
        verdicts: (image, class) pairs by verdict.
        notes: what a reader of the labels should know, a sentence each.
        warnings: what they should beware of.
    """

    truth: Truth
    n_images: int
    n_unanswered: int
    n_screened_answers: int
    n_screened_annotators: int
    verdicts: Mapping[str, int]
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CompleteImages:
    """What complete labelling found.

    Attributes:
        image_ids: the images that are complete: enough reviewers looked for what is missing, and found nothing more.
        judged: pairs of an image and a class that a reviewer judged, or named though nobody asked.
    """

    image_ids: frozenset[str]
    judged: frozenset[tuple[str, int]]
