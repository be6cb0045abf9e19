"""Trace a participant's mistakes through label sets and a coding, from files or inside a study."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Unpack

from regauge.errors import InputError
from regauge.formats.mistakes.coded import load_coded_file
from regauge.mistakes import notes
from regauge.mistakes.finding import apply_labels
from regauge.mistakes.tracing import trace_flow
from regauge.records.keywords import FindKeywords, choose_settings
from regauge.records.mistakes.coding import MistakeCoding
from regauge.records.mistakes.flows import MistakeFlow
from regauge.records.mistakes.found import FindSettings
from regauge.records.studies import Selection
from regauge.records.taxonomy import Taxonomy
from regauge.storage.mistakes.codings import get_coding, load_coding
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import get_test_set
from regauge.workflows.mistakes.reviewed import list_versions, open_reviewed
from regauge.workflows.mistakes.sources import MistakeSource, get_one


def trace_mistakes(
    source: MistakeSource,
    coded: MistakeCoding | str | Path | None = None,
    *,
    settings: FindSettings | None = None,
    **keywords: Unpack[FindKeywords],
) -> MistakeFlow:
    """What became of the mistakes of the one participant who is meant, from the first label set to the last one and a coding.

    Args:
        source: the answers, and the label sets, the earliest first.
        coded: what coders said of the mistakes under the last label set: a coding, or a file of coded mistakes.
        settings: whether unclear answers are mistakes, and level; or each by its keyword.
        keywords: fields of `FindSettings`.

    Raises:
        InputError: several participants are meant, there is nothing to follow, or the coding is of somebody else.
    """
    chosen = choose_settings(FindSettings, settings, keywords=keywords)
    if chosen.n_sample is not None:
        raise InputError("A flow shows all mistakes; leave the sample out.")
    one = get_one(source)
    target = source.target
    applied = [apply_labels(target, place, is_strict=chosen.is_strict) for place in range(len(target.label_sets))]
    if not applied:
        raise InputError(f"A flow of mistakes begins with a label set, and there is none for {target.name}; name one.")
    labels = applied[-1].label_set.name
    coding = (
        _read_coding(coded, one.name, taxonomy=source.taxonomy, labels=labels)
        if isinstance(coded, str | Path)
        else coded
    )
    flow = trace_flow(one.load(), applied, coding=coding, level=chosen.level)
    return replace(flow, notes=(*source.notes, *notes.describe_trace(flow, coding)))


def trace_coding(
    study: Study,
    coded: str,
    selection: Selection | None = None,
    *,
    settings: FindSettings | None = None,
    **keywords: Unpack[FindKeywords],
) -> MistakeFlow:
    """What became of the mistakes that a coding of a study is about.

    The label sets are all versions of the coding's own up to it, without those that an erasure made void, unless the selection
    names others. Where the study has no answers of the participant, those that were coded stand for them.

    Args:
        study: the study; a transaction that reads is enough.
        coded: NAME@VERSION or NAME for the latest.
        selection: other label sets.
        settings: whether unclear answers are mistakes, and level; or each by its keyword.
        keywords: fields of `FindSettings`.

    Raises:
        InputError: there is no such coding or label set, or somebody else is meant.
    """
    chosen = choose_settings(FindSettings, settings, keywords=keywords)
    entry = get_coding(study, coded)
    coding = load_coding(study, entry)
    asked = selection or Selection()
    if any(name != entry.participant for name in asked.participants) or asked.test_set not in {None, entry.test_set}:
        raise InputError(
            f"{entry.full_name} is about {entry.participant} on {entry.test_set}; leave out participant and test set, or name "
            "these."
        )
    labels = asked.labels or [one.full_name for one in list_versions(study, entry)]
    test_set = get_test_set(study, entry.test_set)
    found = open_reviewed(study, test_set, labels=labels, whose=coding, is_strict=chosen.is_strict)
    flow = trace_flow(found.predictions, found.applied, coding=coding, level=chosen.level)
    said = [notes.describe_stand_in(coding)] if found.is_coded_alone else []
    return replace(flow, notes=(*said, *notes.describe_trace(flow, coding)))


def _read_coding(coded: str | Path, participant: str, *, taxonomy: Taxonomy | None, labels: str) -> MistakeCoding:
    """The coded mistakes of a file as a coding of this participant."""
    file = load_coded_file(coded, taxonomy=taxonomy)
    return MistakeCoding(
        name=file.coded.name,
        participant=participant,
        test_set="",
        labels=labels,
        source="file",
        coded=file.coded,
        overturned=file.overturned,
        remarks=file.remarks,
    )
