"""Labels, evaluations, comparisons and backups of a study, on both databases."""

from __future__ import annotations

import json
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path

import pytest
from polars.testing import assert_frame_equal
from tests.cli.command_runner import write
from tests.storage.small_studies import TRUTH, VERDICTS, fill

import regauge
from regauge import LabelSet, Predictions, ScoreSettings, ShiftSettings, TestSet, Verdict
from regauge.errors import InputError, StorageError
from regauge.records.labels.label_set import LabelKind
from regauge.records.studies import Selection
from regauge.storage.evaluation.comparison_entries import list_comparisons
from regauge.storage.evaluation.evaluations import list_evaluations
from regauge.storage.events import list_events
from regauge.storage.labels.label_set import get_label_set, list_label_sets, load_label_set
from regauge.workflows.evaluation.evaluations import compare, evaluate, load_scores
from regauge.workflows.labels.label_set import add_labels, diff_labels, export_labels
from regauge.workflows.predictions import PredictionSource, add_predictions, list_predictions
from regauge.workflows.studies.backups import back_up
from regauge.workflows.studies.study import Study
from regauge.workflows.testsets.test_set import add_test_set

# Labels


def test_a_label_set_comes_back_as_it_was_added(study: Study, tmp_path: Path) -> None:
    fill(study, tmp_path)
    before = regauge.load_truth(tmp_path / "verdicts.jsonl").label_sets[0]
    with study.read() as begun:
        after = load_label_set(begun, get_label_set(begun, "verdicts"))
    assert after.name == "verdicts@1"
    for column in ("image_ids", "starts", "classes", "verdicts", "is_problematic", "main_labels"):
        assert getattr(after, column).tolist() == getattr(before, column).tolist(), column
    assert (after.kind, after.unlisted) == (before.kind, before.unlisted)


def test_labels_of_a_known_name_are_a_new_version_with_a_parent(study: Study, tmp_path: Path) -> None:
    fill(study, tmp_path)
    write(tmp_path, {"verdicts.jsonl": VERDICTS.replace('"correct":[0,1]', '"correct":[0]')})
    with study.begin() as begun:
        added = add_labels(begun, tmp_path / "verdicts.jsonl")
        assert [(one.full_name, one.parent) for one in list_label_sets(begun)] == [
            ("verdicts@1", None),
            ("verdicts@2", 1),
        ]
        assert get_label_set(begun, "verdicts") == added.entry
        assert load_label_set(begun, get_label_set(begun, "verdicts@1")).classes.tolist() == [0, 1, 2, 1, 2]
        with pytest.raises(InputError, match="has the versions 1 to 2, not '3'"):
            get_label_set(begun, "verdicts@3")
        with pytest.raises(InputError, match="no label set 'other'; it has: verdicts"):
            get_label_set(begun, "other")
    assert added.notes[-1] == "verdicts covers 3 of 4 images of truth."


def test_single_labels_and_reassessed_labels_are_label_sets_too(study: Study, tmp_path: Path) -> None:
    write(tmp_path, {"real.json": '{"a.png": [0], "b.png": []}', "renewed.csv": "image_id,label\na,5\nb,1\n"})
    fill(study, tmp_path)
    with study.begin() as begun:
        assert add_labels(begun, tmp_path / "real.json").entry.kind is LabelKind.REAL
        add_labels(begun, tmp_path / "renewed.csv")
        renewed = load_label_set(begun, get_label_set(begun, "renewed"))
        with pytest.raises(InputError, match="of the kind real, the new labels are multilabel"):
            add_labels(begun, tmp_path / "renewed.csv", name="real")
    assert (renewed.classes.tolist(), renewed.verdicts.tolist()) == ([5, 1], [Verdict.CORRECT, Verdict.CORRECT])


def test_labels_that_do_not_belong_here_are_refused(study: Study, tmp_path: Path) -> None:
    fill(study, tmp_path)
    with study.begin() as begun:
        with pytest.raises(InputError, match="No image of far is in a test set of the study; its first is 'z'"):
            add_labels(begun, LabelSet.from_lists("far", ["z"], correct=[[0]]))
        write(tmp_path, {"other.jsonl": '{"image_id":"a","label":7,"correct":[0]}\n'})
        with pytest.raises(InputError, match="dataset label 0 in test set truth, but 7"):
            add_labels(begun, tmp_path / "other.jsonl")
        with pytest.raises(InputError, match="'x@1' is none"):
            add_labels(begun, tmp_path / "verdicts.jsonl", name="x@1")


