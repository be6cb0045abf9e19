"""The real server process: starting, stopping, dying, and what it writes down."""

from __future__ import annotations

import logging
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from scripts.soak_server import find_workers
from tests.server.served_study import listen, serve_pictured
from tests.waits import PATIENCE, wait_for
from tests.warm_programs import WarmServer, start_server
from tests.workflows.campaign_studies import add_contains, add_people, make_pictured
from tests.workflows.conftest import postgres, postgres_database  # noqa: F401 - fixtures

from regauge.errors import InputError, StorageError
from regauge.server.app import create_app
from regauge.server.running import ServeOptions, serve
from regauge.workflows.studies.study import reserve_serving


def find_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def is_up(port: int) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/api/session", timeout=PATIENCE).status_code == 401
    except httpx.HTTPError:
        return False


@contextmanager
def start(folder: Path, *words: str) -> Iterator[tuple[WarmServer, int]]:
    """`regauge serve` in a process of its own."""
    port = find_port()
    process = start_server("serve", "--port", str(port), "--study", str(folder), *words)
    try:
        wait_for(lambda: is_up(port) or process.poll() is not None)
        yield process, port
    finally:
        process.end()


@contextmanager
def start_cold(folder: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """The same as somebody who types it starts it."""
    port = find_port()
    program = [sys.executable, "-m", "regauge", "serve", "--port", str(port), "--study", str(folder)]
    with subprocess.Popen(
        program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        try:
            wait_for(lambda: is_up(port) or process.poll() is not None)
            yield process, port
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with make_pictured(tmp_path) as study:
        add_people(study, add_contains(study), 1)
        return study.paths.folder


def test_the_command_prints_a_link_that_lets_the_manager_in_and_ends_when_asked(folder: Path) -> None:
    with start_cold(folder) as (process, port):
        process.terminate()
        out, err = process.communicate(timeout=PATIENCE)
        assert process.returncode in {0, -signal.SIGTERM}
    assert f"http://127.0.0.1:{port}/join#" in out
    assert err == ""
    link = out.split("/join#")[1].split()[0]
    with start(folder) as (second, port):
        body = {"token": link}
        assert httpx.post(f"http://127.0.0.1:{port}/api/session", json=body, timeout=PATIENCE).status_code == 403
        second.terminate()
        again = second.communicate(timeout=PATIENCE)[0].split("/join#")[1].split()[0]
    assert again != link


def test_bodies_in_pieces_are_refused_when_they_grow_too_long(folder: Path) -> None:
    with start(folder) as (_, port):
        for path in ("/api/session", "/api/answers"):
            reply = httpx.post(
                f"http://127.0.0.1:{port}{path}",
                content=(b" " * 8_192 for _ in range(64)),
                headers={"Content-Type": "application/json"},
                timeout=PATIENCE,
            )
            # Whoever has no session is refused before anything is read.
            assert reply.status_code == (413 if path == "/api/session" else 401)
            assert "content-security-policy" in reply.headers
        assert is_up(port)


def test_a_study_on_sqlite_is_served_by_one_process(tmp_path: Path) -> None:
    with make_pictured(tmp_path) as study, reserve_serving(study):
        with pytest.raises(StorageError, match="being served already"):
            serve(study, ServeOptions(port=0), announce=print)
        with pytest.raises(InputError, match="Several processes need PostgreSQL"):
            serve(study, ServeOptions(port=0, n_workers=2), announce=print)


def test_a_port_that_is_taken_is_refused_in_words(tmp_path: Path) -> None:
    with make_pictured(tmp_path) as study, socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(InputError, match="Name another with `port=…`"):
            serve(study, ServeOptions(port=taken.getsockname()[1]), announce=print)


def is_alive(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False


def test_workers_are_replaced_and_end_with_their_parent(tmp_path: Path, postgres_database: str) -> None:  # noqa: F811
    with make_pictured(tmp_path, database=postgres_database) as study:
        place = study.paths.folder
    with start(place, "--workers", "2") as (process, port):
        wait_for(lambda: len(find_workers(process.pid)) == 2)
        first = find_workers(process.pid)[0]
        os.kill(first, signal.SIGKILL)
        wait_for(lambda: first not in find_workers(process.pid) and len(find_workers(process.pid)) == 2)
        wait_for(lambda: is_up(port))
        workers = find_workers(process.pid)
        process.kill()
        wait_for(lambda: not any(is_alive(one) for one in workers))


def _work(address: str, token: str) -> tuple[httpx.Response, str, str]:
    """Come in and hand something in; gives the reply to the link, and the secrets of the session."""
    with httpx.Client(base_url=address, timeout=PATIENCE) as client:
        reply = client.post("/api/session", json={"token": token})
        csrf: str = reply.json()["csrf"]
        body = {"client_id": "client-1", "assignment_id": "0" * 32, "answer": {"mask": "1"}}
        assert client.post("/api/answers", json=body, headers={"X-CSRF-Token": csrf}).status_code == 404
        assert client.post("/api/session", json={"token": [token]}).status_code == 422
        return reply, csrf, next(iter(client.cookies.values()))


def test_links_and_cookies_are_never_written_down(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with (
        serve_pictured(tmp_path) as served,
        caplog.at_level(logging.DEBUG),
        listen(create_app(served.study), log_level="debug", access_log=True) as address,
    ):
        token = served.people[0].token
        reply, csrf, cookie = _work(address, token)
    # What the client of this test writes down is its own affair.
    written = "\n".join(one.getMessage() for one in caplog.records if not one.name.startswith("http"))
    assert "/api/session" in written
    for secret in (token, csrf, cookie):
        assert secret not in written
    assert token not in reply.text + str(reply.headers) + str(reply.url)


def test_a_database_that_fails_is_told_without_its_folder(tmp_path: Path) -> None:
    with serve_pictured(tmp_path) as served:
        visitor = served.enter(served.people[0])
        (task,) = visitor.take(served.campaign)
        with served.study.begin() as begun:
            begun.connection.exec_driver_sql("ALTER TABLE responses RENAME TO elsewhere")
        body = {"client_id": "client-1", "assignment_id": task["id"], "answer": {"mask": "1"}}
        reply = visitor.post("/api/answers", body)
        assert reply.status_code == 503
        assert reply.headers["retry-after"] == "1"
        assert str(tmp_path) not in reply.text
        with served.study.begin() as begun:
            begun.connection.exec_driver_sql("ALTER TABLE elsewhere RENAME TO responses")
        assert visitor.post("/api/answers", body).json() == {"status": "stored"}
