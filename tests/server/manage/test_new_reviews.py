"""A review that is made from the form: the plan and the audit come along as files, and never as paths of the server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.server.manager_forms import FORM
from tests.server.served_study import Reply, Served, Visitor

from regauge.records.evaluation.reviews import ReviewTerms
from regauge.records.predictions import Predictions
from regauge.server.manage.new import MAX_FILES, MAX_TABLE
from regauge.storage.campaigns.campaign import get_campaign, list_campaigns
from regauge.storage.testsets.test_set import get_test_set, load_test_set
from regauge.workflows.labels.audits import draw_study_audit
from regauge.workflows.labels.review_plans import ReviewRequest, find_plan, plan_study_review, save_review_plan
from regauge.workflows.predictions import PredictionSource, add_predictions

REVIEW = {
    **FORM,
    "kind": "review",
    "source": "unjudged",
    "by": "image",
    "mode": "open",
    "gold_share": "5",
    "audit_size": "0",
}


@pytest.fixture
def manager(served: Served) -> Visitor:
    return served.enter(served.manager)


@pytest.fixture
def files(served: Served, tmp_path: Path) -> dict[str, bytes]:
    """The plan and the audit of a comparison in which one answers the dataset label, and the other every second time."""
    with served.study.begin() as begun:
        images = load_test_set(begun, get_test_set(begun, "pictures"))
        odd = np.where(np.arange(len(images)) % 2, (images.labels + 1) % 10, images.labels)
        answers = {"good": images.labels, "odd": odd}
        sources = [Predictions(name, images.image_ids, classes) for name, classes in answers.items()]
        add_predictions(begun, PredictionSource(sources), test_set="pictures")
        request = ReviewRequest(test_set="pictures", terms=ReviewTerms(n_simulations=10))
        save_review_plan(plan_study_review(begun, request).planned, tmp_path / "plan.json")
        draw_study_audit(begun, request, path=tmp_path / "audit.json", n=3)
    return {name: (tmp_path / f"{name}.json").read_bytes() for name in ("plan", "audit")}


def send(manager: Visitor, files: dict[str, bytes], **changes: str) -> Reply:
    """The form as a browser sends it: all files, those that were not chosen without a name and empty."""
    fields: dict[str, Any] = {name: (None, value) for name, value in {**REVIEW, **changes}.items()}
    sent = {"table": b"", "plan": b"", "audit": b"", **files}
    parts = {name: (f"my {name}.json", content, "application/json") for name, content in sent.items()}
    return manager.ask("POST", "/api/manage/campaigns", files={**fields, **parts})


def test_a_review_follows_the_plan_and_has_the_audit_that_were_sent(
    served: Served, manager: Visitor, files: dict[str, bytes]
) -> None:
    reply = send(manager, files)
    assert reply.status_code == 201, reply.text
    with served.study.read() as reading:
        made = get_campaign(reading, reply.json()["id"])
        planned = find_plan(reading, made)
    assert planned is not None
    assert planned.plan.image_ids.tolist() == json.loads(files["plan"])["image_ids"]
    assert made.plan.settings["audit"]["n_images"] == 3
    assert made.n_tasks == len(planned.plan) + 3
    assert "/tmp" not in json.dumps(dict(made.plan.settings))  # noqa: S108 - where it was kept is nobody's business


def test_a_review_draws_an_audit_of_as_many_images_as_the_form_says(
    served: Served, manager: Visitor, files: dict[str, bytes]
) -> None:
    reply = send(manager, {"plan": files["plan"]}, audit_size="4")
    assert reply.status_code == 201, reply.text
    with served.study.read() as reading:
        assert get_campaign(reading, reply.json()["id"]).plan.settings["audit"]["n_images"] == 4
    both = send(manager, files, audit_size="4", name="both")
    assert list(both.json()["fields"]) == ["audit_size"]
    assert list(send(manager, {}, audit_size="-1", name="less").json()["fields"]) == ["audit_size"]


def test_files_are_left_alone_by_kinds_that_have_no_plan(
    served: Served, manager: Visitor, files: dict[str, bytes]
) -> None:
    reply = send(manager, files, kind="contains", source="labels")
    assert reply.status_code == 201, reply.text
    with served.study.read() as reading:
        assert "plan" not in get_campaign(reading, reply.json()["id"]).plan.settings


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("plan", b"{", "this is not JSON"),
        ("plan", b"[]", "this is not a plan of a review"),
        ("plan", b'{"format": "regauge review plan", "version": 1}', "damaged (the field participants is missing)"),
        ("audit", b"\xff\xfe", "this is not UTF-8 text"),
        ("audit", b'{"format": "regauge review plan"}', "this is not an audit"),
        ("plan", b" " * MAX_TABLE + b"{}", "A file has at most 8,388,608 bytes here, not 8,388,610."),
    ],
)
def test_what_is_wrong_with_a_file_is_said_beside_it(
    served: Served, manager: Visitor, files: dict[str, bytes], name: str, content: bytes, said: str
) -> None:
    reply = send(manager, {**files, name: content})
    assert reply.status_code == 422
    assert list(reply.json()["fields"]) == [name]
    assert said in reply.json()["fields"][name]
    assert "/tmp" not in reply.text  # noqa: S108 - where it was kept is nobody's business
    with served.study.read() as reading:
        assert len(list_campaigns(reading)) == 1


@pytest.mark.parametrize("path", ["/etc/passwd", "plan.json", "../study.toml"])
def test_a_path_in_place_of_a_file_is_not_opened(manager: Visitor, path: str) -> None:
    fields: dict[str, Any] = {name: (None, value) for name, value in {**REVIEW, "plan": path, "audit": path}.items()}
    reply = manager.ask("POST", "/api/manage/campaigns", files=fields)
    assert reply.status_code == 422
    assert reply.json()["fields"] == dict.fromkeys(("plan", "audit"), "Choose a file; a path cannot be typed here.")


def test_what_does_not_go_with_a_plan_is_refused_as_on_the_command_line(
    manager: Visitor, files: dict[str, bytes]
) -> None:
    grids = send(manager, files, by="class-pair")
    assert grids.json()["fields"] == {"by": "The images of a plan are judged one by one; leave out --by."}
    named = send(manager, files, participants="good")
    assert "A plan says itself whose answers are judged" in next(iter(named.json()["fields"].values()))


def test_more_files_than_the_form_has_fields_are_too_many(manager: Visitor, files: dict[str, bytes]) -> None:
    assert send(manager, {**files, **{f"more{n}": b"{}" for n in range(MAX_FILES)}}).status_code == 400


def test_the_page_has_both_files(manager: Visitor) -> None:
    page = manager.get("/manage/campaigns/new").text
    for name in ("plan", "audit"):
        assert f'<input id="{name}" name="{name}" type="file" accept=".json,application/json">' in page
