"""What came back from a campaign, as the columns that screening and counting take, and as files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from regauge.errors import InputError
from regauge.kinds.contract import Gift, TaskKind
from regauge.records.campaigns import CampaignEntry, ResponseStatus, StoredResponse
from regauge.records.ledgers import HeldAnswers
from regauge.records.responses import ContainsResponses
from regauge.storage.campaigns import get_campaign
from regauge.storage.files import write_whole
from regauge.storage.ledgers import load_image_ids, load_names
from regauge.storage.responses import list_recent_responses
from regauge.storage.study import Study
from regauge.workflows.kinds import get_kind
from regauge.workflows.ledgers import load_ledger


@dataclass(frozen=True, slots=True, eq=False)
class CampaignAnswers:
    """The answers to a campaign that hold: of each annotator on each task the last revision, in the order of the first ones."""

    campaign: CampaignEntry
    held: HeldAnswers
    kind: TaskKind

    def __len__(self) -> int:
        return len(self.held)


@dataclass(frozen=True, slots=True)
class RecentAnswer:
    """An answer that came not long ago, and to which campaign."""

    campaign: str
    response: StoredResponse


def load_answers(study: Study, name: str, *, with_surplus: bool = False, with_dropped: bool = False) -> CampaignAnswers:
    """The answers to a campaign that count, in their last revision.

    Args:
        study: the study.
        name: which campaign.
        with_surplus: whether those that came when a task had enough are wanted too.
        with_dropped: whether those of people who were dropped are.

    Raises:
        InputError: there is no such campaign.
    """
    campaign = get_campaign(study, name)
    extra = {ResponseStatus.SURPLUS: with_surplus, ResponseStatus.DROPPED: with_dropped}
    wanted = {ResponseStatus.COUNTED, *(status for status, is_wanted in extra.items() if is_wanted)}
    ledger = load_ledger(study, campaign)
    everything = ledger.columns
    columns = everything.keep(everything.find_rows(wanted)).leave_out_idle()
    names = load_names(study)
    people = np.array([names[one] for one in columns.annotator_ids.tolist()], np.str_)
    held = HeldAnswers(ledger.tasks, columns, load_image_ids(study, campaign), people)
    return CampaignAnswers(campaign, held, get_kind(study, campaign.kind))


def make_responses(found: CampaignAnswers) -> Any:  # noqa: ANN401 - each kind has a form of its own
    """The answers to a campaign of any kind as its screening and counting take them."""
    return found.kind.answers.make_responses(found.held)


def to_contains_responses(found: CampaignAnswers) -> ContainsResponses:
    """The answers to a campaign whose kind gives selection counts, as screening and counting take them.

    Raises:
        InputError: the campaign's kind gives no selection counts.
    """
    if Gift.SELECTION_COUNTS not in found.kind.gives:
        raise InputError(
            f"Campaign {found.campaign.name} is of the kind {found.campaign.kind}, which gives no selection counts."
        )
    responses: ContainsResponses = make_responses(found)
    return responses


def export_answers(study: Study, name: str, path: Path, *, with_surplus: bool = False) -> int:
    """Write the answers that count as `aggregate` reads them, in the type of file of their kind; returns how many.

    Those of people who were dropped are in no such file: whoever reads it could not tell them from others.

    Raises:
        InputError: there is no such campaign, or the file exists.
    """
    found = load_answers(study, name, with_surplus=with_surplus)
    with write_whole(path) as partial, partial.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(write_answers(found))
    return len(found)


def write_answers(found: CampaignAnswers) -> Iterator[str]:
    """The lines of the file that `export_answers` writes."""
    return (f"{line}\n" for line in found.kind.answers.write_answers(found.held))


def list_recent_answers(study: Study, *, limit: int = 20) -> tuple[RecentAnswer, ...]:
    """The last answers to any campaign, the newest first."""
    return tuple(RecentAnswer(campaign, response) for campaign, response in list_recent_responses(study, limit=limit))
