"""Sentences about scores: notes, captions of tables and figures, and signs of disorder."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from rich.console import Console
from tests.report.small_reports import make_content, make_ids, make_reviewed, make_scores
from tests.sentences.comparisons_data import texts, titles
from tests.sentences.entries import Always, Entries, Maker, Pair

import regauge
from regauge.arrays import IntArray
from regauge.cli.printing.score_tables import make_tables
from regauge.cli.printing.score_views import ScoreView, view_scores
from regauge.cli.printing.tables import make_table
from regauge.errors import InputError
from regauge.predictions.order import find_order_warning
from regauge.records.evaluation.scores import Scores, ScoreSettings
from regauge.records.labels.frequencies import AnnotatorSpread
from regauge.records.labels.label_set import LabelSet
from regauge.report.document import lay_out
from regauge.report.figures import plot_scores
from regauge.report.subset_figures import plot_subsets

LISTS = '{"first": ["image 0", "image 1"], "last": ["image 38", "image 39"]}'
ABSENT = '{"first": ["image 0", "elsewhere"]}'


EVERYTHING = ScoreView()


@cache
def scores(*counts: int, n_unjudged: int = -1, turned: bool = False) -> Scores:
    """Participants a, b, c … that are right on so many of 40 images, by dataset labels and by people's where asked for."""
    sets = [make_reviewed(n_unjudged=n_unjudged)] if n_unjudged >= 0 else []
    if turned:
        # By these labels class 1 is right everywhere, so that whoever erred most is best.
        sets = [LabelSet.from_lists("turned@1", make_ids(), correct=[[1]] * 40)]
    return make_scores(
        {"abcdef"[place : place + 1] or f"m{place}": k for place, k in enumerate(counts)}, label_sets=sets
    )


def with_lists(text: str, folder: Path, *, n_right: int = 30) -> Scores:
    path = folder / "lists.json"
    path.write_text(text)
    return make_scores({"a": n_right}, by=path)


def notes(**changes: Any) -> Maker:
    """Models with ten classes on 20 images; changes say what they lack or have too much."""

    def make(_: Path) -> list[str]:
        n_answers, n_extra, k = changes.get("n_answers", 20), changes.get("n_extra", 0), changes.get("k", 5)
        ids = [*(f"i{row}" for row in range(n_answers)), *(f"x{row}" for row in range(n_extra))]
        answers = np.tile(np.arange(k, dtype=np.int32), (len(ids), 1))
        n_models = changes.get("n_models", 1)
        models = [regauge.Predictions(f"model {n}", np.array(ids), answers) for n in range(n_models)]
        truth = regauge.TestSet(
            "tiny", np.array([f"i{row}" for row in range(20)]), np.arange(20) % changes.get("n_classes", 10)
        )
        settings = ScoreSettings(allow_missing=True, n_bootstrap=100)
        found = regauge.score(models, truth, taxonomy="cifar-10", settings=settings)
        return [*found.notes, *found.warnings, "(end of notes)"]

    return make


def note_classes(*sizes: int) -> Maker:
    """What is said of classes with so many images."""

    def make(_: Path) -> list[str]:
        labels = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
        ids = np.array([f"i{row}" for row in range(len(labels))])
        found = regauge.score(regauge.Predictions("model", ids, labels), regauge.TestSet("tiny", ids, labels))
        return [*found.notes, "(end of notes)"]

    return make


def objects(*, is_follow_up_only: bool) -> Maker:
    """Scores by the main labels of images that were asked about in CLASSIFY, without or with the easy ones."""
    labels = LabelSet.from_lists("main@1", make_ids(), correct=[[0]] * 40, main_labels=[0] * 40)
    chosen = replace(labels, is_follow_up_only=is_follow_up_only)
    return lambda _: [str(one) for one in make_scores({"a": 10}, label_sets=[chosen])]


def note_lists(text: str) -> Maker:
    return lambda folder: [*with_lists(text, folder).notes, "(end of notes)"]


def score_one(answers: IntArray) -> Maker:
    """The signs of disorder in answers to 200 images of ten classes, one after the other."""
    return lambda _: [*find_order_warning("model", answers.astype(np.int32), labels=LABELS), "(end)"]


LABELS = np.arange(200, dtype=np.int32) // 20
ORDERED = np.stack([(LABELS + place) % 10 for place in range(5)], axis=1)
RENUMBERED = (ORDERED + 1) % 10


def table(
    *counts: int,
    against: str | None = None,
    frequencies: bool = False,
    spread: AnnotatorSpread | None = None,
    view: ScoreView = EVERYTHING,
    **options: Any,
) -> Maker:
    """The sentences above and below the tables of scores."""

    def make(_: Path) -> list[str]:
        found = scores(*counts, **options)
        if against is not None or frequencies:
            found = score_anew(counts, against=against, frequencies=frequencies, spread=spread)
        return texts(make_tables(found, view, width=1_000))

    return make


