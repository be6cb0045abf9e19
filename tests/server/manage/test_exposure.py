"""The manager's page of exposure: who may see it, what it lists, and that names are no HTML."""

from __future__ import annotations

from tests.server.served_study import Served, Visitor, make_body
from tests.workflows.campaign_studies import write_pictures

from regauge.workflows.exposure.saying import declare_exposure
from regauge.workflows.people.own_data import take_own_data
from regauge.workflows.testsets.test_set import add_test_set


def test_the_page_lists_who_has_seen_what_answers_without_a_sent_image_included(served: Served, annotator: Visitor):
    (task,) = annotator.take(served.campaign)
    assert annotator.post("/api/answers", make_body(task)).status_code == 200
    page = served.enter(served.manager).get("/manage/exposure")
    assert page.status_code == 200
    assert "1 person has seen 8 of the 24 images of pictures" in page.text
    assert served.people[0].annotator.name in page.text
    assert served.people[1].annotator.name not in page.text


def test_only_managers_see_it(served: Served, annotator: Visitor):
    assert annotator.get("/manage/exposure").status_code in {303, 403}
    assert served.enter_as_guest().get("/manage/exposure").status_code in {303, 403}


def test_another_set_is_chosen_by_its_name_and_what_is_declared_is_text(served: Served, tmp_path):
    name = served.people[0].annotator.name
    with served.study.begin() as begun:
        add_test_set(begun, write_pictures(tmp_path / "others", prefix="o", first=100), name="others & more")
        declare_exposure(begun, name, test_set="others & more", days=("2020-01-01", None), why="<b>author</b>")
    manager = served.enter(served.manager)
    page = manager.get("/manage/exposure?set=others+%26+more").text
    assert "seen 24 of the 24 images of others &amp; more" in page
    assert "&lt;b&gt;author&lt;/b&gt;" in page
    assert "<b>author" not in page
    assert "goes on" in page
    assert manager.get("/manage/exposure?set=none").status_code == 409


def test_people_can_take_along_how_much_they_were_shown_and_not_which_images(served: Served, annotator: Visitor):
    (task,) = annotator.take(served.campaign)
    annotator.get(task["images"][0])
    annotator.post("/api/answers", make_body(task))
    with served.study.read() as reading:
        (row,) = take_own_data(reading, served.people[0].annotator.id)["exposure"]
    assert (row["campaign"], row["as"], row["n_images"]) == ("grids", "annotator", 1)
    assert not {"image_id", "test_set"} & row.keys()
