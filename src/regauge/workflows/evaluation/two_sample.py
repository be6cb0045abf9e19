"""Tell two test sets apart by features of their images."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from regauge.arrays import NO_CLASS, IntArray
from regauge.errors import InputError
from regauge.evaluation.two_sample import compare_features as compare_lined_up
from regauge.formats.predictions.features import load_features
from regauge.records.cells import write_csv
from regauge.records.evaluation.two_sample import TwoSample, TwoSampleSettings
from regauge.records.testsets.features import Features
from regauge.records.testsets.test_set import TestSet
from regauge.storage.evaluation.two_samples import FeatureInput, insert_two_sample
from regauge.storage.events import add_event
from regauge.storage.files import write_whole
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import get_test_set, load_test_set
from regauge.workflows.inputs import TaxonomyLike, TruthLike, load_truth


@dataclass(frozen=True, slots=True)
class FeatureSet:
    """Features of a test set's images, and which images and classes it has, where that is known.

    Attributes:
        features: a `.npy` file [images, features], or a record.
        truth: its images with their dataset labels, as in `score`; images that it lacks are left out. None: all images with
            features, of no known class.
        ids: image ids of the file; by default they stand beside it.
        option: where a user can name the ids, for error messages.
    """

    features: Features | str | Path
    truth: TruthLike | None = None
    ids: Path | None = None
    option: str = "ids"


@dataclass(frozen=True, slots=True, eq=False)
class _LinedUp:
    """Features of the images of a set, their classes, and what was left out."""

    features: Features
    classes: IntArray | None
    notes: tuple[str, ...]


def compare_features(
    first: FeatureSet,
    second: FeatureSet,
    *,
    taxonomy: TaxonomyLike = None,
    settings: TwoSampleSettings | None = None,
) -> TwoSample:
    """Whether images of two sets can be told apart by their features: a classifier two-sample test.

    Args:
        first: features of one set.
        second: features of the other, from the same network.
        taxonomy: the classes, where truths name them.
        settings: by class or not, folds, permutations, seed and level.

    Raises:
        InputError: the features do not fit, or too few images are left.

    Reference:
        Lopez-Paz, Oquab (2017), Revisiting classifier two-sample tests.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> names = [f"{place:02d}" for place in range(80)]
    >>> sets = [Features(one, [one + name for name in names], rng.normal(size=(80, 4)) + (one == "b")) for one in "ab"]
    >>> found = compare_features(FeatureSet(sets[0]), FeatureSet(sets[1]))
    >>> found.p, found.n_pairs
    (0.005, 80)
    """
    sides = [_line_up(one, taxonomy) for one in (first, second)]
    one, other = (side.features for side in sides)
    if one.name == other.name:
        one, other = replace(one, name=f"{one.name} (first)"), replace(other, name=f"{other.name} (second)")
    known = [side.classes for side in sides]
    classes = None if known[0] is None or known[1] is None else (known[0], known[1])
    found = compare_lined_up(one, other, classes=classes, settings=settings or TwoSampleSettings())
    return replace(found, notes=(*sides[0].notes, *sides[1].notes, *found.notes))


def find_feature_set(study: Study, name: str, *, features: Path, ids: Path | None, option: str = "ids") -> FeatureSet:
    """Features of a test set of the study; a transaction that reads is enough.

    Raises:
        InputError: there is no such test set.
    """
    test_set = load_test_set(study, get_test_set(study, name))
    return FeatureSet(features, test_set, ids, option)


def store_two_sample(study: Study, found: TwoSample, *, sets: tuple[FeatureSet, FeatureSet]) -> int:
    """Keep a test of two test sets of the study with what made it; returns its number.

    Args:
        study: the study, inside a transaction that may write.
        found: the test.
        sets: what was compared, as `find_feature_set` gave it.

    Raises:
        InputError: a test set is not in the study.
    """
    first, second = (_describe_input(study, one) for one in sets)
    number = insert_two_sample(study, found, first=first, second=second)
    names = {"first": first.test_set.name, "second": second.test_set.name}
    add_event(study, "testset two-sample", {"two_sample": number, **names, "auc": found.auc.value, "p": found.p})
    return number


def _describe_input(study: Study, one: FeatureSet) -> FeatureInput:
    if not isinstance(one.truth, TestSet) or isinstance(one.features, Features):
        raise InputError("A study keeps tests of its own test sets with features from files.")
    with Path(one.features).open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    return FeatureInput(get_test_set(study, one.truth.name), sha256)


def save_likenesses(found: TwoSample, path: Path) -> None:
    """Write all images that took part, those that look most like the other set first, as CSV.

    Raises:
        InputError: the file exists.
        StorageError: the file cannot be written.
    """
    with write_whole(path) as partial, partial.open("w", encoding="utf-8", newline="\n") as file:
        write_csv(found.to_likeness_frame(), file)


def _line_up(source: FeatureSet, taxonomy: TaxonomyLike) -> _LinedUp:
    features = source.features
    if not isinstance(features, Features):
        path = Path(features)
        features = load_features(path, name=path.stem, ids=source.ids, option=source.option)
    if source.truth is None:
        return _LinedUp(features, None, ())
    truth = load_truth(source.truth, taxonomy=taxonomy)
    if truth.test_set is None:
        raise InputError(f"{truth.name} has no dataset labels, so it does not say which images the set has.")
    return _keep(features, truth.test_set)


def _keep(features: Features, test_set: TestSet) -> _LinedUp:
    """The features of the set's images, with their classes."""
    label_of = dict(zip(test_set.image_ids.tolist(), test_set.labels.tolist(), strict=True))
    classes = np.array([label_of.get(one, NO_CLASS - 1) for one in features.image_ids.tolist()], np.int32)
    rows = np.flatnonzero(classes >= NO_CLASS)
    if not len(rows):
        raise InputError(
            f"The features of {test_set.name} have none of its image ids; write the ids the same way in both."
        )
    notes = []
    if len(rows) < len(test_set):
        notes.append(f"{len(test_set) - len(rows):,} of {len(test_set):,} images of {test_set.name} have no features.")
    if len(rows) == len(features):
        # Nothing is copied, so that a mapped file stays on the disk.
        return _LinedUp(replace(features, name=test_set.name), classes, tuple(notes))
    kept = Features(test_set.name, features.image_ids[rows], features.values[rows])
    return _LinedUp(kept, classes[rows], tuple(notes))
