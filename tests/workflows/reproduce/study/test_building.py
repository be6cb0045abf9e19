"""A study of released data: what is there is in it, what is not is named, and it is whole or not made at all."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.formats.clones import World, write_json
from tests.workflows.reproduce.study.released import (
    MODELS,
    list_lines,
    make_in,
    write_contains,
    write_released,
    write_reviewed,
    write_sets,
)

import regauge
from regauge.errors import FormatError, InputError
from regauge.records.reproductions import ReleasedStudy
from regauge.records.studies import Selection
from regauge.storage.labels.evidence import find_evidence, find_frequencies, find_objects
from regauge.storage.labels.label_set import get_label_set, load_label_set
from regauge.storage.mistakes.codings import list_codings
from regauge.storage.predictions import list_predictions, load_predictions
from regauge.storage.slices.slices import list_slices
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import get_test_set, list_test_sets, load_test_set
from regauge.workflows.evaluation.context import study_context
from regauge.workflows.evaluation.evaluations import evaluate
from regauge.workflows.evaluation.kept_answers import KEPT, find_kept
from regauge.workflows.site.source import open_site
from regauge.workflows.studies.study import open_study

VALIDATION, MATCHED = "imagenet-val", "imagenetv2-matched-frequency"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[World, ReleasedStudy, Path]:
    folder = tmp_path_factory.mktemp("released")
    world = write_released(folder / "data")
    return world, make_in(folder), folder


@pytest.fixture
def study(made: tuple[World, ReleasedStudy, Path]) -> Iterator[Study]:
    with open_study(made[2] / "study") as opened, opened.read() as begun:
        yield begun


def test_all_sets_and_answers_are_there(made: tuple[World, ReleasedStudy, Path], study: Study) -> None:
    world = made[0]
    assert [one.name for one in list_test_sets(study)] == [
        VALIDATION,
        MATCHED,
        "imagenetv2-threshold-0.7",
        "imagenetv2-top-images",
    ]
    entry = get_test_set(study, MATCHED)
    images = load_test_set(study, entry)
    assert dict(zip(images.image_ids.tolist(), images.labels.tolist(), strict=True)) == dict(
        zip(world.images["imagenetv2-b-33"], world.labels["imagenetv2-b-33"], strict=True)
    )
    for one in list_predictions(study, entry):
        answers = load_predictions(study, one, test_set=images, digest=entry.digest)
        # fv_16k lies worst first on this set, and its answers are best first here.
        np.testing.assert_array_equal(answers.classes, world.answers["imagenetv2-b-33", one.participant])
    assert {one.participant for one in list_predictions(study)} == set(MODELS)


def test_labels_have_objects_main_labels_and_evidence(study: Study) -> None:
    entry = get_label_set(study, "tsipras2020")
    labels, objects = load_label_set(study, entry), find_objects(study, entry)
    # 60 images that people were asked about, and 130 easy ones; every third of the 60 has two objects.
    assert (len(labels), len(labels.classes)) == (190, 210)
    assert objects is not None
    assert int((objects.n_objects == 2).sum()) == 20
    found = find_evidence(study, entry).by_pair
    first, easy = "ILSVRC2012_val_00000001", "ILSVRC2012_val_00000061"
    assert found[first, 1].note == "selected in 9 of 9 answers, as the main label in 9"
    assert found[first, 0].note == "selected in 9 of 9 answers, as the main label in 0"
    assert found[easy, 12].rule == "easy in CONTAINS: one object, its dataset label"


def test_who_is_known_by_mistakes_alone_is_not_scored(made: tuple[World, ReleasedStudy, Path], study: Study) -> None:
    (coding,) = list_codings(study)
    assert (coding.participant, coding.n_coded, coding.n_overturned) == ("ViT-3B", 2, 1)
    assert "ViT-3B has no score: only its mistakes are known, not its answers" in " ".join(list_lines(made[1]))
    assert "ViT-3B" not in {one.participant for one in list_predictions(study)}


def test_parts_of_the_split_are_slices(study: Study) -> None:
    assert {one.name: one.n_images for one in list_slices(study)} == {
        "tsipras2020-easy": 130,
        "tsipras2020-follow-up": 60,
        "tsipras2020-mislabeled": 10,
    }


def test_each_thing_that_is_not_there_is_named_once(made: tuple[World, ReleasedStudy, Path]) -> None:
    left_out = {f"{part.what} {part.name}": part.detail for part in made[1].left_out}
    assert left_out == {
        "label set shankar2020-reviewed": "not in the folders given: human_accuracy_v3.0.0.json",
        "label set tsipras2020-contains": "not in the folders given: data/annotations_contains_task.pkl",
        "coded mistakes Greedy Soups": (
            "not in the folders given: vasudevan2022_mistakes_greedy_soups.json or metadata/greedy_soups_mistakes.json"
        ),
        "test set CIFAR-10.1": "its classes are not those of ImageNet, and a study has one taxonomy",
    }
    assert len(made[1].parts) == len(made[1].added) + len(left_out)


def test_the_commands_of_a_study_work_on_it(made: tuple[World, ReleasedStudy, Path]) -> None:
    with open_study(made[2] / "study") as opened, opened.begin() as begun:
        scores = evaluate(begun, Selection(VALIDATION)).scores.to_frame()
        assert set(scores["participant"]) == set(MODELS)
        found = study_context(begun, Selection(VALIDATION), "objects", n_bootstrap=100)
        assert any("Answers to CLASSIFY are those behind tsipras2020@1" in note for note in found.notes)
        assert [one.name for one in open_site(begun).labels] == ["beyer2020-real", "tsipras2020"]


def test_answers_that_were_left_behind_are_missed_aloud(
    made: tuple[World, ReleasedStudy, Path], tmp_path: Path
) -> None:
    copy = tmp_path / "study"
    shutil.copytree(made[2] / "study", copy)
    shutil.rmtree(copy / "answers")
    with open_study(copy) as opened, opened.read() as begun:
        found = study_context(begun, Selection(VALIDATION), "objects", n_bootstrap=100)
    assert any("The answers behind tsipras2020@1 are not in" in note for note in found.notes)


@pytest.mark.parametrize("name", ["../study.toml", "/etc/passwd", "..", 3, "link.jsonl"])
def test_no_name_of_answers_leads_out_of_the_study(
    name: object, made: tuple[World, ReleasedStudy, Path], study: Study
) -> None:
    link = study.paths.answers / "link.jsonl"
    if not link.is_symlink():
        link.symlink_to(made[2] / "data/reassessed-imagenet/real.json")
    entry = get_label_set(study, "tsipras2020")
    object.__setattr__(entry, "provenance", {KEPT: {"classify": name}})
    assert find_kept(study, [entry]).responses is None


def test_counts_and_reviews_are_taken_where_they_are_there(tmp_path: Path) -> None:
    write_sets(tmp_path / "data")
    write_contains(tmp_path / "data")
    write_reviewed(tmp_path / "data")
    lines = list_lines(make_in(tmp_path))
    assert "label set shankar2020-reviewed@1: 10 images, 10 verdicts" in lines
    assert "label set tsipras2020-contains@1: 40 images, 80 verdicts, with selection frequencies" in lines
    assert any(line.startswith("predictions models of Tsipras et al. (2020): on some of the images") for line in lines)
    assert any(line.startswith("label set beyer2020-real: not in the folders given: real.json") for line in lines)
    with open_study(tmp_path / "study") as opened, opened.read() as begun:
        counts = find_frequencies(begun, get_label_set(begun, "tsipras2020-contains"))
    assert counts is not None
    assert (int(counts.n_shown.sum()), int(counts.n_selected.sum())) == (720, 360)


def test_a_folder_with_something_in_it_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    write_sets(tmp_path / "data")
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "notes.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match="exists and is not an empty folder"):
        make_in(tmp_path)
    assert [path.name for path in (tmp_path / "study").iterdir()] == ["notes.txt"]


def test_an_empty_folder_becomes_the_study(tmp_path: Path) -> None:
    write_sets(tmp_path / "data")
    (tmp_path / "study").mkdir()
    made = regauge.make_released_study([tmp_path / "data"], tmp_path / "study")
    assert made.folder == str(tmp_path / "study")
    assert (tmp_path / "study").stat().st_mode & 0o077 == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "study"]
    with open_study(tmp_path / "study") as opened, opened.read() as begun:
        assert len(list_test_sets(begun)) == 4


def test_a_damaged_file_leaves_nothing(tmp_path: Path) -> None:
    write_sets(tmp_path / "data")
    write_json(tmp_path / "data/reassessed-imagenet/real.json", {"not": "lists"})
    with pytest.raises(FormatError, match=r"real\.json"):
        regauge.make_released_study(tmp_path / "data", tmp_path / "new" / "study")
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


def test_data_without_a_set_of_imagenet_make_no_study(tmp_path: Path) -> None:
    write_json(tmp_path / "data/real.json", [[1]])
    with pytest.raises(InputError, match="No test set of ImageNet is in the folders given"):
        make_in(tmp_path)
    assert not (tmp_path / "study").exists()
