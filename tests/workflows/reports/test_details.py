"""Mistakes to look at: chosen by the seed, with the answers that were evaluated; those that cannot be read are counted."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from sqlalchemy import update

from regauge import LabelSet, Predictions
from regauge.records.labels.label_set import Unlisted
from regauge.report.content import MistakeImages, ShownOutcome
from regauge.storage.database.schema import images
from regauge.storage.labels.label_set import list_label_sets
from regauge.storage.predictions import list_predictions
from regauge.workflows.labels.label_set import add_labels
from regauge.workflows.predictions import PredictionSource, add_predictions
from regauge.workflows.reports.details import N_SHOWN, EvaluatedAnswers, look_closer
from regauge.workflows.studies.study import Study
from regauge.workflows.testsets.test_set import add_test_set, list_test_sets

N = 30
IDS = [f"image-{row:02d}" for row in range(N)]


@pytest.fixture
def folder(study: Study, tmp_path: Path) -> Path:
    """Pictures of a test set in the study; whoever answers class 0 everywhere is right on the first ten."""
    below = tmp_path / "pictures"
    below.mkdir()
    lines = ["image_id,label,file"]
    for row, image_id in enumerate(IDS):
        Image.new("RGB", (40, 20), (8 * row, 0, 0)).save(below / f"{image_id}.png")
        lines.append(f"{image_id},{0 if row < 10 else 1},{image_id}.png")
    (below / "images.csv").write_text("\n".join(lines) + "\n")
    with study.begin() as begun:
        add_test_set(begun, below / "images.csv", name="seen")
        model = Predictions("model", np.array(IDS), np.zeros(N, np.int32))
        add_predictions(begun, PredictionSource(model), test_set="seen")
    return below


def look(study: Study, *, labels: str | None = None, seed: int = 0) -> MistakeImages | None:
    with study.read() as begun:
        (entry,) = list_test_sets(begun)
        chosen = next((one for one in list_label_sets(begun) if one.full_name == labels), None)
        measure = ("top1", "dataset") if labels is None else ("multilabel_lenient", labels)
        evaluated = EvaluatedAnswers(entry, chosen, list_predictions(begun, entry), measure, 0.95)
        return look_closer(begun, evaluated, seed=seed)[1]


def show(study: Study, **options: object) -> MistakeImages:
    found = look(study, **options)  # type: ignore[arg-type]
    assert found is not None
    return found


def test_mistakes_are_chosen_by_the_seed_with_labels_and_answers(study: Study, folder: Path) -> None:
    found = show(study)
    assert (found.participant, found.labels, found.n_wrong, found.n_missing) == ("model", "dataset", 20, 0)
    assert len(found.images) == N_SHOWN
    for image in found.images:
        assert IDS.index(image.image_id) >= 10
        assert (image.dataset_label, image.answer, image.standing) == ("automobile", "airplane", ShownOutcome.WRONG)
        assert image.correct is None
        with Image.open(io.BytesIO(image.picture)) as picture:
            assert picture.size == (40, 20)
            shade = picture.getpixel((10, 10))[0]  # type: ignore[index]
        assert shade == pytest.approx(8 * IDS.index(image.image_id), abs=6)
    assert show(study) == found
    assert show(study, seed=1) != found


def test_a_label_set_judges_and_tells_what_people_found(study: Study, folder: Path) -> None:
    people = LabelSet.from_lists(
        "people",
        IDS,
        correct=[[0, 1]] * 5 + [[1]] * 5 + [[]] * 20,
        unclear=[[2]] * 10 + [[0]] * 5 + [[]] * 15,
        wrong=[[]] * 5 + [[0]] * 5 + [[]] * 20,
        is_problematic=[False] * 25 + [True] * 5,
        unlisted=Unlisted.UNJUDGED,
    )
    with study.begin() as begun:
        add_labels(begun, people)
    found = show(study, labels="people@1")
    # Right or unclear, unjudged and problematic ones are not mistakes.
    assert (found.labels, found.n_wrong) == ("people@1", 5)
    assert {image.image_id for image in found.images} == set(IDS[5:10])
    assert {(image.correct, image.unclear) for image in found.images} == {(("automobile",), ("bird",))}


def test_files_that_are_missing_broken_or_too_large_are_skipped_and_counted(
    study: Study, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = [image.image_id for image in show(study).images]
    (folder / f"{whole[0]}.png").unlink()
    (folder / f"{whole[1]}.png").write_bytes(b"no picture")
    (folder / f"{whole[2]}.png").write_bytes((folder / f"{whole[3]}.png").read_bytes()[:60])
    Image.new("L", (200, 200)).save(folder / f"{whole[4]}.png")
    monkeypatch.setattr("regauge.formats.images.pictures.MAX_PIXELS", 30_000)
    found = show(study)
    assert [image.image_id for image in found.images] == [whole[3], *whole[5:]]
    assert (found.n_missing, found.n_wrong) == (4, 20)


@pytest.mark.same_sql
@pytest.mark.parametrize("path", ["../secret.png", "/etc/hostname", "below/../../secret.png"])
def test_a_path_out_of_the_folder_is_not_followed(study: Study, folder: Path, path: str) -> None:
    Image.new("RGB", (8, 8)).save(folder.parent / "secret.png")
    with study.begin() as begun:
        begun.connection.execute(update(images).values(path=path))
    found = show(study)
    assert (found.images, found.n_missing) == ((), N_SHOWN)


def test_without_image_files_there_is_nothing_to_show(study: Study, tmp_path: Path) -> None:
    (tmp_path / "plain.jsonl").write_text(json.dumps({"image_id": "a", "label": 0}) + "\n")
    with study.begin() as begun:
        add_test_set(begun, tmp_path / "plain.jsonl")
        add_predictions(begun, PredictionSource(Predictions("model", ["a"], [0])))
    assert look(study) is None


def test_an_image_without_answer_is_no_mistake(study: Study, folder: Path) -> None:
    with study.begin() as begun:
        part = Predictions("model", np.array(IDS[9:11]), np.zeros(2, np.int32))
        add_predictions(begun, PredictionSource(part), replace=True, allow_missing=True)
    found = show(study)
    assert (found.n_wrong, [image.image_id for image in found.images]) == (1, [IDS[10]])