def fewer(*counts: int, n: int) -> Maker:
    """The same where the first participant was counted on so many images."""

    def make(_: Path) -> list[str]:
        found = scores(*counts)
        frame = found.to_frame().with_columns(n=pl.when(pl.col("participant") == "a").then(pl.lit(n)).otherwise("n"))
        return texts(make_tables(replace(found, frame=frame), ScoreView(), width=1_000))

    return make


def no_images(_: Path) -> list[str]:
    """The sentences about scores for which no image counts."""
    found = scores(10)
    blanks = dict.fromkeys(("value", "low", "high", "interval", "lower_bound", "upper_bound"))
    frame = found.to_frame().with_columns(n=pl.lit(0), n_correct=pl.lit(0), **{k: pl.lit(v) for k, v in blanks.items()})
    return texts(make_tables(replace(found, frame=frame), ScoreView(), width=1_000))


def asked(metric: str) -> Maker:
    """The refusal of a metric that the scores do not have."""

    def make(_: Path) -> list[str]:
        with pytest.raises(InputError) as refused:
            view_scores(scores(10), ScoreView((metric,)))
        return [str(refused.value)]

    return make


def fitted(width: int, name: str = "name") -> Maker:
    """A table of three columns at a width."""

    def make(_: Path) -> list[str]:
        found = make_table("model", "other")
        found.add_columns(["accuracy"])
        found.add_row(name, "x", "12.0% [10.0, 14.0]")
        console = Console(width=width, file=StringIO(), record=True)
        console.print(found)
        return [" ".join(console.export_text().split())]

    return make


@cache
def score_anew(
    counts: tuple[int, ...], *, against: str | None, frequencies: bool, spread: AnnotatorSpread | None
) -> Scores:
    ids = make_ids()
    models = [
        regauge.Predictions("abcdef"[place], ids, (np.arange(40) >= k).astype(np.int32))
        for place, k in enumerate(counts)
    ]
    truth: Any = regauge.TestSet("drawn", ids, np.zeros(40, np.int32))
    if frequencies:
        columns = np.arange(40, dtype=np.int32), np.zeros(40, np.int32), np.full(40, 9), np.full(40, 6)
        asked = regauge.SelectionCounts(ids, *columns, spread=spread)
        truth = regauge.Truth(truth, (), frequencies=(asked,))
    return regauge.score(models, truth, settings=ScoreSettings(against=against, n_bootstrap=100))


def figure(*counts: int, n: int = 40, **options: Any) -> Maker:
    return lambda _: titles(plot_scores(scores(*counts, **options) if n == 40 else many(n)))


