"""What a server writes down: one JSON object a line on standard error, and nothing about persons in it.

No query strings, tokens, cookies, addresses of people or names: a line about a request has the template of its address, never
the address itself, and a failure has the kind of the error and where it came up, never its words, which may quote what
somebody sent.
"""

from __future__ import annotations

import json
import logging
import secrets
import sys
import time
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from types import TracebackType
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from regauge.server.metrics import METHODS, Metrics

OWN = "regauge"
FIELDS = "fields"
"""The attribute of a log record that has what is to be written besides its words."""
NO_ROUTE = "none"
"""What a request is counted under that no route answered."""
STATIC_ROUTE = "/static/{path}"
DIRECT_ROUTE = "/api/answers"
"""The address that is answered without the way through all routes."""

_LOG = logging.getLogger("regauge.server")


class LogFormat(StrEnum):
    """How a server writes things down."""

    TEXT = "text"
    """Only what goes wrong, for a person at a terminal."""
    JSON = "json"
    """Start, stop, every request and what goes wrong, for a program."""


class JsonFormatter(logging.Formatter):
    """A log record as a line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        moment = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        fields: Mapping[str, Any] = getattr(record, FIELDS, {})
        # The words of others are written without what was put into them, which may be anything.
        words = record.getMessage() if record.name.split(".")[0] == OWN else str(record.msg)
        line = {"at": moment, "level": record.levelname.lower(), "logger": record.name, "event": words, **fields}
        if record.exc_info and record.exc_info[0] is not None:
            line |= _describe_error(record.exc_info[0], record.exc_info[2])
        return json.dumps(line, ensure_ascii=True)


def set_up_logs(log_format: LogFormat) -> None:
    """Write everything down in one form; nothing is changed for text, which is what programs do by themselves."""
    if log_format is LogFormat.TEXT:
        return
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    _LOG.setLevel(logging.INFO)
    logging.captureWarnings(capture=True)


def log_event(event: str, **fields: object) -> None:
    """Write down that something happened to the server."""
    _LOG.info(event, extra={FIELDS: fields})


class RequestLog:
    """Counts every request and, if asked to, writes a line about it.

    Args:
        app: what lies behind.
        metrics: where to count.
        is_written: whether to write lines, too; replies then have an `X-Request-Id` by which to find theirs.
    """

    def __init__(self, app: ASGIApp, *, metrics: Metrics, is_written: bool) -> None:
        self._app = app
        self._metrics = metrics
        self._is_written = is_written

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        sender = _Sender(send, secrets.token_hex(8) if self._is_written else "")
        start = time.perf_counter()
        try:
            await self._app(scope, receive, sender)
        finally:
            self._note(scope, sender, time.perf_counter() - start)

    def _note(self, scope: Scope, sender: _Sender, seconds: float) -> None:
        route, method = find_route(scope), scope["method"]
        self._metrics.count_request(method, route, status=sender.status, seconds=seconds)
        if self._is_written:
            log_event(
                "request",
                method=method if method in METHODS else "OTHER",
                route=route,
                status=sender.status,
                ms=round(1_000 * seconds, 3),
                request_id=sender.request_id,
            )


@dataclass(slots=True, eq=False)
class _Sender:
    """Sends a reply and remembers its status; 0 where there was none, because whoever asked has gone."""

    send: Send
    request_id: str
    status: int = 0

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            if self.request_id:
                message["headers"] = [*message["headers"], (b"x-request-id", self.request_id.encode())]
        await self.send(message)


def find_route(scope: Scope) -> str:
    """The template of the address that was asked for, with names in the place of ids."""
    route = scope.get("route")
    if route is not None:
        return str(getattr(route, "path", NO_ROUTE))
    if scope["path"] == DIRECT_ROUTE:
        return DIRECT_ROUTE
    return STATIC_ROUTE if scope["path"].startswith("/static/") else NO_ROUTE


def _describe_error(kind: type[BaseException], where: TracebackType | None) -> dict[str, Any]:
    frames = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(where)]
    return {"error": kind.__name__, "where": frames}
