"""A served campaign that takes people from platforms, for tests of its doors."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tests.server.served_study import Reply, Served, Visitor, make_body
from tests.workflows.platform_visitors import ASSIGNMENT, PID, SESSION, WORKER

from regauge.records.campaigns.campaign import CampaignEntry
from regauge.storage.people.visits import list_visits

STUDY_ID = "64b7f0c2a91e5d3f8c6b2a10"
SUBMIT_TO = "https://workersandbox.mturk.com"
HTML = {"Accept": "text/html"}


@dataclass(frozen=True, slots=True, eq=False)
class Doors:
    """A served campaign that takes people from both platforms, two tasks each."""

    served: Served
    campaign: CampaignEntry

    def open_prolific(self, who: Visitor | None = None, **parameters: str) -> Reply:
        return (who or self.served.nobody).get(f"/p/{self.campaign.id}", params=parameters, headers=HTML)

    def come_from_prolific(self, pid: str = PID) -> Visitor:
        reply = self.open_prolific(PROLIFIC_PID=pid, STUDY_ID="s", SESSION_ID=SESSION)
        assert reply.status_code == 303, reply.text
        cookie = {"Cookie": reply.headers["set-cookie"].split(";")[0]}
        csrf = Visitor(self.served.client, cookie).get("/api/session").json()["csrf"]
        return self._agree(Visitor(self.served.client, {**cookie, "X-CSRF-Token": csrf}))

    def open_frame(self, **parameters: str) -> Reply:
        sent = {"assignmentId": ASSIGNMENT, "hitId": "H1", "workerId": WORKER, "turkSubmitTo": SUBMIT_TO, **parameters}
        return self.served.nobody.get(f"/m/{self.campaign.id}", params=sent, headers=HTML)

    def come_from_mturk(self, **parameters: str) -> Visitor:
        reply = self.open_frame(**parameters)
        assert reply.status_code == 200, reply.text
        assert "set-cookie" not in reply.headers
        (token,) = re.findall(r'data-token="([^"]+)"', reply.text)
        return self._agree(Visitor(self.served.client, {"Authorization": f"Bearer {token}"}))

    def ask(self, who: Visitor, what: str) -> Reply:
        return who.post(f"/api/campaigns/{self.campaign.id}/{what}")

    def work(self, who: Visitor) -> int:
        n = 0
        while tasks := who.take(self.campaign):
            assert who.post("/api/answers", make_body(tasks[0])).status_code == 200
            n += 1
        return n

    def _agree(self, who: Visitor) -> Visitor:
        assert who.post(f"/api/campaigns/{self.campaign.id}/consent", {"version": 1}).status_code == 204
        return who

    def count_visits(self) -> int:
        with self.served.study.read() as reading:
            return len(list_visits(reading, self.campaign))
