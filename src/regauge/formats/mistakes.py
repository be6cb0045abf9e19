"""Files of coded mistakes → records.

CSV or JSON with `image_id,prediction,category,severity`, and the JSON of Vasudevan et al. (2022): a list of entries per model,
or as in their repository an entry per file name. docs/formats.md shows one of each.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import polars as pl

from regauge.errors import FormatError, InputError
from regauge.formats.classes import resolve_class, resolve_column
from regauge.formats.sizes import make_names
from regauge.formats.text import Table, name_from_file, read_json, read_table, require_columns
from regauge.records.mistakes import CATEGORIES, SEVERITIES, Category, CodedMistakes, Severity
from regauge.records.taxonomy import Taxonomy

FIELDS = ("image_id", "prediction", "category", "severity")

RELEASED_CATEGORIES = {
    "Fine-grained error": Category.FINE_GRAINED,
    "Fine-grained with Multilabel Options": Category.FINE_GRAINED,
    "Fine-grained error with OOV": Category.FINE_GRAINED_OOV,
    "Spurious Correlation": Category.SPURIOUS_CORRELATION,
    "Non-prototypical": Category.NON_PROTOTYPICAL,
}
RELEASED_SEVERITIES = {"Major": Severity.MAJOR, "Minor": Severity.MINOR, "Borderline": Severity.MINOR}
"""How the released file spells the codes; docs/formats.md lists them."""

_OTHER_CATEGORIES = {
    "FG": Category.FINE_GRAINED,
    "finegrained": Category.FINE_GRAINED,
    "FG OOV": Category.FINE_GRAINED_OOV,
    "finegrained OOV": Category.FINE_GRAINED_OOV,
    "FG out-of-vocabulary": Category.FINE_GRAINED_OOV,
    "fine-grained out-of-vocabulary": Category.FINE_GRAINED_OOV,
    "spurious": Category.SPURIOUS_CORRELATION,
    "spurious correlations": Category.SPURIOUS_CORRELATION,
    "nonprototypical": Category.NON_PROTOTYPICAL,
}

_FILLERS = re.compile(r"\b(errors?|mistakes?|with|w|labels?|objects?|examples?|instances?|images?)\b")
"""Words that spellings differ in and that tell no category from another."""

_Code = TypeVar("_Code", Category, Severity)


def _fold(text: str) -> str:
    """A spelling without case, hyphens and filler words."""
    words = re.sub(r"[\W_]+", " ", text.casefold())
    return " ".join(_FILLERS.sub("", words).split())


_REPOSITORY_FIELDS = {
    "top_prediction": "prediction",
    "failure category": "category",
    "failure severity": "severity",
}
"""How the files in the authors' repository call our fields."""

_CATEGORY_OF = {_fold(name): code for name, code in (RELEASED_CATEGORIES | _OTHER_CATEGORIES).items()} | {
    _fold(category): category for category in CATEGORIES
}
_SEVERITY_OF = {_fold(name): code for name, code in RELEASED_SEVERITIES.items()}


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
    """One entry of a JSON file, with the spellings it came in."""

    image_id: str
    prediction: int
    category: str
    severity: str


def load_mistakes(argument: Path | str, *, taxonomy: Taxonomy | None = None) -> CodedMistakes:
    """The coded mistakes in a file.

    Args:
        argument: a .csv, .tsv or .json file; as text also NAME=PATH, and PATH#MODEL for one of several models.
        taxonomy: the classes; without it, predictions must be given by index.

    Raises:
        FormatError: the file is not what its format promises, or holds several models and none was chosen.
    """
    file = MistakesFile(argument) if isinstance(argument, Path) else parse_argument(argument)
    try:
        return _load(file, taxonomy)
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


def parse_category(value: object) -> Category:
    """The category that a spelling stands for.

    >>> parse_category("FG w/ OOV")
    <Category.FINE_GRAINED_OOV: 'fine-grained-oov'>
    """
    if isinstance(value, str) and _fold(value) in _CATEGORY_OF:
        return _CATEGORY_OF[_fold(value)]
    known = ", ".join(f"{code} ({spelling!r})" for code, spelling in _find_spellings(RELEASED_CATEGORIES).items())
    raise InputError(f"a category is one of {known} or a close spelling, not {_quote(value)}.")


def parse_severity(value: object) -> Severity:
    """The severity that a spelling stands for; Borderline is minor."""
    if isinstance(value, str) and _fold(value) in _SEVERITY_OF:
        return _SEVERITY_OF[_fold(value)]
    raise InputError(f"a severity is major or minor ('Borderline' counts as minor), not {_quote(value)}.")


def _find_spellings(released: dict[str, _Code]) -> dict[_Code, str]:
    """The first released spelling of each code."""
    return {code: next(spelling for spelling, one in released.items() if one is code) for code in released.values()}


