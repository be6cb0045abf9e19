"""CLASSIFY answers → labels: screening, dataset labels, the truth that comes out, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.labels.objects.classify_answers import Answer, make_responses

from regauge.arrays import NO_CLASS
from regauge.errors import InputError
from regauge.formats.labels.truth import load_truth
from regauge.records.labels.classify import ClassifySettings
from regauge.records.testsets.test_set import TestSet
from regauge.workflows.labels.aggregate_classify import aggregate_classify, save_labels

ANSWERS: list[Answer] = [
    ("i", "a", [5, 7], 5),
    ("i", "b", [5, 8], 5),
    ("i", "bad", [], NO_CLASS),
    ("j", "a", [3], 3),
    ("j", "b", [3], 3),
    ("j", "bad", [3], 3),
]
LABELS = TestSet("t", ["i", "other"], [8, 1])


def test_a_flawed_annotator_is_ignored_said_and_listed() -> None:
    result = aggregate_classify(make_responses(ANSWERS), LABELS)
    assert result.labels.n_accepted.tolist() == [2, 2]
    assert result.labels.n_shown.tolist() == [3, 3]
    assert result.dropped.to_dicts() == [
        {"image_id": "i", "annotator_id": "bad", "reason": "no label selected"},
        {"image_id": "j", "annotator_id": "bad", "reason": "more than a third of the annotator's responses ignored"},
    ]
    ignored, unlabelled, named = result.notes
    assert ignored.startswith(
        "2 of 6 responses are ignored: 1 no label selected, 1 more than a third of the annotator's"
    )
    assert ignored.endswith("1 of 3 annotators are ignored.")
    assert unlabelled == "1 of 2 images have no dataset label in t."
    assert "of the 2 images of CLASSIFY and are named “follow-up images only”" in named


def test_annotators_and_responses_can_be_kept() -> None:
    responses = make_responses(ANSWERS)
    by_name = aggregate_classify(responses, settings=ClassifySettings(keep_annotators=("bad",)))
    assert by_name.labels.n_accepted.tolist() == [2, 3]
    single = aggregate_classify(responses, settings=ClassifySettings(keep_responses=(("j", "bad"),)))
    assert single.labels.n_accepted.tolist() == [2, 3]
    everything = aggregate_classify(responses, settings=ClassifySettings(screening=False))
    assert everything.labels.n_accepted.tolist() == [3, 3]


def test_shares_about_dataset_labels_need_them() -> None:
    with_labels = aggregate_classify(make_responses(ANSWERS), LABELS).summary
    assert (with_labels["main_not_dataset_object"].k, with_labels["main_not_dataset_object"].n) == (1, 1)
    assert with_labels["main_is_dataset_label"].value == 0
    assert set(aggregate_classify(make_responses(ANSWERS)).summary) == {"several_objects", "unique_cut"}


def test_the_truth_that_is_written_names_objects_and_can_be_read(tmp_path: Path) -> None:
    save_labels(aggregate_classify(make_responses(ANSWERS), LABELS), tmp_path / "out.jsonl")
    truth = load_truth(tmp_path / "out.jsonl")
    assert truth.objects[0].get_objects(0) == [[5], [7, 8]]
    assert truth.label_sets[0].classes.tolist() == [5, 7, 3]
    assert truth.label_sets[0].main_labels.tolist() == [5, 3]
    assert truth.test_set is not None
    assert truth.test_set.labels.tolist() == [8]


def test_files_are_read(tmp_path: Path) -> None:
    rows = [dict(zip(("image_id", "annotator_id", "selected", "main"), one, strict=True)) for one in ANSWERS]
    text = "\n".join(json.dumps({**row, "main": None if row["main"] == NO_CLASS else row["main"]}) for row in rows)
    (tmp_path / "a.jsonl").write_text(text, encoding="utf-8")
    result = aggregate_classify(tmp_path / "a.jsonl")
    assert result.notes[0] == "a.jsonl: 6 responses read."
    assert result.labels.main_labels.tolist() == [5, 3]


def test_what_cannot_be_used_is_refused() -> None:
    responses = make_responses(ANSWERS)
    with pytest.raises(InputError, match="Screening leaves none of the 1 responses"):
        aggregate_classify(make_responses([("i", "a", [], NO_CLASS)]))
    with pytest.raises(
        InputError, match="share no image id: the first response is on 'i', the truth's first image is 'z'"
    ):
        aggregate_classify(responses, TestSet("t", ["z"], [1]))
    with pytest.raises(InputError, match="Without screening every response counts"):
        ClassifySettings(screening=False, keep_annotators=("a",))
    with pytest.raises(InputError, match="give at least one file"):
        aggregate_classify([])


def test_a_split_or_counts_take_easy_images_in(tmp_path: Path) -> None:
    (tmp_path / "split.csv").write_text("image_id,part\ni,follow-up\nj,follow-up\nother,easy\n")
    # Of six annotators all selected the dataset label 1 of `other`, and two another label: more than twice as many.
    (tmp_path / "counts.csv").write_text(
        "image_id,class,n_shown,n_selected\nother,1,6,6\nother,4,6,2\ni,8,6,3\ni,5,6,3\n"
    )
    for settings in (
        ClassifySettings(split=str(tmp_path / "split.csv")),
        ClassifySettings(contains=str(tmp_path / "counts.csv")),
    ):
        result = aggregate_classify(make_responses(ANSWERS), LABELS, settings=settings)
        assert result.easy is not None
        assert (result.easy.image_ids.tolist(), result.easy.labels.tolist()) == (["other"], [1])
        assert result.notes[-1] == "1 easy image taken to show one object, the dataset label."
        save_labels(result, tmp_path / "truth.jsonl")
        truth = load_truth(tmp_path / "truth.jsonl")
        assert truth.label_sets[0].main_labels.tolist() == [5, 3, 1]
        assert not truth.label_sets[0].is_follow_up_only
        assert truth.test_set is not None
        assert truth.test_set.image_ids.tolist() == ["i", "other"]


def test_a_truth_without_easy_images_says_so_when_it_is_read_again(tmp_path: Path) -> None:
    save_labels(aggregate_classify(make_responses(ANSWERS), LABELS), tmp_path / "truth.jsonl")
    assert load_truth(tmp_path / "truth.jsonl").label_sets[0].is_follow_up_only


def test_easy_images_need_dataset_labels_and_one_source() -> None:
    with pytest.raises(InputError, match="say which that is with `truth=…`"):
        aggregate_classify(make_responses(ANSWERS), settings=ClassifySettings(split="split.csv"))
    with pytest.raises(InputError, match="by a split or by CONTAINS counts, not by both"):
        ClassifySettings(split="a.csv", contains="b.csv")
