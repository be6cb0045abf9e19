"""What comes next in a study, as data: what to do, the command that does it, and the page where it is done."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from regauge.records.campaigns.campaign import CampaignEntry, CampaignProgress


class Place(StrEnum):
    """Where a step is taken on the manager's pages."""

    NEW = "new campaign"
    CAMPAIGN = "campaign"
    ANNOTATORS = "annotators"
    LABELS = "labels"
    PEOPLE = "people"
    ELSEWHERE = "elsewhere"


@dataclass(frozen=True, slots=True)
class StepPage:
    """A step as the manager's pages have it.

    Attributes:
        words: what, in a sentence.
        action: the words of a button; empty where there is nothing to click.
        place: where the button leads.
        campaign_id: of which campaign.
    """

    words: str
    action: str = ""
    place: Place = Place.ELSEWHERE
    campaign_id: int = 0


@dataclass(frozen=True, slots=True)
class Step:
    """Something to do; its text is the line of the command line.

    Attributes:
        what: in words, without the full stop; empty where no command does it.
        command: the command line that does it.
        page: the same on a page; None where no page does it.
        then: what comes right after it.

    >>> print(Step("Write the report", "regauge report"))
    Write the report: regauge report
    """

    what: str = ""
    command: str = ""
    page: StepPage | None = None
    then: Step | None = None

    def __str__(self) -> str:
        return f"{self.what}: {self.command}" + (f"; then {self.then}" if self.then else "")


@dataclass(frozen=True, slots=True)
class CampaignStanding:
    """Where a campaign stands.

    Attributes:
        entry: which one.
        progress: how far it is.
        n_suggested: how many of its annotators the rules would drop.
        pay_warning: what is wrong with its pay; empty where nothing is.
        n_waiting: people from Prolific who wait for their code.
    """

    entry: CampaignEntry
    progress: CampaignProgress
    n_suggested: int = 0
    pay_warning: str = ""
    n_waiting: int = 0
