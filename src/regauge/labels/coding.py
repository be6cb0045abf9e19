"""What coders said of mistakes → what most of them said; a shared first place stays open, for they can talk about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from regauge.arrays import CountArray
from regauge.records.mistakes.coders import CODER_REASONS, NO_CODE, Aspect, CoderVotes, DecidedMistakes

ASPECTS = tuple(Aspect)


def decide_mistakes(votes: CoderVotes, names: Sequence[str]) -> DecidedMistakes:
    """What most coders said of each mistake, by image and prediction.

    Whether it is one at all is decided by all votes; its category and its severity, each by itself, by those who code it. Where
    several answers share the first place, that is open. Of the reasons why it is none the one that most give holds, of equally
    frequent ones the first in the order of `CODER_REASONS`: all of them say the same of the mistake.

    Args:
        votes: what every coder said, once of each mistake.
        names: the list of categories.

    Raises:
        InputError: the list lacks a category that a coder chose.
    """
    codes, is_gone = votes.find_codes(names), votes.is_overturned
    keys = votes.images.astype(np.int64) << 32 | votes.predictions
    distinct, places = np.unique(keys, return_inverse=True)
    rows_of = list_rows(places, len(distinct))
    n_votes = np.bincount(places, minlength=len(distinct))
    n_gone = np.bincount(places[is_gone], minlength=len(distinct))
    is_overturned = 2 * n_gone > n_votes
    coded = [[row for row in rows if not is_gone[row]] for rows in rows_of]
    chosen = [_find_most([codes[row] for row in rows]) for rows in coded]
    severe = [_find_most([votes.severities[row] for row in rows]) for rows in coded]
    is_shared = np.zeros((len(distinct), len(ASPECTS)), np.bool_)
    is_shared[:, 0] = 2 * n_gone == n_votes
    for aspect, most in ((1, chosen), (2, severe)):
        is_shared[:, aspect] = ~is_overturned & np.array([is_one for _, is_one in most], np.bool_)
    said = [{(int(codes[row]), int(votes.severities[row])) for row in rows} for rows in rows_of]
    return DecidedMistakes(
        images=(distinct >> 32).astype(np.int32),
        predictions=(distinct & 0xFFFFFFFF).astype(np.int32),
        n_votes=n_votes,
        n_overturning=n_gone,
        is_overturned=is_overturned,
        categories=np.where(is_overturned | is_shared[:, 1], NO_CODE, [one for one, _ in chosen]).astype(np.int8),
        severities=np.where(is_overturned | is_shared[:, 2], NO_CODE, [one for one, _ in severe]).astype(np.int8),
        reasons=tuple(
            _find_reason([votes.reasons[row] for row in rows]) if gone else ""
            for rows, gone in zip(rows_of, is_overturned.tolist(), strict=True)
        ),
        notes=tuple(
            _join([votes.notes[row] for row in rows if is_gone[row] == gone])
            for rows, gone in zip(rows_of, is_overturned.tolist(), strict=True)
        ),
        is_shared=is_shared,
        is_unanimous=np.array([len(one) == 1 for one in said], np.bool_),
    )


def find_places(votes: CoderVotes, decided: DecidedMistakes) -> CountArray:
    """Per vote, the place of its mistake among those that were decided."""
    keys = decided.images.astype(np.int64) << 32 | decided.predictions
    return np.searchsorted(keys, votes.images.astype(np.int64) << 32 | votes.predictions)


def list_rows(places: CountArray, n: int) -> list[list[int]]:
    """Per place, the rows that name it."""
    rows_of: list[list[int]] = [[] for _ in range(n)]
    for row, place in enumerate(places.tolist()):
        rows_of[place].append(row)
    return rows_of


def _join(notes: Sequence[str]) -> str:
    return " | ".join(dict.fromkeys(one for one in notes if one))


def _find_most(said: Sequence[np.int8]) -> tuple[int, bool]:
    """What was said most often, and whether something else was said as often."""
    most = Counter(int(one) for one in said).most_common(2)
    if not most:
        return NO_CODE, False
    return most[0][0], len(most) > 1 and most[0][1] == most[1][1]


def _find_reason(said: Sequence[str]) -> str:
    counts = Counter(one for one in said if one)
    order = {one: place for place, one in enumerate(CODER_REASONS)}
    return min(counts, key=lambda one: (-counts[one], order.get(one, len(order)), one))
