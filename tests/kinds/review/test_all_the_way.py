"""A review goes all the way: from what nobody has judged to a label set whose every verdict says what it rests on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.kinds.review.reviewed_study import N_IMAGES, answer_all, ask, send, told
from tests.server.manager_forms import FORM, fill_in
from tests.verify.verify_study import Told
from tests.workflows.conftest import database, postgres, postgres_database

from regauge.errors import InputError
from regauge.records.guide.entries import GuideEdit, GuideTopic
from regauge.records.labels.evidence import ExpertVote, VerdictEvidence
from regauge.records.labels.verdicts import Verdict
from regauge.storage.labels.evidence import find_evidence
from regauge.storage.labels.label_set import find_verdicts, get_label_set, load_label_set
from regauge.workflows.guide.entries import save_entry
from regauge.workflows.people.erasure import erase_annotator

__all__ = ["database", "postgres", "postgres_database", "told"]

ALICE = {
    "verdicts": {"1": "correct", "6": "correct"},
    "reasons": {"6": "several objects"},
    "more": [8],
    "comment": "behind",
}
BOB = {"verdicts": {"1": "correct", "6": "wrong"}, "problems": ["drawing or rendering"]}
CAROL = {"verdicts": {"1": "correct"}}


def test_what_nobody_has_judged_is_asked_answered_and_becomes_labels(told: Told, tmp_path: Path) -> None:
    ask(told)
    campaign = told.get("experts")
    # Image i0 has both its verdicts; i1 has its label and what the odd model answers; the others their label.
    assert campaign.n_tasks == N_IMAGES - 1
    assert campaign.plan.settings["n_pairs"] == N_IMAGES
    taken = answer_all(told, said={0: ALICE, 1: BOB, 2: CAROL})
    assert [len(tasks) for tasks in taken] == [N_IMAGES - 1] * 3
    for task in taken[0]:
        assert not {"participants", "good", "odd", "label"} & set(json.dumps(task["view"]).split('"'))
    told.run("campaign", "labels", "experts", "--name", "known")
    with told.study.read() as begun:
        entry = get_label_set(begun, "known")
        found = find_verdicts(begun, entry, image_ids=["i0", "i1"])
        evidence = find_evidence(begun, entry).by_pair
        label_set = load_label_set(begun, entry)
    assert entry.version == 2
    # Of two who judged the truck one found it correct: a shared first place is unclear. A reviewer added the ship.
    assert found["i0"] == {0: Verdict.CORRECT, 7: Verdict.WRONG}
    assert found["i1"] == {1: Verdict.CORRECT, 6: Verdict.UNCLEAR, 8: Verdict.CORRECT}
    names = sorted(one.annotator.name for one in told.panel)
    alice, bob = told.panel[0].annotator.name, told.panel[1].annotator.name
    votes = {ExpertVote(alice, Verdict.CORRECT), ExpertVote(bob, Verdict.WRONG)}
    assert set(evidence["i1", 6].votes) == votes
    assert evidence["i1", 8] == VerdictEvidence(
        rule="plurality of reviewers", votes=(ExpertVote(alice, Verdict.CORRECT),), note="behind"
    )
    assert [vote.who for vote in evidence["i1", 1].votes] == names
    # One of three calls the image problematic: that is not a majority.
    assert not label_set.is_problematic.any()


def test_an_image_that_most_reviewers_call_problematic_is_left_out(told: Told) -> None:
    ask(told)
    answer_all(told, said={0: BOB, 1: BOB, 2: CAROL})
    told.run("campaign", "labels", "experts", "--name", "reviewed")
    with told.study.read() as begun:
        label_set = load_label_set(begun, get_label_set(begun, "reviewed"))
    assert label_set.image_ids[label_set.is_problematic].tolist() == ["i1"]


def test_another_round_asks_the_others_about_what_a_reviewer_added(
    told: Told, capsys: pytest.CaptureFixture[str]
) -> None:
    ask(told)
    answer_all(told, said={0: ALICE, 1: BOB, 2: CAROL})
    told.run("campaign", "extend", "experts")
    assert "asks about 2 of" in capsys.readouterr().err
    told.run("campaign", "extend", "experts")
    assert "asks about" not in capsys.readouterr().err
    assert told.get("experts").n_tasks == N_IMAGES


def test_grids_take_one_label_with_images_of_one_dataset_label(told: Told) -> None:
    ask(told, "--by", "class-pair")
    campaign = told.get("experts")
    # Four labels for their own images, and the odd answer.
    assert campaign.n_tasks == 5
    taken = answer_all(told, said={})
    assert sorted(len(task["images"]) for task in taken[0]) == [1, 5, 6, 6, 6]
    told.run("campaign", "labels", "experts", "--name", "reviewed")
    with told.study.read() as begun:
        label_set = load_label_set(begun, get_label_set(begun, "reviewed"))
    assert label_set.verdicts.tolist().count(Verdict.CORRECT) == N_IMAGES + 1


def test_dataset_labels_can_be_trusted(told: Told) -> None:
    ask(told, "--trust-dataset-labels")
    assert told.get("experts").n_tasks == 1
    answer_all(told, said={})
    told.run("campaign", "labels", "experts", "--name", "reviewed", "--trust-dataset-labels")
    with told.study.read() as begun:
        entry = get_label_set(begun, "reviewed")
        label_set, evidence = load_label_set(begun, entry), find_evidence(begun, entry).by_pair
    assert len(label_set) == N_IMAGES
    assert evidence["i5", 1].rule == "dataset label, taken as correct"


def test_pairs_of_other_images_are_refused_without_an_option_that_reviews_do_not_have(
    told: Told, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "pairs.csv").write_text("image_id,class\ni0,1\nnobody,2\n")
    with pytest.raises((SystemExit, InputError)) as refused:
        ask(told, "--pairs", str(tmp_path / "pairs.csv"))
    assert "has no image 'nobody'; leave its pairs out." in f"{refused.value}{capsys.readouterr().err}"


def test_managers_watch_a_review_and_export_its_votes(told: Told, tmp_path: Path) -> None:
    ask(told)
    answer_all(told, said={0: ALICE, 1: BOB, 2: CAROL})
    manager, campaign = told.enter(told.manager), told.get("experts")
    page = f"/manage/campaigns/{campaign.id}"
    assert "REVIEW" in manager.get("/manage").text
    assert "24 of 23 images" in manager.get(page).text
    assert manager.get(f"{page}/annotators").status_code == 200
    assert "The line is the share of reviewers who found the label correct." in manager.get(f"{page}/images").text
    told.run("campaign", "export", "experts", str(tmp_path / "votes.jsonl"))
    lines = [json.loads(line) for line in (tmp_path / "votes.jsonl").read_text(encoding="utf-8").splitlines()]
    assert sum("verdict" in line for line in lines) == 3 * (N_IMAGES - 2) + 6
    assert [line["problem"] for line in lines if "problem" in line] == ["drawing or rendering"]
    assert [line["class"] for line in lines if line.get("added")] == [8]


def test_a_verdict_that_is_given_again_takes_the_place_of_the_first(told: Told) -> None:
    ask(told)
    taken = answer_all(told, said={0: ALICE, 1: BOB, 2: CAROL})
    visitor = told.enter(told.panel[1])
    task = next(one for one in taken[1] if len(one["view"]["items"]) == 2)
    assert send(visitor, task, {"verdicts": {"6": "correct"}}, revision=1).status_code == 200
    told.run("campaign", "labels", "experts", "--name", "reviewed")
    with told.study.read() as begun:
        found = find_verdicts(begun, get_label_set(begun, "reviewed"), image_ids=["i1"])
    assert found["i1"][6] is Verdict.CORRECT


def test_erasing_a_reviewer_takes_their_verdicts_out_of_a_new_version(told: Told) -> None:
    ask(told)
    answer_all(told, said={0: ALICE, 1: BOB, 2: CAROL})
    told.run("campaign", "labels", "experts", "--name", "reviewed")
    with told.study.begin() as begun:
        erase_annotator(begun, told.panel[1].annotator.name, with_answers=True, reason="asked for")
        entry = get_label_set(begun, "reviewed")
        found = find_verdicts(begun, entry, image_ids=["i1"])
        evidence = find_evidence(begun, entry).by_pair
    assert entry.version == 2
    assert found["i1"][6] is Verdict.CORRECT
    assert all(vote.who != told.panel[1].annotator.name for one in evidence.values() for vote in one.votes)


def test_erasing_a_name_takes_it_out_of_the_evidence_and_leaves_what_was_said(told: Told) -> None:
    ask(told)
    name = told.panel[0].annotator.name
    answer_all(told, said={0: {**ALICE, "comment": f"{name} was here"}, 1: BOB, 2: CAROL})
    told.run("campaign", "labels", "experts", "--name", "reviewed")
    with told.study.begin() as begun:
        erase_annotator(begun, name, reason="asked for")
        evidence = find_evidence(begun, get_label_set(begun, "reviewed@1")).by_pair
    assert {vote.verdict for vote in evidence["i1", 6].votes} == {Verdict.CORRECT, Verdict.WRONG}
    assert not [one for one in evidence.values() if name in json.dumps(one.to_dict())]


def test_evidence_names_the_guide_of_the_time(told: Told) -> None:
    with told.study.begin() as begun:
        save_entry(begun, GuideTopic(1), GuideEdit("Two doors.", reason="first"))
    ask(told)
    answer_all(told, said={})
    told.run("campaign", "labels", "experts", "--name", "reviewed")
    with told.study.read() as begun:
        evidence = find_evidence(begun, get_label_set(begun, "reviewed")).by_pair
    assert {one.guide for pair, one in evidence.items() if pair[0] != "i0"} == {1}


def test_reviewers_see_cards_of_the_test_set(told: Told) -> None:
    ask(told)
    campaign, visitor = told.get("experts"), told.enter(told.panel[0])
    visitor.post(f"/api/campaigns/{campaign.id}/consent", {"version": 1})
    card = visitor.get(f"/api/classes/0/card?campaign={campaign.id}").json()
    # The verdict on the first image is known; nobody is asked about it.
    assert (len(card["tested"]), card["n_unfinished"]) == (1, N_IMAGES // 4 - 1)
    assert visitor.get(card["tested"][0]).status_code == 200


def test_a_form_makes_the_same_campaign(told: Told) -> None:
    manager = told.enter(told.manager)
    review = {
        **FORM,
        "kind": "review",
        "source": "unjudged",
        "labels": "known@1",
        "by": "image",
        "participants": "",
        "panel": "",
        "mode": "open",
        "gold": "",
        "gold_share": "5",
    }
    reply = fill_in(manager, review)
    assert reply.status_code in {200, 201, 303}, reply.text
    assert told.get("new one").plan.settings["n_pairs"] == N_IMAGES


def test_nothing_left_to_review_is_a_sentence(told: Told) -> None:
    ask(told)
    answer_all(told, said={})
    told.run("campaign", "labels", "experts", "--name", "known")
    with pytest.raises(InputError, match="nothing left to review"):
        told.run("campaign", "create", "review", "again", "--labels", "known")


def test_a_pair_that_stands_twice_in_a_file_is_named(told: Told, tmp_path: Path) -> None:
    (tmp_path / "twice.csv").write_text("image_id,class\ni1,2\ni1,3\ni1,2\n", encoding="utf-8")
    with pytest.raises(InputError, match="Image 'i1' is listed twice with class 2; name each pair once"):
        told.run("campaign", "create", "review", "twice", "--pairs", str(tmp_path / "twice.csv"))
    with pytest.raises(InputError, match="no campaign 'twice'"):
        told.get("twice")


def test_a_participant_that_is_not_there_is_a_sentence(told: Told) -> None:
    with pytest.raises(InputError, match="nobody"):
        told.run("campaign", "create", "review", "experts", "--participant", "nobody*")


def test_an_image_whose_dataset_label_is_wrong_is_problematic_unless_it_is_kept(told: Told) -> None:
    ask(told)
    wrong = {"verdicts": {"1": "wrong", "6": "correct"}}
    answer_all(told, said=dict.fromkeys(range(3), wrong))
    told.run("campaign", "labels", "experts", "--name", "strict")
    told.run("campaign", "labels", "experts", "--name", "kept", "--keep-wrong-labels")
    with told.study.read() as begun:
        strict, kept = (load_label_set(begun, get_label_set(begun, name)) for name in ("strict", "kept"))
    assert strict.image_ids[strict.is_problematic].tolist() == ["i1"]
    assert not kept.is_problematic.any()
