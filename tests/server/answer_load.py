"""People who answer without a pause, over HTTP, and remember what was acknowledged."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import httpx
from sqlalchemy import select
from tests.waits import PATIENCE, wait_for

from regauge.records.campaigns.campaign import CampaignEntry
from regauge.records.responses.submissions import MAX_REVISIONS
from regauge.storage.database.schema import responses
from regauge.workflows.people.invitations import Invitation
from regauge.workflows.studies.study import Study


@dataclass(slots=True, eq=False)
class Load:
    """What came of it.

    Attributes:
        acknowledged: the ids of answers that are on disk by the word of the server, in order.
        failures: statuses other than 200, and the kinds of errors.
    """

    acknowledged: list[str] = field(default_factory=list)
    failures: list[int | type[Exception]] = field(default_factory=list)
    has_ended: threading.Event = field(default_factory=threading.Event)

    def wait(self, n: int) -> None:
        """Until so many answers are acknowledged."""
        wait_for(lambda: len(self.acknowledged) >= n, f"answer {n}")

    def wait_for_failures(self, n: int) -> None:
        """Until so many people were refused."""
        wait_for(lambda: len(self.failures) >= n, f"refusal {n}")


@contextmanager
def put_to_work(address: str, campaign: CampaignEntry, people: Sequence[Invitation]) -> Iterator[Load]:
    """Everybody at once, each changing the answer to a task as often as one may, until they are refused or the block ends."""
    load = Load()
    threads = [threading.Thread(target=_work, args=(address, campaign, one.token, load)) for one in people]
    for thread in threads:
        thread.start()
    try:
        yield load
    finally:
        load.has_ended.set()
        for thread in threads:
            thread.join()


def _work(address: str, campaign: CampaignEntry, token: str, load: Load) -> None:
    try:
        with httpx.Client(base_url=address, timeout=PATIENCE) as client:
            client.headers["X-CSRF-Token"] = client.post("/api/session", json={"token": token}).json()["csrf"]
            task: dict[str, str] = {}
            for number in itertools.count():
                revision = number % (MAX_REVISIONS + 1)
                if not revision:
                    (task,) = client.post(f"/api/campaigns/{campaign.id}/tasks", json={"n": 1}).json()
                if load.has_ended.is_set():
                    return
                name = f"client-{token[:8]}-{number}"
                body = {"client_id": name, "assignment_id": task["id"], "answer": {"mask": "5"}, "revision": revision}
                while (reply := client.post("/api/answers", json=body)).status_code == 429:
                    time.sleep(int(reply.headers["retry-after"]))
                if reply.status_code != 200:
                    load.failures.append(reply.status_code)
                    return
                load.acknowledged.append(name)
    except Exception as error:  # noqa: BLE001 - whatever it was, it is told
        load.failures.append(type(error))


def list_stored(study: Study) -> set[str]:
    """The ids of all answers that are stored."""
    with study.read() as reading:
        return set(reading.connection.scalars(select(responses.c.client_id)))
