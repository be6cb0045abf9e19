"""Whatever the published schema allows, and whatever it does not, the server does not fail."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from tests.server.served_study import Served, listen, serve_pictured
from tests.workflows.campaign_studies import add_people

from regauge.records.campaigns.campaign import Role
from regauge.server.app import create_app
from regauge.server.state import ServerSettings
from regauge.storage.campaigns.campaign import get_campaign
from regauge.workflows.people.invitations import renew_link

N_EXAMPLES = 10


def test_no_request_makes_the_server_fail(tmp_path: Path) -> None:
    # Loaded here: it takes longer to load than most modules take to run.
    schemathesis = pytest.importorskip("schemathesis", reason="schemathesis is not installed; pip install -e '.[dev]'")
    with (
        serve_pictured(tmp_path) as served,
        listen(create_app(served.study, ServerSettings(has_guests=True))) as address,
    ):
        operations = schemathesis.openapi.from_url(f"{address}/openapi.json").get_all_operations()
        n_operations = sum(1 for operation in operations if _try_operation(served, operation.ok()))
    assert n_operations >= 12


def _try_operation(served: Served, operation: Any) -> bool:
    """Requests to one operation, by an annotator and by the manager."""
    # New ones each time: requests of the manager's renew links, end sessions, erase people and change texts.
    with served.study.begin() as begun:
        manager = renew_link(begun, "manager", role=Role.MANAGER, ends_sessions=False)
        campaign = get_campaign(begun, served.campaign.id)
    (annotator,) = add_people(served.study, campaign, 1)
    visitors = [served.enter(who) for who in (annotator, manager)]

    @settings(max_examples=N_EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
    @given(operation.as_strategy())
    def try_case(case: Any) -> None:
        for visitor in visitors:
            reply = case.call(headers=dict(visitor.headers))
            assert reply.status_code < 500, reply.text
            assert reply.headers["content-security-policy"]

    try_case()
    return True
