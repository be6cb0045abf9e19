"""A study whose test set has pictures, for exports that copy or refer to them."""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from PIL import Image
from tests.storage.small_studies import make_circumstances

from regauge import ScoreSettings
from regauge.workflows.evaluation.evaluations import evaluate
from regauge.workflows.labels.label_set import add_labels
from regauge.workflows.predictions import PredictionSource, add_predictions
from regauge.workflows.studies.study import Study, init_study
from regauge.workflows.testsets.test_set import add_test_set

IDS = ("ILSVRC2012_val_00000001", "b test", "été", "d")
"""Among them one that Hugging Face would take for a file of another split, and one that an address must quote."""


def draw(number: int) -> bytes:
    """A small picture of its own."""
    content = io.BytesIO()
    pixels = np.random.default_rng(number).integers(0, 255, (8, 8, 3), dtype=np.uint8)
    Image.fromarray(pixels).save(content, "PNG")
    return content.getvalue()


def write_shard(folder: Path) -> Path:
    """The same pictures as a WebDataset shard."""
    with tarfile.open(folder / "shard.tar", "w") as archive:
        for number, image_id in enumerate(IDS):
            for suffix, content in ((".png", draw(number)), (".cls", str(number).encode())):
                info = tarfile.TarInfo(f"{image_id}{suffix}")
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
    return folder / "shard.tar"


@contextmanager
def make_pictured_study(folder: Path, *, database: str = "", shards: bool = False) -> Iterator[Study]:
    """Four pictures, one participant with ranked scores that lacks one of them, one without, and verdicts on three."""
    for number, image_id in enumerate(IDS):
        (folder / "pictures" / str(number)).mkdir(parents=True)
        (folder / "pictures" / str(number) / f"{image_id}.png").write_bytes(draw(number))
    (folder / "good.csv").write_text("image_id,class\n" + "".join(f"{one},{i}\n" for i, one in enumerate(IDS)))
    rows = [(one, rank, (i + rank) % 10, 1 - rank / 8) for i, one in enumerate(IDS[:3]) for rank in range(1, 6)]
    lines = "".join(f"{one},{rank},{index},{score}\n" for one, rank, index, score in rows)
    (folder / "bad.csv").write_text(f"image_id,rank,class,score\n{lines}")
    verdicts = [
        {"image_id": IDS[0], "correct": [0, 1], "wrong": [2]},
        {"image_id": IDS[1], "correct": [], "unclear": [1], "wrong": [], "main": 1},
        {"image_id": IDS[2], "correct": [], "wrong": [2], "problematic": True},
    ]
    (folder / "people.jsonl").write_text("".join(json.dumps(line) + "\n" for line in verdicts))
    study = init_study(folder / "study", taxonomy="cifar-10", database=database, around=make_circumstances())
    source = write_shard(folder) if shards else folder / "pictures"
    with study.begin() as begun:
        add_test_set(begun, source, name="pictures", checksums=True)
        files = PredictionSource([folder / "good.csv", folder / "bad.csv"])
        add_predictions(begun, files, allow_missing=True)
        add_labels(begun, folder / "people.jsonl")
    try:
        yield study
    finally:
        study.close()


def evaluate_all(study: Study) -> None:
    """An evaluation on everything there is."""
    with study.begin() as begun:
        evaluate(begun, settings=ScoreSettings(allow_missing=True, n_bootstrap=100))
