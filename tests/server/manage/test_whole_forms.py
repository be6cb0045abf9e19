"""The form of a new campaign as a page sends it: every field of the page, those of other kinds among them."""

from __future__ import annotations

import html
import re

import pytest
from tests.server.manager_forms import FORM
from tests.server.served_study import Served, Visitor

from regauge.fields import FileValue
from regauge.kinds.registry import KINDS
from regauge.server.manage.new import PATH


@pytest.fixture
def manager(served: Served) -> Visitor:
    return served.enter(served.manager)


def list_inputs(page: str) -> dict[str, str]:
    """The names of all fields, each with the type of its input."""
    tags = re.findall(r"<(?:input|select|textarea)\b[^>]*>", page)
    named = [(re.search(r'name="([^"]+)"', one), re.search(r'type="([^"]+)"', one)) for one in tags]
    return {html.unescape(name[1]): kind[1] if kind else "" for name, kind in named if name}


def test_no_kind_refuses_a_form_with_every_field_filled(manager: Visitor) -> None:
    inputs = list_inputs(manager.get("/manage/campaigns/new").text)
    texts = {name: (None, FORM.get(name, "7")) for name, kind in inputs.items() if kind != "file"}
    for name, kind in KINDS.items():
        # The page leaves out files of other kinds.
        documents = ["table", *(one.input_name for one in kind.fields.campaign if isinstance(one.type, FileValue))]
        assert set(documents) <= {one for one, type_ in inputs.items() if type_ == "file"}
        files = {one: (f"{one}.csv", b"image_id,class\n") for one in documents}
        reply = manager.ask("POST", PATH, files={**texts, **files, "kind": (None, str(name)), "source": (None, "file")})
        assert reply.status_code in {201, 422}, (name, reply.text)
        assert reply.status_code == 201 or reply.json()["fields"], (name, reply.text)
