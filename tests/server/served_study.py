"""A served study for tests: everybody's session, and requests in their names."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI
from starlette.testclient import TestClient
from tests.workflows.campaign_studies import add_contains, add_people, make_pictured

from regauge.records.campaigns.campaign import CampaignEntry, Role
from regauge.server.app import create_app
from regauge.server.state import ServerSettings
from regauge.workflows.people.invitations import Invitation, renew_link
from regauge.workflows.studies.study import Study

Reply = Any
"""What httpx gives."""


@dataclass(frozen=True, slots=True, eq=False)
class Visitor:
    """Somebody with a browser: sends their cookie, and with changes the token of their pages."""

    client: TestClient
    headers: Mapping[str, str]

    def get(self, path: str, **more: Any) -> Reply:
        return self.ask("GET", path, **more)

    def post(self, path: str, json: object = None, **more: Any) -> Reply:
        return self.ask("POST", path, json=json, **more)

    def ask(self, method: str, path: str, *, headers: Mapping[str, str] | None = None, **more: Any) -> Reply:
        sent = {**self.headers, **(headers or {})}
        reply = self.client.request(method, path, headers=sent, follow_redirects=False, **more)
        self.client.cookies.clear()
        return reply

    def take(self, campaign: CampaignEntry, n: int = 1) -> list[dict[str, Any]]:
        reply = self.post(f"/api/campaigns/{campaign.id}/tasks", {"n": n})
        assert reply.status_code == 200, reply.text
        found: list[dict[str, Any]] = reply.json()
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Served:
    """A study being served, a campaign in it, and people."""

    study: Study
    app: FastAPI
    client: TestClient
    campaign: CampaignEntry
    people: tuple[Invitation, ...]
    manager: Invitation

    @property
    def nobody(self) -> Visitor:
        return Visitor(self.client, {})

    def enter(self, who: Invitation) -> Visitor:
        """Somebody comes in by their link."""
        return self._begin("/api/session", {"token": who.token})

    def enter_as_guest(self) -> Visitor:
        return self._begin("/api/guest", None)

    def _begin(self, path: str, body: object) -> Visitor:
        reply = self.nobody.post(path, body)
        assert reply.status_code == 200, reply.text
        cookie = reply.headers["set-cookie"].split(";")[0]
        return Visitor(self.client, {"Cookie": cookie, "X-CSRF-Token": reply.json()["csrf"]})


@contextmanager
def serve_pictured(
    folder: Path, *, database: str = "", settings: ServerSettings | None = None, seed: int = 0
) -> Iterator[Served]:
    """A server with a campaign of grids, three people who have agreed to its text, and guests."""
    with make_pictured(folder, database=database, seed=seed) as study:
        campaign = add_contains(study, quota=3)
        people = add_people(study, campaign, 3)
        with study.begin() as begun:
            manager = renew_link(begun, "manager", role=Role.MANAGER)
        app = create_app(study, settings or ServerSettings(has_guests=True))
        with TestClient(app, raise_server_exceptions=False) as client:
            yield Served(study, app, client, campaign, people, manager)


@contextmanager
def listen(app: FastAPI, **more: Any) -> Iterator[str]:
    """The application behind a real server on a port of its own; gives the address."""
    config = uvicorn.Config(app, port=0, log_config=None, server_header=False, **more)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive(), "the server did not start"
            time.sleep(0.01)
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


def make_body(task: Mapping[str, Any], **more: object) -> dict[str, Any]:
    """An answer as a page sends it."""
    return {"client_id": f"client-{task['id']}", "assignment_id": task["id"], "answer": {"mask": "5"}, **more}
