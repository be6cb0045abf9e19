"""Two people edit one entry of the guide while the server is killed again and again: nothing is lost, and nothing is doubled."""

from __future__ import annotations

import signal
import threading
from collections import Counter
from functools import partial
from pathlib import Path

import httpx
from tests.browser.server_process import Served, make_served_study, open_served
from tests.waits import PATIENCE, wait_for

from regauge.records.guide.entries import GuideTopic
from regauge.workflows.guide.entries import get_entry, list_history

TOPIC = GuideTopic(2)
N_KILLS = 4
N_LINES = 12


class Editor(threading.Thread):
    """Adds one line after the other to an entry, as a page would: the same save again until there is an answer, and on top of
    what stands now where somebody else was faster.
    """

    def __init__(self, name: str, served: Served, *, headers: dict[str, str]) -> None:
        super().__init__(daemon=True)
        self.lines = [f"{name} {number}" for number in range(N_LINES)]
        self.n_saved = self.n_conflicts = self.n_retries = 0
        self._served, self._headers = served, headers
        self._text, self._version = "", 0

    def run(self) -> None:
        for line in self.lines:
            number = 0
            while not self._add(line, f"{line.replace(' ', '-')}-{number:04d}"):
                number += 1
            self.n_saved += 1

    def _add(self, line: str, client_id: str) -> bool:
        """Save the entry with one more line; False where somebody else was faster, whose text is then at hand."""
        text = f"{self._text}\n{line}".strip()
        body = {"classes": [2], "text": text, "edited": self._version, "client_id": client_id}
        reply = self._insist(body)
        if reply.status_code == 409:
            self.n_conflicts += 1
            current = reply.json()["current"]
            self._text, self._version = current["text"], current["version"]
            return False
        assert reply.status_code == 200, reply.text
        self._text, self._version = text, reply.json()["version"]
        return True

    def _insist(self, body: dict[str, object]) -> httpx.Response:
        pause = threading.Event()
        while True:
            try:
                address = f"{self._served.address}/api/manage/guide/entries"
                reply = httpx.post(address, json=body, headers=self._headers, timeout=PATIENCE)
                if reply.status_code < 500:
                    return reply
            except httpx.TransportError:
                pass
            self.n_retries += 1
            pause.wait(0.02)


def has_saved(editors: list[Editor], n: int) -> bool:
    return sum(one.n_saved for one in editors) >= n


def come_in(served: Served) -> dict[str, str]:
    token = served.manager_link.split("#")[1]
    reply = httpx.post(f"{served.address}/api/session", json={"token": token}, timeout=PATIENCE)
    return {"Cookie": reply.headers["set-cookie"].split(";")[0], "X-CSRF-Token": reply.json()["csrf"]}


def test_two_editors_lose_nothing_when_the_server_is_killed_while_they_save(tmp_path: Path) -> None:
    served = Served(make_served_study(tmp_path))
    served.start()
    try:
        headers = come_in(served)
        editors = [Editor(name, served, headers=headers) for name in ("ann", "bob")]
        for editor in editors:
            editor.start()
        for number in range(1, N_KILLS + 1):
            enough = number * N_LINES * 2 // (N_KILLS + 2)
            wait_for(partial(has_saved, editors, enough), "a save")
            served.end(signal.SIGKILL)
            served.start()
        for editor in editors:
            editor.join(PATIENCE)
    finally:
        served.end(signal.SIGKILL)
    assert [editor.n_saved for editor in editors] == [N_LINES, N_LINES]
    # They did meet each other, and a server that was gone.
    assert sum(editor.n_conflicts for editor in editors) > 0
    assert sum(editor.n_retries for editor in editors) > 0
    with open_served(served.folder) as study, study.read() as reading:
        text, history = get_entry(reading, TOPIC).text, list_history(reading, TOPIC)
    assert Counter(text.split("\n")) == {line: 1 for editor in editors for line in editor.lines}
    # Every version was made of the one before it: nobody has overwritten anybody.
    versions = [one.version for one in reversed(history)]
    assert [one.edited for one in reversed(history)] == [0, *versions[:-1]]
    assert len(versions) == 2 * N_LINES
