"""Coding goes all the way: from what a participant still gets wrong to a coding and to the verdicts that it overturns."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.kinds.code.coded_study import (
    GONE,
    LINE,
    MAJOR,
    MINOR,
    N_MISTAKES,
    Said,
    ask,
    code_all,
    send,
    take,
    told,
)
from tests.server.manager_forms import FORM, fill_in
from tests.verify.verify_study import Told
from tests.workflows.conftest import database, postgres, postgres_database

from regauge.errors import InputError
from regauge.fields import FieldError
from regauge.records.labels.evidence import ExpertVote
from regauge.records.labels.verdicts import Verdict
from regauge.records.mistakes.coding import MistakeCoding
from regauge.storage.labels.evidence import find_evidence
from regauge.storage.labels.label_set import find_verdicts, get_label_set
from regauge.storage.mistakes.codings import get_coding, load_coding

__all__ = ["database", "postgres", "postgres_database", "told"]

SAID = [(MAJOR, MAJOR), (MAJOR, MINOR), (GONE, GONE), (LINE, LINE), (GONE, MAJOR)]
"""What two coders say of each mistake: they agree, differ in severity, overturn, call it borderline, and differ in all."""


def say(place: int, number: int) -> Said:
    return SAID[number][place]


def load(told: Told, name: str = "codes") -> MistakeCoding:
    with told.study.read() as begun:
        return load_coding(begun, get_coding(begun, name))


def list_codes(coding: MistakeCoding) -> list[tuple[str, int, str, int]]:
    coded = coding.coded
    rows = zip(coded.image_ids.tolist(), coded.predictions.tolist(), coded.categories, coded.severities, strict=True)
    return [(one, index, coded.category_names[category], int(severity)) for one, index, category, severity in rows]


def test_every_remaining_mistake_is_coded_or_overturned(told: Told, capsys: pytest.CaptureFixture[str]) -> None:
    ask(told)
    assert told.get("codes").n_tasks == N_MISTAKES
    code_all(told, say)
    told.run("campaign", "coding", "codes")
    printed = capsys.readouterr()
    assert "Coders looked at 5 of 5 mistakes and overturned 1." in printed.err
    assert "2 mistakes left out: as many coders say one thing as another (overturning 1, severity 1)." in printed.err
    coding = load(told)
    assert list_codes(coding) == [("i0", 1, "fine-grained", 0), ("i3", 4, "spurious-correlation", 2)]
    assert (coding.participant, coding.labels, coding.source) == ("bad", "truth@1", "campaign codes")
    gone = coding.overturned
    assert (gone.image_ids.tolist(), gone.predictions.tolist(), gone.reasons) == (["i2"], [3], ("missed object",))
    assert gone.notes == ("There is one behind it.",)


def test_what_is_overturned_becomes_a_verdict_with_its_reason(told: Told) -> None:
    ask(told)
    code_all(told, say)
    told.run("campaign", "labels", "codes", "--name", "truth")
    with told.study.read() as begun:
        entry = get_label_set(begun, "truth")
        found = find_verdicts(begun, entry, image_ids=[f"i{one}" for one in range(N_MISTAKES)])
        evidence = find_evidence(begun, entry).by_pair
    assert entry.version == 2
    assert found["i2"] == {2: Verdict.CORRECT, 3: Verdict.CORRECT}
    # Judged before, it stays; novel ones that are coded are wrong; of a tie nothing follows.
    assert found["i0"] == {0: Verdict.CORRECT, 1: Verdict.WRONG}
    assert ("i0", 1) not in evidence
    assert (found["i1"][2], found["i3"][4]) == (Verdict.WRONG, Verdict.WRONG)
    assert found["i4"] == {0: Verdict.CORRECT}
    names = sorted(one.annotator.name for one in told.panel[:2])
    mine = evidence["i2", 3]
    assert (mine.rule, mine.reason, mine.note) == (
        "overturned by most coders",
        "missed object",
        "There is one behind it.",
    )
    assert mine.votes == tuple(ExpertVote(name, Verdict.CORRECT) for name in names)
    # Under the new version it is a mistake no longer, and the coding says so.
    told.run("campaign", "coding", "codes")
    assert load(told).labels == "truth@2"


def test_coders_see_what_was_judged_and_nothing_of_each_other(told: Told) -> None:
    ask(told)
    first, tasks = take(told, told.panel[0])
    for task in tasks:
        assert send(first, task, GONE).status_code == 200
    _, theirs = take(told, told.panel[1])
    names = [one.annotator.name for one in told.panel]
    for task in theirs:
        view = task["view"]
        assert set(view) == {"prediction", "verdict", "accepted", "rejected", "categories", "n_cells", "discussion"}
        assert len(view["accepted"]) == 1
        assert view["discussion"] is None
        assert not {"bad", "overturned", "missed object", *names} & set(json.dumps(task).split('"'))
    judged = next(one["view"] for one in theirs if one["view"]["prediction"]["class"] == 1)
    assert judged["verdict"] == "wrong"


def test_scores_are_shown_where_the_campaign_shows_them(told: Told) -> None:
    ask(told, "--show-score")
    _, tasks = take(told, told.panel[0])
    assert sorted(task["view"]["score"] for task in tasks) == [0.86, 0.87, 0.88, 0.89, 0.9]


def test_the_same_pair_of_another_participant_takes_its_codes_over(
    told: Told, capsys: pytest.CaptureFixture[str]
) -> None:
    ask(told)
    code_all(told, lambda _place, number: MAJOR if number else GONE)
    told.run("campaign", "coding", "codes")
    capsys.readouterr()
    ask(told, name="theirs", participant="other")
    assert "2 mistakes not asked about: codes@1 has decided the same image and prediction." in capsys.readouterr().err
    assert told.get("theirs").n_tasks == 1
    code_all(told, lambda _place, _number: LINE, name="theirs")
    told.run("campaign", "coding", "theirs")
    coding = load(told, "theirs")
    assert list_codes(coding) == [("i6", 9, "spurious-correlation", 2), ("i1", 2, "fine-grained", 0)]
    assert coding.remarks == ("", "decided by codes@1")
    assert (coding.overturned.image_ids.tolist(), coding.overturned.reasons) == (["i0"], ("missed object",))


def test_nothing_remains_to_code_is_a_sentence(told: Told) -> None:
    ask(told)
    code_all(told, lambda _place, _number: MAJOR)
    told.run("campaign", "coding", "codes")
    with pytest.raises(InputError, match=r"5 mistakes of bad under truth@1 are decided already, by codes@1\."):
        ask(told, name="again")


def test_a_study_can_have_categories_of_its_own(told: Told, tmp_path: Path) -> None:
    (tmp_path / "own.csv").write_text("name,definition\ntexture,Its <b>surface</b>.\n<i>shape</i>,\n")
    ask(told, "--categories", str(tmp_path / "own.csv"))
    visitor, tasks = take(told, told.panel[0])
    assert tasks[0]["view"]["categories"] == ["texture", "<i>shape</i>"]
    assert send(visitor, tasks[0], MAJOR).status_code == 409
    code_all(told, lambda _place, _number: {"category": "<i>shape</i>", "severity": "minor"})
    told.run("campaign", "coding", "codes")
    assert load(told).coded.category_names == ("texture", "<i>shape</i>")
    page = visitor.get(f"/campaigns/{told.get('codes').id}").text
    assert "&lt;i&gt;shape&lt;/i&gt;" in page
    assert "<i>shape" not in page
    assert "Its &lt;b&gt;surface" in page


@pytest.mark.same_sql
@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("name,definition\n", "a header and no rows"),
        ("name\none\nOne\n", "Two categories are called 'One'"),
        ("label\none\n", "name"),
        ("name\n" + "x" * 61 + "\n", "a name has at most 60 characters"),
    ],
)
def test_a_list_of_categories_that_cannot_be_used_is_a_sentence(
    told: Told, tmp_path: Path, content: str, problem: str
) -> None:
    (tmp_path / "own.csv").write_text(content)
    with pytest.raises(FieldError, match=problem) as caught:
        ask(told, "--categories", str(tmp_path / "own.csv"))
    assert caught.value.field_name == "categories"
    with pytest.raises(InputError, match="no campaign 'codes'"):
        told.get("codes")


@pytest.mark.same_sql
@pytest.mark.parametrize(
    ("words", "field", "problem"),
    [
        (("--participant", "nobody"), "participants", "No participant on"),
        (("--participant", "*"), "participants", r"2 are meant \(bad, other\)"),
        (("--labels", "nothing"), "labels", "no label set 'nothing'"),
    ],
)
def test_what_cannot_be_coded_is_a_sentence(told: Told, words: tuple[str, ...], field: str, problem: str) -> None:
    with pytest.raises(FieldError, match=problem) as caught:
        told.run("campaign", "create", "code", "x", "--participant", "bad", "--labels", "truth", *words)
    assert caught.value.field_name == field


def test_a_participant_without_mistakes_has_nothing_to_code(told: Told) -> None:
    with pytest.raises(FieldError, match=r"Name the participant"):
        told.run("campaign", "create", "code", "x", "--labels", "truth")
    with pytest.raises(FieldError, match=r"Name the label set"):
        told.run("campaign", "create", "code", "x", "--participant", "bad")


@pytest.mark.same_sql
@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ({}, "A category is one of: fine-grained, fine-grained-oov"),
        ({"category": "fine-grained"}, "A severity is one of: major, minor, borderline"),
        ({"category": "fine-grained", "severity": "awful"}, "A severity is one of"),
        ({"category": "other", "severity": "minor"}, "needs a note"),
        ({"overturned": "missed object"}, "The note says what you see"),
        ({"overturned": "label set", "comment": "x"}, "Why it is not a mistake is one of"),
        ({**MAJOR, "overturned": "missed object", "comment": "x"}, "neither a category nor a severity"),
        ({**MAJOR, "link": "javascript:alert(1)"}, "A link to evidence"),
    ],
)
def test_an_answer_that_says_too_little_or_too_much_is_refused(told: Told, answer: Said, problem: str) -> None:
    ask(told)
    visitor, tasks = take(told, told.panel[0])
    reply = send(visitor, tasks[0], answer)
    assert reply.status_code == 409
    assert problem in reply.text


def test_one_coder_alone_has_no_agreement(told: Told, capsys: pytest.CaptureFixture[str]) -> None:
    ask(told, "--annotators", "1", coders=1)
    code_all(told, lambda _place, _number: MAJOR, coders=1)
    capsys.readouterr()
    told.run("campaign", "coding", "codes", "--format", "json")
    made = json.loads(capsys.readouterr().out)
    assert [(one["n"], one["alpha"]) for one in made["agreement"]] == [(0, None)] * 3
    assert "alone coded these mistakes" in made["notes"][1]
    assert made["n_coded"] == 5


def test_of_a_coder_who_leaves_the_mistakes_go_to_another(told: Told, capsys: pytest.CaptureFixture[str]) -> None:
    ask(told)
    code_all(told, lambda _place, _number: MAJOR)
    gone = told.panel[1].annotator.name
    told.run("campaign", "drop", "codes", gone, "--reason", "left")
    told.run("campaign", "coding", "codes", "--preview")
    assert f"{told.panel[0].annotator.name} alone coded these mistakes" in capsys.readouterr().err
    visitor, tasks = take(told, told.panel[2])
    assert len(tasks) == N_MISTAKES
    for task in tasks:
        send(visitor, task, MINOR)
    told.run("campaign", "coding", "codes", "--preview")
    assert "5 mistakes left out: as many coders say one thing as another (severity 5)." in capsys.readouterr().err


def test_three_coders_decide_by_most(told: Told) -> None:
    ask(told, "--annotators", "3")
    code_all(told, lambda place, _number: (MAJOR, MINOR, GONE)[place], coders=3)
    told.run("campaign", "coding", "codes", "--preview")
    # A third overturns, so they are mistakes; and of two severities none has more.
    with pytest.raises(InputError, match="no coding 'codes'"):
        load(told)


def test_managers_watch_and_export_codes(told: Told, tmp_path: Path) -> None:
    ask(told)
    code_all(told, say)
    manager, campaign = told.enter(told.manager), told.get("codes")
    page = f"/manage/campaigns/{campaign.id}"
    assert "CODE" in manager.get("/manage").text
    text = manager.get(page).text
    assert "5 of 5 mistakes" in text
    assert "regauge campaign coding codes" in text
    assert manager.get(f"{page}/annotators").status_code == 200
    assert "share of coders who find that the prediction is not a mistake" in manager.get(f"{page}/images").text
    assert manager.get(f"{page}/items").status_code == 200
    assert manager.get(f"{page}/labels").status_code == 200
    told.run("campaign", "export", "codes", str(tmp_path / "codes.jsonl"))
    lines = [json.loads(line) for line in (tmp_path / "codes.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(lines) == 2 * N_MISTAKES
    mine = [one for one in lines if one["image_id"] == "i2"]
    assert {one["overturned"] for one in mine} == {"missed object"}
    assert {one["severity"] for one in lines if one["image_id"] == "i3"} == {"borderline"}


def test_a_form_makes_the_same_campaign(told: Told) -> None:
    manager = told.enter(told.manager)
    form = {
        **FORM,
        "kind": "code",
        "source": "mistakes",
        "labels": "truth@1",
        "participants": "bad",
        "coders": "",
        "n_annotators": "2",
    }
    reply = fill_in(manager, form)
    assert reply.status_code in {200, 201, 303}, reply.text
    assert told.get("new one").n_tasks == N_MISTAKES
    assert told.get("new one").plan.settings["categories"][0][0] == "fine-grained"
    fields = {name: (None, value) for name, value in form.items()}

    def post(name: str, content: bytes) -> Any:
        file = {"categories": ("own", content, "text/plain")}
        return manager.ask("POST", "/api/manage/campaigns", files={**fields, "name": (None, name), **file})

    for name, content in (("as json", b'{"shape": "Its form."}'), ("as csv", b"name,definition\nshape,Its form.\n")):
        reply = post(name, content)
        assert reply.status_code == 201, reply.text
        assert told.get(name).plan.settings["categories"] == [["shape", "Its form."]]
    reply = post("bad", b"shape\n")
    assert "categories" in reply.json()["fields"]


def test_coders_take_what_they_said_along(told: Told) -> None:
    ask(told)
    code_all(told, say)
    visitor = told.enter(told.panel[0])
    mine = visitor.get("/api/me").json()
    assert "There is one behind it." in json.dumps(mine)
