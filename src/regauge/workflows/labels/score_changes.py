"""What a new version of labels does to the scores of a study's participants."""

from __future__ import annotations

from collections.abc import Sequence

from regauge.errors import InputError
from regauge.evaluation.lifts import measure_score_changes
from regauge.evaluation.metrics import find_measures
from regauge.evaluation.outcomes import DATASET_LABELS, OutcomeArray
from regauge.evaluation.targets import line_up, line_up_answers
from regauge.labels.selection import keep_images
from regauge.records.evaluation.details import ScoreChange
from regauge.records.labels.label_set import Truth
from regauge.storage.labels.label_set import get_label_set, load_label_sets
from regauge.storage.predictions import get_predictions, load_predictions
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import get_test_set, load_test_set


def measure_changes(
    study: Study,
    before: str,
    after: str,
    *,
    test_set: str | None = None,
    participants: Sequence[str] = (),
) -> tuple[ScoreChange, ...]:
    """Every participant's score by two versions of labels, under each metric that both allow.

    Args:
        study: the study; a transaction that reads is enough.
        before: a label set, NAME@VERSION or NAME for the latest.
        after: another one, likewise.
        test_set: on which test set; the only one by default.
        participants: globs on names; everybody by default.

    Raises:
        InputError: there is no such label set, test set or participant, both are the same version, one of them has no image of
            the test set, or no metric goes with both.
    """
    entries = [get_label_set(study, name) for name in (before, after)]
    if entries[0].id == entries[1].id:
        raise InputError(f"Both label sets are {entries[0].full_name}; name two versions to compare.")
    entry = get_test_set(study, test_set)
    images = load_test_set(study, entry)
    known = set(images.image_ids.tolist())
    label_sets = tuple(keep_images(one, known) for one in load_label_sets(study, entries))
    for own in label_sets:
        if not len(own):
            raise InputError(
                f"{own.name} has no image of test set {entry.name}, so it gives no scores there; name another with `test_set=…`."
            )
    target = line_up(Truth(images, label_sets), n_classes=len(study.taxonomy))
    found: dict[tuple[str, str], list[OutcomeArray]] = {}
    names = []
    for one in get_predictions(study, entry, participants=participants):
        predictions = load_predictions(study, one, test_set=images, digest=entry.digest)
        answers = line_up_answers(predictions, target, allow_missing=True)
        names.append(one.participant)
        for measure in find_measures(target):
            if measure.labels != DATASET_LABELS:
                found.setdefault((measure.metric, measure.labels), []).append(measure.judge(answers))
    old, new = (one.full_name for one in entries)
    metrics = [metric for metric, labels in found if labels == old and (metric, new) in found]
    if not metrics:
        raise InputError(f"No metric goes with both {old} and {new}, so there are no scores to compare.")
    return tuple(
        change
        for metric in metrics
        for change in measure_score_changes(names, found[metric, old], after=found[metric, new], metric=metric)
    )
