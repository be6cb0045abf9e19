"""Files of coded mistakes → records.

CSV or JSON with `image_id,prediction,category,severity`, and the JSON of Vasudevan et al. (2022): a list of entries per model,
or as in their repository an entry per file name. docs/formats.md shows one of each.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from regauge.errors import FormatError, InputError
from regauge.estimates import count_things
from regauge.formats.classes import resolve_class, resolve_column
from regauge.formats.mistakes.spellings import fold_spelling, parse_category, parse_severity, quote_short
from regauge.formats.sizes import make_names
from regauge.formats.text import Table, name_from_file, read_json, read_table, require_columns
from regauge.records.mistakes.coded import SEVERITIES, STANDARD_NAMES, Category, CodedMistakes
from regauge.records.mistakes.coders import TakenOver
from regauge.records.mistakes.coding import OverturnedMistakes
from regauge.records.taxonomy import Taxonomy

SUFFIXES = (".csv", ".tsv", ".json")
FIELDS = ("image_id", "prediction", "category", "severity")
OVERTURNED, NOTE = "overturned", "note"
"""What a file may say besides: why a mistake is none, in place of its codes, and what the coders added."""

_REPOSITORY_FIELDS = {
    "top_prediction": "prediction",
    "failure category": "category",
    "failure severity": "severity",
}
"""How the files in the authors' repository call our fields."""


@dataclass(frozen=True, slots=True)
class MistakesFile:
    """What an argument [NAME=]PATH[#MODEL] means.

    Attributes:
        path: the file.
        name: what to call the mistakes, if the argument says so.
        model: which model of a JSON file is meant, if the argument says so.
    """

    path: Path
    name: str | None = None
    model: str | None = None


@dataclass(frozen=True, slots=True)
class MistakeRow:
    """One entry of a file, with the spellings it came in; one that was overturned has a reason in place of codes."""

    image_id: str
    prediction: int
    category: str
    severity: str
    reason: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class CodedFile:
    """All that a file says of mistakes.

    Attributes:
        coded: those that remain.
        overturned: those that turned out to be none.
        remarks: what the coders added to each that remains; empty where they added nothing.
    """

    coded: CodedMistakes
    overturned: OverturnedMistakes
    remarks: tuple[str, ...]


def load_mistakes(argument: Path | str, *, taxonomy: Taxonomy | None = None) -> CodedMistakes:
    """The coded mistakes in a file; those that were overturned are left out, which a note says.

    Args:
        argument: a .csv, .tsv or .json file; as text also NAME=PATH, and PATH#MODEL for one of several models.
        taxonomy: the classes; without it, predictions must be given by index.

    Raises:
        FormatError: the file is not what its format promises, holds several models and none was chosen, or all of it was
            overturned.
    """
    found = load_coded_file(argument, taxonomy=taxonomy)
    n_overturned = len(found.overturned)
    if not n_overturned:
        return found.coded
    if not len(found.coded):
        path = argument if isinstance(argument, Path) else parse_argument(argument).path
        raise FormatError(path, "every mistake in it was overturned; there is nothing to summarise.")
    left_out = f"{found.coded.name}: {count_things(n_overturned, 'overturned mistake')} left out."
    return replace(found.coded, notes=(*found.coded.notes, left_out))


def load_coded_file(
    argument: Path | str, *, taxonomy: Taxonomy | None = None, category_names: tuple[str, ...] = STANDARD_NAMES
) -> CodedFile:
    """All that a file says of mistakes.

    Args:
        argument: as `load_mistakes` takes it.
        taxonomy: the classes; without it, predictions must be given by index.
        category_names: the list of categories that the coders had.

    Raises:
        FormatError: the file is not what its format promises, or holds several models and none was chosen.
    """
    file = MistakesFile(argument) if isinstance(argument, Path) else parse_argument(argument)
    try:
        return _load(file, taxonomy, category_names)
    except FormatError:
        raise
    except InputError as error:
        raise FormatError(file.path, str(error)) from None


def parse_argument(text: str) -> MistakesFile:
    """The file, name and model that an argument [NAME=]PATH[#MODEL] means; an existing file is taken as it is."""
    if Path(text).exists():
        return MistakesFile(Path(text))
    name, equals, rest = text.partition("=")
    if equals and name and not set(name) & {"/", "#"}:
        return MistakesFile(*_split_model(rest, name=name))
    return MistakesFile(*_split_model(text, name=None))


def _split_model(text: str, *, name: str | None) -> tuple[Path, str | None, str | None]:
    """The path, the name and what stands behind the # that ends the path of an existing file, or else the last one."""
    if "#" not in text or Path(text).exists():
        return Path(text), name, None
    places = [position for position, character in enumerate(text) if character == "#"]
    end = next((place for place in places if Path(text[:place]).is_file()), places[-1])
    return Path(text[:end]), name, text[end + 1 :]


