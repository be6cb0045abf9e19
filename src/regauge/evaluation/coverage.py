"""What is said of participants who answer fewer images than there are, or more, or with too few answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from regauge.arrays import NO_CLASS, IntArray
from regauge.estimates import count_things, join_words
from regauge.records.predictions import Predictions

MOST_NAMED = 3
"""Of more participants who are alike, the first two are named."""

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")

_Alike = TypeVar("_Alike")


@dataclass(frozen=True, slots=True)
class Coverage:
    """Which images a participant answers, and with how many answers.

    Attributes:
        participant: who.
        n_images: images of the target.
        n_missing: those of them that the participant does not answer.
        n_extra: other images that it answers.
        absent: how many answers metrics look at of which it gives fewer, with the metrics.
    """

    participant: str
    n_images: int
    n_missing: int
    n_extra: int
    absent: tuple[tuple[int, tuple[str, ...]], ...]


def find_coverage(predictions: Predictions, answers: IntArray, *, wanted: Iterable[tuple[int, str]]) -> Coverage:
    """The coverage of a participant's answers.

    Args:
        predictions: what the participant answered.
        answers: the same in the order of the target's images.
        wanted: how many answers each metric looks at.
    """
    n_missing = int((answers[:, 0] == NO_CLASS).sum())
    absent: dict[int, dict[str, None]] = {}
    n_given = count_answers(answers)
    for n_answers, metric in wanted:
        if n_answers > n_given:
            absent.setdefault(n_answers, {})[metric] = None
    n_extra = len(predictions) - (len(answers) - n_missing)
    lacks = tuple((n_answers, tuple(metrics)) for n_answers, metrics in absent.items())
    return Coverage(predictions.participant, len(answers), n_missing, n_extra, lacks)


def count_answers(answers: IntArray) -> int:
    """How many answers there are on every image that is answered at all."""
    answered = answers[answers[:, 0] != NO_CLASS]
    return int((answered != NO_CLASS).sum(axis=1).min()) if len(answered) else 0


def note_coverages(coverages: Sequence[Coverage], target: str) -> Iterator[str]:
    """What is missing, what is too much, and which metrics are absent: once of all of whom the same is to be said."""
    n_all = len(coverages)
    for (n_missing, n_images), names in _group((one.participant, (one.n_missing, one.n_images)) for one in coverages):
        if n_missing and len(names) == 1:
            yield f"{names[0]} has no prediction for {n_missing:,} of {n_images:,} images; it is scored on the rest."
        elif n_missing:
            who = _name(names, n_all)
            yield f"{who} have no prediction for {n_missing:,} of {n_images:,} images each; they are scored on the rest."
    for n_extra, names in _group((one.participant, one.n_extra) for one in coverages):
        if n_extra and len(names) == 1:
            others = count_things(n_extra, "image that is", many="images that are")
            yield f"{names[0]} also answers {others} not in {target} (ignored)."
        elif n_extra:
            others = count_things(n_extra, "image each that is", many="images each that are")
            yield f"{_name(names, n_all)} also answer {others} not in {target} (ignored)."
    lacking = ((one.participant, lack) for one in coverages for lack in one.absent)
    for (n_answers, metrics), names in _group(lacking):
        give = "gives" if len(names) == 1 else "give"
        are = "is" if len(metrics) == 1 else "are"
        yield (
            f"{_name(names, n_all)} {give} fewer than {_spell(n_answers)} answers for some images; "
            f"{join_words(metrics)} {are} absent."
        )


def _group(said: Iterable[tuple[str, _Alike]]) -> Iterator[tuple[_Alike, list[str]]]:
    """Of whom the same is to be said, in the order of the first ones."""
    groups: dict[_Alike, list[str]] = {}
    for participant, what in said:
        groups.setdefault(what, []).append(participant)
    yield from groups.items()


def _name(names: Sequence[str], n_all: int) -> str:
    """Some of all participants, as the subject of a sentence.

    >>> _name(["a", "b", "c"], 9), _name(["a", "b", "c", "d"], 9), _name(["a", "b", "c", "d"], 4)
    ('a, b and c', 'a, b and 2 others', 'All 4 participants')
    """
    if len(names) == n_all > 1:
        return f"All {n_all:,} participants"
    if len(names) <= MOST_NAMED:
        return join_words(names)
    return f"{', '.join(names[: MOST_NAMED - 1])} and {len(names) - MOST_NAMED + 1:,} others"


def _spell(number: int) -> str:
    """The number in letters up to ten, as text has it.

    >>> _spell(5), _spell(20)
    ('five', '20')
    """
    return _NUMBERS[number] if number < len(_NUMBERS) else f"{number:,}"
