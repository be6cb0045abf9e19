"""What whole campaigns tell: everything that each role gets is read for whatever goes with truth, label, control or repeat."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.server.exchanges import (
    Read,
    Reader,
    draw_candidates,
    drop_length,
    find_shape,
    find_telling,
    identify,
    list_fields,
    read_campaign,
)
from tests.server.test_access import EVERYBODY, MANAGER, RULES
from tests.workflows.campaign_studies import add_contains, make_pictured

from regauge.campaigns.repeats import MIN_APART
from regauge.campaigns.visibility import find_order
from regauge.kinds.contains.supply import N_AGAIN, N_CONTROLS
from regauge.records.campaigns.campaign import Kind, TaskRole
from regauge.records.responses.answers import Control
from regauge.workflows.annotation.class_finder import make_finder_file

PAGE = Path(__file__).resolve().parents[2] / "docs" / "security.md"
BEGIN, END = "<!-- read from whole campaigns -->\n", "<!-- end -->\n"
RENEW = "REGAUGE_RENEW_ROLES"
OF_OTHERS = re.compile(r"/(discussion|evidence|group|feedback|lessons|requests|shown|reports)\b")
"""Addresses of panels and trainings, whose tests read them, and where pages only send something."""


@pytest.fixture(scope="module")
def grids(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Read]:
    with read_campaign(tmp_path_factory.mktemp("grids"), Kind("contains")) as found:
        yield found


@pytest.fixture(scope="module")
def labels(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Read]:
    with read_campaign(tmp_path_factory.mktemp("labels"), Kind("classify")) as found:
        yield found


@pytest.fixture(params=["grids", "labels"])
def read(request: pytest.FixtureRequest) -> Read:
    found: Read = request.getfixturevalue(request.param)
    return found


def list_cells(read: Read) -> tuple[dict[str, list[Any]], list[int]]:
    """Per cell of new grids all that an annotator can know of it, and whether it is a control."""
    features: dict[str, list[Any]] = {}
    controls = []
    for reader in read.workers:
        is_lesson = [one.route.startswith("/images/") for one in reader.exchanges[: reader.n_before]]
        seen = Counter(identify(one) for one, is_it in zip(reader.exchanges, is_lesson, strict=False) if is_it)
        for number, task in enumerate(reader.taken):
            payload, role = read.truth[task["id"]]
            pictures = reader.pictures[task["id"]]
            if role is TaskRole.WORK:
                for cell, picture in enumerate(pictures):
                    known = {
                        "cell": cell,
                        "number of cells": task["view"]["n_cells"],
                        "number of the task": number,
                        "place at hand": task["place"],
                        "id": int(task["id"][:8], 16),
                        "address": len(task["images"][cell]),
                        "length": len(picture.body),
                        "status and headers": (picture.status, drop_length(picture.headers)),
                        "shape": find_shape(picture.body),
                        "shown before": seen[identify(picture)] > 0,
                        "fields": tuple(sorted(task)),
                    }
                    for name, value in known.items():
                        features.setdefault(name, []).append(value)
                    controls.append(payload["cells"][cell][1])
            seen.update(identify(picture) for picture in pictures)
    return features, controls


def list_tasks(read: Read, *, with_receipt: bool) -> tuple[dict[str, list[Any]], list[bool]]:
    """Per task but the first ones all that an annotator can know of it except its images, and whether it is a repeat."""
    features: dict[str, list[Any]] = {}
    repeated = []
    for reader in read.workers:
        for number, task in enumerate(reader.taken):
            if number <= MIN_APART:
                continue
            receipt, again = reader.receipts[task["id"]], reader.shown_again[task["id"]]
            known = {
                "number of the task": number,
                "place at hand": task["place"],
                "id": int(task["id"][:8], 16),
                "fields": (tuple(sorted(task)), tuple(sorted(task["view"])), task["revision"], task["answer"]),
                "number of images": len(task["images"]),
                "headers": tuple(drop_length(picture.headers) for picture in reader.pictures[task["id"]]),
                "shown again": (tuple(sorted(again)), again["view"] == task["view"], again["images"] == task["images"]),
                "counted": reader.n_done[number] - number,
            }
            if with_receipt:
                known["receipt"] = (receipt.status, receipt.headers, receipt.body)
            for name, value in known.items():
                features.setdefault(name, []).append(value)
            repeated.append(read.truth[task["id"]][1] is TaskRole.REPEAT)
    return features, repeated


def take_own_data(reader: Reader) -> dict[str, Any]:
    """The last file with one's own data that somebody got."""
    found: dict[str, Any] = next(
        json.loads(one.body) for one in reversed(reader.exchanges) if one.route == "/api/me" and one.status == 200
    )
    return found


