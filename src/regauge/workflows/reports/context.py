"""Benchmark and task for a report: all analyses of the test set that people know most of."""

from __future__ import annotations

from regauge.errors import InputError
from regauge.records.evaluation.context.report import ContextReport, ContextSettings
from regauge.records.studies import Selection, StudyStatus
from regauge.storage.study import Study
from regauge.workflows.evaluation.context import study_context_all
from regauge.workflows.evaluation.material import find_material

N_BOOTSTRAP, N_LISTED = 200, 10
"""Fewer than `regauge context` takes: a report is written often, and says how many."""


def gather_context(study: Study, status: StudyStatus) -> tuple[ContextReport, ...]:
    """Every analysis of an evaluated test set whose label sets have objects or selection frequencies.

    Objects come before frequencies, and of equal ones the set that was added first; empty where no label set has either.

    Args:
        study: the study; a transaction that reads is enough.
        status: what it holds.
    """
    evaluated = {entry.test_set for entry in status.evaluations}
    known = {}
    for name in (entry.name for entry in status.test_sets if entry.name in evaluated):
        truth = find_material(study, Selection(name), needs_answers=False).truth
        known[name] = bool(truth.objects), bool(truth.frequencies)
    chosen = [name for name, has in known.items() if any(has)]
    if not chosen:
        return ()
    test_set = max(chosen, key=lambda name: known[name])
    settings = ContextSettings(n_bootstrap=N_BOOTSTRAP, n_listed=N_LISTED, allow_missing=True)
    try:
        return study_context_all(study, Selection(test_set), settings=settings)
    except InputError:
        return ()
