"""The demo: it writes what it says, its files give its scores, and it keeps out of other people's folders."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from PIL import Image
from tests.simulated import SMALL, TINY, make_demo
from tests.storage.making import make_circumstances

import regauge.workflows.demo as module
from regauge.errors import InputError
from regauge.records.labels import Verdict
from regauge.records.screening import ScreeningRules
from regauge.records.studies import StudyStatus
from regauge.responses.screening import screen
from regauge.workflows.aggregate_classify import aggregate_classify
from regauge.workflows.aggregate_contains import aggregate_contains
from regauge.workflows.campaign_responses import load_answers, to_contains_responses
from regauge.workflows.campaigns import get_campaign, measure_progress
from regauge.workflows.demo import FULL, IMAGE_SIDE, USUAL, Demo, Extent
from regauge.workflows.demo_life import RUNNING
from regauge.workflows.inputs import load_truth
from regauge.workflows.scoring import score
from regauge.workflows.shifts import TestSetAnswers, shift
from regauge.workflows.studies import describe_status, open_study
from regauge.world.collections import SIDE, Sizes, World, make_world


@pytest.fixture(scope="module")
def status(demo: Demo) -> StudyStatus:
    study = open_study(demo.study, around=make_circumstances())
    try:
        assert "simulated" in study.about
        with study.read() as begun:
            return describe_status(begun)
    finally:
        study.close()


@pytest.fixture(scope="module")
def world() -> World:
    """The world of the demo, with empty pictures: what is in them does not depend on their being drawn."""
    return make_world(
        np.random.default_rng(0),
        sizes=SMALL.sizes,
        draw=lambda scenes: np.zeros((len(scenes), SIDE, SIDE, 3), np.uint8),
    )


# What is in the folder


def test_everything_that_is_named_is_written(demo: Demo) -> None:
    names = {path.name for path in demo.folder.iterdir()}
    files = {"made-by-regauge-demo.txt", "taxonomy.json", "original.jsonl", "new.jsonl", "pool.csv"}
    assert names >= files | {"images.png", "images", "predictions", "report", "study"}
    for name in ("original", "new"):
        assert len(list((demo.folder / "images" / name).glob("*.jpg"))) == SMALL.sizes.original
        assert len(list((demo.folder / "predictions" / name).glob("*.npz"))) == 11


def test_the_pictures_can_be_opened(demo: Demo) -> None:
    with Image.open(demo.folder / "images" / "original" / "original-00000.jpg") as image:
        assert (image.size, image.mode) == ((IMAGE_SIDE, IMAGE_SIDE), "RGB")
    with Image.open(demo.folder / "images.png") as sheet:
        assert sheet.size == (1_280, 768)


def test_the_study_holds_both_sets_with_truth_and_all_models(status: StudyStatus) -> None:
    assert [(entry.name, entry.n_images) for entry in status.test_sets] == [("original", 192), ("new", 192)]
    assert len(status.predictions) == 2 * 11
    assert [(entry.test_set, entry.labels) for entry in status.evaluations] == [
        ("original", ("simulated-original@1",)),
        ("new", ("simulated-new@1", "simulated-crowd@1", "simulated-objects@1")),
    ]
    assert [(entry.original, entry.new) for entry in status.comparisons] == [("original", "new")]


def test_the_demo_says_that_it_is_simulated_wherever_it_shows(demo: Demo, status: StudyStatus) -> None:
    assert "simulated" in (demo.folder / "made-by-regauge-demo.txt").read_text(encoding="utf-8")
    assert status.taxonomy == "simulated-world"
    assert {entry.name for entry in status.label_sets} == {
        "simulated-original",
        "simulated-new",
        "simulated-crowd",
        "simulated-objects",
    }
    assert "simulated-new@1" in set(demo.new.to_frame()["labels"])
    assert "Everything here is simulated" in demo.report.page.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["original", "new"])
def test_the_files_give_the_scores_of_the_study(demo: Demo, name: str) -> None:
    again = score(
        demo.folder / "predictions" / name,
        demo.folder / f"{name}.jsonl",
        taxonomy=demo.folder / "taxonomy.json",
        by=["family"],
    )
    found = (demo.original if name == "original" else demo.new).to_frame()
    # What the simulated annotators found is in the study alone.
    stored = found.filter(pl.col("labels").is_in(["dataset", f"simulated-{name}@1"]))
    assert again.to_frame().drop("labels").equals(stored.drop("labels"))
    assert {"multilabel_strict", "main_label", "top5"} <= set(stored["metric"])
    assert {"all", "food", "animal"} <= set(stored["subset"])


def test_the_files_give_the_comparison_of_the_study(demo: Demo) -> None:
    sides = [
        TestSetAnswers(demo.folder / "predictions" / name, demo.folder / f"{name}.jsonl")
        for name in ("original", "new")
    ]
    again = shift(sides[0], sides[1], taxonomy=demo.folder / "taxonomy.json")
    assert again.to_frame().equals(demo.shift.to_frame())
    assert (again.fits[0].slope, again.fits[0].slope_low) == (demo.shift.fits[0].slope, demo.shift.fits[0].slope_low)


def test_the_truth_on_disk_is_the_truth_of_the_scenes(demo: Demo, world: World) -> None:
    truth = load_truth(demo.folder / "original.jsonl")
    expected = world.original.to_label_set()
    assert truth.test_set is not None
    assert truth.test_set.labels.tolist() == world.original.labels.tolist()
    for column in ("classes", "verdicts", "starts", "is_problematic", "main_labels"):
        assert getattr(truth.label_sets[0], column).tolist() == getattr(expected, column).tolist()
    assert truth.label_sets[0].unlisted == expected.unlisted


def test_the_new_set_comes_from_the_pool_without_copies_and_plainly_wrong_labels(demo: Demo, world: World) -> None:
    truth = load_truth(demo.folder / "new.jsonl")
    assert not truth.label_sets[0].is_problematic.any()
    pool = world.pool
    unfit = set(pool.image_ids[pool.is_copy | (pool.label_verdicts == Verdict.WRONG)].tolist())
    chosen = set(truth.label_sets[0].image_ids.tolist())
    assert unfit
    assert chosen <= set(pool.image_ids.tolist()) - unfit


def test_the_pool_tells_by_which_query_and_when_each_image_was_found(demo: Demo, world: World) -> None:
    table = pl.read_csv(demo.folder / "pool.csv", try_parse_dates=True)
    assert table.columns == ["image_id", "class", "query", "taken_on", "uploaded_on"]
    assert table["query"].to_list() == world.pool.queries.tolist()
    assert table["taken_on"].to_list() == world.pool.taken_on.tolist()
    names = {one.id: one.names for one in world.taxonomy.classes}
    assert all(query in names[class_id] for class_id, query in table.select("class", "query").iter_rows())


def test_models_differ_widely(demo: Demo) -> None:
    accuracies = [model.original.value for model in demo.shift.models]
    assert max(accuracies) - min(accuracies) > 0.25
    assert min(accuracies) > 2 / 32
    assert demo.original.warnings == demo.new.warnings == ()


def test_the_demo_has_a_dozen_models_and_the_full_one_more_of_everything() -> None:
    assert 8 + len(USUAL.n_filters) >= 12
    assert max(FULL.n_filters) > max(USUAL.n_filters)
    for name in ("training", "original", "pool"):
        assert getattr(FULL.sizes, name) == 2 * getattr(USUAL.sizes, name)


def test_simulated_annotators_find_what_is_true(demo: Demo) -> None:
    contains, frequencies, classify = demo.crowd
    assert (contains.campaign, classify.campaign) == ("simulated-contains", "simulated-classify")
    assert contains.n_right / contains.n > 0.9
    assert classify.n_right / classify.n > 0.6
    assert frequencies.low < frequencies.mean < frequencies.high
    assert 0.5 < frequencies.mean / frequencies.by_chance < 2
    assert "from the true ones" in str(frequencies)
    assert {"selection_frequency", "single_object"} <= set(demo.new.to_frame()["metric"])


def test_a_third_campaign_is_under_way_and_the_rules_would_drop_who_selects_nothing(demo: Demo) -> None:
    study = open_study(demo.study, around=make_circumstances())
    with study.read() as reading:
        campaign = get_campaign(reading, RUNNING)
        progress = measure_progress(reading, campaign)
        answers = load_answers(reading, RUNNING)
    study.close()
    assert progress.n_annotators == 10
    assert 0 < progress.n_counted < progress.n_needed
    moments = [one.received_at for one in answers.answers]
    assert moments == sorted(moments)
    assert str(campaign.opened_at) < moments[0] <= moments[-1] < make_circumstances().now()
    screened = screen(to_contains_responses(answers), ScreeningRules())
    assert np.count_nonzero(screened.is_dropped) == 1


def test_the_answers_that_the_demo_writes_can_be_aggregated(demo: Demo) -> None:
    found = aggregate_contains(demo.folder / "contains.csv", taxonomy=demo.folder / "taxonomy.json")
    assert len(found.responses) == demo.crowd.contains.n_answers
    objects = aggregate_classify(demo.folder / "classify.jsonl", taxonomy=demo.folder / "taxonomy.json")
    assert len(objects.labels) == demo.crowd.classify.n


# Runs


def read_all(folder: Path) -> dict[str, bytes]:
    """The files beside the study and its report, which name their folder; NPZ files hold a time."""
    own = {folder / "study", folder / "report"}
    files = [path for path in folder.rglob("*") if path.is_file() and not own & set(path.parents)]
    kept = [path for path in files if path.suffix != ".npz"]
    return {str(path.relative_to(folder)): path.read_bytes() for path in kept}


def test_the_same_seed_gives_the_same_demo_in_any_number_of_processes_and_another_seed_another(tmp_path: Path) -> None:
    one, two = (make_demo(tmp_path / str(n), extent=TINY, n_processes=n) for n in (1, 2))
    other = make_demo(tmp_path / "other", seed=1, extent=TINY)
    assert one.original.to_frame().equals(two.original.to_frame())
    assert one.new.to_frame().equals(two.new.to_frame())
    assert one.shift.to_frame().equals(two.shift.to_frame())
    assert read_all(one.folder) == read_all(two.folder)
    assert not one.original.to_frame().equals(other.original.to_frame())


def test_a_second_run_replaces_the_first_and_leaves_other_files_alone(tmp_path: Path) -> None:
    make_demo(tmp_path, extent=Extent(Sizes(64, 70, 96), (2, 3), n_asked=4))
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    second = make_demo(tmp_path, extent=TINY)
    assert len(list((tmp_path / "images" / "original").glob("*.jpg"))) == 64
    names = {path.stem for path in (tmp_path / "predictions" / "new").glob("*.npz")}
    assert names == {model.name for model in second.shift.models}
    assert "patches-3-ridge" not in names
    assert (tmp_path / "notes.txt").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("step", ["make_world", "add_predictions", "write_report"])
def test_a_demo_that_was_stopped_half_way_can_be_run_again(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_arguments: object, **_options: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(module, step, stop)
        with pytest.raises(KeyboardInterrupt):
            make_demo(tmp_path, extent=TINY)
    assert (tmp_path / "made-by-regauge-demo.txt").is_file()
    again = make_demo(tmp_path, extent=TINY)
    assert len(again.shift.models) == 9


# Other people's folders


def test_somebody_elses_folder_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("precious", encoding="utf-8")
    message = f"{tmp_path} is not empty and was not made by the demo; name another folder."
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        make_demo(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_place_that_cannot_be_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("precious", encoding="utf-8")
    with pytest.raises(InputError, match=r"file cannot be written: .+\.$"):
        make_demo(tmp_path / "file")
    assert (tmp_path / "file").read_text(encoding="utf-8") == "precious"
