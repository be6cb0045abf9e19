"""Images to look at: drawn by the seed, with the answers that were evaluated; those that cannot be read are counted."""

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
from regauge.report.content import ImageSample, ShownOutcome
from regauge.storage.database.schema import images
from regauge.storage.labels import list_label_sets
from regauge.workflows.labels.label_set import add_labels
from regauge.workflows.predictions import PredictionSource, add_predictions
from regauge.workflows.studies.study import Study
from regauge.workflows.testsets.samples import N_SHOWN, sample_images
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


def draw(study: Study, *, labels: str | None = None, seed: int = 0) -> ImageSample:
    with study.read() as begun:
        (entry,) = list_test_sets(begun)
        chosen = next((one for one in list_label_sets(begun) if one.full_name == labels), None)
        found = sample_images(begun, entry, participant="model", label_set=chosen, seed=seed)
    assert found is not None
    return found


def test_images_are_drawn_by_the_seed_with_labels_and_answers(study: Study, folder: Path) -> None:
    found = draw(study)
    assert (found.participant, found.labels, found.n_images, found.n_missed) == ("model", "dataset", N, 20)
    assert len(found.anyone) == len(found.missed) == N_SHOWN
    for image in (*found.anyone, *found.missed):
        is_first = IDS.index(image.image_id) < 10
        assert image.dataset_label == ("airplane" if is_first else "automobile")
        assert (image.answer, image.standing) == ("airplane", ShownOutcome.RIGHT if is_first else ShownOutcome.WRONG)
        assert image.correct is None
        with Image.open(io.BytesIO(image.picture)) as picture:
            assert picture.size == (40, 20)
            shade = picture.getpixel((10, 10))[0]  # type: ignore[index]
        assert shade == pytest.approx(8 * IDS.index(image.image_id), abs=6)
    assert {image.standing for image in found.missed} == {ShownOutcome.WRONG}
    assert draw(study) == found
    assert draw(study, seed=1) != found


def test_a_label_set_judges_and_tells_what_people_found(study: Study, folder: Path) -> None:
    people = LabelSet.from_lists(
        "people",
        IDS,
        correct=[[0, 1]] * 5 + [[1]] * 5 + [[]] * 20,
        unclear=[[]] * 10 + [[0]] * 5 + [[]] * 15,
        wrong=[[]] * 5 + [[0]] * 5 + [[]] * 20,
        is_problematic=[False] * 25 + [True] * 5,
        unlisted=Unlisted.UNJUDGED,
    )
    with study.begin() as begun:
        add_labels(begun, people)
    found = draw(study, labels="people@1")
    assert (found.labels, found.n_missed, len(found.missed)) == ("people@1", 5, 5)
    standings = {
        **dict.fromkeys(IDS[:5], ShownOutcome.RIGHT),
        **dict.fromkeys(IDS[5:10], ShownOutcome.WRONG),
        **dict.fromkeys(IDS[10:15], ShownOutcome.RIGHT),
        **dict.fromkeys(IDS[15:25], ShownOutcome.UNJUDGED),
        **dict.fromkeys(IDS[25:], ShownOutcome.NOT_COUNTED),
    }
    for image in (*found.anyone, *found.missed):
        assert image.standing is standings[image.image_id]
    first = next(image for image in found.missed)
    assert (first.correct, first.unclear) == (("automobile",), ())


def test_files_that_are_missing_broken_or_too_large_are_skipped_and_counted(
    study: Study, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = draw(study)
    drawn = [image.image_id for image in whole.anyone]
    (folder / f"{drawn[0]}.png").unlink()
    (folder / f"{drawn[1]}.png").write_bytes(b"no picture")
    (folder / f"{drawn[2]}.png").write_bytes((folder / f"{drawn[3]}.png").read_bytes()[:60])
    Image.new("L", (200, 200)).save(folder / f"{drawn[4]}.png")
    monkeypatch.setattr("regauge.formats.images.pictures.MAX_PIXELS", 30_000)
    found = draw(study)
    lost = {*drawn[:3], drawn[4]}
    assert [image.image_id for image in found.anyone] == [one for one in drawn if one not in lost]
    also = [image.image_id for image in whole.missed if image.image_id in lost]
    assert found.n_missing == 4 + len(also)
    assert found.n_missed == whole.n_missed


@pytest.mark.parametrize("path", ["../secret.png", "/etc/hostname", "below/../../secret.png"])
def test_a_path_out_of_the_folder_is_not_followed(study: Study, folder: Path, path: str) -> None:
    Image.new("RGB", (8, 8)).save(folder.parent / "secret.png")
    with study.begin() as begun:
        begun.connection.execute(update(images).values(path=path))
    found = draw(study)
    assert (found.anyone, found.missed, found.n_missing) == ((), (), 2 * N_SHOWN)


def test_without_image_files_there_is_nothing_to_show(study: Study, tmp_path: Path) -> None:
    (tmp_path / "plain.jsonl").write_text(json.dumps({"image_id": "a", "label": 0}) + "\n")
    with study.begin() as begun:
        entry = add_test_set(begun, tmp_path / "plain.jsonl").entry
        add_predictions(begun, PredictionSource(Predictions("model", ["a"], [0])))  # type: ignore[arg-type]
        assert sample_images(begun, entry, participant="model", label_set=None) is None


def test_an_answer_that_is_not_there_is_none(study: Study, folder: Path) -> None:
    with study.begin() as begun:
        half = Predictions("model", np.array(IDS[:1]), np.zeros(1, np.int32))
        add_predictions(begun, PredictionSource(half), replace=True, allow_missing=True)
    answers = {image.image_id: image.answer for image in (*draw(study).anyone, *draw(study, seed=3).anyone)}
    assert {answer for image_id, answer in answers.items() if image_id != IDS[0]} == {None}
