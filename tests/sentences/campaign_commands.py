"""Sentences of commands about campaigns, people and drawn sets: what was done, what is asked first, what stays open."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import boto3.session
import click
from botocore.stub import ANY, Stubber
from tests.cli.campaigns.test_recruit import HIT, Desk, recruit
from tests.cli.testsets.test_comparing import FEATURES, make_files
from tests.sentences.commands import STUDY, commands, give, run_words
from tests.sentences.entries import Always, Entries, Maker, Pair
from tests.storage.small_studies import make_study
from tests.workflows.campaign_studies import (
    add_contains,
    add_people,
    answer,
    make_answer,
    make_pictured,
    take,
    write_pictures,
)
from tests.workflows.campaigns.test_rounds import QUOTA, add_grids, work
from tests.workflows.fake_mturk import expect_assignments, make_client
from tests.workflows.platform_visitors import ASSIGNMENT, WORKER, change_terms, come
from tests.workflows.pool_studies import make_pooled

from regauge.campaigns.packing import Shortage
from regauge.cli.campaigns.recruit import confirm_spending
from regauge.cli.campaigns.rounds import _say
from regauge.estimates import Estimate
from regauge.formats.taxonomies import load_taxonomy
from regauge.kinds.contains.making import explain_shortages
from regauge.records.campaigns.campaign import CampaignEntry
from regauge.records.campaigns.redundancy import RedundancyRule, Round
from regauge.records.campaigns.terms import Prolific
from regauge.records.responses.answers import Control
from regauge.workflows.campaigns.openings import close_campaign
from regauge.workflows.campaigns.rounds import describe_limits
from regauge.workflows.demo.crowd import FrequencyDistance
from regauge.workflows.demo.flow import ABOUT, claim_folder
from regauge.workflows.testsets.test_set import add_test_set

DONE = "It says what was done."
COUNTED = "It counts."


def in_pictured(*lines: str, n_people: int = 2, **setting: Any) -> Maker:
    """Commands after some people have answered four of six grids each, the first of them selecting nothing."""

    def make(folder: Path) -> list[str]:
        with make_pictured(folder) as study:
            campaign = add_contains(study, quota=2, **setting)
            for person, mask in zip(add_people(study, campaign, n_people), ("0", "3"), strict=False):
                for one in take(study, campaign, person, n=4):
                    answer(study, make_answer(one, mask))
        return [*give(folder, *(f"{line} --study study" for line in lines)), "(end)"]

    return make


def assign(folder: Path) -> list[str]:
    """A review whose tasks are assigned."""
    with make_pictured(folder):
        (folder / "few.csv").write_text("image_id,class\ni1,1\n", encoding="utf-8")
    lines = ("campaign create review experts --pairs few.csv", "campaign assign experts --anybody")
    return give(folder, *(f"{line} --study study" for line in lines))


def in_rounds(line: str) -> Maker:
    """A command after the first round of a campaign."""

    def make(folder: Path) -> list[str]:
        with make_pictured(folder) as study:
            with study.begin() as begun:
                add_test_set(begun, write_pictures(folder / "known", prefix="k"), name="known")
            campaign = add_grids(study)
            work(study, campaign, add_people(study, campaign, QUOTA))
        return give(folder, f"{line} --study study")

    return make


def in_pooled(*lines: str, with_files: bool = True) -> Maker:
    """Commands in a study with a pool, of which one image has been drawn and may be named as {image}."""

    def make(folder: Path) -> list[str]:
        with make_pooled(folder, with_files=with_files) as pooled:
            sample = f"testset sample --name drawn --frequencies {pooled.table} --study study"
        shown = give(folder, sample, "testset show drawn --format csv --study study")
        image = shown[1].split(",")[shown[0].split(",").index("image_id")]
        return [*give(folder, *(f"{line.format(image=image)} --study study" for line in lines)), "(end)"]

    return make


def two_sample(*words: str) -> Maker:
    def make(folder: Path) -> list[str]:
        make_files(folder)
        with make_study(folder) as study, study.begin() as begun:
            for name in ("old", "hard"):
                add_test_set(begun, folder / f"{name}.csv")
        return give(folder, " ".join(["testset two-sample", *words, *FEATURES]))

    return make


def excluded(*names: str) -> Maker:
    """A campaign about candidates of which some are excluded."""

    def make(folder: Path) -> list[str]:
        with make_pooled(folder, with_files=True):
            pass
        (folder / "gone.csv").write_text("image_id,reason\n" + "".join(f"{name},a drawing\n" for name in names))
        exclude = ["pool exclude gone.csv --study study"] if names else []
        create = "campaign create contains grids --test-set batch --controls batch --cells 8 --positive 2 --negative 2"
        return give(folder, *exclude, f"{create} --study study")

    return make


# Mechanical Turk, played by hand


@contextmanager
def at_desk(folder: Path) -> Iterator[Desk]:
    client = make_client()
    with make_pictured(folder) as study, patch.object(boto3.session.Session, "client", lambda *_, **__: client):
        campaign = add_contains(study)
        with Stubber(client) as stubber:
            yield Desk(study, campaign, lambda *words: run_words("campaign", *words), stubber, [])


def desk(action: Callable[[Desk], str]) -> Maker:
    def make(folder: Path) -> list[str]:
        with at_desk(folder) as made:
            return action(made).splitlines()

    return make


def publish(made: Desk) -> str:
    made.expect_hits("3ONE", "3TWO")
    return made("publish", "mturk", "grids", *HIT, "--yes").out


def end_hits(made: Desk) -> str:
    publish(made)
    for hit in ("3ONE", "3TWO"):
        made.stubber.add_response("update_expiration_for_hit", {}, {"HITId": hit, "ExpireAt": ANY})
    return made("mturk", "end", "grids", "--yes").out


def ask_to_end(made: Desk) -> str:
    asked: list[str] = []
    with patch.object(click, "confirm", lambda text, **_: asked.append(text)):
        made("mturk", "end", "grids")
    return "\n".join(asked)


def approve(made: Desk) -> str:
    recruit(made)
    made.stubber.add_response("approve_assignment", {}, {"AssignmentId": ASSIGNMENT})
    return made("mturk", "approve", "grids", "--yes").out


def approve_nobody(made: Desk) -> str:
    publish(made)
    for hit in ("3ONE", "3TWO"):
        expect_assignments(made.stubber, hit)
    return made("mturk", "approve", "grids", "--yes").out


def pay(*, is_paid: bool) -> Callable[[Desk], str]:
    def action(made: Desk) -> str:
        recruit(made)
        sent = {"WorkerId": WORKER, "AssignmentId": ASSIGNMENT, "BonusAmount": "1.00", "Reason": "Good work."}
        paid = [sent] if is_paid else []
        made.stubber.add_response("list_bonus_payments", {"BonusPayments": paid}, {"HITId": "3ONE", "MaxResults": 100})
        if not is_paid:
            made.stubber.add_response("send_bonus", {}, {**sent, "UniqueRequestToken": ANY})
        return made("mturk", "pay", "grids", "--bonus", "1.00", "--reason", "Good work.", "--yes").out

    return action


def identities(made: Desk) -> str:
    come(made.study, change_terms(made.study, made.campaign, prolific=Prolific("DONE", "OUT", 2)))
    return made("identities", str(made.study.paths.folder / "who.csv")).out


def spend(*, is_production: bool) -> Maker:
    """What is asked before money is spent."""

    def make(_: Path) -> list[str]:
        asked: list[str] = []

        def note(text: str, **_: Any) -> str:
            asked.append(text)
            return "grids"

        market: Any = type("Market", (), {"is_production": is_production})
        with patch.object(click, "confirm", note), patch.object(click, "prompt", note):
            confirm_spending("grids", market, yes=False)
        return asked

    return make


# Rounds

QUIET = Round(
    campaign="grids",
    number=2,
    n_pairs=24,
    states={"open": 0, "fixed": 20, "likely": 4, "exhausted": 0, "spent": 0},
    n_pending=0,
    n_excluded=0,
    n_asked=0,
    n_tasks=0,
    n_cells=0,
    n_answers=0,
    n_people=3,
    n_allowed=None,
    expected_errors={},
)
ASKING = replace(QUIET, states={**QUIET.states, "open": 4, "fixed": 16}, n_asked=4, n_tasks=2, n_allowed=3)


def say(made: Round = QUIET, **changes: Any) -> Maker:
    return lambda _: _say(replace(made, **changes), RedundancyRule(), is_trial=False)


def limits(made: Round, *, is_open: bool) -> Maker:
    """What keeps three people from a round of a campaign that needs three for every grid."""

    def make(folder: Path) -> list[str]:
        with make_pictured(folder) as study:
            campaign: CampaignEntry = add_contains(study, quota=3)
            with study.begin() as begun:
                if not is_open:
                    close_campaign(begun, campaign.name)
                return [*describe_limits(begun, replace(made, campaign=campaign.name)), "(end)"]

    return make


def shortages(n: int) -> Maker:
    """What is said of so many classes that have too few images for controls."""
    found = [Shortage(index, Control.POSITIVE, 1, 3) for index in range(n)]
    return lambda _: [*explain_shortages(found, load_taxonomy("cifar-10")).values(), "(end)"]


def demo_folder(folder: Path) -> str:
    claim_folder(folder / "demo")
    return (folder / "demo" / "made-by-regauge-demo.txt").read_text()


def demo_about(_: Path) -> str:
    return ABOUT


DECIDE = "campaign decisions grids --strategy threshold --max-annotators 9"

ENTRIES: Entries = {
    "cli/studies/imports.py:command: Created a study in … from ….": Always(
        DONE, commands(*STUDY, "export bundle copy.zip --study study", "import copy.zip again")
    ),
    "cli/studies/restore.py:command: Created a study in … from ….": Always(
        DONE, commands(*STUDY, "backup copy.db --study study", "restore copy.db again --study study")
    ),
    "cli/campaigns/create.py:_make_command.create: … not asked about: excluded, or without a": Pair(
        excluded("c0-00"), excluded()
    ),
    "cli/campaigns/campaign.py:export: Wrote … to ….": Always(DONE, in_pictured("campaign export grids answers.csv")),
    "cli/campaigns/people.py:annotators: … should be dropped by the rules: …": Pair(
        in_pictured("campaign annotators grids"),
        in_pictured(
            "campaign drop grids annotator-0001 --reason nothing",
            "campaign drop grids annotator-0002 --reason nothing",
            "campaign annotators grids",
        ),
    ),
    "cli/campaigns/people.py:_decide: The answers of … to … …; …": Always(
        DONE, in_pictured("campaign drop grids annotator-0001 --reason nothing")
    ),
    "cli/campaigns/recruit.py:invite_command: Wrote … links to …; only you can": Always(
        DONE, commands(*STUDY, "campaign invite --count 2 --out links.csv --study study")
    ),
    "cli/campaigns/recruit.py:identities: Wrote … visits to …. The file names": Always(DONE, desk(identities)),
    "cli/campaigns/recruit.py:publish_mturk: … HITs with … assignments each": Always(
        "What was asked for.", desk(publish)
    ),
    "cli/campaigns/recruit.py:publish_mturk: … … HITs on ….": Always(DONE, desk(publish)),
    "cli/campaigns/recruit.py:confirm_spending: This spends real money. Type the name of": Pair(
        spend(is_production=True), spend(is_production=False)
    ),
    "cli/campaigns/mturk.py:approve: There is nothing to approve or reject.": Pair(desk(approve_nobody), desk(approve)),
    "cli/campaigns/mturk.py:approve: Approved …, rejected ….": Pair(desk(approve), desk(approve_nobody)),
    "cli/campaigns/mturk.py:pay: There is nobody to pay, or everybody has": Pair(
        desk(pay(is_paid=True)), desk(pay(is_paid=False))
    ),
    "cli/campaigns/mturk.py:end: Offer the HITs of … on … no": Always("A question.", desk(ask_to_end)),
    "cli/campaigns/mturk.py:end: … HITs are offered no longer; whoever is": Always(DONE, desk(end_hits)),
    # Rounds
    "cli/campaigns/rounds.py:decisions: Wrote … to ….": Always(DONE, in_rounds(f"{DECIDE} --settled s.csv")),
    "cli/campaigns/rounds.py:decisions: … of them are still open: their votes": Pair(
        in_rounds(f"{DECIDE} --settled s.csv"), in_rounds(f"{DECIDE} --doubt 0.49 --settled s.csv")
    ),
    "cli/campaigns/rounds.py:_print_decisions: The decision on every pair is in --format": Always(
        "The table has states alone.", in_rounds(DECIDE)
    ),
    "cli/campaigns/rounds.py:_say: ; … open ones wait for answers to": Pair(say(n_pending=1), say()),
    "cli/campaigns/rounds.py:_say: ; … open ones were excluded from their": Pair(say(n_excluded=1), say()),
    "cli/campaigns/rounds.py:_say: , … of them since another round would": Pair(
        say(states={**QUIET.states, "exhausted": 2, "fixed": 18}), say()
    ),
    "cli/campaigns/rounds.py:_say: There is nothing to ask: … of …": Pair(say(), say(ASKING)),
    "cli/campaigns/rounds.py:_say: Round … … about … of … pairs": Pair(say(ASKING), say()),
    "cli/campaigns/rounds.py:_say: ; a pair gets … votes at most": Pair(
        say(ASKING), lambda _: _say(ASKING, None, is_trial=False)
    ),
    "workflows/campaigns/rounds.py:describe_limits: Campaign … is …: nobody gets these tasks": Pair(
        limits(ASKING, is_open=False), limits(ASKING, is_open=True)
    ),
    "workflows/campaigns/rounds.py:describe_limits: Some task may go to … of the": Pair(
        limits(replace(ASKING, n_allowed=2), is_open=True), limits(ASKING, is_open=True)
    ),
    "kinds/contains/making.py:explain_shortages: …: … in every grid are too many,": Pair(shortages(1), shortages(0)),
    "cli/campaigns/assign.py:command: … of … assigned to ….": Always(DONE, assign),
    "cli/campaigns/campaign.py:take_out: Image … of … is no longer shown….": Always(
        DONE, in_pictured("campaign take-out grids i0 --reason blood")
    ),
    "kinds/contains/rounds.py:explain_few: as the others have judged one of its": Pair(
        limits(replace(ASKING, n_allowed=2), is_open=True), limits(ASKING, is_open=True)
    ),
    # Drawn sets
    "cli/testsets/draws.py:diff: … carried over, … new (… upward), …": Always(
        COUNTED,
        in_pooled("testset remove drawn {image} --reason wrong", "testset revise drawn", "testset diff drawn drawn-2"),
    ),
    "cli/testsets/draws.py:remove: … itself is unchanged; draw it again with:": Always(
        "A drawn set never changes.", in_pooled("testset remove drawn {image} --reason wrong")
    ),
    "cli/testsets/draws.py:export: Reviewers have removed … of its images since;": Pair(
        in_pooled("testset remove drawn {image} --reason wrong", "testset export drawn out"),
        in_pooled("testset export drawn out"),
    ),
    "cli/testsets/two_sample.py:_keep: This is two-sample test … of the study.": Pair(
        two_sample("old", "hard", "--study", "study"), two_sample()
    ),
    "cli/testsets/two_sample.py:_print: Images that look most like the other set": Pair(
        two_sample("--show", "3"), two_sample("--show", "0")
    ),
    # The demo
    "workflows/demo/flow.py:: Everything here is simulated: the pictures are drawn,": Always(
        "It is how every demo is made.", demo_about
    ),
    "workflows/demo/flow.py:claim_folder: A simulated benchmark, drawn by `regauge demo`; it": Always(
        "Nothing else is in such a folder.", demo_folder
    ),
    "workflows/demo/crowd.py:FrequencyDistance.__str__: …: selection frequencies … points … from the": Always(
        "It tells numbers, whatever they are.",
        lambda _: str(FrequencyDistance("grids", Estimate(0.05, 0.04, 0.06, n=100), 0.04)),
    ),
}