def test_nothing_about_a_cell_tells_a_control(grids):
    features, controls = list_cells(grids)
    assert len(controls) > 500
    assert find_telling(features, [control != Control.NONE for control in controls]) == {}
    # Nor what is true of those that are controls.
    only = [place for place, control in enumerate(controls) if control != Control.NONE]
    kept = {name: [values[place] for place in only] for name, values in features.items()}
    assert find_telling(kept, [controls[place] == Control.POSITIVE for place in only]) == {}


def test_the_reading_finds_a_control_that_stands_first_comes_again_or_has_another_header(grids):
    features, controls = list_cells(grids)
    truth = [control != Control.NONE for control in controls]
    told: dict[str, Sequence[object]] = {
        "cell": [0 if is_control and place % 4 else 3 for place, is_control in enumerate(truth)],
        "header": [("etag",) if is_control and place % 8 == 0 else () for place, is_control in enumerate(truth)],
        "shown before": [is_control and place % 4 == 0 for place, is_control in enumerate(truth)],
    }
    assert set(find_telling({**features, **told}, truth)) == set(told)


def test_an_annotator_meets_no_control_again_where_there_are_images_enough(grids):
    features, controls = list_cells(grids)
    assert not any(features["shown before"])
    settings = grids.campaign.plan.settings
    assert (settings[N_CONTROLS], settings[N_AGAIN]) == (4 * grids.campaign.n_tasks, 0)
    assert len(controls) == 3 * 8 * grids.campaign.n_tasks


def test_where_images_are_scarce_it_is_on_record_how_many_controls_come_again(tmp_path):
    with make_pictured(tmp_path) as study:
        campaign = add_contains(study)
    # Controls are images that are asked about in other grids: all of them come again.
    settings = campaign.plan.settings
    assert settings[N_AGAIN] == settings[N_CONTROLS] == 4 * campaign.n_tasks


def test_nothing_about_a_task_but_its_images_tells_a_repeat(read):
    features, repeated = list_tasks(read, with_receipt=False)
    assert 5 < sum(repeated) < len(repeated) / 2
    assert find_telling(features, repeated) == {}


def test_the_reply_to_an_answer_tells_nothing(read):
    features, repeated = list_tasks(read, with_receipt=True)
    bodies = {receipt.body for reader in read.people for receipt in reader.receipts.values()}
    assert len(bodies) == 1
    assert find_telling(features, repeated) == {}
    heads = {receipt.headers for reader in read.people for receipt in reader.receipts.values()}
    assert len(heads) == 1


def test_no_order_of_candidates_tells_the_dataset_label(labels):
    given = draw_candidates()
    by_image = {frozenset(candidates): candidates[0] for candidates in given.values()}
    features: dict[str, list[Any]] = {}
    truth = []
    for reader in labels.workers:
        for task in reader.taken:
            shown = [one["class"] for one in task["view"]["candidates"]]
            label = by_image[frozenset(shown)]
            turned_back = np.empty(len(shown), int)
            turned_back[np.random.default_rng(find_order(task["id"])).permutation(len(shown))] = shown
            again = reader.shown_again[task["id"]]["answer"]["selected"]
            assert again == [one for one in shown if one in again]
            for one in shown:
                known = {
                    "place on the page": shown.index(one),
                    "place as stored": turned_back.tolist().index(one),
                    "place in the answer": again.index(one) if one in again else -1,
                    "number": one,
                }
                for name, value in known.items():
                    features.setdefault(name, []).append(value)
                truth.append(one == label)
    assert len(truth) > 900
    # Sorted by number it cannot be otherwise than by chance, the label being any of them.
    assert find_telling(features, truth) == {}
    assert "first" in find_telling({"first": [0 if is_label else 1 for is_label in truth]}, truth)


def test_what_somebody_takes_along_has_their_own_order_and_tells_no_repeat(read):
    for reader in read.people:
        rows = take_own_data(reader)["answers"]
        assert len(rows) == len(reader.receipts)
        assert len({tuple(sorted(row)) for row in rows}) == 1
        if read.campaign.kind == Kind("classify"):
            for row, task in zip(rows, reader.taken, strict=True):
                shown = [one["class"] for one in task["view"]["candidates"]]
                assert row["asked"]["candidates"] == shown
                selected = row["answer"]["selected"]
                assert selected == [one for one in shown if one in selected]


