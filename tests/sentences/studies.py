"""Sentences about a study: what comes next, what its campaigns wait for, and notes on what was added to it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import update
from tests.cli.command_runner import write
from tests.sentences.entries import Always, Entries, Maker, Pair
from tests.storage.small_studies import draw_flat, fill, make_study
from tests.workflows.campaign_studies import (
    LEASE,
    SHAPE,
    add_classify,
    add_contains,
    add_people,
    answer,
    get_clock,
    make_answer,
    make_pictured,
    take,
)
from tests.workflows.live.test_pulse import PAY, measure, work
from tests.workflows.pool_studies import make_pooled
from tests.workflows.studies.test_next_steps import list_words, make_status, stand

import regauge
from regauge.cli.studies.status import _list_old
from regauge.records.campaigns.campaign import CampaignPlan, CampaignState, CampaignTexts, Kind, NewAnswer
from regauge.records.campaigns.terms import Terms
from regauge.records.labels.contains import ContainsSettings
from regauge.records.labels.label_set import LabelKind, Unlisted
from regauge.records.responses.quality import AnnotatorFilter
from regauge.records.studies import LabelSetEntry, Selection
from regauge.storage.campaigns.campaign import set_terms
from regauge.storage.database.schema import comparisons, evaluations
from regauge.storage.events import add_event
from regauge.workflows.campaigns.openings import close_campaign, open_campaign
from regauge.workflows.demo.campaigns import ContainsQuestions, create_contains
from regauge.workflows.evaluation.evaluations import compare, evaluate
from regauge.workflows.labels.campaign_labels import build_labels
from regauge.workflows.labels.label_set import add_labels
from regauge.workflows.live.campaigns import LiveCampaigns
from regauge.workflows.predictions import PredictionSource, add_predictions
from regauge.workflows.studies.copies import find_absent_images
from regauge.workflows.studies.next_steps import list_steps
from regauge.workflows.studies.study import Study, describe_exposure, describe_status
from regauge.workflows.testsets.test_set import add_test_set, relocate_test_set

END = "(end of what is said)"
MADE = LabelSetEntry("crowd", 1, LabelKind.MULTILABEL, Unlisted.WRONG, 1, 1, 0, None, "", {"campaign": "grids"})


def glance(*states: tuple[CampaignState, int, int], labels: Any = (), **more: Any) -> Maker:
    """What a manager is told of campaigns: their state, how many of 8 tasks are done, and by how many people."""
    standings = [stand(*state, **more) for state in states]
    return lambda _: [*list_words(make_status(labels=labels), *standings), END]


def status(*changes: Callable[[Study, Path], object]) -> Maker:
    """What a study with a test set, two participants and labels says comes next, after changes."""

    def make(folder: Path) -> list[str]:
        with make_study(folder) as study:
            fill(study, folder)
            with study.begin() as begun:
                for change in changes:
                    change(begun, folder)
                return [*map(str, describe_status(begun).next_steps), END]

    return make


def empty(folder: Path) -> list[str]:
    with make_study(folder) as study, study.read() as begun:
        return list(map(str, describe_status(begun).next_steps))


def unlabelled(folder: Path) -> list[str]:
    with make_study(folder) as study, study.begin() as begun:
        add_test_set(begun, folder / "truth.csv")
        return list(map(str, describe_status(begun).next_steps))


def evaluated(begun: Study, _: Path) -> None:
    evaluate(begun)


def relabelled(begun: Study, folder: Path) -> None:
    add_labels(begun, folder / "verdicts.jsonl")


def reported(begun: Study, _: Path) -> None:
    add_event(begun, "report", {})


def doubled(begun: Study, folder: Path) -> None:
    """A second test set that the same participants have answered."""
    add_test_set(begun, folder / "truth.csv", name="again")
    add_predictions(begun, PredictionSource([folder / "good.csv", folder / "bad.csv"]), test_set="again")


def unanswered(begun: Study, folder: Path) -> None:
    add_test_set(begun, folder / "truth.csv", name="again")


def unjudged(begun: Study, folder: Path) -> None:
    """A test set that participants have answered, and of which nobody knows what is right."""
    write(folder, {"flat.csv": "image_id,class\nx,0\n"})
    draw_flat(folder / "flat" / "x.png")
    add_test_set(begun, folder / "flat")
    add_predictions(begun, PredictionSource(folder / "flat.csv"), test_set="flat")


def aged(begun: Study, _: Path) -> None:
    """Everything that was computed is of an earlier version."""
    for table in (evaluations, comparisons):
        begun.connection.execute(update(table).values(code_version="0.1.0"))


def old_rules(*changes: Callable[[Study, Path], object]) -> Maker:
    """What is said of evaluations by other rules than those of today."""

    def make(folder: Path) -> list[str]:
        with make_study(folder) as study:
            fill(study, folder)
            with study.begin() as begun:
                for change in changes:
                    change(begun, folder)
                return [*_list_old("Evaluation", describe_status(begun).evaluations), END]

    return make


def compared(begun: Study, _: Path) -> None:
    compare(begun, Selection("truth"), Selection("again"))


def campaign(*, is_open: bool = True, n_tasks: int = 0, is_closed: bool = False) -> Maker:
    """What the command line says of a campaign of which so many tasks are answered."""

    def make(folder: Path) -> list[str]:
        with make_pictured(folder) as study:
            entry = add_contains(study, quota=1, is_open=is_open)
            if n_tasks:
                (who,) = add_people(study, entry, 1)
                for _ in range(n_tasks):
                    answer(study, *map(make_answer, take(study, entry, who)))
            with study.begin() as begun:
                if is_closed:
                    close_campaign(begun, "grids")
                return [*map(str, list_steps(begun, describe_status(begun))), END]

    return make


def pool_steps(*, with_files: bool = True, is_asked: bool = False) -> Maker:
    """What a study with a pool says comes next; with labels of a campaign about it where it was asked about."""

    def make(folder: Path) -> list[str]:
        with make_pooled(folder, with_files=with_files) as pooled:
            if is_asked:
                ask(pooled.study)
            with pooled.study.read() as begun:
                return [*map(str, describe_status(begun).next_steps), END]

    return make


def ask(study: Study, n_people: int = 1) -> None:
    """People answer a campaign about the pool, and labels are made of it."""
    with study.begin() as begun:
        plan = CampaignPlan("grids", Kind("contains"), n_people, LEASE, CampaignTexts("Look.", "Agree?"))
        create_contains(begun, plan, ContainsQuestions("batch", controls="batch", shape=SHAPE, seed=0))
        entry = open_campaign(begun, "grids")
    for who in add_people(study, entry, n_people):
        while given := take(study, entry, who, n=20):
            answer(study, *map(make_answer, given))
    with study.begin() as begun:
        build_labels(begun, "grids", name="crowd", settings=ContainsSettings(rules=None))


def pulse(*, quota: int = 2, n: int = 0, is_closed: bool = False, seconds: float = 36.0) -> Maker:
    """What the page of a campaign expects after one person answered so many of 8 grids."""

    def make(folder: Path) -> list[str]:
        with make_pictured(folder) as study:
            entry = add_contains(study, quota=quota)
            people = add_people(study, entry, 4)
            with study.begin() as begun:
                set_terms(begun, entry, Terms(pay=PAY))
            for person in people[: -(-n // 8)]:
                work(study, entry, person, n=min(n, 8), seconds=seconds)
            if is_closed:
                with study.begin() as begun:
                    close_campaign(begun, "grids")
            found = measure(study)
            return [found.expectation, found.pay_warning, END]

    return make


def suggestions(*, kind: str = "contains", is_poor: bool) -> Maker:
    """Why annotators should be dropped, of whom one answered four tasks poorly or well."""

    def make(folder: Path) -> list[str]:
        with make_pictured(folder) as study:
            entry = add_contains(study, quota=1) if kind == "contains" else add_classify(study, quota=1)
            (who,) = add_people(study, entry, 1)
            for one in take(study, entry, who, n=4):
                if kind == "contains":
                    positives = sum(1 << cell for cell, (_, control) in enumerate(one.payload["cells"]) if control)
                    answer(study, make_answer(one, "0" if is_poor else f"{positives:x}"))
                else:
                    chosen = [] if is_poor else [one.payload["candidates"][0]]
                    content = {"selected": chosen, "main": chosen[0] if chosen else None}
                    answer(study, NewAnswer(f"client-{one.id}", one.id, one.annotator_id, content, 1.5, 0))
            get_clock(study).jump(60)
            with study.read() as reading:
                rows = LiveCampaigns().annotators(reading, entry, shown=AnnotatorFilter.ALL).rows
            return [*(row.suggestion or "" for row in rows), END]

    return make


def add(*, n_answers: int = 4, extra: tuple[str, ...] = (), twice: bool = False) -> Maker:
    """What is said when answers of a model on four images are added."""

    def make(folder: Path) -> list[str]:
        ids = [*"abcd"[:n_answers], *extra]
        model = regauge.Predictions("model", np.array(ids), np.zeros(len(ids), np.int32))
        with make_study(folder) as study, study.begin() as begun:
            add_test_set(begun, folder / "truth.csv")
            for _ in range(1 + twice):
                added = add_predictions(begun, PredictionSource(model), allow_missing=True)
        return [*added.notes, *added.warnings, END]

    return make


def add_set(*, twice: bool) -> Maker:
    def make(folder: Path) -> list[str]:
        with make_study(folder) as study, study.begin() as begun:
            for _ in range(1 + twice):
                added = add_test_set(begun, folder / "truth.csv")
        return [*added.notes, END]

    return make


def relocate(folder: Path) -> list[str]:
    with make_pictured(folder) as study, study.begin() as begun:
        return list(relocate_test_set(begun, "pictures", root=folder / "pictures").notes)


def labels_added(folder: Path) -> list[str]:
    with make_study(folder) as study, study.begin() as begun:
        add_test_set(begun, folder / "truth.csv")
        return list(add_labels(begun, folder / "verdicts.jsonl").notes)


def absent(*, is_moved: bool) -> Maker:
    def make(folder: Path) -> list[str]:
        with make_pictured(folder) as study, study.read() as begun:
            if is_moved:
                (folder / "pictures").rename(folder / "elsewhere")
            return [*find_absent_images(begun), END]

    return make


OPEN, DRAFT, CLOSED = CampaignState.OPEN, CampaignState.DRAFT, CampaignState.CLOSED


def exposed(mode: int) -> Maker:
    """What is said of a study whose folder has these rights."""

    def make(folder: Path) -> list[str]:
        with make_study(folder) as study:
            study.paths.folder.chmod(mode)
            return [describe_exposure(study), END]

    return make


ENTRIES: Entries = {
    "workflows/studies/study.py:describe_exposure: Others on this machine can look into the": Pair(
        exposed(0o750), exposed(0o700)
    ),
    # What comes next, on the page
    "workflows/studies/next_steps.py:list_page_steps: Ask people about the images: create a campaign.": Pair(
        glance(), glance((DRAFT, 0, 0))
    ),
    "workflows/studies/next_steps.py:list_page_steps: Nothing waits for you.…": Pair(
        glance((OPEN, 2, 5)), glance((OPEN, 0, 0))
    ),
    "workflows/studies/next_steps.py:list_page_steps: People can work, and their answers come in.": Pair(
        glance((OPEN, 2, 5)), glance((CLOSED, 8, 5), labels=(MADE,))
    ),
    "workflows/studies/next_steps.py:_find_work_steps: … is a draft: try its tasks, then": Pair(
        glance((DRAFT, 0, 0)), glance((OPEN, 0, 0))
    ),
    "workflows/studies/next_steps.py:_find_work_steps: … is open and nobody has answered: give": Pair(
        glance((OPEN, 0, 0)), glance((OPEN, 1, 1))
    ),
    "workflows/studies/next_steps.py:_find_work_steps: … of … should be looked at.": Pair(
        glance((OPEN, 2, 5), n_suggested=2), glance((OPEN, 2, 5))
    ),
    "workflows/studies/next_steps.py:_find_work_steps: … has all its answers: close it.": Pair(
        glance((OPEN, 8, 5)), glance((OPEN, 7, 5))
    ),
    "workflows/studies/next_steps.py:_find_label_steps: Make a label set of the answers to": Pair(
        glance((CLOSED, 8, 5)), glance((CLOSED, 8, 5), labels=(MADE,))
    ),
    # What comes next, on the command line
    "workflows/studies/next_steps.py:find_study_steps: Add a test set": Pair(empty, status()),
    "workflows/studies/next_steps.py:find_study_steps: Add what people found in the images, if": Pair(
        unlabelled, status()
    ),
    "workflows/studies/next_steps.py:find_study_steps: Write the report": Pair(
        status(evaluated), status(evaluated, reported)
    ),
    "workflows/studies/next_steps.py:_find_work_steps: Open campaign …": Pair(campaign(is_open=False), campaign()),
    "workflows/studies/next_steps.py:_find_work_steps: Let people answer …, which needs …": Pair(
        campaign(n_tasks=7), campaign(n_tasks=8)
    ),
    "workflows/studies/next_steps.py:_find_label_steps: Make labels of the answers to …": Pair(
        campaign(n_tasks=3, is_closed=True), campaign(n_tasks=3)
    ),
    "workflows/studies/next_steps.py:_find_pool_steps: Ask people about the candidates of …": Pair(
        pool_steps(), pool_steps(with_files=False)
    ),
    "workflows/studies/next_steps.py:_find_pool_steps: See what the pool still lacks": Pair(
        pool_steps(is_asked=True), pool_steps()
    ),
    "workflows/studies/next_steps.py:_find_evaluation_steps: Add predictions on …": Pair(status(unanswered), status()),
    "workflows/studies/next_steps.py:_find_evaluation_steps: Add labels of …, which has none to": Pair(
        status(unjudged), status()
    ),
    "workflows/studies/next_steps.py:_find_evaluation_steps: Evaluate …": Pair(status(), status(evaluated)),
    "workflows/studies/next_steps.py:_find_evaluation_steps: Evaluate … under …": Pair(
        status(evaluated, relabelled), status(evaluated)
    ),
    "workflows/studies/next_steps.py:_find_evaluation_steps: Evaluate … again by today's rules": Pair(
        status(evaluated, aged), status(evaluated)
    ),
    "workflows/studies/next_steps.py:_find_comparison_steps: Compare … and …": Pair(
        status(doubled), status(doubled, compared)
    ),
    "workflows/studies/next_steps.py:_find_comparison_steps: Compare … and … again by today's rules": Pair(
        status(doubled, compared, aged), status(doubled, compared)
    ),
    "records/rules.py:say_old_rules: … by Regauge …, which had other rules": Pair(
        old_rules(evaluated, aged), old_rules(evaluated)
    ),
    # Campaigns that run
    "workflows/live/pulse.py:_expect_end: Every task has all the answers it needs.": Pair(
        pulse(quota=1, n=8), pulse(quota=1, n=7)
    ),
    "workflows/live/pulse.py:_expect_end: The campaign is …, so no answers are": Pair(
        pulse(n=4, is_closed=True), pulse(n=4)
    ),
    "workflows/live/pulse.py:_expect_end: Fewer than … answers that count came in": Pair(
        pulse(n=1), pulse(quota=4, n=8)
    ),
    "workflows/live/pulse.py:_expect_end: … needed; those that count came in at": Pair(
        pulse(quota=10, n=24), pulse(n=1)
    ),
    "workflows/live/pulse.py:_warn: The median answer earns … … an hour,": Pair(
        pulse(n=4, seconds=36.0), pulse(n=4, seconds=30.0)
    ),
    "kinds/classify/figures.py:describe_bad: Selected no label in … of … answers,": Pair(
        suggestions(kind="classify", is_poor=True), suggestions(kind="classify", is_poor=False)
    ),
    "kinds/contains/figures.py:describe_bad: Selected less than …% of the positive controls": Pair(
        suggestions(is_poor=True), suggestions(is_poor=False)
    ),
    # What is added
    "workflows/predictions.py:store_predictions: … is already there with the same answers.": Pair(
        add(twice=True), add()
    ),
    "workflows/predictions.py:_note: … has no prediction for … of …": Pair(add(n_answers=3), add()),
    "workflows/predictions.py:_note: … also answers … not in … (ignored).": Pair(add(extra=("x",)), add()),
    "workflows/testsets/test_set.py:store_test_set: … is already there with the same images.": Pair(
        add_set(twice=True), add_set(twice=False)
    ),
    "workflows/testsets/test_set.py:relocate_test_set: All … images of … are below …;": Always(
        "An image that is not there is refused.", relocate
    ),
    "labels/coverage.py:describe_coverage: … covers … of … images of ….": Always(
        "Labels that cover no image are refused.", labels_added
    ),
    "workflows/studies/copies.py:find_absent_images: The images of … are not at …;": Pair(
        absent(is_moved=True), absent(is_moved=False)
    ),
}