def _load(file: MistakesFile, taxonomy: Taxonomy | None, names: tuple[str, ...]) -> CodedFile:
    suffix = file.path.suffix.lower()
    if suffix == ".json":
        return _load_json(file, taxonomy, names)
    if suffix in SUFFIXES:
        return _load_table(file, taxonomy, names)
    if not file.path.exists():
        raise FormatError(file.path, "there is no such file.")
    raise FormatError(file.path, f"coded mistakes are a .csv, .tsv or .json file, not {suffix or 'this'}.")


def _load_table(file: MistakesFile, taxonomy: Taxonomy | None, names: tuple[str, ...]) -> CodedFile:
    if file.model is not None:
        raise FormatError(file.path, f"only a JSON file has models to choose from with #{file.model}.")
    table = read_table(file.path)
    require_columns(table, FIELDS, purpose="a table of coded mistakes")
    image_ids = table.get_column("image_id")
    predictions = resolve_column(table, "prediction", taxonomy)
    is_first = pl.DataFrame({"image": image_ids, "class": predictions}).to_struct().is_first_distinct()
    if not is_first.all():
        row = int((~is_first).arg_true()[0])
        raise table.make_error(row, _describe_repeated(image_ids[row], int(predictions[row])))
    reasons, notes = _read_words(table, OVERTURNED), _read_words(table, NOTE)
    categories = _read_codes(table, "category", lambda word: parse_category(word, names), reasons)
    severities = _read_codes(table, "severity", parse_severity, reasons)
    columns = (image_ids.to_list(), predictions.tolist(), categories, severities, reasons, notes)
    rows = [MistakeRow(*cells) for cells in zip(*columns, strict=True)]
    return _make_file(file, file.name or file.path.stem, rows, names)


def _read_words(table: Table, name: str) -> list[str]:
    """A column that a table may have, with the empty text where it says nothing."""
    if name not in table.frame.columns:
        return [""] * len(table.frame)
    return list(table.frame[name].cast(pl.String).str.strip_chars().fill_null(""))


def _read_codes(table: Table, name: str, parse: Callable[[object], str], reasons: Sequence[str]) -> list[str]:
    """The spellings in a column of codes; the error names the first line whose spelling is not understood."""
    if not any(reasons):
        table.get_column(name)
    words = _read_words(table, name)
    known: set[str] = set()
    for row, (word, reason) in enumerate(zip(words, reasons, strict=True)):
        if reason and word:
            raise table.make_error(row, f"a mistake that was overturned has no {name}, and this one has {word!r:.60}.")
        if reason or word in known:
            continue
        try:
            parse(word)
        except InputError as error:
            raise table.make_error(row, str(error)) from None
        known.add(word)
    return words


def _load_json(file: MistakesFile, taxonomy: Taxonomy | None, names: tuple[str, ...]) -> CodedFile:
    model, entries = _choose_model(file, read_json(file.path))
    whose = "" if model is None else f" of {model!r}"
    rows: dict[tuple[str, int], MistakeRow] = {}
    for number, entry in enumerate(entries, start=1):
        try:
            row = _read_entry(entry, taxonomy, names)
        except InputError as error:
            raise FormatError(file.path, f"entry {number}{whose}: {error}") from None
        if (row.image_id, row.prediction) in rows:
            problem = _describe_repeated(row.image_id, row.prediction)
            raise FormatError(file.path, f"entry {number}{whose}: {problem}")
        rows[row.image_id, row.prediction] = row
    return _make_file(file, file.name or model or file.path.stem, list(rows.values()), names)


def _choose_model(file: MistakesFile, content: object) -> tuple[str | None, list[Any]]:
    """The one model that was chosen or that is alone, and its entries; a bare list has no model."""
    if isinstance(content, list):
        if file.model is not None:
            raise FormatError(file.path, f"this is one list of mistakes; leave #{file.model} away.")
        return None, _check_filled(file, content)
    if isinstance(content, dict) and content and all(isinstance(one, dict) for one in content.values()):
        if file.model is not None:
            raise FormatError(file.path, f"this file has the mistakes of one model; leave #{file.model} away.")
        return None, [_rename_fields(name, entry) for name, entry in content.items()]
    if not isinstance(content, dict) or not content or not all(isinstance(one, list) for one in content.values()):
        raise FormatError(
            file.path,
            "coded mistakes in JSON are a list of entries, or an object {model: entries} or {file name: entry}.",
        )
    known = ", ".join(map(repr, content))
    if file.model is None and len(content) > 1:
        raise FormatError(file.path, f"there are {len(content)} models; choose one with PATH#MODEL: {known}.")
    model = next(iter(content)) if file.model is None else file.model
    if model not in content:
        raise FormatError(file.path, f"there is no model {model!r}; there are: {known}.")
    return model, _check_filled(file, content[model])


