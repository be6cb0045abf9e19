"""The codings of a study: coded mistakes that are added, shown and exported."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from regauge.errors import FormatError, InputError
from regauge.estimates import count_things
from regauge.evaluation.outcomes import Outcome
from regauge.formats.exports.codings import list_coding, write_coding
from regauge.formats.mistakes.categories import load_categories
from regauge.formats.mistakes.coded import CodedFile, load_coded_file, parse_argument
from regauge.mistakes.accepting import BY_LABEL_SET, judge_pairs, overturn_accepted
from regauge.records.labels.label_set import LabelSet
from regauge.records.labels.verdicts import Verdict
from regauge.records.mistakes.coded import STANDARD_CATEGORIES, DefinedCategory, name_categories
from regauge.records.mistakes.coding import CodingEntry, MistakeCoding
from regauge.records.names import check_name, quote_first
from regauge.records.studies import SUPERSEDED, LabelSetEntry, TestSetEntry
from regauge.storage.events import add_event
from regauge.storage.files import write_whole
from regauge.storage.labels.label_set import find_verdicts, get_label_set, load_label_set
from regauge.storage.mistakes.codings import get_coding, insert_coding, list_codings, load_coding
from regauge.storage.predictions import list_predictions, load_predictions
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import get_test_set, load_test_set

__all__ = [
    "AddedCoding",
    "CodingSource",
    "ShownCoding",
    "add_coding",
    "export_coding",
    "list_codings",
    "list_mistakes",
    "show_coding",
]


@dataclass(frozen=True, slots=True)
class CodingSource:
    """Coded mistakes of a file, and what a study must know of them.

    Attributes:
        path: a file of coded mistakes, as text also PATH#MODEL.
        participant: whose mistakes they are; predictions in the study are not needed, for the file holds those that are wrong.
        labels: the label set under which they are mistakes, NAME@VERSION or NAME for the latest.
        name: what to call the coding; as the file names the mistakes by default. A name that exists gets a new version.
        categories: the list of categories that the coders had, or a file of it; the standard one by default.
        test_set: on which images; the only test set by default.
    """

    path: str | Path
    participant: str
    labels: str
    name: str | None = None
    categories: Sequence[DefinedCategory] | Path | None = None
    test_set: str | None = None


@dataclass(frozen=True, slots=True)
class AddedCoding:
    """The new version of a coding, and what the reader should know."""

    entry: CodingEntry
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class ShownCoding:
    """A coding, and what its label set says of what was overturned.

    Attributes:
        entry: the coding without its mistakes.
        coding: with them.
        verdicts: per overturned mistake, the verdict of the label set on the pair; None where it lists none.
        notes: what the reader should know.
    """

    entry: CodingEntry
    coding: MistakeCoding
    verdicts: tuple[Verdict | None, ...]
    notes: tuple[str, ...]


def add_coding(study: Study, source: CodingSource) -> AddedCoding:
    """Store the coded mistakes of a file as the next version of a coding.

    What the label set accepts is not a mistake under it, and is stored as overturned for that reason.

    Raises:
        FormatError: the file is not one of coded mistakes, or none of its images is in the test set.
        InputError: there is no such label set or test set, the labels are void, or the participant predicted nothing of this.
    """
    images, truth = get_test_set(study, source.test_set), get_valid_labels(study, source.labels)
    given = source.categories
    defined = load_categories(given) if isinstance(given, Path) else tuple(given or STANDARD_CATEGORIES)
    file = parse_argument(str(source.path)).path
    found = load_coded_file(source.path, taxonomy=study.taxonomy, category_names=name_categories(defined))
    kept, n_elsewhere = _keep_images(study, found, images, file)
    label_set = load_label_set(study, truth)
    read = MistakeCoding(
        name=source.name or found.coded.name,
        participant=check_name(
            source.participant, what="A participant", how="with `participant=…`", forbidden=frozenset()
        ),
        test_set=images.name,
        labels=truth.full_name,
        source=f"file {file.name}",
        coded=kept.coded,
        overturned=kept.overturned,
        categories=defined,
        provenance={"path": str(file.resolve()), "notes": list(found.coded.notes)},
        remarks=kept.remarks,
    )
    coding = overturn_accepted(read, label_set)
    notes = (
        *found.coded.notes,
        *_describe_images(n_elsewhere, images),
        *_compare_answers(study, coding, images),
        *describe_overturned(coding, read, label_set=label_set),
    )
    entry = insert_coding(study, coding)
    counts = {name: getattr(entry, name) for name in ("n_coded", "n_major", "n_overturned")}
    parameters = {"coding": entry.full_name, "participant": coding.participant, "labels": truth.full_name, **counts}
    add_event(study, "mistakes add", {**parameters, "path": str(file.resolve())})
    return AddedCoding(entry, notes)


def show_coding(study: Study, name: str) -> ShownCoding:
    """A coding, NAME@VERSION or NAME for the latest, with all its mistakes.

    Raises:
        InputError: there is no such coding.
    """
    entry = get_coding(study, name)
    coding, labels = load_coding(study, entry), get_label_set(study, entry.labels)
    gone = coding.overturned
    known = find_verdicts(study, labels, image_ids=set(gone.image_ids.tolist()))
    pairs = zip(gone.image_ids.tolist(), gone.predictions.tolist(), strict=True)
    verdicts = tuple(known.get(image_id, {}).get(prediction) for image_id, prediction in pairs)
    return ShownCoding(entry, coding, verdicts, (*_describe_void(entry), *_describe_void(labels)))


def list_mistakes(coding: MistakeCoding) -> list[dict[str, object]]:
    """One row per mistake of a coding, as files have it."""
    return list(list_coding(coding))


def export_coding(study: Study, name: str, *, path: Path) -> CodingEntry:
    """Write a coding, NAME@VERSION or NAME for the latest, to a file that `mistakes summary` and `mistakes add` read.

    Raises:
        InputError: there is no such coding, the file exists, or it is neither CSV nor JSON by its name.
    """
    entry = get_coding(study, name)
    with write_whole(path) as partial:
        write_coding(load_coding(study, entry), partial, suffix=path.suffix.lower())
    return entry


def get_valid_labels(study: Study, name: str) -> LabelSetEntry:
    """A label-set version that no erasure has made void.

    Raises:
        InputError: there is no such version, or it is void.
    """
    entry = get_label_set(study, name)
    for problem in _describe_void(entry):
        raise InputError(problem)
    return entry


def _describe_void(entry: LabelSetEntry | CodingEntry) -> Iterator[str]:
    mark = entry.provenance.get(SUPERSEDED)
    if mark is not None:
        by = f"use {mark['by']}, which takes its place" if mark.get("by") else "nothing takes its place"
        yield f"{entry.full_name} was made with answers that were erased since; {by}."


def _keep_images(study: Study, found: CodedFile, images: TestSetEntry, path: Path) -> tuple[CodedFile, int]:
    """What the file says of images of the test set, and how many mistakes are on others."""
    known = load_test_set(study, images).image_ids
    is_known, is_gone_known = (np.isin(one.image_ids, known) for one in (found.coded, found.overturned))
    n_elsewhere = int(np.count_nonzero(~is_known) + np.count_nonzero(~is_gone_known))
    if n_elsewhere == len(found.coded) + len(found.overturned):
        first = str([*found.coded.image_ids[:1], *found.overturned.image_ids[:1]][0])
        raise FormatError(
            path,
            f"no image of it is in {images.name}: the first is {first!r}, and that of the test set {str(known[0])!r}.",
        )
    overturned = found.overturned
    rows = np.flatnonzero(is_gone_known)
    kept = replace(
        overturned,
        image_ids=overturned.image_ids[rows],
        predictions=overturned.predictions[rows],
        reasons=tuple(overturned.reasons[row] for row in rows),
        notes=tuple(overturned.notes[row] for row in rows),
    )
    remarks = tuple(found.remarks[row] for row in np.flatnonzero(is_known))
    return CodedFile(found.coded.choose(is_known), kept, remarks), n_elsewhere


def _describe_images(n_elsewhere: int, images: TestSetEntry) -> Iterator[str]:
    if n_elsewhere:
        yield f"{count_things(n_elsewhere, 'mistake')} left out: on images that are not in {images.name}."


def _compare_answers(study: Study, coding: MistakeCoding, images: TestSetEntry) -> Iterator[str]:
    """How the mistakes go with what the study knows of the participant's answers."""
    mine = next((one for one in list_predictions(study, images) if one.participant == coding.participant), None)
    n = len(coding)
    if mine is None:
        yield f"{coding.participant} has no predictions on {images.name} here; what it gets wrong is known from the file."
        return
    test_set = load_test_set(study, images)
    answers = load_predictions(study, mine, test_set=test_set, digest=images.digest)
    answer_of = dict(zip(answers.image_ids.tolist(), answers.classes[:, 0].tolist(), strict=True))
    pairs = [
        pair
        for one in (coding.coded, coding.overturned)
        for pair in zip(one.image_ids.tolist(), one.predictions.tolist(), strict=True)
    ]
    other = [image_id for image_id, prediction in pairs if answer_of.get(image_id) != prediction]
    if len(other) == n:
        raise InputError(
            f"Not one of these {n:,} mistakes is what {coding.participant} answers on {images.name}; name the participant whose "
            "mistakes they are."
        )
    if other:
        differ = count_things(len(other), "mistake is", many="mistakes are")
        yield f"{differ} not what {coding.participant} answers in this study: on {quote_first(other)}."


def describe_overturned(coding: MistakeCoding, read: MistakeCoding, *, label_set: LabelSet) -> Iterator[str]:
    """What became of mistakes that the label set accepts, and of those on images that it leaves out."""
    n_before = len(read.coded)
    n_accepted = sum(reason == BY_LABEL_SET for reason in coding.overturned.reasons[len(read.overturned) :])
    if n_accepted:
        yield (
            f"{n_accepted:,} of {count_things(n_before, 'coded mistake')} contradict {label_set.name}, which accepts them; they "
            f'are listed as overturned, reason "{BY_LABEL_SET}".'
        )
    outcomes = judge_pairs(label_set, coding.coded.image_ids, classes=coding.coded.predictions)
    n_left_out = int(np.count_nonzero(outcomes == Outcome.NOT_COUNTED))
    if n_left_out:
        are = count_things(n_left_out, "coded mistake is", many="coded mistakes are")
        yield f"{are} on images on which {label_set.name} judges no answer."
