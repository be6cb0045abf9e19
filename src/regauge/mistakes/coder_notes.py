"""What is said of coders, a sentence each: how far they are, what is open, and what their discussion changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from regauge.estimates import count_things
from regauge.labels.coding import ASPECTS, decide_mistakes
from regauge.records.mistakes.coders import CoderVotes, DecidedMistakes, NamedAnswers


@dataclass(frozen=True, slots=True, eq=False)
class HeardCoders:
    """What coders said.

    Attributes:
        alone: what each said before they knew what the others say.
        final: what counts in the end; the same where nothing is discussed.
        n_open: mistakes that are discussed and that no chair has locked.
        is_discussed: whether coders talk about what they disagree on.
    """

    alone: CoderVotes
    final: CoderVotes
    n_open: int = 0
    is_discussed: bool = False


def describe_coders(
    votes: CoderVotes, decided: DecidedMistakes, *, n_mistakes: int, n_planned: int, is_discussed: bool = False
) -> Iterator[str]:
    """How far coders are, whether anybody is alone, and what is open, a sentence each.

    Args:
        votes: what each said.
        decided: what most said.
        n_mistakes: how many mistakes there are to look at.
        n_planned: how many coders each should have.
        is_discussed: whether only what a chair has locked is decided.
    """
    n_gone = int((decided.is_overturned & decided.is_settled).sum())
    n = count_things(n_mistakes, "mistake")
    if is_discussed:
        yield f"A chair has locked {len(decided):,} of {n}, and coders overturned {n_gone:,} of these."
    else:
        yield f"Coders looked at {len(decided):,} of {n} and overturned {n_gone:,}."
    n_alone = int((decided.n_votes == 1).sum())
    if len(votes.names) == 1:
        yield f"{votes.names[0]} alone coded these mistakes, so nobody knows how far others would agree."
    elif n_alone and n_planned > 1:
        yield f"{count_things(n_alone, 'mistake')} with one coder only, though {n_planned:,} were planned."
    yield from _describe_open(decided, is_discussed=is_discussed)


def _describe_open(decided: DecidedMistakes, *, is_discussed: bool) -> Iterator[str]:
    """What is left out since coders disagree and none of their answers has most votes."""
    n_open = int((~decided.is_settled).sum())
    if n_open:
        parts = [
            f"{aspect.value} {n:,}"
            for aspect, n in zip(ASPECTS, decided.is_shared.sum(axis=0).tolist(), strict=True)
            if n
        ]
        way = "Talking on, once a chair has unlocked them," if is_discussed else "A discussion, or one more coder,"
        yield (
            f"{count_things(n_open, 'mistake')} left out: as many coders say one thing as another ({', '.join(parts)}). {way} "
            "can settle that."
        )


def describe_taken(taken: Mapping[str, int]) -> Iterator[str]:
    """How many mistakes other codings decided, a sentence for each of these."""
    for coding, n in taken.items():
        yield f"{count_things(n, 'mistake')} taken over from {coding}, which decided the same image and prediction."


def describe_rounds(heard: HeardCoders, names: tuple[str, ...]) -> Iterator[str]:
    """What the discussion changed, and what it has left; nothing where there was none."""
    if not heard.is_discussed:
        return
    before, after = (_list_outcomes(votes, names) for votes in (heard.alone, heard.final))
    n_changed = sum(before.get(pair) != outcome for pair, outcome in after.items())
    yield f"The discussion changed what most coders say of {n_changed:,} of {count_things(len(after), 'locked mistake')}."
    if heard.n_open:
        yield f"{count_things(heard.n_open, 'mistake')} left out: not locked by a chair."


def _list_outcomes(votes: CoderVotes, names: tuple[str, ...]) -> dict[tuple[int, int], tuple[object, ...]]:
    decided = decide_mistakes(votes, names)
    pairs = zip(decided.images.tolist(), decided.predictions.tolist(), strict=True)
    shared = map(tuple, decided.is_shared.tolist())
    outcomes = zip(
        decided.is_overturned.tolist(), decided.categories.tolist(), decided.severities.tolist(), shared, strict=True
    )
    return dict(zip(pairs, outcomes, strict=True))


def describe_lost(lost: Mapping[str, int]) -> Iterator[str]:
    """How many mistakes other codings had decided before an erasure, a sentence for each of these."""
    for coding, n in lost.items():
        yield (
            f"{count_things(n, 'mistake')} that {coding} had decided left out: it was made with answers that were erased since, "
            "and nothing that takes its place decides them."
        )


def describe_named(named: NamedAnswers | None) -> Iterator[str]:
    """How many of a participant's mistakes a file named, where it did not name all."""
    if named is not None and len(named.pairs) < named.n_mistakes:
        yield (
            f"Only the mistakes of {named.participant} that a file named are coded: {len(named.pairs):,} of "
            f"{named.n_mistakes:,}."
        )
