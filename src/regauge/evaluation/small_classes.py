"""What balanced means rest on where classes have few images."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from regauge.arrays import NO_CLASS, IntArray
from regauge.stats.balanced import FEW_IMAGES, measure_small_classes


def note_small_classes(name: str, labels: IntArray) -> Iterator[str]:
    """How many classes of a test set have few images, and whether these few carry its balanced means.

    Nothing is said where every class has enough images, nor without a dataset label.
    """
    found = measure_small_classes(np.bincount(labels[labels != NO_CLASS]))
    if not found.n_small:
        return
    have, images = ("has" if found.n_small == 1 else "have"), ("image" if found.n_small_images == 1 else "images")
    note = (
        f"{found.n_small:,} of {found.n_classes:,} classes in {name} {have} fewer than {FEW_IMAGES} images, "
        f"{found.n_small_images:,} {images} in all."
    )
    if found.is_carried_by_few:
        note += (
            f" Were all classes equally accurate, {100 * found.variance_share:.0f}% of the variance of a balanced mean would "
            f"come from {'that image' if found.n_small_images == 1 else 'those images'}: its interval rests on so few."
        )
    yield note
