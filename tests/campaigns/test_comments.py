"""What somebody says about their answer, in their own words."""

from __future__ import annotations

import pytest

from regauge.campaigns.comments import MAX_COMMENT, parse_comment
from regauge.errors import InputError


def test_no_comment_leaves_no_trace():
    assert parse_comment({"vote": "correct"}) == parse_comment({"comment": " \n"}) == {}


def test_lines_stay_and_blanks_around_go():
    assert parse_comment({"comment": " a toy,\r\nnot a car "}) == {"comment": "a toy,\nnot a car"}


@pytest.mark.parametrize(
    ("comment", "problem"),
    [
        (3, "is a text"),
        ("x" * (MAX_COMMENT + 1), "at most 2,000"),
        ("a\x00b", "cannot be shown"),
        ("\u202eabc", "shown"),
    ],
)
def test_what_is_no_comment_is_refused(comment, problem):
    with pytest.raises(InputError, match=problem):
        parse_comment({"comment": comment})
