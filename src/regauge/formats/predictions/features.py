"""Feature files → records: `.npy` [images, features] with an ids file, as logits have one."""

from __future__ import annotations

from pathlib import Path

from regauge.errors import FormatError, InputError
from regauge.formats.array_files import map_array
from regauge.formats.predictions.orders import find_order
from regauge.records.testsets.features import Features


def load_features(path: Path, *, name: str, ids: Path | None = None, option: str = "ids") -> Features:
    """Features of images, memory-mapped.

    Args:
        path: a `.npy` file of real numbers, [images, features].
        name: what outputs call the set.
        ids: the image ids, one per line in row order; by default NAME.ids.txt or image_ids.txt beside the file.
        option: where a user can name the ids, for the error message.

    Raises:
        FormatError: the file is no such array, or the ids do not fit it.
    """
    values = map_array(path)
    if values.ndim != 2 or values.dtype.kind != "f":
        shape = f"{values.dtype} of shape {list(values.shape)}"
        raise FormatError(path, f"features must be a float array [images, features], not {shape}.")
    order = find_order(path, ids, what="features", option=option)
    order.check(len(values), path)
    try:
        return Features(name, order.image_ids, values)
    except InputError as error:
        raise FormatError(path, str(error)) from None
