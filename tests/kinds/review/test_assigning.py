"""Items of a review that are assigned: named people alone get their tasks, however many these are, until anybody does again."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import event
from tests.kinds.review.reviewed_study import send, told
from tests.kinds.review.test_items import show
from tests.kinds.review.test_threads import begin, open_review
from tests.verify.verify_study import Told
from tests.workflows.conftest import database, postgres, postgres_database

from regauge.errors import InputError
from regauge.kinds.review.task import make_review_task
from regauge.records.campaigns.campaign import Payload, TaskRole
from regauge.records.responses.items import ItemFilter
from regauge.storage.campaigns.assignments import N_WAYS, find_open_tasks
from regauge.storage.campaigns.extra_tasks import insert_extra_tasks
from regauge.storage.campaigns.image_failures import change_tasks
from regauge.storage.campaigns.panels import list_assigned
from regauge.storage.campaigns.payloads import load_payloads
from regauge.workflows.campaigns.assigning import assign_tasks, describe_few

__all__ = ["database", "postgres", "postgres_database", "told"]


def list_given(told: Told, place: int) -> int:
    """How many tasks somebody gets."""
    visitor, campaign = told.enter(told.panel[place]), told.get("experts")
    visitor.post(f"/api/campaigns/{campaign.id}/consent", {"version": 1})
    return len(visitor.take(campaign, 5))


def test_items_that_are_assigned_go_to_named_people_alone_until_they_go_to_anybody_again(told: Told) -> None:
    open_review(told)
    campaign, (ann, bob, _) = told.get("experts"), told.panel
    manager = told.enter(told.manager)
    address = f"/api/manage/campaigns/{campaign.id}/assign"
    chosen = [ann.annotator.id, bob.annotator.id]
    reply = manager.post(f"{address}?of=frog", {"is_all": True, "people": chosen}).json()
    assert (reply["n_tasks"], reply["people"]) == (1, sorted((ann.annotator.name, bob.annotator.name)))
    assert reply["notes"] == [
        "1 of 1 task cannot be finished: it needs answers of 3 people, and fewer are named or have answered."
    ]
    assert [list_given(told, place) for place in range(3)] == [4, 4, 3]
    assert show(told, ItemFilter(reviewer=bob.annotator.id)) == [1, 6]
    page = manager.get(f"/manage/campaigns/{campaign.id}/items?of=frog").text
    assert f"{reply['people'][0]}, {reply['people'][1]}" in page
    # Whoever has one of them and is named no longer does not get it again.
    told.run("campaign", "assign", "experts", "--to", bob.annotator.name, "--class", "frog")
    assert [list_given(told, place) for place in range(3)] == [3, 4, 3]
    told.run("campaign", "assign", "experts", "--anybody", "--image", "i1")
    assert [list_given(told, place) for place in range(3)] == [4, 4, 4]


def test_what_cannot_be_assigned_is_refused_and_nothing_is_changed(told: Told) -> None:
    open_review(told)
    campaign, manager = told.get("experts"), told.enter(told.manager)
    address, ann = f"/api/manage/campaigns/{campaign.id}/assign", told.panel[0].annotator
    assert manager.post(address, {"tasks": [], "people": [ann.id]}).status_code == 409
    assert manager.post(address, {"tasks": [9_999], "people": [ann.id]}).status_code == 409
    outside = manager.post(address, {"is_all": True, "people": [told.outsider.annotator.id]})
    assert "does not work on campaign experts" in outside.json()["detail"]
    assert manager.post(f"{address}?of=nonsense", {"is_all": True, "people": [ann.id]}).status_code == 409
    for words in ((), ("--to", ann.name, "--anybody"), ("--to", ann.name, "--image", "nothing")):
        with pytest.raises(InputError):
            told.run("campaign", "assign", "experts", *words)
    assert [list_given(told, place) for place in range(3)] == [4, 4, 4]


def test_assigning_changes_nothing_of_a_task_but_who_gets_it(told: Told) -> None:
    open_review(told)
    campaign, ids = told.get("experts"), sorted(one.annotator.id for one in told.panel)

    def load() -> dict[int, Payload]:
        with told.study.read() as reading:
            return load_payloads(reading, campaign)

    before = load()
    first, *others = sorted(before)
    odd = {**before[first], "said": {"6": 'é "quoted" \\ 1e-7'}, "scores": {"6": 1e-07, "1": 0.1}}
    with told.study.begin() as begun:
        change_tasks(begun, {first: odd}, left_out=())
        assign_tasks(begun, campaign.id, tasks=[first], people=ids[:2])
    assert load() == {**before, first: {**odd, "panel": ids[:2]}}
    with told.study.begin() as begun:
        assign_tasks(begun, campaign.id, tasks=[first, others[0]], people=ids[2:])
    assert load() == {**before, first: {**odd, "panel": ids[2:]}, others[0]: {**before[others[0]], "panel": ids[2:]}}
    with told.study.begin() as begun:
        # Who goes to anybody already stays so.
        assert assign_tasks(begun, campaign.id, tasks=before, people=[]).n_tasks == len(before)
    assert load() == {**before, first: odd}


def test_of_tasks_that_are_not_all_of_the_campaign_none_is_assigned(told: Told) -> None:
    open_review(told)
    campaign, ann = told.get("experts"), told.panel[0].annotator
    with told.study.begin() as begun:
        before = load_payloads(begun, campaign)
        with pytest.raises(InputError, match="nothing is assigned"):
            assign_tasks(begun, campaign.id, tasks=[*before, 9_999], people=[ann.id])
        with pytest.raises(InputError, match="No task of campaign experts was chosen"):
            assign_tasks(begun, campaign.id, tasks=[], people=[ann.id])
        assert load_payloads(begun, campaign) == before


def test_very_many_tasks_are_assigned_by_a_few_statements(told: Told) -> None:
    open_review(told)
    campaign, ann = told.get("experts"), told.panel[0].annotator
    task = make_review_task([0], [1], n_classes=10)
    with told.study.begin() as begun:
        few = sorted(load_payloads(begun, campaign))
        many = [*few, *insert_extra_tasks(begun, campaign, role=TaskRole.WORK, payloads=[task] * 20_000)]
        said: list[str] = []
        event.listen(begun.connection, "before_cursor_execute", lambda *sent: said.append(sent[2]))
        assign_tasks(begun, campaign.id, tasks=few, people=[ann.id])
        n_few = len(said)
        assert assign_tasks(begun, campaign.id, tasks=many, people=[ann.id]).n_tasks == len(many)
        assert len(said) == 2 * n_few
        assert all(payload["panel"] == [ann.id] for payload in load_payloads(begun, campaign).values())


def test_what_was_referred_can_be_finished_by_one_expert_and_by_nobody_else(told: Told) -> None:
    open_review(told)
    told.run("annotators", "expertise", told.panel[2].annotator.name, "--add", "frogs")
    visitor, task = begin(told, 0)
    assert send(visitor, task, {"verdicts": {"1": "correct"}, "refers": {"6": "frogs"}}).status_code == 200
    manager, address = told.enter(told.manager), f"/api/manage/campaigns/{told.get('experts').id}/assign?of=frog"

    def assign(place: int) -> Any:
        reply = manager.post(address, {"is_all": True, "people": [told.panel[place].annotator.id]}).json()
        return reply["n_tasks"], reply["notes"]

    assert assign(2) == (1, [])
    note = (
        "1 of 1 task cannot be finished: it was referred to an expert, and nobody who is named is one who has not answered it "
        "yet."
    )
    assert assign(1) == (1, [note])
    # The only expert has answered, and is given it no more.
    assert assign(2) == (1, [])
    expert, campaign = told.enter(told.panel[2]), told.get("experts")
    expert.post(f"/api/campaigns/{campaign.id}/consent", {"version": 1})
    mine = next(one for one in expert.take(campaign, 5) if one["view"]["expertise"])
    assert send(expert, mine, {"returned": True, "comment": "I cannot tell."}).status_code == 200
    assert assign(2) == (1, [note])


def test_the_note_says_how_many_people_the_tasks_need_that_cannot_be_finished() -> None:
    assert list(describe_few([], 4)) == []
    (same,), (other,) = describe_few([2, 2], 4), describe_few([2, 3], 4)
    assert same.startswith("2 of 4 tasks cannot be finished: each needs answers of 2 people, and fewer are named")
    assert "each needs answers of 2 to 3 people" in other


def test_what_goes_to_others_alone_is_not_read_to_find_a_task(told: Told) -> None:
    open_review(told)
    campaign, (ann, bob, carol) = told.get("experts"), (one.annotator for one in told.panel)
    told.run("campaign", "assign", "experts", "--to", ann.name, "--to", carol.name)
    with told.study.read() as reading:
        n = [len(find_open_tasks(reading, campaign, annotator_id=who.id, limit=10)) for who in (ann, bob, carol)]
    assert n == [4, 0, 4]
    told.run("campaign", "assign", "experts", "--anybody")
    with told.study.read() as reading:
        assert len(find_open_tasks(reading, campaign, annotator_id=bob.id, limit=10)) == 4


def test_words_of_a_task_name_nobody(told: Told) -> None:
    """A label can be referred to experts in whatever is written, such as a panel."""
    open_review(told)
    told.run("annotators", "expertise", told.panel[2].annotator.name, "--add", "panel")
    visitor, task = begin(told, 0)
    assert send(visitor, task, {"verdicts": {"1": "correct"}, "refers": {"6": "panel"}}).status_code == 200
    expert, campaign = told.enter(told.panel[2]), told.get("experts")
    expert.post(f"/api/campaigns/{campaign.id}/consent", {"version": 1})
    assert [one["view"]["expertise"] for one in expert.take(campaign, 1)] == ["panel"]
    ann, bob = (one.annotator for one in told.panel[:2])
    told.run("campaign", "assign", "experts", "--to", ann.name)
    with told.study.read() as reading:
        assert find_open_tasks(reading, campaign, annotator_id=bob.id, limit=10) == []


def find_positions(told: Told, annotator_id: int, **which: int) -> list[int]:
    """Where the tasks are that somebody may be given."""
    with told.study.read() as reading:
        found = find_open_tasks(reading, told.get("experts"), annotator_id=annotator_id, **{"limit": 99, **which})
    return [task.position for task in found]


def test_tasks_for_all_and_for_some_are_found_in_the_order_of_the_campaign(told: Told) -> None:
    open_review(told)
    campaign = told.get("experts")
    ann, bob, carol = (one.annotator.id for one in told.panel[:3])
    task = make_review_task([0], [1], n_classes=10)
    groups = [[], [ann], [bob], [ann, bob], [carol, ann], [ann * 10 + 1]] * 4
    with told.study.begin() as begun:
        start = len(load_payloads(begun, campaign))
        added = insert_extra_tasks(begun, campaign, role=TaskRole.WORK, payloads=[task] * len(groups))
        for group in {tuple(one) for one in groups if one}:
            mine = [own for own, one in zip(added, groups, strict=True) if tuple(one) == group]
            assign_tasks(begun, campaign.id, tasks=mine, people=[one for one in group if one <= carol] or [bob])
    theirs = [place for place, group in enumerate(groups, start) if not group or ann in group]
    assert find_positions(told, ann, start=start) == theirs
    assert find_positions(told, ann, start=start, limit=5) == theirs[:5]
    assert find_positions(told, ann, start=theirs[5] + 1, limit=3) == theirs[6:9]


def test_whoever_is_named_with_very_many_others_in_turn_is_given_all_that_is_theirs(told: Told) -> None:
    open_review(told)
    campaign, ann = told.get("experts"), told.panel[0].annotator.id
    payloads = [{**make_review_task([0], [1], n_classes=10), "panel": [1_000 + n, ann][n % 2 :]} for n in range(60)]
    with told.study.begin() as begun:
        start = len(load_payloads(begun, campaign))
        insert_extra_tasks(begun, campaign, role=TaskRole.WORK, payloads=payloads)
    assert len({str(one["panel"]) for one in payloads if ann in one["panel"]}) > N_WAYS
    assert find_positions(told, ann, start=start) == list(range(start, start + 60))
    assert find_positions(told, ann + 1, start=start) == []
    with told.study.read() as reading:
        assert len(list_assigned(reading, campaign, annotator_id=ann)) == 60


def test_tasks_for_others_are_not_looked_through_however_many_they_are(told: Told) -> None:
    open_review(told)
    campaign = told.get("experts")
    ann, bob = (one.annotator.id for one in told.panel[:2])
    task = make_review_task([0], [1], n_classes=10)
    with told.study.begin() as begun:
        many = insert_extra_tasks(begun, campaign, role=TaskRole.WORK, payloads=[task] * 5_000)
        assign_tasks(begun, campaign.id, tasks=[*load_payloads(begun, campaign), *many], people=[bob])
        begun.connection.exec_driver_sql("ANALYZE")
    with told.study.read() as reading:
        asked: list[tuple[str, Any]] = []
        event.listen(reading.connection, "before_cursor_execute", lambda *sent: asked.append((sent[2], sent[3])))
        assert find_open_tasks(reading, campaign, annotator_id=ann, limit=5) == []
        assert len(asked) == 2
        how = "EXPLAIN" if told.study.engine.dialect.name == "postgresql" else "EXPLAIN QUERY PLAN"
        for statement, parameters in asked[:2]:
            steps = str(reading.connection.exec_driver_sql(f"{how} {statement}", parameters).all())
            assert "ix_tasks_campaign_id_role_panel_position" in steps


def test_many_tasks_are_assigned_before_the_database_knows_how_many_there_are(told: Told) -> None:
    """PostgreSQL takes a table for nearly empty until it has counted new rows; each would be compared with every number then."""
    open_review(told)
    campaign, ann = told.get("experts"), told.panel[0].annotator
    task = make_review_task([0], [1], n_classes=10)
    with told.study.begin() as begun:
        many = insert_extra_tasks(begun, campaign, role=TaskRole.WORK, payloads=[task] * 2_000)
        asked: list[tuple[str, Any]] = []
        event.listen(begun.connection, "before_cursor_execute", lambda *sent: asked.append((sent[2], sent[3])))
        assert assign_tasks(begun, campaign.id, tasks=many, people=[ann.id]).n_tasks == len(many)
        update, parameters = next(one for one in asked if one[0].startswith("UPDATE tasks"))
        if told.study.engine.dialect.name == "postgresql":
            steps = str(begun.connection.exec_driver_sql(f"EXPLAIN {update}", parameters).all())
            assert "hashed SubPlan" in steps
            assert "Nested Loop" not in steps


def test_a_task_that_says_nothing_is_assigned_as_any_other(told: Told) -> None:
    open_review(told)
    campaign, ann = told.get("experts"), told.panel[0].annotator
    with told.study.begin() as begun:
        first = min(load_payloads(begun, campaign))
        change_tasks(begun, {first: {}}, left_out=())
        assign_tasks(begun, campaign.id, tasks=[first], people=[ann.id])
        assert load_payloads(begun, campaign)[first] == {"panel": [ann.id]}
