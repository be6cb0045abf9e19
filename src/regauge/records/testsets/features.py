"""What a network sees in images: one vector of numbers for each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regauge.arrays import IdArray, freeze_ids, read_array
from regauge.errors import InputError


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Features:
    """Features of the images of one test set, as they come from a file: usually memory-mapped.

    Attributes:
        name: what outputs call the set.
        image_ids: one distinct id per row.
        values: [n, features], real numbers.
    """

    name: str
    image_ids: IdArray
    values: NDArray[np.floating]

    if TYPE_CHECKING:
        # Columns are given as anything like an array, and kept as arrays.
        def __init__(self, name: str, image_ids: ArrayLike, values: ArrayLike) -> None: ...

    def __post_init__(self) -> None:
        object.__setattr__(self, "image_ids", freeze_ids(self.image_ids, owner=self.name))
        object.__setattr__(self, "values", read_array(self.values, what=f"the features of {self.name}"))
        shape = np.shape(self.values)
        if len(shape) != 2 or shape[0] != len(self.image_ids) or not shape[1]:
            raise InputError(
                f"{self.name} has {len(self.image_ids):,} image ids, so its features must have the shape "
                f"[{len(self.image_ids)}, features], not {list(shape)}."
            )

    def __len__(self) -> int:
        return len(self.image_ids)

    def __repr__(self) -> str:
        return f"<Features of {self.name}: {len(self):,} images, {self.values.shape[1]:,} features>"
