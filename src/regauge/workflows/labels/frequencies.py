"""The selection frequencies that a study knows: behind its label sets, and in tables that are named."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from regauge.campaigns.adaptive import settle_rounds
from regauge.errors import InputError
from regauge.formats.labels.frequencies import is_table, load_selection_counts
from regauge.records.labels.frequencies import AnnotatorSpread, SelectionCounts
from regauge.records.studies import LabelSetEntry
from regauge.records.testsets.pool import DrawAnnotators, DrawEntry, DrawSources
from regauge.records.testsets.sampling import SamplingPlan, Strategy
from regauge.storage.campaigns.campaign import get_campaign
from regauge.storage.campaigns.extra_tasks import list_rounds_behind
from regauge.storage.labels.evidence import find_frequencies, find_spread
from regauge.storage.labels.label_set import get_label_set, list_label_sets
from regauge.storage.study import Study
from regauge.testsets.counts import merge_tables

Votes: TypeAlias = Callable[[LabelSetEntry, SelectionCounts], tuple[SelectionCounts, tuple[str, ...]]]
"""Which votes of a label set count: its counts to those that do, and what there is to say about that."""


@dataclass(frozen=True, slots=True, eq=False)
class KnownCounts:
    """The counts of all tables together, the names of the tables, and notes, a sentence each."""

    counts: SelectionCounts
    names: tuple[str, ...]
    notes: tuple[str, ...]


def load_counts(study: Study, names: Sequence[str], *, votes: Votes) -> KnownCounts:
    """The counts of several tables; of a pair in several of them, see `merge_tables`.

    Args:
        study: the study, inside a transaction.
        names: files or label sets; the latest version of every label set that holds frequencies where there are none.
        votes: which of a label set count.

    Raises:
        InputError: there is no such file or label set, or it holds no frequencies.
    """
    tables = tuple(_load_tables(study, names, votes))
    merged = merge_tables([table for table, _ in tables])
    notes = [note for _, found in tables for note in found]
    if n_twice := sum(len(table) for table, _ in tables) - len(merged):
        notes.append(f"Counts in several tables of frequencies: {n_twice:,}; those with most annotators hold.")
    return KnownCounts(merged, tuple(table.name for table, _ in tables), tuple(notes))


def settle_label_set(
    study: Study, entry: LabelSetEntry, known: SelectionCounts, *, plan: SamplingPlan
) -> tuple[SelectionCounts, tuple[str, ...]]:
    """The counts of a label set as a draw may look at them, and what there is to say about that.

    Counts of one round, the same number of people for every pair, and draws that look at no frequency get them as they are;
    those of a campaign with several rounds see `settle_rounds`.

    Args:
        study: the study, inside a transaction.
        entry: the label set.
        known: its counts.
        plan: how the test set is drawn.
    """
    rounds = list_rounds_behind(study, entry)
    if not rounds or plan.strategy is Strategy.KEYWORDS:
        return known, ()
    campaign = get_campaign(study, rounds[-1]["campaign"])
    settled, note = settle_rounds(known, campaign, rounds=rounds, plan=plan)
    return settled, (note,)


def are_settled(study: Study, drawn: DrawEntry) -> bool:
    """Whether some of the counts of a draw are what several rounds decided, and not votes as they were given."""
    label_sets = [name for name in drawn.sources.frequencies if not is_table(name)]
    return drawn.plan.strategy is not Strategy.KEYWORDS and any(
        list_rounds_behind(study, get_label_set(study, name)) for name in label_sets
    )


def find_sources_spread(study: Study, sources: DrawSources) -> AnnotatorSpread | None:
    """How far the annotators behind a draw's counts differ, by the widest of its label sets; None where one does not tell."""
    if any(map(is_table, sources.frequencies)):
        return None
    found = [find_spread(get_label_set(study, name)) for name in sources.frequencies]
    known = [one for one in found if one is not None]
    if not known or len(known) < len(found):
        return None
    widest = max(known, key=lambda one: one.variance / one.n_effective)
    # One half of the annotators chose, the other reports.
    share = 1.0 if sources.annotators is DrawAnnotators.ALL else 0.5
    return replace(
        widest, n_annotators=max(2, int(share * widest.n_annotators)), n_effective=share * widest.n_effective
    )


def _load_tables(study: Study, names: Sequence[str], votes: Votes) -> Iterator[tuple[SelectionCounts, tuple[str, ...]]]:
    """The tables that are named, or the latest version of every label set that holds frequencies, the oldest first."""
    for name in names:
        if is_table(name):
            yield _load_file(study, name), ()
            continue
        entry = get_label_set(study, name)
        found = find_frequencies(study, entry)
        if found is None:
            raise InputError(
                f"Label set {entry.full_name} holds no selection frequencies; name one made of a contains campaign."
            )
        yield votes(entry, found)
    if not names:
        latest = {entry.name: entry for entry in list_label_sets(study)}
        for entry in sorted(latest.values(), key=lambda entry: entry.id):
            found = find_frequencies(study, entry)
            if found is not None:
                yield votes(entry, found)


def _load_file(study: Study, name: str) -> SelectionCounts:
    if not Path(name).exists():
        raise InputError(f"There is no table of frequencies {name}; say where it is with `frequencies=…`.")
    return replace(load_selection_counts(name, taxonomy=study.taxonomy), name=str(Path(name).resolve()))