def test_the_difference_of_two_versions_names_every_change(study: Study, tmp_path: Path) -> None:
    fill(study, tmp_path)
    changed = LabelSet.from_lists(
        "verdicts", list("abd"), correct=[[0], [1], []], wrong=[[2, 3], [], []], is_problematic=[False, True, False]
    )
    with study.begin() as begun:
        add_labels(begun, changed)
        found = diff_labels(begun, "verdicts@1", "verdicts")
    assert [(one.image_id, one.class_index, one.before, one.after) for one in found.changes] == [
        ("a", 1, "correct", "unlisted"),
        ("a", 3, "unlisted", "wrong"),
        ("b", 1, "unclear", "correct"),
    ]
    assert (found.added, found.removed) == (("d",), ("c",))
    assert (found.now_problematic, found.no_longer_problematic) == (("b",), ())


def test_exported_labels_can_be_added_again(study: Study, tmp_path: Path) -> None:
    fill(study, tmp_path)
    with study.begin() as begun:
        export_labels(begun, "verdicts", path=tmp_path / "out.jsonl")
        with pytest.raises(InputError, match=r"out\.jsonl exists"):
            export_labels(begun, "verdicts", path=tmp_path / "out.jsonl")
        add_labels(begun, tmp_path / "out.jsonl", name="verdicts")
        assert diff_labels(begun, "verdicts@1", "verdicts@2").changes == ()
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [line["label"] for line in lines] == [0, 1, 2]


def test_an_export_for_one_test_set_has_only_its_images(study: Study, tmp_path: Path) -> None:
    fill(study, tmp_path)
    write(tmp_path, {"small.csv": "image_id,label\nb,1\n"})
    with study.begin() as begun:
        add_test_set(begun, tmp_path / "small.csv")
        export_labels(begun, "verdicts@1", path=tmp_path / "out.jsonl", test_set="small")
    assert [json.loads(line)["image_id"] for line in (tmp_path / "out.jsonl").read_text().splitlines()] == ["b"]


# Evaluations


def test_an_evaluation_equals_the_score_of_the_same_files_and_is_kept(study: Study, tmp_path: Path) -> None:
    fill(study, tmp_path)
    label_set = regauge.load_truth(tmp_path / "verdicts.jsonl").label_sets[0]
    plain = regauge.score(
        [tmp_path / "good.csv", tmp_path / "bad.csv"], [tmp_path / "truth.csv", label_set], taxonomy="cifar-10"
    )
    with study.begin() as begun:
        made = evaluate(begun)
    with study.read() as begun:
        kept = load_scores(begun, made.id)
        entry = list_evaluations(begun)[0]
    without_labels = plain.to_frame().drop("labels")
    assert_frame_equal(made.scores.to_frame().drop("labels"), without_labels)
    assert_frame_equal(kept.to_frame(), made.scores.to_frame())
    assert set(kept.to_frame()["labels"]) >= {"verdicts@1"}
    assert (kept.settings, kept.notes) == (made.scores.settings, made.scores.notes)
    assert (entry.test_set, entry.labels, entry.participants) == ("truth", ("verdicts@1",), ("good", "bad"))
    assert entry.code_version == regauge.__version__


def test_a_comparison_and_its_settings_are_kept(study: Study, tmp_path: Path) -> None:
    fill(study, tmp_path)
    settings = ScoreSettings(against="good", level=0.9, seed=3, n_bootstrap=100)
    with study.begin() as begun:
        made = evaluate(begun, by=["class"], settings=settings)
        assert_frame_equal(load_scores(begun, made.id).to_frame(), made.scores.to_frame())
        assert load_scores(begun, made.id).settings == settings
        by_keyword = evaluate(begun, by=["class"], against="good", level=0.9, seed=3, n_bootstrap=100)
        assert_frame_equal(by_keyword.scores.to_frame(), made.scores.to_frame())
        with pytest.raises(InputError, match="Give either settings or level, not both"):
            evaluate(begun, settings=settings, level=0.9)
        with pytest.raises(InputError, match="no evaluation 99"):
            load_scores(begun, 99)


def test_an_evaluation_is_of_the_chosen_participants_and_label_version(study: Study, tmp_path: Path) -> None:
    fill(study, tmp_path)
    with study.begin() as begun:
        add_labels(begun, LabelSet.from_lists("verdicts", list("abcd"), correct=[[9]] * 4))
        old = evaluate(begun, Selection(labels=["verdicts@1"], participants=["g*"])).scores
        new = evaluate(begun, Selection(participants=["good"])).scores
        with pytest.raises(InputError, match="matches 'x\\*'; there are: good, bad"):
            evaluate(begun, Selection(participants=["x*"]))
    assert set(old.to_frame()["participant"]) == {"good"}
    # By version 1, good is right on a; b is unclear, c problematic, d unknown. By version 2 everything is class 9.
    assert old.get("good", "multilabel_strict").n_correct == 1
    assert (new.get("good", "multilabel_strict").n_correct, new.get("good", "multilabel_strict").labels) == (
        0,
        "verdicts@2",
    )


