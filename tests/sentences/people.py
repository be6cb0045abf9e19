"""What is said of people, of who comes in, and of what they are shown."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from tests.sentences.campaign_commands import in_pictured
from tests.sentences.commands import give
from tests.sentences.entries import Always, Entries, Maker, Pair
from tests.workflows.campaign_studies import (
    add_contains,
    add_people,
    make_pictured,
    take,
)
from tests.workflows.labels.test_campaign_labels import FEW, answer_all
from tests.workflows.people.test_derived_labels import correct_by_hand
from tests.workflows.platform_visitors import change_terms, finish
from tests.workflows.platform_visitors import work as do_tasks
from tests.workflows.quiz_campaigns import add_known

from regauge.kinds.contains.supply import note_supply
from regauge.records.campaigns.campaign import CampaignPlan, Kind, Platform
from regauge.records.campaigns.terms import Prolific
from regauge.records.campaigns.visits import Arrival
from regauge.records.responses.answers import GridShape
from regauge.workflows.annotation.tasks import consent
from regauge.workflows.demo.campaigns import ContainsQuestions, create_contains
from regauge.workflows.labels.campaign_labels import build_labels
from regauge.workflows.people.erasure import erase_annotator
from regauge.workflows.people.visitors import admit
from regauge.workflows.studies.copies import VoidedAccess, describe_voided
from regauge.workflows.studies.next_steps import list_steps
from regauge.workflows.studies.study import describe_status

DONE = "It says what was done."


def recruited(*, study_id: str, n_waiting: int = 0) -> Maker:
    """What a campaign says that takes people from Prolific, of whom some wait for a judgement."""

    def make(folder: Path) -> list[str]:
        with make_pictured(folder) as study:
            terms = Prolific("DONE", n_tasks=1, study_id=study_id, judges_first=True)
            entry = change_terms(study, add_contains(study, quota=2), prolific=terms)
            for number in range(n_waiting):
                arrival = Arrival(Platform.PROLIFIC, f"{number:024x}", "s", study_id)
                with study.begin() as begun:
                    found = admit(begun, entry.id, arrival)
                    consent(begun, entry.id, annotator_id=found.annotator.id, version=entry.plan.texts.version)
                do_tasks(study, found, 1)
                finish(study, found)
            with study.begin() as begun:
                return [*map(str, list_steps(begun, describe_status(begun))), "(end)"]

    return make


def voided(access: VoidedAccess) -> Maker:
    return lambda _: [describe_voided(access), "(end)"]


def supply(shape: GridShape, controls: str | None = None) -> Maker:
    """What is said of grids whose controls are images that are asked about too, or come from a set of their own."""

    def make(folder: Path) -> list[str]:
        with make_pictured(folder) as study:
            add_known(study, folder)
            with study.begin() as begun:
                questions = ContainsQuestions("pictures", controls=controls, shape=shape, seed=0)
                made = create_contains(begun, CampaignPlan("grids", Kind("contains"), 2), questions)
            return [*note_supply(made.plan.settings), "(end)"]

    return make


def released(folder: Path) -> list[str]:
    with make_pictured(folder) as study:
        campaign = add_contains(study)
        people = add_people(study, campaign, 1)
        # The command goes by the clock of today.
        take(replace(study, around=replace(study.around, clock=lambda: datetime.now(UTC))), campaign, people[0], n=2)
        return give(study.paths.folder, "annotators release annotator-0001")


def erased(*, by_hand: bool) -> Maker:
    """What an erasure says of labels of a campaign, above which somebody has stored others or not."""

    def make(folder: Path) -> list[str]:
        with make_pictured(folder) as study:
            answer_all(study, add_contains(study))
            with study.begin() as begun:
                build_labels(begun, "grids", name="crowd", settings=FEW)
                if by_hand:
                    correct_by_hand(begun, "crowd")
                done = erase_annotator(begun, "annotator-0001", reason="asked", with_answers=True)
            return [*(one.problem for one in done.rebuilt), "(end)"]

    return make


ENTRIES: Entries = {
    "workflows/people/erasure.py:_leave: … was stored above it and stays as": Pair(
        erased(by_hand=True), erased(by_hand=False)
    ),
    "cli/campaigns/annotators.py:end: The sessions of … have ended.": Always(
        "Whoever had none has none either.", in_pictured("annotators end-sessions annotator-0001")
    ),
    "cli/campaigns/annotators.py:release: … kept …, which others can be given": Always(
        "It counts; whoever keeps none is refused.", released
    ),
    "kinds/contains/supply.py:note_supply: … of … control cells show an image": Pair(
        supply(GridShape(8, 2, 2)), supply(GridShape(8, 1, 1), "known")
    ),
    "workflows/studies/next_steps.py:_find_prolific_steps: Say which study on Prolific sends people to": Pair(
        recruited(study_id=""), recruited(study_id="0" * 24)
    ),
    "workflows/studies/next_steps.py:_find_prolific_steps: Judge the answers of …, for … for": Pair(
        recruited(study_id="0" * 24, n_waiting=2), recruited(study_id="0" * 24)
    ),
    "workflows/studies/copies.py:_describe_people: Of the original study, …, the sessions of": Pair(
        voided(VoidedAccess(3, 4, 1)), voided(VoidedAccess(0, 0, 0, 2))
    ),
    "workflows/studies/copies.py:_describe_doors: … of the original took people from Prolific": Pair(
        voided(VoidedAccess(0, 0, 0, 1)), voided(VoidedAccess(3, 4, 1))
    ),
    "cli/campaigns/annotators.py:data: Wrote what is stored about … to …;": Always(
        DONE, in_pictured("annotators data annotator-0001 who.json")
    ),
}