def _quote(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}…"


def _split_model(text: str, *, name: str | None) -> tuple[Path, str | None, str | None]:
    """The path, the name and what stands behind the # that ends the path of an existing file, or else the last one."""
    if "#" not in text or Path(text).exists():
        return Path(text), name, None
    places = [position for position, character in enumerate(text) if character == "#"]
    end = next((place for place in places if Path(text[:place]).is_file()), places[-1])
    return Path(text[:end]), name, text[end + 1 :]


def _load(file: MistakesFile, taxonomy: Taxonomy | None) -> CodedMistakes:
    suffix = file.path.suffix.lower()
    if suffix == ".json":
        return _load_json(file, taxonomy)
    if suffix in {".csv", ".tsv"}:
        return _load_table(file, taxonomy)
    if not file.path.exists():
        raise FormatError(file.path, "there is no such file.")
    raise FormatError(file.path, f"coded mistakes are a .csv, .tsv or .json file, not {suffix or 'this'}.")


def _load_table(file: MistakesFile, taxonomy: Taxonomy | None) -> CodedMistakes:
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
    return _make_mistakes(
        file,
        file.name or file.path.stem,
        ids=image_ids.to_list(),
        predictions=predictions.tolist(),
        spellings=(_check_column(table, "category", parse_category), _check_column(table, "severity", parse_severity)),
    )


def _check_column(table: Table, name: str, parse: Callable[[object], Category | Severity]) -> list[str]:
    """The spellings in a column of codes; the error names the first line whose spelling is not understood."""
    column = table.get_column(name)
    for word in column.unique(maintain_order=True):
        try:
            parse(word)
        except InputError as error:
            raise table.make_error(table.find_first(column, word), str(error)) from None
    return list(column)


def _load_json(file: MistakesFile, taxonomy: Taxonomy | None) -> CodedMistakes:
    model, entries = _choose_model(file, read_json(file.path))
    whose = "" if model is None else f" of {model!r}"
    rows: dict[tuple[str, int], MistakeRow] = {}
    for number, entry in enumerate(entries, start=1):
        try:
            row = _read_entry(entry, taxonomy)
        except InputError as error:
            raise FormatError(file.path, f"entry {number}{whose}: {error}") from None
        if (row.image_id, row.prediction) in rows:
            problem = _describe_repeated(row.image_id, row.prediction)
            raise FormatError(file.path, f"entry {number}{whose}: {problem}")
        rows[row.image_id, row.prediction] = row
    return _make_mistakes(
        file,
        file.name or model or file.path.stem,
        ids=[row.image_id for row in rows.values()],
        predictions=[row.prediction for row in rows.values()],
        spellings=([row.category for row in rows.values()], [row.severity for row in rows.values()]),
    )


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


def _read_entry(entry: object, taxonomy: Taxonomy | None) -> MistakeRow:
    if not isinstance(entry, dict):
        raise InputError(f"a mistake is an object with {', '.join(FIELDS)}, not {_quote(entry)}.")
    missing = [name for name in FIELDS[1:] if name not in entry]
    if missing:
        raise InputError(f"the field {missing[0]!r} is missing; a mistake has {', '.join(FIELDS)}.")
    parse_category(entry["category"])
    parse_severity(entry["severity"])
    prediction = resolve_class(entry["prediction"], taxonomy)
    return MistakeRow(_read_image_id(entry), prediction, entry["category"], entry["severity"])


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


def _make_mistakes(
    file: MistakesFile,
    name: str,
    *,
    ids: Sequence[str],
    predictions: Sequence[int],
    spellings: tuple[Sequence[str], Sequence[str]],
) -> CodedMistakes:
    if not name.strip() or any("\ud800" <= character <= "\udfff" for character in name):
        raise FormatError(file.path, f"mistakes need a name of characters that can be written, not {name!r}.")
    categories, severities = spellings
    return CodedMistakes(
        name,
        make_names(ids),
        np.array(predictions, np.int32),
        np.array([CATEGORIES.index(parse_category(word)) for word in categories], np.int8),
        np.array([SEVERITIES.index(parse_severity(word)) for word in severities], np.int8),
        notes=(_describe(file, name, categories, severities),),
    )


def _describe(file: MistakesFile, name: str, categories: Sequence[str], severities: Sequence[str]) -> str:
    """What was found, and which spellings had to be folded into another code than their own name."""
    odd = {_fold("Fine-grained with Multilabel Options"): Category.FINE_GRAINED, _fold("Borderline"): Severity.MINOR}
    counts = Counter(word.strip() for word in (*categories, *severities) if _fold(word) in odd)
    folded = "".join(f", {n:,} {word!r} among them taken as {odd[_fold(word)]}" for word, n in counts.items())
    return f"{file.path.name}: {len(categories):,} coded mistakes of {name}{folded}."
