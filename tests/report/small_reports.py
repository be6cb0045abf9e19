"""Small reports for tests: scores and comparisons with known counts, and a page made of them without drawing anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html.parser import HTMLParser
from typing import Any

import numpy as np

from regauge.evaluation.hard_classes import JudgedColumns, measure_classes
from regauge.evaluation.lifts import measure_lift
from regauge.evaluation.metrics import find_measures
from regauge.evaluation.standings import find_standings
from regauge.evaluation.targets import line_up
from regauge.records.campaigns.campaign import CampaignProgress, CampaignState, Platform
from regauge.records.evaluation.details import EvaluationDetails
from regauge.records.evaluation.scores import Scores, ScoreSettings
from regauge.records.evaluation.shifts import Shift, ShiftSettings
from regauge.records.labels.label_set import LabelKind, LabelSet, Truth, Unlisted
from regauge.records.predictions import Predictions
from regauge.records.responses.figures import ImageCounts
from regauge.records.responses.quality import AnnotatorQuality, CampaignPulse
from regauge.records.studies import Event, LabelSetEntry, PredictionsEntry, StudyStatus, TestSetEntry, TestSetKind
from regauge.records.testsets.test_set import TestSet
from regauge.report.content import CampaignPart, ComparisonPart, EvaluationPart, MistakeImages, ReportContent
from regauge.report.document import Document, lay_out, render_report
from regauge.report.drawings import embed_drawing
from regauge.responses.live.shares import make_shares
from regauge.responses.summaries import summarise_answers
from regauge.workflows.evaluation.scoring import score
from regauge.workflows.evaluation.shifts import shift
from regauge.workflows.inputs import TestSetAnswers
from regauge.workflows.reports.figures import convert_spec

TOP_1 = ("top1", "dataset")
STAMP = "2026-01-31T12:00:00.000Z"

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


def make_details(
    counts: Mapping[str, int], *, n: int = 40, label_set: LabelSet | None = None, labels: Any = None
) -> EvaluationDetails:
    """A closer look at the participants of `make_scores`; dataset labels are class 0 unless others are given."""
    labels = np.zeros(n, np.int32) if labels is None else np.asarray(labels, np.int32)
    truth = Truth(TestSet("drawn", make_ids(n), labels), () if label_set is None else (label_set,))
    target = line_up(truth, n_classes=10)
    names = sorted(counts, key=lambda name: (-counts[name], name))
    answers = {name: np.where(np.arange(n) >= counts[name], (labels + 1) % 10, labels) for name in names}
    measures = {(one.metric, one.labels): one for one in find_measures(target)}
    measure = TOP_1 if label_set is None else ("multilabel_lenient", label_set.name)
    judged = {
        name: np.stack([measures[name].judge(answers[one].astype(np.int32)[:, None]) for one in names])
        for name in dict.fromkeys((TOP_1, measure))
    }
    lifts = [measure_lift(one, judged[TOP_1][row], after=judged[measure][row]) for row, one in enumerate(names)]
    best = JudgedColumns(labels, answers[names[0]].astype(np.int32), judged[measure][0])
    return EvaluationDetails(
        measure=measure,
        best=names[0],
        standings={name: find_standings(names, found) for name, found in judged.items()},
        lifts=() if label_set is None else tuple(one for one in lifts if one is not None),
        classes=measure_classes(best, [f"class {index}" for index in range(10)]),
    )


def make_content(
    scores: Sequence[Scores] = (),
    shifts: Sequence[Shift] = (),
    *,
    details: Sequence[EvaluationDetails | None] = (),
    mistakes: MistakeImages | None = None,
    **changes: Any,
) -> ReportContent:
    """A report of these results."""
    looks = [*details, *[None] * (len(scores) - len(details))]
    parts = [_make_part(number, one, (looks[number - 1], mistakes)) for number, one in enumerate(scores, 1)]
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
        "campaigns": (),
        "events": (Event("init", "somebody", STAMP, {"taxonomy": "cifar-10", "command": "regauge init x"}, "0.1"),),
        "made_at": STAMP,
        "code_version": "0.1",
    }
    return ReportContent(**{**content, **changes})


def _make_part(
    number: int, scores: Scores, looks: tuple[EvaluationDetails | None, MistakeImages | None]
) -> EvaluationPart:
    frame = scores.to_frame()
    test_set = TestSetEntry(frame["test_set"][0], TestSetKind.TABLE, "/images", 40, "d" * 64, STAMP)
    names = frame["labels"].unique(maintain_order=True).to_list()
    labels = [name.rpartition("@") for name in names if "@" in name]
    entries = [
        LabelSetEntry(name, int(version), LabelKind.MULTILABEL, Unlisted.UNJUDGED, 40, 80, 0, None, STAMP)
        for name, _, version in labels
    ]
    return EvaluationPart(number, test_set, entries, scores, *looks, STAMP, "0.1")


def make_campaign(
    controls: Sequence[tuple[int, int]] = ((18, 20),) * 8,
    *,
    agreement: Sequence[tuple[int, int]] = ((45, 50),) * 8,
    selected: Sequence[int] = (10, 5, 0, 9, 1, 10),
    n_shown: int = 10,
    **changes: Any,
) -> CampaignPart:
    """A campaign whose annotators have so many controls right of so many, and selected so many of the pairs."""
    annotators = tuple(
        AnnotatorQuality(
            number,
            f"somebody {number}",
            Platform.LINK,
            n_answers=20 - number,
            n_counted=20,
            controls=make_shares([right], [n])[0],
            positive=make_shares([0], [0])[0],
            negative=make_shares([0], [0])[0],
            agreement=make_shares([agreeing[0]], [agreeing[1]])[0],
            consistency=make_shares([0], [0])[0],
            median_seconds=12.0,
        )
        for number, ((right, n), agreeing) in enumerate(zip(controls, agreement, strict=True))
    )
    counts = ImageCounts(
        np.arange(len(selected), dtype=np.int32),
        np.zeros(len(selected), np.int32),
        np.full(len(selected), n_shown),
        np.array(selected, np.int64),
        np.zeros(len(selected), np.bool_),
    )
    values: dict[str, Any] = {
        "name": "asked",
        "kind": "CONTAINS",
        "state": CampaignState.CLOSED,
        "pulse": make_pulse(),
        "annotators": annotators,
        "summary": summarise_answers(annotators, counts, has_pairs=True),
        "disputed": (),
    }
    return CampaignPart(**{**values, **changes})


def make_pulse(**changes: Any) -> CampaignPulse:
    """A campaign of 40 tasks that is done, without pay."""
    values: dict[str, Any] = {
        "progress": CampaignProgress(40, 40, 160, 160, 0, 0, 8),
        "at": STAMP,
        "answers_per_hour": (),
        **dict.fromkeys(("n_last_hour", "n_dropped", "n_repeats", "n_unseen", "n_reports", "n_working"), 0),
        "n_answers": 160,
        "expected_end": None,
        "expectation": "",
        "median_seconds": 12.0,
        "n_timed": 160,
        "hourly_pay": None,
        "pay_warning": "",
        "cost_so_far": None,
        "cost_expected": None,
        "currency": "",
    }
    return CampaignPulse(**{**values, **changes})


def render(content: ReportContent) -> str:
    """The page with empty pictures."""
    return render_document(lay_out(content))


def render_document(document: Document) -> str:
    """The page of a report that is laid out, with empty pictures."""
    return render_report(document, pictures={figure.name: "<svg></svg>" for figure in document.figures})


def render_drawn(content: ReportContent) -> str:
    """The page as a user has it."""
    document = lay_out(content)
    drawn = {one.name: convert_spec(one.spec, name=one.name)[".svg"].decode() for one in document.figures}
    return render_report(document, pictures={name: embed_drawing(svg) for name, svg in drawn.items()})


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
