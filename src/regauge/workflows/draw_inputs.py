"""What a test set is drawn from: candidates with their counts, and the original that is imitated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

import numpy as np
import polars as pl

from regauge.errors import InputError
from regauge.formats.frequencies import FILE_SUFFIXES, load_selection_counts
from regauge.records.arrays import CountArray, IdArray, IntArray
from regauge.records.frequencies import AnnotatorSpread, SelectionCounts
from regauge.records.pools import Annotators, DrawEntry, DrawSources, Exclusion, ExclusionRule
from regauge.records.sampling import PoolCandidates, SamplingPlan, Strategy
from regauge.records.studies import LabelSetEntry, TestSetEntry
from regauge.storage.draws import find_draw
from regauge.storage.label_evidence import find_frequencies, find_spread
from regauge.storage.labels import get_label_set, list_label_sets
from regauge.storage.pools import find_excluded, get_pools, load_fact
from regauge.storage.study import Study
from regauge.storage.testsets import get_test_set, list_test_sets, load_test_set
from regauge.testsets.sampling import Original, count_bins
from regauge.workflows.draw_halves import load_half
from regauge.workflows.draw_rounds import find_rounds, settle_label_set

_PAIR = ("image_id", "class")
_COUNTS = {"image_id": pl.String, "class": pl.Int32, "n_shown": pl.Int64, "n_selected": pl.Int64}


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
    counts, named, notes = load_counts(study, plan, sources=sources)
    if plan.min_annotations and not len(counts):
        raise InputError(
            "There are no selection frequencies to draw by. Ask people with a contains campaign and make labels of the answers "
            "with: regauge campaign labels NAME; or give a table with --frequencies."
        )
    original = _find_original(study, plan, sources.original)
    resolved = replace(sources, pools=tuple(one.name for one in pools), original=original, frequencies=named)
    candidates, pool_ids, pool_rows = _load_candidates(study, pools, counts)
    imitated, classes = _load_original(study, plan, resolved, counts)
    return DrawInputs(resolved, pools, candidates, pool_ids, pool_rows, imitated, classes, notes)


def exclude(study: Study, inputs: DrawInputs) -> PoolCandidates:
    """The candidates with why some of them cannot be taken, as it is now."""
    reasons: dict[str, str] = {}
    for entry in inputs.pools:
        reasons |= {image_id: name_reason(found[0]) for image_id, found in find_excluded(study, entry).items()}
    texts = [reasons.get(one, "") for one in inputs.candidates.image_ids.tolist()]
    return replace(inputs.candidates, exclusions=np.array(texts, np.str_))


def name_reason(one: Exclusion) -> str:
    """A reason by which exclusions are counted: the rule, and in a review what the reviewer said."""
    return f"{one.rule}: {one.reason}" if one.rule is ExclusionRule.REVIEW else one.rule.value


def load_counts(
    study: Study, plan: SamplingPlan, *, sources: DrawSources
) -> tuple[pl.DataFrame, tuple[str, ...], tuple[str, ...]]:
    """The counts of all tables together, their names, and notes.

    Of a pair in several of them, the counts with most annotators hold, and of equal ones the last. They are never added up:
    the same people may be behind both.
    """
    tables = tuple(_load_tables(study, plan, sources))
    frames = [_to_frame(table) for table, _ in tables]
    together = pl.concat(frames) if frames else pl.DataFrame(schema=_COUNTS)
    distinct = together.sort("n_shown", maintain_order=True).unique(_PAIR, keep="last", maintain_order=True)
    notes = [note for _, found in tables for note in found]
    if n_twice := together.height - distinct.height:
        notes.append(f"Counts in several tables of frequencies: {n_twice:,}; those with most annotators hold.")
    return distinct, tuple(table.name for table, _ in tables), tuple(notes)


def _load_tables(
    study: Study, plan: SamplingPlan, sources: DrawSources
) -> Iterator[tuple[SelectionCounts, tuple[str, ...]]]:
    """The tables that are named, or the latest version of every label set that holds frequencies, the oldest first."""
    for name in sources.frequencies:
        if Path(name).suffix.lower() in FILE_SUFFIXES:
            yield _load_file(study, name, sources.annotators), ()
            continue
        entry = get_label_set(study, name)
        found = find_frequencies(study, entry)
        if found is None:
            raise InputError(
                f"Label set {entry.full_name} holds no selection frequencies; name one made of a contains campaign."
            )
        yield _choose_votes(study, entry, found, plan=plan, annotators=sources.annotators)
    if not sources.frequencies:
        latest = {entry.name: entry for entry in list_label_sets(study)}
        for entry in sorted(latest.values(), key=lambda entry: entry.id):
            found = find_frequencies(study, entry)
            if found is not None:
                yield _choose_votes(study, entry, found, plan=plan, annotators=sources.annotators)


def find_sources_spread(study: Study, sources: DrawSources) -> AnnotatorSpread | None:
    """How far the annotators behind a draw's counts differ, by the widest of its label sets; None where one does not tell."""
    if any(Path(name).suffix.lower() in FILE_SUFFIXES for name in sources.frequencies):
        return None
    found = [find_spread(get_label_set(study, name)) for name in sources.frequencies]
    known = [one for one in found if one is not None]
    if not known or len(known) < len(found):
        return None
    widest = max(known, key=lambda one: one.variance / one.n_effective)
    # One half of the annotators chose, the other reports.
    share = 1.0 if sources.annotators is Annotators.ALL else 0.5
    return replace(
        widest, n_annotators=max(2, int(share * widest.n_annotators)), n_effective=share * widest.n_effective
    )


