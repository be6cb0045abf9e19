"""Copies and near-duplicates are judged together: of all images that are the same one candidate stays, whatever the rule.

Two rules that chose for themselves would exclude each other's choice, and lose the image. So both look at the same ranks; which
image a duplicate was found to be the same as is kept with its exclusion, so that each command knows of the other's pairs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from regauge.arrays import BoolArray, CountArray, IntArray
from regauge.records.studies import TestSetEntry, TestSetRole
from regauge.records.testsets.pool import Exclusion, ExclusionChange, ExclusionRule
from regauge.testsets.albums import ComparedImages, HeldExclusions, PairArray
from regauge.testsets.copies import Copies, Merits, find_copies, rank_images
from regauge.testsets.duplicates import find_components

EXACT, NEAR = ExclusionRule.EXACT_DUPLICATE, ExclusionRule.NEAR_DUPLICATE
_BY_CONTENT = (ExclusionRule.REVIEW, ExclusionRule.LIST)
"""What these rules hold against an image, they hold against its copies."""
_BY_FACTS = (ExclusionRule.WINDOW, ExclusionRule.UNREADABLE)
STAYS = "It stays for all images that are the same."


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """Which images are the same, before one of them is chosen to stay.

    Attributes:
        album: the images.
        held: what excluded candidates before.
        exact: pairs of places that are exact copies.
        near: pairs of places that show the same, by a review.
        reviewed: those of them that a review at hand calls the same; none where earlier reviews alone are known.
        merits: which candidates may be chosen, where nobody was asked about them.
    """

    album: ComparedImages
    held: HeldExclusions
    exact: PairArray
    near: PairArray
    reviewed: PairArray
    merits: Merits

    @property
    def together(self) -> PairArray:
        """All pairs of places that are the same."""
        return np.concatenate((self.exact, self.near))

    @property
    def has_choice(self) -> bool:
        """Whether somewhere several candidates that are the same might stay."""
        joined = _label(self.album, self.together)[self.merits.is_usable]
        return bool(np.bincount(joined, minlength=1).max() > 1)


@dataclass(frozen=True, slots=True, eq=False)
class Duplicates:
    """Which candidates stay, and which are excluded by which rule.

    Attributes:
        album: the images.
        held: what excluded candidates before.
        copies: per rule, which candidates it excludes, and what stands for each.
        is_reviewed: per image, whether a pair that was reviewed is among those that are the same.
        reviewed: pairs of places that a review at hand calls the same; none where earlier reviews alone are known.
    """

    album: ComparedImages
    held: HeldExclusions
    copies: Mapping[ExclusionRule, Copies]
    is_reviewed: BoolArray
    reviewed: PairArray

    def is_pair(self, places: CountArray) -> BoolArray:
        """Per place, whether the image and the one that stands for it were reviewed as a pair."""
        n = len(self.album.image_ids)
        pairs = np.stack([places, self.copies[NEAR].stands[places]], axis=1)
        asked, known = (np.sort(one, axis=1) @ np.array([n, 1]) for one in (pairs, self.reviewed))
        return np.isin(asked, known)

    def find_touched(self, only: TestSetEntry | None) -> BoolArray:
        """Per image, whether it is the same as one of a batch; all where no batch is named."""
        if only is None:
            return np.ones(len(self.album.image_ids), np.bool_)
        number = next(number for number, entry in enumerate(self.album.entries) if entry.name == only.name)
        stands = self.copies[NEAR].stands
        return np.isin(stands, stands[: len(self.album.numbers)][self.album.numbers == number])


def link_images(album: ComparedImages, held: HeldExclusions, *, reviewed: PairArray | None = None) -> Links:
    """Join all images that are the same.

    Args:
        album: the images, with all strangers that duplicates were found to be the same as.
        held: what excludes candidates now.
        reviewed: pairs of places that show the same, by a review; those of earlier reviews by default.
    """
    exact = np.concatenate((album.link_copies(), album.pair_up(held.find_same(EXACT))))
    near = album.pair_up(held.find_same(NEAR)) if reviewed is None else reviewed
    settled = (EXACT, NEAR) if reviewed is None else (EXACT,)
    is_barred = _find_barred(album, held, settled)
    is_usable = _find_usable(album, held, is_barred=is_barred, copies=_label(album, exact))
    merits = Merits.of_nobody(is_usable, is_barred=is_barred)
    return Links(album, held, exact, near, album.pair_up({}) if reviewed is None else reviewed, merits)


def choose_images(links: Links, merits: Merits) -> Duplicates:
    """Choose one of all images that are the same to stay.

    Args:
        links: which are the same.
        merits: what speaks for each.
    """
    album = links.album
    ranks = rank_images(album.image_ids, merits)
    found = {
        rule: find_copies(
            album.image_ids, pairs, is_original=album.is_original, is_candidate=album.is_candidate, ranks=ranks
        )
        for rule, pairs in ((EXACT, links.exact), (NEAR, links.together))
    }
    stands = found[NEAR].stands
    is_reviewed = np.isin(stands, stands[links.near.ravel()])
    # Copies of images that nobody reviewed are exact duplicates and nothing else.
    found[NEAR] = Copies(found[NEAR].is_excluded & is_reviewed, stands)
    return Duplicates(album, links.held, found, is_reviewed, links.reviewed)


@dataclass(frozen=True, slots=True)
class RuleDecision:
    """What a rule says of a batch now.

    Attributes:
        entry: the batch.
        rule: the rule.
        before: what it excluded before, by image.
        now: what it excludes.
        back: what it takes back, for which reason.
    """

    entry: TestSetEntry
    rule: ExclusionRule
    before: Mapping[str, Exclusion]
    now: Mapping[str, Exclusion]
    back: Mapping[str, str]

    def list_written(self) -> list[Exclusion]:
        """What is to be written down: what is excluded for another image than before, or anew, and what is taken back."""
        written = [one for image_id, one in self.now.items() if not _is_written(self.before.get(image_id), one)]
        return written + [
            Exclusion(image_id, self.rule, is_excluded=False, reason=reason) for image_id, reason in self.back.items()
        ]

    def count(self) -> ExclusionChange:
        """What the rule does to the batch, in numbers."""
        n_new = sum(image_id not in self.before for image_id in self.now)
        n_excluded = len(self.before) + n_new - len(self.back)
        return ExclusionChange(self.entry.name, self.rule, self.entry.n_images, n_excluded, n_new, len(self.back))


def decide(found: Duplicates, *, only: TestSetEntry | None = None, gone: str = "") -> Iterator[RuleDecision]:
    """What is excluded as a duplicate now and what no longer is, rule by rule and batch by batch.

    Args:
        found: which candidates stay.
        only: change nothing but what images of this batch are the same as.
        gone: why near-duplicates are taken back that no pair bears out; they are left as they are by default.
    """
    is_touched = found.find_touched(only)
    for rule in (EXACT, NEAR):
        for number, entry in enumerate(found.album.entries):
            if entry.role is TestSetRole.POOL:
                yield _decide(found, number, rule, is_touched=is_touched, gone=gone)


def _decide(found: Duplicates, number: int, rule: ExclusionRule, *, is_touched: BoolArray, gone: str) -> RuleDecision:
    album = found.album
    before = found.held.find(album.entries[number].name, rule)
    mine = np.zeros(len(album.image_ids), np.bool_)
    mine[: len(album.numbers)] = (album.numbers == number) & is_touched[: len(album.numbers)]
    now = dict(_list_excluded(found, np.flatnonzero(mine & found.copies[rule].is_excluded).astype(np.int64), rule))
    is_settled = rule is NEAR and bool(gone)
    back = {
        image_id: gone if is_settled and not found.is_reviewed[place] else STAYS
        for place in np.flatnonzero(mine & album.mark(before)).tolist()
        if (image_id := str(album.image_ids[place])) not in now
        # Where nobody knows what it is the same as, only pairs can tell that it may be taken.
        if before[image_id].same_as or is_settled
    }
    return RuleDecision(album.entries[number], rule, before, now, back)


def _find_barred(album: ComparedImages, held: HeldExclusions, settled: tuple[ExclusionRule, ...]) -> BoolArray:
    """Per image, whether it is excluded for what it shows.

    So is a duplicate of which it is not known what it is the same as, unless pairs are at hand that say it anew.
    """
    lonely = {image_id for image_id, one in held.find_all(*settled).items() if not one.same_as}
    return album.mark({*held.find_all(*_BY_CONTENT), *lonely})


def _find_usable(album: ComparedImages, held: HeldExclusions, *, is_barred: BoolArray, copies: IntArray) -> BoolArray:
    """Per image, whether no rule but those of duplicates excludes the candidate, nor a copy of it for what it shows."""
    is_held = is_barred | album.mark(held.find_all(*_BY_FACTS)) | np.isin(copies, copies[is_barred])
    return album.is_candidate & ~is_held


def _label(album: ComparedImages, pairs: PairArray) -> IntArray:
    return find_components(album.image_ids, pairs, is_original=album.is_original).components


def _list_excluded(found: Duplicates, places: CountArray, rule: ExclusionRule) -> Iterator[tuple[str, Exclusion]]:
    album, others = found.album, found.copies[rule].stands[places]
    for place, other, is_pair in zip(places.tolist(), others.tolist(), found.is_pair(places).tolist(), strict=True):
        why = album.explain(place, other) if rule is EXACT else album.explain_near(other, is_reviewed=is_pair)
        image_id, same_as = str(album.image_ids[place]), str(album.image_ids[other])
        yield image_id, Exclusion(image_id, rule, is_excluded=True, reason=why, same_as=same_as)


def _is_written(before: Exclusion | None, now: Exclusion) -> bool:
    """Whether it is written down already that the image is the same as the one that stands for it, in whichever words."""
    return before is not None and before.same_as == now.same_as
