"""What every request meets first: limits on what comes in, and the same headers on whatever goes out, errors included."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

Explain: TypeAlias = Callable[[Request, Exception], Awaitable[Response]]
Prepare: TypeAlias = Callable[[Scope], Awaitable[Response | None] | None]
"""Something to wait for, which may end in a refusal; None where there is nothing to wait for, as almost always."""

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; font-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
POLICY_NAME = b"content-security-policy"
HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
MAX_BODY = 65_536
BODY_SECONDS = 30
"""How long a body may take to arrive, piece by piece."""
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
OPEN_PATHS = ("/static/", "/healthz")
"""What is the same for everybody, also while the database cannot be read."""
OWN_SITES = frozenset({b"same-origin", b"none"})

_ALWAYS = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
_UNCACHED = [*_ALWAYS, (b"cache-control", b"no-store")]


def make_frame_policy(ancestors: Iterable[str], targets: Iterable[str]) -> str:
    """The policy of a page that some sites may show in a frame, and whose form goes to some; its images come by script."""
    changed = {
        "frame-ancestors 'none'": f"frame-ancestors {' '.join(ancestors)}",
        "form-action 'self'": f"form-action {' '.join(targets)}",
        "img-src 'self'": "img-src 'self' blob:",
    }
    rules = CONTENT_SECURITY_POLICY.split("; ")
    return "; ".join(changed.get(rule, rule) for rule in rules)


class Guard:
    """Refuses what is too long, too slow or another site's doing, and puts the same headers on every reply.

    Args:
        app: what lies behind.
        shortcuts: what answers a method and a path without the way through all routes.
        explain: what to say when something went wrong that nobody foresaw.
        limits: bytes that a method and a path take at most, where those are more than elsewhere.
        prepare: what is done before a request is looked at, and again when its body is there, unless it is to one of
            `OPEN_PATHS`; may refuse it.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        shortcuts: Mapping[tuple[str, str], ASGIApp],
        explain: Explain,
        limits: Mapping[tuple[str, str], int] | None = None,
        prepare: Prepare | None = None,
    ) -> None:
        self._app = app
        self._shortcuts = shortcuts
        self._explain = explain
        self._limits = limits or {}
        self._prepare = prepare

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        sender = _Sender(send)
        limit = self._limits.get((scope["method"], scope["path"]), MAX_BODY)
        refusal = _find_refusal(scope, limit)
        prepare = None if scope["path"].startswith(OPEN_PATHS) else self._prepare
        if refusal is None:
            refusal = await _wait(prepare, scope)
        app = refusal or self._shortcuts.get((scope["method"], scope["path"]), self._app)
        try:
            await app(scope, _Receiver(scope, receive, limit, is_form=_is_form(scope), prepare=prepare), sender)
        except ClientDisconnect:
            # Whoever began to send has gone; nothing was done, and there is nobody to tell.
            return
        except Exception as error:
            # Left to the framework, the reply would be made outside of this guard and lack its headers. It still writes the
            # error down.
            if not sender.has_begun:
                reply = await self._explain(Request(scope), error)
                await reply(scope, receive, sender)
            raise


@dataclass(slots=True, eq=False)
class _Sender:
    """Sends a reply with our headers."""

    send: Send
    has_begun: bool = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.has_begun = True
            own = message["headers"]
            names = {name for name, _ in own}
            ours = _ALWAYS if b"cache-control" in names else _UNCACHED
            # One page has a policy of its own: the one that is shown in another site's frame.
            message["headers"] = [*own, *(one for one in ours if one[0] != POLICY_NAME or POLICY_NAME not in names)]
        await self.send(message)


@dataclass(slots=True, eq=False)
class _Receiver:
    """Receives a body as long as it is short, comes in time and holds whole characters.

    A body in pieces does not tell its length beforehand. A form cannot hold half a character: JSON can, by an escape. While it
    comes, the access of whoever sends it may end.
    """

    scope: Scope
    receive: Receive
    limit: int = MAX_BODY
    is_form: bool = False
    prepare: Prepare | None = None
    n_bytes: int = 0
    is_whole: bool = False
    chunks: list[bytes] = field(default_factory=list)

    async def __call__(self) -> Message:
        if self.is_whole:
            return await self.receive()
        try:
            async with asyncio.timeout(BODY_SECONDS):
                message = await self.receive()
        except TimeoutError:
            raise HTTPException(408, "The request did not arrive in time.") from None
        body = message.get("body", b"")
        self.n_bytes += len(body)
        self.is_whole = not message.get("more_body", False)
        if self.n_bytes > self.limit:
            raise HTTPException(413, f"A request has at most {self.limit:,} bytes.")
        if not self.is_form:
            self.chunks.append(body)
        if not self.is_whole:
            return message
        if _has_half_characters(b"".join(self.chunks)):
            raise HTTPException(400, "The request has half a character (a lone surrogate), which no text can hold.")
        if await _wait(self.prepare, self.scope) is not None:
            raise HTTPException(503, "The server cannot read anything at the moment. Please try again.")
        return message


async def _wait(prepare: Prepare | None, scope: Scope) -> Response | None:
    waiting = None if prepare is None else prepare(scope)
    return None if waiting is None else await waiting


def _is_form(scope: Scope) -> bool:
    return any(name == b"content-type" and value.startswith(b"multipart/") for name, value in scope["headers"])


def _has_half_characters(body: bytes) -> bool:
    """Whether JSON has a lone surrogate in a text or a name; whatever is not JSON is refused by whoever reads it."""
    if body.isascii() and b"\\" not in body:
        return False
    try:
        json.dumps(json.loads(body), ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    except (ValueError, RecursionError):
        return False
    return False


def _find_refusal(scope: Scope, limit: int) -> Response | None:
    is_change = scope["method"] not in SAFE_METHODS
    for name, value in scope["headers"]:
        if name == b"content-length" and (not value.isdigit() or int(value) > limit):
            return _refuse(413, f"A request has at most {limit:,} bytes.")
        # Browsers say whose page asks, and no page can make them say otherwise.
        if is_change and name == b"sec-fetch-site" and value not in OWN_SITES:
            return _refuse(403, "The request did not come from one of our pages.")
    return None


def _refuse(status: int, detail: str) -> Response:
    return JSONResponse({"detail": detail}, status_code=status)
