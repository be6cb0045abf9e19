"""What the server sends is noted with whatever is written next, and lost neither by a refusal nor by the end of the server."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from tests.server.served_study import Served, make_body, serve_pictured
from tests.waits import wait_for as wait_until
from tests.workflows.campaign_studies import add_people, write_pictures
from tests.workflows.quiz_campaigns import QUIZ, add_known, add_quizzed

from regauge.campaigns.visibility import CARDS
from regauge.errors import StorageError
from regauge.records.campaigns.campaign import CampaignImage, CampaignPlan, CampaignTexts, Kind
from regauge.records.campaigns.evaluations import BLIND
from regauge.records.campaigns.terms import Terms
from regauge.records.exposure.exposures import ExposureRole, StoredExposure
from regauge.server.exposures import ExposureLog
from regauge.storage.campaigns.campaign import get_campaign, set_settings
from regauge.storage.exposure.exposures import list_exposures
from regauge.workflows.demo.campaigns import ClassifyQuestions, create_classify
from regauge.workflows.testsets.test_set import add_test_set


def list_rows(served: Served) -> list[StoredExposure]:
    with served.study.read() as reading:
        return list(list_exposures(reading))


def wait_for(served: Served, n: int) -> list[StoredExposure]:
    wait_until(lambda: len(list_rows(served)) >= n)
    return list_rows(served)


def count_roles(served: Served, n: int) -> Counter[tuple[int, ExposureRole, int]]:
    return Counter((one.annotator_id, one.role, one.campaign_id) for one in wait_for(served, n))


def test_an_image_that_was_sent_is_noted_without_an_answer_and_one_that_was_not_is_not(served, annotator):
    (task,) = annotator.take(served.campaign)
    for path in task["images"][:3]:
        assert annotator.get(path).status_code == 200
        assert annotator.get(f"{path}?side=256").status_code == 200
    who = served.people[0].annotator.id
    assert count_roles(served, 3) == {(who, ExposureRole.ANNOTATOR, served.campaign.id): 3}


def test_what_was_sent_is_on_disk_with_the_next_answer(served, annotator):
    first, second = annotator.take(served.campaign, 2)
    annotator.get(second["images"][0])
    assert annotator.post("/api/answers", make_body(first)).status_code == 200
    assert len(list_rows(served)) == 1


def test_an_image_that_the_page_reports_is_taken_back(served, annotator):
    (task,) = annotator.take(served.campaign)
    for path in task["images"]:
        annotator.get(path)
    reply = annotator.post("/api/answers", make_body(task, answer={"mask": "0", "not_shown": "1"}))
    assert reply.status_code == 200, reply.text
    assert len(list_rows(served)) == len(task["images"]) - 1


def test_an_image_that_could_not_be_sent_is_not_noted(served, annotator):
    (task,) = annotator.take(served.campaign)
    assert annotator.get(f"{task['images'][0]}9").status_code == 404
    assert served.enter(served.people[1]).get(task["images"][0]).status_code == 404
    annotator.get(task["images"][1])
    assert len(wait_for(served, 1)) == 1


def test_guests_are_nobody_and_managers_see_images_as_such(served):
    guest, manager = served.enter_as_guest(), served.enter(served.manager)
    for who in (guest, manager):
        (task, *_) = who.take(served.campaign)
        assert who.get(task["images"][0]).status_code == 200
    assert manager.get(f"/manage/campaigns/{served.campaign.id}/images/3/picture").status_code == 200
    found = count_roles(served, 2)
    assert {role for _, role, _ in found} == {ExposureRole.MANAGER}
    assert {who for who, _, _ in found} == {served.manager.annotator.id}


def test_cards_count_as_cards(served, annotator, tmp_path):
    with served.study.begin() as begun:
        add_test_set(begun, write_pictures(tmp_path / "others", prefix="o", first=100), name="others")
        campaign = get_campaign(begun, served.campaign.id)
        set_settings(begun, campaign, {**campaign.plan.settings, CARDS: {"reference": "others"}})
    card = annotator.get(f"/api/classes/1/card?campaign={served.campaign.id}").json()
    assert annotator.get(card["references"][0]).status_code == 200
    ((who, role, campaign_id),) = count_roles(served, 1)
    assert (who, role, campaign_id) == (served.people[0].annotator.id, ExposureRole.CARD, served.campaign.id)


def test_images_of_a_planned_evaluation_are_on_no_card_of_its_labelers(served, tmp_path):
    with served.study.begin() as begun:
        add_test_set(begun, write_pictures(tmp_path / "others", prefix="o", first=100), name="others", checksums=True)
        campaign = get_campaign(begun, served.campaign.id)
        set_settings(begun, campaign, {**campaign.plan.settings, CARDS: {"reference": "others"}})
    plan_exam(served, panel=[served.people[0].annotator.id])
    labeler, other = served.enter(served.people[0]), served.enter(served.people[1])
    address = f"/api/classes/1/card?campaign={served.campaign.id}"
    shown, all_of = (who.get(address).json()["references"] for who in (labeler, other))
    # i1 of class 1 is in the evaluation by the id and bytes of o1's copy; the others of the class are not.
    assert len(all_of) - len(shown) == 1
    (hidden,) = set(all_of) - set(shown)
    assert labeler.get(hidden).status_code == 404
    assert other.get(hidden).status_code == 200


def plan_exam(served: Served, *, panel: list[int]) -> None:
    with served.study.begin() as begun:
        plan = CampaignPlan("exam", Kind("classify"), 1, 600, CampaignTexts("Look.", "Agree?"))
        exam = create_classify(begun, plan, ClassifyQuestions({"o1": [1, 7], "o2": [2, 7]}, "others", 0))
        set_settings(begun, exam, {**exam.plan.settings, BLIND: True, "panel": panel})


def test_examples_and_questions_are_shown_to_trainees(served, tmp_path):
    add_known(served.study, tmp_path)
    quizzed = add_quizzed(served.study, Terms(quiz=QUIZ))
    (person,) = add_people(served.study, quizzed, 1)
    visitor = served.enter(person)
    example, *_ = visitor.get(f"/api/campaigns/{quizzed.id}/examples").json()
    assert visitor.get(example["image"]).status_code == 200
    question = visitor.post(f"/api/campaigns/{quizzed.id}/quiz", {"attempt": 1}).json()["question"]
    assert visitor.get(question["images"][0]).status_code == 200
    found = count_roles(served, 1)
    assert set(found) == {(person.annotator.id, ExposureRole.TRAINEE, quizzed.id)}


def test_after_a_restart_the_images_of_an_assignment_are_known_for_what_they_are(tmp_path: Path) -> None:
    with serve_pictured(tmp_path) as served:
        visitor = served.enter(served.people[0])
        (task,) = visitor.take(served.campaign)
        served.app.state.regauge.shown.clear()
        visitor.get(task["images"][0])
        assert count_roles(served, 1) == {
            (served.people[0].annotator.id, ExposureRole.ANNOTATOR, served.campaign.id): 1
        }


def test_what_was_sent_last_is_written_down_when_the_server_ends(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("regauge.server.writer.WAIT_SECONDS", 3_600)
    with serve_pictured(tmp_path) as served:
        visitor = served.enter(served.people[0])
        (task,) = visitor.take(served.campaign)
        visitor.get(task["images"][0])
        assert list_rows(served) == []
        served.app.state.regauge.writer.stop()
        assert len(list_rows(served)) == 1


def test_what_could_not_be_written_waits_for_the_next_time(served, annotator, monkeypatch):
    (task,) = annotator.take(served.campaign)

    def fail(*_: object) -> None:
        raise StorageError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr("regauge.server.writer.record_exposures", fail)
        annotator.get(task["images"][0])
        assert annotator.post("/api/answers", make_body(task)).status_code == 503
    assert annotator.post("/api/answers", make_body(task)).status_code == 200
    assert len(list_rows(served)) == 1


def test_a_fault_in_noting_spoils_no_answer(served, annotator, monkeypatch):
    (task,) = annotator.take(served.campaign)

    def fail(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("regauge.server.writer.record_exposures", fail)
    annotator.get(task["images"][0])
    assert annotator.post("/api/answers", make_body(task)).status_code == 200


def test_the_log_takes_an_image_once_a_minute_and_keeps_the_order_of_what_is_put_back(monkeypatch):
    moment = [100.0]
    monkeypatch.setattr("regauge.server.exposures.time.monotonic", lambda: moment[0])
    log = ExposureLog(lambda: "now")
    images = [CampaignImage(1, row) for row in range(3)]
    assert log.note(1, images[0], role=ExposureRole.CARD, campaign_id=0)
    assert not log.note(1, images[0], role=ExposureRole.CARD, campaign_id=0)
    assert not log.note(1, images[1], role=ExposureRole.CARD, campaign_id=0)
    taken = log.take()
    assert [one.row for one in taken] == [0, 1]
    moment[0] += 61
    assert log.note(1, images[0], role=ExposureRole.CARD, campaign_id=0)
    log.put_back(taken)
    assert [one.row for one in log.take()] == [0, 1, 0]
