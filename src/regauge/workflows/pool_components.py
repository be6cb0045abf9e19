"""Copies and near-duplicates are judged together: of all images that are the same one candidate stays, whatever the rule.

Two rules that chose for themselves would exclude each other's choice, and lose the image. So both look at the same ranks; which
image a duplicate was found to be the same as is kept with its exclusion, so that each command knows of the other's pairs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from regauge.records.arrays import BoolArray, CountArray, IntArray
from regauge.records.pools import DrawSources, Exclusion, ExclusionRule
from regauge.records.sampling import SamplingPlan, Strategy
from regauge.records.studies import TestSetEntry, TestSetRole
from regauge.storage.draws import find_drawn_images
from regauge.storage.pools import insert_exclusions
from regauge.storage.study import Study
from regauge.testsets.copies import Copies, Merits, find_copies, rank_images
from regauge.testsets.duplicates import find_components
from regauge.workflows.draw_inputs import load_counts, look_up
from regauge.workflows.pool_albums import Album, Held, PairArray, load_held
from regauge.workflows.pool_rules import RuleChange

EXACT, NEAR = ExclusionRule.EXACT_DUPLICATE, ExclusionRule.NEAR_DUPLICATE
_BY_CONTENT = (ExclusionRule.REVIEW, ExclusionRule.LIST)
"""What these rules hold against an image, they hold against its copies."""
_BY_FACTS = (ExclusionRule.WINDOW, ExclusionRule.UNREADABLE)
STAYS = "It stays for all images that are the same."


@dataclass(frozen=True, slots=True, eq=False)
class Components:
    """Which candidates stay, and which are excluded by which rule.

    Attributes:
        album: the images.
        held: what excluded candidates before.
        copies: per rule, which candidates it excludes, and what stands for each.
        is_reviewed: per image, whether a pair that was reviewed is among those that are the same.
        reviewed: pairs of places that a review at hand calls the same; none where earlier reviews alone are known.
    """

    album: Album
    held: Held
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


def find_strangers(study: Study, entries: tuple[TestSetEntry, ...]) -> dict[str, bool]:
    """The images that duplicates were found to be the same as, any of which is original if no set has it."""
    held = load_held(study, entries)
    return {other: True for rule in (EXACT, NEAR) for other in held.find_same(rule).values()}


def join_images(
    study: Study, album: Album, *, reviewed: PairArray | None = None, frequencies: Sequence[str] = ()
) -> Components:
    """Join all images that are the same, and choose one of each component to stay.

    Args:
        study: the study, inside a transaction.
        album: the images, with all strangers that `find_strangers` found.
        reviewed: pairs of places that show the same, by a review; those of earlier reviews unless given.
        frequencies: label sets or tables by whose frequencies to choose; all label sets that have some unless given.

    Raises:
        InputError: there is no such label set or table.
    """
    held = load_held(study, album.entries)
    exact = np.concatenate((album.link_copies(), album.pair_up(held.find_same(EXACT))))
    near = album.pair_up(held.find_same(NEAR)) if reviewed is None else reviewed
    together = np.concatenate((exact, near))
    settled = (EXACT, NEAR) if reviewed is None else (EXACT,)
    is_barred = _find_barred(album, held, settled)
    is_usable = _find_usable(album, held, is_barred=is_barred, copies=_label(album, exact))
    merits = Merits.of_nobody(is_usable, is_barred=is_barred)
    if np.bincount(_label(album, together)[is_usable], minlength=1).max() > 1:
        # Frequencies and draws are looked up only where there is something to choose.
        merits = _weigh(study, album, merits, frequencies=frequencies)
    ranks = rank_images(album.image_ids, merits)
    found = {
        rule: find_copies(
            album.image_ids, pairs, is_original=album.is_original, is_candidate=album.is_candidate, ranks=ranks
        )
        for rule, pairs in ((EXACT, exact), (NEAR, together))
    }
    stands = found[NEAR].stands
    is_reviewed = np.isin(stands, stands[near.ravel()])
    # Copies of images that nobody reviewed are exact duplicates and nothing else.
    found[NEAR] = Copies(found[NEAR].is_excluded & is_reviewed, stands)
    return Components(album, held, found, is_reviewed, album.pair_up({}) if reviewed is None else reviewed)


def _find_barred(album: Album, held: Held, settled: tuple[ExclusionRule, ...]) -> BoolArray:
    """Per image, whether it is excluded for what it shows.

    So is a duplicate of which it is not known what it is the same as, unless pairs are at hand that say it anew.
    """
    lonely = {image_id for image_id, one in held.find_all(*settled).items() if not one.same_as}
    return album.mark({*held.find_all(*_BY_CONTENT), *lonely})


def _find_usable(album: Album, held: Held, *, is_barred: BoolArray, copies: IntArray) -> BoolArray:
    """Per image, whether no rule but those of duplicates excludes the candidate, nor a copy of it for what it shows."""
    is_held = is_barred | album.mark(held.find_all(*_BY_FACTS)) | np.isin(copies, copies[is_barred])
    return album.is_candidate & ~is_held


def _weigh(study: Study, album: Album, merits: Merits, *, frequencies: Sequence[str]) -> Merits:
    """What speaks for every image, with what annotators said and which of them are in a drawn test set."""
    # As a draw sees the pool, whatever its strategy.
    plan = SamplingPlan(strategy=Strategy.TOP_IMAGES, min_annotations=0)
    counts, _, _ = load_counts(study, plan, sources=DrawSources(frequencies=tuple(frequencies)))
    classes = np.concatenate((album.labels, np.zeros(len(album.strangers), album.labels.dtype)))
    n_shown, n_selected = look_up(counts, album.image_ids, classes=classes)
    pools = [entry for entry in album.entries if entry.role is TestSetRole.POOL]
    is_drawn = album.mark({one for entry in pools for one in find_drawn_images(study, entry)})
    return replace(merits, classes=classes, n_shown=n_shown, n_selected=n_selected, is_drawn=is_drawn)


def _label(album: Album, pairs: PairArray) -> IntArray:
    return find_components(album.image_ids, pairs, is_original=album.is_original).components


def settle_components(
    study: Study, found: Components, *, only: TestSetEntry | None = None, gone: str = ""
) -> tuple[RuleChange, ...]:
    """Write down what is excluded as a duplicate now and what no longer is; the same again writes nothing.

    Args:
        study: the study, inside a transaction.
        found: which candidates stay.
        only: change nothing but what images of this batch are the same as.
        gone: why near-duplicates are taken back that no pair bears out; they are left as they are unless given.
    """
    is_touched = found.find_touched(only)
    return tuple(
        _write(study, entry, _decide(found, place, rule, is_touched=is_touched, gone=gone))
        for rule in (EXACT, NEAR)
        for place, entry in enumerate(found.album.entries)
        if entry.role is TestSetRole.POOL
    )


@dataclass(frozen=True, slots=True)
class _Decision:
    """What a rule says of a batch now: what it excluded before, what it excludes, and what it takes back for which reason."""

    rule: ExclusionRule
    before: Mapping[str, Exclusion]
    now: Mapping[str, Exclusion]
    back: Mapping[str, str]


def _decide(found: Components, number: int, rule: ExclusionRule, *, is_touched: BoolArray, gone: str) -> _Decision:
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
    return _Decision(rule, before, now, back)


def _write(study: Study, entry: TestSetEntry, decided: _Decision) -> RuleChange:
    rule, before, now, back = decided.rule, decided.before, decided.now, decided.back
    written = [one for image_id, one in now.items() if not _is_written(before.get(image_id), one)]
    written += [Exclusion(image_id, rule, is_excluded=False, reason=reason) for image_id, reason in back.items()]
    insert_exclusions(study, entry, written)
    n_new = sum(image_id not in before for image_id in now)
    return RuleChange(entry.name, rule, entry.n_images, len(before) + n_new - len(back), n_new, len(back))


def _list_excluded(found: Components, places: CountArray, rule: ExclusionRule) -> Iterator[tuple[str, Exclusion]]:
    album, others = found.album, found.copies[rule].stands[places]
    for place, other, is_pair in zip(places.tolist(), others.tolist(), found.is_pair(places).tolist(), strict=True):
        why = album.explain(place, other) if rule is EXACT else album.explain_near(other, is_reviewed=is_pair)
        image_id, same_as = str(album.image_ids[place]), str(album.image_ids[other])
        yield image_id, Exclusion(image_id, rule, is_excluded=True, reason=why, same_as=same_as)


def _is_written(before: Exclusion | None, now: Exclusion) -> bool:
    """Whether it is written down already that the image is the same as the one that stands for it, in whichever words."""
    return before is not None and before.same_as == now.same_as
