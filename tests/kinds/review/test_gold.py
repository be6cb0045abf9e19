"""Gold items: known verdicts that are hidden among what reviewers judge, and show how well they do."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.kinds.review.reviewed_study import N_IMAGES, answer_all, ask, send, told
from tests.verify.verify_study import Told
from tests.workflows.conftest import database, postgres, postgres_database

from regauge.errors import InputError
from regauge.records.labels.label_set import LabelSet, Truth
from regauge.records.labels.verdicts import Verdict
from regauge.storage.labels.evidence import find_evidence
from regauge.storage.labels.label_set import find_verdicts, get_label_set
from regauge.workflows.labels.label_set import add_labels

__all__ = ["database", "postgres", "postgres_database", "told"]

GOLD = {("i0", 0): "correct", ("i0", 7): "wrong"}
"""What the label set `known` says; nothing else is asked about this image."""


def review(told: Told, *, gold: dict[int, str]) -> list[list[dict[str, Any]]]:
    """Everybody finds all labels correct, but for those of the gold image, which they judge as told by the class."""
    campaign, taken = told.get("experts"), []
    for who in told.panel:
        visitor = told.enter(who)
        visitor.post(f"/api/campaigns/{campaign.id}/consent", {"version": 1})
        mine = []
        while tasks := visitor.take(campaign, 5):
            for task in tasks:
                keys = [one["key"] for one in task["view"]["items"]]
                is_gold = _list_keys(task) == ["0", "7"]
                said = (
                    {key: gold[int(key)] for key in keys if int(key) in gold}
                    if is_gold
                    else dict.fromkeys(keys, "correct")
                )
                assert send(
                    visitor, task, {"verdicts": said, **({} if said else {"problems": ["inappropriate"]})}
                ).is_success
            mine += tasks
        taken.append(mine)
    return taken


def _list_keys(task: Mapping[str, Any]) -> list[str]:
    return sorted(one["key"] for one in task["view"]["items"])


def rate(told: Told, capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    """What is known of everybody, as the command tells it."""
    capsys.readouterr()
    told.run("campaign", "annotators", "experts", "--format", "json")
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["annotators"]
    return found


def test_gold_items_are_mixed_in_and_look_like_all_others(told: Told) -> None:
    ask(told, "--gold", "known", "--gold-share", "0.08")
    campaign = told.get("experts")
    # 24 labels are open: 8% of them is 2 gold items, which are both of image i0, so that there is one more task.
    assert campaign.n_tasks == N_IMAGES
    assert (campaign.plan.settings["n_gold"], campaign.plan.settings["n_pairs"]) == (2, N_IMAGES + 2)
    assert campaign.plan.settings["gold"] == "known@1"
    taken = review(told, gold={0: "correct", 7: "wrong"})[0]
    gold, other = sorted((task for task in taken if len(task["view"]["items"]) == 2), key=_list_keys)
    assert (_list_keys(gold), _list_keys(other)) == (["0", "7"], ["1", "6"])
    assert gold.keys() == other.keys()
    assert gold["view"].keys() == other["view"].keys()
    assert [one.keys() for one in gold["view"]["items"]] == [one.keys() for one in other["view"]["items"]]
    # The label set judges both, and would show so: what is asked is not told.
    assert gold["view"]["known"] == other["view"]["known"] == []
    assert "gold" not in json.dumps(taken)
    assert "gold" not in told.enter(told.panel[0]).get(f"/api/campaigns/{campaign.id}/previous").text


def test_gold_items_count_as_controls_and_decide_nothing(
    told: Told, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ask(told, "--gold", "known", "--gold-share", "0.08")
    review(told, gold={0: "wrong", 7: "correct"})
    figures = rate(told, capsys)
    assert [
        (one["positive_n_right"], one["positive_n"], one["negative_n_right"], one["negative_n"]) for one in figures
    ] == [(0, 1, 0, 1)] * 3
    told.run("campaign", "labels", "experts", "--preview")
    assert "6 votes on gold items, 0 of which say what was known, decide nothing." in capsys.readouterr().err
    told.run("campaign", "labels", "experts", "--name", "known")
    with told.study.read() as begun:
        entry = get_label_set(begun, "known")
        assert find_verdicts(begun, entry, image_ids=["i0"])["i0"] == {0: Verdict.CORRECT, 7: Verdict.WRONG}
    told.run("campaign", "export", "experts", str(tmp_path / "votes.jsonl"))
    lines = [json.loads(line) for line in (tmp_path / "votes.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [(one["verdict"], one["gold"]) for one in lines if one["image_id"] == "i0"].count(("correct", "wrong")) == 3


def test_a_gold_item_that_is_skipped_tests_nobody(told: Told, capsys: pytest.CaptureFixture[str]) -> None:
    ask(told, "--gold", "known", "--gold-share", "0.08")
    review(told, gold={0: "correct"})
    figures = rate(told, capsys)
    assert [(one["positive_n_right"], one["positive_n"], one["negative_n"]) for one in figures] == [(1, 1, 0)] * 3


def test_what_gold_says_of_an_open_label_becomes_its_verdict(told: Told) -> None:
    with told.study.begin() as begun:
        believed = LabelSet.from_lists("believed", ["i5"], correct=[[]], wrong=[[1]])
        add_labels(begun, Truth(label_sets=(believed,)))
    ask(told, "--gold", "believed")
    campaign = told.get("experts")
    # The dataset label of i5 is asked about anyway.
    assert (campaign.plan.settings["n_gold"], campaign.n_tasks) == (1, N_IMAGES - 1)
    review(told, gold={})
    told.run("campaign", "labels", "experts", "--name", "reviewed", "--keep-wrong-labels")
    with told.study.read() as begun:
        entry = get_label_set(begun, "reviewed")
        assert find_verdicts(begun, entry, image_ids=["i5"])["i5"] == {1: Verdict.WRONG}
        assert find_evidence(begun, entry).by_pair["i5", 1].rule == "known before the review"


def test_gold_items_stand_in_grids_of_their_class(told: Told, capsys: pytest.CaptureFixture[str]) -> None:
    ask(told, "--gold", "known", "--gold-share", "0.08", "--by", "class-pair")
    campaign = told.get("experts")
    # Airplane on i0 joins the five other airplanes; horse on i0 is a grid of its own, as the odd answer is.
    assert campaign.n_tasks == 6
    answer_all(told, said={})
    # All was found correct, the horse among it.
    figures = rate(told, capsys)
    found = [
        (one["positive_n_right"], one["positive_n"], one["negative_n_right"], one["negative_n"]) for one in figures
    ]
    assert found == [(1, 1, 0, 1)] * 3


def test_a_label_set_without_verdicts_on_the_images_has_no_gold_items(told: Told) -> None:
    with told.study.begin() as begun:
        add_labels(begun, Truth(label_sets=(LabelSet.from_lists("unclear", ["i5"], unclear=[[1]]),)))
    with pytest.raises(
        InputError, match=r"Label set unclear@1 finds no class correct or wrong for any image of .*no gold items"
    ):
        ask(told, "--gold", "unclear")
    with pytest.raises(InputError, match="nothing"):
        ask(told, "--gold", "nothing")


@pytest.mark.parametrize("share", ["0", "1.5"])
def test_a_share_of_gold_items_that_makes_no_sense_is_refused(told: Told, share: str) -> None:
    with pytest.raises(InputError, match="above 0 to 1"):
        ask(told, "--gold", "known", "--gold-share", share)
