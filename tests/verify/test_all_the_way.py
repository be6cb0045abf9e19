"""A kind of task that the package does not know goes all the way: from a command or a form to labels, and to being erased."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.server.manager_forms import FORM, fill_in
from tests.verify import WITH_VERIFY
from tests.verify.verify_study import FIRST, PAIRS, SECOND, Told, send, serve_told

from regauge.campaigns.eligibility import PANEL
from regauge.cli.main import cli
from regauge.errors import InputError
from regauge.records.labels.verdicts import Verdict
from regauge.storage.labels.label_set import get_label_set, load_label_set
from regauge.workflows.campaigns.campaign import Questions, create_campaign
from regauge.workflows.kinds import with_kinds
from regauge.workflows.labels.campaign_labels import list_campaign_labels
from regauge.workflows.people.erasure import erase_annotator

OPTIONS = ("--annotators", "3", "--first", "contradictions", "--labels", "known")


@pytest.fixture
def told(tmp_path: Path, database: str) -> Iterator[Told]:
    with serve_told(tmp_path, database=database) as made:
        yield made


def ask(told: Told, folder: Path) -> None:
    """A campaign by command, opened by command."""
    panel = [word for one in told.panel for word in ("--panel", one.annotator.name)]
    told.run("campaign", "create", "verify", "votes", "--pairs", str(folder / "pairs.csv"), *OPTIONS, *panel)
    told.run("campaign", "open", "votes")


def test_it_is_asked_answered_watched_screened_exported_labelled_shown_and_erased(
    told: Told, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ask(told, tmp_path)
    campaign = told.get("votes")
    assert campaign.plan.settings[PANEL] == [one.annotator.id for one in told.panel]
    outsider, member = told.enter(told.outsider), told.enter(told.panel[0])
    assert [f"/campaigns/{campaign.id}" in one.get("/").text for one in (outsider, member)] == [False, True]
    assert outsider.post(f"/api/campaigns/{campaign.id}/consent", {"version": 1}).status_code == 403
    assert outsider.post(f"/api/campaigns/{campaign.id}/tasks", {"n": 5}).status_code == 409
    check_first_round(told, told.vote(campaign, FIRST))
    watch(told)
    told.run("campaign", "extend", "votes")
    assert "asks about 3 of 4 pairs in 3 tasks" in capsys.readouterr().err
    check_second_round(told, told.vote(campaign, SECOND))
    export(told, tmp_path)
    label(told)
    show_and_erase(told)


def check_first_round(told: Told, taken: list[list[dict[str, Any]]]) -> None:
    """What contradicts the dataset comes first; verdicts are shown, and nobody's votes."""
    assert [len(tasks) for tasks in taken] == [4, 4, 4]
    for tasks in taken:
        views = [task["view"] for task in tasks]
        assert views[0]["target"]["name"] == "horse"
        told_of = {view["target"]["name"]: view["verdict"] for view in views}
        assert told_of == {"horse": "wrong", "airplane": "correct", "automobile": None, "bird": None}
        assert all(view["others"] == [] for view in views)


def watch(told: Told) -> None:
    """The manager's pages show what is said, and who is in doubt."""
    manager, campaign = told.enter(told.manager), told.get("votes")
    page = f"/manage/campaigns/{campaign.id}"
    assert "VERIFY" in manager.get("/manage").text
    assert "contradictions" in manager.get(page).text
    assert "Was in doubt in 3 of 4 answers, more than half." in manager.get(f"{page}/annotators").text
    images = manager.get(f"{page}/images").text
    assert "The line shows the share of people who found the label right." in images
    assert "1 of 3" in images
    one = manager.get(f"{page}/images/0").text
    assert "not right" in one
    assert '<th scope="col">asked</th>' in one


def check_second_round(told: Told, taken: list[list[dict[str, Any]]]) -> None:
    """Those who voted see what the others said, without names; what was seen can no longer be changed."""
    assert [len(tasks) for tasks in taken] == [3, 3, 3]
    (horse,) = [task for task in taken[0] if task["view"]["target"]["name"] == "horse"]
    others = sorted(horse["view"]["others"], key=lambda one: one["vote"])
    assert others == [{"vote": "unclear", "comment": ""}, {"vote": "wrong", "comment": "It is a toy."}]
    told.run("campaign", "extend", "votes", "--dry-run")
    with pytest.raises(InputError, match="--doubt decides nothing in a verify campaign"):
        told.run("campaign", "extend", "votes", "--doubt", "0.1")


