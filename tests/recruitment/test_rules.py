"""Whose work is approved."""

from __future__ import annotations

from dataclasses import replace

import pytest

from regauge.records.campaigns.hits import HitAction, HitAssignment
from regauge.records.campaigns.visits import VisitState
from regauge.recruitment.rules import judge

GOOD = HitAssignment("3A", "A1", "3H", "Submitted", annotator="mturk-1", state=VisitState.COMPLETED, n_done=4)
BAD = (
    replace(GOOD, is_dropped=True),
    replace(GOOD, state=VisitState.STARTED, n_done=1),
    replace(GOOD, state=VisitState.SCREENED_OUT, n_done=0),
    replace(GOOD, state=VisitState.RETURNED),
    replace(GOOD, state=None, annotator=""),
)


def test_whoever_did_the_share_is_approved():
    (ruling,) = judge([GOOD])
    assert (ruling.action, ruling.why) == (HitAction.APPROVE, "did the share (4 done)")


@pytest.mark.parametrize("one", BAD)
def test_nobody_is_rejected_unless_that_is_asked_for(one):
    assert judge([one])[0].action is HitAction.LEAVE
    assert judge([one], rejects=True)[0].action is HitAction.REJECT


@pytest.mark.parametrize("rejects", [False, True])
@pytest.mark.parametrize("status", ["Approved", "Rejected"])
def test_what_was_decided_stays(status, rejects):
    for one in (GOOD, *BAD):
        assert judge([replace(one, status=status)], rejects=rejects)[0].action is HitAction.LEAVE


def test_no_ruling_shows_who_it_is():
    assert "A1" not in repr(judge([GOOD]))
