"""What is sent to make HITs, checked by the service model that boto3 has."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from decimal import Decimal
from typing import Any

import botocore.session
import pytest
from botocore.validate import ParamValidator

from regauge.errors import InputError
from regauge.records.campaigns.hits import HitPlan
from regauge.recruitment.hits import SCHEMA, make_hit, make_hit_type, make_question, parse_qualification

PLAN = HitPlan(
    "Label images",
    "Say what is in some images",
    Decimal("0.5"),
    2,
    3,
    4,
    "https://labels.example/",
    qualifications=("approved>=95", "locale=US,GB", "hits>100", "2ABCDEFGHIJ", "!2ABCDEFGHIJ", "2ABCDEFGHIJ=7"),
)


def check(operation: str, sent: dict[str, Any]) -> str:
    """What the service model of Mechanical Turk has against a request."""
    model = botocore.session.get_session().get_service_model("mturk").operation_model(operation)
    return str(ParamValidator().validate(sent, model.input_shape).generate_report())


def test_the_requests_are_as_the_service_model_has_them():
    assert check("CreateHITType", make_hit_type(PLAN)) == ""
    assert check("CreateHITWithHITType", make_hit(PLAN, 3, hit_type_id="3TYPE", token="a" * 38)) == ""
    assert check("CreateHITType", {**make_hit_type(PLAN), "Rewards": "1"}) != ""


def test_the_reward_has_two_decimals():
    assert make_hit_type(PLAN)["Reward"] == "0.50"


def test_the_question_shows_the_page_of_the_campaign_and_is_xml_whatever_the_address():
    root = ET.fromstring(make_question("https://labels.example/a&b<c/", 7))  # noqa: S314 - we wrote it just now
    assert root.tag == f"{{{SCHEMA}}}ExternalQuestion"
    assert [child.text for child in root] == ["https://labels.example/a&b<c/m/7", "0"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("approved>=95", ("000000000000000000L0", "GreaterThanOrEqualTo", {"IntegerValues": [95]})),
        ("hits>100", ("00000000000000000040", "GreaterThan", {"IntegerValues": [100]})),
        (
            "locale=US,GB",
            ("00000000000000000071", "In", {"LocaleValues": [{"Country": "US"}, {"Country": "GB"}]}),
        ),
        ("2ABCDEFGHIJ", ("2ABCDEFGHIJ", "Exists", {})),
        ("!2ABCDEFGHIJ", ("2ABCDEFGHIJ", "DoesNotExist", {})),
        ("2ABCDEFGHIJ<3", ("2ABCDEFGHIJ", "LessThan", {"IntegerValues": [3]})),
    ],
)
def test_qualifications_are_read(text, found):
    type_id, comparator, values = found
    expected = {"QualificationTypeId": type_id, "Comparator": comparator, "ActionsGuarded": "Accept", **values}
    assert parse_qualification(text) == expected


@pytest.mark.parametrize(
    "text", ["", "approved", "approved>=", "approved>=x", "locale=us", "locale=US,", "short", "hits==1"]
)
def test_a_qualification_that_is_none_is_refused_with_the_ways_to_write_one(text):
    with pytest.raises(InputError, match="approved>=95"):
        parse_qualification(text)
