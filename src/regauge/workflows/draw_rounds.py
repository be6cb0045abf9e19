"""The votes of a campaign that asked more people only where a decision was open, as a draw counts them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from regauge.campaigns.adaptive import decide_pairs, settle_votes
from regauge.records.contains import Prior
from regauge.records.frequencies import SelectionCounts
from regauge.records.redundancy import RedundancyRule
from regauge.records.sampling import SamplingPlan, Strategy
from regauge.records.studies import CAMPAIGN, LabelSetEntry
from regauge.storage.campaigns import get_campaign
from regauge.storage.extra_tasks import list_rounds
from regauge.storage.study import Study


def find_rounds(study: Study, entry: LabelSetEntry) -> list[Mapping[str, Any]]:
    """The rounds that the campaign behind a label set had got when the label set was made, in that order.

    Later ones do not matter to it: its votes are those of before.
    """
    campaign = entry.provenance.get(CAMPAIGN)
    return list_rounds(study, campaign, until=entry.added_at) if isinstance(campaign, str) else []


def settle_label_set(
    study: Study, entry: LabelSetEntry, known: SelectionCounts, *, plan: SamplingPlan
) -> tuple[SelectionCounts, tuple[str, ...]]:
    """The counts of a label set as a draw may look at them, and what there is to say about that.

    Votes that stopped when they looked clear look clearer than they are, so the raw shares of a campaign with several rounds are
    biased. Its pairs count as they were decided instead, see `settle_votes`. Counts of one round, the same number of people
    for every pair, and draws that look at no frequency get them as they are.

    Args:
        study: the study, inside a transaction.
        entry: the label set.
        known: its counts.
        plan: how the test set is drawn: what is decided about a pair depends on it.
    """
    rounds = find_rounds(study, entry)
    if not rounds or plan.strategy is Strategy.KEYWORDS:
        return known, ()
    last = rounds[-1]["rule"]
    rule = RedundancyRule(plan, last["max_annotators"], last["doubt"])
    campaign = get_campaign(study, rounds[-1]["campaign"])
    decisions = decide_pairs(known, rule, step=campaign.plan.n_annotators, prior=Prior(**rounds[0]["prior"]))
    n_open = int(decisions.is_open.sum())
    note = (
        f"Campaign {campaign.name} asked more people only where a decision was open, so raw shares of {entry.full_name} would be "
        f"biased: its pairs count as decided for {plan.strategy}, as if {rule.max_annotators:,} people had seen each. "
        f"Still open are {n_open:,} of {len(decisions):,}."
    )
    return settle_votes(decisions), (note,)
