"""Whether the server is well, and what it counts; nothing about the study or the people in it."""

from __future__ import annotations

import hmac
import time

from anyio import CapacityLimiter, fail_after, to_thread
from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.responses import JSONResponse, PlainTextResponse

from regauge.errors import RegaugeError
from regauge.server.annotate.api import State
from regauge.server.metrics import CONTENT_TYPE, measure_memory
from regauge.server.state import ServerState
from regauge.workflows.studies.study import count_leased, ping

PATIENCE_SECONDS = 1.0
"""How long the database may take to answer."""

router = APIRouter(include_in_schema=False)
_PULSE = CapacityLimiter(2)
"""Threads that wait for a database: one that hangs must not use them all up."""


@router.get("/healthz")
async def show_health(state: State) -> Response:
    """200 while answers can be stored: the writer lives, its last transaction was committed, and the database answers in time.

    503 otherwise. After a failure something is written to see whether that is possible again: a server that nobody uses any more
    because it failed gets well by itself.
    """
    is_well = state.writer.is_alive and await _has_pulse(state) and await _can_write(state)
    return JSONResponse({"status": "ok" if is_well else "failing"}, status_code=200 if is_well else 503)


@router.get("/metrics")
async def show_metrics(request: Request, state: State) -> Response:
    """What the process counts, for Prometheus."""
    _check_reader(request, state)
    n_leased = await state.read(count_leased)
    gauges = {
        "regauge_sessions_active": ("Sessions seen in the last five minutes.", state.sessions.count_active()),
        "regauge_tasks_leased": ("Tasks that are kept for somebody and not answered.", n_leased),
        "regauge_writer_failing": ("1 after a transaction that failed, until one succeeds.", state.writer.is_failing),
        "process_resident_memory_bytes": ("Memory of the process.", measure_memory()),
        "regauge_up_seconds": ("Time since the process began to serve.", time.monotonic() - state.began_at),
    }
    return PlainTextResponse(state.metrics.write(gauges), media_type=CONTENT_TYPE)


async def _has_pulse(state: ServerState) -> bool:
    try:
        with fail_after(PATIENCE_SECONDS):
            await to_thread.run_sync(lambda: state.read_now(ping), abandon_on_cancel=True, limiter=_PULSE)
    except (TimeoutError, RegaugeError):
        return False
    return True


async def _can_write(state: ServerState) -> bool:
    if not state.writer.is_failing:
        return True
    try:
        with fail_after(PATIENCE_SECONDS):
            await state.writer.run(lambda _study: None)
    except (TimeoutError, RegaugeError):
        return False
    return True


def _check_reader(request: Request, state: ServerState) -> None:
    """Whoever has the token may read.

    Where somebody connects from says nothing: behind a proxy everybody comes from this machine, and not every proxy says so.
    """
    token = state.settings.metrics_token
    if not token:
        raise HTTPException(403, "Metrics are read with a token; start the server with one.")
    sent = request.headers.get("authorization", "")
    if not hmac.compare_digest(sent.encode(), f"Bearer {token}".encode()):
        raise HTTPException(401, "The token is missing or wrong.", headers={"WWW-Authenticate": "Bearer"})
