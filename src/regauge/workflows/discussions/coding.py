"""From a panel's outcome to coders: the campaign that codes what a participant still gets wrong under the panel's labels."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count

from regauge.campaigns.discussions.words import CHAIR, list_chairs, list_panel
from regauge.campaigns.fields import LABELS, PARTICIPANTS, KindFields
from regauge.campaigns.reviews.coding import CODERS
from regauge.campaigns.visibility import REFERENCES
from regauge.errors import InputError
from regauge.estimates import join_words
from regauge.kinds.contract import KindOutput, TaskKind
from regauge.kinds.registry import find_kind
from regauge.records.campaigns.campaign import CampaignEntry, CampaignPlan
from regauge.records.names import MAX_NAME, to_part
from regauge.records.studies import CAMPAIGN, SUPERSEDED, LabelSetEntry
from regauge.storage.campaigns.campaign import get_campaign, list_campaigns
from regauge.storage.campaigns.decisions import find_dropped
from regauge.storage.labels.label_set import find_versions, list_label_sets
from regauge.storage.people.annotators import get_annotator
from regauge.storage.study import Study
from regauge.workflows.campaigns.campaign import Questions, create_campaign
from regauge.workflows.discussions.standing import is_discussion
from regauge.workflows.kinds import list_kinds


@dataclass(frozen=True, slots=True)
class CodingOffer:
    """What a panel's outcome leaves to code.

    Attributes:
        participants: whose mistakes the panel voted on.
        labels: the label set, NAME@VERSION; empty as long as none was made of what the panel decided.
        coders: who would code: the panelists who are still there.
        chairs: those of them who would chair it.
    """

    participants: tuple[str, ...]
    labels: str
    coders: tuple[str, ...]
    chairs: tuple[str, ...]


def offer_coding(study: Study, campaign: str | int) -> CodingOffer | None:
    """The coding campaign that a panel's outcome leads to; None for a campaign that is no panel on participants' mistakes."""
    entry = get_campaign(study, campaign)
    participants = entry.plan.settings.get(PARTICIPANTS.name)
    is_coding = KindOutput.CODED_MISTAKES in find_kind(study.around.kinds, entry.kind).gives
    if not participants or is_coding or not is_discussion(study, entry):
        return None
    labels, gone = _find_labels(study, entry), find_dropped(study, entry)
    people = {number: get_annotator(study, number) for number in list_panel(entry.plan.settings) if number not in gone}
    there = {number: one.name for number, one in people.items() if one.erased_at is None}
    chairs = [there[number] for number in list_chairs(entry.plan.settings) if number in there]
    named = labels.full_name if labels is not None else ""
    return CodingOffer(tuple(participants), named, tuple(there.values()), tuple(chairs))


def create_coding(study: Study, campaign: str | int, participant: str) -> CampaignEntry:
    """Create the campaign that codes what a participant still gets wrong after a panel; it is not open yet.

    The panelists who are still there code and discuss, with the same chairs; if fewer than two are left, anybody codes.

    Args:
        study: the study, inside a transaction that may write.
        campaign: the panel's, by name or number.
        participant: one of those whose mistakes the panel voted on.

    Raises:
        InputError: it is no panel on participants' mistakes, nothing was decided yet, or nothing remains to code.
    """
    panel, offer = get_campaign(study, campaign), offer_coding(study, campaign)
    if offer is None:
        raise InputError(
            f"Campaign {panel.name} is no panel on mistakes of participants, so no coding follows from it."
        )
    if not offer.labels:
        raise InputError(
            f"No label set that holds was made of {panel.name}; build one first, for what it accepts is not coded."
        )
    if participant not in offer.participants:
        raise InputError(
            f"The panel of {panel.name} voted on mistakes of {join_words(offer.participants)}, not of {participant[:80]!r}; name "
            "one of them."
        )
    kind = _find_coding_kind(study)
    is_discussed = len(offer.coders) > 1
    values = {
        **{one.name: one.default for one in kind.fields.campaign},
        PARTICIPANTS.name: (participant,),
        LABELS.name: offer.labels,
        CODERS.name: offer.coders if is_discussed else (),
        CHAIR.name: offer.chairs if is_discussed else (),
        REFERENCES.name: panel.plan.settings.get(REFERENCES.name, ""),
    }
    fields: KindFields = kind.fields
    name = _find_free_name(study, f"{panel.name}-codes", participant if len(offer.participants) > 1 else "")
    plan = CampaignPlan(name, kind.name, fields.n_annotators)
    return create_campaign(study, plan, Questions(panel.plan.settings["test_set"], settings=fields.settle(values)))


def _find_labels(study: Study, entry: CampaignEntry) -> LabelSetEntry | None:
    """The latest version that holds of the label set that was last made of a panel's outcome."""
    made = [one for one in list_label_sets(study) if one.provenance.get(CAMPAIGN) == entry.name]
    if not made:
        return None
    latest = max(made, key=lambda one: one.id)
    return next((one for one in reversed(find_versions(study, latest.name)) if SUPERSEDED not in one.provenance), None)


def _find_coding_kind(study: Study) -> TaskKind:
    return next(one for one in list_kinds(study).values() if KindOutput.CODED_MISTAKES in one.gives)


def _find_free_name(study: Study, base: str, participant: str) -> str:
    """A name that no campaign has yet."""
    taken = {one.name.casefold() for one in list_campaigns(study)}
    whole = f"{base}-{to_part(participant)}" if participant else base
    names = (whole if n == 1 else f"{whole[: MAX_NAME - 6]}-{n}" for n in count(1))
    return next(one for one in names if one.casefold() not in taken)
