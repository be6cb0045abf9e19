"""Sentences about reviews: what their votes give, and what is odd about reviewers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from tests.sentences.entries import Always, Entries, Maker, Pair

from regauge.campaigns.reviews.final import tell_final_review
from regauge.kinds.review.figures import _describe_same, describe_bad, find_bad
from regauge.kinds.review.making import assume_time, note_tasks
from regauge.kinds.review.results import make_labels
from regauge.kinds.review.rounds import explain_few
from regauge.records.campaigns.referrals import ReferralCount
from regauge.records.evaluation.reviews import PairBounds
from regauge.records.labels.results import LabelContext
from regauge.records.labels.review_votes import NO_GOLD, ReviewSettings, ReviewVotes
from regauge.records.labels.verdicts import Verdict
from regauge.records.responses.ledgers import COUNTED, LedgerColumns
from regauge.records.testsets.test_set import TestSet
from regauge.responses.live.oddities import Oddity
from regauge.workflows.annotation.barred_experts import UnreachedLabels, describe_unreached
from regauge.workflows.annotation.referrals import describe_lack
from regauge.workflows.campaigns.assigning import describe_few, describe_no_expert
from regauge.workflows.live.standings import CampaignStandings

COUNTS = "It counts, and counts of 0 are told."
SAYS_SO = "It is said where too few reviewers may take a task."


def labels(
    *,
    is_added: bool = False,
    problems: tuple[str, ...] = (),
    min_votes: int = 1,
    gold: int = NO_GOLD,
    n_looking: int = 0,
    is_expert: bool = False,
    n_referred: int = 0,
) -> Maker:
    """What is said of labels by two reviewers, who agree about one image."""

    def make(folder: Path) -> Iterator[str]:
        n = len(problems)
        votes = ReviewVotes(
            image_ids=np.array(["a"]),
            names=np.array(["ann", "bob"]),
            images=np.zeros(2, np.int32),
            classes=np.zeros(2, np.int32),
            reviewers=np.arange(2, dtype=np.int32),
            verdicts=np.full(2, Verdict.CORRECT, np.int8),
            is_added=np.array([is_added, False]),
            received=np.zeros(2, np.int64),
            reasons=("", ""),
            notes=("", ""),
            gold=np.full(2, gold, np.int8),
            is_expert=np.array([is_expert, False]),
            referred_images=np.zeros(n_referred, np.int32),
            referred_classes=np.zeros(n_referred, np.int32),
            problem_images=np.zeros(n, np.int32),
            problem_reviewers=np.arange(n, dtype=np.int32),
            problems=problems,
            seen_images=np.zeros(2, np.int32),
            seen_reviewers=np.arange(2, dtype=np.int32),
            looking_images=np.zeros(n_looking, np.int32),
            looking_reviewers=np.arange(n_looking, dtype=np.int32),
            looking_found=np.zeros(n_looking, np.bool_),
        )
        images = TestSet("images", np.array(["a"]), np.array([1]))
        context = LabelContext("review", images, frozenset(["a"]))
        yield from make_labels(votes, ReviewSettings(min_votes=min_votes), context=context).notes

    return make


def final(**changed: object) -> Maker:
    """What is said of a final review after an evaluation."""
    kept = {"campaign": "test", "n_given": 2, "n_drawn": 1, "n_shared": 0, "n_unmixed": 0, "n_left_out": 0}
    way = {"allows_own": False, "n_own": 0, "n_needed": 3}
    return lambda folder: list(tell_final_review({"final_review": {**kept, **way, **changed}}))


def bad(n_poor: int) -> Maker:
    """Why screening would leave somebody out who gave nine answers."""
    return lambda folder: [describe_bad(n_poor, 9) if find_bad(np.array([n_poor]), np.array([9]))[0] else "", "end"]


def same(*masks: int) -> Maker:
    """What is odd about somebody who gave these answers to tasks of one label."""

    def make(folder: Path) -> list[str]:
        n = len(masks)
        numbers, zeros = np.arange(n, dtype=np.int64), np.zeros(n, np.int32)
        columns = LedgerColumns(
            firsts=numbers,
            ids=numbers,
            tasks=numbers.astype(np.int32),
            annotators=zeros,
            masks=np.array(masks, np.uint64),
            not_shown=np.zeros(n, np.uint64),
            mains=np.full(n, -1, np.int8),
            statuses=np.full(n, COUNTED, np.uint8),
            revisions=zeros,
            received=numbers,
            seconds=np.ones(n),
            is_impossible=np.zeros(n, np.bool_),
            annotator_ids=np.array([1], np.int64),
        )
        found: list[list[Oddity]] = [[]]
        _describe_same(columns, np.array([True]), found)
        return [*(one.sentence for one in found[0]), "end"]

    return make


def standings(n_finished: int, *, problem: str = "") -> Maker:
    """What is said of a campaign of two participants of whose five tasks so many are finished."""
    ones, zeros = np.ones(1, np.int64), np.zeros(1, np.int32)
    bounds = PairBounds(("a", "b"), zeros, zeros + 1, ones, ones, ones, zeros.astype(np.int64))
    found = CampaignStandings(n_finished, 5, None if problem else bounds, problem=problem)
    return lambda folder: [*found.sentences, *found.notes]


ENTRIES: Entries = {
    "workflows/live/standings.py:_tell_bounds: Bounds settle … of … of …, whatever": Pair(
        standings(5), standings(0, problem="The plan is gone.")
    ),
    "workflows/live/standings.py:_note_tasks: … of … have all their answers; verdicts": Pair(
        standings(4), standings(5)
    ),
    "kinds/review/figures.py:describe_bad: Called everything unclear in … of … answers,": Pair(bad(7), bad(6)),
    "kinds/review/figures.py:_describe_same: Finds … of … labels ….": Pair(
        same(*[0b100] * 20), same(*[0b100, 0b1] * 10)
    ),
    "kinds/review/making.py:note_tasks: Reviewers judge … of ….": Always(
        COUNTS, lambda folder: note_tasks({"n_pairs": 3, "n_images": 1})
    ),
    "kinds/review/making.py:note_tasks: Reviewers look for what is missing in …,": Pair(
        lambda folder: note_tasks({"n_pairs": 0, "n_images": 1, "mode": "complete"}),
        lambda folder: note_tasks({"n_pairs": 3, "n_images": 1}),
    ),
    "kinds/review/making.py:assume_time: … s per image and … s per": Pair(
        lambda folder: [assume_time({"n_pairs": 0, "n_images": 1, "by": "image", "mode": "complete"}).source],
        lambda folder: [assume_time({"n_pairs": 3, "n_images": 1, "by": "image"}).source],
    ),
    "kinds/review/making.py:note_tasks: … hidden among them, whose verdict is known.": Pair(
        lambda folder: note_tasks({"n_pairs": 3, "n_images": 1, "n_gold": 1}),
        lambda folder: note_tasks({"n_pairs": 3, "n_images": 1}),
    ),
    "kinds/review/making.py:_note_audit: … that everybody gets right among them, for": Pair(
        lambda folder: note_tasks({"n_pairs": 3, "n_images": 3, "audit": {"n_images": 2}}),
        lambda folder: note_tasks({"n_pairs": 3, "n_images": 3}),
    ),
    "kinds/review/making.py:_note_audit: … of the audit could not be drawn:": Pair(
        lambda folder: note_tasks({"n_pairs": 3, "n_images": 3, "audit": {"n_images": 2, "n_missing": 1}}),
        lambda folder: note_tasks({"n_pairs": 3, "n_images": 3, "audit": {"n_images": 2, "n_missing": 0}}),
    ),
    "campaigns/reviews/final.py:tell_final_review: Final review of …: … that people gave": Pair(
        final(), lambda folder: [*tell_final_review({}), "end"]
    ),
    "campaigns/reviews/final.py:tell_final_review: … without an answer of a model: only": Pair(
        final(n_unmixed=1), final()
    ),
    "campaigns/reviews/final.py:tell_final_review: … left out that the label set calls": Pair(
        final(n_left_out=1), final()
    ),
    "campaigns/reviews/final.py:_tell_way: People may judge their own answers, as in": Pair(
        final(allows_own=True), final()
    ),
    "campaigns/reviews/final.py:_tell_way: Nobody judges a label that they gave.": Pair(final(), final(n_own=1)),
    "campaigns/reviews/final.py:_tell_way: Nobody judges a label that they gave, but": Pair(final(n_own=1), final()),
    "kinds/review/making.py:note_tasks: … of … show scores.": Pair(
        lambda folder: note_tasks({"n_pairs": 3, "n_images": 1, "n_reviews": 3, "n_scored": 1}),
        lambda folder: note_tasks({"n_pairs": 3, "n_images": 1, "n_reviews": 3}),
    ),
    "kinds/review/results.py:_describe: … by the plurality of reviewers; they disagreed": Always(COUNTS, labels()),
    "kinds/review/results.py:_describe: Fewer than … votes leave … open.": Pair(
        labels(min_votes=3), labels(min_votes=2)
    ),
    "kinds/review/results.py:_describe: … of one expert alone, to whom reviewers": Pair(
        labels(is_expert=True), labels()
    ),
    "kinds/review/results.py:_describe: … referred … for an expert and …": Pair(
        labels(n_referred=1), labels(is_expert=True, n_referred=1)
    ),
    "workflows/annotation/barred_experts.py:describe_unreached: … … for an expert in …, and": Pair(
        lambda folder: describe_unreached("experts", UnreachedLabels({"dog": 1}, {})),
        lambda folder: [*describe_unreached("experts", UnreachedLabels({}, {})), "end"],
    ),
    "workflows/annotation/barred_experts.py:describe_unreached: … … for an expert in …, and #2": Pair(
        lambda folder: describe_unreached("experts", UnreachedLabels({}, {"dog": 1})),
        lambda folder: [*describe_unreached("experts", UnreachedLabels({}, {})), "end"],
    ),
    "workflows/annotation/referrals.py:describe_lack: … … for an expert in …, and": Pair(
        lambda folder: describe_lack([ReferralCount("dog", 1, 0, 0)]),
        lambda folder: [*describe_lack([ReferralCount("dog", 1, 0, 1)]), "end"],
    ),
    "kinds/review/results.py:_describe: … on a class that was not asked": Pair(labels(is_added=True), labels()),
    "kinds/review/results.py:_describe: … left out as problematic: ….": Pair(
        labels(problems=("inappropriate", "inappropriate")), labels(problems=("inappropriate",))
    ),
    "kinds/review/results.py:_describe_looking: … of … complete: … reviewers or more": Pair(
        labels(n_looking=2), labels()
    ),
    "kinds/review/results.py:_describe_gold: … on gold items, … of which say": Pair(
        labels(gold=Verdict.WRONG), labels()
    ),
    "kinds/review/rounds.py:explain_few: and it needs …; invite more reviewers.": Always(
        SAYS_SO, lambda folder: explain_few(3)
    ),
    "workflows/campaigns/assigning.py:describe_few: … of … cannot be finished: … answers": Pair(
        lambda folder: list(describe_few([3, 3], 3)), lambda folder: [*describe_few([], 3), "end"]
    ),
    "workflows/campaigns/assigning.py:describe_no_expert: … of … cannot be finished: … referred": Pair(
        lambda folder: list(describe_no_expert(2, 3)), lambda folder: [*describe_no_expert(0, 3), "end"]
    ),
}