def test_label_sets_count_only_on_the_images_of_the_test_set(study: Study, tmp_path: Path) -> None:
    fill(study, tmp_path)
    with study.begin() as begun:
        add_labels(begun, LabelSet.from_lists("wide", ["a", "z"], correct=[[0], [1]]))
        score = evaluate(begun, Selection(labels=["wide"])).scores.get("good", "multilabel_strict")
        write(tmp_path, {"far.csv": "image_id,label\nd,3\n"})
        add_test_set(begun, tmp_path / "far.csv")
        add_predictions(begun, PredictionSource(tmp_path / "good.csv"), test_set="far")
        with pytest.raises(InputError, match="wide@1 covers no image of the test set"):
            evaluate(begun, Selection("far", labels=["wide"]))
    assert (score.n, score.n_correct) == (1, 1)


def test_without_predictions_the_next_step_is_said(study: Study, tmp_path: Path) -> None:
    with study.begin() as begun:
        add_test_set(begun, tmp_path / "truth.csv")
        with pytest.raises(InputError, match="Nobody has predictions on truth yet"):
            evaluate(begun)


def test_two_test_sets_are_compared_on_those_who_answered_both(study: Study, tmp_path: Path) -> None:
    fill(study, tmp_path)
    write(tmp_path, {"new.csv": TRUTH})
    settings = ShiftSettings(n_bootstrap=100)
    with study.begin() as begun:
        add_test_set(begun, tmp_path / "new.csv")
        add_predictions(begun, PredictionSource(Predictions("new", list("abcd"), [0] * 4)), test_set="new")
        with pytest.raises(InputError, match="No participant has predictions on both truth and new"):
            compare(begun, Selection("truth"), Selection("new"), settings=settings)
        half = Predictions("good", list("abcd"), [0, 1, 0, 0])
        add_predictions(begun, PredictionSource(half), test_set="new")
        made = compare(begun, Selection("truth"), Selection("new"), n_bootstrap=100)
        assert made.shift.settings == settings
        entry = list_comparisons(begun)[0]
        stored = {one.test_set: one.sha256 for one in list_predictions(begun) if one.participant == "good"}
        assert list_events(begun)[-1].what == "compare"
    found = made.shift
    assert [(one.name, one.original.value, one.new.value, one.gap.value) for one in found.models] == [
        ("good", 1.0, 0.5, 0.5)
    ]
    assert (found.original, found.new) == ("truth", "new")
    assert (entry.id, entry.original, entry.new, entry.labels) == (made.id, "truth", "new", ("verdicts@1",))
    assert (entry.participants, entry.predictions["good"]) == (("good",), (stored["truth"], stored["new"]))
    assert (entry.settings["n_bootstrap"], entry.code_version) == (100, regauge.__version__)


# Backups


def test_a_backup_holds_every_row_as_of_now(study: Study, tmp_path: Path) -> None:
    fill(study, tmp_path)
    with study.begin() as begun:
        add_test_set(begun, tmp_path / "truth.csv", name="not committed yet")
        path = back_up(study)
    assert path.parent == study.paths.folder / "backups"
    if path.suffix == ".db":
        with closing(sqlite3.connect(path)) as copy:
            names = [name for (name,) in copy.execute("SELECT name FROM test_sets")]
            n_verdicts = copy.execute("SELECT count(*) FROM verdicts").fetchone()[0]
    else:
        with zipfile.ZipFile(path) as archive:
            names = [json.loads(line)["name"] for line in archive.read("tables/test_sets.jsonl").splitlines()]
            n_verdicts = len(archive.read("tables/verdicts.jsonl").splitlines())
    assert (names, n_verdicts) == (["truth"], 5)


def test_a_backup_replaces_nothing(study: Study, tmp_path: Path) -> None:
    (tmp_path / "old.db").write_text("precious")
    with pytest.raises(InputError, match=r"old\.db exists"):
        back_up(study, tmp_path / "old.db")
    with pytest.raises(StorageError, match="cannot be written"):
        back_up(study, tmp_path / "nowhere" / "new.db")
    assert (tmp_path / "old.db").read_text() == "precious"


def test_a_test_set_of_records_scores_like_one_in_a_study(study: Study, tmp_path: Path) -> None:
    fill(study, tmp_path)
    with study.begin() as begun:
        inside = evaluate(begun, Selection(participants=["bad"])).scores.get("bad", "top5")
    outside = regauge.score(tmp_path / "bad.csv", TestSet("truth", list("abcd"), [0, 1, 2, 3])).get("bad", "top5")
    assert inside == outside
