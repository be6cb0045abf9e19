"""What a coding takes over from others: decisions about the same image and prediction, as long as they hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from regauge.campaigns.reviews.coding import NAMED, TAKEN_OVER
from regauge.formats.mistakes.coded import parse_taken_over
from regauge.formats.mistakes.named_answers import parse_named
from regauge.mistakes.coders import list_decided
from regauge.records.campaigns.campaign import CampaignEntry
from regauge.records.mistakes.coders import NamedAnswers, TakenOver
from regauge.records.mistakes.coding import CodingEntry
from regauge.records.studies import SUPERSEDED
from regauge.storage.campaigns.documents import find_document
from regauge.storage.mistakes.codings import get_coding, list_codings, load_coding
from regauge.storage.study import Study


@dataclass(frozen=True, slots=True)
class FoundTaken:
    """What a campaign takes over.

    Attributes:
        taken: what other codings decide of its mistakes, by versions that no erasure has made void.
        lost: how many mistakes a coding had decided that is void by now, and nothing that took its place decides, by coding.
    """

    taken: tuple[TakenOver, ...]
    lost: Mapping[str, int]

    @property
    def sources(self) -> dict[str, int]:
        """How many decisions come from each coding."""
        return dict(Counter(one.coding for one in self.taken))

    @property
    def n(self) -> int:
        """Mistakes that coders were not asked about."""
        return len(self.taken) + sum(self.lost.values())


def find_named(study: Study, campaign: CampaignEntry, whose: str) -> NamedAnswers | None:
    """The answers of a participant that a file named; None where all mistakes are coded."""
    document = find_document(study, campaign, NAMED)
    return None if document is None else next(one for one in parse_named(document) if one.participant == whose)


def find_taken(
    study: Study, campaign: CampaignEntry, *, named: NamedAnswers | None, categories: Sequence[str]
) -> FoundTaken:
    """What other codings decided when the campaign was created, as they decide it now.

    Of a coding that an erasure has made void, what took its place says; where that decides a mistake no longer, or with a
    category that the campaign does not have, nobody has.

    Args:
        study: the study, inside a transaction.
        campaign: which.
        named: the answers that are meant; all where no file named any.
        categories: the categories of the campaign.
    """
    document = find_document(study, campaign, TAKEN_OVER)
    taken = () if document is None else parse_taken_over(document)
    if named is not None:
        wanted = set(named.pairs)
        taken = tuple(one for one in taken if (one.image_id, one.prediction) in wanted)
    now = {name: _find_decisions(study, name) for name in dict.fromkeys(one.coding for one in taken)}
    name_of = {one.casefold(): one for one in categories}
    kept: list[TakenOver] = []
    lost: Counter[str] = Counter()
    for one in taken:
        decisions = now[one.coding]
        again = one if decisions is None else decisions.get((one.image_id, one.prediction))
        if again is None or not (again.reason or again.category.casefold() in name_of):
            lost[one.coding] += 1
        else:
            kept.append(again._replace(category=name_of.get(again.category.casefold(), "")))
    return FoundTaken(tuple(kept), dict(lost))


def list_outdated(study: Study) -> tuple[CodingEntry, ...]:
    """The codings that hold, but took decisions over from codings that do not."""
    entries = list_codings(study)
    void = {one.full_name for one in entries if SUPERSEDED in one.provenance}
    return tuple(
        one for one in entries if SUPERSEDED not in one.provenance and void & set(one.provenance.get(TAKEN_OVER, ()))
    )


def _find_decisions(study: Study, name: str) -> Mapping[tuple[str, int], TakenOver] | None:
    """What takes the place of a void coding decides, nothing where nothing does; None for a coding that holds."""
    entry = get_coding(study, name)
    if SUPERSEDED not in entry.provenance:
        return None
    while mark := entry.provenance.get(SUPERSEDED):
        if not mark.get("by"):
            return {}
        entry = get_coding(study, mark["by"])
    return {(one.image_id, one.prediction): one for one in list_decided(load_coding(study, entry))}
