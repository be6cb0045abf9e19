"""What tests of the manager's pages share: a form as a browser sends it, and campaigns with answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.server.served_study import Reply, Served, Visitor, make_body

FORM = {
    "kind": "contains",
    "name": "new one",
    "test_set": "pictures",
    "source": "labels",
    "preset": "recht2019",
    "n_annotators": "3",
    "n_cells": "8",
    "n_positive": "2",
    "n_negative": "2",
    "controls": "",
    "lease_minutes": "30",
    "seed": "0",
    "per_task": "",
    "currency": "USD",
    "minimum_hourly": "",
    "fee": "0",
    "repeats": "0",
    "break_minutes": "0",
}
"""What the page sends when only the name was typed and grids were made smaller."""
CLASSIFY = {**FORM, "kind": "classify", "source": "file"}


def fill_in(manager: Visitor, form: Mapping[str, str] = FORM, /, *, table: str | bytes = b"", **changes: str) -> Reply:
    """Send the form of a new campaign."""
    fields = {name: (None, value) for name, value in {**form, **changes}.items()}
    return manager.ask("POST", "/api/manage/campaigns", files={**fields, "table": ("table.csv", table, "text/csv")})


def answer_all(served: Served, *, masks: Mapping[int, str] | None = None) -> int:
    """Everybody answers as long as there are tasks; returns how many answers came."""
    n = 0
    for number, who in enumerate(served.people):
        visitor = served.enter(who)
        while tasks := visitor.take(served.campaign, 2):
            for task in tasks:
                reply = visitor.post("/api/answers", make_body(task, answer={"mask": (masks or {}).get(number, "5")}))
                assert reply.status_code == 200, reply.text
                n += 1
    return n


def get_log(manager: Visitor) -> str:
    """The page of what happened."""
    reply = manager.get("/manage/log")
    assert reply.status_code == 200
    text: Any = reply.text
    return str(text)
