"""Sentences of the readers: what was found in a file, and what was left out of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from tests.cli.command_runner import write
from tests.formats.clones import World, write_json
from tests.formats.pools.test_pool import CIFAR
from tests.formats.pools.test_pool import load as load_pool
from tests.formats.releases.test_human_accuracy import CONTENT
from tests.formats.responses.test_classify import TASK, load_export
from tests.formats.responses.test_contains import make_task
from tests.formats.responses.test_votes import make_annotation
from tests.formats.test_testsets import write_shard
from tests.sentences.aggregation_data import coded, panel
from tests.sentences.entries import Always, Entries, Maker, Pair

from regauge.formats.labels.truth import load_truth
from regauge.formats.mistakes.coded import load_mistakes
from regauge.formats.pools.pool import Skip
from regauge.formats.releases.folders import open_folders
from regauge.formats.releases.loading import load_released_set
from regauge.formats.releases.published import MATCHED_FREQUENCY, VALIDATION
from regauge.formats.responses.classify import load_classify_responses
from regauge.formats.responses.contains import load_contains_responses
from regauge.formats.responses.votes import load_votes
from regauge.formats.testsets import load_located

COUNTED = "It counts what is in the file."


def truth(text: str, name: str = "truth.jsonl") -> Maker:
    def make(folder: Path) -> list[str]:
        write(folder, {name: text})
        return list(load_truth(folder / name).notes)

    return make


def human_accuracy(*absent: str) -> Maker:
    """Version 3 of the labels of Shankar et al. (2020), without some of its lists."""

    def make(folder: Path) -> list[str]:
        content = {name: value for name, value in CONTENT.items() if name not in absent}
        return list(load_truth(write_json(folder / "human_accuracy.json", content)).notes)

    return make


def released(name: str) -> Maker:
    """A made-up clone of ImageNetV2, whose fv_16k is stored worst first on the new sets."""

    def make(folder: Path) -> list[str]:
        World(folder, ("fv_16k",), np.random.default_rng(5)).write()
        return [*load_released_set(open_folders([folder]), name).notes, "(end of notes)"]

    return make


def located(files: dict[str, str | bytes | None], path: str) -> Maker:
    """What the reader of a test set found."""

    def make(folder: Path) -> list[str]:
        write(folder, files)
        return list(load_located(folder / path, taxonomy=CIFAR).notes)

    return make


def shards(folder: Path) -> list[str]:
    write_shard(folder / "one.tar", {"a.jpg": b"x", "a.cls": b"3"})
    return list(load_located(folder / "one.tar", taxonomy=CIFAR).notes)


def votes(text: str, name: str = "votes.csv") -> Maker:
    def make(folder: Path) -> list[str]:
        write(folder, {name: text})
        return list(load_votes([folder / name]).notes)

    return make


def parquet_votes(folder: Path) -> list[str]:
    path = folder / "votes.parquet"
    pl.DataFrame({"task": ["t"], "worker": ["w"], "label": ["l"]}).write_parquet(path)
    return list(load_votes([path]).notes)


def contains(*, n_skipped: int) -> Maker:
    def make(folder: Path) -> list[str]:
        task = make_task()
        write(folder, {"export.json": json.dumps([{**task, "annotations": task["annotations"][: 2 + n_skipped]}])})
        return list(load_contains_responses([folder / "export.json"]).notes)

    return make


def classify(*, n_skipped: int) -> Maker:
    annotations: Any = TASK["annotations"]
    return lambda folder: list(load_export(folder, [{**TASK, "annotations": annotations[: 2 + n_skipped]}]).notes)


def offered(*candidates: list[int]) -> Maker:
    """Answers to one image by people who were offered these candidates."""

    def make(folder: Path) -> list[str]:
        rows = [
            {"image_id": "i", "annotator_id": f"a{place}", "selected": [1], "main": 1, "candidates": one}
            for place, one in enumerate(candidates)
        ]
        write(folder, {"answers.jsonl": "".join(f"{json.dumps(row)}\n" for row in rows)})
        return list(load_classify_responses([folder / "answers.jsonl"]).notes)

    return make


def pool(table: str, *skips: Skip, files: tuple[str, ...] = ()) -> Maker:
    """What the reader of candidates found in a table beside some files."""

    def make(folder: Path) -> list[str]:
        write(folder, {"more/t.csv": table, **{f"more/{name}": b"x" for name in files}})
        return list(load_pool(folder / "more" / "t.csv", skips=skips).located.notes)

    return make


def pool_folder(*files: str) -> Maker:
    """A folder whose metadata name one image."""

    def make(folder: Path) -> list[str]:
        rows = '{"file_name": "a.jpg", "class": "cat"}\n'
        write(folder, {"more/metadata.jsonl": rows, **{f"more/{name}": b"x" for name in files}})
        return list(load_pool(folder / "more").located.notes)

    return make


def mistakes(folder: Path) -> list[str]:
    write(folder, {"m.csv": "image_id,prediction,category,severity\na,1,fine-grained,major\n"})
    return [*load_mistakes(folder / "m.csv").notes, coded(("a", 1)).name]


CHOSEN = make_annotation("ann", "cat")
SKIPPED = make_annotation("bea", "cat", was_cancelled=True)
STUDIO = json.dumps([{"id": 1, "data": {"task_id": "t"}, "annotations": [CHOSEN]}])
STUDIO_SKIPPED = json.dumps([{"id": 1, "data": {"task_id": "t"}, "annotations": [CHOSEN, SKIPPED]}])
ROW = "a,a.jpg,cat\n"
HEAD = "image_id,file,class\n"

ENTRIES: Entries = {
    "formats/releases/human_accuracy.py:_describe: …: verdicts on … images, … of them": Always(
        COUNTED, human_accuracy()
    ),
    "formats/releases/human_accuracy.py:_describe: is not there.": Pair(human_accuracy("imagenet_m"), human_accuracy()),
    "formats/releases/imagenetv2.py:_note_turned: On …, … … stored worst first (the": Pair(
        released(MATCHED_FREQUENCY), released(VALIDATION)
    ),
    "formats/responses/votes.py:_read_long: …: …, one per line.": Pair(
        votes("task,worker,label\nt,w,l\n"), votes("task,ann,bea\nt,x,y\n")
    ),
    "formats/responses/votes.py:_describe_wide: …: … of …, one column each, on": Pair(
        votes("task,ann,bea\nt,x,\n"), votes("task,worker,label\nt,w,l\n")
    ),
    "formats/responses/votes.py:_read_parquet: …: …, one per row.": Always(COUNTED, parquet_votes),
    "formats/responses/votes.py:_read_label_studio: …: … single choices from Label Studio….": Always(
        COUNTED,
        votes(STUDIO, "v.json"),
    ),
    "formats/responses/votes.py:_read_label_studio: ; … skipped annotations are not votes": Pair(
        votes(STUDIO_SKIPPED, "v.json"), votes(STUDIO, "v.json")
    ),
    "formats/responses/panel.py:load_panel_votes: … of … on ….": Always(COUNTED, panel),
    "formats/responses/contains.py:_describe: …: … by … on ….": Always(COUNTED, contains(n_skipped=0)),
    "formats/responses/contains.py:_read_cells: … left out: skipped by the annotator.": Pair(
        contains(n_skipped=1), contains(n_skipped=0)
    ),
    "formats/responses/classify.py:load_classify_responses: …: … read.…": Always(COUNTED, classify(n_skipped=0)),
    "formats/responses/classify.py:load_classify_responses: … had other candidates than an earlier one": Pair(
        offered([1, 2], [1, 3]), offered([1, 2], [1, 2])
    ),
    "formats/responses/classify.py:_Reader.describe_skipped: … more were skipped by their annotators and": Pair(
        classify(n_skipped=1), classify(n_skipped=0)
    ),
    "formats/pools/pool.py:_make_notes: …: … found….": Always(COUNTED, pool(HEAD + ROW, files=("a.jpg",))),
    "formats/pools/pool.py:_make_notes: , … of them without image files": Pair(
        pool("image_id,class\na,cat\n"), pool(HEAD + ROW, files=("a.jpg",))
    ),
    "formats/pools/pool.py:_make_notes: … left out: the image came before.": Pair(
        pool(HEAD + ROW + ROW, Skip.REPEATED, files=("a.jpg",)), pool(HEAD + ROW, Skip.REPEATED, files=("a.jpg",))
    ),
    "formats/pools/pool.py:_make_notes: … left out: the image is not at": Pair(
        pool(HEAD + ROW + "b,b.jpg,cat\n", Skip.MISSING, files=("a.jpg",)),
        pool(HEAD + ROW, Skip.MISSING, files=("a.jpg",)),
    ),
    "formats/pools/pool.py:_make_notes: … in the folder left out: not in": Pair(
        pool_folder("a.jpg", "b.jpg"), pool_folder("a.jpg")
    ),
    "formats/mistakes/coded.py:_describe: …: … coded mistakes of …….": Always(COUNTED, mistakes),
}
