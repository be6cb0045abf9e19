"""Sentences about mistakes that were found, compared and reviewed."""

from __future__ import annotations

from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from tests.mistakes.small_sources import AFTER, BEFORE, FIRST, FLAT, IDS, IMAGES, PETS, SECOND, answer, list_correct
from tests.mistakes.test_overturning import make_flow
from tests.sentences.entries import Always, Entries, Maker, Pair

from regauge.cli.mistakes import compare, find_tables, flow_tables
from regauge.cli.printing.output import print_parts
from regauge.errors import InputError
from regauge.mistakes.overturning import compare_flows
from regauge.records.labels.label_set import LabelKind, LabelSet, Unlisted
from regauge.records.mistakes.flows import ReviewFlows
from regauge.records.predictions import Predictions
from regauge.records.studies import SUPERSEDED, LabelSetEntry
from regauge.workflows.inputs import TestSetAnswers
from regauge.workflows.mistakes import finding

ALONE = ("first",)
FAR_AFTER = LabelSet.from_lists("few@2", ["a"], correct=[[0]], wrong=[[1]])
HARSH = LabelSet.from_lists("harsh@2", IDS, correct=[[0]] * 5, wrong=[[1, 2, 3]] * 5)
NOT_ALL = LabelSet.from_lists("some", IDS[:3], correct=[[0], [1], [2]], kind=LabelKind.REAL)
OTHERS = Predictions("third", ["a", "b", "c"], [1, 1, 2])
MANY = [f"i{number}" for number in range(30)]
MANY_LABELS = LabelSet.from_lists("many", MANY, correct=[[0]] * 30, wrong=[[]] * 30)


def printed(write: Any, *given: Any, **named: Any) -> list[str]:
    out = StringIO()
    with patch.dict("os.environ", {"COLUMNS": "140"}), redirect_stdout(out):
        write(*given, **named)
    return out.getvalue().splitlines()


def open_source(*truth: Any, models: Any = (FIRST, SECOND), who: Any = ALONE, taxonomy: Any = PETS) -> Any:
    return finding.open_mistakes(TestSetAnswers(list(models), list(truth)), who, taxonomy=taxonomy)


def found(*truth: Any, **options: Any) -> Maker:
    """What is said of one participant's mistakes: the table and the notes."""
    settings = {name: options.pop(name) for name in ("n_sample", "is_strict") if name in options}

    def say(_: Path) -> list[str]:
        result = finding.find_mistakes(open_source(*(truth or (BEFORE,)), **options), **settings)
        return [*printed(find_tables.print_found, result, PETS, output_format="table"), *result.notes]

    return say


def many(**options: Any) -> Maker:
    """Thirty mistakes, with scores or without."""
    scores = np.linspace(0.1, 0.9, 30) if options.get("has_scores") else None
    model = Predictions("first", MANY, [1] * 30, scores=scores)
    return found(MANY_LABELS, models=[model])


def counted(*truth: Any) -> Maker:
    def say(_: Path) -> list[str]:
        result = finding.count_mistakes(open_source(*truth, who=()))
        return [*printed(find_tables.print_counts, result, "table"), *result.notes]

    return say


def compared(second: Predictions, *truth: Any) -> Maker:
    def say(_: Path) -> list[str]:
        source = open_source(*truth, models=[FIRST, second], who=())
        result = finding.compare_mistakes(source, ("first", second.participant))
        return [*printed(lambda: print_parts(compare._make_parts(result))), *result.notes]

    return say


def followed(*truth: Any, who: Any = ALONE, **settings: Any) -> Maker:
    def say(_: Path) -> list[str]:
        result = finding.follow_reviews([open_source(*truth, who=who)], **settings)
        return [*printed(flow_tables.print_flows, result, "table"), *result.notes]

    return say


def tested(first: Any, second: Any) -> Maker:
    def say(_: Path) -> list[str]:
        comparison = compare_flows(first, second, level=0.95)
        return printed(flow_tables.print_flows, ReviewFlows((first, second), comparison), "table")

    return say


def noted(**provenance: Any) -> Maker:
    """What is said of a version with such a provenance."""
    entry = LabelSetEntry(
        "verdicts", 1, LabelKind.MULTILABEL, Unlisted.UNJUDGED, 1, 1, 0, None, "", provenance=provenance
    )
    return lambda _: [*finding._note_void([entry]), "(end of notes)"]


def refused(*names: str) -> Maker:
    def say(_: Path) -> list[str]:
        try:
            open_source(BEFORE, who=names)
        except InputError as error:
            return [str(error)]
        return ["nothing is refused"]

    return say


VOID = {SUPERSEDED: {"at": "2026-02-01", "by": "verdicts@2", "why": "erasure"}}
COUNTED = "both numbers are counts of these answers"

