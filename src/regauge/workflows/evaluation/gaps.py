"""Split the gap between two test sets by selection frequency, from files or inside a study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Unpack

import numpy as np

from regauge.errors import InputError
from regauge.evaluation.gap_joins import find_doubts, gather_pool, join_counts
from regauge.evaluation.gaps import split_gap
from regauge.evaluation.shared_images import find_shared_images
from regauge.evaluation.sides import Side, judge_side
from regauge.evaluation.targets import Target
from regauge.formats.labels.frequencies import is_table, load_selection_counts
from regauge.formats.predictions.participants import Participant
from regauge.records.evaluation.gaps import GapReport, GapSettings
from regauge.records.evaluation.judged_sets import CandidateCounts
from regauge.records.evaluation.shifts import ShiftSettings
from regauge.records.keywords import GapKeywords, choose_settings
from regauge.records.labels.frequencies import SelectionCounts
from regauge.records.labels.label_set import Truth
from regauge.records.studies import Selection, TestSetEntry
from regauge.records.taxonomy import Taxonomy
from regauge.records.testsets.pool import DrawAnnotators, DrawEntry
from regauge.records.testsets.sampling import Strategy
from regauge.storage.labels.evidence import find_frequencies
from regauge.storage.labels.label_set import get_label_set, list_label_sets
from regauge.storage.predictions import get_predictions, load_predictions
from regauge.storage.study import Study
from regauge.storage.testsets.draws import find_draw, load_draw
from regauge.storage.testsets.pool import get_pools
from regauge.storage.testsets.test_set import get_test_set, load_digests, load_test_set
from regauge.testsets.counts import look_up, merge_tables
from regauge.workflows.campaigns.responses import load_half
from regauge.workflows.evaluation.stopped import list_complete, note_stopped
from regauge.workflows.inputs import CountsLike, TaxonomyLike, TestSetAnswers, open_answers, open_taxonomy
from regauge.workflows.labels.frequencies import are_settled, load_counts, settle_label_set

_IN_ROUNDS = (
    "More people were asked about {} where a decision was open. Deconvolution and beta-binomial allow for that; the naive "
    "method and the jackknife do not."
)


_CHOSEN_ORIGINAL = (
    "The votes on {0} chose its images, and the votes on an original set are taken for fresh ones, so corrections are off; "
    "name the set that {0} imitates as ORIGINAL."
)


@dataclass(frozen=True, slots=True)
class FrequencySources:
    """Where selection frequencies are.

    Attributes:
        counts: tables that `regauge aggregate contains` writes, or records, about the images of both sets. Of an image in several
            of them the counts of the last that somebody saw hold. Frequencies inside a truth file come first.
        pool: tables of all candidates, if the new set was chosen by them; they also tell the counts of the chosen.
    """

    counts: Sequence[CountsLike] = ()
    pool: Sequence[CountsLike] = ()


def gap(
    original: TestSetAnswers,
    new: TestSetAnswers,
    *,
    frequencies: FrequencySources,
    taxonomy: TaxonomyLike = None,
    settings: GapSettings | None = None,
    **keywords: Unpack[GapKeywords],
) -> GapReport:
    """Original − new = what selection frequencies explain + the remainder, for every participant and their mean.

    Args:
        original: what participants answered on the original test set, and its truth.
        new: likewise on the new one; participants are matched by name.
        frequencies: how often annotators found the dataset labels in the images.
        taxonomy: the classes, by name (imagenet-1k, cifar-10), file or record.
        settings: methods, bootstrap, level and metric; or each of them by its keyword, as in `level=0.9`.
        keywords: fields of `GapSettings`, words for choices: `methods="naive"`.

    Raises:
        InputError: a set has no image with a frequency, or the sets have different participants.
    """
    settings = choose_settings(GapSettings, settings, keywords=keywords)
    classes = open_taxonomy(taxonomy)
    tables, pool = (_load_tables(paths, classes) for paths in (frequencies.counts, frequencies.pool))
    sides = [_judge(answers, classes, settings=settings) for answers in (original, new)]
    return _split_by_tables(sides, tables, pool=pool, settings=settings)


def study_gap(
    study: Study,
    original: Selection,
    new: Selection,
    *,
    pool: Sequence[CountsLike] = (),
    settings: GapSettings | None = None,
    **keywords: Unpack[GapKeywords],
) -> GapReport:
    """Split the gap between two test sets of a study, by dataset labels.

    If the new set was drawn in this study, the draw tells its counts, its pool, whether it was matched, and the label sets whose
    frequencies it used; where half of the annotators chose, the votes of the others are taken. For a set that was added, label
    sets are those that are named, or the latest version of every one that holds frequencies. Of a pair in several of them the
    counts with most annotators hold, as where sets are drawn.

    Args:
        study: the study, inside a transaction.
        original: the original test set, label sets with frequencies, and whom.
        new: likewise for the new one.
        pool: tables of all candidates of a set that was drawn elsewhere.
        settings: methods, bootstrap, level and metric; or each of them by its keyword, as in `gap`.
        keywords: fields of `GapSettings`, words for choices.

    Raises:
        InputError: there is no such test set or label set, nobody has answered both sets, a set has no frequencies, or what is
            given contradicts how the new set was drawn.
    """
    settings = choose_settings(GapSettings, settings, keywords=keywords)
    old_entry, new_entry = (get_test_set(study, one.test_set) for one in (original, new))
    if old_entry.id == new_entry.id:
        raise InputError(f"A gap lies between two test sets; {new_entry.name} is named twice.")
    drawing = _find_drawing(study, new_entry)
    if drawing is not None:
        drawing.check(new_entry.name, pool=pool, settings=settings)
    tables = _find_tables(study, original.labels, drawing)
    answers = [_find_answers(study, one) for one in (original, new)]
    both = {one.name for one in answers[0][1]} & {one.name for one in answers[1][1]}
    if not both:
        raise InputError(f"No participant has predictions on both {original.test_set} and {new.test_set}; add them.")
    if drawing is not None:
        settings = replace(settings, is_matched=drawing.is_matched)
    sides = [
        _judge(TestSetAnswers([one for one in mine if one.name in both], truth), study.taxonomy, settings=settings)
        for truth, mine in answers
    ]
    if drawing is None:
        report = _split_by_tables(sides, tables, pool=_load_tables(pool, study.taxonomy), settings=settings)
    else:
        report = _split_drawn(study, drawing, sides=sides, tables=tables, settings=settings)
    report = replace(report, notes=(*report.notes, *note_stopped(study, (original, new))))
    earlier = _find_drawing(study, old_entry)
    if earlier is not None and (earlier.candidates is not None or earlier.is_settled):
        report = replace(report, warnings=(*report.warnings, _CHOSEN_ORIGINAL.format(old_entry.name)))
    return report


@dataclass(frozen=True, slots=True, eq=False)
class _Drawing:
    """What is known of a test set that was drawn in the study.

    Attributes:
        sources: names of the label sets, or files, with the frequencies it was drawn by.
        reporters: whose votes tell its frequencies: all, or the half that did not choose.
        counts: those of its images at that time; none where others report.
        candidates: those of all candidates with annotators enough; None where the counts that are used chose nothing.
        is_matched: whether the counts that are used were matched to the original's.
        is_settled: whether it was drawn by what several rounds of a campaign decided; the votes as given are used then.
    """

    sources: tuple[str, ...]
    reporters: DrawAnnotators
    counts: tuple[SelectionCounts, ...]
    candidates: CandidateCounts | None
    is_matched: bool
    is_settled: bool = False

    def check(self, name: str, *, pool: Sequence[CountsLike], settings: GapSettings) -> None:
        """Refuse what contradicts the draw, rather than leave it unused."""
        if pool:
            raise InputError(
                f"{name} was drawn in this study, which knows its candidates; leave tables of candidates out."
            )
        if settings.is_matched and not self.is_matched:
            raise InputError(f"{name} was not drawn by these votes to match frequencies; leave `is_matched=True` out.")


@dataclass(frozen=True, slots=True, eq=False)
class _Judged:
    """A test set, who is right on it, and what the reader should know."""

    target: Target
    side: Side
    notes: tuple[str, ...]


def _judge(answers: TestSetAnswers, taxonomy: Taxonomy | None, *, settings: GapSettings) -> _Judged:
    opened = open_answers(answers, taxonomy=taxonomy)
    if not opened.target.has_ids:
        raise InputError(
            f"Selection frequencies are keyed by image id, and the labels of {opened.target.name} are an array without ids; say "
            "which image each label is of with `ids=…`."
        )
    how = ShiftSettings(metric=settings.metric, allow_missing=settings.allow_missing)
    side = judge_side(opened.load(), opened.target, settings=how)
    return _Judged(opened.target, side, opened.notes)


def _split_drawn(
    study: Study,
    drawing: _Drawing,
    *,
    sides: Sequence[_Judged],
    tables: Sequence[SelectionCounts],
    settings: GapSettings,
) -> GapReport:
    """Split where the study knows how the new set was drawn."""
    if not drawing.is_settled:
        return _split(sides, tables=(tables, (*tables, *drawing.counts)), pool=drawing.candidates, settings=settings)
    report = _split_by_tables(sides, tables, pool=_find_tables(study, (), drawing), settings=settings)
    return replace(report, notes=(*report.notes, _IN_ROUNDS.format(report.new)))


def _split_by_tables(
    sides: Sequence[_Judged],
    tables: Sequence[SelectionCounts],
    *,
    pool: Sequence[SelectionCounts],
    settings: GapSettings,
) -> GapReport:
    """Split where tables tell of all candidates, and so of the chosen ones too."""
    original, new = (one.target for one in sides)
    candidates = gather_pool(pool, original=original)
    report = _split(sides, tables=(tables, (*tables, *pool)), pool=candidates, settings=settings)
    return replace(report, warnings=(*report.warnings, *find_doubts(new, pool=pool)))


def _split(
    sides: Sequence[_Judged],
    *,
    tables: tuple[Sequence[SelectionCounts], Sequence[SelectionCounts]],
    pool: CandidateCounts | None,
    settings: GapSettings,
) -> GapReport:
    joined = [
        join_counts(one.side, one.target, tables=(*one.target.frequencies, *counts))
        for one, counts in zip(sides, tables, strict=True)
    ]
    original, new = (one.target for one in sides)
    shared = find_shared_images(original, new, by=settings.shared)
    counted = [np.isin(one.target.image_ids, judged.image_ids) for one, (judged, _) in zip(sides, joined, strict=True)]
    report = split_gap(
        joined[0][0], joined[1][0], pool=pool, settings=settings, shared=shared.keep(counted[0], counted[1])
    )
    notes = [note for one in sides for note in one.notes] + [note for _, found in joined for note in found]
    warnings = [warning for one in sides for warning in one.side.warnings]
    told = shared.describe(original.name, new.name)
    people = frozenset[str]().union(*(one.side.people for one in sides))
    notes, warnings = [*notes, *told, *report.notes], [*warnings, *report.warnings]
    return replace(report, notes=tuple(notes), warnings=tuple(warnings), people=people)


def _load_tables(sources: Sequence[CountsLike], taxonomy: Taxonomy | None) -> tuple[SelectionCounts, ...]:
    return tuple(
        one if isinstance(one, SelectionCounts) else load_selection_counts(one, taxonomy=taxonomy) for one in sources
    )


def _find_tables(study: Study, names: Sequence[str], drawing: _Drawing | None) -> tuple[SelectionCounts, ...]:
    """The counts in files or behind label sets, as one table: named ones, those of the draw, or the latest version of all."""
    latest = {entry.name: entry for entry in list_label_sets(study)}
    oldest_first = [entry.full_name for entry in sorted(latest.values(), key=lambda entry: entry.id)]
    chosen = names or (oldest_first if drawing is None else drawing.sources)
    found = [_find_table(study, name, drawing) for name in dict.fromkeys(chosen)]
    tables = tuple(one for one in found if one is not None)
    if not tables and names:
        raise InputError(
            f"Nothing of {', '.join(names)} holds selection frequencies; name a label set made of a contains campaign."
        )
    if not tables:
        raise InputError(
            "No label set has selection frequencies. Make one from a contains campaign with: regauge campaign labels NAME."
        )
    return (merge_tables(tables),)


def _find_table(study: Study, name: str, drawing: _Drawing | None) -> SelectionCounts | None:
    """The counts of that name; those of the annotators who did not choose, where half of them did."""
    if is_table(name):
        return load_selection_counts(name, taxonomy=study.taxonomy)
    entry = get_label_set(study, name)
    known = find_frequencies(study, entry)
    if known is None or drawing is None or drawing.reporters is DrawAnnotators.ALL:
        return known
    has_chosen = not {name, entry.full_name}.isdisjoint(drawing.sources)
    return load_half(study, entry, known, half=drawing.reporters) if has_chosen else known


def _find_answers(study: Study, selection: Selection) -> tuple[Truth, tuple[Participant, ...]]:
    entry = get_test_set(study, selection.test_set)
    test_set = replace(load_test_set(study, entry), digests=load_digests(study, entry))
    found = get_predictions(study, entry, participants=selection.participants, chosen=selection.chosen)
    chosen = list_complete(found, entry, selection=selection)
    load = partial(load_predictions, study, test_set=test_set, digest=entry.digest)
    return Truth(test_set), tuple(Participant(one.participant, partial(load, one)) for one in chosen)


def _find_drawing(study: Study, entry: TestSetEntry) -> _Drawing | None:
    """How a test set was drawn; None for one that was added as it is."""
    found = find_draw(study, entry)
    if found is None:
        return None
    draw, rows = load_draw(study, entry), np.arange(entry.n_images, dtype=np.int32)
    counts = SelectionCounts(draw.image_ids, rows, draw.classes, draw.n_shown, draw.n_selected, entry.name)
    strategy, sources = found.plan.strategy, found.sources
    if sources.annotators is not DrawAnnotators.ALL:
        # The other half had no part in the choice, so its votes are fresh.
        return _Drawing(sources.frequencies, sources.annotators.others, (), None, is_matched=False)
    if are_settled(study, found):
        return _Drawing(sources.frequencies, DrawAnnotators.ALL, (), None, is_matched=False, is_settled=True)
    candidates = None if strategy is Strategy.KEYWORDS else _find_candidates(study, found)
    is_matched = strategy is Strategy.MATCHED_FREQUENCY
    return _Drawing(sources.frequencies, DrawAnnotators.ALL, (counts,), candidates, is_matched=is_matched)


def _find_candidates(study: Study, drawn: DrawEntry) -> CandidateCounts:
    known = load_counts(study, drawn.sources.frequencies, votes=partial(settle_label_set, study, plan=drawn.plan))
    sets = [load_test_set(study, entry) for entry in get_pools(study, drawn.sources.pools)]
    image_ids, classes = (
        np.concatenate(one) for one in zip(*((one.image_ids, one.labels) for one in sets), strict=True)
    )
    n_shown, n_selected = look_up(known.counts, image_ids, classes=classes)
    is_usable = n_shown >= max(1, drawn.plan.min_annotations)
    return CandidateCounts(n_shown[is_usable], n_selected[is_usable], classes[is_usable])
