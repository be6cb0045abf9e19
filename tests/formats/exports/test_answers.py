"""Answers to CLASSIFY and splits come back as they were written."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from regauge.arrays import NO_CLASS
from regauge.formats.exports.answers import write_classify, write_parts
from regauge.formats.labels.splits import load_parts
from regauge.formats.responses.classify import load_classify_responses
from regauge.records.candidates import SplitPart
from regauge.records.responses.answers import ClassifyResponses


def test_answers_come_back(tmp_path: Path) -> None:
    given = ClassifyResponses(
        image_ids=np.array(["a", "=b"]),
        annotator_ids=np.array(["one", "two"]),
        response_images=np.array([0, 1, 0], np.int32),
        response_annotators=np.array([0, 0, 1], np.int32),
        starts=np.array([0, 2, 2, 3]),
        selected=np.array([7, 8, 9], np.int32),
        main=np.array([7, NO_CLASS, 9], np.int32),
    )
    write_classify(given, tmp_path / "answers.jsonl")
    found, _ = load_classify_responses([tmp_path / "answers.jsonl"])
    for name in ("image_ids", "annotator_ids", "response_images", "response_annotators", "starts", "selected", "main"):
        np.testing.assert_array_equal(getattr(found, name), getattr(given, name))


def test_a_split_comes_back(tmp_path: Path) -> None:
    parts = {"a": SplitPart.EASY, "=b": SplitPart.FOLLOW_UP, "c": SplitPart.MISLABELED}
    write_parts(parts, tmp_path / "split.csv")
    assert load_parts(tmp_path / "split.csv") == parts
