"""The website of a study on its server: for managers, and for guests where it was told to show it to them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.server.served_study import Served, Visitor, serve_pictured

from regauge.server.state import ServerSettings
from regauge.storage.testsets.test_set import list_test_sets, load_test_set
from regauge.workflows.exports.site import export_site
from regauge.workflows.labels.label_set import add_labels
from regauge.workflows.predictions import PredictionSource, add_predictions
from regauge.workflows.site.source import SiteSource
from regauge.workflows.studies.study import Study


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that shows its results to guests."""
    folder = tmp_path_factory.mktemp("shown")
    with serve_pictured(folder, settings=ServerSettings(has_guests=True, shows_results=True)) as found:
        yield found


def open_page(visitor: Visitor) -> tuple[str, str]:
    """The page, and what the addresses of its chunks begin with."""
    page = visitor.get("/browse")
    assert page.status_code == 200
    return page.text, page.text.partition('data-data="')[2].partition('"')[0]


def read(visitor: Visitor, address: str) -> Any:
    reply = visitor.get(address)
    assert (reply.status_code, reply.headers["content-type"]) == (200, "text/javascript; charset=utf-8")
    return json.loads(f"[{reply.text.strip().removeprefix('regauge.take(').removesuffix(');')}]")


def test_a_manager_gets_what_the_export_writes_with_pictures(shown: Served, tmp_path: Path) -> None:
    manager = shown.enter(shown.manager)
    page, base = open_page(manager)
    assert 'data-home="/manage"' in page
    assert '<script src="/browse/scripts/' in page
    with shown.study.read() as study:
        export_site(study, tmp_path / "site")
    for name in ("s0", "classes", "finder"):
        written = (tmp_path / "site" / "data" / f"{name}.js").read_text()
        assert read(manager, f"{base}{name}.js")[2] == json.loads(f"[{written.strip()[len('regauge.take(') : -2]}]")[2]
    assert read(manager, f"{base}index.js")[2]["pictures"]["mode"] == "served"
    script = page.partition('<script src="')[2].partition('"')[0]
    assert manager.get(script).text == (tmp_path / "site" / "site.js").read_text()
    picture = manager.get(base.replace("/data/", "/pictures/") + "0/0.jpg")
    assert (picture.status_code, picture.headers["content-type"]) == (200, "image/jpeg")
    assert manager.get(base.replace("/data/", "/pictures/") + "0/99999.jpg").status_code == 404
    assert manager.get(f"{base}nothing.js").status_code == 404


def test_guests_browse_where_they_may_and_never_see_a_picture(shown: Served) -> None:
    guest = shown.enter_as_guest()
    page, base = open_page(guest)
    assert 'data-home="/"' in page
    assert read(guest, f"{base}index.js")[2]["pictures"]["mode"] == "none"
    assert guest.get(base.replace("/data/", "/pictures/") + "0/0.jpg").status_code == 403
    _, managers = open_page(shown.enter(shown.manager))
    assert managers != base
    # What a manager's page asks for is not what a guest gets, whatever address they type.
    assert read(guest, f"{managers}index.js")[2]["pictures"]["mode"] == "none"
    assert shown.enter(shown.people[0]).get("/browse").status_code == 403
    assert 'href="/browse"' in guest.get("/").text


def test_guests_browse_nothing_unless_the_server_was_told_to_show_it(served: Served) -> None:
    guest = served.enter_as_guest()
    assert [guest.get(path).status_code for path in ("/browse", "/browse/data/000000000000/index.js")] == [403, 403]
    assert "/browse" not in guest.get("/").text


def test_an_open_page_goes_on_with_the_study_as_it_was_and_a_new_one_has_the_changes(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    manager = served.enter(served.manager)
    _, before = open_page(manager)
    index = read(manager, f"{before}index.js")
    with served.study.begin() as study:
        name, ids = _find_set(study)
        (tmp_path / "answers.csv").write_text("image_id,class\n" + "".join(f"{one},0\n" for one in ids))
        add_predictions(study, PredictionSource([f"zero={tmp_path / 'answers.csv'}"]), test_set=name)
        lines = "".join(json.dumps({"image_id": one, "correct": [0]}) + "\n" for one in ids)
        (tmp_path / "people.jsonl").write_text(lines)
        add_labels(study, tmp_path / "people.jsonl", name="people")
    _, after = open_page(manager)
    assert before != after
    assert read(manager, f"{before}index.js") == index
    assert [one["name"] for one in read(manager, f"{after}index.js")[2]["participants"]] == ["zero"]
    made: list[str] = []
    make = SiteSource.make_chunk

    def note(source: SiteSource, study: Study, name: str) -> bytes:
        made.append(name)
        return make(source, study, name)

    monkeypatch.setattr(SiteSource, "make_chunk", note)
    for _ in range(3):
        read(manager, f"{after}s0-a0.js")
    assert made == ["s0-a0"]


def _find_set(study: Study) -> tuple[str, list[str]]:
    entry = list_test_sets(study)[0]
    return entry.name, load_test_set(study, entry).image_ids.tolist()
