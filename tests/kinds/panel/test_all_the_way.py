"""A panel votes on a model's novel mistakes, argues, and its verdicts become the next version of the label set."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from tests.kinds.panel.panel_study import NAME, Panelled, send, serve_panel

from regauge.campaigns.eligibility import PANEL
from regauge.errors import InputError
from regauge.kinds.registry import find_kind
from regauge.records.labels.verdicts import Verdict
from regauge.storage.discussions.pictures import find_picture
from regauge.storage.labels.evidence import find_evidence
from regauge.storage.labels.label_set import get_label_set, load_label_set
from regauge.workflows.discussions.standing import load_standing
from regauge.workflows.people.erasure import erase_annotator
from regauge.workflows.studies.bundles import export_bundle, import_study

FIRST: tuple[dict[int, dict[str, Any] | str], ...] = (
    {6: "correct", 7: "wrong", 8: {"verdicts": {"8": "correct"}, "label_wrong": True}},
    {6: "correct", 7: "wrong", 8: {"verdicts": {"8": "correct"}, "label_wrong": True}},
    {6: "correct", 7: {"verdicts": {"7": "correct"}, "argument": "Look at the mane."}, 8: "unclear"},
)
"""On the first all agree; on the second the third is alone; the third has its dataset label wrong for two of three."""


@pytest.fixture
def panelled(tmp_path: Path, database: str) -> Iterator[Panelled]:
    with serve_panel(tmp_path, database=database) as made:
        yield made


def close(panelled: Panelled) -> list[dict[int, dict[str, Any]]]:
    taken = [panelled.cast(place, said) for place, said in enumerate(FIRST)]
    assert panelled.enter_act(0, "close").status_code == 200
    return taken


def test_it_asks_about_novel_mistakes_with_scores_and_what_was_judged(panelled: Panelled) -> None:
    campaign = panelled.get(NAME)
    assert campaign.plan.settings[PANEL] == [one.annotator.id for one in panelled.panel]
    assert (campaign.n_tasks, campaign.plan.n_annotators, campaign.plan.settings["n_mistakes"]) == (3, 3, 4)
    tasks = panelled.take_all(0)
    assert set(tasks) == {6, 7, 8}
    view = tasks[6]["view"]
    assert (view["items"][0]["score"], view["label"]["class"], view["discussion"]) == ("0.51", 1, None)
    assert [(one["class"], one["verdict"]) for one in view["known"]] == [(1, "correct")]
    with panelled.study.read() as reading:
        notes = find_kind(reading.around.kinds, campaign.kind).making.note_tasks(campaign.plan.settings)
    assert notes == ("3 panelists vote on 3 predictions of 3 images.",)


def test_votes_arguments_and_changes_become_a_version_whose_diff_has_all_of_them(
    panelled: Panelled, capsys: pytest.CaptureFixture[str]
) -> None:
    taken = close(panelled)
    first, second = (panelled.enter(one) for one in panelled.panel[:2])
    assert send(second, taken[1][7], "correct", revision=1, argument="I see the mane.").status_code == 200
    assert send(first, taken[0][7], "wrong", revision=1, argument="A toy.").status_code == 200
    assert panelled.lock_all().status_code == 200
    panelled.run("campaign", "labels", NAME, "--preview")
    said = capsys.readouterr().err
    assert "3 of 3 images locked, and decided by the most votes" in said
    assert "Discussion changed 1 of 3 outcomes (33.3% [0.8, 90.6])" in said
    assert "1 from wrong to correct; in 1 of 1 a single panelist's vote turned it" in said
    assert "1 image problematic as the dataset label is wrong; on 1 of them a prediction is correct" in said
    panelled.run("campaign", "labels", NAME, "--name", "known")
    with panelled.study.read() as reading:
        entry = get_label_set(reading, "known")
        found, evidence = load_label_set(reading, entry), find_evidence(reading, entry)
    assert entry.full_name == "known@2"
    verdicts = {
        (image, index): Verdict(verdict)
        for image, index, verdict in zip(
            found.image_ids[found.rows].tolist(), found.classes.tolist(), found.verdicts.tolist(), strict=True
        )
    }
    assert [verdicts[pair] for pair in (("i1", 6), ("i2", 7), ("i3", 8), ("i5", 9))] == [
        Verdict.CORRECT,
        Verdict.CORRECT,
        Verdict.CORRECT,
        Verdict.WRONG,
    ]
    assert found.image_ids[found.is_problematic].tolist() == ["i3"]
    names = [one.annotator.name for one in panelled.panel]
    said_of = evidence.by_pair["i2", 7]
    assert [vote.verdict.name for vote in said_of.first_votes] == ["WRONG", "WRONG", "CORRECT"]
    assert [vote.verdict.name for vote in said_of.votes] == ["WRONG", "CORRECT", "CORRECT"]
    assert said_of.arguments == ((names[2], "Look at the mane."), (names[1], "I see the mane."), (names[0], "A toy."))
    capsys.readouterr()
    panelled.run("labels", "diff", "known@1", "known@2", "--format", "json")
    assert "I see the mane." in capsys.readouterr().out


def test_only_what_is_locked_is_decided(panelled: Panelled) -> None:
    taken = close(panelled)
    with pytest.raises(InputError, match="A panel decides nothing before a chair locks it"):
        panelled.run("campaign", "labels", NAME, "--preview")
    items = panelled.look(0)["items"]
    one = next(item for item in items if item["shown_id"] == taken[0][6]["id"])
    panelled.enter_act(0, "lock", {"items": [{"task": one["task"], "version": one["version"]}]})
    panelled.run("campaign", "labels", NAME, "--name", "some")
    with panelled.study.read() as reading:
        found = load_label_set(reading, get_label_set(reading, "some"))
    assert {7, 8}.isdisjoint(found.classes.tolist())


def test_a_tie_is_unclear_and_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with serve_panel(tmp_path, n_panelists=2) as panelled:
        assert (
            "On a panel of 2, every disagreement that remains is a tie, and a tie is unclear."
            in capsys.readouterr().err
        )
        close_two(panelled)
        panelled.lock_all()
        panelled.run("campaign", "labels", NAME, "--name", "known")
        panelled.run("campaign", "labels", NAME, "--preview")
        said = capsys.readouterr().err
        assert "1 of 3 outcomes decided without more than half of the votes (33.3% [0.8, 90.6])." in said
        assert "Without more than half: i2 with class 7." in said
        with panelled.study.read() as reading:
            found = load_label_set(reading, get_label_set(reading, "known"))
        assert found.verdicts[found.classes == 7].tolist() == [Verdict.UNCLEAR]


def close_two(panelled: Panelled) -> None:
    for place, said in enumerate(("wrong", "correct")):
        panelled.cast(place, {6: "correct", 7: said, 8: "wrong"})
    assert panelled.enter_act(0, "close").status_code == 200


def test_bad_input_says_what_is_wrong(tmp_path: Path) -> None:
    with serve_panel(tmp_path, opens=False) as panelled:
        one = panelled.panel[0].annotator.name
        usual = ("campaign", "create", "panel", "x", "--participant", "top", "--labels", "known")
        two = ("--panelists", one, "--panelists", panelled.panel[1].annotator.name)
        for words, match in (
            ((*usual, "--panelists", one), "A panel has 2 people or more, and 1 named"),
            (usual, "A panel has 2 people or more, and 0 named"),
            ((*usual, *two, "--chair", panelled.outsider.annotator.name), "A chair takes part, too"),
            ((*usual, *two, "--panelists", "nobody"), "There is no annotator 'nobody'"),
            ((*usual, *two, "--panelists", "manager"), "manager cannot vote"),
            (
                ("campaign", "create", "panel", "x", "--participant", "top", *two),
                "Mistakes are found under a label set",
            ),
            (("campaign", "create", "panel", "x", "--labels", "known", *two), "Name whose mistakes"),
            (("campaign", "create", "panel", "x", "--participant", "no", "--labels", "known", *two), "no"),
        ):
            with pytest.raises(InputError, match=match):
                panelled.run(*words)


def test_an_answer_votes_on_everything_and_its_evidence_is_looked_at(panelled: Panelled) -> None:
    task = panelled.take_all(0)[6]
    visitor = panelled.enter(panelled.panel[0])
    for answer, words in (
        ({"verdicts": {}}, "Vote on every prediction, and on nothing else."),
        ({"verdicts": {"6": "maybe"}}, "A vote is one of correct, unclear, wrong."),
        ({"verdicts": {"6": "wrong"}, "problematic": 1}, "What is said of the image is said or not."),
        ({"verdicts": {"6": "wrong"}, "evidence": {"link": "javascript:alert(1)"}}, "A link to evidence begins with"),
        ({"verdicts": {"6": "wrong"}, "evidence": {"picture": "../x"}}, "There is no such picture"),
    ):
        reply = send(visitor, task, answer)
        assert (reply.status_code, reply.json()["detail"].startswith(words)) == (409, True), reply.text


def draw(image_format: str = "PNG") -> str:
    buffer = io.BytesIO()
    Image.new("RGB", (40, 20), "red").save(buffer, image_format)
    return base64.b64encode(buffer.getvalue()).decode()


def test_a_picture_is_written_again_and_shown_to_the_panel_once_round_one_is_over(panelled: Panelled) -> None:
    task = panelled.take_all(0)[6]
    first, second = (panelled.enter(one) for one in panelled.panel[:2])
    reply = first.post("/api/evidence", {"assignment_id": task["id"], "content": draw()})
    assert reply.status_code == 200, reply.text
    token = reply.json()["picture"]
    own = first.get(f"/api/evidence/{token}")
    assert (own.status_code, own.headers["content-type"], own.content[:2]) == (200, "image/jpeg", b"\xff\xd8")
    assert own.headers["x-content-type-options"] == "nosniff"
    assert "content-security-policy" in own.headers
    assert [one.get(f"/api/evidence/{token}").status_code for one in (second, panelled.enter(panelled.manager))] == [
        404,
        404,
    ]
    svg = base64.b64encode(b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>").decode()
    for content in (svg, base64.b64encode(b"<html>").decode()):
        refused = first.post("/api/evidence", {"assignment_id": task["id"], "content": content})
        assert refused.status_code == 409
        assert "This file is not a picture that can be shown" in refused.json()["detail"]
    assert second.post("/api/evidence", {"assignment_id": task["id"], "content": draw()}).status_code == 409
    assert send(first, task, "correct", evidence={"picture": token, "link": "https://example.org/a"}).status_code == 200
    panelled.cast(0, {7: "wrong", 8: "wrong"})
    for place in (1, 2):
        panelled.cast(place, {6: "wrong", 7: "wrong", 8: "wrong"})
    assert panelled.enter_act(0, "close").status_code == 200
    assert second.get(f"/api/evidence/{token}").status_code == 200
    outsider = panelled.enter(panelled.outsider)
    assert outsider.get(f"/api/evidence/{token}").status_code == 404
    with panelled.study.begin() as begun:
        erase_annotator(begun, panelled.panel[0].annotator.name, reason="asked for it", with_answers=True)
    assert second.get(f"/api/evidence/{token}").status_code == 404


def test_a_bundle_takes_votes_locks_and_pictures_along(panelled: Panelled, tmp_path: Path) -> None:
    task = panelled.take_all(0)[6]
    first = panelled.enter(panelled.panel[0])
    token = first.post("/api/evidence", {"assignment_id": task["id"], "content": draw()}).json()["picture"]
    close(panelled)
    panelled.lock_all()
    with panelled.study.read() as reading:
        before, picture = load_standing(reading, panelled.get(NAME)), find_picture(reading, token)
        export_bundle(reading, tmp_path / "whole.zip")
    made = import_study(tmp_path / "whole.zip", tmp_path / "there", around=panelled.study.around)
    with made.study as there, there.read() as reading:
        assert load_standing(reading, panelled.get(NAME)).items == before.items
        assert picture is not None
        assert find_picture(reading, token) == picture


def test_the_command_line_does_what_a_chair_does(panelled: Panelled, capsys: pytest.CaptureFixture[str]) -> None:
    for place in (0, 1):
        panelled.cast(place, {6: "correct", 7: "wrong", 8: ("wrong", "correct")[place]})
    gone = panelled.panel[2].annotator.name
    capsys.readouterr()
    panelled.run("campaign", "discussion", NAME, "--format", "jsonl")
    found = json.loads(capsys.readouterr().out)
    assert (found["round"], found["n_items"], found["waits_for"]) == (1, 3, gone)
    with pytest.raises(InputError, match="Say why"):
        panelled.run("campaign", "discussion", NAME, "--excuse", gone)
    panelled.run(
        "campaign", "discussion", NAME, "--excuse", gone, "--reason", "left", "--close-round", "--lock-unanimous"
    )
    capsys.readouterr()
    panelled.run("campaign", "discussion", NAME, "--format", "jsonl")
    found = json.loads(capsys.readouterr().out)
    assert {name: found[name] for name in ("round", "n_disputed", "n_unanimous", "n_locked", "waits_for")} == {
        "round": 2,
        "n_disputed": 1,
        "n_unanimous": 2,
        "n_locked": 2,
        "waits_for": "",
    }
    with pytest.raises(InputError, match="No item of campaign panel is unanimous and open"):
        panelled.run("campaign", "discussion", NAME, "--lock-unanimous")


def test_the_form_makes_the_same_campaign(tmp_path: Path) -> None:
    from tests.server.manager_forms import FORM, fill_in

    with serve_panel(tmp_path, opens=False) as panelled:
        manager = panelled.enter(panelled.manager)
        names = ", ".join(one.annotator.name for one in panelled.panel)
        more = {"kind": "panel", "source": "novel", "participants": "top", "labels": "known@1", "panelists": names}
        made = fill_in(manager, FORM, **more)
        assert made.status_code == 201, made.text
        assert panelled.get("new one").n_tasks == 3
