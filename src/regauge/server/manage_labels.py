"""Label sets from a campaign: what they would be, and the labels themselves."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter
from pydantic import Field

from regauge.errors import InputError
from regauge.records.campaigns import Kind
from regauge.records.classify import ClassifySettings
from regauge.records.contains import ContainsSettings
from regauge.records.frequencies import FrequencyRule
from regauge.records.screening import ScreeningRules
from regauge.records.studies import LabelSetEntry
from regauge.server.api import CampaignId, State
from regauge.server.manage_live import PartsView
from regauge.server.manage_roles import ManagingWriter, Strict, Words, change
from regauge.server.pages import render_part
from regauge.workflows.campaign_labels import (
    LabelPreview,
    LabelRule,
    PreparedLabels,
    list_counted_labels,
    prepare_labels,
    preview_labels,
    store_labels,
)
from regauge.workflows.campaigns import get_campaign
from regauge.workflows.studies import Study

router = APIRouter(prefix="/api/manage")

Frequency = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False, strict=False)]


class RuleWish(Strict):
    """How answers become labels; the thresholds are for CONTAINS, the label set that tells easy images for CLASSIFY."""

    screening: bool = True
    correct: Frequency = 0.5
    unclear: Frequency = 0.25
    min_shown: Annotated[int, Field(ge=1, le=1_000)] = 5
    contains: Annotated[Words, Field(max_length=300)] = ""


class BuildWish(RuleWish):
    """The rule, and what to call the labels."""

    name: Annotated[Words, Field(min_length=1, max_length=200)]


class LabelsBuilt(Strict):
    """A label set as it was stored."""

    full_name: str
    n_images: int
    n_verdicts: int


@router.post("/campaigns/{campaign_id}/labels/preview")
async def preview(state: State, _session: ManagingWriter, campaign_id: CampaignId, rule: RuleWish) -> PartsView:
    """What the labels would be; nothing is stored."""

    def work(study: Study) -> LabelPreview:
        return preview_labels(study, campaign_id, settings=_read(study, campaign_id, rule))

    found = await state.read(work)
    return PartsView(parts={"preview": render_part(state, "manage_preview.html", found)})


@router.post("/campaigns/{campaign_id}/labels")
async def build(state: State, session: ManagingWriter, campaign_id: CampaignId, wish: BuildWish) -> LabelsBuilt:
    """Store the labels as the next version of a label set."""

    def prepare(study: Study) -> tuple[int, PreparedLabels]:
        generation = get_campaign(study, campaign_id).generation
        return generation, prepare_labels(study, campaign_id, settings=_read(study, campaign_id, wish))

    # Counting a million answers takes a while, and nobody who works has to wait for it.
    generation, prepared = await state.read(prepare)

    def store(study: Study) -> LabelSetEntry:
        # Labels that are stored after an erasure must not be made of what was erased.
        if get_campaign(study, campaign_id).generation != generation:
            raise InputError("Somebody was dropped, restored or erased meanwhile; please build the labels again.")
        return store_labels(study, prepared, name=wish.name.strip())

    entry = await change(state, session, work=store)
    return LabelsBuilt(full_name=entry.full_name, n_images=entry.n_images, n_verdicts=entry.n_verdicts)


def _read(study: Study, campaign_id: int, wish: RuleWish) -> LabelRule:
    """The rule for the campaign's kind of task."""
    if get_campaign(study, campaign_id).kind is Kind.CLASSIFY:
        return ClassifySettings(screening=wish.screening, contains=_check_labels(study, wish.contains.strip()))
    verdicts = FrequencyRule(wish.correct, wish.unclear, wish.min_shown)
    return ContainsSettings(rules=ScreeningRules() if wish.screening else None, verdicts=verdicts)


def _check_labels(study: Study, name: str) -> str:
    """The name of a label set with counts: on a page nobody names files of the server."""
    if name and name not in list_counted_labels(study):
        raise InputError(
            f"The study has no label set {name[:80]!r} with selection counts, or not as its latest version."
        )
    return name
