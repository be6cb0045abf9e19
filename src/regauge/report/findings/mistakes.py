"""What remains of mistakes after a review: how many were none, and how severe the rest is."""

from __future__ import annotations

from collections.abc import Iterator

from regauge.estimates import Share, count_things, format_estimate, format_percent
from regauge.records.mistakes.coded import FOLDED_SEVERITIES, Severity
from regauge.report.content import ReviewedMistakes
from regauge.report.findings.ranks import Question, ReportFinding

HALF = 0.5


def find_in_mistakes(part: ReviewedMistakes, anchor: str) -> Iterator[ReportFinding]:
    """How severe coded mistakes are, or else how many mistakes a review overturned; nothing where neither is known."""
    evidence = " ".join(tell_mistakes(part))
    n = 0 if part.flow is None else part.flow.steps[0].n
    # Below 9, and growing with the mistakes however many there are.
    size = 9 * n / (n + 1_000)
    major = find_majors(part)
    if major is not None and major.value is not None and major.low is not None and major.high is not None:
        claim, is_clear = _claim_severity(part.participant, major.low, major.high)
        yield ReportFinding(Question.REMAINING, claim, evidence, is_clear=is_clear, size=size, anchor=anchor)
        return
    overturned = None if part.flow is None else part.flow.overturned.share
    if overturned is not None and overturned.value is not None and overturned.k:
        claim = f"A review overturned {format_percent(overturned.value)} of the mistakes of {part.participant}."
        yield ReportFinding(Question.REMAINING, claim, evidence, is_clear=True, size=size, anchor=anchor)


def find_majors(part: ReviewedMistakes) -> Share[float | None] | None:
    """The share of major ones among coded mistakes; None where nobody coded them."""
    if part.summary is None:
        return None
    return part.summary.severities[FOLDED_SEVERITIES.index(Severity.MAJOR)]


def tell_mistakes(part: ReviewedMistakes) -> Iterator[str]:
    """The numbers, a sentence each."""
    overturned = None if part.flow is None else part.flow.overturned.share
    if (
        part.flow is not None
        and overturned is not None
        and (overturned.k or (overturned.n and len(part.flow.labels) > 1))
    ):
        first = count_things(overturned.n, "mistake")
        yield (
            f"Overturned on {part.test_set} since {part.flow.labels[0]}: {overturned.k:,} of {first}, "
            f"{format_estimate(overturned)}."
        )
    major = find_majors(part)
    if major is not None and part.summary is not None:
        yield f"Major: {major.k:,} of {count_things(major.n, 'coded mistake')}, {format_estimate(major)}."


def _claim_severity(participant: str, low: float, high: float) -> tuple[str, bool]:
    """What the interval allows to say of the coded mistakes, and whether it leaves a doubt."""
    if low > HALF:
        return f"Most coded mistakes of {participant} are major.", True
    if high < HALF:
        return f"Most coded mistakes of {participant} are minor.", True
    return f"Whether most coded mistakes of {participant} are major or minor is open.", False
