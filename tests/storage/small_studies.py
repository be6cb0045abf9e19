"""Small studies for tests: a clock that stands still, files to add, and a study that holds them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from PIL import Image
from sqlalchemy import Connection
from tests.cli.command_runner import write

from regauge.records.studies import PredictionsEntry
from regauge.storage.bundles.tables import find_computed_indexes
from regauge.storage.database.schema import metadata
from regauge.workflows.labels.label_set import add_labels
from regauge.workflows.predictions import PredictionSource, add_predictions
from regauge.workflows.studies.study import Circumstances, Study, init_study
from regauge.workflows.testsets.test_set import add_test_set

NOW = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)
STAMP = "2026-01-31T12:00:00.000Z"

TRUTH = "image_id,label\na,0\nb,1\nc,2\nd,3\n"
GOOD = "image_id,class\nd,3\nc,2\nb,1\na,0\n"
BAD = "image_id,rank,class,score\n" + "".join(
    f"{image_id},{rank},{(index + rank) % 10},{1 - rank / 10}\n"
    for index, image_id in enumerate("abcd")
    for rank in range(1, 6)
)
VERDICTS = (
    '{"image_id":"a","correct":[0,1],"wrong":[2]}\n'
    '{"image_id":"b","correct":[],"unclear":[1],"wrong":[],"main":1}\n'
    '{"image_id":"c","correct":[],"wrong":[2],"problematic":true}\n'
)
FILES = {"truth.csv": TRUTH, "good.csv": GOOD, "bad.csv": BAD, "verdicts.jsonl": VERDICTS}


def list_computed_indexes(connection: Connection) -> list[str]:
    """The indexes of our tables that are of more than columns, as far as a database has them."""
    ours = {str(index.name) for table in metadata.sorted_tables for index in find_computed_indexes(table)}
    found = "name FROM sqlite_master" if connection.dialect.name == "sqlite" else "relname FROM pg_class"
    return sorted(ours.intersection(connection.exec_driver_sql(f"SELECT {found}").scalars()))


def make_circumstances(seed: int = 0) -> Circumstances:
    """A clock that stands still, a seeded generator and a name."""
    return Circumstances(clock=lambda: NOW, rng=np.random.default_rng(seed), who="tester")


@contextmanager
def make_study(folder: Path, *, database: str = "") -> Iterator[Study]:
    """An open, empty study of CIFAR-10 beside the files above; closed afterwards."""
    write(folder, FILES)
    study = init_study(folder / "study", taxonomy="cifar-10", database=database, around=make_circumstances())
    try:
        yield study
    finally:
        study.close()


def draw_flat(path: Path) -> None:
    """A picture of one colour, in a folder that need not be there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (8, 8), "green").save(path)


def fill(study: Study, folder: Path) -> tuple[PredictionsEntry, ...]:
    """Add the test set, both participants and the verdicts, and commit."""
    with study.begin() as begun:
        add_test_set(begun, folder / "truth.csv")
        added = add_predictions(begun, PredictionSource([folder / "good.csv", folder / "bad.csv"]))
        add_labels(begun, folder / "verdicts.jsonl")
    return added.entries
