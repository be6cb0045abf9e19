"""What is written is read back the same."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regauge.arrays import NO_CLASS
from regauge.errors import FormatError
from regauge.formats.exports.taxonomies import write_taxonomy
from regauge.formats.exports.writers import write_predictions, write_truth
from regauge.formats.labels.truth import load_truth
from regauge.formats.taxonomies import load_taxonomy
from regauge.records.labels.label_set import LabelKind, LabelSet, Truth, Unlisted
from regauge.records.labels.verdicts import Verdict
from regauge.records.predictions import Predictions
from regauge.records.testsets.test_set import TestSet

NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=6)


@st.composite
def make_truth(draw: st.DrawFn) -> Truth:
    """A truth whose verdicts, as JSON Lines can say them, list wrong classes only where others are unjudged."""
    ids = draw(st.lists(NAMES, min_size=1, max_size=5, unique=True))
    unlisted = draw(st.sampled_from(Unlisted))
    allowed = list(Verdict) if unlisted is Unlisted.UNJUDGED else [Verdict.CORRECT, Verdict.UNCLEAR]
    verdicts = [draw(st.dictionaries(st.integers(0, 9), st.sampled_from(allowed), max_size=5)) for _ in ids]
    lists = {
        verdict: [[index for index, one in image.items() if one is verdict] for image in verdicts]
        for verdict in Verdict
    }
    label_set = LabelSet.from_lists(
        "truth",
        ids,
        correct=lists[Verdict.CORRECT],
        unclear=lists[Verdict.UNCLEAR],
        wrong=lists[Verdict.WRONG],
        is_problematic=[draw(st.booleans()) for _ in ids],
        main_labels=[draw(st.integers(NO_CLASS, 9)) for _ in ids],
        unlisted=unlisted,
        kind=draw(st.sampled_from(LabelKind)),
    )
    labels = np.array([draw(st.integers(0, 9)) for _ in ids])
    return Truth(TestSet("truth", np.array(ids), labels), (label_set,))


def describe(label_set: LabelSet) -> list[tuple[object, ...]]:
    return [
        (
            image_id,
            dict(zip(label_set.classes[start:end].tolist(), label_set.verdicts[start:end].tolist(), strict=True)),
            bool(label_set.is_problematic[row]),
            int(label_set.main_labels[row]),
        )
        for row, (image_id, start, end) in enumerate(
            zip(label_set.image_ids.tolist(), label_set.starts[:-1], label_set.starts[1:], strict=True)
        )
    ]


@given(truth=make_truth())
def test_a_written_truth_is_read_back(tmp_path_factory: pytest.TempPathFactory, truth: Truth) -> None:
    assert truth.test_set is not None
    path = tmp_path_factory.mktemp("trip") / "truth.jsonl"
    write_truth(truth, path=path)
    back = load_truth(path)
    assert back.test_set is not None
    assert back.test_set.image_ids.tolist() == truth.test_set.image_ids.tolist()
    assert back.test_set.labels.tolist() == truth.test_set.labels.tolist()
    assert describe(back.label_sets[0]) == describe(truth.label_sets[0])
    assert back.label_sets[0].unlisted is truth.label_sets[0].unlisted
    assert back.label_sets[0].kind is truth.label_sets[0].kind


def test_what_labels_are_for_must_be_known_and_the_same_in_every_line(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"image_id": "a", "correct": [1], "label_kind": "best"}\n', encoding="utf-8")
    with pytest.raises(FormatError, match="label_kind is multilabel or real, not 'best'"):
        load_truth(path)
    path.write_text(
        '{"image_id": "a", "correct": [1], "label_kind": "real"}\n'
        '{"image_id": "b", "correct": [1], "label_kind": "multilabel"}\n',
        encoding="utf-8",
    )
    with pytest.raises(
        FormatError, match="label_kind means the same in every line, not multilabel here and real there"
    ):
        load_truth(path)


def test_wrong_classes_are_left_out_where_every_unlisted_class_is_wrong(tmp_path: Path) -> None:
    label_set = LabelSet.from_lists("t", ["a"], correct=[[1]], wrong=[[2]], unlisted=Unlisted.WRONG)
    write_truth(Truth(TestSet("t", np.array(["a"]), np.array([1])), (label_set,)), path=tmp_path / "t.jsonl")
    assert load_truth(tmp_path / "t.jsonl").label_sets[0].unlisted is Unlisted.WRONG


def test_an_image_without_a_dataset_label_is_written_without_one(tmp_path: Path) -> None:
    label_set = LabelSet.from_lists("t", ["b", "a"], correct=[[1], [2]])
    write_truth(Truth(TestSet("t", np.array(["a"]), np.array([3])), (label_set,)), path=tmp_path / "t.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "t.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [(row["image_id"], row["label"], row["correct"]) for row in rows] == [("b", None, [1]), ("a", 3, [2])]
    assert all("main" not in row for row in rows)


def test_an_archive_holds_scores_only_where_there_are_some(tmp_path: Path) -> None:
    ids, classes = np.array(["a", "b"]), np.array([[1, 2], [0, 3]])
    write_predictions(Predictions("m", ids, classes), tmp_path / "bare.npz")
    write_predictions(Predictions("m", ids, classes, np.ones((2, 2), np.float32)), tmp_path / "full.npz")
    for name, arrays in (("bare", {"image_ids", "classes"}), ("full", {"image_ids", "classes", "scores"})):
        with np.load(tmp_path / f"{name}.npz", allow_pickle=False) as archive:
            assert set(archive.files) == arrays


@pytest.mark.parametrize("name", ["imagenet-1k", "cifar-10"])
def test_a_written_taxonomy_is_read_back(tmp_path: Path, name: str) -> None:
    taxonomy = load_taxonomy(name)
    write_taxonomy(taxonomy, tmp_path / "t.json")
    assert load_taxonomy(tmp_path / "t.json") == taxonomy
