"""Sentences of a report: findings about evaluations, comparisons and people, and what its sections tell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

from tests.report.findings.test_comparisons import make_split
from tests.report.findings.test_evaluations import lifting
from tests.report.small_reports import (
    make_campaign,
    make_content,
    make_details,
    make_ids,
    make_pulse,
    make_reviewed,
    make_scores,
    make_shift,
)
from tests.report.test_document import make_mistakes
from tests.report.test_gap_parts import make_gap
from tests.sentences.entries import Always, Entries, Maker, Pair

from regauge.records.evaluation.details import TurnedPairs
from regauge.records.evaluation.fits import Resample
from regauge.records.labels.label_set import LabelSet
from regauge.report.content import ReportContent
from regauge.report.document import lay_out, render_report
from regauge.report.findings.comparisons import find_in_comparison
from regauge.report.findings.evaluations import find_in_evaluation, tell_order
from regauge.report.findings.people import find_in_campaign
from regauge.report.findings.ranks import ReportFinding

OLD = {"alpha": 180, "beta": 150, "gamma": 120, "delta": 60}
FRESH = {"alpha": 60, "beta": 61, "gamma": 36, "delta": 12}
TURNED = LabelSet.from_lists("people@1", make_ids(), correct=[[1]] * 40, wrong=[[0]] * 40)
TWO_CLASSES = [0] * 20 + [1] * 20


def read(findings: Iterator[ReportFinding]) -> list[str]:
    return [text for one in findings for text in (one.claim, one.evidence)]


def judged(label_set: LabelSet | None = None, *, labels: Any = None, **counts: int) -> Maker:
    """What is found of models that are right on so many of 40 images."""

    def make(_: object) -> list[str]:
        details = make_details(counts or {"a": 36, "b": 20}, label_set=label_set, labels=labels)
        part = make_content([make_scores({"a": 1})], details=[details]).evaluations[0]
        return read(find_in_evaluation(part, "scores-1"))

    return make


def turned(n_clear: int, *pairs: tuple[str, str]) -> Maker:
    return lambda _: read(
        iter([tell_order(TurnedPairs(3, n_clear, pairs), ("before", "after"), where=" on x", anchor="")])
    )


def compared(old: Any = None, fresh: Any = None, *, gap: Any = None, **options: Any) -> Maker:
    def make(_: object) -> list[str]:
        part = make_content([], [make_shift(old or OLD, fresh or FRESH, **options)]).comparisons[0]
        return read(find_in_comparison(replace(part, gap=gap), {}, anchor="shift-1"))

    return make


def asked(**changes: Any) -> Maker:
    return lambda _: read(find_in_campaign(make_campaign(**changes), "people"))


def list_words(value: object) -> Iterator[str]:
    """All texts of sections, blocks and tables, however deep."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Sequence) and not isinstance(value, bytes):
        for one in value:
            yield from list_words(one)
    elif is_dataclass(value):
        for field in fields(value):
            yield from list_words(getattr(value, field.name))


def told(content: ReportContent) -> Maker:
    """What the sections of a report tell."""
    return lambda _: list_words(lay_out(content).sections)


def page(content: ReportContent) -> Maker:
    def make(_: object) -> str:
        document = lay_out(content)
        return render_report(document, pictures={one.name: "" for one in document.figures})

    return make


def evaluated(*, looked: bool = True, label_sets: Sequence[LabelSet] = (), **changes: Any) -> ReportContent:
    primary = label_sets[-1] if label_sets else None
    details = [make_details({"a": 30}, label_set=primary)] if looked else []
    return make_content([make_scores({"a": 30}, label_sets=label_sets)], details=details, **changes)


def split(**changes: Any) -> ReportContent:
    content = make_content([make_scores({"a": 30})], [make_shift(OLD, FRESH)])
    return replace(content, comparisons=(replace(content.comparisons[0], gap=make_gap(), **changes),))


ONE = make_reviewed()
TWO = (make_reviewed("early@1"), make_reviewed("late@1"))
PLAIN = evaluated()
PEOPLE = make_content(campaigns=(make_campaign(),))
DISPUTED = make_content(campaigns=(make_campaign(disputed=make_mistakes().images),))
APART = make_content(campaigns=(make_campaign(summary=replace(make_campaign().summary, agreement=None, divided=None)),))
UNSEEN = make_content(campaigns=(make_campaign(disputed=None),))
COMPARED = make_content([make_scores({"a": 30})], [make_shift(OLD, FRESH)])
SEVERAL = make_content(
    [make_scores({"a": 30})], [make_shift(OLD, FRESH), make_shift(OLD, FRESH, names=("old", "newer"))]
)
CLEAR = make_split((0.05, 0.02, 0.08), (0.5, 0.2, 0.8))
UNCLEAR = make_split((0.05, -0.02, 0.08), (0.5, -0.2, 0.8))
NOTHING = ((0, 0),) * 8
FEW = {"controls": ((10, 20), (20, 20)), "agreement": ((0, 0),) * 2}
LONE = {"controls": ((10, 20),), "agreement": ((0, 0),)}