def are_settled(study: Study, drawn: DrawEntry) -> bool:
    """Whether some of the counts of a draw are what several rounds decided, and not votes as they were given."""
    label_sets = [name for name in drawn.sources.frequencies if Path(name).suffix.lower() not in FILE_SUFFIXES]
    return drawn.plan.strategy is not Strategy.KEYWORDS and any(
        find_rounds(study, get_label_set(study, name)) for name in label_sets
    )


def _load_file(study: Study, name: str, annotators: Annotators) -> SelectionCounts:
    if annotators is not Annotators.ALL:
        raise InputError(f"{name} does not say who selected what; leave out --annotators, or name a label set.")
    if not Path(name).exists():
        raise InputError(f"There is no table of frequencies {name}; say where it is with --frequencies.")
    return replace(load_selection_counts(name, taxonomy=study.taxonomy), name=str(Path(name).resolve()))


def _choose_votes(
    study: Study, entry: LabelSetEntry, found: SelectionCounts, *, plan: SamplingPlan, annotators: Annotators
) -> tuple[SelectionCounts, tuple[str, ...]]:
    """The counts of a label set by those who choose, and notes."""
    if annotators is Annotators.ALL:
        return settle_label_set(study, entry, found, plan=plan)
    return load_half(study, entry, found, half=annotators), ()


def _to_frame(counts: SelectionCounts) -> pl.DataFrame:
    columns = {
        "image_id": counts.image_ids[counts.images].tolist(),
        "class": counts.classes,
        "n_shown": counts.n_shown,
        "n_selected": counts.n_selected,
    }
    return pl.DataFrame({name: pl.Series(columns[name], dtype=dtype) for name, dtype in _COUNTS.items()})


def look_up(counts: pl.DataFrame, image_ids: IdArray, *, classes: IntArray) -> tuple[CountArray, CountArray]:
    """How many saw each image with its class, and how many of them selected it; 0 and 0 where nobody was asked."""
    pairs = pl.DataFrame(
        {"image_id": pl.Series(image_ids.tolist(), dtype=pl.String), "class": pl.Series(classes, dtype=pl.Int32)}
    )
    joined = pairs.join(counts, on=_PAIR, how="left", maintain_order="left")
    n_shown, n_selected = (joined[name].fill_null(0).to_numpy() for name in ("n_shown", "n_selected"))
    return n_shown, n_selected


def _load_candidates(
    study: Study, pools: Sequence[TestSetEntry], counts: pl.DataFrame
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
                    f"Image {image_id!r} is in the pools {first[image_id]} and {name}; draw from one of them with --pool."
                )
            first[image_id] = name


def _find_original(study: Study, plan: SamplingPlan, name: str) -> str:
    """The test set to imitate; empty where none is."""
    if name:
        return get_test_set(study, name).name
    if plan.strategy is not Strategy.MATCHED_FREQUENCY:
        return ""
    added = [entry.name for entry in list_test_sets(study) if find_draw(study, entry) is None]
    if len(added) != 1:
        rest = f"; say which to imitate with --original: {', '.join(added)}" if added else ", so none can be imitated"
        raise InputError(f"The study has {len(added)} test sets that were not drawn{rest}.")
    return added[0]


def _load_original(
    study: Study, plan: SamplingPlan, sources: DrawSources, counts: pl.DataFrame
) -> tuple[Original, IntArray]:
    """What is imitated. An original image counts as annotated by as many annotators as a candidate needs."""
    keywords: dict[int, dict[str, int]] = {}
    for index, word, n in sources.keywords:
        keywords.setdefault(index, {})[word] = n
    if not sources.original:
        return Original(keywords=keywords), np.array(sorted(keywords), np.int32)
    test_set = load_test_set(study, get_test_set(study, sources.original))
    n_shown, n_selected = look_up(counts, test_set.image_ids, classes=test_set.labels)
    is_annotated = n_shown >= max(plan.min_annotations, 1)
    n_shown = np.where(is_annotated, n_shown, 0)
    histograms = count_bins(test_set.labels, n_shown=n_shown, n_selected=np.where(is_annotated, n_selected, 0))
    return Original(histograms, keywords), np.unique(test_set.labels)
