"""The table of annotators: how they did on controls, how fast they were, and what the rules and flags say."""

from __future__ import annotations

import numpy as np

from regauge.arrays import BoolArray, CountArray, FloatArray
from regauge.estimates import DEFAULT_LEVEL
from regauge.records.responses.annotator_tables import AnnotatorTable
from regauge.records.responses.answers import ContainsResponses
from regauge.records.responses.screening import ANNOTATOR_COLUMNS, Screening
from regauge.responses.flags import Flags
from regauge.stats.intervals import clopper_pearson


def describe_annotators(
    responses: ContainsResponses,
    screening: Screening,
    *,
    flags: Flags,
    repeats: tuple[CountArray, CountArray],
    level: float = DEFAULT_LEVEL,
) -> AnnotatorTable:
    """One row per annotator, over all of their responses.

    Right answers are positive controls selected and negative controls not selected, each with n and Clopper–Pearson interval;
    an annotator who saw none has no accuracy.

    Args:
        responses: the answers.
        screening: what the rules found.
        flags: what is odd.
        repeats: per annotator, votes on pairs that they had voted on before, and those of them like the first.
        level: nominal coverage of the intervals.
    """
    n = len(responses.annotator_ids)
    positions = range(n)
    columns = {
        "n_tasks": screening.n_tasks,
        "n_accepted": _add(responses, screening.is_accepted),
        "n_poor_tasks": screening.n_poor_tasks,
        **_measure(
            "positive", _add(responses, screening.n_positive_selected), _add(responses, screening.n_positive), level
        ),
        **_measure("negative", _find_unselected(responses, screening), _add(responses, screening.n_negative), level),
        "median_seconds": flags.median_seconds,
        "n_repeated": repeats[0],
        "n_repeated_alike": repeats[1],
        "dropped": screening.is_dropped & ~screening.is_restored,
        "restored": screening.is_restored,
        "reason": np.array([screening.describe_annotator(one) for one in positions], np.str_),
        "flags": np.array([flags.describe(one) for one in positions], np.str_),
    }
    return AnnotatorTable(responses.annotator_ids, columns, level, ANNOTATOR_COLUMNS)


def _measure(name: str, n_right: CountArray, n: CountArray, level: float) -> dict[str, CountArray | FloatArray]:
    low, high = clopper_pearson(n_right, n, level=level)
    accuracy = n_right / np.where(n > 0, n, np.nan)
    return {
        f"n_{name}": n,
        f"n_{name}_right": n_right,
        f"{name}_accuracy": accuracy,
        f"{name}_low": low,
        f"{name}_high": high,
    }


def _find_unselected(responses: ContainsResponses, screening: Screening) -> CountArray:
    return _add(responses, screening.n_negative - screening.n_negative_selected)


def _add(responses: ContainsResponses, values: CountArray | BoolArray) -> CountArray:
    sums = np.bincount(responses.response_annotators, weights=values, minlength=len(responses.annotator_ids))
    return sums.astype(np.int64)