ENTRIES: Entries = {
    "mistakes/notes.py:describe_labels: There is no label set, so dataset labels": Pair(found(IMAGES), found(BEFORE)),
    "mistakes/notes.py:describe_labels: … takes every class that it does not": Pair(
        found(list_correct()), found(BEFORE)
    ),
    "mistakes/notes.py:describe_labels: Strict: an answer that people found unclear is": Pair(
        found(BEFORE, is_strict=True), found(BEFORE)
    ),
    "mistakes/notes.py:describe_found: … of … were drawn at random, with": Pair(
        found(BEFORE, n_sample=2), found(BEFORE, n_sample=4)
    ),
    "mistakes/notes.py:describe_found: Ancestor levels need a hierarchy: name a taxonomy": Pair(
        found(BEFORE, taxonomy=None), found(BEFORE)
    ),
    "mistakes/notes.py:describe_found: Taxonomy … has no hierarchy, so mistakes have": Pair(
        found(BEFORE, taxonomy=FLAT), found(BEFORE)
    ),
    "mistakes/notes.py:describe_left_out: …: … without an answer.": Pair(
        found(BEFORE, models=[OTHERS], who=()), found(BEFORE)
    ),
    "mistakes/notes.py:describe_left_out: …: … left out as problematic.": Pair(found(BEFORE), found(list_correct())),
    "mistakes/notes.py:describe_left_out: …: … left out: no label is judged": Pair(
        found(NOT_ALL, IMAGES), found(BEFORE)
    ),
    "mistakes/notes.py:describe_all_left_out: …: … … each.": Pair(counted(NOT_ALL, IMAGES), counted(HARSH)),
    "mistakes/notes.py:describe_overlap: Nobody has judged … among the new mistakes": Pair(
        compared(SECOND, BEFORE), compared(SECOND, list_correct())
    ),
    "mistakes/notes.py:describe_flow: …: … of … on … were drawn": Pair(
        followed(BEFORE, AFTER, n_sample=2), followed(BEFORE, AFTER)
    ),
    "mistakes/notes.py:describe_flow: …: … left out of the share on": Pair(
        followed(BEFORE, FAR_AFTER), followed(BEFORE, AFTER)
    ),
    "mistakes/notes.py:describe_flow: …: … accepted by … and a mistake": Pair(
        followed(BEFORE, HARSH, who=("second",)), followed(BEFORE, AFTER)
    ),
    "mistakes/notes.py:describe_dependence: … are mistaken on some of the same": Pair(
        followed(BEFORE, AFTER, who=()), followed(BEFORE, AFTER)
    ),
    "workflows/mistakes/finding.py:_describe_absent: There is no participant …; there are: ….": Pair(
        refused("third"), refused("first")
    ),
    "workflows/mistakes/finding.py:_note_void: … was made with answers that were erased": Pair(noted(**VOID), noted()),
    "cli/mistakes/find_tables.py:_make_parts: … of …: ….": Always(COUNTED, found(BEFORE)),
    "cli/mistakes/find_tables.py:_make_parts: Novel, judged by nobody: … of …, ….": Pair(
        found(BEFORE), found(list_correct())
    ),
    "cli/mistakes/find_tables.py:_make_parts: The … with the highest scores": Pair(
        many(has_scores=True), many(has_scores=False)
    ),
    "cli/mistakes/find_tables.py:_make_parts: …; --format csv has all ….": Pair(many(has_scores=True), found(BEFORE)),
    "cli/mistakes/find_tables.py:_make_count_parts: … that nobody has judged on the images.": Always(
        COUNTED, counted(BEFORE)
    ),
    "cli/mistakes/compare.py:_make_parts: Mistakes on … that both answered: … …,": Always(
        COUNTED, compared(SECOND, BEFORE)
    ),
    "cli/mistakes/compare.py:_make_parts: Difference in points: … (Tango), exact McNemar ….": Always(
        "It names the methods.", compared(answer("third", [0, 1, 2, 3, 0]), BEFORE)
    ),
    "cli/mistakes/flow_tables.py:_make_parts: Accuracies: Clopper–Pearson; changes on the images that both": Always(
        "It names the methods.", followed(BEFORE, AFTER)
    ),
    "cli/mistakes/flow_tables.py:_format_comparison: Difference in points: … (Newcombe)": Pair(
        tested(make_flow(2, 5), make_flow(3, 7, "other")), followed(BEFORE, AFTER)
    ),
    "cli/mistakes/flow_tables.py:_format_comparison: …; no test (N = …).": Pair(
        tested(make_flow(0, 5), make_flow(0, 7, "other")), tested(make_flow(2, 5), make_flow(3, 7, "other"))
    ),
}
