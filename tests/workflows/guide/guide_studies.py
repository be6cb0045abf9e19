"""A study whose pictures have checksums, one of them in two sets, with verdicts to cite."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from tests.storage.small_studies import make_circumstances
from tests.workflows.picture_study import draw

from regauge.records.guide.entries import GuideEdit, GuideTopic, GuideVersion
from regauge.workflows.guide.entries import save_entry
from regauge.workflows.labels.label_set import add_labels
from regauge.workflows.studies.study import Study, init_study
from regauge.workflows.testsets.test_set import add_test_set

CAT, DOG, SHIP = 3, 5, 8
TOPIC = GuideTopic(CAT)


@contextmanager
def make_guided(folder: Path, *, database: str = "") -> Iterator[Study]:
    """Sets `val` (a, b, c), `held-out` (x, whose bytes are those of b, and c, which is another image) and `plain` (p, without
    a checksum), and the label set `verdicts` on a.
    """
    for name, ids in (("val", "abc"), ("held-out", "xyc"), ("plain", "p")):
        _draw_set(folder / name, ids)
    (folder / "held-out" / "x.png").write_bytes((folder / "val" / "b.png").read_bytes())
    (folder / "held-out" / "c.png").write_bytes(draw(1))
    (folder / "verdicts.jsonl").write_text(json.dumps({"image_id": "a", "correct": [CAT], "wrong": [DOG]}) + "\n")
    study = init_study(folder / "study", taxonomy="cifar-10", database=database, around=make_circumstances())
    try:
        with study.begin() as begun:
            for name in ("val", "held-out", "plain"):
                table = folder / name / "images.csv"
                add_test_set(begun, table, name=name, images=folder / name, checksums=name != "plain")
            add_labels(begun, folder / "verdicts.jsonl")
        yield study
    finally:
        study.close()


def save(study: Study, text: str, *, edited: int = 0, topic: GuideTopic = TOPIC, who: str = "tester") -> GuideVersion:
    """Store a text and commit."""
    with act(study, who).begin() as begun:
        return save_entry(begun, topic, GuideEdit(text, edited=edited))


def act(study: Study, who: str) -> Study:
    """The study in somebody's hands."""
    return replace(study, around=replace(study.around, who=who))


def _draw_set(folder: Path, ids: str) -> None:
    folder.mkdir()
    for one in ids:
        (folder / f"{one}.png").write_bytes(draw(ord(one)))
    lines = "".join(f"{one},{CAT},{one}.png\n" for one in ids)
    (folder / "images.csv").write_text(f"image_id,label,file\n{lines}")
