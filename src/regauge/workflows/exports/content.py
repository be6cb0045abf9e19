"""What an export format is, and what exports share: the choice of what leaves a study, and reading it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from regauge.errors import InputError
from regauge.evaluation.metrics import list_object_metrics
from regauge.evaluation.outcomes import DATASET_LABELS
from regauge.formats.exports.tables import (
    TABLES,
    shape_images,
    shape_labels,
    shape_predictions,
    shape_scores,
    write_table,
)
from regauge.labels.selection import keep_images
from regauge.records.evaluation.scores import Scores
from regauge.records.labels.label_set import LabelSet
from regauge.records.predictions import Predictions
from regauge.records.studies import LabelSetEntry, TestSetEntry
from regauge.records.testsets.test_set import TestSet
from regauge.storage.evaluation.evaluations import list_evaluations, load_scores
from regauge.storage.files import write_whole
from regauge.storage.labels.label_set import get_label_set, list_label_sets, load_label_set
from regauge.storage.predictions import get_predictions, list_predictions, load_predictions
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import get_test_set, list_test_sets, load_places, load_test_set


@dataclass(frozen=True, slots=True)
class ExportChoice:
    """What to export.

    Attributes:
        test_set: of which test set. Tables hold all of them by default; elsewhere it is the only one by default.
        labels: which label sets, as NAME@VERSION or NAME for the latest. Tables hold all versions of all by default;
            elsewhere there are none by default.
        participants: globs on names; everybody by default.
    """

    test_set: str | None = None
    labels: Sequence[str] = ()
    participants: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class ExportedFile:
    """A file that was written, and how many rows, images or tasks it holds."""

    path: Path
    n_rows: int


@dataclass(frozen=True, slots=True)
class ExportOption:
    """An option of an export format on the command line.

    Attributes:
        name: its name; `image_url_prefix` is typed as `--image-url-prefix`.
        metavar: what stands for its value in the help.
        help: one sentence.
        is_repeatable: whether it may be given several times.
    """

    name: str
    metavar: str
    help: str
    is_repeatable: bool = False


@dataclass(frozen=True, slots=True)
class ExportOrder:
    """What was asked of an export: the choice of what leaves the study, and the options of the format that were given."""

    choice: ExportChoice = field(default_factory=ExportChoice)
    given: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """An export format, with all that the command line says of it.

    Attributes:
        name: the word behind `regauge export`.
        help: what it writes, one sentence.
        is_folder: whether it writes a folder rather than a file.
        options: what it takes, in the order of the help.
        write: from a study inside a transaction, the path and the order to the files that were written.
    """

    name: str
    help: str
    is_folder: bool
    options: tuple[ExportOption, ...]
    write: Callable[[Study, Path, ExportOrder], Sequence[ExportedFile]]


TEST_SET = ExportOption("test_set", "NAME", "Which test set; the only one by default.")
ANY_TEST_SET = ExportOption("test_set", "NAME", "Only of this test set; of all by default.")
LABELS = ExportOption(
    "labels",
    "NAME[@VERSION]",
    "Which label set, in its latest version unless one is named; none by default.",
    is_repeatable=True,
)
ANY_LABELS = ExportOption(
    "labels",
    "NAME[@VERSION]",
    "Only this label set, in its latest version unless one is named; all versions of all by default. Repeatable.",
    is_repeatable=True,
)
PARTICIPANT = ExportOption(
    "participant", "GLOB", "Whose answers; everybody's by default. Repeatable.", is_repeatable=True
)
LICENSE = ExportOption("license", "NAME", "The licence to state, such as cc-by-4.0; none is stated by default.")


def load_chosen_test_set(study: Study, choice: ExportChoice) -> tuple[TestSetEntry, TestSet]:
    """The test set that was named, or the only one."""
    entry = get_test_set(study, choice.test_set)
    return entry, load_test_set(study, entry)


def load_only_labels(
    study: Study, choice: ExportChoice, *, test_set: TestSet
) -> tuple[LabelSetEntry | None, LabelSet | None]:
    """The one label set that was named, on the images of the test set.

    Raises:
        InputError: several label sets were named, or the label set covers no image of the test set.
    """
    if not choice.labels:
        return None, None
    if len(choice.labels) > 1:
        raise InputError(f"This export takes one label set, not {len(choice.labels)}.")
    entry = get_label_set(study, choice.labels[0])
    label_set = keep_images(load_label_set(study, entry), test_set.image_ids.tolist())
    if not len(label_set):
        raise InputError(f"{entry.full_name} covers no image of {test_set.name}.")
    return entry, label_set


def load_answers(study: Study, entry: TestSetEntry, *, choice: ExportChoice) -> Iterator[Predictions]:
    """The participants' answers on a test set, one after the other."""
    test_set = load_test_set(study, entry)
    chosen = get_predictions(study, entry, participants=choice.participants)
    for one in study.around.track(chosen, "Reading predictions"):
        yield load_predictions(study, one, test_set=test_set, digest=entry.digest)


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
            scores = load_scores(study, evaluation.id, about_objects=list_object_metrics())
            yield shape_scores(evaluation.id, _keep_scores(scores, asked) if asked else scores)


def _keep_scores(scores: Scores, labels: set[str]) -> Scores:
    kept = scores.to_frame().filter(pl.col("labels").is_in([DATASET_LABELS, *labels]))
    return Scores(kept, settings=scores.settings, people=scores.people)
