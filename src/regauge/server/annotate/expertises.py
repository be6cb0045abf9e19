"""What the people of a study are experts of, for whoever refers something; nobody is named."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict

from regauge.records.campaigns.campaign import Role
from regauge.server.annotate.api import Reader, State
from regauge.workflows.people.expertises import list_known_expertises

router = APIRouter(prefix="/api/expertises")


class ExpertisesView(BaseModel):
    """Expertises of which there are experts, in the order of the alphabet."""

    model_config = ConfigDict(extra="forbid")

    expertises: list[str]


@router.get("")
async def list_them(state: State, session: Reader) -> ExpertisesView:
    """What there are experts of; guests, who refer nothing, are not told."""
    if session.role is Role.GUEST:
        return ExpertisesView(expertises=[])
    return ExpertisesView(expertises=list(await state.read(list_known_expertises)))