EVALUATIONS: Entries = {
    "report/findings/evaluations.py:_tell_lift: …, from top-1 accuracy to … on the": Pair(judged(ONE), judged()),
    "report/findings/evaluations.py:_tell_lift: … on ….": Always("It names the test set.", judged(ONE)),
    "report/findings/evaluations.py:_name_lift: The … lift … and lower … of": Pair(
        judged(TURNED, a=40, b=5), judged(TURNED, a=40, b=30)
    ),
    "report/findings/evaluations.py:_name_lift: The … do not clearly move …": Pair(
        judged(lifting(1), a=20, b=20), judged(lifting(15), a=40, b=20)
    ),
    "report/findings/evaluations.py:_name_lift: The … … … of … models clearly": Pair(
        judged(lifting(15), a=40, b=20), judged(lifting(15), a=25, b=10)
    ),
    "report/findings/evaluations.py:_tell_best: …, the best, goes from … to …:": Pair(
        judged(ONE, a=30, b=10), judged(ONE, a=30)
    ),
    "report/findings/evaluations.py:_tell_ties: No two of the … models can be": Pair(judged(a=36, b=34), judged()),
    "report/findings/evaluations.py:_tell_ties: … leads on …, but cannot be told": Pair(
        judged(a=36, b=34, c=5), judged()
    ),
    "report/findings/evaluations.py:_tell_ties: … is clearly the best of … models": Pair(judged(), judged(a=36, b=34)),
    "report/findings/evaluations.py:_tell_ties: By …, … of models … (…; n": Pair(
        judged(), judged(labels=TWO_CLASSES, a=20)
    ),
    "report/findings/evaluations.py:_name_test: McNemar’s test, …% over all pairs": Pair(
        judged(), judged(labels=TWO_CLASSES, a=20)
    ),
    "report/findings/evaluations.py:tell_order: … of models clearly … places….": Pair(turned(1, ("a", "b")), turned(1)),
    "report/findings/evaluations.py:tell_order: … is clearly better than … …, and": Pair(
        turned(1, ("a", "b")), turned(1)
    ),
    "report/findings/evaluations.py:tell_order: No two models clearly swap places….": Pair(turned(1), turned(0)),
    "report/findings/evaluations.py:tell_order: … of … pairs can be told apart": Pair(turned(1), turned(0)),
    "report/findings/evaluations.py:tell_order: Whether models swap places… stays open.": Pair(turned(0), turned(1)),
    "report/findings/evaluations.py:tell_order: Of …, none can be told apart both": Pair(turned(0), turned(1)),
    "report/findings/evaluations.py:_tell_classes: On …, … is clearly weaker on ….": Pair(
        judged(labels=TWO_CLASSES, a=20), judged(labels=TWO_CLASSES, a=37)
    ),
    "report/findings/evaluations.py:_tell_classes: No class of … is clearly harder for": Pair(
        judged(labels=TWO_CLASSES, a=37), judged(labels=TWO_CLASSES, a=20)
    ),
    "report/findings/evaluations.py:_tell_class: …; mistaken for … (… of ……).": Pair(
        judged(labels=TWO_CLASSES, a=20), judged(labels=TWO_CLASSES, a=40)
    ),
}

