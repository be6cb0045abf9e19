"""Cards of classes beside a review: they never tell the dataset label of an image that is still to be judged."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.kinds.review.reviewed_study import N_IMAGES, ask, send, told
from tests.server.manager_forms import FORM, fill_in
from tests.server.served_study import Visitor
from tests.verify.verify_study import Told

from regauge.campaigns.visibility import CARDS
from regauge.errors import InputError
from regauge.fields import FieldError
from regauge.formats.releases.similar_classes import dump_similar, load_similar, parse_similar
from regauge.formats.taxonomies import load_taxonomy
from regauge.records.guide.entries import GuideEdit, GuideTopic
from regauge.storage.campaigns.campaign import set_settings
from regauge.workflows.guide.entries import save_entry

N_CLASSES = 10
FILLED_IN = {
    **FORM,
    "kind": "review",
    "source": "unjudged",
    "labels": "known@1",
    "by": "image",
    "mode": "open",
    "gold_share": "5",
    "participants": "",
    "panel": "",
    "gold": "",
}
"""The form of a new review."""
__all__ = ["database", "told"]


@pytest.fixture
def database() -> str:
    """SQLite alone: what is asked of it is the same in both."""
    return ""


def read_cards(told: Told, visitor: Visitor) -> dict[str, bytes]:
    """Every picture that somebody can get of any card of the campaign, by any address that they can make up."""
    ending = f"?campaign={told.get('experts').id}"
    nodes = [one.id for one in told.study.taxonomy.classes]
    asked = [f"/api/classes/nodes/{node}/picture{ending}" for node in nodes]
    for index in range(N_CLASSES):
        asked += [
            f"/api/classes/{index}/{which}/{place}{ending}" for which in ("tested", "reference") for place in range(8)
        ]
    replies = {address: visitor.get(address) for address in asked}
    return {address: reply.content for address, reply in replies.items() if reply.status_code == 200}


def judge(visitor: Visitor, task: Mapping[str, Any]) -> None:
    verdicts = {one["key"]: "correct" for one in task["view"]["items"]}
    assert send(visitor, task, {"verdicts": verdicts}).status_code == 200


def list_addresses(told: Told, visitor: Visitor) -> tuple[set[str], int]:
    """All addresses that cards tell of, and how many images they say are not shown."""
    cards = [
        visitor.get(f"/api/classes/{index}/card?campaign={told.get('experts').id}").json() for index in range(N_CLASSES)
    ]
    beside = [one for card in cards for one in (*card["confused"], *card["siblings"])]
    shown = {address for card in cards for address in (*card["tested"], *card["references"])}
    return shown | {address for one in beside for address in one["images"]}, sum(one["n_unfinished"] for one in cards)


def enter(told: Told, place: int = 0) -> Visitor:
    visitor = told.enter(told.panel[place])
    visitor.post(f"/api/campaigns/{told.get('experts').id}/consent", {"version": 1})
    return visitor


@pytest.mark.parametrize("words", [(), ("--by", "class-pair"), ("--references", "pictures")])
def test_an_image_that_is_still_to_be_judged_is_on_no_card_of_who_judges_it(told: Told, words: tuple[str, ...]) -> None:
    """Every byte is read: whatever is asked for, no picture of a card is one of a task that is not finished."""
    ask(told, *words)
    visitor, campaign, tasks = enter(told), told.get("experts"), []
    (first,) = set(read_cards(told, visitor).values())
    while taken := visitor.take(campaign):
        tasks.append([visitor.get(address).content for address in taken[0]["images"]])
        # The answer before can still be changed, so that its images are withheld as well.
        unfinished = {content for images in tasks[-2:] for content in images}
        seen = set(read_cards(told, visitor).values())
        finished = {content for images in tasks[:-2] for content in images}
        # In grids one image is asked about in several tasks.
        assert seen - {first} <= finished - unfinished
        addresses, n_unfinished = list_addresses(told, visitor)
        assert {visitor.get(address).status_code for address in addresses} == {200}
        assert n_unfinished >= N_IMAGES - len(seen)
        if len(tasks) == 4:
            break
        judge(visitor, taken[0])
    assert not words or words[0] != "--references" or n_unfinished == 2 * (N_IMAGES - len(seen))
    # Who has judged nothing sees nothing of what this one has finished.
    assert set(read_cards(told, enter(told, 1)).values()) == {first}
    assert len(set(read_cards(told, told.enter(told.manager)).values())) == N_IMAGES


def test_places_stay_as_they_are_when_more_images_are_shown(told: Told) -> None:
    ask(told)
    visitor, known = enter(told), read_cards(told, told.enter(told.manager))
    known = {address: content for address, content in known.items() if "/nodes/" not in address}
    for _ in range(5):
        judge(visitor, visitor.take(told.get("experts"))[0])
    shown = {address: one for address, one in read_cards(told, visitor).items() if "/nodes/" not in address}
    assert len(shown) == 5
    assert shown.items() <= known.items()


def test_a_set_of_references_that_is_not_there_is_refused_by_name(told: Told) -> None:
    with pytest.raises(InputError, match="no test set 'elsewhere'; it has: pictures"):
        ask(told, "--references", "elsewhere")
    with pytest.raises(InputError, match="no campaign"):
        told.get("experts")
    reply = fill_in(told.enter(told.manager), {**FILLED_IN, "references": "elsewhere"})
    assert reply.status_code == 422, reply.text
    assert "no test set 'elsewhere'" in reply.json()["fields"]["references"]


def test_cards_and_guide_stay_readable_when_the_references_are_gone(told: Told) -> None:
    with told.study.begin() as begun:
        save_entry(begun, GuideTopic(0), GuideEdit("Two wings.", reason="first"))
    ask(told)
    campaign = told.get("experts")
    with told.study.begin() as begun:
        cards = {**campaign.plan.settings[CARDS], "reference": "gone"}
        set_settings(begun, campaign, {**campaign.plan.settings, CARDS: cards})
    visitor = enter(told)
    card = visitor.get(f"/api/classes/0/card?campaign={campaign.id}")
    assert (card.status_code, len(card.json()["tested"]), card.json()["references"]) == (200, 1, [])
    assert "Two wings." in visitor.get(f"/api/campaigns/{campaign.id}/guide/0").text


def test_controls_from_a_test_set_are_refused_and_gold_is_named_instead(told: Told) -> None:
    with pytest.raises(FieldError, match=r"no controls from a test set; .* `gold=…`") as caught:
        ask(told, "--controls", "pictures")
    assert caught.value.field_name == "controls"
    reply = fill_in(told.enter(told.manager), {**FILLED_IN, "controls": "pictures"})
    assert reply.status_code == 422, reply.text
    assert "believed" in reply.json()["fields"]["controls"]


def test_complete_labelling_has_cards_too(told: Told) -> None:
    ask(told, "--mode", "complete", "--references", "pictures")
    visitor = enter(told)
    card = visitor.get(f"/api/classes/1/card?campaign={told.get('experts').id}").json()
    # Every image is asked about, and is in both lists.
    assert (card["tested"], card["n_unfinished"]) == ([], 2 * N_IMAGES // 4)


@pytest.mark.parametrize("suffix", ["csv", "npz"])
def test_a_card_shows_the_classes_that_a_file_calls_similar(told: Told, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"similar.{suffix}"
    if suffix == "csv":
        path.write_text("class,similar\ncat,dog\ncat,9\ncat,dog\n2,2\n2,0\n", encoding="utf-8")
    else:
        np.savez(
            path, most_similar=np.array([[3, 5, 9] if index == 3 else [index, 0, 0] for index in range(10)], np.int16)
        )
    ask(told, "--similar", str(path))
    path.unlink()
    visitor, ending = enter(told), f"?campaign={told.get('experts').id}"
    cards = [visitor.get(f"/api/classes/{index}/card{ending}").json() for index in (3, 2, 0)]
    assert [[one["class"] for one in card["similar"]] for card in cards] == [[5, 9], [0], []]
    assert {one["share"] for card in cards for one in card["similar"]} == {None}


def test_a_file_of_similar_classes_that_makes_no_sense_is_refused(told: Told, tmp_path: Path) -> None:
    for name, content, words in (
        ("a.csv", "class,similar\ncat,unicorn\n", "unicorn"),
        ("b.csv", "class,other\ncat,dog\n", "similar"),
        ("c.csv", "class,similar\ncat,cat\n", "no class has a similar one"),
    ):
        (tmp_path / name).write_text(content, encoding="utf-8")
        with pytest.raises(InputError, match=words):
            ask(told, "--similar", str(tmp_path / name))
    np.savez(tmp_path / "d.npz", most_similar=np.zeros((3, 2), np.int16))
    np.savez(tmp_path / "e.npz", most_similar=np.full((10, 2), 10))
    np.savez(tmp_path / "f.npz", most_similar=np.array([{}] * 10, object))
    for name, words in (("d.npz", "a row for each class"), ("e.npz", "10"), ("f.npz", "pickle")):
        with pytest.raises(InputError, match=words):
            ask(told, "--similar", str(tmp_path / name))
    with pytest.raises(InputError, match="no campaign"):
        told.get("experts")


def test_the_released_lists_of_similar_classes_can_be_read(published: Path) -> None:
    found = load_similar(published / "similar_classes.npz", taxonomy=load_taxonomy("imagenet-1k"))
    assert len(found) == 1000
    assert {len(others) for others in found.values()} == {20}
    assert parse_similar(dump_similar(found)) == found
