"""Loading predictions in tests, from arrays and text written on the spot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regauge.formats.predictions.arguments import PredictionFile
from regauge.formats.predictions.files import load_predictions
from regauge.records.predictions import Predictions
from regauge.records.taxonomy import Taxonomy


def load(path: Path, **options: Any) -> Predictions:
    predictions = load_predictions(PredictionFile("model", path), **options)
    assert isinstance(predictions, Predictions)
    return predictions


def load_npz(folder: Path, taxonomy: Taxonomy | None = None, **arrays: NDArray[Any]) -> Predictions:
    np.savez(folder / "m.npz", **arrays)  # type: ignore[arg-type]
    return load(folder / "m.npz", taxonomy=taxonomy)


def load_text(folder: Path, content: str | bytes, name: str = "m.csv", **options: Any) -> Predictions:
    (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
    return load(folder / name, **options)
