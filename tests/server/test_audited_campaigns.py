"""What a whole review tells: everything that annotators get is read for whatever goes with an image being of an audit."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.server.exchanges import Read, Reader, drop_length, find_shape, find_telling, read_campaign

from regauge.records.campaigns.campaign import Kind
from regauge.storage.campaigns.ledgers import load_image_ids


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("audited")


@pytest.fixture(scope="module")
def read(folder: Path) -> Iterator[Read]:
    with read_campaign(folder, Kind("review")) as found:
        yield found


def find_audited(read: Read, folder: Path) -> dict[str, bool]:
    """Per assignment, whether its image is of the audit, which nobody is told."""
    audited = set(json.loads((folder / "audit.json").read_text())["image_ids"])
    with read.served.study.read() as reading:
        ids = load_image_ids(reading, read.campaign)
    return {one: str(ids[payload["images"][0]]) in audited for one, (payload, _) in read.truth.items()}


def describe(reader: Reader, number: int) -> dict[str, Any]:
    """All that an annotator can know of a task but what is in its image and what its labels mean."""
    task = reader.taken[number]
    view, again = task["view"], reader.shown_again[task["id"]]
    receipt, (picture,) = reader.receipts[task["id"]], reader.pictures[task["id"]]
    return {
        "number of the task": number,
        "place at hand": task["place"],
        "id": int(task["id"][:8], 16),
        "fields": (tuple(sorted(task)), tuple(sorted(view)), task["revision"], task["answer"]),
        "fields of labels": tuple(sorted({tuple(sorted(one)) for one in view["items"]})),
        "number of labels": len(view["items"]),
        "labels": sum(one["class"] for one in view["items"]) / len(view["items"]),
        "what is known": json.dumps(view["known"]),
        "address": len(task["images"][0]),
        "length": len(picture.body),
        "status and headers": (picture.status, drop_length(picture.headers)),
        "shape": find_shape(picture.body),
        "shown again": (tuple(sorted(again)), again["view"] == view, again["images"] == task["images"]),
        "receipt": (receipt.status, receipt.headers, receipt.body),
        "counted": reader.n_done[number] - number,
    }


def list_tasks(read: Read, folder: Path, reader: Reader) -> tuple[dict[str, list[Any]], list[bool]]:
    """What one annotator can know; another gets the same images, so that both together would count them twice."""
    audited = find_audited(read, folder)
    features: dict[str, list[Any]] = {}
    for number in range(len(reader.taken)):
        for name, value in describe(reader, number).items():
            features.setdefault(name, []).append(value)
    return features, [audited[task["id"]] for task in reader.taken]


def test_nothing_about_a_task_tells_that_its_image_is_of_the_audit(read: Read, folder: Path) -> None:
    for reader in read.workers:
        features, truth = list_tasks(read, folder, reader)
        assert 35 < sum(truth) <= 40
        # Where most images have several labels, those of the audit do, though only one of them is open.
        assert set(features["number of labels"]) == {2, 3}
        assert find_telling(features, truth) == {}


def test_the_reading_finds_an_audit_that_comes_first_or_has_one_label(read: Read, folder: Path) -> None:
    features, truth = list_tasks(read, folder, read.workers[0])
    told: dict[str, list[Any]] = {
        "number of labels": [1 if one else n for one, n in zip(truth, features["number of labels"], strict=True)],
        "number of the task": [n - 60 * one for one, n in zip(truth, features["number of the task"], strict=True)],
    }
    assert set(find_telling({**features, **told}, truth)) == set(told)


def test_no_route_of_an_annotator_has_a_word_of_plan_or_audit(read: Read) -> None:
    routes = {one.route for reader in read.people for one in reader.exchanges}
    assert {"/api/me", "/api/campaigns/{campaign_id}/tasks", "/api/campaigns/{campaign_id}/previous"} <= routes
    digests = [one["digest"] for one in (read.campaign.plan.settings[name] for name in ("plan", "audit"))]
    for reader in (*read.people, read.guest):
        for one in reader.exchanges:
            if one.route.startswith(("/api/campaigns", "/api/me", "/api/answers", "/campaigns", "/me")):
                text = one.body.decode(errors="replace")
                assert "audit" not in text.lower()
                assert '"priority"' not in text
                assert not any(digest in text for digest in digests)
