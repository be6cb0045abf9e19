"""A review campaign follows a plan, and an audit is judged in the same queue."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.kinds.review.planned_study import DIFFERING, IDS, LABELS, N_IMAGES, answer_some, create, serve_planned
from tests.verify.verify_study import Told
from tests.workflows.conftest import database, postgres, postgres_database

from regauge.errors import FormatError, InputError
from regauge.formats.labels.review_plans import load_review_plan
from regauge.records.labels.label_set import LabelSet, Truth
from regauge.records.predictions import Predictions
from regauge.storage.campaigns.campaign import get_campaign
from regauge.storage.campaigns.documents import find_document
from regauge.storage.campaigns.ledgers import load_image_ids
from regauge.storage.campaigns.payloads import load_payloads
from regauge.storage.database.schema import campaign_documents
from regauge.storage.labels.evidence import find_evidence
from regauge.storage.labels.label_set import get_label_set
from regauge.workflows.labels.label_set import add_labels
from regauge.workflows.labels.review_plans import find_plan
from regauge.workflows.predictions import PredictionSource, add_predictions
from regauge.workflows.studies.bundles import import_study

__all__ = ["database", "postgres", "postgres_database"]


@pytest.fixture
def told(tmp_path: Path, database: str) -> Iterator[Told]:
    with serve_planned(tmp_path, database=database) as made:
        yield made


@pytest.fixture
def local(tmp_path: Path) -> Iterator[Told]:
    """Where the database makes no difference."""
    with serve_planned(tmp_path) as made:
        yield made


def list_asked(told: Told) -> dict[str, list[int]]:
    """The images in the order of their tasks, with their classes."""
    with told.study.read() as begun:
        campaign = get_campaign(begun, "experts")
        ids, tasks = load_image_ids(begun, campaign), load_payloads(begun, campaign).values()
        ordered = sorted(tasks, key=lambda task: -task["priority"])
        assert len({task["priority"] for task in tasks}) == len(tasks)
        return {str(ids[task["images"][0]]): task["classes"] for task in ordered}


def test_a_campaign_asks_about_the_images_of_its_plan_in_their_order(told: Told, tmp_path: Path) -> None:
    create(told, tmp_path)
    plan = load_review_plan(tmp_path / "plan.json").plan
    assert sorted(plan.image_ids.tolist()) == sorted(DIFFERING)
    asked = list_asked(told)
    assert list(asked) == plan.image_ids.tolist()
    assert asked == {one: [LABELS[one], LABELS[one] + 5] for one in asked}
    # Whoever comes gets the first of the plan, not what is nearest by class.
    (mine,) = answer_some(told, 5, n_people=1)
    assert [sorted(int(item["key"]) for item in task["view"]["items"]) for task in mine] == list(asked.values())[:5]
    settings = told.get("experts").plan.settings
    assert settings["participants"] == ["good", "poor"]
    assert settings["plan"]["n_images"] == len(DIFFERING)
    with told.study.read() as begun:
        kept = find_plan(begun, get_campaign(begun, "experts"))
    assert kept is not None
    assert kept.plan.weights.tolist() == plan.weights.tolist()


def test_gold_items_on_images_outside_a_plan_stand_among_its_images(local: Told, tmp_path: Path) -> None:
    believed = LabelSet.from_lists("believed", ["i0", "i20"], correct=[[0], []], wrong=[[], [7]])
    with local.study.begin() as begun:
        add_labels(begun, Truth(label_sets=(believed,)))
    create(local, tmp_path, "--gold", "believed", "--gold-share", "0.1", "--seed", "3")
    with local.study.read() as begun:
        campaign = get_campaign(begun, "experts")
        ids, tasks = load_image_ids(begun, campaign), load_payloads(begun, campaign).values()
    asked = [str(ids[task["images"][0]]) for task in sorted(tasks, key=lambda task: -task["priority"])]
    plan = load_review_plan(tmp_path / "plan.json").plan
    assert [one for one in asked if one in DIFFERING] == plan.image_ids.tolist()
    assert {*asked} - {*DIFFERING} == {"i0", "i20"}


def test_a_bundle_keeps_the_plan_and_a_changed_one_is_refused(told: Told, tmp_path: Path) -> None:
    create(told, tmp_path, files=("plan", "audit"))
    told.run("export", "bundle", str(tmp_path / "b.zip"))
    study = import_study(tmp_path / "b.zip", tmp_path / "copy", around=told.study.around).study
    with study.begin() as begun:
        campaign = get_campaign(begun, "experts")
        kept = find_plan(begun, campaign)
        assert kept is not None
        assert kept.plan.image_ids.tolist() == load_review_plan(tmp_path / "plan.json").plan.image_ids.tolist()
        begun.connection.execute(campaign_documents.update().values(content="{}"))
        with pytest.raises(InputError, match="is not the one that is kept with it"):
            find_plan(begun, campaign)
    study.close()


def test_verdicts_on_images_of_a_plan_are_marked_as_sampled(told: Told, tmp_path: Path) -> None:
    create(told, tmp_path, files=("plan", "audit"))
    answer_some(told, N_IMAGES)
    told.run("campaign", "labels", "experts", "--name", "reviewed")
    with told.study.read() as begun:
        evidence = find_evidence(begun, get_label_set(begun, "reviewed")).by_pair
    sampled = {pair[0]: one.is_sampled for pair, one in evidence.items()}
    audited = json.loads((tmp_path / "audit.json").read_text())["image_ids"]
    assert sampled == {**dict.fromkeys(DIFFERING, True), **dict.fromkeys(audited, False)}


def test_an_audit_stands_among_the_images_of_a_plan_with_as_many_classes(
    told: Told, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    create(told, tmp_path, files=("plan", "audit"))
    asked = list_asked(told)
    audited = set(json.loads((tmp_path / "audit.json").read_text())["image_ids"])
    assert set(asked) == {*DIFFERING, *audited}
    # Those of the plan keep their order, and those of the audit stand neither first nor last.
    assert [one for one in asked if one in DIFFERING] == load_review_plan(
        tmp_path / "plan.json"
    ).plan.image_ids.tolist()
    places = [place for place, one in enumerate(asked) if one in audited]
    assert places != list(range(6))
    # Every image of the plan has two classes, the dataset label and what is answered instead; so has every one of the audit.
    assert asked == {one: [LABELS[one], LABELS[one] + 5] for one in asked}
    assert told.get("experts").plan.settings["audit"] | {"digest": ""} == {"n_images": 6, "n_pairs": 12, "digest": ""}
    answer_some(told, N_IMAGES)
    told.run("campaign", "labels", "experts", "--name", "reviewed")
    capsys.readouterr()
    told.run("labels", "audit", str(tmp_path / "audit.json"), "--labels", "reviewed", "--format", "json")
    found = json.loads(capsys.readouterr().out)
    assert (found["n_audited"], found["n_judged"]) == (6, 6)


def test_a_campaign_draws_as_many_images_for_an_audit_as_it_is_told_and_reports_on_them(
    told: Told, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    create(told, tmp_path, "--audit-size", "5", "--seed", "3")
    asked = list_asked(told)
    audited = set(asked) - set(DIFFERING)
    assert len(audited) == 5
    assert asked == {one: [LABELS[one], LABELS[one] + 5] for one in asked}
    assert told.get("experts").plan.settings["audit"]["n_images"] == 5
    # Another seed draws others, and the same seed the same.
    drawn = []
    for name, seed in (("again", "3"), ("other", "4")):
        plan = ("--plan", str(tmp_path / "plan.json"))
        told.run("campaign", "create", "review", name, *plan, "--audit-size", "5", "--seed", seed)
        with told.study.read() as begun:
            text = find_document(begun, get_campaign(begun, name), "audit")
        drawn.append(set(json.loads(text or "{}")["image_ids"]))
    assert drawn[0] == audited
    assert drawn[1] != audited
    answer_some(told, N_IMAGES)
    told.run("campaign", "labels", "experts", "--name", "reviewed")
    capsys.readouterr()
    told.run("labels", "audit", "--campaign", "experts", "--labels", "reviewed", "--format", "json")
    found = json.loads(capsys.readouterr().out)
    assert (found["n_audited"], found["n_judged"], found["n_agreed"]) == (5, 5, N_IMAGES - len(DIFFERING))


def test_an_audit_that_is_drawn_or_kept_wrongly_is_a_sentence(local: Told, tmp_path: Path) -> None:
    for words, said in (
        (("--audit-size", "3", "--audit", str(tmp_path / "audit.json")), "leave out the file or the number of images"),
        (("--audit-size", "3", "--by", "class-pair"), "images of an audit are judged one by one; leave out `by=…`"),
        (("--audit-size", "3", "--mode", "complete"), "Complete labelling asks about no participant's answers"),
        (
            ("--audit-size", "3", "--pairs", str(tmp_path / "pairs.csv")),
            "The audit says itself which images are asked about; leave out `audit_size=…` or `pairs=…`",
        ),
        (("--audit-size", "-1"), "An audit needs at least 1 image, not -1"),
    ):
        with pytest.raises(InputError, match=said):
            local.run("campaign", "create", "review", "experts", *words)
    create(local, tmp_path)
    with pytest.raises(InputError, match="Campaign experts was made without an audit; name the file of one"):
        local.run("labels", "audit", "--campaign", "experts", "--labels", "x")
    with pytest.raises(InputError, match="FILE or --campaign NAME"):
        local.run("labels", "audit", "--labels", "x")
    with pytest.raises(InputError, match="FILE or --campaign NAME"):
        local.run("labels", "audit", str(tmp_path / "audit.json"), "--campaign", "experts", "--labels", "x")


def test_an_audit_joins_a_review_of_everything_where_dataset_labels_are_trusted(local: Told, tmp_path: Path) -> None:
    create(local, tmp_path, "--trust-dataset-labels", files=("audit",))
    # 12 answers that are no dataset labels, and six dataset labels, each alone as those are.
    assert local.get("experts").plan.settings["n_pairs"] == 18
    create_again = ("campaign", "create", "review", "whole", "--audit", str(tmp_path / "audit.json"))
    local.run(*create_again)
    # Where all dataset labels are asked about, those of the audit are among them.
    assert local.get("whole").plan.settings["n_pairs"] == N_IMAGES + len(DIFFERING)


def test_whoever_wants_a_larger_audit_than_there_is_is_told(
    local: Told, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    local.run("campaign", "create", "review", "large", "--audit-size", "10000")
    audit = local.get("large").plan.settings["audit"]
    said = capsys.readouterr().err
    assert f"{audit['n_images']} images that everybody gets right among them, for the audit." in said
    assert f"{10_000 - audit['n_images']:,} images of the audit could not be drawn" in said
    local.run("campaign", "create", "review", "small", "--audit-size", "2")
    assert "could not be drawn" not in capsys.readouterr().err


def test_what_the_label_set_knows_is_not_shown_beside_an_audit(tmp_path: Path) -> None:
    with serve_planned(tmp_path, knows=True) as told:
        create(told, tmp_path, files=("plan", "audit"))
        assert told.get("experts").plan.settings["labels"] == "known@1"
        told.run("campaign", "create", "review", "whole", "--labels", "known", "--trust-dataset-labels")
        settings = told.get("whole").plan.settings
        assert (settings["labels"], settings["trust_dataset_labels"]) == ("known@1", True)
        for task in answer_some(told, N_IMAGES, n_people=1)[0]:
            assert task["view"]["known"] == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--by", "class-pair"), "images of a plan are judged one by one; leave out `by=…`"),
        (("--participant", "good"), "A plan says itself whose answers are judged"),
        (("--labels", "known"), "A plan says itself whose answers are judged"),
        (("--trust-dataset-labels",), "A plan says itself whose answers are judged"),
        (
            ("--pairs", "pairs.csv"),
            "The plan says itself which images are asked about; leave out `plan=…` or `pairs=…`",
        ),
        (("--audit", "plan.json"), "this is not an audit"),
        (("--plan", "audit.json"), "this is not a plan of a review"),
        (("--plan", "nowhere.json"), "nowhere.json"),
    ],
)
def test_what_does_not_go_with_a_plan_is_a_sentence(words, said, local: Told, tmp_path: Path) -> None:
    given = [str(tmp_path / word) if word.endswith((".csv", ".json")) else word for word in words]
    with pytest.raises(InputError, match=said):
        local.run("campaign", "create", "review", "experts", "--plan", str(tmp_path / "plan.json"), *given)
    with pytest.raises(InputError, match="no campaign 'experts'"):
        local.get("experts")


def test_a_plan_of_other_answers_is_refused(local: Told, tmp_path: Path) -> None:
    with local.study.begin() as begun:
        others = Predictions("poor", IDS, [3] * N_IMAGES)
        add_predictions(begun, PredictionSource([others]), replace=True)
    with pytest.raises(InputError, match="answers are not those that the plan was made with"):
        create(local, tmp_path)
    content = json.loads((tmp_path / "plan.json").read_text())
    (tmp_path / "plan.json").write_text(json.dumps({**content, "test_set": "other"}))
    with pytest.raises(FormatError, match="this plan is of other, not of"):
        create(local, tmp_path)


def test_an_audit_of_other_images_is_refused(local: Told, tmp_path: Path) -> None:
    content = json.loads((tmp_path / "audit.json").read_text())
    (tmp_path / "audit.json").write_text(json.dumps({**content, "image_ids": ["x"], "agreed_ids": ["x"]}))
    with pytest.raises(InputError, match="Image 'x' of the audit is not in"):
        create(local, tmp_path, files=("audit",))
    with pytest.raises(InputError, match="images of an audit are judged one by one"):
        create(local, tmp_path, "--by", "class-pair", files=("audit",))
