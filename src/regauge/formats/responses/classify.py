"""Answers to CLASSIFY tasks → records: our JSON Lines, and Label Studio's JSON export.

docs/formats.md shows one of each, and the labelling configuration that the export must come from.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from regauge.arrays import NO_CLASS
from regauge.errors import FormatError, InputError, UnknownClassError
from regauge.estimates import count_things
from regauge.formats.classes import resolve_class
from regauge.formats.sizes import make_names
from regauge.formats.text import name_from_file, read_json, read_json_lines
from regauge.records.responses.answers import ClassifyResponses
from regauge.records.taxonomy import Taxonomy

SELECTED_CONTROL = "selected"
MAIN_CONTROL = "main"
_UNKNOWN_SECONDS = math.nan


class LoadedClassify(NamedTuple):
    """The answers of all files, and what the reader found, a sentence each."""

    responses: ClassifyResponses
    notes: tuple[str, ...]


class ClassifyRow(NamedTuple):
    """One response as a file has it, with the place where it stands."""

    place: int
    image_id: str
    annotator_id: str
    selected: list[int]
    main: int
    candidates: list[int] | None
    seconds: float


def load_classify_responses(paths: Sequence[Path | str], *, taxonomy: Taxonomy | None = None) -> LoadedClassify:
    """The answers of one or several files as one record, in the order in which they stand.

    Args:
        paths: `.jsonl` files, or `.json` exports of Label Studio.
        taxonomy: the classes; without it, classes must be given by index.

    Raises:
        FormatError: an answer is not what it must be, an annotator answered one image twice, or no file has an answer.
    """
    columns = _Columns()
    notes: list[str] = []
    for number, path in enumerate(map(Path, paths)):
        reader = _Reader(path, _ClassNames(taxonomy))
        n_before = len(columns.images)
        for answer in reader.read():
            columns.add(answer, number)
        notes.append(
            f"{path.name}: {count_things(len(columns.images) - n_before, 'response')} read.{reader.describe_skipped()}"
        )
    if not columns.images:
        raise FormatError(Path(paths[0]), "there is no answer in it." if paths else "no file was given.")
    columns.check_once([_Reader(Path(path), _ClassNames(None)) for path in paths])
    if columns.n_reshown:
        notes.append(
            f"{count_things(columns.n_reshown, 'response')} had other candidates than an earlier one on the same "
            "image; an image's "
            "candidates are all that were offered."
        )
    return LoadedClassify(columns.make_record(), tuple(notes))


@dataclass(slots=True)
class _Columns:
    """The columns of the record while they grow; arrays of machine numbers, not lists of objects."""

    image_of: dict[str, int] = field(default_factory=dict)
    annotator_of: dict[str, int] = field(default_factory=dict)
    images: array[int] = field(default_factory=lambda: array("i"))
    annotators: array[int] = field(default_factory=lambda: array("i"))
    selected: array[int] = field(default_factory=lambda: array("i"))
    starts: array[int] = field(default_factory=lambda: array("q", [0]))
    main: array[int] = field(default_factory=lambda: array("i"))
    seconds: array[float] = field(default_factory=lambda: array("d"))
    files: array[int] = field(default_factory=lambda: array("i"))
    places: array[int] = field(default_factory=lambda: array("i"))
    candidates: dict[int, dict[int, None]] = field(default_factory=dict)
    n_reshown: int = 0

    def add(self, answer: ClassifyRow, file: int) -> None:
        """Append one response of the file of that number."""
        image = self.image_of.setdefault(answer.image_id, len(self.image_of))
        self.images.append(image)
        self.annotators.append(self.annotator_of.setdefault(answer.annotator_id, len(self.annotator_of)))
        self.selected.extend(answer.selected)
        self.starts.append(len(self.selected))
        self.main.append(answer.main)
        self.seconds.append(answer.seconds)
        self.files.append(file)
        self.places.append(answer.place)
        if answer.candidates is not None:
            offered = dict.fromkeys(answer.candidates)
            known = self.candidates.setdefault(image, offered)
            if known.keys() != offered.keys():
                self.n_reshown += 1
                known.update(offered)

    def check_once(self, readers: Sequence[_Reader]) -> None:
        """Refuse a second answer of an annotator on one image, saying where the first stands and whether they are equal."""
        pairs = np.frombuffer(self.images, np.int32).astype(np.int64) * len(self.annotator_of)
        pairs += np.frombuffer(self.annotators, np.int32)
        order = np.argsort(pairs, kind="stable")
        twice = np.flatnonzero(np.diff(pairs[order]) == 0)
        if not twice.size:
            return
        at = twice[np.argmin(order[twice + 1])]
        first, second = int(order[at]), int(order[at + 1])
        before, reader = readers[self.files[first]], readers[self.files[second]]
        is_equal = self._read_answer(first) == self._read_answer(second)
        where = f"{before.unit} {self.places[first]}" + ("" if before is reader else f" of {before.path.name}")
        raise reader.make_error(
            f"annotator {list(self.annotator_of)[self.annotators[second]]!r} has answered image "
            f"{list(self.image_of)[self.images[second]]!r} before, at {where}, "
            f"{'with the same answer' if is_equal else 'with another answer'}; an annotator answers an image once. Remove one of "
            "the two.",
            self.places[second],
        )

    def _read_answer(self, row: int) -> tuple[set[int], int]:
        return set(self.selected[self.starts[row] : self.starts[row + 1]]), self.main[row]

    def make_record(self) -> ClassifyResponses:
        """The columns as a record; candidates and times only where any are known."""
        seconds = np.frombuffer(self.seconds, np.float64)
        lists = [list(self.candidates.get(image, ())) for image in range(len(self.image_of))]
        return ClassifyResponses(
            image_ids=make_names(list(self.image_of)),
            annotator_ids=make_names(list(self.annotator_of)),
            response_images=np.frombuffer(self.images, np.int32),
            response_annotators=np.frombuffer(self.annotators, np.int32),
            starts=np.frombuffer(self.starts, np.int64),
            selected=np.frombuffer(self.selected, np.int32) if self.selected else np.zeros(0, np.int32),
            main=np.frombuffer(self.main, np.int32),
            candidate_starts=np.cumsum([0, *map(len, lists)]) if self.candidates else None,
            candidates=np.array([label for labels in lists for label in labels], np.int32) if self.candidates else None,
            seconds=None if np.isnan(seconds).all() else seconds,
        )


@dataclass(slots=True)
class _ClassNames:
    """What files call classes, each looked up once."""

    taxonomy: Taxonomy | None
    found: dict[str | int, int] = field(default_factory=dict)

    def get(self, value: object) -> int:
        """The index of a class, by index, id or name."""
        # A truth value would be taken for the number 1 by the dictionary; resolve_class refuses it.
        if type(value) is not int and type(value) is not str:
            return resolve_class(value, self.taxonomy)
        index = self.found.get(value)
        if index is None:
            index = self.found[value] = self._resolve(value)
        return index

    def get_list(self, values: object, name: str) -> list[int]:
        """The indices of a list of classes, each listed once."""
        if not isinstance(values, list):
            raise InputError(f"{name} must be a list of classes, not {values!r}.")
        indices = [self.get(value) for value in values]
        if len(set(indices)) < len(indices):
            twice = next(index for place, index in enumerate(indices) if index in indices[:place])
            raise InputError(f"{name} lists class {twice} twice; a label is one class, listed once.")
        return indices

    def _resolve(self, value: str | int) -> int:
        """As any class; a text may also be an id followed by a name, as our own Label Studio tasks have it."""
        try:
            return resolve_class(value, self.taxonomy)
        except UnknownClassError:
            word = str(value).split(maxsplit=1)[0] if str(value).strip() else ""
            if self.taxonomy is None or all(word != one.id for one in self.taxonomy.classes):
                raise
            return self.taxonomy.get_index(word)


@dataclass(slots=True)
class _Reader:
    """Reads one file, and names the place of what is wrong with it."""

    path: Path
    classes: _ClassNames
    n_skipped: int = 0

    @property
    def unit(self) -> str:
        """What places are counted in."""
        return "task" if self.path.suffix.lower() == ".json" else "line"

    def read(self) -> Iterator[ClassifyRow]:
        """The answers of the file, in its order."""
        suffix = self.path.suffix.lower()
        if suffix in {".jsonl", ".ndjson"}:
            return self._read_lines()
        if suffix == ".json":
            return self._read_export()
        if not self.path.exists():
            raise FormatError(self.path, "there is no such file.")
        raise FormatError(
            self.path, f"classify answers are a .jsonl file or a .json export of Label Studio, not {suffix or 'this'}."
        )

    def make_error(self, problem: str, place: int) -> FormatError:
        """An error that names the place."""
        if self.unit == "line":
            return FormatError(self.path, problem, line=place)
        return FormatError(self.path, f"task {place} of the export: {problem}")

    def describe_skipped(self) -> str:
        """A sentence on the tasks that annotators skipped; empty where there are none."""
        return f" {self.n_skipped:,} more were skipped by their annotators and are left out." if self.n_skipped else ""

    def _read_lines(self) -> Iterator[ClassifyRow]:
        for line, row in read_json_lines(self.path):
            try:
                for answer in _spread(row) if _has_many(row) else [row]:
                    yield self._make_answer(answer, line)
            except InputError as error:
                raise self.make_error(str(error), line) from None

    def _read_export(self) -> Iterator[ClassifyRow]:
        tasks = read_json(self.path)
        if not isinstance(tasks, list):
            raise FormatError(self.path, "an export of Label Studio is a list of tasks; our own format is .jsonl.")
        for place, task in enumerate(tasks, start=1):
            try:
                yield from self._read_task(task, place)
            except InputError as error:
                raise self.make_error(str(error), place) from None

    def _read_task(self, task: object, place: int) -> Iterator[ClassifyRow]:
        if not isinstance(task, dict) or not isinstance(task.get("data"), dict):
            raise InputError("a task is an object with its data and annotations.")
        data, annotations = task["data"], task.get("annotations")
        if not isinstance(annotations, list):
            raise InputError("the task has no list of annotations; export as JSON, not as JSON-MIN.")
        for annotation in annotations:
            if not isinstance(annotation, dict):
                raise InputError("an annotation is an object with completed_by and result.")
            if annotation.get("was_cancelled"):
                self.n_skipped += 1
                continue
            yield self._make_answer(_read_annotation(data, annotation), place)

    def _make_answer(self, row: dict[str, Any], place: int) -> ClassifyRow:
        if "selected" not in row:
            raise InputError("every answer needs the list selected; it may be empty.")
        selected = self.classes.get_list(row["selected"], "selected")
        main = NO_CLASS if row.get("main") is None else self.classes.get(row["main"])
        offered = row.get("candidates")
        candidates = None if offered is None else self.classes.get_list(offered, "candidates")
        if candidates is not None:
            _check_offered(selected, main, candidates)
        return ClassifyRow(
            place,
            _read_id(row, "image_id"),
            _read_id(row, "annotator_id"),
            selected,
            main,
            candidates,
            _read_seconds(row),
        )


def _has_many(row: dict[str, Any]) -> bool:
    """Whether a line has all answers on its image, as lists of what each annotator selected and called the main object."""
    selected = row.get("selected")
    return isinstance(selected, list) and any(isinstance(one, list) for one in selected)


def _spread(row: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The answers of such a line. Who gave them is mostly not in the file: then every answer has an annotator of its own."""
    image_id = _read_id({"image_id": row.get("image_id", row.get("image"))}, "image_id")
    selected = row["selected"]
    columns = {name: row.get(name) for name in ("main", "annotator_ids")}
    for name, values in columns.items():
        if values is not None and (not isinstance(values, list) or len(values) != len(selected)):
            raise InputError(
                f"selected has the answers of {len(selected):,} annotators; {name} must be a list as long."
            )
    mains = columns["main"] or [None] * len(selected)
    annotators = columns["annotator_ids"] or [f"{image_id}-{number}" for number in range(1, len(selected) + 1)]
    shared = {"image_id": image_id, "candidates": row.get("candidates")}
    for labels, main, annotator in zip(selected, mains, annotators, strict=True):
        yield {**shared, "selected": labels, "main": main, "annotator_id": annotator}


