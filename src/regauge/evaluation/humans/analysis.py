"""From everybody's answers to all tables of people and models (Shankar et al. 2020, §5)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from regauge.arrays import NO_CLASS, IntArray, divide
from regauge.errors import InputError
from regauge.estimates import count_things
from regauge.evaluation.humans.accuracies import Row, measure_parts
from regauge.evaluation.humans.gaps import TwoSets, compare_gaps, measure_gaps
from regauge.evaluation.humans.judged import AnsweredSet, check_people
from regauge.evaluation.humans.missed import count_missed, list_missed
from regauge.evaluation.humans.pace import bin_accuracies, count_fast, measure_seconds
from regauge.evaluation.humans.pairs import (
    choose_family,
    find_consistency,
    find_mean_consistency,
    find_pair_tests,
    pair_up,
)
from regauge.evaluation.humans.parts import OBJECTS, find_class_groups, find_parts
from regauge.evaluation.humans.scatter import make_shifts
from regauge.evaluation.outcomes import Outcome
from regauge.records.evaluation.humans import tables as names
from regauge.records.evaluation.humans.report import HumanReport, HumanSettings, Labeler
from regauge.records.progress import Track, track_silently
from regauge.records.taxonomy import Taxonomy
from regauge.records.testsets.shared_images import NO_SHARED_IMAGES, SharedImages

Step = tuple[str, Callable[[], Iterable[Row] | pl.DataFrame]]


def compare_people_and_models(
    sets: Sequence[AnsweredSet],
    *,
    taxonomy: Taxonomy | None,
    settings: HumanSettings,
    shared: SharedImages = NO_SHARED_IMAGES,
    track: Track = track_silently,
) -> HumanReport:
    """Every table of people and models on one test set, or on two.

    Args:
        sets: everybody judged on the original set, and on the new one if there is one.
        taxonomy: the classes, which tell objects from organisms.
        settings: metrics, draws, bootstrap and level.
        shared: images that both sets share, by their rows among those that take part.
        track: who is told how many tables are done.

    Raises:
        InputError: a glob matches nobody, or a participant is a person on one set and a model on the other.
    """
    _check(sets, settings)
    metrics = tuple(sets[0].measures)
    order = _find_order(sets, metrics[0])
    sets = [judged.sort(order) for judged in sets]
    groups = find_class_groups(taxonomy, settings)
    two = TwoSets(sets[0], sets[1], shared) if len(sets) == 2 else None
    steps = list(_list_steps(_Work(sets, groups, settings, two), taxonomy=taxonomy))
    tables = {name: _make_frame(name, make()) for name, make in track(steps, "Comparing people and models")}
    return HumanReport(
        test_sets=tuple(judged.name for judged in sets),
        metrics=metrics,
        participants=tuple(_describe_participants(sets, order)),
        tables=tables,
        settings=settings,
        shifts={} if two is None else make_shifts(two, groups.get(OBJECTS), settings=settings),
        notes=tuple(_note(sets)),
        warnings=tuple(_warn(sets, metrics[0])),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Work:
    """What all tables are made of."""

    sets: Sequence[AnsweredSet]
    groups: dict[str, IntArray]
    settings: HumanSettings
    two: TwoSets | None

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics, the leading one first."""
        return tuple(self.sets[0].measures)

    def over_sets(self, make: Callable[[AnsweredSet], Iterable[Row]]) -> list[Row]:
        """The rows of one set after another."""
        return [row for judged in self.sets for row in make(judged)]

    def measure_accuracies(self) -> list[Row]:
        """Everybody on every subset, one metric after another."""
        return [
            row
            for metric in self.metrics
            for judged in self.sets
            for row in measure_parts(
                judged, find_parts(judged, self.groups, settings=self.settings), metric=metric, settings=self.settings
            )
        ]

    def measure_gaps(self) -> list[Row]:
        """The gaps of everybody on every subset; none where there is one set."""
        if self.two is None:
            return []
        found = [find_parts(judged, self.groups, settings=self.settings) for judged in self.two.sides]
        parts = {part.name: part for part in found[0]}, {part.name: part for part in found[1]}
        return [
            row
            for metric in self.metrics
            for row in measure_gaps(self.two, parts, metric=metric, settings=self.settings)
        ]


