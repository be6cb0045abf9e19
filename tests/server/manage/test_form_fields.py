"""The forms of campaigns and labels show every setting of the tables, with its range, default and sentence."""

from __future__ import annotations

import html
import re
from dataclasses import replace

import pytest
from tests.server.served_study import Served, Visitor

from regauge.fields import Choice, Field
from regauge.ranges import Range
from regauge.server.manage.form_fields import make_inputs, make_rows
from regauge.workflows.campaigns.fields import get_fields, list_fields


@pytest.fixture
def manager(served: Served) -> Visitor:
    return served.enter(served.manager)


def find_tag(page: str, name: str) -> str:
    found = re.search(rf'<(?:input|select|textarea)[^>]* name="{name}"[^>]*>', page)
    assert found, name
    return found[0]


def check_field(page: str, field: Field) -> None:
    tag = find_tag(page, field.input_name)
    assert field.title in html.unescape(page)
    if field.type.control != "radio":
        assert field.hint in html.unescape(page)
    if isinstance(field.type, Range):
        shown = field.shown_type
        assert isinstance(shown, Range)
        assert f'min="{shown.low:.15g}"' in tag
        if field.default is not None:
            assert f'value="{field.show(field.default)}"' in tag


def test_the_form_of_a_new_campaign_has_every_setting(manager: Visitor) -> None:
    page = manager.get("/manage/campaigns/new").text
    first, *_ = list_fields()
    for field in (*first.common, *(one for table in list_fields() for one in table.own if one.in_form)):
        # Ten classes with few images each: the form proposes grids that work for them.
        proposed = next(one.propose([3] * 10) for one in list_fields() if one.propose([3] * 10))
        check_field(page, replace(field, default=None) if field.name in proposed else field)
    for table in list_fields():
        assert table.about in html.unescape(page)
    assert page.count('id="n_cells"') == 1
    assert 'data-kind="contains"' in page


def test_the_form_of_a_rule_has_every_setting_of_its_kind_that_forms_have(served: Served, manager: Visitor) -> None:
    page = manager.get(f"/manage/campaigns/{served.campaign.id}/labels").text
    table = get_fields(served.campaign.kind)
    suggested = table.suggest_rule(served.campaign.plan)
    for field in table.rule:
        if not field.in_form:
            assert f'name="{field.name}"' not in page
        elif field.name in suggested:
            assert f'value="{suggested[field.name]}"' in find_tag(page, field.name)
        else:
            check_field(page, field)


def test_a_rule_takes_the_settings_of_its_form_and_no_others(served: Served, manager: Visitor) -> None:
    path = f"/api/manage/campaigns/{served.campaign.id}/labels/preview"
    for wrong in ({"correct": "x"}, {"min_shown": 0}, {"min_shown": 1.5}, {"screening": "yes"}, {"nonsense": 1}):
        reply = manager.post(path, wrong)
        assert (wrong, reply.status_code) == (wrong, 422)
        assert reply.json()["detail"].startswith(f"{next(iter(wrong))}: ")
    # What only commands set stays with them, and what other kinds have is passed over.
    assert manager.post(path, {"level": 0.5}).status_code == 422
    assert "no answers that count" in manager.post(path, {"contains": "nothing"}).json()["detail"]


def test_short_fields_that_follow_each_other_share_a_line() -> None:
    whole = Range(1, 9, is_whole=True)
    fields = [Field(name, name, whole, "A number.", 1) for name in "abc"]
    choice = Field("d", "d", Choice({"x": "X"}), "A choice.", "x")
    inputs = make_inputs([*fields[:2], choice, fields[2]], values={"a": 3}, things={})
    assert [[one.name for one in row] for row in make_rows(inputs)] == [["a", "b"], ["d"], ["c"]]
    assert [one.value for one in inputs] == ["3", "1", "x", "1"]
