"""Test sets of released data, and what the participants of Recht et al. (2019) answered."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from regauge.errors import MissingDataError
from regauge.formats.releases.loading import load_images, load_released_set
from regauge.records.reproductions import ReleasedPart
from regauge.records.studies import ImagePlace, LocatedTestSet, TestSetKind
from regauge.records.testsets.test_set import TestSet
from regauge.storage.testsets.test_set import list_test_sets
from regauge.workflows.predictions import PredictionSource, add_predictions
from regauge.workflows.reproduce.study.steps import SETS, ReleaseStep, StudyInMaking
from regauge.workflows.testsets.test_set import PreparedTestSet, store_test_set

SOURCE = "released with Recht et al. (2019)"


def list_set_steps() -> Iterator[ReleaseStep]:
    """Every test set, and what was answered on it."""
    for released, name in SETS.items():
        yield ReleaseStep("test set", name, partial(_add_set, released=released))
        yield ReleaseStep("predictions", name, partial(_add_answers, released=released))


def _add_set(making: StudyInMaking, *, released: str) -> Iterator[ReleasedPart]:
    test_set = _find_images(making, released)
    places = (ImagePlace(),) * len(test_set)
    located = LocatedTestSet(test_set, TestSetKind.TABLE, "", places)
    store_test_set(making.study, PreparedTestSet(located, SOURCE, follows_links=False, there=None))
    n_classes = len(set(test_set.labels.tolist()))
    detail = f"{len(test_set):,} images of {n_classes:,} classes, without pictures"
    yield ReleasedPart("test set", test_set.name, detail)


def _find_images(making: StudyInMaking, released: str) -> TestSet:
    """The images in the order of the predictions, where these are there."""
    try:
        found = load_released_set(making.data, released).test_set
    except MissingDataError:
        found = load_images(making.data, released)
    return TestSet(SETS[released], found.image_ids, found.labels)


def _add_answers(making: StudyInMaking, *, released: str) -> Iterator[ReleasedPart]:
    found, name = load_released_set(making.data, released), SETS[released]
    if name not in {one.name for one in list_test_sets(making.study)}:
        raise MissingDataError(f"the images of {name}")
    answers = [found.get_predictions(model) for model in found.models]
    source = PredictionSource(answers, provenance={"source": SOURCE})
    added = add_predictions(making.study, source, test_set=name)
    making.notes += [*found.notes, *added.notes, *added.warnings]
    detail = f"{len(answers):,} participants, {found.answers.shape[2]:,} answers to each image"
    yield ReleasedPart("predictions", name, detail)
