"""Addresses: where redirects lead, and several studies on one host."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.server.served_study import Served, Visitor, serve_pictured
from tests.storage.small_studies import make_circumstances
from tests.storage.tampered_bundles import edit_rows, meddle
from tests.workflows.campaign_studies import make_pictured

from regauge.errors import FormatError, InputError
from regauge.records.addresses import check_base_url
from regauge.records.campaigns.campaign import Role
from regauge.server.app import create_app
from regauge.server.running import ServeOptions, serve
from regauge.server.state import ServerSettings
from regauge.storage.bundles.files import SETTINGS
from regauge.workflows.people.invitations import make_link, renew_link
from regauge.workflows.studies.bundles import export_bundle, import_study

EVIL = {"Host": "evil.example"}


@pytest.mark.parametrize(
    "path", ["/manage/", "/join/", "/me/", "/api/session/", "/healthz/", "/static", "/campaigns/1/"]
)
def test_an_address_with_a_slash_too_many_leads_nowhere_else(served: Served, path: str) -> None:
    manager = served.enter(served.manager)
    for visitor in (served.nobody, manager):
        reply = visitor.get(path, headers=EVIL)
        assert reply.status_code == 404
        assert "location" not in reply.headers
        assert "evil.example" not in reply.text


def test_no_redirect_follows_the_host_header(served: Served) -> None:
    reply = served.enter(served.manager).get("/", headers=EVIL)
    assert (reply.status_code, reply.headers["location"]) == (303, "/manage")


@pytest.mark.parametrize("address", ["http://127.0.0.1:8765", "https://labels.example"])
def test_two_studies_on_one_host_keep_their_people_apart(tmp_path: Path, address: str) -> None:
    """Cookies know no ports: a browser sends what it has of a host to all that is served there."""
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    settings = ServerSettings(address)
    with (
        serve_pictured(tmp_path / "a", settings=settings) as one,
        serve_pictured(tmp_path / "b", settings=settings, seed=1) as two,
    ):
        jar: dict[str, str] = {}
        for served in (one, two):
            cookie = served.enter(served.people[0]).headers["Cookie"]
            name, _, value = cookie.partition("=")
            jar[name] = value
        assert len(jar) == 2
        browser = {"Cookie": "; ".join(f"{name}={value}" for name, value in jar.items())}
        for served in (one, two):
            assert served.study.id[:12] in served.app.state.regauge.sessions.cookie
            assert Visitor(served.client, browser).get("/api/session").status_code == 200


def test_a_study_and_its_copy_on_one_host_keep_their_people_apart(tmp_path: Path) -> None:
    """A copy has an id and a key of its own: neither reads the other's cookies, nor answers that browsers keep for it."""
    with serve_pictured(tmp_path) as one:
        with one.study.read() as reading:
            path = export_bundle(reading, tmp_path / "x.zip")
        made = import_study(path, tmp_path / "copy", around=make_circumstances())
        with made.study.begin() as begun:
            link = renew_link(begun, "manager", role=Role.MANAGER)
        app = create_app(made.study)
        with TestClient(app) as client:
            two = Served(made.study, app, client, one.campaign, (), link)
            cookies = [served.enter(served.manager).headers["Cookie"] for served in (one, two)]
            assert made.study.id[:12] != one.study.id[:12]
            assert len({cookie.partition("=")[0] for cookie in cookies}) == 2
            for served in (one, two):
                assert Visitor(served.client, {"Cookie": "; ".join(cookies)}).get("/api/session").status_code == 200
        made.study.close()


@pytest.mark.parametrize("study_id", ["", "a; Path=/x", "5f82c2d9 fb0fa321d7d982f8bd1045", "\r\nX: y", "\N{SNOWMAN}"])
def test_a_bundle_whose_id_is_none_is_refused(tmp_path: Path, study_id: str) -> None:
    """It would be a part of the name of a cookie."""
    with make_pictured(tmp_path / "original") as study, study.read() as reading:
        path = export_bundle(reading, tmp_path / "x.zip")

    def change(members: dict[str, bytes], manifest: dict[str, Any]) -> None:
        manifest["study_id"] = study_id
        members[SETTINGS] = json.dumps({**json.loads(members[SETTINGS]), "study_id": study_id}).encode()
        edit_rows(members, "studies", lambda rows: rows[0].update(id=study_id))

    with pytest.raises(FormatError):
        import_study(meddle(path, tmp_path / "y.zip", change), tmp_path / "copy", around=make_circumstances())
    assert not (tmp_path / "copy").exists()


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("https://labels.example/study", "root of its host, such as https://labels.example, not at"),
        ("https://labels.example/?a", "root of its host"),
        ("https://labels.example#a", "root of its host"),
        ("labels.example", "begins with http"),
        ("ftp://labels.example", "begins with http"),
        ("https://", "begins with http"),
        ("https://ann@labels.example", "begins with http"),
        ("https://labels.example:port", "begins with http"),
        ("https://labels .example", "begins with http"),
        ("javascript:alert(1)", "begins with http"),
    ],
)
def test_an_address_that_links_cannot_begin_with_is_refused(tmp_path: Path, address: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        check_base_url(address)
    with pytest.raises(InputError, match=words):
        make_link(address, "token")
    with make_pictured(tmp_path) as study, pytest.raises(InputError, match=words):
        serve(study, ServeOptions(port=0, base_url=address), announce=print)


@pytest.mark.parametrize("address", ["http://127.0.0.1:8765", "https://labels.example", "http://[::1]:80"])
def test_a_slash_at_the_end_of_an_address_does_not_matter(address: str) -> None:
    assert check_base_url(f"{address}/") == check_base_url(address) == address
