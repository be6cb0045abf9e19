"""What items of a campaign are sorted by: one key for each, in an order that its list can have."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from regauge.arrays import CountArray, FloatArray
from regauge.records.campaigns.campaign import CampaignEntry
from regauge.records.responses.items import ItemOrder, ItemTable
from regauge.records.taxonomy import Taxonomy
from regauge.storage.campaigns.comments import count_open_threads
from regauge.storage.campaigns.ledgers import find_names
from regauge.storage.study import Study
from regauge.taxonomy.hierarchy import list_kinds_above
from regauge.workflows.annotation.referrals import list_referred_to


class ItemNotes(NamedTuple):
    """What is known of the items of a campaign beside their votes; a page reads it once.

    Attributes:
        referred_to: per task that asks experts, the expertises of those who may judge it; the first was named.
        n_threads: per image that has any, how many threads are open.
    """

    referred_to: Mapping[int, tuple[str, ...]]
    n_threads: Mapping[int, int]


def load_notes(study: Study, campaign: CampaignEntry) -> ItemNotes:
    """What is known of the items of a campaign beside their votes."""
    return ItemNotes(list_referred_to(study, campaign), count_open_threads(study, campaign))


def find_keys(study: Study, *, table: ItemTable, order: ItemOrder, notes: ItemNotes) -> FloatArray:
    """Per item what it is sorted by; NaN where it has nothing of the kind."""
    finders: dict[ItemOrder, Callable[[], FloatArray]] = {
        ItemOrder.CLASS: lambda: table.classes.astype(np.float64),
        ItemOrder.KIND: lambda: rank_kinds(study.taxonomy, table.classes.tolist()),
        ItemOrder.EXPERTISE: lambda: _find_expertises(table, notes),
        ItemOrder.REVIEWER: lambda: rank_reviewers(table, find_names(study, np.unique(table.vote_people).tolist())),
        ItemOrder.DISAGREEMENT: lambda: table.disagreements,
        ItemOrder.VOTES: lambda: table.n_votes.sum(axis=1).astype(np.float64),
        ItemOrder.COMMENTS: lambda: _count_comments(table, notes),
        ItemOrder.LAST: lambda: np.where(table.last > 0, table.last.astype(np.float64), np.nan),
    }
    return finders[order]()


def rank_kinds(taxonomy: Taxonomy, classes: Sequence[int]) -> FloatArray:
    """The place of each class when the kinds above them are sorted by name, from the root down; NaN where none is above it."""
    above = {one: list_kinds_above(taxonomy, one) for one in set(classes)}
    names = {one: [taxonomy.find_names(node)[0].casefold() for node in nodes] for one, nodes in above.items()}
    places = {one: place for place, one in enumerate(sorted(above, key=lambda one: (names[one], one)))}
    return np.array([places[one] if above[one] else np.nan for one in classes], np.float64)


def rank_words(words: Sequence[str]) -> FloatArray:
    """The place of each text in the alphabet; NaN where there is none.

    >>> rank_words(["frog", "", "dog", "frog"]).tolist()
    [1.0, nan, 0.0, 1.0]
    """
    places = {one: place for place, one in enumerate(sorted(set(words) - {""}, key=str.casefold))}
    return np.array([places.get(one, np.nan) for one in words], np.float64)


def rank_reviewers(table: ItemTable, names: Mapping[int, str]) -> FloatArray:
    """The place of each item when the names of its reviewers are sorted, item by item; NaN where nobody has judged it."""
    people = np.unique(table.vote_people)
    in_order = sorted(people.tolist(), key=lambda one: (names.get(one, ""), one))
    ranks = np.zeros(len(people), np.int64)
    ranks[np.searchsorted(people, in_order)] = np.arange(len(people))
    rows, own = _sort_votes(table.vote_rows, ranks[np.searchsorted(people, table.vote_people)])
    n_votes = np.bincount(rows, minlength=len(table))
    # One line of names for each item; where fewer people judged one it is filled up, and comes before longer ones.
    lines = np.full((len(table), max(1, n_votes.max(initial=0))), -1, np.int64)
    lines[rows, np.arange(len(rows)) - (np.cumsum(n_votes) - n_votes)[rows]] = own
    places = np.unique(lines, axis=0, return_inverse=True)[1].reshape(len(table))
    return np.where(n_votes > 0, places, np.nan)


def _sort_votes(rows: CountArray, ranks: CountArray) -> tuple[CountArray, CountArray]:
    order = np.lexsort((ranks, rows))
    return rows[order], ranks[order]


def _find_expertises(table: ItemTable, notes: ItemNotes) -> FloatArray:
    return rank_words([notes.referred_to.get(task, ("",))[0] for task in table.tasks.tolist()])


def _count_comments(table: ItemTable, notes: ItemNotes) -> FloatArray:
    return np.array([notes.n_threads.get(number, 0) for number in table.images.tolist()], np.float64)