COMPARISONS: Entries = {
    "report/findings/comparisons.py:_tell_drop: Accuracy … by … points ….": Pair(
        compared(), compared({"a": 180}, {"a": 71})
    ),
    "report/findings/comparisons.py:_tell_drop: Accuracy is … points … on … than": Pair(
        compared({"a": 180}, {"a": 60}, resample=Resample.MODELS), compared()
    ),
    "report/findings/comparisons.py:_tell_drop: Accuracy does not clearly change ….": Pair(
        compared({"a": 180}, {"a": 71}), compared()
    ),
    "report/findings/comparisons.py:_tell_drop: … points of …, … (…).": Always("The mean change.", compared()),
    "report/findings/comparisons.py:_tell_selection: … remain between images that people select equally": Pair(
        compared(gap=CLEAR), compared()
    ),
    "report/findings/comparisons.py:_tell_selection: How much of it selection explains is unclear:": Pair(
        compared(gap=UNCLEAR), compared(gap=CLEAR)
    ),
    "report/findings/comparisons.py:_tell_selection: Selection explains … of it: …; ….": Pair(
        compared(gap=CLEAR), compared(gap=UNCLEAR)
    ),
    "report/findings/comparisons.py:tell_ranks: … of … … a different rank on": Pair(
        told(COMPARED), told(make_content([make_scores({"a": 30})], [make_shift({"a": 90}, {"a": 30})]))
    ),
    "report/sections/comparisons.py:make_comparison: Every model on both sets, as a figure": Pair(
        told(replace(SEVERAL, comparisons=(SEVERAL.comparisons[0], replace(SEVERAL.comparisons[1], gap=make_gap())))),
        told(COMPARED),
    ),
    "report/sections/comparisons.py:_show_gap: The gap from … to …: explained by": Pair(told(split()), told(COMPARED)),
    "report/sections/comparisons.py:_show_gap: The gap from … to …": Pair(told(split()), told(COMPARED)),
    "report/sections/comparisons.py:_show_gap: Table: what selection explains of each participant's gap": Pair(
        told(split()), told(COMPARED)
    ),
    "report/sections/comparisons.py:_show_models: Table: accuracies, gaps and ranks of all models": Always(
        "The title of a table.", told(COMPARED)
    ),
    "report/sections/comparisons.py:_tell_lines: Mean changes, and what the line through the": Always(
        "Every comparison has a mean change.", told(COMPARED)
    ),
    "report/sections/comparisons.py:_tell_how: Comparison …, … UTC, by Regauge …; labels:": Always(
        "When and how it was computed.", told(COMPARED)
    ),
    "report/sections/comparisons.py:_tell_figure: Accuracy of … on … against …, with": Always(
        "It counts the models; a line is told of where there is one.", told(SEVERAL)
    ),
}

SECTIONS: Entries = {
    "report/document.py:_tell_lead: …. Made … by Regauge ….": Always("It counts what there is.", page(PLAIN)),
    "report/sections/evaluations.py:_show_scores: Accuracies on … with their intervals.": Always(
        "What it draws.", told(PLAIN)
    ),
    "report/sections/evaluations.py:_show_scores: Table of …: dataset labels and …": Pair(
        told(evaluated(label_sets=[ONE])), told(evaluated(label_sets=[ONE], looked=False))
    ),
    "report/sections/evaluations.py:_show_scores: Table: what … change for each participant": Pair(
        told(evaluated(label_sets=[ONE])), told(PLAIN)
    ),
    "report/sections/evaluations.py:_show_scores: From dataset labels to …": Pair(
        told(evaluated(label_sets=[ONE])), told(PLAIN)
    ),
    "report/sections/evaluations.py:_show_mistakes: The image files of … are not at": Pair(
        told(PLAIN), told(evaluated(mistakes=make_mistakes()))
    ),
    "report/sections/evaluations.py:_show_mistakes: No answers on … are stored as they": Pair(
        told(evaluated(looked=False)), told(PLAIN)
    ),
    "report/sections/evaluations.py:_tell_mistakes: … makes no mistake by the ….": Pair(
        told(evaluated(mistakes=make_mistakes(images=(), n_wrong=0))), told(evaluated(mistakes=make_mistakes()))
    ),
    "report/sections/evaluations.py:_tell_mistakes: None of the … images chosen could be": Pair(
        told(evaluated(mistakes=make_mistakes(images=(), n_missing=3))), told(evaluated(mistakes=make_mistakes()))
    ),
    "report/sections/evaluations.py:_tell_mistakes: … could not be read.": Pair(
        told(evaluated(mistakes=make_mistakes(n_missing=3))), told(evaluated(mistakes=make_mistakes()))
    ),
    "report/sections/evaluations.py:_tell_mistakes: … of … of … that are wrong": Pair(
        told(evaluated(mistakes=make_mistakes())), told(PLAIN)
    ),
    "report/sections/evaluations.py:_show_classes: … by class, the hardest first": Pair(
        told(PLAIN), told(evaluated(looked=False))
    ),
    "report/sections/evaluations.py:_show_classes: A class is marked hard if its accuracy": Pair(
        told(PLAIN), told(evaluated(looked=False))
    ),
    "report/sections/evaluations.py:_show_classes: Table of …: accuracy, and what is answered": Pair(
        told(PLAIN), told(evaluated(looked=False))
    ),
    "report/sections/evaluations.py:_fold_others: Participants on … by other label sets": Pair(
        told(evaluated(label_sets=TWO)), told(evaluated(label_sets=[ONE]))
    ),
    "report/sections/evaluations.py:_fold_others: Balanced accuracies: means of per-class means": Always(
        "The title of a table, which is left out where it is empty.", told(PLAIN)
    ),
    "report/sections/evaluations.py:_tell_how: Evaluation …, … UTC, by Regauge …; labels:": Always(
        "When and how it was computed.", told(PLAIN)
    ),
    "report/sections/background.py:_define: Every participant answers every image with its classes,": Pair(
        told(PLAIN), told(PEOPLE)
    ),
    "report/sections/background.py:_define: A balanced accuracy is the mean of per-class": Pair(
        told(PLAIN), told(PEOPLE)
    ),
    "report/sections/background.py:_tell_primary: … is judged by …: the newest label": Pair(
        told(PLAIN), told(evaluated(looked=False))
    ),
    "report/sections/background.py:_list_label_sets: There are no label sets: answers are judged": Pair(
        told(PLAIN), told(evaluated(label_sets=[ONE]))
    ),
    "report/sections/background.py:_list_label_sets: Label sets; a version is never changed, a": Pair(
        told(evaluated(label_sets=[ONE])), told(PLAIN)
    ),
    "report/sections/background.py:_list_label_sets: Problematic images are left out of multi-label, ReaL": Pair(
        told(evaluated(label_sets=[ONE])), told(PLAIN)
    ),
    "report/sections/background.py:_trace: Checksums of the predictions (…)": Pair(told(PLAIN), told(PEOPLE)),
}

