"""Sentences about panels that discuss their votes: what a tie does, who is asked why, and what was decided and changed."""

from __future__ import annotations

from tests.campaigns.discussions.test_standing import CLOSED, cast, judge
from tests.sentences.entries import Always, Entries, Maker, Pair

from regauge.campaigns.discussions.outcomes import (
    compare_rounds,
    describe_effects,
    describe_version,
    is_decided,
    measure_effects,
)
from regauge.campaigns.discussions.standing import explain_waiting, find_refusal
from regauge.campaigns.discussions.words import describe_ties
from regauge.kinds.panel.making import note_tasks
from regauge.kinds.panel.results import _Decided, _name_without_majority, describe_outcomes
from regauge.records.campaigns.discussions import (
    DiscussionAct,
    DiscussionEntry,
    DiscussionStanding,
    ItemStanding,
    Stance,
)

LOCK = DiscussionEntry(2, DiscussionAct.LOCK, "ann", "2026-01-31T12:00:00.000Z", 7, until=10)
USUAL = {"7": "correct", "dataset label": "right", "image": "usable"}


def ties(n: int) -> Maker:
    """What a tie does on a panel of so many."""
    return lambda folder: [describe_ties(n), "end"]


def change(now: str) -> Maker:
    """Why a vote that was "wrong" is not changed to this without a word."""
    return lambda folder: [find_refusal({"label": "wrong"}, {"label": now}, argument=""), "end"]


def waiting(who: int, *, has_looked: bool = False) -> Maker:
    """Why an item waits for somebody, of whom the fourth and the fifth vote otherwise than the others."""

    def make(folder: object) -> list[str]:
        votes = cast((1, "a"), (2, "a"), (3, "a"), (4, "b"), (5, "c"))
        votes += cast((who, "a"), start=101, revision=1) if has_looked else []
        return [explain_waiting(judge(votes, CLOSED), who, closed=CLOSED)]

    return make


def discuss(*finals: str, firsts: tuple[str, ...] = (), **more: str) -> DiscussionStanding:
    """A discussion of one locked item, by what three panelists say of the prediction in the end and in round 1."""
    stances = tuple(
        Stance(who, {**USUAL, "7": first}, {**USUAL, "7": final, **more} if final else {})
        for who, (first, final) in enumerate(zip(firsts or finals, finals, strict=True), 1)
    )
    item = ItemStanding(1, {"images": [0], "classes": [7], "label": 3}, True, stances, lock=LOCK)
    return DiscussionStanding((1, 2, 3), (1,), CLOSED, (item,))


def outcomes(standing: DiscussionStanding) -> Maker:
    """What is said of what was decided."""
    return lambda folder: [*describe_outcomes([one for one in standing.items if is_decided(one)], standing), "end"]


def effects(standing: DiscussionStanding) -> Maker:
    """What is said of what changed."""
    return lambda folder: [*describe_effects(measure_effects(standing, {"1": ["7"]})), "end"]


def listed(standing: DiscussionStanding) -> Maker:
    """What was decided without a majority."""
    return lambda folder: [*_name_without_majority([_Decided(standing.items[0], "a.jpg")]), "end"]


AGREED = discuss("correct", "correct", "correct")
TURNED = discuss("correct", "correct", "wrong", firsts=("correct", "wrong", "wrong"))
EVEN = discuss("correct", "unclear", "wrong")
_STANDING = "campaigns/discussions/standing.py"
_OUTCOMES = "campaigns/discussions/outcomes.py"
_RESULTS = "kinds/panel/results.py"

ENTRIES: Entries = {
    "campaigns/discussions/words.py:describe_ties: On a panel of 2, every disagreement that": Pair(ties(2), ties(3)),
    "campaigns/discussions/words.py:describe_ties: A panel of … can be split in": Pair(ties(4), ties(5)),
    f"{_STANDING}:find_refusal: Say why you change your vote: the others": Pair(change("correct"), change("wrong")),
    f"{_STANDING}:explain_waiting: Somebody has argued or changed a vote since": Pair(
        waiting(1, has_looked=True), waiting(1)
    ),
    f"{_STANDING}:explain_waiting: You are in the minority, or nobody has": Pair(waiting(4), waiting(1)),
    f"{_STANDING}:explain_waiting: Those who vote otherwise have given their reasons;": Pair(waiting(1), waiting(4)),
    "kinds/panel/making.py:note_tasks: … vote on … of ….": Always(
        "it counts what is asked", lambda folder: [*note_tasks({"n_pairs": 3, "n_images": 2, "panel": [1, 2, 3]})]
    ),
    f"{_RESULTS}:describe_outcomes: …, and decided by the most votes; a": Always(
        "it counts what is locked", outcomes(AGREED)
    ),
    f"{_RESULTS}:describe_outcomes: … locked … left open: somebody whose vote": Pair(
        outcomes(discuss("correct", "correct", "")), outcomes(AGREED)
    ),
    f"{_RESULTS}:describe_outcomes: … problematic as the dataset label is wrong;": Pair(
        outcomes(discuss("correct", "wrong", "wrong", firsts=(), **{"dataset label": "wrong"})), outcomes(AGREED)
    ),
    f"{_RESULTS}:describe_outcomes: … problematic in the panel's own eyes.": Pair(
        outcomes(discuss("correct", "wrong", "wrong", image="problematic")), outcomes(AGREED)
    ),
    f"{_OUTCOMES}:describe_effects: Discussion changed … of … (…); round 1": Always(
        "it counts what changed", effects(AGREED)
    ),
    f"{_OUTCOMES}:describe_effects: Of the outcomes that changed, …; ….": Pair(effects(TURNED), effects(AGREED)),
    f"{_OUTCOMES}:describe_effects: … of … decided without more than half": Pair(effects(EVEN), effects(AGREED)),
    f"{_OUTCOMES}:describe_effects: in … of … a single panelist's vote": Pair(effects(TURNED), effects(AGREED)),
    f"{_OUTCOMES}:describe_version: A panel discussed what is new in ….": Pair(
        lambda folder: [*describe_version("panel@2", compare_rounds([({1: "wrong"}, {1: "wrong"})]))],
        lambda folder: [*describe_version("panel@2", compare_rounds([])), "end"],
    ),
    f"{_RESULTS}:_name_without_majority: Without more than half: …….": Pair(listed(EVEN), listed(AGREED)),
}
