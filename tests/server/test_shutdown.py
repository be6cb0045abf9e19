"""A server that is asked to end while people work: nothing that was acknowledged is lost, and nobody waits in silence."""

from __future__ import annotations

import contextlib
import json
import socket
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest
from tests.server.answer_load import Load, list_stored, put_to_work
from tests.server.test_running import start
from tests.waits import PATIENCE, wait_for
from tests.warm_programs import WarmServer
from tests.workflows.campaign_studies import add_contains, add_people, get_clock, make_pictured
from tests.workflows.conftest import postgres, postgres_database  # noqa: F401 - fixtures

from regauge.workflows.people.access import end_sessions

N_PEOPLE = 12
N_FIRST = 100


def check_told(load: Load) -> None:
    """Everybody was told: by 503, or by a connection that was closed or refused; nobody by nothing at all."""
    assert len(load.failures) == N_PEOPLE
    for failure in load.failures:
        is_closed = isinstance(failure, type) and issubclass(failure, httpx.NetworkError | httpx.RemoteProtocolError)
        assert failure == 503 or is_closed, failure


def end(process: WarmServer, port: int) -> tuple[str, str]:
    """Ask a server to end while others try to come in; gives what it wrote to either stream."""
    process.terminate()

    def has_ended() -> bool:
        with contextlib.suppress(httpx.NetworkError, httpx.RemoteProtocolError):
            # Whoever comes too late must not wait for a reply that never comes.
            assert httpx.get(f"http://127.0.0.1:{port}/healthz", timeout=PATIENCE).status_code in {200, 503}
        return process.poll() is not None

    wait_for(has_ended, "the end")
    return process.communicate()


@pytest.mark.parametrize("words", [[], ["--log", "json"]])
def test_what_was_acknowledged_is_there_after_sigterm_under_load(tmp_path: Path, words: list[str]) -> None:
    with make_pictured(tmp_path) as study:
        campaign = add_contains(study, quota=2 * N_PEOPLE)
        people = add_people(study, campaign, N_PEOPLE)
        with start(study.paths.folder, *words) as (process, port):
            with put_to_work(f"http://127.0.0.1:{port}", campaign, people) as load:
                load.wait(N_FIRST)
                out, err = end(process, port)
                load.wait_for_failures(N_PEOPLE)
            assert process.returncode == 0
        check_told(load)
        assert set(load.acknowledged) <= list_stored(study)
    assert ("/join#" in out) is not bool(words)
    lines = [json.loads(line) for line in err.splitlines()]
    assert [line["event"] for line in lines if line["event"] != "request"] == (["start", "stop"] if words else [])


def test_several_processes_all_know_whose_sessions_were_ended(tmp_path: Path, postgres_database: str) -> None:  # noqa: F811
    with make_pictured(tmp_path, database=postgres_database) as study:
        (who,) = add_people(study, add_contains(study), 1)
        with start(study.paths.folder, "--workers", "2") as (_, port):
            address = f"http://127.0.0.1:{port}/api/session"
            cookies = httpx.post(address, json={"token": who.token}, timeout=PATIENCE).cookies
            # The clock of these tests stands still; the server's is that of the machine.
            get_clock(study).moment = datetime.now(UTC)
            with study.begin() as begun:
                end_sessions(begun, who.annotator.name)

            def look() -> int:
                return httpx.get(address, cookies=cookies, timeout=PATIENCE).status_code

            # Every request is a connection of its own, which any process may take.
            wait_for(lambda: all(look() == 401 for _ in range(20)))


@contextlib.contextmanager
def dawdle(port: int) -> Iterator[None]:
    """Somebody who has sent the first half of a request, and keeps the server waiting for the other."""
    head = ("POST /api/session HTTP/1.1", "Host: here", "Content-Type: application/json", "Content-Length: 99")
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as slow:
        slow.sendall("\r\n".join([*head, "Expect: 100-continue", "", ""]).encode())
        # One of the processes has taken it: what only waits in line is dropped with the line.
        assert slow.recv(1_024).startswith(b"HTTP/1.1 100 ")
        slow.sendall(b"{")
        yield


def is_refused(port: int) -> bool:
    """Whether nobody listens any more."""
    try:
        socket.create_connection(("127.0.0.1", port), timeout=PATIENCE).close()
    except ConnectionRefusedError:
        return True
    return False


@pytest.mark.parametrize("n_workers", [1, 2])
def test_while_a_server_ends_those_who_come_are_refused_at_once(
    tmp_path: Path,
    postgres_database: str,  # noqa: F811
    n_workers: int,
) -> None:
    with make_pictured(tmp_path, database=postgres_database) as study:
        folder = study.paths.folder
    with start(folder, "--workers", str(n_workers)) as (process, port):
        with dawdle(port):
            process.terminate()
            # It waits for the slow one. Were the port still open, connections would queue up that nobody answers.
            wait_for(lambda: is_refused(port) or process.poll() is not None)
            assert process.poll() is None
        assert process.wait(timeout=PATIENCE) == 0


def test_several_processes_lose_nothing_either(tmp_path: Path, postgres_database: str) -> None:  # noqa: F811
    with make_pictured(tmp_path, database=postgres_database) as study:
        campaign = add_contains(study, quota=2 * N_PEOPLE)
        people = add_people(study, campaign, N_PEOPLE)
        with start(study.paths.folder, "--workers", "2") as (process, port):
            with put_to_work(f"http://127.0.0.1:{port}", campaign, people) as load:
                load.wait(N_FIRST)
                end(process, port)
                load.wait_for_failures(N_PEOPLE)
            assert process.returncode == 0
        check_told(load)
        assert set(load.acknowledged) <= list_stored(study)
