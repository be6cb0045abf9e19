"""Sentences about reviews: what a plan rests on, and where pairs stand."""

from __future__ import annotations

from pathlib import Path

from tests.sentences.entries import Always, Entries, Maker, Pair
from tests.workflows.labels.review_studies import follow, make_plan, report_on

from regauge.records.evaluation.sampled_reviews import PairStanding, SettledBy
from regauge.workflows.labels.review_plans import describe_standing

SIMULATED = "every forecast rests on simulated verdicts, and the predictor may always be too hopeful"
DRAWN = "an audit is drawn from such images alone, and a file with others is refused"
PER_ITEM = "answers and hours are items times what is given or set by default"


def stand(sign: int | None, by: SettledBy | None = None) -> Maker:
    """Where a pair stands after 12 images."""
    standing = PairStanding("a", "b", sign, by, 12, 20, 3.0, 1.0, -4 if sign is None else sign, 9)
    return lambda _: describe_standing(standing, 7 if sign is None else 0)


def planned(*participants: str) -> Maker:
    return lambda folder: list(make_plan(folder, participants).notes)


def followed(*places: int, without: tuple[int, ...] = ()) -> Maker:
    def make(folder: Path) -> list[str]:
        found = follow(folder, places, without=without)
        return [*found.sentences, *found.notes]

    return make


def audited(n_judged: int) -> Maker:
    """What is said of an audit of 40 images of which so many are judged."""

    def make(folder: Path) -> list[str]:
        found = report_on(folder, n_judged)
        return [*found.sentences, *found.notes]

    return make


OPEN, SAMPLED = stand(None), stand(1, SettledBy.SAMPLE)
STANDING = "workflows/labels/review_plans.py:describe_standing: …"

ENTRIES: Entries = {
    f"{STANDING}: open, about ….": Pair(OPEN, SAMPLED),
    f"{STANDING}: settled, neither is ahead.": Pair(stand(0, SettledBy.BOUNDS), stand(-1, SettledBy.BOUNDS)),
    f"{STANDING}: settled, … is ahead whatever is still": Pair(stand(-1, SettledBy.BOUNDS), SAMPLED),
    f"{STANDING}: settled, … is ahead, by a sample": Pair(SAMPLED, stand(1, SettledBy.BOUNDS)),
    "workflows/labels/review_plans.py:_explain: The review was simulated … times, with the": Always(
        SIMULATED, planned("strong", "weak")
    ),
    "workflows/labels/review_plans.py:_explain: Answers and hours are for … on every": Always(
        PER_ITEM, planned("strong", "weak")
    ),
    "workflows/labels/review_plans.py:_explain: … and … are close: in most of": Pair(
        planned("strong", "twin"), planned("strong", "weak")
    ),
    "workflows/labels/audits.py:_tell: Of …, … … a dataset label that": Pair(audited(40), audited(0)),
    "workflows/labels/audits.py:_note: The audit is of … of the …": Always(DRAWN, audited(40)),
    "workflows/labels/audits.py:_note: No image of the audit has a verdict": Pair(audited(0), audited(1)),
    "workflows/labels/audits.py:_note: … of the audit without verdict: right at": Pair(audited(10), audited(40)),
    "workflows/labels/review_plans.py:_note_gaps: … reviewed out of turn: evidence rests on": Pair(
        followed(0, 2, 3), followed(0, 1, 2)
    ),
    "workflows/labels/review_plans.py:_note_gaps: … without verdict entered at the worst value": Pair(
        followed(0, 2, without=(1,)), followed(0, 1, 2)
    ),
}
