"""Sentences about objects, classes that come together, mislabeled images and labels that people were asked about."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
from tests.evaluation.context.test_potential import make_potential
from tests.evaluation.context.tiny import (
    ANSWERS,
    GOOD,
    IDS,
    LABELS,
    OTHER,
    PARTS,
    analyse,
    both,
    make_counts,
    make_material,
    make_taxonomy,
    predict,
)
from tests.labels.objects.classify_answers import make_responses
from tests.sentences.entries import Always, Entries, Maker, Pair
from tests.workflows.campaign_studies import make_pictured
from tests.workflows.evaluation.test_context import classify

from regauge.cli.evaluation.context.tables import make_context_parts
from regauge.evaluation.context.contract import ContextMaterial
from regauge.evaluation.context.material import KnownOfImages
from regauge.evaluation.context.registry import ANALYSES
from regauge.records.candidates import SplitPart
from regauge.records.labels.label_set import Truth
from regauge.records.labels.objects import ImageObjects
from regauge.records.responses.answers import ClassifyResponses
from regauge.records.studies import Selection
from regauge.records.testsets.test_set import TestSet
from regauge.workflows.evaluation.context import context, context_all, study_context
from regauge.workflows.evaluation.context_inputs import ContextInputs

RESPONSES = make_responses(ANSWERS)
TRUTH = TestSet("tiny", np.array(IDS), np.array(LABELS))
NOTHING = KnownOfImages()


def say(name: str, make: Callable[[], ContextMaterial] | None = None) -> Maker:
    """What an analysis of the six images with two participants says, or of another material."""

    def run(_: Path) -> tuple[str, ...]:
        material = make_material(*both(), taxonomy=make_taxonomy()) if make is None else make()
        found = analyse(name, material)
        return (*found.answers, *found.notes, *material.notes)

    return run


def with_objects(objects: list[list[list[int]]], *, n_sets: int = 1, has_models: bool = False) -> ContextMaterial:
    """The six images with objects of label sets."""
    sets = (ImageObjects.from_lists(f"people-{place}", IDS[: len(objects)], objects=objects) for place in range(n_sets))
    return make_material(*(both() if has_models else ()), known=NOTHING, truth=Truth(TRUTH, objects=tuple(sets)))


def with_lacking() -> ContextMaterial:
    """Two follow-up images more than people answered."""
    parts = {**PARTS, "e": SplitPart.FOLLOW_UP, "f": SplitPart.FOLLOW_UP}
    return make_material(*both(), known=KnownOfImages(responses=RESPONSES, parts=parts))


def with_counts(n_tables: int) -> ContextMaterial:
    counts = tuple(replace(make_counts(), name=f"table-{place}") for place in range(n_tables))
    return make_material(known=NOTHING, truth=Truth(TRUTH, frequencies=counts))


def with_short() -> ContextMaterial:
    short = predict("short", {image: five[:2] for image, five in GOOD.items()}, [2, 1])
    return make_material(short, predict("other", OTHER))


def with_potential(image: str) -> ContextMaterial:
    given = make_potential({image: [0]})
    return make_material(known=KnownOfImages(potential=given))


def show_tables(*, n_rows: int) -> Maker:
    """The images of a report as the command prints them."""

    def run(_: Path) -> list[str]:
        ids = [f"i{row}" for row in range(n_rows)]
        truth = TestSet("many", np.array(ids), np.zeros(n_rows))
        report = context("mislabeled", ContextInputs(truth, split=dict.fromkeys(ids, "mislabeled")))
        return [str(part) for part in make_context_parts(report)]

    return run


def note_all(*, has_objects: bool) -> Maker:
    def run(_: Path) -> list[str]:
        known = {"predictions": both(), "classify": RESPONSES, "frequencies": make_counts()} if has_objects else {}
        inputs = ContextInputs(TRUTH, split=PARTS, **known)  # type: ignore[arg-type]
        return [note for report in context_all(inputs, taxonomy="cifar-10", n_bootstrap=200) for note in report.notes]

    return run


def note_study(*, is_given: bool) -> Maker:
    def run(folder: Path) -> tuple[str, ...]:
        with make_pictured(folder) as study:
            classify(study)
            given = ContextInputs(classify=make_responses([("i0", "x", [0], 0)]) if is_given else None)
            with study.read() as begun:
                return study_context(begun, Selection(), "objects", inputs=given, n_bootstrap=200).notes

    return run


def offer() -> ClassifyResponses:
    """The answers with what was offered."""
    return replace(RESPONSES, candidate_starts=np.array([0, 2, 4, 6, 7]), candidates=np.array([0, 1, 1, 2, 2, 3, 3]))


def describe(name: str) -> Always:
    """What a table or an analysis is called."""
    analysis = ANALYSES[name]
    words = (analysis.title, analysis.help, *(table.title for table in analysis.tables.values()))
    return Always("it says what the table holds, or what the analysis does", lambda _: words)


ALONE = say("objects", lambda: make_material(taxonomy=make_taxonomy()))
UNANSWERED = say("objects", lambda: with_objects([[[0], [1]], [[1]]]))
SINGLE = say("objects", lambda: with_objects([[[0]], [[1]]], has_models=True))
NAMES = "evaluation/context/several/sentences.py"
PAIRS = "evaluation/context/cooccurrence.py"
SUSPECTS = "evaluation/context/mislabeled.py"
ASKED = "evaluation/context/potential.py"
BY_COUNTS = say("mislabeled", lambda: make_material(known=KnownOfImages(counts=make_counts(), responses=RESPONSES)))
BY_SPLIT = say("mislabeled", lambda: make_material(known=KnownOfImages(parts=PARTS)))
BY_CLASSIFY = say("mislabeled", lambda: make_material(known=KnownOfImages(responses=RESPONSES)))

ENTRIES: Entries = {
    "cli/evaluation/context/tables.py:make_context_parts: … and …: --table … has all.": Pair(
        show_tables(n_rows=16), show_tables(n_rows=15)
    ),
    "workflows/evaluation/context.py:_run_all: … is not analysed without ….": Pair(
        note_all(has_objects=False), note_all(has_objects=True)
    ),
    "workflows/evaluation/context_inputs.py:find_known: Answers to CLASSIFY are those of campaign ….": Pair(
        note_study(is_given=False), note_study(is_given=True)
    ),
    "evaluation/context/material.py:_find_counts: Selection counts of … tables are put together.": Pair(
        say("potential", lambda: with_counts(2)), say("potential", lambda: with_counts(1))
    ),
    "evaluation/context/material.py:line_up_context: Images of the split that are not in": Pair(
        say("mislabeled", lambda: make_material(known=KnownOfImages(parts={**PARTS, "z": SplitPart.EASY}))), BY_SPLIT
    ),
    "evaluation/context/material.py:_find_objects: Objects are those of …; others are known": Pair(
        say("objects", lambda: with_objects([[[0]]], n_sets=2)), say("objects", lambda: with_objects([[[0]]]))
    ),
    "evaluation/context/several/images.py:_find_weights: Objects are known of … of … follow-up": Pair(
        say("objects", with_lacking), say("objects")
    ),
    f"{NAMES}:: Accuracy when the name of any object counts": Pair(say("objects"), ALONE),
    f"{NAMES}:answer_objects: Several objects: … of the images whose objects": Always(
        "a share with its limits and n; it is refused where no objects are known", say("objects")
    ),
    f"{NAMES}:answer_objects: Main object that is not the dataset label's:": Pair(say("objects"), SINGLE),
    f"{NAMES}:answer_objects: Top-5 corrections of … in which first answer": Pair(
        say("objects", lambda: make_material(predict("other", OTHER))),
        say("objects", lambda: make_material(predict("good", GOOD))),
    ),
    f"{NAMES}:_answer_drop: … on images with one object minus those": Pair(say("objects"), SINGLE),
    f"{NAMES}:_answer_chance: Top-1 where …: …, against … for naming": Pair(say("objects"), SINGLE),
    f"{NAMES}:note_objects: Confidence left out: no answers to CLASSIFY.": Pair(UNANSWERED, say("objects")),
    f"{NAMES}:note_objects: Accuracy by objects left out: no predictions.": Pair(UNANSWERED, say("objects")),
    f"{NAMES}:note_objects: Top-5 left out for …: fewer than five": Pair(say("objects", with_short), say("objects")),
    f"{PAIRS}:_answer: No image holds an object beside the one": Pair(
        say("cooccurrence", lambda: with_objects([[[0]]])), say("cooccurrence")
    ),
    f"{PAIRS}:_answer: Strongest pair: … of the images of …": Pair(
        say("cooccurrence"), say("cooccurrence", lambda: with_objects([[[0]]]))
    ),
    f"{PAIRS}:_answer: Superclasses that come together most: … of the": Pair(
        say("cooccurrence"), say("cooccurrence", make_material)
    ),
    f"{PAIRS}:_note: Images with several objects none of which holds": Pair(
        say("cooccurrence", lambda: with_objects([[[1], [2]]])), say("cooccurrence")
    ),
    f"{PAIRS}:_note: Superclasses left out: no groups of classes in": Pair(
        say("cooccurrence", make_material), say("cooccurrence")
    ),
    f"{SUSPECTS}:_answer: Possibly mislabeled (…): … of … images, ….": Always(
        "a count with its share, limits and n; a rule that nothing is known for is not there", BY_COUNTS
    ),
    f"{SUSPECTS}:_note: Selection frequencies are not known, so images of": Pair(BY_SPLIT, BY_COUNTS),
    f"{SUSPECTS}:_note: Images of … left out: no selection frequencies,": Pair(BY_CLASSIFY, BY_SPLIT),
    f"{SUSPECTS}:_note: Images … left out: no answers to CLASSIFY.": Pair(BY_SPLIT, BY_CLASSIFY),
    f"{ASKED}:_answer: Labels per image, …: … on average, …": Pair(
        say("potential", lambda: with_potential("a")), say("potential", lambda: with_potential("elsewhere"))
    ),
    f"{ASKED}:_note: Potential labels are those with selection counts.": Pair(
        say("potential", lambda: with_counts(1)), say("potential", lambda: with_potential("a"))
    ),
    f"{ASKED}:_note: Left out, as nothing says which they were:": Pair(
        say("potential", lambda: with_potential("a")),
        say("potential", lambda: make_material(known=KnownOfImages(counts=make_counts(), responses=offer()))),
    ),
    f"{ASKED}:_note: No image of … has ….": Pair(
        say("potential", lambda: with_potential("elsewhere")), say("potential", lambda: with_potential("a"))
    ),
    **dict.fromkeys(
        (
            f"{PAIRS}:: Classes whose images most often hold another object",
            f"{PAIRS}:: All pairs of classes that come together",
            f"{PAIRS}:: Images of one superclass that hold an object",
            f"{PAIRS}:: Find the pairs of classes, and of superclasses,",
        ),
        describe("cooccurrence"),
    ),
    **dict.fromkeys(
        (
            f"{SUSPECTS}:: Images whose dataset label nobody saw",
            f"{SUSPECTS}:: Possibly mislabeled images, those that most people say",
            f"{SUSPECTS}:: List images whose dataset label nobody saw in",
        ),
        describe("mislabeled"),
    ),
    **dict.fromkeys(
        (
            "evaluation/context/objects.py:: Objects per image, and how sure people are",
            "evaluation/context/objects.py:: Confidence by number of objects",
            "evaluation/context/objects.py:: Accuracy on images with one object and with",
            "evaluation/context/objects.py:: Top-1 on images with several objects, against naming",
            "evaluation/context/objects.py:: Top-5 corrections in which first answer and dataset",
            "evaluation/context/objects.py:: Count the objects of images, and measure accuracy",
        ),
        describe("objects"),
    ),
    **dict.fromkeys(
        (
            f"{ASKED}:: Potential labels per image, about which people were",
            f"{ASKED}:: Candidates per image, which CLASSIFY offers",
            f"{ASKED}:: Labels that people were asked about",
            f"{ASKED}:: Count the labels per image that people were",
        ),
        describe("potential"),
    ),
}
