"""Sentences about who corrects which coded mistakes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from tests.mistakes.small_sources import AFTER, BEFORE, FIRST, SECOND, answer, list_correct
from tests.mistakes.test_fixing import CODED, code
from tests.mistakes.test_tracing import HARSH, make_coding
from tests.report.reviewed_mistakes import make_review, make_uncoded
from tests.sentences.codings import add, studied
from tests.sentences.commands import commands
from tests.sentences.entries import Always, Entries, Maker, Pair
from tests.sentences.mistakes import open_source, printed

from regauge.cli.mistakes import fixed, flow, majors
from regauge.cli.printing.output import print_parts
from regauge.mistakes.fixing import count_majors
from regauge.report.content import ReviewedMistakes
from regauge.report.findings.mistakes import find_in_mistakes
from regauge.report.mistakes.figures import plot_flow
from regauge.report.sections.mistakes import make_mistakes
from regauge.workflows.mistakes.fixing import follow_majors
from regauge.workflows.mistakes.tracing import trace_mistakes

THIRD = answer("third", [0, 1, 2, 1, 0])
RIGHT = answer("right", [0, 1, 2, 3, 0])
SHORT = answer("short", [1, 1], ["a", "b"])
HEAD = "image_id,prediction,category,severity\n"
FILES = {
    "one.csv": HEAD + "a,1,FG,major\nb,1,FG,minor\n",
    "two.csv": HEAD + "b,1,FG,minor\n",
    "far.csv": HEAD + "z,1,FG,major\n",
}


def followed(*models: Any, labels: Any = BEFORE) -> Maker:
    """The table and the notes about the same coded mistakes and some others who may have corrected them."""

    def say(_: Path) -> list[str]:
        found = follow_majors(open_source(labels, models=list(models), who=()), CODED)
        return [*printed(lambda: print_parts(fixed._make_parts(found))), *found.notes]

    return say


def traced(*labels: Any, coded: Any = None, who: Any = ("first",), **settings: Any) -> Maker:
    """The table and the notes about the way of mistakes through label sets, and through a coding."""

    def say(_: Path) -> list[str]:
        found = trace_mistakes(open_source(*labels, models=(FIRST, RIGHT), who=who), coded, **settings)
        figure = [
            value for row in plot_flow(found).to_dict()["datasets"].values() for one in row for value in one.values()
        ]
        title = plot_flow(found).to_dict()["title"]["subtitle"]
        return [
            *printed(lambda: print_parts(flow._make_parts(found))),
            *found.notes,
            *map(str, figure),
            " ".join(title),
        ]

    return say


def told(n_major: int, *, n_kept_major: int, n: int = 20) -> Maker:
    """The lines about n corrected and n kept mistakes, with so many major ones."""
    severities = np.r_[np.arange(n) >= n_major, np.arange(n) >= n_kept_major].astype(int)
    coded = code("m", [f"i{place}" for place in range(2 * n)], [1] * 2 * n, severities.tolist())
    is_corrected = np.arange(2 * n) < n
    return lambda _: majors.format_majors(
        count_majors(coded, ("m", "n"), masks=(is_corrected, ~is_corrected), level=0.95)
    )


def reported(review: ReviewedMistakes) -> Maker:
    """The finding, and the texts, captions and tables of the section."""

    def say(_: Path) -> list[str]:
        found = [text for one in find_in_mistakes(review, "mistakes") for text in (one.claim, one.evidence)]
        section = make_mistakes([review])
        texts = [getattr(block, name, "") for block in section.blocks for name in ("words", "caption", "text")]
        return [*found, section.gist, *texts]

    return say


COUNTED = "both numbers are counts of these mistakes"
METHODS = "It names the methods."

ENTRIES: Entries = {
    "cli/mistakes/fixed.py:_make_parts: Are major mistakes of … corrected first?": Always(
        "It is the title.", followed(SECOND)
    ),
    "cli/mistakes/fixed.py:_make_parts: …, … of them major; corrected or not": Always(COUNTED, followed(SECOND)),
    "cli/mistakes/fixed.py:_make_parts: Intervals of shares: Clopper–Pearson.": Always(METHODS, followed(SECOND)),
    "cli/mistakes/fixed.py:_make_parts: Differences in points: Newcombe; p: Fisher's exact test,": Pair(
        followed(SECOND, THIRD), followed(SECOND)
    ),
    "cli/mistakes/majors.py:format_majors: on images that it gets wrong too: …": Always(COUNTED, followed(SECOND)),
    "cli/mistakes/majors.py:conclude: … corrects major mistakes of … more often": Pair(
        told(15, n_kept_major=5), told(5, n_kept_major=15)
    ),
    "cli/mistakes/majors.py:conclude: … corrects minor mistakes of … more often": Pair(
        told(5, n_kept_major=15), told(15, n_kept_major=5)
    ),
    "cli/mistakes/majors.py:conclude: Whether … corrects major mistakes of … more": Pair(
        told(8, n_kept_major=10), told(15, n_kept_major=5)
    ),
    "cli/mistakes/summary.py:_make_comparison: Does … correct major mistakes of … first?": Pair(
        commands("mistakes summary one.csv two.csv", files=FILES),
        commands("mistakes summary one.csv far.csv", files=FILES),
    ),
    "cli/mistakes/flow.py:_make_parts: What a review left of the mistakes of": Always(
        "It is the title.", traced(BEFORE, AFTER)
    ),
    "report/mistakes/figures.py:plot_flow: What a review left of the mistakes of": Always(
        "It is the title.", traced(BEFORE, AFTER)
    ),
    "cli/mistakes/flow.py:_make_parts: Overturned in all: … of ……, … (…).": Pair(
        traced(BEFORE, AFTER), traced(BEFORE, AFTER, who=("right",))
    ),
    "cli/mistakes/flow.py:_make_parts: At the end: ……": Always(COUNTED, traced(BEFORE, AFTER)),
    "report/mistakes/figures.py:_explain: Overturned: … of … on ……, ….…": Pair(
        traced(BEFORE, AFTER), traced(BEFORE, AFTER, who=("right",))
    ),
    "report/mistakes/figures.py:_explain: On ….…": Pair(traced(BEFORE, AFTER, who=("right",)), traced(BEFORE, AFTER)),
    "report/mistakes/figures.py:_explain: Unclear answers are mistakes.": Pair(
        traced(BEFORE, AFTER, is_strict=True), traced(BEFORE, AFTER)
    ),
    "report/mistakes/figures.py:_head: , … of them judged by nobody": Pair(
        traced(BEFORE, AFTER), traced(list_correct("one"), list_correct("two"))
    ),
    "report/mistakes/figures.py:_tell_joined: accepted or not judged before: …": Pair(
        traced(BEFORE, HARSH, who=("right",)), traced(BEFORE, AFTER)
    ),
    "mistakes/notes.py:describe_trace: Nobody has judged … among the mistakes at": Pair(
        traced(AFTER, BEFORE), traced(BEFORE, AFTER)
    ),
    "mistakes/notes.py:describe_trace: … says nothing of … at the end.": Pair(
        traced(BEFORE, coded=make_coding({"a": (1, 0)}, {})),
        traced(AFTER, coded=make_coding({"a": (1, 0)}, {})),
    ),
    "mistakes/notes.py:describe_trace: … without a place in the flow: …": Pair(
        traced(AFTER, coded=make_coding({"a": (1, 0), "b": (3, 0)}, {})),
        traced(BEFORE, coded=make_coding({"a": (1, 0)}, {})),
    ),
    "report/findings/mistakes.py:find_in_mistakes: A review overturned … of the mistakes of": Pair(
        reported(make_uncoded()), reported(make_uncoded(n_overturned=0))
    ),
    "report/findings/mistakes.py:tell_mistakes: Overturned on … since …: … of …,": Pair(
        reported(make_review()), reported(replace(make_review(), flow=None))
    ),
    "report/findings/mistakes.py:tell_mistakes: Major: … of …, ….": Pair(
        reported(make_review()), reported(make_uncoded())
    ),
    "report/findings/mistakes.py:_claim_severity: Most coded mistakes of … are major.": Pair(
        reported(make_review(80)), reported(make_review(20))
    ),
    "report/findings/mistakes.py:_claim_severity: Most coded mistakes of … are minor.": Pair(
        reported(make_review(20)), reported(make_review(80))
    ),
    "report/findings/mistakes.py:_claim_severity: Whether most coded mistakes of … are major": Pair(
        reported(make_review(50)), reported(make_review(20))
    ),
    "report/sections/mistakes.py:_show: The mistakes of … from one label set": Pair(
        reported(make_review()), reported(replace(make_review(), flow=None))
    ),
    "report/sections/mistakes.py:_show: Coded mistakes of … (…) by category and": Pair(
        reported(make_review()), reported(make_uncoded())
    ),
    "report/sections/mistakes.py:_show: Borderline mistakes, … of …, count as minor.": Pair(
        reported(make_review()), reported(make_review(n_borderline=0))
    ),
    "report/sections/mistakes.py:_show: Accuracy of … by … and by …": Pair(
        reported(make_review()), reported(make_uncoded())
    ),
    "mistakes/notes.py:describe_stand_in: … has no predictions here, so this is": Pair(
        studied(add("one.csv"), "mistakes flow --coded one"),
        studied("predictions add p.csv", add("one.csv"), "mistakes flow --coded one"),
    ),
    "mistakes/notes.py:describe_fixes: … left out…: … accepts the prediction by": Pair(
        followed(SECOND, SHORT, labels=AFTER), followed(SECOND)
    ),
}
