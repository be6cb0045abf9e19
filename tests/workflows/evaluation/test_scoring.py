"""Scoring as a user asks for it: files and records alike, by groupings, classes and lists, and against one another."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from regauge.errors import InputError, MissingImagesError
from regauge.formats.exports.writers import write_predictions, write_truth
from regauge.formats.taxonomies import load_taxonomy
from regauge.records.evaluation.scores import Scores, ScoreSettings
from regauge.records.labels.label_set import LabelSet, Truth
from regauge.records.predictions import Predictions
from regauge.records.testsets.test_set import TestSet
from regauge.taxonomy.groups import find_groups
from regauge.workflows.evaluation.scoring import score

CIFAR = load_taxonomy("cifar-10")
QUICK = ScoreSettings(n_bootstrap=100)


@pytest.fixture
def truth() -> Truth:
    """60 images of CIFAR-10's ten classes with a review of some of the classes."""
    rng = np.random.default_rng(1)
    ids = np.array([f"image-{row:02d}" for row in range(60)])
    labels = np.arange(60, dtype=np.int32) % 10
    review = LabelSet.from_lists(
        "truth",
        ids,
        correct=[[int(label)] for label in labels],
        unclear=[[int(label + 1) % 10] for label in labels],
        wrong=[[int(label + 2) % 10] for label in labels],
        is_problematic=(rng.random(60) < 0.1).tolist(),
        main_labels=labels.tolist(),
    )
    return Truth(TestSet("truth", ids, labels), (review,))


@pytest.fixture
def predictions(truth: Truth) -> list[Predictions]:
    """Three participants in row orders of their own; the last gives one answer."""
    assert truth.test_set is not None
    rng = np.random.default_rng(2)
    made = []
    for name, noise in (("good", 0.5), ("fair", 1.0), ("person", 0.7)):
        scores = rng.normal(scale=noise, size=(60, 10))
        scores[np.arange(60), truth.test_set.labels] += 1
        answers = np.argsort(-scores, axis=1)[:, : 1 if name == "person" else 5].astype(np.int32)
        order = rng.permutation(60)
        made.append(Predictions(name, truth.test_set.image_ids[order], answers[order]))
    return made


def read(scores: Scores) -> list[dict[str, Any]]:
    return scores.to_frame().sort("participant", "metric", "subset").to_dicts()


def test_files_and_records_give_the_same_scores(truth: Truth, predictions: list[Predictions], tmp_path: Path) -> None:
    assert truth.test_set is not None
    write_truth(truth, path=tmp_path / "truth.jsonl")
    (tmp_path / "predictions").mkdir()
    for one in predictions:
        write_predictions(one, tmp_path / "predictions" / f"{one.participant}.npz")
    settings = ScoreSettings(against="fair", n_bootstrap=100)
    options: dict[str, Any] = {"taxonomy": CIFAR, "by": "class", "settings": settings}
    from_records = score(predictions, truth, **options)
    assert len(from_records) > 100
    for source in (tmp_path / "predictions", str(tmp_path / "predictions" / "*.npz")):
        assert read(score(source, tmp_path / "truth.jsonl", **options)) == read(from_records)


def test_a_grouping_gives_a_row_for_each_of_its_groups(truth: Truth, predictions: list[Predictions]) -> None:
    assert truth.test_set is not None
    grouping = CIFAR.groupings[0]
    scores = score(predictions[0], truth, taxonomy=CIFAR, by=grouping.name, settings=QUICK)
    answer_of = dict(zip(predictions[0].image_ids.tolist(), predictions[0].classes[:, 0].tolist(), strict=True))
    label_of = dict(zip(truth.test_set.image_ids.tolist(), truth.test_set.labels.tolist(), strict=True))
    groups = find_groups(CIFAR, grouping.name)
    assert len(groups) >= 2
    for name, members in groups.items():
        images = [image for image, label in label_of.items() if label in set(members.tolist())]
        row = scores.get("good", "top1", subset=name)
        assert (row.n, row.n_correct) == (len(images), sum(answer_of[image] == label_of[image] for image in images))


def test_classes_are_named_by_index_and_id_and_have_no_balanced_mean(
    truth: Truth, predictions: list[Predictions]
) -> None:
    scores = score(predictions[0], truth, taxonomy=CIFAR, by="class", settings=QUICK)
    names = {f"{one.index} {one.id}" for one in CIFAR.classes}
    rows = scores.to_frame()
    assert set(rows.filter(metric="top1")["subset"]) == {"all", *names}
    assert set(rows.filter(metric="top1_balanced")["subset"]) == {"all"}
    assert {row.n for row in scores if row.metric == "top1" and row.subset != "all"} == {6}


def test_without_a_taxonomy_classes_are_those_of_the_labels(predictions: list[Predictions], truth: Truth) -> None:
    scores = score(predictions[0], truth, by="class", settings=QUICK)
    assert set(scores.to_frame().filter(metric="top1")["subset"]) == {"all", *map(str, range(10))}


def test_lists_of_images_and_of_classes_come_from_a_file(
    truth: Truth, predictions: list[Predictions], tmp_path: Path
) -> None:
    path = tmp_path / "lists.json"
    lists = {"two": ["image-00", "image-07", "image-00"], "nobody": ["elsewhere"], "empty": [], "animals": [2, 3, 2]}
    path.write_text(json.dumps(lists))
    scores = score(predictions[0], truth, by=path, settings=QUICK)
    sizes = {row.subset: row.n for row in scores if row.metric == "top1"}
    # An image or a class that is listed twice counts once; six images have each class.
    assert sizes == {"all": 60, "two": 2, "nobody": 0, "empty": 0, "animals": 12}
    empty = scores.get("good", "top1", subset="empty")
    assert (empty.value, empty.low, empty.high, empty.method) == (None, None, None, None)


