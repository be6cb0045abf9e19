"""The demo: it writes what it says, its files give its scores, and it keeps out of other people's folders."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from math import isclose
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from PIL import Image
from tests.simulated import SMALL, TINY, make_demo
from tests.storage.small_studies import make_circumstances
from tests.workflows.answer_rows import read_answers

import regauge.workflows.demo.flow as module
from regauge.errors import InputError
from regauge.records.evaluation.gaps import MEAN
from regauge.records.labels.verdicts import Verdict
from regauge.records.predictions import ParticipantKind
from regauge.records.responses.screening import ScreeningRules
from regauge.records.studies import StudyStatus
from regauge.responses.screening import screen
from regauge.storage.campaigns.campaign import get_campaign, measure_progress
from regauge.taxonomy.relations import describe_relation
from regauge.workflows.campaigns.responses import load_answers, to_contains_responses
from regauge.workflows.demo.flow import FULL, IMAGE_SIDE, USUAL, Demo, WorldSize
from regauge.workflows.demo.life import RUNNING
from regauge.workflows.evaluation.scoring import score
from regauge.workflows.evaluation.shifts import shift
from regauge.workflows.guide.entries import read_guide
from regauge.workflows.inputs import TestSetAnswers, load_truth
from regauge.workflows.labels.aggregate_classify import aggregate_classify
from regauge.workflows.labels.aggregate_contains import aggregate_contains
from regauge.workflows.labels.relations import list_relations
from regauge.workflows.studies.study import describe_status, open_study
from regauge.world.collections import SIDE, World, make_world


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
        render=lambda scenes: np.zeros((len(scenes), SIDE, SIDE, 3), np.uint8),
    )


# What is in the folder


def test_everything_that_is_named_is_written(demo: Demo) -> None:
    names = {path.name for path in demo.folder.iterdir()}
    files = {"made-by-regauge-demo.txt", "taxonomy.json", "original.jsonl", "new.jsonl", "pool.csv"}
    assert names >= files | {"images.png", "images", "predictions", "report", "study"}
    for name, n in (("original", SMALL.sizes.original), ("pool", SMALL.sizes.pool)):
        assert len(list((demo.folder / "images" / name).glob("*.jpg"))) == n
    for name in ("original", "new", "new-threshold", "new-top"):
        assert len(list((demo.folder / "predictions" / name).glob("*.npz"))) == 11


def test_the_pictures_can_be_opened(demo: Demo) -> None:
    with Image.open(demo.folder / "images" / "original" / "original-00000.jpg") as image:
        assert (image.size, image.mode) == ((IMAGE_SIDE, IMAGE_SIDE), "RGB")
    with Image.open(demo.folder / "images.png") as sheet:
        assert sheet.size == (1_280, 768)


NAMES = ("original", "new", "new-threshold", "new-top")


def test_the_study_holds_all_sets_with_truth_and_all_models(status: StudyStatus) -> None:
    sizes = {entry.name: entry.n_images for entry in status.test_sets}
    assert tuple(sizes) == NAMES
    assert sizes["original"] == SMALL.sizes.original
    # Where a class lacks candidates, its set is smaller.
    assert all(0.9 * SMALL.sizes.original <= n <= SMALL.sizes.original for n in sizes.values())
    people = [one for one in status.predictions if one.kind is ParticipantKind.PERSON]
    assert len(status.predictions) - len(people) == 4 * 11
    assert sorted(Counter(one.test_set for one in people).items()) == [("new", 5), ("original", 5)]
    judged = {entry.test_set: entry.labels for entry in status.evaluations}
    assert {"simulated-original@1", "simulated-frequencies@1"} <= set(judged["original"])
    assert {"simulated-new@1", "simulated-crowd@1", "simulated-objects@1"} <= set(judged["new"])
    assert [(entry.original, entry.new) for entry in status.comparisons] == [("original", name) for name in NAMES[1:]]


def test_three_strategies_give_three_answers_in_the_order_that_recht_and_others_found(demo: Demo) -> None:
    """Their Table 2: the more often people select the images, the smaller the drop."""
    drops = [shift.mean_changes["top1"].value for shift in (demo.shift, *demo.others)]
    assert drops == sorted(drops)
    frequencies = [gap.frequencies[1].observed.value for gap in demo.gaps]
    assert frequencies == sorted(frequencies)
    assert [gap.new for gap in demo.gaps] == list(NAMES[1:])


def test_the_report_says_what_share_of_the_drop_the_selection_explains(demo: Demo) -> None:
    page = demo.report.page.read_text(encoding="utf-8")
    assert page.count("Table: what selection explains of each participant&#39;s gap") == 3
    for gap in demo.gaps:
        mean = gap.get(MEAN, gap.settings.methods[-1])
        assert f"{100 * mean.gap.value:.1f}" in page
        assert isclose(mean.selection.value + mean.remainder.value, mean.gap.value, abs_tol=1e-9)
    assert len(demo.rebuilt) == 3
    assert "at equal selection frequency" in demo.rebuilt[0]


def test_the_demo_says_that_it_is_simulated_wherever_it_shows(demo: Demo, status: StudyStatus) -> None:
    assert "simulated" in (demo.folder / "made-by-regauge-demo.txt").read_text(encoding="utf-8")
    assert status.taxonomy == "simulated-world"
    assert {entry.name for entry in status.label_sets} == {
        "simulated-original",
        "simulated-new",
        "simulated-crowd",
        "simulated-objects",
        "simulated-reviewed",
        "simulated-panelled",
        "simulated-frequencies",
        "simulated-new-threshold",
        "simulated-new-top",
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
    assert (again.fits[0].slope.value, again.fits[0].slope.low) == (
        demo.shift.fits[0].slope.value,
        demo.shift.fits[0].slope.low,
    )


def test_the_truth_on_disk_is_the_truth_of_the_scenes(demo: Demo, world: World) -> None:
    truth = load_truth(demo.folder / "original.jsonl")
    expected = world.original.to_label_set()
    assert truth.test_set is not None
    assert truth.test_set.labels.tolist() == world.original.labels.tolist()
    for column in ("classes", "verdicts", "starts", "is_problematic", "main_labels"):
        assert getattr(truth.label_sets[0], column).tolist() == getattr(expected, column).tolist()
    assert truth.label_sets[0].unlisted == expected.unlisted


def test_the_new_sets_come_from_the_pool_without_copies_and_rarely_with_plainly_wrong_labels(
    demo: Demo, world: World
) -> None:
    pool, original = world.pool, set(world.original.image_ids.tolist())
    ids = set(pool.image_ids.tolist())
    pairs = list(zip(pool.image_ids.tolist(), pool.source_ids.tolist(), strict=True))
    wrong_rate = np.mean(pool.label_verdicts == Verdict.WRONG)
    assert any(source in ids | original for _, source in pairs)
    for name in NAMES[1:]:
        labels = load_truth(demo.folder / f"{name}.jsonl").label_sets[0]
        chosen = set(labels.image_ids.tolist())
        assert chosen <= ids
        # Of a copy and its source one may be taken, and of a copy of an original image none.
        assert not [copy for copy, source in pairs if copy in chosen and source in chosen | original]
        assert labels.is_problematic.mean() < wrong_rate / 2


def test_the_pool_tells_by_which_query_and_when_each_image_was_found(demo: Demo, world: World) -> None:
    table = pl.read_csv(demo.folder / "pool.csv", try_parse_dates=True)
    assert table.columns == ["image_id", "file", "class", "query", "taken_on", "uploaded_on"]
    assert all((demo.folder / file).is_file() for file in table["file"])
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
    assert frequencies.mean.low < frequencies.mean.value < frequencies.mean.high
    assert 0.5 < frequencies.mean.value / frequencies.by_chance < 2
    assert "from the true ones" in str(frequencies)
    assert {"selection_frequency", "single_object"} <= set(demo.new.to_frame()["metric"])


def test_simulated_experts_settle_one_pair_and_leave_another_open(demo: Demo) -> None:
    review = demo.review
    assert (review.verdicts.campaign, review.verdicts.n_right / review.verdicts.n > 0.97) == ("simulated-review", True)
    # One label was referred, and an expert answered it alone.
    assert review.verdicts.n_answers == 3 * SMALL.n_reviewed + 1
    assert review.referral.endswith((": correct", ": wrong", ": unclear"))
    settled = [": settled, " in line for line in review.standings]
    assert (len(settled), any(settled), all(settled)) == (3, True, False)
    assert (demo.folder / "review-plan.json").is_file()


def test_a_relation_is_accepted_and_the_guide_says_how_to_tell_its_classes(demo: Demo, status: StudyStatus) -> None:
    study = open_study(demo.study, around=make_circumstances())
    with study.read() as reading:
        (accepted,) = [one for one in list_relations(reading) if one.relation.is_accepted]
        (entry,) = read_guide(reading)
    study.close()
    assert demo.review.relation.startswith(describe_relation(accepted.relation, None).split(" ")[0])
    assert entry.topic.classes == tuple(sorted((accepted.relation.first, accepted.relation.second)))
    judged = {one.test_set: one.labels for one in status.evaluations}
    assert "simulated-reviewed@1" in judged["new"]
    page = demo.report.page.read_text(encoding="utf-8")
    assert "simulated-reviewed@1 on new: " in page
    assert "Reasons for labels that are correct or unclear" in page


def test_a_third_campaign_is_under_way_and_the_rules_would_drop_who_selects_nothing(demo: Demo) -> None:
    study = open_study(demo.study, around=make_circumstances())
    with study.read() as reading:
        campaign = get_campaign(reading, RUNNING)
        progress = measure_progress(reading, campaign)
        answers = load_answers(reading, RUNNING)
        moments = [one.received_at for one in read_answers(reading, RUNNING).answers]
    study.close()
    assert progress.n_annotators == 10
    assert 0 < progress.n_counted < progress.n_needed
    assert moments == sorted(moments)
    assert str(campaign.opened_at) < moments[0] <= moments[-1] < make_circumstances().now()
    screened = screen(to_contains_responses(answers), ScreeningRules())
    # The one who selects nothing for sure; the one who clicks here and there where chance has it.
    assert np.count_nonzero(screened.is_dropped) in {1, 2}


def test_the_answers_that_the_demo_writes_can_be_aggregated(demo: Demo) -> None:
    found = aggregate_contains(demo.folder / "contains.csv", taxonomy=demo.folder / "taxonomy.json")
    assert len(found.responses) == demo.crowd.contains.n_answers
    objects = aggregate_classify(demo.folder / "classify.jsonl", taxonomy=demo.folder / "taxonomy.json")
    assert len(objects.labels) == demo.crowd.classify.n


# Runs

NOTES = "notes.txt"
"""A file of somebody else's."""


