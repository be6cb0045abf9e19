"""Accuracy as a curve of the true selection frequency: terms with coefficients by least squares, and what they come to."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from regauge.records.arrays import FloatArray

MAX_VARIANCE = 0.25
"""Of a right or wrong answer."""


def solve(gram: FloatArray, moments: FloatArray, *, spreads: Sequence[float]) -> FloatArray:
    """Coefficients [samples, terms, participants] of least squares, whose terms are expected within the spreads of 0.

    Images that hardly differ in frequency tell no slope; the spreads keep it from running away.

    Args:
        gram: sums of products of terms [samples, terms, terms].
        moments: sums of terms over images on which a participant is right [samples, terms, participants].
        spreads: of the terms.
    """
    return np.asarray(np.linalg.solve(gram + np.diag(MAX_VARIANCE / np.square(spreads)), moments), np.float64)


def predict(coefficients: FloatArray, terms: FloatArray) -> FloatArray:
    """Accuracies [samples, participants] of a set with these mean terms [samples, terms]; none is below 0 or above 1."""
    return np.asarray(np.matmul(terms[:, np.newaxis], coefficients)[:, 0].clip(0, 1), np.float64)
