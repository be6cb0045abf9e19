"""Several real processes: what ends in one has ended in all, before anybody is told."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest
from scripts.soak_server import find_workers
from sqlalchemy import create_engine, make_url, text
from tests.server.test_running import start
from tests.waits import PATIENCE, wait_for
from tests.workflows.campaign_studies import add_contains, add_people, make_pictured
from tests.workflows.conftest import postgres, postgres_database  # noqa: F401 - fixtures

from regauge.cli.main import cli
from regauge.storage.people.sessions import SERVER, has_servers_elsewhere
from regauge.workflows.people.access import KNOWN_SECONDS, wait_for_servers
from regauge.workflows.people.invitations import Invitation

N_CONNECTIONS = 24
N_PEOPLE = 5
TOKEN = "a-token-of-some-length"  # noqa: S105 - of these tests


class Crowd:
    """Connections to a server, which are with several of its processes."""

    def __init__(self, clients: list[httpx.Client]) -> None:
        self.clients = clients

    def enter(self, who: Invitation) -> dict[str, str]:
        # Whoever is here as somebody else would be asked to leave first.
        self.clients[0].cookies.clear()
        reply = self.clients[0].post("/api/session", json={"token": who.token})
        cookie = reply.headers["set-cookie"].split(";")[0]
        return {"Cookie": cookie, "X-CSRF-Token": reply.json()["csrf"]}

    def look(self, headers: dict[str, str]) -> set[int]:
        """What all connections say to a session."""
        found = set()
        for client in self.clients:
            client.cookies.clear()
            found.add(client.get("/api/session", headers=headers).status_code)
        return found

    def count_processes(self) -> int:
        headers = {"Authorization": f"Bearer {TOKEN}"}
        texts = [client.get("/metrics", headers=headers).text for client in self.clients]
        return len({re.findall(r'process="(\d+)"', one)[0] for one in texts})


@contextmanager
def gather(folder: Path, *words: str) -> Iterator[Crowd]:
    """A server in a process of its own, or several, and connections that stay open."""
    token = folder.parent / "metrics.token"
    token.write_text(TOKEN)
    with start(folder, *words, "--metrics-token-file", str(token)) as (process, port), ExitStack() as stack:
        if words:
            wait_for(lambda: len(find_workers(process.pid)) == int(words[1]))
        limits = httpx.Limits(max_connections=1)

        def new() -> httpx.Client:
            address = f"http://127.0.0.1:{port}"
            return stack.enter_context(httpx.Client(base_url=address, limits=limits, timeout=PATIENCE))

        crowd = Crowd([new()])
        while len(crowd.clients) < N_CONNECTIONS or (words and crowd.count_processes() < int(words[1])):
            assert len(crowd.clients) < 40 * N_CONNECTIONS, "one process answers everybody"
            crowd.clients.append(new())
        yield crowd


def command(folder: Path, *words: str) -> None:
    cli.main([*words, "--study", str(folder)], standalone_mode=False)


def end_in_all_ways(folder: Path, crowd: Crowd, people: tuple[Invitation, ...]) -> None:
    """Every way in which access ends, each over HTTP or by a command beside the server; looked at at once by all."""
    sessions = [crowd.enter(one) for one in people]
    # Every process has seen every cookie and remembers it.
    for one in sessions:
        assert crowd.look(one) == {200}
    out, *named = [one.annotator.name for one in people]
    assert crowd.clients[-1].delete("/api/session", headers=sessions[0]).status_code == 204
    assert crowd.look(sessions[0]) == {401}, out
    for name, headers, words in zip(
        named,
        sessions[1:],
        (
            ["end-sessions"],
            ["renew"],
            ["erase", "--reason", "asked", "--yes"],
        ),
        strict=False,
    ):
        command(folder, "annotators", words[0], name, *words[1:])
        assert crowd.look(headers) == {401}, words
    assert crowd.look(sessions[-1]) == {200}


def test_access_ends_in_every_process_on_postgresql_before_it_is_acknowledged(
    tmp_path: Path,
    postgres_database: str,  # noqa: F811
) -> None:
    with make_pictured(tmp_path, database=postgres_database) as study:
        people = add_people(study, add_contains(study), N_PEOPLE)
        folder = study.paths.folder
    with gather(folder, "--workers", "3") as crowd:
        end_in_all_ways(folder, crowd, people)


def test_access_ends_in_the_process_on_sqlite_before_it_is_acknowledged(tmp_path: Path) -> None:
    with make_pictured(tmp_path) as study:
        people = add_people(study, add_contains(study), N_PEOPLE)
        folder = study.paths.folder
    with gather(folder) as crowd:
        end_in_all_ways(folder, crowd, people)


def test_a_server_on_another_machine_is_waited_for(
    tmp_path: Path,
    postgres_database: str,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    waited: list[float] = []
    monkeypatch.setattr("regauge.workflows.people.access.time.sleep", waited.append)
    with make_pictured(tmp_path, database=postgres_database) as study:
        assert not has_servers_elsewhere(study)
        address = make_url(postgres_database).set(drivername="postgresql+psycopg")
        engine = create_engine(address, connect_args={"application_name": f"{SERVER}elsewhere"})
        with engine.connect() as connection:
            connection.execute(text("SELECT 1"))
            assert has_servers_elsewhere(study)
            wait_for_servers(study)
        engine.dispose()
    assert waited == [KNOWN_SECONDS]
