"""Datasets of Hugging Face on disk → test sets: folders of `save_to_disk` (Arrow) and folders or files of Parquet.

Labels, names of classes and names of images are read. The images themselves are part of these files, so that people can be shown
them only where the dataset refers to files that are there.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from regauge.arrays import NO_CLASS, IdArray, IntArray
from regauge.errors import FormatError, InputError
from regauge.formats.classes import MAX_INDEX, resolve_class, resolve_names
from regauge.formats.images.folders import check_collisions
from regauge.formats.sizes import check_room, make_names
from regauge.formats.tables import IMAGE_ID
from regauge.formats.text import name_from_files, read_json
from regauge.records.studies import ImagePlace, LocatedTestSet, TestSetKind
from regauge.records.taxonomy import Taxonomy
from regauge.records.testsets.test_set import TestSet

DICT, STATE, INFO = "dataset_dict.json", "state.json", "dataset_info.json"
ID_COLUMNS = (IMAGE_ID, "file_name", "filename", "path")
"""Columns that name an image, in the order in which they are looked for; else the path inside the column image does."""
LABEL_COLUMNS = ("label", "labels", "fine_label", "cls")

_COPIES = 2


@dataclass(frozen=True, slots=True)
class DatasetFiles:
    """Where a dataset lies.

    Attributes:
        folder: the dataset, or the folder of one of its splits.
        files: its Arrow or Parquet files in the order of the rows.
        name: what outputs call it.
        classes: the names of its classes, where a file says them: column → names.
    """

    folder: Path
    files: tuple[Path, ...]
    name: str
    classes: Mapping[str, tuple[str, ...]]


def find_dataset(path: Path, split: str | None = None) -> DatasetFiles | None:
    """The files of a dataset that a folder or a Parquet file with images is; None of anything else.

    Raises:
        FormatError: there are several splits and none was chosen, there is none of that name, or files are missing.
    """
    if path.is_file():
        is_images = path.suffix.lower() == ".parquet" and _has_images(path)
        return DatasetFiles(path.parent, (path,), path.stem, _read_parquet_classes(path)) if is_images else None
    if not path.is_dir():
        return None
    if (path / DICT).is_file():
        folder = path / _choose(path, _list_splits(path), split)
        return _find_arrow(folder, f"{_get_name(path)}-{folder.name}")
    if (path / STATE).is_file():
        if split not in (None, _get_split(path)):
            raise FormatError(path, f"the dataset has no split {split!r}; it was saved as one: leave out #{split}.")
        return _find_arrow(path, _get_name(path))
    return _find_parquet(path, split)


def load_dataset(dataset: DatasetFiles, *, taxonomy: Taxonomy | None, columns: Mapping[str, str]) -> LocatedTestSet:
    """Ids and labels of the images of a dataset, in the order of its rows."""
    label = columns.get("label") or _find_column(dataset, LABEL_COLUMNS)
    named = columns.get(IMAGE_ID) or _find_column(dataset, ID_COLUMNS)
    frame = pl.concat([_read(file, label, named) for file in dataset.files], how="vertical_relaxed")
    if not frame.height:
        raise FormatError(dataset.folder, "the dataset has no rows.")
    ids, notes = _name_images(dataset, frame, named)
    labels = _read_labels(dataset, frame, label, taxonomy)
    test_set = TestSet(dataset.name, ids, labels)
    places = _find_places(dataset, frame)
    has_labels = "" if (labels != NO_CLASS).any() else ", without labels"
    without = (
        "" if any(place.path for place in places) else "; its images are inside its files, so nobody can be shown them"
    )
    about = f"{dataset.name}: a dataset of {len(test_set):,} images{has_labels}{without}."
    return LocatedTestSet(test_set, TestSetKind.TABLE, str(dataset.folder.resolve()), places, (about, *notes))


def _get_name(path: Path) -> str:
    return path.name or path.resolve().name


def _get_split(path: Path) -> object:
    """What a dataset that was saved by itself says it is a split of; often nothing."""
    state = read_json(path / STATE)
    return state.get("_split") if isinstance(state, dict) else None


def _list_splits(path: Path) -> list[str]:
    content = read_json(path / DICT)
    splits = content.get("splits") if isinstance(content, dict) else None
    if not isinstance(splits, list) or not splits or not all(isinstance(one, str) for one in splits):
        raise FormatError(path / DICT, "a dataset of several splits lists them as splits.")
    return [str(one) for one in splits]


def _choose(path: Path, splits: Sequence[str], split: str | None) -> str:
    if split is None and len(splits) == 1:
        return splits[0]
    if split not in splits:
        problem = f"the dataset has {len(splits)} splits" if split is None else f"the dataset has no split {split!r}"
        raise FormatError(path, f"{problem}; write {path.name}#NAME with one of: {', '.join(splits)}.")
    return str(split)


def _find_arrow(folder: Path, name: str) -> DatasetFiles:
    state = read_json(folder / STATE)
    listed = state.get("_data_files") if isinstance(state, dict) else None
    if not isinstance(listed, list) or not listed:
        raise FormatError(folder / STATE, "a dataset that was saved to disk lists its files as _data_files.")
    names = [str(one.get("filename", "")) if isinstance(one, dict) else "" for one in listed]
    for one in names:
        if not one or Path(one).name != one or not (folder / one).is_file():
            raise FormatError(folder / STATE, f"there is no file {one!r} in {folder}.")
    if state.get("_indices_files") or state.get("_indices_data_files"):
        raise FormatError(
            folder / STATE, "the rows are chosen by a file of indices; save the dataset again after flatten_indices()."
        )
    info = read_json(folder / INFO) if (folder / INFO).is_file() else {}
    return DatasetFiles(folder, tuple(folder / one for one in names), name, _find_classes(info))


def _find_parquet(path: Path, split: str | None) -> DatasetFiles | None:
    """Parquet files as the hub has them, called SPLIT-00000-of-00001.parquet, in the folder or in its folder data."""
    files = sorted(path.glob("*.parquet")) or sorted(path.glob("data/*.parquet"))
    if not files or not _has_images(files[0]):
        return None
    splits: dict[str, list[Path]] = {}
    for file in files:
        splits.setdefault(file.stem.split("-", maxsplit=1)[0] if "-of-" in file.stem else file.stem, []).append(file)
    chosen = _choose(path, list(splits), split)
    name = _get_name(path) if len(splits) == 1 else f"{_get_name(path)}-{chosen}"
    return DatasetFiles(path, tuple(splits[chosen]), name, _read_parquet_classes(splits[chosen][0]))


def _has_images(path: Path) -> bool:
    """Whether a Parquet file has a column of images, as `datasets` keeps them: their bytes and their path."""
    try:
        return any(_is_image(kind) for kind in pl.read_parquet_schema(path).values())
    except (pl.exceptions.PolarsError, OSError, ValueError):
        return False


def _is_image(kind: pl.DataType) -> bool:
    return isinstance(kind, pl.Struct) and {field.name for field in kind.fields} == {"bytes", "path"}


def _read_parquet_classes(path: Path) -> dict[str, tuple[str, ...]]:
    try:
        info = json.loads(pl.read_parquet_metadata(path).get("huggingface", "{}"))
    except (pl.exceptions.PolarsError, OSError, ValueError):
        return {}
    return _find_classes(info.get("info", {}) if isinstance(info, dict) else {})


def _find_classes(info: object) -> dict[str, tuple[str, ...]]:
    """The names of the classes of every column that has some, in the order of their numbers."""
    features = info.get("features") if isinstance(info, dict) else None
    found: dict[str, tuple[str, ...]] = {}
    for name, feature in features.items() if isinstance(features, dict) else ():
        names = feature.get("names") if isinstance(feature, dict) and feature.get("_type") == "ClassLabel" else None
        if isinstance(names, list):
            found[str(name)] = tuple(map(str, names))
    return found


def _find_column(dataset: DatasetFiles, names: Sequence[str]) -> str | None:
    schema = _read_schema(dataset.files[0])
    return next((name for name in names if name in schema and not schema[name].is_nested()), None)


def _read_schema(file: Path) -> Mapping[str, pl.DataType]:
    try:
        if file.suffix.lower() == ".parquet":
            return pl.read_parquet_schema(file)
        return pl.read_ipc_stream(file, n_rows=1).schema
    except (pl.exceptions.PolarsError, OSError, ValueError) as error:
        raise _explain(file, error) from None


def _read(file: Path, label: str | None, named: str | None) -> pl.DataFrame:
    """Label, name and path of every row; the bytes of images are passed over."""
    schema = _read_schema(file)
    missing = [name for name in (label, named) if name is not None and name not in schema]
    if missing:
        raise FormatError(file, f"there is no column {missing[0]!r}; this file has: {', '.join(schema)}.")
    images = [name for name, kind in schema.items() if _is_image(kind)][:1]
    wanted = [pl.col(name) for name in dict.fromkeys(one for one in (label, named) if one is not None)]
    wanted += [pl.col(name).struct.field("path").alias(_PATH) for name in images]
    if not wanted:
        raise FormatError(file, f"a dataset has labels or images; this file has: {', '.join(schema)}.")
    try:
        if file.suffix.lower() == ".parquet":
            return pl.scan_parquet(file, glob=False).select(wanted).collect()
        check_room(file, file.stat().st_size * _COPIES)
        return pl.read_ipc_stream(file).select(wanted)
    except (pl.exceptions.PolarsError, OSError, ValueError) as error:
        raise _explain(file, error) from None


def _explain(file: Path, error: Exception) -> InputError:
    if isinstance(error, InputError):
        return error
    return FormatError(
        file, f"this is not an Arrow or Parquet file, or it is damaged ({type(error).__name__}); write it again."
    )


def _name_images(dataset: DatasetFiles, frame: pl.DataFrame, named: str | None) -> tuple[IdArray, tuple[str, ...]]:
    """Ids by a column that names images, by the paths of images, or by their place."""
    if named == IMAGE_ID or (named is not None and named not in ID_COLUMNS):
        ids = frame[named].cast(pl.String).to_list()
    else:
        column = named if named is not None else _PATH
        files = frame[column].to_list() if column in frame.columns else [None] * frame.height
        if not all(isinstance(file, str) and file for file in files):
            n = frame.height
            note = f"{dataset.name}: the images have no names here and are called by their place, 0 to {n - 1:,}."
            return np.arange(n).astype(np.str_), (note,)
        ids = name_from_files([str(file) for file in files])
    if not all(ids):
        raise FormatError(
            dataset.folder, f"row {ids.index(next(one for one in ids if not one)) + 1:,} has no image id."
        )
    check_collisions(dataset.folder, ids, files=[f"row {number:,}" for number in range(1, len(ids) + 1)])
    return make_names(ids), ()


def _read_labels(dataset: DatasetFiles, frame: pl.DataFrame, label: str | None, taxonomy: Taxonomy | None) -> IntArray:
    """Class indices; of a column whose classes have names, the classes that the taxonomy calls so."""
    labels = np.full(frame.height, NO_CLASS, np.int32)
    if label is None:
        return labels
    column = frame[label]
    names = dataset.classes.get(label)
    if column.dtype.is_integer():
        highest = int(column.max() or 0)  # type: ignore[arg-type]
        if highest > MAX_INDEX or (names is not None and highest >= len(names)):
            raise FormatError(dataset.folder, f"{highest} is none of the classes of the column {label!r}.")
        numbers = column.fill_null(NO_CLASS).cast(pl.Int64).clip(NO_CLASS, None).to_numpy()
        return _number(dataset, numbers, names, taxonomy)
    words = column.cast(pl.String)
    known = [word for word in words.unique(maintain_order=True) if word]
    index_of: dict[Any, int] = {word: resolve_class(word, taxonomy) for word in known}
    return np.array([index_of.get(word, NO_CLASS) for word in words.to_list()], np.int32)


def _number(
    dataset: DatasetFiles,
    numbers: np.ndarray[Any, np.dtype[np.int64]],
    names: Sequence[str] | None,
    taxonomy: Taxonomy | None,
) -> IntArray:
    if taxonomy is None:
        return numbers.astype(np.int32)
    if names is None:
        highest = int(numbers.max())
        resolve_class(max(highest, 0), taxonomy)
        return numbers.astype(np.int32)
    try:
        indices = resolve_names(names, taxonomy)
    except InputError as error:
        raise FormatError(
            dataset.folder, f"the classes of the dataset are not those of {taxonomy.name}: {error}"
        ) from None
    table: IntArray = np.append(indices, np.int32(NO_CLASS))
    found: IntArray = table[numbers]
    return found


def _find_places(dataset: DatasetFiles, frame: pl.DataFrame) -> tuple[ImagePlace, ...]:
    """The files of the images where they lie below the folder of the dataset, all of them; else none."""
    files = frame[_PATH].to_list() if _PATH in frame.columns else [None] * frame.height
    nowhere = (ImagePlace(),) * frame.height
    top = dataset.folder.resolve()
    for file in files:
        if (
            not isinstance(file, str)
            or Path(file).is_absolute()
            or ".." in Path(file).parts
            or not (top / file).is_file()
        ):
            return nowhere
    return tuple(ImagePlace(str(file)) for file in files)


_PATH = "\0path"
