"""What is odd about annotators of a running campaign, in sentences with the figures. Flags drop nobody by themselves.

What is odd about answers of a kind is found by the kind, see `regauge.responses.flags` and `copies`. Whatever it is, these are:

disagrees           agreement with the others far below the median annotator's, even at its upper limit
inconsistent        the same for answers to hidden repeats
negative-controls   half or more of the negative controls selected, even at the upper limit of what is right
impossible-times    more time claimed than there can have been: not all of it by a page of ours
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from regauge.arrays import BoolArray, CountArray, FloatArray
from regauge.estimates import count_things, format_percent
from regauge.records.responses.figures import AnnotatorCounts, AnnotatorFigures
from regauge.records.responses.quality import Flag
from regauge.responses.agreement import AgreeingPair
from regauge.responses.flags import AGREEMENT, TOO_FAST, FlagRules, find_fast
from regauge.stats.intervals import clopper_pearson

DISAGREES, INCONSISTENT, NEGATIVE_CONTROLS = "disagrees", "inconsistent", "negative-controls"
IMPOSSIBLE_TIMES = "impossible-times"
MARGIN = 0.15
"""So far below the median annotator's share the upper limit of somebody's must lie to be flagged."""
MIN_RIGHT = 0.5
"""Below this the upper limit of negative controls answered rightly must lie to be flagged."""
RULES = FlagRules()
OTHER = "{other}"
"""Stands for what another annotator is called, which may change."""


@dataclass(frozen=True, slots=True)
class Oddity:
    """Something odd about somebody.

    Attributes:
        name: the rule.
        sentence: the figures, with `OTHER` for whom it is about beside them.
        other: the place of that annotator; None where it is about nobody else.
    """

    name: str
    sentence: str
    other: int | None = None

    def to_flag(self, names: Sequence[str]) -> Flag:
        """The flag, with what people are called now."""
        return Flag(self.name, self.sentence if self.other is None else self.sentence.replace(OTHER, names[self.other]))


def add_common(figures: AnnotatorFigures, found: list[list[Oddity]]) -> list[tuple[Oddity, ...]]:
    """Per annotator what was found, and what is odd whatever the kind of task.

    Args:
        figures: what is known of every annotator.
        found: what is odd about each by the kind.
    """
    is_judged = figures.n_answers >= RULES.min_tasks
    _describe_low(DISAGREES, figures.agreement, is_judged, found)
    _describe_low(INCONSISTENT, figures.consistency, is_judged, found)
    _describe_negatives(figures.negative, found)
    _describe_times(figures.n_impossible, found)
    return [tuple(own) for own in found]


def describe_pairs(pairs: Sequence[AgreeingPair], what: str, *, found: list[list[Oddity]]) -> None:
    """Add to what was found who answers as somebody else does; `what` is what they were compared on."""
    for pair in pairs:
        share, chance = format_percent(pair.n_agreed / pair.n_cells), format_percent(pair.n_expected / pair.n_cells)
        for one, other in ((pair.first, pair.second), (pair.second, pair.first)):
            sentence = (
                f"Gives the same answers as {OTHER} on {share} of the {pair.n_cells:,} {what} that both saw; {chance} "
                "would be "
                "expected."
            )
            found[one].append(Oddity(AGREEMENT, sentence, other))


def describe_speed(
    seconds: FloatArray, what: str, *, floor: float, is_judged: BoolArray, found: list[list[Oddity]]
) -> None:
    """Add who is faster than anybody can look, alone or not, and who takes less than a third of what the others do.

    Args:
        seconds: per annotator the median of their credited seconds.
        what: per what these are.
        floor: seconds below which anybody is odd, whatever others take.
        is_judged: who has enough answers for a median.
        found: what was found so far.
    """
    is_below = is_judged & (seconds < floor)
    for one in list_places(is_below):
        sentence = f"Takes {seconds[one]:.2g} s per {what}, less than the floor of {floor:g} s."
        found[one].append(Oddity(TOO_FAST, sentence))
    for one in list_places(find_fast(seconds, share=RULES.fast_share) & ~is_below):
        usual = float(np.nanmedian(seconds))
        sentence = (
            f"Takes {seconds[one]:.2g} s per {what}, less than a third of the {usual:.2g} s of the median annotator."
        )
        found[one].append(Oddity(TOO_FAST, sentence))


_WORDS = {
    DISAGREES: ("Agrees with the others on", "votes"),
    INCONSISTENT: ("Answers as before on", "votes when asked again"),
}


def _describe_low(name: str, counts: AnnotatorCounts, is_judged: BoolArray, found: list[list[Oddity]]) -> None:
    values = counts.values
    if np.isfinite(values[is_judged]).sum() < 3:
        return
    usual = float(np.nanmedian(values[is_judged]))
    high = clopper_pearson(counts.n_right, counts.n).high
    begin, what = _WORDS[name]
    for one in list_places(is_judged & (np.nan_to_num(high, nan=1.0) < usual - MARGIN)):
        sentence = (
            f"{begin} {format_percent(values[one])} of {counts.n[one]:,} {what}; the median annotator on "
            f"{format_percent(usual)}."
        )
        found[one].append(Oddity(name, sentence))


def _describe_negatives(negative: AnnotatorCounts, found: list[list[Oddity]]) -> None:
    high = clopper_pearson(negative.n_right, negative.n).high
    for one in list_places(np.nan_to_num(high, nan=1.0) < MIN_RIGHT):
        n_wrong = negative.n[one] - negative.n_right[one]
        sentence = f"Selects {n_wrong:,} of {negative.n[one]:,} negative controls, which do not show the class."
        found[one].append(Oddity(NEGATIVE_CONTROLS, sentence))


def _describe_times(n_impossible: CountArray, found: list[list[Oddity]]) -> None:
    for one in list_places(n_impossible > 0):
        n = int(n_impossible[one])
        sentence = (
            f"Claims more time than had passed for {count_things(n, 'answer')}; only time that had passed is credited."
        )
        found[one].append(Oddity(IMPOSSIBLE_TIMES, sentence))


def list_places(where: BoolArray) -> list[int]:
    """The annotators of whom something is so."""
    found: list[int] = np.flatnonzero(where).tolist()
    return found