def test_those_who_only_look_see_no_image_and_no_task_of_the_campaign(read):
    shown = {identify(one) for reader in read.people for pictures in reader.pictures.values() for one in pictures}
    looked = {identify(one) for one in read.guest.exchanges if one.route.startswith("/images/") and one.status == 200}
    assert looked
    assert not looked & shown
    views = [json.dumps(task["view"], sort_keys=True) for task in read.guest.taken]
    read.guest.work(read.campaign, np.random.default_rng(2))
    assert [json.dumps(task["view"], sort_keys=True) for task in read.guest.taken] == 2 * views


def test_a_manager_tries_real_tasks_and_leaves_nothing_behind(read):
    shown = {identify(one) for reader in read.people for pictures in reader.pictures.values() for one in pictures}
    tried = read.manager.pictures
    assert len(tried) == len(read.manager.taken) == 2
    assert {identify(one) for pictures in tried.values() for one in pictures} <= shown
    # What others get is theirs alone: neither a guest nor an annotator can use what was signed for the manager.
    for reader in (read.guest, read.workers[0]):
        for task in read.manager.taken:
            assert {reader.visitor.get(path).status_code for path in task["images"]} == {404}
            sent = {"client_id": "client-other", "assignment_id": task["id"], "answer": {"mask": "0"}}
            assert reader.visitor.post("/api/answers", sent).status_code == 404
    number = read.served.manager.annotator.id
    with read.served.study.read() as reading:
        for table in ("assignments", "responses", "consents"):
            query = f"SELECT count(*) FROM {table} WHERE annotator_id = {number}"  # noqa: S608
            assert reading.connection.exec_driver_sql(query).scalar() == 0


def test_no_word_tells_what_a_task_is_there_for(read):
    words = re.compile(rb"control|repeat|surplus|\bseed\b|test_set|dataset|negative|source_id|asked\.csv|\.png")
    for reader in (*read.people, read.guest):
        for one in reader.exchanges:
            if one.route == "/api/classes/index/{digest}":
                # A dictionary, which has such words and is the same for every study with these classes.
                assert one.body == make_finder_file(read.served.study.taxonomy).content
            elif one.route not in {"/api/answers", "/images/{assignment_id}/{cell}"}:
                assert words.findall(one.body) == [], (one.method, one.route)


def test_every_address_that_annotators_can_ask_is_read(read):
    known = {(one.method, one.route) for reader in read.people for one in reader.exchanges}
    wanted = {rule for rule, whose in RULES.items() if whose != MANAGER and not OF_OTHERS.search(rule[1])}
    assert wanted - known == {("DELETE", "/api/session")}
    assert ("GET", "/") in wanted
    assert RULES["GET", "/"] == EVERYBODY


def test_the_page_says_what_each_role_gets(grids, labels):
    made = "".join(
        f"{line}\n"
        for role, readers in {
            "guest": (grids.guest, labels.guest),
            "annotator": (*grids.people, *labels.people),
        }.items()
        for line in describe_role(role, readers)
    )
    if os.environ.get(RENEW):
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
        PAGE.write_text(f"{before}{BEGIN}{made}{END}{rest.partition(END)[2]}", encoding="utf-8")
    page = PAGE.read_text(encoding="utf-8")
    assert f"{BEGIN}{made}{END}" in page, f"docs/security.md is not up to date; run this test with {RENEW}=1"


def describe_role(role: str, readers: tuple[Reader, ...]) -> list[str]:
    """What a role got: pages and pictures by their addresses, and every field of every reply in JSON."""
    told: dict[str, set[str]] = {}
    for one in (exchange for reader in readers for exchange in reader.exchanges if exchange.status == 200):
        told.setdefault(f"`{one.method} {one.route}`", set()).update(list_fields(one))
    shown = ", ".join(route for route, fields in sorted(told.items()) if not fields and "/api/" not in route)
    replies = [
        f"- {role}, {route}: {', '.join(sorted(fields)) or 'nothing'}"
        for route, fields in sorted(told.items())
        if "/api/" in route
    ]
    return [f"- {role}, pages and pictures: {shown}", *replies]
