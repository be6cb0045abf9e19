"""The web application: routes, headers on every reply, and errors in words."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from fastapi import Depends, FastAPI, HTTPException, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException as StarletteHTTPException
from starlette.types import Receive, Scope, Send

import regauge
from regauge.errors import AccessError, InputError, RegaugeError
from regauge.kinds.contract import Kinds
from regauge.records.option_names import name_options
from regauge.server import browse, doors, health
from regauge.server.annotate import (
    api,
    classes,
    expertises,
    guide,
    images,
    own,
    pages,
    quiz,
    reports,
    shown,
    threads,
    training,
)
from regauge.server.annotate.painting import paint_ahead
from regauge.server.assets import PLACE, load_assets
from regauge.server.discussions import api as discussions
from regauge.server.discussions import evidence
from regauge.server.discussions import pages as discussion_pages
from regauge.server.guard import Guard
from regauge.server.logs import LogFormat, RequestLog
from regauge.server.manage import routes
from regauge.server.manage.blindness import keep_blind
from regauge.server.manage.overview import warm_up
from regauge.server.state import ServerSettings, ServerState
from regauge.workflows.kinds import list_kinds, list_packages, with_kinds
from regauge.workflows.studies.study import Study

_LOG = logging.getLogger(__name__)


def create_app(study: Study, settings: ServerSettings | None = None, *, kinds: Kinds | None = None) -> FastAPI:
    """The application that serves a study.

    Args:
        study: the study.
        settings: how it is reached.
        kinds: the kinds of task that it serves; those that the study knows by default.
    """
    study = study if kinds is None else with_kinds(study, kinds)
    state = ServerState.make(study, settings or ServerSettings())

    app = FastAPI(
        title="Regauge",
        version=regauge.__version__,
        lifespan=lambda _app: _live(state),
        docs_url=None,
        redoc_url=None,
        # Those to addresses without the last slash would lead to wherever the Host header says, over HTTP.
        redirect_slashes=False,
    )
    app.state.regauge = state
    shortcuts = {("POST", "/api/answers"): _answer_directly}
    app.add_middleware(
        Guard,
        shortcuts=shortcuts,
        explain=_answer_failure,
        limits={**routes.LIMITS, **evidence.LIMITS},
        prepare=lambda scope: _catch_up(state, scope) if state.is_behind else None,
    )
    app.add_middleware(RequestLog, metrics=state.metrics, is_written=state.settings.log_format is LogFormat.JSON)
    for kind, answer in _ERROR_ANSWERS.items():
        app.add_exception_handler(kind, answer)
    _add_routes(app, list_kinds(study))
    return app


@asynccontextmanager
async def _live(state: ServerState) -> AsyncIterator[None]:
    """What goes on beside the requests, from the start to the end."""
    state.writer.start()
    await state.catch_up()
    aside = [asyncio.create_task(state.watch_sessions()), asyncio.create_task(warm_up(state))]
    if state.settings.paints_ahead:
        aside.append(asyncio.create_task(paint_ahead(state)))
    try:
        yield
    finally:
        for task in aside:
            task.cancel()
        state.writer.stop()


def _add_routes(app: FastAPI, kinds: Kinds) -> None:
    app.include_router(api.router)
    app.include_router(quiz.router)
    app.include_router(reports.router)
    app.include_router(shown.router)
    app.include_router(threads.router)
    app.include_router(discussions.router)
    app.include_router(discussion_pages.router)
    app.include_router(evidence.router)
    app.include_router(training.router)
    app.include_router(guide.router)
    app.include_router(expertises.router)
    app.include_router(health.router)
    app.include_router(own.router)
    for router in routes.ROUTERS:
        app.include_router(router, dependencies=[Depends(keep_blind)])
    app.include_router(classes.router)
    app.include_router(images.router)
    app.include_router(browse.router)
    app.include_router(doors.router)
    app.include_router(pages.router)
    app.mount(PLACE, load_assets(list_packages(kinds)), name="static")


async def _catch_up(state: ServerState, scope: Scope) -> Response | None:
    """Learn whose access has ended before a request is looked at; what to say where that cannot be known."""
    try:
        await state.catch_up()
    except RegaugeError as error:
        return await _answer_broken(Request(scope), error)
    return None


async def _answer_directly(scope: Scope, receive: Receive, send: Send) -> None:
    """Hand in an answer without the way through all routes, which takes longer than everything else about it.

    It is the request that everybody sends all the time. The route of the same address calls the same function.
    """
    request = Request(scope, receive)
    try:
        reply = await api.answer(request)
    except (RegaugeError, StarletteHTTPException) as error:
        explain = next(answer for kind, answer in _ERROR_ANSWERS.items() if isinstance(error, kind))
        reply = await explain(request, error)
    await reply(scope, receive, send)


async def _answer_refused(request: Request, error: Exception) -> Response:
    return _say(request, 409, name_options(str(error)))


async def _answer_kept_out(request: Request, error: Exception) -> Response:
    return _say(request, 403, str(error))


async def _answer_broken(request: Request, error: Exception) -> Response:
    # The words are for whoever runs the server: they name its folders.
    _LOG.error("%s", error)
    reply = _say(request, 503, "The server cannot store or read anything at the moment. Please try again.")
    reply.headers["Retry-After"] = "1"
    return reply


async def _answer_malformed(request: Request, error: Exception) -> Response:
    first = error.errors()[0] if isinstance(error, RequestValidationError) else {"msg": str(error), "loc": ()}
    where = ".".join(str(part) for part in first["loc"])
    return _say(request, 422, f"{where}: {first['msg']}.")


async def _answer_http(request: Request, error: Exception) -> Response:
    if isinstance(error, StarletteHTTPException):
        reply = _say(request, error.status_code, str(error.detail))
        reply.headers.update(error.headers or {})
        return reply
    return _say(request, 500, "Something went wrong.")


async def _answer_failure(request: Request, _error: Exception) -> Response:
    return _say(request, 500, "Something went wrong on the server; the error was logged there.")


def _say(request: Request, status: int, detail: str) -> Response:
    """What went wrong: a page for people, JSON for scripts."""
    if "text/html" in request.headers.get("accept", "") and not request.url.path.startswith("/api/"):
        return pages.render_error(request, status, detail)
    return JSONResponse({"detail": detail}, status_code=status)


_ERROR_ANSWERS: dict[type[Exception], Callable[[Request, Exception], Awaitable[Response]]] = {
    # Before the one that it is a case of.
    AccessError: _answer_kept_out,
    InputError: _answer_refused,
    RegaugeError: _answer_broken,
    # Files beside the database, on a disk that is full or was taken away.
    OSError: _answer_broken,
    RequestValidationError: _answer_malformed,
    StarletteHTTPException: _answer_http,
    HTTPException: _answer_http,
}
