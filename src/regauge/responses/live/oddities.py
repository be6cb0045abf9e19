"""What is odd about annotators of a running campaign, in sentences with the figures. Flags drop nobody by themselves.

Answers to grids are looked at as finished ones are, see `regauge.responses.flags`; of the signs there, labels of images have
too-fast, same-answer and agreement, see `copies`. Beside those:

disagrees           agreement with the others far below the median annotator's, even at its upper limit
inconsistent        the same for answers to hidden repeats
negative-controls   half or more of the negative controls selected, even at the upper limit of what is right
impossible-times    more time claimed than there can have been: not all of it by a page of ours
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from regauge.records.arrays import BoolArray, CountArray, FloatArray
from regauge.records.campaigns import ResponseStatus
from regauge.records.estimates import format_percent
from regauge.records.ledgers import CODE_OF, LedgerColumns, TaskColumns
from regauge.records.quality import Flag
from regauge.records.responses import ContainsResponses
from regauge.responses.agreement import Agreement
from regauge.responses.flags import (
    AGREEMENT,
    LONG_RUNS,
    SAME_ANSWER,
    SAME_PATTERN,
    TOO_FAST,
    FlagRules,
    Flags,
    find_fast,
    find_flags,
)
from regauge.responses.live.copies import find_copies
from regauge.responses.live.figures import AnnotatorFigures, Counts
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
_REPEAT = CODE_OF[ResponseStatus.REPEAT]


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


def find_oddities(
    figures: AnnotatorFigures, answers: ContainsResponses | LedgerColumns, *, tasks: TaskColumns
) -> list[tuple[Oddity, ...]]:
    """Per annotator what is odd, from all of their answers.

    Args:
        figures: what is known of every annotator.
        answers: the answers to grids (CONTAINS), or all rows of the ledger (CLASSIFY); copies, so that it may change meanwhile.
        tasks: the tasks that they are to, or more.
    """
    is_judged = figures.n_answers >= RULES.min_tasks
    found: list[list[Oddity]] = [[] for _ in range(len(figures))]
    if isinstance(answers, LedgerColumns):
        _describe_speed(figures.median_seconds, found)
        _describe_same(answers, tasks, is_judged, found)
        copies, _ = find_copies(answers, n_tasks=len(tasks), max_p=RULES.max_p, min_excess=RULES.min_excess)
        _describe_pairs(copies, "images", found)
    elif len(answers):
        _describe_grids(answers, find_flags(answers, rules=RULES), found)
    _describe_low(DISAGREES, figures.agreement, is_judged, found)
    _describe_low(INCONSISTENT, figures.consistency, is_judged, found)
    _describe_negatives(figures.negative, found)
    _describe_times(figures.n_impossible, found)
    return [tuple(own) for own in found]


def _describe_grids(responses: ContainsResponses, flags: Flags, found: list[list[Oddity]]) -> None:
    per_image = flags.seconds_per_image
    usual = float(np.nanmedian(per_image)) if not np.isnan(per_image).all() else np.nan
    for one in _find(flags.is_flagged[TOO_FAST]):
        sentence = (
            f"Takes {per_image[one]:.2g} s per image, less than a third of the {usual:.2g} s of the median annotator."
        )
        found[one].append(Oddity(TOO_FAST, sentence))
    for name in (SAME_ANSWER, SAME_PATTERN, LONG_RUNS):
        for one in _find(flags.is_flagged[name]):
            found[one].append(Oddity(name, _describe_pattern(responses, one, name)))
    _describe_pairs(flags.agreements, "cells", found)


def _describe_pairs(pairs: Sequence[Agreement], what: str, found: list[list[Oddity]]) -> None:
    for pair in pairs:
        share, chance = format_percent(pair.n_agreed / pair.n_cells), format_percent(pair.n_expected / pair.n_cells)
        for one, other in ((pair.first, pair.second), (pair.second, pair.first)):
            sentence = (
                f"Answers as {OTHER} does on {share} of the {pair.n_cells:,} {what} that both saw; {chance} would be "
                "expected."
            )
            found[one].append(Oddity(AGREEMENT, sentence, other))


def _describe_pattern(responses: ContainsResponses, annotator: int, name: str) -> str:
    rows = np.flatnonzero(responses.response_annotators == annotator)
    masks = responses.masks[rows]
    sizes = np.diff(responses.grids.starts)[responses.response_grids[rows]]
    n_selected = np.bitwise_count(masks).astype(np.int64)
    if name == SAME_ANSWER:
        n_all, n_none = int((n_selected == sizes).sum()), int((n_selected == 0).sum())
        what, n = ("every image", n_all) if n_all >= n_none else ("no image", n_none)
        return f"Selects {what} in {n:,} of {rows.size:,} answers."
    if name == SAME_PATTERN:
        n = int(np.unique(np.stack([masks, sizes.astype(np.uint64)]), axis=1, return_counts=True)[1].max())
        return f"Selects the same cells in {n:,} of {rows.size:,} answers, whatever the grid shows."
    inner = np.uint64(2**63 - 1) >> (np.uint64(64) - sizes.astype(np.uint64))
    is_mixed = (n_selected > 0) & (n_selected < sizes)
    n_runs = 1 + np.bitwise_count((masks ^ (masks >> np.uint64(1))) & inner)[is_mixed].astype(np.int64)
    expected = 1 + 2 * n_selected[is_mixed] * (sizes - n_selected)[is_mixed] / sizes[is_mixed]
    return (
        f"Equal answers lie together in {int(n_runs.sum()):,} runs, where random places would give "
        f"{expected.sum():,.0f}."
    )


def _describe_speed(medians: FloatArray, found: list[list[Oddity]]) -> None:
    for one in _find(find_fast(medians, share=RULES.fast_share)):
        usual = float(np.nanmedian(medians))
        sentence = (
            f"Takes {medians[one]:.2g} s per task, less than a third of the {usual:.2g} s of the median annotator."
        )
        found[one].append(Oddity(TOO_FAST, sentence))


def _describe_same(columns: LedgerColumns, tasks: TaskColumns, is_judged: BoolArray, found: list[list[Oddity]]) -> None:
    """Who selects every candidate, or none, nearly always."""
    sizes = tasks.sizes[columns.tasks]
    # A task with one candidate leaves no other answers than all and none.
    is_open = (sizes > 1) & (columns.statuses != _REPEAT)
    n_selected = np.bitwise_count(columns.masks)
    n = np.bincount(columns.annotators[is_open], minlength=len(is_judged))
    for what, where in (("every candidate", n_selected == sizes), ("no label", n_selected == 0)):
        n_same = np.bincount(columns.annotators[is_open & where], minlength=len(is_judged))
        for one in _find(is_judged & (n > 0) & (n_same >= RULES.same_answer_share * n)):
            found[one].append(Oddity(SAME_ANSWER, f"Selects {what} in {n_same[one]:,} of {n[one]:,} answers."))


_WORDS = {
    DISAGREES: ("Agrees with the others on", "votes"),
    INCONSISTENT: ("Answers as before on", "votes when asked again"),
}


def _describe_low(name: str, counts: Counts, is_judged: BoolArray, found: list[list[Oddity]]) -> None:
    values = counts.values
    if np.isfinite(values[is_judged]).sum() < 3:
        return
    usual = float(np.nanmedian(values[is_judged]))
    high = clopper_pearson(counts.n_right, counts.n).high
    begin, what = _WORDS[name]
    for one in _find(is_judged & (np.nan_to_num(high, nan=1.0) < usual - MARGIN)):
        sentence = (
            f"{begin} {format_percent(values[one])} of {counts.n[one]:,} {what}; the median annotator on "
            f"{format_percent(usual)}."
        )
        found[one].append(Oddity(name, sentence))


def _describe_negatives(negative: Counts, found: list[list[Oddity]]) -> None:
    high = clopper_pearson(negative.n_right, negative.n).high
    for one in _find(np.nan_to_num(high, nan=1.0) < MIN_RIGHT):
        n_wrong = negative.n[one] - negative.n_right[one]
        sentence = f"Selects {n_wrong:,} of {negative.n[one]:,} negative controls, which do not show the class."
        found[one].append(Oddity(NEGATIVE_CONTROLS, sentence))


def _describe_times(n_impossible: CountArray, found: list[list[Oddity]]) -> None:
    for one in _find(n_impossible > 0):
        n = int(n_impossible[one])
        sentence = (
            f"Claims more time than there was for {n:,} {'answer' if n == 1 else 'answers'}; only time that there was "
            "is credited."
        )
        found[one].append(Oddity(IMPOSSIBLE_TIMES, sentence))


def _find(where: BoolArray) -> list[int]:
    found: list[int] = np.flatnonzero(where).tolist()
    return found
