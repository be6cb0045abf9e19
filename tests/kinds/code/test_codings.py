"""Codings of campaigns: shown, exported, made again after an erasure, kept in bundles, and set against newer labels."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.kinds.code.coded_study import (
    GONE,
    LINE,
    MAJOR,
    MINOR,
    N_IMAGES,
    N_MISTAKES,
    ask,
    code_all,
    told,
)
from tests.kinds.code.test_all_the_way import list_codes, load, say
from tests.verify.verify_study import Told
from tests.workflows.conftest import database, postgres, postgres_database

from regauge.records.labels.label_set import LabelSet, Truth
from regauge.storage.labels.evidence import find_evidence
from regauge.storage.labels.label_set import get_label_set
from regauge.workflows.labels.label_set import add_labels
from regauge.workflows.mistakes.coders import preview_codes
from regauge.workflows.mistakes.codings import show_coding
from regauge.workflows.people.erasure import erase_annotator
from regauge.workflows.studies.bundles import export_bundle, import_study

__all__ = ["database", "postgres", "postgres_database", "told"]


def test_erasing_a_coder_makes_codings_and_labels_again_without_them(told: Told) -> None:
    ask(told)
    code_all(told, say)
    told.run("campaign", "coding", "codes", "--name", "kinds")
    told.run("campaign", "labels", "codes", "--name", "truth")
    gone = told.panel[1].annotator.name
    with told.study.begin() as begun:
        done = erase_annotator(begun, gone, with_answers=True, reason="asked for")
        before, after = (show_coding(begun, f"kinds@{version}") for version in (1, 2))
        evidence = find_evidence(begun, get_label_set(begun, "truth@3")).by_pair
    assert [one.after.full_name for one in done.codings if one.after is not None] == ["kinds@2"]
    assert before.notes[0].startswith("kinds@1 was made with answers that were erased since; use kinds@2")
    assert set(before.coding.overturned.notes) == {""}
    # Alone, the first coder decides what both disagreed on.
    assert (after.entry.n_coded, after.entry.n_overturned) == (3, 2)
    assert not [one for one in evidence.values() if gone in json.dumps(one.to_dict())]
    assert gone not in json.dumps(after.entry.provenance)


def test_erasing_all_coders_leaves_no_coding_that_holds(told: Told) -> None:
    ask(told, "--annotators", "1")
    code_all(told, lambda _place, _number: GONE, coders=1)
    told.run("campaign", "coding", "codes")
    with told.study.begin() as begun:
        done = erase_annotator(begun, told.panel[0].annotator.name, with_answers=True, reason="asked for")
        (note,) = show_coding(begun, "codes").notes[:1]
    assert [one.problem for one in done.codings] == [
        "Campaign codes has no answers that count yet, so there is no coding to make of it."
    ]
    assert "nothing takes its place" in note
    # What nobody decided any more is asked again.
    ask(told, name="again")
    assert told.get("again").n_tasks == N_MISTAKES


def test_a_coding_that_took_over_from_one_that_is_void_is_made_again(
    told: Told, capsys: pytest.CaptureFixture[str]
) -> None:
    said = {0: (GONE,) * 3, 1: (MINOR, MAJOR, MAJOR)}
    ask(told, "--annotators", "3")
    code_all(told, lambda place, number: said.get(number, (LINE,) * 3)[place], coders=3)
    told.run("campaign", "coding", "codes")
    ask(told, "--annotators", "1", name="theirs", participant="other")
    code_all(told, lambda _place, _number: LINE, name="theirs", coders=1)
    told.run("campaign", "coding", "theirs")
    before = load(told, "theirs")
    with told.study.begin() as begun:
        done = erase_annotator(begun, told.panel[1].annotator.name, with_answers=True, reason="asked for")
        void = show_coding(begun, "theirs@1")
    # Of three coders two are left, and they disagree on i1: nobody decides it any more.
    assert list_codes(before) == [("i6", 9, "spurious-correlation", 2), ("i1", 2, "fine-grained", 0)]
    names = [one.after.full_name for one in done.codings if one.after is not None]
    assert names == ["codes@2", "theirs@2"]
    assert void.notes[0].startswith("theirs@1 was made with answers that were erased since; use theirs@2")
    after = load(told, "theirs")
    assert list_codes(after) == [("i6", 9, "spurious-correlation", 2)]
    assert after.overturned.notes == ("decided by codes@2",)
    assert after.provenance["taken_over"] == {"codes@2": 1}
    capsys.readouterr()
    told.run("campaign", "coding", "theirs", "--preview")
    printed = capsys.readouterr().err
    assert "1 mistake that codes@1 had decided left out: it was made with answers that were erased since" in printed
    assert "1 mistake taken over from codes@2" in printed


def test_a_coding_shows_how_far_coders_agree(told: Told, capsys: pytest.CaptureFixture[str]) -> None:
    ask(told)
    code_all(told, say)
    told.run("campaign", "coding", "codes")
    capsys.readouterr()
    told.run("mistakes", "show", "codes")
    printed = capsys.readouterr().out
    assert "Agreement of coders" in printed
    told.run("mistakes", "show", "codes", "--format", "json")
    rows = json.loads(capsys.readouterr().out)["agreement"]
    # Of five mistakes four are agreed to be one or none; of the three that both code, all have one category.
    assert [(one["aspect"], one["n"], one["n_equal"]) for one in rows] == [
        ("overturning", 5, 4),
        ("category", 3, 3),
        ("severity", 3, 2),
    ]


def test_what_the_labels_accept_by_now_is_listed_as_overturned(told: Told, capsys: pytest.CaptureFixture[str]) -> None:
    ask(told)
    code_all(told, lambda _place, _number: MAJOR)
    with told.study.begin() as begun:
        correct = [[one % 4, 1] if one == 0 else [one % 4] for one in range(N_IMAGES)]
        ids = [f"i{one}" for one in range(N_IMAGES)]
        add_labels(
            begun, Truth(label_sets=(LabelSet.from_lists("truth", ids, correct=correct, wrong=[[]] * N_IMAGES),))
        )
    capsys.readouterr()
    told.run("campaign", "coding", "codes")
    assert "1 of 5 coded mistakes contradict truth@2, which accepts them" in capsys.readouterr().err
    coding = load(told)
    assert (coding.labels, coding.overturned.image_ids.tolist()) == ("truth@2", ["i0"])
    assert (coding.overturned.reasons, coding.overturned.notes) == (("label set",), ("coded fine-grained, major",))
    told.run("campaign", "coding", "codes", "--labels", "truth@1")
    assert len(load(told).coded) == N_MISTAKES


def test_a_coding_of_a_campaign_can_be_exported_and_summed_up(told: Told, tmp_path: Path) -> None:
    ask(told)
    code_all(told, say)
    told.run("campaign", "coding", "codes")
    told.run("mistakes", "export", "codes", str(tmp_path / "codes.csv"))
    assert "i3,4,spurious-correlation,borderline,," in (tmp_path / "codes.csv").read_text().splitlines()


def test_a_bundle_keeps_what_was_taken_over(told: Told, tmp_path: Path) -> None:
    ask(told)
    code_all(told, lambda _place, number: MAJOR if number else GONE)
    told.run("campaign", "coding", "codes")
    ask(told, name="theirs", participant="other")
    code_all(told, lambda _place, _number: LINE, name="theirs")
    told.run("campaign", "coding", "theirs", "--preview")
    with told.study.read() as begun:
        export_bundle(begun, tmp_path / "all.zip")
    imported = import_study(tmp_path / "all.zip", tmp_path / "there", around=told.study.around).study
    try:
        with imported.begin() as begun:
            made = preview_codes(begun, "theirs")
    finally:
        imported.close()
    assert list_codes(made.coding) == [("i1", 2, "fine-grained", 0), ("i6", 9, "spurious-correlation", 2)][::-1]


def test_answers_about_an_image_are_told_in_words(told: Told, capsys: pytest.CaptureFixture[str]) -> None:
    ask(told)
    code_all(told, say)
    capsys.readouterr()
    told.run("campaign", "image", "codes", "i2")
    printed = capsys.readouterr().out
    assert "cat" in printed
    manager, campaign = told.enter(told.manager), told.get("codes")
    items = manager.get(f"/manage/campaigns/{campaign.id}/items").text
    assert "split" in items
    own = told.enter(told.panel[0]).get("/me")
    assert own.status_code == 200
