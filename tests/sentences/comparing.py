"""Sentences about two or more test sets: shifts, slopes, classes, strategies, gaps and two-sample tests."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from rich.text import Text
from tests.evaluation.judging import make_set
from tests.evaluation.test_balanced_shifts import answer_parts
from tests.evaluation.test_class_changes import make_side
from tests.evaluation.test_conclusions import ABOVE, AROUND, BELOW, THREE, make_fits
from tests.evaluation.test_strategies import compare as compare_strategies
from tests.evaluation.test_strategies import count
from tests.evaluation.test_two_sample import compare as compare_features
from tests.evaluation.test_two_sample import draw as draw_features
from tests.evaluation.test_two_sample import make as make_features
from tests.report.making import make_reviewed, make_shift
from tests.report.test_gap_parts import make_gap
from tests.sentences.entries import Always, Entries, Maker, Pair
from tests.workflows.test_shared_images import make_overlapping

import regauge
from regauge.cli.class_tables import make_class_tables
from regauge.cli.shift_tables import make_shift_tables
from regauge.cli.strategy_tables import make_strategy_tables
from regauge.evaluation.class_changes import find_class_changes
from regauge.evaluation.conclusions import conclude
from regauge.evaluation.gap_joins import find_doubts, join_counts
from regauge.evaluation.gaps import split_gap
from regauge.evaluation.shifts import compare_sides
from regauge.evaluation.sides import judge_side
from regauge.evaluation.targets import line_up
from regauge.records.arrays import NO_CLASS
from regauge.records.frequencies import SelectionCounts
from regauge.records.gaps import GapMethod, GapReport, GapSettings
from regauge.records.judged_sets import CandidateCounts
from regauge.records.scales import Scale
from regauge.records.shared_images import SharedBy, SharedImages
from regauge.records.shifts import Resample, Shift, ShiftSettings
from regauge.report.gap_figures import draw_gap
from regauge.report.gap_parts import describe_gap, summarise_gap
from regauge.report.sentences import describe_shift
from regauge.report.shift_figures import draw_shift
from regauge.report.strategy_figures import draw_strategies
from regauge.report.tables import make_shift_table
from regauge.workflows.shifts import shift_by_class
from regauge.workflows.two_sample import FeatureSet
from regauge.workflows.two_sample import compare_features as compare_feature_sets

OLD = {"alpha": 180, "beta": 150, "gamma": 120, "delta": 60}
FRESH = {"alpha": 60, "beta": 61, "gamma": 36, "delta": 12}
TWELVE = {f"m{place}": 180 - 4 * place for place in range(12)}
TWELVE_FRESH = {f"m{place}": 64 - 4 * place for place in range(12)}


@cache
def shift(*, n: int = 4, **options: Any) -> Shift:
    """Four or twelve models, or one."""
    if n == 1:
        return make_shift({"alpha": 180}, {"alpha": 60}, **options)
    return make_shift(*((OLD, FRESH) if n == 4 else (TWELVE, TWELVE_FRESH)), **options)


def told(found: Shift) -> list[str]:
    """What a shift says beside its tables: notes and warnings, or a mark that there are none."""
    return [*found.notes, *found.warnings, "(end of notes)"]


def report(**options: Any) -> Maker:
    return lambda _: list(describe_shift(shift(**options)))


def notes(**options: Any) -> Maker:
    return lambda _: told(shift(**options))


def parts(first: slice, second: slice) -> Maker:
    """Two models that answer these parts of two sets, compared by a balanced mean."""
    settings = ShiftSettings(metric="top1_balanced", n_bootstrap=100, allow_missing=True)
    asked = {"first": first, "second": second}

    def make(_: Path) -> list[str]:
        sides = [answer_parts(name, asked, settings) for name in ("old", "fresh")]
        return told(compare_sides(*sides, settings=settings))

    return make


def table(**options: Any) -> Maker:
    return lambda _: texts(make_shift_tables(shift(**options), width=1_000))


def texts(parts: Iterable[object]) -> list[str]:
    """The sentences between tables, and the titles of tables."""
    return [str(part) if isinstance(part, Text) else str(getattr(part, "title", "")) for part in parts]


def slopes(*limits: tuple[float, float], **settings: Any) -> Maker:
    scales = dict(zip(THREE, limits, strict=False))
    return lambda _: conclude(make_fits(scales, **settings))


def missing_model(_: Path) -> list[str]:
    """One of two models lacks answers on half of the old images, and images are drawn anew."""
    ids = np.array([f"i{row}" for row in range(40)])
    labels = np.zeros(40, np.int32)
    whole = regauge.Predictions("whole", ids, (np.arange(40) % 3 == 0).astype(np.int32))
    half = regauge.Predictions("half", ids[:20], (np.arange(20) % 2).astype(np.int32))
    new_ids = np.array([f"n{row}" for row in range(40)])
    again = [replace(one, image_ids=new_ids[: len(one)]) for one in (whole, half)]
    settings = ShiftSettings(resample=Resample.IMAGES, allow_missing=True, n_bootstrap=100)
    sides = [
        regauge.TestSetAnswers(models, regauge.TestSet(name, names, labels))
        for name, names, models in (("old", ids, [whole, half]), ("fresh", new_ids, again))
    ]
    return told(regauge.shift(*sides, settings=settings))


def overlapping(*, n_shared: int = 30, digests: bool = True, by_class: bool = False, **settings: Any) -> Maker:
    """Two sets with so many images in common, known by their digests or by their ids."""

    def make(_: Path) -> list[str]:
        sides = make_overlapping(n_shared=n_shared, digests=digests)
        quickly = ShiftSettings(n_bootstrap=100, **settings)
        if by_class:
            return [*shift_by_class(sides, settings=quickly).classes.notes, "(end of notes)"]
        found = regauge.shift(*sides, settings=quickly)
        return [*told(found), *texts(make_shift_tables(found, width=1_000))]

    return make


def sharing(n_by_id: int) -> Maker:
    """Two images in both sets, so many of them known by their ids alone."""
    rows = np.arange(2)
    return lambda _: list(SharedImages(rows, rows, n_by_id=n_by_id).describe("old", "fresh"))


def rim(n_right: int, **options: Any) -> Maker:
    """One of four models is right on so many of 200 old images, on the logit scale."""
    return lambda _: told(make_shift({**OLD, "alpha": n_right}, FRESH, scales=(Scale.LOGIT,), **options))


@cache
def robust(*, is_old: bool = False) -> Shift:
    """Models against a line through all of them; an old comparison does not say what that line was."""
    found = shift(n=12, baseline=("*",))
    return replace(found, baseline=None) if is_old else found


def robust_table(**options: Any) -> Maker:
    return lambda _: texts(make_shift_tables(robust(**options), width=1_000))


def document_columns(**options: Any) -> Maker:
    return lambda _: [f"{one.title} {one.subtitle}" for one in make_shift_table(robust(**options)).columns]


def unjudged(n: int) -> Maker:
    """Two sides judged by people, who have not looked at some of the answers."""

    def make(_: Path) -> list[str]:
        ids = np.array([f"image {row}" for row in range(40)])
        labels = np.zeros(40, np.int32)
        answers = (np.arange(40) >= 20).astype(np.int32)
        reviewed = make_reviewed(n_unjudged=n)
        sides = [
            regauge.TestSetAnswers(
                regauge.Predictions("model", ids, answers),
                regauge.Truth(regauge.TestSet(name, ids, labels), (reviewed,)),
                name=name,
            )
            for name in ("old", "fresh")
        ]
        return told(regauge.shift(*sides, settings=ShiftSettings(metric="multilabel_strict", n_bootstrap=100)))

    return make


def classes(labels: Sequence[int], outcomes: Sequence[Sequence[int]]) -> Maker:
    """A new set of two models with these labels and outcomes, against an old one, class by class."""

    def make(_: Path) -> list[str]:
        old = make_side("old", [0] * 6 + [1] * 6, [[1] * 12, [1, 0] * 6])
        found = find_class_changes(old, make_side("fresh", labels, outcomes), settings=ShiftSettings(n_bootstrap=100))
        return [*found.notes, found.describe(), *map(str, found.rows)]

    return make


def class_table(n_classes: int) -> Maker:
    def make(_: Path) -> list[str]:
        labels = [index for index in range(n_classes) for _ in range(2)]
        sides = [make_side(name, labels, [[1, 0] * n_classes] * 2) for name in ("old", "fresh")]
        return texts(make_class_tables(find_class_changes(*sides, settings=ShiftSettings(n_bootstrap=100))))

    return make


@cache
def strategies() -> Any:
    return compare_strategies(count("hard", 40, 20, 10), count("easy", 40, 36, 30))


def features(kind: str = "plain", *, shift_by: float = 0.0, n: int = 60) -> Maker:
    """Two sets of features: plain, with images in both, with copies, or of uneven size."""

    def make(_: Path) -> list[str]:
        rng = np.random.default_rng(5)
        old, fresh = (
            make_features("old", draw_features(rng, 60)),
            make_features("fresh", draw_features(rng, n, shift_by)),
        )
        if kind == "shared":
            fresh = replace(fresh, image_ids=np.array([*old.image_ids[:3], *fresh.image_ids[3:]]))
        if kind == "copies":
            values = fresh.values.copy()
            values[4] = values[3]
            fresh = replace(fresh, values=values)
        found = compare_features(old, fresh)
        return [*found.notes, found.describe()]

    return make


def features_of(n_with: int) -> Maker:
    """Two test sets of 40 images each, of which the first has features for so many."""

    def make(_: Path) -> list[str]:
        rng = np.random.default_rng(6)
        sides = []
        for name, n in (("old", n_with), ("fresh", 40)):
            ids = np.array([f"{name}{row}" for row in range(40)])
            truth = regauge.TestSet(name, ids, np.zeros(40, np.int32))
            sides.append(FeatureSet(regauge.Features(name, ids[:n], draw_features(rng, n)), truth))
        found = compare_feature_sets(*sides, settings=regauge.TwoSampleSettings(n_permutations=99))
        return [*found.notes, found.describe()]

    return make


# Gaps

ALL_METHODS = GapSettings(tuple(GapMethod), n_bootstrap=100)
CORRECTED = GapSettings((GapMethod.DECONVOLUTION,), n_bootstrap=100)


def gap(
    new: str = "0101 11",
    votes: Sequence[int] = (1, 9),
    *,
    n_shown: int = 10,
    pool: bool = False,
    corrected: bool = False,
) -> Maker:
    """A gap between eight old images and new ones in groups with so many votes each."""

    def make(_: Path) -> list[str]:
        old = make_set("old", "0001 1111", [min(1, n_shown), min(9, n_shown)], n_shown=n_shown)
        fresh = make_set("new", new, votes, n_shown=n_shown)
        candidates = CandidateCounts(np.full(9, n_shown), np.arange(9) % (n_shown + 1)) if pool else None
        found = split_gap(old, fresh, pool=candidates, settings=CORRECTED if corrected else ALL_METHODS)
        return [*found.notes, *found.warnings, "(end of notes)"]

    return make


def strange_classes(*classes: int) -> Maker:
    """A gap between images of the classes 0 and 1 and six of these classes."""

    def make(_: Path) -> list[str]:
        old = replace(make_set("old", "0001 1111", [1, 9]), classes=np.arange(8, dtype=np.int32) % 2)
        new = replace(make_set("new", "0101 11", [1, 9]), classes=np.resize(classes, 6))
        return [*split_gap(old, new, settings=ALL_METHODS).notes, "(end of notes)"]

    return make


def few_candidates(n_shown: int) -> Maker:
    """A set that ten people saw, drawn from candidates that only some saw."""

    def make(_: Path) -> list[str]:
        old, new = make_set("old", "0001 1111", [1, 9]), make_set("new", "0101 11", [1, 9])
        pool = CandidateCounts(np.full(6, n_shown), np.arange(6) % (n_shown + 1))
        return [*split_gap(old, new, pool=pool, settings=ALL_METHODS).notes, "(end of notes)"]

    return make


def _line_up(name: str, ids: Sequence[str]) -> Any:
    return line_up(regauge.Truth(regauge.TestSet(name, np.array(ids), np.zeros(len(ids), np.int32))))


def joined(*, n_seen: int = 4, has_all: bool = True) -> Maker:
    """Four images of which so many were seen, and a second participant who may lack one."""

    def make(_: Path) -> list[str]:
        target = _line_up("old", ["a", "b", "c", "d"])
        models = [
            regauge.Predictions(name, np.array(list("abcd")[:n]), np.zeros(n, np.int32))
            for name, n in (("x", 4), ("y", 4 if has_all else 3))
        ]
        side = judge_side(models, target, settings=ShiftSettings(allow_missing=True))
        seen = np.arange(4) < n_seen
        counts = SelectionCounts(
            np.array(list("abcd")), np.arange(4, dtype=np.int32), np.zeros(4, np.int32), 9 * seen, 5 * seen
        )
        judged, found = join_counts(side, target, tables=[counts])
        return [f"{len(judged)} images", *found]

    return make


def doubts(n_pool: int) -> Maker:
    """Three new images, so many of them among the candidates."""

    def make(_: Path) -> list[str]:
        new = ["x", "y", "z"]
        nine, rows = np.full(n_pool, 9), np.arange(n_pool, dtype=np.int32)
        counts = SelectionCounts(np.array(new[:n_pool]), rows, np.zeros(n_pool, np.int32), nine, nine)
        return [*find_doubts(_line_up("new", new), pool=[counts]), "(end)"]

    return make


def described(gap_report: GapReport) -> Maker:
    return lambda _: list(describe_gap(gap_report))


def only(methods: tuple[GapMethod, ...]) -> GapReport:
    made = make_gap()
    kept = tuple(one for one in made.decompositions if one.method in methods)
    return replace(made, decompositions=kept, settings=GapSettings(methods))


def unexpected() -> GapReport:
    """Frequencies of which nobody knows what a larger crowd would make."""
    made = make_gap()
    return replace(made, frequencies=tuple(replace(one, expected=None) for one in made.frequencies))


def titles(chart: Any) -> list[str]:
    """The title of a figure and what stands below it."""
    title = chart.title
    below = title.subtitle
    return [str(title.text), *([below] if isinstance(below, str) else below)]


def figure(scale: Scale = Scale.LINEAR, **options: Any) -> Maker:
    return lambda _: titles(draw_shift(shift(scales=(scale,), **options), scale=scale))


def rim_figure(_: Path) -> list[str]:
    """A model that is right on every old image, on the logit scale."""
    found = make_shift({**OLD, "alpha": 200}, FRESH, scales=(Scale.LOGIT,))
    return titles(draw_shift(found, scale=Scale.LOGIT))


ENTRIES: Entries = {
    # What slopes say
    "evaluation/conclusions.py:: A change that all models share cannot be": Always(
        "No data of two sets can tell a common change from a set that is easier or harder.", slopes(ABOVE)
    ),
    "evaluation/conclusions.py:_conclude: Whether better models lose more or less stays": Pair(
        slopes(ABOVE, ABOVE, ABOVE, n=9), slopes(ABOVE, ABOVE, ABOVE, n=10)
    ),
    "evaluation/conclusions.py:_conclude: By … limits from drawing … anew, this": Pair(
        slopes(ABOVE), slopes(ABOVE, n=9)
    ),
    "evaluation/conclusions.py:_compare_scales: Whether better models lose more or less depends": Pair(
        slopes(ABOVE, BELOW, AROUND), slopes(ABOVE, ABOVE, ABOVE)
    ),
    "evaluation/conclusions.py:_compare_scales: On all … scales the slope is …:": Pair(
        slopes(BELOW, BELOW, BELOW), slopes(BELOW, BELOW, AROUND)
    ),
    "evaluation/conclusions.py:_compare_scales: The slope is … on the …: ….": Pair(
        slopes(ABOVE), slopes(ABOVE, ABOVE, ABOVE)
    ),
    "evaluation/conclusions.py:_compare_scales: The others have no line here, so this": Pair(
        slopes(ABOVE, scales=THREE), slopes(ABOVE)
    ),
    "evaluation/conclusions.py:_compare_scales: This is a statement about the … only;": Pair(
        slopes(ABOVE), slopes(ABOVE, scales=THREE)
    ),
    "evaluation/conclusions.py:_interpret: better models lose less, whatever the scale. There": Pair(
        slopes(ABOVE, ABOVE, ABOVE), slopes(BELOW, BELOW, BELOW)
    ),
    "evaluation/conclusions.py:_interpret: better models lose more, whatever the scale, as": Pair(
        slopes(BELOW, BELOW, BELOW), slopes(ABOVE, ABOVE, ABOVE)
    ),
    "evaluation/conclusions.py:_interpret: better models lose neither clearly more nor clearly": Pair(
        slopes(AROUND, AROUND, AROUND), slopes(ABOVE, ABOVE, ABOVE)
    ),
    # Shifts
    "evaluation/shifts.py:_fit_scales: There is no … fit: …": Pair(notes(n=1), notes()),
    "evaluation/shifts.py:_note_few: The limits of the fit come from drawing": Pair(notes(), notes(n=12)),
    "evaluation/shifts.py:_note_ends: On the …, … for models at 0%": Pair(rim(200), rim(199)),
    "evaluation/shifts.py:_note_ends: In … of … bootstrap samples a model": Pair(
        rim(199, resample=Resample.IMAGES), rim(180, resample=Resample.IMAGES)
    ),
    "evaluation/shifts.py:_note_dropped: … of … bootstrap samples of … have": Pair(notes(), notes(n=12)),
    "evaluation/shifts.py:_note_images: Limits of … take images that are in": Pair(
        overlapping(metric="top1_balanced"), overlapping(metric="top1_balanced", digests=False)
    ),
    "evaluation/mean_changes.py:note_changes: The mean change has no interval: … alone": Pair(
        notes(n=1, resample=Resample.MODELS), notes(n=1)
    ),
    "evaluation/mean_changes.py:note_changes: The limits of mean changes come from drawing": Pair(
        notes(resample=Resample.MODELS), notes(n=12, resample=Resample.MODELS)
    ),
    "evaluation/mean_changes.py:note_changes: The mean change of … has no interval,": Pair(
        parts(slice(0, 10), slice(10, 20)), parts(slice(0, 10), slice(5, 20))
    ),
    "evaluation/mean_changes.py:_tell_other_way: Without --resample it has one.": Pair(
        notes(n=1, resample=Resample.MODELS, metric="top1_balanced"), notes(n=1, resample=Resample.MODELS)
    ),
    "evaluation/mean_changes.py:_tell_other_way: With --resample images it has one.": Pair(
        notes(n=1, resample=Resample.MODELS), notes(n=1, resample=Resample.MODELS, metric="top1_balanced")
    ),
    "evaluation/robustness.py:note_robustness: The limits of effective robustness come from drawing": Pair(
        notes(n=12, baseline=("m1", "m2")), notes(n=12, baseline=("*",))
    ),
    "evaluation/robustness.py:note_robustness: … of … bootstrap samples have no line": Pair(
        notes(n=12, baseline=("m1", "m2")), notes(n=12, baseline=("*",))
    ),
    "records/shared_images.py:SharedImages.describe: … and … share … (by …); shared": Pair(
        overlapping(), overlapping(digests=False)
    ),
    "records/shared_images.py:SharedImages.describe: … … in both … and …, and": Pair(
        overlapping(digests=False), overlapping(digests=False, shared=SharedBy.IDS)
    ),
    "records/shared_images.py:_name_both: equal bytes, … by equal ids": Pair(sharing(1), sharing(2)),
    "workflows/shifts.py:: Changes class by class take the images of": Pair(
        overlapping(by_class=True), overlapping(by_class=True, n_shared=0)
    ),
    "evaluation/shifts.py:_add_robustness: There is no effective robustness: …": Pair(
        notes(baseline=("alpha",)), notes(baseline=("*",))
    ),
    "evaluation/shifts.py:_note_images: The images of … that are drawn anew": Pair(
        missing_model, notes(resample=Resample.IMAGES)
    ),
    "evaluation/sides.py:_find_unjudged_warning: …: … of … predictions are unjudged and": Pair(
        unjudged(8), unjudged(0)
    ),
    "report/sentences.py:describe_shift: … from … to …….": Always("Every comparison has a mean change.", report()),
    "report/sentences.py:describe_shift: …, … on … by … with …": Always(
        "Whoever is first by rank has these numbers; a shared place is told.", report()
    ),
    "report/sentences.py:describe_fit: On the … scale the line through …": Pair(report(), report(n=1)),
    "records/shifts.py:Shift.describe_intervals: … intervals: accuracies …, gaps (original − new,": Always(
        "Every comparison has both, and names what the metric takes.", table()
    ),
    "cli/shift_tables.py:_describe_fit: … fit through … models: slope … […,": Pair(table(), table(n=1)),
    "report/sentences.py:_tell_rank: ; it is first there too…": Pair(report(n=12), report()),
    "report/sentences.py:_describe_change: … accuracy changes by … points on average": Always(
        "Every comparison has a mean change.", report()
    ),
    "report/strategy_figures.py:_explain: … models with … Clopper–Pearson intervals": Always(
        "The figure always draws both.", lambda _: titles(draw_strategies(strategies()))
    ),
    "report/gap_parts.py:summarise_gap: … − …: … points of …, …": Always(
        "It tells numbers, whatever their sign.", lambda _: summarise_gap(make_gap())
    ),
    "report/gap_parts.py:_compare_frequencies: ; an endless crowd would be expected to": Pair(
        described(make_gap()), described(unexpected())
    ),
    "records/shifts.py:Shift.describe_intervals: Newcombe, with the … … of both sets": Pair(
        overlapping(), overlapping(digests=False)
    ),
    "cli/shift_tables.py:describe_robustness: the … fit through the baseline": Pair(
        robust_table(is_old=True), robust_table()
    ),
    "cli/shift_tables.py:describe_robustness: points above …, with the limits of that": Pair(
        robust_table(is_old=True), robust_table()
    ),
    "cli/shift_tables.py:describe_robustness: points above the … fit through the …": Pair(
        robust_table(), robust_table(is_old=True)
    ),
    "report/tables.py:_describe_robustness: points above the … fit through … models;": Pair(
        document_columns(), document_columns(is_old=True)
    ),
    "cli/shift_tables.py:_describe_change: Mean change of … over …: … points": Always(
        "Every comparison has a mean change.", table()
    ),
    "report/shift_figures.py:_explain: … with … … intervals; dashed: equal accuracy.": Always(
        "The figure always draws both.", figure()
    ),
    "report/shift_figures.py:_explain: Accuracies of 0% and 100%, which have no": Pair(rim_figure, figure(Scale.LOGIT)),
    "report/shift_figures.py:_explain: … fit through … models: ….": Pair(figure(), figure(n=1)),
    "report/shift_figures.py:_explain: Shaded: … of … bootstrap samples of ….": Pair(figure(), figure(n=1)),
    # Classes
    "evaluation/class_changes.py:_note_images: … images of … do not count for": Pair(
        classes([0, 0, 1, 1], [[1, 0, 1, 1], [3, 0, 1, 1]]), classes([0, 0, 1, 1], [[1, 0, 1, 1]] * 2)
    ),
    "evaluation/class_changes.py:_note_images: … images of … have no dataset label": Pair(
        classes([0, NO_CLASS, 1, 1], [[1, 0, 1, 1]] * 2), classes([0, 0, 1, 1], [[1, 0, 1, 1]] * 2)
    ),
    "records/class_changes.py:ClassChanges.describe: Of … classes with images in both sets,": Always(
        "It counts, and counts of 0 are told.", classes([0, 0, 1, 1], [[1, 0, 1, 1]] * 2)
    ),
    "records/class_changes.py:ClassChange.__str__: class …: …": Always(
        "A change with its limits, or a dash.", classes([0, 0, 1, 1], [[1, 0, 1, 1]] * 2)
    ),
    "cli/class_tables.py:make_class_tables: … further classes: --format csv has all.": Pair(
        class_table(21), class_table(20)
    ),
    "cli/class_tables.py:make_class_tables: …% intervals and p from one score test": Always(
        "It names the methods of the columns.", class_table(2)
    ),
    "cli/class_tables.py:_make_table: … by class from … to …: …": Always("The title of the table.", class_table(2)),
    # Several sets
    "records/strategies.py:StrategyComparison.describe: A participant's … moves by … points (median": Always(
        "It tells numbers, whatever they are.", lambda _: strategies().describe()
    ),
    "cli/strategy_tables.py:_describe_limits: …% intervals. Changes (new − original, mean over": Always(
        "It names the methods of the columns.", lambda _: texts(make_strategy_tables(strategies(), width=1_000))
    ),
    "report/strategy_figures.py:_explain: …, mean changes with images drawn anew; dashed:": Always(
        "The figure always draws both.", lambda _: titles(draw_strategies(strategies()))
    ),
    # Two-sample tests
    "evaluation/two_sample.py:_note: … images are in both sets and left": Pair(features("shared"), features()),
    "evaluation/two_sample.py:_note: … images have the very same features as": Pair(features("copies"), features()),
    "evaluation/two_sample.py:_note: … images are left out so that …": Pair(features(n=50), features()),
    "evaluation/two_sample.py:_note: Features are standardised and enter as their …": Always(
        "This is what the test does.", features()
    ),
    "records/two_sample.py:TwoSample.describe: Images of … and of … …… by": Always(
        "Whether they are told apart is a word in it.", features(shift_by=2)
    ),
    "workflows/two_sample.py:_keep: … of … images of … have no": Pair(features_of(30), features_of(40)),
    # Gaps
    "evaluation/gap_joins.py:_find_left_out: … images of … do not count for": Pair(joined(has_all=False), joined()),
    "evaluation/gap_joins.py:_find_left_out: … of … images of … have no": Pair(joined(n_seen=3), joined()),
    "evaluation/gap_joins.py:find_doubts: … of … images of … are not": Pair(doubts(2), doubts(3)),
    "evaluation/gap_methods.py:find_obstacles: The jackknife needs … or more annotators for": Pair(
        gap(n_shown=2, votes=(1, 2)), gap(pool=True)
    ),
    "evaluation/gap_methods.py:find_obstacles: The jackknife needs candidates that … or more": Pair(
        few_candidates(2), few_candidates(10)
    ),
    "evaluation/gap_methods.py:find_obstacles: Single votes do not tell how noisy they": Pair(
        gap(n_shown=1, votes=(1, 1)), gap(pool=True)
    ),
    "evaluation/gaps.py:_find_notes: The counts of … are taken for fresh": Pair(gap(), gap(pool=True)),
    "evaluation/gaps.py:_find_notes: … images of … are of classes of": Pair(
        strange_classes(0, 2), strange_classes(0, 1)
    ),
    "evaluation/gaps.py:_find_notes: … images of … lie in bins where": Pair(gap(votes=(3, 9)), gap()),
    "records/gaps.py:: The naive method takes votes at their word,": Pair(gap(pool=True), gap(corrected=True)),
    "report/gap_parts.py:describe_gap: … of the … in … from …": Always(
        "It calls a gap a drop or a rise by its sign, and an unknown share unknown.", described(make_gap())
    ),
    "report/gap_parts.py:describe_gap: Taking observed frequencies for true ones would have": Pair(
        described(make_gap()), described(only((GapMethod.NAIVE,)))
    ),
    "report/gap_parts.py:_explain_share: Selection frequencies explain an unknown share (the interval": Pair(
        described(make_gap(is_known=False)), described(make_gap())
    ),
    "report/gap_parts.py:_compare_frequencies: Annotators selected the labels of … with a": Always(
        "It tells numbers, whatever they are.", described(make_gap())
    ),
    "report/gap_figures.py:draw_gap: original − new, in points, on … and": Always(
        "What the axis shows.", lambda _: titles(draw_gap(make_gap()))
    ),
    "report/gap_figures.py:draw_gap: …% intervals: ….": Always(
        "It names the method.", lambda _: titles(draw_gap(make_gap()))
    ),
    "report/gap_figures.py:draw_gap: The gap from … to …": Always(
        "The title of the figure.", lambda _: titles(draw_gap(make_gap()))
    ),
}
