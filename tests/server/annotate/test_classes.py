"""Classes over HTTP: who gets the file to search in, cards and their images, and what these do not tell."""

from __future__ import annotations

import gzip
import io
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image
from tests.server.served_study import Served, Visitor, make_body
from tests.workflows.campaign_studies import add_people, draw_picture, write_pictures

from regauge.campaigns.eligibility import PANEL
from regauge.campaigns.visibility import CARDS
from regauge.storage.campaigns.campaign import set_settings, set_terms
from regauge.storage.people.annotators import has_consented
from regauge.workflows.campaigns.campaign import get_campaign
from regauge.workflows.guide.pictures import hide_from_campaign
from regauge.workflows.testsets.test_set import add_test_set

CARD = "/api/classes/1/card"
PICTURE = "/api/classes/1/tested/0"


@pytest.fixture
def manager(served: Served) -> Visitor:
    return served.enter(served.manager)


@pytest.fixture(autouse=True)
def others(served: Served, tmp_path: Path) -> None:
    """A second set, which no campaign asks about."""
    with served.study.begin() as begun:
        add_test_set(begun, write_pictures(tmp_path / "others", prefix="o", first=100), name="others")


def name_sets(served: Served, **sets: object) -> None:
    """Let the campaign show sets on cards."""
    with served.study.begin() as begun:
        campaign = get_campaign(begun, served.campaign.id)
        set_settings(begun, campaign, {**campaign.plan.settings, CARDS: sets})


def read_cards(served: Served, visitor: Visitor) -> set[bytes]:
    """Every picture that somebody can get of any card of the campaign, by any address that they can make up."""
    ending, found = f"?campaign={served.campaign.id}", set()
    nodes = [one.id for one in served.study.taxonomy.classes]
    asked = [f"/api/classes/nodes/{node}/picture{ending}" for node in nodes]
    for index in range(len(nodes)):
        asked += [
            f"/api/classes/{index}/{which}/{place}{ending}" for which in ("tested", "reference") for place in range(8)
        ]
    for address in asked:
        reply = visitor.get(address)
        found |= {reply.content} if reply.status_code == 200 else set()
    return found


def test_the_file_to_search_in_has_an_address_of_its_own_and_is_kept(served: Served, annotator: Visitor) -> None:
    address = annotator.get("/api/classes").json()["address"]
    packed = annotator.get(address, headers={"Accept-Encoding": "gzip"})
    plain = annotator.get(address, headers={"Accept-Encoding": "identity"})
    assert packed.headers["content-encoding"] == "gzip"
    assert "immutable" in packed.headers["cache-control"]
    assert "private" in packed.headers["cache-control"]
    assert packed.json() == plain.json()
    assert plain.json()["names"][0][0] == served.study.taxonomy.classes[0].name
    assert annotator.get("/api/classes/index/0000000000000000").status_code == 404
    assert len(gzip.compress(plain.content)) < len(plain.content)


def test_nobody_gets_anything_without_a_session(served: Served) -> None:
    for path in ("/api/classes", "/api/classes/index/x", CARD, PICTURE, "/api/classes/nodes/n1/picture"):
        assert served.nobody.get(path).status_code == 401


def test_a_manager_sees_images_and_shares_and_chooses_the_sets(manager: Visitor) -> None:
    card = manager.get(CARD).json()
    assert card["name"] == "automobile"
    assert (len(card["references"]), len(card["tested"])) == (6, 6)
    assert (
        manager.get(f"{CARD}?tested=&reference=pictures")
        .json()["references"][0]
        .startswith("/api/classes/1/reference/0?")
    )
    reply = manager.get(f"{CARD}?tested=gone")
    assert (reply.status_code, reply.json()["detail"]) == (
        409,
        "The study has no test set 'gone'; it has: pictures, others.",
    )
    assert manager.get("/api/classes/10/card").status_code == 409
    assert manager.get("/api/classes/x/card").status_code == 422