def _list_steps(work: _Work, *, taxonomy: Taxonomy | None) -> Iterator[Step]:
    """What makes each of the tables."""
    settings, first = work.settings, work.metrics[0]
    everybody = list(dict.fromkeys(name for judged in work.sets for name in judged.names))
    family = choose_family(everybody, settings)
    paired = [pair_up(judged, first) for judged in work.sets]
    two = work.two
    yield names.ACCURACIES, work.measure_accuracies
    yield names.GAPS, work.measure_gaps
    yield names.GAP_DIFFERENCES, lambda: [] if two is None else compare_gaps(two, metric=first, settings=settings)
    yield names.PAIRS, lambda: find_pair_tests(paired, family, settings=settings)
    yield (
        names.MISSED,
        lambda: work.over_sets(lambda judged: count_missed(judged, work.groups, metric=first, settings=settings)),
    )
    yield (
        names.MISSED_IMAGES,
        lambda: work.over_sets(lambda judged: list_missed(judged, metric=first, taxonomy=taxonomy)),
    )
    yield names.CONSISTENCY, lambda: [row for one in paired for row in find_consistency(one, settings)]
    yield names.MEAN_CONSISTENCY, lambda: [row for one in paired for row in find_mean_consistency(one, settings)]
    yield names.SECONDS, lambda: measure_seconds(work.sets, settings)
    yield names.FAST_IMAGES, lambda: work.over_sets(lambda judged: count_fast(judged, settings))
    yield names.ACCURACY_BY_SECONDS, lambda: bin_accuracies(work.sets, metric=first, settings=settings)


def _make_frame(name: str, rows: Iterable[Row] | pl.DataFrame) -> pl.DataFrame:
    """The rows as a table with all its columns; what is missing is null."""
    schema = names.HUMAN_TABLES[name]
    if isinstance(rows, pl.DataFrame):
        return rows.select(pl.col(column).cast(kind) for column, kind in schema.items())
    frame = pl.DataFrame([{key: _plain(value) for key, value in row.items()} for row in rows], schema=dict(schema))
    return frame.fill_nan(None)


def _plain(value: object) -> object:
    """Numbers and words without their types of NumPy and of ours."""
    if isinstance(value, np.generic):
        return value.item()
    return str(value) if isinstance(value, str) else value


def _check(sets: Sequence[AnsweredSet], settings: HumanSettings) -> None:
    check_people((name for judged in sets for name in judged.names), settings)
    kinds: dict[str, bool] = {}
    for judged in sets:
        for one in judged.who:
            if kinds.setdefault(one.name, one.is_person) is not one.is_person:
                raise InputError(
                    f"{one.name} is a person on one test set and a model on another; say the same in both files, or name the "
                    "people with `person=…`."
                )


def _find_order(sets: Sequence[AnsweredSet], metric: str) -> list[str]:
    """People first, then models; each by descending accuracy on the first set that they answered, ties by name."""
    keys: dict[str, tuple[bool, float, str]] = {}
    for judged in sets:
        accuracies = divide(judged.is_right(metric).sum(axis=1), judged.is_counted(metric).sum(axis=1))
        for one, accuracy in zip(judged.who, accuracies.tolist(), strict=True):
            keys.setdefault(one.name, (not one.is_person, 1.0 if np.isnan(accuracy) else -accuracy, one.name))
    return sorted(keys, key=lambda name: keys[name])


def _describe_participants(sets: Sequence[AnsweredSet], order: Sequence[str]) -> Iterator[Labeler]:
    who = {one.name: one for judged in sets for one in judged.who}
    n_images: Mapping[str, dict[str, int]] = {name: {} for name in order}
    for judged in sets:
        for one, answers in zip(judged.who, judged.answers, strict=True):
            n_images[one.name][judged.name] = int((answers != NO_CLASS).sum())
    for name in order:
        yield Labeler(name, who[name].kind, who[name].family, n_images[name])


def _note(sets: Sequence[AnsweredSet]) -> Iterator[str]:
    for judged in sets:
        if judged.n_left_out:
            yield (
                f"{judged.name}: {count_things(judged.n_left_out, 'image')} left out: no person answered them; include them with "
                "`all_images=True`."
            )
        for one, answers in zip(judged.who, judged.answers, strict=True):
            n_missing = int((answers == NO_CLASS).sum())
            if n_missing:
                yield (
                    f"{one.name} answered {len(answers) - n_missing:,} of {len(answers):,} images of {judged.name}: scored on "
                    "these, and compared on those that others also answered."
                )


def _warn(sets: Sequence[AnsweredSet], metric: str) -> Iterator[str]:
    for judged in sets:
        yield from (f"On {judged.name}, {warning}" for warning in judged.warnings)
        unjudged = (judged.outcomes[metric] == Outcome.UNJUDGED).sum(axis=1)
        if unjudged.any():
            n, n_all = int(unjudged.sum()), int(judged.is_counted(metric).sum())
            yield (
                f"On {judged.name}, {n:,} of {n_all:,} predictions are unjudged under {metric}: wrong as scored, and open in "
                "bounds and tests."
            )
