"""What comes next in a study, for whoever manages it: what its campaigns wait for, then what the study lacks."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from regauge.records.campaigns import CampaignEntry, CampaignProgress, CampaignState
from regauge.records.studies import StudyStatus

__all__ = ["CampaignStanding", "Place", "Step", "find_steps"]

_COMMAND = ": regauge "


class Place(StrEnum):
    """Where a step is taken."""

    NEW = "new campaign"
    CAMPAIGN = "campaign"
    ANNOTATORS = "annotators"
    LABELS = "labels"
    PEOPLE = "people"
    ELSEWHERE = "elsewhere"


@dataclass(frozen=True, slots=True)
class CampaignStanding:
    """Where a campaign stands: how far it is, and how many of its annotators the rules would drop."""

    entry: CampaignEntry
    progress: CampaignProgress
    n_suggested: int = 0
    pay_warning: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """Something to do.

    Attributes:
        words: what, in a sentence.
        action: the words of a button; empty where there is no page for it.
        place: which page.
        campaign_id: of which campaign.
        command: the command line that does it; empty where a page does.
    """

    words: str
    action: str = ""
    place: Place = Place.ELSEWHERE
    campaign_id: int = 0
    command: str = ""


def find_steps(status: StudyStatus, standings: Sequence[CampaignStanding]) -> Iterator[Step]:
    """What to do next, what people wait for first; at least one step."""
    built = {entry.provenance.get("campaign") for entry in status.label_sets}
    found = [step for one in reversed(standings) for step in _find_campaign_steps(one, built)]
    yield from found
    if status.test_sets and not standings:
        yield Step("Ask people about the images: make a campaign.", "New campaign", Place.NEW)
    rest = [_read(sentence) for sentence in status.next_steps]
    yield from rest
    if not found and not rest and standings:
        is_running = any(one.entry.state is CampaignState.OPEN for one in standings)
        yield Step("Nothing waits for you." + (" People can work, and their answers come in." if is_running else ""))


def _find_campaign_steps(one: CampaignStanding, built: Collection[object]) -> Iterator[Step]:
    """What a campaign waits for."""
    entry, progress, number = one.entry, one.progress, one.entry.id
    is_open, is_done = entry.state is CampaignState.OPEN, progress.n_done >= progress.n_tasks
    if entry.state is CampaignState.DRAFT:
        yield Step(f"{entry.name} is a draft: try its tasks, then open it.", "Look at it", Place.CAMPAIGN, number)
    if is_open and not progress.n_annotators:
        yield Step(f"{entry.name} is open and nobody has answered: give out links.", "Make links", Place.PEOPLE)
    if one.pay_warning:
        yield Step(f"{entry.name}: {one.pay_warning}", "Look at it", Place.CAMPAIGN, number)
    if one.n_suggested:
        people = "1 annotator" if one.n_suggested == 1 else f"{one.n_suggested:,} annotators"
        yield Step(f"{people} of {entry.name} should be looked at.", "Look at them", Place.ANNOTATORS, number)
    if is_open and is_done:
        yield Step(f"{entry.name} has all its answers: close it.", "Look at it", Place.CAMPAIGN, number)
    if entry.name not in built and progress.n_counted and (is_done or entry.state is CampaignState.CLOSED):
        yield Step(f"Make a label set of the answers to {entry.name}.", "Preview labels", Place.LABELS, number)


def _read(sentence: str) -> Step:
    """A step of the command line: the words, and what to type."""
    words, separator, command = sentence.partition(_COMMAND)
    return Step(f"{words}.", command=f"regauge {command}") if separator else Step(sentence)
