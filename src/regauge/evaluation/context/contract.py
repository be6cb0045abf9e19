"""What an analysis of benchmark and task gets, what it gives, and what it says of itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

import numpy as np

import regauge.frames as pl
from regauge.arrays import NO_CLASS, BoolArray, CountArray, IntArray
from regauge.estimates import join_words
from regauge.evaluation.targets import Target
from regauge.records.candidates import Candidates, PotentialLabels, SplitPart
from regauge.records.evaluation.context.report import ContextSettings
from regauge.records.evaluation.context.report import ContextTable as ContextTable  # noqa: PLC0414 - analyses take it from here
from regauge.records.labels.frequencies import SelectionCounts
from regauge.records.labels.objects import ClassifyLabels, ImageObjects
from regauge.records.responses.answers import ClassifyResponses
from regauge.records.taxonomy import Taxonomy


class ContextNeed(StrEnum):
    """What an analysis, or a part of one, cannot do without; the words are those of a sentence that names what is missing."""

    DATASET_LABELS = "dataset labels"
    PARTICIPANTS = "predictions"
    CLASSIFY = "answers to CLASSIFY"
    OBJECTS = "objects"
    FREQUENCIES = "selection frequencies"
    SPLIT = "the split of the images"
    GROUPS = "groups of classes in the taxonomy"
    HIERARCHY = "a hierarchy in the taxonomy"
    POTENTIAL = "potential labels"
    CANDIDATES = "candidates for CLASSIFY"


@dataclass(frozen=True, eq=False)
class ContextMaterial:
    """Everything known about the images of a test set, lined up once; what is not known is None or empty.

    Attributes:
        target: the images in row order, with dataset labels.
        taxonomy: the classes.
        participants: names, the best first by top-1 on these images, ties by name.
        firsts: the first answer [participants, images]; `NO_CLASS` where there is none.
        in_five: whether the dataset label is among the first five answers [participants, images].
        has_five: which participants give five answers [participants].
        classify: what CLASSIFY answers say of their images, in an order of their own (`find_target_rows` lines them up).
        responses: the accepted answers behind it, annotator by annotator.
        objects: the objects of images, those with one easy object included.
        counts: how often classes were selected for images in CONTAINS.
        parts: image id → the part of the split that it is in.
        potential: labels that people were asked about.
        candidates: labels that were offered in CLASSIFY.
        notes: what was found while it was read, a sentence each.
        people: the participants who are persons.
    """

    target: Target
    taxonomy: Taxonomy | None = None
    participants: tuple[str, ...] = ()
    firsts: IntArray | None = None
    in_five: BoolArray | None = None
    has_five: BoolArray | None = None
    classify: ClassifyLabels | None = None
    responses: ClassifyResponses | None = None
    objects: ImageObjects | None = None
    counts: SelectionCounts | None = None
    parts: Mapping[str, SplitPart] | None = None
    potential: PotentialLabels | None = None
    candidates: Candidates | None = None
    notes: tuple[str, ...] = ()
    people: frozenset[str] = frozenset()

    @property
    def labels(self) -> IntArray:
        """The dataset label of every image; `NO_CLASS` where there is none."""
        return self.target.dataset_labels

    @cached_property
    def n_classes(self) -> int:
        """How many classes there are: those of the taxonomy, or up to the highest index in use."""
        if self.taxonomy is not None:
            return len(self.taxonomy)
        used = [int(self.labels.max(initial=NO_CLASS))]
        used += [] if self.firsts is None else [int(self.firsts.max(initial=NO_CLASS))]
        used += [] if self.counts is None else [int(self.counts.classes.max(initial=NO_CLASS))]
        used += [] if self.classify is None else [int(self.classify.classes.max(initial=NO_CLASS))]
        return max(used) + 1

    @cached_property
    def n_right(self) -> CountArray:
        """Per participant, on how many images the first answer is the dataset label."""
        if self.firsts is None:
            return np.zeros(0, np.int64)
        is_right = (self.firsts == self.labels) & (self.labels != NO_CLASS)
        return np.asarray(is_right.sum(axis=1), np.int64)

    def has(self, need: ContextNeed) -> bool:
        """Whether that is known."""
        return {
            ContextNeed.DATASET_LABELS: self.target.has_dataset_labels,
            ContextNeed.PARTICIPANTS: bool(self.participants),
            ContextNeed.CLASSIFY: self.classify is not None,
            ContextNeed.OBJECTS: self.objects is not None,
            ContextNeed.FREQUENCIES: self.counts is not None,
            ContextNeed.SPLIT: self.parts is not None,
            ContextNeed.GROUPS: self.taxonomy is not None and bool(self.taxonomy.groupings),
            ContextNeed.HIERARCHY: self.taxonomy is not None and self.taxonomy.has_hierarchy,
            ContextNeed.POTENTIAL: self.potential is not None,
            ContextNeed.CANDIDATES: self.candidates is not None
            or (self.responses is not None and self.responses.candidates is not None),
        }[need]


@dataclass(frozen=True, slots=True, eq=False)
class ContextFindings:
    """What an analysis gives.

    Attributes:
        tables: every table by the name under which the analysis lists it.
        answers: what it comes to, a sentence each, the most important first.
        notes: what the reader should know; of parts that were left out, what is missing.
    """

    tables: Mapping[str, pl.DataFrame]
    answers: tuple[str, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Analysis:
    """One analysis of benchmark and task, with all that is said of it.

    Attributes:
        name: what the command calls it.
        title: what documents call it.
        help: what it does, in one sentence.
        needs: without these it is refused; what else is missing is left out and named in a note.
        tables: its tables, the leading one first.
        analyse: from the material to the findings.
        needs_any: it is refused without one of these; none where that is said by `needs`.
    """

    name: str
    title: str
    help: str
    needs: tuple[ContextNeed, ...]
    tables: Mapping[str, ContextTable]
    analyse: Callable[[ContextMaterial, ContextSettings], ContextFindings]
    needs_any: tuple[ContextNeed, ...] = ()

    def find_missing(self, material: ContextMaterial) -> str:
        """What the material lacks for it, as a sentence names it; empty where it can be done."""
        lacking = [str(need) for need in self.needs if not material.has(need)]
        if self.needs_any and not any(map(material.has, self.needs_any)):
            lacking.append(" or ".join(self.needs_any))
        return join_words(lacking) if lacking else ""
