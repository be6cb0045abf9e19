"""What verdicts rest on is kept whole, and what is not known stays away."""

from __future__ import annotations

import numpy as np
import pytest

from regauge.errors import InputError
from regauge.records.labels.evidence import NO_EVIDENCE, ExpertVote, LabelEvidence, VerdictEvidence
from regauge.records.labels.verdicts import Verdict

FULL = VerdictEvidence(
    rule="plurality",
    votes=(ExpertVote("ann", Verdict.CORRECT), ExpertVote("bob", Verdict.WRONG)),
    reason="several objects",
    note="behind the fence",
    guide=3,
    relation="249 subset of 248",
    claim="7",
    is_expert=True,
    is_sampled=True,
)


def test_evidence_comes_back_as_it_was():
    assert VerdictEvidence.from_dict(FULL.to_dict()) == FULL


def test_what_is_not_known_is_not_written():
    assert NO_EVIDENCE.to_dict() == {}
    assert VerdictEvidence.from_dict({}) == NO_EVIDENCE


def test_fields_of_another_version_are_passed_over():
    assert VerdictEvidence.from_dict({"rule": "plurality", "mood": "good"}) == VerdictEvidence(rule="plurality")


def test_a_verdict_is_derived_where_a_relation_gives_it():
    assert FULL.is_derived
    assert not NO_EVIDENCE.is_derived


def test_evidence_by_image_and_class_comes_back_as_it_was():
    found = {("b", 1): FULL, ("a", 2): NO_EVIDENCE, ("b", 0): VerdictEvidence(note="x")}
    evidence = LabelEvidence.from_pairs("review", found)
    assert evidence.image_ids.tolist() == ["b", "a"]
    assert evidence.by_pair == found
    assert repr(evidence) == "<LabelEvidence of review: 3 verdicts on 2 images>"


def test_an_entry_without_a_class_is_refused():
    with pytest.raises(InputError, match="an image and a class for each"):
        LabelEvidence("review", np.array(["a"]), np.array([0, 0], np.int32), np.array([1], np.int32), (FULL, FULL))
