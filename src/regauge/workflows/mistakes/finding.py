"""Find mistakes, compare those of two participants, and see what a review made of them; from files or inside a study."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Unpack

from regauge.errors import InputError
from regauge.estimates import count_things
from regauge.evaluation.targets import line_up
from regauge.formats.predictions.participants import Participant
from regauge.mistakes import finding, notes
from regauge.mistakes.finding import apply_labels
from regauge.mistakes.overlap import compare_answers
from regauge.mistakes.overturning import compare_flows, follow_review
from regauge.records.keywords import FindKeywords, choose_settings
from regauge.records.mistakes.flows import ReviewFlow, ReviewFlows
from regauge.records.mistakes.found import FindSettings, FoundMistakes, MistakeCounts
from regauge.records.mistakes.overlaps import MistakesOverlap
from regauge.records.predictions import EVERYBODY
from regauge.records.progress import Track, track_silently
from regauge.records.studies import SUPERSEDED, LabelSetEntry, Selection
from regauge.storage.study import Study
from regauge.taxonomy.groups import find_groups
from regauge.workflows.evaluation.material import find_material
from regauge.workflows.inputs import OpenedAnswers, TaxonomyLike, TestSetAnswers, open_answers, open_taxonomy
from regauge.workflows.mistakes.sources import MistakeSource, apply_one, get_one, list_names, load_each

GROUPING = "object-organism"
"""The groups of classes whose accuracy is followed through a review, where a taxonomy has them."""


def open_mistakes(
    answers: TestSetAnswers,
    participant: Sequence[str] = (),
    *,
    taxonomy: TaxonomyLike = None,
    track: Track = track_silently,
) -> MistakeSource:
    """Answers and truths in files or records.

    Args:
        answers: what participants answered, and the label set; for a review the earlier one, then the later one.
        participant: globs on the names of those who are meant; everybody by default.
        taxonomy: the classes, by name (imagenet-1k, cifar-10), file or record.
        track: who is told how far it has come.

    Raises:
        InputError: nobody has such a name.
    """
    opened = open_answers(answers, taxonomy=open_taxonomy(taxonomy))
    chosen = _choose(opened, participant)
    return MistakeSource(opened.target, opened.participants, chosen, opened.taxonomy, opened.notes, track)


def open_study_mistakes(study: Study, selection: Selection) -> MistakeSource:
    """A test set of a study under one of its label sets, or under two for a review.

    Raises:
        InputError: there is no such test set, label set or participant.
    """
    material = find_material(study, selection)
    everybody = find_material(study, replace(selection, participants=(), chosen=EVERYBODY)).participants
    target = line_up(material.truth, n_classes=len(study.taxonomy))
    chosen = {one.name for one in material.participants}
    return MistakeSource(
        target,
        everybody,
        tuple(one for one in everybody if one.name in chosen),
        study.taxonomy,
        (*material.truth.notes, *_note_void(material.label_sets)),
        study.around.track,
    )


def find_mistakes(
    source: MistakeSource, settings: FindSettings | None = None, **keywords: Unpack[FindKeywords]
) -> FoundMistakes:
    """The mistakes of the one participant who is meant, and who else makes each.

    Args:
        source: the answers and the label set; without one, dataset labels decide.
        settings: whether unclear answers are mistakes, size and seed of a sample, and level; or each by its keyword.
        keywords: fields of `FindSettings`.

    Raises:
        InputError: several are meant, there are several label sets, or as in `mistakes.finding.find_mistakes`.
    """
    chosen = choose_settings(FindSettings, settings, keywords=keywords)
    one = get_one(source)
    applied = apply_one(source.target, chosen)
    others = (other for other in source.participants if other.name != one.name)
    found = finding.find_mistakes(
        one.load(),
        applied,
        others=load_each(others, track=source.track, words="Looking who agrees"),
        taxonomy=source.taxonomy,
        settings=chosen,
    )
    said = [*notes.describe_labels(applied), *notes.describe_found(found, source.taxonomy)]
    return replace(found, notes=(*source.notes, *said))


def count_mistakes(
    source: MistakeSource, settings: FindSettings | None = None, **keywords: Unpack[FindKeywords]
) -> MistakeCounts:
    """How many mistakes each participant who is meant makes, and how many different answers nobody has judged."""
    chosen = choose_settings(FindSettings, settings, keywords=keywords)
    if chosen.n_sample is not None:
        raise InputError(
            f"A sample is drawn of one participant's mistakes, and {len(source.chosen):,} are meant; name one with "
            "`participant=…`."
        )
    applied = apply_one(source.target, chosen)
    counts = finding.count_mistakes(
        load_each(source.chosen, track=source.track, words="Counting"), applied, level=chosen.level
    )
    left_out = notes.describe_all_left_out(counts.participants)
    return replace(counts, notes=(*source.notes, *notes.describe_labels(applied), *left_out))


def compare_mistakes(
    source: MistakeSource,
    names: tuple[str, str],
    *,
    settings: FindSettings | None = None,
    **keywords: Unpack[FindKeywords],
) -> MistakesOverlap:
    """What becomes of one participant's mistakes in another.

    Args:
        source: the answers and the label set.
        names: the two participants, in the order of the comparison.
        settings: whether unclear answers are mistakes, and level.

    Raises:
        InputError: there is no such participant, or both are the same.
    """
    chosen = choose_settings(FindSettings, settings, keywords=keywords)
    first, second = (_get_named(source, name).load() for name in names)
    if first.participant == second.participant:
        raise InputError(f"Two participants are compared, and {first.participant} is named twice.")
    applied = apply_one(source.target, chosen)
    overlap = compare_answers(first, second, applied=applied, level=chosen.level)
    said = [*notes.describe_labels(applied), *notes.describe_overlap(overlap)]
    return replace(overlap, notes=(*source.notes, *said))


def follow_reviews(
    sources: Sequence[MistakeSource],
    settings: FindSettings | None = None,
    *,
    n_samples: Sequence[int | None] = (),
    **keywords: Unpack[FindKeywords],
) -> ReviewFlows:
    """What reviews made of the mistakes of those who are meant; two of them are compared.

    Args:
        sources: a test set each, with two label sets, the earlier one first.
        settings: whether unclear answers are mistakes, size and seed of a sample, and level.
        n_samples: the size of the sample of each source, None for all mistakes: where one set was reviewed whole and another
            one by a sample. That of the settings by default.

    Raises:
        InputError: a source has not two label sets, or there is not a size for each.
    """
    chosen = choose_settings(FindSettings, settings, keywords=keywords)
    sizes = list(n_samples) or [chosen.n_sample] * len(sources)
    if len(sizes) != len(sources):
        n = count_things(len(sources), "test set")
        raise InputError(f"A sample has a size for each of {n}, not {len(sizes)} sizes; give as many.")
    pairs = zip(sources, (replace(chosen, n_sample=size) for size in sizes), strict=True)
    flows = tuple(flow for source, one in pairs for flow in _follow_source(source, one))
    comparison = compare_flows(*flows, level=chosen.level) if len(flows) == 2 else None
    said = [note for source in sources for note in source.notes]
    said += [note for flow in flows for note in notes.describe_flow(flow, chosen.level)]
    return ReviewFlows(flows, comparison, chosen, tuple(dict.fromkeys([*said, *notes.describe_dependence(flows)])))


def _follow_source(source: MistakeSource, settings: FindSettings) -> Iterator[ReviewFlow]:
    label_sets = source.target.label_sets
    if len(label_sets) != 2:
        raise InputError(
            f"What a review made of mistakes needs two label sets on {source.target.name}, one before and one after, not "
            f"{list_names(label_sets)}."
        )
    before, after = (apply_labels(source.target, place, is_strict=settings.is_strict) for place in (0, 1))
    groups = {}
    if source.taxonomy is not None and any(one.name == GROUPING for one in source.taxonomy.groupings):
        groups = {name: members.tolist() for name, members in find_groups(source.taxonomy, GROUPING).items()}
    for predictions in load_each(source.chosen, track=source.track, words="Following"):
        yield follow_review(predictions, before, after=after, groups=groups, settings=settings)


def _choose(opened: OpenedAnswers, globs: Sequence[str]) -> tuple[Participant, ...]:
    for glob in globs:
        if not any(fnmatchcase(one.name, glob) for one in opened.participants):
            raise InputError(_describe_absent(glob, opened.participants))
    return tuple(one for one in opened.participants if not globs or any(fnmatchcase(one.name, glob) for glob in globs))


def _get_named(source: MistakeSource, name: str) -> Participant:
    for one in source.participants:
        if one.name == name:
            return one
    raise InputError(_describe_absent(name, source.participants))


def _describe_absent(name: str, participants: Sequence[Participant]) -> str:
    known = ", ".join(one.name for one in participants[:10]) + (", …" if len(participants) > 10 else "")
    return f"There is no participant {name!r}; there are: {known or 'none'}."


def _note_void(entries: Sequence[LabelSetEntry]) -> Iterator[str]:
    """A sentence about every version that an erasure has made void."""
    for entry in entries:
        mark = entry.provenance.get(SUPERSEDED)
        if mark:
            place = f"{mark['by']} takes its place" if mark["by"] else "nothing takes its place"
            yield f"{entry.full_name} was made with answers that were erased since; {place}."
