"""Half a character, which no text can hold, is refused in words wherever it is sent."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from tests.server.manager_forms import FORM
from tests.server.served_study import Served, serve_pictured
from tests.server.test_access import BODIES, MANAGER, RULES

HALF = "a\ud800b"
PLACES = {"campaign_id": 1, "annotator_id": 2, "test_set_id": 1, "class_index": 0, "number": 0} | {
    "thread_id": 1,
    "task_id": 1,
    "assignment_id": "0" * 32,
}
OPTIONAL = {
    "/api/manage/campaigns/{campaign_id}/open": {"reason": ""},
    "/api/manage/campaigns/{campaign_id}/close": {"reason": ""},
    "/api/manage/people/{annotator_id}/link": {"reason": ""},
    "/api/manage/people/{annotator_id}/sessions": {"reason": ""},
    "/api/manage/people/{annotator_id}/release": {"reason": ""},
}
"""What may be left out."""


def spoil(body: Any) -> Iterator[Any]:
    """The body with half a character in the place of each text, and in that of each name of a field."""
    if isinstance(body, str):
        yield HALF
    if isinstance(body, dict):
        for name, value in body.items():
            yield from ({**body, name: other} for other in spoil(value))
            yield {**{one: body[one] for one in body if one != name}, name + HALF: value}


SENT = [
    (path, spoilt) for path, body in {**BODIES, **OPTIONAL}.items() if isinstance(body, dict) for spoilt in spoil(body)
]


@pytest.fixture(scope="module")
def module_served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serve_pictured(tmp_path_factory.mktemp("halves")) as found:
        yield found


@pytest.mark.parametrize("encoding", ["escaped", "utf-8", "utf-16"])
@pytest.mark.parametrize("number", range(len(SENT)))
def test_half_a_character_is_refused_in_words(module_served: Served, number: int, encoding: str) -> None:
    path, body = SENT[number]
    is_managers = RULES.get(("POST", path)) == MANAGER
    visitor = module_served.enter(module_served.manager if is_managers else module_served.people[0])
    text = json.dumps(body, ensure_ascii=encoding == "escaped")
    content = text.encode("utf-16" if encoding == "utf-16" else "utf-8", "surrogatepass")
    reply = visitor.ask("POST", path.format(**PLACES), content=content, headers={"Content-Type": "application/json"})
    assert reply.status_code == 400, (path, body, reply.text)
    assert "half a character" in reply.json()["detail"]


def test_whole_characters_beyond_the_first_plane_are_fine(module_served: Served) -> None:
    manager = module_served.enter(module_served.manager)
    body = b'{"reason": "\\ud83d\\ude00 \xf0\x9f\x98\x80"}'
    headers = {"Content-Type": "application/json"}
    assert manager.ask("POST", "/api/manage/people/2/sessions", content=body, headers=headers).status_code == 204


@pytest.mark.parametrize("name", sorted(FORM))
def test_a_form_with_bytes_that_are_no_text_is_refused_in_words(module_served: Served, name: str) -> None:
    manager = module_served.enter(module_served.manager)
    fields = {one: (None, value.encode()) for one, value in FORM.items()}
    fields[name] = (None, b"a\xed\xa0\x80b")
    reply = manager.ask("POST", "/api/manage/campaigns", files=fields)
    assert 400 <= reply.status_code < 500, reply.text
