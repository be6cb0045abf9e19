"""The items of a review: votes by count, states, filters and orders, and a view that its address saves."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import event
from tests.kinds.review.reviewed_study import send, told
from tests.kinds.review.test_threads import begin, open_review, write
from tests.verify.verify_study import Told
from tests.workflows.conftest import database, postgres, postgres_database

from regauge.errors import InputError
from regauge.kinds.review.items import tell_answer
from regauge.kinds.review.task import make_review_task
from regauge.records.responses.items import ItemFilter, ItemOrder, ItemState, ItemTable
from regauge.records.responses.quality import ListPage
from regauge.records.taxonomy import ClassIndex, ImageClass, NodeId, Taxonomy
from regauge.taxonomy.hierarchy import list_kinds_above
from regauge.workflows.live.campaigns import LiveCampaigns
from regauge.workflows.live.item_orders import rank_kinds, rank_reviewers
from regauge.workflows.live.items import find_classes, list_items

__all__ = ["database", "postgres", "postgres_database", "told"]

SAID: tuple[Mapping[str, Any], ...] = (
    {"verdicts": {"1": "correct", "6": "correct"}, "comment": "two of them", "reasons": {"6": "several objects"}},
    {"verdicts": {"1": "correct", "6": "wrong"}},
    {"verdicts": {"1": "correct"}},
)
"""What the three say of the image with two labels; the last skips one."""


def answer(told: Told) -> None:
    open_review(told)
    for place, said in enumerate(SAID):
        visitor, task = begin(told, place)
        assert send(visitor, task, said).status_code == 200
    write(told, visitor, task, "Is it?")


def show(
    told: Told, asked: ItemFilter, order: ItemOrder = ItemOrder.CLASS, *, is_descending: bool = False
) -> list[int]:
    campaign = told.get("experts")
    with told.study.read() as reading:
        table = LiveCampaigns().items(reading, campaign)
        page = (order, ListPage(0, 50, is_descending))
        return [one.class_index for one in list_items(reading, campaign, table=table, asked=asked, page=page).rows]


def test_items_are_counted_filtered_and_sorted(told: Told) -> None:
    answer(told)
    campaign, (ann, bob, _) = told.get("experts"), told.panel
    with told.study.read() as reading:
        table = LiveCampaigns().items(reading, campaign)
        page = (ItemOrder.VOTES, ListPage(0, 2, is_descending=True))
        found = list_items(reading, campaign, table=table, asked=ItemFilter(), page=page)
        truck = find_classes(reading, "truck")
    assert (found.n, [one.class_index for one in found.rows]) == (5, [1, 6])
    car, other = found.rows
    assert (car.n_votes, car.state, car.dataset_label, car.n_comments) == ((0, 0, 3), ItemState.SETTLED, 1, 1)
    # Whoever leaves a label out has not judged it.
    assert (other.n_votes, other.state) == ((1, 0, 1), ItemState.SKIPPED)
    assert other.reviewers == tuple(sorted((ann.annotator.name, bob.annotator.name)))
    assert other.assigned is None
    assert show(told, ItemFilter()) == [0, 1, 2, 3, 6]
    assert show(told, ItemFilter(state=ItemState.OPEN)) == [0, 2, 3]
    assert show(told, ItemFilter(is_disputed=True)) == [6]
    assert show(told, ItemFilter(has_comments=True)) == [1, 6]
    assert show(told, ItemFilter(reviewer=bob.annotator.id)) == [1, 6]
    assert show(told, ItemFilter(reviewer=told.panel[2].annotator.id)) == [1]
    assert show(told, ItemFilter(classes=frozenset({2, 3}))) == [2, 3]
    assert show(told, ItemFilter(), ItemOrder.DISAGREEMENT, is_descending=True)[0] == 6
    assert set(show(told, ItemFilter(), ItemOrder.LAST, is_descending=True)[:2]) == {1, 6}
    assert truck == frozenset({9})


def test_items_are_sorted_by_kind_reviewer_open_comments_and_what_they_were_referred_to(told: Told) -> None:
    open_review(told)
    ann, task = begin(told, 0)
    send(ann, task, {"verdicts": {"1": "correct"}, "refers": {"6": "Pond life"}})
    write(told, ann, task, "Is it?")
    for other in ann.take(told.get("experts"), 5):
        keys = [one["key"] for one in other["view"]["items"]]
        refers = {"2": "birds"} if "2" in keys else {}
        verdicts = {key: "correct" for key in keys if key not in refers}
        assert send(ann, other, {"verdicts": verdicts, "refers": refers}).status_code == 200
    bob, task = begin(told, 1)
    send(bob, task, {"verdicts": {"1": "correct"}})
    # Airplane and automobile are artifacts; bird, cat and frog are living things, which come later in the alphabet.
    kinds = show(told, ItemFilter(), ItemOrder.KIND)
    assert (set(kinds[:2]), set(kinds[2:])) == ({0, 1}, {2, 3, 6})
    assert set(show(told, ItemFilter(), ItemOrder.KIND, is_descending=True)[:3]) == {2, 3, 6}
    assert show(told, ItemFilter(), ItemOrder.EXPERTISE)[:2] == [2, 6]
    assert show(told, ItemFilter(), ItemOrder.EXPERTISE, is_descending=True)[:2] == [6, 2]
    # What ann alone judged comes before what ann and bob did, and what nobody did comes last, whichever way.
    judged = show(told, ItemFilter(), ItemOrder.REVIEWER)
    assert (set(judged[:2]), judged[2], set(judged[3:])) == ({0, 3}, 1, {2, 6})
    judged = show(told, ItemFilter(), ItemOrder.REVIEWER, is_descending=True)
    assert (judged[0], set(judged[1:3]), set(judged[3:])) == (1, {0, 3}, {2, 6})
    assert set(show(told, ItemFilter(), ItemOrder.COMMENTS, is_descending=True)[:2]) == {1, 6}


def make_table(people: Sequence[Sequence[int]]) -> ItemTable:
    """Items that these people have judged."""
    n = len(people)
    rows = [row for row, own in enumerate(people) for _ in own]
    return ItemTable(
        images=np.arange(n, dtype=np.int32),
        classes=np.zeros(n, np.int32),
        tasks=np.arange(n),
        n_votes=np.zeros((n, 3), np.int64),
        states=np.zeros(n, np.int32),
        last=np.zeros(n, np.int64),
        is_control=np.zeros(n, np.bool_),
        vote_rows=np.array(rows, np.int64),
        vote_people=np.array([one for own in people for one in own], np.int64),
    )


@given(st.lists(st.sets(st.integers(1, 6)), max_size=12))
def test_the_order_of_reviewers_is_that_of_their_names_one_after_the_other(people: list[set[int]]) -> None:
    names = {1: "f", 2: "e", 3: "d", 4: "c", 5: "b", 6: "a"}
    keys = rank_reviewers(make_table([sorted(own) for own in people]), names)
    said = [sorted(names[one] for one in own) for own in people]
    for first, second in product(range(len(people)), repeat=2):
        if said[first] and said[second]:
            assert bool(keys[first] < keys[second]) is (said[first] < said[second])
    assert [bool(np.isnan(key)) for key in keys] == [not own for own in people]


def test_a_class_with_nothing_above_it_has_no_place_among_kinds() -> None:
    classes = tuple(
        ImageClass(ClassIndex(at), NodeId(name), (name,)) for at, name in enumerate(("crow", "alone", "ant"))
    )
    parents = {"crow": ("bird",), "ant": ("insect",), "bird": ("animal",), "insect": ("animal",), "animal": ()}
    taxonomy = Taxonomy("small", classes, {NodeId(node): tuple(map(NodeId, up)) for node, up in parents.items()})
    keys = rank_kinds(taxonomy, [2, 1, 0, 2])
    assert keys[2] < keys[0] == keys[3]
    assert np.isnan(keys[1])
    assert list_kinds_above(taxonomy, 0) == ("animal", "bird")


def test_what_was_referred_to_free_words_or_a_kind_is_found_and_assigned_by_them(told: Told) -> None:
    open_review(told)
    told.run("annotators", "expertise", told.panel[2].annotator.name, "--add", "pond life")
    ann, task = begin(told, 0)
    send(ann, task, {"verdicts": {"1": "correct"}, "refers": {"6": "Pond life & lakes"}})
    while others := ann.take(told.get("experts"), 5):
        for other in others:
            keys = [one["key"] for one in other["view"]["items"]]
            send(
                ann,
                other,
                {"refers": dict.fromkeys(keys, "birds")} if "2" in keys else {"verdicts": {keys[0]: "wrong"}},
            )
    manager, here = told.enter(told.manager), f"/manage/campaigns/{told.get('experts').id}"
    linked = re.findall(r'href="([^"]*/items\?expertise=[^"]*)"', manager.get(here).text)
    assert sorted(linked) == [f"{here}/items?expertise=bird", f"{here}/items?expertise=pond%20life%20lakes"]

    def list_shown(words: str) -> list[str]:
        page = manager.get(f"{here}/items?expertise={words}").text
        return re.findall(r'<th scope="row" class="wraps words">(?:<a [^>]*>)?(\w+)', page)

    assert [list_shown(words) for words in ("POND+life, lakes", "Birds", "animals", "cats")] == [
        ["frog"],
        ["bird"],
        ["bird"],
        [],
    ]
    page = manager.get(f"{here}/items?expertise=Birds&order=kind").text
    assert 'name="expertise" type="text" maxlength="200" value="Birds"' in page
    assert '<option value="pond life lakes"></option>' in page
    assert "order=last&amp;descending=true&amp;expertise=Birds" in page
    assert "1 to 60 characters" in manager.get(f"{here}/items?expertise={'x' * 61}").text
    told.run("campaign", "assign", "experts", "--to", told.panel[1].annotator.name, "--expertise", "Pond life, lakes")
    assert show(told, ItemFilter(reviewer=told.panel[1].annotator.id)) == [6]


def test_a_later_vote_of_the_same_person_takes_the_place_of_the_earlier(told: Told) -> None:
    open_review(told)
    ann, task = begin(told, 0)
    send(ann, task, SAID[0])
    send(ann, task, SAID[1], revision=1)
    with told.study.read() as reading:
        table = LiveCampaigns().items(reading, told.get("experts"))
    place = int(np.flatnonzero(table.classes == 6)[0])
    assert table.n_votes[place].tolist() == [1, 0, 0]


def test_the_address_of_a_list_opens_the_same_list(told: Told) -> None:
    answer(told)
    manager, here = told.enter(told.manager), f"/manage/campaigns/{told.get('experts').id}/items"
    assert f'href="{here}"' in manager.get(here.removesuffix("/items")).text
    page = manager.get(f"{here}?of=frog&disputed=true").text
    assert page.count("<tr>") == 2
    assert re.search(r'name="disputed" value="true" checked', page)
    later = re.findall(r'href="([^"]*order=last[^"]*)"', page)[0].replace("&amp;", "&")
    assert "of=frog" in later
    assert manager.get(later).text.count("<tr>") == 2
    assert manager.get(f"{here}?state=split").text.count("No item is as you asked.") == 1
    odd = manager.get(f"{here}?of=<script>alert(1)</script>")
    assert odd.status_code == 200
    assert "<script>alert" not in odd.text
    assert manager.get(f"{here}?page=7").status_code == 303
    assert manager.get(f"{here}?state=perhaps").status_code == 422
    assert manager.get(f"{here}?order=beauty").status_code == 422
    for order in ItemOrder:
        assert "<tbody>" in manager.get(f"{here}?order={order}").text
    # Words begin with A, and numbers with the highest.
    links = dict(re.findall(r"order=(\w+)&amp;descending=(\w+)", page))
    assert {name for name, is_down in links.items() if is_down == "false"} >= {"class", "kind", "expertise", "reviewer"}
    assert (links["comments"], links["last"]) == ("true", "true")
    assert told.enter(told.panel[0]).get(here).status_code == 403


def test_the_page_of_an_image_tells_votes_reasons_and_notes(told: Told) -> None:
    answer(told)
    manager, here = told.enter(told.manager), f"/manage/campaigns/{told.get('experts').id}"
    number = re.findall(r"/images/(\d+)\"", manager.get(f"{here}/items?of=frog").text)[0]
    page = manager.get(f"{here}/images/{number}").text
    assert "automobile: correct; frog: correct (several objects)" in page
    assert "two of them" in page
    assert "automobile: correct; frog: skipped" in page


def test_an_answer_is_told_in_words() -> None:
    grid = make_review_task([4, 5], [2])
    assert tell_answer(grid, {"verdicts": {"1": "wrong"}}, image=5, name=str) == ("2: wrong", "")
    task = make_review_task([4], [2])
    assert tell_answer(task, {"returned": True, "comment": "?"}, image=4, name=str) == (
        "returned without a verdict",
        "?",
    )
    more = {"verdicts": {}, "more": [7], "problems": ["inappropriate"], "link": "https://a.example"}
    assert tell_answer(task, more, image=4, name=str) == ("2: skipped; 7: added; inappropriate", "https://a.example")


def test_a_kind_is_found_by_the_words_that_name_an_expertise(told: Told) -> None:
    with told.study.read() as reading:
        frogs = find_classes(reading, "frog")
        assert find_classes(reading, " Frogs ") == frogs == frozenset({6})
        assert find_classes(reading, "animals") == find_classes(reading, "animal") > frogs
        for words in ("nonsense", "?!"):
            with pytest.raises(InputError, match="is not a class"):
                find_classes(reading, words)


def find_state(told: Told, class_index: int) -> ItemState:
    campaign = told.get("experts")
    with told.study.read() as reading:
        asked, page = ItemFilter(classes=frozenset({class_index})), (ItemOrder.CLASS, ListPage(0, 5))
        table = LiveCampaigns().items(reading, campaign)
        (row,) = list_items(reading, campaign, table=table, asked=asked, page=page).rows
    return row.state


@pytest.mark.parametrize("said", [{"returned": True, "comment": "no idea"}, {"problems": ["inappropriate"]}])
def test_an_item_that_its_expert_leaves_out_waits_for_another(told: Told, said: Mapping[str, Any]) -> None:
    open_review(told)
    told.run("annotators", "expertise", told.panel[2].annotator.name, "--add", "frogs")
    visitor, task = begin(told, 0)
    assert send(visitor, task, {"verdicts": {"1": "correct"}, "refers": {"6": "frogs"}}).status_code == 200
    assert find_state(told, 6) is ItemState.REFERRED
    expert, campaign = told.enter(told.panel[2]), told.get("experts")
    expert.post(f"/api/campaigns/{campaign.id}/consent", {"version": 1})
    (alone,) = expert.take(campaign, 1)
    assert send(expert, alone, said).status_code == 200
    assert find_state(told, 6) is ItemState.REFERRED


def test_what_is_offered_to_be_found_was_referred_to_it_and_is_read_once(told: Told) -> None:
    open_review(told)
    visitor, task = begin(told, 0)
    manager, here = told.enter(told.manager), f"/manage/campaigns/{told.get('experts').id}/items"

    def refer(words: str, revision: int) -> None:
        said = {"verdicts": {"1": "correct"}, "refers": {"6": words}}
        assert send(visitor, task, said, revision=revision).status_code == 200

    def offer(query: str = "") -> list[str]:
        return re.findall(r'<option value="([^"]*)"></option>', manager.get(f"{here}?{query}").text)

    refer("pond life", 0)
    assert offer() == offer("of=nonsense") == ["pond life"]
    # An expert refers it on: the item stands with the last alone.
    told.run("annotators", "expertise", told.panel[2].annotator.name, "--add", "pond life")
    expert, campaign = told.enter(told.panel[2]), told.get("experts")
    expert.post(f"/api/campaigns/{campaign.id}/consent", {"version": 1})
    mine = next(one for one in expert.take(campaign, 5) if one["view"]["expertise"])
    assert send(expert, mine, {"refers": {"6": "zoology"}}).status_code == 200
    for words in offer():
        assert "data-task" in manager.get(f"{here}?expertise={words}").text
    assert offer() == ["zoology"]
    with told.study.read() as reading:
        table, said = LiveCampaigns().items(reading, campaign), list[str]()
        event.listen(reading.connection, "before_cursor_execute", lambda *sent: said.append(sent[2]))
        asked, page = ItemFilter(expertise="zoology", has_comments=False), (ItemOrder.EXPERTISE, ListPage(0, 5))
        assert list_items(reading, campaign, table=table, asked=asked, page=page).n == 1
    assert sum("review_comments" in one for one in said) == 1
    assert sum("tasks.position >=" in one for one in said) == 1


def test_who_skips_a_label_is_not_counted_where_an_image_says_how_often_it_was_found_correct(
    told: Told, capsys: pytest.CaptureFixture[str]
) -> None:
    answer(told)
    capsys.readouterr()
    told.run("campaign", "image", "experts", "i1", "--format", "json")
    found = json.loads(capsys.readouterr().out)
    counted = {one["class"]: (one["n_selected"], one["n_shown"]) for one in found["image"]["classes"]}
    assert counted == {1: (3, 3), 6: (1, 2)}
    assert [one["asked"] for one in found["answers"]] == [[1, 6], [1, 6], [1]]
