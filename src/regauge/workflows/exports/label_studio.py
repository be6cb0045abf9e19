"""`regauge export label-studio`: tasks and the labelling configuration."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from regauge.arrays import NO_CLASS
from regauge.errors import InputError
from regauge.formats.exports.label_studio import FirstAnswers, format_config, make_addresses, shape_tasks
from regauge.records.predictions import Predictions
from regauge.records.testsets.test_set import TestSet
from regauge.storage.files import write_whole
from regauge.storage.predictions import list_predictions
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import load_places
from regauge.workflows.exports.content import (
    LABELS,
    PARTICIPANT,
    TEST_SET,
    ExportChoice,
    ExportedFile,
    ExportFormat,
    ExportOption,
    ExportOrder,
    load_answers,
    load_chosen_test_set,
    load_only_labels,
)

IMAGE_URL_PREFIX = ExportOption(
    "image_url_prefix", "URL", "What stands before an image's path; by default a local file."
)


def export_label_studio(
    study: Study, path: Path, *, choice: ExportChoice | None = None, image_url_prefix: str | None = None
) -> tuple[ExportedFile, ...]:
    """Write a test set as tasks for Label Studio, and beside them the labelling configuration as XML.

    Args:
        study: the study, inside a transaction.
        path: the new file of tasks; the configuration gets its name with `.xml`.
        choice: which test set and participants, and at most one label set.
        image_url_prefix: what stands before the path of an image; by default Label Studio serves the files itself.

    Raises:
        InputError: a file exists, there is nothing of that name, or an image has no file of its own.
    """
    asked = choice or ExportChoice()
    config = path.with_suffix(".xml")
    if config == path:
        raise InputError(f"{path} would be tasks and configuration at once; name a .json file.")
    entry, test_set = load_chosen_test_set(study, asked)
    _, label_set = load_only_labels(study, asked, test_set=test_set)
    addresses = make_addresses(test_set, load_places(study, entry), prefix=image_url_prefix)
    has_answers = bool(asked.participants or list_predictions(study, entry))
    answers = [_find_first(one, test_set) for one in load_answers(study, entry, choice=asked)] if has_answers else []
    tasks = shape_tasks(test_set, addresses, answers=answers, label_set=label_set, taxonomy=study.taxonomy)
    with write_whole(config) as of_config, write_whole(path) as of_tasks:
        of_config.write_text(format_config(study.taxonomy), encoding="utf-8")
        with of_tasks.open("w", encoding="utf-8") as file:
            for number, task in enumerate(tasks):
                file.write(("[\n" if number == 0 else ",\n") + json.dumps(task, ensure_ascii=False, allow_nan=False))
            file.write("\n]\n")
    return (ExportedFile(path, len(test_set)), ExportedFile(config, 1))


def _find_first(predictions: Predictions, test_set: TestSet) -> FirstAnswers:
    """First answers in row order; the rows that were answered are in that order already."""
    is_answered = np.isin(test_set.image_ids, predictions.image_ids)
    classes = np.full(len(test_set), NO_CLASS, np.int32)
    classes[is_answered] = predictions.classes[:, 0]
    scores = None
    if predictions.scores is not None:
        scores = np.full(len(test_set), np.nan, np.float32)
        scores[is_answered] = predictions.scores[:, 0]
    return FirstAnswers(predictions.participant, classes, scores)


def _write(study: Study, path: Path, order: ExportOrder) -> tuple[ExportedFile, ...]:
    prefix = order.given.get(IMAGE_URL_PREFIX.name)
    return export_label_studio(study, path, choice=order.choice, image_url_prefix=prefix)


LABEL_STUDIO = ExportFormat(
    name="label-studio",
    help="Write a test set as Label Studio tasks to FILE, and the labelling configuration beside it.",
    is_folder=False,
    options=(TEST_SET, LABELS, PARTICIPANT, IMAGE_URL_PREFIX),
    write=_write,
)
