"""What a report says of mistakes after a review: no more than the interval allows."""

from __future__ import annotations

import pytest
from tests.report.reviewed_mistakes import make_review, make_uncoded

from regauge.report.findings.mistakes import find_in_mistakes
from regauge.report.findings.ranks import Question


@pytest.mark.parametrize(
    ("n_major", "claim", "is_clear"),
    [
        (20, "Most coded mistakes of vit are minor.", True),
        (80, "Most coded mistakes of vit are major.", True),
        (55, "Whether most coded mistakes of vit are major or minor is open.", False),
    ],
)
def test_the_claim_says_what_the_interval_allows(n_major: int, claim: str, is_clear: bool) -> None:
    (found,) = find_in_mistakes(make_review(n_major), "mistakes")
    assert (found.question, found.claim, found.is_clear) == (Question.REMAINING, claim, is_clear)


def test_the_evidence_has_both_shares_with_limits() -> None:
    (found,) = find_in_mistakes(make_review(), "mistakes")
    # 40 of 140 and 20 of 100, by Clopper and Pearson.
    assert found.evidence == (
        "Overturned on drawn since people@1: 40 of 140 mistakes, 28.6% [21.3, 36.8]. Major: 20 of 100 coded mistakes, "
        "20.0% [12.7, 29.2]."
    )


def test_without_codes_what_was_overturned_is_the_claim() -> None:
    (found,) = find_in_mistakes(make_uncoded(), "mistakes")
    assert found.claim == "A review overturned 20.0% of the mistakes of vit."
    assert found.is_clear


def test_a_review_that_changed_nothing_is_no_finding() -> None:
    assert list(find_in_mistakes(make_uncoded(n_overturned=0), "mistakes")) == []


def test_of_two_reviews_that_of_more_mistakes_counts_for_more() -> None:
    (few,), (many,) = (find_in_mistakes(make_review(n // 5, n), "mistakes") for n in (100, 900))
    assert many.importance > few.importance
