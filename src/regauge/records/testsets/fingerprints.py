"""What tells whether two image files are the same: checksums of their bytes and of their pixels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from regauge.arrays import IdArray, freeze
from regauge.errors import InputError


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Fingerprints:
    """The checksums of images, in row order; empty texts where an image is not at hand or cannot be decoded.

    Attributes:
        sha256: of the bytes.
        pixels_sha256: of width, height and the pixels in RGB, upright.
        problems: row → why its pixels are not known.
        n_read: how many images were read for this; the others were known from before.
    """

    sha256: IdArray
    pixels_sha256: IdArray
    problems: Mapping[int, str] = field(default_factory=dict)
    n_read: int = 0

    def __post_init__(self) -> None:
        for name in ("sha256", "pixels_sha256"):
            object.__setattr__(self, name, freeze(getattr(self, name), np.str_))
        if self.sha256.shape != self.pixels_sha256.shape:
            raise InputError(
                "Every image has a checksum of its bytes and one of its pixels, or an empty text for either."
            )

    def __len__(self) -> int:
        return len(self.sha256)

    def __repr__(self) -> str:
        return f"<Fingerprints of {len(self):,} images>"
