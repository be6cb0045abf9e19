"""Test sets and predictions of a study, on both databases."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import update
from tests.cli.command_runner import write
from tests.storage.small_studies import STAMP, fill, make_circumstances
from tests.workflows.pool_folders import save_pictures

from regauge import NO_CLASS, Predictions
from regauge.errors import FormatError, InputError, MissingImagesError, StorageError
from regauge.records.studies import ImagePlace, compute_digest
from regauge.storage.database.schema import predictions
from regauge.storage.events import list_events
from regauge.storage.predictions import load_predictions
from regauge.storage.testsets.test_set import get_test_set, load_places, load_test_set
from regauge.workflows.predictions import PredictionSource, add_predictions, list_predictions
from regauge.workflows.studies.study import Study, describe_status, open_study
from regauge.workflows.testsets.test_set import add_test_set, list_test_sets


def test_a_test_set_comes_back_row_for_row(study: Study, tmp_path: Path) -> None:
    with study.begin() as begun:
        entry = add_test_set(begun, tmp_path / "truth.csv", name="mine").entry
        test_set = load_test_set(begun, entry)
    assert (test_set.name, test_set.image_ids.tolist(), test_set.labels.tolist()) == (
        "mine",
        list("abcd"),
        [0, 1, 2, 3],
    )
    assert (entry.digest, entry.n_images, entry.added_at) == (compute_digest(test_set), 4, STAMP)
    assert entry.provenance["path"] == str(tmp_path / "truth.csv")


def test_images_are_referenced_by_file_and_checksum(study: Study, tmp_path: Path) -> None:
    names = ("airplane/one.png", "bird/two.png")
    folder = save_pictures(tmp_path / "set", dict(zip(names, (1, 2), strict=True)))
    with study.begin() as begun:
        entry = add_test_set(begun, folder, checksums=True).entry
        places = load_places(begun, entry)
    checksums = [hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names]
    assert places == tuple(ImagePlace(name, sha256=one) for name, one in zip(names, checksums, strict=True))
    assert entry.root == str(tmp_path / "set")
    assert not list(study.paths.folder.rglob("*.png"))


def test_two_test_sets_of_one_name_are_refused(study: Study, tmp_path: Path) -> None:
    with study.begin() as begun:
        add_test_set(begun, tmp_path / "truth.csv")
        write(tmp_path, {"other/truth.csv": "image_id,label\na,0\n"})
        with pytest.raises(InputError, match="already has another set of images 'truth'"):
            add_test_set(begun, tmp_path / "other" / "truth.csv")
        add_test_set(begun, tmp_path / "other" / "truth.csv", name="again")
        assert [entry.name for entry in list_test_sets(begun)] == ["truth", "again"]


def test_what_is_there_already_is_left_as_it_is(study: Study, tmp_path: Path) -> None:
    fill(study, tmp_path)
    with study.begin() as begun:
        before = describe_status(begun), list_events(begun)
        again = add_test_set(begun, tmp_path / "truth.csv")
        source = PredictionSource([tmp_path / "good.csv", tmp_path / "bad.csv"])
        answers = add_predictions(begun, source)
        assert (describe_status(begun), list_events(begun)) == before
        assert [entry.participant for entry in answers.entries] == ["good", "bad"]
        # What is new beside it is added.
        write(tmp_path, {"third.csv": (tmp_path / "good.csv").read_text()})
        more = add_predictions(begun, PredictionSource([tmp_path / "good.csv", tmp_path / "third.csv"]))
        assert [entry.participant for entry in more.entries] == ["good", "third"]
        assert list(list_events(begun)[-1].parameters["predictions"]) == ["third"]
    assert again.notes[-1] == "truth is already there with the same images."
    assert answers.notes == (
        "good is already there with the same answers.",
        "bad is already there with the same answers.",
    )


@pytest.mark.parametrize("replace", [False, True])
def test_a_damaged_array_is_mended_by_adding_the_same_answers_again(
    study: Study, tmp_path: Path, *, replace: bool
) -> None:
    good = fill(study, tmp_path)[0]
    path = study.paths.predictions / f"{good.sha256}.npy"
    whole = path.read_bytes()
    path.write_bytes(whole[:-4])
    with study.begin() as begun:
        add_predictions(begun, PredictionSource(tmp_path / "good.csv"), replace=replace)
    assert path.read_bytes() == whole


def test_a_class_that_the_taxonomy_lacks_is_refused(study: Study, tmp_path: Path) -> None:
    write(tmp_path, {"odd.csv": "image_id,label\na,10\n"})
    with study.begin() as begun, pytest.raises(FormatError, match=r"odd.csv, line 2: '10' is not a class of cifar-10"):
        add_test_set(begun, tmp_path / "odd.csv")


def test_predictions_are_stored_in_row_order_whatever_the_order_of_the_file(study: Study, tmp_path: Path) -> None:
    good, bad = fill(study, tmp_path)
    stored = np.load(study.paths.predictions / f"{good.sha256}.npy")
    assert (stored.dtype, stored.tolist()) == (np.int32, [[0], [1], [2], [3]])
    assert (good.k, good.n_answered, good.has_scores, good.test_set) == (1, 4, False, "truth")
    assert (bad.k, bad.has_scores) == (5, True)
    scores = np.load(study.paths.predictions / f"{bad.scores_sha256}.npy")
    assert scores.dtype == np.float32
    assert scores == pytest.approx(np.tile([0.9, 0.8, 0.7, 0.6, 0.5], (4, 1)))


def test_stored_predictions_are_mapped_into_memory_and_equal_what_was_added(study: Study, tmp_path: Path) -> None:
    bad = fill(study, tmp_path)[1]
    with study.read() as begun:
        entry = get_test_set(begun)
        answers = load_predictions(begun, bad, test_set=load_test_set(begun, entry), digest=entry.digest)
    base = answers.classes
    while base.base is not None and not isinstance(base, np.memmap):
        base = base.base
    assert isinstance(base, np.memmap)
    assert answers.classes.tolist() == [[(row + rank) % 10 for rank in range(1, 6)] for row in range(4)]


def test_a_participant_is_replaced_only_when_asked(study: Study, tmp_path: Path) -> None:
    good = fill(study, tmp_path)[0]
    again = PredictionSource(Predictions("good", list("abcd"), [3, 3, 3, 3]))
    with (
        study.begin() as begun,
        pytest.raises(InputError, match="good already has predictions on truth, and these are others"),
    ):
        add_predictions(begun, again)
    with study.begin() as begun:
        add_predictions(begun, again, replace=True)
        assert [entry.participant for entry in list_predictions(begun)] == ["bad", "good"]
    old = study.paths.predictions / f"{good.sha256}.npy"
    assert old.exists()
    open_study(tmp_path / "study", around=make_circumstances()).close()
    assert not old.exists()


def test_files_that_no_row_refers_to_are_swept_unless_somebody_is_at_work(study: Study, tmp_path: Path) -> None:
    fill(study, tmp_path)
    kept = set(study.paths.predictions.iterdir())
    orphans = [study.paths.predictions / name for name in ("0" * 64 + ".npy", "1.2.partial")]
    for orphan in orphans:
        orphan.write_bytes(b"")
    with study.read():
        open_study(tmp_path / "study", around=make_circumstances()).close()
        assert all(orphan.exists() for orphan in orphans)
    open_study(tmp_path / "study", around=make_circumstances()).close()
    assert set(study.paths.predictions.iterdir()) == kept


def test_missing_images_are_refused_or_stay_missing(study: Study, tmp_path: Path) -> None:
    source = PredictionSource(Predictions("half", ["c", "x", "a"], [5, 6, 7], [0.5, 0.6, 0.7]))
    with study.begin() as begun:
        add_test_set(begun, tmp_path / "truth.csv")
        with pytest.raises(MissingImagesError, match="no prediction for 2 of 4 images"):
            add_predictions(begun, source)
        added = add_predictions(begun, source, allow_missing=True)
        entry = get_test_set(begun)
        answers = load_predictions(begun, added.entries[0], test_set=load_test_set(begun, entry), digest=entry.digest)
    assert np.load(study.paths.predictions / f"{added.entries[0].sha256}.npy").ravel().tolist() == [
        7,
        NO_CLASS,
        5,
        NO_CLASS,
    ]
    assert (answers.image_ids.tolist(), answers.classes.ravel().tolist()) == (["a", "c"], [7, 5])
    assert answers.scores is not None
    assert answers.scores.ravel() == pytest.approx([0.7, 0.5])
    assert added.entries[0].n_answered == 2
    assert added.notes == (
        "half has no prediction for 2 of 4 images.",
        "half also answers 1 image that is not in truth (ignored).",
    )


def test_several_test_sets_must_be_told_apart(study: Study, tmp_path: Path) -> None:
    with study.begin() as begun:
        with pytest.raises(InputError, match="no test set yet"):
            add_predictions(begun, PredictionSource(tmp_path / "good.csv"))
        add_test_set(begun, tmp_path / "truth.csv")
        add_test_set(begun, tmp_path / "truth.csv", name="other")
        with pytest.raises(InputError, match="has 2 test sets; say which with `test_set=…`: truth, other"):
            add_predictions(begun, PredictionSource(tmp_path / "good.csv"))
        with pytest.raises(InputError, match="no test set 'third'; it has: truth, other"):
            list_predictions(begun, "third")
        add_predictions(begun, PredictionSource(tmp_path / "good.csv"), test_set="other")
        assert [entry.test_set for entry in list_predictions(begun)] == ["other"]
        assert list_predictions(begun, "truth") == ()


def test_a_prediction_file_that_is_gone_or_damaged_is_said(study: Study, tmp_path: Path) -> None:
    good = fill(study, tmp_path)[0]
    path = study.paths.predictions / f"{good.sha256}.npy"
    with study.read() as begun:
        entry = get_test_set(begun)
        test_set = load_test_set(begun, entry)
        for content, reason in ((b"", "missing or damaged"), (path.read_bytes()[:-4], "missing or damaged")):
            path.write_bytes(content)
            with pytest.raises(StorageError, match=reason):
                load_predictions(begun, good, test_set=test_set, digest=entry.digest)
        np.save(path, np.zeros((3, 1), np.int32))
        with pytest.raises(StorageError, match=r"holds int32 \[3, 1\] where int32 \[4, 1\] was stored"):
            load_predictions(begun, good, test_set=test_set, digest=entry.digest)
        with pytest.raises(StorageError, match="belong to another state of truth"):
            load_predictions(begun, good, test_set=test_set, digest="0" * 64)


def test_the_source_of_predictions_is_kept(study: Study, tmp_path: Path) -> None:
    good = fill(study, tmp_path)[0]
    assert good.provenance["file"] == str(tmp_path / "good.csv")
    assert len(good.provenance["sha256"]) == 64


@pytest.mark.same_sql
@pytest.mark.parametrize("name", ["x\u200by", " blank", "..", "n" * 201, "line\nfeed"])
def test_somebody_new_has_a_name_by_the_one_rule(study: Study, tmp_path: Path, name: str) -> None:
    fill(study, tmp_path)
    answers = Predictions(name, np.array(list("abcd")), np.zeros(4, np.int32))
    with (
        study.begin() as begun,
        pytest.raises(InputError, match=r"A participant has a name of 1 to 200 .* as NAME=PATH\."),
    ):
        add_predictions(begun, PredictionSource(answers))


@pytest.mark.same_sql
@pytest.mark.parametrize("name", ["ViT-B/32", "org/model@384", "GOOD"])
def test_models_may_be_called_as_they_are_elsewhere(study: Study, tmp_path: Path, name: str) -> None:
    fill(study, tmp_path)
    answers = Predictions(name, np.array(list("abcd")), np.zeros(4, np.int32))
    with study.begin() as begun:
        assert [one.participant for one in add_predictions(begun, PredictionSource(answers)).entries] == [name]


def test_whoever_has_another_name_from_before_keeps_it(study: Study, tmp_path: Path) -> None:
    fill(study, tmp_path)
    odd = "line\nfeed"
    with study.begin() as begun:
        begun.connection.execute(update(predictions).where(predictions.c.participant == "good").values(participant=odd))
    answers = Predictions(odd, np.array(list("abcd")), np.zeros(4, np.int32))
    with study.begin() as begun:
        assert add_predictions(begun, PredictionSource(answers), replace=True).entries[0].participant == odd
