"""Small data behind the sentences of `comparisons`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from rich.text import Text
from tests.evaluation.judged_sets import make_set
from tests.evaluation.test_balanced_shifts import answer_parts
from tests.evaluation.test_class_changes import make_side
from tests.evaluation.test_conclusions import THREE, make_fits
from tests.evaluation.test_strategies import compare as compare_strategies
from tests.evaluation.test_strategies import count
from tests.evaluation.test_two_sample import compare as compare_features
from tests.evaluation.test_two_sample import draw as draw_features
from tests.evaluation.test_two_sample import make as make_features
from tests.report.small_reports import make_reviewed, make_shift
from tests.report.test_gap_parts import make_gap
from tests.sentences.entries import Maker
from tests.workflows.evaluation.test_shared_images import make_overlapping

import regauge
from regauge.cli.evaluation.class_tables import make_class_tables
from regauge.cli.evaluation.shift_tables import make_shift_tables
from regauge.evaluation.class_changes import find_class_changes
from regauge.evaluation.conclusions import conclude
from regauge.evaluation.gap_joins import find_doubts, join_counts
from regauge.evaluation.gaps import split_gap
from regauge.evaluation.shifts import compare_sides
from regauge.evaluation.sides import judge_side
from regauge.evaluation.targets import line_up
from regauge.records.evaluation.fits import Resample, Scale
from regauge.records.evaluation.gaps import GapMethod, GapReport, GapSettings
from regauge.records.evaluation.judged_sets import CandidateCounts
from regauge.records.evaluation.shifts import Shift, ShiftSettings
from regauge.records.labels.frequencies import SelectionCounts
from regauge.records.predictions import ParticipantKind
from regauge.records.testsets.shared_images import SharedImages
from regauge.report.gap_parts import describe_gap
from regauge.report.sentences import describe_shift
from regauge.report.shift_figures import plot_shift
from regauge.report.tables import make_shift_table
from regauge.workflows.evaluation.shifts import shift_by_class
from regauge.workflows.evaluation.two_sample import FeatureSet
from regauge.workflows.evaluation.two_sample import compare_features as compare_feature_sets

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


def people(*names: str) -> Maker:
    """Four participants, of whom some are people."""
    kinds = {name: ParticipantKind.PERSON if name in names else ParticipantKind.MODEL for name in OLD}

    def answer(test_set: str) -> regauge.TestSetAnswers:
        ids = [f"{test_set} {row}" for row in range(8)]
        found = [
            regauge.Predictions(name, ids, (np.arange(8) >= 2 * place).astype(np.int32), kind=kind)
            for place, (name, kind) in enumerate(kinds.items())
        ]
        return regauge.TestSetAnswers(found, regauge.TestSet(test_set, ids, np.zeros(8, np.int32)))

    return lambda _: told(regauge.shift(answer("old"), answer("fresh"), n_bootstrap=100))


def parts(first: slice, second: slice) -> Maker:
    """Two models that answer these parts of two sets, compared by a balanced mean."""
    settings = ShiftSettings(metric="top1_balanced", n_bootstrap=100, allow_missing=True)
    asked = {"first": first, "second": second}

    def make(_: Path) -> list[str]:
        sides = [answer_parts(name, asked, settings) for name in ("old", "fresh")]
        return told(compare_sides(*sides, settings=settings))

    return make


def table(**options: Any) -> Maker:
    return lambda _: texts(make_shift_tables(shift(**options)))


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
        return [*told(found), *texts(make_shift_tables(found))]

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
    return lambda _: texts(make_shift_tables(robust(**options)))


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
    # Sentences go on in the next line.
    return [str(title.text), " ".join(title.subtitle)]


def figure(scale: Scale = Scale.LINEAR, **options: Any) -> Maker:
    return lambda _: titles(plot_shift(shift(scales=(scale,), **options), scale=scale))


def crowded_figure(_: Path) -> list[str]:
    """Forty models at one place, whose names are all asked for."""
    close = {f"a model with a long name {place}": 100 for place in range(40)}
    return titles(plot_shift(make_shift(close, dict.fromkeys(close, 40)), label=["*"]))


def rim_figure(_: Path) -> list[str]:
    """A model that is right on every old image, on the logit scale."""
    found = make_shift({**OLD, "alpha": 200}, FRESH, scales=(Scale.LOGIT,))
    return titles(plot_shift(found, scale=Scale.LOGIT))
