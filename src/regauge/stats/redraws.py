"""How often each image is drawn when images are redrawn, so that any sum over them is one product of matrices."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from regauge.arrays import CountArray, IntArray
from regauge.errors import InputError

_BATCH_ELEMENTS = 2**21


def redraw_images(
    strata: ArrayLike, *, rng: np.random.Generator, n_resamples: int
) -> Iterator[tuple[slice, CountArray]]:
    """The numbers of draws of every image in bootstrap samples of the same size, drawn within strata.

    Args:
        strata: one whole number per image [n]; as many images are drawn of each stratum as it has.
        rng: the source of the draws.
        n_resamples: how many samples.

    Yields:
        Which samples these are, and how often each image is in them [batch, n].

    >>> counts = [drawn for _, drawn in redraw_images([0, 0, 1], rng=np.random.default_rng(0), n_resamples=2)]
    >>> counts[0].sum(axis=1).tolist(), counts[0][:, 2].tolist()
    ([3, 3], [1, 1])
    """
    codes = np.asarray(strata)
    if codes.ndim != 1 or (codes.size and codes.dtype.kind not in "iu"):
        raise InputError(f"Strata are whole numbers, one per image, not {codes.dtype} {codes.shape}.")
    order = np.argsort(codes, kind="stable")
    _, group, sizes = np.unique(codes[order], return_inverse=True, return_counts=True)
    starts: IntArray = (np.cumsum(sizes) - sizes)[group].astype(np.int32)
    own = sizes[group].astype(np.int32)
    n = len(codes)
    step = max(1, _BATCH_ELEMENTS // max(1, n))
    back = np.empty(n, np.int64)
    back[order] = np.arange(n)
    for start in range(0, n_resamples, step):
        size = min(step, n_resamples - start)
        # A float of 32 bits has 24 of them, enough for strata of any size here: below 1 it never rounds up to the next image.
        places = starts + (rng.random((size, n), np.float32) * own).astype(np.int32)
        np.minimum(places, starts + own - 1, out=places)
        flat = (places + (np.arange(size, dtype=np.int64) * n)[:, np.newaxis]).ravel()
        yield slice(start, start + size), np.bincount(flat, minlength=size * n).reshape(size, n)[:, back]