PERSONS: Entries = {
    "report/findings/people.py:find_in_campaign: Annotators of … are divided on … of": Pair(
        asked(), asked(summary=replace(make_campaign().summary, divided=None))
    ),
    "report/findings/people.py:find_in_campaign: Between a quarter and three quarters of them": Pair(
        asked(), asked(summary=replace(make_campaign().summary, divided=None))
    ),
    "report/findings/people.py:_claim_quality: The only annotator of … gets … of": Pair(asked(**LONE), asked()),
    "report/findings/people.py:_claim_quality: The … annotators of … get from …": Pair(asked(**FEW), asked()),
    "report/findings/people.py:_claim_quality: The median annotator of … gets … of": Pair(asked(), asked(**FEW)),
    "report/findings/people.py:_list_quality: Agreement with the majority of the others": Pair(
        asked(), asked(agreement=NOTHING)
    ),
    "report/findings/people.py:_list_quality: …: … (median of …; … to …).": Pair(
        asked(), asked(controls=NOTHING, agreement=NOTHING)
    ),
    "report/findings/people.py:_list_quality: Krippendorff’s α over … of image and class:": Pair(
        asked(), asked(selected=(10, 10))
    ),
    "report/findings/people.py:_tell_alone: …: … (one annotator, … of …).": Pair(asked(**LONE), asked()),
    "report/findings/people.py:_tell_effort: … gave … to ….": Always("It counts answers and people.", asked()),
    "report/findings/people.py:_tell_effort: Median time per task: … s (n =": Pair(
        asked(), asked(pulse=make_pulse(median_seconds=None))
    ),
    "report/findings/people.py:_tell_effort: Cost with fees: … ….": Pair(
        asked(pulse=make_pulse(cost_so_far=1.0, currency="USD")), asked()
    ),
    "report/findings/people.py:_tell_effort: … of … have all the answers they": Always("It counts tasks.", asked()),
    "report/sections/people.py:make_people: Intervals of a median hold for annotators like": Always(
        "What the intervals are.", told(PEOPLE)
    ),
    "report/sections/people.py:make_people: Annotators are numbered in each campaign by how": Always(
        "How annotators are called.", told(PEOPLE)
    ),
    "report/sections/people.py:draw_frequencies: all … of image and class": Pair(
        lambda _: str(lay_out(PEOPLE).figures[0].spec), lambda _: [one.text for one in lay_out(PLAIN).figures]
    ),
    "report/sections/people.py:draw_frequencies: How often annotators of … selected a class": Pair(
        lambda _: [one.text for one in lay_out(PEOPLE).figures], lambda _: [one.text for one in lay_out(PLAIN).figures]
    ),
    "report/sections/people.py:_show_disputed: The image files are not at hand, so": Pair(told(UNSEEN), told(PEOPLE)),
    "report/sections/people.py:_show_disputed: Annotators who saw the same image gave the": Pair(
        told(PEOPLE), told(DISPUTED)
    ),
    "report/sections/people.py:_show_disputed: No two annotators answered about the same image,": Pair(
        told(APART), told(PEOPLE)
    ),
    "report/sections/people.py:_show_disputed: The … that annotators disagree about most, and": Pair(
        told(DISPUTED), told(PEOPLE)
    ),
}

ENTRIES: Entries = {**EVALUATIONS, **COMPARISONS, **SECTIONS, **PERSONS}
