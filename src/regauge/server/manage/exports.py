"""What the manager takes out of a campaign: answers and annotators as files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

from fastapi import APIRouter
from fastapi.responses import StreamingResponse

from regauge.records.cells import format_rows
from regauge.records.responses.quality import ANNOTATOR_SHARES, AnnotatorQuality
from regauge.server.annotate.api import CampaignId, State
from regauge.server.manage.roles import ManagingReader
from regauge.workflows.campaigns.campaign import get_campaign
from regauge.workflows.campaigns.responses import CampaignAnswers, load_exported, write_answers
from regauge.workflows.live.campaigns import LiveCampaigns
from regauge.workflows.people.access import find_pseudonyms
from regauge.workflows.studies.study import Study

CHUNK_LINES = 1_000
PARTS = ("n_right", "n", "low", "high")
COLUMNS = (
    *("annotator", "pseudonym", "platform", "n_answers", "n_counted"),
    *(f"{share}_{part}" for share in ANNOTATOR_SHARES for part in PARTS),
    *("median_seconds", "n_impossible_times", "flags", "suggestion", "is_dropped", "reason"),
)

router = APIRouter(prefix="/api/manage")


@router.get("/campaigns/{campaign_id}/answers", response_class=StreamingResponse)
async def download_answers(
    state: State, _session: ManagingReader, campaign_id: CampaignId, *, with_surplus: bool = False
) -> StreamingResponse:
    """The answers that hold, as `aggregate` reads them."""
    found = await state.read(lambda study: _load(study, campaign_id, with_surplus))
    suffix, media_type = found.kind.answers.FILE
    return _send(write_answers(found), f"answers-{campaign_id}.{suffix}", media_type)


@router.get("/campaigns/{campaign_id}/annotators.csv", response_class=StreamingResponse)
async def download_annotators(
    state: State, _session: ManagingReader, campaign_id: CampaignId, *, with_names: bool = False
) -> StreamingResponse:
    """Everybody who answered, by the pseudonyms of other files, with what is known of their work; with names if asked for."""
    rows = await state.read(lambda study: _list(study, state.live, campaign_id, with_names))
    return _send(write_annotators(rows), f"annotators-{campaign_id}.csv", "text/csv")


def write_annotators(rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """The lines of a table of annotators; a share is given by its counts and its limits."""
    return (f"{line}\n" for line in format_rows(chain([COLUMNS], ([row[name] for name in COLUMNS] for row in rows))))


def _describe(one: AnnotatorQuality) -> dict[str, Any]:
    return {
        **one.to_fields(),
        "flags": "; ".join(flag.name for flag in one.flags),
        "is_dropped": int(one.is_dropped),
    }


def _load(study: Study, campaign_id: int, with_surplus: bool) -> CampaignAnswers:  # noqa: FBT001 - private
    return load_exported(study, get_campaign(study, campaign_id).name, with_surplus=with_surplus)


def _list(
    study: Study,
    live: LiveCampaigns,
    campaign_id: int,
    with_names: bool,  # noqa: FBT001 - private
) -> list[dict[str, Any]]:
    outside, own = find_pseudonyms(study), find_pseudonyms(study, with_names=with_names)
    rows = []
    for one in live.list_everybody(study, get_campaign(study, campaign_id)):
        row = _describe(one)
        called = {"annotator": own.call(one.name), "pseudonym": outside.call(one.name)}
        rows.append({**row, **called, "reason": row["reason"] and own.write(row["reason"])})
    return rows


def _send(lines: Iterator[str], name: str, media_type: str) -> StreamingResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingResponse(_gather(lines), media_type=media_type, headers=headers)


def _gather(lines: Iterator[str]) -> Iterator[str]:
    """Lines in pieces of some size: one by one they would take longer to send than to write."""
    gathered: list[str] = []
    for line in lines:
        gathered.append(line)
        if len(gathered) == CHUNK_LINES:
            yield "".join(gathered)
            gathered.clear()
    yield "".join(gathered)
