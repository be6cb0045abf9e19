"""What remains of mistakes after a review, for the report of a study: from its codings, and from versions of its label sets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from regauge.campaigns.discussions.outcomes import compare_rounds, describe_version
from regauge.errors import InputError
from regauge.estimates import DEFAULT_LEVEL
from regauge.mistakes import notes
from regauge.mistakes.overturning import follow_review
from regauge.mistakes.summary import summarise_mistakes
from regauge.mistakes.tracing import trace_flow
from regauge.records.labels.evidence import ExpertVote, VerdictEvidence
from regauge.records.mistakes.coding import CodingEntry
from regauge.records.mistakes.flows import AccuracyChange
from regauge.records.mistakes.summaries import MistakesSettings
from regauge.records.studies import SUPERSEDED
from regauge.report.content import EvaluationPart, ReviewedMistakes
from regauge.storage.labels.evidence import find_evidence
from regauge.storage.labels.label_set import find_versions, get_label_set
from regauge.storage.mistakes.codings import list_codings, load_coding
from regauge.storage.predictions import list_predictions
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import get_test_set
from regauge.taxonomy.groups import find_groups
from regauge.workflows.mistakes.reviewed import ReviewedAnswers, list_versions, open_reviewed

GROUPING = "object-organism"
MAX_LABELS = 4
"""Of more versions of a label set the first one and the last ones are followed."""


def gather_mistakes(study: Study, evaluations: Sequence[EvaluationPart]) -> tuple[ReviewedMistakes, ...]:
    """The latest version of every coding; without any, what versions of label sets made of the best participants' mistakes.

    Codings under a label set that an erasure made void are left out.
    """
    latest = {one.name: one for one in list_codings(study)}
    codings = [one for one in latest.values() if SUPERSEDED not in get_label_set(study, one.labels).provenance]
    ordered = sorted(codings, key=lambda one: -one.n_coded)
    coded = tuple(_review_coding(study, one) for one in ordered if one.n_coded + one.n_overturned)
    return coded or tuple(_review_versions(study, evaluations))


def _review_coding(study: Study, entry: CodingEntry) -> ReviewedMistakes:
    """The coded mistakes, and what led to them; codes alone where the label sets judge none of the answers."""
    coding = load_coding(study, entry)
    summary = None
    if entry.n_coded:
        settings = MistakesSettings()
        (summary,) = summarise_mistakes([coding.coded], settings, rng=np.random.default_rng(settings.seed)).files
    review = ReviewedMistakes(entry.participant, entry.test_set, None, summary, entry.full_name)
    labels = _pick_labels([one.full_name for one in list_versions(study, entry)])
    try:
        found = open_reviewed(study, get_test_set(study, entry.test_set), labels=labels, whose=coding)
    except InputError as error:
        return replace(review, notes=(str(error),))
    flow = trace_flow(found.predictions, found.applied, coding=coding, level=DEFAULT_LEVEL)
    said = [notes.describe_stand_in(coding)] if found.is_coded_alone else []
    return replace(
        review,
        flow=flow,
        accuracies=() if found.is_coded_alone else _follow_accuracies(study, found),
        notes=(*said, *notes.describe_trace(flow, coding), *_tell_panels(study, labels)),
    )


def _review_versions(study: Study, evaluations: Sequence[EvaluationPart]) -> Iterator[ReviewedMistakes]:
    """What the versions of the label set that the report judges by made of the best participant's mistakes."""
    for part in evaluations:
        details = part.details
        entry = (
            None
            if details is None
            else next((one for one in part.label_sets if one.full_name == details.measure[1]), None)
        )
        if details is None or entry is None:
            continue
        versions = [one for one in find_versions(study, entry.name) if one.version <= entry.version]
        labels = _pick_labels([one.full_name for one in versions if SUPERSEDED not in one.provenance])
        known = {one.participant for one in list_predictions(study, part.test_set)}
        if len(labels) > 1 and details.best in known:
            review = _follow_best(study, part, details.best, labels=labels)
            yield from [] if review is None else [review]


def _follow_best(study: Study, part: EvaluationPart, name: str, *, labels: Sequence[str]) -> ReviewedMistakes | None:
    """What became of the mistakes of a participant; None where nothing did, or an early version judges none of the images."""
    try:
        found = open_reviewed(study, part.test_set, labels=labels, whose=name)
    except InputError:
        return None
    flow = trace_flow(found.predictions, found.applied, level=DEFAULT_LEVEL)
    if not any(step.left or step.n_joined for step in flow.steps):
        return None
    accuracies = _follow_accuracies(study, found)
    return ReviewedMistakes(
        name,
        part.test_set.name,
        flow,
        accuracies=accuracies,
        notes=(*notes.describe_trace(flow), *_tell_panels(study, labels)),
    )


def _tell_panels(study: Study, labels: Sequence[str]) -> Iterator[str]:
    """What discussion changed in the versions that a panel made, by the votes of both rounds that each of them keeps."""
    before: Mapping[tuple[str, int], VerdictEvidence] = {}
    for name in labels:
        held = find_evidence(study, get_label_set(study, name)).by_pair
        new = [one for pair, one in held.items() if one.first_votes and before.get(pair) != one]
        effects = compare_rounds(((_read(one.first_votes), _read(one.votes)) for one in new), level=DEFAULT_LEVEL)
        yield from describe_version(name, effects)
        before = held


def _read(votes: Sequence[ExpertVote]) -> dict[str, str]:
    return {one.who: one.verdict.name.lower() for one in votes}


def _follow_accuracies(study: Study, found: ReviewedAnswers) -> tuple[AccuracyChange, ...]:
    """The accuracy by the first and by the last label set, on all images and by organisms and objects."""
    if len(found.applied) < 2:
        return ()
    groups: dict[str, list[int]] = {}
    if any(one.name == GROUPING for one in study.taxonomy.groupings):
        groups = {name: members.tolist() for name, members in find_groups(study.taxonomy, GROUPING).items()}
    first, last = found.applied[0], found.applied[-1]
    return follow_review(found.predictions, first, after=last, groups=groups).accuracies


def _pick_labels(names: Sequence[str]) -> list[str]:
    """The label sets to follow: a figure of every version would be read by nobody."""
    return list(names) if len(names) <= MAX_LABELS else [names[0], *names[-MAX_LABELS + 1 :]]
