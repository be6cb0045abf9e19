"""The manager's page of who has seen which images of a set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import HTMLResponse

from regauge.records.exposure.exposures import SetExposure
from regauge.server.annotate.api import State
from regauge.server.annotate.pages import render
from regauge.server.manage.roles import ManagingReader
from regauge.workflows.annotation.class_cards import list_set_names
from regauge.workflows.discussions.standing import list_blind
from regauge.workflows.exposure.recording import has_unlearned, learn_some
from regauge.workflows.exposure.seen import list_set_exposure
from regauge.workflows.studies.study import Study

MAX_ROWS = 1_000
"""Rows that the page shows; the command has all."""

router = APIRouter(prefix="/manage", default_response_class=HTMLResponse, include_in_schema=False)


@dataclass(frozen=True, slots=True)
class ExposureView:
    """The page of a set.

    Attributes:
        found: who has seen what; None in a study without images.
        sets: the sets that can be chosen.
        n_more: rows that are not shown.
        blind: panels that vote alone, of which nothing is shown.
    """

    found: SetExposure | None
    sets: tuple[str, ...]
    n_more: int = 0
    blind: tuple[str, ...] = ()


@router.get("/exposure")
async def show_exposure(
    request: Request,
    state: State,
    _session: ManagingReader,
    name: Annotated[str, Query(alias="set", max_length=300)] = "",
) -> Response:
    """Who has seen which images of a set; what was answered without the server is learned of first, part by part."""
    is_behind = await state.read(has_unlearned)
    while is_behind:
        is_behind = await state.writer.run(learn_some)

    def make(study: Study) -> ExposureView:
        sets = list_set_names(study)
        if not sets:
            return ExposureView(None, ())
        # What panelists have seen is what they have voted on, more or less.
        blind = list_blind(study)
        found = list_set_exposure(study, name or sets[0], without=blind)
        return ExposureView(found, sets, max(0, len(found.rows) - MAX_ROWS), tuple(sorted(blind)))

    return render(request, "manage_exposure.html", await state.read(make))
