"""Simulated annotators: they see how much of a class is in a picture, through noise that depends on who they are.

An annotator sees the true degree of a class with an error, and selects the class when what they see passes their
threshold; now and then they lapse and answer at random. The same annotator gives the same answer to the same question,
in whatever order the questions come: the error is drawn from the annotator, the picture and the class.

Seconds are log-normal and longer where the truth is near the threshold, as people take longer over close calls.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from regauge.arrays import NO_CLASS, BoolArray, CountArray, FloatArray, IntArray, freeze
from regauge.errors import InputError
from regauge.records.labels.label_set import VerdictArray
from regauge.records.labels.verdicts import Verdict
from regauge.world.collections import Collection
from regauge.world.scenes import judge

KeyArray = NDArray[np.uint64]


class Profile(StrEnum):
    """How an annotator works."""

    EXPERT = "expert"
    CAREFUL = "careful"
    HURRIED = "hurried"
    SPAMMER = "spammer"
    """Clicks here and there."""
    IDLER = "idler"
    """Submits next to nothing, at once."""


@dataclass(frozen=True, slots=True)
class Manner:
    """The numbers behind a profile.

    Attributes:
        noise: standard deviation of the error on a seen degree.
        taste: standard deviation of what the annotator adds to everything that is asked for one class.
        threshold: the seen degree from which on a class is selected.
        lapse_rate: share of questions answered without looking.
        lapse_yes_rate: share of those answers that are yes.
        seconds: median seconds per question.
    """

    noise: float
    taste: float
    threshold: float
    lapse_rate: float
    lapse_yes_rate: float
    seconds: float


MANNERS: Mapping[Profile, Manner] = {
    Profile.EXPERT: Manner(noise=0.07, taste=0.04, threshold=0.47, lapse_rate=0.004, lapse_yes_rate=0.3, seconds=3.2),
    Profile.CAREFUL: Manner(noise=0.15, taste=0.10, threshold=0.47, lapse_rate=0.02, lapse_yes_rate=0.3, seconds=2.0),
    Profile.HURRIED: Manner(noise=0.24, taste=0.12, threshold=0.53, lapse_rate=0.10, lapse_yes_rate=0.2, seconds=0.8),
    Profile.SPAMMER: Manner(noise=0.24, taste=0.12, threshold=0.53, lapse_rate=0.95, lapse_yes_rate=0.3, seconds=0.3),
    Profile.IDLER: Manner(noise=0.24, taste=0.12, threshold=0.53, lapse_rate=1.0, lapse_yes_rate=0.01, seconds=0.15),
}

CROWD: Mapping[Profile, float] = {Profile.CAREFUL: 0.70, Profile.HURRIED: 0.25, Profile.SPAMMER: 0.05}
"""Shares of the profiles among annotators hired from a crowd."""

NO_MAIN = NO_CLASS
_DOUBT_FACTOR = 1.5
_SECONDS_SPREAD = 0.5
_CLASSIFY_FACTOR = 4.0
_MEMORY, _QUICK = 0.5, 0.4
"""How often somebody remembers a picture with its label, and the part of the time that they take then."""


@dataclass(frozen=True, slots=True)
class Annotator:
    """One simulated person.

    Attributes:
        annotator_id: what outputs call them.
        profile: how they work.
        seed: makes them differ from others of the same profile.
    """

    annotator_id: str
    profile: Profile
    seed: int

    @property
    def manner(self) -> Manner:
        """The numbers behind their profile."""
        return MANNERS[self.profile]


@dataclass(frozen=True, slots=True, eq=False)
class ContainsAnswers:
    """Answers to "does the picture contain the class?", one per question.

    Attributes:
        selected: whether the annotator selected the picture.
        seconds: how long they took.
    """

    selected: BoolArray
    seconds: FloatArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "selected", freeze(self.selected, np.bool_))
        object.__setattr__(self, "seconds", freeze(self.seconds, np.float64))


@dataclass(frozen=True, slots=True, eq=False)
class ClassifyAnswers:
    """Answers to "which of these labels are valid, and which is the main object's?", one row per picture.

    Attributes:
        selected: whether each candidate was selected [n, k].
        main: the class of the main object; `NO_CLASS` where the annotator selected nothing [n].
        seconds: how long they took [n].
    """

    selected: BoolArray
    main: IntArray
    seconds: FloatArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "selected", freeze(self.selected, np.bool_))
        object.__setattr__(self, "main", freeze(self.main, np.int32))
        object.__setattr__(self, "seconds", freeze(self.seconds, np.float64))


def hire(n: int, *, rng: np.random.Generator, shares: Mapping[Profile, float] = CROWD) -> tuple[Annotator, ...]:
    """Annotators whose profiles are drawn with the given shares."""
    profiles = list(shares)
    drawn = rng.choice(len(profiles), size=n, p=np.array(list(shares.values())) / sum(shares.values()))
    seeds = rng.integers(1 << 62, size=n)
    return tuple(
        Annotator(f"annotator-{number:03d}", profiles[profile], seed)
        for number, (profile, seed) in enumerate(zip(drawn.tolist(), seeds.tolist(), strict=True))
    )


def answer_contains(
    annotator: Annotator, collection: Collection, *, rows: CountArray, classes: CountArray
) -> ContainsAnswers:
    """Whether the annotator selects each picture when asked for each class.

    Args:
        annotator: who is asked.
        collection: where the pictures are.
        rows: the picture of each question, by its row.
        classes: the class of each question.
    """
    rows, classes = np.asarray(rows, np.int64), np.asarray(classes, np.int64)
    if rows.shape != classes.shape or rows.ndim != 1:
        raise InputError(
            f"Each question needs a row and a class: there are {rows.shape} rows and {classes.shape} classes."
        )
    manner, degrees = annotator.manner, collection.degrees[rows, classes].astype(np.float64)
    keys = _mix(_key_images(collection)[rows], np.uint64(annotator.seed)) + classes.astype(np.uint64)
    seen = degrees + manner.noise * _sample_normal(keys, 1) + _find_taste(annotator, classes)
    lapsed = _sample(keys, 2) < manner.lapse_rate
    selected = np.where(lapsed, _sample(keys, 3) < manner.lapse_yes_rate, seen > manner.threshold)
    return ContainsAnswers(selected, _take_time(manner, np.abs(degrees - manner.threshold), keys))


def answer_review(
    annotator: Annotator, collection: Collection, *, rows: CountArray, classes: CountArray
) -> tuple[VerdictArray, FloatArray]:
    """The annotator's verdict on each class of each picture, and the seconds: as a perfect reviewer by what they see.

    Who lapses says correct or wrong at random. Arguments as of `answer_contains`.
    """
    manner, degrees = annotator.manner, collection.degrees[rows, classes].astype(np.float64)
    keys = _key_questions(annotator, collection, rows=rows, classes=classes)
    seen = see_degrees(annotator, collection, rows=rows, classes=classes)
    guess = np.where(_sample(keys, 3) < manner.lapse_yes_rate, Verdict.CORRECT, Verdict.WRONG)
    verdicts = np.where(_sample(keys, 2) < manner.lapse_rate, guess, judge(seen)).astype(np.int8)
    return verdicts, _take_time(manner, np.abs(degrees - manner.threshold), keys)


def see_degrees(annotator: Annotator, collection: Collection, *, rows: CountArray, classes: CountArray) -> FloatArray:
    """How much each class seems to be in each picture, to somebody who looks; arguments as of `answer_contains`."""
    degrees = collection.degrees[rows, classes].astype(np.float64)
    keys = _key_questions(annotator, collection, rows=rows, classes=classes)
    return np.asarray(
        degrees + annotator.manner.noise * _sample_normal(keys, 1) + _find_taste(annotator, classes), np.float64
    )


def expect_selection(
    collection: Collection, *, rows: CountArray, classes: CountArray, shares: Mapping[Profile, float] = CROWD
) -> FloatArray:
    """The true selection frequency of each question: the share of an endless crowd that would select the picture.

    Args:
        collection: where the pictures are.
        rows: the picture of each question, by its row.
        classes: the class of each question.
        shares: shares of the profiles in the crowd.
    """
    degrees = collection.degrees[rows, classes].astype(np.float64)
    expected = np.zeros(degrees.shape)
    for profile, share in shares.items():
        manner = MANNERS[profile]
        seen = ndtr((degrees - manner.threshold) / np.hypot(manner.noise, manner.taste))
        expected += share * ((1 - manner.lapse_rate) * seen + manner.lapse_rate * manner.lapse_yes_rate)
    return np.asarray(expected / sum(shares.values()), np.float64)


def answer_classify(
    annotator: Annotator, collection: Collection, *, rows: CountArray, candidates: IntArray
) -> ClassifyAnswers:
    """Which candidates the annotator selects for each picture, one per object, and the label of the main object.

    Every thing in the picture is given the candidate that it seems to be most, if it seems enough like it. The main object
    is the most striking of the things that were given a label.

    Args:
        annotator: who is asked.
        collection: where the pictures are.
        rows: the pictures, by row [n].
        candidates: the labels offered, filled with `NO_CLASS` [n, k].
    """
    rows, offered = np.asarray(rows, np.int64), np.asarray(candidates, np.int64)
    if offered.ndim != 2 or len(offered) != len(rows):
        raise InputError(
            f"{len(rows)} pictures need one row of candidates each, not an array of shape {offered.shape}."
        )
    manner = annotator.manner
    keys = _mix(_key_images(collection)[rows], np.uint64(annotator.seed ^ 0x5DEECE66D))
    seen = _see_things(collection, rows, offered=offered, keys=keys, noise=manner.noise)
    seen = seen + _find_taste(annotator, offered)[:, np.newaxis, :]
    best = seen.argmax(axis=2)
    named = seen.max(axis=2) > manner.threshold
    columns = np.arange(offered.shape[1])
    selected = (named[:, :, np.newaxis] & (best[:, :, np.newaxis] == columns)).any(axis=1)
    striking = np.where(named, collection.saliences[rows] * np.exp(0.3 * _sample_normal(keys, 7))[:, np.newaxis], -1.0)
    main_place = np.take_along_axis(best, striking.argmax(axis=1)[:, np.newaxis], axis=1)[:, 0]
    selected, main_place = _lapse(manner, selected, main_place, offered=offered, keys=keys)
    main = np.where(selected.any(axis=1), np.take_along_axis(offered, main_place[:, np.newaxis], axis=1)[:, 0], NO_MAIN)
    doubt = np.abs(seen.max(axis=(1, 2)) - manner.threshold)
    return ClassifyAnswers(selected, main, _CLASSIFY_FACTOR * _take_time(manner, doubt, keys))


def answer_label(
    annotator: Annotator, collection: Collection, *, rows: CountArray, known: BoolArray | None = None
) -> tuple[IntArray, FloatArray]:
    """The one class that the annotator gives each picture, of all there are, and how many seconds it takes them.

    The most striking of the things that look like a class is named after the class that it looks like most; where nothing
    looks like any class, what comes closest is. Whoever has seen a picture with its label remembers it now and then, and then
    answers at once.

    Args:
        annotator: who is asked.
        collection: where the pictures are.
        rows: the pictures, by row [n].
        known: whether the annotator has seen each before [n]; none of them by default.
    """
    rows = np.asarray(rows, np.int64)
    offered = np.broadcast_to(
        np.arange(collection.degrees.shape[1], dtype=np.int32), (len(rows), collection.degrees.shape[1])
    )
    found = answer_classify(annotator, collection, rows=rows, candidates=offered)
    keys = _mix(_key_images(collection)[rows], np.uint64(annotator.seed ^ 0x2545F491))
    closest = (collection.degrees[rows] + annotator.manner.noise * _sample_normal(keys, 1)[:, np.newaxis]).argmax(
        axis=1
    )
    named = np.where(found.main == NO_MAIN, closest, found.main)
    remembered = (_sample(keys, 2) < _MEMORY) & (np.zeros(len(rows), np.bool_) if known is None else known)
    classes = np.where(remembered, collection.main_labels[rows], named).astype(np.int32)
    return classes, np.where(remembered, _QUICK, 1.0) * found.seconds


def _find_taste(annotator: Annotator, classes: CountArray) -> FloatArray:
    """What the annotator adds to the degree of a class: nobody means quite the same by a word."""
    keys = np.maximum(classes, 0).astype(np.uint64) ^ np.uint64(annotator.seed)
    return annotator.manner.taste * _sample_normal(keys, 8)


def _see_things(
    collection: Collection, rows: CountArray, *, offered: CountArray, keys: KeyArray, noise: float
) -> FloatArray:
    """How much each thing seems to be each candidate [n, things, candidates]; never, where there is no candidate."""
    degrees = collection.thing_degrees[rows]
    true = np.take_along_axis(degrees, np.maximum(offered, 0)[:, np.newaxis, :], axis=2).astype(np.float64)
    things = np.arange(true.shape[1], dtype=np.uint64)[np.newaxis, :, np.newaxis] * np.uint64(4096)
    each = keys[:, np.newaxis, np.newaxis] + things + np.maximum(offered, 0)[:, np.newaxis, :].astype(np.uint64)
    present = (collection.saliences[rows] > 0)[:, :, np.newaxis] & (offered >= 0)[:, np.newaxis, :]
    return np.where(present, true + noise * _sample_normal(each, 4), -np.inf)


def _lapse(
    manner: Manner, selected: BoolArray, main_place: CountArray, *, offered: CountArray, keys: KeyArray
) -> tuple[BoolArray, CountArray]:
    """In a lapse one label is taken at random, whatever is in the picture."""
    lapsed = _sample(keys, 5) < manner.lapse_rate
    n_offered = (offered >= 0).sum(axis=1)
    guess = np.minimum((_sample(keys, 6) * n_offered).astype(np.int64), np.maximum(n_offered - 1, 0))
    random = (np.arange(offered.shape[1]) == guess[:, np.newaxis]) & (offered >= 0)
    return np.where(lapsed[:, np.newaxis], random, selected), np.where(lapsed, guess, main_place)


def _take_time(manner: Manner, distance: FloatArray, keys: KeyArray) -> FloatArray:
    doubt = 1 + _DOUBT_FACTOR * np.exp(-((np.minimum(distance, 9.0) / 0.2) ** 2))
    return manner.seconds * doubt * np.exp(_SECONDS_SPREAD * _sample_normal(keys, 9))


def _key_questions(annotator: Annotator, collection: Collection, *, rows: CountArray, classes: CountArray) -> KeyArray:
    """One number per question and annotator."""
    images = _key_images(collection)[rows]
    return np.asarray(_mix(images, np.uint64(annotator.seed)) + classes.astype(np.uint64), np.uint64)


@lru_cache(maxsize=8)
def _key_images(collection: Collection) -> KeyArray:
    """One number per picture, from its id: the same picture is the same question in any collection."""
    ids = np.ascontiguousarray(collection.image_ids)
    letters = ids.view(np.uint32).reshape(len(ids), -1).astype(np.uint64)
    keys = np.zeros(len(ids), np.uint64)
    for column in letters.T:
        # Padding at the end of short ids is left out, or the key would depend on the longest id.
        keys = np.where(column > 0, _mix(keys, column), keys)
    return freeze(keys, np.uint64)


def _mix(keys: KeyArray, salt: KeyArray | np.uint64) -> KeyArray:
    """Well-spread bits from two numbers (the finaliser of SplitMix64, Steele et al. 2014)."""
    with np.errstate(over="ignore"):
        bits = (keys ^ salt) + np.uint64(0x9E3779B97F4A7C15)
        bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return np.asarray(bits ^ (bits >> np.uint64(31)), np.uint64)


def _sample(keys: KeyArray, stream: int) -> FloatArray:
    """Uniform numbers strictly between 0 and 1, one per key."""
    bits = _mix(_mix(keys, np.uint64(0xD1B54A32D192ED03)), np.uint64(stream))
    return np.asarray(((bits >> np.uint64(12)).astype(np.float64) + 0.5) / 2.0**52, np.float64)


def _sample_normal(keys: KeyArray, stream: int) -> FloatArray:
    return np.asarray(ndtri(_sample(keys, stream)), np.float64)
