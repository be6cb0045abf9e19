"""Who predicted what: participants, and people by the label that they select most often or name for the main object."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from regauge.arrays import NO_CLASS, BoolArray, CountArray, FloatArray, IntArray, divide
from regauge.errors import InputError
from regauge.evaluation.context.contract import ContextMaterial
from regauge.evaluation.lookups import NO_PAIR, find_target_rows
from regauge.records.candidates import SplitPart
from regauge.records.labels.frequencies import SelectionCounts

MAIN, TOP, OBJECTS = "main label", "highest frequency", "objects"
"""What people are taken to predict: the main label, and the label with the highest selection frequency; and what they see."""


@dataclass(frozen=True, slots=True, eq=False)
class GivenAnswers:
    """What somebody answers to images, as pairs of an image and a class.

    An image has one pair of weight 1, or several of equal weights where several classes share the first place.

    Attributes:
        name: who.
        rows: per pair, the row of its image, ascending.
        classes: per pair, the class.
        weights: per pair, its part of the image.
        is_given: whether the image has a dataset label and an answer [images].
        is_people: whether these are people's, from their votes.
    """

    name: str
    rows: CountArray
    classes: IntArray
    weights: FloatArray
    is_given: BoolArray
    is_people: bool = False

    @property
    def n(self) -> int:
        """How many images have an answer."""
        return int(self.is_given.sum())

    @property
    def n_tied(self) -> int:
        """On how many images several classes share the first place."""
        return int(np.count_nonzero(np.bincount(self.rows[self.weights < 1], minlength=1)))


def take_answers(material: ContextMaterial, place: int) -> GivenAnswers:
    """The first answers of a participant."""
    if material.firsts is None:
        raise InputError(f"There are no predictions on {material.target.name}.")
    return give_one_each(material.participants[place], material.firsts[place], labels=material.labels)


def give_one_each(name: str, answers: IntArray, *, labels: IntArray, is_people: bool = False) -> GivenAnswers:
    """One answer per image, `NO_CLASS` where there is none, as pairs."""
    is_given = (answers != NO_CLASS) & (labels != NO_CLASS)
    rows = np.flatnonzero(is_given)
    classes = answers[rows].astype(np.int32)
    return GivenAnswers(name, rows, classes, np.ones(rows.size), is_given, is_people=is_people)


def find_people(material: ContextMaterial) -> list[GivenAnswers]:
    """People's predictions in the ways that the material allows."""
    found = []
    mains = find_main_labels(material)
    if mains is not None:
        found.append(give_one_each(f"people ({MAIN})", mains, labels=material.labels, is_people=True))
    if material.counts is not None:
        found.append(_find_tops(material, material.counts))
    return found


def find_main_labels(material: ContextMaterial) -> IntArray | None:
    """The main label of every image by CLASSIFY, the dataset label where an image was too easy to be asked about.

    `NO_CLASS` where nobody's answer was accepted; None without CLASSIFY.
    """
    labels = material.classify
    if labels is None:
        return None
    mains = np.full(len(material.labels), NO_CLASS, np.int32)
    rows = find_target_rows(material.target, labels.objects.image_ids)
    is_here = (rows != NO_PAIR) & (labels.n_accepted > 0)
    mains[rows[is_here]] = labels.main_labels[is_here]
    is_easy = find_part(material, SplitPart.EASY) & (mains == NO_CLASS)
    mains[is_easy] = material.labels[is_easy]
    return mains


def find_part(material: ContextMaterial, part: SplitPart) -> BoolArray:
    """Which images are in that part of the split; none where the split is not known."""
    parts = material.parts or {}
    return np.array([parts.get(one) is part for one in material.target.image_ids.tolist()], np.bool_)


def _find_tops(material: ContextMaterial, counts: SelectionCounts) -> GivenAnswers:
    """Per image the classes with the highest selection frequency, which share the image; none where nobody selected any."""
    rows = find_target_rows(material.target, counts.image_ids)[counts.images]
    is_used = (rows != NO_PAIR) & (counts.n_selected > 0)
    rows, classes = rows[is_used], counts.classes[is_used]
    shares = divide(counts.n_selected[is_used], counts.n_shown[is_used])
    best = np.zeros(len(material.labels))
    np.maximum.at(best, rows, shares)
    # Quotients of equal fractions are equal to the last bit.
    is_top = (shares == best[rows]) & (material.labels[rows] != NO_CLASS)
    rows, classes = rows[is_top], classes[is_top]
    order = np.lexsort((classes, rows))
    n_tied = np.bincount(rows, minlength=len(best))
    weights = 1 / n_tied[rows[order]]
    columns = rows[order], classes[order], weights, n_tied > 0
    return GivenAnswers(f"people ({TOP})", *columns, is_people=True)


def find_seen_objects(material: ContextMaterial) -> GivenAnswers | None:
    """The names of all objects of every image, each with weight 1; None where objects are not known."""
    objects = material.objects
    if objects is None:
        return None
    rows = find_target_rows(material.target, objects.image_ids)[objects.object_images]
    is_used = (rows != NO_PAIR) & (material.labels[rows] != NO_CLASS)
    rows, names = rows[is_used], objects.names[is_used]
    order = np.lexsort((names, rows))
    is_given = np.bincount(rows, minlength=len(material.labels)) > 0
    return GivenAnswers(OBJECTS, rows[order], names[order], np.ones(rows.size), is_given, is_people=True)
