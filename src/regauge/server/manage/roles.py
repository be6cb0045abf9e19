"""Who may manage a study, and in whose name its log notes down what they do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, TypeVar

from fastapi import Depends, HTTPException
from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic_core import PydanticCustomError

from regauge.records.campaigns.campaign import Role
from regauge.records.names import MAX_REASON
from regauge.server.annotate.api import Reader, Writer
from regauge.server.sessions import Session
from regauge.server.state import ServerState
from regauge.workflows.studies.audit import act_for
from regauge.workflows.studies.study import Study

_Result = TypeVar("_Result")


def check_storable(text: str) -> str:
    """The text, if every database can store it: PostgreSQL takes no NUL, and would fail whatever shares the transaction."""
    if "\x00" in text:
        raise PydanticCustomError("unstorable", "This has a character that cannot be stored")
    return text


TypedText = Annotated[str, AfterValidator(check_storable)]
"""A text that people typed."""


class Strict(BaseModel):
    """What is sent or given has exactly these fields, of exactly these types."""

    model_config = ConfigDict(extra="forbid", strict=True)


class WithReason(Strict):
    """The reason for a change, for the log; empty where nobody needs to give one."""

    reason: Annotated[TypedText, Field(max_length=MAX_REASON)] = ""


NO_REASON = WithReason()


async def get_manager(session: Reader) -> Session:
    """The session, if it is the manager's.

    Raises:
        HTTPException: the session is not a manager's.
    """
    return _check(session)


async def get_own_manager(session: Writer) -> Session:
    """The session, if it is the manager's and one of our own pages asks."""
    return _check(session)


ManagingReader = Annotated[Session, Depends(get_manager)]
ManagingWriter = Annotated[Session, Depends(get_own_manager)]


async def change(
    state: ServerState, session: Session, *, work: Callable[[Study], _Result], why: WithReason = NO_REASON
) -> _Result:
    """Do something with the study in the manager's name; returns once it is on disk."""
    return await state.writer.run(lambda study: work(act_for(study, session.name, why=why.reason.strip())))


def _check(session: Session) -> Session:
    if session.role is not Role.MANAGER:
        raise HTTPException(403, "Only the manager of the study can do this.")
    return session
