"""Relations over HTTP: proposals with their evidence, decisions with reasons in the manager's name, and contradictions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.server.served_study import Reply, Served, Visitor, serve_pictured

from regauge.records.labels.label_set import LabelSet, Truth
from regauge.records.taxonomy import RelationStatus
from regauge.workflows.labels.label_set import add_labels
from regauge.workflows.labels.relations import list_relations

API = "/api/manage/relations"
IDS = [f"i{number}" for number in range(8)]
SUBSET: dict[str, Any] = {"kind": "subset", "first": 3, "second": 5}


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """A label set in which a dog is correct wherever a cat is, but for one image, where it is wrong."""
    with serve_pictured(tmp_path) as running:
        known = LabelSet.from_lists("<b>known</b>", IDS, correct=[[3, 5]] * 7 + [[3]], wrong=[[]] * 7 + [[5]])
        also = LabelSet.from_lists("also", IDS, correct=[[3, 5]] * 8)
        with running.study.begin() as begun:
            add_labels(begun, Truth(label_sets=(known,)), name="known")
            add_labels(begun, Truth(label_sets=(also,)), name="also")
        yield running


def decide(visitor: Visitor, status: str, reason: str = "nobody tells <i>them</i> apart", **more: Any) -> Reply:
    return visitor.post(f"{API}/decide", {**SUBSET, "status": status, "reason": reason, **more})


def find_status(served: Served) -> dict[str, tuple[RelationStatus, str, str]]:
    with served.study.read() as reading:
        found = [entry.relation for entry in list_relations(reading)]
    return {f"{one.kind.value} {one.first} {one.second}": (one.status, one.reason, one.who) for one in found}


def test_proposals_are_shown_with_n_share_interval_images_and_source(served: Served) -> None:
    manager = served.enter(served.manager)
    assert "Nothing waits for a decision" in manager.get("/manage/relations").text
    assert manager.post(f"{API}/propose", {}).json()["n"] > 0
    page = manager.get("/manage/relations").text
    assert "8 of 8" in page
    assert "100.0% [63.1, 100.0]" in page
    assert 'data-told="cat = dog"' in page
    assert "/manage/guide/pictures/1/0" in page
    assert manager.get("/manage/guide/pictures/1/0").status_code == 200


def test_a_decision_is_kept_with_its_reason_in_the_managers_name_and_can_be_changed(served: Served) -> None:
    manager = served.enter(served.manager)
    assert decide(manager, "accepted").status_code == 200
    assert find_status(served)["subset 3 5"] == (RelationStatus.ACCEPTED, "nobody tells <i>them</i> apart", "manager")
    page = manager.get("/manage/relations").text
    assert "nobody tells &lt;i&gt;them&lt;/i&gt; apart" in page
    assert "<i>them" not in page
    again = decide(manager, "accepted")
    assert (again.status_code, "already" in again.json()["detail"]) == (409, True)
    assert decide(manager, "rejected", "tusks").status_code == 200
    assert find_status(served)["subset 3 5"][:2] == (RelationStatus.REJECTED, "tusks")


def test_what_contradicts_accepted_relations_is_shown_with_its_image(served: Served) -> None:
    manager = served.enter(served.manager)
    assert "No verdict contradicts" in manager.get("/manage/relations?labels=known").text
    decide(manager, "accepted")
    page = manager.get("/manage/relations?labels=known").text
    assert "1 verdict of people in known is lower than accepted relations imply" in " ".join(page.split())
    assert '<a href="/manage/guide/pictures/1/7">i7</a>' in page
    assert "No verdict contradicts" in manager.get("/manage/relations?labels=also").text
    assert manager.get("/manage/relations?labels=gone").status_code == 409


def test_what_makes_no_sense_is_refused_and_nothing_is_stored(served: Served) -> None:
    manager = served.enter(served.manager)
    assert decide(manager, "accepted", "").status_code == 422
    assert decide(manager, "accepted", "  ").status_code == 409
    assert decide(manager, "accepted", "x\x00").status_code == 422
    assert decide(manager, "accepted", kind="like").status_code == 422
    assert decide(manager, "proposed").status_code == 422
    assert decide(manager, "accepted", second=3).status_code == 409
    assert decide(manager, "accepted", second=10).status_code == 409
    assert decide(manager, "rejected").status_code == 409
    assert find_status(served) == {}
    decide(manager, "accepted")
    circle = decide(manager, "accepted", first=5, second=3)
    assert (circle.status_code, "circle" in circle.json()["detail"]) == (409, True)


def test_relations_are_the_managers_alone_and_change_from_our_pages_only(served: Served) -> None:
    annotator, manager = served.enter(served.people[0]), served.enter(served.manager)
    assert annotator.get("/manage/relations").status_code == 403
    assert decide(annotator, "accepted").status_code == 403
    stranger = Visitor(manager.client, {"Cookie": manager.headers["Cookie"]})
    assert decide(stranger, "accepted").status_code == 403
    assert stranger.post(f"{API}/propose", {}).status_code == 403
    assert find_status(served) == {}
