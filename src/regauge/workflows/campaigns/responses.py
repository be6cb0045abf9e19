"""What came back from a campaign: read in one way, for pages, files and label sets, as the columns that are counted."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from regauge.errors import InputError
from regauge.kinds.contract import KindOutput, TaskKind
from regauge.kinds.registry import find_kind
from regauge.labels.frequencies.disjoint import count_disjoint
from regauge.records.campaigns.campaign import CampaignEntry, Kind, ResponseStatus, StoredResponse
from regauge.records.labels.frequencies import SelectionCounts
from regauge.records.responses.answers import ContainsResponses
from regauge.records.responses.ledgers import HeldAnswers
from regauge.records.studies import LabelSetEntry
from regauge.records.testsets.pool import DrawAnnotators
from regauge.responses.ledger import Ledger
from regauge.responses.screening import RestoredAnnotators, screen
from regauge.storage.campaigns.campaign import get_campaign
from regauge.storage.campaigns.extra_tasks import list_rounds_behind
from regauge.storage.campaigns.ledgers import (
    load_answer_columns,
    load_answer_texts,
    load_image_ids,
    load_names,
    load_task_texts,
)
from regauge.storage.campaigns.responses import list_recent_responses
from regauge.storage.files import write_whole
from regauge.storage.people.pseudonyms import find_pseudonyms
from regauge.storage.study import Study


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
    kind = find_kind(study.around.kinds, campaign.kind)
    texts = load_answer_texts(study, columns.ids.tolist()) if kind.answers.NEEDS_TEXTS else ()
    held = HeldAnswers(ledger.tasks, columns, load_image_ids(study, campaign), people, texts)
    return CampaignAnswers(campaign, held, kind)


def load_ledger(study: Study, campaign: CampaignEntry) -> Ledger:
    """All answers to a campaign that hold."""
    ledger = Ledger(find_kind(study.around.kinds, campaign.kind).answers)
    learn_tasks(study, campaign, ledger=ledger)
    learn_answers(study, campaign, ledger=ledger)
    return ledger


def learn_tasks(study: Study, campaign: CampaignEntry, *, ledger: Ledger, after: int = 0) -> None:
    """Add the tasks above a number."""
    found = load_task_texts(study, campaign, after=after)
    ids, sources, wanted = (np.array(column, np.int64) for column in (found.ids, found.sources, found.wanted))
    ledger.add_tasks(found.texts, ids=ids, sources=sources, wanted=wanted)


def learn_answers(study: Study, campaign: CampaignEntry, *, ledger: Ledger, after: int = 0) -> None:
    """Add the answers above a number."""
    for answers in load_answer_columns(study, campaign, after=after):
        ledger.add_answers(answers)


def make_responses(found: CampaignAnswers) -> Any:  # noqa: ANN401 - each kind has a form of its own
    """The answers to a campaign of any kind as its screening and counting take them."""
    return found.kind.answers.make_responses(found.held)


def to_contains_responses(found: CampaignAnswers) -> ContainsResponses:
    """The answers to a campaign whose kind gives selection counts, as screening and counting take them.

    Raises:
        InputError: the campaign's kind gives no selection counts.
    """
    if KindOutput.SELECTION_COUNTS not in found.kind.gives:
        raise InputError(
            f"Campaign {found.campaign.name} is of the kind {found.campaign.kind}, which gives no selection counts."
        )
    responses: ContainsResponses = make_responses(found)
    return responses


def load_exported(study: Study, name: str, *, with_surplus: bool = False, with_names: bool = False) -> CampaignAnswers:
    """The answers of `load_answers` as they leave the study: whoever gave them has a pseudonym unless names are asked for."""
    found = load_answers(study, name, with_surplus=with_surplus)
    return replace(found, held=find_pseudonyms(study, with_names=with_names).hide_annotators(found.held))


def export_answers(study: Study, name: str, path: Path, *, with_surplus: bool = False, with_names: bool = False) -> int:
    """Write the answers that count as `aggregate` reads them, in the type of file of their kind; returns how many.

    Those of people who were dropped are in no such file: whoever reads it could not tell them from others.

    Args:
        study: the study, inside a transaction.
        name: which campaign.
        path: the file to write; it must not exist.
        with_surplus: whether answers that came when their task had enough are wanted too.
        with_names: whether people stand in it by name, and not by pseudonym.

    Raises:
        InputError: there is no such campaign, or the file exists.
    """
    found = load_exported(study, name, with_surplus=with_surplus, with_names=with_names)
    with write_whole(path) as partial, partial.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(write_answers(found))
    return len(found)


def write_answers(found: CampaignAnswers) -> Iterator[str]:
    """The lines of the file that `export_answers` writes."""
    return (f"{line}\n" for line in found.kind.answers.write_answers(found.held))


def list_recent_answers(study: Study, *, limit: int = 20, without: Collection[str] = ()) -> tuple[RecentAnswer, ...]:
    """The last answers to any campaign but some, the newest first."""
    found = list_recent_responses(study, limit=limit, without=without)
    return tuple(RecentAnswer(campaign, response) for campaign, response in found)


def load_half(study: Study, entry: LabelSetEntry, known: SelectionCounts, *, half: DrawAnnotators) -> SelectionCounts:
    """The counts of a label set by one half of the annotators, under the screening that the label set was made with.

    Who is in which half depends on the annotator alone, so it is the same for every draw. Answers that came after the label
    set was made count as well.

    Args:
        study: the study, inside a transaction.
        entry: the label set.
        known: its counts.
        half: which half.

    Raises:
        InputError: the label set was not made of the answers to a campaign of the study, or this had several rounds.
    """
    settings = entry.provenance.get("settings")
    if entry.campaign is None or settings is None:
        raise InputError(
            f"Label set {entry.full_name} was not made of a campaign of this study, so its annotators cannot be told apart; "
            "name one that was with `frequencies=…`, or leave out `annotators=…`."
        )
    if list_rounds_behind(study, entry):
        raise InputError(
            f"Campaign {entry.campaign} asked more people only where a decision was open, so neither half of them tells "
            "frequencies without bias; leave out `annotators=…`."
        )
    rule = find_kind(study.around.kinds, Kind(entry.provenance["kind"])).fields.parse_rule(settings)
    responses = to_contains_responses(load_answers(study, entry.campaign))
    restored = RestoredAnnotators(rule.keep_annotators, rule.keep_responses)
    choosing, reporting = count_disjoint(responses, screen(responses, rule.rules, restored=restored))
    found = choosing if half is DrawAnnotators.FIRST_HALF else reporting
    kept = found.keep_images(known.image_ids.tolist())
    return SelectionCounts(kept.image_ids, kept.images, kept.classes, kept.n_shown, kept.n_selected, known.name)
