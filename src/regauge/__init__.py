"""Regauge re-measures image-classification benchmarks.

The way of the data, one folder per stage, each importing only what comes before it:

    taxonomy → test set → predictions → candidates → campaign → responses → labels → evaluation → mistakes → slices → report

`records` holds the frozen types that cross a border between stages, `stats` the statistics, `formats` reads and writes
files, `workflows` has one function per user action, and `cli` prints what they return. Stages are pure: no files, clock
or global random. A stage has a folder once something in it is built.

The public names are loaded when they are first used, so that importing the package costs next to nothing; type checkers
find them in the stub beside this file.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.2.0"

_PUBLIC = {
    "regauge.errors": (
        "AmbiguousClassError",
        "FigureError",
        "FormatError",
        "InputError",
        "MissingImagesError",
        "RegaugeError",
        "StorageError",
        "UnknownClassError",
    ),
    "regauge.estimates": ("Estimate", "Share"),
    "regauge.evaluation.conclusions": ("conclude",),
    "regauge.formats.predictions.accuracies": ("load_accuracies",),
    "regauge.formats.predictions.families": ("load_families",),
    "regauge.formats.taxonomies": ("load_taxonomy",),
    "regauge.arrays": ("NO_CLASS",),
    "regauge.records.labels.label_set": ("LabelKind", "LabelSet", "Truth", "Unlisted"),
    "regauge.records.labels.verdicts": ("Verdict",),
    "regauge.records.predictions": ("Logits", "Predictions"),
    "regauge.records.canvas": ("Canvas",),
    "regauge.predictions.recorder": ("Recorder",),
    "regauge.records.testsets.features": ("Features",),
    "regauge.records.labels.frequencies": ("FrequencyRule", "SelectionCounts"),
    "regauge.records.evaluation.accuracies": ("AccuracyTable", "Beside", "SetAccuracies"),
    "regauge.records.evaluation.gaps": ("GapMethod", "GapReport", "GapSettings"),
    "regauge.records.evaluation.context.report": ("ContextReport", "ContextSettings"),
    "regauge.records.evaluation.humans.report": ("HumanReport", "HumanSettings"),
    "regauge.records.labels.objects": ("ImageObjects",),
    "regauge.records.evaluation.planning": ("PlanSettings", "StudyDesign"),
    "regauge.records.mistakes.coded": ("CodedMistakes",),
    "regauge.records.mistakes.found": ("FindSettings", "FoundMistakes"),
    "regauge.records.mistakes.flows": ("MistakeFlow",),
    "regauge.records.testsets.pool": ("DrawSources",),
    "regauge.records.testsets.sampling": ("SamplingPlan", "Strategy"),
    "regauge.records.evaluation.scores": ("Score", "ScoreSettings", "Scores"),
    "regauge.records.testsets.shared_images": ("SharedBy",),
    "regauge.records.evaluation.fits": ("Resample", "Scale"),
    "regauge.records.evaluation.shifts": ("Shift", "ShiftSettings"),
    "regauge.records.slices.rules": ("CountRange", "ImageRule", "MajorRule"),
    "regauge.records.slices.scores": ("SliceScores", "SliceSettings"),
    "regauge.records.slices.slice": ("Slice",),
    "regauge.records.studies": ("Selection",),
    "regauge.records.results": ("Result",),
    "regauge.records.taxonomy": ("ClassRelation", "ImageClass", "RelationKind", "Taxonomy"),
    "regauge.records.testsets.test_set": ("TestSet",),
    "regauge.records.evaluation.two_sample": ("TwoSampleSettings",),
    "regauge.records.labels.votes": ("Acceptance", "StopRule", "VoteMethod", "VoteSettings"),
    "regauge.report.figures": ("plot_scores",),
    "regauge.report.mistakes.figures": ("plot_flow",),
    "regauge.report.gap_figures": ("plot_gap",),
    "regauge.report.context.figures": ("plot_context",),
    "regauge.report.humans.figures": ("plot_humans",),
    "regauge.report.plan_figures": ("plot_plan",),
    "regauge.report.published_figures": ("plot_beside",),
    "regauge.report.shift_figures": ("plot_shift",),
    "regauge.report.slices.figures": ("plot_slice",),
    "regauge.report.strategy_figures": ("plot_strategies",),
    "regauge.report.subset_figures": ("plot_parts",),
    "regauge.storage.evaluation.comparisons": ("load_shift",),
    "regauge.workflows.mistakes.finding": (
        "compare_mistakes",
        "count_mistakes",
        "find_mistakes",
        "follow_reviews",
        "open_mistakes",
        "open_study_mistakes",
    ),
    "regauge.workflows.mistakes.fixing": ("follow_majors",),
    "regauge.workflows.mistakes.tracing": ("trace_coding", "trace_mistakes"),
    "regauge.workflows.mistakes.summaries": ("summarise_coded", "summarise_codings"),
    "regauge.workflows.mistakes.codings": ("CodingSource", "add_coding", "export_coding", "show_coding"),
    "regauge.storage.mistakes.codings": ("list_codings",),
    "regauge.workflows.labels.aggregate_classify": ("aggregate_classify",),
    "regauge.workflows.labels.aggregate_contains": ("aggregate_contains",),
    "regauge.workflows.labels.aggregate_votes": ("aggregate_votes",),
    "regauge.workflows.candidates": ("find_final", "find_potential", "find_split"),
    "regauge.workflows.exports.draw_exports": ("export_draw",),
    "regauge.workflows.testsets.draw_descriptions": ("diff_draws", "load_drawn"),
    "regauge.workflows.testsets.draws": ("draw_test_set", "revise_test_set"),
    "regauge.workflows.reports.figures": ("save_figure",),
    "regauge.workflows.reports.results": ("save_result",),
    "regauge.workflows.evaluation.ambiguous_classes": ("find_ambiguous_classes",),
    "regauge.workflows.evaluation.gaps": ("FrequencySources", "gap", "study_gap"),
    "regauge.workflows.evaluation.context": (
        "context",
        "context_all",
        "save_context",
        "study_context",
        "study_context_all",
    ),
    "regauge.workflows.evaluation.context_inputs": ("ContextInputs",),
    "regauge.workflows.evaluation.humans": ("humans", "study_humans"),
    "regauge.workflows.inputs": ("TestSetAnswers", "load_predictions", "load_truth"),
    "regauge.workflows.evaluation.planning": ("make_plan",),
    "regauge.workflows.pools.duplicates": ("PairRequest", "exclude_near_duplicates"),
    "regauge.workflows.pools.pool": ("BatchRequest", "add_batch", "prepare_batch"),
    "regauge.workflows.reproduce.study.building": ("make_released_study",),
    "regauge.workflows.evaluation.scoring": ("score",),
    "regauge.workflows.evaluation.shifts": ("compare_sets", "shift", "shift_by_class"),
    "regauge.workflows.slices.creating": ("SliceRequest", "create_slice"),
    "regauge.workflows.slices.reading": ("export_slice", "list_slices", "make_card", "open_slice"),
    "regauge.workflows.slices.scoring": ("SliceSelection", "score_slice", "score_study_slice"),
    "regauge.workflows.studies.study": (
        "Circumstances",
        "Study",
        "describe_status",
        "find_study",
        "init_study",
        "open_study",
    ),
    "regauge.workflows.studies.backups": ("back_up",),
    "regauge.workflows.evaluation.evaluations": ("compare", "evaluate", "load_scores"),
    "regauge.workflows.labels.label_set": ("add_labels", "diff_labels", "export_labels"),
    "regauge.workflows.reports.report": ("write_report",),
    "regauge.workflows.predictions": ("PredictionSource", "add_predictions"),
    "regauge.workflows.testsets.test_set": ("add_test_set",),
    "regauge.workflows.evaluation.two_sample": ("FeatureSet", "compare_features"),
}
_HOME_OF = {name: module for module, names in _PUBLIC.items() for name in names}

__all__ = ["__version__", *_HOME_OF]  # noqa: PLE0604 - the names are those of the table


def __getattr__(name: str) -> Any:  # noqa: ANN401 - as PEP 562 has it
    if name not in _HOME_OF:
        raise AttributeError(f"module 'regauge' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME_OF[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
