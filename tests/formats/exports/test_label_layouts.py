"""Labels in the layouts of others come back as they were through the readers of these layouts."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.records.labels.test_changes import read

import regauge
from regauge.errors import InputError
from regauge.formats.exports.label_layouts import write_human_accuracy, write_tfds_truth
from regauge.formats.exports.writers import write_truth
from regauge.formats.labels.truth import load_truth
from regauge.formats.releases.human_accuracy import load_human_accuracy
from regauge.formats.taxonomies import load_taxonomy
from regauge.records.labels.evidence import ExpertVote, LabelEvidence, VerdictEvidence
from regauge.records.labels.label_set import LabelSet, Truth, Unlisted
from regauge.records.labels.verdicts import Verdict
from regauge.records.predictions import Predictions
from regauge.records.testsets.test_set import TestSet

IDS = ["ILSVRC2012_val_00000001", "ILSVRC2012_val_00000002"]
LABELS = LabelSet.from_lists(
    "labels", IDS, correct=[[1, 2], []], unclear=[[], [7]], wrong=[[3], [0]], is_problematic=[False, True]
)
IMAGES = TestSet("val", np.array(IDS), np.array([1, 7]))
EVIDENCE = LabelEvidence.from_pairs(
    "labels",
    {
        (IDS[0], 2): VerdictEvidence(rule="plurality", votes=(ExpertVote("ann", Verdict.CORRECT),), guide=4),
        (IDS[1], 0): VerdictEvidence(relation="0 same as 7"),
    },
)


def test_the_json_of_shankar_et_al_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "labels.json"
    write_human_accuracy(LABELS, load_taxonomy("imagenet-1k"), path=path, major_slice=[IDS[1]])
    truth = regauge.load_truth(path, taxonomy="imagenet-1k")
    assert read(truth.label_sets[0]) == read(LABELS)
    found = load_human_accuracy(path)
    assert (found.problematic, found.major_slice) == ((IDS[1],), (IDS[1],))
    content = json.loads(path.read_text(encoding="utf-8"))
    assert set(content) == {"initial_annots", "problematic_images", "imagenet_m"}
    assert content["initial_annots"][f"{IDS[0]}.JPEG"]["correct"] == ["n01443537", "n01484850"]


def test_no_slice_is_listed_where_none_is_known(tmp_path: Path) -> None:
    write_human_accuracy(LABELS, load_taxonomy("imagenet-1k"), path=tmp_path / "labels.json")
    assert "imagenet_m" not in json.loads((tmp_path / "labels.json").read_text(encoding="utf-8"))


def test_labels_of_other_classes_are_not_written_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="for the classes of imagenet-1k, not of cifar-10; write regauge or tfds"):
        write_human_accuracy(LABELS, load_taxonomy("cifar-10"), path=tmp_path / "labels.json")


def test_the_field_names_of_tfds_come_back(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    write_tfds_truth(IMAGES, LABELS, path=path)
    truth = regauge.load_truth(path)
    assert truth.test_set is not None
    assert truth.test_set.labels.tolist() == [1, 7]
    assert read(truth.label_sets[0]) == read(LABELS)
    first = json.loads(path.read_text(encoding="utf-8").splitlines()[0])
    assert first == {
        "file_name": "ILSVRC2012_val_00000001.JPEG",
        "original_label": 1,
        "correct_multi_labels": [1, 2],
        "unclear_multi_labels": [],
        "wrong_multi_labels": [3],
        "is_problematic": False,
    }


WRITERS: dict[str, Callable[[LabelSet, Path], None]] = {
    "tfds.jsonl": lambda labels, path: write_tfds_truth(IMAGES, labels, path=path),
    "shankar2020.json": lambda labels, path: write_human_accuracy(labels, load_taxonomy("imagenet-1k"), path=path),
    "own.jsonl": lambda labels, path: write_truth(Truth(IMAGES, (labels,)), path=path),
}


@pytest.mark.parametrize("layout", WRITERS)
@pytest.mark.parametrize("unlisted", Unlisted)
@pytest.mark.parametrize("wrong", [[[3], [0]], [[], []]])
def test_what_lists_leave_out_means_the_same_when_it_is_read_again(
    layout: str, unlisted: Unlisted, wrong: list[list[int]], tmp_path: Path
) -> None:
    labels = LabelSet.from_lists("labels", IDS, correct=[[1, 2], []], unclear=[[], [7]], wrong=wrong, unlisted=unlisted)
    path = tmp_path / layout
    WRITERS[layout](labels, path)
    (found,) = regauge.load_truth(path, taxonomy="imagenet-1k").label_sets
    assert (read(found), found.unlisted) == (read(labels), unlisted)
    answers = Predictions("model", IDS, np.array([5, 7]))
    scores = [
        regauge.score(answers, Truth(IMAGES, (replace(one, name="labels"),)), taxonomy="imagenet-1k")
        for one in (labels, found)
    ]
    assert scores[0].to_frame().equals(scores[1].to_frame())


@pytest.mark.parametrize("layout", ["tfds.jsonl", "shankar2020.json"])
def test_a_file_that_says_something_else_of_what_it_leaves_out_is_refused(layout: str, tmp_path: Path) -> None:
    path = tmp_path / layout
    WRITERS[layout](replace(LABELS, unlisted=Unlisted.WRONG), path)
    whole = path.read_text(encoding="utf-8")
    for odd in ('"maybe"', "1", "[]"):
        path.write_text(whole.replace('"unlisted": "wrong"', f'"unlisted": {odd}'), encoding="utf-8")
        with pytest.raises(InputError, match="unlisted is wrong or unjudged, not"):
            regauge.load_truth(path, taxonomy="imagenet-1k")
    (believed,) = _read_as(path, whole, Unlisted.UNJUDGED).label_sets
    assert believed.unlisted is Unlisted.UNJUDGED
    if layout == "tfds.jsonl":
        path.write_text(whole.replace('"wrong"}', '"unjudged"}', 1), encoding="utf-8")
        with pytest.raises(
            InputError, match="unlisted means the same in every line, not unjudged here and wrong there"
        ):
            regauge.load_truth(path)


def _read_as(path: Path, text: str, unlisted: Unlisted) -> Truth:
    path.write_text(text, encoding="utf-8")
    return load_truth(path, taxonomy=load_taxonomy("imagenet-1k"), unlisted=unlisted)


def test_what_complete_lists_call_wrong_keeps_its_evidence(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    write_truth(Truth(IMAGES, (replace(LABELS, unlisted=Unlisted.WRONG),), evidence=(EVIDENCE,)), path=path)
    truth = regauge.load_truth(path)
    assert truth.label_sets[0].unlisted is Unlisted.WRONG
    assert truth.evidence[0].by_pair == EVIDENCE.by_pair


def test_an_image_in_a_folder_cannot_be_named_by_a_file_name(tmp_path: Path) -> None:
    nested = LabelSet.from_lists("labels", ["cat/001"], correct=[[1]])
    with pytest.raises(InputError, match="'cat/001' cannot be named by a file name alone"):
        write_tfds_truth(IMAGES, nested, path=tmp_path / "labels.jsonl")


def test_what_verdicts_rest_on_comes_back_from_json_lines(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    write_truth(Truth(IMAGES, (LABELS,), evidence=(EVIDENCE,)), path=path)
    truth = regauge.load_truth(path)
    assert truth.evidence[0].by_pair == EVIDENCE.by_pair


@pytest.mark.parametrize(
    ("evidence", "problem"),
    [
        ({"2": {"guide": "four"}}, "guide is a whole number, not 'four'"),
        ({"2": {"votes": [["ann", "maybe"]]}}, r"a vote is \[name, wrong \| unclear \| correct\]"),
        ({"2": "because"}, "an object from classes to what their verdicts rest on"),
        ({"9": {"rule": "x"}}, "class 9 has evidence, but no verdict"),
        ({"2": {"rule": "x"}, "02": {"rule": "y"}}, "evidence has class 2 twice, the second time as '02'"),
        ({"2": {"is_expert": 1}}, "is_expert is true or false, not 1"),
    ],
)
def test_evidence_that_is_none_is_refused_with_its_line(tmp_path: Path, evidence: object, problem: str) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text(json.dumps({"image_id": "a", "correct": [2], "evidence": evidence}) + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=problem) as caught:
        regauge.load_truth(path)
    assert "line 1" in str(caught.value)
