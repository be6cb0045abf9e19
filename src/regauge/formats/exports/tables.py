"""What a study holds → tables for other programs: CSV, JSON Lines or Parquet, written part by part.

The columns stand in docs/exports.md. Classes are given by index and by id; what is missing is null, never 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import polars as pl

from regauge.arrays import NO_CLASS, IntArray, ScoreArray
from regauge.records.cells import write_csv
from regauge.records.evaluation.scores import COMPARISON_COLUMNS, SCORE_COLUMNS, Scores
from regauge.records.labels.label_set import LabelSet
from regauge.records.labels.verdicts import Verdict
from regauge.records.predictions import ParticipantKind, Predictions
from regauge.records.studies import ImagePlace, LabelSetEntry
from regauge.records.taxonomy import Taxonomy
from regauge.records.testsets.test_set import TestSet

Schema: TypeAlias = Mapping[str, Any]

IMAGE_COLUMNS: Schema = {
    "test_set": pl.String,
    "image_id": pl.String,
    "label": pl.Int64,
    "label_id": pl.String,
    "label_name": pl.String,
    "path": pl.String,
    "offset": pl.Int64,
    "n_bytes": pl.Int64,
    "sha256": pl.String,
}
LABEL_COLUMNS: Schema = {
    "label_set": pl.String,
    "version": pl.Int64,
    "image_id": pl.String,
    "class": pl.Int64,
    "class_id": pl.String,
    "verdict": pl.String,
    "problematic": pl.Boolean,
    "main": pl.Int64,
    "main_id": pl.String,
    "kind": pl.String,
    "unlisted": pl.String,
    "follow_up_only": pl.Boolean,
}
PREDICTION_COLUMNS: Schema = {
    "participant": pl.String,
    "test_set": pl.String,
    "image_id": pl.String,
    "rank": pl.Int64,
    "class": pl.Int64,
    "class_id": pl.String,
    "score": pl.Float32,
    "seconds": pl.Float32,
    "active_seconds": pl.Float32,
    "kind": pl.String,
    "family": pl.String,
}
RESULT_COLUMNS: Schema = {"evaluation": pl.Int64, **SCORE_COLUMNS, **COMPARISON_COLUMNS}
VOTE_COLUMNS: Schema = {"task": pl.String, "worker": pl.String, "label": pl.Int64}

TABLES: Mapping[str, Schema] = {
    "images": IMAGE_COLUMNS,
    "labels": LABEL_COLUMNS,
    "predictions": PREDICTION_COLUMNS,
    "scores": RESULT_COLUMNS,
}
"""The tables of an export, each a file of that name, and their columns."""

KINDS = ("parquet", "jsonl", "csv")


@dataclass(frozen=True, slots=True)
class WrittenTable:
    """A table that was written, and how many rows it has."""

    path: Path
    n_rows: int


def shape_images(test_set: TestSet, places: Sequence[ImagePlace], *, taxonomy: Taxonomy) -> pl.DataFrame:
    """One row per image, in row order; an image that is not at hand has no path."""
    columns = {
        "test_set": [test_set.name] * len(test_set),
        "image_id": test_set.image_ids.tolist(),
        "label": _blank(test_set.labels),
        "label_id": _find_ids(test_set.labels, taxonomy),
        "label_name": [None if label is None else taxonomy.classes[label].name for label in _blank(test_set.labels)],
        "path": [place.path or None for place in places],
        "offset": [place.offset for place in places],
        "n_bytes": [place.n_bytes for place in places],
        "sha256": [place.sha256 for place in places],
    }
    return pl.DataFrame(columns, schema=dict(IMAGE_COLUMNS))


def shape_labels(entry: LabelSetEntry, label_set: LabelSet, *, taxonomy: Taxonomy) -> pl.DataFrame:
    """One row per verdict; an image without any has one row without a class, so that none is lost."""
    lengths = np.diff(label_set.starts)
    rows = np.repeat(np.arange(len(label_set)), np.maximum(lengths, 1))
    is_judged = np.repeat(lengths > 0, np.maximum(lengths, 1))
    classes = np.full(len(rows), NO_CLASS, np.int32)
    classes[is_judged] = label_set.classes
    verdicts: list[str | None] = [None] * len(rows)
    for at, verdict in zip(np.flatnonzero(is_judged).tolist(), label_set.verdicts.tolist(), strict=True):
        verdicts[at] = Verdict(verdict).name.lower()
    main = label_set.main_labels[rows]
    columns = {
        "label_set": [entry.name] * len(rows),
        "version": [entry.version] * len(rows),
        "image_id": label_set.image_ids[rows].tolist(),
        "class": _blank(classes),
        "class_id": _find_ids(classes, taxonomy),
        "verdict": verdicts,
        "problematic": label_set.is_problematic[rows].tolist(),
        "main": _blank(main),
        "main_id": _find_ids(main, taxonomy),
        "kind": [entry.kind.value] * len(rows),
        "unlisted": [entry.unlisted.value] * len(rows),
        "follow_up_only": [label_set.is_follow_up_only] * len(rows),
    }
    return pl.DataFrame(columns, schema=dict(LABEL_COLUMNS))


def shape_predictions(predictions: Predictions, test_set: str, *, taxonomy: Taxonomy) -> pl.DataFrame:
    """One row per answer, ranks from 1; an image without an answer has no row."""
    n, k = predictions.classes.shape
    given = predictions.classes != NO_CLASS
    rows = np.repeat(np.arange(n), given.sum(axis=1))
    classes = predictions.classes[given]
    ids = pl.Series([one.id for one in taxonomy.classes], dtype=pl.String)
    columns = {
        "image_id": pl.Series(predictions.image_ids.tolist(), dtype=pl.String).gather(rows),
        "rank": pl.Series(np.broadcast_to(np.arange(1, k + 1), (n, k))[given]),
        "class": pl.Series(classes),
        "class_id": ids.gather(classes),
        "score": _shape_known(None if predictions.scores is None else predictions.scores[given], len(rows)),
        "seconds": _shape_known(None if predictions.seconds is None else predictions.seconds[rows], len(rows)),
        "active_seconds": _shape_known(
            None if predictions.active_seconds is None else predictions.active_seconds[rows], len(rows)
        ),
    }
    same: dict[str, str | None] = {"participant": predictions.participant, "test_set": test_set}
    same |= {"kind": predictions.kind or ParticipantKind.MODEL, "family": predictions.family}
    names = [pl.lit(None if word is None else str(word)).alias(name) for name, word in same.items()]
    return pl.DataFrame(columns).with_columns(names).select(pl.col(n).cast(t) for n, t in PREDICTION_COLUMNS.items())


def _shape_known(values: ScoreArray | None, n: int) -> pl.Series:
    """A column of numbers of which some, or all, may not be known."""
    return pl.Series([None] * n, dtype=pl.Float32) if values is None else pl.Series(values).fill_nan(None)


def shape_scores(evaluation: int, scores: Scores) -> pl.DataFrame:
    """The scores of one evaluation under its number; without a comparison those columns are null."""
    frame = scores.to_frame().with_columns(pl.lit(evaluation).alias("evaluation"))
    missing = [pl.lit(None).alias(name) for name in RESULT_COLUMNS if name not in frame.columns]
    return frame.with_columns(missing).select(pl.col(name).cast(kind) for name, kind in RESULT_COLUMNS.items())


def shape_votes(predictions: Predictions) -> pl.DataFrame:
    """First answers in crowd-kit's long format: a participant is a worker, an image a task."""
    columns = {
        "task": pl.Series(predictions.image_ids.tolist(), dtype=pl.String),
        "worker": pl.Series([predictions.participant] * len(predictions), dtype=pl.String),
        "label": pl.Series(predictions.classes[:, 0]),
    }
    return pl.DataFrame(columns).select(pl.col(name).cast(kind) for name, kind in VOTE_COLUMNS.items())


