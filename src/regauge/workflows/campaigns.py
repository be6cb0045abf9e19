"""Make, open and close campaigns: what people are asked, and how many of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from regauge.campaigns.eligibility import PANEL
from regauge.campaigns.priorities import order_tasks
from regauge.campaigns.sources import MadeTasks, Sources
from regauge.campaigns.visibility import LABELS
from regauge.errors import InputError
from regauge.records.campaigns import CampaignEntry, CampaignPlan, CampaignProgress, CampaignState, CampaignTexts
from regauge.records.names import check_name
from regauge.storage.campaigns import (
    get_campaign,
    insert_campaign,
    list_campaigns,
    measure_progress,
    set_state,
)
from regauge.storage.events import add_event
from regauge.storage.labels import get_label_set
from regauge.storage.study import Study
from regauge.workflows.campaign_questions import LEFT_OUT, Questions, open_images, open_known
from regauge.workflows.campaign_texts import check_consent
from regauge.workflows.decisions import get_annotator
from regauge.workflows.kinds import get_kind
from regauge.workflows.lessons import store_lessons
from regauge.workflows.openings import Checked, check_images, leave_out_images, refuse_failing

__all__ = [
    "CampaignPlan",
    "CampaignTexts",
    "Questions",
    "close_campaign",
    "create_campaign",
    "describe_progress",
    "get_campaign",
    "list_campaigns",
    "measure_progress",
    "open_campaign",
]

CONSENT = (
    "You are about to take part in a study of image labels. Your answers are stored under a name that says nothing about you, "
    "with the time that each took. You can stop at any moment."
)


def create_campaign(study: Study, plan: CampaignPlan, questions: Questions) -> CampaignEntry:
    """Make tasks as their kind has it and store them as a campaign, not open yet.

    Raises:
        InputError: an image or a class is unknown, images are not at hand, or there are too few with known labels.
    """
    kind = get_kind(study, plan.kind)
    sets = tuple(open_images(study, name) for name in (questions.test_set, *questions.also))
    known = open_known(study, questions) if kind.making.needs_known(plan, questions.settings) else None
    sources = Sources(plan, sets, questions.pairs, known, questions.settings, study.taxonomy, questions.seed)
    made = kind.making.make_tasks(sources)
    n_left_out = sum(int((~one.is_free).sum()) for one in sets) if questions.pairs is None else 0
    settings = {
        **plan.settings,
        **_settle_common(study, questions.settings),
        "test_set": sets[0].entry.name,
        **({"also": [one.entry.name for one in sets[1:]]} if questions.also else {}),
        **({LEFT_OUT: n_left_out} if n_left_out else {}),
        **made.settings,
        "seed": questions.seed,
    }
    campaign = _store(study, plan, settings, made)
    store_lessons(study, campaign, made.lessons)
    return campaign


def _settle_common(study: Study, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Who is on the panel, by their numbers, and which version of a label set is shown; nothing where a campaign has neither.

    Raises:
        InputError: there is no such annotator or label set.
    """
    found: dict[str, Any] = {}
    if settings.get(PANEL):
        found[PANEL] = sorted({get_annotator(study, name).id for name in settings[PANEL]})
    if settings.get(LABELS):
        found[LABELS] = get_label_set(study, settings[LABELS]).full_name
    return found


def open_campaign(
    study: Study, name: str, *, checked: Checked | None = None, leaves_out: bool = False
) -> CampaignEntry:
    """Let people work on the campaign; one that was closed is opened again.

    Args:
        study: the study, inside a transaction.
        name: which campaign.
        checked: what `check_images` found; it is called unless given, which keeps other writers waiting. `UNCHECKED` skips it.
        leaves_out: whether images that cannot be shown are left out; else they are refused.

    Raises:
        InputError: the campaign is open already, or some of its images cannot be shown.
    """
    campaign = get_campaign(study, name)
    if campaign.state is CampaignState.OPEN:
        raise InputError(f"Campaign {name} is {campaign.state} already.")
    found = check_images(study, name) if checked is None else checked
    if not leaves_out:
        refuse_failing(campaign, found)
    if found.numbers:
        n_tasks = leave_out_images(study, campaign, found.numbers)
        left_out = {"campaign": name, "n_images": len(found.numbers), "n_tasks": n_tasks}
        add_event(study, "campaign leave out", left_out)
    return _change(study, name, CampaignState.OPEN)


def close_campaign(study: Study, name: str) -> CampaignEntry:
    """Give out no more tasks; answers to those that are out are still taken."""
    return _change(study, name, CampaignState.CLOSED)


def describe_progress(study: Study) -> list[tuple[CampaignEntry, CampaignProgress]]:
    """Every campaign with how far it is."""
    return [(entry, measure_progress(study, entry)) for entry in list_campaigns(study)]


def _change(study: Study, name: str, state: CampaignState) -> CampaignEntry:
    campaign = get_campaign(study, name)
    if campaign.state is state:
        raise InputError(f"Campaign {name} is {state} already.")
    changed = set_state(study, campaign, state)
    add_event(study, f"campaign {state}", {"campaign": name})
    return changed


def _store(study: Study, plan: CampaignPlan, settings: Mapping[str, object], made: MadeTasks) -> CampaignEntry:
    check_name(plan.name, what="A campaign")
    texts = plan.texts
    check_consent(texts.consent, may_be_empty=True)
    usual = get_kind(study, plan.kind).texts.instructions
    filled = replace(texts, instructions=texts.instructions or usual, consent=texts.consent or CONSENT)
    whole = replace(plan, texts=filled, settings=dict(settings))
    entry = insert_campaign(study, whole, images=list(made.album.numbers), payloads=order_tasks(made.tasks))
    parameters = {"campaign": entry.name, "kind": entry.kind, "n_tasks": entry.n_tasks, **settings}
    add_event(study, "campaign create", parameters)
    return entry