def test_an_annotator_sees_words_alone_unless_the_campaign_names_sets(served: Served, annotator: Visitor) -> None:
    asked = f"?campaign={served.campaign.id}"
    for ending in ("", asked, "?tested=others"):
        card = annotator.get(CARD + ending).json()
        assert (card["name"], card["tested"], card["references"]) == ("automobile", [], [])
        assert annotator.get(PICTURE + ending).status_code == 404
    name_sets(served, tested="others")
    card = annotator.get(CARD + asked).json()
    assert len(card["tested"]) == 6
    assert annotator.get(card["tested"][0]).status_code == 200
    assert annotator.get(CARD).json()["tested"] == []
    # What an annotator names themselves is passed over, beside a campaign too.
    assert annotator.get(f"{CARD}{asked}&reference=others").json()["references"] == []


def test_cards_of_a_campaign_are_for_those_who_have_agreed_and_never_for_guests(served: Served) -> None:
    name_sets(served, tested="others")
    asked = f"?campaign={served.campaign.id}"
    (new,) = add_people(served.study, None, 1)
    assert served.enter(new).get(CARD + asked).status_code == 403
    assert served.enter(new).get(PICTURE + asked).status_code == 403
    guest = served.enter_as_guest()
    assert guest.get(CARD + asked).json()["tested"] == []
    assert guest.get(PICTURE + asked).status_code == 404
    assert len(served.enter(served.manager).get(CARD + asked).json()["tested"]) == 6


def test_a_card_for_annotators_tells_no_id_row_set_or_share(served: Served, annotator: Visitor) -> None:
    name_sets(served, tested="others")
    card = annotator.get(f"{CARD}?campaign={served.campaign.id}").json()
    text = json.dumps(card)
    assert "others" not in text
    assert not any(f'"o{number}"' in text for number in range(30))
    assert {one["share"] for one in (*card["confused"], *card["siblings"])} <= {None}
    assert card["tested"][3] == f"/api/classes/1/tested/3?campaign={served.campaign.id}"


@pytest.mark.parametrize(
    ("sets", "n_tested"),
    [
        ({"tested": "gone"}, 0),
        ({"tested": "others", "reference": "gone"}, 6),
        ({"tested": "others", "hidden": ["gone"]}, 0),
    ],
)
def test_of_a_set_that_is_gone_cards_show_nothing_and_annotators_hear_of_no_other(
    served: Served, annotator: Visitor, sets: dict[str, object], n_tested: int
) -> None:
    name_sets(served, **sets)
    ending = f"?campaign={served.campaign.id}"
    card = annotator.get(CARD + ending)
    assert (card.status_code, len(card.json()["tested"]), card.json()["references"]) == (200, n_tested, [])
    assert annotator.get(PICTURE + ending).status_code == (200 if n_tested else 404)
    assert not {"others", "gone"} & set(re.findall(r"\w+", card.text))


def test_where_tasks_are_asked_again_no_image_of_the_campaign_is_ever_on_a_card(served: Served) -> None:
    name_sets(served, tested="pictures")
    with served.study.begin() as begun:
        set_terms(begun, get_campaign(begun, served.campaign.id), replace(served.campaign.plan.terms, repeats=0.1))
    annotator = served.enter(served.people[0])
    for _ in range(3):
        assert annotator.post("/api/answers", make_body(annotator.take(served.campaign)[0])).status_code == 200
    assert not read_cards(served, annotator)


def test_cards_show_nothing_that_the_guide_hides_from_a_campaign(served: Served, annotator: Visitor) -> None:
    name_sets(served, tested="others", reference="others")
    assert read_cards(served, annotator)
    with served.study.begin() as begun:
        hide_from_campaign(begun, served.campaign.name, sets=["others"])
    assert not read_cards(served, annotator)
    assert annotator.get(f"/api/classes/pictured?campaign={served.campaign.id}").json() == {"classes": []}


