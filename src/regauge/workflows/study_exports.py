"""What leaves a study in the formats of other programs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

import regauge
from regauge.errors import FormatError, InputError
from regauge.formats.croissant import CardFacts, describe_files, find_columns, find_values
from regauge.formats.huggingface import CardSource, format_card, name_image, shape_metadata
from regauge.formats.label_studio import FirstAnswers, format_config, make_addresses, shape_tasks
from regauge.formats.tables import (
    KINDS,
    TABLES,
    VOTE_COLUMNS,
    shape_images,
    shape_labels,
    shape_predictions,
    shape_scores,
    shape_votes,
    write_table,
)
from regauge.labels.selection import keep_images
from regauge.records.arrays import NO_CLASS
from regauge.records.labels import LabelSet
from regauge.records.predictions import Predictions
from regauge.records.scores import Scores
from regauge.records.studies import LabelSetEntry, PredictionsEntry, TestSetEntry
from regauge.records.testsets import TestSet
from regauge.storage.evaluations import list_evaluations, load_scores
from regauge.storage.files import write_whole, write_whole_folder
from regauge.storage.labels import get_label_set, list_label_sets, load_label_set
from regauge.storage.predictions import list_predictions, load_predictions
from regauge.storage.study import Study
from regauge.storage.testsets import get_test_set, list_test_sets, load_places, load_test_set
from regauge.workflows.image_exports import copy_images
from regauge.workflows.study_evaluations import choose_participants

__all__ = [
    "ExportChoice",
    "ExportedFile",
    "export_croissant",
    "export_crowd_kit",
    "export_huggingface",
    "export_label_studio",
    "export_tables",
]

DATASET_LABELS = "dataset"
"""What score tables call the dataset labels."""


@dataclass(frozen=True, slots=True)
class ExportChoice:
    """What to export.

    Attributes:
        test_set: of which test set. Tables hold all of them unless given; elsewhere it is the only one unless given.
        labels: which label sets, as NAME@VERSION or NAME for the latest. Tables hold all versions of all unless given;
            elsewhere there are none unless given.
        participants: globs on names; everybody unless given.
    """

    test_set: str | None = None
    labels: Sequence[str] = ()
    participants: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class ExportedFile:
    """A file that was written, and how many rows, images or tasks it holds."""

    path: Path
    n_rows: int


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
        written = _write_tables(study, partial, kind, choice or ExportChoice())
    return tuple(ExportedFile(folder / one.path.name, one.n_rows) for one in written)


def export_huggingface(
    study: Study, folder: Path, *, choice: ExportChoice | None = None, license_name: str = ""
) -> tuple[ExportedFile, ...]:
    """Copy the images of a test set to a folder that Hugging Face's `imagefolder` opens, with metadata and a card.

    Args:
        study: the study, inside a transaction.
        folder: where; new or empty.
        choice: which test set, and at most one label set.
        license_name: the licence of the images, as the card is to state it.

    Raises:
        InputError: the folder holds something, there is nothing of that name, or the images are not at hand.
        FormatError: an image cannot be read.
    """
    asked = choice or ExportChoice()
    entry, test_set = _load_test_set(study, asked)
    labels, label_set = _load_only_labels(study, asked, test_set)
    with write_whole_folder(folder) as partial:
        files = [one.file for one in copy_images(study, entry, folder=partial, name_file=name_image)]
        with (partial / "metadata.jsonl").open("w", encoding="utf-8") as file:
            for line in shape_metadata(test_set, label_set, files=files, taxonomy=study.taxonomy):
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
        n_covered = 0 if label_set is None else len(label_set)
        n_bytes = sum((partial / file).stat().st_size for file in files)
        source = CardSource(entry, labels, n_covered, n_bytes, license_name, regauge.__version__)
        (partial / "README.md").write_text(format_card(source, study.taxonomy), encoding="utf-8")
    return (ExportedFile(folder / "metadata.jsonl", len(files)), ExportedFile(folder / "README.md", 1))


def export_croissant(
    study: Study, path: Path, *, choice: ExportChoice | None = None, license_name: str = ""
) -> tuple[ExportedFile, ...]:
    """Describe exported tables in Croissant's JSON-LD: those beside the new file, or CSV that is written there.

    Args:
        study: the study, inside a transaction.
        path: the new file.
        choice: which test set and label sets, where tables have to be written.
        license_name: the licence of the data, as the description is to state it.

    Raises:
        InputError: the file exists, or the tables beside it are not exports of that test set.
    """
    asked = choice or ExportChoice()
    entry = get_test_set(study, asked.test_set)
    written: list[ExportedFile] = []
    with write_whole(path) as partial:
        files = _find_tables(path.parent, entry)
        if not files:
            tables = _write_tables(
                study, path.parent, "csv", ExportChoice(entry.name, asked.labels, asked.participants)
            )
            written += tables
            files = [one.path for one in tables]
        facts = CardFacts(
            name=entry.name,
            description=f"{entry.n_images:,} images of {entry.name}: labels, predictions and scores, by Regauge.",
            license=license_name,
            date=study.around.now()[:10],
        )
        content = describe_files(facts, {file: TABLES[file.stem] for file in files})
        partial.write_text(json.dumps(content, indent=2, ensure_ascii=False), encoding="utf-8")
    return (ExportedFile(path, len(files)), *written)


def export_label_studio(
    study: Study, path: Path, *, choice: ExportChoice | None = None, image_url_prefix: str | None = None
) -> tuple[ExportedFile, ...]:
    """Write a test set as tasks for Label Studio, and beside them the labelling configuration as XML.

    Args:
        study: the study, inside a transaction.
        path: the new file of tasks; the configuration gets its name with `.xml`.
        choice: which test set and participants, and at most one label set.
        image_url_prefix: what stands before the path of an image; unless given, Label Studio serves the files itself.

    Raises:
        InputError: a file exists, there is nothing of that name, or an image has no file of its own.
    """
    asked = choice or ExportChoice()
    config = path.with_suffix(".xml")
    if config == path:
        raise InputError(f"{path} would be tasks and configuration at once; name a .json file.")
    entry, test_set = _load_test_set(study, asked)
    _, label_set = _load_only_labels(study, asked, test_set)
    addresses = make_addresses(test_set, load_places(study, entry), prefix=image_url_prefix)
    has_answers = bool(asked.participants or list_predictions(study, entry))
    answers = [_find_first(one, test_set) for one in _load_answers(study, entry, asked)] if has_answers else []
    tasks = shape_tasks(test_set, addresses, answers=answers, label_set=label_set, taxonomy=study.taxonomy)
    with write_whole(config) as of_config, write_whole(path) as of_tasks:
        of_config.write_text(format_config(study.taxonomy), encoding="utf-8")
        with of_tasks.open("w", encoding="utf-8") as file:
            for number, task in enumerate(tasks):
                file.write(("[\n" if number == 0 else ",\n") + json.dumps(task, ensure_ascii=False, allow_nan=False))
            file.write("\n]\n")
    return (ExportedFile(path, len(test_set)), ExportedFile(config, 1))


def export_crowd_kit(study: Study, path: Path, *, choice: ExportChoice | None = None) -> ExportedFile:
    """Write the participants' first answers on a test set in crowd-kit's long format, `task,worker,label`.

    Raises:
        InputError: the file exists, or there is nothing of that name.
    """
    asked = choice or ExportChoice()
    entry = get_test_set(study, asked.test_set)
    frames = map(shape_votes, _load_answers(study, entry, asked))
    with write_whole(path) as partial:
        written = write_table(frames, partial, kind="csv", schema=VOTE_COLUMNS)
    return ExportedFile(path, written.n_rows)


def _write_tables(study: Study, folder: Path, kind: str, choice: ExportChoice) -> list[ExportedFile]:
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
            for predictions in _load_answers(study, entry, choice):
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


def _load_test_set(study: Study, choice: ExportChoice) -> tuple[TestSetEntry, TestSet]:
    entry = get_test_set(study, choice.test_set)
    return entry, load_test_set(study, entry)


def _load_only_labels(
    study: Study, choice: ExportChoice, test_set: TestSet
) -> tuple[LabelSetEntry | None, LabelSet | None]:
    """The one label set that was named, on the images of the test set."""
    if not choice.labels:
        return None, None
    if len(choice.labels) > 1:
        raise InputError(f"This export takes one label set, not {len(choice.labels)}.")
    entry = get_label_set(study, choice.labels[0])
    label_set = keep_images(load_label_set(study, entry), test_set.image_ids.tolist())
    if not len(label_set):
        raise InputError(f"{entry.full_name} covers no image of {test_set.name}.")
    return entry, label_set


def _load_answers(study: Study, entry: TestSetEntry, choice: ExportChoice) -> Iterator[Predictions]:
    """The participants' answers, one after the other."""
    test_set = load_test_set(study, entry)
    chosen: Sequence[PredictionsEntry] = choose_participants(
        list_predictions(study, entry), choice.participants, test_set=entry.name
    )
    for one in study.around.track(chosen, "Reading predictions"):
        yield load_predictions(study, one, test_set=test_set, digest=entry.digest)


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


def _find_tables(folder: Path, entry: TestSetEntry) -> list[Path]:
    """The tables of one kind in the folder: none, or those of an export of that test set.

    Raises:
        InputError: a file of one of our names is not such a table.
    """
    for kind in reversed(KINDS):
        files = [folder / f"{name}.{kind}" for name in TABLES if (folder / f"{name}.{kind}").is_file()]
        for file in files:
            _check_table(file, entry)
        if files:
            return files
    return []


def _check_table(file: Path, entry: TestSetEntry) -> None:
    try:
        columns = list(find_columns(file))
    except (pl.exceptions.PolarsError, OSError) as error:
        raise FormatError(file, "this is no table that Regauge exported.") from error
    # JSON Lines without rows have no columns either.
    if columns and columns != list(TABLES[file.stem]):
        raise FormatError(file, "this is no table that Regauge exported; write the description to another folder.")
    if file.stem == "images" and find_values(file, "test_set") != [entry.name]:
        raise FormatError(file, f"this is not an export of {entry.name} alone; export it with --test-set {entry.name}.")