def _check_offered(selected: list[int], main: int, candidates: list[int]) -> None:
    known = set(candidates)
    for label in selected:
        if label not in known:
            raise InputError(f"class {label} is selected, but was not among the candidates {candidates}.")
    if main != NO_CLASS and main not in known:
        raise InputError(f"the main label {main} was not among the candidates {candidates}.")


def _read_id(row: dict[str, Any], name: str) -> str:
    value = row.get(name)
    if isinstance(value, str | int) and not isinstance(value, bool) and str(value):
        return str(value)
    raise InputError(f"every answer needs an {name} that is not empty.")


def _read_seconds(row: dict[str, Any]) -> float:
    value = row.get("seconds")
    if value is None:
        return _UNKNOWN_SECONDS
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
        raise InputError(f"seconds is a number from 0 up, not {value!r}.")
    return float(value)


def _read_annotation(data: dict[str, Any], annotation: dict[str, Any]) -> dict[str, Any]:
    """One annotation of Label Studio in the fields of our own format."""
    row: dict[str, Any] = {
        "image_id": _find_image_id(data),
        "annotator_id": _find_annotator_id(annotation.get("completed_by")),
        "selected": _find_choices(annotation, SELECTED_CONTROL),
        "seconds": annotation.get("lead_time"),
    }
    mains = _find_choices(annotation, MAIN_CONTROL)
    if len(mains) > 1:
        raise InputError(f"the main label is one choice, not {mains}.")
    row["main"] = mains[0] if mains else None
    offered = data.get("candidates")
    if isinstance(offered, list):
        row["candidates"] = [one.get("value") if isinstance(one, dict) else one for one in offered]
    return row


def _find_image_id(data: dict[str, Any]) -> object:
    if "image_id" in data:
        return data["image_id"]
    address = data.get("image")
    if not isinstance(address, str):
        return None
    # Local files are served as /data/local-files/?d=PATH; any other query says nothing of the image.
    return name_from_file(address.rpartition("?d=")[2].partition("?")[0])


def _find_annotator_id(completed_by: object) -> object:
    """Who answered: a number, or an object with the id or address of the user."""
    if isinstance(completed_by, dict):
        return completed_by.get("email") or completed_by.get("id")
    return completed_by


def _find_choices(annotation: dict[str, Any], control: str) -> list[Any]:
    """What was chosen in one control; a control that was left alone has no result."""
    results = annotation.get("result")
    if not isinstance(results, list):
        raise InputError("an annotation has a list of results.")
    chosen = [one for one in results if isinstance(one, dict) and one.get("from_name") == control]
    if not chosen:
        return []
    value = chosen[0].get("value")
    choices = value.get("choices") if isinstance(value, dict) else None
    if len(chosen) > 1 or not isinstance(choices, list):
        raise InputError(f"the control {control!r} must have one result with a list of choices.")
    return choices
