"""What slices are made of and scored with: codings and label sets that hold, who helps to choose, and what a rule is about."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from glob import escape

import numpy as np

from regauge.arrays import NO_CLASS, ScoreArray
from regauge.errors import InputError
from regauge.evaluation.humans.parts import take_medians
from regauge.records.labels.label_set import LabelSet
from regauge.records.mistakes.coding import CodingEntry, MistakeCoding
from regauge.records.predictions import ParticipantKind, Predictions
from regauge.records.slices.rules import ImageRule, MajorRule
from regauge.records.slices.slice import Slice, SliceParticipant
from regauge.records.studies import SUPERSEDED, LabelSetEntry, PredictionsEntry, TestSetEntry
from regauge.records.testsets.test_set import TestSet
from regauge.slices.conditions import RuleMaterial
from regauge.storage.labels.label_set import get_label_set
from regauge.storage.mistakes.codings import get_coding, list_codings, load_coding
from regauge.storage.predictions import list_predictions, load_first_answers, load_predictions
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import load_test_set
from regauge.taxonomy.groups import find_groups

MAX_NAMED = 10


def find_codings(
    study: Study, names: Sequence[str], *, images: TestSetEntry, participants: Collection[str] = ()
) -> tuple[MistakeCoding, ...]:
    """The codings of those names, or by default the latest of each name that is of one of the participants.

    Args:
        study: the study, inside a transaction.
        names: NAME@VERSION, or NAME for the latest.
        images: the test set that they must be on.
        participants: whose codings are meant where none is named, the first one's first.

    Raises:
        InputError: there is no such coding, it is on another test set, or its labels are void.
    """
    if names:
        entries = [get_coding(study, name) for name in names]
    else:
        valid = (one for one in list_codings(study) if SUPERSEDED not in one.provenance)
        latest = {one.name: one for one in valid if one.test_set == images.name}
        order = list(participants)
        mine = [one for one in latest.values() if one.participant in order]
        entries = sorted(mine, key=lambda one: (order.index(one.participant), -one.id))
    return tuple(_load(study, entry, images) for entry in entries)


def find_label_entry(study: Study, labels: str | None, *, codings: Sequence[MistakeCoding] = ()) -> LabelSetEntry:
    """The label set of a slice: the one that is named, or the latest version of the one that the first coding is under.

    Raises:
        InputError: none is named and there is no coding, there is no such label set, or it is void.
    """
    if labels is None and codings:
        labels = codings[0].labels.rpartition("@")[0]
    if labels is None:
        raise InputError(
            "A slice needs a label set, which says what answers on its images are worth; name one with `labels=…`."
        )
    return get_valid_labels(study, labels)


def get_valid_labels(study: Study, name: str) -> LabelSetEntry:
    """A label-set version that no erasure has made void.

    Raises:
        InputError: there is no such version, or it is void.
    """
    entry = get_label_set(study, name)
    mark = entry.provenance.get(SUPERSEDED)
    if mark is not None:
        by = f"use {mark['by']}, which takes its place" if mark.get("by") else "nothing takes its place"
        raise InputError(f"{entry.full_name} was made with answers that were erased since; {by}.")
    return entry


def _load(study: Study, entry: CodingEntry, images: TestSetEntry) -> MistakeCoding:
    if entry.test_set != images.name:
        raise InputError(
            f"Coding {entry.full_name} is about mistakes on {entry.test_set}, and the slice is of {images.name}."
        )
    if SUPERSEDED in entry.provenance:
        raise InputError(
            f"Coding {entry.full_name} was made with answers that were erased since; name a later version of it."
        )
    get_valid_labels(study, entry.labels)
    return load_coding(study, entry)


def find_voters(
    study: Study, rule: MajorRule | Sequence[str], images: TestSetEntry
) -> tuple[tuple[SliceParticipant, ...], dict[str, Predictions]]:
    """Who helps to choose, with checksums, and what they answer; a list names them, and may name somebody without predictions.

    Raises:
        InputError: one of the models of a rule has no predictions on the test set.
    """
    stored = {one.participant: one for one in list_predictions(study, images)}
    is_rule = isinstance(rule, MajorRule)
    reference = rule.reference if isinstance(rule, MajorRule) else ""
    names = (rule.reference, *rule.models) if isinstance(rule, MajorRule) else tuple(dict.fromkeys(rule))
    absent = [name for name in names if name not in stored and name != reference]
    if absent and is_rule:
        known = ", ".join(list(stored)[:MAX_NAMED]) + (", …" if len(stored) > MAX_NAMED else "")
        raise InputError(f"There is no participant {absent[0]!r} on {images.name}; there are: {known or 'none'}.")
    test_set = load_test_set(study, images)
    answers = {
        name: load_predictions(study, stored[name], test_set=test_set, digest=images.digest)
        for name in names
        if name in stored and is_rule
    }
    checksums = {name: stored[name].sha256 if name in stored else "" for name in names}
    return tuple(SliceParticipant(name, checksums[name], name == reference) for name in names), answers


def find_answered(study: Study, chosen: Slice, *, images: TestSetEntry) -> tuple[str, ...]:
    """Who has answered an image of a slice, as globs that match nobody else."""
    test_set = load_test_set(study, images)
    rows = np.flatnonzero(np.isin(test_set.image_ids, chosen.image_ids)).tolist()
    entries = [one for one in list_predictions(study, images) if one.test_set_digest == images.digest]
    answers = load_first_answers(study, images, rows)
    has_answer = (answers != NO_CLASS).any(axis=1).tolist()
    return tuple(escape(one.participant) for one, has in zip(entries, has_answer, strict=True) if has)


def find_rule_material(study: Study, rule: ImageRule, *, images: TestSetEntry, label_set: LabelSet) -> RuleMaterial:
    """What the conditions of a rule are about, without codings and lists.

    Raises:
        InputError: there is no such group, or nobody's seconds are known.
    """
    test_set = load_test_set(study, images)
    groups = {}
    for grouping, group in rule.groups:
        known = find_groups(study.taxonomy, grouping)
        if group not in known:
            raise InputError(f"Grouping {grouping} has no group {group!r}; it has: {', '.join(known)}.")
        groups[grouping, group] = known[group]
    seconds = None
    if rule.max_seconds is not None:
        people = _list_timed(study, images)
        if not people:
            raise InputError(f"Nobody's seconds on {images.name} are known, so no image is chosen by them.")
        found = [load_predictions(study, one, test_set=test_set, digest=images.digest) for one in people]
        seconds = take_medians(np.stack([_line_up_seconds(one, test_set) for one in found]))
    return RuleMaterial(test_set, label_set, groups=groups, seconds=seconds)


def find_choosers(
    study: Study, rule: ImageRule, images: TestSetEntry, *, codings: Sequence[MistakeCoding]
) -> tuple[SliceParticipant, ...]:
    """Whose answers decide by a rule: those whose coded mistakes it asks for, and the people whose seconds it does."""
    names = [one.participant for one in codings] if rule.needs_codes else []
    if rule.max_seconds is not None:
        names += [one.participant for one in _list_timed(study, images)]
    return find_voters(study, names, images)[0]


def _list_timed(study: Study, images: TestSetEntry) -> list[PredictionsEntry]:
    return [one for one in list_predictions(study, images) if one.kind is ParticipantKind.PERSON and one.has_seconds]


def _line_up_seconds(predictions: Predictions, test_set: TestSet) -> ScoreArray:
    times = np.full(len(predictions.image_ids), np.nan) if predictions.seconds is None else predictions.seconds
    by_id = dict(zip(predictions.image_ids.tolist(), times.tolist(), strict=True))
    return np.array([by_id.get(one, np.nan) for one in test_set.image_ids.tolist()], np.float32)
