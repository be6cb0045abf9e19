"""Summarise coded mistakes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

import numpy as np

from regauge.errors import InputError
from regauge.formats.classes import check_indices
from regauge.formats.mistakes.coded import load_mistakes
from regauge.mistakes.summary import summarise_mistakes
from regauge.records.mistakes.coded import CodedMistakes
from regauge.records.mistakes.summaries import MistakesSettings, MistakesSummary
from regauge.records.taxonomy import Taxonomy
from regauge.records.testsets.test_set import TestSet
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import get_test_set, load_test_set
from regauge.workflows.inputs import TaxonomyLike, TruthLike, load_truth, open_taxonomy
from regauge.workflows.mistakes.coded import is_coded_file, load_coded

MistakesPart: TypeAlias = CodedMistakes | str | Path


def summarise_coded(
    coded: MistakesPart | Sequence[MistakesPart],
    truth: TruthLike | None = None,
    *,
    taxonomy: TaxonomyLike = None,
    settings: MistakesSettings | None = None,
) -> MistakesSummary:
    """One or two files of coded mistakes in numbers, each share with n and interval; two are compared as well.

    Args:
        coded: one or two files, as text also [NAME=]PATH[#MODEL], or records.
        truth: files or records with the dataset labels, for confused class pairs and ancestor levels.
        taxonomy: the classes, by name (imagenet-1k, cifar-10), file or record; ancestor levels need its hierarchy.
        settings: level, seed and number of permutations.

    >>> mistakes = CodedMistakes("model", ["a", "b", "c"], [1, 2, 1], categories=[0, 0, 2], severities=[0, 1, 1])
    >>> summarise_coded(mistakes).files[0].categories[0].k
    2
    """
    settings = settings or MistakesSettings()
    classes = open_taxonomy(taxonomy)
    parts = [coded] if isinstance(coded, CodedMistakes | str | Path) else list(coded)
    files = [_open(part, classes) for part in parts]
    _check_names(files)
    whole = None if truth is None else load_truth(truth, taxonomy=classes)
    if whole is not None and whole.test_set is None:
        raise InputError(f"Class pairs and ancestor levels need dataset labels, and {whole.name} has none.")
    summary = summarise_mistakes(
        files,
        settings,
        rng=np.random.default_rng(settings.seed),
        test_set=None if whole is None else whole.test_set,
        taxonomy=classes,
    )
    found = (note for mistakes in files for note in mistakes.notes)
    return replace(summary, notes=(*found, *(() if whole is None else whole.notes), *summary.notes))


def summarise_codings(
    study: Study, coded: Sequence[str], *, settings: MistakesSettings | None = None
) -> MistakesSummary:
    """One or two codings of a study in numbers, with its dataset labels and classes; two are compared as well.

    Args:
        study: the study; a transaction that reads is enough.
        coded: NAME@VERSION or NAME for the latest; a file of coded mistakes may stand beside a coding.
        settings: level, seed and number of permutations.

    Raises:
        InputError: there is no such coding, or all of its mistakes were overturned.
    """
    parts: list[MistakesPart] = []
    sets: dict[str, TestSet] = {}
    for name in coded:
        if is_coded_file(name):
            parts.append(load_mistakes(name, taxonomy=study.taxonomy))
            continue
        entry, coding = load_coded(study, name)
        # Two codings of one participant are told apart by their names.
        parts.append(replace(coding.coded, name=entry.full_name))
        sets[entry.test_set] = load_test_set(study, get_test_set(study, entry.test_set))
    return summarise_coded(parts, list(sets.values()), taxonomy=study.taxonomy, settings=settings)


def _open(part: MistakesPart, taxonomy: Taxonomy | None) -> CodedMistakes:
    if not isinstance(part, CodedMistakes):
        return load_mistakes(part, taxonomy=taxonomy)
    check_indices(part.predictions, taxonomy)
    return part


def _check_names(files: Sequence[CodedMistakes]) -> None:
    names = [mistakes.name for mistakes in files]
    if len(set(names)) < len(names):
        raise InputError(f"Two files of coded mistakes are called {names[0]!r}; name one of them with NAME=PATH.")
