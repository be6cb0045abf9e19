"""Small reports for tests: scores and comparisons with known counts, and a page made of them without drawing anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html.parser import HTMLParser
from typing import Any

import numpy as np
import vl_convert

from regauge.records.evaluation.scores import Scores, ScoreSettings
from regauge.records.evaluation.shifts import Shift, ShiftSettings
from regauge.records.labels.label_set import LabelKind, LabelSet, Truth, Unlisted
from regauge.records.predictions import Predictions
from regauge.records.studies import Event, LabelSetEntry, PredictionsEntry, StudyStatus, TestSetEntry, TestSetKind
from regauge.records.testsets.test_set import TestSet
from regauge.report.content import ComparisonPart, EvaluationPart, ImageSample, ReportContent
from regauge.report.document import make_sections, render_report
from regauge.workflows.evaluation.scoring import score
from regauge.workflows.evaluation.shifts import shift
from regauge.workflows.inputs import TestSetAnswers
from regauge.workflows.reports import report as study_reports
from regauge.workflows.reports.figures import convert_spec

STAMP = "2026-01-31T12:00:00.000Z"
VEGA = "window.vegaEmbed = () => {};"

HOSTILE = (
    "</script><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "{{7*7}}{% raw %}",
    "<!--<script>",
    "line one\nline two",
    "emoji 🦆 and \u202eright to left\u202c",
    "a*b?[c]!",
    "white",
    "&lt;b&gt; &amp; \\u003c",
    "n" * 300,
)
"""Names that somebody may give a model, by mistake or not."""


def make_scores(
    counts: Mapping[str, int], *, n: int = 40, name: str = "drawn", label_sets: Sequence[LabelSet] = (), by: Any = ()
) -> Scores:
    """Participants that are right on so many of the images; wrong answers are class 1, dataset labels class 0."""
    ids = make_ids(n)
    models = [Predictions(one, ids, (np.arange(n) >= k).astype(np.int32)) for one, k in counts.items()]
    truth = Truth(TestSet(name, ids, np.zeros(n, np.int32)), tuple(label_sets))
    return score(models, truth, by=by, settings=ScoreSettings(n_bootstrap=100))


def make_ids(n: int = 40) -> Any:
    return np.array([f"image {row}" for row in range(n)])


def make_reviewed(name: str = "people@1", *, n: int = 40, n_unjudged: int = 0) -> LabelSet:
    """People found class 0 in every image, and class 1 in none; on the last ones nobody looked at class 1."""
    wrong = [[1] if row < n - n_unjudged else [] for row in range(n)]
    return LabelSet.from_lists(name, make_ids(n), correct=[[0]] * n, wrong=wrong, unlisted=Unlisted.UNJUDGED)


def make_shift(old: Mapping[str, int], fresh: Mapping[str, int], **options: Any) -> Shift:
    """Models that are right on so many of 200 old and of 80 fresh images."""
    names = options.pop("names", ("old", "fresh"))
    sides = []
    for name, size, counts in ((names[0], 200, old), (names[1], 80, fresh)):
        ids = np.array([f"{size} {row}" for row in range(size)])
        models = [Predictions(one, ids, (np.arange(size) >= k).astype(np.int32)) for one, k in counts.items()]
        sides.append(TestSetAnswers(models, TestSet(name, ids, np.zeros(size, np.int32))))
    return shift(*sides, settings=ShiftSettings(**{"n_bootstrap": 200, **options}))


def make_content(
    scores: Sequence[Scores] = (), shifts: Sequence[Shift] = (), *, samples: ImageSample | None = None, **changes: Any
) -> ReportContent:
    """A report of these results."""
    parts = [_make_part(number, one, samples) for number, one in enumerate(scores, 1)]
    names = dict.fromkeys(name for one in scores for name in one.to_frame()["participant"])
    label_sets = tuple({entry.full_name: entry for part in parts for entry in part.label_sets}.values())
    test_sets = tuple(part.test_set for part in parts)
    predictions = tuple(
        PredictionsEntry(name, test_set.name, 1, 40, False, "d" * 64, "e" * 64, STAMP)
        for name in names
        for test_set in test_sets
    )
    status = StudyStatus("/studies/one", "study.db", "cifar-10", 10, test_sets, predictions, label_sets, (), (), ())
    content: dict[str, Any] = {
        "title": "A report",
        "about": "",
        "status": status,
        "evaluations": tuple(parts),
        "comparisons": tuple(ComparisonPart(1, one, ("people@1",), STAMP, "0.1") for one in shifts),
        "events": (Event("init", "somebody", STAMP, {"taxonomy": "cifar-10", "command": "regauge init x"}, "0.1"),),
        "made_at": STAMP,
        "code_version": "0.1",
    }
    return ReportContent(**{**content, **changes})


def _make_part(number: int, scores: Scores, samples: ImageSample | None) -> EvaluationPart:
    frame = scores.to_frame()
    test_set = TestSetEntry(frame["test_set"][0], TestSetKind.TABLE, "/images", 40, "d" * 64, STAMP)
    names = frame["labels"].unique(maintain_order=True).to_list()
    labels = [name.rpartition("@") for name in names if "@" in name]
    entries = [
        LabelSetEntry(name, int(version), LabelKind.MULTILABEL, Unlisted.UNJUDGED, 40, 80, 0, None, STAMP)
        for name, _, version in labels
    ]
    return EvaluationPart(number, test_set, entries, scores, samples, STAMP, "0.1")


def render(content: ReportContent) -> str:
    """The page with empty pictures."""
    sections = make_sections(content)
    pictures = {figure.name: "<svg></svg>" for section in sections for figure in section.figures}
    return render_report(content, sections, pictures=pictures, vega=VEGA)


def render_drawn(content: ReportContent) -> str:
    """The page as a user has it."""
    sections = make_sections(content)
    figures = [figure for section in sections for figure in section.figures]
    pictures = {one.name: convert_spec(one.spec, name=one.name)[".svg"].decode() for one in figures}
    return render_report(content, sections, pictures=pictures, vega=vl_convert.javascript_bundle(study_reports.VEGA))


class Page(HTMLParser):
    """What a browser would find in a page: tags with attributes, the text of scripts, and tables by their id."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.tables: dict[str, list[list[tuple[str, str | None]]]] = {}
        self.words: list[str] = []
        self._table: str | None = None
        self._is_cell = False
        self._is_script = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.tags.append((tag, found))
        self._is_script = tag in {"script", "style"}
        if tag == "script":
            self.scripts.append("")
        if tag == "table":
            self._table = found.get("id")
            if self._table:
                self.tables[self._table] = []
        elif self._table and tag == "tr":
            self.tables[self._table].append([])
        elif self._table and tag in {"td", "th"}:
            self.tables[self._table][-1].append(("", found.get("data-value")))
            self._is_cell = True

    def handle_endtag(self, tag: str) -> None:
        self._is_script = False
        if tag in {"td", "th"}:
            self._is_cell = False
        if tag == "table":
            self._table = None

    def handle_data(self, data: str) -> None:
        if self._is_script:
            if self.scripts:
                self.scripts[-1] += data
            return
        self.words.append(data)
        if self._table and self._is_cell:
            text, value = self.tables[self._table][-1].pop()
            self.tables[self._table][-1].append((text + data, value))

    def find_values(self, table: str) -> dict[str, list[float | None]]:
        """By the name of a row, the numbers behind its cells."""
        return {
            row[0][0]: [None if value is None else float(value) for _, value in row[1:]]
            for row in self.tables[table][1:]
        }

    @property
    def text(self) -> str:
        return "".join(self.words)
