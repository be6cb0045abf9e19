"""Mechanical Turk for tests: a client of boto3 whose requests are checked by the real service model and answered by hand."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import boto3
from botocore.stub import Stubber

from regauge.workflows.people.mturk import ENDPOINTS, REGION, Market

ACCESS_KEY = "AKIAVERYSECRETKEY00"
SECRET_KEY = "s3cr3t/very+s3cr3t"  # noqa: S105 - it opens nothing
WHEN = datetime(2026, 1, 31, 12, tzinfo=UTC)


def make_client(*, is_production: bool = False) -> Any:
    """A client with credentials that open nothing."""
    return boto3.client(
        "mturk",
        region_name=REGION,
        endpoint_url=ENDPOINTS[is_production],
        aws_access_key_id=ACCESS_KEY,
        aws_secret_access_key=SECRET_KEY,
    )


@contextmanager
def play(*, is_production: bool = False) -> Iterator[tuple[Market, Stubber]]:
    """A market whose answers are put down beforehand; all of them must be asked for."""
    client = make_client(is_production=is_production)
    with Stubber(client) as stubber:
        yield Market(client, is_production), stubber
    stubber.assert_no_pending_responses()


def make_assignment(
    worker: str, assignment: str, *, status: str = "Submitted", hit: str = "3HIT", answer: str = ""
) -> Any:
    """An assignment as Mechanical Turk tells it."""
    told = {
        "AssignmentId": assignment,
        "WorkerId": worker,
        "HITId": hit,
        "AssignmentStatus": status,
        "SubmitTime": WHEN,
    }
    return {**told, "Answer": answer} if answer else told


def expect_assignments(stubber: Stubber, hit: str, *assignments: Any) -> None:
    """What workers handed in for a HIT will be asked for."""
    reply = {"Assignments": list(assignments), "NumResults": len(assignments)}
    stubber.add_response("list_assignments_for_hit", reply, {"HITId": hit, "MaxResults": 100})


def make_answer_xml(receipt: str) -> str:
    """What a worker handed in, as Mechanical Turk passes it on."""
    field = f"<QuestionIdentifier>receipt</QuestionIdentifier><FreeText>{receipt}</FreeText>"
    return f'<?xml version="1.0"?><QuestionFormAnswers><Answer>{field}</Answer></QuestionFormAnswers>'
