"""How long a manager waits for each page of a study of 100,000 images and a million answers, over HTTP."""

from __future__ import annotations

import http.client
import json
import statistics
import time
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus

from tests.browser.server_process import Served

from benchmarks.bench_live import Crowd, make_crowd
from benchmarks.harness import Workload, format_table
from regauge.records.campaigns.campaign import Kind

N_ROUNDS = 10
N_NEW = 100
LIMIT = 200.0
PAGES = {
    "studies at a glance": "/manage",
    "campaign": "/manage/campaigns/1",
    "what the campaign page asks for while it is open": "/api/manage/campaigns/1/pulse",
    "annotators": "/manage/campaigns/1/annotators",
    "annotators by speed, a page in the middle": "/manage/campaigns/1/annotators?order=seconds&page=10",
    "annotators with flags": "/manage/campaigns/1/annotators?show=flagged",
    "what dropping an annotator does": "/api/manage/campaigns/1/annotators/77/effect",
    "images, most disputed first": "/manage/campaigns/1/images",
    "one image with all answers": "/manage/campaigns/1/images/55555",
    "labels": "/manage/campaigns/1/labels",
    "log": "/manage/log",
    "people": "/manage/people",
}


@dataclass(frozen=True, slots=True)
class Manager:
    """Somebody who looks at the manager's pages."""

    host: str
    headers: Mapping[str, str]

    @classmethod
    def enter(cls, served: Served) -> Manager:
        """Come in by the manager's link."""
        host = served.address.split("//")[1]
        body = json.dumps({"token": served.manager_link.split("#")[1]})
        cookie = _ask(host, "POST", "/api/session", body, {"content-type": "application/json"})
        return cls(host, {"cookie": cookie.split(";")[0], "accept": "text/html,application/json"})

    def time(self, path: str) -> float:
        """Milliseconds until all of a page is there."""
        begun = time.perf_counter()
        _ask(self.host, "GET", path, None, self.headers)
        return 1_000 * (time.perf_counter() - begun)


def _ask(host: str, method: str, path: str, body: str | None, headers: Mapping[str, str]) -> str:
    """Send a request and read all of the reply; returns the cookie that came with it."""
    connection = http.client.HTTPConnection(host)
    try:
        connection.request(method, path, body=body, headers=dict(headers))
        reply = connection.getresponse()
        reply.read()
        if reply.status != HTTPStatus.OK:
            raise RuntimeError(f"{path}: {reply.status}")
        return reply.getheader("set-cookie") or ""
    finally:
        connection.close()


def measure(crowd: Crowd, manager: Manager) -> list[tuple[str, ...]]:
    """Per page, how long it took when answers had just come in, and again at once."""
    rows = []
    for what, path in PAGES.items():
        manager.time(path)
        fresh, again = [], []
        for _ in range(N_ROUNDS):
            crowd.send(N_NEW)
            fresh.append(manager.time(path))
            again.append(manager.time(path))
        rows.append(
            (what, *(f"{one:.0f} ms" for one in (statistics.median(fresh), max(fresh), statistics.median(again))))
        )
    return rows


def run() -> Workload:
    with make_crowd(Kind("classify"), n_left=(len(PAGES) * N_ROUNDS + 1) * N_NEW) as crowd:
        served = Served(crowd.study.paths.folder)
        served.start()
        try:
            rows = measure(crowd, Manager.enter(served))
        finally:
            served.end()
        n_tasks, n_sent = crowd.campaign.n_tasks, crowd.n_sent
    head = ("page", "median", "worst", "median, nothing new")
    return Workload(
        "Manager's pages",
        f"{n_tasks:,} images and {n_sent:,} answers; {N_NEW} answers came in before each look, {N_ROUNDS} looks at each page. "
        f"Every page is to be there within {LIMIT:.0f} ms.",
        (format_table(head, rows),),
    )


if __name__ == "__main__":
    print(run().to_markdown())