@cache
def many(n: int) -> Scores:
    """So many images that an interval is narrower than a dot."""
    return make_scores({"a": n // 2, "b": n - 10}, n=n)


def parts_figure(
    n_parts: int, *, n_unjudged: int = 0, n_empty: int = 0, others: Mapping[str, int] | None = None
) -> Maker:
    def make(folder: Path) -> list[str]:
        path = folder / "lists.json"
        lists = {f"part {place}": [f"image {place % 40}"] if place >= n_empty else [] for place in range(n_parts)}
        path.write_text(json.dumps(lists))
        found = make_scores({"a": 20, **(others or {})}, by=path, label_sets=[make_reviewed(n_unjudged=n_unjudged)])
        return titles(plot_subsets(found, ["a"], measure=("multilabel_lenient", "people@1")))

    return make


def figure_texts(text: str = "") -> Maker:
    """What readers who cannot see a figure are told."""

    def make(folder: Path) -> list[str]:
        content = make_content([with_lists(text, folder) if text else scores(10, 20)])
        return [figure.text for figure in lay_out(content).figures]

    return make


ENTRIES: Entries = {
    "evaluation/scoring.py:_note_empty_classes: … of … classes have no image in": Pair(notes(n_classes=9), notes()),
    "evaluation/small_classes.py:note_small_classes: … of … classes in … … fewer": Pair(
        note_classes(5, 5, 4), note_classes(5, 5, 5)
    ),
    "evaluation/small_classes.py:note_small_classes: Were all classes equally accurate, …% of the": Pair(
        note_classes(*[50] * 9, 1), note_classes(*[5] * 9, 4)
    ),
    "evaluation/scoring.py:_note_unknown_images: Subset … names … not in … (ignored).": Pair(
        note_lists(ABSENT), note_lists(LISTS)
    ),
    "evaluation/coverage.py:note_coverages: … has no prediction for … of …": Pair(notes(n_answers=19), notes()),
    "evaluation/coverage.py:note_coverages: … have no prediction for … of …": Pair(
        notes(n_answers=19, n_models=2), notes(n_models=2)
    ),
    "evaluation/coverage.py:note_coverages: … also answers … not in … (ignored).": Pair(notes(n_extra=1), notes()),
    "evaluation/coverage.py:note_coverages: … also answer … not in … (ignored).": Pair(
        notes(n_extra=1, n_models=4), notes(n_models=4)
    ),
    "evaluation/coverage.py:note_coverages: … … fewer than … answers for some": Pair(notes(k=4), notes()),
    "predictions/order.py:find_order_warning: …: the answers may be stored worst first:": Pair(
        score_one(ORDERED[:, ::-1]), score_one(ORDERED)
    ),
    "predictions/order.py:find_order_warning: …: the classes may be numbered in another": Pair(
        score_one(RENUMBERED), score_one(ORDERED)
    ),
    "cli/printing/score_tables.py:_make_caption: …% intervals: ….": Always(
        "It names the methods, or says why there is none.", table(10)
    ),
    "records/evaluation/scores.py:: follow-up images only": Pair(
        objects(is_follow_up_only=True), objects(is_follow_up_only=False)
    ),
    "evaluation/metrics/selection_frequency.py:: score, over images, for these annotators": Pair(
        table(10, frequencies=True), table(10, frequencies=True, spread=AnnotatorSpread(9, 9.0, 0.2))
    ),
    "evaluation/metrics/selection_frequency.py:: Selection frequencies are of the n predictions that": Pair(
        table(10, frequencies=True), table(10)
    ),
    "cli/printing/score_tables.py:_make_caption: “a to b”: a if every unjudged prediction": Pair(
        table(10, n_unjudged=8), table(10, n_unjudged=0)
    ),
    "cli/printing/score_tables.py:_make_headline: No image counts for ….": Pair(no_images, table(10)),
    "cli/printing/score_tables.py:_make_headline: Highest … of … participants…: … with ….": Pair(
        table(10, 20), table(10)
    ),
    "cli/printing/score_tables.py:_tell_fewer: , on fewer images than others; highest with": Pair(
        fewer(20, 10, n=4), table(20, 10)
    ),
    "cli/printing/score_tables.py:_make_caption: … not shown: --format csv has all.": Pair(
        table(10, 20, view=ScoreView(n_best=1)), table(10, 20, view=ScoreView(n_best=2))
    ),
    "cli/printing/score_tables.py:_make_caption: … … the same as without _balanced: --balanced": Pair(
        table(10, 20, against="a"), table(10, 20, against="a", view=ScoreView(is_balanced=True))
    ),
    "cli/printing/score_views.py:_check_metrics: Did you mean …?": Pair(asked("top2"), asked("nothing-like-it")),
    "cli/printing/tables.py:FittedTable._tell: Left out at this width: …": Pair(fitted(20), fitted(60)),
    "cli/printing/tables.py:FittedTable._tell: Names are shortened at this width": Pair(
        fitted(67, "n" * 60), fitted(67)
    ),
    "cli/printing/score_tables.py:_make_difference_caption: Exact McNemar tests, Holm's adjustment over ….": Pair(
        table(10, 20, against="a"), table(10, 20)
    ),
    "cli/printing/score_tables.py:_make_differences: Difference to … on the same images, in": Pair(
        table(10, 20, against="a"), table(10, 20)
    ),
    "report/figures.py:_explain: …% intervals: ….": Always("It names the methods.", figure(10)),
    "report/figures.py:_explain: Thick bar: from all unjudged wrong to all": Pair(
        figure(10, n_unjudged=8), figure(10, n_unjudged=0)
    ),
    "report/figures.py:_explain: Where no line shows, the interval is narrower": Pair(figure(n=20_000), figure(10)),
    "report/figures.py:_explain: … participants, … of them named.": Pair(figure(*range(41)), figure(10)),
    "report/subset_figures.py:plot_subsets: … of … participants.": Pair(
        parts_figure(3, others={"b": 9}), parts_figure(3)
    ),
    "report/subset_figures.py:plot_subsets: Labels: …. Lines are …% intervals.": Always(
        "What it draws.", parts_figure(3)
    ),
    "report/subset_figures.py:plot_subsets: Thick bar: from all unjudged wrong to all": Pair(
        parts_figure(40, n_unjudged=8), parts_figure(3)
    ),
    "report/subset_figures.py:_describe_choice: Of … parts, the … easiest and the": Pair(
        parts_figure(45), parts_figure(45, n_empty=10)
    ),
    "report/subset_figures.py:_describe_choice: Of … parts, the … on which …": Pair(
        parts_figure(45, n_empty=10), parts_figure(45)
    ),
    "report/sections/evaluations.py:_show_parts: Accuracies on parts of … with their intervals.": Pair(
        figure_texts(LISTS), figure_texts()
    ),
}
