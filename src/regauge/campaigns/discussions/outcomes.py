"""What a panel decides, and what its discussion changed: by the votes of round 1, and by those that count in the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from regauge.estimates import DEFAULT_LEVEL, Share, count_things, make_share
from regauge.records.campaigns.discussions import (
    DiscussionEffects,
    DiscussionStanding,
    ItemStanding,
    PluralityOutcome,
    list_questions,
)
from regauge.stats.intervals import clopper_pearson

_Who = TypeVar("_Who", int, str)

UNCLEAR = "unclear"
"""What a shared first place is."""


def decide(votes: Iterable[str]) -> PluralityOutcome:
    """The vote that most gave; unclear where several share the first place.

    >>> decide(["correct", "correct", "wrong"]).vote, decide(["correct", "wrong"]).vote
    ('correct', 'unclear')
    """
    counts = Counter(votes)
    ranked = counts.most_common()
    n = sum(counts.values())
    if not ranked:
        return PluralityOutcome(UNCLEAR, 0, 0, is_shared=False)
    is_shared = len(ranked) > 1 and ranked[0][1] == ranked[1][1]
    return PluralityOutcome(UNCLEAR if is_shared else ranked[0][0], ranked[0][1], n, is_shared=is_shared)


def decide_item(item: ItemStanding, *, is_first: bool = False) -> dict[str, PluralityOutcome]:
    """The outcome on every question of an item, by the votes that count or by those of round 1."""
    votes = [one.first if is_first else one.final for one in item.stances]
    return {question: decide(one[question] for one in votes if question in one) for question in list_questions(votes)}


def is_decided(item: ItemStanding) -> bool:
    """Whether an item is decided: a chair locked it, and all whose votes decide have voted."""
    return item.is_locked and not item.missing


def measure_effects(
    standing: DiscussionStanding, questions: Mapping[str, Sequence[str]] | None = None, *, level: float = DEFAULT_LEVEL
) -> DiscussionEffects:
    """How often discussion changed what the panel decides, of all questions of items that are decided.

    Args:
        standing: the discussion.
        questions: only those that stand here, by the number of the item as a text; all by default.
        level: nominal coverage of the intervals.
    """
    found = (
        rounds
        for item in standing.items
        if is_decided(item)
        for question, rounds in _list_rounds(item)
        if questions is None or question in questions.get(str(item.task_id), ())
    )
    return compare_rounds(found, level=level)


def compare_rounds(
    rounds: Iterable[tuple[Mapping[_Who, str], Mapping[_Who, str]]], *, level: float = DEFAULT_LEVEL
) -> DiscussionEffects:
    """How often discussion changed the outcome, from the votes of round 1 and those that count, of each question by who voted."""
    directions: Counter[tuple[str, str]] = Counter()
    n = n_changed = n_single = n_minority = n_disputed = 0
    for first, final in rounds:
        before, after = decide(first.values()), decide(final.values())
        n += 1
        n_minority += not after.has_majority
        n_disputed += len(set(first.values())) > 1
        if before.vote != after.vote:
            n_changed += 1
            directions[before.vote, after.vote] += 1
            n_single += sum(vote != final.get(who) for who, vote in first.items()) == 1
    return DiscussionEffects(
        n_decided=n,
        n_disputed=n_disputed,
        changed=_share(n_changed, n, level),
        single=_share(n_single, n_changed, level),
        directions=dict(sorted(directions.items())),
        without_majority=_share(n_minority, n, level),
    )


def describe_effects(effects: DiscussionEffects) -> Iterator[str]:
    """What discussion changed."""
    changed, single, few = effects.changed, effects.single, effects.without_majority
    n = count_things(effects.n_decided, "outcome")
    yield f"Discussion changed {changed.k:,} of {n} ({changed}); round 1 was not unanimous on {effects.n_disputed:,}."
    if changed.k:
        ways = ", ".join(f"{k:,} from {before} to {after}" for (before, after), k in effects.directions.items())
        turned = f"in {single.k:,} of {changed.k:,} a single panelist's vote turned it ({single})"
        yield f"Of the outcomes that changed, {ways}; {turned}."
    if few.k:
        yield f"{few.k:,} of {n} decided without more than half of the votes ({few})."


def describe_version(name: str, effects: DiscussionEffects) -> Iterator[str]:
    """What discussion changed in a version of a label set; nothing of one that no panel made."""
    if effects.n_decided:
        yield f"A panel discussed what is new in {name}."
        yield from describe_effects(effects)


def _list_rounds(item: ItemStanding) -> Iterator[tuple[str, tuple[dict[int, str], dict[int, str]]]]:
    """Every question that both rounds voted on, with who voted what in each."""
    asked = set(list_questions([one.first for one in item.stances]))
    for question in list_questions([one.final for one in item.stances]):
        if question in asked:
            first = {one.annotator_id: one.first[question] for one in item.stances if question in one.first}
            yield (
                question,
                (first, {one.annotator_id: one.final[question] for one in item.stances if question in one.final}),
            )


def _share(k: int, n: int, level: float) -> Share[float | None]:
    low, high = clopper_pearson(k, n, level=level)
    return make_share(k, n, limits=(float(low), float(high)), method="clopper-pearson")
