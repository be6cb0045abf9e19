"""The study of released data, from the three models of the clones and half of the CLASSIFY answers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from regauge.records.reproductions import ReleasedStudy
from regauge.records.studies import Selection
from regauge.storage.slices.slices import list_slices
from regauge.storage.study import Study
from regauge.workflows.evaluation.context import study_context
from regauge.workflows.evaluation.evaluations import evaluate
from regauge.workflows.reproduce.study.building import make_released_study
from regauge.workflows.studies.study import open_study

ANSWERS = ("tsipras2020_classify_half.jsonl", "tsipras2020_split.csv")


@pytest.fixture(scope="module")
def made(published: Path, shared: Path, tmp_path_factory: pytest.TempPathFactory) -> ReleasedStudy:
    folder = tmp_path_factory.mktemp("released")
    (folder / "answers").mkdir()
    for name in ANSWERS:
        (folder / "answers" / name).symlink_to(published / name)
    return make_released_study([shared / "clones", folder / "answers"], folder / "study")


@pytest.fixture
def study(made: ReleasedStudy) -> Iterator[Study]:
    with open_study(made.folder) as opened, opened.begin() as begun:
        yield begun


def test_the_study_has_what_was_released(made: ReleasedStudy) -> None:
    details = {f"{part.what} {part.name}": part.detail for part in made.added}
    assert details["label set beyer2020-real@1"] == "50,000 images, 57,553 verdicts"
    assert details["label set tsipras2020@1"].startswith("6,303 images, 7,773 verdicts")
    # 378 in all, of which reassessed labels accept 85.
    assert details["coded mistakes vit-3b@1"].startswith("293 coded under beyer2020-real@1, 85 more overturned")
    assert any("has answers on 3,380 of 6,761 follow-up images" in note for note in made.notes)
    assert any("On threshold07, fv_16k is stored worst first" in note for note in made.notes)


def test_the_parts_of_the_split_are_those_of_the_release(study: Study) -> None:
    sizes = {one.name.removeprefix("tsipras2020-"): one.n_images for one in list_slices(study)}
    assert sizes == {"easy": 2_923, "follow-up": 6_761, "ambiguous": 166, "mislabeled": 150}


def test_scores_are_the_published_ones(study: Study) -> None:
    chosen = Selection("imagenet-val", labels=["beyer2020-real"], participants=["resnet50"])
    scores = evaluate(study, chosen).scores.to_frame()
    values = dict(zip(scores["metric"], scores["value"], strict=True))
    assert round(100 * values["top1"], 2) == 76.13
    assert round(100 * values["real"], 2) == 82.96


def test_answers_are_found_by_the_analyses(study: Study) -> None:
    found = study_context(study, Selection("imagenet-val", participants=["alexnet"]), "mislabeled")
    rows = {row["rule"]: (row["n_images"], row["n"]) for row in found.tables["counts"].iter_rows(named=True)}
    assert (150, 10_000) in rows.values()
    assert (65, 3_380) in rows.values()
