"""`regauge export parquet`, `jsonl` and `csv`: images, labels, predictions and scores, one file each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import polars as pl

from regauge.errors import InputError
from regauge.evaluation.outcomes import DATASET_LABELS
from regauge.formats.tables import TABLES, shape_images, shape_labels, shape_predictions, shape_scores, write_table
from regauge.labels.selection import keep_images
from regauge.records.scores import Scores
from regauge.records.studies import LabelSetEntry, TestSetEntry
from regauge.storage.evaluations import list_evaluations
from regauge.storage.files import write_whole, write_whole_folder
from regauge.storage.labels import get_label_set, list_label_sets, load_label_set
from regauge.storage.predictions import list_predictions
from regauge.storage.study import Study
from regauge.storage.testsets import get_test_set, list_test_sets, load_places, load_test_set
from regauge.workflows.exports.content import (
    ANY_TEST_SET,
    LABELS,
    PARTICIPANT,
    ExportChoice,
    ExportedFile,
    ExportFormat,
    ExportOrder,
    load_answers,
)
from regauge.workflows.study_evaluations import load_scores


def export_tables(
    study: Study, folder: Path, *, kind: str, choice: ExportChoice | None = None
) -> tuple[ExportedFile, ...]:
    """Write images, labels, predictions and scores, one file each, to a folder that is new or empty.

    Args:
        study: the study, inside a transaction.
        folder: where.
        kind: `parquet`, `jsonl` or `csv`.
        choice: which test set, label sets and participants; everything unless given.

    Raises:
        InputError: the folder holds something, or there is nothing of that name.
    """
    with write_whole_folder(folder) as partial:
        written = write_tables(study, partial, kind=kind, choice=choice or ExportChoice())
    return tuple(ExportedFile(folder / one.path.name, one.n_rows) for one in written)


def write_tables(study: Study, folder: Path, *, kind: str, choice: ExportChoice) -> list[ExportedFile]:
    """The tables, one file each, in a folder that is there.

    Raises:
        InputError: there is no test set, or nothing of that name.
    """
    named = choice.test_set
    entries = list_test_sets(study) if named is None else (get_test_set(study, named),)
    if not entries:
        raise InputError("The study has no test set yet; add one with: regauge testset add PATH.")
    versions = [get_label_set(study, name) for name in choice.labels] or list_label_sets(study)
    frames = {
        "images": _shape_images(study, entries),
        "labels": _shape_labels(study, versions, entries if named is not None else None),
        "predictions": _shape_answers(study, entries, choice),
        "scores": _shape_results(study, entries, choice),
    }
    written = []
    for name, parts in frames.items():
        with write_whole(folder / f"{name}.{kind}") as partial:
            table = write_table(parts, partial, kind=kind, schema=TABLES[name])
        written.append(ExportedFile(folder / f"{name}.{kind}", table.n_rows))
    return written


def _shape_images(study: Study, entries: Sequence[TestSetEntry]) -> Iterator[pl.DataFrame]:
    for entry in entries:
        yield shape_images(load_test_set(study, entry), load_places(study, entry), taxonomy=study.taxonomy)


def _shape_labels(
    study: Study, versions: Sequence[LabelSetEntry], entries: Sequence[TestSetEntry] | None
) -> Iterator[pl.DataFrame]:
    """The versions one after the other; of named test sets, only their images."""
    kept = {one for entry in entries or () for one in load_test_set(study, entry).image_ids.tolist()}
    for entry in versions:
        label_set = load_label_set(study, entry)
        label_set = label_set if entries is None else keep_images(label_set, kept)
        yield shape_labels(entry, label_set, taxonomy=study.taxonomy)


def _shape_answers(study: Study, entries: Sequence[TestSetEntry], choice: ExportChoice) -> Iterator[pl.DataFrame]:
    for entry in entries:
        if list_predictions(study, entry):
            for predictions in load_answers(study, entry, choice=choice):
                yield shape_predictions(predictions, entry.name, taxonomy=study.taxonomy)


def _shape_results(study: Study, entries: Sequence[TestSetEntry], choice: ExportChoice) -> Iterator[pl.DataFrame]:
    names = {entry.name for entry in entries}
    asked = {get_label_set(study, name).full_name for name in choice.labels}
    for evaluation in list_evaluations(study):
        if evaluation.test_set in names:
            scores = load_scores(study, evaluation.id)
            yield shape_scores(evaluation.id, _keep_scores(scores, asked) if asked else scores)


def _keep_scores(scores: Scores, labels: set[str]) -> Scores:
    return Scores(scores.to_frame().filter(pl.col("labels").is_in([DATASET_LABELS, *labels])), settings=scores.settings)


def _write(study: Study, path: Path, order: ExportOrder, *, kind: str) -> tuple[ExportedFile, ...]:
    return export_tables(study, path, kind=kind, choice=order.choice)


def _make_format(kind: str, what: str) -> ExportFormat:
    return ExportFormat(
        name=kind,
        help=f"Write images, labels, predictions and scores to DIR, one {what} file each.",
        is_folder=True,
        options=(ANY_TEST_SET, LABELS, PARTICIPANT),
        write=partial(_write, kind=kind),
    )


PARQUET = _make_format("parquet", "Parquet")
JSONL = _make_format("jsonl", "JSON Lines")
CSV = _make_format("csv", "CSV")
