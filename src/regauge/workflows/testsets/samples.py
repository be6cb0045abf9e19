"""Draw images of a test set to look at, with what is said to be in them and what the best participant answered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from regauge.arrays import NO_CLASS, IntArray
from regauge.errors import FormatError, InputError
from regauge.evaluation.metrics import find_measures
from regauge.evaluation.outcomes import Outcome, OutcomeArray
from regauge.evaluation.targets import line_up, line_up_answers
from regauge.formats.images.contents import read_image
from regauge.formats.images.pictures import make_thumbnail
from regauge.records.labels.label_set import LabelSet, Truth, Verdict
from regauge.records.studies import ImagePlace, LabelSetEntry, TestSetEntry
from regauge.records.taxonomy import Taxonomy
from regauge.records.testsets.test_set import TestSet
from regauge.report.content import ImageSample, SampleImage, ShownOutcome
from regauge.storage.labels import load_label_set
from regauge.storage.predictions import list_predictions, load_predictions
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import load_places, load_test_set

N_SHOWN = 12
SIDE = 224
SEED = 0

_STANDINGS = {
    Outcome.RIGHT: ShownOutcome.RIGHT,
    Outcome.WRONG: ShownOutcome.WRONG,
    Outcome.UNJUDGED: ShownOutcome.UNJUDGED,
    Outcome.NOT_COUNTED: ShownOutcome.NOT_COUNTED,
}


@dataclass(frozen=True, slots=True, eq=False)
class _Album:
    """A test set with all that is known about its images."""

    root: str
    places: Sequence[ImagePlace]
    test_set: TestSet
    taxonomy: Taxonomy
    answers: IntArray
    outcomes: OutcomeArray
    label_set: LabelSet | None
    row_by_id: dict[str, int]


def sample_images(
    study: Study, entry: TestSetEntry, *, participant: str, label_set: LabelSetEntry | None, seed: int = SEED
) -> ImageSample | None:
    """Images drawn at random, and others among those that the participant got wrong; None where no image is at hand.

    Args:
        study: the study, inside a transaction.
        entry: the test set.
        participant: whose answers to show.
        label_set: the labels that judge the answers; unless given, the dataset labels.
        seed: start of the draw.
    """
    places = load_places(study, entry)
    if not any(place.path for place in places):
        return None
    test_set = load_test_set(study, entry)
    chosen = None if label_set is None else load_label_set(study, label_set)
    stored = next(one for one in list_predictions(study, entry) if one.participant == participant)
    truth = Truth(test_set, () if chosen is None else (chosen,))
    target = line_up(truth, n_classes=len(study.taxonomy))
    predictions = load_predictions(study, stored, test_set=test_set, digest=entry.digest)
    answers = line_up_answers(predictions, target, allow_missing=True)
    # The first measure by the label set is the one that findings lead with; without a label set it is top-1.
    measures = find_measures(target)
    measure = next((one for one in measures if chosen is not None and one.labels == chosen.name), measures[0])
    album = _Album(
        entry.root,
        places,
        test_set,
        study.taxonomy,
        answers[:, 0],
        measure.judge(answers),
        chosen,
        {} if chosen is None else {image_id: row for row, image_id in enumerate(chosen.image_ids.tolist())},
    )
    return _show(album, participant, measure.labels, seed)


def _show(album: _Album, participant: str, labels: str, seed: int) -> ImageSample:
    rng = np.random.default_rng(seed)
    n = len(album.test_set)
    anyone = np.sort(rng.choice(n, size=min(N_SHOWN, n), replace=False))
    wrong = np.flatnonzero(album.outcomes == Outcome.WRONG)
    missed = np.sort(rng.choice(wrong, size=min(N_SHOWN, len(wrong)), replace=False))
    shown = [[_show_image(album, int(row)) for row in rows] for rows in (anyone, missed)]
    kept = [tuple(image for image in images if image is not None) for images in shown]
    n_missing = sum(image is None for images in shown for image in images)
    return ImageSample(participant, labels, n, kept[0], kept[1], len(wrong), n_missing, seed)


def _show_image(album: _Album, row: int) -> SampleImage | None:
    try:
        picture = make_thumbnail(read_image(Path(album.root), album.places[row]), side=SIDE)
    except (FormatError, InputError):
        return None
    image_id, label, answer = str(album.test_set.image_ids[row]), album.test_set.labels[row], int(album.answers[row])
    return SampleImage(
        image_id=image_id,
        picture=picture,
        dataset_label=_name(album, int(label)),
        correct=_find_classes(album, image_id, Verdict.CORRECT),
        unclear=_find_classes(album, image_id, Verdict.UNCLEAR) or (),
        answer=None if answer == NO_CLASS else _name(album, answer),
        standing=_STANDINGS[Outcome(album.outcomes[row])],
    )


def _find_classes(album: _Album, image_id: str, verdict: Verdict) -> tuple[str, ...] | None:
    row = album.row_by_id.get(image_id)
    if album.label_set is None or row is None:
        return None
    start, end = album.label_set.starts[row], album.label_set.starts[row + 1]
    has_verdict = album.label_set.verdicts[start:end] == verdict
    return tuple(_name(album, int(one)) for one in album.label_set.classes[start:end][has_verdict])


def _name(album: _Album, class_index: int) -> str:
    return album.taxonomy.classes[class_index].name if class_index != NO_CLASS else "no label"
