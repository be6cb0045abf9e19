"""Potential labels from the predictions that a study keeps."""

from __future__ import annotations

from collections.abc import Sequence

from regauge.candidates.potential import find_potential_labels
from regauge.records.candidates import DEFAULT_TOP, PotentialLabels
from regauge.storage.predictions import get_predictions, load_predictions
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import get_test_set, load_test_set


def find_potential_in_study(
    study: Study, *, test_set: str | None = None, participants: Sequence[str] = (), top: int = DEFAULT_TOP
) -> PotentialLabels:
    """The dataset label and the first answers of participants on a test set, per image.

    Args:
        study: the study, inside a transaction.
        test_set: which test set; the only one by default.
        participants: globs: whose answers; everybody's by default.
        top: how many answers of each participant to take.

    Raises:
        InputError: there is no such test set, or nobody's predictions on it.
    """
    entry = get_test_set(study, test_set)
    images = load_test_set(study, entry)
    chosen = get_predictions(study, entry, participants=participants)
    answers = (load_predictions(study, one, test_set=images, digest=entry.digest) for one in chosen)
    return find_potential_labels(answers, images, top=top)
