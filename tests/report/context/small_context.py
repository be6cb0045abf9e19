"""Reports of benchmark and task on the six images of which everything can be counted by hand."""

from __future__ import annotations

from functools import cache

from tests.evaluation.context import frequency_material, test_ambiguous
from tests.evaluation.context.tiny import ANSWERS, FAST, PARTS, both, make_counts, make_material, make_taxonomy
from tests.labels.objects.classify_answers import make_responses

from regauge.evaluation.context.material import KnownOfImages
from regauge.records.evaluation.context.report import ContextReport
from regauge.workflows.evaluation.context import get_analysis, run_analysis

EVERYTHING = KnownOfImages(responses=make_responses(ANSWERS), counts=make_counts(), parts=PARTS)


@cache
def make_context(name: str, *, has_models: bool = True) -> ContextReport:
    """What an analysis finds where everything is known, or all but predictions."""
    material = make_material(*(both() if has_models else ()), known=EVERYTHING, taxonomy=make_taxonomy())
    if name == "ambiguous":
        # None of the six images is accepted as two classes.
        firsts = {"one": [0, 0, 1, 1, 0, 2, 2]} if has_models else None
        material = frequency_material.make_material(test_ambiguous.LABELS, firsts, votes=test_ambiguous.VOTES)
    return run_analysis(get_analysis(name), material, settings=FAST)


@cache
def make_bare(name: str) -> ContextReport:
    """What an analysis finds where only the dataset labels, selection counts and predictions are known."""
    known = KnownOfImages(counts=make_counts(), parts=PARTS)
    return run_analysis(get_analysis(name), make_material(*both(), known=known), settings=FAST)
