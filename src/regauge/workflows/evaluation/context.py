"""Benchmark and task: what people say of images beside what participants answer, from files or inside a study."""

from __future__ import annotations

import difflib
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Unpack

from regauge.errors import InputError
from regauge.evaluation.context.contract import Analysis, ContextMaterial
from regauge.evaluation.context.material import line_up_context
from regauge.evaluation.context.registry import ANALYSES
from regauge.evaluation.targets import line_up
from regauge.records.cells import format_csv
from regauge.records.evaluation.context.report import ContextReport, ContextSettings
from regauge.records.keywords import ContextKeywords, choose_settings
from regauge.records.progress import Track, track_silently
from regauge.records.studies import Selection
from regauge.storage.files import write_whole_folder
from regauge.storage.study import Study
from regauge.workflows.evaluation.context_inputs import ContextInputs, add_known, find_known, load_known
from regauge.workflows.evaluation.material import find_material
from regauge.workflows.inputs import TaxonomyLike, TestSetAnswers, load_truth, open_answers, open_taxonomy


def context(
    analysis: str,
    inputs: ContextInputs,
    *,
    taxonomy: TaxonomyLike = None,
    settings: ContextSettings | None = None,
    track: Track = track_silently,
    **keywords: Unpack[ContextKeywords],
) -> ContextReport:
    """One analysis of benchmark and task: what people say of images beside what participants answer.

    Args:
        analysis: which one, such as `objects`; docs/context.md has them all.
        inputs: what is known of the images.
        taxonomy: the classes, by name (imagenet-1k, cifar-10), file or record.
        settings: length of lists, draws and level; or each of them by its keyword, as in `level=0.9`.
        track: who is told how far it has come.
        keywords: fields of `ContextSettings`.

    Raises:
        InputError: there is no such analysis, or the inputs lack what it needs.

    >>> import regauge
    >>> truth = regauge.TestSet("tiny", ["a", "b"], [0, 1])
    >>> split = {"a": "easy", "b": "mislabeled"}
    >>> found = regauge.context("mislabeled", regauge.ContextInputs(truth, split=split))
    >>> found.to_frame()["n_images"].to_list()
    [1]
    """
    chosen = choose_settings(ContextSettings, settings, keywords=keywords)
    one = get_analysis(analysis)
    material = _open(inputs, taxonomy, chosen, track)
    return run_analysis(one, material, settings=chosen)


def context_all(
    inputs: ContextInputs,
    *,
    taxonomy: TaxonomyLike = None,
    settings: ContextSettings | None = None,
    track: Track = track_silently,
    **keywords: Unpack[ContextKeywords],
) -> tuple[ContextReport, ...]:
    """Every analysis that the inputs allow, in the order of docs/context.md; the notes of the first name what is left out.

    Args:
        inputs: what is known of the images.
        taxonomy: the classes.
        settings: as in `context`.
        track: who is told how far it has come.
        keywords: fields of `ContextSettings`.

    Raises:
        InputError: the inputs allow no analysis.
    """
    chosen = choose_settings(ContextSettings, settings, keywords=keywords)
    return _run_all(_open(inputs, taxonomy, chosen, track), chosen, track)


def study_context(
    study: Study,
    selection: Selection,
    analysis: str,
    *,
    inputs: ContextInputs | None = None,
    settings: ContextSettings | None = None,
    **keywords: Unpack[ContextKeywords],
) -> ContextReport:
    """As `context`, of a test set of a study: its predictions, the objects and counts of its label sets, and answers to CLASSIFY.

    Args:
        study: the study, inside a transaction.
        selection: the test set, its label sets, and whose predictions.
        analysis: which one.
        inputs: files that add to what the study knows, such as a split; without truth and predictions.
        settings: as in `context`.
        keywords: fields of `ContextSettings`.

    Raises:
        InputError: there is no such analysis, test set, label set or participant, or the study lacks what it needs.
    """
    chosen = choose_settings(ContextSettings, settings, keywords=keywords)
    one = get_analysis(analysis)
    return run_analysis(one, _open_study(study, selection, inputs, chosen), settings=chosen)


def study_context_all(
    study: Study,
    selection: Selection,
    *,
    inputs: ContextInputs | None = None,
    settings: ContextSettings | None = None,
    **keywords: Unpack[ContextKeywords],
) -> tuple[ContextReport, ...]:
    """As `context_all`, of a test set of a study."""
    chosen = choose_settings(ContextSettings, settings, keywords=keywords)
    return _run_all(_open_study(study, selection, inputs, chosen), chosen, study.around.track)


