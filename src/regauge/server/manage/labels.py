"""Label sets from a campaign: what they would be, and the labels themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException
from pydantic import ConfigDict, Field

from regauge.errors import InputError
from regauge.fields import FieldError, KnownName, check_values
from regauge.kinds.registry import find_kind
from regauge.records.studies import LabelSetEntry
from regauge.server.annotate.api import CampaignId, State
from regauge.server.annotate.pages import render_part
from regauge.server.manage.live import PartsView
from regauge.server.manage.roles import ManagingWriter, Strict, TypedText, change
from regauge.workflows.campaigns.campaign import get_campaign
from regauge.workflows.campaigns.fields import KindFields, list_rule
from regauge.workflows.discussions.coding import create_coding
from regauge.workflows.kinds import list_kinds
from regauge.workflows.labels.campaign_labels import (
    LabelPreview,
    LabelRule,
    PreparedLabels,
    list_counted_labels,
    prepare_labels,
    preview_labels,
    store_labels,
)
from regauge.workflows.studies.study import Study

router = APIRouter(prefix="/api/manage")


class RuleRequest(Strict):
    """How answers become labels: settings of the rule for the campaign's kind of task, by name; docs/settings.md lists them."""

    model_config = ConfigDict(extra="allow")

    @property
    def settings(self) -> Mapping[str, Any]:
        """The settings that were sent, not yet checked."""
        return self.model_extra or {}


class BuildRequest(RuleRequest):
    """The rule, and what to call the labels."""

    name: Annotated[TypedText, Field(min_length=1, max_length=200)]


class CodingRequest(Strict):
    """Whose mistakes are coded, of those that a panel voted on."""

    participant: Annotated[TypedText, Field(min_length=1, max_length=200)]


class CodingMade(Strict):
    """A campaign of coders as it was created."""

    id: int
    name: str
    n_tasks: int


class LabelsBuilt(Strict):
    """A label set as it was stored."""

    full_name: str
    n_images: int
    n_verdicts: int


@router.post("/campaigns/{campaign_id}/labels/preview")
async def preview(state: State, _session: ManagingWriter, campaign_id: CampaignId, rule: RuleRequest) -> PartsView:
    """What the labels would be; nothing is stored."""

    def work(study: Study) -> LabelPreview:
        return preview_labels(study, campaign_id, settings=_read(study, campaign_id, rule.settings))

    found = await state.read(work)
    return PartsView(parts={"preview": render_part(state, "manage_preview.html", found)})


@router.post("/campaigns/{campaign_id}/labels")
async def build(state: State, session: ManagingWriter, campaign_id: CampaignId, body: BuildRequest) -> LabelsBuilt:
    """Store the labels as the next version of a label set."""

    def prepare(study: Study) -> tuple[int, PreparedLabels]:
        generation = get_campaign(study, campaign_id).generation
        return generation, prepare_labels(study, campaign_id, settings=_read(study, campaign_id, body.settings))

    # Counting a million answers takes a while, and nobody who works has to wait for it.
    generation, prepared = await state.read(prepare)

    def store(study: Study) -> LabelSetEntry:
        # Labels that are stored after an erasure must not be made of what was erased.
        if get_campaign(study, campaign_id).generation != generation:
            raise InputError("Somebody was dropped, restored or erased in the meantime; please build the labels again.")
        return store_labels(study, prepared, name=body.name.strip())

    entry = await change(state, session, work=store)
    return LabelsBuilt(full_name=entry.full_name, n_images=entry.n_images, n_verdicts=entry.n_verdicts)


@router.post("/campaigns/{campaign_id}/coding", status_code=201)
async def make_coding(
    state: State, session: ManagingWriter, campaign_id: CampaignId, body: CodingRequest
) -> CodingMade:
    """A campaign that codes what a participant still gets wrong after a panel; it is not open yet."""
    made = await change(state, session, work=lambda study: create_coding(study, campaign_id, body.participant))
    return CodingMade(id=made.id, name=made.name, n_tasks=made.n_tasks)


def _read(study: Study, campaign_id: int, given: Mapping[str, Any]) -> LabelRule:
    """The rule for the campaign's kind of task; settings of other kinds are passed over."""
    table = find_kind(study.around.kinds, get_campaign(study, campaign_id).kind).fields
    rule: LabelRule = table.make_rule(_check(study, table, given))
    return rule


def _check(study: Study, table: KindFields, given: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a rule that a form has, with values that they may have."""
    unknown = given.keys() - {one.name for one in list_rule(list_kinds(study)) if one.in_form}
    if unknown:
        raise HTTPException(422, f"{min(unknown)}: there is no such setting of a rule.")
    try:
        values = check_values([one for one in table.rule if one.in_form], given)
    except FieldError as error:
        raise HTTPException(422, f"{error.field_name}: {error}") from error
    for one in table.rule:
        if isinstance(one.type, KnownName) and values.get(one.name):
            _check_labels(study, values[one.name])
    return values


def _check_labels(study: Study, name: str) -> None:
    """Refuse what is not a label set with counts: on a page nobody names files of the server."""
    if name not in list_counted_labels(study):
        raise InputError(
            f"The study has no label set {name[:80]!r} with selection counts, or not as its latest version."
        )
