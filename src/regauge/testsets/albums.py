"""The images of all batches and of the original data in one column, and which of them are known to be the same."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from regauge.arrays import BoolArray, CountArray, IdArray, IntArray
from regauge.records.studies import TestSetEntry, TestSetRole
from regauge.records.testsets.fingerprints import Fingerprints
from regauge.records.testsets.pool import Exclusion, ExclusionRule
from regauge.records.testsets.test_set import TestSet
from regauge.testsets.copies import link_equal

PairArray = NDArray[np.int64]
"""[n, 2], places of two images that are the same."""


@dataclass(frozen=True, eq=False)
class ComparedImages:
    """Images of several sets in one column, to be compared with each other; behind them strangers, of no set.

    Attributes:
        entries: the sets.
        numbers: per image of a set, which one.
        known_ids: its id.
        labels: its class.
        prints: its checksums.
        strangers: id of an image that no set has → whether it belongs to the original data.
    """

    entries: tuple[TestSetEntry, ...]
    numbers: CountArray
    known_ids: IdArray
    labels: IntArray
    prints: Fingerprints
    strangers: Mapping[str, bool]

    @cached_property
    def image_ids(self) -> IdArray:
        """All images."""
        return np.concatenate((self.known_ids, np.array(list(self.strangers), np.str_)), dtype=np.str_)

    @cached_property
    def place_of(self) -> dict[str, int]:
        """Image id → its place; of images that have the same id, and are the same for it, the last."""
        return {image_id: place for place, image_id in enumerate(self.image_ids.tolist())}

    @cached_property
    def is_candidate(self) -> BoolArray:
        """Per image, whether it is in the pool."""
        is_pool = np.array([entry.role is TestSetRole.POOL for entry in self.entries], np.bool_)[self.numbers]
        return np.concatenate((is_pool, np.zeros(len(self.strangers), np.bool_)))

    @cached_property
    def is_original(self) -> BoolArray:
        """Per image, whether it belongs to the original data."""
        known = ~self.is_candidate[: len(self.known_ids)]
        return np.concatenate((known, np.array(list(self.strangers.values()), np.bool_)))

    def link_copies(self) -> PairArray:
        """Pairs of images that are the same, by id, bytes or pixels."""
        return link_equal((self.known_ids, self.prints.sha256, self.prints.pixels_sha256))

    def pair_up(self, same: Mapping[str, str]) -> PairArray:
        """Pairs of places, of image ids that are the same as others."""
        places = [(self.place_of[one], self.place_of[other]) for one, other in same.items()]
        return np.array(places, np.int64).reshape(-1, 2)

    def mark(self, image_ids: Collection[str]) -> BoolArray:
        """Per image, whether it is a candidate and one of these."""
        if not image_ids:
            return np.zeros(len(self.image_ids), np.bool_)
        return self.is_candidate & np.isin(self.image_ids, list(image_ids))

    def explain(self, row: int, other: int) -> str:
        """Why an image is a copy of another, in a sentence."""
        name = f"image {str(self.image_ids[other])!r}"
        if other >= len(self.known_ids):
            return f"It is the same as the original {name}."
        entry = self.entries[int(self.numbers[other])]
        name += f" of {'the pool' if entry.role is TestSetRole.POOL else 'the test set'} {entry.name}"
        prints = self.prints
        if prints.sha256[row] and prints.sha256[row] == prints.sha256[other]:
            return f"It has the same bytes as {name}."
        if prints.pixels_sha256[row] and prints.pixels_sha256[row] == prints.pixels_sha256[other]:
            return f"It has the same pixels as {name}."
        return f"It is the same as {name}."

    def explain_near(self, other: int, *, is_reviewed: bool) -> str:
        """Why an image is a near-duplicate of another, in a sentence: the two were reviewed, or others join them."""
        kind = "the original image" if self.is_original[other] else "image"
        name = f"{kind} {str(self.image_ids[other])!r}"
        if is_reviewed:
            return f"It shows the same as {name}, by a review of the pair."
        return f"It shows the same as {name}, by a chain of pairs that were reviewed or are exact copies."


@dataclass(frozen=True, slots=True)
class HeldExclusions:
    """What excludes the candidates of the batches now, by rule.

    Attributes:
        by_rule: per batch and rule, image id → the exclusion.
    """

    by_rule: Mapping[tuple[str, ExclusionRule], Mapping[str, Exclusion]]

    def find(self, pool: str, rule: ExclusionRule) -> Mapping[str, Exclusion]:
        """What a rule excludes of a batch."""
        return self.by_rule.get((pool, rule), {})

    def find_all(self, *rules: ExclusionRule) -> dict[str, Exclusion]:
        """What one of the rules excludes of any batch."""
        return {
            image_id: one for (_, rule), mine in self.by_rule.items() if rule in rules for image_id, one in mine.items()
        }

    def find_same(self, rule: ExclusionRule) -> dict[str, str]:
        """Image id → the image that it was found to be the same as, where that is known."""
        return {image_id: one.same_as for image_id, one in self.find_all(rule).items() if one.same_as}


def make_album(
    sets: Sequence[tuple[TestSetEntry, TestSet, Fingerprints]], *, strangers: Mapping[str, bool]
) -> ComparedImages:
    """The images of several sets, with their checksums.

    Args:
        sets: batches and test sets with their images and checksums; images of test sets are original.
        strangers: id of an image that may be in none of them → whether it belongs to the original data.
    """
    entries, images, prints = zip(*sets, strict=True)
    numbers = np.repeat(np.arange(len(entries)), [len(one) for one in images])
    ids = np.concatenate([one.image_ids for one in images], dtype=np.str_)
    columns = [
        np.concatenate([getattr(one, name) for one in prints], dtype=np.str_) for name in ("sha256", "pixels_sha256")
    ]
    known = set(ids.tolist()) if strangers else set()
    others = {one: is_original for one, is_original in strangers.items() if one not in known}
    labels = np.concatenate([one.labels for one in images])
    return ComparedImages(entries, numbers, ids, labels, Fingerprints(columns[0], columns[1]), others)