def get_analysis(name: str) -> Analysis:
    """The analysis of that name.

    Raises:
        InputError: there is none.
    """
    if name not in ANALYSES:
        close = difflib.get_close_matches(name, ANALYSES, n=1)
        meant = f" Did you mean {close[0]}?" if close else ""
        raise InputError(f"There is no analysis {name!r}; there are: {', '.join(ANALYSES)}.{meant}")
    return ANALYSES[name]


def list_analyses() -> tuple[Analysis, ...]:
    """Every analysis, in the order of docs/context.md."""
    return tuple(ANALYSES.values())


def save_context(reports: Sequence[ContextReport], folder: Path) -> tuple[Path, ...]:
    """Write every table as ANALYSIS-TABLE.csv, and all findings as context.json, to a folder that is new or empty.

    Returns:
        The files.

    Raises:
        InputError: the folder holds something.
    """
    names = []
    with write_whole_folder(folder) as partial:
        for report in reports:
            for name, frame in report.tables.items():
                names.append(f"{report.analysis}-{name}.csv")
                (partial / names[-1]).write_text(format_csv(frame), encoding="utf-8")
        names.append("context.json")
        content = {"analyses": [report.to_dict() for report in reports]}
        (partial / names[-1]).write_text(
            json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False), encoding="utf-8"
        )
    return tuple(folder / name for name in names)


def run_analysis(analysis: Analysis, material: ContextMaterial, *, settings: ContextSettings) -> ContextReport:
    """What one analysis finds.

    Raises:
        InputError: the material lacks what it needs.
    """
    missing = analysis.find_missing(material)
    if missing:
        raise InputError(f"{analysis.title} cannot be analysed without {missing}; {material.target.name} has none.")
    found = analysis.analyse(material, settings)
    return ContextReport(
        analysis=analysis.name,
        title=analysis.title,
        test_set=material.target.name,
        answers=found.answers,
        tables=found.tables,
        settings=settings,
        notes=tuple(dict.fromkeys((*material.notes, *found.notes))),
        people=material.people,
    )


def _run_all(material: ContextMaterial, settings: ContextSettings, track: Track) -> tuple[ContextReport, ...]:
    missing = {one.name: one.find_missing(material) for one in ANALYSES.values()}
    possible = [one for one in ANALYSES.values() if not missing[one.name]]
    left_out = tuple(f"{name} is not analysed without {words}." for name, words in missing.items() if words)
    if not possible:
        raise InputError(f"{material.target.name} allows no analysis. {' '.join(left_out)}")
    reports = [run_analysis(one, material, settings=settings) for one in track(possible, "Analysing")]
    return (replace(reports[0], notes=(*reports[0].notes, *left_out)), *reports[1:])


def _open(inputs: ContextInputs, taxonomy: TaxonomyLike, settings: ContextSettings, track: Track) -> ContextMaterial:
    """The material from files and records."""
    if inputs.truth is None:
        raise InputError("A truth is needed: give at least one file or record with `truth=…`.")
    classes = open_taxonomy(taxonomy)
    known = load_known(inputs, classes)
    has_answers = not (isinstance(inputs.predictions, list | tuple) and not inputs.predictions)
    if not has_answers:
        truth = load_truth(inputs.truth, taxonomy=classes, columns=inputs.columns)
        target = line_up(truth, n_classes=None if classes is None else len(classes))
        known = replace(known, notes=(*truth.notes, *known.notes))
        return line_up_context(target, (), taxonomy=classes, known=known, settings=settings)
    opened = open_answers(
        TestSetAnswers(inputs.predictions, inputs.truth, columns=inputs.columns, chosen=inputs.chosen), taxonomy=classes
    )
    known = replace(known, notes=(*opened.notes, *known.notes))
    answers = opened.load(track, "Reading predictions")
    return line_up_context(opened.target, answers, taxonomy=classes, known=known, settings=settings)


def _open_study(
    study: Study, selection: Selection, inputs: ContextInputs | None, settings: ContextSettings
) -> ContextMaterial:
    """The material of a study, with what files add to it."""
    inputs = inputs or ContextInputs()
    if inputs.truth is not None or inputs.predictions != ():
        raise InputError(
            "In a study truth and predictions are those of its test set; leave `truth=…` and predictions out."
        )
    found = find_material(study, selection, needs_answers=False)
    known = add_known(
        load_known(inputs, study.taxonomy), find_known(study, found.test_set, label_sets=found.label_sets)
    )
    target = line_up(found.truth, n_classes=len(study.taxonomy))
    answers = (one.load() for one in study.around.track(found.participants, "Reading predictions"))
    return line_up_context(target, answers, taxonomy=study.taxonomy, known=known, settings=settings)
