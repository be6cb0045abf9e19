"""The subsets in which people and models are compared: groups of classes, and images that people were fast on."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from regauge.arrays import NO_CLASS, BoolArray, CountArray, FloatArray, IntArray, ScoreArray
from regauge.errors import InputError
from regauge.evaluation.humans.judged import AnsweredSet
from regauge.records.evaluation.humans.report import HumanSettings
from regauge.records.evaluation.humans.tables import FAST, FAST_OTHERS
from regauge.records.evaluation.scores import WHOLE
from regauge.records.taxonomy import Taxonomy
from regauge.taxonomy.groups import find_groups

GROUPINGS = ("object-organism", "dogs")
"""Groupings whose groups are subsets by default (Shankar et al. 2020, Table 2)."""
ORDER = ("without dogs", "objects", "organisms", "dogs", "other animals")
"""Groups that come first, in this order."""
OBJECTS = "objects"


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A subset of the images of one test set.

    Attributes:
        name: what outputs call it.
        is_in: [images], or [participants, images] where it is another one for everybody.
        classes: the classes it is made of; None where it is made of images.
    """

    name: str
    is_in: BoolArray
    classes: IntArray | None = None

    def get_images(self, place: int) -> BoolArray:
        """The images of one participant."""
        images: BoolArray = self.is_in if self.is_in.ndim == 1 else self.is_in[place]
        return images


def find_class_groups(taxonomy: Taxonomy | None, settings: HumanSettings) -> dict[str, IntArray]:
    """The groups of classes that are subsets, by name.

    Raises:
        InputError: there is no such grouping, or two groups are called alike.
    """
    known = [] if taxonomy is None else [grouping.name for grouping in taxonomy.groupings]
    wanted = [name for name in GROUPINGS if name in known] if settings.by is None else list(dict.fromkeys(settings.by))
    groups: dict[str, IntArray] = {}
    for name in wanted:
        if taxonomy is None or name not in known:
            there = (
                f"there are: {', '.join(known)}"
                if known
                else "groupings come with a taxonomy: name one with `taxonomy=…`"
            )
            raise InputError(f"There is no grouping of classes {name!r}; {there}.")
        for group, members in find_groups(taxonomy, name).items():
            if group in groups or group in {WHOLE, FAST, FAST_OTHERS}:
                raise InputError(f"Two subsets are called {group!r}; choose one of the two groupings.")
            groups[group] = members
    return {name: groups[name] for name in (*(name for name in ORDER if name in groups), *groups)}


def find_parts(judged: AnsweredSet, groups: dict[str, IntArray], *, settings: HumanSettings) -> list[Part]:
    """All images, the groups of classes, and fast images where people's seconds are known."""
    parts = [Part(WHOLE, np.ones(len(judged), np.bool_))]
    parts += [Part(name, np.isin(judged.labels, classes), classes) for name, classes in groups.items()]
    return [*parts, *_find_fast(judged, settings)]


def find_medians(judged: AnsweredSet, *, without: int | None = None) -> FloatArray:
    """The median of people's seconds on every image; not a number where nobody's are known.

    Args:
        judged: everybody.
        without: the row of a person who is left out.
    """
    chosen = judged.is_person
    if without is not None:
        chosen[without] = False
    return take_medians(judged.seconds[chosen])


def take_medians(seconds: ScoreArray) -> FloatArray:
    """The median over the rows [rows, images] of what is known; not a number where nothing is."""
    columns = np.asarray(seconds, np.float64)
    if not len(columns):
        return np.full(columns.shape[1], np.nan)
    with warnings.catch_warnings():
        # Images of which no seconds are known have no median, which is what is meant.
        warnings.simplefilter("ignore", RuntimeWarning)
        medians: FloatArray = np.nanmedian(columns, axis=0)
    return medians


def _find_fast(judged: AnsweredSet, settings: HumanSettings) -> Iterator[Part]:
    medians = find_medians(judged)
    if np.isnan(medians).all():
        return
    fast = medians <= settings.fast_seconds
    yield Part(FAST, fast)
    others = np.tile(fast, (len(judged.who), 1))
    for place in np.flatnonzero(judged.is_person):
        others[place] = find_medians(judged, without=int(place)) <= settings.fast_seconds
    yield Part(FAST_OTHERS, others)


def count_by_class(flags: BoolArray, labels: IntArray, *, n_classes: int) -> CountArray:
    """How many images of each class a row of flags has [rows, classes]; images without a label belong to none."""
    labelled = labels != NO_CLASS
    known = labels[labelled]
    rows = [np.bincount(known[row[labelled]], minlength=n_classes) for row in flags]
    return np.array(rows, np.int64).reshape(len(flags), n_classes)
