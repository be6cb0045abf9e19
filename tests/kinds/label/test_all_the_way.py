"""People are tested from the command to participants: on both databases, with everything that the contract of a kind asks for."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.kinds.label.label_study import Examined, send, serve_examined
from tests.server.manager_forms import FORM, fill_in
from tests.workflows.campaign_studies import write_pictures
from tests.workflows.conftest import database, postgres, postgres_database

from regauge.errors import InputError
from regauge.records.campaigns.evaluations import GUIDE_VERSION
from regauge.storage.campaigns.campaign import load_campaign_images
from regauge.storage.predictions import list_predictions
from regauge.storage.testsets.test_set import get_test_set
from regauge.workflows.campaigns.openings import describe_unfinished
from regauge.workflows.campaigns.participants import Naming, add_people, make_people
from regauge.workflows.exposure.effects import EffectOrder, measure_exposure_effect
from regauge.workflows.exposure.recording import learn_exposures
from regauge.workflows.people.erasure import erase_annotator
from regauge.workflows.testsets.test_set import add_test_set

__all__ = ["database", "postgres", "postgres_database", "tested"]


@pytest.fixture
def tested(tmp_path: Path, database: str) -> Iterator[Examined]:
    with serve_examined(tmp_path, database=database) as made:
        yield made


@pytest.fixture
def quick(tmp_path: Path) -> Iterator[Examined]:
    with serve_examined(tmp_path) as made:
        yield made


def list_images(tested: Examined, name: str = "test") -> list[tuple[int, int]]:
    with tested.study.read() as reading:
        return [(one.test_set_id, one.row) for one in load_campaign_images(reading, tested.get(name).id)]


def test_people_are_tested_watched_exported_closed_and_made_participants(
    tested: Examined, capsys: pytest.CaptureFixture[str]
) -> None:
    campaign = tested.test()
    assert campaign.n_tasks == 8
    first, second, _ = tested.people
    assert len(tested.answer_all(first, campaign)) == 8
    assert len(tested.answer_all(second, campaign, n=3, seconds=20.0)) == 3
    watch(tested)
    export(tested)
    capsys.readouterr()
    tested.run("campaign", "close", "test")
    assert f"{second.annotator.name} has 5 of 8 images left." in capsys.readouterr().err
    check_participants(tested, capsys)
    show_and_erase(tested)


def watch(tested: Examined) -> None:
    """The manager sees how far they are, who answered what, and offers no labels."""
    manager, campaign = tested.enter(tested.manager), tested.get("test")
    page = f"/manage/campaigns/{campaign.id}"
    overview = manager.get(page).text
    assert "everybody answers every task" in overview
    assert "4 of original, 4 of new" in overview
    assert "Label set" not in overview
    assert f"{tested.people[1].annotator.name} has 5 of 8 images left." in overview
    assert "11</b> of 16 answers" in manager.get("/manage").text
    assert manager.get(f"{page}/annotators").status_code == 200
    assert "The line shows the share of people who named this class." in manager.get(f"{page}/images").text
    assert "automobile" in manager.get(f"{page}/images/0").text


def export(tested: Examined) -> None:
    """Both times stand in the file, with what is odd about them."""
    path = tested.folder / "answers.jsonl"
    tested.run("campaign", "export", "test", str(path))
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert len(rows) == 11
    assert {(row["class"], row["seconds"], row["active_seconds"], tuple(row["time_flags"])) for row in rows} == {
        (1, 7.0, 6.0, ()),
        (1, 20.0, 19.0, ()),
    }
    assert set(rows[0]) == {"image_id", "annotator_id", "class", "seconds", "active_seconds", "time_flags", "revision"}


def check_participants(tested: Examined, capsys: pytest.CaptureFixture[str]) -> None:
    """One participant for each person and set, under a pseudonym or a given name; partial ones have their images alone."""
    first, second, _ = tested.people
    name = first.annotator.name
    tested.run("campaign", "predictions", "test", "--name", f"{name}=Human A", "--format", "json")
    told = capsys.readouterr()
    rows = json.loads(told.out)["predictions"]
    pseudonym = f"person-{second.annotator.id}"
    assert {row["participant"] for row in rows} == {"Human A", pseudonym}
    assert {row["test_set"] for row in rows if row["participant"] == "Human A"} == {"original", "new"}
    assert sum(row["n_answered"] for row in rows if row["participant"] == pseudonym) == 3
    assert "1 of 2 people did not answer all 8 images, and is scored on those that they answered." in told.err
    with tested.study.read() as reading:
        made, _ = make_people(reading, tested.get("test"), Naming({name: "Human A"}))
    both = [one for people in made.values() for one in people if one.participant == "Human A"]
    assert all(one.is_person and one.family == "people" for one in both)
    assert np.concatenate([one.seconds for one in both if one.seconds is not None]).tolist() == [7.0] * 8
    assert np.concatenate([one.active_seconds for one in both if one.active_seconds is not None]).tolist() == [6.0] * 8
    with tested.study.begin() as begun:
        learn_exposures(begun)
        effect = measure_exposure_effect(begun, EffectOrder("original", metric="top1", labels="dataset"))
    # Whoever was made a participant is known under both names.
    assert {one.person for one in effect.labelers} == {"Human A", pseudonym}
    assert not any(one.is_exposed for one in effect.labelers)
    tested.run("evaluate", "--test-set", "original")


def show_and_erase(tested: Examined) -> None:
    """What they answered is withheld until that is allowed; who is erased with their answers leaves no participant."""
    who = tested.people[0]
    visitor = tested.enter(who)
    mine = visitor.get("/api/me").json()
    assert (mine["answers"], mine["withheld"]) == ([], ["test"])
    assert "What you answered in test is neither shown here" in visitor.get("/me").text
    tested.run("campaign", "own-data", "test", "--allow")
    mine = visitor.get("/api/me").json()
    assert ([one["answer"]["class"] for one in mine["answers"]], mine["withheld"]) == ([1] * 8, [])
    assert mine["answers"][0]["shown_seconds"] == 7.0
    assert "data-withheld" not in visitor.get("/me").text
    with tested.study.begin() as begun:
        done = erase_annotator(begun, who.annotator.name, reason="asked for it", with_answers=True)
    assert done.participants == ("Human A",)
    with tested.study.read() as reading:
        left = {one.participant for one in list_predictions(reading, None)}
    assert left == {f"person-{tested.people[1].annotator.id}"}


def test_everybody_gets_the_same_images_in_an_order_of_their_own(tested: Examined) -> None:
    campaign = tested.test()
    seen = []
    for who in tested.people:
        visitor, images = tested.begin(who, campaign), []
        for _ in range(campaign.n_tasks):
            (task,) = visitor.take(campaign, 1)
            images.append(visitor.get(task["images"][0]).content)
            send(visitor, task, 0)
        assert visitor.take(campaign, 5) == []
        seen.append(images)
    assert {frozenset(one) for one in seen} == {frozenset(seen[0])}
    assert len({tuple(one) for one in seen}) == 3


def test_the_order_of_somebody_is_the_same_after_a_restart(quick: Examined) -> None:
    campaign = quick.test()
    assert list_images(quick) == list_images(quick)
    again = quick.test("again")
    assert [one % 4 for _, one in list_images(quick)] == [one % 4 for _, one in list_images(quick, "again")]
    assert again.plan.settings["own_order"] == campaign.plan.settings["own_order"] == 8


def test_the_sample_has_as_many_images_of_each_class_of_each_set(quick: Examined) -> None:
    quick.test("two", "--per-class", "2")
    images = list_images(quick, "two")
    counts = {key: sum((set_id, row % 4) == key for set_id, row in images) for key in {(s, r % 4) for s, r in images}}
    assert len(counts) == 8
    assert set(counts.values()) == {2}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--sets", "original", "original"), "original is named twice, so they cannot be told apart"),
        (("--sets", "original", "new", "--per-class", "4"), r"Class airplane .* has 3 images in new, fewer than the 4"),
        (
            ("--sets", "original", "--references", "original"),
            "original is named twice, so references would show what is asked",
        ),
        (("--sets", "original", "--classes", "teapot"), "A class, a node of the hierarchy or a group can be named"),
        (("--sets", "original", "--classes", "truck"), r"Class truck .* has 0 images in original"),
        (("--sets", "original", "--annotators", "3"), "Everybody who takes part answers all images"),
        (("--sets", "original", "nothing"), "no test set 'nothing'"),
        (("--sets", "original", "--quiz", "2"), "leave out quiz and training"),
    ],
)
def test_what_cannot_be_asked_is_refused_by_name(quick: Examined, words: tuple[str, ...], said: str) -> None:
    with pytest.raises(InputError, match=said):
        quick.run("campaign", "create", "label", "bad", *words)


def test_fewer_images_are_taken_and_counted_where_that_is_allowed(
    quick: Examined, capsys: pytest.CaptureFixture[str]
) -> None:
    quick.run("campaign", "create", "label", "few", "--sets", "original", "new", "--per-class", "4", "--take-fewer")
    assert "4 classes gave fewer images than 4 of a set, so classes are not balanced." in capsys.readouterr().err
    assert quick.get("few").n_tasks == 16 + 12


def test_sets_that_share_a_file_under_other_names_are_refused(quick: Examined) -> None:
    with quick.study.begin() as begun:
        copied = write_pictures(quick.folder / "copied", n_images=8, prefix="c", first=12)
        add_test_set(begun, copied, name="copied")
    with pytest.raises(InputError, match="share 4 images, the first of them 'c0', which is 'o12' there"):
        quick.run("campaign", "create", "label", "bad", "--sets", "original", "copied")
    quick.run("campaign", "create", "label", "fine", "--sets", "new", "--classes", "cat", "--references", "copied")


def test_references_that_show_an_image_of_the_test_are_refused(quick: Examined) -> None:
    with quick.study.begin() as begun:
        copied = write_pictures(quick.folder / "copied", n_images=8, prefix="c", first=100)
        add_test_set(begun, copied, name="copied")
    with pytest.raises(InputError, match=r"copied and new share .* so references would show what is asked about"):
        quick.run(
            "campaign",
            "create",
            "label",
            "bad",
            "--sets",
            "original",
            "new",
            "--per-class",
            "3",
            "--references",
            "copied",
        )


def test_a_form_makes_the_same_campaign(quick: Examined) -> None:
    manager = quick.enter(quick.manager)
    page = manager.get("/manage/campaigns/new").text
    assert "tested, blind and timed" in page
    form = {
        **FORM,
        "test_set": "original",
        "also": "new",
        "references": "refs",
        "label_mode": "evaluation",
        "n_per_class": "1",
    }
    made = fill_in(manager, form, kind="label", source="labels", n_annotators="1000")
    assert made.status_code == 201, made.text
    campaign = quick.get("new one")
    assert (campaign.kind, campaign.n_tasks, campaign.plan.is_for_everybody) == ("label", 8, True)
    wrong = fill_in(manager, form, kind="label", source="labels", name="other", n_annotators="1000", n_per_class="9")
    assert (wrong.status_code, list(wrong.json()["fields"])) == (422, ["n_per_class"])


def test_a_panel_is_as_many_people_as_each_image_needs(quick: Examined) -> None:
    names = [one.annotator.name for one in quick.people[:2]]
    campaign = quick.test("panel", "--panel", names[0], "--panel", names[1])
    assert (campaign.plan.n_annotators, campaign.plan.is_for_everybody) == (2, False)
    outsider = quick.begin(quick.people[2], campaign)
    assert outsider.post(f"/api/campaigns/{campaign.id}/tasks", {"n": 1}).status_code == 409
    with quick.study.read() as reading:
        assert len(describe_unfinished(reading, "panel")) == 2


def test_the_guide_is_read_as_it_was_when_the_first_could_begin(quick: Examined) -> None:
    (quick.folder / "cat.md").write_text("Cats have **whiskers**.")
    quick.run("guide", "edit", "cat", "--text", str(quick.folder / "cat.md"), "--reason", "first")
    campaign = quick.test()
    assert campaign.plan.settings[GUIDE_VERSION] == 1
    (quick.folder / "cat.md").write_text("Cats have tails.")
    quick.run("guide", "edit", "cat", "--text", str(quick.folder / "cat.md"), "--reason", "second")
    found = quick.begin(quick.people[0], campaign).get(f"/api/campaigns/{campaign.id}/guide/3").json()
    assert (found["version"], "whiskers" in found["entries"][0]["html"]) == (1, True)


def test_cards_show_references_and_no_link_and_say_how_many_are_missing(quick: Examined) -> None:
    campaign = quick.test()
    visitor = quick.begin(quick.people[0], campaign)
    card = visitor.get(f"/api/classes/0/card?campaign={campaign.id}").json()
    assert (len(card["references"]), card["tested"], card["n_references_wanted"]) == (5, [], 100)
    assert "http" not in json.dumps(card)
    assert "link" not in card


def test_no_card_and_no_guide_shows_what_any_open_test_asks_about(quick: Examined) -> None:
    campaign = quick.test()
    quick.run("campaign", "create", "label", "later", "--sets", "refs", "--per-class", "2", "--seed", "1")
    card = quick.begin(quick.people[0], campaign).get(f"/api/classes/0/card?campaign={campaign.id}").json()
    assert len(card["references"]) == 3
    quick.run("campaign", "open", "later")
    quick.run("campaign", "close", "later")
    card = quick.begin(quick.people[0], campaign).get(f"/api/classes/0/card?campaign={campaign.id}").json()
    assert len(card["references"]) == 5


def test_two_names_of_one_person_become_one_participant_and_the_first_answer_holds(quick: Examined) -> None:
    campaign = quick.test()
    first, second, _ = quick.people
    quick.answer_all(first, campaign, n=5)
    quick.answer_all(second, campaign)
    names = first.annotator.name, second.annotator.name
    with quick.study.begin() as begun:
        added = add_people(begun, "test", Naming(aliases={names[1]: names[0]}))
    assert {one.participant for one in added.entries} == {f"person-{first.annotator.id}"}
    assert sum(one.n_answered for one in added.entries) == 8
    assert "5 answers left out: the same person had answered the image before under another name." in added.notes


@pytest.mark.parametrize(
    ("naming", "said"),
    [
        (Naming(names={"annotator-0001": "x", "annotator-0002": "x"}), "Two people would be called the same"),
        (Naming(aliases={"annotator-0001": "annotator-0001"}), "annotator-0001 is one name; say which other name"),
        (Naming(names={"annotator-0003": "x"}), "no answers of their own"),
    ],
)
def test_names_that_cannot_be_are_refused(quick: Examined, naming: Naming, said: str) -> None:
    campaign = quick.test()
    for who in quick.people[:2]:
        quick.answer_all(who, campaign, n=1)
    with quick.study.begin() as begun, pytest.raises(InputError, match=said):
        add_people(begun, "test", naming)


def test_participants_need_answers_and_a_kind_that_gives_them(quick: Examined) -> None:
    quick.test()
    with quick.study.begin() as begun, pytest.raises(InputError, match="has no answers that count yet"):
        add_people(begun, "test")


def test_whoever_is_tested_learns_nothing_from_the_server(quick: Examined) -> None:
    """The same fields for every image, an address that is random, and headers that differ in the length alone."""
    campaign = quick.test()
    visitor = quick.begin(quick.people[0], campaign)
    headers, views = set(), set()
    for _ in range(campaign.n_tasks):
        (task,) = visitor.take(campaign, 1)
        views.add(json.dumps({key: value for key, value in task.items() if key not in {"id", "images"}}))
        assert task["images"] == [f"/images/{task['id']}/0"]
        reply = visitor.get(task["images"][0])
        headers.add(tuple(sorted((k, v) for k, v in reply.headers.items() if k != "content-length")))
        assert send(visitor, task, 0).json() == {"status": "stored"}
    assert (len(headers), len(views)) == (1, 1)


def test_only_the_last_answer_can_be_looked_at_and_a_change_is_on_record(quick: Examined) -> None:
    campaign = quick.test()
    visitor = quick.begin(quick.people[0], campaign)
    tasks = [visitor.take(campaign, 1)[0]]
    send(visitor, tasks[0], 1)
    tasks.append(visitor.take(campaign, 1)[0])
    quick.clock.jump(10)
    send(visitor, tasks[1], 2)
    previous = visitor.get(f"/api/campaigns/{campaign.id}/previous").json()
    assert (previous["id"], previous["answer"]["class"], previous["seconds"]) == (tasks[1]["id"], 2, 6.0)
    assert send(visitor, tasks[1], 3, revision=1, seconds=9.0).status_code == 200
    path = quick.folder / "answers.jsonl"
    quick.run("campaign", "export", "test", str(path))
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert sorted((row["class"], row["revision"], row["seconds"]) for row in rows)[1][:2] == (3, 1)


def test_when_a_test_is_closed_nobody_looks_at_their_last_answer(quick: Examined) -> None:
    campaign = quick.test()
    quick.answer_all(quick.people[0], campaign)
    visitor, address = quick.enter(quick.people[0]), f"/api/campaigns/{campaign.id}/previous"
    assert visitor.get(address).json()["answer"]["class"] == 1
    quick.run("campaign", "close", "test")
    assert visitor.get(address).json() is None
    quick.run("campaign", "own-data", "test", "--allow")
    assert visitor.get(address).json()["answer"]["class"] == 1


@pytest.mark.parametrize(
    "answer", [{}, {"class": 10}, {"class": -1}, {"class": "cat"}, {"class": True}, {"class": None}]
)
def test_what_is_no_class_is_refused(quick: Examined, answer: dict[str, Any]) -> None:
    campaign = quick.test()
    visitor = quick.begin(quick.people[0], campaign)
    (task,) = visitor.take(campaign, 1)
    body = {"client_id": "client-1", "assignment_id": task["id"], "answer": answer}
    assert visitor.post("/api/answers", body).status_code == 409


def test_an_image_that_is_not_shown_is_reported_and_others_go_on(quick: Examined) -> None:
    campaign = quick.test()
    visitor = quick.begin(quick.people[0], campaign)
    (task,) = visitor.take(campaign, 1)
    body = {"client_id": "client-1", "assignment_id": task["id"], "answer": {"not_shown": True}}
    assert visitor.post("/api/answers", body).status_code == 200
    assert len(quick.answer_all(quick.people[0], campaign)) == 7
    with quick.study.read() as reading:
        assert get_test_set(reading, "new").n_images == 12