def _rename_fields(file_name: str, entry: dict[str, Any]) -> dict[str, Any]:
    """An entry of the authors' repository, where images are the keys, with our names of its fields."""
    return {"image": file_name, **{_REPOSITORY_FIELDS.get(name, name): value for name, value in entry.items()}}


def _check_filled(file: MistakesFile, entries: list[Any]) -> list[Any]:
    if not entries:
        raise FormatError(file.path, "the list of mistakes is empty; there is nothing to summarise.")
    return entries


def _read_entry(entry: object, taxonomy: Taxonomy | None, names: tuple[str, ...]) -> MistakeRow:
    if not isinstance(entry, dict):
        raise InputError(f"a mistake is an object with {', '.join(FIELDS)}, not {quote_short(entry)}.")
    reason, note = (_read_word(entry, name) for name in (OVERTURNED, NOTE))
    needed = FIELDS[1:2] if reason else FIELDS[1:]
    missing = [name for name in needed if name not in entry]
    if missing:
        raise InputError(f"the field {missing[0]!r} is missing; a mistake has {', '.join(FIELDS)}.")
    codes = [entry.get(name) for name in FIELDS[2:]]
    if reason and any(codes):
        raise InputError("a mistake that was overturned has neither a category nor a severity, and this one has.")
    if not reason:
        parse_category(codes[0], names)
        parse_severity(codes[1])
    prediction = resolve_class(entry["prediction"], taxonomy)
    category, severity = ("", "") if reason else codes
    return MistakeRow(_read_image_id(entry), prediction, str(category), str(severity), reason, note)


def _read_word(entry: dict[str, Any], name: str) -> str:
    value = entry.get(name)
    if value is not None and not isinstance(value, str):
        raise InputError(f"{name!r} is a text, not {quote_short(value)}.")
    return (value or "").strip()


def _read_image_id(entry: dict[str, Any]) -> str:
    """The id; a released `image` is the number of an ImageNet validation image, or its file name."""
    image = entry.get("image_id", entry.get("image"))
    if isinstance(image, str | int) and not isinstance(image, bool) and str(image).strip():
        if "image_id" in entry:
            return str(image).strip()
        if isinstance(image, str) and name_from_file(image):
            return name_from_file(image)
        if isinstance(image, int) and 0 < image < 10**8:
            return f"ILSVRC2012_val_{image:08d}"
    raise InputError("a mistake needs an image_id, or an image that is a file name or a validation number from 1 up.")


def _describe_repeated(image_id: str, prediction: int) -> str:
    return f"image {image_id!r} with prediction {prediction} occurs a second time; a mistake is coded once."


def _make_file(file: MistakesFile, name: str, rows: Sequence[MistakeRow], names: tuple[str, ...]) -> CodedFile:
    if not name.strip() or any("\ud800" <= character <= "\udfff" for character in name):
        raise FormatError(file.path, f"mistakes need a name of characters that can be written, not {name!r}.")
    coded = [row for row in rows if not row.reason]
    overturned = [row for row in rows if row.reason]
    mistakes = CodedMistakes(
        name,
        make_names([row.image_id for row in coded]),
        np.array([row.prediction for row in coded], np.int32),
        np.array([names.index(parse_category(row.category, names)) for row in coded], np.int8),
        np.array([SEVERITIES.index(parse_severity(row.severity)) for row in coded], np.int8),
        notes=(_describe(file, name, [row.category for row in coded]),) if coded else (),
        category_names=names,
    )
    return CodedFile(
        mistakes,
        OverturnedMistakes(
            make_names([row.image_id for row in overturned]),
            np.array([row.prediction for row in overturned], np.int32),
            tuple(row.reason for row in overturned),
            tuple(row.note for row in overturned),
        ),
        tuple(row.note for row in coded),
    )


def _describe(file: MistakesFile, name: str, categories: Sequence[str]) -> str:
    """What was found, and which spellings had to be taken for another code than their own name."""
    odd = fold_spelling("Fine-grained with Multilabel Options")
    counts = Counter(word.strip() for word in categories if fold_spelling(word) == odd)
    folded = "".join(f", {n:,} {word!r} among them taken as {Category.FINE_GRAINED}" for word, n in counts.items())
    return f"{file.path.name}: {len(categories):,} coded mistakes of {name}{folded}."


def dump_taken_over(taken: Iterable[TakenOver]) -> str:
    """The text that a campaign keeps."""
    return json.dumps([list(one) for one in taken], ensure_ascii=False)


def parse_taken_over(text: str) -> tuple[TakenOver, ...]:
    """What `dump_taken_over` wrote."""
    return tuple(TakenOver(*one) for one in json.loads(text))
