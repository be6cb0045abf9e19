"""What files call a class → its index."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

import regauge.frames as pl
from regauge.arrays import IntArray
from regauge.errors import InputError, UnknownClassError
from regauge.formats.text import Table
from regauge.records.taxonomy import Taxonomy

MAX_INDEX = 999_999
"""Larger indices are taken for a mistake where no taxonomy says how many classes there are: counts per class are kept."""

_MAX_DIGITS = 9


def resolve_class(value: object, taxonomy: Taxonomy | None) -> int:
    """The index of a class given as an index, an id or a name; without a taxonomy only an index is understood."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise InputError(f"a class must be an index, an id or a name, not {value!r}.")
    word = str(value).strip()
    is_number = word.isascii() and word.isdigit()
    if is_number and len(word) > _MAX_DIGITS:
        raise InputError(f"{word:.20} is too large for a class index.")
    if taxonomy is not None:
        return taxonomy.get_index(word)
    if not is_number:
        raise InputError(
            f"{word!r} is not a class index; to use ids or names, say which classes there are with `taxonomy=…`."
        )
    if int(word) > MAX_INDEX:
        raise InputError(f"{word} is too large for a class index; without a taxonomy the largest is {MAX_INDEX:,}.")
    return int(word)


def resolve_description(word: str, taxonomy: Taxonomy | None) -> int:
    """A class as timm and datasets write it: an index, a WordNet id, or all its names with commas between and perhaps `: gloss`.

    All names come first: "partridge" alone is the class that has no other name, although a grouse is called so too.
    """
    if taxonomy is None:
        return resolve_class(word, taxonomy)
    names = tuple(name.strip().casefold() for name in word.split(":", maxsplit=1)[0].split(","))
    matches = [one.index for one in taxonomy.classes if tuple(name.casefold() for name in one.names) == names]
    if len(matches) == 1:
        return matches[0]
    try:
        return resolve_class(word, taxonomy)
    except UnknownClassError:
        if word == names[0]:
            raise
    return resolve_class(names[0], taxonomy)


def resolve_names(names: Sequence[str], taxonomy: Taxonomy) -> IntArray:
    """The class of each name of a dataset, in its own order.

    Raises:
        InputError: a name is not a class, or two names mean one.
    """
    indices = [resolve_description(name, taxonomy) for name in names]
    if len(set(indices)) < len(indices):
        again = next(place for place, index in enumerate(indices) if index in indices[:place])
        raise InputError(
            f"{names[indices.index(indices[again])]!r} and {names[again]!r} both mean class {indices[again]}."
        )
    return np.array(indices, np.int32)


def resolve_column(table: Table, name: str, taxonomy: Taxonomy | None) -> IntArray:
    """The class indices of a column of text; the error names the first line whose class is not understood."""
    column = table.get_column(name)
    words = column.unique(maintain_order=True)
    indices = []
    for word in words:
        try:
            indices.append(resolve_class(word, taxonomy))
        except InputError as error:
            raise table.make_error(table.find_first(column, word), str(error)) from None
    index_of_word = pl.DataFrame({"word": words, "index": pl.Series(indices, dtype=pl.Int32)})
    joined = column.to_frame("word").join(index_of_word, on="word", how="left", maintain_order="left")
    return joined["index"].to_numpy()


def check_indices(classes: NDArray[np.integer], taxonomy: Taxonomy | None) -> None:
    """Refuse an index that the taxonomy does not have."""
    if taxonomy is not None and classes.size and classes.max() >= len(taxonomy):
        raise UnknownClassError(str(classes.max()), taxonomy.name, hint=f"indices run from 0 to {len(taxonomy) - 1}")
