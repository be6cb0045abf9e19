"""In every figure that draws participants, models are dots and people are diamonds, and orange is people's alone."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import altair as alt
import numpy as np
import polars as pl
import pytest
from tests.evaluation import test_published_metrics as by_two
from tests.report.context.small_context import make_context
from tests.report.multilabel_truths import make_truth
from tests.report.test_gap_figures import split
from tests.slices.small_parts import make_part
from tests.slices.test_scoring import score as score_small_slice

import regauge
import regauge.report
from regauge.records.evaluation.fits import Scale
from regauge.records.evaluation.scores import Scores
from regauge.records.evaluation.shifts import ShiftSettings
from regauge.report.context.figures import plot_context
from regauge.report.drawing.marks import DIAMOND
from regauge.report.figures import plot_scores
from regauge.report.gap_figures import plot_gap
from regauge.report.humans.figures import plot_humans
from regauge.report.multilabel_figures import plot_truth
from regauge.report.published_figures import plot_beside
from regauge.report.shift_figures import plot_shift
from regauge.report.slices.figures import plot_slice
from regauge.report.strategy_figures import plot_strategies
from regauge.report.subset_figures import plot_parts, plot_subsets
from regauge.report.theme import HUMAN, PEOPLE
from regauge.workflows.evaluation.shifts import compare_sets
from regauge.workflows.inputs import TestSetAnswers

N = 60
PERSON, MODELS = "ann", ("net", "tree", "line")
RIGHT = {"old": (50, 40, 30, 55), "hard": (40, 30, 20, 52), "easy": (52, 45, 38, 56)}
TOP1 = ("top1", "dataset")
"""How many of the images of a set the models and the person have right."""


def answer(name: str) -> list[regauge.Predictions]:
    ids = np.array([f"{name}{row}" for row in range(N)])
    return [
        regauge.Predictions(one, ids, (np.arange(N) >= k).astype(np.int32), kind="person" if one == PERSON else "model")
        for one, k in zip((*MODELS, PERSON), RIGHT[name], strict=True)
    ]


def list_images(name: str) -> regauge.TestSet:
    return regauge.TestSet(name, [f"{name}{row}" for row in range(N)], [0] * N)


def make_set(name: str) -> TestSetAnswers:
    return TestSetAnswers(answer(name), list_images(name))


def score_sets() -> Scores:
    images = list_images("old")
    people = regauge.LabelSet.from_lists("people@1", images.image_ids.tolist(), correct=[[0]] * N, wrong=[[1]] * N)
    return regauge.score(answer("old"), [images, people])


def score_parts() -> Scores:
    """The same with two halves as parts, told apart by the row of the image."""
    found = score_sets()
    frame = found.to_frame()
    halves = [frame.with_columns(subset=pl.lit(name)) for name in ("first half", "second half")]
    return replace(found, frame=pl.concat([frame, *halves]))


def compare() -> Any:
    old, hard, easy = map(make_set, RIGHT)
    return compare_sets(old, [hard, easy], settings=ShiftSettings(n_bootstrap=100))


def draw_slice() -> alt.LayerChart:
    scores = make_part().scores
    top1 = scores.get("model").top1
    return plot_slice(replace(scores, scores=tuple(replace(one, top1=top1) for one in scores.scores)))


def draw_hollow_slice() -> alt.LayerChart:
    """A model that helped to choose the images is hollow, and so is a person."""
    found = score_small_slice()
    people = [replace(one, is_person=one.participant == "A") for one in found.scores]
    return plot_slice(replace(found, scores=tuple(people)))


def score_beside() -> Scores:
    found = by_two.stand(by_two.make_scores((500, 200, 85, 115)))
    (name, *_) = found.to_frame()["participant"].to_list()
    return replace(found, people=frozenset({name}))


class Drawing(NamedTuple):
    """A figure, and who is in it: people and models."""

    draw: Callable[[], Any]
    people: frozenset[str] = frozenset({PERSON})
    models: frozenset[str] = frozenset(MODELS)


def draw_context() -> Any:
    return plot_context(replace(make_context("objects"), people=frozenset({"other"})))


DRAWINGS: dict[str, Drawing] = {
    "plot_scores of one metric": Drawing(lambda: plot_scores(score_sets(), metrics=["top1"])),
    "plot_scores of several": Drawing(lambda: plot_scores(score_sets())),
    "plot_parts": Drawing(lambda: plot_parts(score_parts(), metrics=["top1"])),
    "plot_subsets": Drawing(lambda: plot_subsets(score_parts(), [*MODELS, PERSON], measure=TOP1)),
    "plot_shift": Drawing(lambda: plot_shift(regauge.shift(make_set("old"), make_set("hard"), n_bootstrap=100))),
    "plot_strategies": Drawing(lambda: plot_strategies(compare(), scale=Scale.LINEAR)),
    "plot_gap": Drawing(
        lambda: plot_gap(replace(split(3), people=frozenset("a"))), frozenset("a"), frozenset(("b", "c", "mean"))
    ),
    "plot_humans": Drawing(
        lambda: plot_humans(regauge.humans(make_set("old"), make_set("hard"), n_draws=100, n_bootstrap=100))
    ),
    "plot_context": Drawing(draw_context, frozenset({"other"}), frozenset({"good"})),
    "plot_slice": Drawing(draw_slice, frozenset({"ann"}), frozenset({"model"})),
    "plot_slice of those who chose": Drawing(draw_hollow_slice, frozenset("A"), frozenset("RBC")),
    "plot_truth": Drawing(
        lambda: plot_truth(replace(make_truth(), people=frozenset({"beta"}))),
        frozenset({"beta"}),
        frozenset({"alpha", "gamma"}),
    ),
}
WITHOUT = {"plot_plan", "plot_flow"}
"""What draws no participants."""
ELSEWHERE = {"plot_beside"}
"""Drawn below, of data of its own."""


class Look(NamedTuple):
    """Who is drawn, as what and in which colours; no colour where colours mean something else than participants."""

    name: str
    shape: str
    colours: frozenset[str]


def list_looks(spec: Mapping[str, Any], names: frozenset[str]) -> Iterator[Look]:
    """All marks of a figure whose rows name a participant."""
    datasets = spec.get("datasets", {})

    def walk(part: Mapping[str, Any], outer: Mapping[str, Any]) -> Iterator[Look]:
        data = part.get("data", outer)
        for key in ("layer", "hconcat", "vconcat"):
            for inner in part.get(key, ()):
                yield from walk(inner, data)
        mark = part.get("mark")
        if not isinstance(mark, Mapping) or mark["type"] not in {"circle", "point"} or mark.get("opacity") == 0:
            return
        rows = datasets[data["name"]] if "name" in data else data["values"]
        for row in rows:
            name = row.get("participant", row.get("model"))
            if name in names:
                yield Look(name, find_shape(part, row), find_colours(part, row))

    yield from walk(spec, {})


def find_shape(part: Mapping[str, Any], row: Mapping[str, Any]) -> str:
    by = part.get("encoding", {}).get("shape")
    if by is not None:
        scale = by["scale"]
        return str(scale["range"][scale["domain"].index(row[by["field"]])])
    return "circle" if part["mark"]["type"] == "circle" else str(part["mark"].get("shape", "circle"))


def find_colours(part: Mapping[str, Any], row: Mapping[str, Any]) -> frozenset[str]:
    by = part.get("encoding", {}).get("color")
    if by is not None:
        if by["field"] != "participant":
            return frozenset()
        scale = by["scale"]
        return frozenset({scale["range"][scale["domain"].index(row["participant"])]})
    return frozenset(part["mark"][name] for name in ("color", "fill", "stroke") if name in part["mark"])


def check(drawing: Drawing) -> None:
    looks = list(list_looks(drawing.draw().to_dict(), drawing.people | drawing.models))
    drawn = {one.name for one in looks}
    assert drawn >= drawing.people
    assert not drawing.models or drawn & drawing.models
    for one in looks:
        is_person = one.name in drawing.people
        assert (one.shape == DIAMOND) is is_person, one
        if one.colours:
            assert bool(one.colours & set(PEOPLE)) is is_person, one


@pytest.mark.parametrize("name", DRAWINGS)
def test_models_are_dots_and_people_are_orange_diamonds(name: str) -> None:
    check(DRAWINGS[name])


def test_beside_published_models_too() -> None:
    scores = score_beside()
    model = replace(scores, people=frozenset())
    check(Drawing(lambda: plot_beside(scores), scores.people, frozenset()))
    check(Drawing(lambda: plot_beside(model), frozenset(), scores.people))


def test_every_figure_is_looked_at() -> None:
    folder = Path(next(iter(regauge.report.__path__)))
    found = {
        node.name
        for path in folder.rglob("*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef)
        and node.name.startswith("plot_")
        and "alt." in ast.unparse(node.returns or node)
        and "list" not in ast.unparse(node.returns or node)
    }
    assert found == {name.split()[0] for name in DRAWINGS} | WITHOUT | ELSEWHERE


def test_no_colour_of_a_set_or_a_metric_is_that_of_people() -> None:
    from regauge.report.strategy_figures import COLOURS
    from regauge.report.theme import MEASURES, SEQUENCE

    assert not {HUMAN, *PEOPLE} & {*COLOURS, *MEASURES, *SEQUENCE}