def test_several_kinds_of_parts_can_be_asked_for_at_once(
    truth: Truth, predictions: list[Predictions], tmp_path: Path
) -> None:
    (tmp_path / "lists.csv").write_text("image_id,subset\nimage-01,few\nimage-02,few\n")
    scores = score(predictions[0], truth, taxonomy=CIFAR, by=["class", tmp_path / "lists.csv"], settings=QUICK)
    assert scores.get("good", "top1", subset="few").n == 2
    assert scores.to_frame().filter(metric="top1").height == 1 + 10 + 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"by": "h"},
            "Cannot score by 'h': it is neither a file nor class. Groupings come with a taxonomy: name one with `taxonomy=…`.",
        ),
        (
            {"by": "hue", "taxonomy": CIFAR},
            f"Cannot score by 'hue': it is neither a file nor one of {', '.join(g.name for g in CIFAR.groupings)}, class.",
        ),
        ({"by": ["class", "class"]}, "Two subsets are called '0'; rename one."),
        (
            {"settings": ScoreSettings(against="nobody")},
            "There is no participant 'nobody' to compare with; there are: good, fair, person.",
        ),
    ],
)
def test_what_cannot_be_asked_is_refused(
    truth: Truth, predictions: list[Predictions], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        score(predictions, truth, **options)


def test_a_subset_must_not_be_called_like_the_whole(
    truth: Truth, predictions: list[Predictions], tmp_path: Path
) -> None:
    (tmp_path / "lists.json").write_text('{"all": ["image-00"]}')
    with pytest.raises(InputError, match=r"^Two subsets are called 'all'; rename one\.$"):
        score(predictions, truth, by=tmp_path / "lists.json")


@pytest.mark.parametrize(("by", "taxonomy"), [("class", None), ("class", CIFAR), (CIFAR.groupings[0].name, CIFAR)])
def test_parts_made_of_classes_need_dataset_labels(
    truth: Truth, predictions: list[Predictions], by: str, taxonomy: Any
) -> None:
    message = f"Scoring by {by} needs dataset labels, and the truth has none; add a truth file that has them."
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        score(predictions, truth.label_sets[0], taxonomy=taxonomy, by=by)


def test_everyone_but_the_named_participant_is_compared_with_it(truth: Truth, predictions: list[Predictions]) -> None:
    scores = score(predictions, truth, settings=ScoreSettings(against="fair", n_bootstrap=100))
    rows = scores.to_frame().filter(metric="top1", subset="all")
    against = dict(rows.select("participant", "against").rows())
    assert against == {"good": "fair", "fair": None, "person": "fair"}
    right = dict(rows.select("participant", "n_correct").rows())
    assert rows.filter(participant="good")["difference"][0] == pytest.approx(
        (right["good"] - right["fair"]) / 60, abs=1e-12
    )


def test_of_many_participants_only_some_are_listed(truth: Truth, predictions: list[Predictions]) -> None:
    many = [Predictions(f"m{i}", predictions[0].image_ids, predictions[0].classes) for i in range(12)]
    with pytest.raises(InputError, match=r"there are: m0, m1, .*m9, …\.$"):
        score(many, truth, settings=ScoreSettings(against="nobody"))


def test_missing_images_are_refused_unless_allowed(truth: Truth, predictions: list[Predictions]) -> None:
    part = Predictions("part", predictions[0].image_ids[:50], predictions[0].classes[:50])
    with pytest.raises(MissingImagesError, match="part has no prediction for 10 of 60 images"):
        score(part, truth)
    scores = score(part, truth, settings=ScoreSettings(allow_missing=True))
    assert scores.get("part", "top1").n == 50


def test_notes_of_the_truth_come_before_those_of_the_scores(predictions: list[Predictions], truth: Truth) -> None:
    noted = Truth(truth.test_set, truth.label_sets, notes=("The truth was read.",))
    notes = score(predictions[2], noted).notes
    assert notes[0] == "The truth was read."
    assert "person gives fewer than five answers for some images; top5 is absent." in notes


def test_scoring_changes_nothing_that_was_handed_over(truth: Truth, predictions: list[Predictions]) -> None:
    assert truth.test_set is not None
    before = (
        [one.classes.copy() for one in predictions],
        truth.test_set.labels.copy(),
        truth.label_sets[0].classes.copy(),
    )
    score(predictions, truth, taxonomy=CIFAR, by="class", settings=ScoreSettings(against="good", n_bootstrap=100))
    for one, classes in zip(predictions, before[0], strict=True):
        np.testing.assert_array_equal(one.classes, classes)
    np.testing.assert_array_equal(truth.test_set.labels, before[1])
    np.testing.assert_array_equal(truth.label_sets[0].classes, before[2])


def test_images_that_a_subset_names_and_the_truth_does_not_have_are_noted(
    truth: Truth, predictions: list[Predictions], tmp_path: Path
) -> None:
    path = tmp_path / "parts.json"
    path.write_text(json.dumps({"hard": ["image-00", "nowhere", "elsewhere"]}), encoding="utf-8")
    scores = score(predictions, truth, by=path, settings=QUICK)
    assert "Subset hard names 2 images that are not in truth (ignored)." in scores.notes
    assert scores.get(predictions[0].participant, "top1", subset="hard").n == 1