def export(told: Told, folder: Path) -> None:
    """The answers as a file, by command and from the page; and the whole study, to another place."""
    told.run("campaign", "export", "votes", str(folder / "votes.csv"))
    lines = (folder / "votes.csv").read_text().splitlines()
    assert (lines[0], len(lines)) == ("task_id,annotator_id,image_id,class,vote", 1 + 12 + 9)
    manager = told.enter(told.manager)
    reply = manager.get(f"/api/manage/campaigns/{told.get('votes').id}/answers")
    assert (reply.text.splitlines(), reply.headers["content-type"].split(";")[0]) == (lines, "text/csv")
    told.run("export", "bundle", str(folder / "whole.zip"))
    there = ["import", str(folder / "whole.zip"), str(folder / "there")]
    with pytest.raises(InputError, match="knows no kind of work 'verify'; it has: contains, classify"):
        cli.main(there, standalone_mode=False)
    cli.main(there, obj=WITH_VERIFY, standalone_mode=False)
    words = ["campaign", "export", "votes", str(folder / "again.csv"), "--study", str(folder / "there")]
    cli.main(words, obj=WITH_VERIFY, standalone_mode=False)
    assert (folder / "again.csv").read_text().splitlines() == lines


def label(told: Told) -> None:
    """Whoever is in doubt more often than not is left out, and the plurality of the last round holds."""
    manager, campaign = told.enter(told.manager), told.get("votes")
    page = manager.get(f"/manage/campaigns/{campaign.id}/labels").text
    assert "The vote of the most people holds" in page
    preview = manager.post(f"/api/manage/campaigns/{campaign.id}/labels/preview", {"screening": True})
    assert preview.status_code == 200, preview.text
    told.run("campaign", "labels", "votes", "--name", "voted")
    told.run("campaign", "labels", "votes", "--name", "all", "--no-screening")
    with told.study.read() as reading:
        found = load_label_set(reading, get_label_set(reading, "voted"))
        everything = load_label_set(reading, get_label_set(reading, "all"))
    verdicts = zip(found.image_ids[found.rows].tolist(), found.classes.tolist(), found.verdicts.tolist(), strict=True)
    assert set(verdicts) == {
        ("i0", 0, Verdict.CORRECT),
        ("i0", 7, Verdict.WRONG),
        ("i1", 1, Verdict.UNCLEAR),
        ("i2", 2, Verdict.UNCLEAR),
    }
    of_all = zip(everything.image_ids[everything.rows].tolist(), everything.verdicts.tolist(), strict=True)
    assert ("i1", Verdict.WRONG) in set(of_all)


def show_and_erase(told: Told) -> None:
    """Somebody takes along what they said, in words of the kind; then they are erased, and labels are made anew."""
    who = told.panel[1]
    mine = told.enter(who).get("/api/me").json()
    assert {one["kind"] for one in mine["answers"]} == {"verify"}
    assert mine["answers"][0]["asked"] == {"n_images": 1, "class": 7}
    assert mine["answers"][0]["answer"]["comment"] == "It is a toy."
    with told.study.begin() as begun:
        erase_annotator(begun, who.annotator.name, reason="asked for it", with_answers=True)
    with told.study.read() as reading:
        versions = [entry.full_name for entry in list_campaign_labels(reading, "votes")]
    assert "voted@2" in versions


def test_an_answer_that_others_have_seen_stays_as_it_is(told: Told, tmp_path: Path) -> None:
    ask(told, tmp_path)
    campaign = told.get("votes")
    taken = told.vote(campaign, FIRST)
    told.run("campaign", "extend", "votes")
    first = told.enter(told.panel[0])
    locked, free = taken[0][0], next(one for one in taken[0] if one["view"]["target"]["name"] == "bird")
    reply = send(first, locked, "wrong", revision=1)
    assert (reply.status_code, reply.json()["detail"]) == (
        409,
        "This answer can no longer be changed: others have seen it.",
    )
    assert send(first, free, "wrong", revision=1).status_code == 200


def test_a_form_makes_the_same_campaign_and_says_beside_the_field_what_is_wrong(told: Told) -> None:
    manager = told.enter(told.manager)
    page = manager.get("/manage/campaigns/new").text
    assert 'value="verify"' in page
    assert "labels that contradict the dataset&#39;s" in page
    wrong = fill_in(manager, FORM, kind="verify", first="nothing")
    assert (wrong.status_code, list(wrong.json()["fields"])) == (422, ["first"])
    names = ", ".join(one.annotator.name for one in told.panel)
    made = fill_in(
        manager, FORM, kind="verify", source="file", table=PAIRS, first="contradictions", panel=names, labels="known@1"
    )
    assert made.status_code == 201, made.text
    campaign = told.get("new one")
    assert (campaign.kind, campaign.n_tasks) == ("verify", 4)
    assert campaign.plan.settings[PANEL] == [one.annotator.id for one in told.panel]
    nobody = fill_in(manager, FORM, kind="verify", name="other", panel="nobody", first="any")
    assert nobody.status_code == 422


def test_a_program_without_the_kind_says_so(told: Told, tmp_path: Path) -> None:
    ask(told, tmp_path)
    plain = with_kinds(told.study, None)
    with (
        plain.begin() as begun,
        pytest.raises(InputError, match="no kind of work 'verify'; it has: contains, classify"),
    ):
        create_campaign(begun, replace(told.get("votes").plan, name="again"), Questions())
