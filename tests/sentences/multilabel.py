"""Sentences about multi-label truths."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.report.multilabel_truths import N, make_truth
from tests.sentences.entries import Always, Entries, Maker, Pair

from regauge.cli.labels.summaries import make_tables
from regauge.evaluation.reviews.multilabel_sentences import describe_open, describe_truth
from regauge.records.labels.label_set import LabelKind
from regauge.report.multilabel_figures import plot_truth
from regauge.report.sections.blocks import Fold, ReportFigure, ReportTable, Text
from regauge.report.sections.multilabel import make_multilabel
from regauge.workflows.demo.review import describe_pair

EVERY = "an image is problematic or it is not, and the share says of how many"
DRAWN = "a figure is drawn only where somebody was compared, with intervals and the dashed line"
COMPARED = "medians are over those who were compared, and a figure is drawn only of some"


def told(**options: Any) -> Maker:
    """What is said of a truth and of what is open in it."""

    def say(_: object) -> list[str]:
        truth = make_truth(**options)
        return [*describe_truth(truth), *describe_open(truth)]

    return say


def told_of_fewer(_: object) -> list[str]:
    """What is said where the first of several participants was counted on three images."""
    truth = make_truth()
    changed = []
    for one in truth.comparisons:
        first = replace(one.changes[0], before=replace(one.changes[0].before, n=3))
        changed.append(replace(one, changes=(first, *one.changes[1:])))
    return list(describe_open(replace(truth, comparisons=tuple(changed))))


def shown(n: int, **options: Any) -> Maker:
    """What the section of so many truths says: texts, gists, captions, and what readers hear of figures."""

    def say(_: object) -> list[str]:
        section = make_multilabel([make_truth(f"people@{number}", **options) for number in range(n)])
        words = [section.gist]
        blocks = list(section.blocks)
        while blocks:
            block = blocks.pop()
            blocks += getattr(block, "blocks", ())
            words += [block.words] if isinstance(block, Text) else []
            words += [block.title] if isinstance(block, Fold) else []
            words += [block.text] if isinstance(block, ReportFigure) else []
            words += [block.caption] if isinstance(block, ReportTable) else []
        return words

    return say


def drawn(**options: Any) -> Maker:
    def say(_: object) -> list[str]:
        spec = plot_truth(make_truth(**options)).to_dict()
        return [" ".join(spec["title"]["subtitle"])]

    return say


def titled() -> Maker:
    return lambda _: [plot_truth(make_truth()).to_dict()["title"]["text"]]


def summed(*participants: str, is_bare: bool = False) -> Maker:
    """The titles of the tables of a summary; bare of participants, where nobody has predictions."""

    def say(_: object) -> list[str]:
        truth = make_truth(answers={} if is_bare else dict.fromkeys(participants, 0))
        return [truth.test_set, *(table.title for table in make_tables(truth))]

    return say


ALL_BAD: dict[str, Any] = {"is_problematic": [True] * N, "answers": {}}
TURNED: dict[str, Any] = {"correct": [[1]] * N}
ONE = {"answers": {"alpha": 0}}
SINGLE: dict[str, Any] = {"correct": [[0]] * N, "n_classes": 0}
EMPTY: dict[str, Any] = {"correct": [[0, 1]] * 4 + [[]] * 6, "kind": LabelKind.REAL, "wrong": None}
APART = {"alpha": 0, "beta": 1}
"""Two who do not share a rank."""
KEY = "evaluation/reviews/multilabel_sentences.py"

FIGURE = "report/multilabel_figures.py"
SECTION = "report/sections/multilabel.py"

ENTRIES: Entries = {
    f"{KEY}:describe_truth: … of the images that count have two": Pair(told(), told(**ALL_BAD)),
    f"{KEY}:describe_truth: … of the images are problematic and left": Always(EVERY, told()),
    f"{KEY}:describe_truth: … left out: no reassessed label.": Pair(told(**EMPTY), told()),
    f"{KEY}:describe_truth: Reasons for labels that are correct or unclear": Pair(told(reasons=True), told()),
    f"{KEY}:describe_changes: From … to …: …": Pair(told(), told(**ALL_BAD)),
    f"{KEY}:describe_changes: …; no rank changes.": Pair(
        told(answers={"alpha": 0, "beta": 1}), told(answers={"alpha": 0, "beta": 1}, **TURNED)
    ),
    f"{KEY}:describe_changes: …; …, that of ….": Pair(told(**TURNED), told(**ONE)),
    f"{KEY}:describe_open: … judges one class of each image, so": Pair(told(**SINGLE), told()),
    f"{KEY}:describe_open: … of … without verdict: images may have": Pair(told(**SINGLE), told()),
    f"{KEY}:describe_open: Unjudged answers count as wrong in changes; their": Pair(told(**SINGLE), told()),
    f"{KEY}:_describe_fewer: Ranks compare participants on different numbers of images:": Pair(told_of_fewer, told()),
    f"{KEY}:describe_open: … of … settled by bounds under ….": Pair(told(), told(**ONE)),
    f"{FIGURE}:plot_truth: Multi-label accuracy by …": Always(DRAWN, titled()),
    f"{FIGURE}:_explain: … on … with …% … intervals; dashed:": Always(DRAWN, drawn()),
    f"{FIGURE}:_explain: Full dots: against top-1; hollow: against top-5.": Pair(drawn(), drawn(n_answers=1)),
    f"{FIGURE}:_explain: Median changes in points: ….": Always(COMPARED, drawn()),
    f"{SECTION}:make_multilabel: Label sets under which an image can have": Pair(shown(2), shown(1)),
    f"{SECTION}:_tell_rest: Figures and changes of … are not drawn": Pair(shown(3), shown(2)),
    f"{SECTION}:_tell_gist: …: … of images have several correct labels": Pair(shown(1), shown(1, **ALL_BAD)),
    f"{SECTION}:_show: Multi-label accuracy by … against top-1 and top-5,": Pair(shown(1), shown(1, **ALL_BAD)),
    f"{SECTION}:_show: From … to …, on the images that": Pair(shown(1), shown(1, **ALL_BAD)),
    f"{SECTION}:_show: Table: every participant against …": Pair(shown(1), shown(1, **ALL_BAD)),
    "workflows/demo/review.py:describe_pair: Simulated: in this world …. Judge each by": Always(
        "an entry is written where a relation was accepted, which it names", lambda _: describe_pair("a ⊂ b")
    ),
    "cli/labels/summaries.py:make_tables: Against …, on the images that count under": Pair(
        summed("strong"), summed("strong", is_bare=True)
    ),
}
