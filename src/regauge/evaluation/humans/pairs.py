"""All pairs of participants on the same images: McNemar's exact test with Holm's adjustment, and error consistency."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

import numpy as np
import polars as pl

from regauge.arrays import BoolArray, CountArray, FloatArray, divide
from regauge.errors import InputError
from regauge.evaluation.comparison import TANGO
from regauge.evaluation.humans.accuracies import Row
from regauge.evaluation.humans.judged import AnsweredSet, list_first
from regauge.evaluation.outcomes import Outcome
from regauge.evaluation.scoring import OUTER
from regauge.records.evaluation.humans.report import HumanSettings
from regauge.records.evaluation.humans.tables import HUMAN_TABLES, PAIRS
from regauge.records.predictions import ParticipantKind
from regauge.stats.all_pairs import OpenPairs, count_open_pairs, find_open_p
from regauge.stats.error_consistency import error_consistency, mean_error_consistency
from regauge.stats.multiplicity import holm
from regauge.stats.paired import DiscordantPairs, tango

BOOTSTRAP = "smoothed bootstrap"
JACKKNIFE = "infinitesimal jackknife"


@dataclass(frozen=True, slots=True, eq=False)
class PairedSet:
    """All pairs on one test set under one metric; arrays [participants, participants].

    Attributes:
        judged: everybody.
        metric: which accuracy.
        counts: on how many images they differ.
    """

    judged: AnsweredSet
    metric: str
    counts: OpenPairs

    @property
    def where(self) -> Row:
        """The columns that tell what this is of."""
        return {"test_set": self.judged.name, "labels": self.judged.measures[self.metric], "metric": self.metric}


def pair_up(judged: AnsweredSet, metric: str) -> PairedSet:
    """Count all pairs."""
    outcomes = judged.outcomes[metric]
    counts = count_open_pairs(
        outcomes == Outcome.RIGHT,
        outcomes == Outcome.UNJUDGED,
        is_counted=outcomes != Outcome.NOT_COUNTED,
        answers=judged.answers,
    )
    return PairedSet(judged, metric, counts)


def choose_family(names: Sequence[str], settings: HumanSettings) -> list[str]:
    """Those between whom tests are made.

    Raises:
        InputError: a glob matches nobody, or a family was declared of whom there is only one.
    """
    for glob in settings.pairs:
        if not any(fnmatchcase(name, glob) for name in names):
            raise InputError(f"No participant matches {glob!r}; there are: {list_first(names)}.")
    chosen = [name for name in names if any(fnmatchcase(name, glob) for glob in settings.pairs or ("*",))]
    if settings.pairs and len(chosen) == 1:
        raise InputError(
            f"A family of tests needs at least two participants, and {' '.join(settings.pairs)} matches {chosen[0]} alone; "
            "name more of them with `pairs=…`, or leave it out for all."
        )
    return chosen


def find_pair_tests(sets: Sequence[PairedSet], family: Sequence[str], *, settings: HumanSettings) -> pl.DataFrame:
    """McNemar's exact test between all pairs of the family on every set, with Holm's adjustment over all of them together.

    The participant that is more often right alone comes first. Unjudged predictions count as wrong in the difference; the p is
    that of the completion that is least favourable to there being one.
    """
    frames = [_test_set(one, family, settings) for one in sets]
    frame = pl.concat([pl.DataFrame(schema=dict(HUMAN_TABLES[PAIRS])), *frames], how="diagonal_relaxed")
    adjusted = holm(frame["p_mcnemar"].fill_null(np.nan).to_numpy())
    return frame.with_columns(pl.Series("p_holm", adjusted).fill_nan(None))


def find_consistency(one: PairedSet, settings: HumanSettings) -> Iterator[Row]:
    """Error consistency of all pairs."""
    places = np.triu_indices(len(one.judged.who), 1)
    n, n_both = one.counts.n[places], one.counts.n_both[places]
    only_first, only_second = (count[places] for count in one.counts.value)
    cells = np.stack([n_both, only_first, only_second, n - n_both - only_first - only_second], axis=-1)
    rng = np.random.default_rng(settings.seed)
    found = error_consistency(cells, rng=rng, n_resamples=settings.n_bootstrap, level=settings.level)
    columns = [n, *cells.T, found.observed, found.expected, found.kappa, *found.limits]
    names = ("n", "n_both_right", "n_only_first", "n_only_second", "n_both_wrong", "observed", "expected", "kappa")
    for place, (i, j) in enumerate(zip(*places, strict=True)):
        first, second = one.judged.who[i], one.judged.who[j]
        cells_of = {
            name: column[place] for name, column in zip((*names, "kappa_low", "kappa_high"), columns, strict=True)
        }
        yield {
            **one.where,
            "first": first.name,
            "first_kind": first.kind,
            "second": second.name,
            "second_kind": second.kind,
            **cells_of,
            "interval": None if np.isnan(found.kappa[place]) else BOOTSTRAP,
        }


def find_mean_consistency(one: PairedSet, settings: HumanSettings) -> Iterator[Row]:
    """The mean error consistency among people, between people and models, and among models."""
    judged, is_person = one.judged, one.judged.is_person
    earlier = np.triu(np.ones((len(judged.who), len(judged.who)), np.bool_), 1)
    kinds = {ParticipantKind.PERSON: is_person, ParticipantKind.MODEL: ~is_person}
    person, model = ParticipantKind.PERSON, ParticipantKind.MODEL
    for first, second in ((person, person), (person, model), (model, model)):
        either = np.outer(kinds[first], kinds[second])
        chosen: BoolArray = (either | either.T) & earlier
        if not chosen.any():
            continue
        counted = judged.is_counted(one.metric)
        # An image counts where somebody can be compared with somebody else.
        numbers = [counted[kinds[kind]].sum(axis=0) for kind in (first, second)]
        is_shared = numbers[0] > 1 if first is second else (numbers[0] > 0) & (numbers[1] > 0)
        rng = np.random.default_rng(settings.seed)
        found = mean_error_consistency(
            judged.is_right(one.metric), is_counted=counted, is_paired=chosen, rng=rng, level=settings.level
        )
        yield {
            **one.where,
            "first_kind": first,
            "second_kind": second,
            "n_pairs": found.n_pairs,
            "n": int(is_shared.sum()),
            "kappa": found.value,
            "kappa_low": float(found.limits.low),
            "kappa_high": float(found.limits.high),
            "interval": JACKKNIFE if found.n_pairs else None,
        }


def _test_set(one: PairedSet, family: Sequence[str], settings: HumanSettings) -> pl.DataFrame:
    chosen = np.array([place for place, name in enumerate(one.judged.names) if name in set(family)], np.int64)
    upper = np.triu_indices(len(chosen), 1)
    i, j = chosen[upper[0]], chosen[upper[1]]
    # The better one first: a difference is read more easily without a minus sign.
    swap = one.counts.value.n_only_first[i, j] < one.counts.value.n_only_second[i, j]
    i, j = np.where(swap, j, i), np.where(swap, i, j)
    n = one.counts.n[i, j]
    bounds = [_subtract(end, i, j, n) for end in (one.counts.lower, one.counts.upper)]
    limits = [
        tango(end.n_only_first[i, j], end.n_only_second[i, j], n=n, level=settings.level)
        for end in (one.counts.lower, one.counts.upper)
    ]
    names = np.array(one.judged.names, np.str_)
    is_open = bounds[0] < bounds[1]
    frame = pl.DataFrame(
        {
            "first": names[i] if len(i) else [],
            "second": names[j] if len(j) else [],
            "n": n,
            "n_only_first": one.counts.value.n_only_first[i, j],
            "n_only_second": one.counts.value.n_only_second[i, j],
            "difference": _subtract(one.counts.value, i, j, n),
            "difference_low": limits[0].low,
            "difference_high": limits[1].high,
            "difference_lower_bound": bounds[0],
            "difference_upper_bound": bounds[1],
            "difference_interval": [
                TANGO + OUTER * bool(some) if m else None for some, m in zip(is_open, n, strict=True)
            ],
            "p_mcnemar": find_open_p(one.counts)[i, j],
        },
        schema_overrides={name: kind for name, kind in HUMAN_TABLES[PAIRS].items() if name in _COLUMNS},
    )
    floats = [name for name, kind in frame.schema.items() if kind == pl.Float64]
    return frame.with_columns(
        *(pl.lit(value).alias(name) for name, value in one.where.items()),
        *(pl.col(name).fill_nan(None) for name in floats),
    )


_COLUMNS = frozenset(HUMAN_TABLES[PAIRS]) - {"test_set", "labels", "metric", "p_holm"}


def _subtract(end: DiscordantPairs, i: CountArray, j: CountArray, n: CountArray) -> FloatArray:
    return divide(end.n_only_first[i, j] - end.n_only_second[i, j], n)