def write_table(frames: Iterable[pl.DataFrame], path: Path, *, kind: str, schema: Schema) -> WrittenTable:
    """Write the frames one after the other to one file; no more than one of them is in memory at a time.

    Args:
        frames: the parts, each with the columns of the schema; without any, a table without rows is written.
        path: the file.
        kind: `parquet`, `jsonl` or `csv`.
        schema: the columns.
    """
    write = {"parquet": _write_parquet, "jsonl": _write_lines, "csv": _write_csv}[kind]
    n_rows = write(frames, path, pl.DataFrame(schema=dict(schema)))
    return WrittenTable(path, n_rows)


def _write_csv(frames: Iterable[pl.DataFrame], path: Path, empty: pl.DataFrame) -> int:
    with path.open("wb") as file:
        write_csv(empty, file)
        return _append(frames, lambda frame: write_csv(frame, file, include_header=False))


def _write_lines(frames: Iterable[pl.DataFrame], path: Path, _empty: pl.DataFrame) -> int:
    with path.open("wb") as file:
        return _append(frames, lambda frame: frame.write_ndjson(file))


def _append(frames: Iterable[pl.DataFrame], write: Callable[[pl.DataFrame], object]) -> int:
    n_rows = 0
    for frame in frames:
        if frame.height:
            write(frame)
        n_rows += frame.height
    return n_rows


def _write_parquet(frames: Iterable[pl.DataFrame], path: Path, empty: pl.DataFrame) -> int:
    """Parts beside the file, which are then streamed into it: a Parquet file cannot be added to."""
    parts = [path.with_name(f"{path.name}.part0")]
    try:
        empty.write_parquet(parts[0])
        n_rows = 0
        for number, frame in enumerate(frames, start=1):
            parts.append(path.with_name(f"{path.name}.part{number}"))
            frame.write_parquet(parts[-1])
            n_rows += frame.height
        pl.scan_parquet(parts, glob=False).sink_parquet(path)
    finally:
        for part in parts:
            part.unlink(missing_ok=True)
    return n_rows


def _blank(classes: IntArray) -> list[int | None]:
    return [None if index == NO_CLASS else index for index in classes.tolist()]


def _find_ids(classes: IntArray, taxonomy: Taxonomy) -> list[str | None]:
    return [None if index == NO_CLASS else taxonomy.classes[index].id for index in classes.tolist()]
