"""The demo: it writes what it says, its files give its scores, and it keeps out of other people's folders."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from PIL import Image

from regauge.errors import InputError
from regauge.records.labels import Verdict
from regauge.workflows.demo import Demo, run_demo
from regauge.workflows.inputs import load_truth
from regauge.workflows.scoring import score
from regauge.world import example
from regauge.world.example import LATECOMER, make_example
from regauge.world.shapes import draw_scenes


@pytest.fixture(scope="module")
def small() -> Iterator[None]:
    """A benchmark of a tenth of the size, which takes a tenth of the time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(example, "N_TRAIN", 150)
        patch.setattr(example, "N_TEST", 72)
        yield


@pytest.fixture(scope="module")
def demo(small: None, tmp_path_factory: pytest.TempPathFactory) -> Demo:
    return run_demo(tmp_path_factory.mktemp("demo") / "my demo", rng=np.random.default_rng(0))


def test_everything_that_is_named_is_written(demo: Demo) -> None:
    names = {path.name for path in demo.folder.iterdir()}
    assert names == {
        "made-by-regauge-demo.txt",
        "drawn-shapes.jsonl",
        "taxonomy.json",
        "predictions",
        "images",
        "images.png",
        "scores.csv",
        "scores.svg",
        "scores.html",
    }
    assert demo.figure == demo.folder / "scores.svg"
    assert demo.sheet == demo.folder / "images.png"
    assert len(list((demo.folder / "images").glob("scene-*.png"))) == 72
    assert len(list((demo.folder / "predictions").glob("*.npz"))) == 5
    assert "simulated" in (demo.folder / "made-by-regauge-demo.txt").read_text(encoding="utf-8")


def test_the_pictures_can_be_opened(demo: Demo) -> None:
    with Image.open(demo.folder / "images" / "scene-0000.png") as image:
        assert (image.size, image.mode) == ((48, 48), "RGB")
    with Image.open(demo.sheet) as sheet:
        assert sheet.size == (12 * 104 + 8, 5 * 104 + 8)


def test_the_command_computes_the_same_scores_from_the_files(demo: Demo) -> None:
    # The folder has a space in its name: the command must survive being pasted into a shell.
    words = shlex.split(demo.command)
    assert words[:2] == ["regauge", "score"]
    assert [words[3], words[5]] == ["--truth", "--taxonomy"]
    again = score(words[2], words[4], taxonomy=words[6])
    assert again.to_frame().equals(demo.scores.to_frame())


def test_the_table_holds_the_scores(demo: Demo) -> None:
    table = pl.read_csv(demo.folder / "scores.csv", schema=demo.scores.to_frame().schema)
    assert table.equals(demo.scores.to_frame())


def test_only_the_model_that_came_after_the_review_has_unjudged_predictions(demo: Demo) -> None:
    unjudged = {row.participant: row.n_unjudged for row in demo.scores if row.metric == "multilabel_strict"}
    assert unjudged.pop(LATECOMER) > 0
    assert set(unjudged.values()) == {0}
    assert demo.scores.warnings == ()


def test_the_truth_on_disk_is_the_truth_of_the_scenes(demo: Demo) -> None:
    truth = load_truth(demo.folder / "drawn-shapes.jsonl")
    made = make_example(rng=np.random.default_rng(0))
    assert truth.test_set is not None
    assert truth.test_set.labels.tolist() == made.test_set.labels.tolist()
    for column in ("classes", "verdicts", "starts", "is_problematic", "main_labels"):
        assert getattr(truth.label_sets[0], column).tolist() == getattr(made.label_set, column).tolist()
    assert truth.label_sets[0].unlisted == made.label_set.unlisted


@pytest.mark.usefixtures("small")
def test_the_same_seed_gives_the_same_scores_and_another_seed_others(demo: Demo, tmp_path: Path) -> None:
    same = run_demo(tmp_path / "same", rng=np.random.default_rng(0))
    other = run_demo(tmp_path / "other", rng=np.random.default_rng(1))
    assert same.scores.to_frame().equals(demo.scores.to_frame())
    assert not other.scores.to_frame().equals(demo.scores.to_frame())


@pytest.mark.usefixtures("small")
def test_a_folder_of_an_earlier_demo_is_taken_again(tmp_path: Path) -> None:
    first = run_demo(tmp_path, rng=np.random.default_rng(0))
    second = run_demo(tmp_path, rng=np.random.default_rng(0))
    assert second.scores.to_frame().equals(first.scores.to_frame())


def test_somebody_elses_folder_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("precious")
    message = f"{tmp_path} is not empty and was not made by the demo; name another folder."
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        run_demo(tmp_path, rng=np.random.default_rng(0))
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_place_that_cannot_be_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("precious")
    with pytest.raises(InputError, match=r"file cannot be written: .+\.$"):
        run_demo(tmp_path / "file", rng=np.random.default_rng(0))
    assert (tmp_path / "file").read_text() == "precious"


def test_scenes_know_what_is_in_them() -> None:
    scenes = draw_scenes(300, rng=np.random.default_rng(4))
    assert [sum(scene.main == index for scene in scenes) for index in range(6)] == [50] * 6
    for scene in scenes:
        assert scene.main == scene.correct[0]
        assert len(scene.correct) in {1, 2}
        assert not set(scene.correct) & set(scene.unclear)
        assert scene.is_problematic == (scene.label not in {*scene.correct, *scene.unclear})
        assert scene.to_pixels().shape == (48, 48, 3)
    assert 0 < sum(scene.is_problematic for scene in scenes) < 30
    assert sum(len(scene.correct) == 2 for scene in scenes) == pytest.approx(90, abs=32)


@pytest.mark.usefixtures("small")
def test_the_review_says_of_every_label_and_reviewed_answer_what_the_scene_knows() -> None:
    made = make_example(rng=np.random.default_rng(2))
    rows = made.label_set.rows
    judged = set(zip(rows.tolist(), made.label_set.classes.tolist(), strict=True))
    expected = {(row, label) for row, label in enumerate(made.test_set.labels.tolist())}
    for one in made.predictions:
        if one.participant != LATECOMER:
            expected |= {(row, answer) for row, answer in enumerate(one.classes[:, 0].tolist())}
    assert judged == expected
    problematic = made.label_set.is_problematic
    labels_wrong = {
        row
        for row, index, verdict in zip(rows.tolist(), made.label_set.classes, made.label_set.verdicts, strict=True)
        if verdict == Verdict.WRONG and index == made.test_set.labels[row]
    }
    assert labels_wrong == set(np.flatnonzero(problematic).tolist())


def test_models_trained_on_shapes_do_better_than_on_colour_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(example, "N_TRAIN", 600)
    monkeypatch.setattr(example, "N_TEST", 300)
    made = make_example(rng=np.random.default_rng(0))
    scores = score(made.predictions, made.truth, taxonomy=made.taxonomy)
    colour, edges = scores.get("colour-centroid", "top1"), scores.get("edges-ridge", "top1")
    # Chance is a sixth. The intervals of the weakest and a good model are far apart.
    assert colour.high is not None
    assert edges.low is not None
    assert colour.high < 0.3
    assert edges.low > 0.5
    assert scores.warnings == ()
