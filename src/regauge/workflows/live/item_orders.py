"""What items of a campaign are sorted by: one key for each, in an order that its list can have."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

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


def find_keys(study: Study, campaign: CampaignEntry, *, table: ItemTable, order: ItemOrder) -> FloatArray:
    """Per item what it is sorted by; NaN where it has nothing of the kind."""
    finders: dict[ItemOrder, Callable[[], FloatArray]] = {
        ItemOrder.CLASS: lambda: table.classes.astype(np.float64),
        ItemOrder.KIND: lambda: rank_kinds(study.taxonomy, table.classes.tolist()),
        ItemOrder.EXPERTISE: lambda: _find_expertises(study, campaign, table),
        ItemOrder.REVIEWER: lambda: rank_reviewers(table, find_names(study, np.unique(table.vote_people).tolist())),
        ItemOrder.DISAGREEMENT: lambda: table.disagreements,
        ItemOrder.VOTES: lambda: table.n_votes.sum(axis=1).astype(np.float64),
        ItemOrder.COMMENTS: lambda: _count_comments(study, campaign, table),
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


def _find_expertises(study: Study, campaign: CampaignEntry, table: ItemTable) -> FloatArray:
    named = {task: words[0] for task, words in list_referred_to(study, campaign).items()}
    return rank_words([named.get(task, "") for task in table.tasks.tolist()])


def _count_comments(study: Study, campaign: CampaignEntry, table: ItemTable) -> FloatArray:
    threads = count_open_threads(study, campaign)
    return np.array([threads.get(number, 0) for number in table.images.tolist()], np.float64)