def test_only_its_panel_agrees_to_a_campaign_and_sees_its_cards_and_guide(served: Served, annotator: Visitor) -> None:
    name_sets(served, tested="others")
    with served.study.begin() as begun:
        campaign = get_campaign(begun, served.campaign.id)
        set_settings(begun, campaign, {**campaign.plan.settings, PANEL: [served.people[1].annotator.id]})
    number = served.campaign.id
    guide = f"/api/campaigns/{number}/guide"
    # The first one has agreed before there was a panel.
    (new,) = add_people(served.study, None, 1)
    for outsider in (annotator, served.enter(new)):
        for path in (f"{CARD}?campaign={number}", f"/api/classes/pictured?campaign={number}", f"{guide}/1"):
            reply = outsider.get(path)
            assert (reply.status_code, reply.json()) == (403, {"detail": "This campaign is for other people."})
        for path in (f"{PICTURE}?campaign={number}", f"{guide}/pictures/1/0", f"{guide}/cases/1"):
            assert outsider.get(path).status_code in {403, 404}
        assert outsider.post(f"/api/campaigns/{number}/consent", {"version": 1}).status_code == 403
    with served.study.read() as reading:
        assert not has_consented(reading, new.annotator.id, get_campaign(reading, number))
    assert served.enter(served.people[1]).get(f"{CARD}?campaign={number}").status_code == 200
    assert served.enter(served.people[1]).get(f"{guide}/1").status_code == 200


def test_guests_see_words_of_open_campaigns_alone(served: Served) -> None:
    guest, number = served.enter_as_guest(), served.campaign.id
    assert guest.get(f"{CARD}?campaign={number}").status_code == 200
    assert guest.get(f"{CARD}?campaign={number + 1}").status_code == 409
    address = guest.get("/api/classes").json()["address"]
    with served.study.begin() as begun:
        campaign = get_campaign(begun, number)
        set_settings(begun, campaign, {**campaign.plan.settings, PANEL: [served.people[1].annotator.id]})
    for path in (CARD, f"{CARD}?campaign={number}", "/api/classes", address, "/api/classes/pictured"):
        assert guest.get(path).status_code == 409
    assert guest.get(PICTURE).status_code == 404


def test_images_of_cards_are_painted_as_those_of_tasks(served: Served, manager: Visitor, annotator: Visitor) -> None:
    (task,) = annotator.take(served.campaign)
    in_task, on_card = annotator.get(task["images"][0]), manager.get(PICTURE)
    for header in ("content-type", "cache-control", "x-content-type-options"):
        assert in_task.headers[header] == on_card.headers[header]
    picture = Image.open(io.BytesIO(on_card.content))
    assert picture.format == "JPEG"
    assert picture.size == Image.open(io.BytesIO(in_task.content)).size
    assert on_card.content != draw_picture(1)
    assert manager.get(f"{PICTURE}?side=77").status_code == 422
    assert manager.get("/api/classes/1/tested/6").status_code == 404
    assert manager.get("/api/classes/1/elsewhere/0").status_code == 422


def test_hidden_sets_are_on_no_card(served: Served, manager: Visitor) -> None:
    assert manager.get(f"{CARD}?hidden=pictures").json()["tested"] == []
    assert manager.get(f"{CARD}?hidden=pictures").json()["n_unchecked"] == 6
    assert manager.get(f"{PICTURE}?hidden=pictures").status_code == 404
    assert manager.get("/api/classes/pictured").json() == {"classes": [0, 1, 2, 3]}
    assert manager.get("/api/classes/pictured?hidden=pictures").json() == {"classes": []}
    node = served.study.taxonomy.classes[1].id
    assert manager.get(f"/api/classes/nodes/{node}/picture").status_code == 200
    assert manager.get(f"/api/classes/nodes/{node}/picture?hidden=pictures").status_code == 404
    assert manager.get("/api/classes/nodes/..%2F..%2Fetc/picture").status_code == 404
