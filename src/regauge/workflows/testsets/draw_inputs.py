"""What a test set is drawn from: candidates with their counts, and the original that is imitated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path

import numpy as np

from regauge.arrays import CountArray, IdArray, IntArray
from regauge.errors import InputError
from regauge.formats.labels.frequencies import is_table
from regauge.formats.pools.keywords import load_keyword_counts
from regauge.records.labels.frequencies import SelectionCounts
from regauge.records.studies import TestSetEntry
from regauge.records.testsets.pool import DrawAnnotators, DrawSources
from regauge.records.testsets.sampling import Draw, PoolCandidates, SamplingPlan, Strategy
from regauge.storage.study import Study
from regauge.storage.testsets.draws import find_originals
from regauge.storage.testsets.pool import find_excluded, get_pools, load_fact
from regauge.storage.testsets.test_set import get_test_set, load_test_set
from regauge.testsets.counts import look_up
from regauge.testsets.draws import draw_images, name_reason
from regauge.testsets.sampling import Original, count_bins
from regauge.workflows.campaigns.responses import load_half
from regauge.workflows.labels.frequencies import KnownCounts, load_counts, settle_label_set


@dataclass(frozen=True, slots=True, eq=False)
class DrawInputs:
    """All that a draw looks at, except for exclusions: these change while people review.

    Attributes:
        sources: everything that was named or found by itself, by name.
        pools: the batches.
        candidates: their images, none of them excluded.
        pool_ids: per candidate, its batch.
        pool_rows: per candidate, its row there.
        original: what is imitated.
        original_classes: the classes of the original test set, where there is one.
        notes: what was found, a sentence each.
    """

    sources: DrawSources
    pools: tuple[TestSetEntry, ...]
    candidates: PoolCandidates
    pool_ids: CountArray
    pool_rows: CountArray
    original: Original
    original_classes: IntArray
    notes: tuple[str, ...]

    def keep_class(self, class_index: int) -> DrawInputs:
        """The same with no candidates but those of one class."""
        mine = self.candidates.classes == class_index
        kept = {one.name: getattr(self.candidates, one.name)[mine] for one in fields(PoolCandidates)}
        return replace(
            self,
            candidates=PoolCandidates(**kept),
            pool_ids=self.pool_ids[mine],
            pool_rows=self.pool_rows[mine],
            original_classes=self.original_classes[self.original_classes == class_index],
        )


def load_inputs(study: Study, plan: SamplingPlan, *, sources: DrawSources) -> DrawInputs:
    """Read what a draw looks at.

    Args:
        study: the study, inside a transaction.
        plan: how to draw.
        sources: what to draw from. Without pools, all of them; without frequencies, the latest version of every label set that
            holds some; without an original, where one is imitated, the only test set that was not drawn.

    Raises:
        InputError: a source is not there, an image is in two pools, or frequencies are needed and there are none.
    """
    pools = get_pools(study, sources.pools)
    known = load_votes(study, plan, sources=sources)
    if plan.min_annotations and not len(known.counts):
        raise InputError(
            "There are no selection frequencies to draw by. Ask people with a contains campaign and make labels of the answers "
            "with: regauge campaign labels NAME; or give a table with `frequencies=…`."
        )
    original = _find_original(study, plan, sources.original)
    resolved = replace(sources, pools=tuple(one.name for one in pools), original=original, frequencies=known.names)
    candidates, pool_ids, pool_rows = _load_candidates(study, pools, known.counts)
    imitated, classes = _load_original(study, plan, resolved, known.counts)
    return DrawInputs(resolved, pools, candidates, pool_ids, pool_rows, imitated, classes, known.notes)


def exclude(study: Study, inputs: DrawInputs) -> PoolCandidates:
    """The candidates with why some of them cannot be taken, as it is now."""
    reasons: dict[str, str] = {}
    for entry in inputs.pools:
        reasons |= {image_id: name_reason(found[0]) for image_id, found in find_excluded(study, entry).items()}
    texts = [reasons.get(one, "") for one in inputs.candidates.image_ids.tolist()]
    return replace(inputs.candidates, exclusions=np.array(texts, np.str_))


def draw_from_pool(study: Study, plan: SamplingPlan, inputs: DrawInputs, *, previous: Sequence[str] = ()) -> Draw:
    """Draw from the inputs, without what is excluded as it is now.

    Args:
        study: the study, inside a transaction.
        plan: how to draw.
        inputs: from what.
        previous: ids of the set that this draw revises; those that can still be taken are kept.
    """
    candidates = exclude(study, inputs)
    return draw_images(candidates, plan, original=inputs.original, classes=inputs.original_classes, previous=previous)


def load_keywords(study: Study, path: Path, *, original: str) -> tuple[tuple[int, str, int], ...]:
    """How many original images of a class each keyword has, from a table.

    Raises:
        FormatError: the file is no such table, or lists images that are not in the original test set.
    """
    test_set = load_test_set(study, get_test_set(study, original)) if original else None
    return load_keyword_counts(path, taxonomy=study.taxonomy, original=test_set)


def load_votes(study: Study, plan: SamplingPlan, *, sources: DrawSources) -> KnownCounts:
    """The counts by those who choose, of all tables together.

    Raises:
        InputError: one half of the annotators chooses, and a table does not tell who they are.
    """
    if sources.annotators is DrawAnnotators.ALL:
        return load_counts(study, sources.frequencies, votes=partial(settle_label_set, study, plan=plan))
    file = next(filter(is_table, sources.frequencies), None)
    if file is not None:
        raise InputError(f"{file} does not say who selected what; leave out `annotators=…`, or name a label set.")
    return load_counts(
        study,
        sources.frequencies,
        votes=lambda entry, known: (load_half(study, entry, known, half=sources.annotators), ()),
    )


def _load_candidates(
    study: Study, pools: Sequence[TestSetEntry], counts: SelectionCounts
) -> tuple[PoolCandidates, CountArray, CountArray]:
    sets = [load_test_set(study, entry) for entry in pools]
    _check_distinct(dict(zip((entry.name for entry in pools), (one.image_ids for one in sets), strict=True)))
    ids = np.concatenate([one.image_ids for one in sets])
    classes = np.concatenate([one.labels for one in sets])
    n_shown, n_selected = look_up(counts, ids, classes=classes)
    keywords = np.concatenate([load_fact(study, entry, name="keywords") for entry in pools])
    candidates = PoolCandidates(ids, classes, n_shown, n_selected, np.full(len(ids), ""), keywords)
    pool_ids = np.repeat(np.array([entry.id for entry in pools]), [len(one) for one in sets])
    return candidates, pool_ids, np.concatenate([np.arange(len(one)) for one in sets])


def _check_distinct(ids: Mapping[str, IdArray]) -> None:
    """Refuse an image id that two batches have: which of the two images was meant could not be told."""
    first: dict[str, str] = {}
    for name, mine in ids.items():
        for image_id in mine.tolist():
            if image_id in first:
                raise InputError(
                    f"Image {image_id!r} is in the pools {first[image_id]} and {name}; draw from one of them with `pools=…`."
                )
            first[image_id] = name


def _find_original(study: Study, plan: SamplingPlan, name: str) -> str:
    """The test set to imitate; empty where none is."""
    if name:
        return get_test_set(study, name).name
    if plan.strategy is not Strategy.MATCHED_FREQUENCY:
        return ""
    added = [entry.name for entry in find_originals(study)]
    if len(added) != 1:
        rest = f"; say which to imitate with `original=…`: {', '.join(added)}" if added else ", so none can be imitated"
        raise InputError(f"The study has {len(added)} test sets that were not drawn{rest}.")
    return added[0]


def _load_original(
    study: Study, plan: SamplingPlan, sources: DrawSources, counts: SelectionCounts
) -> tuple[Original, IntArray]:
    """What is imitated. An original image counts as annotated by as many annotators as a candidate needs."""
    keywords: dict[int, dict[str, int]] = {}
    for index, word, n in sources.keywords:
        keywords.setdefault(index, {})[word] = n
    if not sources.original:
        return Original(keywords=keywords), np.array(sorted(keywords), np.int32)
    test_set = load_test_set(study, get_test_set(study, sources.original))
    if not test_set.is_labelled.all():
        raise InputError(
            f"Images of {sources.original} have no dataset label, and a draw imitates an original class by class; name a set "
            "that has labels."
        )
    n_shown, n_selected = look_up(counts, test_set.image_ids, classes=test_set.labels)
    is_annotated = n_shown >= max(plan.min_annotations, 1)
    n_shown = np.where(is_annotated, n_shown, 0)
    histograms = count_bins(test_set.labels, n_shown=n_shown, n_selected=np.where(is_annotated, n_selected, 0))
    return Original(histograms, keywords), np.unique(test_set.labels)
