"""Feature files → records: `.npy` [images, features] with an ids file, as logits have one."""

from __future__ import annotations

from pathlib import Path

from regauge.errors import FormatError, InputError
from regauge.formats.array_files import find_ids, map_array, read_ids
from regauge.formats.sizes import make_names
from regauge.records.testsets.features import Features


def load_features(path: Path, *, name: str, ids: Path | None = None, option: str = "ids") -> Features:
    """Features of images, memory-mapped.

    Args:
        path: a `.npy` file of real numbers, [images, features].
        name: what outputs call the set.
        ids: the image ids, one per line in row order; unless given, NAME.ids.txt or image_ids.txt beside the file.
        option: where a user can name the ids, for the error message.

    Raises:
        FormatError: the file is no such array, or the ids do not fit it.
    """
    values = map_array(path)
    if values.ndim != 2 or values.dtype.kind != "f":
        shape = f"{values.dtype} of shape {list(values.shape)}"
        raise FormatError(path, f"features must be a float array [images, features], not {shape}.")
    ids_path = find_ids(path, ids, what="features", option=option)
    image_ids = read_ids(ids_path)
    if len(image_ids) != values.shape[0]:
        raise FormatError(
            ids_path, f"there are {len(image_ids):,} ids for the {values.shape[0]:,} rows of {path.name}."
        )
    try:
        return Features(name, make_names(image_ids), values)
    except InputError as error:
        raise FormatError(path, str(error)) from None
