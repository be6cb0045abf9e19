"""Addresses that platforms make, and all others."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regauge.errors import InputError
from regauge.records.campaigns.campaign import Platform
from regauge.recruitment.arrivals import make_completion_link, parse_hit, parse_prolific

PID = "5a9d64f5f6dfdd0001eaa73d"
HIT = {"assignmentId": "3ABC", "workerId": "A1BC", "turkSubmitTo": "https://www.mturk.com", "hitId": "3H"}


def test_whom_prolific_sends():
    found = parse_prolific({"PROLIFIC_PID": PID, "SESSION_ID": "6b", "STUDY_ID": "whatever"})
    assert (found.platform, found.person, found.reference) == (Platform.PROLIFIC, PID, "6b")
    assert parse_prolific({"PROLIFIC_PID": PID.upper()}).person == PID


def test_whom_mechanical_turk_sends():
    found = parse_hit(HIT)
    assert found.arrival is not None
    assert (found.arrival.platform, found.arrival.person, found.arrival.reference) == (Platform.MTURK, "A1BC", "3ABC")
    assert found.submit_to == "https://www.mturk.com/mturk/externalSubmit"


def test_a_preview_has_nobody():
    assert (
        parse_hit({"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE", "turkSubmitTo": "https://evil.example"}).submit_to
        == ""
    )


@pytest.mark.parametrize(
    "origin",
    [
        "https://www.mturk.com.evil",
        "https://evil/https://www.mturk.com",
        "HTTPS://WWW.MTURK.COM",
        "//www.mturk.com",
        "",
    ],
)
def test_work_is_handed_in_nowhere_else(origin):
    with pytest.raises(InputError, match="somewhere else"):
        parse_hit({**HIT, "turkSubmitTo": origin})


def test_other_places_are_for_those_who_run_the_server_to_name():
    local = "http://127.0.0.1:1"
    assert parse_hit({**HIT, "turkSubmitTo": local}, extra_origins=(local,)).submit_to.startswith(local)


@given(text=st.text(min_size=1, max_size=80))
def test_no_refusal_repeats_what_the_address_said(text):
    marked = f"{text}ZQXJ"
    for parse, parameters in (
        (parse_prolific, {"PROLIFIC_PID": marked}),
        (parse_prolific, {"PROLIFIC_PID": PID, "SESSION_ID": f"{marked} "}),
        (parse_hit, {**HIT, "workerId": f"{marked}-"}),
        (parse_hit, {**HIT, "turkSubmitTo": marked}),
    ):
        with pytest.raises(InputError) as refused:
            parse(parameters)
        assert "ZQXJ" not in str(refused.value)


def test_the_way_back_to_prolific():
    assert make_completion_link("C0DE") == "https://app.prolific.com/submissions/complete?cc=C0DE"
