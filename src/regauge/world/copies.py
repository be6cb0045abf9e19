"""Pictures that are copies of others: the same bytes, saved again, cut, or made lighter or darker."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from io import BytesIO

import numpy as np
from PIL import Image


class CopyKind(StrEnum):
    """How a copy came from its source."""

    NONE = ""
    """The picture is not a copy."""
    EXACT = "exact"
    """The same pixels."""
    RESAVED = "resaved"
    """Compressed once more, at a lower quality."""
    CROPPED = "cropped"
    """A margin was cut off and the rest enlarged."""
    RELIT = "relit"
    """Made lighter or darker."""


COPY_KINDS = tuple(kind for kind in CopyKind if kind is not CopyKind.NONE)


@dataclass(frozen=True, slots=True)
class Copying:
    """What was done to the source.

    Attributes:
        kind: which change.
        strength: how much of it, 0 to 1.
    """

    kind: CopyKind = CopyKind.NONE
    strength: float = 0.0


def copy_image(image: Image.Image, copying: Copying) -> Image.Image:
    """The copy that the change makes of a picture, of the same size."""
    if copying.kind is CopyKind.RESAVED:
        return _save_again(image, quality=round(70 - 40 * copying.strength))
    if copying.kind is CopyKind.CROPPED:
        margin = (0.02 + 0.05 * copying.strength) * image.width
        box = (margin, 0.5 * margin, image.width - 0.5 * margin, image.height - margin)
        return image.resize(image.size, Image.Resampling.BICUBIC, box=box)
    if copying.kind is CopyKind.RELIT:
        factor = 0.82 + 0.36 * copying.strength
        table = np.clip(np.arange(256) * factor, 0, 255).astype(np.uint8)
        return image.point(table.tolist() * 3)
    return image


def _save_again(image: Image.Image, *, quality: int) -> Image.Image:
    buffer = BytesIO()
    image.save(buffer, "JPEG", quality=quality)
    with Image.open(buffer) as again:
        return again.convert("RGB")