def read_all(folder: Path) -> dict[str, bytes]:
    """The files beside the study, its report and its website, which name their folder or the study; NPZ files hold a time."""
    own = {folder / "study", folder / "report", folder / "site", folder / NOTES}
    files = [path for path in folder.rglob("*") if path.is_file() and not own & {path, *path.parents}]
    kept = [path for path in files if path.suffix != ".npz"]
    return {str(path.relative_to(folder)): path.read_bytes() for path in kept}


LARGER = WorldSize(replace(TINY.sizes, original=112), (2, 3), n_asked=4)


def stop_at(step: str, folder: Path, *, seed: int = 0, extent: WorldSize = TINY) -> None:
    """Run the demo until it comes to a step, and press Ctrl-C there."""

    def stop(*_arguments: object, **_options: object) -> None:
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, step, stop)
        with pytest.raises(KeyboardInterrupt):
            make_demo(folder, seed=seed, extent=extent)
    assert (folder / "made-by-regauge-demo.txt").is_file()


@pytest.fixture(scope="module")
def resumed(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    """A demo that was stopped at one step, run again and stopped at a later one, until it was done, on a smaller world."""
    folder = tmp_path_factory.mktemp("resumed") / "demo"
    for step in ("make_world", "ask_crowd"):
        stop_at(step, folder, extent=LARGER)
    assert (folder / "predictions" / "new" / "patches-3-ridge.npz").is_file()
    (folder / "report").mkdir()
    (folder / "report" / "old.html").touch()
    (folder / NOTES).write_text("mine", encoding="utf-8")
    return make_demo(folder, extent=TINY)


def test_a_demo_that_was_stopped_half_way_can_be_run_again(resumed: Demo) -> None:
    assert len(resumed.shift.models) == 9
    assert resumed.report.page.is_file()


def test_the_same_seed_gives_the_same_demo_in_any_number_of_processes(
    resumed: Demo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The report says the same of the same numbers: it is not drawn once more.
    monkeypatch.setattr(module, "write_report_files", lambda *_, **__: resumed.report)
    monkeypatch.setattr(module, "record_report", lambda *_: None)
    again = make_demo(tmp_path / "demo", extent=TINY, n_processes=2)
    assert again.original.to_frame().equals(resumed.original.to_frame())
    assert again.new.to_frame().equals(resumed.new.to_frame())
    assert again.shift.to_frame().equals(resumed.shift.to_frame())
    assert read_all(again.folder) == read_all(resumed.folder)


def test_another_seed_gives_another_world(resumed: Demo, tmp_path: Path) -> None:
    stop_at("init_study", tmp_path, seed=1)
    files, others = read_all(resumed.folder), read_all(tmp_path)
    assert files["pool.csv"] != others["pool.csv"]
    pictures = [name for name in files if name.endswith(".jpg") and name in others]
    assert len(pictures) >= TINY.sizes.original
    assert all(files[name] != others[name] for name in pictures)


def test_a_further_run_replaces_the_one_before_and_leaves_other_files_alone(resumed: Demo) -> None:
    folder = resumed.folder
    assert len(list((folder / "images" / "original").glob("*.jpg"))) == TINY.sizes.original < LARGER.sizes.original
    names = {path.stem for path in (folder / "predictions" / "new").glob("*.npz")}
    assert names == {model.name for model in resumed.shift.models}
    assert not (folder / "report" / "old.html").exists()
    assert (folder / NOTES).read_text(encoding="utf-8") == "mine"


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
